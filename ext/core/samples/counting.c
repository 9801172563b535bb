/* What becomes of a sample: see counting.h. */
#include "core/samples/counting.h"

#include "core/samples/support.h"
#include "core/unwind/cfi.h"
#include "core/unwind/registers.h"

#define MOST_FRAMES 512
#define MOST_FILES_READ 64 /* while one stack is unwound */

#if TRC_SAMPLES

/* Functions of the interpreter that only hand a call on: left out at the outer end of a chain. */
static const char *const hidden[] = {
    "PyObject_Vectorcall", "PyObject_VectorcallMethod", "PyObject_Call", "PyObject_CallOneArg", "_PyObject_MakeTpCall",
    "_PyObject_Call", "_PyObject_Vectorcall", "PyVectorcall_Call", "_PyVectorcall_Call"};
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
static void find_eval(trc_sampling *sampling)
{
    uint32_t place = sampling->eval == 0 ? UINT32_MAX : trc_modules_find(&sampling->modules, sampling->eval);
    sampling->has_eval = true;
    if (place == UINT32_MAX || sampling->modules.files[place]->mapped == NULL) {
        return;
    }
    const trc_code_file *file = sampling->modules.files[place];
    sampling->eval_count =
        trc_eval_code_find(&file->elf, &file->symbols, sampling->eval - file->bias, sampling->eval_parts);
    for (size_t i = 0; i < sampling->eval_count; i++) {
        sampling->eval_parts[i].start += file->bias;
        sampling->eval_parts[i].end += file->bias;
    }
}

/* Unwinds a copy. A file is read when the walk first comes to its code, which then begins anew. */
static trc_unwind_status unwind(trc_sampling *sampling, const trc_native_sample *sample, trc_native_frame *frames,
                                size_t *count)
{
    trc_unwinder unwinder = {
#if defined(__x86_64__)
        .arch = &trc_x86_64,
#else
        .arch = &trc_aarch64,
#endif
        .cache = &sampling->cache,
        .stops = sampling->eval_parts,
        .stop_count = sampling->eval_count,
    };
    trc_stack_copy copy = {.pc = sample->pc, .boundary = UINT64_MAX};
    memcpy(copy.registers, sample->registers, sizeof copy.registers);
    copy.stack = (trc_native_stack){sample->stack, sample->stack_size, sample->registers[unwinder.arch->stack_pointer]};
    trc_unwind_status status = TRC_UNWIND_BAD;
    *count = 0;
    for (int tries = 0; tries < MOST_FILES_READ; tries++) {
        unwinder.modules = sampling->modules.loaded;
        unwinder.module_count = sampling->modules.loaded_count;
        status = trc_unwind(&unwinder, &copy, frames, MOST_FRAMES, count);
        uint64_t last = *count == 0 ? 0 : frames[*count - 1].pc - frames[*count - 1].is_call;
        const trc_module *module = trc_module_of(&unwinder, last);
        if (status != TRC_UNWIND_NO_RULE || module == NULL || module->elf != NULL ||
            trc_modules_find(&sampling->modules, last) == UINT32_MAX ||
            sampling->modules.loaded[module - unwinder.modules].elf == NULL) {
            break;
        }
    }
    return status;
}

/* Whether a frame is in the C library: at the outer end of a thread's chain that begins there, it only runs the
 * thread. */
static bool is_in_libc(const trc_sampling *sampling, uint32_t frame)
{
    uint32_t module = sampling->chains.frames[frame].module;
    const char *path = module == TRC_NOWHERE ? "" : sampling->modules.files[module]->path;
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0 || strncmp(name, "libpthread", 10) == 0;
}

/* The number of a frame, which may be new. */
static uint32_t frame_of(trc_sampling *sampling, const trc_native_frame *frame)
{
    uint32_t number = trc_chains_frame(&sampling->chains, frame->pc, frame->is_call);
    if (number != TRC_NOWHERE) {
        return number;
    }
    uint64_t code = frame->pc - frame->is_call;
    trc_code_place place = {.address = frame->pc, .is_call = frame->is_call};
    place.module = trc_modules_find(&sampling->modules, code);
    const trc_code_file *file = place.module == TRC_NOWHERE ? NULL : sampling->modules.files[place.module];
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
    }
    return trc_chains_add_frame(&sampling->chains, &place);
}

static const char *name_of(const trc_chains *chains, uint32_t frame)
{
    uint32_t symbol = frame == TRC_NOWHERE ? TRC_NOWHERE : chains->frames[frame].symbol;
    return symbol == TRC_NOWHERE ? "" : chains->symbols[symbol].name;
}

static trc_shares *shares_of(trc_sampling *sampling, uint32_t number)
{
    trc_owned_shares *owned = &sampling->shares[number & 1];
    uint32_t owner = number >> 1;
    if (owner >= owned->count) {
        trc_shares *more = realloc(owned->shares, (owner + 1) * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        owned->shares = more;
        while (owned->count <= owner) {
            trc_shares_init(&more[owned->count++], &trc_system_allocator);
        }
    }
    return &owned->shares[owner];
}

/* Returns whether the chain was longer than the copy. */
static bool count_sample(trc_sampling *sampling, const trc_native_sample *sample)
{
    trc_native_frame frames[MOST_FRAMES];
    size_t count;
    trc_unwind_status status = unwind(sampling, sample, frames, &count);
    bool is_known = (sample->owner & 1) == TRC_KNOWN;
    bool is_whole = status == TRC_UNWIND_STOP || (status == TRC_UNWIND_OUTERMOST && (!is_known || sample->node == 0));
    count -= status == TRC_UNWIND_STOP; /* the interpreter's own frame */
    uint32_t own = sampling->own == 0 ? TRC_NOWHERE : trc_modules_find(&sampling->modules, sampling->own);
    uint32_t chain = 0, kind = TRC_IN_PROGRAM;
    for (size_t i = count; i > 0; i--) {
        uint32_t frame = frame_of(sampling, &frames[i - 1]);
        if (frame == TRC_NOWHERE) {
            continue;
        }
        const char *name = name_of(&sampling->chains, frame);
        bool is_own = own != TRC_NOWHERE && sampling->chains.frames[frame].module == own;
        if (is_own || begins_with(name, telling, sizeof telling / sizeof *telling)) {
            kind = TRC_IN_OVERHEAD;
        }
        bool is_outer = chain == 0 && i > 1 &&
                        (is_hidden(name) || (status == TRC_UNWIND_OUTERMOST && is_in_libc(sampling, frame)));
        if (!is_outer) {
            chain = trc_chains_call(&sampling->chains, chain, frame);
        }
    }
    trc_shares *shares = shares_of(sampling, sample->owner);
    if (shares == NULL || !trc_shares_add(shares, sample->node, chain, kind, sample->weight)) {
        sampling->lost += sample->weight;
        return false;
    }
    sampling->signals++;
    sampling->cut += !is_whole;
    return status == TRC_UNWIND_COPY_END;
}

void trc_count_samples(trc_sampling *sampling)
{
    if (trc_modules_look(&sampling->modules)) {
        trc_chains_forget_addresses(&sampling->chains);
        trc_rowcache_init(&sampling->cache, sampling->cache.rows, (size_t)sampling->cache.set_count * TRC_ROWCACHE_WAYS);
    }
    unsigned count = atomic_load(&sampling->slot_count);
    for (unsigned i = 0; i < count; i++) {
        trc_watched *watched = &sampling->slots[i]->watched;
        const trc_native_sample *sample;
        while ((sample = trc_ring_peek(&watched->ring)) != NULL) {
            if (!sampling->has_eval) {
                find_eval(sampling);
            }
            if (count_sample(sampling, sample) && sample->stack_size >= TRC_STACK_USUAL) {
                atomic_store(&watched->most, TRC_STACK_MOST);
            }
            trc_ring_drop(&watched->ring);
        }
        sampling->lost += atomic_exchange(&watched->lost, 0);
    }
}

#else
void trc_count_samples(trc_sampling *sampling)
{
    (void)sampling;
}
#endif
