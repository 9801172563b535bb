/* Which function an event is about: a key that is the same for every call of it, what must be owned so that the key
 * stays its, and, when somebody asks, its names. */
#ifndef TRC_IDENTITY_H
#define TRC_IDENTITY_H

#include "compat.h"

#include <stdbool.h>

/* A call as a back end reports it. Everything is borrowed for the length of the event. */
typedef struct trc_callee {
    const void *key;  /* of a Python function its code object, of a C function its PyMethodDef */
    PyObject *object; /* the code object, or the builtin (function or bound method) that is called */
    int offset;       /* of a generator or coroutine: where its frame stands; else -1 */
} trc_callee;

/* The types whose methods are in no row. Borrowed. */
typedef struct trc_own_types {
    PyTypeObject *profiler;
    PyTypeObject *dispatcher;
} trc_own_types;

typedef enum trc_identity_kind {
    TRC_IDENTITY_CODE,
    TRC_IDENTITY_BUILTIN,
    TRC_IDENTITY_OTHER, /* stands for all functions past the limit */
} trc_identity_kind;

typedef struct trc_identity {
    trc_identity_kind kind;
    uint32_t id;            /* position among the recorder's functions */
    bool own;               /* a method of tracer's: left out of every row */
    bool keeps_self;        /* `keeper` is the builtin's self, not the type of it */
    int first_resume;       /* offset at which the body starts; a frame that stands behind it is resumed */
    const PyMethodDef *def; /* of a builtin: to be compared, for it may be freed while we have it */
    /* Owned: the code object; of a builtin the type of its self, or its self when that is a type, a module or a
     * capsule; NULL when it has none. Never any other self, which would live on. */
    PyObject *keeper;
    PyObject *module; /* owned: a builtin's __module__, or NULL */
    char *name;       /* owned: a copy of a builtin's name, or NULL */
} trc_identity;

/* A new identity, owning what it needs; NULL when memory is out, without an exception. Runs no Python code. */
trc_identity *trc_identity_new(const trc_callee *callee, const trc_own_types *own_types);
trc_identity *trc_identity_other(void);
trc_identity *trc_identity_copy(const trc_identity *identity);
void trc_identity_free(void *identity);

/* Whether a builtin is a method of tracer's. */
bool trc_callee_is_own(const trc_callee *callee, const trc_own_types *own_types);

/* Whether calling it makes a generator, coroutine or the like, whose body can be resumed. */
static inline bool trc_code_is_resumable(const PyCodeObject *code)
{
    return (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE)) != 0;
}

/* Of a generator or the like: whether its frame stands behind the start of its body. */
bool trc_callee_is_past_start(const trc_callee *callee, const trc_identity *identity);

/* Whether the event is not a start of a body but the resume of one. */
static inline bool trc_callee_is_resumed(const trc_callee *callee, const trc_identity *identity)
{
    return callee->offset >= 0 && trc_callee_is_past_start(callee, identity);
}

/* For a tp_traverse. */
int trc_identity_traverse(const trc_identity *identity, visitproc visit, void *arg);

/* New reference: what cProfile's getstats() has as `code`: the code object, or a builtin's description such as
 * "<method 'append' of 'list' objects>". NULL with an exception set. */
PyObject *trc_identity_code(const trc_identity *identity);

/* New reference: (file name, line, name, qualified name), the first three as pstats labels a function. */
PyObject *trc_identity_names(const trc_identity *identity);

#endif
