/* The slots of procedure linkage tables: see slots.h. */
#include "core/unwind/slots.h"
#include "core/unwind/arch.h"
#include "core/unwind/relocations.h"
#include "core/unwind/sorting.h"

enum { SLOT_SIZE = 16 }; /* x86-64, but for those of 8 that end in a nop */

/* [endbr64;] [bnd] jmp *distance(%rip). */
static bool decode_x86_64(trc_span code, trc_slot *slot)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const uint8_t *at = code.at;
    if (trc_span_left(&code) < SLOT_SIZE) {
        return false;
    }
    size_t skipped = memcmp(at, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
    skipped += at[skipped] == 0xf2;
    if (at[skipped] != 0xff || at[skipped + 1] != 0x25) {
        return false;
    }
    trc_span_take(&code, skipped + 2);
    int64_t distance = trc_signed(trc_span_u32(&code), 32);
    slot->word = trc_span_address(&code) + (uint64_t)distance;
    slot->size = code.at[0] == 0x66 && code.at[1] == 0x90 && skipped == 0 ? SLOT_SIZE / 2 : SLOT_SIZE;
    return true;
}

/* [bti c;] adrp x16, page; ldr x17, [x16, #offset]. */
static bool decode_aarch64(trc_span code, trc_slot *slot)
{
    uint32_t first = trc_span_u32(&code);
    slot->size = 16;
    if (first == 0xd503245f) {
        first = trc_span_u32(&code);
        slot->size = 24;
    }
    uint64_t page = (trc_span_address(&code) - 4) & ~UINT64_C(4095);
    uint32_t second = trc_span_u32(&code);
    if (code.failed || (first & 0x9f00001f) != 0x90000010 || (second & 0xffc003ff) != 0xf9400211) {
        return false;
    }
    uint64_t pages = (uint64_t)trc_signed((first >> 5 & 0x7ffff) << 2 | (first >> 29 & 3), 21);
    slot->word = page + (pages << 12) + 8 * (uint64_t)(second >> 10 & 0xfff);
    return true;
}

/* Counts the slots of a section, and writes them where `slots` is not NULL. */
static size_t read_section(const trc_elf *elf, trc_span code, trc_slot *slots)
{
    bool is_x86_64 = elf->machine == trc_x86_64.machine;
    size_t count = 0, step = is_x86_64 ? SLOT_SIZE / 2 : 4;
    while (trc_span_left(&code) >= step) {
        trc_slot slot = {.start = trc_span_address(&code)};
        bool is_slot = is_x86_64 ? decode_x86_64(code, &slot) : decode_aarch64(code, &slot);
        if (is_slot && slots != NULL) {
            slots[count] = slot;
        }
        count += is_slot;
        trc_span_take(&code, is_slot && slot.size <= trc_span_left(&code) ? slot.size : step);
    }
    return count;
}

static size_t read_sections(const trc_elf *elf, trc_slot *slots)
{
    size_t count = 0;
    for (unsigned i = 0; i < trc_elf_section_count(elf); i++) {
        trc_elf_section section;
        if (trc_elf_section_at(elf, i, &section) && (section.flags & TRC_ELF_EXECUTABLE) != 0 &&
            (strncmp(section.name, ".plt", 4) == 0 || strcmp(section.name, ".iplt") == 0)) {
            count += read_section(elf, section.bytes, slots == NULL ? NULL : slots + count);
        }
    }
    return count;
}

/* The first slot that jumps by a word, or `count`. */
static size_t first_by(const trc_slots *slots, uint64_t word)
{
    size_t first = 0, count = slots->count;
    while (count > 0) {
        size_t half = count / 2;
        if (slots->slots[first + half].word < word) {
            first += half + 1;
            count -= half + 1;
        }
        else {
            count = half;
        }
    }
    return first;
}

static void relocate(void *context, const trc_relocation *relocation)
{
    const trc_slots *slots = context;
    for (size_t i = first_by(slots, relocation->word);
         i < slots->count && slots->slots[i].word == relocation->word && slots->slots[i].name == NULL; i++) {
        slots->slots[i].name = relocation->name;
        slots->slots[i].resolver = relocation->resolver;
    }
}

bool trc_slots_read(trc_slots *slots, const trc_elf *elf, const trc_allocator *allocator)
{
    slots->count = read_sections(elf, NULL);
    slots->slots = NULL;
    if (slots->count == 0) {
        return true;
    }
    slots->slots = trc_alloc(allocator, slots->count * sizeof *slots->slots);
    if (slots->slots == NULL) {
        return false;
    }
    read_sections(elf, slots->slots);
    trc_sort(slots->slots, slots->count, sizeof *slots->slots);
    trc_relocations_each(elf, relocate, slots);
    return true;
}
