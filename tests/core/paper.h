/* Pages that are counted, and fail when told to: what the suites of memory share. */
#ifndef TEST_PAPER_H
#define TEST_PAPER_H

#include <core/base/pages.h>

typedef struct paper {
    trc_pages pages; /* given to the core; the paper must stay where it is */
    long mapped;     /* bytes, not given back yet */
    long requests;
    long first_failure; /* requests from here ... */
    long last_failure;  /* ... to here fail; 0 and 0: none */
} paper;

void paper_init(paper *paper);

#endif
