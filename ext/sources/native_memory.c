/* Tells of what C code takes by malloc: see native_memory.h. */
#include "sources/native_memory.h"

#include "interp/compat.h"
#include "preload/preload.h"
#include "sources/allocators.h"

#include <dlfcn.h>

#ifdef __linux__

#include <link.h>

static void leave(void)
{
    trc_allocators_leave(true);
}

static void *resized(void *(*resize)(void *block, size_t size), void *block, size_t size)
{
    trc_live_block taken = trc_allocators_take(block);
    void *moved_to = resize(block, size);
    leave();
    trc_allocators_moved(block, taken, moved_to, size);
    return moved_to;
}

/* The library is loaded once a process, and never unloaded; nor is this extension. Who watches the heap alone writes. */
static trc_preload_listener listener = {
    .enter = trc_allocators_enter,
    .leave = leave,
    .allocated = trc_allocators_allocated,
    .freed = trc_allocators_freed,
    .resized = resized,
};

static trc_preload_listen find_library(void)
{
    trc_preload_listen found = NULL;
    *(void **)&found = dlsym(RTLD_DEFAULT, TRC_PRELOAD_LISTEN);
    return found;
}

/* Notes the code of the loaded object that has this function. */
static int note_own_code(struct dl_phdr_info *object, size_t size, void *ignored)
{
    (void)size, (void)ignored;
    const uintptr_t here = (uintptr_t)note_own_code;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && here - start < part->p_memsz) {
            listener.own_start = start;
            listener.own_end = start + part->p_memsz;
            return 1;
        }
    }
    return 0;
}

bool trc_native_memory_is_there(void)
{
    return find_library() != NULL;
}

void trc_native_memory_watch(void)
{
    trc_preload_listen listen = listener.own_end == 0 ? find_library() : NULL;
    if (listen != NULL) {
        dl_iterate_phdr(note_own_code, NULL);
        listen(&listener);
    }
}

#else

bool trc_native_memory_is_there(void)
{
    return false;
}

void trc_native_memory_watch(void)
{
}

#endif
