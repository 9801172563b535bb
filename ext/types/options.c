/* Options that several types take: see options.h. */
#include "types/options.h"

#include <float.h>

int trc_option_timer(trc_timer_choice *choice, PyObject *timer, double unit, trc_clock wall)
{
    choice->clock = wall;
    choice->callable = NULL;
    choice->unit = unit;
    if (!(unit >= 0.0 && unit <= DBL_MAX)) {
        PyErr_SetString(PyExc_ValueError,
                        "timeunit must be a finite number, 0 or more: it is the seconds in one unit of the timer");
        return -1;
    }
    if (timer == Py_None || (PyUnicode_Check(timer) && PyUnicode_CompareWithASCIIString(timer, "wall") == 0)) {
        return 0;
    }
    if (PyUnicode_Check(timer) && PyUnicode_CompareWithASCIIString(timer, "cpu") == 0) {
        choice->clock = trc_clock_cpu();
        return 0;
    }
    if (PyCallable_Check(timer)) {
        choice->callable = timer;
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "timer must be None, 'wall', 'cpu' or a callable that returns a number, not %R",
                 timer);
    return -1;
}

void trc_option_set_timer(trc_clock *clock, trc_timer *timer, const trc_timer_choice *choice)
{
    timer->unit = choice->unit;
    timer->last = 0;
    *clock = choice->callable == NULL ? choice->clock : trc_timer_clock(timer);
    Py_XSETREF(timer->callable, Py_XNewRef(choice->callable));
}

trc_filter *trc_option_filter(PyObject *include, PyObject *exclude, PyObject *own, PyObject *own_but)
{
    PyObject *none = PyTuple_New(0);
    if (none == NULL) {
        return NULL;
    }
    trc_filter *filter = trc_filter_new(include == NULL ? none : include, exclude == NULL ? none : exclude,
                                        own == NULL ? none : own, own_but == NULL ? none : own_but);
    Py_DECREF(none);
    return filter;
}

PyObject *trc_backend_as_str(PyTypeObject *type, const char *name, PyObject *why, bool sees_all_callables)
{
    const trc_state *state = trc_state_of_type(type);
    PyObject *backend = state == NULL ? NULL : PyObject_CallFunction(state->backend_type, "s", name);
    if (backend != NULL &&
        (PyObject_SetAttrString(backend, "reason", why == NULL ? Py_None : why) < 0 ||
         PyObject_SetAttrString(backend, "sees_all_callables", sees_all_callables ? Py_True : Py_False) < 0)) {
        Py_CLEAR(backend);
    }
    return backend;
}
