/* Text and bytes on their way out: see buffered_writer.h. */
#include "core/report/buffered_writer.h"

#include <string.h>

#define DIGITS 24 /* of a number of 64 bits, with its sign and a point */

void trc_buffered_writer_init(trc_buffered_writer *writer, bool (*take)(void *context, const char *bytes, size_t count),
                              void *context)
{
    writer->take = take;
    writer->context = context;
    writer->failed = false;
    writer->used = 0;
}

bool trc_buffered_writer_flush(trc_buffered_writer *writer)
{
    if (writer->used > 0 && !writer->failed) {
        writer->failed = !writer->take(writer->context, writer->buffer, writer->used);
    }
    writer->used = 0;
    return !writer->failed;
}

void trc_put(trc_buffered_writer *writer, const char *bytes, size_t count)
{
    while (count > TRC_BUFFERED_WRITER_ROOM - writer->used) {
        size_t part = TRC_BUFFERED_WRITER_ROOM - writer->used;
        memcpy(writer->buffer + writer->used, bytes, part);
        writer->used += part;
        bytes += part;
        count -= part;
        trc_buffered_writer_flush(writer);
    }
    memcpy(writer->buffer + writer->used, bytes, count);
    writer->used += count;
}

void trc_put_text(trc_buffered_writer *writer, const char *text)
{
    trc_put(writer, text, strlen(text));
}

/* Writes the digits of `number` so that they end before `end`, at least `least` of them. Returns where they begin. */
static char *write_digits(char *end, uint64_t number, int least)
{
    for (; number > 0 || least > 0; least--) {
        *--end = (char)('0' + number % 10);
        number /= 10;
    }
    return end;
}

static uint64_t magnitude(int64_t number)
{
    return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

void trc_put_number(trc_buffered_writer *writer, int64_t number)
{
    char digits[DIGITS], *end = digits + DIGITS, *begin = write_digits(end, magnitude(number), 1);
    if (number < 0) {
        *--begin = '-';
    }
    trc_put(writer, begin, (size_t)(end - begin));
}

void trc_put_thousandths(trc_buffered_writer *writer, int64_t thousandths)
{
    char digits[DIGITS], *end = digits + DIGITS;
    char *begin = write_digits(end, magnitude(thousandths) % 1000, 3);
    *--begin = '.';
    begin = write_digits(begin, magnitude(thousandths) / 1000, 1);
    if (thousandths < 0) {
        *--begin = '-';
    }
    trc_put(writer, begin, (size_t)(end - begin));
}
