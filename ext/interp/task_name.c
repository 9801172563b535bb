/* The name of the present task: see task_name.h. */
#include "interp/task_name.h"

void trc_task_words_free(trc_task_words *words)
{
    Py_CLEAR(words->asyncio);
    Py_CLEAR(words->current_task);
    Py_CLEAR(words->task);
    Py_CLEAR(words->get_name);
}

static bool make_words(trc_task_words *words)
{
    if (words->get_name == NULL) {
        trc_task_words_free(words);
        words->asyncio = PyUnicode_InternFromString("_asyncio");
        words->current_task = PyUnicode_InternFromString("current_task");
        words->task = PyUnicode_InternFromString("Task");
        words->get_name = PyUnicode_InternFromString("get_name");
    }
    return words->asyncio != NULL && words->current_task != NULL && words->task != NULL && words->get_name != NULL;
}

/* Borrowed: the dictionary of a module, if it is imported; or NULL. */
static PyObject *names_of(PyObject *modules, PyObject *module_name)
{
    PyObject *module = PyDict_GetItemWithError(modules, module_name);
    return module == NULL || !PyModule_Check(module) ? NULL : PyModule_GetDict(module);
}

/* Borrowed: the modules that are imported, or NULL when the interpreter ends. */
static PyObject *imported(void)
{
    PyObject *modules = PySys_GetObject("modules");
    return modules != NULL && PyDict_Check(modules) ? modules : NULL;
}

/* Borrowed: what a module holds under a name, if the module is imported; or NULL. */
static PyObject *look_up_in(PyObject *modules, const char *module_name, const char *name)
{
    PyObject *module = trc_look_up(modules, module_name);
    return module == NULL || !PyModule_Check(module) ? NULL : trc_look_up(PyModule_GetDict(module), name);
}

/* New reference: what a function written in C returns, or NULL without an exception. */
static PyObject *call(PyObject *function)
{
    PyObject *result = function == NULL || !PyCFunction_Check(function) ? NULL : PyObject_CallNoArgs(function);
    PyErr_Clear();
    return result;
}

/* New reference, or NULL without an exception. Up to 3.11, the module written in Python knows the present tasks; later
 * only the one written in C is sure to. */
static PyObject *asyncio_task(PyObject *modules, PyObject *asyncio, const trc_task_words *words)
{
    PyObject *function = PyDict_GetItemWithError(asyncio, words->current_task);
    if (function != NULL) {
        return call(function);
    }
    PyObject *tasks = look_up_in(modules, "asyncio.tasks", "_current_tasks");
    bool is_known = tasks != NULL && PyDict_CheckExact(tasks);
    PyObject *loop = is_known ? call(trc_look_up(asyncio, "_get_running_loop")) : NULL;
    PyObject *task = loop == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(tasks, loop));
    PyErr_Clear();
    Py_XDECREF(loop);
    return task;
}

static PyObject *name_of_asyncio_task(PyObject *task, PyObject *asyncio, const trc_task_words *words)
{
    PyObject *type = PyDict_GetItemWithError(asyncio, words->task);
    if (type != NULL && Py_IS_TYPE(task, (PyTypeObject *)type)) {
        return PyObject_CallMethodNoArgs(task, words->get_name);
    }
    if (type != NULL && PyType_Check(type) && PyObject_TypeCheck(task, (PyTypeObject *)type)) {
        return PyObject_CallMethodOneArg(type, words->get_name, task); /* not a get_name() of the program */
    }
    PyObject *attributes = PyObject_GenericGetDict(task, NULL);
    PyObject *name =
        attributes == NULL || !PyDict_Check(attributes) ? NULL : Py_XNewRef(trc_look_up(attributes, "_name"));
    Py_XDECREF(attributes);
    return name;
}

static PyObject *name_of_trio_task(PyObject *modules)
{
    PyObject *context = look_up_in(modules, "trio._core._run", "GLOBAL_RUN_CONTEXT");
    PyObject *task = context == NULL ? NULL : PyObject_GetAttrString(context, "task");
    PyObject *name = task == NULL ? NULL : PyObject_GetAttrString(task, "name");
    Py_XDECREF(task);
    return name;
}

static PyObject *find_name(trc_task_words *words)
{
    PyObject *modules = make_words(words) ? imported() : NULL;
    if (modules == NULL) {
        return NULL;
    }
    PyObject *asyncio = names_of(modules, words->asyncio);
    PyObject *task = asyncio == NULL ? NULL : asyncio_task(modules, asyncio, words);
    PyObject *name =
        task == NULL || task == Py_None ? name_of_trio_task(modules) : name_of_asyncio_task(task, asyncio, words);
    Py_XDECREF(task);
    return name;
}

PyObject *trc_task_name(trc_task_words *words)
{
    int collecting = trc_pause_collection();
    PyObject *name = find_name(words);
    if (name != NULL && !PyUnicode_CheckExact(name)) {
        Py_CLEAR(name);
    }
    PyErr_Clear();
    trc_resume_collection(collecting);
    return name;
}
