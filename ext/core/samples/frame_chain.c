/* The Python frames of a thread: see frame_chain.h. */
#define _GNU_SOURCE /* process_vm_readv */
#include "core/samples/frame_chain.h"

#if TRC_SAMPLES
#include <string.h>

/* -- Reading -- */

static bool read_all(pid_t process, void *to, uint64_t from, size_t size)
{
    struct iovec place = {to, size}, source = {(void *)(uintptr_t)from, size};
    return process_vm_readv(process, &place, 1, &source, 1, 0) == (ssize_t)size;
}

static uint64_t word_at(const void *bytes, size_t offset)
{
    uint64_t word;
    memcpy(&word, (const uint8_t *)bytes + offset, sizeof word);
    return word;
}

static uint32_t half_at(const void *bytes, size_t offset)
{
    uint32_t half;
    memcpy(&half, (const uint8_t *)bytes + offset, sizeof half);
    return half;
}

/* Returns the frame at an address, or NULL. */
static const uint8_t *frame_at(trc_chain_scratch *scratch, const trc_frame_layout *layout, pid_t process,
                               uint64_t frame)
{
    size_t size = layout->frame.size;
    if (frame % sizeof(void *) != 0 || frame < TRC_CHAIN_PAGE || frame > UINT64_MAX - size) {
        return NULL;
    }
    if (frame < scratch->window.start || frame + size > scratch->window.start + scratch->window.size) {
        scratch->window.start = frame & ~(uint64_t)(TRC_CHAIN_PAGE - 1);
        scratch->window.size = frame + size - scratch->window.start;
        if (!read_all(process, scratch->window.bytes, scratch->window.start, scratch->window.size)) {
            scratch->window.size = 0;
            return NULL;
        }
    }
    return scratch->window.bytes + (frame - scratch->window.start);
}

/* -- The code of frames -- */

/* Bytes of a code object up to the end of what is read of it. */
static size_t head_size(const trc_frame_layout *layout)
{
    return layout->code.lines + sizeof(uint64_t);
}

static uint32_t stamp_of(const trc_frame_layout *layout, const uint8_t *head)
{
    uint64_t mixed = word_at(head, layout->code.qualname) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ word_at(head, layout->code.lines)) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ word_at(head, layout->code.file) ^ half_at(head, layout->code.first_line)) *
            UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ half_at(head, layout->code.version)) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(mixed >> 32);
}

static bool is_code(const trc_frame_layout *layout, const uint8_t *head)
{
    return word_at(head, layout->code.type_at) == layout->code.type;
}

/* Whether it is the interpreter's own, around a call of a class: of that, file and function have one name. */
static bool is_shim(const trc_frame_layout *layout, const uint8_t *head)
{
    return word_at(head, layout->code.file) == word_at(head, layout->code.qualname);
}

/* Completes some frames, of which the code and the address of the instruction are known, and leaves out those that are no
 * function's. Returns how many are left, or -1 where one is no frame. */
static int complete(const trc_frame_layout *layout, trc_chain_scratch *scratch, pid_t process, trc_seen_frame *frames,
                    int count)
{
    size_t size = head_size(layout);
    for (int i = 0; i < count; i++) {
        scratch->places[i] = (struct iovec){scratch->heads[i], size};
        scratch->sources[i] = (struct iovec){(void *)(uintptr_t)frames[i].code, size};
    }
    if (process_vm_readv(process, scratch->places, (unsigned long)count, scratch->sources, (unsigned long)count, 0) !=
        (ssize_t)(size * (size_t)count)) {
        return -1;
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const uint8_t *head = scratch->heads[i];
        if (!is_code(layout, head)) {
            return -1;
        }
        if (!is_shim(layout, head)) {
            uint64_t offset = scratch->instructions[i] - (frames[i].code + layout->code.instructions);
            frames[kept++] = (trc_seen_frame){frames[i].code, stamp_of(layout, head), (uint32_t)offset};
        }
    }
    return kept;
}

/* The address of the innermost frame; 0 where the thread has none. Returns false where that cannot be read. */
static bool find_innermost(const trc_frame_layout *layout, pid_t process, uint64_t state, uint64_t *frame)
{
    return read_all(process, frame, state + layout->state.frame, sizeof *frame) &&
           (!layout->state.has_link || read_all(process, frame, *frame + layout->state.link_frame, sizeof *frame));
}

static bool saves_stack(const trc_frame_layout *layout, const uint8_t *frame)
{
    return layout->frame.stack != 0 && (int32_t)half_at(frame, layout->frame.stack) >= 0;
}

/* Whether the innermost frame is at an instruction that stops for a line. */
static bool is_at_stop(const trc_frame_layout *layout, pid_t process, const trc_seen_frame *innermost)
{
    uint64_t first = innermost->code + layout->code.instructions;
    uint8_t instruction;
    return layout->code.stops != 0 && read_all(process, &instruction, first + innermost->offset, sizeof instruction) &&
           instruction == layout->code.stops;
}

void trc_frame_chain_read(trc_frame_chain *chain, const trc_frame_layout *layout, trc_chain_scratch *scratch,
                          pid_t process, uint64_t state, uint32_t room)
{
    uint64_t frame;
    int in_event;
    uint64_t links = 4 * (uint64_t)room + 16; /* garbage may lead in a circle of frames that are no function's */
    uint32_t count = 0; /* of the frames behind chain->count, of which the code is not looked at yet */
    scratch->window.start = scratch->window.size = 0;
    chain->count = 0;
    chain->end = TRC_CHAIN_BROKEN;
    chain->is_at_stop = chain->is_stopping = false;
    if (!find_innermost(layout, process, state, &frame) ||
        !read_all(process, &in_event, state + layout->state.in_event, sizeof in_event)) {
        return;
    }
    chain->is_in_event = in_event != 0;
    while (frame != 0 && chain->count + count < room) {
        const uint8_t *bytes = frame_at(scratch, layout, process, frame);
        if (bytes == NULL || links-- == 0) {
            return;
        }
        if (bytes[layout->frame.owner] < layout->frame.shims) {
            chain->frames[chain->count + count].code = word_at(bytes, layout->frame.code) & ~UINT64_C(7);
            chain->is_stopping = chain->count + count == 0 ? saves_stack(layout, bytes) : chain->is_stopping;
            scratch->instructions[count++] = word_at(bytes, layout->frame.instruction);
        }
        frame = word_at(bytes, layout->frame.previous);
        if (count == TRC_CODE_BATCH || (count > 0 && (frame == 0 || chain->count + count == room))) {
            int kept = complete(layout, scratch, process, chain->frames + chain->count, (int)count);
            if (kept < 0) {
                return;
            }
            chain->count += (uint32_t)kept;
            count = 0;
        }
    }
    chain->is_at_stop = chain->count > 0 && !chain->is_in_event && is_at_stop(layout, process, &chain->frames[0]);
    chain->is_stopping = chain->is_stopping && chain->is_at_stop;
    chain->end = frame == 0 ? TRC_CHAIN_WHOLE : TRC_CHAIN_CUT;
}

/* -- Descriptions -- */

static uint32_t padded(uint64_t size)
{
    return (uint32_t)((size + 3) & ~UINT64_C(3));
}

/* Where a description is being written. */
typedef struct writing {
    uint8_t *at;
    uint32_t left;
    bool failed;
} writing;

static void copy_bytes(writing *to, pid_t process, uint64_t from, uint32_t size)
{
    to->failed = to->failed || padded(size) > to->left || (size > 0 && !read_all(process, to->at, from, size));
    if (!to->failed) {
        memset(to->at + size, 0, padded(size) - size);
        to->at += padded(size);
        to->left -= padded(size);
    }
}

static trc_text_size copy_text(writing *to, const trc_frame_layout *layout, pid_t process, uint64_t text)
{
    uint64_t length = 0;
    uint32_t flags = 0;
    to->failed = to->failed || !read_all(process, &length, text + layout->text.length, sizeof length) ||
                 !read_all(process, &flags, text + layout->text.flags, sizeof flags);
    uint32_t kind = (flags & layout->text.kind_mask) >> layout->text.kind_shift;
    to->failed = to->failed || (kind != 1 && kind != 2 && kind != 4) || !(flags & layout->text.compact_mask);
    length = length < TRC_NAME_MOST ? length : TRC_NAME_MOST;
    size_t data = flags & layout->text.ascii_mask ? layout->text.ascii_data : layout->text.other_data;
    copy_bytes(to, process, text + data, to->failed ? 0 : (uint32_t)length * kind);
    return (trc_text_size){(uint32_t)length, kind};
}

static uint32_t copy_lines(writing *to, const trc_frame_layout *layout, pid_t process, uint64_t lines)
{
    uint64_t length = 0;
    to->failed = to->failed || !read_all(process, &length, lines + layout->bytes.length, sizeof length);
    length = length < TRC_LINES_MOST ? length : TRC_LINES_MOST;
    copy_bytes(to, process, lines + layout->bytes.data, to->failed ? 0 : (uint32_t)length);
    return (uint32_t)length;
}

uint32_t trc_code_describe(const trc_frame_layout *layout, pid_t process, uint64_t code, void *to, uint32_t room)
{
    uint8_t head[TRC_CODE_HEAD];
    trc_code_description description = {.number = 0};
    if (room < sizeof description || !read_all(process, head, code, head_size(layout)) || !is_code(layout, head)) {
        return 0;
    }
    writing writing = {(uint8_t *)to + sizeof description, room - (uint32_t)sizeof description, false};
    description.first_line = (int32_t)half_at(head, layout->code.first_line);
    description.name = copy_text(&writing, layout, process, word_at(head, layout->code.name));
    description.qualname = copy_text(&writing, layout, process, word_at(head, layout->code.qualname));
    description.file = copy_text(&writing, layout, process, word_at(head, layout->code.file));
    description.lines_size = copy_lines(&writing, layout, process, word_at(head, layout->code.lines));
    description.size = room - writing.left;
    memcpy(to, &description, sizeof description);
    return writing.failed ? 0 : description.size;
}
#endif
