/* The resident memory of the process: what the system holds of it in real memory. */
#ifndef TRC_RESIDENT_H
#define TRC_RESIDENT_H

#include <stdint.h>

typedef struct trc_resident {
    int file; /* -1: the system does not tell */
    uint64_t page;
} trc_resident;

void trc_resident_open(trc_resident *resident);
void trc_resident_close(trc_resident *resident);

/* Bytes now, or 0 where the system does not tell. A read takes about a microsecond. */
uint64_t trc_resident_read(const trc_resident *resident);

#endif
