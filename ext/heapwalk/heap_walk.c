/* A walk over all live objects: see heap_walk.h.
 *
 * First, the interpreter lists the objects that the collector tracks, and a mark says of each that it was met. Then the
 * references of these are followed. An object that has no mark yet is met now. If it may have references of its own, as
 * a tuple of numbers that the collector let go, or an object of gc.freeze(), then it waits for these to be followed. So
 * the worklist is short. */
#include "heapwalk/heap_walk.h"

#include "interp/frame_variables.h"
#include "heapwalk/referents.h"
#include "heapwalk/tracked.h"

void trc_heap_walk_init(trc_heap_walk *walk, const trc_pages *pages, PyTypeObject *left_out, trc_type_choice chooser,
                        void *context, trc_site_of_block site_of)
{
    trc_heap_walk_init_finding(walk, pages, left_out, chooser, context, NULL, 0);
    walk->site_of = site_of;
}

static bool is_left_out(const trc_heap_walk *walk, PyTypeObject *type)
{
    return walk->left_out != NULL && PyType_IsSubtype(type, walk->left_out);
}

/* Whether objects of a type are counted, or looked for. */
static bool choose(PyTypeObject *type, void *context)
{
    const trc_heap_walk *walk = context;
    return !is_left_out(walk, type) && (walk->choose == NULL || walk->choose(type, walk->context));
}

void trc_heap_walk_init_finding(trc_heap_walk *walk, const trc_pages *pages, PyTypeObject *left_out,
                                trc_type_choice chooser, void *context, PyObject **found, size_t limit)
{
    *walk =
        (trc_heap_walk){.left_out = left_out, .choose = chooser, .context = context, .found = found, .limit = limit};
    trc_type_table_init(&walk->types, pages, choose, walk);
    trc_bitmap_init(&walk->bitmap, pages);
    trc_worklist_init(&walk->waiting, pages, false);
    trc_origins_init(&walk->origins, pages);
}

void trc_heap_walk_free(trc_heap_walk *walk)
{
    trc_type_table_free(&walk->types);
    trc_bitmap_free(&walk->bitmap);
    trc_worklist_free(&walk->waiting);
    trc_origins_free(&walk->origins);
}

static int out_of_memory(trc_heap_walk *walk)
{
    walk->is_out_of_memory = true;
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
static uint64_t random_below(trc_heap_walk *walk, uint64_t limit)
{
    walk->chance += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = (walk->chance ^ walk->chance >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return (mixed ^ mixed >> 31) % limit;
}

/* Keeps an object that is looked for, among up to `limit`. 0, or -1 when the walk ends. */
static int keep(trc_heap_walk *walk, PyObject *object)
{
    walk->met++;
    if (walk->found_count < walk->limit) {
        walk->found[walk->found_count++] = object;
        return walk->found_count == walk->limit && !walk->is_sample ? -1 : 0;
    }
    uint64_t place = random_below(walk, walk->met);
    if (place < walk->limit) {
        walk->found[place] = object;
    }
    return 0;
}

/* Counts an object that is met for the first time, or keeps it if it is looked for. 0, or -1 when the walk ends. */
static int meet(trc_heap_walk *walk, PyObject *object)
{
    trc_type_count *entry = trc_type_table_at(&walk->types, Py_TYPE(object));
    if (entry == NULL) {
        return out_of_memory(walk);
    }
    if (!entry->is_chosen) {
        return 0;
    }
    if (walk->found != NULL) {
        return keep(walk, object);
    }
    size_t size = trc_object_size(&walk->types, entry, object);
    entry->count++;
    entry->bytes += size;
    trc_size_class *sizes = &walk->sizes[size_class_of(size)];
    sizes->count++;
    sizes->bytes += size;
    if (walk->site_of == NULL) {
        return 0;
    }
    uint32_t site = walk->site_of(trc_object_block(entry, object));
    return trc_origins_add(&walk->origins, entry->type, site, size) ? 0 : out_of_memory(walk);
}

/* A visitproc: what some object refers to. */
static int visit_referent(PyObject *object, void *context)
{
    trc_heap_walk *walk = context;
    switch (trc_bitmap_set(&walk->bitmap, (uintptr_t)object)) {
    case TRC_MARKED_BEFORE:
        return 0;
    case TRC_MARKED_FAILED:
        return out_of_memory(walk);
    case TRC_MARKED_NOW:
        break;
    }
    if (trc_has_referents(object) && !trc_worklist_add(&walk->waiting, object, TRC_WORKLIST_LIMIT)) {
        return out_of_memory(walk);
    }
    return meet(walk, object);
}

static int follow(trc_heap_walk *walk, PyObject *object)
{
    return trc_each_referent(object, visit_referent, walk);
}

static int follow_waiting(trc_heap_walk *walk)
{
    int result = 0;
    for (uint64_t i = 0; result == 0 && i < walk->waiting.count; i++) {
        result = follow(walk, trc_worklist_object(&walk->waiting, i));
    }
    trc_worklist_restart(&walk->waiting);
    return result;
}

/* An object that is listed. 1, or 0 when the walk ends. */
static int mark_listed(PyObject *object, void *context)
{
    trc_heap_walk *walk = context;
    trc_marked marked = trc_bitmap_set(&walk->bitmap, (uintptr_t)object);
    if (marked == TRC_MARKED_FAILED) {
        out_of_memory(walk);
    }
    return marked == TRC_MARKED_NOW ? meet(walk, object) == 0 : marked == TRC_MARKED_BEFORE;
}

/* The same, when all are marked. */
static int follow_listed(PyObject *object, void *context)
{
    return follow(context, object) == 0 && follow_waiting(context) == 0;
}

/* Meets an object that is listed nowhere, and what it refers to. 0, or -1 when the walk ends. */
static int meet_unlisted(trc_heap_walk *walk, PyObject *object)
{
    return visit_referent(object, walk) != 0 || follow_waiting(walk) != 0 ? -1 : 0;
}

static int visit_variable(const trc_variable *variable, void *context)
{
    return meet_unlisted(context, variable->value);
}

static bool goes_on(const trc_heap_walk *walk)
{
    return !walk->is_out_of_memory && (walk->found == NULL || walk->is_sample || walk->found_count < walk->limit);
}

int trc_heap_walk_take(trc_heap_walk *walk)
{
    assert(trc_has_gil() && !PyGC_IsEnabled());
    PyObject *modules = PyImport_GetModuleDict(); /* after gc.freeze(), they lead to all that is frozen */
    if (trc_each_tracked(mark_listed, walk) < 0) {
        return -1;
    }
    if (goes_on(walk) && trc_each_tracked(follow_listed, walk) < 0) {
        return -1;
    }
    if (goes_on(walk) && modules != NULL) {
        meet_unlisted(walk, modules);
    }
    if (goes_on(walk)) {
        trc_each_variable(visit_variable, walk);
    }
    if (walk->is_out_of_memory) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}
