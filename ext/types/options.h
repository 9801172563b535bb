/* The options that all recording types share: their parsing, and their values as Python sees them. */
#ifndef TRC_OPTIONS_H
#define TRC_OPTIONS_H

#include "types/state.h"

/* A timer as given, checked. */
typedef struct trc_timer_choice {
    trc_clock clock;    /* of a timer that is not a callable */
    PyObject *callable; /* borrowed, or NULL */
    double unit;
} trc_timer_choice;

/* Reads `timer` and `timeunit`; `wall` is the host's clock. 0, or -1 with an exception set. */
int trc_option_timer(trc_timer_choice *choice, PyObject *timer, double unit, trc_clock wall);

/* Sets the timer of a disabled recorder. The release of the old timer may run code. */
void trc_option_set_timer(trc_clock *clock, trc_timer *timer, const trc_timer_choice *choice);

/* Makes a filter of `include`, `exclude`, `own` and `own_but`: tuples of str, or NULL. Returns NULL with an exception
 * set on failure. The caller frees the filter. */
trc_filter *trc_option_filter(PyObject *include, PyObject *exclude, PyObject *own, PyObject *own_but);

/* New reference, or NULL with an exception set: a tracer._core.Backend, for a type of this module; `why` is a str, or
 * NULL. */
PyObject *trc_backend_as_str(PyTypeObject *type, const char *name, PyObject *why, bool sees_all_callables);

#endif
