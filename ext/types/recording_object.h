/* What the types of recorders have in common: the beginning of their objects, their life, and what they refuse. */
#ifndef TRC_RECORDING_OBJECT_H
#define TRC_RECORDING_OBJECT_H

#include "dispatch/dispatcher.h"
#include "types/options.h"

/* Either object begins like this: a recorder begins with its trc_recording. */
typedef struct trc_recording_object {
    PyObject_HEAD
    trc_dispatcher_object *dispatcher_object; /* owned */
    trc_recording recording;
} trc_recording_object;

static inline trc_recording *trc_recording_of(PyObject *self)
{
    return &((trc_recording_object *)self)->recording;
}

static inline trc_dispatcher *trc_recording_dispatcher(PyObject *self)
{
    return &((trc_recording_object *)self)->dispatcher_object->dispatcher;
}

/* New reference: an object whose dispatcher_object is set, or NULL with an exception set. Its recorder is zeroed. */
PyObject *trc_recording_object_new(PyTypeObject *type, const trc_state *state);

/* Raises RuntimeError when the calling thread is inside the recorder's own timer. 0, or -1. */
int trc_refuse_in_timer(PyObject *self, const char *what);

/* Disables the recorder, before it is set up. 0, or -1 with an exception set when another thread is using it. */
int trc_stop_to_set_up(PyObject *self);

/* Gives it a filter (or NULL), which it owns then, and a timer. The release of the old ones may run code, which may enable
 * the recorder: all else must be set up by then. */
void trc_recording_set_up(trc_recording *recording, trc_filter *filter, const trc_timer_choice *choice);

/* -- Slots, methods and properties -- */

int trc_recording_object_traverse(PyObject *self, visitproc visit, void *arg);
void trc_recording_object_finalize(PyObject *self);
int trc_recording_object_clear(PyObject *self);
void trc_recording_object_dealloc(PyObject *self);

PyObject *trc_recording_get_enabled(PyObject *self, void *closure);

#endif
