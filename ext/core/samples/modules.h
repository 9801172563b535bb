/* The files of code that are loaded in the process: their addresses, and what the unwinder needs of them. A file is
 * mapped, and its symbols are read, when an address of it is first asked for. What has been loaded once stays known, for
 * samples name it. */
#ifndef TRC_MODULES_H
#define TRC_MODULES_H

#include "core/samples/imports.h"
#include "core/unwind/unwind.h"

typedef struct trc_code_file {
    char *path;     /* owned */
    uint64_t start; /* where its code is mapped */
    uint64_t end;
    uint64_t offset; /* of `start` in the file */
    uint64_t bias;   /* what the process adds to the file's addresses */
    bool is_loaded;
    bool is_read;
    bool is_memory; /* the kernel's own library, which is no file */
    void *mapped;   /* owned, unless it is memory; NULL where it cannot be read */
    size_t mapped_size;
    trc_elf elf;
    trc_symbols symbols;
    trc_imports imports;
} trc_code_file;

typedef struct trc_modules {
    trc_code_file **files; /* owned; in the order in which they were found */
    uint32_t count;
    uint64_t changes; /* how often the process had loaded or unloaded something when it was last looked at */
    bool has_looked;
    bool by_maps; /* the loader may not be asked, but the kernel; set before the first look */
    unsigned looks;
    trc_module *loaded;     /* owned; those that are loaded, in the order of their starts */
    uint32_t *loaded_files; /* owned; their places in `files` */
    size_t loaded_count;
} trc_modules;

/* Looks at what is loaded, if that has changed since. Returns whether it has. The loader tells that under a lock. In a
 * process that was forked, a thread that is not there may have that lock for ever; then the kernel's list of mappings is
 * read, which takes longer and is done at each 16th look. */
bool trc_modules_look(trc_modules *modules);
void trc_modules_free(trc_modules *modules);

/* Returns the place of the file that has this address, which is read then, or UINT32_MAX. */
uint32_t trc_modules_find(trc_modules *modules, uint64_t address);

/* The name by which one of the files that have been read calls the function that begins at an address, or NULL. */
const char *trc_modules_name(const trc_modules *modules, uint64_t begin);

#endif
