/* Tells a heap of Python's allocators: see allocators.h. */
#include "sources/allocators.h"

#include "core/base/biased_lock.h"
#include "context/context.h"

#include <pthread.h>

#define DOMAIN_COUNT 3
#define RAW 0           /* the first of these; other allocators than Python's need no interpreter's lock either */
#define HELD 1          /* a domain that is used with some interpreter's lock only */
#define MUCH (64 << 10) /* bytes: by so many a thread's memory moves before resident memory is read anew */

/* What each block goes through, of which the domain is known when it is compiled. */
#define FAST __attribute__((always_inline)) static inline

static const PyMemAllocatorDomain domains[DOMAIN_COUNT] = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};

/* What the process has. */
static struct {
    _Atomic(const trc_heap *) owner;      /* the heap that the hooks are on for, from before they are put on until they
                                             are off; or NULL. Its interpreter alone changes what is before the lock */
    PyMemAllocatorEx below[DOMAIN_COUNT]; /* written before the hooks are put on, never while they are */
    bool are_on[DOMAIN_COUNT];
    bool has_fork_handlers;
    trc_biased_lock lock;         /* of the heap, and of what follows; favours who has the main interpreter's */
    _Atomic(trc_heap *) heap;     /* that is told, or NULL */
    uint64_t serial;              /* how often a heap was watched */
    trc_attributed unattributed;  /* of threads that have no attribution */
    _Atomic uint64_t line_serial; /* how often the lines were dropped */
    _Atomic(const PyInterpreterState *) main; /* whose lock is the favoured one; NULL before the lock is prepared */
} process;

/* -- Who is told -- */

/* Whether an allocation is to be told of. Another thread may watch or unwatch a heap at any time. */
static inline bool is_told(void)
{
    return !trc_here.is_inside && atomic_load_explicit(&process.heap, memory_order_relaxed) != NULL;
}

/* To whom the calling thread's allocations are attributed. */
static inline trc_attributed attribute_here(void)
{
    if (trc_here.is_suppressed) {
        return TRC_ATTRIBUTED_NOBODY;
    }
    return trc_here.context->memory.serial == process.serial ? trc_here.context->memory.attribution.to
                                                             : process.unattributed;
}

/* The site where the thread is. `*thread`: its record, or NULL. */
static inline uint32_t site_here(trc_heap *heap, trc_attributed to, trc_heap_thread **thread)
{
    *thread = to == TRC_ATTRIBUTED_NODE ? trc_here.context->memory.attribution.thread : NULL;
    if (*thread == NULL) {
        return TRC_SITE_OUTSIDE;
    }
    uint32_t node = trc_here.context->memory.attribution.calls->stack.top->node->index;
    if (node == 0) { /* the root: it runs no function */
        return TRC_SITE_OUTSIDE;
    }
    if (trc_here.context->memory.lines == NULL) {
        return trc_heap_site_of_node(heap, *thread, node);
    }
    const trc_line *line = trc_here.context->memory.line_serial == process.line_serial
                               ? trc_linethread_line_now(trc_here.context->memory.lines)
                               : NULL;
    return trc_heap_site(heap, *thread, node, line == NULL ? 0 : line->number);
}

/* Whether the calling thread holds the main interpreter's lock. It is always that one which is favoured: between two that
 * change places, a thread could take itself for favoured a moment too late. By their contract MEM and OBJ are used with
 * some interpreter's lock only: where there is one interpreter, its thread need not be looked for. */
FAST bool has_main_lock(int domain)
{
    const PyInterpreterState *main = atomic_load_explicit(&process.main, memory_order_relaxed);
    return (domain != RAW && trc_newest_interpreter() == main) || trc_holds(main);
}

/* Returns the watched heap, if any, whose lock the caller then has. `*is_favoured`: for unlock_heap(). */
static inline trc_heap *lock_heap(int domain, bool *is_favoured)
{
    *is_favoured = trc_lock_as(&process.lock, has_main_lock(domain));
    return atomic_load_explicit(&process.heap, memory_order_relaxed);
}

static inline void unlock_heap(bool is_favoured)
{
    trc_unlock(&process.lock, is_favoured);
}

/* -- The usual cases -- */

/* A thread has the main interpreter's lock, nobody waits for the heap's, and the node has a site: these two do at once what
 * is then to be done. Without them, and the registers that the general case saves, memory adds half as many
 * instructions again (pickle in Python, by callgrind). Each returns whether all is done. */

/* Returns the watched heap if the case is usual so far; then its lock is the caller's. `*site`: of the thread's node. */
FAST trc_heap *lock_usual(int domain, uint32_t *site)
{
    if (domain == RAW || !has_main_lock(domain) || !trc_lock_favoured(&process.lock)) {
        return NULL;
    }
    trc_heap *heap = atomic_load_explicit(&process.heap, memory_order_relaxed);
    if (heap != NULL && trc_here.context->memory.plain == process.serial) {
        const trc_heap_thread *thread = trc_here.context->memory.attribution.thread;
        uint32_t node = trc_here.context->memory.attribution.calls->stack.top->node->index;
        *site = node < thread->room ? thread->sites[node] : 0; /* none for the root */
        if (*site != 0) {
            return heap;
        }
    }
    trc_unlock(&process.lock, true);
    return NULL;
}

__attribute__((noinline)) static void flush_latest(trc_heap *heap, uint32_t site)
{
    trc_heap_flush(heap);
    trc_heap_tell_if_moved(heap, site);
}

FAST bool allocated_usually(int domain, const void *block, size_t size)
{
    uint32_t site;
    trc_heap *heap = block == NULL ? NULL : lock_usual(domain, &site);
    if (heap == NULL) {
        return false;
    }
    if (heap->latest.address != 0) {
        flush_latest(heap, site);
    }
    heap->latest = (trc_latest){(uintptr_t)block, size, site, trc_here.context->memory.attribution.thread};
    trc_unlock(&process.lock, true);
    return true;
}

__attribute__((noinline)) static void end(trc_heap *heap, uint32_t site, const void *block)
{
    trc_heap_end(heap, trc_here.context->memory.attribution.thread, site, block);
    trc_heap_tell_if_moved(heap, site);
}

FAST bool freed_usually(int domain, const void *block)
{
    uint32_t site;
    trc_heap *heap = lock_usual(domain, &site);
    if (heap == NULL) {
        return false;
    }
    bool is_usual = heap->latest.size < MUCH;
    if (is_usual && !trc_heap_end_at_once(heap, trc_here.context->memory.attribution.thread, site, block)) {
        end(heap, site, block);
    }
    trc_unlock(&process.lock, true);
    return is_usual;
}

/* -- In general -- */

__attribute__((noinline)) static void allocated(int domain, const void *block, size_t size)
{
    bool is_favoured;
    trc_heap *heap = lock_heap(domain, &is_favoured);
    trc_attributed to = attribute_here();
    if (heap != NULL && block != NULL && to != TRC_ATTRIBUTED_NOBODY) {
        trc_heap_thread *thread;
        uint32_t site = site_here(heap, to, &thread);
        trc_heap_add(heap, thread, site, block, size);
        trc_heap_tell_if_moved(heap, site);
    }
    unlock_heap(is_favoured);
}

/* Told before the block is free, and another thread can get it. */
__attribute__((noinline)) static void freed(int domain, const void *block)
{
    bool is_favoured;
    trc_heap *heap = lock_heap(domain, &is_favoured);
    if (heap != NULL) {
        trc_heap_thread *thread;
        uint32_t site = site_here(heap, attribute_here(), &thread);
        if (heap->latest.size >= MUCH && heap->latest.address != 0) {
            trc_heap_flush(heap); /* a large block is seen on the curve, also one that is freed next */
            trc_heap_tell_if_moved(heap, site);
        }
        trc_heap_end(heap, thread, site, block);
        trc_heap_tell_if_moved(heap, site);
    }
    unlock_heap(is_favoured);
}

static inline trc_live_block take(int domain, const void *block)
{
    trc_live_block taken = {0, 0};
    bool is_favoured;
    trc_heap *heap = lock_heap(domain, &is_favoured);
    if (heap != NULL && block != NULL) {
        bool is_temporary;
        taken = trc_heap_take(heap, NULL, block, &is_temporary);
    }
    unlock_heap(is_favoured);
    return taken;
}

/* The block that was taken is at `block` now: an allocation and a free, but not a temporary one. NULL: it was not
 * moved. */
static inline void moved(int domain, const void *from, trc_live_block taken, const void *block, size_t size)
{
    bool is_favoured;
    trc_heap *heap = lock_heap(domain, &is_favoured);
    trc_attributed to = attribute_here();
    if (heap != NULL && block == NULL) {
        trc_heap_put_back(heap, from, taken);
    }
    else if (heap != NULL && (taken.site != 0 || to != TRC_ATTRIBUTED_NOBODY)) {
        trc_heap_thread *thread;
        uint32_t site = site_here(heap, to, &thread);
        if (taken.site != 0) {
            trc_heap_remove(heap, thread, site, taken, false);
        }
        trc_heap_add(heap, thread, site, block, size);
        trc_heap_tell_if_moved(heap, site);
    }
    unlock_heap(is_favoured);
}

/* -- For other allocators than Python's -- */

bool trc_allocators_enter(void)
{
    bool is_to_be_told = is_told();
    trc_here.is_inside = trc_here.is_inside || is_to_be_told;
    return is_to_be_told;
}

void trc_allocators_leave(bool is_told)
{
    trc_here.is_inside = trc_here.is_inside && !is_told;
}

void trc_allocators_allocated(const void *block, size_t size)
{
    allocated(RAW, block, size);
}

void trc_allocators_freed(const void *block)
{
    freed(RAW, block);
}

trc_live_block trc_allocators_take(const void *block)
{
    return take(RAW, block);
}

void trc_allocators_moved(const void *from, trc_live_block taken, const void *block, size_t size)
{
    moved(RAW, from, taken, block, size);
}

/* -- The hooks -- */

FAST void *hooked_malloc(int domain, void *context, size_t size)
{
    const PyMemAllocatorEx *below = &process.below[domain];
    if (!is_told()) {
        trc_here.passed |= 1U << domain;
        return below->malloc(context, size);
    }
    trc_here.is_inside = true;
    void *block = below->malloc(context, size);
    trc_here.is_inside = false;
    if (!allocated_usually(domain, block, size)) {
        allocated(domain, block, size);
    }
    return block;
}

static inline void *hooked_calloc(int domain, void *context, size_t count, size_t size)
{
    const PyMemAllocatorEx *below = &process.below[domain];
    if (!is_told()) {
        return below->calloc(context, count, size);
    }
    trc_here.is_inside = true;
    void *block = below->calloc(context, count, size);
    trc_here.is_inside = false;
    allocated(domain, block, count * size);
    return block;
}

static inline void *hooked_realloc(int domain, void *context, void *block, size_t size)
{
    const PyMemAllocatorEx *below = &process.below[domain];
    if (!is_told()) {
        return below->realloc(context, block, size);
    }
    trc_live_block taken = take(domain, block);
    trc_here.is_inside = true;
    void *moved_to = below->realloc(context, block, size);
    trc_here.is_inside = false;
    moved(domain, block, taken, moved_to, size);
    return moved_to;
}

FAST void hooked_free(int domain, void *context, void *block)
{
    const PyMemAllocatorEx *below = &process.below[domain];
    if (!is_told() || block == NULL) {
        below->free(context, block);
        return;
    }
    if (block != trc_here.forgotten && !freed_usually(domain, block)) {
        freed(domain, block);
    }
    trc_here.forgotten = NULL;
    trc_here.is_inside = true;
    below->free(context, block);
    trc_here.is_inside = false;
}

#define HOOKS_OF(domain)                                                   \
    static void *malloc_##domain(void *context, size_t size)               \
    {                                                                      \
        return hooked_malloc(domain, context, size);                       \
    }                                                                      \
    static void *calloc_##domain(void *context, size_t count, size_t size) \
    {                                                                      \
        return hooked_calloc(domain, context, count, size);                \
    }                                                                      \
    static void *realloc_##domain(void *context, void *block, size_t size) \
    {                                                                      \
        return hooked_realloc(domain, context, block, size);               \
    }                                                                      \
    static void free_##domain(void *context, void *block)                  \
    {                                                                      \
        hooked_free(domain, context, block);                               \
    }

HOOKS_OF(0)
HOOKS_OF(1)
HOOKS_OF(2)

static const PyMemAllocatorEx hooks[DOMAIN_COUNT] = {
    {NULL, malloc_0, calloc_0, realloc_0, free_0},
    {NULL, malloc_1, calloc_1, realloc_1, free_1},
    {NULL, malloc_2, calloc_2, realloc_2, free_2},
};

/* -- Putting them on -- */

static bool are_on_top(int domain)
{
    PyMemAllocatorEx top;
    PyMem_GetAllocator(domains[domain], &top);
    return top.malloc == hooks[domain].malloc;
}

/* Whether what is asked of a domain comes to its hook. What other threads allocate meanwhile changes nothing of the
 * answer, nor what a tool on top of the hook allocates for itself. */
static bool is_reached(int domain)
{
    PyMemAllocatorEx top;
    PyMem_GetAllocator(domains[domain], &top);
    bool was_inside = trc_here.is_inside;
    trc_here.is_inside = true;
    trc_here.passed = 0;
    void *block = top.malloc(top.ctx, 1);
    bool has_passed = (trc_here.passed >> domain & 1) != 0;
    top.free(top.ctx, block);
    trc_here.is_inside = was_inside;
    return has_passed || block == NULL; /* a tool on top gives nothing: then nobody knows, and nothing is changed */
}

/* Puts the hooks of a domain on top. A thread that is in the hooks just now, although they were not reached any more,
 * would find another allocator below: such a thread was asleep since the hooks were taken off. */
static void put_on(int domain)
{
    PyMem_GetAllocator(domains[domain], &process.below[domain]);
    PyMemAllocatorEx hook = hooks[domain];
    hook.ctx = process.below[domain].ctx;
    PyMem_SetAllocator(domains[domain], &hook);
}

/* Between these two the handlers of others may allocate. */
static void before_fork(void)
{
    trc_allocators_lock();
}

static void after_fork(void)
{
    trc_allocators_unlock();
}

bool trc_allocators_watch(trc_heap *heap, trc_attributed unattributed)
{
    assert(trc_has_gil());
    const trc_heap *nobody = NULL;
    if (!atomic_compare_exchange_strong(&process.owner, &nobody, heap)) {
        return false;
    }
    if (!process.has_fork_handlers) {
        process.has_fork_handlers = pthread_atfork(before_fork, after_fork, after_fork) == 0;
    }
    if (process.main == NULL) {
        trc_bias_lock(&process.lock);
        process.main = PyInterpreterState_Main();
    }
    trc_lock(&process.lock);
    process.serial++;
    process.unattributed = unattributed;
    process.heap = heap;
    trc_unlock(&process.lock, false);
    for (int i = 0; i < DOMAIN_COUNT; i++) {
        if (!are_on_top(i) && !is_reached(i)) {
            put_on(i);
        }
        process.are_on[i] = true;
    }
    return true;
}

void trc_allocators_unwatch(const trc_heap *heap)
{
    assert(trc_has_gil());
    if (process.owner != heap) {
        return;
    }
    trc_lock(&process.lock);
    process.heap = NULL;
    trc_unlock(&process.lock, false);
    for (int i = 0; i < DOMAIN_COUNT; i++) {
        if (process.are_on[i] && are_on_top(i)) {
            PyMem_SetAllocator(domains[i], &process.below[i]);
            process.are_on[i] = false;
        }
    }
    process.owner = NULL;
}

bool trc_allocators_reach(const trc_heap *heap)
{
    assert(trc_has_gil());
    bool reaches = process.owner == heap;
    for (int i = 0; reaches && i < DOMAIN_COUNT; i++) {
        reaches = is_reached(i);
    }
    return reaches;
}

/* -- Of the calling thread -- */

/* What is known of the calling thread, to be changed; NULL where it has no context. */
static trc_context_memory *memory_here(void)
{
    return trc_here.context == &trc_no_context ? NULL : &trc_here.context->memory;
}

/* Sets what follows from the attribution and the lines. */
static void note_plain(void)
{
    trc_context_memory *memory = memory_here();
    if (memory != NULL) {
        const trc_attribution *attribution = &memory->attribution;
        bool is_plain = attribution->to == TRC_ATTRIBUTED_NODE && attribution->thread != NULL && memory->lines == NULL;
        memory->plain = is_plain && !trc_here.is_suppressed ? memory->serial : 0;
    }
}

bool trc_allocators_suppress(bool is_suppressed)
{
    bool before = trc_here.is_suppressed;
    trc_here.is_suppressed = is_suppressed;
    note_plain();
    return before;
}

trc_attribution trc_allocators_attribute(const trc_heap *heap, trc_attribution attribution)
{
    assert(trc_has_gil());
    if (process.owner != heap) {
        return attribution;
    }
    trc_attribution before = {process.unattributed, NULL, NULL};
    trc_context_memory *memory = memory_here();
    if (memory != NULL) {
        before = memory->serial == process.serial ? memory->attribution : before;
        memory->attribution = attribution;
        memory->serial = process.serial;
        note_plain();
    }
    return before;
}

void trc_allocators_forget(const void *object)
{
    bool is_favoured;
    trc_heap *heap = lock_heap(HELD, &is_favoured);
    bool is_of_node = heap != NULL && attribute_here() == TRC_ATTRIBUTED_NODE;
    trc_here.forgotten = is_of_node ? trc_heap_forget(heap, trc_here.context->memory.attribution.thread, object) : NULL;
    unlock_heap(is_favoured);
}

void trc_allocators_attribute_lines(const trc_linethread *lines)
{
    trc_context_memory *memory = memory_here();
    if (memory != NULL) {
        memory->lines = lines;
        memory->line_serial = process.line_serial;
        note_plain();
    }
}

void trc_allocators_drop_lines(void)
{
    trc_lock(&process.lock);
    process.line_serial++;
    trc_unlock(&process.lock, false);
}

trc_tick trc_allocators_net(void *ignored)
{
    (void)ignored;
    bool is_favoured;
    trc_heap *heap = lock_heap(RAW, &is_favoured);
    trc_context_memory *memory = &trc_here.context->memory; /* changed where the thread has an attribution alone */
    if (heap != NULL && memory->serial == process.serial && memory->attribution.thread != NULL) {
        trc_heap_flush(heap);
        trc_tick net = memory->attribution.thread->net;
        if (memory->counted != memory->attribution.thread || memory->counted_in != process.serial) {
            memory->counted = memory->attribution.thread; /* another record of this thread has other bytes */
            memory->counted_in = process.serial;
            memory->net_before = trc_ticks_since(memory->net, net);
        }
        memory->net = trc_ticks_since(net, -memory->net_before);
    }
    unlock_heap(is_favoured);
    return memory->net;
}

uint64_t trc_allocators_resident(void)
{
    bool is_favoured;
    trc_heap *heap = lock_heap(RAW, &is_favoured);
    uint64_t resident = 0;
    if (heap != NULL) {
        trc_tick moved = trc_ticks_since(trc_here.context->memory.net, trc_here.context->memory.net_read);
        bool anew = moved >= MUCH || moved <= -MUCH;
        if (anew) {
            trc_here.context->memory.net_read = trc_here.context->memory.net;
        }
        resident = heap->resident(anew, heap->context);
    }
    unlock_heap(is_favoured);
    return resident;
}

trc_live_block trc_allocators_find(const void *block)
{
    trc_live_block found = {0, 0};
    bool is_favoured;
    const trc_heap *heap = lock_heap(HELD, &is_favoured);
    if (heap != NULL) {
        found = trc_heap_find(heap, block);
    }
    unlock_heap(is_favoured);
    return found;
}

bool trc_allocators_are_locked(void)
{
    return trc_is_taken(&process.lock);
}

/* Who has the lock may allocate. */
void trc_allocators_lock(void)
{
    trc_here.is_inside = true;
    trc_lock(&process.lock);
}

void trc_allocators_unlock(void)
{
    trc_unlock(&process.lock, false);
    trc_here.is_inside = false;
}
