/* An interpreter's frames made by hand: see frames.h. */
#include "frames.h"

#if TRC_SAMPLES
#include <string.h>

const char fake_code_type[1];

const trc_frame_layout fake_layout = {
    .state = {.frame = offsetof(fake_state, link), .has_link = true, .in_event = offsetof(fake_state, in_event)},
    .frame = {.code = offsetof(fake_frame, code),
              .previous = offsetof(fake_frame, previous),
              .instruction = offsetof(fake_frame, instruction),
              .owner = offsetof(fake_frame, owner),
              .shims = 7,
              .size = sizeof(fake_frame)},
    .code = {.type = (uint64_t)(uintptr_t)fake_code_type,
             .type_at = offsetof(fake_code, type),
             .first_line = offsetof(fake_code, first_line),
             .file = offsetof(fake_code, file),
             .name = offsetof(fake_code, name),
             .qualname = offsetof(fake_code, qualname),
             .lines = offsetof(fake_code, lines),
             .instructions = offsetof(fake_code, instructions),
             .stops = FAKE_STOP},
    .text = {.length = offsetof(fake_text, length),
             .flags = offsetof(fake_text, flags),
             .kind_mask = 28,
             .compact_mask = 2,
             .kind_shift = 2,
             .ascii_mask = 1,
             .ascii_data = offsetof(fake_text, ascii),
             .other_data = offsetof(fake_text, wide)},
    .bytes = {.length = offsetof(fake_bytes, length), .data = offsetof(fake_bytes, data)},
};

fake_text fake_ascii(const char *text)
{
    fake_text made = {.flags = 1 << 2 | 2 | 1, .length = strlen(text)};
    memcpy(made.ascii, text, strlen(text));
    return made;
}

void fake_program_init(fake_program *made, int depth)
{
    *made = (fake_program){.file = fake_ascii("shop.py"), .names = {fake_ascii("Shop.sell"), fake_ascii("pack")}};
    for (int i = 0; i < 2; i++) {
        made->codes[i] = (fake_code){.type = fake_code_type,
                                     .file = &made->file,
                                     .name = &made->names[i],
                                     .qualname = &made->names[i],
                                     .first_line = 10 * i + 1,
                                     .lines = &made->lines};
    }
    for (int i = 0; i < depth; i++) {
        const fake_code *code = &made->codes[i % 2];
        made->frames[i] =
            (fake_frame){0, code, code->instructions + 2 * (i % 30), i == 0 ? NULL : &made->frames[i - 1]};
    }
    made->innermost = &made->frames[depth - 1];
    made->state = (fake_state){0, &made->innermost};
}
#endif
