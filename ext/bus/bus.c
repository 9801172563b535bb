/* The enabled recorders of an interpreter: see bus.h. */
#include "bus/bus.h"

bool trc_bus_is_active(const trc_bus *bus)
{
    bool active = false;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        active = active || bus->active[kind] != NULL;
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

/* Lines are paused last, and go on first: they are in the midst of calls. */
void trc_bus_pause(trc_bus *bus)
{
    for (int i = 0; i <= TRC_BACKEND_COUNT; i++) {
        trc_each_recording each;
        trc_recording *const *list = i < TRC_BACKEND_COUNT ? &bus->active[i] : &bus->lines.active;
        for (trc_recording *one = trc_first_recording(&each, list); one != NULL; one = trc_next_recording(&each)) {
            one->kind->pause(one);
        }
    }
}

void trc_bus_resume(trc_bus *bus)
{
    for (int i = TRC_BACKEND_COUNT; i >= 0; i--) {
        trc_each_recording each;
        trc_recording *const *list = i < TRC_BACKEND_COUNT ? &bus->active[i] : &bus->lines.active;
        for (trc_recording *one = trc_first_recording(&each, list); one != NULL; one = trc_next_recording(&each)) {
            one->kind->resume(one);
        }
    }
}
