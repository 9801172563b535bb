/* A timer of the user's own: see timer.h. */
#include "timer.h"

#include <math.h>
#include <stdlib.h>

/* Named by the thread state's id: in a forked child the calls of other threads stay listed for ever, and no id is ever
 * used again. */
struct trc_timer_call {
    trc_timer_call *next;
    uint64_t state_id;
};

/* What the timer gave, in ticks: its integers as they are when they have a unit, else seconds in nanoseconds. */
static trc_tick ticks_of(const trc_timer *timer, PyObject *value)
{
    if (timer->unit > 0.0) {
        return PyLong_AsLongLong(value);
    }
    double seconds = PyFloat_AsDouble(value);
    double nanoseconds = floor(seconds * 1e9);
    if (!(nanoseconds >= -9.2e18 && nanoseconds <= 9.2e18) && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_OverflowError, "the profiler's timer gave a time that is out of range");
    }
    return PyErr_Occurred() ? 0 : (trc_tick)nanoseconds;
}

/* Calls the timer; what it gave is code of the user's own too (its __index__ or __float__, and its end). 0 with an
 * exception set when there is no time. */
static trc_tick call(trc_timer *timer)
{
    trc_timer_call *own = malloc(sizeof *own);
    if (own == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    own->next = timer->calls;
    own->state_id = PyThreadState_GetID(PyThreadState_Get());
    timer->calls = own;
    PyObject *value = PyObject_CallNoArgs(timer->callable);
    trc_tick ticks = value == NULL ? 0 : ticks_of(timer, value);
    Py_XDECREF(value);
    trc_timer_call **link = &timer->calls; /* threads leave in any order */
    while (*link != own) {
        link = &(*link)->next;
    }
    *link = own->next;
    free(own);
    return ticks;
}

/* Nobody waits for an exception here. Ctrl-C is meant for the program, which gets it at its next step; the first other
 * exception is reported, and what follows it is the same again. */
static void report(trc_timer *timer)
{
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_Clear();
        PyErr_SetInterrupt();
    }
    else if (timer->failed) {
        PyErr_Clear();
    }
    else {
        timer->failed = true;
        PyErr_WriteUnraisable(timer->callable);
    }
}

static trc_tick read_timer(void *context)
{
    trc_timer *timer = context;
    trc_tick ticks = call(timer);
    if (PyErr_Occurred()) {
        report(timer);
    }
    else {
        timer->last = ticks;
    }
    return timer->last;
}

trc_clock trc_timer_clock(trc_timer *timer)
{
    return trc_clock_injected(read_timer, timer, timer->unit > 0.0 ? timer->unit : 1.0 / 1000000000);
}

bool trc_timer_is_called_here(const trc_timer *timer)
{
    const trc_timer_call *running = timer->calls;
    uint64_t state_id = PyThreadState_GetID(PyThreadState_Get());
    while (running != NULL && running->state_id != state_id) {
        running = running->next;
    }
    return running != NULL;
}
