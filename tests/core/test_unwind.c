/* unwind.[ch] on stacks of this process: the frames are those that the compiler's own unwinder finds, and the chain of
 * callers is the same at each instruction of a function. */
#define _GNU_SOURCE /* __GLIBC__ is told by the headers, REG_EFL by ucontext.h */
#include "captured.h"
#include "suites.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <time.h>
#include <ucontext.h>

/* Bytes from the return address of recurse() to its CFA. On AArch64 it is at the bottom of the frame, which has 32. */
#ifdef __aarch64__
#define TO_RETURN_ADDRESS 24
#else
#define TO_RETURN_ADDRESS 8
#endif

static loaded here;
static captured found;

static void capture_once(void)
{
    if (found.expected_count == 0) {
        capture(&found);
    }
}

static int capturing_compare(const void *left, const void *right)
{
    capture_once();
    return *(const int *)left - *(const int *)right;
}

START_TEST(a_callback_of_qsort_is_found)
{
    int numbers[] = {3, 1, 2};
    loaded_read(&here);
    qsort(numbers, 3, sizeof *numbers, capturing_compare);
    expect_all_frames(&here, &found);
}
END_TEST

__attribute__((noinline)) static int recurse(int depth)
{
    int result = depth == 0 ? (capture(&found), 0) : recurse(depth - 1) + 1;
    return result;
}

START_TEST(a_recursive_function_is_found_again_and_again)
{
    loaded_read(&here);
    ck_assert_int_eq(recurse(100), 100);
    expect_all_frames(&here, &found);
    ck_assert_int_gt(found.expected_count, 101);
}
END_TEST

__attribute__((noinline)) static void with_alloca(size_t size)
{
    volatile char *memory = alloca(size);
    memory[size - 1] = 1;
    capture(&found);
    memory[0] = memory[size - 1];
}

START_TEST(a_frame_may_have_any_size)
{
    loaded_read(&here);
    for (size_t size = 1; size < 5000; size += 1234) {
        with_alloca(size);
        expect_all_frames(&here, &found);
    }
}
END_TEST

__attribute__((noinline, noreturn)) static void never_returns(void)
{
    capture(&found);
    expect_all_frames(&here, &found);
    exit(0);
}

/* Its return address is behind its last instruction. */
__attribute__((noinline)) static void calls_at_its_end(void)
{
    never_returns();
}

START_TEST(a_return_address_may_be_behind_its_function)
{
    loaded_read(&here);
    calls_at_its_end();
}
END_TEST

static void on_signal(int number)
{
    (void)number;
    capture_once();
}

static int interrupted_compare(const void *left, const void *right)
{
    raise(SIGUSR1);
    return *(const int *)left - *(const int *)right;
}

START_TEST(a_signal_is_unwound_through)
{
    int numbers[] = {3, 1, 2};
    struct sigaction action = {.sa_handler = on_signal};
    if (getauxval(AT_SYSINFO_EHDR) == 0) {
        return; /* an emulator without the kernel's library, which tells what a handler returns to */
    }
    loaded_read(&here);
    sigaction(SIGUSR1, &action, NULL);
    qsort(numbers, 3, sizeof *numbers, interrupted_compare);
    expect_all_frames(&here, &found);
}
END_TEST

START_TEST(the_walk_ends_where_it_is_told)
{
    trc_native_frame frames[MOST_FRAMES], some[MOST_FRAMES];
    trc_unwind_status status;
    size_t count;
    loaded_read(&here);
    recurse(10);
    size_t all = unwind_thrice(&here, &found, frames, &status);
    ck_assert_int_eq(status, TRC_UNWIND_OUTERMOST);
    for (size_t i = 1; i + 1 < all; i++) {
        ck_assert_uint_gt(frames[i].cfa, frames[i - 1].cfa);
    }
    ck_assert_uint_ge(frames[all - 1].cfa, frames[all - 2].cfa); /* the outermost may use no stack */
    for (size_t i = 0; i + 1 < all; i++) {
        found.copy.boundary = frames[i].cfa;
        ck_assert_uint_eq(unwind_thrice(&here, &found, some, &status), i + 1);
        ck_assert_int_eq(status, TRC_UNWIND_BOUNDARY);
        found.copy.boundary = frames[i].cfa + 1;
        ck_assert_uint_eq(unwind_thrice(&here, &found, some, &status), i + 2);
        found.copy.boundary = UINT64_MAX;
        ck_assert_int_eq(trc_unwind(&here.unwinder, &found.copy, some, i, &count), TRC_UNWIND_FULL);
        ck_assert_uint_eq(count, i);
    }
    found.copy.stack.size = (size_t)(frames[5].cfa - found.copy.stack.sp) - TO_RETURN_ADDRESS + 7;
    ck_assert_uint_eq(unwind_thrice(&here, &found, some, &status), 6);
    ck_assert_int_eq(status, TRC_UNWIND_COPY_END);
}
END_TEST

#ifdef __x86_64__

/* Single steps: the processor raises SIGTRAP after each instruction. */
static trc_native_frame frames[MOST_FRAMES];
static uint64_t callers[MOST_FRAMES]; /* the return addresses in the callers of the function that steps */
static size_t caller_count;
static size_t steps, failures;

/* Of most functions the return address within step() is not known, so it is not compared. */
static void on_step(int number, siginfo_t *info, void *context)
{
    trc_unwind_status status;
    (void)number, (void)info;
    capture_interrupted(&found, context);
    size_t count = unwind_thrice(&here, &found, frames, &status);
    bool is_right = status == TRC_UNWIND_OUTERMOST && count >= caller_count;
    for (size_t i = 1; is_right && i <= caller_count; i++) {
        is_right = frames[count - i].pc == callers[caller_count - i];
    }
    steps++;
    if (!is_right && failures++ < 5) {
        printf("step %zu in %s: status %d, %zu frames\n", steps, loaded_name(&here, found.copy.pc), status, count);
    }
}

/* Sets or clears the flag, without a place on the stack below which compilers may keep something. */
#define TRAPS(operation)                                                                                       \
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; " operation ", (%%rsp); popfq; lea 128(%%rsp), %%rsp" :: \
                         : "memory", "cc")

__attribute__((noinline)) static void step(void (*function)(void))
{
    TRAPS("orq $256");
    function();
    TRAPS("andq $~256");
}

__attribute__((noinline)) static void expect_steps(void (*function)(void))
{
    static captured at_start;
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    loaded_read(&here);
    capture(&at_start);
    for (int i = 2; i < at_start.expected_count; i++) { /* the first two are of capture() and of this function */
        callers[caller_count++] = (uint64_t)(uintptr_t)at_start.expected[i];
    }
    sigaction(SIGTRAP, &action, NULL);
    step(function);
    ck_assert_uint_eq(failures, 0);
    ck_assert_uint_gt(steps, 10);
}

static char text[100];

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static void call_the_c_library(void)
{
    int numbers[] = {5, 3, 1, 4, 2};
    struct tm parts;
    time_t moment = 86400;
    snprintf(text, sizeof text, "%s %.3f %d", "text", strtod("1.5e3", NULL), atoi("-7"));
    qsort(numbers, 5, sizeof *numbers, compare);
    free(malloc(1000));
    gmtime_r(&moment, &parts);
    memset(text, 0, sizeof text);
}

START_TEST(each_instruction_of_the_c_library_is_unwound)
{
    expect_steps(call_the_c_library);
}
END_TEST

/* The C library has functions that are entered through the padding in front of them, of which no rule is. A jump follows,
 * so that the code ahead does not tell the row. */
void before_padding(void);
__asm__(".text\n"
        ".globl before_padding\n"
        ".type before_padding, @function\n"
        "before_padding:\n"
        ".cfi_startproc\n"
        "  mov $1, %eax\n"
        ".cfi_endproc\n"
        ".size before_padding, . - before_padding\n"
        "  nopw 0(%rax, %rax, 1)\n"
        "  .byte 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n"
        "  nop\n"
        ".cfi_startproc\n"
        "  cmp $1, %eax\n"
        "  je 5f\n"
        "  mov $2, %eax\n"
        "5: ret\n"
        ".cfi_endproc\n");

START_TEST(each_instruction_of_padding_is_unwound)
{
    expect_steps(before_padding);
}
END_TEST

/* Assembly without CFI. The first is made as OpenBLAS's kernels: the stack pointer is kept in rbx and then rounded. */
void kernel_without_rules(void);
void pushes_without_rules(void);
void frame_without_rules(void);
void leaf_without_rules(void);
__asm__(".text\n"
        ".globl kernel_without_rules, pushes_without_rules, frame_without_rules, leaf_without_rules\n"
        ".type kernel_without_rules, @function\n"
        "kernel_without_rules:\n"
        "  sub $96, %rsp\n"
        "  mov %rbx, (%rsp)\n"
        "  mov %rbp, 8(%rsp)\n"
        "  mov %r12, 16(%rsp)\n"
        "  mov %r15, 40(%rsp)\n"
        "  vzeroupper\n"
        "  mov %rsp, %rbx\n"
        "  sub $4224, %rsp\n"
        "  and $-4096, %rsp\n"
        "  cmpq $0, 8(%rsp)\n"
        "  mov $3, %r12\n"
        "  xor %ebp, %ebp\n"
        "  test %rsp, %rsp\n"
        "  je 3f\n"
        "1: call leaf_without_rules\n"
        "  vxorps %ymm0, %ymm0, %ymm0\n"
        "  mov $-1, %r15\n"
        "  dec %r12\n"
        "  jne 1b\n"
        "3: mov %rbx, %rsp\n"
        "  mov (%rsp), %rbx\n"
        "  mov 8(%rsp), %rbp\n"
        "  mov 16(%rsp), %r12\n"
        "  mov 40(%rsp), %r15\n"
        "  vzeroupper\n"
        "  add $96, %rsp\n"
        "  ret\n"
        ".size kernel_without_rules, . - kernel_without_rules\n"
        ".type pushes_without_rules, @function\n"
        "pushes_without_rules:\n"
        "  endbr64\n"
        "  test %rsp, %rsp\n"
        "  je 2f\n"
        "  push %rbx\n"
        "  push %r14\n"
        "  sub $40, %rsp\n"
        "  movq $5, 8(%rsp)\n"
        "  mov $7, %rbx\n"
        "  xor %r14d, %r14d\n"
        "  call frame_without_rules\n"
        "  call leaf_without_rules\n"
        "  lea 40(%rsp), %rsp\n"
        "  pop %r14\n"
        "  pop %rbx\n"
        "2: repz ret\n"
        ".size pushes_without_rules, . - pushes_without_rules\n"
        ".type frame_without_rules, @function\n"
        "frame_without_rules:\n"
        "  push %rbp\n"
        "  mov %rsp, %rbp\n"
        "  push %r13\n"
        "  sub $72, %rsp\n"
        "  and $-32, %rsp\n"
        "  mov $1, %r13d\n"
        "  vmovups %ymm0, (%rsp)\n"
        "  call leaf_without_rules\n"
        "  mov -8(%rbp), %r13\n"
        "  leave\n"
        "  ret\n"
        ".size frame_without_rules, . - frame_without_rules\n"
        ".type leaf_without_rules, @function\n"
        "leaf_without_rules:\n"
        "  mov $1, %eax\n"
        "  imul $3, %rax, %rcx\n"
        "  pxor %xmm1, %xmm1\n"
        "  cmp $2, %rcx\n"
        "  jb 4f\n"
        "  lea 1(%rax, %rcx, 8), %rdx\n"
        "4: ret\n"
        ".size leaf_without_rules, . - leaf_without_rules\n");

static void call_without_rules(void)
{
    kernel_without_rules();
    pushes_without_rules();
    frame_without_rules();
}

START_TEST(each_instruction_without_rules_is_unwound)
{
    if (__builtin_cpu_supports("avx")) {
        expect_steps(call_without_rules);
    }
}
END_TEST

#endif

/* Prints what a stack of 20 frames takes: TRC_TIMES=1, and the case by its name. */
START_TEST(a_stack_is_unwound_soon)
{
    enum { ROUNDS = 20000 };
    static trc_small_row rows[4096];
    trc_native_frame some[MOST_FRAMES];
    trc_rowcache cache;
    size_t count;
    loaded_read(&here);
    recurse(9);
    trc_rowcache_init(&cache, rows, 4096);
    for (int round = 0; round < 2; round++) {
        struct timespec start, end;
        here.unwinder.cache = round == 0 ? NULL : &cache;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int i = 0; i < (getenv("TRC_TIMES") ? ROUNDS : 1); i++) {
            trc_unwind(&here.unwinder, &found.copy, some, MOST_FRAMES, &count);
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        double us = ((end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / 1e3;
        if (getenv("TRC_TIMES")) {
            printf("%zu frames, %s: %.2f us\n", count, round == 0 ? "no cache" : "cache", us / ROUNDS);
        }
        ck_assert_int_eq(count, found.expected_count);
    }
}
END_TEST

Suite *unwind_suite(void)
{
    Suite *suite = suite_create("unwind");
    TCase *stacks = tcase_create("stacks");
    tcase_add_test(stacks, a_callback_of_qsort_is_found);
    tcase_add_test(stacks, a_recursive_function_is_found_again_and_again);
    tcase_add_test(stacks, a_frame_may_have_any_size);
    tcase_add_exit_test(stacks, a_return_address_may_be_behind_its_function, 0);
    tcase_add_test(stacks, a_signal_is_unwound_through);
    tcase_add_test(stacks, the_walk_ends_where_it_is_told);
    tcase_add_test(stacks, a_stack_is_unwound_soon);
#ifdef __x86_64__
    TCase *stepping = tcase_create("steps");
    tcase_add_test(stepping, each_instruction_of_the_c_library_is_unwound);
    tcase_add_test(stepping, each_instruction_of_padding_is_unwound);
    tcase_add_test(stepping, each_instruction_without_rules_is_unwound);
    suite_add_tcase(suite, stepping);
#endif
    suite_add_tcase(suite, stacks);
    return suite;
}

#else

Suite *unwind_suite(void)
{
    return suite_create("unwind");
}

#endif
