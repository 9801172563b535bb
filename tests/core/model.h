/* What the figures of a script are by definition. The model has no tree, no overflow and no elapsed times: it gives each
 * tick at once to every row and edge that has a part in it. Of the core it uses only the type of figures. */
#ifndef TEST_MODEL_H
#define TEST_MODEL_H

#include "support.h"

typedef struct model_frame {
    uint32_t row;    /* LETTERS: it has none */
    uint32_t caller; /* the row of the nearest frame below that has one; LETTERS: there is none */
    trc_tick lived;  /* ticks since it was entered, without pauses and other owners' */
} model_frame;

typedef struct model {
    const char *labels;
    model_frame frames[OWNERS][DEEPEST];
    int depths[OWNERS];
    int owner;
    bool tracing;
    bool paused;
    trc_figures rows[LETTERS];
    trc_tick extras[LETTERS][TRC_EXTRA_COUNT]; /* of each row */
    trc_figures edges[LETTERS][LETTERS];
} model;

/* Labels are as in row_of_letter(). */
void model_init(model *model, const char *labels);

/* A script is as in stage_play(), and has no step that a stage would refuse. With `tells_waits`, the stage tells them. */
void model_play(model *model, const char *script, bool tells_waits);

/* Writes what render() would write of the thread. */
void model_render(const model *model, char text[TEXT_SIZE]);

#endif
