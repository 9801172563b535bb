/* The name of an activation: one running call of a function. */
#ifndef TRC_ACTIVATION_H
#define TRC_ACTIVATION_H

#include <stdint.h>

/* Names an activation while it lasts. The name is even and never 0. The activation of a C function has the name of its
 * caller plus one: an activation has one such call at a time. */
typedef uintptr_t trc_activation;

#endif
