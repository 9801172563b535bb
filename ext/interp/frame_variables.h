/* The variables of running functions, which no object holds that the garbage collector tracks. */
#ifndef TRC_FRAME_VARIABLES_H
#define TRC_FRAME_VARIABLES_H

#include "interp/compat.h"

typedef struct trc_variable {
    PyFrameObject *frame; /* borrowed, as all here */
    PyCodeObject *code;
    PyObject *name;  /* NULL: the value is the frame's code, or the namespace of a class body or module */
    PyObject *value; /* alive at least as long as the visit lasts */
    bool is_callers; /* of the innermost frame of the calling thread */
} trc_variable;

/* Returns 0 to go on, else the visits end. */
typedef int (*trc_variable_visit)(const trc_variable *variable, void *context);

/* Visits the variables of one frame. Runs no code of the program. Returns what the last visit returned. */
int trc_each_variable_of(PyFrameObject *frame, bool is_callers, trc_variable_visit visit, void *context);

/* Visits the variables of all frames of all threads of this interpreter. Frames of the package `tracer` are left out,
 * and so are those outside of a program that the command runs. The caller holds off the garbage collector. Returns what
 * the last visit returned. */
int trc_each_variable(trc_variable_visit visit, void *context);

#endif
