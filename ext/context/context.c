/* What tracer has of one thread: see context.h. */
#include "context/context.h"

#include "core/base/clock.h"

#include <pthread.h>
#include <stdlib.h>

const trc_context trc_no_context;

_Thread_local trc_thread_state trc_here TRC_AT_ONCE = {.context = (trc_context *)&trc_no_context};

/* A context that a thread owns. A state may pass from thread to thread: so each has a list of its own. */
typedef struct owned_context {
    struct owned_context *next;
    trc_context *context;
} owned_context;

/* For the whole process. */
static struct {
    _Atomic uint64_t generations;
    pthread_once_t once;
    bool is_made; /* else no key was left: then a context outlives its thread, and the state tells that this is over */
    pthread_key_t key; /* of each thread's list, which its end frees */
} process = {.once = PTHREAD_ONCE_INIT};

void trc_context_drop(trc_context *context)
{
    if (atomic_fetch_sub_explicit(&context->owners, 1, memory_order_acq_rel) == 1) {
        free(context->parts);
        free(context);
    }
}

/* A thread ends. What else ends with it may allocate yet. */
static void end_all(void *first)
{
    bool was_inside = trc_here.is_inside;
    trc_here.context = (trc_context *)&trc_no_context;
    trc_here.is_inside = true;
    for (owned_context *owned = first, *next; owned != NULL; owned = next) {
        next = owned->next;
        atomic_store(&owned->context->cpu_at_end, trc_clock_thread_cpu());
        atomic_store(&owned->context->real_at_end, trc_clock_monotonic());
        atomic_store(&owned->context->has_ended, true);
        trc_context_drop(owned->context);
        free(owned);
    }
    trc_here.is_inside = was_inside;
}

static void make_key(void)
{
    process.is_made = pthread_key_create(&process.key, end_all) == 0;
}

/* Returns false when memory is out. */
static bool own(trc_context *context)
{
    owned_context *first = process.is_made ? pthread_getspecific(process.key) : NULL, *owned = first;
    while (owned != NULL && owned->context != context) {
        owned = owned->next;
    }
    if (owned != NULL) {
        return true;
    }
    owned = malloc(sizeof *owned);
    if (owned == NULL) {
        return false;
    }
    *owned = (owned_context){first, context};
    if (process.is_made && pthread_setspecific(process.key, owned) != 0) {
        free(owned);
        return false;
    }
    trc_context_share(context);
    return true;
}

bool trc_context_take(trc_context *context)
{
    pthread_once(&process.once, make_key);
    bool is_owned = own(context);
    if (is_owned) {
        trc_here.context = context;
    }
    return is_owned;
}

uint64_t trc_context_generation(void)
{
    return atomic_fetch_add(&process.generations, 1) + 1;
}

void trc_context_set_part(trc_context *context, trc_context_key key, void *record)
{
    size_t count = context->part_count;
    if (key.number >= count) {
        size_t more = 2 * count > key.number ? 2 * count : key.number + 1;
        trc_context_part *parts = realloc(context->parts, more * sizeof *parts);
        if (parts == NULL) {
            return;
        }
        memset(parts + count, 0, (more - count) * sizeof *parts);
        context->parts = parts;
        context->part_count = more;
    }
    context->parts[key.number] = (trc_context_part){key.generation, record};
}
