/* The system's number of a thread: see gettid.h. */
#define _GNU_SOURCE /* syscall */
#include "core/base/gettid.h"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

pid_t trc_gettid(void)
{
    return (pid_t)syscall(SYS_gettid);
}
#else
pid_t trc_gettid(void)
{
    return 0;
}
#endif
