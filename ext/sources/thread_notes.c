/* What is known of each thread that allocates: see thread_notes.h. */
#include "sources/thread_notes.h"

#include <pthread.h>
#include <stdlib.h>

const trc_thread_notes trc_no_notes;

_Thread_local trc_thread_state trc_here TRC_AT_ONCE = {.notes = (trc_thread_notes *)&trc_no_notes};

/* What frees the notes, for the whole process. */
static struct {
    pthread_once_t once;
    bool is_made; /* else no key was left, and notes outlive their threads */
    pthread_key_t key;
} process = {.once = PTHREAD_ONCE_INIT};

/* A thread ends. What else ends with it may allocate yet. */
static void free_notes(void *notes)
{
    bool was_inside = trc_here.is_inside;
    trc_here.notes = (trc_thread_notes *)&trc_no_notes;
    trc_here.is_inside = true;
    free(notes);
    trc_here.is_inside = was_inside;
}

static void make_key(void)
{
    process.is_made = pthread_key_create(&process.key, free_notes) == 0;
}

/* What is allocated here is no allocation of the program's, nor what the C library allocates for it. */
trc_thread_notes *trc_own_notes(void)
{
    if (trc_here.notes != &trc_no_notes) {
        return trc_here.notes;
    }
    bool was_inside = trc_here.is_inside;
    trc_here.is_inside = true;
    pthread_once(&process.once, make_key);
    trc_thread_notes *notes = calloc(1, sizeof *notes);
    if (notes != NULL && process.is_made && pthread_setspecific(process.key, notes) != 0) {
        free(notes);
        notes = NULL;
    }
    trc_here.notes = notes == NULL ? trc_here.notes : notes;
    trc_here.is_inside = was_inside;
    return notes;
}
