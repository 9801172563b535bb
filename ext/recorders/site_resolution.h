/* Where the sites of a recorder's heap are in the program: the contexts, and the lines where these are recorded. */
#ifndef TRC_SITE_RESOLUTION_H
#define TRC_SITE_RESOLUTION_H

#include "recorders/calls.h"
#include "recorders/lines.h"

typedef struct trc_resolved_site {
    const trc_node *node;     /* the context; NULL: the site is of none, or there is no such site */
    const PyCodeObject *code; /* of the innermost line that is recorded, or NULL: borrowed */
    int32_t line;
} trc_resolved_site;

typedef struct trc_site_resolution {
    const trc_pages *pages;
    trc_resolved_site *sites; /* owned, by site */
    uint32_t count;
} trc_site_resolution;

/* Finds the resolution of all sites that the recorder, which keeps memory, has now. `lines`: records lines by memory, or
 * NULL. They are valid until the recorder gets the next event. Returns false when memory is out; the resolution must be freed
 * either way. */
bool trc_site_resolution_init(trc_site_resolution *resolution, const trc_recorder *recorder,
                              const trc_line_recorder *lines, const trc_pages *pages);
void trc_site_resolution_free(trc_site_resolution *resolution);

static inline trc_resolved_site trc_resolve_site(const trc_site_resolution *resolution, uint32_t site)
{
    return site < resolution->count ? resolution->sites[site] : (trc_resolved_site){NULL, NULL, 0};
}

/* What is known of the function that runs in a context, or NULL for the root. */
static inline const trc_identity *trc_identity_of(const trc_node *node)
{
    const trc_func *func = trc_node_func(node);
    return func == NULL ? NULL : func->owner;
}

/* The function written in Python that allocates in a context: its own, or that which called the functions written in C.
 * NULL: there is none, or it is tracer's. */
const trc_identity *trc_python_function_of(const trc_node *node);

/* The context that called another one, or NULL where that is the root, or not known. */
static inline const trc_node *trc_calling_context(const trc_node *node)
{
    const trc_node *parent = node->is_overflow ? NULL : trc_node_parent(node);
    return parent == NULL || trc_node_func(parent) == NULL ? NULL : parent;
}

#endif
