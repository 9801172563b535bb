/* The native samples of one profile: see sampling.h. counting.c has what becomes of a sample. */
#include "core/samples/sampling.h"

#include "core/base/clock.h"
#include "core/base/contract.h"
#include "core/base/gettid.h"

#define VISITS_NS 10000000 /* where there is no limit: a ring has room for few stacks */
#define SCAN_CALLS 10      /* between two looks at all threads, though their number is the same */

#if TRC_SAMPLES

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

const char *trc_sampling_refusal(void)
{
    return NULL;
}

trc_sampling *trc_sampling_new(int hz, trc_slot_pool *pool)
{
    trc_sampling *sampling = calloc(1, sizeof *sampling);
    if (sampling == NULL || !trc_counting_init(&sampling->counts)) {
        free(sampling);
        return NULL;
    }
    sampling->counts.period = 1000000000 / hz;
    trc_pacing_init(&sampling->pacing, 0, sampling->counts.period, TRC_ROOM_FOR_STACKS);
    sampling->process = getpid();
    sampling->pool = pool;
    sampling->notes_stacks = true;
    sampling->counts.modules.by_maps = trc_slot_pool_is_unsure(pool);
    pthread_mutex_init(&sampling->threads_lock, NULL);
    pthread_mutex_init(&sampling->data_lock, NULL);
    return sampling;
}

void trc_sampling_limit(trc_sampling *sampling, double slowdown)
{
    int room = sampling->notes_stacks ? TRC_ROOM_FOR_STACKS : TRC_ROOM_FOR_FRAMES;
    trc_pacing_init(&sampling->pacing, slowdown, sampling->counts.period, room);
    sampling->keeps_pace = true;
    sampling->counts.slow_lines.limit = slowdown;
}

/* -- Accounts and slots; the lock of the watched is held -- */

/* An owner of either kind as one number, for the handler. */
static uint32_t owner_number(int kind, uint32_t owner)
{
    return owner << 1 | (uint32_t)kind;
}

static trc_account *account_of(trc_sampling *sampling, int kind, uint32_t owner)
{
    trc_accounts *accounts = &sampling->accounts[kind];
    if (owner >= accounts->count) {
        trc_account *more = realloc(accounts->accounts, (owner + 1) * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        memset(more + accounts->count, 0, (owner + 1 - accounts->count) * sizeof *more);
        accounts->accounts = more;
        accounts->count = owner + 1;
    }
    return &accounts->accounts[owner];
}

typedef struct times {
    int64_t cpu, real;
} times;

/* What a slot's thread has used up to now. One that has ended may have noted that; else it is what was seen last. */
static times times_of(const trc_sampling *sampling, const trc_slot *slot)
{
    const void *context = atomic_load(&slot->sampled.context);
    times now = {trc_thread_cpu(slot->sampled.thread), trc_clock_monotonic()};
    if (now.cpu >= 0) {
        return now;
    }
    bool is_noted = context != NULL && sampling->end_of != NULL && sampling->end_of(context, &now.cpu, &now.real);
    return is_noted && now.cpu >= slot->cpu_seen && now.real >= slot->real_seen
               ? now
               : (times){slot->cpu_seen, slot->real_seen};
}

/* Adds to an account what the slot's owner has used since it was noted last. */
static void add_unnoted(const trc_sampling *sampling, trc_account *account, const trc_slot *slot)
{
    if (slot->sampled.has_timer) {
        times now = times_of(sampling, slot);
        account->cpu += now.cpu - slot->cpu_mark;
        account->real += now.real - slot->real_mark;
    }
}

static void mark(trc_slot *slot, pid_t thread)
{
    slot->cpu_mark = slot->cpu_seen = trc_thread_cpu(thread);
    slot->real_mark = slot->real_seen = trc_clock_monotonic();
}

static void note_times(trc_sampling *sampling, trc_slot *slot)
{
    uint32_t owner = atomic_load(&slot->sampled.owner);
    trc_account *account = account_of(sampling, (int)(owner & 1), owner >> 1);
    if (account != NULL) {
        add_unnoted(sampling, account, slot);
    }
    mark(slot, slot->sampled.thread);
}

static trc_slot *slot_of(trc_sampling *sampling, pid_t thread)
{
    unsigned count = atomic_load(&sampling->slot_count);
    for (unsigned i = 0; i < count; i++) {
        if (sampling->slots[i]->sampled.thread == thread) {
            return sampling->slots[i];
        }
    }
    return NULL;
}

static void leave_slot(trc_sampling *sampling, trc_slot *slot)
{
    note_times(sampling, slot);
    trc_sampled_thread_end(&slot->sampled);
}

/* Notes CPU times, for a thread that has ended cannot be asked, and gives up the slots of those. */
static void review_slots(trc_sampling *sampling)
{
    assert(trc_is_locked(&sampling->threads_lock));
    unsigned count = atomic_load(&sampling->slot_count);
    for (unsigned i = 0; i < count; i++) {
        trc_slot *slot = sampling->slots[i];
        pid_t thread = atomic_load(&slot->sampled.thread);
        int64_t cpu = thread == 0 ? -1 : trc_thread_cpu(thread);
        if (cpu >= 0) {
            slot->cpu_seen = cpu;
            slot->real_seen = trc_clock_monotonic();
        }
        else if (thread != 0) {
            leave_slot(sampling, slot);
        }
    }
}

/* Returns a slot without a thread, or NULL. Samples that are still in its ring know their owner. */
static trc_slot *free_slot(trc_sampling *sampling)
{
    assert(trc_is_locked(&sampling->threads_lock));
    trc_slot *slot = slot_of(sampling, 0);
    unsigned count = atomic_load(&sampling->slot_count);
    if (slot == NULL && count > 0 && (count & (count - 1)) == 0) { /* threads may end sooner than visits come */
        review_slots(sampling);
        slot = slot_of(sampling, 0);
    }
    if (slot != NULL || count == TRC_SAMPLED_THREAD_LIMIT) {
        return slot;
    }
    slot = trc_slot_pool_take(sampling->pool);
    if (slot == NULL) {
        return NULL;
    }
    slot->sampled.node_of = sampling->node_of;
    slot->sampled.line_of = sampling->line_of;
    slot->sampled.notes_stack = sampling->notes_stacks;
    slot->sampled.frames.layout = sampling->notes_frames ? &sampling->layout : NULL;
    slot->sampled.state_here = sampling->state_here;
    slot->sampled.collecting = &sampling->collecting;
    trc_code_notes_clear(&slot->sampled.frames.codes);
    sampling->slots[count] = slot;
    atomic_store(&sampling->slot_count, count + 1);
    return slot;
}

/* Where the handler of a thread finds things. */
typedef struct place {
    const void *context;
    uint64_t stack_low, stack_high; /* 0: not known */
} place;

/* The handler runs in this very thread, or not yet: it sees the whole stack, or an empty one. */
static void set_place(trc_sampled_thread *sampled, const place *place)
{
    if (place->stack_high != 0) {
        sampled->stack_high = 0;
        atomic_signal_fence(memory_order_seq_cst);
        sampled->stack_low = place->stack_low;
        atomic_signal_fence(memory_order_seq_cst);
        sampled->stack_high = place->stack_high;
    }
    atomic_store(&sampled->context, place->context);
}

/* Makes a thread watched from now on, where that is possible. */
static void begin_slot(trc_sampling *sampling, pid_t thread, int kind, uint32_t owner, const place *place)
{
    assert(trc_is_locked(&sampling->threads_lock));
    trc_account *account = account_of(sampling, kind, owner);
    trc_slot *slot = slot_of(sampling, thread);
    if (slot != NULL) {
        note_times(sampling, slot); /* it has another owner up to now */
        atomic_store(&slot->sampled.owner, owner_number(kind, owner));
        set_place(&slot->sampled, place);
        return;
    }
    slot = account == NULL ? NULL : free_slot(sampling);
    if (slot == NULL) {
        sampling->is_crowded = true;
        return;
    }
    atomic_store(&slot->sampled.owner, owner_number(kind, owner));
    slot->sampled.stack_low = slot->sampled.stack_high = 0;
    atomic_store(&slot->sampled.lines, NULL);
    set_place(&slot->sampled, place); /* before the first sample */
    atomic_store(&slot->sampled.state, NULL);
    mark(slot, thread);
    account->error = trc_sampled_thread_begin(&slot->sampled, sampling->signal, thread, sampling->counts.period,
                                              sampling->pacing.stride);
    if (slot->cpu_mark < 0) { /* it has ended meanwhile */
        account->error = 0;
        leave_slot(sampling, slot);
    }
}

static void name_account(trc_account *account, pid_t thread, bool is_here)
{
    char path[64], name[sizeof account->name] = "";
    account->thread = thread;
    if (is_here) {
        prctl(PR_GET_NAME, account->name); /* without a file */
        return;
    }
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)thread);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        size_t size = fread(name, 1, sizeof name - 1, file);
        fclose(file);
        if (size > 0) { /* else the thread is over: it keeps the name that it had */
            name[strcspn(name, "\n")] = 0;
            memcpy(account->name, name, sizeof name);
        }
    }
}

void trc_sampling_watch(trc_sampling *sampling, pid_t thread, uint32_t owner, const void *context, bool is_here)
{
    place place = {.context = context};
    if (is_here && sampling->notes_stacks) {
        trc_own_stack(&place.stack_low, &place.stack_high);
    }
    pthread_mutex_lock(&sampling->threads_lock);
    begin_slot(sampling, thread, TRC_KNOWN, owner, &place);
    trc_account *account = account_of(sampling, TRC_KNOWN, owner);
    if (account != NULL && account->thread != thread) {
        name_account(account, thread, is_here);
    }
    pthread_mutex_unlock(&sampling->threads_lock);
}

void trc_sampling_skip(trc_sampling *sampling, pid_t thread)
{
    pthread_mutex_lock(&sampling->threads_lock);
    trc_slot *slot = slot_of(sampling, thread);
    slot = slot == NULL ? free_slot(sampling) : slot;
    if (slot != NULL) {
        trc_sampled_thread_end(&slot->sampled);
        atomic_store(&slot->sampled.thread, thread);
    }
    pthread_mutex_unlock(&sampling->threads_lock);
}

static void set_lines(trc_sampled_thread *sampled, const void *lines)
{
    if (atomic_exchange(&sampled->lines, lines) != lines) {
        trc_sampled_thread_wait_for_handler(sampled);
    }
}

void trc_sampling_set_lines(trc_sampling *sampling, pid_t thread, const void *lines)
{
    pthread_mutex_lock(&sampling->threads_lock);
    trc_slot *slot = slot_of(sampling, thread);
    if (slot != NULL) {
        set_lines(&slot->sampled, lines);
    }
    pthread_mutex_unlock(&sampling->threads_lock);
}

void trc_sampling_set_all_lines(trc_sampling *sampling, const void *(*lines_of)(const void *context, pid_t thread),
                                const void *context)
{
    pthread_mutex_lock(&sampling->threads_lock);
    unsigned count = atomic_load(&sampling->slot_count);
    for (unsigned i = 0; i < count; i++) {
        trc_sampled_thread *sampled = &sampling->slots[i]->sampled;
        pid_t thread = atomic_load(&sampled->thread);
        set_lines(sampled, thread == 0 ? NULL : lines_of(context, thread));
    }
    pthread_mutex_unlock(&sampling->threads_lock);
}

void trc_sampling_set_collecting(trc_sampling *sampling, pid_t thread)
{
    atomic_store_explicit(&sampling->collecting, thread, memory_order_relaxed);
}

void trc_sampling_wait_for_handler(trc_sampling *sampling, pid_t thread)
{
    pthread_mutex_lock(&sampling->threads_lock);
    trc_slot *slot = slot_of(sampling, thread);
    if (slot != NULL) {
        atomic_thread_fence(memory_order_seq_cst); /* as in the handler: it sees it, or is seen */
        trc_sampled_thread_wait_for_handler(&slot->sampled);
    }
    pthread_mutex_unlock(&sampling->threads_lock);
}

/* -- The threads of the process -- */

static void watch_other(trc_sampling *sampling, pid_t thread)
{
    assert(trc_is_locked(&sampling->threads_lock));
    if (thread == sampling->helper || slot_of(sampling, thread) != NULL) {
        return;
    }
    uint32_t owner = sampling->accounts[TRC_OTHER].count;
    begin_slot(sampling, thread, TRC_OTHER, owner, &(place){.context = NULL});
    if (slot_of(sampling, thread) != NULL) {
        name_account(account_of(sampling, TRC_OTHER, owner), thread, false);
    }
}

/* Looks through the threads of the process. */
static void scan(trc_sampling *sampling)
{
    DIR *threads = sampling->every_thread ? opendir("/proc/self/task") : NULL;
    for (struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread > 0) {
            pthread_mutex_lock(&sampling->threads_lock);
            watch_other(sampling, thread);
            pthread_mutex_unlock(&sampling->threads_lock);
        }
    }
    if (threads != NULL) {
        closedir(threads);
    }
}

/* Counts the samples of all rings. The lock of the data is held, or nobody else uses the sampling. */
static void count_all(trc_sampling *sampling)
{
    if (sampling->notes_stacks) {
        trc_counting_look(&sampling->counts);
    }
    unsigned count = atomic_load(&sampling->slot_count);
    for (unsigned i = 0; i < count; i++) {
        trc_slot *slot = sampling->slots[i];
        trc_count_samples(&sampling->counts, &slot->sampled, sampling->notes_frames ? &slot->described : NULL);
    }
}

/* Whether a thread's samples are wanted now. */
static bool is_wanted(trc_sampling *sampling, const trc_sampled_thread *sampled)
{
    pthread_mutex_lock(&sampling->threads_lock); /* its context stays */
    const void *context = atomic_load(&sampled->context);
    bool wanted = atomic_load(&sampled->is_on) &&
                  (context == NULL || sampled->node_of == NULL || sampled->node_of(context) != TRC_NODE_NONE);
    pthread_mutex_unlock(&sampling->threads_lock);
    return wanted;
}

/* Looks at where threads wait, each in its turn. */
static void look_at_waits(trc_sampling *sampling)
{
    unsigned count = atomic_load(&sampling->slot_count);
    for (unsigned i = 0; i < count && i < TRC_LOOKS_AT_ONCE; i++) {
        sampling->looked_at = (sampling->looked_at + 1) % count;
        trc_sampled_thread *sampled = &sampling->slots[sampling->looked_at]->sampled;
        if (is_wanted(sampling, sampled)) {
            trc_look_at_wait(&sampling->looks, sampled, &sampling->counts);
        }
    }
}

static trc_pacing_marks marks_of(trc_sampling *sampling)
{
    return (trc_pacing_marks){
        .real = trc_clock_monotonic(),
        .cpu = trc_clock_process_cpu(),
        .handlers = sampling->counts.handlers,
        .visits = sampling->visits,
    };
}

/* Takes samples, and comes again, as often as may be. */
static void keep_pace(trc_sampling *sampling)
{
    trc_pacing_marks now = marks_of(sampling);
    pthread_mutex_lock(&sampling->threads_lock); /* threads begin at this stride */
    unsigned stride = sampling->pacing.stride, count = atomic_load(&sampling->slot_count);
    trc_pacing_decide(&sampling->pacing, &now);
    for (unsigned i = 0; sampling->pacing.stride != stride && i < count; i++) {
        trc_sampled_thread_pace(&sampling->slots[i]->sampled, sampling->counts.period, sampling->pacing.stride);
    }
    if (sampling->keeps_pace) {
        sampling->periodic.interval = sampling->pacing.interval;
    }
    pthread_mutex_unlock(&sampling->threads_lock);
}

static void count_and_scan(void *context)
{
    trc_sampling *sampling = context;
    pthread_mutex_lock(&sampling->data_lock);
    sampling->helper = trc_gettid();
    pthread_mutex_lock(&sampling->threads_lock);
    review_slots(sampling);
    pthread_mutex_unlock(&sampling->threads_lock);
    uint64_t count = trc_count_threads();
    if (sampling->periods++ % SCAN_CALLS == 0 || count != sampling->thread_count) {
        sampling->thread_count = count;
        scan(sampling);
    }
    count_all(sampling);
    if (sampling->on_slow_lines != NULL && trc_slow_lines_decide(&sampling->counts.slow_lines)) {
        sampling->on_slow_lines(sampling->slow_lines_context);
    }
    if (trc_wait_looks_are_due(&sampling->looks, trc_clock_monotonic())) {
        look_at_waits(sampling);
    }
    int64_t cpu = trc_thread_cpu(sampling->helper);
    sampling->visits += cpu - sampling->helper_cpu;
    sampling->helper_cpu = cpu;
    atomic_store(&sampling->spent, sampling->visits + sampling->counts.handlers);
    keep_pace(sampling);
    pthread_mutex_unlock(&sampling->data_lock);
}

/* -- Beginning and end -- */

bool trc_sampling_take_signal(trc_sampling *sampling)
{
    sampling->signal = trc_watch_signal();
    return sampling->signal != 0;
}

bool trc_sampling_begin(trc_sampling *sampling)
{
    if (!trc_sampling_take_signal(sampling)) {
        return false;
    }
    trc_sampling_go_on(sampling);
    return true;
}

void trc_sampling_rest(trc_sampling *sampling)
{
    trc_periodic_thread_stop(&sampling->periodic);
    sampling->helper_cpu = 0; /* of the next one */
    trc_slot_pool_note_threads(sampling->pool);
}

/* A child has one thread and no timers, and what its parent's threads did is the parent's. */
static void begin_as_child(trc_sampling *sampling)
{
    sampling->process = getpid();
    unsigned count = atomic_load(&sampling->slot_count);
    for (unsigned i = 0; i < count; i++) {
        trc_sampled_thread *sampled = &sampling->slots[i]->sampled;
        trc_sampled_thread_end(sampled);
        atomic_store(&sampled->inside, 0); /* a thread of the parent's may have been inside */
        while (trc_ring_peek(&sampled->ring) != NULL) {
            trc_ring_drop(&sampled->ring);
        }
        trc_code_notes_clear(&sampled->frames.codes); /* what was described may have been in there */
    }
    trc_counting_clear(&sampling->counts);
    sampling->visits = 0;
    atomic_store(&sampling->spent, 0);
    if (trc_slot_pool_is_unsure(sampling->pool) && !sampling->counts.modules.by_maps) {
        trc_modules_free(&sampling->counts.modules);
        sampling->counts.modules.by_maps = true;
    }
    for (int kind = 0; kind < TRC_OWNER_KINDS; kind++) {
        if (sampling->accounts[kind].count > 0) {
            memset(sampling->accounts[kind].accounts, 0, sampling->accounts[kind].count * sizeof(trc_account));
        }
    }
    sampling->is_crowded = false;
}

void trc_sampling_go_on(trc_sampling *sampling)
{
    if (sampling->process != getpid()) {
        begin_as_child(sampling);
    }
    if (sampling->state_of != NULL && sampling->looks.pages == NULL) {
        sampling->looks.state_of = sampling->state_of;
        sampling->looks.interpreter = sampling->interpreter;
        trc_wait_looks_init(&sampling->looks, &sampling->layout);
    }
    if (!sampling->periodic.is_running) {
        trc_pacing_marks now = marks_of(sampling);
        trc_pacing_go_on(&sampling->pacing, &now);
        int64_t interval = sampling->keeps_pace ? sampling->pacing.interval : VISITS_NS;
        trc_periodic_thread_start(&sampling->periodic, interval, count_and_scan, sampling);
    }
}

void trc_sampling_end(trc_sampling *sampling)
{
    atomic_store(&sampling->collecting, 0); /* nobody tells of its end from now on */
    trc_sampling_rest(sampling);
    if (sampling->process != getpid()) {
        begin_as_child(sampling); /* then there is nothing to count */
    }
    unsigned count = atomic_load(&sampling->slot_count);
    for (unsigned i = 0; i < count; i++) {
        if (sampling->slots[i]->sampled.thread != 0) {
            leave_slot(sampling, sampling->slots[i]);
        }
        atomic_store(&sampling->slots[i]->sampled.context, NULL);
        atomic_store(&sampling->slots[i]->sampled.lines, NULL);
    }
    count_all(sampling);
}

void trc_sampling_free(trc_sampling *sampling)
{
    if (sampling == NULL) {
        return;
    }
    trc_sampling_end(sampling);
    for (int kind = 0; kind < TRC_OWNER_KINDS; kind++) {
        free(sampling->accounts[kind].accounts);
    }
    unsigned count = atomic_load(&sampling->slot_count);
    for (unsigned i = 0; i < count; i++) {
        trc_described_free(&sampling->slots[i]->described, &trc_system_allocator);
        trc_slot_pool_give(sampling->pool, sampling->slots[i]);
    }
    trc_wait_looks_free(&sampling->looks);
    trc_counting_free(&sampling->counts);
    pthread_mutex_destroy(&sampling->threads_lock);
    pthread_mutex_destroy(&sampling->data_lock);
    free(sampling);
}

void trc_sampling_lock(trc_sampling *sampling)
{
    pthread_mutex_lock(&sampling->data_lock);
    count_all(sampling);
}

void trc_sampling_unlock(trc_sampling *sampling)
{
    pthread_mutex_unlock(&sampling->data_lock);
}

trc_account trc_sampling_account(trc_sampling *sampling, int kind, uint32_t owner)
{
    trc_account account = {.thread = 0};
    pthread_mutex_lock(&sampling->threads_lock);
    unsigned count = owner < sampling->accounts[kind].count ? atomic_load(&sampling->slot_count) : 0;
    trc_account unnoted = {.cpu = 0};
    for (unsigned i = 0; i < count; i++) {
        const trc_slot *slot = sampling->slots[i];
        if (slot->sampled.has_timer && atomic_load(&slot->sampled.owner) == owner_number(kind, owner)) {
            add_unnoted(sampling, &unnoted, slot);
            /* It was found when it had just begun, and may have named itself since. */
            name_account(&sampling->accounts[kind].accounts[owner], slot->sampled.thread, false);
        }
    }
    if (owner < sampling->accounts[kind].count) {
        account = sampling->accounts[kind].accounts[owner];
        account.cpu += unnoted.cpu;
        account.real += unnoted.real;
    }
    pthread_mutex_unlock(&sampling->threads_lock);
    return account;
}

#endif
