/* Where live objects were allocated, as Python values: see origins.h. */
#include "types/origins.h"

#include "sources/allocators.h"

const char trc_find_origins_doc[] =
    "find_origins(name, /)\n--\n\n"
    "Return a list of (place, count, bytes): where the live objects of the type of this name were allocated. place:\n"
    "(file, first line of the function, its name, its qualified name, line), the line 0 where no lines are recorded;\n"
    "or None for objects of which that is not known. Functions written in C are part of those that call them. Several\n"
    "rows may have the same place. None: no memory is being recorded.\n\n"
    "Raises MemoryError.";

const char trc_find_origin_doc[] =
    "find_origin(object, /)\n--\n\n"
    "Return (kind, bytes, path, place): the name of the object's type; the size of the block of memory that holds the\n"
    "object; the calls that led to its allocation, the outermost first, each as (file, line, name, qualified name),\n"
    "with the functions written in C; and its place, as in find_origins(). bytes are 0 and path is empty where the\n"
    "allocation is not known. path may lack the outer calls. None: no memory is being recorded.\n\n"
    "Raises MemoryError.";

/* -- While memory is recorded -- */

bool trc_remembrance_begin(trc_remembrance *remembrance, PyObject *module)
{
    const trc_dispatcher *dispatcher = &trc_state_of_module(module)->dispatcher_object->dispatcher;
    trc_recorder *recorder = trc_dispatch_remembering(dispatcher);
    *remembrance = (trc_remembrance){.recorder = NULL};
    if (recorder == NULL) {
        return false;
    }
    trc_memory_check(recorder->memory, trc_allocators_reach(&recorder->memory->heap));
    if (recorder->memory->cut_off >= 0) { /* other objects may be in blocks whose end was not seen */
        return false;
    }
    remembrance->recorder = recorder;
    remembrance->lines = trc_dispatch_remembering_lines(dispatcher);
    remembrance->was_suppressed = trc_allocators_suppress(true);
    return true;
}

void trc_remembrance_end(const trc_remembrance *remembrance)
{
    if (remembrance->recorder != NULL) {
        trc_allocators_suppress(remembrance->was_suppressed);
    }
}

static uint32_t site_of_block(const void *block)
{
    return trc_allocators_find(block).site;
}

trc_site_of_block trc_remembrance_finder(const trc_remembrance *remembrance)
{
    return remembrance->recorder == NULL ? NULL : site_of_block;
}

/* -- Places -- */

static PyObject *with_line(PyObject *names, long line)
{
    PyObject *number = names == NULL ? NULL : PyLong_FromLong(line);
    PyObject *place = number == NULL ? NULL
                                     : PyTuple_Pack(5, PyTuple_GET_ITEM(names, 0), PyTuple_GET_ITEM(names, 1),
                                                    PyTuple_GET_ITEM(names, 2), PyTuple_GET_ITEM(names, 3), number);
    Py_XDECREF(names);
    Py_XDECREF(number);
    return place;
}

/* New reference, or NULL with an exception set. */
static PyObject *place_as_tuple(trc_resolved_site place)
{
    if (place.code != NULL) {
        return with_line(trc_code_names(place.code), place.line);
    }
    const trc_identity *function = place.node == NULL ? NULL : trc_python_function_of(place.node);
    return function == NULL ? Py_NewRef(Py_None) : with_line(trc_identity_names(function), 0);
}

/* The tuple of a site, a borrowed reference; `made`: those that were made before, by site. */
static PyObject *place_of_site(const trc_site_resolution *places, PyObject **made, uint32_t site)
{
    if (site >= places->count) {
        return Py_None;
    }
    if (made[site] == NULL) {
        made[site] = place_as_tuple(trc_resolve_site(places, site));
    }
    return made[site];
}

/* Returns `rows`, or NULL with an exception set, also when that is NULL. Takes over `rows`. */
static PyObject *fill(PyObject *rows, const trc_site_resolution *places, PyObject **made, const trc_origins *origins,
                      PyObject *(*row_of)(const trc_origin *origin, PyObject *place))
{
    Py_ssize_t count = 0;
    for (size_t i = 0; rows != NULL && i < origins->slot_count; i++) {
        const trc_origin *origin = &origins->slots[i];
        if (origin->kind == NULL) {
            continue;
        }
        PyObject *place = place_of_site(places, made, origin->site);
        PyObject *row = place == NULL ? NULL : row_of(origin, place);
        if (row == NULL) {
            Py_CLEAR(rows);
            break;
        }
        PyList_SET_ITEM(rows, count++, row);
    }
    return rows;
}

PyObject *trc_origin_rows(const trc_remembrance *remembrance, const trc_origins *origins,
                          PyObject *(*row_of)(const trc_origin *origin, PyObject *place))
{
    trc_site_resolution places;
    PyObject *rows = NULL, **made = NULL;
    if (trc_site_resolution_init(&places, remembrance->recorder, remembrance->lines, origins->pages)) {
        made = trc_map(origins->pages, places.count * sizeof(PyObject *));
    }
    if (made == NULL) {
        PyErr_NoMemory();
    }
    else {
        rows = fill(PyList_New((Py_ssize_t)origins->count), &places, made, origins, row_of);
    }
    for (uint32_t site = 0; made != NULL && site < places.count; site++) {
        Py_XDECREF(made[site]);
    }
    trc_unmap(origins->pages, made, places.count * sizeof(PyObject *));
    trc_site_resolution_free(&places);
    return rows;
}

/* -- Of a type -- */

static PyObject *row_of_type(const trc_origin *origin, PyObject *place)
{
    return Py_BuildValue("(OKK)", place, (unsigned long long)origin->count, (unsigned long long)origin->bytes);
}

PyObject *trc_find_origins(PyObject *module, PyObject *name)
{
    if (!PyUnicode_CheckExact(name)) {
        PyErr_Format(PyExc_TypeError, "name must be a str, not %s", Py_TYPE(name)->tp_name);
        return NULL;
    }
    trc_remembrance remembrance;
    if (!trc_remembrance_begin(&remembrance, module)) {
        Py_RETURN_NONE;
    }
    trc_heap_walk walk;
    PyObject *rows = NULL;
    int was_enabled = trc_pause_collection();
    trc_heap_walk_init(&walk, &trc_system_pages, trc_state_of_module(module)->uncounted_type, trc_type_has_name, name,
                       trc_remembrance_finder(&remembrance));
    if (trc_heap_walk_take(&walk) == 0) {
        rows = trc_origin_rows(&remembrance, &walk.origins, row_of_type);
    }
    trc_heap_walk_free(&walk);
    trc_resume_collection(was_enabled);
    trc_remembrance_end(&remembrance);
    return rows;
}

/* -- Of an object -- */

/* New reference: the calls that led to a context, the outermost first. */
static PyObject *path_as_list(const trc_node *node)
{
    Py_ssize_t length = 0;
    for (const trc_node *caller = node; caller != NULL; caller = trc_calling_context(caller)) {
        length += !trc_identity_of(caller)->is_internal;
    }
    PyObject *path = PyList_New(length);
    for (; path != NULL && node != NULL; node = trc_calling_context(node)) {
        const trc_identity *function = trc_identity_of(node);
        PyObject *names = function->is_internal ? NULL : trc_identity_names(function);
        if (names != NULL) {
            PyList_SET_ITEM(path, --length, names);
        }
        else if (!function->is_internal) {
            Py_CLEAR(path);
        }
    }
    return path;
}

PyObject *trc_find_origin(PyObject *module, PyObject *object)
{
    trc_remembrance remembrance;
    trc_site_resolution places;
    if (!trc_remembrance_begin(&remembrance, module)) {
        Py_RETURN_NONE;
    }
    PyObject *kind = NULL, *path = NULL, *place = NULL, *result = NULL;
    int was_enabled = trc_pause_collection();
    trc_live_block block = trc_allocators_find((const char *)object - trc_size_in_front(Py_TYPE(object)));
    if (!trc_site_resolution_init(&places, remembrance.recorder, remembrance.lines, &trc_system_pages)) {
        PyErr_NoMemory();
        goto done;
    }
    trc_resolved_site found = trc_resolve_site(&places, block.site);
    kind = trc_type_name(Py_TYPE(object));
    path = kind == NULL ? NULL : path_as_list(found.node);
    place = path == NULL ? NULL : place_as_tuple(found);
    result = place == NULL ? NULL
                           : Py_BuildValue("(OKOO)", kind, (unsigned long long)(found.node == NULL ? 0 : block.size),
                                           path, place);
done:
    Py_XDECREF(kind);
    Py_XDECREF(path);
    Py_XDECREF(place);
    trc_site_resolution_free(&places);
    trc_resume_collection(was_enabled);
    trc_remembrance_end(&remembrance);
    return result;
}
