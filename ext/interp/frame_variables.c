/* The variables of running functions: see frame_variables.h. */
#include "interp/frame_variables.h"

#include "interp/live_frames.h"

/* The names are taken from the code as it stands: to ask for co_varnames would make a tuple that the code keeps. */
static int visit_function(trc_variable *variable, trc_variable_visit visit, void *context)
{
    PyObject *names = variable->code->co_localsplusnames;
    int result = 0;
    for (Py_ssize_t i = 0; result == 0 && i < PyTuple_GET_SIZE(names); i++) {
        variable->name = PyTuple_GET_ITEM(names, i);
        variable->value = trc_frame_variable(variable->frame, variable->code, i);
        if (variable->value != NULL) {
            result = visit(variable, context);
            Py_DECREF(variable->value);
        }
    }
    return result;
}

/* That of a class body or module. A class may have a namespace of its own kind, and up to 3.12 it would be told of the
 * cells of the body: then nothing is visited. */
static int visit_namespace(trc_variable *variable, trc_variable_visit visit, void *context)
{
    bool has_cells = PyTuple_GET_SIZE(variable->code->co_localsplusnames) != 0;
    PyObject *namespace = has_cells ? NULL : PyFrame_GetLocals(variable->frame);
    int result = 0;
    PyErr_Clear();
    if (namespace != NULL) {
        variable->name = NULL;
        variable->value = namespace;
        result = visit(variable, context);
        Py_DECREF(namespace);
    }
    return result;
}

int trc_each_variable_of(PyFrameObject *frame, bool is_callers, trc_variable_visit visit, void *context)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    trc_variable variable = {frame, code, NULL, (PyObject *)code, is_callers};
    int result = visit(&variable, context);
    if (result == 0) {
        result = code->co_flags & CO_OPTIMIZED ? visit_function(&variable, visit, context)
                                               : visit_namespace(&variable, visit, context);
    }
    Py_DECREF(code);
    return result;
}

int trc_each_variable(trc_variable_visit visit, void *context)
{
    const PyThreadState *here = PyThreadState_Get();
    int result = 0;
    PyThreadState *thread = trc_first_thread(PyInterpreterState_Get());
    for (; result == 0 && thread != NULL; thread = PyThreadState_Next(thread)) {
        trc_live_frames live = trc_live_frames_take(thread);
        for (size_t i = 0; result == 0 && i < live.count; i++) {
            result = trc_each_variable_of(live.frames[i], thread == here && i + 1 == live.count, visit, context);
        }
        trc_live_frames_free(&live);
    }
    return result;
}
