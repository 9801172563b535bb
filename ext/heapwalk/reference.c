/* How one object refers to another: see reference.h. */
#include "heapwalk/reference.h"

#include "interp/frame_variables.h"
#include "heapwalk/referents.h"
#include "heapwalk/type_table.h"

#include <string.h>
#include <structmember.h>

#define LONGEST_KEY 60 /* characters of a key that are shown */
#define MOST_ITEMS 8   /* of a tuple that is a key */

/* Takes over `name`. NULL with an exception set, also when `name` is NULL. */
static PyObject *pair(const char *way, PyObject *name)
{
    return name == NULL ? NULL : Py_BuildValue("(sN)", way, name);
}

static PyObject *nameless(const char *way)
{
    return pair(way, Py_NewRef(Py_None));
}

static PyObject *attribute(const char *name)
{
    return pair("attribute", PyUnicode_FromString(name));
}

/* -- Keys -- */

static bool is_plain(PyObject *key)
{
    return key == Py_None || PyUnicode_CheckExact(key) || PyBytes_CheckExact(key) || PyLong_CheckExact(key) ||
           PyBool_Check(key) || PyFloat_CheckExact(key);
}

static PyObject *class_of_key(PyObject *key)
{
    PyObject *name = trc_type_name(Py_TYPE(key));
    PyObject *text = name == NULL ? NULL : PyUnicode_FromFormat("<%U>", name);
    Py_XDECREF(name);
    return text;
}

/* The first characters of a long text. */
static PyObject *cut(PyObject *text)
{
    if (text == NULL || PyUnicode_GET_LENGTH(text) <= LONGEST_KEY) {
        return text;
    }
    PyObject *start = PyUnicode_Substring(text, 0, LONGEST_KEY);
    PyObject *short_text = start == NULL ? NULL : PyUnicode_FromFormat("%U...", start);
    Py_XDECREF(start);
    Py_DECREF(text);
    return short_text;
}

static PyObject *plain_key_as_text(PyObject *key)
{
    if (PyUnicode_CheckExact(key) && PyUnicode_GET_LENGTH(key) > LONGEST_KEY) {
        PyObject *start = PyUnicode_Substring(key, 0, LONGEST_KEY);
        PyObject *text = start == NULL ? NULL : PyUnicode_FromFormat("%R...", start);
        Py_XDECREF(start);
        return text;
    }
    PyObject *text = PyBytes_CheckExact(key) && PyBytes_GET_SIZE(key) > LONGEST_KEY ? NULL : PyObject_Repr(key);
    PyErr_Clear(); /* an int of too many digits */
    return text == NULL ? class_of_key(key) : cut(text);
}

static PyObject *key_as_text(PyObject *key)
{
    if (is_plain(key)) {
        return plain_key_as_text(key);
    }
    bool is_short = PyTuple_CheckExact(key) && PyTuple_GET_SIZE(key) <= MOST_ITEMS;
    for (Py_ssize_t i = 0; is_short && i < PyTuple_GET_SIZE(key); i++) {
        is_short = is_plain(PyTuple_GET_ITEM(key, i));
    }
    if (!is_short) {
        return class_of_key(key);
    }
    PyObject *text = PyUnicode_FromString("(");
    for (Py_ssize_t i = 0; text != NULL && i < PyTuple_GET_SIZE(key); i++) {
        PyObject *item = plain_key_as_text(PyTuple_GET_ITEM(key, i));
        PyObject *more = item == NULL ? NULL : PyUnicode_FromFormat(i == 0 ? "%U%U" : "%U, %U", text, item);
        Py_XDECREF(item);
        Py_SETREF(text, more);
    }
    if (text != NULL) {
        Py_SETREF(text, PyUnicode_FromFormat(PyTuple_GET_SIZE(key) == 1 ? "%U,)" : "%U)", text));
    }
    return text;
}

/* -- Containers: each returns NULL without an exception when this is not the way -- */

static PyObject *in_dict(PyObject *dict, PyObject *held)
{
    PyObject *key, *value;
    Py_ssize_t place = 0;
    bool is_key = false;
    while (PyDict_Next(dict, &place, &key, &value)) {
        if (value == held) {
            return pair("key", key_as_text(key));
        }
        is_key = is_key || key == held;
    }
    return is_key ? pair("dict key", key_as_text(held)) : NULL;
}

/* The name of a field, where a type derived from tuple names them in `_fields`, as collections.namedtuple() does. NULL
 * without an exception when there is none. */
static PyObject *name_of_field(PyTypeObject *type, Py_ssize_t place)
{
    PyObject *fields = type == &PyTuple_Type ? NULL : trc_type_look_up(type, "_fields"), *name = NULL;
    if (fields != NULL && PyTuple_CheckExact(fields) && place < PyTuple_GET_SIZE(fields) &&
        PyUnicode_CheckExact(PyTuple_GET_ITEM(fields, place))) {
        name = Py_NewRef(PyTuple_GET_ITEM(fields, place));
    }
    Py_XDECREF(fields);
    return name;
}

static PyObject *in_sequence(PyObject *sequence, PyObject *held)
{
    PyObject **items = PySequence_Fast_ITEMS(sequence);
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (items[i] == held) {
            PyObject *name = PyTuple_Check(sequence) ? name_of_field(Py_TYPE(sequence), i) : NULL;
            return name == NULL ? pair("index", PyLong_FromSsize_t(i)) : pair("attribute", name);
        }
    }
    return NULL;
}

static PyObject *in_deque(PyObject *deque, PyObject *held)
{
    PyObject *items = Py_TYPE(deque)->tp_iter(deque), *item, *found = NULL;
    for (Py_ssize_t i = 0; found == NULL && items != NULL && (item = PyIter_Next(items)) != NULL; i++) {
        found = item == held ? pair("index", PyLong_FromSsize_t(i)) : NULL;
        Py_DECREF(item);
    }
    Py_XDECREF(items);
    PyErr_Clear();
    return found;
}

/* -- Objects with fields -- */

static PyObject *in_fields(PyObject *held, const char *const *names, PyObject *const *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i] == held) {
            return attribute(names[i]);
        }
    }
    return NULL;
}

static PyObject *in_function(PyObject *holder, PyObject *held)
{
    const PyFunctionObject *function = (PyFunctionObject *)holder;
    if (held == function->func_dict) {
        return nameless("namespace");
    }
    if (held == function->func_closure) {
        return pair("closure", PyCode_GetFreevars((PyCodeObject *)function->func_code));
    }
    static const char *const names[] = {"__globals__", "__code__",        "__defaults__", "__kwdefaults__",
                                        "__doc__",     "__annotations__", "__module__"};
    PyObject *const values[] = {function->func_globals,    function->func_code, function->func_defaults,
                                function->func_kwdefaults, function->func_doc,  function->func_annotations,
                                function->func_module};
    return in_fields(held, names, values, 7);
}

static PyObject *in_type(PyObject *holder, PyObject *held)
{
    PyTypeObject *type = (PyTypeObject *)holder;
    PyObject *dict = trc_type_dict(type);
    Py_XDECREF(dict);
    if (held == dict) {
        return nameless("namespace");
    }
    static const char *const names[] = {"__bases__", "__mro__", "__base__"};
    PyObject *const values[] = {type->tp_bases, type->tp_mro, (PyObject *)type->tp_base};
    return in_fields(held, names, values, 3);
}

static PyObject *in_exception(PyObject *holder, PyObject *held)
{
    const PyBaseExceptionObject *error = (PyBaseExceptionObject *)holder;
    static const char *const names[] = {"args", "__notes__", "__traceback__", "__context__", "__cause__"};
    PyObject *const values[] = {error->args, error->notes, error->traceback, error->context, error->cause};
    return in_fields(held, names, values, 5);
}

static PyObject *in_code(PyObject *holder, PyObject *held)
{
    const PyCodeObject *code = (PyCodeObject *)holder;
#define COMPARE(name)            \
    if (code->name == held) {    \
        return attribute(#name); \
    }
    TRC_CODE_FIELDS(COMPARE)
#undef COMPARE
    return NULL;
}

/* -- Frames and generators -- */

typedef struct wanted_variable {
    PyObject *held;
    PyObject *found; /* the result */
} wanted_variable;

static int compare_variable(const trc_variable *variable, void *context)
{
    wanted_variable *wanted = context;
    if (variable->value == wanted->held) {
        wanted->found = variable->name != NULL          ? pair("variable", Py_NewRef(variable->name))
                        : PyCode_Check(variable->value) ? attribute("f_code")
                                                        : attribute("f_locals");
        return 1;
    }
    return 0;
}

static PyObject *in_frame(PyObject *holder, PyObject *held)
{
    PyFrameObject *frame = (PyFrameObject *)holder;
    wanted_variable wanted = {held, NULL};
    trc_each_variable_of(frame, false, compare_variable, &wanted);
    if (wanted.found != NULL || PyErr_Occurred()) {
        return wanted.found;
    }
    PyObject *back = (PyObject *)PyFrame_GetBack(frame);
    Py_XDECREF(back);
    return back == held ? attribute("f_back") : NULL;
}

/* Of types whose attributes are written in C. NULL, without an exception, when there is none. */
static PyObject *get(PyObject *object, const char *name)
{
    PyObject *value = PyObject_GetAttrString(object, name);
    PyErr_Clear();
    return value == Py_None ? (Py_DECREF(value), NULL) : value;
}

static PyObject *in_generator(PyObject *holder, PyObject *held)
{
    const char *frame_name = "gi_frame", *awaited_name = "gi_yieldfrom";
    if (PyCoro_CheckExact(holder)) {
        frame_name = "cr_frame";
        awaited_name = "cr_await";
    }
    else if (PyAsyncGen_CheckExact(holder)) {
        frame_name = "ag_frame";
        awaited_name = "ag_await";
    }
    PyObject *frame = get(holder, frame_name);
    PyObject *found = frame == NULL ? NULL : in_frame(frame, held);
    Py_XDECREF(frame);
    if (found != NULL || PyErr_Occurred()) {
        return found;
    }
    PyObject *awaited = get(holder, awaited_name);
    Py_XDECREF(awaited);
    return awaited == held ? attribute(awaited_name) : NULL;
}

/* -- Instances -- */

/* The name of the slot that holds it, among those of a class and its bases. */
static PyObject *in_slots_of(PyTypeObject *type, PyObject *holder, PyObject *held)
{
    PyObject *dict = trc_type_dict(type), *key, *value, *found = NULL;
    Py_ssize_t place = 0;
    while (found == NULL && dict != NULL && PyDict_Next(dict, &place, &key, &value)) {
        if (!Py_IS_TYPE(value, &PyMemberDescr_Type) || !PyUnicode_CheckExact(key)) {
            continue;
        }
        const PyMemberDef *member = ((PyMemberDescrObject *)(void *)value)->d_member;
        if ((member->type == T_OBJECT || member->type == T_OBJECT_EX) &&
            *(PyObject **)(void *)((char *)holder + member->offset) == held) {
            found = PyUnicode_CompareWithASCIIString(key, "__dict__") == 0 ? nameless("namespace")
                                                                           : pair("attribute", Py_NewRef(key));
        }
    }
    Py_XDECREF(dict);
    return found;
}

static PyObject *in_slots(PyObject *holder, PyObject *held)
{
    PyObject *mro = Py_TYPE(holder)->tp_mro, *found = NULL;
    for (Py_ssize_t i = 0; found == NULL && mro != NULL && i < PyTuple_GET_SIZE(mro); i++) {
        PyObject *base = PyTuple_GET_ITEM(mro, i);
        if (PyType_Check(base)) {
            found = in_slots_of((PyTypeObject *)base, holder, held);
        }
    }
    return found;
}

/* The interpreter makes the dict of an object only when somebody asks for it; this is such a question. */
static PyObject *in_attributes(PyObject *holder, PyObject *held)
{
    if (!trc_has_attributes(Py_TYPE(holder))) {
        return NULL;
    }
    PyObject *dict = PyObject_GenericGetDict(holder, NULL), *key, *value, *found = NULL;
    PyErr_Clear();
    if (dict == held) {
        found = nameless("namespace");
    }
    Py_ssize_t place = 0;
    while (found == NULL && dict != NULL && PyDict_Check(dict) && PyDict_Next(dict, &place, &key, &value)) {
        if (value == held) {
            found = PyUnicode_CheckExact(key) ? pair("attribute", Py_NewRef(key)) : pair("key", key_as_text(key));
        }
    }
    Py_XDECREF(dict);
    return found;
}

/* -- Objects of modules written in C, whose types no header has -- */

/* A class that is written in Python has no point in this name. */
static bool is_of(PyObject *object, const char *type_name)
{
    return strcmp(Py_TYPE(object)->tp_name, type_name) == 0;
}

static bool is_deque(PyObject *object)
{
    return is_of(object, "collections.deque");
}

static PyObject *in_future(PyObject *future, PyObject *held)
{
    static const char *const names[] = {"_result", "_exception", "_coro", "_fut_waiter"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PyObject *value = get(future, names[i]);
        Py_XDECREF(value);
        if (value == held) {
            return attribute(names[i]);
        }
    }
    return NULL;
}

PyObject *trc_cached_function(PyObject *object)
{
    if (!is_of(object, "functools._lru_cache_wrapper")) {
        return NULL;
    }
    PyObject *dict = PyObject_GenericGetDict(object, NULL);
    PyObject *function = dict == NULL ? NULL : PyDict_GetItemString(dict, "__wrapped__");
    Py_XDECREF(dict); /* the object has it */
    PyErr_Clear();
    return function != NULL && PyFunction_Check(function) ? function : NULL;
}

/* What lru_cache() keeps; of a cache with a limit, a key and a result have no other way. */
static PyObject *in_lru_cache(PyObject *cache, PyObject *held)
{
    return held == trc_cached_function(cache) ? attribute("__wrapped__") : nameless("cache");
}

static PyObject *by_kind(PyObject *holder, PyObject *held)
{
    if (PyDict_Check(holder)) {
        return in_dict(holder, held);
    }
    if (PyList_Check(holder) || PyTuple_Check(holder)) {
        return in_sequence(holder, held);
    }
    if (PyModule_Check(holder)) {
        return PyModule_GetDict(holder) == held ? nameless("namespace") : NULL;
    }
    if (PyFunction_Check(holder)) {
        return in_function(holder, held);
    }
    if (PyCode_Check(holder)) {
        return in_code(holder, held);
    }
    if (PyCell_Check(holder)) {
        return attribute("cell_contents");
    }
    if (PyMethod_Check(holder)) {
        return attribute(held == PyMethod_GET_SELF(holder) ? "__self__" : "__func__");
    }
    if (PyCFunction_Check(holder)) {
        return held == PyCFunction_GET_SELF(holder) ? attribute("__self__") : NULL;
    }
    if (PyType_Check(holder)) {
        return in_type(holder, held);
    }
    if (PyGen_CheckExact(holder) || PyCoro_CheckExact(holder) || PyAsyncGen_CheckExact(holder)) {
        return in_generator(holder, held);
    }
    if (PyFrame_Check(holder)) {
        return in_frame(holder, held);
    }
    if (PyExceptionInstance_Check(holder)) {
        return in_exception(holder, held);
    }
    if (PyWeakref_Check(holder)) {
        return attribute("__callback__");
    }
    if (PyTraceBack_Check(holder)) {
        return held == (PyObject *)((PyTracebackObject *)holder)->tb_next ? attribute("tb_next") : NULL;
    }
    if (is_deque(holder)) {
        return in_deque(holder, held);
    }
    if (is_of(holder, "_asyncio.Future") || is_of(holder, "_asyncio.Task")) {
        return in_future(holder, held);
    }
    return NULL;
}

PyObject *trc_reference(PyObject *holder, PyObject *held)
{
    PyObject *found = by_kind(holder, held);
    if (found == NULL && !PyErr_Occurred()) {
        found = in_slots(holder, held);
    }
    if (found == NULL && !PyErr_Occurred() && !PyFunction_Check(holder) && !PyType_Check(holder)) {
        found = in_attributes(holder, held);
    }
    if (found == NULL && !PyErr_Occurred() && (PyObject *)Py_TYPE(holder) == held) {
        found = attribute("__class__");
    }
    if (found == NULL && !PyErr_Occurred() && is_of(holder, "functools._lru_cache_wrapper")) {
        found = in_lru_cache(holder, held);
    }
    if (found == NULL && !PyErr_Occurred()) {
        found = nameless(PyAnySet_Check(holder) ? "element" : "reference");
    }
    return found;
}

Py_ssize_t trc_reference_places(PyObject *holder, const char **way)
{
    *way = PyDict_Check(holder) ? "key" : "index";
    if (PyDict_Check(holder)) {
        return PyDict_Size(holder);
    }
    return PyList_Check(holder) || PyTuple_Check(holder) || is_deque(holder) ? Py_SIZE(holder) : 0;
}
