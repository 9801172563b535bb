/* Names for callables that have no row, as their calls are counted: of a class or an object that the program made itself, so that
 * it need not be kept alive, and of a function that is an object of another kind, as numba's are. */
#ifndef TRC_OBJECT_NAMES_H
#define TRC_OBJECT_NAMES_H

#include "interp/identity.h"

typedef enum trc_naming {
    TRC_NAMED_ITSELF,  /* trc_callee_from_object() tells what it is, and nothing is kept alive that the program made */
    TRC_NAMED_BY_TEXT, /* the `object` of the callee is a new reference to a text, the same for all that is called so */
    TRC_NAMED_BY_NONE, /* it hands on to Python code, which has events of its own, or is tracer's own */
    TRC_NAMING_FAILED, /* memory is out */
} trc_naming;

/* Sets `callee` to what stands for an object that is called with `first`, or NULL, in a call without a row. Raises nothing,
 * runs no Python code. */
trc_naming trc_name_object(trc_callee *callee, PyObject *object, PyObject *first,
                           const trc_internal_types *internal_types);

#endif
