/* Where native code can be sampled: Linux with glibc, on x86-64 and AArch64. Elsewhere trc_sampling_new() says so, and
 * nothing else of this folder does anything. */
#ifndef TRC_SUPPORT_H
#define TRC_SUPPORT_H

#include <stdlib.h> /* tells which C library this is */

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#define TRC_SAMPLES 1
#else
#define TRC_SAMPLES 0
#endif

#endif
