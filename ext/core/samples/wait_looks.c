/* Where threads wait: see wait_looks.h. */
#include "core/samples/wait_looks.h"

#include "core/base/pages.h"

#include <string.h>

#if TRC_SAMPLES

#define SAMPLE_SIZE (sizeof(trc_noted_sample) + TRC_FRAMES_ROOM)
#define NOTES_AT ((SAMPLE_SIZE + 63) / 64 * 64)
#define SCRATCH_AT (NOTES_AT + TRC_CODE_NOTES * sizeof(trc_code_note))
#define PAGES (SCRATCH_AT + sizeof(trc_chain_scratch))

void trc_wait_looks_init(trc_wait_looks *looks, const trc_frame_layout *layout)
{
    looks->pages = trc_map(&trc_system_pages, PAGES);
    if (looks->pages != NULL) {
        looks->sample = (trc_noted_sample *)(void *)looks->pages;
        looks->reader.layout = layout;
        looks->reader.codes.notes = (trc_code_note *)(void *)(looks->pages + NOTES_AT);
        looks->reader.scratch = (trc_chain_scratch *)(void *)(looks->pages + SCRATCH_AT);
        trc_code_notes_clear(&looks->reader.codes);
    }
}

void trc_wait_looks_free(trc_wait_looks *looks)
{
    trc_described_free(&looks->described, &trc_system_allocator);
    if (looks->pages != NULL) {
        trc_unmap(&trc_system_pages, looks->pages, PAGES);
    }
    looks->pages = NULL;
}

bool trc_wait_looks_are_due(trc_wait_looks *looks, int64_t now)
{
    if (looks->pages == NULL || now < looks->next) {
        return false;
    }
    looks->random = looks->random * UINT64_C(6364136223846793005) + 1442695040888963407; /* Knuth's, of MMIX */
    looks->next = now + (int64_t)(looks->random >> 33) % (2 * TRC_BETWEEN_LOOKS);
    return true;
}

void trc_look_at_wait(trc_wait_looks *looks, trc_sampled_thread *sampled, trc_counting *counts)
{
    pid_t thread = atomic_load(&sampled->thread);
    int64_t cpu = thread == 0 ? -1 : trc_thread_cpu(thread);
    if (cpu >= 0 && cpu == atomic_load(&sampled->waits_since)) { /* it has not run since, so it is where it was */
        trc_count_wait_again(counts, atomic_load(&sampled->owner), sampled->waits_at);
        return;
    }
    const void *state = cpu < 0 ? NULL : looks->state_of(looks->interpreter, atomic_load(&sampled->state), thread);
    if (state == NULL) {
        return;
    }
    atomic_store(&sampled->state, state);
    *looks->sample = (trc_noted_sample){.owner = atomic_load(&sampled->owner), .weight = 1, .is_of_wait = true};
    if (trc_note_frames(&looks->reader, sampled->process, state, looks->sample)) {
        bool waited = trc_thread_cpu(thread) == cpu;
        sampled->waits_at = trc_count_wait(counts, looks->sample, &looks->described, waited);
        atomic_store(&sampled->waits_since, waited ? cpu : -1);
    }
}

#endif
