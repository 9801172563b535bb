/* CPU time as native samples tell it, in ns: in the interpreter's own loop, and in native code. The thread that counts
 * samples adds to it, and others read it. */
#ifndef TRC_CPU_SPLIT_H
#define TRC_CPU_SPLIT_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct trc_cpu_split {
    _Atomic int64_t python;
    _Atomic int64_t native;
} trc_cpu_split;

#endif
