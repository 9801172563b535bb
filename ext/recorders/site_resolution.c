/* Where the sites of a recorder's heap are in the program: see site_resolution.h. */
#include "recorders/site_resolution.h"

#include "sources/allocators.h"

/* The lines of one thread, by their numbers. */
typedef struct numbered_lines {
    trc_resolved_site *lines; /* owned; of these, `node` means nothing */
    uint32_t count;
} numbered_lines;

static const trc_linethread *find_lines(const trc_line_recorder *recorder, const trc_thread_record *thread)
{
    const trc_record_base *record =
        recorder == NULL ? NULL : trc_records_find(&recorder->base.records, thread->base.context);
    return record == NULL ? NULL : &((const trc_line_thread_record *)record)->thread;
}

/* Returns false when memory is out. */
static bool number_lines(numbered_lines *numbered, const trc_linethread *thread, const trc_pages *pages)
{
    *numbered = (numbered_lines){.count = thread == NULL ? 0 : thread->tables.line_count + 1};
    if (thread == NULL) {
        return true;
    }
    numbered->lines = trc_map(pages, numbered->count * sizeof *numbered->lines);
    for (const trc_linetab *table = thread->tables.first; numbered->lines != NULL && table != NULL;
         table = table->hh.next) {
        for (uint32_t row = 0; row < table->map->row_count; row++) {
            uint32_t number = table->lines[row].number;
            if (number < numbered->count) {
                numbered->lines[number] = (trc_resolved_site){NULL, table->key, table->map->lines[row]};
            }
        }
    }
    return numbered->lines != NULL;
}

typedef struct finder {
    trc_site_resolution *resolution;
    const trc_heap *heap;
    const trc_heap_thread *thread;
    numbered_lines lines;
} finder;

static void find_sites(void *context, const trc_node *node)
{
    const finder *found = context;
    uint32_t site = node->index < found->thread->room ? found->thread->sites[node->index] : 0;
    while (site != 0) {
        const trc_site *known = trc_heap_at(found->heap, site);
        trc_resolved_site *place = &found->resolution->sites[site];
        if (known->place.line != 0 && known->place.line < found->lines.count) {
            *place = found->lines.lines[known->place.line];
        }
        place->node = trc_node_func(node) == NULL ? NULL : node;
        site = known->next;
    }
}

bool trc_site_resolution_init(trc_site_resolution *resolution, const trc_recorder *recorder,
                              const trc_line_recorder *lines, const trc_pages *pages)
{
    const trc_heap *heap = &recorder->memory->heap;
    bool is_whole = true;
    trc_allocators_lock(); /* a thread without the interpreter's lock may make a site */
    *resolution =
        (trc_site_resolution){pages, trc_map(pages, heap->site_count * sizeof *resolution->sites), heap->site_count};
    for (const trc_thread_record *record = trc_thread_records_first(&recorder->base.records);
         is_whole && resolution->sites != NULL && record != NULL; record = trc_thread_record_next(record)) {
        finder found = {.resolution = resolution, .heap = heap, .thread = &record->heap};
        is_whole = number_lines(&found.lines, find_lines(lines, record), pages);
        if (is_whole) {
            trc_calltree_each(&record->thread.tree, find_sites, &found);
        }
        trc_unmap(pages, found.lines.lines, found.lines.count * sizeof *found.lines.lines);
    }
    trc_allocators_unlock();
    return is_whole && resolution->sites != NULL;
}

void trc_site_resolution_free(trc_site_resolution *resolution)
{
    trc_unmap(resolution->pages, resolution->sites, resolution->count * sizeof *resolution->sites);
    *resolution = (trc_site_resolution){.pages = resolution->pages};
}

static const trc_identity *as_python(const trc_identity *identity)
{
    return identity != NULL && identity->kind == TRC_IDENTITY_CODE ? identity : NULL;
}

const trc_identity *trc_python_function_of(const trc_node *node)
{
    const trc_identity *found = as_python(trc_identity_of(node));
    if (found == NULL && node->is_overflow) {
        const trc_func *caller = trc_overflow_caller(node);
        found = caller == NULL ? NULL : as_python(caller->owner);
    }
    while (found == NULL && (node = trc_calling_context(node)) != NULL) {
        found = as_python(trc_identity_of(node));
    }
    return found == NULL || found->is_internal ? NULL : found;
}
