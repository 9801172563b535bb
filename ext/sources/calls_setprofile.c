/* Calls by PyEval_SetProfile: see calls_setprofile.h. */
#include "sources/calls_setprofile.h"

uint64_t trc_calls_setprofile_note_threads(trc_calls_setprofile *source)
{
    uint64_t before = source->newest_thread;
    source->newest_thread = trc_first_thread(source->interpreter)->id;
    return before;
}

int trc_calls_setprofile_start(trc_calls_setprofile *source, const trc_held *held, Py_tracefunc function,
                               bool every_thread)
{
    source->function = function;
    if (!every_thread) {
        PyEval_SetProfile(function, held->object);
        return 0;
    }
    trc_calls_setprofile_note_threads(source);
    return trc_hook_threads(source->interpreter, 0, function, held->object);
}

void trc_calls_setprofile_stop(const trc_calls_setprofile *source, const trc_held *held)
{
    trc_unhook_threads(source->interpreter, source->function, held->object);
}

void trc_calls_setprofile_hook(const trc_calls_setprofile *source, const trc_held *held, uint64_t newer_than)
{
    if (trc_hook_threads(source->interpreter, newer_than, source->function, held->object) < 0) {
        PyErr_WriteUnraisable(held->object);
    }
}
