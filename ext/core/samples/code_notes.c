/* Which code objects are described: see code_notes.h. Open addressing, at most three quarters full. */
#include "core/samples/code_notes.h"

#include <string.h>

void trc_code_notes_clear(trc_code_notes *notes)
{
    memset(notes->notes, 0, TRC_CODE_NOTES * sizeof *notes->notes);
    notes->count = 0;
}

void trc_code_notes_make_room(trc_code_notes *notes, uint32_t more)
{
    if (notes->count + more > TRC_CODE_NOTES_MOST) {
        trc_code_notes_clear(notes);
    }
}

trc_code_note *trc_code_notes_at(const trc_code_notes *notes, const trc_seen_frame *frame)
{
    uint32_t place = (uint32_t)(frame->code * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    for (;; place++) {
        trc_code_note *note = &notes->notes[place & (TRC_CODE_NOTES - 1)];
        if (note->code == frame->code && note->stamp != frame->stamp) {
            note->number = 0; /* another one is at its address */
        }
        if (note->code == frame->code || note->code == 0) {
            return note;
        }
    }
}

uint32_t trc_code_notes_add(trc_code_notes *notes, trc_code_note *note, const trc_seen_frame *frame)
{
    *note = (trc_code_note){frame->code, frame->stamp, ++notes->count};
    return note->number;
}
