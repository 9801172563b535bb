/* What becomes of a sample: its copy is unwound, cut where Python's own frames begin, named, and counted. */
#ifndef TRC_COUNTING_H
#define TRC_COUNTING_H

#include "core/samples/sampling.h"

/* Counts the samples of all rings. The lock of the data is held, or nobody else uses the sampling. */
void trc_count_samples(trc_sampling *sampling);

#endif
