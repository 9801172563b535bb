/* The system's number of a thread. */
#ifndef TRC_GETTID_H
#define TRC_GETTID_H

#include <sys/types.h>

/* The number of the calling thread on Linux, 0 elsewhere. May be called in a signal handler. The function gettid() of
 * glibc is not called: it came with 2.30, and the extension is to load with 2.28. */
pid_t trc_gettid(void);

#endif
