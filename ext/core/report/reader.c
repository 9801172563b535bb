/* A bounded scanner of profile files: see reader.h. The type codes are those of CPython's marshal module
 * (Python/marshal.c and Doc/library/marshal.rst), versions 0 to 5. */
#include "core/report/reader.h"

#include <stdlib.h>
#include <string.h>

#define FLAG_REMEMBER 0x80
#define LONGEST_FLOAT 64 /* characters of a float written as text */
#define DIGIT_BITS 15    /* marshal writes big integers in digits of 15 bits */

void trc_reader_init(trc_reader *reader, const void *data, size_t size)
{
    reader->data = data;
    reader->size = size;
    reader->offset = 0;
    reader->error = NULL;
}

static trc_token fail(trc_reader *reader, const char *error)
{
    trc_token token = {0};
    token.kind = TRC_TOKEN_ERROR;
    if (reader->error == NULL) {
        reader->error = error;
    }
    return token;
}

/* The next `size` bytes, or NULL with the error set. */
static const uint8_t *take(trc_reader *reader, size_t size)
{
    if (size > reader->size - reader->offset) {
        fail(reader, "the file ends in the middle of a value");
        return NULL;
    }
    const uint8_t *bytes = reader->data + reader->offset;
    reader->offset += size;
    return bytes;
}

static uint64_t little_endian(const uint8_t *bytes, int size)
{
    uint64_t value = 0;
    for (int i = size; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static bool take_number(trc_reader *reader, int size, uint64_t *value)
{
    const uint8_t *bytes = take(reader, (size_t)size);
    *value = bytes == NULL ? 0 : little_endian(bytes, size);
    return bytes != NULL;
}

static trc_token string(trc_reader *reader, trc_token token, trc_token_kind kind, int size_bytes)
{
    uint64_t size;
    if (!take_number(reader, size_bytes, &size) || (token.bytes = take(reader, size)) == NULL) {
        return fail(reader, NULL);
    }
    token.kind = kind;
    token.size = size;
    return token;
}

static trc_token container(trc_reader *reader, trc_token token, trc_token_kind kind, int size_bytes)
{
    uint64_t count;
    if (!take_number(reader, size_bytes, &count)) {
        return fail(reader, NULL);
    }
    if (count > reader->size - reader->offset) { /* each value has at least one byte */
        return fail(reader, "a sequence is longer than the file");
    }
    token.kind = kind;
    token.count = (uint32_t)count;
    return token;
}

static trc_token integer(trc_reader *reader, trc_token token, int size)
{
    uint64_t value;
    if (!take_number(reader, size, &value)) {
        return fail(reader, NULL);
    }
    token.kind = TRC_TOKEN_INTEGER;
    token.integer = size == 4 ? (int32_t)value : (int64_t)value;
    return token;
}

/* A count of digits, negative for a negative integer, then the digits, lowest first. */
static trc_token long_integer(trc_reader *reader, trc_token token)
{
    uint64_t raw;
    if (!take_number(reader, 4, &raw)) {
        return fail(reader, NULL);
    }
    int32_t signed_count = (int32_t)raw;
    int64_t count = signed_count < 0 ? -(int64_t)signed_count : signed_count;
    if (count > 5) {
        return fail(reader, "an integer has more than 64 bits");
    }
    uint64_t value = 0;
    for (int i = 0; i < count; i++) {
        uint64_t digit;
        if (!take_number(reader, 2, &digit)) {
            return fail(reader, NULL);
        }
        if (digit >> DIGIT_BITS != 0 || (i == 4 && digit > 15)) {
            return fail(reader, "an integer has more than 64 bits");
        }
        value |= digit << (DIGIT_BITS * i);
    }
    if (value > (signed_count < 0 ? (uint64_t)INT64_MAX + 1 : INT64_MAX)) {
        return fail(reader, "an integer has more than 64 bits");
    }
    token.kind = TRC_TOKEN_INTEGER;
    token.integer = (int64_t)(signed_count < 0 ? 0 - value : value);
    return token;
}

static trc_token binary_float(trc_reader *reader, trc_token token)
{
    uint64_t bits;
    if (!take_number(reader, 8, &bits)) {
        return fail(reader, NULL);
    }
    token.kind = TRC_TOKEN_FLOAT;
    memcpy(&token.real, &bits, sizeof token.real);
    return token;
}

static trc_token text_float(trc_reader *reader, trc_token token)
{
    char text[LONGEST_FLOAT + 1];
    token = string(reader, token, TRC_TOKEN_FLOAT, 1);
    if (token.kind == TRC_TOKEN_ERROR) {
        return token;
    }
    if (token.size == 0 || token.size > LONGEST_FLOAT) {
        return fail(reader, "a float is no number");
    }
    memcpy(text, token.bytes, token.size);
    text[token.size] = '\0';
    char *end;
    token.real = strtod(text, &end);
    return end == text + token.size ? token : fail(reader, "a float is no number");
}

/* As long as the format has kinds of values: this function is a table of them. */
trc_token trc_reader_next(trc_reader *reader)
{
    trc_token token = {0};
    size_t start = reader->offset;
    const uint8_t *type = reader->error == NULL ? take(reader, 1) : NULL;
    if (type == NULL) {
        return fail(reader, NULL);
    }
    token.remember = (*type & FLAG_REMEMBER) != 0;
    switch (*type & ~FLAG_REMEMBER) {
    case '0':
        token.kind = TRC_TOKEN_END;
        return token;
    case 'N':
        token.kind = TRC_TOKEN_NONE;
        return token;
    case 'F':
        token.kind = TRC_TOKEN_FALSE;
        return token;
    case 'T':
        token.kind = TRC_TOKEN_TRUE;
        return token;
    case 'i':
        return integer(reader, token, 4);
    case 'I':
        return integer(reader, token, 8);
    case 'l':
        return long_integer(reader, token);
    case 'g':
        return binary_float(reader, token);
    case 'f':
        return text_float(reader, token);
    case 's':
        return string(reader, token, TRC_TOKEN_BYTES, 4);
    case 'u':
    case 't':
        return string(reader, token, TRC_TOKEN_TEXT, 4);
    case 'a':
    case 'A':
        return string(reader, token, TRC_TOKEN_LATIN, 4);
    case 'z':
    case 'Z':
        return string(reader, token, TRC_TOKEN_LATIN, 1);
    case '(':
        return container(reader, token, TRC_TOKEN_TUPLE, 4);
    case ')':
        return container(reader, token, TRC_TOKEN_TUPLE, 1);
    case '[':
        return container(reader, token, TRC_TOKEN_LIST, 4);
    case '{':
        token.kind = TRC_TOKEN_DICT;
        return token;
    case 'r': {
        uint64_t index;
        if (!take_number(reader, 4, &index)) {
            return fail(reader, NULL);
        }
        token.kind = TRC_TOKEN_REF;
        token.remember = false;
        token.count = (uint32_t)index;
        return token;
    }
    default:
        reader->offset = start;
        return fail(reader, "no value of a profile begins with this byte");
    }
}

/* tables[k][byte]: what a byte does to the CRC when k more bytes follow. 8 KiB, made in a few microseconds. */
static void make_crc_tables(uint32_t tables[8][256])
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
        tables[0][byte] = crc;
    }
    for (int k = 1; k < 8; k++) {
        for (int byte = 0; byte < 256; byte++) {
            uint32_t before = tables[k - 1][byte];
            tables[k][byte] = before >> 8 ^ tables[0][before & 255];
        }
    }
}

/* CRC-32 (ISO 3309, the one of zlib and binascii). Eight bytes at a time: with one, a large file takes twice
 * as long to read. */
static uint32_t crc32(const uint8_t *bytes, size_t size)
{
    uint32_t tables[8][256];
    make_crc_tables(tables);
    uint32_t crc = 0xffffffff;
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t next = little_endian(bytes, 8) ^ crc;
        crc = 0;
        for (int k = 0; k < 8; k++) {
            crc ^= tables[7 - k][next >> (8 * k) & 255];
        }
    }
    for (; size > 0; size--, bytes++) {
        crc = crc >> 8 ^ tables[0][(crc ^ *bytes) & 255];
    }
    return ~crc;
}

trc_section trc_section_find(const void *data, size_t size, size_t offset)
{
    trc_section section = {TRC_SECTION_ABSENT, 0, NULL, 0};
    const uint8_t *bytes = (const uint8_t *)data + offset;
    size_t left = size - offset;
    if (left == 0) {
        return section;
    }
    size_t magic = left < 8 ? left : 8;
    if (memcmp(bytes, TRC_SECTION_MAGIC, magic) != 0) {
        section.state = TRC_SECTION_FOREIGN;
        return section;
    }
    if (left < TRC_SECTION_HEADER) {
        section.state = TRC_SECTION_TRUNCATED;
        return section;
    }
    section.version = (uint32_t)little_endian(bytes + 8, 4);
    uint64_t length = little_endian(bytes + 16, 8);
    if (section.version > TRC_SECTION_VERSION) {
        section.state = TRC_SECTION_NEWER;
    }
    else if (length > left - TRC_SECTION_HEADER) {
        section.state = TRC_SECTION_TRUNCATED;
    }
    else if (crc32(bytes + TRC_SECTION_HEADER, length) != little_endian(bytes + 12, 4)) {
        section.state = TRC_SECTION_DAMAGED;
    }
    else {
        section.state = TRC_SECTION_PRESENT;
        section.payload = bytes + TRC_SECTION_HEADER;
        section.size = length;
    }
    return section;
}

static void put_little_endian(uint8_t *bytes, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

void trc_section_write_header(uint8_t header[TRC_SECTION_HEADER], const void *payload, size_t size)
{
    memcpy(header, TRC_SECTION_MAGIC, 8);
    put_little_endian(header + 8, TRC_SECTION_VERSION, 4);
    put_little_endian(header + 12, crc32(payload, size), 4);
    put_little_endian(header + 16, size, 8);
}
