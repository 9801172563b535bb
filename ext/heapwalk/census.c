/* A walk over all live objects: see census.h.
 *
 * First, the interpreter lists the objects that the collector tracks, and a mark says of each that it was met. Then the
 * references of these are followed. An object that has no mark yet is met now. If it may have references of its own, as
 * a tuple of numbers that the collector let go, or an object of gc.freeze(), then it waits for these to be followed. So
 * the trail is short. */
#include "heapwalk/census.h"

#include "interp/frame_variables.h"
#include "heapwalk/referents.h"
#include "heapwalk/tracked.h"

void trc_census_init(trc_census *census, const trc_pages *pages, PyTypeObject *left_out, trc_type_choice chooser,
                     void *context, trc_site_of_block site_of)
{
    trc_census_init_finding(census, pages, left_out, chooser, context, NULL, 0);
    census->site_of = site_of;
}

static bool is_left_out(const trc_census *census, PyTypeObject *type)
{
    return census->left_out != NULL && PyType_IsSubtype(type, census->left_out);
}

/* Whether objects of a type are counted, or looked for. */
static bool choose(PyTypeObject *type, void *context)
{
    const trc_census *census = context;
    return !is_left_out(census, type) && (census->choose == NULL || census->choose(type, census->context));
}

void trc_census_init_finding(trc_census *census, const trc_pages *pages, PyTypeObject *left_out,
                             trc_type_choice chooser, void *context, PyObject **found, size_t limit)
{
    *census = (trc_census){.left_out = left_out, .choose = chooser, .context = context, .found = found, .limit = limit};
    trc_type_table_init(&census->types, pages, choose, census);
    trc_marks_init(&census->marks, pages);
    trc_trail_init(&census->waiting, pages, false);
    trc_origins_init(&census->origins, pages);
}

void trc_census_free(trc_census *census)
{
    trc_type_table_free(&census->types);
    trc_marks_free(&census->marks);
    trc_trail_free(&census->waiting);
    trc_origins_free(&census->origins);
}

static int out_of_memory(trc_census *census)
{
    census->is_out_of_memory = true;
    return -1;
}

static int size_class_of(size_t size)
{
    int number = 0;
    while (number < TRC_SIZE_CLASSES - 1 && (size_t)1 << number < size) {
        number++;
    }
    return number;
}

/* A random number below `limit`, always from the same sequence. */
static uint64_t random_below(trc_census *census, uint64_t limit)
{
    census->chance += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = (census->chance ^ census->chance >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return (mixed ^ mixed >> 31) % limit;
}

/* Keeps an object that is looked for, among up to `limit`. 0, or -1 when the walk ends. */
static int keep(trc_census *census, PyObject *object)
{
    census->met++;
    if (census->found_count < census->limit) {
        census->found[census->found_count++] = object;
        return census->found_count == census->limit && !census->is_sample ? -1 : 0;
    }
    uint64_t place = random_below(census, census->met);
    if (place < census->limit) {
        census->found[place] = object;
    }
    return 0;
}

/* Counts an object that is met for the first time, or keeps it if it is looked for. 0, or -1 when the walk ends. */
static int meet(trc_census *census, PyObject *object)
{
    trc_type_count *entry = trc_type_table_at(&census->types, Py_TYPE(object));
    if (entry == NULL) {
        return out_of_memory(census);
    }
    if (!entry->is_chosen) {
        return 0;
    }
    if (census->found != NULL) {
        return keep(census, object);
    }
    size_t size = trc_object_size(&census->types, entry, object);
    entry->count++;
    entry->bytes += size;
    trc_size_class *sizes = &census->sizes[size_class_of(size)];
    sizes->count++;
    sizes->bytes += size;
    if (census->site_of == NULL) {
        return 0;
    }
    uint32_t site = census->site_of(trc_object_block(entry, object));
    return trc_origins_add(&census->origins, entry->type, site, size) ? 0 : out_of_memory(census);
}

/* A visitproc: what some object refers to. */
static int visit_referent(PyObject *object, void *context)
{
    trc_census *census = context;
    switch (trc_marks_set(&census->marks, (uintptr_t)object)) {
    case TRC_MARKED_BEFORE:
        return 0;
    case TRC_MARKED_FAILED:
        return out_of_memory(census);
    case TRC_MARKED_NOW:
        break;
    }
    if (trc_has_referents(object) && !trc_trail_add(&census->waiting, object, TRC_TRAIL_LIMIT)) {
        return out_of_memory(census);
    }
    return meet(census, object);
}

static int follow(trc_census *census, PyObject *object)
{
    return trc_each_referent(object, visit_referent, census);
}

static int follow_waiting(trc_census *census)
{
    int result = 0;
    for (uint64_t i = 0; result == 0 && i < census->waiting.count; i++) {
        result = follow(census, trc_trail_object(&census->waiting, i));
    }
    trc_trail_restart(&census->waiting);
    return result;
}

/* An object that is listed. 1, or 0 when the walk ends. */
static int mark_listed(PyObject *object, void *context)
{
    trc_census *census = context;
    trc_marked marked = trc_marks_set(&census->marks, (uintptr_t)object);
    if (marked == TRC_MARKED_FAILED) {
        out_of_memory(census);
    }
    return marked == TRC_MARKED_NOW ? meet(census, object) == 0 : marked == TRC_MARKED_BEFORE;
}

/* The same, when all are marked. */
static int follow_listed(PyObject *object, void *context)
{
    return follow(context, object) == 0 && follow_waiting(context) == 0;
}

/* Meets an object that is listed nowhere, and what it refers to. 0, or -1 when the walk ends. */
static int meet_unlisted(trc_census *census, PyObject *object)
{
    return visit_referent(object, census) != 0 || follow_waiting(census) != 0 ? -1 : 0;
}

static int visit_variable(const trc_variable *variable, void *context)
{
    return meet_unlisted(context, variable->value);
}

static bool goes_on(const trc_census *census)
{
    return !census->is_out_of_memory &&
           (census->found == NULL || census->is_sample || census->found_count < census->limit);
}

int trc_census_take(trc_census *census)
{
    PyObject *modules = PyImport_GetModuleDict(); /* after gc.freeze(), they lead to all that is frozen */
    if (trc_each_tracked(mark_listed, census) < 0) {
        return -1;
    }
    if (goes_on(census) && trc_each_tracked(follow_listed, census) < 0) {
        return -1;
    }
    if (goes_on(census) && modules != NULL) {
        meet_unlisted(census, modules);
    }
    if (goes_on(census)) {
        trc_each_variable(visit_variable, census);
    }
    if (census->is_out_of_memory) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}
