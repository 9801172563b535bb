/* ProfileFormatError, raised for a file that is no profile, damaged, or too new. */
#ifndef TRC_TYPES_FORMAT_ERROR_H
#define TRC_TYPES_FORMAT_ERROR_H

#include "interp/compat.h"

/* New reference, or NULL with an exception set. */
PyObject *trc_format_error_type(PyObject *module);

#endif
