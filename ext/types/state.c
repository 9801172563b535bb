/* The module's state: see state.h. */
#include "types/state.h"

const char trc_module_name[] = "tracer._core";

/* Returns tracer's module if it made the type, borrowed, or NULL without an exception. */
static PyObject *module_of(PyTypeObject *type)
{
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        return NULL;
    }
    PyObject *module = PyType_GetModule(type);
    PyErr_Clear();
    const PyModuleDef *def = module == NULL ? NULL : PyModule_GetDef(module);
    return def != NULL && def->m_name == trc_module_name ? module : NULL;
}

/* As PyType_GetModuleByDef(), which would need the module's definition: then this file would depend on all others. */
trc_state *trc_state_of_type(PyTypeObject *type)
{
    PyObject *module = NULL;
    for (Py_ssize_t i = 0; module == NULL && i < PyTuple_GET_SIZE(type->tp_mro); i++) {
        module = module_of((PyTypeObject *)PyTuple_GET_ITEM(type->tp_mro, i));
    }
    trc_state *state = module == NULL ? NULL : trc_state_of_module(module);
    if (state == NULL) {
        PyErr_Format(PyExc_TypeError, "%s is no type of tracer's", type->tp_name);
        return NULL;
    }
    if (state->dispatcher_object == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "tracer is being unloaded");
        return NULL;
    }
    return state;
}
