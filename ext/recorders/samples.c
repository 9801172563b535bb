/* The native samples of one Profile: see samples.h. */
#define _GNU_SOURCE /* strdup */
#include "recorders/samples.h"

#include "core/lines/linethread.h"
#include "interp/eval_entry.h"
#include "interp/frame_layout.h"
#include "interp/thread_search.h"

#include <stdlib.h>

#define LEAST_EVAL 10000 /* bytes of a function that runs Python code by itself */

/* Called in a signal handler, in the middle of whatever the thread does. */
static uint32_t node_of(const void *context)
{
    const trc_thread_record *record = context;
    bool is_recorded = record->status == TRC_THREAD_RECORDED && record->base.paused == 0;
    return is_recorded ? record->thread.stack.top->node->index : TRC_NODE_NONE;
}

static bool end_of(const void *context, int64_t *cpu, int64_t *real)
{
    trc_context *thread = ((const trc_thread_record *)context)->base.context;
    *cpu = atomic_load(&thread->cpu_at_end);
    *real = atomic_load(&thread->real_at_end);
    return atomic_load(&thread->has_ended) && *real != 0;
}

static trc_cpu_split *line_of(const void *lines)
{
    trc_line *line = trc_linethread_line_now(lines);
    return line == NULL ? NULL : &line->cpu;
}

trc_sampling *trc_samples_new(int hz, bool every_thread, trc_slot_pool *pool)
{
    trc_sampling *sampling = trc_sampling_new(hz, pool);
    if (sampling != NULL) {
        sampling->node_of = node_of;
        sampling->line_of = line_of;
        sampling->end_of = end_of;
        sampling->every_thread = every_thread;
        sampling->counts.own = (uint64_t)(uintptr_t)trc_samples_new;
        sampling->counts.eval = trc_eval_entry();
    }
    return sampling;
}

static const void *state_here(void)
{
    return trc_own_state();
}

void trc_samples_note_frames(trc_sampling *sampling, bool has_native, PyObject *folder)
{
    sampling->notes_stacks = has_native;
    sampling->layout = trc_frame_layout_here();
    sampling->layout.eval = sampling->counts.eval;
    uint64_t size = trc_eval_size();
    sampling->layout.eval_size = size < LEAST_EVAL ? 0 : size;
    sampling->counts.slow_lines.is_sure = sampling->layout.frame.stack != 0 || sampling->layout.eval_size != 0;
    sampling->notes_frames = true;
    sampling->state_here = state_here;
    sampling->interpreter = PyInterpreterState_Get();
    sampling->state_of = trc_find_state;
    if (folder != NULL) {
        sampling->counts.frames.codes.own_folder = (trc_characters){
            PyUnicode_DATA(folder), (uint32_t)PyUnicode_GET_LENGTH(folder), (uint32_t)PyUnicode_KIND(folder)};
    }
}

void trc_samples_watch(trc_sampling *sampling, const trc_thread_record *record, bool is_here)
{
    trc_sampling_watch(sampling, (pid_t)record->base.context->native_id, record->index, record, is_here);
}

/* -- Copies -- */

static void *copy_of(const void *records, size_t count, size_t size)
{
    void *copy = malloc(count * size + 1);
    if (copy != NULL && count > 0) {
        memcpy(copy, records, count * size);
    }
    return copy;
}

static bool copy_file(trc_file_copy *copy, const trc_code_file *file)
{
    trc_span id;
    *copy = (trc_file_copy){strdup(file->path), file->start, file->end, file->offset, {0}, 0};
    if (file->mapped != NULL && trc_elf_build_id(&file->elf, &id) && trc_span_left(&id) <= sizeof copy->build_id) {
        copy->build_id_size = trc_span_left(&id);
        memcpy(copy->build_id, id.at, copy->build_id_size);
    }
    return copy->path != NULL;
}

/* Returns false when memory is out. */
static bool copy_frames(trc_frames_copy *copy, const trc_frame_tree *frames)
{
    *copy = (trc_frames_copy){
        .codes = calloc(frames->codes.count + 1, sizeof *copy->codes),
        .nodes = copy_of(frames->nodes, frames->node_count, sizeof *frames->nodes),
        .node_count = frames->node_count,
        .lines = copy_of(frames->lines, frames->line_count, sizeof *frames->lines),
        .line_count = frames->line_count,
    };
    bool copied = copy->codes != NULL && copy->nodes != NULL && copy->lines != NULL;
    for (uint32_t i = 0; copied && i < frames->codes.count; i++) {
        const trc_code_description *description = frames->codes.codes[i].description;
        copy->codes[copy->code_count++] = copy_of(description, 1, description->size);
        copied = copy->codes[i] != NULL;
    }
    return copied;
}

static void free_frames(trc_frames_copy *copy)
{
    for (uint32_t i = 0; i < copy->code_count; i++) {
        free(copy->codes[i]);
    }
    free(copy->codes);
    free(copy->nodes);
    free(copy->lines);
}

/* Returns false when memory is out. */
static bool copy_sample_counts(trc_sampling *sampling, int kind, uint32_t owner, trc_sample_count_record **records,
                               uint32_t *count, uint64_t *squares)
{
    const trc_owned_sample_counts *owned = &sampling->counts.sample_counts[kind];
    const trc_sample_count *first = owner < owned->count ? owned->by_owner[owner].first : NULL;
    *count = 0;
    *squares = owner < owned->count ? owned->by_owner[owner].squares : 0;
    *records = malloc((HASH_CNT(hh, first) + 1) * sizeof **records);
    for (const trc_sample_count *sample_count = first; *records != NULL && sample_count != NULL;
         sample_count = sample_count->hh.next) {
        (*records)[(*count)++] = trc_sample_count_as_record(sample_count);
    }
    return *records != NULL;
}

/* Whether there is something to tell of another thread. */
static bool is_told(const trc_sampling *sampling, uint32_t owner)
{
    const trc_owned_sample_counts *owned = &sampling->counts.sample_counts[TRC_OTHER];
    bool has_samples = owner < owned->count && owned->by_owner[owner].first != NULL; /* looks, too */
    return has_samples || sampling->accounts[TRC_OTHER].accounts[owner].error != 0;
}

bool trc_samples_copy_all(trc_sampling *sampling, trc_samples_copy *copy)
{
    const trc_native_stacks *chains = &sampling->counts.chains;
    const trc_modules *modules = &sampling->counts.modules;
    uint32_t others = sampling->accounts[TRC_OTHER].count;
    *copy = (trc_samples_copy){
        .period = sampling->counts.period,
        .signals = sampling->counts.signals,
        .cut = sampling->counts.cut,
        .lost = sampling->counts.lost,
        .broken = sampling->counts.broken,
        .in_events = atomic_load(&sampling->counts.in_events),
        .at_lines = trc_slow_lines_cost(&sampling->counts.slow_lines),
        .spent = sampling->visits + sampling->counts.handlers,
        .is_crowded = sampling->is_crowded,
        .files = calloc(modules->count + 1, sizeof *copy->files),
        .frames = copy_of(chains->frames, chains->frame_count, sizeof *chains->frames),
        .frame_count = chains->frame_count,
        .symbols = calloc(chains->symbol_count + 1, sizeof *chains->symbols),
        .chains = copy_of(chains->chains, chains->chain_count, sizeof *chains->chains),
        .chain_count = chains->chain_count,
        .others = calloc(others + 1, sizeof *copy->others),
    };
    bool copied = copy->files != NULL && copy->frames != NULL && copy->symbols != NULL && copy->chains != NULL &&
                  copy->others != NULL;
    for (uint32_t i = 0; copied && i < modules->count; i++) {
        copied = copy_file(&copy->files[copy->file_count++], modules->files[i]);
    }
    for (uint32_t i = 0; copied && i < chains->symbol_count; i++) {
        trc_symbol_record *symbol = &copy->symbols[copy->symbol_count++];
        *symbol = chains->symbols[i];
        symbol->name = strdup(symbol->name);
        copied = symbol->name != NULL;
    }
    for (uint32_t i = 0; copied && i < others; i++) {
        trc_other_thread *other = &copy->others[copy->other_count];
        if (is_told(sampling, i)) {
            copied = copy_sample_counts(sampling, TRC_OTHER, i, &other->sample_counts, &other->count, &other->squares);
            other->account = trc_sampling_account(sampling, TRC_OTHER, i);
            copy->other_count++;
        }
    }
    copy->has_frames = sampling->notes_frames;
    return copied && copy_frames(&copy->python, &sampling->counts.frames);
}

void trc_samples_free_copy(trc_samples_copy *copy)
{
    for (uint32_t i = 0; i < copy->file_count; i++) {
        free(copy->files[i].path);
    }
    for (uint32_t i = 0; i < copy->symbol_count; i++) {
        free(copy->symbols[i].name);
    }
    for (uint32_t i = 0; i < copy->other_count; i++) {
        free(copy->others[i].sample_counts);
    }
    free(copy->files);
    free(copy->frames);
    free(copy->symbols);
    free(copy->chains);
    free(copy->others);
    free_frames(&copy->python);
}

/* Goes over a tree in the order in which its nodes become records (core/report/capture.h). */
typedef struct positions {
    uint32_t *positions; /* by index */
    bool *overflows;
    uint32_t nodes;
    uint32_t overflow_count;
} positions;

static void take_position(void *context, const trc_node *node)
{
    positions *to = context;
    to->overflows[node->index] = node->is_overflow;
    to->positions[node->index] = node->is_overflow ? to->overflow_count++ : to->nodes++;
}

bool trc_samples_copy_thread(trc_sampling *sampling, const trc_thread_record *record, trc_thread_samples *copy)
{
    const trc_calltree *tree = &record->thread.tree;
    positions to = {calloc(tree->count + 1, sizeof *to.positions), calloc(tree->count + 1, sizeof *to.overflows), 0, 0};
    copy->account = trc_sampling_account(sampling, TRC_KNOWN, record->index);
    copy->has_frames = sampling->notes_frames;
    bool copied =
        to.positions != NULL && to.overflows != NULL &&
        copy_sample_counts(sampling, TRC_KNOWN, record->index, &copy->sample_counts, &copy->count, &copy->squares);
    if (copied) {
        trc_calltree_each(tree, take_position, &to);
    }
    for (uint32_t i = 0; copied && !sampling->notes_frames && i < copy->count; i++) {
        trc_sample_count_record *sample_count = &copy->sample_counts[i];
        sample_count->is_overflow = to.overflows[sample_count->node];
        sample_count->node = to.positions[sample_count->node];
    }
    free(to.positions);
    free(to.overflows);
    return copied;
}
