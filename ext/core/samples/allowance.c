/* What events may cost: see allowance.h. */
#include "core/samples/allowance.h"

#include <stdlib.h>

void trc_allowance_init(trc_allowance *allowance, double share, int64_t cpu)
{
    *allowance = (trc_allowance){
        .share = share, .left = TRC_ALLOWANCE_MOST, .cost = TRC_FIRST_COST, .cpu = cpu, .chosen_at = cpu};
}

void trc_allowance_go_on(trc_allowance *allowance, int64_t cpu)
{
    allowance->chosen_at += cpu - allowance->cpu; /* as much later as it rested */
    allowance->cpu = cpu;
}

bool trc_allowance_refill(trc_allowance *allowance, int64_t cpu, int64_t samples)
{
    double refilled = allowance->share * (double)(cpu - allowance->cpu) - (double)(samples - allowance->samples);
    double most = refilled > 0 ? (1 - TRC_ALLOWANCE_AIM) * refilled : 0;
    double back = allowance->owed < most ? allowance->owed : most;
    allowance->owed -= back;
    allowance->left += refilled - back;
    allowance->left =
        allowance->left < TRC_ALLOWANCE_MOST && allowance->share < 1 ? allowance->left : TRC_ALLOWANCE_MOST;
    allowance->cpu = cpu;
    allowance->samples = samples;
    return allowance->left >= TRC_ALLOWANCE_LEAST;
}

void trc_allowance_measure(trc_allowance *allowance, int64_t seen)
{
    double guessed_events = TRC_GUESS_HOLDS / TRC_FIRST_COST, events = (double)allowance->events;
    double cost = (TRC_GUESS_HOLDS + (double)seen / TRC_SEEN_OF_COST) / (guessed_events + events);
    allowance->left -= (cost - allowance->cost) * events; /* those that are paid cost more, or less */
    allowance->cost = cost;
}

static int by_events(const void *one, const void *other)
{
    uint64_t a = ((const trc_payee *)one)->events, b = ((const trc_payee *)other)->events;
    return a < b ? 1 : a > b ? -1 : 0;
}

uint32_t trc_allowance_choose(trc_allowance *allowance, trc_payee *payees, uint32_t count, int64_t cpu)
{
    double refilled = allowance->share * (double)(cpu - allowance->chosen_at);
    double pays = refilled - (double)(allowance->samples - allowance->chosen_samples);
    double least = TRC_ALLOWANCE_EVENTS * refilled;
    double aim = TRC_ALLOWANCE_AIM * (pays > least ? pays : least) / allowance->cost;
    double left = (double)(allowance->events - allowance->chosen_events);
    uint32_t gone = 0;
    qsort(payees, count, sizeof *payees, by_events);
    while (gone < count && payees[gone].events > 0 && (gone == 0 || left > aim)) {
        left -= (double)payees[gone++].events;
    }
    allowance->chosen_at = cpu;
    allowance->chosen_samples = allowance->samples;
    allowance->chosen_events = allowance->events;
    allowance->owed += TRC_ALLOWANCE_ANEW - allowance->left;
    allowance->left = TRC_ALLOWANCE_ANEW;
    return gone;
}
