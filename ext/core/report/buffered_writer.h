/* Text and bytes on their way out: numbers are written into a buffer, and the buffer is handed on when it is full. */
#ifndef TRC_BUFFERED_WRITER_H
#define TRC_BUFFERED_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRC_BUFFERED_WRITER_ROOM 65536

typedef struct trc_buffered_writer {
    /* Takes the bytes; returns false when it cannot, and is not called again. */
    bool (*take)(void *context, const char *bytes, size_t count);
    void *context;
    bool failed;
    size_t used;
    char buffer[TRC_BUFFERED_WRITER_ROOM];
} trc_buffered_writer;

void trc_buffered_writer_init(trc_buffered_writer *writer, bool (*take)(void *context, const char *bytes, size_t count),
                              void *context);

/* Hands on what is in the buffer. Returns false when that failed, now or before. */
bool trc_buffered_writer_flush(trc_buffered_writer *writer);

void trc_put(trc_buffered_writer *writer, const char *bytes, size_t count);
void trc_put_text(trc_buffered_writer *writer, const char *text);

/* A whole number in decimal digits. */
void trc_put_number(trc_buffered_writer *writer, int64_t number);

/* A number of thousandths, with its point and three digits behind that: 1234 is 1.234. */
void trc_put_thousandths(trc_buffered_writer *writer, int64_t thousandths);

#endif
