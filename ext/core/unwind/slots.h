/* The slots of a file's procedure linkage tables: the few instructions through which a function of another file is
 * called. A slot jumps by a word, and the relocation of that word names the function. */
#ifndef TRC_SLOTS_H
#define TRC_SLOTS_H

#include "core/base/alloc.h"
#include "core/unwind/elf.h"

/* It begins as trc_sorted does. */
typedef struct trc_slot {
    uint64_t word; /* the address of the word */
    uint32_t rank; /* 0 */
    uint32_t size;
    uint64_t start;
    const char *name;  /* borrowed from the file; NULL where no relocation names a function */
    uint64_t resolver; /* or the function that chooses it, 0 where there is none */
} trc_slot;

typedef struct trc_slots {
    trc_slot *slots; /* owned */
    size_t count;
} trc_slots;

/* Reads the slots of a file, to be freed by trc_free(). Returns false when memory is out. */
bool trc_slots_read(trc_slots *slots, const trc_elf *elf, const trc_allocator *allocator);

#endif
