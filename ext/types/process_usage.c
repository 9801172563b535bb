/* usage(): the times and memory of the process. The module `resource` has the same. But a module that tracer imports
 * before a program starts shadows a module of that name in the program. */
#include "types/process_usage.h"

#include <sys/resource.h>

const char trc_usage_doc[] =
    "usage()\n--\n\n"
    "Return (user time, system time, time of child processes, preemptions, ru_maxrss) of the process. Times are in\n"
    "seconds. That of child processes is user and system time of those that have ended and were waited for. A preemption\n"
    "takes the processor from a thread that has work to do. ru_maxrss is in the system's unit.";

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

PyObject *trc_usage(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    struct rusage usage, children;
    if (getrusage(RUSAGE_SELF, &usage) != 0 || getrusage(RUSAGE_CHILDREN, &children) != 0) {
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    return Py_BuildValue("(dddll)", seconds(usage.ru_utime), seconds(usage.ru_stime),
                         seconds(children.ru_utime) + seconds(children.ru_stime), usage.ru_nivcsw, usage.ru_maxrss);
}
