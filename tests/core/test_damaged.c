/* The unwinder on damage: stacks, registers and files of which some bytes are others. Nothing outside of them is read,
 * and each walk ends. The seed is fixed; TRC_FUZZ_STACKS and TRC_FUZZ_SEED ask for more, and others. `make fuzz-unwind`
 * runs ten million stacks under the sanitizers. */
#include "captured.h"
#include "suites.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef __GLIBC__

#define STACKS 20000
#define OF_ONE_FILE 64    /* stacks between two damages of the file */
#define OF_ONE_NAMING 128 /* damages of the file between two readings of its symbols, which take a millisecond */
#define MOST_DAMAGES 16
#define MOST_BYTES 24 /* of one damage */

static loaded here;
static captured template, damaged;
static uint64_t state;
static uint64_t frames_found;

static uint64_t random_below(uint64_t limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(0x2545F4914F6CDD1D) % limit;
}

static bool one_in(uint64_t number)
{
    return random_below(number) == 0;
}

/* -- A file that is damaged, and mended again -- */

typedef struct damage {
    size_t at, count;
    uint8_t before[MOST_BYTES];
} damage;

typedef struct file {
    uint8_t *bytes;
    size_t size;
    trc_elf *elf; /* its reading is that of the modules */
    trc_symbols *symbols;
    damage damages[MOST_DAMAGES];
    size_t count;
} file;

/* Takes a copy of the file of the module that has an address for that module's. */
static void copy_file(file *copy, uint64_t address)
{
    const trc_module *module = trc_module_of(&here.unwinder, address);
    ck_assert_ptr_nonnull(module);
    *copy = (file){.size = module->elf->size, .elf = (trc_elf *)module->elf, .symbols = (trc_symbols *)module->symbols};
    copy->bytes = malloc(copy->size);
    ck_assert_ptr_nonnull(copy->bytes);
    memcpy(copy->bytes, module->elf->bytes, copy->size);
    ck_assert(trc_elf_open(copy->elf, copy->bytes, copy->size));
}

static size_t offset_of(const file *file, const trc_span *span)
{
    return span->at == NULL || trc_span_left(span) == 0 ? 0 : (size_t)(span->at - file->bytes);
}

/* A place in the file, mostly in a table. */
static size_t random_place(const file *file)
{
    const trc_elf *elf = file->elf;
    const trc_span *tables[] = {&elf->frames,   &elf->frames,   &elf->frames, &elf->frame_index,
                                &elf->segments, &elf->sections, &elf->names,  &elf->dynamic};
    const trc_span *table = tables[random_below(sizeof tables / sizeof *tables)];
    size_t left = trc_span_left(table);
    if (one_in(4) || left == 0) {
        return (size_t)random_below(one_in(4) ? 64 : file->size);
    }
    return offset_of(file, table) + (size_t)random_below(left);
}

static void damage_file(file *file, const struct file *sound)
{
    size_t count = (size_t)random_below(MOST_DAMAGES) + 1;
    for (file->count = 0; file->count < count; file->count++) {
        damage *damage = &file->damages[file->count];
        damage->at = random_place(sound);
        damage->count = (size_t)random_below(MOST_BYTES) + 1;
        if (damage->count > file->size - damage->at) {
            damage->count = file->size - damage->at;
        }
        memcpy(damage->before, file->bytes + damage->at, damage->count);
        for (size_t i = 0; i < damage->count; i++) {
            file->bytes[damage->at + i] = (uint8_t)random_below(256);
        }
    }
}

static void mend_file(file *file)
{
    while (file->count > 0) {
        const damage *damage = &file->damages[--file->count];
        memcpy(file->bytes + damage->at, damage->before, damage->count);
    }
}

/* The names stay in the file: each ends at a zero, of which the file has many, whatever is damaged later. */
static void read_names(file *file)
{
    trc_symbols_free(file->symbols);
    ck_assert(trc_symbols_read(file->symbols, file->elf, &trc_system_allocator));
}

/* -- Stacks -- */

/* An address of code of the file, or of none. */
static uint64_t random_pc(uint64_t address)
{
    const trc_module *module = trc_module_of(&here.unwinder, address);
    return one_in(50) ? random_below(UINT64_MAX) : module->start + random_below(module->end - module->start);
}

static void damage_stack(uint64_t address)
{
    size_t size = template.copy.stack.size;
    damaged = template;
    damaged.copy.stack.bytes = damaged.bytes;
    if (!one_in(4)) {
        damaged.copy.pc = random_pc(address);
    }
    for (uint64_t changes = random_below(4); changes > 0; changes--) {
        uint64_t sp = template.copy.stack.sp;
        damaged.copy.registers[random_below(TRC_REGISTERS)] =
            one_in(2) ? random_below(UINT64_MAX) : sp + random_below(2 * size);
    }
    for (uint64_t changes = random_below(64); changes > 0; changes--) {
        uint64_t word = one_in(2)   ? random_pc(address)
                        : one_in(2) ? random_below(UINT64_MAX)
                                    : template.copy.stack.sp + random_below(size);
        memcpy(damaged.bytes + random_below(size / 8) * 8, &word, 8);
    }
    damaged.copy.stack.size = one_in(8) ? (size_t)random_below(size + 1) : size;
    damaged.copy.boundary = one_in(4) ? template.copy.stack.sp + random_below(size) : UINT64_MAX;
}

static void unwind_damaged(trc_rowcache *cache)
{
    trc_native_frame frames[MOST_FRAMES];
    size_t limit = one_in(8) ? (size_t)random_below(MOST_FRAMES) : MOST_FRAMES, count = 0;
    here.unwinder.cache = one_in(2) ? cache : NULL;
    trc_unwind_status status = trc_unwind(&here.unwinder, &damaged.copy, frames, limit, &count);
    insist(status <= TRC_UNWIND_BAD, "the walk says why it ended");
    frames_found += count;
    insist(count <= limit, "there are as many frames as were asked for, or fewer");
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        insist(is_last || i == 0 || frames[i].cfa >= frames[i - 1].cfa, "the walk goes up the stack");
        insist(strlen(loaded_name(&here, frames[i].pc)) < SIZE_MAX, "the name can be read");
    }
}

/* Goes on until so many stacks were unwound. */
static void unwind_many(size_t stacks)
{
    static trc_small_row rows[1024];
    static file file, sound;
    trc_rowcache cache;
    uint64_t address = (uint64_t)(uintptr_t)qsort;
    copy_file(&file, address);
    sound = file;
    trc_elf intact = *file.elf;
    sound.elf = &intact;
    read_names(&file);
    for (size_t done = 0, files = 0; done < stacks; files++) {
        damage_file(&file, &sound);
        trc_rowcache_init(&cache, rows, 1024);
        bool is_read = trc_elf_open(file.elf, file.bytes, file.size);
        if (is_read && files % OF_ONE_NAMING == 0) {
            read_names(&file);
        }
        for (int i = 0; is_read && i < OF_ONE_FILE && done < stacks; i++, done++) {
            damage_stack(address);
            unwind_damaged(&cache);
        }
        mend_file(&file);
        *file.elf = intact;
    }
    read_names(&file);
}

static uint64_t asked(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

START_TEST(damage_is_survived)
{
    uint64_t stacks = asked("TRC_FUZZ_STACKS", STACKS);
    state = asked("TRC_FUZZ_SEED", 1);
    loaded_read(&here);
    capture(&template);
    unwind_many((size_t)stacks);
    if (stacks != STACKS) {
        printf("%llu damaged stacks: %llu frames\n", (unsigned long long)stacks, (unsigned long long)frames_found);
    }
    /* The file is mended, so that a sound stack is unwound as ever. */
    here.unwinder.cache = NULL;
    expect_all_frames(&here, &template);
}
END_TEST

Suite *damaged_suite(void)
{
    Suite *suite = suite_create("damaged");
    TCase *damages = tcase_create("damages");
    tcase_add_test(damages, damage_is_survived);
    suite_add_tcase(suite, damages);
    return suite;
}

#else

Suite *damaged_suite(void)
{
    return suite_create("damaged");
}

#endif
