/* The functions that a file calls in others: see imports.h. */
#define _GNU_SOURCE /* process_vm_readv */
#include "core/samples/imports.h"

#include "core/samples/support.h"
#include "core/unwind/relocations.h"

#if TRC_SAMPLES
#include <sys/uio.h>
#include <unistd.h>

#define AT_ONCE 256 /* words that are read by one call */

typedef struct reading {
    trc_imports *imports;
    const trc_symbols *symbols;
    uint64_t bias;
    size_t room; /* 0: they are only counted */
} reading;

static void add(void *context, const trc_relocation *relocation)
{
    reading *to = context;
    const char *name = relocation->name;
    trc_symbol resolver;
    if (name == NULL && trc_symbols_find(to->symbols, relocation->resolver, &resolver)) {
        name = resolver.name;
    }
    if (name != NULL && to->imports->count < to->room) {
        to->imports->imports[to->imports->count] = (trc_import){relocation->word + to->bias, name};
    }
    to->imports->count += name != NULL;
}

void trc_imports_read(trc_imports *imports, const trc_elf *elf, const trc_symbols *symbols, uint64_t bias)
{
    reading to = {imports, symbols, bias, 0};
    *imports = (trc_imports){.imports = NULL};
    trc_relocations_each(elf, add, &to);
    to.room = imports->count;
    imports->count = 0;
    imports->imports = malloc(to.room * sizeof *imports->imports);
    if (imports->imports != NULL) {
        trc_relocations_each(elf, add, &to);
    }
}

void trc_imports_free(trc_imports *imports)
{
    free(imports->imports);
    *imports = (trc_imports){.imports = NULL};
}

const char *trc_imports_name(const trc_imports *imports, uint64_t address)
{
    struct iovec pieces[AT_ONCE];
    uint64_t words[AT_ONCE];
    for (size_t first = 0; first < imports->count; first += AT_ONCE) {
        size_t count = imports->count - first < AT_ONCE ? imports->count - first : AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            pieces[i] = (struct iovec){(void *)(uintptr_t)imports->imports[first + i].word, sizeof *words};
        }
        struct iovec to = {words, count * sizeof *words};
        ssize_t size = process_vm_readv(getpid(), &to, 1, pieces, count, 0);
        for (size_t i = 0; size > 0 && i < (size_t)size / sizeof *words; i++) {
            if (words[i] == address) {
                return imports->imports[first + i].name;
            }
        }
    }
    return NULL;
}
#endif
