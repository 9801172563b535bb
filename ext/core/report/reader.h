/* A bounded scanner of profile files. It turns bytes that may be damaged or hostile into tokens and never reads past
 * their end, recurses or allocates; the layer above makes values of the tokens and decides which order of them is a
 * profile.
 *
 * The bytes are Python's marshal format, as far as a profile needs it: None, booleans, integers of 64 bits, floats,
 * text, bytes, tuples, lists, dicts and back references. Behind the first object a profile file of tracer has a
 * section:
 *
 *     magic (8 bytes) | version u32 | CRC-32 of the payload u32 | length of the payload u64 | payload (one object)
 *
 * all little-endian. */
#ifndef TRC_READER_H
#define TRC_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum trc_token_kind {
    TRC_TOKEN_ERROR, /* trc_reader.error says what is wrong at trc_reader.offset */
    TRC_TOKEN_END,   /* closes a dict */
    TRC_TOKEN_NONE,
    TRC_TOKEN_FALSE,
    TRC_TOKEN_TRUE,
    TRC_TOKEN_INTEGER,
    TRC_TOKEN_FLOAT,
    TRC_TOKEN_TEXT,  /* `bytes`, UTF-8 with lone surrogates allowed */
    TRC_TOKEN_LATIN, /* `bytes`, one byte a character */
    TRC_TOKEN_BYTES,
    TRC_TOKEN_TUPLE, /* `count` values follow */
    TRC_TOKEN_LIST,
    TRC_TOKEN_DICT, /* pairs follow, until TRC_TOKEN_END */
    TRC_TOKEN_REF,  /* the `count`-th remembered value */
} trc_token_kind;

typedef struct trc_token {
    trc_token_kind kind;
    bool remember; /* later back references may name this value; values count from 0 in the order of appearance */
    uint32_t count;
    int64_t integer;
    double real;
    const uint8_t *bytes; /* borrowed from the reader's data */
    size_t size;
} trc_token;

typedef struct trc_reader {
    const uint8_t *data; /* borrowed */
    size_t size;
    size_t offset;
    const char *error; /* NULL until a token is TRC_TOKEN_ERROR */
} trc_reader;

void trc_reader_init(trc_reader *reader, const void *data, size_t size);

/* Returns the next token. After an error, every further token is the same error. A `count` never exceeds the bytes
 * left, so the size of the file bounds what a token makes its reader allocate. */
trc_token trc_reader_next(trc_reader *reader);

#define TRC_SECTION_MAGIC "\x89TRACER\n"
#define TRC_SECTION_HEADER 24
#define TRC_SECTION_VERSION 1

typedef enum trc_section_state {
    TRC_SECTION_ABSENT,
    TRC_SECTION_FOREIGN,   /* bytes follow, but they are no section of tracer */
    TRC_SECTION_TRUNCATED, /* the file ends before the payload does */
    TRC_SECTION_DAMAGED,   /* the checksum is not the payload's */
    TRC_SECTION_NEWER,     /* written by a later version of the format */
    TRC_SECTION_PRESENT,
} trc_section_state;

typedef struct trc_section {
    trc_section_state state;
    uint32_t version;
    const uint8_t *payload; /* borrowed from the file's data */
    size_t size;
} trc_section;

/* Looks for a section behind the first object, at `offset`. */
trc_section trc_section_find(const void *data, size_t size, size_t offset);

/* Writes the header of a section in front of a payload. */
void trc_section_write_header(uint8_t header[TRC_SECTION_HEADER], const void *payload, size_t size);

#endif
