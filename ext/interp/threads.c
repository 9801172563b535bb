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

int trc_slot_open(Py_tss_t *slot)
{
    if (PyThread_tss_create(slot) != 0) {
        PyErr_SetString(PyExc_RuntimeError,
                        "no thread-specific storage is left: too many profiles are enabled at once");
        return -1;
    }
    return 0;
}

int trc_slot_renew(Py_tss_t *slot)
{
    Py_tss_t fresh = Py_tss_NEEDS_INIT;
    if (trc_slot_open(&fresh) < 0) {
        return -1;
    }
    PyThread_tss_delete(slot);
    *slot = fresh;
    return 0;
}
