/* The native stacks of a profile: chains of addresses of code, as a tree, with the names of the functions. Numbers and
 * records are those of a profile file: see docs/reference/file-format.md. */
#ifndef TRC_NATIVE_STACKS_H
#define TRC_NATIVE_STACKS_H

#include "core/samples/numbers.h"

#define TRC_CHAIN_LIMIT 4000000

/* An address of code: of the instruction that ran, or of the one behind a call. Its module or symbol is TRC_NOWHERE where
 * it is in none. */
typedef struct trc_frame_record {
    uint64_t address;
    uint32_t module;
    uint32_t symbol;
} trc_frame_record;

/* A chain: that of its caller, and its innermost frame. Chain 0, the empty one, has no record. */
typedef struct trc_chain_record {
    uint32_t caller;
    uint32_t frame;
} trc_chain_record;

typedef struct trc_symbol_record {
    char *name; /* owned; "" where nobody knows it */
    uint32_t module;
    uint64_t start; /* an address of the file */
} trc_symbol_record;

typedef struct trc_native_stacks {
    trc_numbers frame_numbers;  /* by twice the address, and one more for a call's */
    trc_numbers symbol_numbers; /* by the address in the process where the function begins */
    trc_numbers chain_numbers;  /* by the record */
    trc_frame_record *frames;   /* owned, and so are the others */
    trc_symbol_record *symbols;
    trc_chain_record *chains;
    uint32_t frame_count;
    uint32_t symbol_count;
    uint32_t chain_count;
} trc_native_stacks;

/* A frame, as the caller knows it. */
typedef struct trc_code_place {
    uint64_t address;
    bool is_call;
    uint32_t module;
    uint64_t begin;   /* of the function, in the process; 0: not known */
    uint64_t start;   /* the same in the file */
    const char *name; /* borrowed; NULL: nobody knows it */
} trc_code_place;

void trc_native_stacks_init(trc_native_stacks *chains, const trc_allocator *allocator);
void trc_native_stacks_free(trc_native_stacks *chains);

/* Returns the number of a frame that was added before, or TRC_NOWHERE; adds one, or returns TRC_NOWHERE when memory is
 * out. */
uint32_t trc_native_stacks_frame(const trc_native_stacks *chains, uint64_t address, bool is_call);
uint32_t trc_native_stacks_add_frame(trc_native_stacks *chains, const trc_code_place *place);

/* Returns the number of the chain that goes on from `caller` into a frame. When memory is out, or there are too many,
 * that is `caller`. */
uint32_t trc_native_stacks_call(trc_native_stacks *chains, uint32_t caller, uint32_t frame);

/* A file is gone, and another may get its addresses: frames that are added from now on are new ones. */
void trc_native_stacks_forget_addresses(trc_native_stacks *chains);

#endif
