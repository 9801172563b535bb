/* Runs a Python program in this process, samples its main thread as tracer does, and unwinds each copy twice: by the
 * core, and by elfutils' libdwfl. The last line that it prints has how many chains are the same, the median time of the
 * signal handler, and the median size of the copies, as JSON.
 *
 *     unwound LIBPYTHON [PYTHON'S ARGUMENTS...]
 *
 * A chain counts where every frame has call frame information: for other code libdwfl follows the frame pointer, which
 * most of such code does not keep. */
#define _GNU_SOURCE
#include "core/base/gettid.h"
#include "core/samples/modules.h"
#include "core/samples/sampled_thread.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/unwind/cfi.h"

#define PERIOD_NS 4000000
#define MOST_COPIES 4000
#define MOST_FRAMES 512

#define CACHE_ROWS 8192

/* -- Taking copies -- */

static trc_sampled_thread watched;
static void (*product)(int, siginfo_t *, void *); /* tracer's handler */
static int64_t handler_ns[MOST_COPIES];
static atomic_uint handled;

static trc_native_sample *copies[MOST_COPIES];
static int64_t sizes[MOST_COPIES];
static unsigned copy_count;
static atomic_bool is_over;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void timed(int signal, siginfo_t *info, void *context)
{
    int64_t began = now_ns();
    product(signal, info, context);
    unsigned place = atomic_fetch_add(&handled, 1);
    if (place < MOST_COPIES) {
        handler_ns[place] = now_ns() - began;
    }
}

static uint32_t node_of(const void *context)
{
    (void)context;
    return 0;
}

static void keep_copies(void)
{
    const trc_native_sample *sample;
    while ((sample = trc_ring_peek(&watched.ring)) != NULL) {
        if (copy_count < MOST_COPIES) {
            size_t size = sizeof *sample + sample->stack_size;
            copies[copy_count] = malloc(size);
            memcpy(copies[copy_count++], sample, size);
        }
        trc_ring_drop(&watched.ring);
    }
}

static void *read_ring(void *ignored)
{
    while (!atomic_load(&is_over)) {
        keep_copies();
        usleep(5000);
    }
    return ignored;
}

static void begin(void)
{
    struct sigaction action;
    int signal = trc_watch_signal();
    sigaction(signal, NULL, &action);
    product = action.sa_sigaction;
    action.sa_sigaction = timed;
    sigaction(signal, &action, NULL);
    void *ring = mmap(NULL, TRC_RING_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    trc_ring_init(&watched.ring, ring, TRC_RING_SIZE);
    trc_own_stack(&watched.stack_low, &watched.stack_high);
    watched.node_of = node_of;
    int error = trc_sampled_thread_begin(&watched, signal, trc_gettid(), PERIOD_NS);
    if (error != 0) {
        fprintf(stderr, "unwound: no timer: %s\n", strerror(error));
        exit(1);
    }
}

/* -- Unwinding them -- */

typedef struct chain {
    uint64_t pcs[MOST_FRAMES];
    size_t count;
    bool is_cut; /* the copy ended */
} chain;

static trc_modules modules;

static bool has_cfi(uint64_t code)
{
    uint32_t place = trc_modules_find(&modules, code);
    trc_cfi_entry entry;
    return place != UINT32_MAX && modules.files[place]->mapped != NULL &&
           trc_cfi_find(&modules.files[place]->elf, code - modules.files[place]->bias, &entry);
}

/* Returns whether every frame has call frame information. */
static bool by_core(const trc_native_sample *sample, chain *found)
{
    static trc_small_row rows[CACHE_ROWS];
    static trc_rowcache cache;
    static bool is_cached;
    if (!is_cached) {
        trc_rowcache_init(&cache, rows, CACHE_ROWS);
        is_cached = true;
    }
#if defined(__x86_64__)
    const trc_arch *arch = &trc_x86_64;
#else
    const trc_arch *arch = &trc_aarch64;
#endif
    trc_unwinder unwinder = {.arch = arch, .cache = &cache};
    trc_stack_copy copy = {.pc = sample->pc, .boundary = UINT64_MAX};
    memcpy(copy.registers, sample->registers, sizeof copy.registers);
    copy.stack = (trc_native_stack){sample->stack, sample->stack_size, sample->registers[arch->stack_pointer]};
    trc_native_frame frames[MOST_FRAMES];
    size_t count = 0, before;
    trc_unwind_status status;
    do { /* again when the walk came to a file that was not read yet */
        before = count;
        unwinder.modules = modules.loaded;
        unwinder.module_count = modules.loaded_count;
        status = trc_unwind(&unwinder, &copy, frames, MOST_FRAMES, &count);
        trc_modules_find(&modules, frames[count - 1].pc - frames[count - 1].is_call);
    } while (count > before);
    bool is_whole = true;
    for (size_t i = 0; i < count; i++) {
        found->pcs[i] = frames[i].pc;
        is_whole = is_whole && has_cfi(frames[i].pc - frames[i].is_call);
    }
    found->count = count;
    found->is_cut = status == TRC_UNWIND_COPY_END;
    return is_whole;
}

static const trc_native_sample *current; /* what libdwfl reads */

static pid_t next_thread(Dwfl *dwfl, void *argument, void **thread)
{
    (void)dwfl, (void)argument;
    if (*thread != NULL) {
        return 0;
    }
    *thread = &watched;
    return getpid();
}

static bool get_thread(Dwfl *dwfl, pid_t thread, void *argument, void **found)
{
    (void)dwfl, (void)argument;
    *found = &watched;
    return thread == getpid();
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *argument)
{
    (void)dwfl, (void)argument;
#if defined(__x86_64__)
    uint64_t sp = current->registers[trc_x86_64.stack_pointer];
#else
    uint64_t sp = current->registers[trc_aarch64.stack_pointer];
#endif
    trc_native_stack stack = {current->stack, current->stack_size, sp};
    return trc_native_stack_read(&stack, address, sizeof *result, result);
}

static bool set_registers(Dwfl_Thread *thread, void *argument)
{
    (void)argument;
#if defined(__x86_64__)
    Dwarf_Word registers[17];
    memcpy(registers, current->registers, 16 * sizeof *registers);
    registers[16] = current->pc;
    return dwfl_thread_state_registers(thread, 0, 17, registers);
#else
    Dwarf_Word registers[32];
    memcpy(registers, current->registers, sizeof registers);
    dwfl_thread_state_register_pc(thread, current->pc);
    return dwfl_thread_state_registers(thread, 0, 32, registers);
#endif
}

static int take_frame(Dwfl_Frame *frame, void *argument)
{
    chain *found = argument;
    Dwarf_Addr pc;
    bool is_activation;
    if (!dwfl_frame_pc(frame, &pc, &is_activation) || found->count == MOST_FRAMES) {
        return DWARF_CB_ABORT;
    }
    found->pcs[found->count++] = pc;
    return DWARF_CB_OK;
}

static Dwfl *open_dwfl(void)
{
    static char *path = NULL;
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo, .debuginfo_path = &path};
    static const Dwfl_Thread_Callbacks of_threads = {.next_thread = next_thread,
                                                     .get_thread = get_thread,
                                                     .memory_read = read_memory,
                                                     .set_initial_registers = set_registers};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (dwfl == NULL || dwfl_linux_proc_report(dwfl, getpid()) != 0 || dwfl_report_end(dwfl, NULL, NULL) != 0 ||
        !dwfl_attach_state(dwfl, NULL, getpid(), &of_threads, NULL)) {
        fprintf(stderr, "unwound: libdwfl: %s\n", dwfl_errmsg(-1));
        exit(1);
    }
    return dwfl;
}

/* A chain that was cut has as much as the copy holds, by either. */
static bool are_same(const chain *one, const chain *other)
{
    size_t count = one->is_cut && one->count < other->count ? one->count : other->count;
    return (one->is_cut || one->count == other->count) && count > 0 &&
           memcmp(one->pcs, other->pcs, count * sizeof *one->pcs) == 0;
}

static void tell(const chain *one, const chain *other)
{
    fprintf(stderr, "unwound: %zu frames, cut %d; libdwfl %zu frames (%s)\n", one->count, one->is_cut, other->count,
            dwfl_errmsg(-1));
    for (size_t i = 0; i < one->count || i < other->count; i++) {
        uint64_t pcs[] = {i < one->count ? one->pcs[i] : 0, i < other->count ? other->pcs[i] : 0};
        Dl_info info = {0};
        dladdr((void *)(uintptr_t)(pcs[0] != 0 ? pcs[0] : pcs[1]), &info);
        fprintf(stderr, "  %#lx %#lx %s %s\n", (long)pcs[0], (long)pcs[1], info.dli_sname, info.dli_fname);
    }
}

static int by_size(const void *one, const void *other)
{
    int64_t first = *(const int64_t *)one, second = *(const int64_t *)other;
    return (first > second) - (first < second);
}

static int64_t median(int64_t *numbers, unsigned count)
{
    qsort(numbers, count, sizeof *numbers, by_size);
    return count == 0 ? 0 : numbers[count / 2];
}

/* Not within main(), whose frame is in each copy. */
__attribute__((noinline)) static void compare(void)
{
    trc_modules_look(&modules);
    Dwfl *dwfl = open_dwfl();
    unsigned whole = 0, same = 0, told = 0;
    for (unsigned i = 0; i < copy_count; i++) {
        chain ours = {.count = 0}, theirs = {.count = 0};
        current = copies[i];
        if (by_core(current, &ours)) {
            whole++;
            dwfl_getthread_frames(dwfl, getpid(), take_frame, &theirs);
            bool is_same = are_same(&ours, &theirs);
            same += is_same;
            if (!is_same && told++ < 3) {
                tell(&ours, &theirs);
            }
        }
    }
    dwfl_end(dwfl);
    for (unsigned i = 0; i < copy_count; i++) {
        sizes[i] = copies[i]->stack_size;
    }
    printf("{\"copies\": %u, \"whole\": %u, \"same\": %u, \"handler_ns\": %ld, \"bytes\": %ld}\n", copy_count, whole,
           same, (long)median(handler_ns, handled < MOST_COPIES ? handled : MOST_COPIES),
           (long)median(sizes, copy_count));
}

int main(int argc, char **argv)
{
    void *library = argc < 2 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    int (*run)(int, char **) = library == NULL ? NULL : (int (*)(int, char **))dlsym(library, "Py_BytesMain");
    if (run == NULL) {
        fprintf(stderr, "unwound: %s\n", argc < 2 ? "LIBPYTHON is missing" : dlerror());
        return 2;
    }
    pthread_t reader;
    begin();
    pthread_create(&reader, NULL, read_ring, NULL);
    argv[1] = argv[0];
    int status = run(argc - 1, argv + 1);
    trc_sampled_thread_end(&watched);
    atomic_store(&is_over, true);
    pthread_join(reader, NULL);
    keep_copies();
    compare();
    return status;
}
