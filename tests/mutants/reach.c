/* Notes which code of the extension is run, in a file that all processes of a test share. Linked with an extension whose
 * objects are compiled with -fsanitize-coverage=trace-pc. reach.py finds the lines of the addresses. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned char *hits;
static uintptr_t base, room;

__attribute__((constructor)) static void open_hits(void)
{
    struct stat about;
    Dl_info info;
    int file = open(HITS, O_RDWR | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0 || dladdr(&room, &info) == 0) {
        return;
    }
    unsigned char *mapped = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) {
        base = (uintptr_t)info.dli_fbase;
        room = (uintptr_t)about.st_size;
        hits = mapped;
    }
}

void __sanitizer_cov_trace_pc(void)
{
    uintptr_t offset = (uintptr_t)__builtin_return_address(0) - base;
    if (offset < room) {
        hits[offset] = 1;
    }
}
