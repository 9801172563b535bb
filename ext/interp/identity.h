/* Which function an event is about: a key that is the same for every call of the function, the references that keep the
 * key valid, and, on demand, its names. */
#ifndef TRC_IDENTITY_H
#define TRC_IDENTITY_H

#include "interp/compat.h"

#include <stdbool.h>

/* Which callables a profile records. */
typedef enum trc_callable_scope {
    TRC_PYTHON,        /* functions written in Python */
    TRC_BUILTINS,      /* also builtin functions and methods: what cProfile records */
    TRC_ALL_CALLABLES, /* also types, partials, slot wrappers, ufuncs: every callable written in C */
    TRC_SCOPE_COUNT,
} trc_callable_scope;

/* A callee, as a back end reports it. Everything is borrowed for the length of the event. */
typedef struct trc_callee {
    /* A Python function's code object; a C function's PyMethodDef; see trc_callee_from_object() */
    const void *key;
    PyObject *object; /* the code object, or the callable, or the name of what has no row */
    trc_callable_scope scope;
} trc_callee;

/* Sets `callee` to what a call of `object` calls, up to the scope `wanted`. Returns false when the call is not
 * recorded, or calls a function written in Python. `first` is the first argument, or NULL. */
bool trc_callee_from_any_object(trc_callee *callee, PyObject *object, PyObject *first, trc_callable_scope wanted);

/* Does the same, but recognizes the two most frequent types without a call. */
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

/* Finds the key of a builtin function, or of a method that is called with `first`, a proper self. Returns false for any
 * other callable. `first` may be any object. */
static inline bool trc_find_frequent_key(const void **key, PyObject *object, PyObject *first)
{
    if (Py_IS_TYPE(object, &PyCFunction_Type)) {
        *key = ((PyCFunctionObject *)object)->m_ml;
        return true;
    }
    /* sys.monitoring.MISSING is an instance of `object`. */
    if (Py_IS_TYPE(object, &PyMethodDescr_Type) && ((PyDescrObject *)object)->d_type != &PyBaseObject_Type &&
        PyObject_TypeCheck(first, ((PyDescrObject *)object)->d_type)) {
        *key = ((PyMethodDescrObject *)object)->d_method;
        return true;
    }
    return false;
}

/* The callables that are in no row: the methods of these types, and Python code of files below the folder. Borrowed. */
typedef struct trc_internal_types {
    PyTypeObject *profiler;
    PyTypeObject *line_recorder;
    PyTypeObject *dispatcher;
    PyTypeObject *step_clock;
    PyObject *folder; /* a str, or NULL */
} trc_internal_types;

typedef enum trc_identity_kind {
    TRC_IDENTITY_CODE,
    TRC_IDENTITY_BUILTIN,
    TRC_IDENTITY_CALLABLE, /* the `kept_alive` itself: a type, a slot wrapper, a ufunc */
    TRC_IDENTITY_INSTANCE, /* any instance of the type `kept_alive` */
    TRC_IDENTITY_NAME,     /* what is called by the text `kept_alive`, and has no row (object_names.h) */
    TRC_IDENTITY_OTHER,    /* stands for all functions past the limit */
} trc_identity_kind;

typedef struct trc_identity {
    trc_identity_kind kind;
    uint32_t id;            /* position among the recorder's functions */
    bool is_internal;       /* left out of every row: tracer's own, or it only hands on to Python code */
    bool keeps_self;        /* `kept_alive` is the builtin's self, not the type of it */
    const PyMethodDef *def; /* of a builtin: only to be compared, for it may be freed meanwhile */
    /* Owned: the code object; for a builtin the type of its self, or its self when that is a type, a module or a
     * capsule; NULL when it has no self. Never another self: that would keep it alive. */
    PyObject *kept_alive;
    PyObject *module; /* owned: a builtin's __module__, or NULL */
    char *name;       /* owned: a copy of a builtin's name, or NULL */
} trc_identity;

/* Makes an identity, which owns all that it refers to. Returns NULL, without an exception, when memory is out. Runs no
 * Python code. */
trc_identity *trc_identity_new(const trc_callee *callee, const trc_internal_types *internal_types);
trc_identity *trc_identity_other(void);
trc_identity *trc_identity_copy(const trc_identity *identity);
void trc_identity_free(void *identity);

/* Whether the callee is a method or a class of tracer. */
bool trc_callee_is_internal(const trc_callee *callee, const trc_internal_types *internal_types);

/* Whether a call of an instance of the type ends up in a `__call__` written in Python, which has events of its own. */
bool trc_instances_hand_on(const PyTypeObject *type);

/* New reference, or NULL without an exception: the module of a type, as its definition says. Runs no Python code. */
PyObject *trc_module_of_type(PyTypeObject *type);

/* Whether it is that of a coroutine function's code. */
bool trc_identity_is_coroutine(const trc_identity *identity);

/* For a tp_traverse. */
int trc_identity_traverse(const trc_identity *identity, visitproc visit, void *arg);

/* New reference: the `code` of cProfile's getstats(): the code object, or a builtin's description such as "<method
 * 'append' of 'list' objects>". NULL with an exception set. */
PyObject *trc_identity_code(const trc_identity *identity);

/* New reference: (file name, first line, name, qualified name) of a code object, each exactly a str. NULL with an
 * exception set. */
PyObject *trc_code_names(const PyCodeObject *code);

/* New reference: (file name, line, name, qualified name), the first three as pstats labels a function. NULL with an
 * exception set. */
PyObject *trc_identity_names(const trc_identity *identity);

/* New reference: the name of the module that a builtin is of, exactly a str. NULL, without an exception, where that is
 * not known, and of all else. */
PyObject *trc_identity_module(const trc_identity *identity);

#endif
