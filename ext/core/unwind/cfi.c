/* The call frame information of a file: see cfi.h. */
#include "core/unwind/cfi.h"

enum {
    OMITTED = 0xff, /* encodings of addresses */
    FORM = 0x0f,
    BASE = 0x70,
    INDIRECT = 0x80,
    FROM_PC = 0x10,
    FROM_DATA = 0x30,
    SIGNED_4_FROM_DATA = 0x3b,
    INDEX_ROW = 8, /* bytes of a row of .eh_frame_hdr in this encoding */
};

uint64_t trc_cfi_address(trc_span *span, uint8_t encoding, uint64_t data)
{
    uint64_t base = 0, value;
    if (encoding == OMITTED) {
        return 0;
    }
    if ((encoding & BASE) == FROM_PC) {
        base = trc_span_address(span);
    }
    else if ((encoding & BASE) == FROM_DATA) {
        base = data;
    }
    else if ((encoding & BASE) != 0) {
        trc_span_fail(span);
    }
    switch (encoding & FORM) {
    case 0x0:
    case 0x4:
    case 0xc:
        value = trc_span_u64(span);
        break;
    case 0x1:
        value = trc_span_uleb(span);
        break;
    case 0x2:
        value = trc_span_u16(span);
        break;
    case 0x3:
        value = trc_span_u32(span);
        break;
    case 0x9:
        value = (uint64_t)trc_span_sleb(span);
        break;
    case 0xa:
        value = (uint64_t)trc_signed(trc_span_u16(span), 16);
        break;
    case 0xb:
        value = (uint64_t)trc_signed(trc_span_u32(span), 32);
        break;
    default:
        trc_span_fail(span);
        value = 0;
    }
    return base + value;
}

/* The next record of .eh_frame. Returns false at the end. */
static bool next_record(trc_span *frames, trc_span *record)
{
    uint64_t size = trc_span_u32(frames);
    if (size == UINT32_MAX) {
        size = trc_span_u64(frames);
    }
    *record = trc_span_take(frames, size);
    return !frames->failed && size != 0;
}

/* Reads what the letters of the augmentation say. Returns false where one is unknown and cannot be passed over. */
static bool read_augmentation(trc_cfi_entry *entry, const char *letters, trc_span *record, bool *has_data)
{
    trc_span data = *record;
    *has_data = *letters == 'z';
    if (*has_data) {
        data = trc_span_take(record, trc_span_uleb(record));
        letters++;
    }
    for (; *letters != 0; letters++) {
        switch (*letters) {
        case 'R':
            entry->encoding = trc_span_u8(&data);
            break;
        case 'P': {
            uint8_t encoding = trc_span_u8(&data);
            trc_cfi_address(&data, encoding & FORM, 0);
            break;
        }
        case 'L':
            trc_span_u8(&data);
            break;
        case 'S':
            entry->is_signal = true;
            break;
        case 'B': /* return addresses are signed with the other key */
        case 'G': /* the frame's memory is tagged */
            break;
        default:
            return false;
        }
    }
    if (!*has_data) {
        *record = data;
    }
    return !data.failed && (entry->encoding & INDIRECT) == 0;
}

static bool read_common(const trc_elf *elf, uint64_t address, trc_cfi_entry *entry, bool *has_data)
{
    trc_span frames = trc_elf_at(elf, address), record;
    if (!next_record(&frames, &record) || trc_span_u32(&record) != 0) {
        return false;
    }
    uint8_t version = trc_span_u8(&record);
    const char *letters = trc_span_text(&record);
    if (letters == NULL || (version != 1 && version != 3 && version != 4)) {
        return false;
    }
    if (version == 4) {
        trc_span_take(&record, 2); /* the sizes of an address and of a segment's number */
    }
    entry->code_factor = trc_span_uleb(&record);
    entry->data_factor = trc_span_sleb(&record);
    entry->return_register = version == 1 ? trc_span_u8(&record) : trc_span_uleb(&record);
    if (!read_augmentation(entry, letters, &record, has_data)) {
        return false;
    }
    entry->initial = record;
    return !record.failed;
}

/* Reads an FDE: `record` is past its length. Returns false where it is none, or is damaged. */
static bool read_entry(const trc_elf *elf, trc_span record, trc_cfi_entry *entry)
{
    bool has_data = false;
    uint64_t id_address = trc_span_address(&record);
    uint32_t id = trc_span_u32(&record);
    *entry = (trc_cfi_entry){0};
    if (id == 0 || !read_common(elf, id_address - id, entry, &has_data)) {
        return false;
    }
    entry->start = trc_cfi_address(&record, entry->encoding, 0);
    entry->end = entry->start + trc_cfi_address(&record, entry->encoding & FORM, 0);
    if (has_data) {
        trc_span_take(&record, trc_span_uleb(&record));
    }
    entry->program = record;
    return !record.failed && entry->end > entry->start;
}

static bool is_of(const trc_cfi_entry *entry, uint64_t address)
{
    return entry->start <= address && address < entry->end;
}

/* Looks at one record after another. */
static bool search(const trc_elf *elf, trc_span frames, uint64_t address, trc_cfi_entry *entry)
{
    trc_span record;
    while (next_record(&frames, &record)) {
        if (read_entry(elf, record, entry) && is_of(entry, address)) {
            return true;
        }
    }
    return false;
}

static uint64_t index_address(const trc_span *rows, uint64_t number, uint64_t base)
{
    trc_span at = *rows;
    at.at += number;
    return base + (uint64_t)trc_signed(trc_span_u32(&at), 32);
}

bool trc_cfi_find(const trc_elf *elf, uint64_t address, trc_cfi_entry *entry)
{
    trc_span index = elf->frame_index;
    uint64_t base = trc_span_address(&index);
    uint8_t version = trc_span_u8(&index), frames_encoding = trc_span_u8(&index);
    uint8_t count_encoding = trc_span_u8(&index), rows_encoding = trc_span_u8(&index);
    uint64_t frames = trc_cfi_address(&index, frames_encoding, base);
    if (index.failed || version != 1) {
        return search(elf, elf->frames, address, entry);
    }
    trc_span rows = index;
    uint64_t count = trc_cfi_address(&rows, count_encoding, base), place = 0;
    if (rows.failed || rows_encoding != SIGNED_4_FROM_DATA) {
        return search(elf, trc_span_left(&elf->frames) > 0 ? elf->frames : trc_elf_at(elf, frames), address, entry);
    }
    if (count > trc_span_left(&rows) / INDEX_ROW) {
        count = trc_span_left(&rows) / INDEX_ROW;
    }
    while (count > 0) { /* the row that is looked for is one of `count` from `place` on */
        uint64_t half = (count + 1) / 2;
        if (count == 1 || index_address(&rows, (place + half) * INDEX_ROW, base) <= address) {
            if (count == 1) {
                break;
            }
            place += half;
            count -= half;
        }
        else {
            count = half;
        }
    }
    if (count == 0 || index_address(&rows, place * INDEX_ROW, base) > address) {
        return false;
    }
    trc_span at = trc_elf_at(elf, index_address(&rows, place * INDEX_ROW + 4, base)), record;
    return next_record(&at, &record) && read_entry(elf, record, entry) && is_of(entry, address);
}
