/* An ELF file of 64 bits, little-endian, as its bytes are in the file: where its addresses are, and its tables. The
 * section headers may be missing, and everything may be damaged. Addresses are the file's own; what a process adds to
 * them is the bias of a module. */
#ifndef TRC_ELF_H
#define TRC_ELF_H

#include "core/unwind/span.h"

#define TRC_ELF_LOADS 16 /* segments that are loaded; the files of usual linkers have 2 to 5 */
#define TRC_ELF_SECTION_SIZE 64
#define TRC_ELF_SYMBOL_SIZE 24
#define TRC_ELF_RELA_SIZE 24

typedef struct trc_elf_load {
    uint64_t address;
    uint64_t offset;
    uint64_t size; /* of its bytes in the file */
    uint64_t align;
    bool executable;
} trc_elf_load;

typedef struct trc_elf {
    const uint8_t *bytes; /* borrowed */
    size_t size;
    uint16_t machine;
    trc_elf_load loads[TRC_ELF_LOADS];
    unsigned load_count;
    trc_span segments;    /* the program headers */
    trc_span sections;    /* the section headers; empty where they are missing */
    trc_span names;       /* the names of sections */
    trc_span frame_index; /* .eh_frame_hdr; empty where there is none */
    trc_span frames;      /* .eh_frame; empty where no section header tells it */
    trc_span dynamic;     /* the dynamic section */
} trc_elf;

typedef struct trc_elf_section {
    const char *name; /* "" where it has none */
    uint32_t type;
    uint64_t flags;
    uint64_t address;
    uint64_t size;
    uint32_t link;
    trc_span bytes; /* empty for one without bytes in the file */
} trc_elf_section;

enum { TRC_ELF_SYMTAB = 2, TRC_ELF_NOBITS = 8, TRC_ELF_EXECUTABLE = 4 /* of a section's flags */ };

/* Reads the headers. The bytes stay the caller's, and must stay as long as `elf` is used. Returns false where this is no
 * ELF file that can be read. */
bool trc_elf_open(trc_elf *elf, const void *bytes, size_t size);

/* What a process adds to the file's addresses, from one mapping of the file. An executable mapping is the surest, since
 * two segments may share a page of the file. Returns false where the file has no segment there. */
bool trc_elf_bias(const trc_elf *elf, uint64_t map_start, uint64_t map_offset, uint64_t *bias);

/* The GNU build id. Returns false where there is none. */
bool trc_elf_build_id(const trc_elf *elf, trc_span *id);

/* The bytes from an address to the end of its segment; empty and failed where the file has none. */
trc_span trc_elf_at(const trc_elf *elf, uint64_t address);

/* Whether an address is in an executable segment, and where that ends. */
bool trc_elf_is_code(const trc_elf *elf, uint64_t address, uint64_t *end);

unsigned trc_elf_section_count(const trc_elf *elf);

/* The section of this number. Returns false where there is none. */
bool trc_elf_section_at(const trc_elf *elf, unsigned number, trc_elf_section *section);

/* The value of an entry of the dynamic section, as DT_STRTAB. Returns false where there is none. */
bool trc_elf_dynamic(const trc_elf *elf, int64_t tag, uint64_t *value);

#endif
