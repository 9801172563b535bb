/* Why an object is alive: see object_path.h.
 *
 * The search is breadth first. It begins with the modules and their namespaces; with the values that these hold, those of
 * the variables of running functions have their turn. Only an object that can refer to others is marked and gets a place
 * in the trail. The names of the references are looked up when the path is known. */
#include "interp/object_path.h"

#include "core/heap/marks.h"
#include "core/heap/trail.h"
#include "interp/frame_variables.h"
#include "interp/reference.h"
#include "interp/referents.h"
#include "interp/type_table.h"

#include <stdlib.h>

/* A variable of a running function. All are owned; `name` may be NULL. */
typedef struct start {
    PyFrameObject *frame;
    PyCodeObject *code;
    PyObject *name;
    PyObject *value;
    bool is_callers;
    uint64_t entry; /* of its value in the trail */
} start;

typedef struct search {
    PyObject *object; /* that is looked for */
    const PyTypeObject *left_out;
    trc_marks marks;
    trc_trail trail;
    start *starts; /* owned */
    size_t start_count;
    size_t room;
    PyObject *asking;      /* borrowed: the namespace of the module that asks; NULL: it may lead to the object */
    uint64_t current;      /* the entry whose references are followed */
    uint64_t holder;       /* the entry that refers to the object, when it was found */
    const start *variable; /* or the variable that does */
    bool is_found;
    bool is_out_of_memory;
} search;

static int out_of_memory(search *search)
{
    search->is_out_of_memory = true;
    return -1;
}

/* Adds an object that may lead on, unless it was added before. 0, or -1 when memory is out. */
static int add(search *search, PyObject *object, uint32_t parent)
{
    if (!trc_has_referents(object) || Py_TYPE(object) == search->left_out) {
        return 0;
    }
    switch (trc_marks_set(&search->marks, (uintptr_t)object)) {
    case TRC_MARKED_FAILED:
        return out_of_memory(search);
    case TRC_MARKED_BEFORE:
        return 0;
    case TRC_MARKED_NOW:
        break;
    }
    return trc_trail_add(&search->trail, object, parent) ? 0 : out_of_memory(search);
}

/* A visitproc. */
static int visit_referent(PyObject *object, void *context)
{
    search *search = context;
    if (object == search->object && trc_trail_object(&search->trail, search->current) != search->asking) {
        search->holder = search->current;
        search->is_found = true;
        return 1;
    }
    return add(search, object, (uint32_t)search->current);
}

/* Follows the references of the entries up to this one. 0, or what ended the search. */
static int follow_until(search *search, uint64_t end)
{
    int result = 0;
    for (; result == 0 && search->current < end; search->current += result == 0) {
        PyObject *holder = trc_trail_object(&search->trail, search->current);
        result = trc_each_referent(holder, visit_referent, search);
    }
    return result;
}

/* -- Where it begins -- */

static int keep_variable(const trc_variable *variable, void *context)
{
    search *search = context;
    if (search->start_count == search->room) {
        size_t room = search->room == 0 ? 256 : 2 * search->room;
        start *starts = realloc(search->starts, room * sizeof *starts);
        if (starts == NULL) {
            return out_of_memory(search);
        }
        search->starts = starts;
        search->room = room;
    }
    search->starts[search->start_count++] = (start){
        .frame = (PyFrameObject *)Py_NewRef(variable->frame),
        .code = (PyCodeObject *)Py_NewRef(variable->code),
        .name = Py_XNewRef(variable->name),
        .value = Py_NewRef(variable->value),
        .is_callers = variable->is_callers,
        .entry = UINT64_MAX,
    };
    return 0;
}

static bool is_main(PyObject *name)
{
    return PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "__main__") == 0;
}

/* Adds the modules, the program's own first, and then their namespaces. 0, or -1 when memory is out. */
static int add_modules(search *search)
{
    PyObject *modules = PyImport_GetModuleDict(), *name, *module;
    int result = 0;
    for (int of_main = 1; result == 0 && of_main >= 0; of_main--) {
        Py_ssize_t place = 0;
        while (result == 0 && modules != NULL && PyDict_Check(modules) &&
               PyDict_Next(modules, &place, &name, &module)) {
            if (is_main(name) == of_main && module == search->object) {
                search->is_found = true;
                search->holder = UINT64_MAX;
                return 1;
            }
            if (is_main(name) == of_main) {
                result = add(search, module, TRC_TRAIL_LIMIT);
            }
        }
    }
    uint64_t count = search->trail.count;
    for (uint64_t i = 0; result == 0 && i < count; i++) {
        module = trc_trail_object(&search->trail, i);
        PyObject *namespace = PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
        if (namespace != NULL) {
            result = add(search, namespace, (uint32_t)i);
        }
    }
    return result;
}

static int add_variables(search *search, bool with_callers)
{
    for (size_t i = 0; i < search->start_count; i++) {
        start *variable = &search->starts[i];
        if (variable->value == search->object) {
            if (variable->is_callers && !with_callers) {
                continue;
            }
            search->variable = variable;
            search->is_found = true;
            return 1;
        }
        uint64_t entry = search->trail.count;
        if (add(search, variable->value, TRC_TRAIL_LIMIT) < 0) {
            return -1;
        }
        variable->entry = search->trail.count > entry ? entry : UINT64_MAX;
    }
    return 0;
}

/* One search. `with_callers`: the variables of the function that asks may hold the object. */
static void look(search *search, bool with_callers)
{
    search->current = 0;
    search->asking = NULL;
    for (size_t i = 0; !with_callers && i < search->start_count; i++) {
        const start *start = &search->starts[i];
        if (start->is_callers && start->name == NULL && PyDict_Check(start->value)) {
            search->asking = start->value;
        }
    }
    if (add_modules(search) == 0 && follow_until(search, search->trail.count) == 0 &&
        add_variables(search, with_callers) == 0) {
        int result = 0;
        while (result == 0 && search->current < search->trail.count) {
            result = follow_until(search, search->trail.count);
        }
    }
}

/* -- The path -- */

static PyObject *module_name(PyObject *wanted)
{
    PyObject *modules = PyImport_GetModuleDict(), *name, *module;
    Py_ssize_t place = 0;
    while (modules != NULL && PyDict_Check(modules) && PyDict_Next(modules, &place, &name, &module)) {
        if (module == wanted && PyUnicode_CheckExact(name)) {
            return Py_NewRef(name);
        }
    }
    return PyUnicode_FromString("?");
}

static PyObject *beginning_of_variable(const start *start)
{
    return Py_BuildValue("(sOiOO)", "variable", start->code->co_filename, PyFrame_GetLineNumber(start->frame),
                         start->code->co_qualname, start->name == NULL ? Py_None : start->name);
}

static PyObject *beginning(const search *search, uint64_t entry)
{
    for (size_t i = 0; i < search->start_count; i++) {
        if (search->starts[i].entry == entry) {
            return beginning_of_variable(&search->starts[i]);
        }
    }
    PyObject *module = trc_trail_object(&search->trail, entry);
    PyObject *name = module_name(module);
    return name == NULL ? NULL : Py_BuildValue("(sN)", "module", name);
}

/* Adds the reference that leads from one object to the next. 0, or -1 with an exception set. */
static int append_reference(PyObject *references, PyObject *holder, PyObject *held)
{
    PyObject *way = trc_reference(holder, held);
    PyObject *type = way == NULL ? NULL : trc_type_name(Py_TYPE(held));
    PyObject *reference =
        type == NULL ? NULL : PyTuple_Pack(3, PyTuple_GET_ITEM(way, 0), PyTuple_GET_ITEM(way, 1), type);
    int result = reference == NULL ? -1 : PyList_Append(references, reference);
    Py_XDECREF(way);
    Py_XDECREF(type);
    Py_XDECREF(reference);
    return result;
}

static PyObject *path_from(PyObject *first, PyObject *references)
{
    return first == NULL || references == NULL ? NULL : PyTuple_Pack(2, first, references);
}

static PyObject *path_of(const search *search)
{
    PyObject *references = PyList_New(0), *first = NULL, *path;
    bool is_whole = references != NULL;
    if (!search->is_found) {
        Py_XDECREF(references);
        Py_RETURN_NONE;
    }
    if (search->variable != NULL) {
        first = beginning_of_variable(search->variable);
    }
    else if (search->holder == UINT64_MAX) {
        PyObject *name = module_name(search->object);
        first = name == NULL ? NULL : Py_BuildValue("(sN)", "module", name);
    }
    else {
        PyObject *held = search->object;
        uint64_t entry = search->holder;
        while (is_whole) {
            is_whole = append_reference(references, trc_trail_object(&search->trail, entry), held) == 0;
            if (trc_trail_parent(&search->trail, entry) == TRC_TRAIL_LIMIT) {
                break;
            }
            held = trc_trail_object(&search->trail, entry);
            entry = trc_trail_parent(&search->trail, entry);
        }
        first = is_whole && PyList_Reverse(references) == 0 ? beginning(search, entry) : NULL;
    }
    path = is_whole ? path_from(first, references) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(references);
    return path;
}

static void forget_starts(search *search)
{
    for (size_t i = 0; i < search->start_count; i++) {
        Py_DECREF(search->starts[i].frame);
        Py_DECREF(search->starts[i].code);
        Py_XDECREF(search->starts[i].name);
        Py_DECREF(search->starts[i].value);
    }
    free(search->starts);
}

PyObject *trc_object_path(PyObject *object, const trc_pages *pages, const PyTypeObject *left_out)
{
    search search = {.object = object, .left_out = left_out};
    trc_marks_init(&search.marks, pages);
    trc_trail_init(&search.trail, pages, true);
    trc_each_variable(keep_variable, &search);
    for (int with_callers = 0; with_callers < 2 && !search.is_found && !search.is_out_of_memory; with_callers++) {
        trc_marks_free(&search.marks);
        trc_trail_restart(&search.trail);
        look(&search, with_callers);
    }
    PyObject *path = search.is_out_of_memory ? PyErr_NoMemory() : path_of(&search);
    trc_marks_free(&search.marks);
    trc_trail_free(&search.trail);
    forget_starts(&search);
    return path;
}
