/* The relocations of a file that name functions: the words in which the process finds the address of each. */
#ifndef TRC_RELOCATIONS_H
#define TRC_RELOCATIONS_H

#include "core/unwind/elf.h"

typedef struct trc_relocation {
    uint64_t word;     /* an address of the file */
    const char *name;  /* borrowed from the file; NULL where there is a resolver */
    uint64_t resolver; /* the function of the file that chooses the one to be called, or 0 */
} trc_relocation;

/* Calls `use` with each. */
void trc_relocations_each(const trc_elf *elf, void (*use)(void *context, const trc_relocation *relocation),
                          void *context);

/* A dynamic symbol's text, by the place of its name. Returns NULL where there is none. */
const char *trc_dynamic_text(const trc_elf *elf, uint32_t place);

#endif
