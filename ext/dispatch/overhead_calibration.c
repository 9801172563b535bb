/* Which handlers are timed: see overhead_calibration.h. */
#include "dispatch/overhead_calibration.h"

void trc_calibration_init(trc_calibration *calibration)
{
    calibration->random = calibration->random * 6364136223846793005u + 1442695040888963407u;
    calibration->distance = TRC_BURST_DISTANCE / 2 + (uint32_t)((calibration->random >> 33) % TRC_BURST_DISTANCE);
    calibration->left = (int32_t)calibration->distance;
}

uint32_t trc_calibration_end_burst(trc_calibration *calibration)
{
    uint32_t distance = calibration->distance;
    trc_calibration_init(calibration);
    return distance + 1; /* and the call that ends it */
}

trc_sample trc_sample_begin(trc_recorder *only)
{
    trc_sample sample = {trc_sampled(only), 0};
    if (sample.recorder != NULL) {
        sample.ticks = trc_clock_now(&sample.recorder->base.clock);
    }
    return sample;
}

void trc_sample_end(trc_sample *sample, const trc_recorder *only)
{
    if (sample->recorder != only) {
        sample->recorder = NULL;
    }
    if (sample->recorder != NULL) {
        sample->ticks = trc_ticks_since(trc_clock_now(&sample->recorder->base.clock), sample->ticks);
    }
}

void trc_sample_keep(const trc_sample *sample, trc_handler handler, PyCodeObject *code, bool is_far)
{
    trc_recorder *recorder = sample->recorder;
    if (recorder == NULL || !trc_recorder_records_here(recorder)) {
        return;
    }
    const trc_decision *decision = recorder->base.filter == NULL ? NULL : trc_filter_find(recorder->base.filter, code);
    if (recorder->base.filter == NULL || (decision != NULL && decision->in)) {
        trc_handler_took(&recorder->handlers[handler], sample->ticks, is_far);
    }
}
