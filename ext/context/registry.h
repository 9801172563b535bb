/* The threads of one interpreter: the only place that leads from the interpreter's states and the system's ids to contexts,
 * and knows which threads are over.
 *
 * A thread has one state as a rule, for as long as it lives. One that C code made has a new state in each of its calls
 * into Python: the system's ids lead it back to its context. A state whose thread has not come yet gets its context when
 * recording begins, and the thread takes it over at its first event. */
#ifndef TRC_REGISTRY_H
#define TRC_REGISTRY_H

#include "context/context.h"
#include "interp/compat.h"

#include <pthread.h>

#define TRC_CONTEXT_PLACES 256

struct trc_registry {
    pthread_mutex_t lock;                    /* for what follows */
    trc_context *first;                      /* the table of contexts, an owner of each */
    trc_context *places[TRC_CONTEXT_PLACES]; /* the same, by native_id */
    const trc_allocator *allocator;
    uint32_t many;   /* at so many contexts it is tidied */
    pid_t process;   /* C code may fork unseen */
    bool *are_taken; /* owned, by the numbers of keys */
    size_t key_count;
};

/* Initializes a zeroed registry. clear: its interpreter is gone. */
void trc_registry_init(trc_registry *registry);
void trc_registry_clear(trc_registry *registry);

/* In a forked child, which has the calling thread alone. */
void trc_registry_forked(trc_registry *registry);

/* -- Contexts -- */

/* The context of any thread's state; NULL when memory is out. The states of the interpreter stay meanwhile. */
trc_context *trc_registry_context_of(trc_registry *registry, const PyThreadState *state);

/* That of the calling thread, whose state this is, where it is not the one that came last. */
trc_context *trc_registry_come_to(trc_registry *registry, const PyThreadState *state);

/* The context of the calling thread, whose state this is; NULL when memory is out. */
static inline trc_context *trc_context_here(trc_registry *registry, const PyThreadState *state)
{
    trc_context *context = trc_here.context;
    bool is_known = context->registry == registry && context->state_id == state->id;
    return is_known ? context : trc_registry_come_to(registry, state);
}

/* Whether the context is of the calling thread: a contract, see core/base/contract.h. */
static inline bool trc_context_is_of_this_thread(const trc_context *context)
{
    return context->ident == PyThread_get_thread_ident();
}

/* Returns the context of the living thread with this number of the system, or NULL. */
const trc_context *trc_registry_find(const trc_registry *registry, unsigned long native_id);

/* Frees the contexts of threads that are over and of which nobody has a record any more. */
void trc_registry_tidy(trc_registry *registry);

/* Whether a thread is over, or is one that C code made and that has no state now. */
bool trc_context_is_over(const trc_context *context);

/* -- Keys -- */

/* open: gets a closed key a place in each context, empty in all. 0, or -1 with MemoryError set. close: gives
 * it back. renew: empties it. */
int trc_registry_open(trc_registry *registry, trc_context_key *key);
void trc_registry_close(trc_registry *registry, trc_context_key *key);
static inline void trc_context_renew(trc_context_key *key)
{
    key->generation = trc_context_generation();
}

#endif
