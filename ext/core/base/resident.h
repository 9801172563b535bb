/* The resident memory of the process: what the system holds of it in real memory. */
#ifndef TRC_RESIDENT_H
#define TRC_RESIDENT_H

#include <stdint.h>
#include <sys/types.h>

typedef struct trc_resident {
    int file; /* -1: the system does not tell */
    dev_t device;
    ino_t inode; /* the file's: the program may close the descriptor, and then have a file under its number */
    uint64_t page;
} trc_resident;

void trc_resident_open(trc_resident *resident);
void trc_resident_close(trc_resident *resident);

/* Bytes now, or 0 where the system does not tell. A read takes about two microseconds. Where the program has closed the
 * descriptor, the file is opened again. */
uint64_t trc_resident_read(trc_resident *resident);

#endif
