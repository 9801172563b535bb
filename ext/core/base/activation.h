/* What one running call of a function is named by. */
#ifndef TRC_ACTIVATION_H
#define TRC_ACTIVATION_H

#include <stdint.h>

/* Names an activation while it lasts: even and never 0, but for that of a C function, which is the name of the
 * activation that calls it plus one (an activation has one such call at a time). */
typedef uintptr_t trc_activation;

#endif
