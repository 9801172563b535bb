/* Why objects are alive: see object_path.h.
 *
 * The search is breadth first, and one search finds all objects. It begins with the modules and their namespaces; with the values that these hold, those of
 * the variables of running functions have their turn. Only an object that can refer to others is marked and gets a place
 * in the worklist. The names of the references are looked up when the path is known. */
#include "heapwalk/object_path.h"

#include "core/heap/address_bitmap.h"
#include "core/heap/worklist.h"
#include "interp/frame_variables.h"
#include "heapwalk/reference.h"
#include "heapwalk/referents.h"
#include "heapwalk/type_table.h"

#include <stdlib.h>

#define NO_HOLDER UINT64_MAX
enum {
    MOST_SHORT = 10000, /* items of a container that is looked through for each object */
    MOST_LONG = 64,     /* longer ones that are looked through, each for one object */
};

/* A variable of a running function. All are owned; `name` may be NULL. */
typedef struct start {
    PyFrameObject *frame;
    PyCodeObject *code;
    PyObject *name;
    PyObject *value;
    bool is_callers;
    uint64_t entry; /* of its value in the worklist */
} start;

/* An object that is looked for. */
typedef struct target {
    PyObject *object; /* borrowed */
    bool is_found;
    uint64_t holder;       /* the entry that refers to the object, when it was found; NO_HOLDER: it is a module */
    const start *variable; /* or the variable that does */
    PyObject *path;        /* owned; NULL: not known yet */
} target;

/* A reference out of a long container, which is looked through once. */
typedef struct long_one {
    PyObject *holder; /* borrowed, as `held` */
    PyObject *held;
    PyObject *reference; /* owned */
} long_one;

typedef struct search {
    target *targets; /* owned */
    size_t target_count;
    size_t missing;   /* how many of them were not found yet */
    target **slots;   /* owned: open addressing by the object's address; NULL: an empty slot */
    size_t slot_bits; /* there are 2 to this power */
    long_one long_ones[MOST_LONG];
    size_t long_count;
    const PyTypeObject *left_out;
    trc_bitmap bitmap;
    trc_worklist worklist;
    start *starts; /* owned */
    size_t start_count;
    size_t room;
    PyObject *asking; /* borrowed: the namespace of the module that asks; NULL: it may lead to an object */
    uint64_t current; /* the entry whose references are followed */
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
    switch (trc_bitmap_set(&search->bitmap, (uintptr_t)object)) {
    case TRC_MARKED_FAILED:
        return out_of_memory(search);
    case TRC_MARKED_BEFORE:
        return 0;
    case TRC_MARKED_NOW:
        break;
    }
    return trc_worklist_add(&search->worklist, object, parent) ? 0 : out_of_memory(search);
}

static inline size_t home_of(const search *search, const PyObject *object)
{
    return (size_t)((uint64_t)((uintptr_t)object >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - search->slot_bits));
}

/* The target that is this object and was not found yet, or NULL. */
static inline target *missing_target(const search *search, const PyObject *object)
{
    size_t slot = home_of(search, object), mask = ((size_t)1 << search->slot_bits) - 1;
    while (search->slots[slot] != NULL && search->slots[slot]->object != object) {
        slot = (slot + 1) & mask;
    }
    target *found = search->slots[slot];
    return found == NULL || found->is_found ? NULL : found;
}

/* 0 to go on, or 1: it was the last one. */
static int find(search *search, target *target, uint64_t holder, const start *variable)
{
    target->is_found = true;
    target->holder = holder;
    target->variable = variable;
    search->missing--;
    return search->missing == 0;
}

/* A visitproc. */
static int visit_referent(PyObject *object, void *context)
{
    search *search = context;
    target *target = missing_target(search, object);
    if (target != NULL && trc_worklist_object(&search->worklist, search->current) != search->asking &&
        find(search, target, search->current, NULL)) {
        return 1;
    }
    return add(search, object, (uint32_t)search->current);
}

/* Follows the references of the entries up to this one. 0, or what ended the search. */
static int follow_until(search *search, uint64_t end)
{
    int result = 0;
    for (; result == 0 && search->current < end; search->current += result == 0) {
        PyObject *holder = trc_worklist_object(&search->worklist, search->current);
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
            if (is_main(name) != of_main) {
                continue;
            }
            target *target = missing_target(search, module);
            if (target != NULL && find(search, target, NO_HOLDER, NULL)) {
                return 1;
            }
            result = add(search, module, TRC_WORKLIST_LIMIT);
        }
    }
    uint64_t count = search->worklist.count;
    for (uint64_t i = 0; result == 0 && i < count; i++) {
        module = trc_worklist_object(&search->worklist, i);
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
        target *target = missing_target(search, variable->value);
        if (target != NULL && variable->is_callers && !with_callers) {
            continue;
        }
        if (target != NULL && find(search, target, NO_HOLDER, variable)) {
            return 1;
        }
        uint64_t entry = search->worklist.count;
        if (add(search, variable->value, TRC_WORKLIST_LIMIT) < 0) {
            return -1;
        }
        variable->entry = search->worklist.count > entry ? entry : UINT64_MAX;
    }
    return 0;
}

/* One search. `with_callers`: the variables of the function that asks may hold the objects. */
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
    if (add_modules(search) == 0 && follow_until(search, search->worklist.count) == 0 &&
        add_variables(search, with_callers) == 0) {
        int result = 0;
        while (result == 0 && search->current < search->worklist.count) {
            result = follow_until(search, search->worklist.count);
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
    PyObject *module = trc_worklist_object(&search->worklist, entry);
    PyObject *name = module_name(module);
    return name == NULL ? NULL : Py_BuildValue("(sN)", "module", name);
}

/* The name of an object's type; of a function, its cache and a method of it also which function. A new reference, or NULL
 * with an exception set. */
static PyObject *kind_of(PyObject *object)
{
    const char *what = "function";
    PyObject *function = trc_cached_function(object);
    if (function != NULL) {
        what = "cache of function";
    }
    else if (PyMethod_Check(object)) {
        function = PyMethod_GET_FUNCTION(object);
        what = "method";
    }
    else {
        function = object;
    }
    if (!PyFunction_Check(function)) {
        return trc_type_name(Py_TYPE(object));
    }
    const PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(function);
    return PyUnicode_FromFormat("%s %U, %U:%d", what, code->co_qualname, code->co_filename, code->co_firstlineno);
}

/* The reference that leads from one object to the next: a new reference, or NULL with an exception set. */
static PyObject *reference_of(PyObject *holder, PyObject *held)
{
    PyObject *way = trc_reference(holder, held);
    PyObject *type = way == NULL ? NULL : kind_of(held);
    PyObject *reference =
        type == NULL ? NULL : PyTuple_Pack(3, PyTuple_GET_ITEM(way, 0), PyTuple_GET_ITEM(way, 1), type);
    Py_XDECREF(way);
    Py_XDECREF(type);
    return reference;
}

static PyObject *nameless_reference(const char *way, PyObject *held)
{
    PyObject *type = kind_of(held);
    return type == NULL ? NULL : Py_BuildValue("(sON)", way, Py_None, type);
}

/* The same. Of many objects in one long container, only the first has its place named: to find the others' takes as long
 * as the search. */
static PyObject *reference_among_many(search *search, PyObject *holder, PyObject *held)
{
    const char *way;
    if (search->target_count == 1 || trc_reference_places(holder, &way) <= MOST_SHORT) {
        return reference_of(holder, held);
    }
    for (size_t i = 0; i < search->long_count; i++) {
        const long_one *known = &search->long_ones[i];
        if (known->holder == holder) {
            return known->held == held ? Py_NewRef(known->reference) : nameless_reference(way, held);
        }
    }
    if (search->long_count == MOST_LONG) {
        return nameless_reference(way, held);
    }
    PyObject *reference = reference_of(holder, held);
    if (reference != NULL) {
        search->long_ones[search->long_count++] = (long_one){holder, held, Py_NewRef(reference)};
    }
    return reference;
}

/* Adds a reference. 0, or -1 with an exception set. */
static int append_reference(search *search, PyObject *references, PyObject *holder, PyObject *held)
{
    PyObject *reference = reference_among_many(search, holder, held);
    int result = reference == NULL ? -1 : PyList_Append(references, reference);
    Py_XDECREF(reference);
    return result;
}

/* Of an object that an entry refers to: adds the references in order, and returns where they begin. */
static PyObject *references_to(search *search, const target *target, PyObject *references)
{
    PyObject *held = target->object;
    uint64_t entry = target->holder;
    for (;;) {
        PyObject *holder = trc_worklist_object(&search->worklist, entry);
        if (append_reference(search, references, holder, held) < 0) {
            return NULL;
        }
        if (trc_worklist_parent(&search->worklist, entry) == TRC_WORKLIST_LIMIT) {
            return PyList_Reverse(references) < 0 ? NULL : beginning(search, entry);
        }
        held = holder;
        entry = trc_worklist_parent(&search->worklist, entry);
    }
}

/* The path to an object that was found: a new reference, or NULL with an exception set. */
static PyObject *path_of(search *search, const target *target)
{
    PyObject *references = PyList_New(0), *first = NULL;
    if (references == NULL) {
        return NULL;
    }
    if (target->variable != NULL) {
        first = beginning_of_variable(target->variable);
    }
    else if (target->holder == NO_HOLDER) {
        PyObject *name = module_name(target->object);
        first = name == NULL ? NULL : Py_BuildValue("(sN)", "module", name);
    }
    else {
        first = references_to(search, target, references);
    }
    PyObject *path = first == NULL ? NULL : PyTuple_Pack(2, first, references);
    Py_XDECREF(first);
    Py_DECREF(references);
    return path;
}

/* Makes the paths to the objects that were found in the latest search. 0, or -1 with an exception set. */
static int make_paths(search *search)
{
    for (size_t i = 0; i < search->target_count; i++) {
        target *target = &search->targets[i];
        if (target->is_found && target->path == NULL) {
            target->path = path_of(search, target);
            if (target->path == NULL) {
                return -1;
            }
        }
    }
    return 0;
}

/* -- All of it -- */

/* 0, or -1 when memory is out. */
static int begin(search *search, PyObject *const *objects, size_t count, const trc_pages *pages)
{
    trc_bitmap_init(&search->bitmap, pages);
    trc_worklist_init(&search->worklist, pages, true);
    for (search->slot_bits = 3; (size_t)1 << search->slot_bits < 4 * count;) {
        search->slot_bits++;
    }
    search->slots = calloc((size_t)1 << search->slot_bits, sizeof *search->slots);
    search->targets = calloc(count + 1, sizeof *search->targets);
    if (search->slots == NULL || search->targets == NULL) {
        return out_of_memory(search);
    }
    search->target_count = search->missing = count;
    for (size_t i = 0; i < count; i++) {
        size_t slot = home_of(search, objects[i]), mask = ((size_t)1 << search->slot_bits) - 1;
        while (search->slots[slot] != NULL) {
            slot = (slot + 1) & mask;
        }
        search->targets[i].object = objects[i];
        search->slots[slot] = &search->targets[i];
    }
    trc_each_variable(keep_variable, search);
    return search->is_out_of_memory ? -1 : 0;
}

static bool has_callers(const search *search)
{
    bool found = false;
    for (size_t i = 0; i < search->start_count; i++) {
        found = found || search->starts[i].is_callers;
    }
    return found;
}

/* 0, or -1 with an exception set. */
static int find_all(search *search)
{
    int result = 0, times = has_callers(search) ? 2 : 1;
    for (int with_callers = 0; result == 0 && with_callers < times && search->missing > 0; with_callers++) {
        trc_bitmap_free(&search->bitmap);
        trc_worklist_restart(&search->worklist);
        look(search, with_callers);
        result = search->is_out_of_memory ? -1 : make_paths(search);
    }
    return result;
}

static PyObject *paths_found(const search *search)
{
    PyObject *paths = PyList_New((Py_ssize_t)search->target_count);
    for (size_t i = 0; paths != NULL && i < search->target_count; i++) {
        PyObject *path = search->targets[i].path;
        PyList_SET_ITEM(paths, (Py_ssize_t)i, Py_NewRef(path == NULL ? Py_None : path));
    }
    return paths;
}

static void end(search *search)
{
    trc_bitmap_free(&search->bitmap);
    trc_worklist_free(&search->worklist);
    for (size_t i = 0; i < search->long_count; i++) {
        Py_DECREF(search->long_ones[i].reference);
    }
    for (size_t i = 0; i < search->start_count; i++) {
        Py_DECREF(search->starts[i].frame);
        Py_DECREF(search->starts[i].code);
        Py_XDECREF(search->starts[i].name);
        Py_DECREF(search->starts[i].value);
    }
    for (size_t i = 0; i < search->target_count; i++) {
        Py_XDECREF(search->targets[i].path);
    }
    free(search->starts);
    free(search->targets);
    free(search->slots);
}

PyObject *trc_object_paths(PyObject *const *objects, size_t count, const trc_pages *pages, const PyTypeObject *left_out)
{
    search search = {.left_out = left_out};
    PyObject *paths =
        begin(&search, objects, count, pages) == 0 && find_all(&search) == 0 ? paths_found(&search) : NULL;
    if (search.is_out_of_memory) {
        PyErr_NoMemory();
    }
    end(&search);
    return paths;
}
