/* On whose lines native samples fall: see sampled_lines.h. */
#include "bus/sampled_lines.h"

#include <stddef.h>

static const trc_bus *of_host(const trc_host *host)
{
    return (const trc_bus *)((const char *)host - offsetof(trc_bus, host));
}

/* The lines of a thread, which are sampled from now on; or NULL. */
static const trc_linethread *lines_of(const trc_bus *bus, unsigned long native_id)
{
    for (trc_recording *each = bus->lines.active; each != NULL; each = each->next) {
        trc_line_recorder *recorder = (trc_line_recorder *)each;
        const trc_line_thread_record *record = each->clock.is_of_thread ? NULL : trc_line_records_first(recorder);
        while (record != NULL &&
               !(record->base.context->native_id == native_id && !trc_context_is_over(record->base.context))) {
            record = trc_line_record_next(record);
        }
        if (record != NULL) {
            recorder->is_sampled = true;
            return &record->thread;
        }
    }
    return NULL;
}

/* The enabled recorder with samples that comes after one of them, or the first; or NULL. */
static trc_recorder *next_sampled(const trc_bus *bus, const trc_recorder *after)
{
    int kind = after == NULL ? 0 : (int)after->backend->kind;
    trc_recording *next = after == NULL ? bus->active[kind] : after->base.next;
    while (kind < TRC_BACKEND_COUNT) {
        while (next != NULL && ((trc_recorder *)next)->samples == NULL) {
            next = next->next;
        }
        if (next != NULL) {
            return (trc_recorder *)next;
        }
        kind++;
        next = kind < TRC_BACKEND_COUNT ? bus->active[kind] : NULL;
    }
    return NULL;
}

static const trc_recorder *first_enabled(const trc_bus *bus)
{
    const trc_recorder *first = next_sampled(bus, NULL), *recorder = first;
    while (recorder != NULL && (recorder = next_sampled(bus, recorder)) != NULL) {
        first = recorder->base.serial < first->base.serial ? recorder : first;
    }
    return first;
}

static void link_lines(trc_host *host, unsigned long native_id)
{
    const trc_bus *bus = of_host(host);
    const trc_recorder *first = first_enabled(bus), *recorder = NULL;
    const trc_linethread *lines = first == NULL ? NULL : lines_of(bus, native_id);
    while ((recorder = next_sampled(bus, recorder)) != NULL) {
        trc_sampling_set_lines(recorder->samples, (pid_t)native_id, recorder == first ? lines : NULL);
    }
}

static void settle_samples(trc_host *host)
{
    const trc_recorder *recorder = NULL;
    while ((recorder = next_sampled(of_host(host), recorder)) != NULL) {
        trc_sampling_lock(recorder->samples);
        trc_sampling_unlock(recorder->samples);
    }
}

static const void *lines_of_thread(const void *bus, pid_t thread)
{
    return lines_of(bus, (unsigned long)thread);
}

static void link_all_lines(trc_host *host)
{
    const trc_bus *bus = of_host(host);
    const trc_recorder *first = first_enabled(bus);
    if (first != NULL) {
        trc_sampling_set_all_lines(first->samples, lines_of_thread, bus);
    }
    settle_samples(host);
}

void trc_sampled_lines_init(trc_bus *bus)
{
    bus->host.link_lines = link_lines;
    bus->host.link_all_lines = link_all_lines;
    bus->host.settle_samples = settle_samples;
}
