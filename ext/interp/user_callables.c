/* Threads inside a callable: see user_callables.h. */
#include "interp/user_callables.h"

#include <stdlib.h>

/* A thread that is inside, by the id of its state. In a forked child the other threads stay listed for ever, which is
 * harmless: an id is never used again. */
struct trc_inside {
    trc_inside *next;
    uint64_t state_id;
};

int trc_inside_enter(trc_inside **list)
{
    trc_inside *own = malloc(sizeof *own);
    if (own == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    own->next = *list;
    own->state_id = PyThreadState_GetID(PyThreadState_Get());
    *list = own;
    return 0;
}

void trc_inside_leave(trc_inside **list)
{
    uint64_t state_id = PyThreadState_GetID(PyThreadState_Get());
    while ((*list)->state_id != state_id) { /* threads leave in any order */
        list = &(*list)->next;
    }
    trc_inside *own = *list;
    *list = own->next;
    free(own);
}

bool trc_inside_has_this_thread(const trc_inside *list)
{
    uint64_t state_id = PyThreadState_GetID(PyThreadState_Get());
    while (list != NULL && list->state_id != state_id) {
        list = list->next;
    }
    return list != NULL;
}
