/* The libFuzzer target: arbitrary bytes as a profile file, token by token, with its section, as the records that a section
 * holds, and as a timeline. Whatever the bytes are, nothing but the core's own errors may come of it. */
#include <core/report/mending.h>
#include <core/report/reader.h>
#include <core/report/rollup.h>
#include <core/report/slices.h>

#include <stdio.h>
#include <stdlib.h>

/* Ends the fuzzer, with the input kept. */
static void insist(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_reader: %s\n", what);
        abort();
    }
}

static uint8_t sink; /* what is read must be readable: sanitizers look at each byte that goes in here */

static void touch(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sink ^= bytes[i];
    }
}

static void check_token(const trc_reader *reader, const trc_token *token, size_t before)
{
    size_t left = reader->size - reader->offset;
    insist(reader->offset <= reader->size, "the reader is past the end");
    switch (token->kind) {
    case TRC_TOKEN_ERROR:
        insist(reader->error != NULL, "an error without a reason");
        return;
    case TRC_TOKEN_TUPLE:
    case TRC_TOKEN_LIST:
        insist(token->count <= left, "a sequence is longer than the file");
        break;
    case TRC_TOKEN_TEXT:
    case TRC_TOKEN_LATIN:
    case TRC_TOKEN_BYTES:
        insist(token->bytes >= reader->data && token->bytes + token->size == reader->data + reader->offset,
               "a text lies outside the file");
        touch(token->bytes, token->size);
        break;
    default:
        break;
    }
    insist(reader->error == NULL, "a value with an error");
    insist(reader->offset > before, "a value of no bytes");
}

/* Reads to the first error, and looks for a section behind each value. */
static void scan(const uint8_t *data, size_t size)
{
    trc_reader reader;
    trc_reader_init(&reader, data, size);
    for (;;) {
        size_t before = reader.offset;
        trc_token token = trc_reader_next(&reader);
        check_token(&reader, &token, before);
        if (token.kind == TRC_TOKEN_ERROR) {
            const char *error = reader.error;
            insist(trc_reader_next(&reader).kind == TRC_TOKEN_ERROR && reader.error == error, "an error was forgotten");
            return;
        }
        bool may_be_ours = reader.offset < size && data[reader.offset] == (uint8_t)TRC_SECTION_MAGIC[0];
        if (token.kind == TRC_TOKEN_END || may_be_ours) {
            trc_section section = trc_section_find(data, size, reader.offset);
            insist((section.payload != NULL) == (section.state == TRC_SECTION_PRESENT), "a payload out of nowhere");
            if (section.state == TRC_SECTION_PRESENT) {
                insist(section.payload + section.size <= data + size, "a payload lies outside the file");
                return;
            }
        }
    }
}

/* The next `count` records of `size` bytes, or as many as there are, in a block of their own. */
static void *take(const uint8_t **data, size_t *left, size_t size, uint32_t *count)
{
    if (*count > *left / size) {
        *count = (uint32_t)(*left / size);
    }
    void *records = malloc(*count * size + 1);
    insist(records != NULL, "the fuzzer itself is out of memory");
    memcpy(records, *data, *count * size);
    *data += *count * size;
    *left -= *count * size;
    return records;
}

/* The first bytes are the numbers of rows, of functions and of records of each kind; the records follow. */
static void add_up(const uint8_t *data, size_t size)
{
    const size_t counts = 8 + TRC_EXTRA_COUNT;
    if (size < counts) {
        return;
    }
    uint32_t row_count = data[0], func_count = data[1];
    trc_capture capture = {.node_count = data[2], .overflow_count = data[3], .outermost_count = data[4]};
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        capture.extra_counts[extra] = data[5 + extra];
    }
    capture.unseen_count = data[5 + TRC_EXTRA_COUNT];
    capture.wait_count = data[6 + TRC_EXTRA_COUNT];
    capture.collection_count = data[7 + TRC_EXTRA_COUNT];
    data += counts;
    size -= counts;
    uint32_t *row_of = take(&data, &size, sizeof *row_of, &func_count);
    capture.nodes = take(&data, &size, sizeof *capture.nodes, &capture.node_count);
    capture.overflows = take(&data, &size, sizeof *capture.overflows, &capture.overflow_count);
    capture.outermost = take(&data, &size, sizeof *capture.outermost, &capture.outermost_count);
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        capture.extras[extra] = take(&data, &size, sizeof *capture.extras[extra], &capture.extra_counts[extra]);
    }
    capture.unseen = take(&data, &size, sizeof *capture.unseen, &capture.unseen_count);
    capture.waits = take(&data, &size, sizeof *capture.waits, &capture.wait_count);
    capture.collections = take(&data, &size, sizeof *capture.collections, &capture.collection_count);
    trc_rollup rollup;
    insist(trc_rollup_init(&rollup, &trc_system_allocator, row_count), "the fuzzer itself is out of memory");
    uint8_t kinds[256] = {0}; /* func_count is a byte */
    trc_call_costs cost = {{1.5, 1e12}, {1e300, -3}};
    trc_compensation compensation = {kinds, &cost, {1e300, -3}, 1e12, true};
    rollup.compensation = data != NULL && size % 2 != 0 ? &compensation : NULL;
    trc_rollup_result result = trc_rollup_add(&rollup, &capture, row_of, func_count);
    insist(result != TRC_ROLLUP_NO_MEMORY, "a small capture wants much memory");
    if (result == TRC_ROLLUP_OK) {
        for (uint32_t row = 0; row < row_count; row++) {
            insist(rollup.row_active[row] == 0, "the walk did not come back");
        }
        for (uint32_t i = 0; i < rollup.edge_count; i++) {
            insist(rollup.edges[i].caller < row_count && rollup.edges[i].callee < row_count, "an edge of no rows");
        }
    }
    trc_rollup_free(&rollup);
    free(row_of);
    trc_capture_free(&capture, &trc_system_allocator);
}

/* A timeline's slices and bins. The first byte is the number of nodes; then comes a byte for the depth of each. */
static void read_timeline(const uint8_t *data, size_t size)
{
    size_t node_count = size == 0 ? 0 : data[0];
    if (size < node_count + 1) {
        return;
    }
    uint32_t depths[256] = {0};
    trc_bin_sum sums[256] = {{0, 0}};
    for (size_t i = 1; i < node_count; i++) {
        depths[i] = data[1 + i];
    }
    data += node_count + 1;
    size -= node_count + 1;
    trc_slices slices;
    trc_slices_part part = {INT64_MIN, INT64_MAX, INT64_MIN};
    trc_slices_result result = trc_slices_read(&slices, &trc_system_allocator, data, size, depths, node_count, part);
    for (size_t i = 0; result == TRC_SLICES_READ && i < slices.count; i++) {
        const trc_slice *slice = &slices.slices[i];
        insist(slice->node < node_count, "a slice of no node");
        insist(slice->parent < (int32_t)i, "a callee before its caller");
        insist(slice->depth == (slice->parent < 0 ? 0 : slices.slices[slice->parent].depth + 1), "another depth");
    }
    trc_slices_free(&slices, &trc_system_allocator);
    trc_bins_part bins = {3, 1000, 7, 5, 900, size % 2 == 0};
    trc_bins_add_up(sums, node_count, data, size, &bins);
    uint8_t *block = malloc(size * TRC_OPEN_GROWS + TRC_BLOCK_HEAD);
    if (block != NULL) {
        trc_slices_go_on(block, data, size, data, size, 3, INT64_MAX - size);
    }
    free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scan(data, size);
    add_up(data, size);
    read_timeline(data, size);
    return 0;
}
