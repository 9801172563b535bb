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
    *least = (trc_slow_code){code, 0};
    return least;
}

void trc_slow_lines_add(trc_slow_lines *lines, const trc_noted_sample *sample)
{
    lines->all += sample->weight;
    lines->in_events += sample->is_in_event ? sample->weight : 0;
    if (sample->line_code != 0) {
        lines->at_lines += sample->weight;
        lines->cost += sample->weight;
        place_of(lines, sample->line_code)->weight += sample->weight;
    }
}

static uint64_t beyond(const trc_slow_lines *lines, uint64_t at_lines)
{
    double told = TRC_BESIDE_CALLBACK * (double)lines->in_events;
    return (double)at_lines > told ? (uint64_t)((double)at_lines - told) : 0;
}

uint64_t trc_slow_lines_beyond(const trc_slow_lines *lines)
{
    return beyond(lines, lines->cost);
}

bool trc_slow_lines_decide(trc_slow_lines *lines)
{
    if (atomic_load(&lines->chosen) != 0) {
        return true;
    }
    uint64_t excess = beyond(lines, lines->at_lines);
    if (excess < TRC_SLOW_LEAST || (double)excess < lines->limit * (double)lines->all) {
        return false;
    }
    trc_slow_code *dearest = &lines->codes[0];
    for (unsigned i = 1; i < TRC_SLOW_CODES; i++) {
        dearest = lines->codes[i].weight > dearest->weight ? &lines->codes[i] : dearest;
    }
    lines->at_lines -= dearest->weight;
    atomic_store(&lines->chosen, dearest->code);
    *dearest = (trc_slow_code){0, 0};
    return true;
}
