/* The frames above that of a coroutine: see awaiters.h. */
#include "interp/awaiters.h"

#include "interp/generators.h"

/* The interpreter chains the frames of those that await, also where it raises an exception in the innermost at once.
 * There may be generators among them: the `__await__` of an object. */
PyFrameObject *trc_outermost_awaiter(void)
{
    int collecting = trc_pause_collection();
    PyFrameObject *outermost = NULL;
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    PyFrameObject *above = frame == NULL ? NULL : PyFrame_GetBack(frame);
    Py_XDECREF(frame);
    bool awaits = true;
    while (above != NULL && awaits) {
        PyCodeObject *code = PyFrame_GetCode(above); /* which the frame keeps alive */
        Py_DECREF(code);
        awaits = trc_code_is_resumable(code);
        if (trc_code_is_coroutine(code)) {
            Py_XDECREF(outermost);
            outermost = (PyFrameObject *)Py_NewRef(above);
        }
        frame = above;
        above = PyFrame_GetBack(frame);
        Py_DECREF(frame);
    }
    Py_XDECREF(above);
    PyErr_Clear();
    trc_resume_collection(collecting);
    return outermost;
}
