/* A tool id of sys.monitoring: see tool.h. */
#include "interp/tool.h"

#if TRC_HAS_MONITORING

static const int tool_ids[] = {4, 3, 5, 2}; /* 2 last: the program's own cProfile needs it; 0 and 1 belong to others */

#define TOOL_IDS (sizeof tool_ids / sizeof *tool_ids)

PyObject *trc_tool_module(void)
{
    PyObject *module = PySys_GetObject("monitoring");
    if (module == NULL) {
        PyErr_SetString(PyExc_RuntimeError,
                        "sys.monitoring is not to be had: the interpreter is at its end, or out of memory");
    }
    return module;
}

int trc_tool_call(const char *function, const char *format, ...)
{
    PyObject *module = trc_tool_module();
    PyObject *callable = module == NULL ? NULL : PyObject_GetAttrString(module, function);
    va_list values;
    va_start(values, format);
    PyObject *args = callable == NULL ? NULL : Py_VaBuildValue(format, values);
    va_end(values);
    PyObject *result = args == NULL ? NULL : PyObject_CallObject(callable, args);
    Py_XDECREF(callable);
    Py_XDECREF(args);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

int trc_tool_event(const char *name)
{
    PyObject *module = trc_tool_module();
    PyObject *events = module == NULL ? NULL : PyObject_GetAttrString(module, "events");
    PyObject *number = events == NULL ? NULL : PyObject_GetAttrString(events, name);
    long bit = number == NULL ? -1 : PyLong_AsLong(number);
    Py_XDECREF(events);
    Py_XDECREF(number);
    return (int)bit;
}

PyObject *trc_tool_exchange(int id, const char *event, PyObject *object)
{
    int bit = trc_tool_event(event);
    PyObject *module = bit < 0 ? NULL : trc_tool_module();
    return module == NULL ? NULL : PyObject_CallMethod(module, "register_callback", "iiO", id, bit, object);
}

static PyObject *nothing_is_off(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    (void)args;
    (void)count;
    Py_RETURN_NONE;
}

static PyMethodDef mark_method = {
    "nothing_is_off", (PyCFunction)(void (*)(void))nothing_is_off, METH_FASTCALL,
    "tracer leaves this with a tool id that it gave back, to see whether another tool uses it. It does nothing."};

PyObject *trc_tool_mark_new(void)
{
    return PyCFunction_New(&mark_method, NULL);
}

void trc_tool_mark(int id, const char *event, PyObject *mark)
{
    if (trc_tool_is_held(id, Py_None)) {
        PyObject *before = trc_tool_exchange(id, event, mark);
        if (before != NULL && before != Py_None && before != mark) { /* an audit hook let another tool take the id */
            Py_XDECREF(trc_tool_exchange(id, event, before));
        }
        PyErr_Clear();
        Py_XDECREF(before);
    }
}

/* Sets a RuntimeError that names the holders of the tool ids. */
static void raise_taken(void)
{
    PyObject *module = trc_tool_module();
    PyObject *holders = module == NULL ? NULL : PyUnicode_FromString("");
    for (size_t i = 0; holders != NULL && i < TOOL_IDS; i++) {
        PyObject *name = PyObject_CallMethod(module, "get_tool", "i", tool_ids[i]);
        PyObject *more =
            name == NULL ? NULL : PyUnicode_FromFormat("%U%s%d: %S", holders, i == 0 ? "" : ", ", tool_ids[i], name);
        Py_XDECREF(name);
        Py_SETREF(holders, more);
    }
    if (holders != NULL) {
        PyErr_Format(PyExc_RuntimeError, "no tool id of sys.monitoring is free (%U)", holders);
        Py_DECREF(holders);
    }
}

trc_start_result trc_tool_take(trc_tool *tool)
{
    PyObject *name = PyUnicode_FromString("tracer");
    for (size_t i = 0; name != NULL && i < TOOL_IDS; i++) {
        if (trc_tool_call("use_tool_id", "(iO)", tool_ids[i], name) == 0) {
            tool->name = name;
            tool->id = tool_ids[i];
            return TRC_STARTED;
        }
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) {
            Py_DECREF(name);
            return TRC_START_FAILED;
        }
        PyErr_Clear();
    }
    if (name == NULL) {
        return TRC_START_FAILED;
    }
    Py_DECREF(name);
    raise_taken();
    return TRC_START_TAKEN;
}

bool trc_tool_is_held(int id, const PyObject *name)
{
    PyObject *module = trc_tool_module();
    PyObject *holder = module == NULL ? NULL : PyObject_CallMethod(module, "get_tool", "i", id);
    Py_XDECREF(holder); /* only its address is of interest */
    PyErr_Clear();
    return holder == name;
}

bool trc_tool_is_ours(trc_tool *tool)
{
    if (tool->name != NULL && !trc_tool_is_held(tool->id, tool->name)) {
        Py_CLEAR(tool->name);
    }
    return tool->name != NULL;
}

#endif
