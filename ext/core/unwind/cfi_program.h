/* Runs the program of an FDE up to an address: how the registers of the caller are found while the code is there. */
#ifndef TRC_CFI_PROGRAM_H
#define TRC_CFI_PROGRAM_H

#include "core/unwind/arch.h"
#include "core/unwind/cfi.h"

typedef enum trc_rule_kind {
    TRC_RULE_SAME, /* not said, too: the register is as it was */
    TRC_RULE_UNDEFINED,
    TRC_RULE_OFFSET,           /* in memory, `offset` bytes from the CFA */
    TRC_RULE_VALUE_OFFSET,     /* the CFA and `offset` */
    TRC_RULE_REGISTER,         /* the value of register `number` and `offset`, which is 0 but for the CFA */
    TRC_RULE_EXPRESSION,       /* in memory, where the expression says */
    TRC_RULE_VALUE_EXPRESSION, /* what the expression says */
} trc_rule_kind;

typedef struct trc_rule {
    trc_rule_kind kind;
    uint32_t number; /* of the register; the bytes of the expression */
    union {
        int64_t offset;
        const uint8_t *expression; /* borrowed from the file */
    };
} trc_rule;

/* The CFA (canonical frame address) is the stack pointer of the caller, before its call. */
typedef struct trc_row {
    trc_rule cfa;
    trc_rule registers[TRC_REGISTERS];
    uint8_t return_register; /* whose value in the caller is the return address */
    bool is_signal;
} trc_row;

/* Returns false where the program is damaged, or says nothing of the CFA. */
bool trc_cfi_run(const trc_cfi_entry *entry, uint64_t address, trc_row *row);

#endif
