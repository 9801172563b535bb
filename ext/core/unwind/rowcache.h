/* The rows of call frame information that were made before, by the address that they are of, as far as they are simple:
 * the CFA is a register and an offset, and what is saved is at an offset from it. The memory is the caller's. */
#ifndef TRC_ROWCACHE_H
#define TRC_ROWCACHE_H

#include "core/unwind/cfi_program.h"

#define TRC_ROWCACHE_WAYS 4

enum { TRC_SMALL_SIGNAL = 1, TRC_SMALL_OUTERMOST = 2, TRC_SMALL_RA_IN_REGISTER = 4 };

/* A simple row. */
typedef struct trc_small_row {
    uint64_t pc; /* 0: none */
    int32_t cfa_offset;
    uint8_t cfa_register;
    uint8_t flags;
    int16_t return_address;          /* where it is: words from the CFA */
    int16_t saved[TRC_CALLEE_SAVED]; /* the same of the architecture's callee-saved registers; 0: as it was */
} trc_small_row;

_Static_assert(sizeof(trc_small_row) <= 40, "four rows take 160 bytes");

typedef struct trc_rowcache {
    trc_small_row *rows; /* borrowed */
    uint32_t set_count;  /* of TRC_ROWCACHE_WAYS rows, the newest first */
} trc_rowcache;

/* Makes a cache of `count` rows, rounded down to whole sets. To be called again when a module has gone. */
void trc_rowcache_init(trc_rowcache *cache, trc_small_row *rows, size_t count);

/* The row of an address, or NULL. */
const trc_small_row *trc_rowcache_find(const trc_rowcache *cache, uint64_t pc);

/* Adds a row, in the place of the oldest of its set. */
void trc_rowcache_add(trc_rowcache *cache, const trc_small_row *row);

/* Makes `row` small. Returns false where it is not simple. */
bool trc_row_simplify(const trc_row *row, const trc_arch *arch, uint64_t pc, trc_small_row *small);

#endif
