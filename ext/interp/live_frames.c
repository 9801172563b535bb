/* Frames that a thread runs already: see live_frames.h. */
#include "interp/live_frames.h"

#include <stdlib.h>
#include <string.h>

typedef enum frame_role {
    OF_PROGRAM,
    OF_TRACER,
    OF_COMMAND, /* it runs the program: the frames outside of it are the start of the process */
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

static bool append(trc_live_frames *live, size_t *room, PyFrameObject *frame)
{
    if (live->count == *room) {
        size_t more = *room == 0 ? 64 : 2 * *room;
        PyFrameObject **frames = realloc(live->frames, more * sizeof *frames);
        if (frames == NULL) {
            return false;
        }
        live->frames = frames;
        *room = more;
    }
    live->frames[live->count++] = frame;
    return true;
}

trc_live_frames trc_live_frames_take(PyThreadState *thread)
{
    trc_live_frames live = {NULL, 0};
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
        else if (!append(&live, &room, frame)) {
            Py_DECREF(frame);
            Py_XDECREF(outer);
            trc_live_frames_free(&live);
            break;
        }
        frame = outer;
    }
    for (size_t i = 0; i < live.count / 2; i++) {
        frame = live.frames[i];
        live.frames[i] = live.frames[live.count - 1 - i];
        live.frames[live.count - 1 - i] = frame;
    }
    return live;
}

void trc_live_frames_free(trc_live_frames *live)
{
    for (size_t i = 0; i < live->count; i++) {
        Py_DECREF(live->frames[i]);
    }
    free(live->frames);
    *live = (trc_live_frames){NULL, 0};
}
