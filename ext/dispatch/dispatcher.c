/* The enabled recorders of an interpreter: see dispatcher.h. */
#include "dispatch/dispatcher.h"

bool trc_dispatcher_is_active(const trc_dispatcher *dispatcher)
{
    bool active = false;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        active = active || dispatcher->shared.calls[kind] != NULL;
    }
    return active;
}

void trc_dispatch_tell_all(trc_dispatcher *dispatcher, void (*tell)(trc_recorder *recorder, const void *what),
                           const void *what)
{
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        trc_each_recording each;
        for (trc_recorder *recorder = trc_dispatch_first(&each, dispatcher, kind); recorder != NULL;
             recorder = trc_dispatch_next(&each)) {
            if (!trc_timer_is_running(&recorder->base.timer)) {
                tell(recorder, what);
            }
        }
    }
}
