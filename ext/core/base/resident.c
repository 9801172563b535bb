/* The resident memory of the process: see resident.h. */
#include "core/base/resident.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

void trc_resident_open(trc_resident *resident)
{
    struct stat status;
    resident->file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (resident->file >= 0 && fstat(resident->file, &status) == 0) {
        resident->device = status.st_dev;
        resident->inode = status.st_ino;
    }
    long page = sysconf(_SC_PAGESIZE);
    resident->page = page > 0 ? (uint64_t)page : 4096;
}

/* Whether the descriptor is still that of the file. */
static bool is_ours(const trc_resident *resident)
{
    struct stat status;
    return fstat(resident->file, &status) == 0 && status.st_dev == resident->device && status.st_ino == resident->inode;
}

void trc_resident_close(trc_resident *resident)
{
    if (resident->file >= 0 && is_ours(resident)) {
        close(resident->file);
    }
    resident->file = -1;
}

static uint64_t number_at(const char **text)
{
    uint64_t number = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        number = number * 10 + (uint64_t)(**text - '0');
    }
    return number;
}

uint64_t trc_resident_read(trc_resident *resident)
{
    char text[128];
    if (resident->file >= 0 && !is_ours(resident)) {
        trc_resident_open(resident);
    }
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
