/* Marks, counters and flows: see instant_events.h. */
#include "types/instant_events.h"

#include "dispatch/annotations.h"
#include "types/sanitizing.h"

#include <stddef.h>
#include <structmember.h>

/* The dispatcher, if anybody wants to be told; else NULL. */
static trc_dispatcher *wanted_dispatcher(const trc_state *state)
{
    trc_dispatcher *dispatcher =
        state == NULL || state->dispatcher_object == NULL ? NULL : &state->dispatcher_object->dispatcher;
    return dispatcher != NULL && trc_dispatcher_has_timelines(dispatcher) ? dispatcher : NULL;
}

const char trc_mark_doc[] =
    "mark($module, name, /, **values)\n--\n\n"
    "Put a mark with this name at this moment of the timeline, for each enabled Profile that has one.\n\n"
    "Names and values are kept as those of tracer.range are.";

PyObject *trc_mark(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *given, *values;
    if (count != 1) {
        PyErr_SetString(PyExc_TypeError, "mark() takes a name, and values by keyword");
        return NULL;
    }
    trc_dispatcher *dispatcher = wanted_dispatcher(trc_state_of_module(module));
    if (dispatcher == NULL) {
        Py_RETURN_NONE;
    }
    if (trc_sanitized_keywords(args + 1, names, -1, &given) < 0) {
        return NULL;
    }
    PyObject *name = trc_sanitized_text(args[0]);
    bool is_sanitized = trc_sanitized_values(given, &values);
    trc_annotate(dispatcher, &(trc_annotation){TRC_MARKS, 0, {is_sanitized ? name : NULL, values}});
    Py_XDECREF(given);
    Py_XDECREF(name);
    Py_XDECREF(values);
    Py_RETURN_NONE;
}

const char trc_counter_doc[] =
    "counter($module, name, value, /)\n--\n\n"
    "Note at this moment of the timeline that the quantity of this name is `value`, a number, for each enabled Profile\n"
    "that has a timeline.\n\n"
    "A value that is no number is left out, and counted as dropped. nan and infinities are kept.";

PyObject *trc_counter(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "counter() takes a name and a value");
        return NULL;
    }
    trc_dispatcher *dispatcher = wanted_dispatcher(trc_state_of_module(module));
    if (dispatcher != NULL) {
        PyObject *name = trc_sanitized_text(args[0]);
        PyObject *value = trc_sanitized_number(args[1]);
        trc_annotate(dispatcher, &(trc_annotation){TRC_COUNTERS, 0, {name, value}});
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    Py_RETURN_NONE;
}

/* -- Flows -- */

typedef struct flow_object {
    PyObject_HEAD
    PyObject *name; /* owned: any object; NULL once it is cleared */
    uint64_t id;    /* of its latest begin, or 0 */
} flow_object;

static trc_dispatcher *dispatcher_of_flow(PyObject *self)
{
    return wanted_dispatcher(PyType_GetModuleState(Py_TYPE(self)));
}

static PyObject *flow_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *name;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "flow() takes a name, and nothing by keyword");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O;flow() takes a name", &name)) {
        return NULL;
    }
    flow_object *self = (flow_object *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->name = Py_NewRef(name);
    }
    return (PyObject *)self;
}

PyDoc_STRVAR(begin_doc, "begin($self, /)\n--\n\nThe flow begins here: the next end() leads from here.");

static PyObject *flow_begin(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    flow_object *flow = (flow_object *)self;
    trc_dispatcher *dispatcher = dispatcher_of_flow(self);
    flow->id = 0;
    if (dispatcher != NULL && flow->name != NULL) {
        PyObject *name = trc_sanitized_text(flow->name);
        trc_annotation annotation = {TRC_FLOWS_BEGUN, 0, {name}};
        trc_annotate_begin(dispatcher, &annotation);
        flow->id = annotation.id;
        Py_XDECREF(name);
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(end_doc, "end($self, /)\n--\n\n"
                      "The flow arrives here, from its latest begin(). It may arrive at several places.");

static PyObject *flow_end(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const flow_object *flow = (flow_object *)self;
    trc_dispatcher *dispatcher = dispatcher_of_flow(self);
    if (dispatcher != NULL && flow->id != 0) {
        trc_annotate_end_flow(dispatcher, flow->id);
    }
    Py_RETURN_NONE;
}

static PyObject *flow_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<tracer.flow %R>", ((flow_object *)self)->name);
}

static int flow_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((flow_object *)self)->name);
    return 0;
}

static int flow_clear(PyObject *self)
{
    Py_CLEAR(((flow_object *)self)->name);
    return 0;
}

static void flow_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    flow_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef flow_methods[] = {
    {"begin", flow_begin, METH_NOARGS, begin_doc},
    {"end", flow_end, METH_NOARGS, end_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef flow_members[] = {
    {"name", T_OBJECT, offsetof(flow_object, name), READONLY, "What the flow is called."},
    {.name = NULL},
};

PyDoc_STRVAR(
    flow_doc,
    "flow(name, /)\n--\n\n"
    "An arrow from one place of the timeline to another, in any thread or task:\n\n"
    "    request = tracer.flow(\"request\")\n"
    "    request.begin()     # where it is sent\n"
    "    request.end()       # where it arrives\n\n"
    "Each end() belongs to the latest begin(). An end() without one does nothing, and a begin() that no end()\n"
    "follows is not told. A Profile that is enabled in between notes nothing of the flow.");

PyTypeObject *trc_flow_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)flow_doc},   {Py_tp_new, flow_new},         {Py_tp_dealloc, flow_dealloc},
        {Py_tp_traverse, flow_traverse}, {Py_tp_clear, flow_clear},     {Py_tp_repr, flow_repr},
        {Py_tp_methods, flow_methods},   {Py_tp_members, flow_members}, {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.flow",
        .basicsize = sizeof(flow_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
