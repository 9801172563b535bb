/* The type range: see ranges.h. A range tells its begin and its end; which profiles are told, and what they note of it,
 * is not in here, nor are the functions that it decorates (python/tracer/api/ranges.py). */
#include "types/ranges.h"

#include "dispatch/annotations.h"
#include "types/sanitizing.h"

#include <stddef.h>
#include <stdlib.h>
#include <structmember.h>

/* A range that was entered and not left. The same object may be entered several times: in itself, by several threads,
 * by several tasks. */
typedef struct opening {
    uint64_t id;               /* of its notes; 0: nobody recorded when it was entered */
    trc_activation activation; /* in which it was entered; 0: not known */
    uint64_t state_id;         /* of the thread */
} opening;

typedef struct range_object {
    PyObject_HEAD
    trc_state *state;   /* of the module, which the type keeps alive */
    PyObject *name;     /* owned: any object */
    PyObject *category; /* owned: any object, or NULL */
    PyObject *values;   /* owned: a flat tuple as sanitizing.h has it, or NULL */
    size_t count;       /* openings */
    size_t room;        /* of `more`; 0: the only opening is `one` */
    opening one;
    opening *more; /* owned */
} range_object;

static range_object *as_range(PyObject *self)
{
    return (range_object *)self;
}

static trc_dispatcher *dispatcher_of(const range_object *range)
{
    return range->state->dispatcher_object == NULL ? NULL : &range->state->dispatcher_object->dispatcher;
}

static bool is_atomic(PyObject *object)
{
    return object == NULL || PyUnicode_CheckExact(object);
}

/* Returns an object that is not yet set up, or NULL with an exception set. */
static range_object *new_range(trc_state *state, PyTypeObject *type)
{
    PyObject *spare = state->spare_range;
    state->spare_range = NULL;
    return spare == NULL ? PyObject_GC_New(range_object, type) : (range_object *)PyObject_Init(spare, type);
}

/* Takes over `values`. Only a range that refers to objects of unknown kinds can be part of garbage. */
static PyObject *make_range(trc_state *state, PyTypeObject *type, PyObject *name, PyObject *category, PyObject *values)
{
    range_object *self = new_range(state, type);
    if (self == NULL) {
        Py_XDECREF(values);
        return NULL;
    }
    self->state = state;
    self->name = Py_NewRef(name);
    self->category = Py_XNewRef(category);
    self->values = values;
    self->count = self->room = 0;
    self->more = NULL;
    if (values != NULL || !is_atomic(name) || !is_atomic(category)) {
        PyObject_GC_Track(self);
    }
    return (PyObject *)self;
}

/* The position of the keyword `category`, or -1. */
static Py_ssize_t find_category(PyObject *names)
{
    Py_ssize_t i = names == NULL ? -1 : PyTuple_GET_SIZE(names) - 1;
    while (i >= 0 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "category") != 0) {
        i--;
    }
    return i;
}

static PyObject *range_vectorcall(PyObject *type, PyObject *const *args, size_t count_and_flag, PyObject *names)
{
    Py_ssize_t count = PyVectorcall_NARGS(count_and_flag);
    Py_ssize_t place = find_category(names);
    trc_state *state = PyType_GetModuleState((PyTypeObject *)type);
    if (count < 1 || count + (place >= 0) > 2) {
        PyErr_SetString(PyExc_TypeError, "range() takes a name, a category, and values by keyword");
        return NULL;
    }
    if (PyFunction_Check(args[0])) {
        PyErr_Format(PyExc_TypeError, "range() needs a name: decorate %U by @tracer.range(\"name\")",
                     ((PyFunctionObject *)args[0])->func_qualname);
        return NULL;
    }
    PyObject *category = place >= 0 ? args[count + place] : count == 2 ? args[1] : NULL;
    PyObject *values;
    if (trc_sanitized_keywords(args + count, names, place, &values) < 0) {
        return NULL;
    }
    return make_range(state, (PyTypeObject *)type, args[0], category == Py_None ? NULL : category, values);
}

PyDoc_STRVAR(copy_doc, "copy($self, /)\n--\n\n"
                       "Return a new range with the same name, category and values, which nobody has entered.");

static PyObject *range_copy(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const range_object *range = as_range(self);
    return make_range(range->state, Py_TYPE(self), range->name, range->category, Py_XNewRef(range->values));
}

static opening *openings_of(range_object *range)
{
    return range->room == 0 ? &range->one : range->more;
}

/* Remembers that the range was entered. Where memory is out, it has no end. */
static void push(range_object *range, opening added)
{
    size_t room = range->room == 0 ? 1 : range->room;
    if (range->count == room) {
        opening *more = realloc(range->more, 2 * room * sizeof *more);
        if (more == NULL) {
            return;
        }
        if (range->room == 0) {
            more[0] = range->one;
        }
        range->more = more;
        range->room = 2 * room;
    }
    openings_of(range)[range->count++] = added;
}

/* Which opening is left: the latest of the running activation, else of this thread, else of all. One of this thread that
 * nobody recorded may be of any activation. */
static size_t find_left(range_object *range, trc_dispatcher *dispatcher, uint64_t state_id)
{
    const opening *openings = openings_of(range);
    size_t latest = range->count - 1, of_thread = range->count;
    trc_activation activation = trc_annotated_activation(dispatcher);
    for (size_t i = range->count; i-- > 0;) {
        bool is_here = openings[i].state_id == state_id;
        if (activation != 0 && (openings[i].activation == activation || (is_here && openings[i].activation == 0))) {
            return i;
        }
        of_thread = is_here && of_thread == range->count ? i : of_thread;
    }
    return of_thread < range->count ? of_thread : latest;
}

static opening pop(range_object *range, trc_dispatcher *dispatcher)
{
    uint64_t state_id = trc_this_thread()->id;
    size_t place = range->count == 1 ? 0 : find_left(range, dispatcher, state_id);
    opening *openings = openings_of(range);
    opening left = openings[place];
    range->count--;
    memmove(openings + place, openings + place + 1, (range->count - place) * sizeof *openings);
    return left;
}

PyDoc_STRVAR(enter_doc, "__enter__($self, /)\n--\n\nThe range begins; returns it.");

static PyObject *range_enter(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    range_object *range = as_range(self);
    trc_dispatcher *dispatcher = dispatcher_of(range);
    opening added = {0, 0, trc_this_thread()->id};
    if (dispatcher != NULL && trc_dispatcher_has_timelines(dispatcher)) {
        PyObject *name = trc_sanitized_text(range->name);
        PyObject *category = range->category == NULL ? NULL : trc_sanitized_text(range->category);
        PyObject *values;
        bool is_sanitized = trc_sanitized_values(range->values, &values);
        trc_annotation annotation = {TRC_RANGES, 0, {is_sanitized ? name : NULL, category, values}};
        trc_annotate_begin(dispatcher, &annotation);
        added.id = annotation.id;
        added.activation = trc_annotated_activation(dispatcher);
        Py_XDECREF(name);
        Py_XDECREF(category);
        Py_XDECREF(values);
    }
    push(range, added);
    return Py_NewRef(self);
}

/* The latest opening is left, and noted with these values unless they are NULL. */
static void leave(range_object *range, PyObject *values)
{
    trc_dispatcher *dispatcher = dispatcher_of(range);
    if (range->count > 0 && dispatcher != NULL) {
        opening left = pop(range, dispatcher);
        if (left.id != 0 && trc_dispatcher_has_timelines(dispatcher)) {
            trc_annotate_end_range(dispatcher, left.id, values);
        }
    }
}

PyDoc_STRVAR(exit_doc, "__exit__($self, /, *error)\n--\n\n"
                       "The range ends. One that was not entered, or was left before, does nothing.");

static PyObject *range_exit(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)args;
    (void)count;
    leave(as_range(self), NULL);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(end_doc,
             "end($self, /, **values)\n--\n\n"
             "The range ends, as at the end of its `with`. It has these values, too, besides those it began with.");

static PyObject *range_end(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    const range_object *range = as_range(self);
    PyObject *given, *all, *values = NULL;
    if (count != 0) {
        PyErr_SetString(PyExc_TypeError, "end() takes values by keyword only");
        return NULL;
    }
    if (trc_sanitized_keywords(args, names, -1, &given) < 0) {
        return NULL;
    }
    all = given == NULL || range->values == NULL ? Py_XNewRef(given) : PySequence_Concat(range->values, given);
    PyErr_Clear(); /* where memory is out, the range keeps the values that it began with */
    trc_sanitized_values(all, &values);
    Py_XDECREF(given);
    leave(as_range(self), values);
    Py_XDECREF(all);
    Py_XDECREF(values);
    Py_RETURN_NONE;
}

/* range(...)(function): the function, with a range around each call. */
static PyObject *range_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *function;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "a range decorates one function, and takes nothing else");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O;a range decorates one function, and takes nothing else", &function)) {
        return NULL;
    }
    trc_dispatcher *dispatcher = dispatcher_of(as_range(self));
    if (dispatcher != NULL) {
        trc_pause_all(&dispatcher->shared);
    }
    PyObject *ranges = PyImport_ImportModule("tracer.api.ranges");
    PyObject *made = ranges == NULL ? NULL : PyObject_CallMethod(ranges, "decorate", "OO", self, function);
    Py_XDECREF(ranges);
    if (dispatcher != NULL) {
        PyObject *type, *value, *traceback; /* a custom timer must not be called with an exception set */
        PyErr_Fetch(&type, &value, &traceback);
        trc_resume_all(&dispatcher->shared);
        PyErr_Restore(type, value, traceback);
    }
    return made;
}

static PyObject *range_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<tracer.range %R>", as_range(self)->name);
}

static int range_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_range(self)->name);
    Py_VISIT(as_range(self)->category);
    Py_VISIT(as_range(self)->values);
    return 0;
}

/* The name stays: it is never NULL. A cycle through it alone, of a name that is no str, is broken by its own object. */
static int range_clear(PyObject *self)
{
    Py_SETREF(as_range(self)->name, Py_NewRef(Py_None));
    Py_CLEAR(as_range(self)->category);
    Py_CLEAR(as_range(self)->values);
    return 0;
}

static void range_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    range_object *range = as_range(self);
    PyObject_GC_UnTrack(self);
    Py_DECREF(range->name);
    Py_XDECREF(range->category);
    Py_XDECREF(range->values);
    free(range->more);
    if (range->state->spare_range == NULL) {
        range->state->spare_range = self;
    }
    else {
        PyObject_GC_Del(self);
    }
    Py_DECREF(type);
}

void trc_range_free_spare(trc_state *state)
{
    PyObject *spare = state->spare_range;
    state->spare_range = NULL;
    if (spare != NULL) {
        PyObject_GC_Del(spare);
    }
}

static PyMethodDef methods[] = {
    {"__enter__", range_enter, METH_NOARGS, enter_doc},
    {"__exit__", (PyCFunction)(void (*)(void))range_exit, METH_FASTCALL, exit_doc},
    {"end", (PyCFunction)(void (*)(void))range_end, METH_FASTCALL | METH_KEYWORDS, end_doc},
    {"copy", range_copy, METH_NOARGS, copy_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"name", T_OBJECT, offsetof(range_object, name), READONLY, "What the range is called."},
    {"category", T_OBJECT, offsetof(range_object, category), READONLY, "What kind of range it is, or None."},
    {.name = NULL},
};

PyDoc_STRVAR(
    range_doc,
    "range(name, /, category=None, **values)\n--\n\n"
    "A part of the program's run that the timeline shows under this name:\n\n"
    "    with tracer.range(\"load\", batch=3):\n"
    "        ...\n\n"
    "    @tracer.range(\"load\")\n"
    "    async def load(): ...\n\n"
    "Every enabled Profile with a timeline notes the range, where it records the thread. Without one, a range does next\n"
    "to nothing. A range is no call: it is in no row of any profile.\n\n"
    "name, category: text. values: 64 at most, each None, a bool, an int, a float or a str; of any other object, and of\n"
    "an int of more than 64 bits, str() is kept as it is when the range begins.\n\n"
    "As a decorator of a function, coroutine function, generator or async generator: each call is a range of its own,\n"
    "from where the body begins to where it ends.\n\n"
    "Ranges may overlap, as those of two tasks do. A range may end in another thread or task than it began in. One that\n"
    "is never left has no end. Each `with` of the same object is a range of its own, also within itself; a leave ends the\n"
    "latest that the same function began, else the same thread, else any. A leave too many does nothing.\n\n"
    "A Profile that is enabled in the middle of a range notes nothing of it. One that is disabled in the middle notes\n"
    "the beginning, and the end if it is enabled again by then.");

PyTypeObject *trc_range_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)range_doc}, {Py_tp_dealloc, range_dealloc}, {Py_tp_traverse, range_traverse},
        {Py_tp_clear, range_clear},     {Py_tp_call, range_call},       {Py_tp_repr, range_repr},
        {Py_tp_methods, methods},       {Py_tp_members, members},       {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.range",
        .basicsize = sizeof(range_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (type != NULL) {
        type->tp_vectorcall =
            range_vectorcall; /* there is no slot for it up to 3.13; a call of a type goes there first */
    }
    return type;
}
