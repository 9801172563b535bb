/* To what an object refers: all that the garbage collector would be told, and what it has no need to know. These are the
 * texts that are keys of a dict, and the constants and names of code. */
#ifndef TRC_REFERENTS_H
#define TRC_REFERENTS_H

#include "interp/compat.h"

/* The fields of code that are followed, with the names that Python has for them. */
#define TRC_CODE_FIELDS(X) \
    X(co_consts)           \
    X(co_names)            \
    X(co_filename)         \
    X(co_name)             \
    X(co_qualname)         \
    X(co_linetable)        \
    X(co_exceptiontable)

/* Whether an object can refer to others. */
static inline bool trc_has_referents(PyObject *object)
{
    return PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HAVE_GC) ? PyObject_IS_GC(object) : PyCode_Check(object);
}

/* Calls visit(referent, context) for each until it does not return 0. Returns what the last call returned. Some may be
 * visited twice. The object has referents. */
int trc_each_referent(PyObject *object, visitproc visit, void *context);

#endif
