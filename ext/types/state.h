/* The module's state, one for each interpreter that imports the module. */
#ifndef TRC_STATE_H
#define TRC_STATE_H

#include "dispatch/dispatcher.h"

typedef struct trc_state {
    PyTypeObject *profiler_type;
    PyTypeObject *line_recorder_type;
    PyTypeObject *entry_type;
    PyTypeObject *subentry_type;
    PyTypeObject *dispatcher_type;
    PyTypeObject *preceded_type;
    PyTypeObject *uncounted_type;
    PyTypeObject *step_clock_type;
    PyObject *format_error; /* tracer.ProfileFormatError */
    PyObject *backend_type; /* tracer._core.Backend */
    trc_dispatcher_object *dispatcher_object;
    /* The memory of the range that was freed last, or NULL: a program that makes a range for each `with` allocates
     * none, which takes an eighth of the time. */
    PyObject *spare_range;
    PyObject *folder;       /* of the package, with a slash at its end; NULL when the module comes from no file */
    trc_moment imported_at; /* when the module was made, on the wall clock */
} trc_state;

/* The module's name. Its address tells the module from others. */
extern const char trc_module_name[];

/* Returns the state of the module that made `type` or one of its bases, or NULL with an exception set. */
trc_state *trc_state_of_type(PyTypeObject *type);

static inline trc_state *trc_state_of_module(PyObject *module)
{
    return PyModule_GetState(module);
}

#endif
