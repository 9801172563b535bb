/* What becomes of a sample: see counting.h. */
#include "core/samples/counting.h"

#include "core/base/pages.h"
#include "core/unwind/cfi.h"
#include "core/unwind/registers.h"

#define CACHE_ROWS 8192
#define MOST_FRAMES 512
#define MOST_FILES_READ 64 /* while one stack is unwound */

#if TRC_SAMPLES

/* Functions of the interpreter that only hand a call on: left out at the outer end of a chain. */
static const char *const hidden[] = {"PyObject_Vectorcall",  "PyObject_VectorcallMethod", "PyObject_Call",
                                     "PyObject_CallOneArg",  "_PyObject_MakeTpCall",      "_PyObject_Call",
                                     "_PyObject_Vectorcall", "PyVectorcall_Call",         "_PyVectorcall_Call"};
static const char *const hidden_beginnings[] = {"cfunction_", "method_vectorcall", "_PyObject_VectorcallTstate"};

/* Functions by which the interpreter tells of events. */
static const char *const telling[] = {"_Py_call_instrumentation",
                                      "call_instrumentation_vector",
                                      "call_one_instrument",
                                      "_Py_Instrument",
                                      "sys_trace_",
                                      "sys_profile_",
                                      "call_profile_func",
                                      "call_trace",
                                      "call_trampoline"};

static bool begins_with(const char *name, const char *const *beginnings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_hidden(const char *name)
{
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        if (strcmp(name, hidden[i]) == 0) {
            return true;
        }
    }
    return begins_with(name, hidden_beginnings, sizeof hidden_beginnings / sizeof *hidden_beginnings);
}

/* Finds the interpreter's code, once. */
static void find_eval(trc_counting *counts)
{
    uint32_t place = counts->eval == 0 ? UINT32_MAX : trc_modules_find(&counts->modules, counts->eval);
    counts->has_eval = true;
    if (place == UINT32_MAX || counts->modules.files[place]->mapped == NULL) {
        return;
    }
    const trc_code_file *file = counts->modules.files[place];
    counts->eval_count = trc_eval_code_find(&file->elf, &file->symbols, counts->eval - file->bias, counts->eval_parts);
    for (size_t i = 0; i < counts->eval_count; i++) {
        counts->eval_parts[i].start += file->bias;
        counts->eval_parts[i].end += file->bias;
    }
}

/* Unwinds a copy. A file is read when the walk first comes to its code, which then begins anew. */
static trc_unwind_status unwind(trc_counting *counts, const trc_noted_sample *sample, trc_native_frame *frames,
                                size_t *count)
{
    trc_unwinder unwinder = {
#if defined(__x86_64__)
        .arch = &trc_x86_64,
#else
        .arch = &trc_aarch64,
#endif
        .cache = &counts->cache,
        .stops = counts->eval_parts,
        .stop_count = counts->eval_count,
    };
    trc_stack_copy copy = {.pc = sample->pc, .boundary = UINT64_MAX};
    memcpy(copy.registers, sample->registers, sizeof copy.registers);
    copy.stack = (trc_native_stack){trc_sample_stack(sample), sample->stack_size,
                                    sample->registers[unwinder.arch->stack_pointer]};
    trc_unwind_status status = TRC_UNWIND_BAD;
    *count = 0;
    for (int tries = 0; tries < MOST_FILES_READ; tries++) {
        unwinder.modules = counts->modules.loaded;
        unwinder.module_count = counts->modules.loaded_count;
        status = trc_unwind(&unwinder, &copy, frames, MOST_FRAMES, count);
        uint64_t last = *count == 0 ? 0 : frames[*count - 1].pc - frames[*count - 1].is_call;
        const trc_module *module = trc_module_of(&unwinder, last);
        if (status != TRC_UNWIND_NO_RULE || module == NULL || module->elf != NULL ||
            trc_modules_find(&counts->modules, last) == UINT32_MAX ||
            counts->modules.loaded[module - unwinder.modules].elf == NULL) {
            break;
        }
    }
    return status;
}

/* Whether a frame is in the C library: at the outer end of a thread's chain that begins there, it only runs the
 * thread. */
static bool is_in_libc(const trc_counting *counts, uint32_t frame)
{
    uint32_t module = counts->chains.frames[frame].module;
    const char *path = module == TRC_NOWHERE ? "" : counts->modules.files[module]->path;
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0 || strncmp(name, "libpthread", 10) == 0;
}

/* The number of a frame, which may be new. */
static uint32_t frame_of(trc_counting *counts, const trc_native_frame *frame)
{
    uint32_t number = trc_native_stacks_frame(&counts->chains, frame->pc, frame->is_call);
    if (number != TRC_NOWHERE) {
        return number;
    }
    uint64_t code = frame->pc - frame->is_call;
    trc_code_place place = {.address = frame->pc, .is_call = frame->is_call};
    place.module = trc_modules_find(&counts->modules, code);
    const trc_code_file *file = place.module == TRC_NOWHERE ? NULL : counts->modules.files[place.module];
    trc_symbol symbol;
    trc_cfi_entry entry;
    if (file != NULL && file->mapped != NULL && trc_symbols_find(&file->symbols, code - file->bias, &symbol)) {
        place.begin = symbol.start + file->bias;
        place.start = symbol.start;
        place.name = symbol.name;
    }
    else if (file != NULL && file->mapped != NULL && trc_cfi_find(&file->elf, code - file->bias, &entry)) {
        place.begin = entry.start + file->bias;
        place.start = entry.start;
        place.name = file->symbols.has_chosen ? trc_modules_name(&counts->modules, place.begin) : NULL;
    }
    return trc_native_stacks_add_frame(&counts->chains, &place);
}

static const char *name_of(const trc_native_stacks *chains, uint32_t frame)
{
    uint32_t symbol = frame == TRC_NOWHERE ? TRC_NOWHERE : chains->frames[frame].symbol;
    return symbol == TRC_NOWHERE ? "" : chains->symbols[symbol].name;
}

static trc_sample_counts *sample_counts_of(trc_counting *counts, uint32_t number)
{
    trc_owned_sample_counts *owned = &counts->sample_counts[number & 1];
    uint32_t owner = number >> 1;
    if (owner >= owned->count) {
        trc_sample_counts *more = realloc(owned->by_owner, (owner + 1) * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        owned->by_owner = more;
        while (owned->count <= owner) {
            trc_sample_counts_init(&more[owned->count++], &trc_system_allocator);
        }
    }
    return &owned->by_owner[owner];
}

/* Where a sample fell. */
typedef struct sample_place {
    uint32_t node;
    uint32_t chain; /* the native stack */
    uint32_t kind;
    bool is_too_long; /* the stack was longer than its copy */
} sample_place;

/* Finds the native stack. */
static void find_stack(trc_counting *counts, const trc_noted_sample *sample, sample_place *place)
{
    trc_native_frame frames[MOST_FRAMES];
    size_t count;
    trc_unwind_status status = unwind(counts, sample, frames, &count);
    bool is_known = (sample->owner & 1) == TRC_KNOWN;
    bool is_whole = status == TRC_UNWIND_STOP || (status == TRC_UNWIND_OUTERMOST && (!is_known || place->node == 0));
    count -= status == TRC_UNWIND_STOP; /* the interpreter's own frame */
    uint32_t own = counts->own == 0 ? TRC_NOWHERE : trc_modules_find(&counts->modules, counts->own);
    for (size_t i = count; i > 0; i--) {
        uint32_t frame = frame_of(counts, &frames[i - 1]);
        if (frame == TRC_NOWHERE) {
            continue;
        }
        const char *name = name_of(&counts->chains, frame);
        bool is_own = own != TRC_NOWHERE && counts->chains.frames[frame].module == own;
        if (is_own || begins_with(name, telling, sizeof telling / sizeof *telling)) {
            place->kind = TRC_IN_OVERHEAD;
        }
        bool is_outer = place->chain == 0 && i > 1 &&
                        (is_hidden(name) || (status == TRC_UNWIND_OUTERMOST && is_in_libc(counts, frame)));
        if (!is_outer) {
            place->chain = trc_native_stacks_call(&counts->chains, place->chain, frame);
        }
    }
    counts->cut += !is_whole;
    place->is_too_long = status == TRC_UNWIND_COPY_END;
}

static void describe(trc_counting *counts, const trc_noted_sample *sample, trc_described *described)
{
    for (uint32_t at = 0; at < sample->described;) {
        const trc_code_description *description = (const void *)(trc_sample_descriptions(sample) + at);
        trc_frame_tree_describe(&counts->frames, described, description);
        at += description->size;
    }
}

/* Finds the node of the Python frames. */
static void find_node(trc_counting *counts, const trc_noted_sample *sample, trc_described *described,
                      sample_place *place)
{
    describe(counts, sample, described);
    trc_tree_place found = trc_frame_tree_add(&counts->frames, described, sample);
    trc_slow_lines_add(&counts->slow_lines, sample);
    if (sample->is_in_event) {
        atomic_fetch_add_explicit(&counts->in_events, sample->weight, memory_order_relaxed);
    }
    place->node = found.node;
    place->kind = found.is_own ? TRC_IN_OVERHEAD : TRC_IN_PROGRAM;
}

/* Returns whether the stack was longer than its copy. */
static bool count_sample(trc_counting *counts, const trc_noted_sample *sample, trc_described *described)
{
    sample_place place = {.node = sample->node, .kind = TRC_IN_PROGRAM};
    if (described != NULL) {
        find_node(counts, sample, described, &place);
    }
    if (sample->has_stack) {
        find_stack(counts, sample, &place);
    }
    trc_sample_counts *sample_counts = sample_counts_of(counts, sample->owner);
    if (sample_counts == NULL ||
        !trc_sample_counts_add(sample_counts, place.node, place.chain, place.kind, sample->weight)) {
        counts->lost += sample->weight;
        return false;
    }
    if (sample->line != NULL && place.kind == TRC_IN_PROGRAM) {
        atomic_fetch_add_explicit(place.chain == 0 ? &sample->line->python : &sample->line->native,
                                  sample->weight * counts->period, memory_order_relaxed);
    }
    counts->signals++;
    return place.is_too_long;
}

uint32_t trc_count_wait(trc_counting *counts, const trc_noted_sample *sample, trc_described *described, bool waited)
{
    describe(counts, sample, described);
    if (!waited) {
        return TRC_NODE_NONE;
    }
    uint32_t node = trc_frame_tree_add(&counts->frames, described, sample).node;
    trc_count_wait_again(counts, sample->owner, node);
    return node;
}

void trc_count_wait_again(trc_counting *counts, uint32_t owner, uint32_t node)
{
    trc_sample_counts *sample_counts = sample_counts_of(counts, owner);
    if (sample_counts != NULL) {
        trc_sample_counts_add(sample_counts, node, 0, TRC_IN_WAIT, 1);
    }
}

bool trc_counting_init(trc_counting *counts)
{
    counts->rows = trc_map(&trc_system_pages, CACHE_ROWS * sizeof *counts->rows);
    if (counts->rows == NULL) {
        return false;
    }
    trc_rowcache_init(&counts->cache, counts->rows, CACHE_ROWS);
    trc_native_stacks_init(&counts->chains, &trc_system_allocator);
    trc_frame_tree_init(&counts->frames, &trc_system_allocator);
    return true;
}

void trc_counting_clear(trc_counting *counts)
{
    for (int kind = 0; kind < TRC_OWNER_KINDS; kind++) {
        for (uint32_t i = 0; i < counts->sample_counts[kind].count; i++) {
            trc_sample_counts_free(&counts->sample_counts[kind].by_owner[i]);
        }
    }
    trc_frame_tree_clear(&counts->frames);
    counts->signals = counts->cut = counts->lost = counts->broken = 0;
    counts->handlers = 0;
    atomic_store(&counts->in_events, 0);
    counts->slow_lines = (trc_slow_lines){.limit = counts->slow_lines.limit, .is_sure = counts->slow_lines.is_sure};
}

void trc_counting_free(trc_counting *counts)
{
    trc_counting_clear(counts);
    for (int kind = 0; kind < TRC_OWNER_KINDS; kind++) {
        free(counts->sample_counts[kind].by_owner);
    }
    trc_native_stacks_free(&counts->chains);
    trc_frame_tree_free(&counts->frames);
    trc_modules_free(&counts->modules);
    trc_unmap(&trc_system_pages, counts->rows, CACHE_ROWS * sizeof *counts->rows);
}

void trc_counting_look(trc_counting *counts)
{
    if (trc_modules_look(&counts->modules)) {
        trc_native_stacks_forget_addresses(&counts->chains);
        trc_rowcache_init(&counts->cache, counts->rows, CACHE_ROWS);
    }
}

void trc_count_samples(trc_counting *counts, trc_sampled_thread *sampled, trc_described *described)
{
    const trc_noted_sample *sample;
    while ((sample = trc_ring_peek(&sampled->ring)) != NULL) {
        if (sample->has_stack && !counts->has_eval) {
            find_eval(counts);
        }
        if (count_sample(counts, sample, described) && sample->stack_size >= TRC_STACK_USUAL) {
            atomic_store(&sampled->most, TRC_STACK_MOST);
        }
        trc_ring_drop(&sampled->ring);
    }
    counts->lost += atomic_exchange(&sampled->lost, 0);
    counts->handlers += atomic_exchange(&sampled->spent, 0);
    counts->broken += atomic_exchange(&sampled->broken, 0);
}

#endif
