/* The name of the task that an event loop runs just now. */
#ifndef TRC_TASK_NAME_H
#define TRC_TASK_NAME_H

#include "interp/compat.h"

/* New reference: the name of the calling thread's present task, of asyncio or of trio, exactly a str. Returns NULL,
 * without an exception, where there is none. Runs no Python code of the program: a task of a class that is neither
 * library's has no name. */
PyObject *trc_task_name(void);

#endif
