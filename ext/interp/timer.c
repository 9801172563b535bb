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

/* Converts what the timer returned: a time, or a pair of times. */
static trc_tick convert(const trc_timer *timer, PyObject *value, int64_t *cpu)
{
    *cpu = TRC_NO_CPU;
    if (!PyTuple_Check(value) || PyTuple_GET_SIZE(value) != 2) {
        return ticks_of(timer, value);
    }
    double unit = timer->unit > 0.0 ? timer->unit : 1e-9;
    double nanoseconds = (double)ticks_of(timer, PyTuple_GET_ITEM(value, 1)) * unit * 1e9;
    if (nanoseconds > -9.2e18 && nanoseconds < 9.2e18) {
        *cpu = (int64_t)(nanoseconds + 0.5);
    }
    return PyErr_Occurred() ? 0 : ticks_of(timer, PyTuple_GET_ITEM(value, 0));
}

/* Calls the timer. The conversion and the release of its value can run code of the user's too, so they count as inside.
 * Returns 0 with an exception set when there is no time. */
static trc_tick call(trc_timer *timer, int64_t *cpu)
{
    if (trc_inside_enter(&timer->calls) < 0) {
        return 0;
    }
    PyObject *value = PyObject_CallNoArgs(timer->callable);
    trc_tick ticks = value == NULL ? 0 : convert(timer, value, cpu);
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
    int64_t cpu = TRC_NO_CPU;
    trc_tick ticks = call(timer, &cpu);
    if (PyErr_Occurred()) {
        report(timer);
    }
    else {
        timer->last = ticks;
        timer->last_cpu = cpu;
    }
    return timer->last;
}

/* The CPU time of the moment that the timer showed last: an event reads the clock first. */
static int64_t read_cpu(void *context)
{
    return ((const trc_timer *)context)->last_cpu;
}

trc_clock trc_timer_clock(trc_timer *timer)
{
    trc_clock clock = trc_clock_injected(read_timer, timer, timer->unit > 0.0 ? timer->unit : 1.0 / 1000000000);
    clock.read_cpu = read_cpu;
    timer->last_cpu = TRC_NO_CPU;
    return clock;
}
