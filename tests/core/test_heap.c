/* heap.[ch]: exact cases by hand, and random programs against a model that copies the live figures of all sites at each
 * new maximum. */
#include "paper.h"
#include "suites.h"
#include "support.h"

#include <core/base/biased_lock.h>
#include <core/heap/heap.h>

#include <pthread.h>
#include <string.h>

/* A heap and two threads, on which blocks of a small number are played with. */
typedef struct desk {
    trc_heap heap;
    trc_heap_thread threads[2];
} desk;

static void open_desk(desk *desk)
{
    ck_assert(trc_heap_init(&desk->heap, &trc_system_pages));
    for (uint32_t i = 0; i < 2; i++) {
        trc_heap_thread_init(&desk->threads[i], i);
    }
}

static void close_desk(desk *desk)
{
    for (int i = 0; i < 2; i++) {
        trc_heap_thread_free(&desk->heap, &desk->threads[i]);
    }
    trc_heap_free(&desk->heap);
}

static const void *block_of(uint32_t number)
{
    return (const void *)(uintptr_t)(0x10000 + (uintptr_t)number * 1024);
}

static void add(desk *desk, int thread, uint32_t node, uint32_t block, uint64_t size)
{
    trc_heap_thread *who = &desk->threads[thread];
    trc_heap_add(&desk->heap, who, trc_heap_site(&desk->heap, who, node, 0), block_of(block), size);
}

static void drop(desk *desk, int thread, uint32_t node, uint32_t block)
{
    trc_heap_thread *who = &desk->threads[thread];
    uint32_t site = trc_heap_site(&desk->heap, who, node, 0);
    trc_heap_end(&desk->heap, who, site, block_of(block));
}

static void move(desk *desk, int thread, uint32_t node, uint32_t from, uint32_t to, uint64_t size)
{
    trc_heap_thread *who = &desk->threads[thread];
    uint32_t site = trc_heap_site(&desk->heap, who, node, 0);
    bool is_temporary;
    trc_live_block taken = trc_heap_take(&desk->heap, NULL, block_of(from), &is_temporary);
    if (taken.site != 0) {
        trc_heap_remove(&desk->heap, who, site, taken, false);
    }
    trc_heap_add(&desk->heap, who, site, block_of(to), size);
}

static bool forget(desk *desk, int thread, uint32_t block, int inside)
{
    return trc_heap_forget(&desk->heap, &desk->threads[thread], (const char *)block_of(block) + inside) ==
           block_of(block);
}

static const trc_site *site_of(desk *desk, int thread, uint32_t node)
{
    trc_heap_flush(&desk->heap);
    return trc_heap_at(&desk->heap, trc_heap_site(&desk->heap, &desk->threads[thread], node, 0));
}

static void expect_amount(trc_amount amount, uint64_t bytes, uint64_t blocks)
{
    ck_assert_uint_eq(amount.bytes, bytes);
    ck_assert_uint_eq(amount.blocks, blocks);
}

static void expect_heap(desk *desk, const trc_amount *amount, uint64_t bytes, uint64_t blocks)
{
    trc_heap_flush(&desk->heap);
    expect_amount(*amount, bytes, blocks);
}

static void expect_site(desk *desk, int thread, uint32_t node, trc_amount allocated, trc_amount live, trc_amount peak)
{
    const trc_site *site = site_of(desk, thread, node);
    expect_amount(site->allocated, allocated.bytes, allocated.blocks);
    expect_amount(site->live, live.bytes, live.blocks);
    trc_amount at_peak = trc_heap_at_peak(&desk->heap, site);
    expect_amount(at_peak, peak.bytes, peak.blocks);
}

#define AMOUNT(bytes, blocks) ((trc_amount){bytes, blocks})

START_TEST(an_empty_heap)
{
    desk desk;
    open_desk(&desk);
    expect_heap(&desk, &desk.heap.live, 0, 0);
    expect_heap(&desk, &desk.heap.peak, 0, 0);
    ck_assert_uint_eq(desk.heap.site_count, TRC_FIRST_SITE);
    drop(&desk, 0, 1, 5); /* nobody knows this block */
    expect_site(&desk, 0, 1, AMOUNT(0, 0), AMOUNT(0, 0), AMOUNT(0, 0));
    close_desk(&desk);
}
END_TEST

START_TEST(a_free_elsewhere_is_of_the_site_that_allocated)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 100);
    add(&desk, 0, 2, 2, 50);
    drop(&desk, 1, 3, 1);
    expect_site(&desk, 0, 1, AMOUNT(100, 1), AMOUNT(0, 0), AMOUNT(100, 1));
    expect_site(&desk, 0, 2, AMOUNT(50, 1), AMOUNT(50, 1), AMOUNT(50, 1));
    ck_assert_uint_eq(site_of(&desk, 1, 3)->freed_here, 100);
    ck_assert_uint_eq(site_of(&desk, 0, 1)->freed_here, 0);
    ck_assert_int_eq(desk.threads[0].net, 150);
    ck_assert_int_eq(desk.threads[1].net, -100);
    close_desk(&desk);
}
END_TEST

START_TEST(the_peak_has_what_each_site_had_then)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 100);
    add(&desk, 0, 2, 2, 50); /* the peak: 150 */
    drop(&desk, 0, 9, 1);    /* 50 */
    add(&desk, 0, 3, 3, 90); /* 140 */
    expect_heap(&desk, &desk.heap.peak, 150, 2);
    expect_site(&desk, 0, 1, AMOUNT(100, 1), AMOUNT(0, 0), AMOUNT(100, 1));
    expect_site(&desk, 0, 3, AMOUNT(90, 1), AMOUNT(90, 1), AMOUNT(0, 0));
    add(&desk, 0, 3, 4, 11); /* another: 151, and nothing is freed yet */
    expect_heap(&desk, &desk.heap.peak, 151, 3);
    expect_site(&desk, 0, 1, AMOUNT(100, 1), AMOUNT(0, 0), AMOUNT(0, 0));
    expect_site(&desk, 0, 3, AMOUNT(101, 2), AMOUNT(101, 2), AMOUNT(101, 2));
    drop(&desk, 0, 9, 2); /* 101 */
    add(&desk, 0, 2, 5, 50);
    expect_site(&desk, 0, 2, AMOUNT(100, 2), AMOUNT(50, 1), AMOUNT(50, 1)); /* the same moment has been before */
    drop(&desk, 0, 9, 5);
    expect_site(&desk, 0, 2, AMOUNT(100, 2), AMOUNT(0, 0), AMOUNT(50, 1));
    close_desk(&desk);
}
END_TEST

START_TEST(a_block_of_no_bytes_is_a_block)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 10);
    add(&desk, 0, 1, 2, 0);
    expect_heap(&desk, &desk.heap.peak, 10, 2);
    drop(&desk, 0, 1, 2);
    expect_heap(&desk, &desk.heap.live, 10, 1);
    expect_site(&desk, 0, 1, AMOUNT(10, 2), AMOUNT(10, 1), AMOUNT(10, 2));
    close_desk(&desk);
}
END_TEST

START_TEST(a_live_block_is_found)
{
    desk desk;
    open_desk(&desk);
    uint32_t first = trc_heap_site(&desk.heap, &desk.threads[0], 1, 0);
    uint32_t second = trc_heap_site(&desk.heap, &desk.threads[1], 1, 0);
    ck_assert_uint_eq(trc_heap_find(&desk.heap, block_of(1)).site, 0);
    ck_assert_uint_eq(trc_heap_find(&desk.heap, NULL).site, 0);
    for (int i = 0; i < 2; i++) { /* the latest allocation, and one that is not the latest any more */
        i == 0 ? add(&desk, 0, 1, 1, 100) : add(&desk, 1, 1, 2, 1000);
        ck_assert_uint_eq(trc_heap_find(&desk.heap, block_of(1)).site, first);
        ck_assert_uint_eq(trc_heap_find(&desk.heap, block_of(1)).size, 100);
        ck_assert_uint_eq(trc_heap_find(&desk.heap, block_of(2)).site, i == 0 ? 0 : second);
        ck_assert_uint_eq(trc_heap_find(&desk.heap, (const char *)block_of(1) + 16).site, 0);
    }
    ck_assert(desk.heap.latest.address == (uintptr_t)block_of(2)); /* to look changes nothing */
    drop(&desk, 0, 1, 1);
    drop(&desk, 0, 1, 2);
    ck_assert_uint_eq(trc_heap_find(&desk.heap, block_of(1)).site, 0);
    ck_assert_uint_eq(trc_heap_find(&desk.heap, block_of(2)).site, 0);
    close_desk(&desk);
}
END_TEST

START_TEST(a_move_is_an_allocation_and_a_free)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 100);
    move(&desk, 0, 2, 1, 1, 300); /* in its place */
    move(&desk, 0, 2, 1, 7, 700);
    move(&desk, 0, 3, 8, 9, 40); /* what nobody knows */
    expect_heap(&desk, &desk.heap.live, 740, 2);
    expect_site(&desk, 0, 1, AMOUNT(100, 1), AMOUNT(0, 0), AMOUNT(0, 0));
    expect_site(&desk, 0, 2, AMOUNT(1000, 2), AMOUNT(700, 1), AMOUNT(700, 1));
    ck_assert_uint_eq(site_of(&desk, 0, 2)->freed_here, 400);
    ck_assert_uint_eq(site_of(&desk, 0, 1)->temporary.blocks, 0);
    drop(&desk, 0, 1, 7);
    ck_assert_uint_eq(site_of(&desk, 0, 2)->temporary.blocks, 0); /* block 9 came after */
    close_desk(&desk);
}
END_TEST

START_TEST(a_block_that_did_not_move_is_still_there)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 100);
    bool is_temporary;
    trc_live_block taken = trc_heap_take(&desk.heap, NULL, block_of(1), &is_temporary);
    trc_heap_put_back(&desk.heap, block_of(1), taken);
    expect_heap(&desk, &desk.heap.live, 100, 1);
    drop(&desk, 0, 1, 1);
    expect_heap(&desk, &desk.heap.live, 0, 0);
    close_desk(&desk);
}
END_TEST

START_TEST(temporary_is_what_is_freed_as_the_latest)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 8);
    add(&desk, 1, 2, 2, 8); /* of another thread */
    drop(&desk, 0, 1, 1);   /* so this is temporary */
    add(&desk, 0, 1, 3, 8);
    add(&desk, 0, 1, 4, 8);
    drop(&desk, 0, 1, 3); /* no longer the latest */
    drop(&desk, 0, 1, 4); /* that something else was freed makes no difference */
    drop(&desk, 0, 1, 2); /* the latest, but of another thread */
    ck_assert_uint_eq(site_of(&desk, 0, 1)->temporary.blocks, 2);
    ck_assert_uint_eq(site_of(&desk, 1, 2)->temporary.blocks, 0);
    close_desk(&desk);
}
END_TEST

START_TEST(what_is_forgotten_is_in_no_figure)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 100);
    add(&desk, 0, 1, 2, 32);
    ck_assert(!forget(&desk, 0, 2, 32)); /* behind it */
    ck_assert(!forget(&desk, 1, 2, 0));  /* of another thread */
    ck_assert(forget(&desk, 0, 2, 16));  /* inside */
    expect_heap(&desk, &desk.heap.live, 100, 1);
    expect_heap(&desk, &desk.heap.peak, 100, 1);
    expect_site(&desk, 0, 1, AMOUNT(100, 1), AMOUNT(100, 1), AMOUNT(100, 1));
    drop(&desk, 0, 5, 2); /* the interpreter frees it */
    drop(&desk, 0, 5, 1);
    ck_assert_uint_eq(site_of(&desk, 0, 1)->temporary.blocks, 1); /* as if it had never been */
    ck_assert_uint_eq(site_of(&desk, 0, 5)->freed_here, 100);
    ck_assert_int_eq(desk.threads[0].net, 0);
    close_desk(&desk);
}
END_TEST

START_TEST(a_peak_that_is_forgotten_is_the_one_before)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 100);
    add(&desk, 0, 2, 2, 10); /* 110 */
    drop(&desk, 0, 1, 1);    /* 10 */
    add(&desk, 0, 3, 3, 95); /* 105 */
    add(&desk, 0, 3, 4, 32); /* 137, to tell of an event */
    ck_assert(forget(&desk, 0, 4, 0));
    expect_heap(&desk, &desk.heap.peak, 110, 2);
    expect_site(&desk, 0, 1, AMOUNT(100, 1), AMOUNT(0, 0), AMOUNT(100, 1));
    expect_site(&desk, 0, 3, AMOUNT(95, 1), AMOUNT(95, 1), AMOUNT(0, 0));
    drop(&desk, 0, 3, 3);
    expect_site(&desk, 0, 1, AMOUNT(100, 1), AMOUNT(0, 0), AMOUNT(100, 1));
    expect_site(&desk, 0, 3, AMOUNT(95, 1), AMOUNT(0, 0), AMOUNT(0, 0));
    close_desk(&desk);
}
END_TEST

START_TEST(what_another_thread_came_after_is_not_forgotten)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 32);
    add(&desk, 1, 2, 2, 100);
    ck_assert(!forget(&desk, 0, 1, 0));
    ck_assert(!forget(&desk, 0, 2, 0));
    expect_heap(&desk, &desk.heap.live, 132, 2);
    expect_site(&desk, 0, 1, AMOUNT(32, 1), AMOUNT(32, 1), AMOUNT(32, 1));
    close_desk(&desk);
}
END_TEST

START_TEST(an_end_that_was_not_seen_is_counted)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 100);
    add(&desk, 0, 2, 1, 30);
    expect_heap(&desk, &desk.heap.missed, 100, 1);
    expect_heap(&desk, &desk.heap.live, 30, 1);
    expect_site(&desk, 0, 1, AMOUNT(100, 1), AMOUNT(0, 0), AMOUNT(100, 1));
    ck_assert_uint_eq(site_of(&desk, 0, 2)->freed_here, 0);
    close_desk(&desk);
}
END_TEST

START_TEST(blocks_that_are_dropped_are_missed)
{
    desk desk;
    open_desk(&desk);
    add(&desk, 0, 1, 1, 100);
    add(&desk, 0, 2, 2, 30);
    trc_heap_drop_blocks(&desk.heap);
    expect_heap(&desk, &desk.heap.missed, 130, 2);
    expect_heap(&desk, &desk.heap.live, 0, 0);
    drop(&desk, 0, 1, 1);
    ck_assert_uint_eq(site_of(&desk, 0, 1)->freed_here, 0);
    add(&desk, 0, 2, 2, 40);
    expect_heap(&desk, &desk.heap.live, 40, 1);
    expect_heap(&desk, &desk.heap.peak, 130, 2);
    expect_site(&desk, 0, 1, AMOUNT(100, 1), AMOUNT(0, 0), AMOUNT(100, 1));
    expect_site(&desk, 0, 2, AMOUNT(70, 2), AMOUNT(40, 1), AMOUNT(30, 1));
    close_desk(&desk);
}
END_TEST

START_TEST(lines_of_a_node_are_sites)
{
    desk desk;
    open_desk(&desk);
    trc_heap_thread *who = &desk.threads[1];
    uint32_t first = trc_heap_site(&desk.heap, who, 70000, 3), other = trc_heap_site(&desk.heap, who, 70000, 4);
    ck_assert_uint_ne(first, other);
    ck_assert_uint_eq(trc_heap_site(&desk.heap, who, 70000, 3), first);
    ck_assert_uint_eq(trc_heap_site(&desk.heap, who, 70000, 4), other);
    trc_place place = trc_heap_at(&desk.heap, other)->place;
    ck_assert_uint_eq(place.thread, 1);
    ck_assert_uint_eq(place.node, 70000);
    ck_assert_uint_eq(place.line, 4);
    close_desk(&desk);
}
END_TEST

START_TEST(without_memory_nothing_is_wrong)
{
    for (long failure = 1; failure < 12; failure++) {
        paper paper;
        trc_heap heap;
        trc_heap_thread thread;
        paper_init(&paper);
        paper.first_failure = paper.last_failure = failure;
        bool is_there = trc_heap_init(&heap, &paper.pages);
        ck_assert_int_eq(is_there, failure > 2);
        trc_heap_thread_init(&thread, 0);
        uint64_t sum = 0;
        for (uint32_t i = 0; is_there && i < 3000; i++) {
            uint32_t site = trc_heap_site(&heap, &thread, i, 0);
            uint64_t size = i % 2 == 0 ? 16 : 1000;
            uint64_t lost = heap.lost;
            trc_heap_add(&heap, &thread, site, block_of(i), size);
            trc_heap_flush(&heap);
            sum += heap.lost == lost ? size : 0;
        }
        uint64_t of_sites = 0;
        for (uint32_t i = 1; is_there && i < heap.site_count; i++) {
            of_sites += trc_heap_at(&heap, i)->live.bytes;
        }
        ck_assert(!is_there || (of_sites == sum && heap.live.bytes == sum));
        trc_heap_thread_free(&heap, &thread);
        trc_heap_free(&heap);
        ck_assert_int_eq(paper.mapped, 0);
    }
}
END_TEST

/* -- Random programs -- */

#define NODES 8
#define PLACES 64

typedef struct model {
    struct {
        int thread;
        uint32_t node;
        uint64_t size;
        bool is_live;
    } blocks[PLACES];
    trc_amount live[2][NODES], at_peak[2][NODES], allocated[2][NODES];
    uint64_t freed_here[2][NODES];
    trc_amount all, peak;
} model;

static void change(trc_amount *amount, int64_t bytes, int64_t blocks)
{
    amount->bytes += (uint64_t)bytes;
    amount->blocks += (uint64_t)blocks;
}

static void model_add(model *model, int thread, uint32_t node, uint32_t block, uint64_t size)
{
    model->blocks[block].thread = thread;
    model->blocks[block].node = node;
    model->blocks[block].size = size;
    model->blocks[block].is_live = true;
    change(&model->live[thread][node], (int64_t)size, 1);
    change(&model->allocated[thread][node], (int64_t)size, 1);
    change(&model->all, (int64_t)size, 1);
    if (model->all.bytes > model->peak.bytes) {
        model->peak = model->all;
        memcpy(model->at_peak, model->live, sizeof model->live);
    }
}

static void model_drop(model *model, int thread, uint32_t node, uint32_t block)
{
    int64_t size = (int64_t)model->blocks[block].size;
    model->blocks[block].is_live = false;
    change(&model->live[model->blocks[block].thread][model->blocks[block].node], -size, -1);
    change(&model->all, -size, -1);
    model->freed_here[thread][node] += (uint64_t)size;
}

static void compare(desk *desk, const model *model)
{
    trc_heap_flush(&desk->heap);
    insist(desk->heap.live.bytes == model->all.bytes && desk->heap.live.blocks == model->all.blocks, "live");
    insist(desk->heap.peak.bytes == model->peak.bytes && desk->heap.peak.blocks == model->peak.blocks, "the peak");
    for (int thread = 0; thread < 2; thread++) {
        for (uint32_t node = 0; node < NODES; node++) {
            const trc_site *site = site_of(desk, thread, node);
            trc_amount at_peak = trc_heap_at_peak(&desk->heap, site);
            insist(memcmp(&site->live, &model->live[thread][node], sizeof site->live) == 0, "live of a site");
            insist(memcmp(&at_peak, &model->at_peak[thread][node], sizeof at_peak) == 0, "a site at the peak");
            insist(memcmp(&site->allocated, &model->allocated[thread][node], sizeof at_peak) == 0, "allocated");
            insist(site->freed_here == model->freed_here[thread][node], "freed here");
        }
    }
}

START_TEST(random_programs_are_as_the_model_says)
{
    desk desk;
    static model model;
    uint32_t seed = (uint32_t)_i * 77 + 5;
    open_desk(&desk);
    memset(&model, 0, sizeof model);
    for (int step = 0; step < 20000; step++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t dice = seed >> 8;
        int thread = dice % 2;
        uint32_t node = dice / 2 % NODES, block = dice / 16 % PLACES;
        uint64_t size = dice / 1024 % (step % 2000 < 1000 ? 50 : 2000) + 1;
        bool is_live = model.blocks[block].is_live;
        if (dice % 5 == 0) { /* made to tell of an event, and forgotten */
            add(&desk, thread, node, PLACES + 1, size);
            insist(forget(&desk, thread, PLACES + 1, 0), "it was the latest");
        }
        if (is_live && dice % 7 == 0) {
            move(&desk, thread, node, block, block, size);
            model_drop(&model, thread, node, block);
            model_add(&model, thread, node, block, size);
        }
        else if (is_live) {
            drop(&desk, thread, node, block);
            model_drop(&model, thread, node, block);
        }
        else {
            add(&desk, thread, node, block, size);
            model_add(&model, thread, node, block, size);
        }
        if (step % 17 == 0) {
            compare(&desk, &model);
        }
    }
    compare(&desk, &model);
    close_desk(&desk);
}
END_TEST

/* -- Threads -- */

START_TEST(a_thread_that_is_freed_is_not_written_to)
{
    desk desk;
    trc_heap_thread ended, kept;
    open_desk(&desk);
    trc_heap_thread_init(&ended, 2);
    uint32_t site = trc_heap_site(&desk.heap, &ended, 1, 0);
    trc_heap_add(&desk.heap, &ended, site, block_of(1), 100);
    trc_heap_thread_free(&desk.heap, &ended);
    ck_assert_uint_eq(trc_heap_at(&desk.heap, site)->live.bytes, 100);
    memset(&ended, 0x55, sizeof ended);
    kept = ended;
    add(&desk, 0, 1, 2, 10);
    drop(&desk, 0, 1, 1);
    trc_heap_flush(&desk.heap);
    ck_assert_mem_eq(&ended, &kept, sizeof kept);
    ck_assert_uint_eq(desk.heap.live.bytes, 10);
    close_desk(&desk);
}
END_TEST

#define ROUNDS 100000

typedef struct guarded {
    trc_biased_lock lock;
    trc_heap heap;
} guarded;

static void *allocate(void *shared)
{
    guarded *guarded = shared;
    trc_heap *heap = &guarded->heap;
    trc_heap_thread thread;
    trc_heap_thread_init(&thread, 0);
    for (uintptr_t i = 0; i < ROUNDS; i++) {
        const void *block = (const char *)&thread + (i % 8) * 16; /* its own stack's addresses: nobody else has them */
        trc_lock(&guarded->lock);
        uint32_t site = trc_heap_site(heap, &thread, (uint32_t)(i % NODES), 0);
        trc_heap_end(heap, &thread, site, block);
        trc_heap_add(heap, &thread, site, block, i % 100 + 1);
        trc_unlock(&guarded->lock, false);
    }
    trc_lock(&guarded->lock);
    trc_heap_thread_free(heap, &thread);
    trc_unlock(&guarded->lock, false);
    return NULL;
}

START_TEST(threads_take_turns)
{
    guarded guarded = {.lock = {false}};
    trc_heap *heap = &guarded.heap;
    pthread_t threads[4];
    ck_assert(trc_heap_init(heap, &trc_system_pages));
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, allocate, &guarded), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    trc_heap_flush(heap);
    uint64_t allocated = 0, live = 0, at_peak = 0;
    for (uint32_t i = 1; i < heap->site_count; i++) {
        const trc_site *site = trc_heap_at(heap, i);
        allocated += site->allocated.blocks;
        live += site->live.bytes;
        at_peak += trc_heap_at_peak(heap, site).bytes;
    }
    ck_assert_uint_eq(allocated, 4 * ROUNDS);
    ck_assert_uint_eq(heap->live.bytes, live);
    ck_assert_uint_eq(heap->peak.bytes, at_peak);
    trc_heap_free(heap);
}
END_TEST

Suite *heap_suite(void)
{
    Suite *suite = suite_create("heap");
    TCase *tests = tcase_create("heap");
    tcase_add_test(tests, an_empty_heap);
    tcase_add_test(tests, a_free_elsewhere_is_of_the_site_that_allocated);
    tcase_add_test(tests, the_peak_has_what_each_site_had_then);
    tcase_add_test(tests, a_block_of_no_bytes_is_a_block);
    tcase_add_test(tests, a_live_block_is_found);
    tcase_add_test(tests, a_move_is_an_allocation_and_a_free);
    tcase_add_test(tests, a_block_that_did_not_move_is_still_there);
    tcase_add_test(tests, temporary_is_what_is_freed_as_the_latest);
    tcase_add_test(tests, what_is_forgotten_is_in_no_figure);
    tcase_add_test(tests, a_peak_that_is_forgotten_is_the_one_before);
    tcase_add_test(tests, what_another_thread_came_after_is_not_forgotten);
    tcase_add_test(tests, an_end_that_was_not_seen_is_counted);
    tcase_add_test(tests, blocks_that_are_dropped_are_missed);
    tcase_add_test(tests, lines_of_a_node_are_sites);
    tcase_add_test(tests, a_thread_that_is_freed_is_not_written_to);
    tcase_add_test(tests, without_memory_nothing_is_wrong);
    tcase_add_loop_test(tests, random_programs_are_as_the_model_says, 0, 8);
    suite_add_tcase(suite, tests);
    TCase *together = tcase_create("heapthreads");
    tcase_set_tags(together, "threads");
    tcase_add_test(together, threads_take_turns);
    suite_add_tcase(suite, together);
    return suite;
}
