/* A thread of C whose thread state is freed, and in whose memory then the state of another thread is. While that one
 * holds the interpreter's lock, both allocate: see test_memory_survival.py. */
#include <Python.h>

#include <pthread.h>
#include <stdatomic.h>

static struct {
    PyObject *enable; /* is called by the thread of C in the state that is freed then */
    long times;
    PyThreadState *freed, *made;
    pthread_barrier_t is_freed, is_made;
    atomic_long with_lock, without; /* how often each has allocated */
} reused;

/* Until both have done so often enough. */
static void allocate(void *(*take)(size_t), void (*give_back)(void *), atomic_long *count)
{
    while (atomic_load(&reused.with_lock) < reused.times || atomic_load(&reused.without) < reused.times) {
        give_back(take(40));
        atomic_fetch_add(count, 1);
    }
}

static void *run_first(void *unused)
{
    PyGILState_STATE before = PyGILState_Ensure();
    reused.freed = PyThreadState_Get();
    Py_XDECREF(PyObject_CallNoArgs(reused.enable));
    PyGILState_Release(before);
    pthread_barrier_wait(&reused.is_freed);
    pthread_barrier_wait(&reused.is_made);
    allocate(PyMem_RawMalloc, PyMem_RawFree, &reused.without);
    return unused;
}

static void *run_second(void *unused)
{
    pthread_barrier_wait(&reused.is_made);
    PyEval_RestoreThread(reused.made);
    allocate(PyObject_Malloc, PyObject_Free, &reused.with_lock);
    PyThreadState_Clear(reused.made);
    PyThreadState_DeleteCurrent();
    return unused;
}

/* Makes states until one has that memory. */
static void make_state(void)
{
    PyThreadState *others[1000];
    int count = 0;
    reused.made = PyThreadState_New(PyInterpreterState_Get());
    while (reused.made != reused.freed && count < 1000) {
        others[count++] = reused.made;
        reused.made = PyThreadState_New(PyInterpreterState_Get());
    }
    while (count > 0) {
        PyThreadState_Clear(others[--count]);
        PyThreadState_Delete(others[count]);
    }
}

/* Returns how often both have allocated, at least `times` each; or 0 where the memory was not used again. */
long reused_run(PyObject *enable, long times)
{
    pthread_t first, second;
    reused.enable = enable;
    reused.times = times;
    pthread_barrier_init(&reused.is_freed, NULL, 2);
    pthread_barrier_init(&reused.is_made, NULL, 3);
    pthread_create(&first, NULL, run_first, NULL);
    pthread_create(&second, NULL, run_second, NULL);
    PyThreadState *own = PyEval_SaveThread();
    pthread_barrier_wait(&reused.is_freed);
    PyEval_RestoreThread(own);
    make_state();
    own = PyEval_SaveThread();
    pthread_barrier_wait(&reused.is_made);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    PyEval_RestoreThread(own);
    return reused.made == reused.freed ? reused.with_lock + reused.without : 0;
}
