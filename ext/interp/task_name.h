/* The name of the task that an event loop runs just now. */
#ifndef TRC_TASK_NAME_H
#define TRC_TASK_NAME_H

#include "interp/compat.h"

/* The words by which tasks are looked up: made once, because each task that begins is asked for its name. */
typedef struct trc_task_words {
    PyObject *asyncio; /* owned, all of them; NULL: not made yet */
    PyObject *current_task;
    PyObject *task;
    PyObject *get_name;
} trc_task_words;

void trc_task_words_free(trc_task_words *words);

/* New reference: the name of the calling thread's present task, of asyncio or of trio, exactly a str. Returns NULL,
 * without an exception, where there is none. Runs no Python code of the program: a task of a class that is neither
 * library's has no name. */
PyObject *trc_task_name(trc_task_words *words);

#endif
