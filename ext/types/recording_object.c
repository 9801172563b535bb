/* What the types of recorders have in common: see recording_object.h. */
#include "types/recording_object.h"

#include "dispatch/enabling.h"

PyObject *trc_recording_object_new(PyTypeObject *type, const trc_state *state)
{
    trc_recording_object *self = state == NULL ? NULL : (trc_recording_object *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->dispatcher_object = (trc_dispatcher_object *)Py_NewRef((PyObject *)state->dispatcher_object);
    }
    return (PyObject *)self;
}

int trc_refuse_in_timer(PyObject *self, const char *what)
{
    const trc_recording *recording = trc_recording_of(self);
    if (trc_timer_is_running(&recording->timer)) {
        PyErr_Format(PyExc_RuntimeError, "cannot %s a %s from within its own timer", what, recording->kind->name);
        return -1;
    }
    return 0;
}

int trc_stop_to_set_up(PyObject *self)
{
    trc_recording *recording = trc_recording_of(self);
    trc_dispatch_disable(trc_recording_dispatcher(self), recording);
    if (trc_is_listed(recording->phase) || recording->timer.calls != NULL) {
        PyErr_Format(PyExc_RuntimeError, "cannot set up a %s that another thread is using", recording->kind->name);
        return -1;
    }
    return 0;
}

void trc_recording_set_up(trc_recording *recording, trc_filter *filter, const trc_timer_choice *choice)
{
    trc_filter *old = recording->filter;
    recording->filter = filter;
    trc_option_set_timer(&recording->clock, &recording->timer, choice);
    trc_filter_free(old);
}

int trc_recording_object_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    const trc_recording *recording = trc_recording_of(self);
    Py_VISIT(recording->timer.callable);
    return recording->kind->traverse(recording, visit, arg);
}

/* Runs before a garbage cycle is cleared, so a custom timer still works. */
void trc_recording_object_finalize(PyObject *self)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    trc_dispatch_disable(trc_recording_dispatcher(self), trc_recording_of(self));
    PyErr_Restore(type, value, traceback);
}

int trc_recording_object_clear(PyObject *self)
{
    /* It may have been enabled again after it was finalized. Its custom timer must not be called now. */
    trc_recording *recording = trc_recording_of(self);
    recording->clock = recording->shared->wall;
    trc_dispatch_disable(trc_recording_dispatcher(self), recording);
    recording->kind->free(recording);
    Py_CLEAR(recording->timer.callable);
    return 0;
}

void trc_recording_object_dealloc(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) < 0) {
        return; /* it lives again */
    }
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    trc_recording_object_clear(self);
    trc_filter_free(trc_recording_of(self)->filter);
    Py_CLEAR(((trc_recording_object *)self)->dispatcher_object);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject *trc_recording_get_enabled(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(trc_is_recording(trc_recording_of(self)->phase));
}
