/* A timer of the user's own: see timer.h. */
#include "interp/timer.h"

#include <math.h>

/* Converts the timer's value to ticks: integers as they are when they have a unit, else seconds to nanoseconds. */
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

/* Calls the timer. The conversion and the release of its value can run code of the user's too, so they count as inside.
 * Returns 0 with an exception set when there is no time. */
static trc_tick call(trc_timer *timer)
{
    if (trc_inside_enter(&timer->calls) < 0) {
        return 0;
    }
    PyObject *value = PyObject_CallNoArgs(timer->callable);
    trc_tick ticks = value == NULL ? 0 : ticks_of(timer, value);
    Py_XDECREF(value);
    trc_inside_leave(&timer->calls);
    return ticks;
}

/* Reports the timer's exception: no caller could handle it. Ctrl-C goes to the program, which gets it at its next step.
 * Of the other exceptions only the first is reported. */
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
