/* The side lists of a timeline: see notes.h. */
#include "recorders/notes.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

static bool grow(trc_note_list *list)
{
    uint32_t room = list->room == 0 ? FIRST_ROOM : 2 * list->room;
    trc_note *notes = list->room >= TRC_NOTE_LIMIT ? NULL : realloc(list->notes, room * sizeof *notes);
    if (notes == NULL) {
        return false;
    }
    list->notes = notes;
    list->room = room;
    return true;
}

trc_note *trc_notes_add(trc_notes *notes, trc_note_kind kind)
{
    trc_note_list *list = &notes->lists[kind];
    if (list->count == list->room && !grow(list)) {
        list->dropped++;
        return NULL;
    }
    trc_note *note = &list->notes[list->count++];
    memset(note, 0, sizeof *note);
    return note;
}

trc_note *trc_notes_find(const trc_notes *notes, trc_note_kind kind, uint64_t id)
{
    const trc_note_list *list = &notes->lists[kind];
    uint32_t first = 0, end = list->count;
    if (end > 0 && list->notes[end - 1].id == id) { /* as almost always: what began last ends first */
        return &list->notes[end - 1];
    }
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (list->notes[middle].id < id) {
            first = middle + 1;
        }
        else {
            end = middle;
        }
    }
    return first < list->count && list->notes[first].id == id ? &list->notes[first] : NULL;
}

void trc_notes_clear_copy(trc_notes *notes)
{
    memset(notes->lists, 0, sizeof notes->lists);
}

void trc_notes_clear(trc_notes *notes)
{
    trc_notes old = *notes;
    trc_notes_clear_copy(notes);
    for (int kind = 0; kind < TRC_NOTE_KINDS; kind++) {
        for (uint32_t i = 0; i < old.lists[kind].count; i++) {
            for (int k = 0; k < TRC_NOTE_OBJECTS; k++) {
                Py_XDECREF(old.lists[kind].notes[i].objects[k]);
            }
        }
        free(old.lists[kind].notes);
    }
}

bool trc_notes_copy(trc_notes *copy, const trc_notes *notes)
{
    copy->first = notes->first;
    copy->last = notes->last;
    copy->epoch = notes->epoch;
    for (int kind = 0; kind < TRC_NOTE_LISTS; kind++) {
        const trc_note_list *list = &notes->lists[kind];
        trc_note_list *made = &copy->lists[kind];
        made->dropped = list->dropped;
        made->notes = list->count == 0 ? NULL : malloc(list->count * sizeof *made->notes);
        if (list->count > 0 && made->notes == NULL) {
            return false;
        }
        for (; made->count < list->count; made->count++) {
            made->notes[made->count] = list->notes[made->count];
            for (int k = 0; k < TRC_NOTE_OBJECTS; k++) {
                Py_XINCREF(made->notes[made->count].objects[k]);
            }
        }
    }
    return true;
}

int trc_notes_traverse(const trc_notes *notes, visitproc visit, void *arg)
{
    for (int kind = 0; kind < TRC_NOTE_KINDS; kind++) {
        for (uint32_t i = 0; i < notes->lists[kind].count; i++) {
            for (int k = 0; k < TRC_NOTE_OBJECTS; k++) {
                Py_VISIT(notes->lists[kind].notes[i].objects[k]);
            }
        }
    }
    return 0;
}
