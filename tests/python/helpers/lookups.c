/* The reader of profile files once more, as a module that counts the items of dicts that the reader goes through. For
 * test_mutants.py. */
#define _POSIX_C_SOURCE 200809L
#include "types/state.h"

static unsigned long steps;

static int next_counted(PyObject *dict, Py_ssize_t *position, PyObject **key, PyObject **value)
{
    steps++;
    return PyDict_Next(dict, position, key, value);
}

#define PyDict_Next next_counted
#include "types/values.c"

/* How many steps it takes to read these bytes. */
static PyObject *count_steps(PyObject *module, PyObject *data)
{
    steps = 0;
    PyObject *read = trc_read_profile(module, data);
    if (read == NULL) {
        return NULL;
    }
    Py_DECREF(read);
    return PyLong_FromUnsignedLong(steps);
}

static int set_up(PyObject *module)
{
    trc_state_of_module(module)->format_error = PyExc_ValueError;
    return 0;
}

static PyMethodDef methods[] = {{"count_steps", count_steps, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)set_up}, {0, NULL}};
static PyModuleDef definition = {
    .m_name = "lookups", .m_size = sizeof(trc_state), .m_methods = methods, .m_slots = slots};

PyMODINIT_FUNC PyInit_lookups(void)
{
    return PyModuleDef_Init(&definition);
}
