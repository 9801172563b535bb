/* What the types that record are told by options of the same names, and say of themselves in the same words. */
#ifndef TRC_OPTIONS_H
#define TRC_OPTIONS_H

#include "types/state.h"

/* A timer as it was given, checked. */
typedef struct trc_timer_choice {
    trc_clock clock;    /* of a timer that is no callable */
    PyObject *callable; /* borrowed, or NULL */
    double unit;
} trc_timer_choice;

/* `timer` and `timeunit`; `wall` is the host's. 0, or -1 with an exception set. */
int trc_option_timer(trc_timer_choice *choice, PyObject *timer, double unit, trc_clock wall);

/* Of a disabled recorder. The end of the timer that was there may run code. */
void trc_option_set_timer(trc_clock *clock, trc_timer *timer, const trc_timer_choice *choice);

/* `include`, `exclude`, `own` and `own_but`: tuples of str, or NULL. NULL with an exception set. */
trc_filter *trc_option_filter(PyObject *include, PyObject *exclude, PyObject *own, PyObject *own_but);

/* New reference: tracer._core.Backend, for a type of this module; `why` is a str, or NULL. */
PyObject *trc_backend_as_str(PyTypeObject *type, const char *name, PyObject *why, bool sees_all_callables);

#endif
