/* Tells a heap of the memory that Python's allocators give out and take back: the domains RAW, MEM and OBJ. The
 * allocators are the process's, not an interpreter's, and RAW serves threads that hold no GIL. So one heap a process is
 * told, and what this file knows is the process's and the threads', too. No other state of the extension is, but for that
 * of its neighbours numpy_memory.c and native_memory.c, and of context/context.c. Interpreters with a GIL each come at the same
 * moment. So a heap *owns* the hooks while they are on for it; who has another heap is refused, and changes nothing.
 *
 * How the hooks are put on. PyMem_SetAllocator() replaces five words while other threads read them. So the hooks have
 * the context of the allocator below, and know that allocator by their domain: any mix of old and new words works. What
 * another tool has put on top calls the hooks for ever. So they come off only where they are on top; else they stay, and
 * pass on what comes. They are never put on twice. */
#ifndef TRC_ALLOCATORS_H
#define TRC_ALLOCATORS_H

#include "core/heap/attribution.h"
#include "interp/compat.h"

/* Has a heap told from now on. It must live until trc_allocators_unwatch() has returned. unattributed: to whom the
 * allocations of threads are attributed that have no attribution. watch returns false when another heap is told, or was until
 * a moment ago, by whichever interpreter. Both need the GIL of the heap's interpreter. */
bool trc_allocators_watch(trc_heap *heap, trc_attributed unattributed);
void trc_allocators_unwatch(const trc_heap *heap);

/* -- For other allocators than Python's -- */

/* enter: whether what an allocator does now is to be told, and it is from here on inside. Then it calls leave, and only
 * where it was told, one of the others: freed and take before the block is free, the others after. */
bool trc_allocators_enter(void);
void trc_allocators_leave(bool is_told);
void trc_allocators_allocated(const void *block, size_t size);
void trc_allocators_freed(const void *block);
trc_live_block trc_allocators_take(const void *block);
void trc_allocators_moved(const void *from, trc_live_block taken, const void *block, size_t size);

/* -- In general -- */

/* Between these two no thread changes the watched heap. */
void trc_allocators_lock(void);
void trc_allocators_unlock(void);
bool trc_allocators_are_locked(void); /* a contract: see core/base/contract.h */

/* The site that allocated the live block at an address, and its size; of site 0 where none is known. Needs a
 * GIL. */
trc_live_block trc_allocators_find(const void *block);

/* Whether the heap is told of what the calling thread allocates: a tool that was below the hooks may have been taken
 * off, and the hooks with it. Makes an allocation to see. Needs the GIL. */
bool trc_allocators_reach(const trc_heap *heap);

/* Sets the attribution of the calling thread, for as long as this heap is watched, and returns what it was. Where another
 * heap is watched, or none, or memory is out, nothing changes. Needs the GIL of the heap's interpreter. */
trc_attribution trc_allocators_attribute(const trc_heap *heap, trc_attribution attribution);

/* Whether the calling thread does tracer's own work from now on, whatever its attribution is: then they are nobody's.
 * Returns whether it did so before. */
bool trc_allocators_suppress(bool is_suppressed);

/* What the calling thread allocates belongs to the line on which it is, too, as this record of it says; NULL: to none.
 * The record must live until the next call in this thread, or until trc_allocators_drop_lines(). */
void trc_allocators_attribute_lines(const trc_linethread *lines);

/* No thread's allocations belong to lines any more, before it says so anew. */
void trc_allocators_drop_lines(void);

/* The bytes that the calling thread allocated and did not free, less those of others that it freed. A clock of memory:
 * `ignored` is its context. */
trc_tick trc_allocators_net(void *ignored);

/* The resident memory of the process, or 0 where that is not known. It is read anew where the thread's bytes, as
 * trc_allocators_net() told them last, have moved by 64 KiB or more since it was read in this thread. */
uint64_t trc_allocators_resident(void);

/* The latest allocation of the calling thread is in no figure, if it holds this object: the interpreter has made it only
 * to tell of an event. */
void trc_allocators_forget(const void *object);

#endif
