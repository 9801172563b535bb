/* What the module owns, one for each interpreter that imports it. */
#ifndef TRC_STATE_H
#define TRC_STATE_H

#include "bus/bus.h"

typedef struct trc_state {
    PyTypeObject *profiler_type;
    PyTypeObject *line_recorder_type;
    PyTypeObject *entry_type;
    PyTypeObject *subentry_type;
    PyTypeObject *dispatcher_type;
    PyTypeObject *preceded_type;
    PyObject *format_error; /* tracer._core.ProfileFormatError */
    PyObject *backend_type; /* tracer._core.Backend */
    trc_dispatcher *dispatcher;
    PyObject *folder;       /* of the package, with a slash at its end; NULL when the module is of no file */
    trc_moment imported_at; /* when the module was made, on the wall clock */
} trc_state;

extern PyModuleDef trc_module;

/* The state of the module that made `type`, or a type that it is derived from. NULL with an exception set. */
trc_state *trc_state_of_type(PyTypeObject *type);

static inline trc_state *trc_state_of_module(PyObject *module)
{
    return PyModule_GetState(module);
}

/* The types and functions that module.c puts together; each is in the file of its name. New references, or NULL. */
PyTypeObject *trc_profiler_type(PyObject *module);            /* profiler.c */
PyTypeObject *trc_line_recorder_type(PyObject *module);       /* line_recorder.c */
int trc_entry_types(trc_state *state);                        /* entries.c: 0, or -1 with an exception set */
PyObject *trc_read_profile(PyObject *module, PyObject *data); /* values.c */
PyObject *trc_pack_section(PyObject *module, PyObject *data); /* values.c */
PyObject *trc_add_up(PyObject *module, PyObject *args);       /* sums.c */
PyObject *trc_call_paths(PyObject *module, PyObject *args);   /* paths.c */
PyObject *trc_merge_paths(PyObject *module, PyObject *trees); /* paths.c */
PyTypeObject *trc_preceded_type(PyObject *module);            /* aside.c */
PyObject *trc_call_aside(PyObject *module, PyObject *const *args, Py_ssize_t count); /* aside.c */
PyObject *trc_call_soon(PyObject *module, PyObject *function);                       /* aside.c */
PyObject *trc_call_through(PyObject *module, PyObject *function);                    /* aside.c */
PyObject *trc_precede(PyObject *module, PyObject *const *args, Py_ssize_t count);    /* aside.c */
PyObject *trc_usage(PyObject *module, PyObject *ignored);                            /* usage.c */
extern const char trc_read_profile_doc[], trc_pack_section_doc[], trc_add_up_doc[];
extern const char trc_call_paths_doc[], trc_merge_paths_doc[];
extern const char trc_call_aside_doc[], trc_call_soon_doc[], trc_call_through_doc[], trc_precede_doc[];
extern const char trc_usage_doc[];

#endif
