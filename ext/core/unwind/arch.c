/* The two architectures: see arch.h. The offsets are those of Linux's rt_sigframe. */
#include "core/unwind/arch.h"

/* mov $15, %rax; syscall. Where the C library has CFI for this code, the CFI says the same. */
const trc_arch trc_x86_64 = {
    .machine = 62,
    .stack_pointer = TRC_X86_64_RSP,
    .program_counter = TRC_X86_64_RIP,
    .has_link_register = false,
    .address_mask = UINT64_MAX,
    .callee_saved = {TRC_X86_64_RBX, TRC_X86_64_RBP, 12, 13, 14, 15},
    .callee_saved_count = 6,
    .trampoline = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05},
    .trampoline_size = 9,
    .interrupted = {[0] = 144,
                    [1] = 136,
                    [2] = 152,
                    [3] = 128,
                    [4] = 112,
                    [5] = 104,
                    [6] = 120,
                    [7] = 160,
                    [8] = 40,
                    [9] = 48,
                    [10] = 56,
                    [11] = 64,
                    [12] = 72,
                    [13] = 80,
                    [14] = 88,
                    [15] = 96,
                    [16] = 168},
};

#define X(number) [number] = 312 + 8 * (number)

/* mov x8, #139; svc #0. */
const trc_arch trc_aarch64 = {
    .machine = 183,
    .stack_pointer = TRC_AARCH64_SP,
    .program_counter = TRC_AARCH64_PC,
    .has_link_register = true,
    .address_mask = (UINT64_C(1) << 48) - 1,
    .callee_saved = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, TRC_AARCH64_FP},
    .callee_saved_count = 11,
    .trampoline = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4},
    .trampoline_size = 8,
    .interrupted = {X(0),  X(1),  X(2),  X(3),  X(4),  X(5),  X(6),  X(7),  X(8),  X(9),  X(10),
                    X(11), X(12), X(13), X(14), X(15), X(16), X(17), X(18), X(19), X(20), X(21),
                    X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29), X(30), X(31), X(32)},
};
