/* What is known of each thread that allocates: to whom that is credited, and what the thread does just now. For
 * allocators.c, which says when what holds; nobody else needs this. */
#ifndef TRC_THREAD_NOTES_H
#define TRC_THREAD_NOTES_H

#include "core/heap/creditor.h"

/* Of a thread that was credited. */
typedef struct trc_thread_notes {
    uint64_t serial; /* of the watching that `creditor` is for */
    uint64_t plain;  /* the watching in which its allocations belong to nodes without lines, or 0 */
    trc_creditor creditor;
    const trc_linethread *lines;
    uint64_t line_serial;           /* that `lines` is for */
    const trc_heap_thread *counted; /* whose bytes `net` is, ... */
    uint64_t counted_in;            /* in this watching, ... */
    trc_tick net_before;            /* ... beside these */
    trc_tick net;                   /* when it was told last: it stays while nothing is told */
    trc_tick net_read;              /* what it was when resident memory was read last */
} trc_thread_notes;

/* Those of a thread that was not: of no watching. */
extern const trc_thread_notes trc_no_notes;

/* Of any thread. */
typedef struct trc_thread_state {
    bool is_inside;        /* a watched allocator: what that asks of another one is no allocation of the program's */
    bool is_aside;         /* the thread does tracer's own work: its allocations are nobody's */
    uint8_t passed;        /* through the hooks of which domains, a bit each, it asked for memory that is not told */
    const void *forgotten; /* the block that was forgotten last, until a block is freed or an event told of; or NULL */
    trc_thread_notes *notes; /* owned; or trc_no_notes, which are not to be changed */
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

/* Returns the calling thread's notes, which may be changed, and are freed when it ends. NULL when memory is out. */
trc_thread_notes *trc_own_notes(void);

#endif
