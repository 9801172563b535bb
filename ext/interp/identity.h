/* Which function an event is about: a key that is the same for every call of it, what must be owned so that the key
 * stays its, and, when somebody asks, its names. */
#ifndef TRC_IDENTITY_H
#define TRC_IDENTITY_H

#include "interp/compat.h"

#include <stdbool.h>

/* How much a profile asks for. */
typedef enum trc_callable_scope {
    TRC_PYTHON,        /* functions written in Python */
    TRC_BUILTINS,      /* and builtin functions and methods: what cProfile records */
    TRC_ALL_CALLABLES, /* and types, partials, slot wrappers, ufuncs: whatever is called and written in C */
} trc_callable_scope;

/* What is called, as a back end reports it. Everything is borrowed for the length of the event. */
typedef struct trc_callee {
    /* Of a Python function its code object, of a C function its PyMethodDef; see trc_callee_from_object() */
    const void *key;
    PyObject *object; /* the code object, or what is called */
    trc_callable_scope scope;
} trc_callee;

/* What calling `object` calls, of the highest scope that is `wanted`; false when that is nothing, or a function written
 * in Python. `first` is the first argument, or NULL. */
bool trc_callee_from_any_object(trc_callee *callee, PyObject *object, PyObject *first, trc_callable_scope wanted);

/* The same; what is called most is told apart without a call. */
static inline bool trc_callee_from_object(trc_callee *callee, PyObject *object, PyObject *first,
                                          trc_callable_scope wanted)
{
    if (Py_IS_TYPE(object, &PyFunction_Type)) {
        return false;
    }
    if (Py_IS_TYPE(object, &PyCFunction_Type)) {
        *callee = (trc_callee){((PyCFunctionObject *)object)->m_ml, object, TRC_BUILTINS};
        return true;
    }
    return trc_callee_from_any_object(callee, object, first, wanted);
}

/* What is in no row: the methods of these types, and Python code of files below the folder. Borrowed. */
typedef struct trc_internal_types {
    PyTypeObject *profiler;
    PyTypeObject *line_recorder;
    PyTypeObject *dispatcher;
    PyObject *folder; /* a str, or NULL */
} trc_internal_types;

typedef enum trc_identity_kind {
    TRC_IDENTITY_CODE,
    TRC_IDENTITY_BUILTIN,
    TRC_IDENTITY_CALLABLE, /* the `kept_alive` itself: a type, a slot wrapper, a ufunc */
    TRC_IDENTITY_INSTANCE, /* any instance of the type `kept_alive` */
    TRC_IDENTITY_OTHER,    /* stands for all functions past the limit */
} trc_identity_kind;

typedef struct trc_identity {
    trc_identity_kind kind;
    uint32_t id;            /* position among the recorder's functions */
    bool is_internal;       /* left out of every row: of tracer's own, or what only hands on to Python code */
    bool keeps_self;        /* `kept_alive` is the builtin's self, not the type of it */
    const PyMethodDef *def; /* of a builtin: to be compared, for it may be freed while we have it */
    /* Owned: the code object; of a builtin the type of its self, or its self when that is a type, a module or a
     * capsule; NULL when it has none. Never any other self, which would live on. */
    PyObject *kept_alive;
    PyObject *module; /* owned: a builtin's __module__, or NULL */
    char *name;       /* owned: a copy of a builtin's name, or NULL */
} trc_identity;

/* A new identity, owning what it needs; NULL when memory is out, without an exception. Runs no Python code. */
trc_identity *trc_identity_new(const trc_callee *callee, const trc_internal_types *internal_types);
trc_identity *trc_identity_other(void);
trc_identity *trc_identity_copy(const trc_identity *identity);
void trc_identity_free(void *identity);

/* Whether what is called is a method, or a class, of tracer's. */
bool trc_callee_is_internal(const trc_callee *callee, const trc_internal_types *internal_types);

/* For a tp_traverse. */
int trc_identity_traverse(const trc_identity *identity, visitproc visit, void *arg);

/* New reference: what cProfile's getstats() has as `code`: the code object, or a builtin's description such as
 * "<method 'append' of 'list' objects>". NULL with an exception set. */
PyObject *trc_identity_code(const trc_identity *identity);

/* New reference: (file name, first line, name, qualified name) of a code object, of str itself. NULL with an exception
 * set. */
PyObject *trc_code_names(const PyCodeObject *code);

/* New reference: (file name, line, name, qualified name), the first three as pstats labels a function. */
PyObject *trc_identity_names(const trc_identity *identity);

#endif
