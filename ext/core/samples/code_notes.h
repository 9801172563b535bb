/* Which code objects a signal handler has described already, by their addresses: each by a number, under which its frames
 * are noted from then on. It is the handler's alone. When it is full it begins anew, and all are described again. */
#ifndef TRC_CODE_NOTES_H
#define TRC_CODE_NOTES_H

#include "core/samples/frame_chain.h"

#define TRC_CODE_NOTES 4096u /* places: a power of two */

typedef struct trc_code_note {
    uint64_t code; /* 0: a free place */
    uint32_t stamp;
    uint32_t number;
} trc_code_note;

typedef struct trc_code_notes {
    trc_code_note *notes; /* borrowed: TRC_CODE_NOTES of them, zeroed */
    uint32_t count;
} trc_code_notes;

#define TRC_CODE_NOTES_MOST (TRC_CODE_NOTES / 4 * 3)

/* Forgets all. */
void trc_code_notes_clear(trc_code_notes *notes);

/* There is room for so many more, at most TRC_CODE_NOTES_MOST: where there was none, all are forgotten. */
void trc_code_notes_make_room(trc_code_notes *notes, uint32_t more);

/* Returns the place of a frame's code, which may be that of a code object that was at its address before. Its number is
 * from 1 on; 0: it is to be described. */
trc_code_note *trc_code_notes_at(const trc_code_notes *notes, const trc_seen_frame *frame);

/* The code at this place is described: gives it a number. */
uint32_t trc_code_notes_add(trc_code_notes *notes, trc_code_note *note, const trc_seen_frame *frame);

#endif
