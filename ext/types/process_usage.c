/* usage(): the times and memory of the process. The module `resource` has the same. But a module that tracer imports
 * before a program starts shadows a module of that name in the program. */
#include "types/process_usage.h"

#include <sys/resource.h>

const char trc_usage_doc[] =
    "usage()\n--\n\n"
    "Return (user time in seconds, system time in seconds, ru_maxrss in the system's unit) of the process.";

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

PyObject *trc_usage(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    return Py_BuildValue("(ddl)", seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss);
}
