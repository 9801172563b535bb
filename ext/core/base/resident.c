/* The resident memory of the process: see resident.h. */
#include "core/base/resident.h"

#include <fcntl.h>
#include <unistd.h>

void trc_resident_open(trc_resident *resident)
{
    resident->file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    long page = sysconf(_SC_PAGESIZE);
    resident->page = page > 0 ? (uint64_t)page : 4096;
}

void trc_resident_close(trc_resident *resident)
{
    if (resident->file >= 0) {
        close(resident->file);
        resident->file = -1;
    }
}

static uint64_t number_at(const char **text)
{
    uint64_t number = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        number = number * 10 + (uint64_t)(**text - '0');
    }
    return number;
}

uint64_t trc_resident_read(const trc_resident *resident)
{
    char text[128];
    ssize_t size = resident->file < 0 ? -1 : pread(resident->file, text, sizeof text - 1, 0);
    if (size <= 0) {
        return 0;
    }
    text[size] = '\0';
    const char *at = text;
    number_at(&at); /* the whole address space */
    at += *at == ' ';
    return number_at(&at) * resident->page;
}
