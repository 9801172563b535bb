/* The functions of a file by their addresses: of .symtab, of the dynamic symbols, and the slots of procedure linkage
 * tables, which are named after the functions that they jump to. */
#ifndef TRC_SYMBOLS_H
#define TRC_SYMBOLS_H

#include "core/base/alloc.h"
#include "core/unwind/elf.h"

typedef struct trc_symbol {
    uint64_t start; /* an address of the file */
    uint64_t size;
    const char *name; /* borrowed from the file, or from the symbols */
} trc_symbol;

/* A symbol as it is kept. It begins as trc_sorted does. */
typedef struct trc_named {
    uint64_t start;
    uint32_t rank; /* how good a name it is: of two at one address, the one of the lower rank stays */
    uint32_t size;
    const char *name;
} trc_named;

typedef struct trc_symbols {
    const trc_allocator *allocator;
    trc_named *named; /* owned; in the order of their starts, of which no two are the same */
    size_t count;
    char *slot_names; /* owned */
    bool has_chosen;  /* some functions of the file are chosen when it is loaded, and may have no names of their own */
} trc_symbols;

/* Reads the functions of a file, which must stay open as long as `symbols` is used. Returns false when memory is out;
 * then there are none. */
bool trc_symbols_read(trc_symbols *symbols, const trc_elf *elf, const trc_allocator *allocator);

void trc_symbols_free(trc_symbols *symbols);

/* Finds the function that has an address. Returns false where none has: a name is never told of what is behind it. */
bool trc_symbols_find(const trc_symbols *symbols, uint64_t address, trc_symbol *symbol);

#endif
