/* Forks: see forks.h. */
#include "dispatch/forks.h"

#include "dispatch/annotations.h"
#include "recorders/calls_lifecycle.h"
#include "sources/allocators.h"

#include <stdlib.h>
#include <unistd.h>

static void rest(trc_recorder *recorder, const void *ignored)
{
    (void)ignored;
    if (recorder->memory != NULL) {
        trc_memory_rest(recorder->memory);
    }
    if (recorder->base.samples != NULL) {
        trc_sampling_rest(recorder->base.samples);
    }
}

/* The interpreter counts the threads when it has forked, and warns of a thread that the program did not make: before it calls
 * after_in_parent(), and from 3.13 on after that. */
static PyObject *before(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *object = trc_held_object(self);
    if (object != NULL) {
        trc_dispatch_tell_all(trc_dispatcher_of(object), rest, NULL);
        Py_DECREF(object);
    }
    Py_RETURN_NONE;
}

static void start_anew(trc_recorder *recorder, const void *object)
{
    if (trc_recorder_clear_copy(recorder) < 0) {
        PyErr_WriteUnraisable((PyObject *)(uintptr_t)object);
    }
}

/* Each enabled recorder forgets what its parent recorded. Every recorder of lines does, by the number of forks. */
static PyObject *after_in_child(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *object = trc_held_object(self);
    if (object != NULL) {
        trc_dispatcher *dispatcher = trc_dispatcher_of(object);
        trc_registry_forked(&dispatcher->shared.registry);
        trc_dispatch_tell_all(dispatcher, start_anew, object);
        dispatcher->shared.forks++;
        trc_each_recording each;
        for (trc_line_recorder *one = trc_dispatch_first_lines(&each, dispatcher); one != NULL;
             one = trc_dispatch_next_lines(&each)) {
            trc_line_recorder_clear(one, true);
        }
        Py_DECREF(object);
    }
    Py_RETURN_NONE;
}

static void look_on(trc_recorder *recorder, const void *ignored)
{
    (void)ignored;
    if (recorder->memory != NULL && trc_is_recording(recorder->base.phase)) {
        trc_memory_watch(recorder->memory);
    }
    trc_recorder_sample_on(recorder);
}

static void look_on_all(trc_dispatcher *dispatcher)
{
    bool was_suppressed = trc_allocators_suppress(true); /* the system takes memory for a thread */
    trc_dispatch_tell_all(dispatcher, look_on, NULL);
    trc_allocators_suppress(was_suppressed);
}

/* What is left to do when a fork is over: the call of fork() in the frame that made it. */
typedef struct fork_call {
    PyObject *object;     /* owned: the dispatcher's */
    PyFrameObject *frame; /* owned; NULL where no Python code called */
    int place;            /* the instruction that calls */
    int tries;            /* how often the thread was still in it */
} fork_call;

#define MOST_TRIES 20000 /* then what others have registered takes too long */

static void free_call(fork_call *call)
{
    Py_DECREF(call->object);
    Py_XDECREF(call->frame);
    free(call);
}

/* Whether the calling thread is still in it: then what runs now are functions that others have registered. */
static bool is_inside(const fork_call *call)
{
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    bool is_innermost = frame == call->frame;
    while (frame != NULL && frame != call->frame) {
        PyFrameObject *outer = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = outer;
    }
    bool is_inside = frame != NULL && !is_innermost && PyFrame_GetLasti(frame) == call->place;
    Py_XDECREF(frame);
    return is_inside;
}

static int look_on_soon(void *pending)
{
    fork_call *call = pending;
    if (!is_inside(call) || ++call->tries > MOST_TRIES || Py_AddPendingCall(look_on_soon, call) < 0) {
        look_on_all(trc_dispatcher_of(call->object));
        free_call(call);
    }
    return 0;
}

/* Whether tracer's threads go on when the fork is over. The calling thread is the main one then: pending calls are its alone.
 * Where another thread forks, the program has threads of its own. Up to 3.12 there is no need, and 3.11 would not come out of
 * a function that is traced by line while a call is pending. */
static bool is_put_off(PyObject *object)
{
    bool is_main = TRC_COUNTS_THREADS_LAST && PyThread_get_thread_native_id() == (unsigned long)getpid() &&
                   PyInterpreterState_Get() == PyInterpreterState_Main();
    fork_call *call = is_main ? malloc(sizeof *call) : NULL;
    if (call == NULL) {
        return false;
    }
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    *call = (fork_call){Py_NewRef(object), frame, frame == NULL ? 0 : PyFrame_GetLasti(frame), 0};
    if (Py_AddPendingCall(look_on_soon, call) < 0) {
        free_call(call);
        return false;
    }
    return true;
}

/* The interpreter does not say which process the child is. */
static PyObject *after_in_parent(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *object = trc_held_object(self);
    if (object == NULL) {
        Py_RETURN_NONE;
    }
    trc_dispatcher *dispatcher = trc_dispatcher_of(object);
    if (!is_put_off(object)) {
        look_on_all(dispatcher);
    }
    if (trc_dispatcher_has_timelines(dispatcher)) {
        PyObject *what = PyUnicode_FromString("fork"), *pid = PyLong_FromLong(-1);
        trc_annotate(dispatcher, &(trc_annotation){TRC_FORKS, 0, {what, pid}});
        Py_XDECREF(what);
        Py_XDECREF(pid);
        PyErr_Clear();
    }
    Py_DECREF(object);
    Py_RETURN_NONE;
}

static PyMethodDef before_def = {"before", before, METH_NOARGS, "Called before a fork."};
static PyMethodDef after_in_child_def = {"after_in_child", after_in_child, METH_NOARGS, "Called in a forked child."};
static PyMethodDef after_in_parent_def = {"after_in_parent", after_in_parent, METH_NOARGS,
                                          "Called in the parent of a forked child."};

int trc_forks_watch(const trc_dispatcher *dispatcher)
{
    PyObject *is_due = trc_held_function(&dispatcher->held, &before_def);
    PyObject *in_child = is_due == NULL ? NULL : trc_held_function(&dispatcher->held, &after_in_child_def);
    PyObject *in_parent = in_child == NULL ? NULL : trc_held_function(&dispatcher->held, &after_in_parent_def);
    PyObject *os = in_parent == NULL ? NULL : PyImport_ImportModule("os");
    PyObject *registrar = os == NULL ? NULL : PyObject_GetAttrString(os, "register_at_fork");
    PyObject *args = registrar == NULL ? NULL : PyTuple_New(0);
    PyObject *kwargs = args == NULL ? NULL
                                    : Py_BuildValue("{s:O,s:O,s:O}", "before", is_due, "after_in_child", in_child,
                                                    "after_in_parent", in_parent);
    PyObject *done = kwargs == NULL ? NULL : PyObject_Call(registrar, args, kwargs);
    Py_XDECREF(is_due);
    Py_XDECREF(in_child);
    Py_XDECREF(in_parent);
    Py_XDECREF(os);
    Py_XDECREF(registrar);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}
