/* The LineRecorder type: tracer.data.lines and tracer.api.line_profiler use it. */
#ifndef TRC_TYPES_LINE_RECORDER_H
#define TRC_TYPES_LINE_RECORDER_H

#include "interp/compat.h"

/* New reference, or NULL with an exception set. */
PyTypeObject *trc_line_recorder_type(PyObject *module);

#endif
