/* Code that is slow without an event: see slow_lines.h. */
#include "core/samples/slow_lines.h"

/* The place of a code object: a new one takes that of the cheapest. */
static trc_slow_code *place_of(trc_slow_lines *lines, uint64_t code)
{
    trc_slow_code *least = &lines->codes[0];
    for (unsigned i = 0; i < TRC_SLOW_CODES; i++) {
        if (lines->codes[i].code == code) {
            return &lines->codes[i];
        }
        if (lines->codes[i].weight < least->weight) {
            least = &lines->codes[i];
        }
    }
    *least = (trc_slow_code){code, 0, 0};
    return least;
}

static bool is_of_others(const trc_slow_lines *lines, uint64_t code)
{
    unsigned known = lines->other_count < TRC_SLOW_CODES ? lines->other_count : TRC_SLOW_CODES;
    for (unsigned i = 0; i < known; i++) {
        if (lines->others[i] == code) {
            return true;
        }
    }
    return false;
}

void trc_slow_lines_add(trc_slow_lines *lines, const trc_noted_sample *sample)
{
    lines->all += sample->weight;
    lines->in_events += sample->is_in_event ? sample->weight : 0;
    if (sample->line_code != 0 && !is_of_others(lines, sample->line_code)) {
        trc_slow_code *place = place_of(lines, sample->line_code);
        place->samples++;
        place->weight += sample->weight;
    }
}

/* What is known of the latest choice is made use of. */
static void settle(trc_slow_lines *lines)
{
    int answer = atomic_exchange(&lines->answer, TRC_LINES_NOT_ANSWERED);
    lines->is_waiting = lines->is_waiting && answer == TRC_LINES_NOT_ANSWERED;
    if (answer == TRC_LINES_ENDED) {
        lines->cost += lines->is_sure ? (uint64_t)(TRC_STOP_OF_SEEN * (double)lines->choice.weight) : 0;
    }
    else if (answer == TRC_LINES_OF_OTHERS) {
        lines->others[lines->other_count++ % TRC_SLOW_CODES] = lines->choice.code;
        *place_of(lines, lines->choice.code) = (trc_slow_code){0, 0, 0};
    }
}

uint64_t trc_slow_lines_cost(trc_slow_lines *lines)
{
    settle(lines);
    return lines->cost;
}

bool trc_slow_lines_decide(trc_slow_lines *lines)
{
    settle(lines);
    if (lines->is_waiting) {
        return atomic_load(&lines->chosen) != 0;
    }
    double seen = -TRC_STOP_OF_EVENTS * (double)lines->in_events;
    trc_slow_code *dearest = &lines->codes[0];
    for (unsigned i = 0; i < TRC_SLOW_CODES; i++) {
        seen += (double)lines->codes[i].weight;
        dearest = lines->codes[i].weight > dearest->weight ? &lines->codes[i] : dearest;
    }
    double cost = TRC_STOP_OF_SEEN * seen + (double)lines->cost;
    if (dearest->samples < TRC_SLOW_LEAST || cost <= lines->limit * (double)lines->all) {
        return false;
    }
    lines->choice = *dearest;
    lines->is_waiting = true;
    *dearest = (trc_slow_code){0, 0, 0};
    atomic_store(&lines->chosen, lines->choice.code);
    return true;
}
