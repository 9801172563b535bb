/* The call frame information of a file: which record of .eh_frame, an FDE, is of an address, and what it says beside the
 * program that cfi_program runs. */
#ifndef TRC_CFI_H
#define TRC_CFI_H

#include "core/unwind/elf.h"

typedef struct trc_cfi_entry {
    uint64_t start; /* the code that it is of, up to `end` */
    uint64_t end;
    uint64_t code_factor;
    int64_t data_factor;
    uint64_t return_register;
    bool is_signal;   /* the code that a signal handler returns to: its caller did not call, but was interrupted */
    uint8_t encoding; /* of addresses in the program */
    trc_span initial; /* the program of the CIE, and that of the FDE */
    trc_span program;
} trc_cfi_entry;

/* Finds the FDE of an address of the file. Returns false where there is none. */
bool trc_cfi_find(const trc_elf *elf, uint64_t address, trc_cfi_entry *entry);

/* Reads an address in one of the encodings DW_EH_PE_*, but what an indirect one points at. `data` is the base of those
 * that are relative to data. */
uint64_t trc_cfi_address(trc_span *span, uint8_t encoding, uint64_t data);

#endif
