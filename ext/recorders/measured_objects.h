/* Calls of objects that have no row, in the threads of a Profile: see core/tree/object_calls.h. */
#ifndef TRC_MEASURED_OBJECTS_H
#define TRC_MEASURED_OBJECTS_H

#include "recorders/recorder.h"

/* The calling thread, whose plain record this is, calls an object that has no row, whose first argument is `first` or NULL. */
void trc_recorder_begin_object(trc_thread_record *record, PyObject *object, PyObject *first, trc_activation id);

/* A call ends that has no row: it may be one of these. */
void trc_recorder_end_object(trc_thread_record *record, trc_activation id);

#endif
