/* On whose lines native samples fall: see sampled_lines.h. */
#include "recorders/sampled_lines.h"

/* The lines of a thread, which are sampled from now on; or NULL. */
static const trc_linethread *lines_of(const trc_shared *shared, const trc_context *context)
{
    for (trc_recording *each = shared->lines; each != NULL; each = each->next) {
        const trc_record_base *record = each->clock.is_of_thread ? NULL : trc_records_find(&each->records, context);
        if (record != NULL) {
            each->is_sampled = true;
            return &((const trc_line_thread_record *)record)->thread;
        }
    }
    return NULL;
}

/* Of the enabled recorders with samples, that enabled first; or NULL. */
static const trc_recording *first_sampled(const trc_shared *shared)
{
    const trc_recording *first = NULL;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        for (const trc_recording *each = shared->calls[kind]; each != NULL; each = each->next) {
            first =
                each->samples != NULL && each->samples->notes_stacks && (first == NULL || each->serial < first->serial)
                    ? each
                    : first;
        }
    }
    return first;
}

void trc_link_lines(const trc_shared *shared, const trc_context *context)
{
    const trc_recording *first = first_sampled(shared);
    const trc_linethread *lines = first == NULL ? NULL : lines_of(shared, context);
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        for (const trc_recording *each = shared->calls[kind]; each != NULL; each = each->next) {
            if (each->samples != NULL) {
                trc_sampling_set_lines(each->samples, (pid_t)context->native_id, each == first ? lines : NULL);
            }
        }
    }
}

static const void *lines_of_thread(const void *shared, pid_t thread)
{
    const trc_registry *registry = &((const trc_shared *)shared)->registry;
    const trc_context *context = trc_registry_find(registry, (unsigned long)thread);
    return context == NULL ? NULL : lines_of(shared, context);
}

void trc_link_all_lines(const trc_shared *shared)
{
    const trc_recording *first = first_sampled(shared);
    if (first != NULL) {
        trc_sampling_set_all_lines(first->samples, lines_of_thread, shared);
    }
    trc_share_out_samples(shared);
}

void trc_share_out_samples(const trc_shared *shared)
{
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        for (const trc_recording *each = shared->calls[kind]; each != NULL; each = each->next) {
            if (each->samples != NULL) {
                trc_sampling_lock(each->samples);
                trc_sampling_unlock(each->samples);
            }
        }
    }
}
