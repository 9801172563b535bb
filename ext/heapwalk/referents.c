/* To what an object refers: see referents.h. */
#include "heapwalk/referents.h"

static int each_text_of_keys(PyObject *dict, visitproc visit, void *context)
{
    PyObject *key;
    Py_ssize_t place = 0;
    int result = 0;
    while (result == 0 && PyDict_Next(dict, &place, &key, NULL)) {
        result = PyUnicode_Check(key) ? visit(key, context) : 0;
    }
    return result;
}

static int each_of_code(PyObject *object, visitproc visit, void *context)
{
    const PyCodeObject *code = (PyCodeObject *)object;
    int result = 0;
#define VISIT(name)                          \
    if (result == 0 && code->name != NULL) { \
        result = visit(code->name, context); \
    }
    TRC_CODE_FIELDS(VISIT)
#undef VISIT
    return result;
}

int trc_each_referent(PyObject *object, visitproc visit, void *context)
{
    traverseproc traverse = Py_TYPE(object)->tp_traverse;
    int result = traverse == NULL ? 0 : traverse(object, visit, context);
    if (result == 0 && PyDict_Check(object)) {
        result = each_text_of_keys(object, visit, context);
    }
    if (result == 0 && PyCode_Check(object)) {
        result = each_of_code(object, visit, context);
    }
    return result;
}
