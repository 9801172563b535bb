/* Signals that are held: see held_signals.h. */
#include "interp/held_signals.h"

#include <signal.h>

bool trc_work_with_signals_held(bool (*work)(void *context), void *context)
{
    sigset_t all, before;
    PyObject *type, *value, *traceback;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool interrupted = PyErr_CheckSignals() < 0;
    PyErr_Fetch(&type, &value, &traceback);
    bool done = work(context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (interrupted) {
        PyErr_Restore(type, value, traceback);
    }
    return done && !interrupted;
}
