/* Stacks of this very process, as the unwinder is given them, and the chains that the compiler's own unwinder finds in them. Linux with
 * glibc alone. */
#ifndef TEST_CAPTURED_H
#define TEST_CAPTURED_H

#include <core/unwind/unwind.h>

#define MOST_MODULES 64
#define MOST_FRAMES 256
#define STACK_SIZE 65536

/* What is loaded in the process. */
typedef struct loaded {
    trc_unwinder unwinder;
    trc_module modules[MOST_MODULES];
    trc_elf elfs[MOST_MODULES];
    trc_symbols symbols[MOST_MODULES];
    size_t count;
} loaded;

/* Maps the files of all that is loaded, and reads their symbols. They are never unmapped. */
void loaded_read(loaded *loaded);

/* The name of the function at an address of the process, or "?". */
const char *loaded_name(const loaded *loaded, uint64_t pc);

typedef struct captured {
    trc_stack_copy copy;
    uint8_t bytes[STACK_SIZE];
    void *expected[MOST_FRAMES]; /* by _Unwind_Backtrace(): the first is in capture() */
    int expected_count;
} captured;

/* Copies the caller's stack. The innermost frame is capture() itself. */
void capture(captured *captured);

/* Copies the stack that a signal handler's `ucontext` is of, from its stack pointer on. `expected` is not set. */
void capture_interrupted(captured *captured, const void *ucontext);

/* Unwinds, without a cache, with an empty one and with a full one, asserts that the frames are the same, and returns how
 * many there are. */
size_t unwind_thrice(const loaded *loaded, const captured *captured, trc_native_frame frames[MOST_FRAMES],
                     trc_unwind_status *status);

/* Asserts that the captured stack unwinds to its end, by the addresses that were expected. */
void expect_all_frames(const loaded *loaded, const captured *captured);

#endif
