/* Where this interpreter keeps the frames of Python code: see frame_layout.h. */
#include "interp/frame_layout.h"

#include <string.h>
#include <unistd.h>

/* The masks of the fields of a str that tell how its characters are stored: the compiler places them. */
static uint32_t flags_of(const PyASCIIObject *text)
{
    uint32_t flags;
    _Static_assert(sizeof text->state >= sizeof flags, "the flags of a str are 32 bits");
    memcpy(&flags, &text->state, sizeof flags);
    return flags;
}

static uint32_t kind_mask(void)
{
    PyASCIIObject text;
    memset(&text, 0, sizeof text);
    text.state.kind = 7;
    return flags_of(&text);
}

static uint32_t ascii_mask(void)
{
    PyASCIIObject text;
    memset(&text, 0, sizeof text);
    text.state.ascii = 1;
    return flags_of(&text);
}

static uint32_t compact_mask(void)
{
    PyASCIIObject text;
    memset(&text, 0, sizeof text);
    text.state.compact = 1;
    return flags_of(&text);
}

static unsigned lowest_bit(uint32_t mask)
{
    unsigned bit = 0;
    while (!(mask >> bit & 1)) {
        bit++;
    }
    return bit;
}

trc_frame_layout trc_frame_layout_here(void)
{
    trc_frame_layout layout = {
        .state = TRC_STATE_FRAME,
        .frame = TRC_FRAME_HEAD,
        .code = {.type = (uint64_t)(uintptr_t)&PyCode_Type,
                 .type_at = offsetof(PyObject, ob_type),
                 .first_line = offsetof(PyCodeObject, co_firstlineno),
                 .version = TRC_CODE_VERSION,
                 .file = offsetof(PyCodeObject, co_filename),
                 .name = offsetof(PyCodeObject, co_name),
                 .qualname = offsetof(PyCodeObject, co_qualname),
                 .lines = offsetof(PyCodeObject, co_linetable),
                 .instructions = offsetof(PyCodeObject, co_code_adaptive)},
        .text = {.length = offsetof(PyASCIIObject, length),
                 .flags = offsetof(PyASCIIObject, state),
                 .kind_mask = kind_mask(),
                 .kind_shift = lowest_bit(kind_mask()),
                 .compact_mask = compact_mask(),
                 .ascii_mask = ascii_mask(),
                 .ascii_data = sizeof(PyASCIIObject),
                 .other_data = sizeof(PyCompactUnicodeObject)},
        .bytes = {.length = offsetof(PyVarObject, ob_size), .data = offsetof(PyBytesObject, ob_sval)},
    };
    layout.state.in_event = offsetof(PyThreadState, tracing);
    return layout;
}

#if TRC_HAS_MONITORING
PyCodeObject *trc_code_of_caller(const trc_frame_head *frame)
{
    for (; frame != NULL; frame = frame->previous) {
        PyObject *code = (PyObject *)(frame->code & ~(uintptr_t)7);
        if (code != NULL && PyCode_Check(code) &&
            ((PyCodeObject *)code)->co_filename != ((PyCodeObject *)code)->co_qualname) {
            return (PyCodeObject *)code;
        }
    }
    return NULL;
}
#endif

#if TRC_SAMPLES
bool trc_frame_layout_holds(const trc_frame_layout *layout)
{
    enum { ROOM = 64 };
    trc_chain_scratch scratch;
    trc_seen_frame frames[ROOM];
    trc_frame_chain chain = {.frames = frames};
    PyThreadState *state = PyThreadState_Get();
    trc_frame_chain_read(&chain, layout, &scratch, getpid(), (uint64_t)(uintptr_t)state, ROOM);
    PyFrameObject *frame = PyThreadState_GetFrame(state);
    uint32_t same = 0;
    while (frame != NULL && same < chain.count) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        PyFrameObject *outer = PyFrame_GetBack(frame);
        bool is_same = frames[same].code == (uint64_t)(uintptr_t)code;
        Py_DECREF(code);
        Py_DECREF(frame);
        frame = outer;
        if (!is_same) {
            break;
        }
        same++;
    }
    bool is_end = frame == NULL || chain.end == TRC_CHAIN_CUT;
    Py_XDECREF(frame);
    return chain.end != TRC_CHAIN_BROKEN && same == chain.count && is_end;
}
#else
bool trc_frame_layout_holds(const trc_frame_layout *layout)
{
    (void)layout;
    return false;
}
#endif
