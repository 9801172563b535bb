/* Pages for the suites: see paper.h. */
#include "paper.h"

static void *map_paper(void *context, size_t size)
{
    paper *paper = context;
    paper->requests++;
    if (paper->requests >= paper->first_failure && paper->requests <= paper->last_failure) {
        return NULL;
    }
    void *memory = trc_map(&trc_system_pages, size);
    paper->mapped += memory == NULL ? 0 : (long)size;
    return memory;
}

static void unmap_paper(void *context, void *memory, size_t size)
{
    ((paper *)context)->mapped -= (long)size;
    trc_unmap(&trc_system_pages, memory, size);
}

void paper_init(paper *paper)
{
    *paper = (struct paper){.pages = {map_paper, unmap_paper, paper}};
}
