/* The one place that picks a back end: see backend.h. */
#include "backend.h"

#include <stdlib.h>
#include <string.h>

/* The best first. */
static const trc_backend *const backends[] = {
#if TRC_HAS_MONITORING
    &trc_monitoring_backend,
#endif
    &trc_setprofile_backend,
};

#define BACKEND_COUNT (sizeof backends / sizeof *backends)
#define VARIABLE "TRACER_BACKEND"

static const trc_backend *find(const char *name)
{
    for (size_t i = 0; i < BACKEND_COUNT; i++) {
        if (strcmp(backends[i]->name, name) == 0) {
            return backends[i];
        }
    }
    return NULL;
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
        *why = PyUnicode_FromString(backends[0]->why);
        return *why == NULL ? NULL : backends[0];
    }
    const trc_backend *backend = find(wanted);
    if (backend == NULL && strcmp(wanted, "monitoring") == 0) {
        PyErr_Format(PyExc_ValueError, "%smonitoring needs Python 3.12 or later; here there is setprofile", asker);
        return NULL;
    }
    if (backend == NULL) {
        PyErr_Format(PyExc_ValueError, "%s%s: choose from monitoring, setprofile", asker, wanted);
        return NULL;
    }
    *why = PyUnicode_FromFormat("asked for by %s%s", asker, wanted);
    return *why == NULL ? NULL : backend;
}
