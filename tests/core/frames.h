/* An interpreter's frames made by hand, for the suites of samples: their structs are in no order that an interpreter has. */
#ifndef TEST_FRAMES_H
#define TEST_FRAMES_H

#include <core/samples/frame_chain.h>

#if TRC_SAMPLES

typedef struct fake_text {
    uint32_t flags; /* 1: ascii; 2: compact; from 4 on: kind */
    uint64_t length;
    union {
        char ascii[64];
        struct {
            uint64_t more;
            uint32_t wide[16];
        };
    };
} fake_text;

typedef struct fake_bytes {
    uint64_t length;
    uint8_t data[64];
} fake_bytes;

typedef struct fake_code {
    const void *type;
    const fake_text *file, *name, *qualname;
    int32_t first_line;
    const fake_bytes *lines;
    uint8_t instructions[64];
} fake_code;

typedef struct fake_frame {
    uint8_t owner; /* from 7 on it is a shim */
    const void *code;
    const uint8_t *instruction;
    const struct fake_frame *previous;
} fake_frame;

typedef struct fake_state {
    int in_event;
    const fake_frame *const *link; /* to the innermost frame */
} fake_state;

extern const char fake_code_type[1];
extern const trc_frame_layout fake_layout;

fake_text fake_ascii(const char *text);

#define FAKE_DEPTH 100
#define FAKE_STOP 254 /* the instruction that stops for a line */

/* Two functions of shop.py that call each other. */
typedef struct fake_program {
    fake_text file, names[2];
    fake_bytes lines;
    fake_code codes[2];
    fake_frame frames[FAKE_DEPTH]; /* the outermost first */
    const fake_frame *innermost;
    fake_state state;
    trc_seen_frame seen[FAKE_DEPTH];
} fake_program;

void fake_program_init(fake_program *made, int depth);

#endif
#endif
