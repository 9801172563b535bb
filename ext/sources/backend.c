/* The list of back ends, the one place that picks from it: see backend.h. */
#include "sources/backend.h"

#include "sources/calls_monitoring.h"

#include <stdlib.h>
#include <string.h>

#define ROW(KIND, name, title, sees_all, is_here, since) \
    [TRC_##KIND] = {TRC_##KIND, #name, title, sees_all, since, is_here},
const trc_backend trc_backends[TRC_BACKEND_COUNT] = {
    TRC_BACKENDS(ROW)[TRC_SAMPLES_ALONE] = {TRC_SAMPLES_ALONE, "samples", "samples", false, "Python 3.11", true},
};

#define VARIABLE "TRACER_BACKEND"

/* Returns the best back end, from this one on, that this Python has and that sees the callables that are wanted, or
 * NULL. */
static const trc_backend *best_from(const trc_backend *first, bool all_callables)
{
    for (const trc_backend *backend = first; backend < trc_backends + TRC_BACKEND_CHOICES; backend++) {
        if (backend->is_here && (backend->sees_all_callables || !all_callables)) {
            return backend;
        }
    }
    return NULL;
}

const trc_backend *trc_backend_best(void)
{
    return best_from(trc_backends, false);
}

const trc_backend *trc_backend_after(const trc_backend *backend, bool all_callables)
{
    return best_from(backend + 1, all_callables);
}

PyObject *trc_backend_names(void)
{
    PyObject *list = PyList_New(0);
    for (const trc_backend *backend = trc_backend_best(); list != NULL && backend != NULL;
         backend = trc_backend_after(backend, false)) {
        PyObject *name = PyUnicode_FromString(backend->name);
        if (name == NULL || PyList_Append(list, name) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(name);
    }
    PyObject *names = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return names;
}

PyObject *trc_backend_titles(void)
{
    PyObject *titles = PyDict_New();
    for (int kind = 0; titles != NULL && kind < TRC_BACKEND_CHOICES; kind++) {
        PyObject *title = PyUnicode_FromString(trc_backends[kind].title);
        if (title == NULL || PyDict_SetItemString(titles, trc_backends[kind].name, title) < 0) {
            Py_CLEAR(titles);
        }
        Py_XDECREF(title);
    }
    return titles;
}

/* -- Picking -- */

static const trc_backend *find(const char *name)
{
    for (int kind = 0; kind < TRC_BACKEND_CHOICES; kind++) {
        if (strcmp(trc_backends[kind].name, name) == 0) {
            return &trc_backends[kind];
        }
    }
    return NULL;
}

/* Says why no better back end is used. New reference, or NULL with an exception set. */
static PyObject *why_best(const trc_backend *best)
{
    const trc_backend *better = best == trc_backends ? NULL : best - 1;
    return better == NULL ? PyUnicode_FromFormat("the default on %s and later", best->since)
                          : PyUnicode_FromFormat("%s needs %s or later", better->title, better->since);
}

/* Sets ValueError: `wanted` names no back end, or names this one, which this Python does not have. */
static void refuse(const char *asker, const char *wanted, const trc_backend *backend)
{
    PyObject *names = trc_backend_names();
    PyObject *comma = names == NULL ? NULL : PyUnicode_FromString(", ");
    PyObject *here = comma == NULL ? NULL : PyUnicode_Join(comma, names);
    if (here != NULL && backend != NULL) {
        PyErr_Format(PyExc_ValueError, "%s%s needs %s or later; here there is %U", asker, wanted, backend->since, here);
    }
    else if (here != NULL) {
        PyErr_Format(PyExc_ValueError, "%s%s: choose from %U", asker, wanted, here);
    }
    Py_XDECREF(names);
    Py_XDECREF(comma);
    Py_XDECREF(here);
}

const trc_backend *trc_backend_choose(const char *wanted, PyObject **why)
{
    const char *asker = "backend=";
    if (wanted == NULL) {
        wanted = getenv(VARIABLE);
        wanted = wanted == NULL || *wanted == '\0' ? NULL : wanted;
        asker = VARIABLE "=";
    }
    if (wanted == NULL) {
        const trc_backend *best = trc_backend_best();
        *why = why_best(best);
        return *why == NULL ? NULL : best;
    }
    const trc_backend *backend = find(wanted);
    if (backend == NULL || !backend->is_here) {
        refuse(asker, wanted, backend);
        return NULL;
    }
    *why = PyUnicode_FromFormat("asked for by %s%s", asker, wanted);
    return *why == NULL ? NULL : backend;
}

const trc_backend *trc_backend_of_samples(PyObject **why)
{
    *why = PyUnicode_FromString("asked for by slowdown=");
    return *why == NULL ? NULL : &trc_backends[TRC_SAMPLES_ALONE];
}

/* -- What is asked about one -- */

trc_activation trc_backend_activation_of(trc_backend_kind kind, PyFrameObject *frame)
{
#if TRC_HAS_MONITORING
    if (kind == TRC_MONITORING) {
        return trc_calls_monitoring_activation_of(frame);
    }
#endif
    (void)kind;
    return (trc_activation)frame;
}
