/* What tracer has of one thread: found by one pointer in thread-local storage, which the registry (registry.h) sets at the
 * thread's first event. Recorders own their records of the thread; its context borrows them, by the keys of recorders.
 * So an event of any recorder finds its record by two loads, and a key that is renewed empties its place in every thread
 * at once.
 *
 * A context has several owners: its thread, until that ends; the registry; and each record, for what a record says of its
 * thread is never another thread's. Only the thread itself, and who has the registry's lock, write to it; what it
 * notes at its end is written without. */
#ifndef TRC_CONTEXT_H
#define TRC_CONTEXT_H

#include "core/base/contract.h"
#include "core/base/hash.h"
#include "core/heap/attribution.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct trc_registry trc_registry;
typedef struct trc_context trc_context;

/* The place of one recorder in each context. A closed key is zeroed. */
typedef struct trc_context_key {
    size_t number;
    uint64_t generation; /* no two keys have the same, whichever interpreter's */
} trc_context_key;

typedef struct trc_context_part {
    uint64_t generation; /* of the key that `record` is for */
    void *record;        /* borrowed */
} trc_context_part;

/* To whom the thread's allocations belong: for sources/allocators.c, which says when what holds. */
typedef struct trc_context_memory {
    uint64_t serial; /* of the watching that `attribution` is for */
    uint64_t plain;  /* the watching in which its allocations belong to nodes without lines, or 0 */
    trc_attribution attribution;
    const trc_linethread *lines;
    uint64_t line_serial;           /* that `lines` is for */
    const trc_heap_thread *counted; /* whose bytes `net` is, ... */
    uint64_t counted_in;            /* in this watching, ... */
    trc_tick net_before;            /* ... beside these */
    trc_tick net;                   /* when it was told last: it stays while nothing is told */
    trc_tick net_read;              /* what it was when resident memory was read last */
} trc_context_memory;

struct trc_context {
    trc_context_memory memory;
    const trc_registry *registry; /* NULL: the interpreter is gone */
    uint64_t state_id;            /* PyThreadState_GetID(), of this interpreter: of the latest state that is known */
    size_t part_count;
    trc_context_part *parts;    /* owned, by the numbers of keys: read and written by the thread itself */
    unsigned long ident;        /* threading.get_ident() */
    unsigned long native_id;    /* threading.get_native_id() */
    bool is_pending;            /* the thread is to ask for its switches of greenlets again: dispatch/greenlets.c */
    _Atomic int64_t cpu_at_end; /* of the thread, in ns; and the moment, of CLOCK_MONOTONIC: once it has ended */
    _Atomic int64_t real_at_end;
    atomic_bool has_ended; /* its thread is over: it notes that itself, without the interpreter's lock */
    atomic_uint owners;
    UT_hash_handle hh;          /* in the registry's table, by state_id */
    trc_context *next_in_place; /* of the same, by native_id */
};

/* That of a thread that has none. It is never written to. */
extern const trc_context trc_no_context;

/* Of any thread. */
typedef struct trc_thread_state {
    bool is_inside;        /* a watched allocator: what that asks of another one is no allocation of the program's */
    bool is_suppressed;    /* the thread does tracer's own work: its allocations are nobody's */
    uint8_t passed;        /* through the hooks of which domains, a bit each, it asked for memory that is not told */
    const void *forgotten; /* the block that was forgotten last, until a block is freed or an event told of; or NULL */
    trc_context *context;  /* of the interpreter whose event came last; or trc_no_context */
} trc_thread_state;

/* The calling thread's is found by an instruction, where the usual way calls a function. glibc allows that to a library
 * which is loaded late, in a few hundred bytes for all libraries: so it is small. There, the usual way allocates when a
 * thread comes for the first time, which a hook of malloc() must not. Other C libraries, as musl, refuse to load a library
 * that asks for the instruction; their usual way allocates nothing. */
#ifdef __GLIBC__
#define TRC_AT_ONCE __attribute__((tls_model("initial-exec")))
#else
#define TRC_AT_ONCE
#endif

extern _Thread_local trc_thread_state trc_here TRC_AT_ONCE;

/* One more owner; one less: the last one frees it. Both may be called by any thread. */
static inline trc_context *trc_context_share(trc_context *context)
{
    atomic_fetch_add_explicit(&context->owners, 1, memory_order_relaxed);
    return context;
}

void trc_context_drop(trc_context *context);

/* The calling thread owns the context from now on, beside those of other interpreters, and finds it by trc_here. Returns
 * false when memory is out. */
bool trc_context_take(trc_context *context);

/* The calling thread's record in the place of a key; NULL when there is none. */
static inline void *trc_context_part_of(const trc_context *context, trc_context_key key)
{
    bool is_there = key.number < context->part_count && context->parts[key.number].generation == key.generation;
    return is_there ? context->parts[key.number].record : NULL;
}

/* A generation that no key has had. */
uint64_t trc_context_generation(void);

/* Sets that of the calling thread. Where memory is out, it has none. */
void trc_context_set_part(trc_context *context, trc_context_key key, void *record);

#endif
