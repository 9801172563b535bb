/* What a thread runs already: see live_frames.h. */
#include "interp/live_frames.h"

#include <stdlib.h>
#include <string.h>

typedef enum frame_role {
    OF_PROGRAM,
    OF_TRACER,
    OF_COMMAND, /* it runs the program: what lies outside of it is the start of the process */
} frame_role;

static frame_role role_of(PyFrameObject *frame)
{
    PyObject *globals = PyFrame_GetGlobals(frame);
    PyObject *name = PyDict_Check(globals) ? trc_look_up(globals, "__name__") : NULL;
    frame_role role = OF_PROGRAM;
    if (name != NULL && PyUnicode_Check(name)) {
        const char *text = PyUnicode_AsUTF8(name);
        if (text != NULL && strncmp(text, "tracer.launch.", 14) == 0) {
            role = OF_COMMAND;
        }
        else if (text != NULL && strncmp(text, "tracer.", 7) == 0) {
            role = OF_TRACER;
        }
    }
    PyErr_Clear();
    Py_DECREF(globals);
    return role;
}

static bool append(trc_running *running, size_t *room, PyFrameObject *frame)
{
    if (running->count == *room) {
        size_t more = *room == 0 ? 64 : 2 * *room;
        PyFrameObject **frames = realloc(running->frames, more * sizeof *frames);
        if (frames == NULL) {
            return false;
        }
        running->frames = frames;
        *room = more;
    }
    running->frames[running->count++] = frame;
    return true;
}

trc_running trc_running_take(PyThreadState *thread)
{
    trc_running running = {NULL, 0};
    size_t room = 0;
    PyFrameObject *frame = PyThreadState_GetFrame(thread);
    while (frame != NULL) {
        PyFrameObject *outer = PyFrame_GetBack(frame);
        frame_role role = role_of(frame);
        if (role == OF_COMMAND) {
            Py_CLEAR(outer);
        }
        if (role != OF_PROGRAM) {
            Py_DECREF(frame);
        }
        else if (!append(&running, &room, frame)) {
            Py_DECREF(frame);
            Py_XDECREF(outer);
            trc_running_free(&running);
            break;
        }
        frame = outer;
    }
    for (size_t i = 0; i < running.count / 2; i++) {
        frame = running.frames[i];
        running.frames[i] = running.frames[running.count - 1 - i];
        running.frames[running.count - 1 - i] = frame;
    }
    return running;
}

void trc_running_free(trc_running *running)
{
    for (size_t i = 0; i < running->count; i++) {
        Py_DECREF(running->frames[i]);
    }
    free(running->frames);
    *running = (trc_running){NULL, 0};
}
