/* Turns of the GIL: see gil_yielder.h. */
#include "interp/gil_yielder.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* The thread sleeps until something is posted, at most so many us. PyThread's functions take -1 for ever. */
#define FOREVER (-1)
/* As the interpreter's own switch interval, in us. */
#define INTERVAL 5000
/* How long the main thread is without the GIL, in ns: a thread that waits for it wakes up in a tenth of that. */
#define MOMENT 300000

struct trc_gil_yielder {
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

static void let_go(trc_gil_yielder *yielder)
{
    if (atomic_fetch_sub(&yielder->users, 1) > 1) {
        return;
    }
    PyThread_type_lock locks[] = {yielder->told, yielder->started, yielder->finished};
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++) {
        if (locks[i] != NULL) {
            PyThread_free_lock(locks[i]);
        }
    }
    PyMem_RawFree(yielder);
}

/* Called by the interpreter in the main thread, with the GIL. */
static int give_turn(void *argument)
{
    trc_gil_yielder *yielder = argument;
    atomic_store(&yielder->is_asked, false);
    if (!atomic_load(&yielder->is_over)) {
        const struct timespec moment = {0, MOMENT};
        Py_BEGIN_ALLOW_THREADS;
        nanosleep(&moment, NULL);
        Py_END_ALLOW_THREADS;
    }
    let_go(yielder);
    return 0;
}

static void ask(trc_gil_yielder *yielder)
{
    if (atomic_exchange(&yielder->is_asked, true)) {
        return;
    }
    atomic_fetch_add(&yielder->users, 1);
    if (Py_AddPendingCall(give_turn, yielder) < 0) { /* too many calls are pending */
        atomic_store(&yielder->is_asked, false);
        let_go(yielder);
    }
}

/* The thread. It has no thread state, and never the GIL. */
static void keep_asking(void *argument)
{
    trc_gil_yielder *yielder = argument;
    long long delay = FOREVER;
    yielder->native_id = PyThread_get_thread_native_id();
    PyThread_release_lock(yielder->started);
    while (!atomic_load(&yielder->is_over)) {
        if (PyThread_acquire_lock_timed(yielder->told, delay, 0) == PY_LOCK_ACQUIRED) {
            atomic_store(&yielder->is_told, false);
            delay = atomic_load(&yielder->delay);
        }
        else {
            ask(yielder);
            delay = INTERVAL;
        }
    }
    PyThread_release_lock(yielder->finished);
    let_go(yielder);
}

static void tell(trc_gil_yielder *yielder)
{
    if (!atomic_exchange(&yielder->is_told, true)) {
        PyThread_release_lock(yielder->told);
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

trc_gil_yielder *trc_gil_yielder_start(void)
{
    trc_gil_yielder *yielder = PyMem_RawCalloc(1, sizeof *yielder);
    if (yielder == NULL) {
        return NULL;
    }
    atomic_init(&yielder->users, 1);
    yielder->process = getpid();
    yielder->told = held_lock();
    yielder->started = held_lock();
    yielder->finished = held_lock();
    if (yielder->told == NULL || yielder->started == NULL || yielder->finished == NULL) {
        let_go(yielder);
        return NULL;
    }
    atomic_fetch_add(&yielder->users, 1);
    if (PyThread_start_new_thread(keep_asking, yielder) == PYTHREAD_INVALID_THREAD_ID) {
        let_go(yielder);
        let_go(yielder);
        return NULL;
    }
    /* The GIL is kept: the thread never wants it. */
    PyThread_acquire_lock(yielder->started, WAIT_LOCK);
    return yielder;
}

void trc_gil_yielder_from(trc_gil_yielder *yielder, long long delay)
{
    atomic_store(&yielder->delay, delay < 0 ? 0 : delay > PY_TIMEOUT_MAX ? PY_TIMEOUT_MAX : delay);
    tell(yielder);
}

void trc_gil_yielder_stop(trc_gil_yielder *yielder)
{
    if (yielder == NULL) {
        return;
    }
    atomic_store(&yielder->is_over, true);
    if (yielder->process == getpid()) {
        tell(yielder);
        PyThread_acquire_lock(yielder->finished, WAIT_LOCK);
    }
    else {
        let_go(yielder); /* for the thread */
    }
    let_go(yielder);
}

unsigned long trc_gil_yielder_native_id(const trc_gil_yielder *yielder)
{
    return yielder->native_id;
}
