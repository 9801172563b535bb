/* What samples may cost: see pacing.h. */
#include "core/samples/pacing.h"

#define SAMPLES_OF_LIMIT 0.25 /* each of the two kinds of cost, and the rest is for events */
#define VISITS_MOST 0.01      /* also where more is allowed: more visits tell nothing more */
#define FEW 0.25              /* of what is allowed: then more may be had */

static int64_t within(int64_t least, int64_t value, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* The longest interval: then a ring is full. */
static int64_t most_of(const trc_pacing *pacing)
{
    return within(TRC_INTERVAL_LEAST, pacing->filled * pacing->stride, TRC_INTERVAL_MOST);
}

void trc_pacing_init(trc_pacing *pacing, double limit, int64_t period, int room)
{
    double part = SAMPLES_OF_LIMIT * limit;
    *pacing = (trc_pacing){
        .handlers = part,
        .visits = part > 0 && part < VISITS_MOST ? part : VISITS_MOST,
        .filled = room * period,
        .stride = 1,
    };
    while (pacing->stride < TRC_STRIDE_MOST && pacing->handlers * (double)period * pacing->stride < TRC_SAMPLE_COST &&
           pacing->handlers > 0) {
        pacing->stride *= 2;
    }
    pacing->interval = within(TRC_INTERVAL_LEAST, (int64_t)(TRC_VISIT_COST / pacing->visits), most_of(pacing));
}

void trc_pacing_go_on(trc_pacing *pacing, const trc_pacing_marks *now)
{
    pacing->decided = *now;
}

void trc_pacing_decide(trc_pacing *pacing, const trc_pacing_marks *now)
{
    const trc_pacing_marks *then = &pacing->decided;
    double cpu = (double)(now->cpu - then->cpu);
    if (cpu < TRC_PACE_CPU && now->real - then->real < TRC_PACE_REAL) {
        return;
    }
    double handlers = (double)(now->handlers - then->handlers), visits = (double)(now->visits - then->visits);
    if (pacing->handlers > 0 && handlers > pacing->handlers * cpu) {
        pacing->stride = (unsigned)within(1, 2 * pacing->stride, TRC_STRIDE_MOST);
    }
    else if (handlers < FEW * pacing->handlers * cpu) {
        pacing->stride = (unsigned)within(1, pacing->stride / 2, TRC_STRIDE_MOST);
    }
    if (visits > pacing->visits * cpu) {
        pacing->interval = 2 * pacing->interval;
    }
    else if (visits < FEW * pacing->visits * cpu) {
        pacing->interval = pacing->interval / 2;
    }
    pacing->interval = within(TRC_INTERVAL_LEAST, pacing->interval, most_of(pacing));
    pacing->decided = *now;
}
