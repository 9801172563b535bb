/* The log of a thread whose process was killed: of the blocks that the process left, what makes sense; and the stretches
 * that were under way. Those stand in the profile that was saved last, with the time of that save as their end. */
#ifndef TRC_CRASH_RECOVERY_H
#define TRC_CRASH_RECOVERY_H

#include "core/log/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes to `to`, which has room for as many bytes, what is left of a log without stretches that took less than `least`
 * and nodes from `node_count` on. Bytes that are damaged end their block. Returns how many bytes are left. */
size_t trc_slices_recover(uint8_t *to, const uint8_t *data, size_t size, trc_tick least, size_t node_count);

/* Writes to `to`, which has room for TRC_OPEN_GROWS times as many bytes as `open`, a block with the stretches of
 * `open` that were under way until the end: those whose end `data` does not have, mended with the same `least`. They go
 * on until `ended`. Returns how many bytes it takes; 0: no stretch was. */
#define TRC_OPEN_GROWS 12
size_t trc_slices_go_on(uint8_t *to, const uint8_t *data, size_t size, const uint8_t *open, size_t open_size,
                        trc_tick least, trc_tick ended);

#endif
