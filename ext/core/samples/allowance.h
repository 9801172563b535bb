/* What events may cost a program that is to be slowed down by so much at most. An allowance, which the program's CPU time
 * refills, pays for each event, and for the samples. When it is used up, those of whom most events came go, until the rest
 * stays well below what is refilled. What was spent beyond it is owed, and a part of what is refilled pays that back.
 *
 * What an event costs is guessed at first, and measured by samples ever better: they see some of the time that an event
 * adds, as the rest is the interpreter's, on the way to the callback and back. */
#ifndef TRC_ALLOWANCE_H
#define TRC_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

#define TRC_FIRST_COST 75         /* ns an event, as a guess: 35 to 70 where they are usual, twice as much elsewhere */
#define TRC_GUESS_HOLDS 20e6      /* ns of events that weigh as much as the guess */
#define TRC_SEEN_OF_COST 0.45     /* of what an event adds, .40 to .52 are within its callback */
#define TRC_ALLOWANCE_MOST 5e6    /* ns that are saved up */
#define TRC_ALLOWANCE_LEAST 1e5   /* ns: with less, it is used up */
#define TRC_ALLOWANCE_ANEW 1e6    /* ns to go on with, once it is decided who goes */
#define TRC_ALLOWANCE_AIM 0.8     /* of what is refilled, for those that stay; the rest pays back what is owed */
#define TRC_ALLOWANCE_EVENTS 0.25 /* of what is refilled, whatever samples took: those who are seldom told of stay */

typedef struct trc_allowance {
    double share;           /* of the CPU time; all of it suffices, whatever an event costs */
    double left;            /* ns */
    double owed;            /* ns */
    double cost;            /* ns an event */
    int64_t cpu;            /* of the process when it was refilled last, in ns */
    int64_t samples;        /* ns that samples had taken then */
    uint64_t events;        /* all that were paid for */
    int64_t chosen_at;      /* CPU time when it was last decided who goes, */
    int64_t chosen_samples; /* ns that samples had taken, */
    uint64_t chosen_events; /* and events up to then */
} trc_allowance;

/* Begins at this CPU time of the process. */
void trc_allowance_init(trc_allowance *allowance, double share, int64_t cpu);

/* Goes on at this CPU time, after a rest. */
void trc_allowance_go_on(trc_allowance *allowance, int64_t cpu);

/* Pays for an event. Returns false when it is used up, as far as is known. */
static inline bool trc_allowance_pay(trc_allowance *allowance)
{
    allowance->events++;
    allowance->left -= allowance->cost;
    return allowance->left >= 0;
}

/* Refills it, up to this CPU time, and pays for the samples, which have taken so much up to now. Returns false when it is
 * used up. */
bool trc_allowance_refill(trc_allowance *allowance, int64_t cpu, int64_t samples);

/* So much CPU time, in ns, was seen in callbacks up to now. */
void trc_allowance_measure(trc_allowance *allowance, int64_t seen);

/* Whose events are told of. */
typedef struct trc_payee {
    void *who;
    uint64_t events; /* since it was last decided */
} trc_payee;

/* Decides who goes: puts those first, the dearest in front, and returns how many there are; at least one, if there is
 * any. */
uint32_t trc_allowance_choose(trc_allowance *allowance, trc_payee *payees, uint32_t count, int64_t cpu);

#endif
