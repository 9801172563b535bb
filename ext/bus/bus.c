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
        trc_bus_iterator each;
        for (trc_recorder *recorder = trc_bus_first(&each, &bus->active[kind]); recorder != NULL;
             recorder = trc_bus_next(&each)) {
            if (!trc_timer_is_running(&recorder->timer)) {
                tell(recorder, what);
            }
        }
    }
}

static void pause_one(trc_recorder *recorder, const void *ignored)
{
    (void)ignored;
    trc_recorder_pause(recorder);
}

static void resume_one(trc_recorder *recorder, const void *ignored)
{
    (void)ignored;
    trc_recorder_resume(recorder);
}

void trc_bus_pause(trc_bus *bus)
{
    trc_bus_tell_all(bus, pause_one, NULL);
    trc_line_bus_pause(&bus->lines);
}

void trc_bus_resume(trc_bus *bus)
{
    trc_line_bus_resume(&bus->lines);
    trc_bus_tell_all(bus, resume_one, NULL);
}
