/* Text and bytes on their way out: see outlet.h. */
#include "core/report/outlet.h"

#include <string.h>

#define DIGITS 24 /* of a number of 64 bits, with its sign and a point */

void trc_outlet_init(trc_outlet *outlet, bool (*take)(void *context, const char *bytes, size_t count), void *context)
{
    outlet->take = take;
    outlet->context = context;
    outlet->failed = false;
    outlet->used = 0;
}

bool trc_outlet_flush(trc_outlet *outlet)
{
    if (outlet->used > 0 && !outlet->failed) {
        outlet->failed = !outlet->take(outlet->context, outlet->buffer, outlet->used);
    }
    outlet->used = 0;
    return !outlet->failed;
}

void trc_put(trc_outlet *outlet, const char *bytes, size_t count)
{
    while (count > TRC_OUTLET_ROOM - outlet->used) {
        size_t part = TRC_OUTLET_ROOM - outlet->used;
        memcpy(outlet->buffer + outlet->used, bytes, part);
        outlet->used += part;
        bytes += part;
        count -= part;
        trc_outlet_flush(outlet);
    }
    memcpy(outlet->buffer + outlet->used, bytes, count);
    outlet->used += count;
}

void trc_put_text(trc_outlet *outlet, const char *text)
{
    trc_put(outlet, text, strlen(text));
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

void trc_put_number(trc_outlet *outlet, int64_t number)
{
    char digits[DIGITS], *end = digits + DIGITS, *begin = write_digits(end, magnitude(number), 1);
    if (number < 0) {
        *--begin = '-';
    }
    trc_put(outlet, begin, (size_t)(end - begin));
}

void trc_put_thousandths(trc_outlet *outlet, int64_t thousandths)
{
    char digits[DIGITS], *end = digits + DIGITS;
    char *begin = write_digits(end, magnitude(thousandths) % 1000, 3);
    *--begin = '.';
    begin = write_digits(begin, magnitude(thousandths) / 1000, 1);
    if (thousandths < 0) {
        *--begin = '-';
    }
    trc_put(outlet, begin, (size_t)(end - begin));
}
