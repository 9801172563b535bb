/* The native stacks of a profile: see native_stacks.h. */
#include "core/samples/native_stacks.h"

#include <stdlib.h>

/* -- Numbers -- */

static uint32_t find_number(const trc_numbers *numbers, uint64_t key)
{
    trc_numbered *found;
    HASH_FIND(hh, numbers->first, &key, sizeof key, found);
    return found == NULL ? TRC_NOWHERE : found->number;
}

/* Returns false when memory is out. */
static bool add_number(trc_numbers *table, uint64_t key, uint32_t number)
{
    trc_numbered *numbered = trc_alloc(table->allocator, sizeof *numbered);
    if (numbered == NULL) {
        return false;
    }
    numbered->key = key;
    numbered->number = number;
    TRC_HASH_ADD(table->first, key, numbered);
    return numbered != NULL;
}

static void free_numbers(trc_numbers *table)
{
    TRC_HASH_FREE(table->first);
}

/* Makes room for one more record of a list that doubles. Returns false when memory is out. */
static bool make_room(const trc_allocator *allocator, void **list, uint32_t count, size_t size)
{
    bool is_full = count == 0 || (count >= 16 && (count & (count - 1)) == 0);
    size_t room = count == 0 ? 16 : 2 * (size_t)count;
    void *more = is_full ? trc_resize(allocator, *list, room * size) : *list;
    *list = more == NULL ? *list : more;
    return more != NULL;
}

/* -- Chains -- */

void trc_native_stacks_init(trc_native_stacks *chains, const trc_allocator *allocator)
{
    *chains = (trc_native_stacks){{allocator, NULL}, {allocator, NULL}, {allocator, NULL}, NULL, NULL, NULL, 0, 0, 0};
}

void trc_native_stacks_free(trc_native_stacks *chains)
{
    const trc_allocator *allocator = chains->chain_numbers.allocator;
    trc_native_stacks_forget_addresses(chains);
    free_numbers(&chains->chain_numbers);
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
    return find_number(&chains->frame_numbers, key_of_frame(address, is_call));
}

static uint32_t symbol_of(trc_native_stacks *chains, const trc_code_place *place)
{
    const trc_allocator *allocator = chains->symbol_numbers.allocator;
    uint32_t number = place->begin == 0 ? TRC_NOWHERE : find_number(&chains->symbol_numbers, place->begin);
    if (place->begin == 0 || number != TRC_NOWHERE) {
        return number;
    }
    size_t length = place->name == NULL ? 0 : strlen(place->name);
    char *name = trc_alloc(allocator, length + 1);
    number = chains->symbol_count;
    if (name == NULL ||
        !make_room(allocator, (void **)&chains->symbols, chains->symbol_count, sizeof *chains->symbols) ||
        !add_number(&chains->symbol_numbers, place->begin, number)) {
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
    if (!make_room(allocator, (void **)&chains->frames, number, sizeof *chains->frames) ||
        !add_number(&chains->frame_numbers, key_of_frame(place->address, place->is_call), number)) {
        return TRC_NOWHERE;
    }
    chains->frames[number] = (trc_frame_record){place->address, place->module, symbol};
    return chains->frame_count++;
}

uint32_t trc_native_stacks_call(trc_native_stacks *chains, uint32_t caller, uint32_t frame)
{
    const trc_allocator *allocator = chains->chain_numbers.allocator;
    uint64_t key = (uint64_t)caller << 32 | frame;
    uint32_t number = find_number(&chains->chain_numbers, key);
    if (number != TRC_NOWHERE) {
        return number;
    }
    number = chains->chain_count + 1;
    if (number >= TRC_CHAIN_LIMIT ||
        !make_room(allocator, (void **)&chains->chains, chains->chain_count, sizeof *chains->chains) ||
        !add_number(&chains->chain_numbers, key, number)) {
        return caller;
    }
    chains->chains[chains->chain_count++] = (trc_chain_record){caller, frame};
    return number;
}

void trc_native_stacks_forget_addresses(trc_native_stacks *chains)
{
    free_numbers(&chains->frame_numbers);
    free_numbers(&chains->symbol_numbers);
}
