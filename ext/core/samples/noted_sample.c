/* What is noted of a thread at one moment: see noted_sample.h. */
#include "core/samples/noted_sample.h"

#include <string.h>

#if TRC_SAMPLES

/* The number of a frame's code, which is described at `to` where it was not yet and there is room: *size bytes. */
static uint32_t number_of(trc_frame_reader *reader, pid_t process, const trc_seen_frame *seen, uint8_t *to,
                          uint32_t room, uint32_t *size)
{
    trc_code_note *note = trc_code_notes_at(&reader->codes, seen);
    *size = note->number != 0 ? 0 : trc_code_describe(reader->layout, process, seen->code, to, room);
    if (*size > 0) {
        uint32_t number = trc_code_notes_add(&reader->codes, note, seen);
        memcpy(to, &number, sizeof number);
    }
    return note->number;
}

bool trc_note_frames(trc_frame_reader *reader, pid_t process, const void *state, trc_noted_sample *sample)
{
    trc_frame_chain chain = {.frames = (trc_seen_frame *)(void *)sample->bytes};
    if (state == NULL) {
        return true;
    }
    trc_frame_chain_read(&chain, reader->layout, reader->scratch, process, (uint64_t)(uintptr_t)state,
                         TRC_FRAMES_MOST - 1);
    if (chain.end == TRC_CHAIN_BROKEN) {
        return false;
    }
    sample->line_code = chain.is_at_stop ? chain.frames[0].code : 0;
    sample->is_stopping = chain.is_stopping;
    trc_code_notes_make_room(&reader->codes, chain.count);
    uint8_t *descriptions = sample->bytes + TRC_FRAMES_MOST * sizeof(trc_seen_frame);
    for (uint32_t i = 0; i < chain.count; i++) { /* what is noted takes the place of what was seen, and half its room */
        trc_seen_frame seen;
        uint32_t size;
        memcpy(&seen, sample->bytes + i * sizeof seen, sizeof seen);
        trc_noted_frame noted = {.offset = seen.offset};
        noted.number = number_of(reader, process, &seen, descriptions + sample->described,
                                 TRC_DESCRIBED_MOST - sample->described, &size);
        memcpy(sample->bytes + i * sizeof noted, &noted, sizeof noted);
        sample->described += size;
    }
    sample->is_in_event = chain.is_in_event;
    sample->frame_count = chain.count;
    if (chain.end == TRC_CHAIN_CUT) { /* what called these is not known */
        memset(sample->bytes + sample->frame_count++ * sizeof(trc_noted_frame), 0, sizeof(trc_noted_frame));
    }
    memmove(sample->bytes + sample->frame_count * sizeof(trc_noted_frame), descriptions, sample->described);
    return true;
}

#endif
