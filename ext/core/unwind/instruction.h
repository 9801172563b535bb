/* Decodes x86-64 instructions as far as their lengths and what they do to the stack pointer. Registers are numbered as
 * the instructions number them. */
#ifndef TRC_INSTRUCTION_H
#define TRC_INSTRUCTION_H

#include "core/unwind/span.h"

enum { TRC_RAX, TRC_RCX, TRC_RDX, TRC_RBX, TRC_RSP, TRC_RBP, TRC_NO_REGISTER = 16 };

typedef enum trc_instruction_kind {
    TRC_UNKNOWN,   /* its length, too */
    TRC_OTHER,     /* writes `target`, or no general register */
    TRC_PUSH,      /* `target`, or what is no register */
    TRC_POP,       /* `target` */
    TRC_ADD_TO_SP, /* `value` */
    TRC_ALIGN_SP,  /* rounds it down */
    TRC_COPY_SP,   /* `target` = rsp + `value` */
    TRC_SET_SP,    /* rsp = `base` + `value` */
    TRC_STORE,     /* `target` to the memory at `base` + `value` */
    TRC_LOAD,      /* `target` from there */
    TRC_LEAVE,
    TRC_RETURN,
    TRC_CALL,
    TRC_JUMP,          /* to `value` bytes from the next instruction */
    TRC_BRANCH,        /* the same on a condition */
    TRC_JUMP_FAR_AWAY, /* to where a register or memory says */
} trc_instruction_kind;

typedef struct trc_instruction {
    trc_instruction_kind kind;
    uint8_t target;
    uint8_t base;
    int64_t value;
} trc_instruction;

/* Reads the next instruction. `code` is past it, but where it is unknown. */
trc_instruction trc_instruction_read(trc_span *code);

#endif
