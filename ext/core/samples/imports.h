/* The functions of other files that a file calls: by which word of the process each is found, and its name. A function
 * that has no name in its own file may have one there: strlen is one of several functions of the C library, chosen when
 * that is loaded, and the names of those are often stripped. */
#ifndef TRC_IMPORTS_H
#define TRC_IMPORTS_H

#include "core/unwind/symbols.h"

typedef struct trc_import {
    uint64_t word;    /* an address of the process */
    const char *name; /* borrowed from the file */
} trc_import;

typedef struct trc_imports {
    trc_import *imports; /* owned */
    size_t count;
} trc_imports;

/* bias: what the process adds to the file's addresses. When memory is out there are none. */
void trc_imports_read(trc_imports *imports, const trc_elf *elf, const trc_symbols *symbols, uint64_t bias);
void trc_imports_free(trc_imports *imports);

/* The name of the function that begins at an address of this process, or NULL. The file may be unloaded meanwhile. */
const char *trc_imports_name(const trc_imports *imports, uint64_t address);

#endif
