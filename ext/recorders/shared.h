/* What the recorders of one interpreter share: its threads, its sources, the gates, and the lists of those enabled. */
#ifndef TRC_SHARED_H
#define TRC_SHARED_H

#include "core/samples/sampling.h"
#include "recorders/gates.h"
#include "sources/calls_monitoring.h"
#include "sources/calls_setprofile.h"
#include "sources/lines_monitoring.h"
#include "sources/lines_settrace.h"
#include "sources/starts_monitoring.h"

typedef struct trc_recording trc_recording;

typedef struct trc_shared {
    trc_registry registry;
    trc_slot_pool slots;                     /* of threads whose native code is sampled */
    trc_clock wall;                          /* the clock of a recorder without a timer */
    trc_recording *calls[TRC_BACKEND_COUNT]; /* the enabled recorders of calls, by back end, latest first; ... */
    trc_recording *lines;                    /* ... and those of lines. Each removes itself before it goes */
    uint64_t serials;                        /* how many times a recorder has been enabled */
    uint64_t forks;                          /* how many forks led to this process since the interpreter began */
    bool has_news; /* a function or a thread was seen for the first time, and the dispatcher has not looked since */
    trc_gates gates;
    trc_calls_monitoring calls_monitoring;
    trc_calls_setprofile calls_setprofile;
    trc_starts_monitoring starts_monitoring;
    trc_lines_monitoring lines_monitoring;
    trc_lines_settrace lines_settrace;
} trc_shared;

#endif
