/* The figures of a script by definition: see model.h. */
#include "model.h"

#include <ctype.h>

void model_init(model *model, const char *labels)
{
    memset(model, 0, sizeof *model);
    model->labels = labels;
    model->tracing = true;
}

static const model_frame *frame_of(const model *model, int position)
{
    return &model->frames[model->owner][position];
}

static bool has_row(const model_frame *frame)
{
    return frame->row < LETTERS;
}

static bool has_edge(const model_frame *frame)
{
    return has_row(frame) && frame->caller < LETTERS;
}

/* Whether some frame below this position has the row; or the row and the caller. */
static bool is_below(const model *model, int position, uint32_t row, const uint32_t *caller)
{
    for (int i = 0; i < position; i++) {
        const model_frame *frame = frame_of(model, i);
        if (frame->row == row && (caller == NULL || frame->caller == *caller)) {
            return true;
        }
    }
    return false;
}

static void count(trc_figures *figures, trc_entry entry, bool outermost)
{
    figures->calls += entry == TRC_CALLED;
    figures->resumes += entry == TRC_RESUMED;
    figures->primitive_calls += entry == TRC_CALLED && outermost;
    figures->primitive_resumes += entry == TRC_RESUMED && outermost;
}

static void enter(model *model, char letter, trc_entry entry)
{
    int position = model->depths[model->owner]++;
    const model_frame *below = position == 0 ? NULL : frame_of(model, position - 1);
    uint32_t row = row_of_letter((char)tolower(letter), model->labels);
    model_frame frame = {row == TRC_LEFT_OUT ? LETTERS : row, LETTERS, 0};
    if (below != NULL) {
        frame.caller = has_row(below) ? below->row : below->caller;
    }
    model->frames[model->owner][position] = frame;
    if (has_row(&frame)) {
        count(&model->rows[frame.row], entry, !is_below(model, position, frame.row, NULL));
    }
    if (has_edge(&frame)) {
        trc_figures *edge = &model->edges[frame.caller][frame.row];
        count(edge, entry, !is_below(model, position, frame.row, &frame.caller));
    }
}

/* The highest frames of an owner's stack, `count` of them, end here, or are seen here: their stretches last so long. */
static void note_stretches(const model *model, int owner, int count, trc_tick extras[LETTERS][TRC_EXTRA_COUNT])
{
    for (int i = model->depths[owner] - count; i < model->depths[owner]; i++) {
        const model_frame *frame = &model->frames[owner][i];
        if (has_row(frame) && frame->lived > extras[frame->row][TRC_LONGEST]) {
            extras[frame->row][TRC_LONGEST] = frame->lived;
        }
    }
}

static void leave(model *model, int owner, int count)
{
    note_stretches(model, owner, count, model->extras);
    model->depths[owner] -= count;
}

/* One tick is the own time of the highest frame that has a row, and is in the cumulative time of every row and edge on
 * the stack, once each. */
static void tick(model *model, bool waited)
{
    bool own = true;
    const model_frame *top = model->depths[model->owner] == 0 ? NULL : frame_of(model, model->depths[model->owner] - 1);
    if (waited && top != NULL && has_row(top)) { /* what a function without a row waits is in no row's extra */
        model->extras[top->row][TRC_WAITED]++;
    }
    for (int i = model->depths[model->owner] - 1; i >= 0; i--) {
        const model_frame *frame = frame_of(model, i);
        model->frames[model->owner][i].lived++;
        if (has_row(frame)) {
            model->rows[frame->row].self += own;
            model->rows[frame->row].cumulative += !is_below(model, i, frame->row, NULL);
        }
        if (has_edge(frame)) {
            trc_figures *edge = &model->edges[frame->caller][frame->row];
            edge->self += own;
            edge->cumulative += !is_below(model, i, frame->row, &frame->caller);
        }
        own = own && !has_row(frame);
    }
}

void model_play(model *model, const char *script, bool tells_waits)
{
    bool waited = false;
    for (const char *at = script; *at != '\0'; at++) {
        if (*at == '!') {
            enter(model, *++at, TRC_RUNNING);
        }
        else if (*at == '\'') {
            enter(model, *++at, TRC_CALLED);
        }
        else if (*at == '@') {
            model->owner = *++at - 'a';
        }
        else if (*at == '~') {
            uint32_t row = row_of_letter(*++at, model->labels);
            at++;
            if (row != TRC_LEFT_OUT) {
                measure(model->extras[row], *at);
            }
        }
        else if (*at == ')' || *at == '}') {
            leave(model, model->owner, *at == ')' ? 1 : 2);
        }
        else if (*at == '=' || *at == '+') {
            model->tracing = *at == '+';
            for (int owner = 0; owner < OWNERS; owner++) {
                leave(model, owner, model->depths[owner]);
            }
        }
        else if (*at == '<' || *at == '>') {
            model->paused = *at == '<';
        }
        else if (isalpha(*at)) {
            enter(model, *at, isupper(*at) ? TRC_RESUMED : TRC_CALLED);
        }
        else if (isdigit(*at) && model->tracing && !model->paused) {
            for (int ticks = *at - '0'; ticks > 0; ticks--) {
                tick(model, waited);
            }
        }
        waited = tells_waits && *at == '%';
    }
}

void model_render(const model *model, char text[TEXT_SIZE])
{
    trc_row_edge edges[LETTERS * LETTERS];
    trc_tick extras[LETTERS][TRC_EXTRA_COUNT];
    memcpy(extras, model->extras, sizeof extras);
    for (int owner = 0; owner < OWNERS; owner++) {
        note_stretches(model, owner, model->depths[owner], extras);
    }
    trc_rollup rollup = {
        .row_count = LETTERS,
        .rows = (trc_figures *)model->rows,
        .extras = extras,
        .edges = edges,
    };
    for (uint32_t caller = 0; caller < LETTERS; caller++) {
        for (uint32_t callee = 0; callee < LETTERS; callee++) {
            const trc_figures *figures = &model->edges[caller][callee];
            if (figures->calls > 0 || figures->resumes > 0 || figures->cumulative > 0) {
                edges[rollup.edge_count++] = (trc_row_edge){caller, callee, *figures};
            }
        }
    }
    render_all(&rollup, text);
}
