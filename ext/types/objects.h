/* count_objects(), find_objects(), find_path() and find_paths(): the live objects of the process as Python values; and the type of
 * what is counted in none of these. */
#ifndef TRC_TYPES_OBJECTS_H
#define TRC_TYPES_OBJECTS_H

#include "types/state.h"

extern const char trc_count_objects_doc[];
PyObject *trc_count_objects(PyObject *module, PyObject *const *args, Py_ssize_t count);

extern const char trc_find_objects_doc[];
PyObject *trc_find_objects(PyObject *module, PyObject *args);

extern const char trc_find_path_doc[];
PyObject *trc_find_path(PyObject *module, PyObject *args);

extern const char trc_find_paths_doc[];
PyObject *trc_find_paths(PyObject *module, PyObject *args);

/* Makes the type Uncounted. New reference, or NULL with an exception set. */
PyTypeObject *trc_uncounted_type(PyObject *module);

#endif
