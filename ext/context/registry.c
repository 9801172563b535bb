/* The threads of one interpreter: see registry.h. */
#include "context/registry.h"

#include "interp/threads.h"

#include <stdlib.h>
#include <unistd.h>

#define MANY 64

void trc_registry_init(trc_registry *registry)
{
    pthread_mutex_init(&registry->lock, NULL);
    registry->allocator = &trc_system_allocator;
    registry->many = MANY;
    registry->process = getpid();
}

static size_t place_of(unsigned long native_id)
{
    return native_id & (TRC_CONTEXT_PLACES - 1);
}

static void leave_place(trc_registry *registry, const trc_context *context)
{
    trc_context **at = &registry->places[place_of(context->native_id)];
    while (*at != NULL && *at != context) {
        at = &(*at)->next_in_place;
    }
    if (*at != NULL) {
        *at = context->next_in_place;
    }
}

/* The context is found by this number of the system from now on, the latest first. */
static void set_native_id(trc_registry *registry, trc_context *context, unsigned long native_id)
{
    leave_place(registry, context);
    context->native_id = native_id;
    trc_context **place = &registry->places[place_of(native_id)];
    context->next_in_place = *place;
    *place = context;
}

/* Takes a context out of the table, which owns it no longer. */
static void forget(trc_registry *table, trc_context *context)
{
    leave_place(table, context);
    HASH_DEL(table->first, context);
    trc_context_drop(context);
}

void trc_registry_clear(trc_registry *registry)
{
    for (trc_context *context = registry->first, *next; context != NULL; context = next) {
        next = context->hh.next;
        context->registry = NULL;
        forget(registry, context);
    }
    free(registry->are_taken);
    registry->are_taken = NULL;
    registry->key_count = 0;
}

/* The contexts of threads that the process does not have have no thread any more. */
static void leave_parent(trc_registry *registry)
{
    registry->process = getpid();
    for (trc_context *context = registry->first; context != NULL; context = context->hh.next) {
        if (context != trc_here.context) {
            atomic_store(&context->has_ended, true);
        }
    }
}

void trc_registry_forked(trc_registry *registry)
{
    pthread_mutex_init(&registry->lock, NULL); /* a thread that the child does not have may have held it */
    leave_parent(registry);
    if (trc_here.context->registry == registry) {
        set_native_id(registry, trc_here.context, PyThread_get_thread_native_id());
    }
}

/* -- Contexts -- */

bool trc_context_is_over(const trc_context *context)
{
    return atomic_load(&context->has_ended) || trc_state_of(context->state_id) == NULL;
}

static void tidy(trc_registry *registry)
{
    assert(trc_is_locked(&registry->lock));
    for (trc_context *context = registry->first, *next; context != NULL; context = next) {
        next = context->hh.next;
        if (atomic_load(&context->owners) == 1 && trc_context_is_over(context)) {
            forget(registry, context);
        }
    }
    registry->many = 2 * HASH_COUNT(registry->first) + MANY;
}

void trc_registry_tidy(trc_registry *registry)
{
    pthread_mutex_lock(&registry->lock);
    tidy(registry);
    pthread_mutex_unlock(&registry->lock);
}

static trc_context *find(const trc_registry *registry, uint64_t state_id)
{
    trc_context *context;
    HASH_FIND(hh, registry->first, &state_id, sizeof state_id, context);
    return context;
}

const trc_context *trc_registry_find(const trc_registry *registry, unsigned long native_id)
{
    const trc_context *context = registry->places[place_of(native_id)];
    while (context != NULL && (context->native_id != native_id || trc_context_is_over(context))) {
        context = context->next_in_place;
    }
    return context;
}

/* Returns the context of a thread, made by C code, that has had another state before. */
static trc_context *find_of_thread(const trc_registry *registry, unsigned long ident, unsigned long native_id)
{
    trc_context *context = registry->places[place_of(native_id)];
    while (context != NULL && !(context->ident == ident && context->native_id == native_id &&
                                !atomic_load(&context->has_ended) && trc_state_of(context->state_id) == NULL)) {
        context = context->next_in_place;
    }
    return context;
}

/* Puts a context into the table. Returns false when memory is out: then it is freed. */
static bool add(trc_registry *table, trc_context *context, uint64_t state_id)
{
    context->state_id = state_id;
    HASH_ADD(hh, table->first, state_id, sizeof context->state_id, context);
    if (context->hh.tbl == NULL) {
        leave_place(table, context);
        context->registry = NULL;
        trc_context_drop(context);
        return false;
    }
    trc_hash_grow(&table->first->hh, table->allocator);
    return true;
}

static trc_context *make(trc_registry *registry, uint64_t state_id)
{
    if (HASH_COUNT(registry->first) >= registry->many) {
        tidy(registry);
    }
    trc_context *context = calloc(1, sizeof *context);
    if (context == NULL) {
        return NULL;
    }
    context->registry = registry;
    atomic_store(&context->owners, 1);
    return add(registry, context, state_id) ? context : NULL;
}

/* Returns the context of a state, whose thread has these ids; NULL when memory is out. */
static trc_context *get(trc_registry *table, uint64_t state_id, unsigned long ident, unsigned long native_id)
{
    assert(trc_is_locked(&table->lock) && trc_has_gil());
    if (table->process != getpid()) {
        leave_parent(table);
    }
    trc_context *context = find(table, state_id);
    if (context == NULL) {
        context = find_of_thread(table, ident, native_id);
        if (context != NULL) {
            HASH_DEL(table->first, context);
            context = add(table, context, state_id) ? context : NULL;
        }
        else {
            context = make(table, state_id);
        }
    }
    if (context != NULL) {
        context->ident = ident;
        set_native_id(table, context, native_id);
    }
    return context;
}

trc_context *trc_registry_come_to(trc_registry *registry, const PyThreadState *state)
{
    assert(state == trc_this_thread());
    bool was_inside = trc_here.is_inside;
    trc_here.is_inside = true; /* what is allocated here is not the program's */
    /* The system tells the ids: in a forked child, the state may still have its parent's. */
    unsigned long ident = PyThread_get_thread_ident(), native_id = PyThread_get_thread_native_id();
    pthread_mutex_lock(&registry->lock);
    trc_context *context = get(registry, state->id, ident, native_id);
    if (context != NULL) {
        atomic_store(&context->has_ended, false);
        context = trc_context_take(context) ? context : NULL;
    }
    pthread_mutex_unlock(&registry->lock);
    trc_here.is_inside = was_inside;
    return context;
}

trc_context *trc_registry_context_of(trc_registry *registry, const PyThreadState *state)
{
    if (state == trc_this_thread()) {
        return trc_context_here(registry, state);
    }
    pthread_mutex_lock(&registry->lock);
    trc_context *context = get(registry, state->id, state->thread_id, state->native_thread_id);
    pthread_mutex_unlock(&registry->lock);
    return context;
}

/* -- Keys -- */

/* Returns the number of a key that nobody has; key_count when memory is out. */
static size_t free_number(trc_registry *registry)
{
    assert(trc_is_locked(&registry->lock));
    size_t number = 0;
    while (number < registry->key_count && registry->are_taken[number]) {
        number++;
    }
    if (number == registry->key_count) {
        size_t more = number == 0 ? 4 : 2 * number;
        bool *larger = realloc(registry->are_taken, more * sizeof *larger);
        if (larger != NULL) {
            memset(larger + number, 0, (more - number) * sizeof *larger);
            registry->are_taken = larger;
            registry->key_count = more;
        }
    }
    return number;
}

int trc_registry_open(trc_registry *registry, trc_context_key *key)
{
    pthread_mutex_lock(&registry->lock);
    size_t number = free_number(registry);
    bool is_there = number < registry->key_count;
    if (is_there) {
        registry->are_taken[number] = true;
        *key = (trc_context_key){number, trc_context_generation()};
    }
    pthread_mutex_unlock(&registry->lock);
    if (!is_there) {
        PyErr_NoMemory();
    }
    return is_there ? 0 : -1;
}

void trc_registry_close(trc_registry *registry, trc_context_key *key)
{
    pthread_mutex_lock(&registry->lock);
    if (key->generation != 0) {
        registry->are_taken[key->number] = false;
    }
    *key = (trc_context_key){0, 0};
    pthread_mutex_unlock(&registry->lock);
}
