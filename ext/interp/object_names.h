/* Names for callables that have no row, by which their calls are counted: so no object that the program made is kept alive, and
 * what is a function for the program has the name of one, as objects of numba have. */
#ifndef TRC_OBJECT_NAMES_H
#define TRC_OBJECT_NAMES_H

#include "interp/identity.h"

typedef enum trc_naming {
    TRC_NAMED,
    TRC_NAMED_BY_NONE, /* it hands on to Python code, which has events of its own, or is tracer's own */
    TRC_NAMING_FAILED, /* memory is out */
} trc_naming;

/* Sets `name` to a new reference to the text for an object that is called with `first`, or NULL: the same object for all that is
 * called so. Raises nothing, runs no Python code. */
trc_naming trc_name_object(PyObject **name, PyObject *object, PyObject *first,
                           const trc_internal_types *internal_types);

#endif
