/* The back end of profiles that are made of samples: the interpreter tells of the beginnings of functions, until they are too
 * dear. Time is told by samples alone (core/samples), so where there is no sys.monitoring nothing is counted. */
#include "dispatch/dispatcher.h"
#include "interp/callback.h"
#include "recorders/counting_starts.h"

#if TRC_HAS_MONITORING

/* Where no recorder wants to be told any more, the interpreter tells of this function, or line, no more, in no thread. A program
 * can get hold of the callbacks, so they check their arguments. line: 0 where the function begins. */
__attribute__((noinline)) static PyObject *tell_all(trc_dispatcher *dispatcher, PyObject *code,
                                                    const PyThreadState *state, int32_t line)
{
    if (!PyCode_Check(code) || line < 0) {
        PyErr_SetString(PyExc_TypeError, "this is called by the interpreter only");
        return NULL;
    }
    trc_code_site site = {(PyCodeObject *)code, NULL, false, false};
    bool is_wanted = false;
    trc_each_recording each;
    for (trc_recorder *one = trc_dispatch_first(&each, dispatcher, TRC_SAMPLES_ALONE); one != NULL;
         one = trc_dispatch_next(&each)) {
        bool wants =
            line == 0 ? trc_recorder_count_start(one, &site, state) : trc_recorder_count_line(one, &site, line);
        is_wanted = wants || is_wanted;
    }
    if (is_wanted) {
        Py_RETURN_NONE;
    }
    return trc_starts_monitoring_silence(&dispatcher->shared.starts_monitoring);
}

/* Called with a code object and the offset of an instruction. */
static PyObject *on_start(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    trc_dispatcher *dispatcher = ((trc_callback *)self)->context;
    const trc_recorder *only = dispatcher->only_active[TRC_SAMPLES_ALONE];
    const PyThreadState *state = trc_this_thread();
    PyObject *code = (uint32_t)nargsf < 1 ? Py_None : args[0];
    (void)names;
    if (only != NULL && only->starts != NULL && trc_recorder_count_again(only, (const PyCodeObject *)code, state)) {
        Py_RETURN_NONE;
    }
    return tell_all(dispatcher, code, state, 0);
}

/* Called with a code object and a line's number. */
static PyObject *on_line(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    trc_dispatcher *dispatcher = ((trc_callback *)self)->context;
    const trc_recorder *only = dispatcher->only_active[TRC_SAMPLES_ALONE];
    const PyThreadState *state = trc_this_thread();
    bool is_proper = (uint32_t)nargsf >= 2 && PyLong_Check(args[1]);
    PyObject *code = is_proper ? args[0] : Py_None;
    int32_t line = is_proper ? (int32_t)trc_small_int(args[1]) : -1;
    (void)names;
    if (only != NULL && only->starts != NULL && trc_recorder_hit_again(only, (const PyCodeObject *)code, line, state)) {
        Py_RETURN_NONE;
    }
    return tell_all(dispatcher, code, state, line);
}

static const trc_tool_callback callbacks[] = {{.event = "PY_START", .function = on_start},
                                              {.event = "LINE", .function = on_line}};

static trc_tool_target target_of(trc_dispatcher *dispatcher)
{
    return (trc_tool_target){&dispatcher->held, dispatcher, callbacks, sizeof callbacks / sizeof *callbacks};
}

static trc_start_result start(trc_dispatcher *dispatcher, const trc_recorder *recorder)
{
    trc_tool_target target = target_of(dispatcher);
    trc_start_result result = trc_starts_monitoring_start(&dispatcher->shared.starts_monitoring, &target);
    if (result == TRC_START_TAKEN && recorder->slowdown == 0) { /* samples alone do, but for threads that end soon */
        PyErr_Clear();
        return TRC_STARTED;
    }
    if (result == TRC_STARTED) {
        trc_recorder_watch_lines_again(recorder);
    }
    return result;
}

static void stop(trc_dispatcher *dispatcher)
{
    trc_tool_target target = target_of(dispatcher);
    if (dispatcher->shared.calls[TRC_SAMPLES_ALONE] == NULL) {
        trc_starts_monitoring_stop(&dispatcher->shared.starts_monitoring, &target);
    }
}

#else

static trc_start_result start(trc_dispatcher *dispatcher, const trc_recorder *recorder)
{
    (void)dispatcher, (void)recorder;
    return TRC_STARTED;
}

static void stop(trc_dispatcher *dispatcher)
{
    (void)dispatcher;
}

#endif

const trc_backend_methods trc_samples_methods = {start, stop, NULL};
