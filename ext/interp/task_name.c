/* The name of the present task: see task_name.h. */
#include "interp/task_name.h"

/* Borrowed: what a module holds under a name, if the module is imported; or NULL. */
static PyObject *look_up_in(const char *module_name, const char *name)
{
    PyObject *modules = PySys_GetObject("modules"); /* gone when the interpreter ends */
    PyObject *module = modules == NULL || !PyDict_Check(modules) ? NULL : trc_look_up(modules, module_name);
    return module == NULL || !PyModule_Check(module) ? NULL : trc_look_up(PyModule_GetDict(module), name);
}

/* New reference: what a function of a C module returns, or NULL without an exception. */
static PyObject *call(const char *module, const char *name)
{
    PyObject *function = look_up_in(module, name);
    PyObject *result = function == NULL || !PyCFunction_Check(function) ? NULL : PyObject_CallNoArgs(function);
    PyErr_Clear();
    return result;
}

/* New reference, or NULL without an exception. Up to 3.11, the module written in Python knows the present tasks; later
 * only the one written in C is sure to. */
static PyObject *asyncio_task(void)
{
    PyObject *task = call("_asyncio", "current_task");
    PyObject *tasks = task != NULL ? NULL : look_up_in("asyncio.tasks", "_current_tasks");
    PyObject *loop = tasks == NULL || !PyDict_CheckExact(tasks) ? NULL : call("_asyncio", "_get_running_loop");
    if (loop != NULL) {
        task = Py_XNewRef(PyDict_GetItemWithError(tasks, loop));
        PyErr_Clear();
        Py_DECREF(loop);
    }
    return task;
}

static PyObject *name_of_asyncio_task(PyObject *task)
{
    PyObject *type = look_up_in("_asyncio", "Task");
    if (type != NULL && PyType_Check(type) && PyObject_TypeCheck(task, (PyTypeObject *)type)) {
        return PyObject_CallMethod(type, "get_name", "O", task);
    }
    PyObject *attributes = PyObject_GenericGetDict(task, NULL);
    PyObject *name =
        attributes == NULL || !PyDict_Check(attributes) ? NULL : Py_XNewRef(trc_look_up(attributes, "_name"));
    Py_XDECREF(attributes);
    return name;
}

static PyObject *name_of_trio_task(void)
{
    PyObject *context = look_up_in("trio._core._run", "GLOBAL_RUN_CONTEXT");
    PyObject *task = context == NULL ? NULL : PyObject_GetAttrString(context, "task");
    PyObject *name = task == NULL ? NULL : PyObject_GetAttrString(task, "name");
    Py_XDECREF(task);
    return name;
}

PyObject *trc_task_name(void)
{
    int collecting = trc_pause_collection();
    PyObject *task = asyncio_task();
    PyObject *name = task == NULL || task == Py_None ? name_of_trio_task() : name_of_asyncio_task(task);
    Py_XDECREF(task);
    if (name != NULL && !PyUnicode_CheckExact(name)) {
        Py_CLEAR(name);
    }
    PyErr_Clear();
    trc_resume_collection(collecting);
    return name;
}
