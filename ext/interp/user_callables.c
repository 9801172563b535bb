/* Threads that are inside a callable: see inside.h. */
#include "interp/user_callables.h"

#include <stdlib.h>

/* Named by the thread state's id: in a forked child the calls of other threads stay listed for ever, and no id is ever
 * used again. */
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
