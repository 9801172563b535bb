/* Turns of the GIL: see turns.h. */
#include "interp/turns.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* The thread sleeps until something is posted, at most so many us. PyThread's functions take -1 for ever. */
#define FOREVER (-1)
/* As the interpreter's own switch interval, in us. */
#define INTERVAL 5000
/* How long the main thread is without the GIL, in ns: a thread that waits for it wakes up in a tenth of that. */
#define MOMENT 300000

struct trc_turns {
    PyThread_type_lock told;     /* released when `delay` or `is_over` has changed */
    PyThread_type_lock started;  /* released when native_id is known */
    PyThread_type_lock finished; /* released when the thread asks no more */
    atomic_bool is_told;         /* `told` has been released, and not been acquired since */
    atomic_bool is_asked;        /* the main thread has a call pending */
    atomic_bool is_over;
    atomic_llong delay; /* us until the main thread is asked first */
    atomic_int users;   /* the owner, the thread, the pending call */
    unsigned long native_id;
    pid_t process; /* that the thread is in: a forked child has none */
};

static void let_go(trc_turns *turns)
{
    if (atomic_fetch_sub(&turns->users, 1) > 1) {
        return;
    }
    PyThread_type_lock locks[] = {turns->told, turns->started, turns->finished};
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++) {
        if (locks[i] != NULL) {
            PyThread_free_lock(locks[i]);
        }
    }
    PyMem_RawFree(turns);
}

/* Called by the interpreter in the main thread, with the GIL. */
static int give_turn(void *argument)
{
    trc_turns *turns = argument;
    atomic_store(&turns->is_asked, false);
    if (!atomic_load(&turns->is_over)) {
        const struct timespec moment = {0, MOMENT};
        Py_BEGIN_ALLOW_THREADS;
        nanosleep(&moment, NULL);
        Py_END_ALLOW_THREADS;
    }
    let_go(turns);
    return 0;
}

static void ask(trc_turns *turns)
{
    if (atomic_exchange(&turns->is_asked, true)) {
        return;
    }
    atomic_fetch_add(&turns->users, 1);
    if (Py_AddPendingCall(give_turn, turns) < 0) { /* too many calls are pending */
        atomic_store(&turns->is_asked, false);
        let_go(turns);
    }
}

/* The thread. It has no thread state, and never the GIL. */
static void keep_asking(void *argument)
{
    trc_turns *turns = argument;
    long long delay = FOREVER;
    turns->native_id = PyThread_get_thread_native_id();
    PyThread_release_lock(turns->started);
    while (!atomic_load(&turns->is_over)) {
        if (PyThread_acquire_lock_timed(turns->told, delay, 0) == PY_LOCK_ACQUIRED) {
            atomic_store(&turns->is_told, false);
            delay = atomic_load(&turns->delay);
        }
        else {
            ask(turns);
            delay = INTERVAL;
        }
    }
    PyThread_release_lock(turns->finished);
    let_go(turns);
}

static void tell(trc_turns *turns)
{
    if (!atomic_exchange(&turns->is_told, true)) {
        PyThread_release_lock(turns->told);
    }
}

static PyThread_type_lock held_lock(void)
{
    PyThread_type_lock lock = PyThread_allocate_lock();
    if (lock != NULL) {
        PyThread_acquire_lock(lock, NOWAIT_LOCK);
    }
    return lock;
}

trc_turns *trc_turns_start(void)
{
    trc_turns *turns = PyMem_RawCalloc(1, sizeof *turns);
    if (turns == NULL) {
        return NULL;
    }
    atomic_init(&turns->users, 1);
    turns->process = getpid();
    turns->told = held_lock();
    turns->started = held_lock();
    turns->finished = held_lock();
    if (turns->told == NULL || turns->started == NULL || turns->finished == NULL) {
        let_go(turns);
        return NULL;
    }
    atomic_fetch_add(&turns->users, 1);
    if (PyThread_start_new_thread(keep_asking, turns) == PYTHREAD_INVALID_THREAD_ID) {
        let_go(turns);
        let_go(turns);
        return NULL;
    }
    /* The GIL is kept: the thread never wants it. */
    PyThread_acquire_lock(turns->started, WAIT_LOCK);
    return turns;
}

void trc_turns_from(trc_turns *turns, long long delay)
{
    atomic_store(&turns->delay, delay < 0 ? 0 : delay > PY_TIMEOUT_MAX ? PY_TIMEOUT_MAX : delay);
    tell(turns);
}

void trc_turns_stop(trc_turns *turns)
{
    if (turns == NULL) {
        return;
    }
    atomic_store(&turns->is_over, true);
    if (turns->process == getpid()) {
        tell(turns);
        PyThread_acquire_lock(turns->finished, WAIT_LOCK);
    }
    else {
        let_go(turns); /* for the thread */
    }
    let_go(turns);
}

unsigned long trc_turns_native_id(const trc_turns *turns)
{
    return turns->native_id;
}
