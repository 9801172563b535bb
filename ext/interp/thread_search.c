/* The state of another thread, found without the GIL: see thread_search.h. */
#define _GNU_SOURCE /* process_vm_readv */
#include "interp/thread_search.h"

#if defined(__linux__)
#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_STATES 100000 /* a list that changes while it is read may lead in a circle */

/* What a state says of its thread. */
typedef struct said {
    const PyThreadState *next;
    unsigned long native_id;
} said;

static bool read_state(const PyThreadState *state, said *found)
{
    struct iovec places[] = {{&found->next, sizeof found->next}, {&found->native_id, sizeof found->native_id}};
    const char *at = (const char *)state;
    struct iovec sources[] = {
        {(void *)(uintptr_t)(at + offsetof(PyThreadState, next)), sizeof found->next},
        {(void *)(uintptr_t)(at + offsetof(PyThreadState, native_thread_id)), sizeof found->native_id}};
    return process_vm_readv(getpid(), places, 2, sources, 2, 0) == (ssize_t)sizeof *found;
}

const void *trc_find_state(const void *interpreter, const void *known, pid_t thread)
{
    said found;
    if (known != NULL && read_state(known, &found) && found.native_id == (unsigned long)thread) {
        return known;
    }
    const PyThreadState *state = PyInterpreterState_ThreadHead((PyInterpreterState *)(uintptr_t)interpreter);
    for (int i = 0; i < MOST_STATES && state != NULL && read_state(state, &found); i++) {
        if (found.native_id == (unsigned long)thread) {
            return state;
        }
        state = found.next;
    }
    return NULL;
}
#else
const void *trc_find_state(const void *interpreter, const void *known, pid_t thread)
{
    (void)interpreter, (void)known, (void)thread;
    return NULL;
}
#endif
