/* Threads as the interpreter knows them: see threads.h. */
#include "interp/threads.h"

const PyThreadState *trc_state_of(uint64_t id)
{
    PyThreadState *state = trc_first_thread(PyInterpreterState_Get());
    while (state != NULL && state->id != id) {
        state = PyThreadState_Next(state);
    }
    return state;
}

int64_t trc_cpu_of(const trc_clock *clock, uint64_t state_id, uint64_t native_id)
{
    int64_t cpu;
    if (!trc_clock_has_cpu(clock)) {
        return TRC_NO_CPU;
    }
    if (state_id == PyThreadState_Get()->id) {
        return trc_clock_read_cpu(clock);
    }
    bool is_known = trc_state_of(state_id) != NULL && trc_clock_read_cpu_of(clock, native_id, &cpu);
    return is_known ? cpu : TRC_NO_CPU;
}
