/* read_profile() and pack_section(): scan profile files, and pack their section. */
#ifndef TRC_TYPES_VALUES_H
#define TRC_TYPES_VALUES_H

#include "interp/compat.h"

extern const char trc_read_profile_doc[], trc_pack_section_doc[];

PyObject *trc_read_profile(PyObject *module, PyObject *data);
PyObject *trc_pack_section(PyObject *module, PyObject *data);

#endif
