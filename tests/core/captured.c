/* Stacks of this very process: see captured.h. */
#define _GNU_SOURCE /* dl_iterate_phdr, pthread_getattr_np */
#include "captured.h"
#include "support.h"

#ifdef __GLIBC__
#include <core/unwind/registers.h>

#include <check.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

static size_t map_file(const char *path, const void **bytes)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(fstat(file, &status), 0);
    *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    ck_assert_ptr_ne(*bytes, MAP_FAILED);
    close(file);
    return (size_t)status.st_size;
}

/* The kernel's own library has no file: its memory is what a file would be. */
static size_t size_in_memory(const struct dl_phdr_info *info)
{
    uint64_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_vaddr + segment->p_memsz > end) {
            end = segment->p_vaddr + segment->p_memsz;
        }
    }
    return (size_t)((end + 4095) / 4096 * 4096);
}

static void add_module(loaded *loaded, trc_elf *elf, trc_symbols *symbols, uint64_t bias, const ElfW(Phdr) * segment)
{
    size_t place = loaded->count++;
    uint64_t start = bias + segment->p_vaddr;
    ck_assert_uint_lt(place, MOST_MODULES);
    for (; place > 0 && loaded->modules[place - 1].start > start; place--) {
        loaded->modules[place] = loaded->modules[place - 1];
    }
    loaded->modules[place] = (trc_module){start, start + segment->p_memsz, bias, elf, symbols};
}

static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
    loaded *loaded = context;
    trc_elf *elf = &loaded->elfs[loaded->count];
    trc_symbols *symbols = &loaded->symbols[loaded->count];
    const void *bytes = (const void *)(uintptr_t)info->dlpi_addr;
    (void)size;
    if (*info->dlpi_name == 0 && info->dlpi_addr != 0 && info->dlpi_addr == getauxval(AT_SYSINFO_EHDR)) {
        return 0; /* a static program is told of the kernel's library without a name */
    }
    if (strchr(info->dlpi_name, '/') != NULL || *info->dlpi_name == 0) {
        size = map_file(*info->dlpi_name == 0 ? "/proc/self/exe" : info->dlpi_name, &bytes);
    }
    else {
        size = size_in_memory(info);
    }
    ck_assert(trc_elf_open(elf, bytes, size));
    ck_assert(trc_symbols_read(symbols, elf, &trc_system_allocator));
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) != 0) {
            add_module(loaded, elf, symbols, info->dlpi_addr, &info->dlpi_phdr[i]);
        }
    }
    return 0;
}

/* Where the main thread's stack ends. It is found once: the C library takes memory for that, and a handler may run in the
 * middle of malloc(). */
static uint64_t stack_end;

static void find_stack_end(void)
{
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    ck_assert_int_eq(pthread_getattr_np(pthread_self(), &attributes), 0);
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    stack_end = (uint64_t)(uintptr_t)lowest + size;
}

void loaded_read(loaded *loaded)
{
    ucontext_t context;
    uint64_t registers[TRC_REGISTERS], pc;
    memset(loaded, 0, sizeof *loaded);
    find_stack_end();
    getcontext(&context);
    dl_iterate_phdr(add_object, loaded);
    loaded->unwinder = (trc_unwinder){
        .arch = trc_registers_of(&context, registers, &pc),
        .modules = loaded->modules,
        .module_count = loaded->count,
    };
    ck_assert_ptr_nonnull(loaded->unwinder.arch);
}

const char *loaded_name(const loaded *loaded, uint64_t pc)
{
    const trc_module *module = trc_module_of(&loaded->unwinder, pc);
    trc_symbol symbol;
    return module != NULL && trc_symbols_find(module->symbols, pc - module->bias, &symbol) ? symbol.name : "?";
}

/* Stacks have red zones of the sanitizers, which memcpy() may not touch. */
__attribute__((noinline, no_sanitize("address"))) static void copy_stack(captured *captured, uint64_t sp)
{
    size_t left = (size_t)(stack_end - sp), size = left < STACK_SIZE ? left : STACK_SIZE;
    const volatile uint8_t *from = (const volatile uint8_t *)(uintptr_t)sp;
    for (size_t i = 0; i < size; i++) {
        captured->bytes[i] = from[i];
    }
    captured->copy.stack = (trc_native_stack){captured->bytes, size, sp};
    captured->copy.boundary = UINT64_MAX;
}

static _Unwind_Reason_Code add_expected(struct _Unwind_Context *frame, void *of)
{
    captured *captured = of;
    void *pc = (void *)_Unwind_GetIP(frame);
    if (pc != NULL && captured->expected_count < MOST_FRAMES) {
        captured->expected[captured->expected_count++] = pc;
    }
    return _URC_NO_REASON;
}

__attribute__((noinline)) void capture(captured *captured)
{
    ucontext_t context;
    getcontext(&context);
    captured->expected_count = 0;
    _Unwind_Backtrace(add_expected, captured);
    capture_interrupted(captured, &context);
}

void capture_interrupted(captured *captured, const void *ucontext)
{
    const trc_arch *arch = trc_registers_of(ucontext, captured->copy.registers, &captured->copy.pc);
    copy_stack(captured, captured->copy.registers[arch->stack_pointer]);
}

size_t unwind_thrice(const loaded *loaded, const captured *captured, trc_native_frame frames[MOST_FRAMES],
                     trc_unwind_status *status)
{
    static trc_small_row rows[256];
    trc_native_frame again[MOST_FRAMES];
    trc_rowcache cache;
    trc_unwinder unwinder = loaded->unwinder;
    size_t count, again_count;
    *status = trc_unwind(&unwinder, &captured->copy, frames, MOST_FRAMES, &count);
    trc_rowcache_init(&cache, rows, 256);
    unwinder.cache = &cache;
    for (int round = 0; round < 2; round++) {
        insist(trc_unwind(&unwinder, &captured->copy, again, MOST_FRAMES, &again_count) == *status,
               "the status is the same");
        insist(again_count == count, "the frames are the same");
        for (size_t i = 0; i < count; i++) {
            insist(again[i].pc == frames[i].pc, "the frames are the same");
            insist(again[i].cfa == frames[i].cfa, "the frames are the same");
            insist(again[i].is_call == frames[i].is_call, "the frames are the same");
        }
    }
    return count;
}

void expect_all_frames(const loaded *loaded, const captured *captured)
{
    trc_native_frame frames[MOST_FRAMES];
    trc_unwind_status status;
    size_t count = unwind_thrice(loaded, captured, frames, &status);
    ck_assert_int_eq(status, TRC_UNWIND_OUTERMOST);
    ck_assert_int_eq(count, captured->expected_count);
    for (size_t i = 1; i < count; i++) {
        ck_assert_uint_eq(frames[i].pc, (uint64_t)(uintptr_t)captured->expected[i]);
    }
}

#endif
