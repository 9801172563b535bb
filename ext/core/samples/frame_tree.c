/* Where samples fell in Python code: see frame_tree.h. */
#include "core/samples/frame_tree.h"

void trc_frame_tree_init(trc_frame_tree *tree, const trc_allocator *allocator)
{
    *tree = (trc_frame_tree){
        .node_numbers = {allocator, NULL}, .places = {allocator, NULL}, .line_numbers = {allocator, NULL}};
    trc_code_table_init(&tree->codes, allocator);
}

void trc_frame_tree_clear(trc_frame_tree *tree)
{
    trc_numbers_clear(&tree->node_numbers);
    trc_numbers_clear(&tree->places);
    trc_numbers_clear(&tree->line_numbers);
    tree->node_count = tree->line_count = 0;
    tree->samples = 0;
}

void trc_frame_tree_free(trc_frame_tree *tree)
{
    const trc_allocator *allocator = tree->node_numbers.allocator;
    trc_frame_tree_clear(tree);
    trc_free(allocator, tree->nodes);
    trc_free(allocator, tree->lines);
    trc_code_table_free(&tree->codes);
    trc_frame_tree_init(tree, allocator);
}

/* -- Code -- */

void trc_frame_tree_describe(trc_frame_tree *tree, trc_described *described, const trc_code_description *description)
{
    const trc_allocator *allocator = tree->node_numbers.allocator;
    while (described->count <= description->number) {
        if (!trc_make_room(allocator, (void **)&described->codes, described->count, sizeof *described->codes)) {
            return;
        }
        described->codes[described->count++] = TRC_NOWHERE;
    }
    described->codes[description->number] = trc_code_table_add(&tree->codes, description);
}

void trc_described_free(trc_described *described, const trc_allocator *allocator)
{
    trc_free(allocator, described->codes);
    *described = (trc_described){NULL, 0};
}

static uint32_t code_of(const trc_described *described, const trc_noted_frame *frame)
{
    return frame->number < described->count ? described->codes[frame->number] : TRC_NOWHERE;
}

/* -- Nodes -- */

static uint32_t node_in(trc_frame_tree *tree, uint32_t parent, uint32_t code)
{
    const trc_allocator *allocator = tree->node_numbers.allocator;
    uint64_t key = (uint64_t)parent << 32 | code;
    uint32_t number = trc_numbers_find(&tree->node_numbers, key);
    if (number != TRC_NOWHERE) {
        return number;
    }
    number = tree->node_count + 1;
    if (number >= TRC_FRAME_NODE_LIMIT ||
        !trc_make_room(allocator, (void **)&tree->nodes, tree->node_count, sizeof *tree->nodes) ||
        !trc_numbers_add(&tree->node_numbers, key, number)) {
        return parent;
    }
    tree->nodes[tree->node_count++] = (trc_frame_node){parent, code};
    return number;
}

/* -- Lines -- */

/* Returns the number of a line, or TRC_NOWHERE when memory is out. */
static uint32_t line_in(trc_frame_tree *tree, uint32_t code, int32_t line)
{
    const trc_allocator *allocator = tree->node_numbers.allocator;
    uint64_t key = (uint64_t)code << 32 | (uint32_t)line;
    uint32_t number = trc_numbers_find(&tree->line_numbers, key);
    if (number != TRC_NOWHERE) {
        return number;
    }
    number = tree->line_count;
    if (!trc_make_room(allocator, (void **)&tree->lines, number, sizeof *tree->lines) ||
        !trc_numbers_add(&tree->line_numbers, key, number)) {
        return TRC_NOWHERE;
    }
    tree->lines[number] = (trc_sampled_line){.code = code, .line = line};
    return tree->line_count++;
}

/* The same of the line of an instruction. */
static uint32_t line_at(trc_frame_tree *tree, uint32_t code, uint32_t offset)
{
    uint64_t key = (uint64_t)code << 32 | offset;
    uint32_t number = trc_numbers_find(&tree->places, key);
    if (number == TRC_NOWHERE) {
        number = line_in(tree, code, trc_code_line(tree->codes.codes[code].description, offset));
        if (number != TRC_NOWHERE && !trc_numbers_add(&tree->places, key, number)) {
            return TRC_NOWHERE;
        }
    }
    return number;
}

static void add_line(trc_frame_tree *tree, uint32_t code, uint32_t offset, uint32_t weight, bool is_innermost)
{
    uint32_t number = code == TRC_NOWHERE ? TRC_NOWHERE : line_at(tree, code, offset);
    if (number != TRC_NOWHERE) {
        trc_sampled_line *line = &tree->lines[number];
        line->own += is_innermost ? weight : 0;
        line->total += line->sample == tree->samples ? 0 : weight;
        line->sample = tree->samples;
    }
}

static trc_code_role role_of(const trc_frame_tree *tree, uint32_t code)
{
    return code == TRC_NOWHERE ? TRC_CODE_OF_PROGRAM : tree->codes.codes[code].role;
}

/* How many frames there are inside of tracer's code that runs a program. */
static uint32_t count_inside(const trc_frame_tree *tree, const trc_described *described, const trc_noted_frame *frames,
                             uint32_t count)
{
    uint32_t inside = 0;
    while (inside < count && role_of(tree, code_of(described, &frames[inside])) != TRC_CODE_OF_COMMAND) {
        inside++;
    }
    return inside;
}

trc_tree_place trc_frame_tree_add(trc_frame_tree *tree, const trc_described *described, const trc_noted_sample *sample)
{
    const trc_noted_frame *frames = trc_sample_frames(sample);
    trc_tree_place place = {0, sample->is_in_event};
    if (sample->frame_count > 0) {
        place.is_own = place.is_own || role_of(tree, code_of(described, &frames[0])) != TRC_CODE_OF_PROGRAM;
    }
    tree->samples++;
    for (uint32_t i = count_inside(tree, described, frames, sample->frame_count); i > 0; i--) {
        uint32_t code = code_of(described, &frames[i - 1]);
        if (role_of(tree, code) == TRC_CODE_OF_PROGRAM) {
            place.node = node_in(tree, place.node, code);
            bool is_innermost = i == 1 && !sample->is_in_collection;
            if (!sample->is_of_wait) {
                add_line(tree, code, frames[i - 1].offset, place.is_own ? 0 : sample->weight, is_innermost);
            }
        }
    }
    if (sample->is_in_collection && !place.is_own) {
        place.node = node_in(tree, place.node, TRC_COLLECTION_CODE);
    }
    return place;
}
