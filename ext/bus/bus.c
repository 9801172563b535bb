/* The enabled recorders of an interpreter: see bus.h. */
#include "bus/bus.h"

bool trc_bus_is_active(const trc_bus *bus)
{
    bool active = false;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        active = active || bus->shared.calls[kind] != NULL;
    }
    return active;
}

void trc_bus_tell_all(trc_bus *bus, void (*tell)(trc_recorder *recorder, const void *what), const void *what)
{
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        trc_each_recording each;
        for (trc_recorder *recorder = trc_bus_first(&each, bus, kind); recorder != NULL;
             recorder = trc_bus_next(&each)) {
            if (!trc_timer_is_running(&recorder->base.timer)) {
                tell(recorder, what);
            }
        }
    }
}
