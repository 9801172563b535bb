/* Between the preloaded library and the extension. The library stands in for malloc and its kin in the whole process,
 * from before the interpreter starts. It passes on what it is asked, and is deaf to it until the extension, which may be
 * loaded at any time, gives it a listener. The library is made of one file, without Python and without the core. */
#ifndef TRC_PRELOAD_H
#define TRC_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who is told of what the C code of a process allocates, by any thread, with or without the GIL. It lives as long as the
 * process. */
typedef struct trc_preload_listener {
    /* enter: whether what the thread allocates now is to be told. Then `leave` follows, after the call of the allocator
     * where that allocates, and else after `freed`. */
    bool (*enter)(void);
    void (*leave)(void);
    void (*allocated)(const void *block, size_t size); /* which is NULL where that failed; after `leave` */
    void (*freed)(const void *block);                  /* before it is free */
    /* Has the allocator change the size of a block, and leaves. */
    void *(*resized)(void *(*resize)(void *block, size_t size), void *block, size_t size);
    /* The code from here to there is the listener's own: its memory is not told. */
    uintptr_t own_start;
    uintptr_t own_end;
} trc_preload_listener;

/* The function by which the library is found, and given its listener. */
#define TRC_PRELOAD_LISTEN "tracer_preload_listen"
typedef void (*trc_preload_listen)(const trc_preload_listener *listener);

#endif
