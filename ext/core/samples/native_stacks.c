/* The native stacks of a profile: see native_stacks.h. */
#include "core/samples/native_stacks.h"

#include <stdlib.h>

void trc_native_stacks_init(trc_native_stacks *chains, const trc_allocator *allocator)
{
    *chains = (trc_native_stacks){{allocator, NULL}, {allocator, NULL}, {allocator, NULL}, NULL, NULL, NULL, 0, 0, 0};
}

void trc_native_stacks_free(trc_native_stacks *chains)
{
    const trc_allocator *allocator = chains->chain_numbers.allocator;
    trc_native_stacks_forget_addresses(chains);
    trc_numbers_clear(&chains->chain_numbers);
    for (uint32_t i = 0; i < chains->symbol_count; i++) {
        trc_free(allocator, chains->symbols[i].name);
    }
    trc_free(allocator, chains->symbols);
    trc_free(allocator, chains->frames);
    trc_free(allocator, chains->chains);
    trc_native_stacks_init(chains, allocator);
}

static uint64_t key_of_frame(uint64_t address, bool is_call)
{
    return address << 1 | is_call;
}

uint32_t trc_native_stacks_frame(const trc_native_stacks *chains, uint64_t address, bool is_call)
{
    return trc_numbers_find(&chains->frame_numbers, key_of_frame(address, is_call));
}

static uint32_t symbol_of(trc_native_stacks *chains, const trc_code_place *place)
{
    const trc_allocator *allocator = chains->symbol_numbers.allocator;
    uint32_t number = place->begin == 0 ? TRC_NOWHERE : trc_numbers_find(&chains->symbol_numbers, place->begin);
    if (place->begin == 0 || number != TRC_NOWHERE) {
        return number;
    }
    size_t length = place->name == NULL ? 0 : strlen(place->name);
    char *name = trc_alloc(allocator, length + 1);
    number = chains->symbol_count;
    if (name == NULL ||
        !trc_make_room(allocator, (void **)&chains->symbols, chains->symbol_count, sizeof *chains->symbols) ||
        !trc_numbers_add(&chains->symbol_numbers, place->begin, number)) {
        trc_free(allocator, name);
        return TRC_NOWHERE;
    }
    if (length > 0) {
        memcpy(name, place->name, length);
    }
    chains->symbols[number] = (trc_symbol_record){name, place->module, place->start};
    return chains->symbol_count++;
}

uint32_t trc_native_stacks_add_frame(trc_native_stacks *chains, const trc_code_place *place)
{
    const trc_allocator *allocator = chains->frame_numbers.allocator;
    uint32_t symbol = symbol_of(chains, place), number = chains->frame_count;
    if (!trc_make_room(allocator, (void **)&chains->frames, number, sizeof *chains->frames) ||
        !trc_numbers_add(&chains->frame_numbers, key_of_frame(place->address, place->is_call), number)) {
        return TRC_NOWHERE;
    }
    chains->frames[number] = (trc_frame_record){place->address, place->module, symbol};
    return chains->frame_count++;
}

uint32_t trc_native_stacks_call(trc_native_stacks *chains, uint32_t caller, uint32_t frame)
{
    const trc_allocator *allocator = chains->chain_numbers.allocator;
    uint64_t key = (uint64_t)caller << 32 | frame;
    uint32_t number = trc_numbers_find(&chains->chain_numbers, key);
    if (number != TRC_NOWHERE) {
        return number;
    }
    number = chains->chain_count + 1;
    if (number >= TRC_CHAIN_LIMIT ||
        !trc_make_room(allocator, (void **)&chains->chains, chains->chain_count, sizeof *chains->chains) ||
        !trc_numbers_add(&chains->chain_numbers, key, number)) {
        return caller;
    }
    chains->chains[chains->chain_count++] = (trc_chain_record){caller, frame};
    return number;
}

void trc_native_stacks_forget_addresses(trc_native_stacks *chains)
{
    trc_numbers_clear(&chains->frame_numbers);
    trc_numbers_clear(&chains->symbol_numbers);
}
