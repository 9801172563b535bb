/* The headers of an ELF file: see elf.h. */
#include "core/unwind/elf.h"

enum {
    HEADER_SIZE = 64,
    SEGMENT_SIZE = 56,
    LOAD = 1,
    DYNAMIC = 2,
    NOTE = 4,
    EH_FRAME = 0x6474e550,
    EXECUTABLE = 1, /* of a segment's flags */
    BUILD_ID = 3,
    SMALLEST_PAGE = 4096,
};

typedef struct segment {
    uint32_t type;
    uint32_t flags;
    uint64_t offset;
    uint64_t address;
    uint64_t size;
    uint64_t align;
} segment;

/* `size` bytes of the file, or as many as it has there. */
static trc_span bytes_at(const trc_elf *elf, uint64_t offset, uint64_t size, uint64_t address)
{
    if (offset > elf->size) {
        return trc_span_of(elf->bytes, 0, address);
    }
    uint64_t left = elf->size - offset;
    return trc_span_of(elf->bytes + offset, (size_t)(size < left ? size : left), address);
}

static segment read_segment(trc_span *span)
{
    segment found;
    found.type = trc_span_u32(span);
    found.flags = trc_span_u32(span);
    found.offset = trc_span_u64(span);
    found.address = trc_span_u64(span);
    trc_span_u64(span); /* the physical address */
    found.size = trc_span_u64(span);
    trc_span_u64(span); /* the size in memory */
    found.align = trc_span_u64(span);
    return found;
}

static void add_load(trc_elf *elf, const segment *found)
{
    if (elf->load_count == TRC_ELF_LOADS || found->offset > elf->size) {
        return;
    }
    uint64_t left = elf->size - found->offset;
    bool is_aligned = found->align >= SMALLEST_PAGE && (found->align & (found->align - 1)) == 0;
    elf->loads[elf->load_count++] = (trc_elf_load){
        .address = found->address,
        .offset = found->offset,
        .size = found->size < left ? found->size : left,
        .align = is_aligned ? found->align : SMALLEST_PAGE,
        .executable = (found->flags & EXECUTABLE) != 0,
    };
}

static void find_sections(trc_elf *elf, unsigned names)
{
    trc_elf_section section;
    if (trc_elf_section_at(elf, names, &section)) {
        elf->names = section.bytes;
    }
    for (unsigned i = 0; i < trc_elf_section_count(elf); i++) {
        if (trc_elf_section_at(elf, i, &section) && strcmp(section.name, ".eh_frame") == 0) {
            elf->frames = section.bytes;
        }
    }
}

bool trc_elf_open(trc_elf *elf, const void *bytes, size_t size)
{
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2, 1}; /* 64 bits, little-endian */
    *elf = (trc_elf){.bytes = bytes, .size = size};
    elf->sections = elf->names = elf->frame_index = elf->frames = elf->dynamic = trc_span_of(bytes, 0, 0);
    if (size < HEADER_SIZE || memcmp(bytes, magic, sizeof magic) != 0) {
        return false;
    }
    trc_span header = trc_span_of(elf->bytes + 18, HEADER_SIZE - 18, 18);
    elf->machine = trc_span_u16(&header);
    trc_span_take(&header, 12); /* the version, and where the program begins */
    uint64_t segments = trc_span_u64(&header), sections = trc_span_u64(&header);
    trc_span_take(&header, 6); /* flags, and the size of the header */
    uint16_t segment_size = trc_span_u16(&header), segment_count = trc_span_u16(&header);
    uint16_t section_size = trc_span_u16(&header), section_count = trc_span_u16(&header);
    uint16_t names = trc_span_u16(&header);
    if (segment_size != SEGMENT_SIZE) {
        return false;
    }
    elf->segments = bytes_at(elf, segments, (uint64_t)segment_count * SEGMENT_SIZE, 0);
    for (trc_span span = elf->segments; trc_span_left(&span) >= SEGMENT_SIZE;) {
        segment found = read_segment(&span);
        if (found.type == LOAD) {
            add_load(elf, &found);
        }
        if (found.type == EH_FRAME) {
            elf->frame_index = bytes_at(elf, found.offset, found.size, found.address);
        }
        if (found.type == DYNAMIC) {
            elf->dynamic = bytes_at(elf, found.offset, found.size, found.address);
        }
    }
    if (section_size == TRC_ELF_SECTION_SIZE && sections != 0) {
        elf->sections = bytes_at(elf, sections, (uint64_t)section_count * TRC_ELF_SECTION_SIZE, 0);
        find_sections(elf, names);
    }
    return elf->load_count > 0;
}

/* How well a mapping fits a segment; 0 is not at all. */
static int fit(const trc_elf_load *load, uint64_t map_offset)
{
    uint64_t first = load->offset & ~(load->align - 1);
    if (map_offset < first || map_offset - first >= load->offset - first + load->size) {
        return 0;
    }
    bool begins_here = map_offset == (load->offset & ~(uint64_t)(SMALLEST_PAGE - 1));
    return 1 + begins_here + 2 * load->executable;
}

bool trc_elf_bias(const trc_elf *elf, uint64_t map_start, uint64_t map_offset, uint64_t *bias)
{
    int best = 0;
    for (unsigned i = 0; i < elf->load_count; i++) {
        const trc_elf_load *load = &elf->loads[i];
        int found = fit(load, map_offset);
        if (found > best) {
            best = found;
            *bias = map_start - (load->address + map_offset - load->offset);
        }
    }
    return best > 0;
}

bool trc_elf_build_id(const trc_elf *elf, trc_span *id)
{
    for (trc_span span = elf->segments; trc_span_left(&span) >= SEGMENT_SIZE;) {
        segment found = read_segment(&span);
        trc_span notes = bytes_at(elf, found.offset, found.size, found.address);
        uint32_t align = found.align == 8 ? 8 : 4;
        while (found.type == NOTE && trc_span_left(&notes) > 0) {
            uint32_t name_size = trc_span_u32(&notes), size = trc_span_u32(&notes), type = trc_span_u32(&notes);
            trc_span name = trc_span_take(&notes, name_size);
            trc_span_take(&notes, (0 - (12 + (uint64_t)name_size)) % align);
            *id = trc_span_take(&notes, size);
            if (notes.failed) {
                break;
            }
            if (type == BUILD_ID && name_size == 4 && memcmp(name.at, "GNU", 4) == 0) {
                return true;
            }
            uint64_t gap = (0 - (uint64_t)size) % align;
            trc_span_take(&notes, gap < trc_span_left(&notes) ? gap : trc_span_left(&notes));
        }
    }
    return false;
}

static const trc_elf_load *load_of(const trc_elf *elf, uint64_t address)
{
    for (unsigned i = 0; i < elf->load_count; i++) {
        if (address - elf->loads[i].address < elf->loads[i].size) {
            return &elf->loads[i];
        }
    }
    return NULL;
}

trc_span trc_elf_at(const trc_elf *elf, uint64_t address)
{
    const trc_elf_load *load = load_of(elf, address);
    if (load == NULL) {
        trc_span none = trc_span_of(elf->bytes, 0, address);
        trc_span_fail(&none);
        return none;
    }
    uint64_t offset = address - load->address;
    return bytes_at(elf, load->offset + offset, load->size - offset, address);
}

bool trc_elf_is_code(const trc_elf *elf, uint64_t address, uint64_t *end)
{
    const trc_elf_load *load = load_of(elf, address);
    if (load == NULL || !load->executable) {
        return false;
    }
    *end = load->address + load->size;
    return true;
}

unsigned trc_elf_section_count(const trc_elf *elf)
{
    return (unsigned)(trc_span_left(&elf->sections) / TRC_ELF_SECTION_SIZE);
}

bool trc_elf_section_at(const trc_elf *elf, unsigned number, trc_elf_section *section)
{
    if (number >= trc_elf_section_count(elf)) {
        return false;
    }
    trc_span span = elf->sections, names = elf->names;
    trc_span_take(&span, (uint64_t)number * TRC_ELF_SECTION_SIZE);
    trc_span_take(&names, trc_span_u32(&span));
    section->name = trc_span_text(&names);
    if (section->name == NULL) {
        section->name = "";
    }
    section->type = trc_span_u32(&span);
    section->flags = trc_span_u64(&span);
    section->address = trc_span_u64(&span);
    uint64_t offset = trc_span_u64(&span);
    section->size = trc_span_u64(&span);
    section->link = trc_span_u32(&span);
    section->bytes = bytes_at(elf, offset, section->type == TRC_ELF_NOBITS ? 0 : section->size, section->address);
    return true;
}

bool trc_elf_dynamic(const trc_elf *elf, int64_t tag, uint64_t *value)
{
    for (trc_span span = elf->dynamic; trc_span_left(&span) >= 16;) {
        int64_t found = (int64_t)trc_span_u64(&span);
        *value = trc_span_u64(&span);
        if (found == tag) {
            return true;
        }
        if (found == 0) {
            break;
        }
    }
    return false;
}
