/* The type StepClock: see step_clock.h. They say when steps begin and how long each took; what is
 * recorded of a step is decided by python/tracer/api/step_profiler.py, in the method _change(). A loop may run for days,
 * so the clock keeps the latest steps alone. */
#include "types/step_clock.h"

#include "dispatch/annotations.h"
#include "interp/held_signals.h"
#include "interp/timer.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

/* How many steps are kept at most: past them the older half is dropped. 32 MiB a column. */
#define KEPT_STEPS (1 << 22)
#define FIRST_ROOM 1024

typedef enum step_phase { STEPS_NEW, STEPS_RUN, STEPS_OVER } step_phase;

typedef struct step_clock {
    PyObject_HEAD
    trc_state *state; /* of the module, which the type keeps alive */
    trc_timer timer;  /* its callable: owned, or NULL */
    trc_clock clock;  /* of the timer */
    step_phase phase;
    uint64_t owner;    /* the state of the thread that counts: its ident may be another thread's later */
    long long number;  /* of the step that runs */
    long long due;     /* the step at whose beginning _change() is called */
    trc_tick began;    /* when the step that runs began */
    trc_tick reading;  /* what the reader took in that step */
    int readers;       /* calls of the reader around each other */
    bool was_called;   /* whether the function, whose calls are the steps, was called: see step_function.h */
    int calls;         /* calls of that function around each other, in the thread that counts */
    long long dropped; /* steps before the first that is kept */
    long long count;   /* steps that are kept */
    long long room;
    trc_tick *lengths; /* owned, as the next two */
    trc_tick *reads;   /* NULL: nothing was read yet */
    double *items;     /* NaN: not told; NULL: never told yet */
} step_clock;

static step_clock *as_clock(PyObject *self)
{
    return (step_clock *)self;
}

/* Nobody is told of what the timer calls. */
static trc_tick now_of(step_clock *clock)
{
    if (clock->timer.callable == NULL) {
        return trc_clock_monotonic();
    }
    PyThreadState *thread = PyThreadState_Get();
    PyThreadState_EnterTracing(thread);
    trc_tick now = trc_clock_now(&clock->clock);
    PyThreadState_LeaveTracing(thread);
    return now;
}

static bool is_own_thread(const step_clock *clock)
{
    return clock->phase == STEPS_RUN && PyThreadState_GetID(PyThreadState_Get()) == clock->owner;
}

/* -- The list of steps -- */

static void drop_older_half(step_clock *clock)
{
    size_t half = (size_t)clock->count / 2, rest = (size_t)clock->count - half;
    memmove(clock->lengths, clock->lengths + half, rest * sizeof *clock->lengths);
    if (clock->reads != NULL) {
        memmove(clock->reads, clock->reads + half, rest * sizeof *clock->reads);
    }
    if (clock->items != NULL) {
        memmove(clock->items, clock->items + half, rest * sizeof *clock->items);
    }
    clock->dropped += (long long)half;
    clock->count = (long long)rest;
}

/* Makes `*column` as large as the room. Returns false when memory is out. */
static bool grow_column(void **column, size_t room)
{
    void *grown = realloc(*column, room * 8);
    if (grown == NULL) {
        return false;
    }
    *column = grown;
    return true;
}

static bool grow(step_clock *clock)
{
    size_t room = clock->room == 0 ? FIRST_ROOM : 2 * (size_t)clock->room;
    void *lengths = clock->lengths, *reads = clock->reads, *items = clock->items;
    bool grown = grow_column(&lengths, room) && (reads == NULL || grow_column(&reads, room)) &&
                 (items == NULL || grow_column(&items, room));
    clock->lengths = lengths;
    clock->reads = reads;
    clock->items = items;
    clock->room = grown ? (long long)room : clock->room;
    return grown;
}

/* Makes a column that there was no need for until now: those before had nothing. Without memory there is none. */
static void add_reads(step_clock *clock)
{
    clock->reads = calloc((size_t)clock->room, sizeof *clock->reads);
}

static void add_items(step_clock *clock)
{
    clock->items = malloc((size_t)clock->room * sizeof *clock->items);
    for (long long i = 0; clock->items != NULL && i < clock->count; i++) {
        clock->items[i] = NAN;
    }
}

/* Where there is no memory, the older half makes room. */
static void keep_step(step_clock *clock, trc_tick length, double items)
{
    if (clock->count == clock->room && (clock->room == KEPT_STEPS || !grow(clock))) {
        if (clock->count == 0) {
            clock->dropped++;
            return;
        }
        drop_older_half(clock);
    }
    if (clock->reads == NULL && clock->reading > 0) {
        add_reads(clock);
    }
    if (clock->items == NULL && !isnan(items)) {
        add_items(clock);
    }
    clock->lengths[clock->count] = length;
    if (clock->reads != NULL) {
        clock->reads[clock->count] = clock->reading;
    }
    if (clock->items != NULL) {
        clock->items[clock->count] = items;
    }
    clock->count++;
}

/* -- Steps -- */

static void begin_step(step_clock *clock)
{
    clock->began = now_of(clock);
    clock->reading = 0;
}

/* `given` is the object that `items` was read from. New reference: None, or NULL with an exception set. */
static PyObject *end_step(step_clock *clock, PyObject *given, double items)
{
    trc_tick now = now_of(clock);
    keep_step(clock, trc_ticks_since(now, clock->began), items);
    clock->began = now;
    clock->reading = 0;
    clock->number++;
    if (clock->number < clock->due) {
        Py_RETURN_NONE;
    }
    PyObject *result = PyObject_CallMethod((PyObject *)clock, "_change", "O", given);
    PyObject *type, *value, *traceback; /* a timer must not be called with an exception set */
    PyErr_Fetch(&type, &value, &traceback);
    begin_step(clock); /* what tracer did in between is of no step */
    PyErr_Restore(type, value, traceback);
    return result;
}

/* Sets `*items`; NaN for None. Returns false with an exception set. */
static bool read_items(PyObject *object, double *items)
{
    *items = object == Py_None ? NAN : PyFloat_AsDouble(object);
    if (*items == -1.0 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError, "step() takes the number of items that the step worked on, not %R", object);
        }
        return false;
    }
    if (object != Py_None && !(*items >= 0 && isfinite(*items))) {
        PyErr_Format(PyExc_ValueError, "step() takes a number of items, 0 or more, not %R", object);
        return false;
    }
    return true;
}

PyDoc_STRVAR(
    step_doc,
    "step($self, items=None, /)\n--\n\n"
    "A step ends here, and the next one begins. items: how many things it worked on, a number of 0 or more.\n\n"
    "Only the thread that called start() may count steps. After stop() a step does nothing. Raises RuntimeError\n"
    "before start() and in another thread, TypeError or ValueError for items that are no such number; nothing\n"
    "is changed then, and the loop can go on.");

static PyObject *clock_step(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    step_clock *clock = as_clock(self);
    Py_ssize_t by_name = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    if (count + by_name > 1 ||
        (by_name == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "items") != 0)) {
        PyErr_SetString(PyExc_TypeError, "step() takes one number, of items");
        return NULL;
    }
    if (clock->phase == STEPS_OVER) {
        Py_RETURN_NONE;
    }
    if (!is_own_thread(clock)) {
        PyErr_SetString(PyExc_RuntimeError, clock->phase == STEPS_NEW
                                                ? "step() before start(): call start() first, or use 'with'"
                                                : "step() in another thread than start(): count the steps of one loop, "
                                                  "in its thread");
        return NULL;
    }
    PyObject *given = count + by_name == 1 ? args[0] : Py_None;
    double items;
    if (!read_items(given, &items)) {
        return NULL;
    }
    return end_step(clock, given, items);
}

PyDoc_STRVAR(begin_doc, "_begin($self, due, /)\n--\n\n"
                        "Step 0 begins, in this thread. _change(items) is called at the beginning of step `due`.");

static PyObject *clock_begin(PyObject *self, PyObject *due)
{
    step_clock *clock = as_clock(self);
    long long number = PyLong_AsLongLong(due);
    if (number == -1 && PyErr_Occurred()) {
        return NULL;
    }
    clock->phase = STEPS_RUN;
    clock->owner = PyThreadState_GetID(PyThreadState_Get());
    clock->number = clock->dropped = clock->count = 0;
    clock->due = number;
    clock->readers = clock->calls = 0;
    begin_step(clock);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(end_doc, "_end($self, /)\n--\n\nThe step that runs is no step: nothing more is counted.");

static PyObject *clock_end(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    as_clock(self)->phase = STEPS_OVER;
    Py_RETURN_NONE;
}

/* -- Steps that are calls of a function -- */

/* At most so many calls may be within each other: each takes a part of the C stack, and 3.11 does not watch that stack.
 * One of 8 MiB has room for twice as many. */
enum { MOST_CALLS = 5000 };

static bool begin_steps(void *clock)
{
    PyObject *result = PyObject_CallMethod(clock, "_first_call", NULL);
    Py_XDECREF(result);
    return result != NULL;
}

static bool end_called_step(void *clock)
{
    PyObject *result = end_step(clock, Py_None, NAN);
    Py_XDECREF(result);
    return result != NULL;
}

/* Returns whether no exception is set. */
static bool end_call(step_clock *clock)
{
    bool changes = clock->number + 1 >= clock->due;
    return changes ? trc_work_with_signals_held(end_called_step, clock) : end_called_step(clock);
}

int trc_step_call_begins(PyObject *self)
{
    step_clock *clock = as_clock(self);
    if (clock->phase == STEPS_NEW && !clock->was_called) {
        clock->was_called = true; /* a call in another thread meanwhile is not the first */
        if (!trc_work_with_signals_held(begin_steps, self)) {
            return -1;
        }
    }
    if (!is_own_thread(clock)) {
        return 0;
    }
    if (clock->calls >= MOST_CALLS) {
        PyErr_Format(PyExc_RecursionError,
                     "the function of the steps called itself %d times deep: name one that does not call itself",
                     MOST_CALLS);
        return -1;
    }
    clock->calls++;
    return 1;
}

int trc_step_call_ends(PyObject *self)
{
    step_clock *clock = as_clock(self);
    clock->calls--;
    if (clock->calls > 0 || !is_own_thread(clock)) {
        return 0;
    }
    PyObject *type, *value, *traceback; /* of the call, which _change() must not see */
    PyErr_Fetch(&type, &value, &traceback);
    if (!end_call(clock)) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
        return -1;
    }
    PyErr_Restore(type, value, traceback);
    return 0;
}

PyDoc_STRVAR(
    call_begins_doc,
    "_call_begins($self, /)\n--\n\n"
    "An outermost call of a function begins, whose calls are the steps. Returns whether _step_ends() is to be\n"
    "called at the end of the call: in the thread of the first call, until _end(). The first call of all calls\n"
    "_first_call(), which starts the clock.");

static PyObject *clock_call_begins(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    int counts = trc_step_call_begins(self);
    if (counts < 0) {
        return NULL;
    }
    as_clock(self)->calls -= counts; /* calls that can be suspended are not within each other */
    return PyBool_FromLong(counts);
}

PyDoc_STRVAR(step_ends_doc, "_step_ends($self, /)\n--\n\n"
                            "A call ends that counts, and so does a step. In another thread it does nothing.");

static PyObject *clock_step_ends(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    bool done = !is_own_thread(as_clock(self)) || end_call(as_clock(self));
    return done ? Py_NewRef(Py_None) : NULL;
}

/* -- The columns -- */

/* New reference: the bytes of a column from `first` on; empty where there is no column. */
static PyObject *bytes_of(const void *column, long long first, long long count)
{
    return PyBytes_FromStringAndSize(column == NULL ? NULL : (const char *)column + 8 * first,
                                     column == NULL ? 0 : (Py_ssize_t)(8 * (count - first)));
}

PyDoc_STRVAR(columns_doc,
             "_columns($self, first=0, /)\n--\n\n"
             "(number of the first step, lengths, reader's times, items) of the steps from `first` on that\n"
             "are kept: bytes of 64-bit ticks, of ticks, and of doubles, NaN where the items were not told.\n"
             "Empty where no step had one.");

static PyObject *clock_columns(PyObject *self, PyObject *args)
{
    const step_clock *clock = as_clock(self);
    long long first = 0;
    if (!PyArg_ParseTuple(args, "|L:_columns", &first)) {
        return NULL;
    }
    first = first < clock->dropped ? 0 : first - clock->dropped;
    first = first > clock->count ? clock->count : first;
    return Py_BuildValue("(LNNN)", clock->dropped + first, bytes_of(clock->lengths, first, clock->count),
                         bytes_of(clock->reads, first, clock->count), bytes_of(clock->items, first, clock->count));
}

/* -- The reader -- */

/* Tells the timeline that the program reads. Returns the range's number, or 0. */
static uint64_t tell_reading(trc_dispatcher *dispatcher)
{
    if (!trc_dispatcher_has_timelines(dispatcher)) {
        return 0;
    }
    PyObject *name = PyUnicode_InternFromString("load");
    trc_annotation annotation = {TRC_RANGES, 0, {name, name, NULL}};
    if (name == NULL) {
        PyErr_Clear();
    }
    trc_annotate_begin(dispatcher, &annotation);
    Py_XDECREF(name);
    return annotation.id;
}

trc_reading trc_step_begin_reading(PyObject *self)
{
    step_clock *clock = as_clock(self);
    trc_reading one = {.counts = is_own_thread(clock)};
    if (one.counts && clock->readers++ == 0) {
        one.range =
            clock->state->dispatcher_object == NULL ? 0 : tell_reading(&clock->state->dispatcher_object->dispatcher);
        one.began = now_of(clock);
    }
    return one;
}

/* A loop that was stopped, or started anew, meanwhile, does not count it. */
static void count_reading(step_clock *clock, trc_reading one)
{
    trc_tick since = one.began > clock->began ? one.began : clock->began;
    trc_add_ticks(&clock->reading, trc_ticks_since(now_of(clock), since));
    if (one.range != 0) {
        trc_annotate_end_range(&clock->state->dispatcher_object->dispatcher, one.range, NULL);
    }
}

void trc_step_end_reading(PyObject *self, trc_reading one)
{
    step_clock *clock = as_clock(self);
    if (!one.counts || clock->readers == 0 || --clock->readers > 0) {
        return;
    }
    if (!PyErr_Occurred()) {
        count_reading(clock, one);
        return;
    }
    PyObject *type, *value, *traceback; /* a timer must not be called with an exception set */
    PyErr_Fetch(&type, &value, &traceback);
    count_reading(clock, one);
    PyErr_Restore(type, value, traceback);
}

PyDoc_STRVAR(read_doc, "_read($self, function, /, *args, **names)\n--\n\n"
                       "Return function(*args, **names): the time counts as the reader's.");

static PyObject *clock_read(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (count < 1) {
        PyErr_SetString(PyExc_TypeError, "_read() needs a function");
        return NULL;
    }
    trc_reading one = trc_step_begin_reading(self);
    PyObject *result = PyObject_Vectorcall(args[0], args + 1, (size_t)count - 1, names);
    trc_step_end_reading(self, one);
    return result;
}

static PyObject *new_clock(PyTypeObject *type, PyObject *args, PyObject *names)
{
    (void)args;
    (void)names;
    trc_state *state = trc_state_of_type(type);
    step_clock *self = state == NULL ? NULL : (step_clock *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->state = state;
    }
    return (PyObject *)self;
}

static int init_clock(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"timer", "timeunit", NULL};
    step_clock *clock = as_clock(self);
    PyObject *timer = Py_None;
    double unit = 0.0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Od:StepClock", names, &timer, &unit)) {
        return -1;
    }
    if (clock->phase == STEPS_RUN) {
        PyErr_SetString(PyExc_RuntimeError, "a StepClock that counts cannot be made anew: stop it first");
        return -1;
    }
    clock->timer.unit = unit;
    clock->clock = trc_timer_clock(&clock->timer);
    Py_XSETREF(clock->timer.callable, timer == Py_None ? NULL : Py_NewRef(timer));
    return 0;
}

static int traverse_clock(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_clock(self)->timer.callable);
    return 0;
}

static int clear_clock(PyObject *self)
{
    Py_CLEAR(as_clock(self)->timer.callable);
    return 0;
}

static void free_clock(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    step_clock *clock = as_clock(self);
    PyObject_GC_UnTrack(self);
    clear_clock(self);
    free(clock->lengths);
    free(clock->reads);
    free(clock->items);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *seconds_per_tick(PyObject *self, void *ignored)
{
    (void)ignored;
    const trc_timer *timer = &as_clock(self)->timer;
    return PyFloat_FromDouble(timer->callable != NULL && timer->unit > 0.0 ? timer->unit : 1e-9);
}

static PyObject *is_running(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyBool_FromLong(as_clock(self)->phase == STEPS_RUN);
}

static PyMethodDef clock_methods[] = {
    {"step", (PyCFunction)(void (*)(void))clock_step, METH_FASTCALL | METH_KEYWORDS, step_doc},
    {"_begin", clock_begin, METH_O, begin_doc},
    {"_end", clock_end, METH_NOARGS, end_doc},
    {"_call_begins", clock_call_begins, METH_NOARGS, call_begins_doc},
    {"_step_ends", clock_step_ends, METH_NOARGS, step_ends_doc},
    {"_columns", clock_columns, METH_VARARGS, columns_doc},
    {"_read", (PyCFunction)(void (*)(void))clock_read, METH_FASTCALL | METH_KEYWORDS, read_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef clock_members[] = {
    {"step_number", T_LONGLONG, offsetof(step_clock, number), READONLY, "The number of the step that runs, from 0."},
    {"_due", T_LONGLONG, offsetof(step_clock, due), 0, "The step at whose beginning _change() is called next."},
    {.name = NULL},
};

static PyGetSetDef clock_attributes[] = {
    {"_seconds_per_tick", seconds_per_tick, NULL, "What to multiply the ticks of _columns() by.", NULL},
    {"_is_running", is_running, NULL, "Whether steps are counted.", NULL},
    {.name = NULL},
};

PyDoc_STRVAR(clock_doc,
             "StepClock(timer=None, timeunit=0.0)\n--\n\n"
             "Counts the steps of a loop and how long each took, of a timer as Profile takes it. A subclass has a\n"
             "method _change(items): see _begin(). The latest 4,194,304 steps are kept, or half of them.");

int trc_step_clock_type(PyObject *module)
{
    PyType_Slot of_clock[] = {
        {Py_tp_doc, (void *)clock_doc},   {Py_tp_new, new_clock},
        {Py_tp_init, init_clock},         {Py_tp_dealloc, free_clock},
        {Py_tp_traverse, traverse_clock}, {Py_tp_clear, clear_clock},
        {Py_tp_methods, clock_methods},   {Py_tp_members, clock_members},
        {Py_tp_getset, clock_attributes}, {0, NULL},
    };
    PyType_Spec clock_spec = {
        .name = "tracer._core.StepClock",
        .basicsize = sizeof(step_clock),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
        .slots = of_clock,
    };
    trc_state *state = trc_state_of_module(module);
    state->step_clock_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &clock_spec, NULL);
    if (state->step_clock_type == NULL || PyModule_AddType(module, state->step_clock_type) < 0) {
        return -1;
    }
    return 0;
}
