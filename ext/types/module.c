/* The module tracer._core: its state and its slots. What it offers is defined in the other files of this folder. */
#include "state.h"

trc_state *trc_state_of_type(PyTypeObject *type)
{
    PyObject *module = PyType_GetModuleByDef(type, &trc_module);
    return module == NULL ? NULL : trc_state_of_module(module);
}

static int module_exec(PyObject *module)
{
    trc_state *state = trc_state_of_module(module);
    trc_clock wall = trc_clock_wall();
    state->imported_at = trc_clock_moment(&wall);
    state->profiler_type = trc_profiler_type(module);
    state->dispatcher_type = trc_dispatcher_type(module);
    if (state->profiler_type == NULL || state->dispatcher_type == NULL || trc_entry_types(state) < 0) {
        return -1;
    }
    state->dispatcher = trc_dispatcher_new(state->dispatcher_type);
    state->format_error = PyErr_NewExceptionWithDoc(
        "tracer.ProfileFormatError", "A file is no profile, is damaged, or was written by a newer tracer.",
        PyExc_ValueError, NULL);
    if (state->dispatcher == NULL || state->format_error == NULL) {
        return -1;
    }
    if (PyModule_AddType(module, state->profiler_type) < 0 || PyModule_AddType(module, state->entry_type) < 0 ||
        PyModule_AddType(module, state->subentry_type) < 0) {
        return -1;
    }
    if (PyModule_AddObjectRef(module, "ProfileFormatError", state->format_error) < 0) {
        return -1;
    }
    return PyModule_AddObjectRef(module, "unrecorded", (PyObject *)state->dispatcher);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    trc_state *state = trc_state_of_module(module);
    Py_VISIT(state->profiler_type);
    Py_VISIT(state->entry_type);
    Py_VISIT(state->subentry_type);
    Py_VISIT(state->dispatcher_type);
    Py_VISIT(state->format_error);
    Py_VISIT(state->dispatcher);
    return 0;
}

static int module_clear(PyObject *module)
{
    trc_state *state = trc_state_of_module(module);
    Py_CLEAR(state->profiler_type);
    Py_CLEAR(state->entry_type);
    Py_CLEAR(state->subentry_type);
    Py_CLEAR(state->dispatcher_type);
    Py_CLEAR(state->format_error);
    Py_CLEAR(state->dispatcher); /* each profile has a reference of its own */
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

static PyMethodDef functions[] = {
    {"read_profile", trc_read_profile, METH_O, trc_read_profile_doc},
    {"pack_section", trc_pack_section, METH_O, trc_pack_section_doc},
    {"add_up", trc_add_up, METH_VARARGS, trc_add_up_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

PyModuleDef trc_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "tracer._core",
    .m_doc = "The C core of tracer: records calls, adds them up, reads profile files.",
    .m_size = sizeof(trc_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&trc_module);
}
