/* A long program, played to a heap: see heapplay.h. */
#include "heapplay.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LIVE 20000
#define LOOK 10000000 /* ns, as in recorders/memory.c */
#define RESIDENT (10 << 20)
#define SMALL_BLOCKS 32768 /* numbers below are small blocks */
#define BLOCKS 65536
#define PLACES HEAPPLAY_PLACES
#define BURST_BLOCK BLOCKS
#define BURST_THREAD HEAPPLAY_THREADS

enum { ALLOCATE, RELEASE, MOVE, FORGET };

/* Small blocks are neighbours, as pymalloc's; the others are far apart. No two of them overlap but the burst. */
static const void *block_of(uint32_t number)
{
    uintptr_t small = UINT64_C(0x7f0000000000), large = UINT64_C(0x550000000000);
    return (const void *)(number < SMALL_BLOCKS ? small + (uintptr_t)number * 128 : large + (uintptr_t)number * 4096);
}

/* -- Composing -- */

typedef struct held {
    uint32_t block;
    uint32_t size;
    heapplay_figures *figures; /* of the place that allocated it */
    uint32_t thread;
} held;

typedef struct author {
    heapplay *play;
    uint64_t seed;
    held held[MOST_LIVE + 8];
    uint32_t held_count;
    uint32_t unused[2][BLOCKS]; /* stacks: of large blocks, of small ones */
    uint32_t unused_count[2];
    uint32_t latest[HEAPPLAY_THREADS]; /* the block that each thread allocated last, or BLOCKS */
    trc_amount live;
} author;

static uint32_t throw_dice(author *author, uint32_t sides)
{
    author->seed = author->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((author->seed >> 33) % sides);
}

static void change(trc_amount *amount, int64_t bytes, int64_t blocks)
{
    amount->bytes += (uint64_t)bytes;
    amount->blocks += (uint64_t)blocks;
}

/* Half of all is at the first place, whose numbers become large. A quarter of the rest has a line. */
static heapplay_step some_place(author *author)
{
    heapplay_step step = {0};
    if (throw_dice(author, 2) == 0) {
        step.thread = throw_dice(author, HEAPPLAY_THREADS);
        step.node = throw_dice(author, HEAPPLAY_NODES);
        step.line = throw_dice(author, 4) == 0 ? throw_dice(author, HEAPPLAY_LINES) : 0;
    }
    return step;
}

static heapplay_figures *figures_of(author *author, heapplay_step step)
{
    return &author->play->figures[(step.thread * HEAPPLAY_NODES + step.node) * HEAPPLAY_LINES + step.line];
}

static void put(author *author, int action, heapplay_step step, uint32_t block, uint32_t size)
{
    step.action = (uint32_t)action;
    step.block = block;
    step.size = size;
    author->play->steps[author->play->step_count++] = step;
}

static uint32_t some_size(author *author, bool is_small)
{
    return is_small ? throw_dice(author, 112) + 1 : throw_dice(author, 3000) + 113;
}

static void hold(author *author, heapplay_step step, uint32_t block, uint32_t size)
{
    heapplay_figures *figures = figures_of(author, step);
    author->held[author->held_count++] = (held){block, size, figures, step.thread};
    author->latest[step.thread] = block;
    change(&figures->allocated, size, 1);
    change(&figures->live, size, 1);
    change(&author->live, size, 1);
    if (author->live.bytes > author->play->most.bytes) {
        author->play->most = author->live;
    }
}

static void allocate(author *author, heapplay_step step)
{
    bool is_small = throw_dice(author, 8) != 0;
    uint32_t block = author->unused[is_small][--author->unused_count[is_small]];
    uint32_t size = some_size(author, is_small);
    put(author, ALLOCATE, step, block, size);
    hold(author, step, block, size);
}

/* Removes a block from those that are held. */
static held let_go(author *author, uint32_t number)
{
    held held = author->held[number];
    author->held[number] = author->held[--author->held_count];
    change(&held.figures->live, -(int64_t)held.size, -1);
    change(&author->live, -(int64_t)held.size, -1);
    return held;
}

static void release(author *author, heapplay_step step, uint32_t number)
{
    bool is_latest = author->latest[author->held[number].thread] == author->held[number].block;
    if (is_latest) {
        step.thread = author->held[number].thread;
    }
    held held = let_go(author, number);
    put(author, RELEASE, step, held.block, held.size);
    figures_of(author, step)->freed_here += held.size;
    if (is_latest) {
        change(&held.figures->temporary, held.size, 1);
        author->latest[step.thread] = BLOCKS;
    }
    bool is_small = held.block < SMALL_BLOCKS;
    author->unused[is_small][author->unused_count[is_small]++] = held.block;
}

/* A block gets another size, by the thread that allocated it. */
static void move(author *author, heapplay_step step, uint32_t number)
{
    step.thread = author->held[number].thread;
    held held = let_go(author, number);
    uint32_t size = some_size(author, held.block < SMALL_BLOCKS);
    put(author, MOVE, step, held.block, size);
    figures_of(author, step)->freed_here += held.size;
    hold(author, step, held.block, size);
}

/* A temporary block, or one that only tells of an event. */
static void come_and_go(author *author, heapplay_step step)
{
    if (throw_dice(author, 8) == 0) {
        uint32_t block = author->unused[1][author->unused_count[1] - 1];
        put(author, FORGET, step, block, 32);
        return;
    }
    allocate(author, step);
    release(author, step, author->held_count - 1);
}

static void keep_top(author *author)
{
    heapplay *play = author->play;
    play->top = play->step_count;
    play->at_top = author->live;
    for (size_t i = 0; i < PLACES; i++) {
        play->figures[i].at_top = play->figures[i].live;
    }
}

static void compose(author *author)
{
    heapplay *play = author->play;
    uint64_t allocations = 0;
    while (allocations < HEAPPLAY_ALLOCATIONS) {
        uint64_t half = HEAPPLAY_ALLOCATIONS / 2, to_end = HEAPPLAY_ALLOCATIONS - allocations;
        if (allocations >= half && play->top == 0) {
            keep_top(author);
        }
        uint64_t wanted = (allocations < half ? allocations : to_end) * MOST_LIVE / half;
        heapplay_step step = some_place(author);
        uint32_t before = play->step_count, dice = throw_dice(author, 8);
        if (dice < 3 && author->held_count > 0) {
            move(author, step, throw_dice(author, author->held_count));
        }
        else if (author->held_count < wanted && dice < 6) {
            allocate(author, step);
        }
        else if (author->held_count > wanted) {
            release(author, some_place(author), throw_dice(author, author->held_count));
        }
        else {
            come_and_go(author, step);
        }
        for (uint32_t i = before; i < play->step_count; i++) {
            allocations += play->steps[i].action == ALLOCATE || play->steps[i].action == MOVE;
        }
    }
    while (author->held_count > 0) {
        release(author, some_place(author), author->held_count - 1);
    }
}

/* -- Playing -- */

/* As in recorders/memory.c, with a clock of our own. */
static void moved(trc_heap *heap, uint32_t here, void *context)
{
    heapplay *play = context;
    (void)here;
    play->moves++;
    trc_heap_set_band(heap);
    trc_curve_add(&play->curve, play->now, heap->live.bytes, heap->live.bytes + RESIDENT);
}

static void let_pass(heapplay *play)
{
    play->now += play->gap;
    for (; play->next_look <= play->now; play->next_look += LOOK) {
        play->looks++;
        uint64_t live = play->heap.live.bytes;
        trc_curve_add(&play->curve, play->now, live, live + RESIDENT);
    }
}

static uint32_t site_of(heapplay *play, uint32_t thread, uint32_t node, uint32_t line)
{
    trc_heap_thread *who = &play->threads[thread];
    return line == 0 ? trc_heap_site_of_node(&play->heap, who, node) : trc_heap_site(&play->heap, who, node, line);
}

static void take_step(heapplay *play, const heapplay_step *step)
{
    trc_heap *heap = &play->heap;
    trc_heap_thread *who = &play->threads[step->thread];
    const void *block = block_of(step->block);
    uint32_t site = site_of(play, step->thread, step->node, step->line);
    if (step->action == RELEASE) {
        trc_heap_end(heap, who, site, block);
    }
    else if (step->action == FORGET) {
        trc_heap_add(heap, who, site, block, step->size);
        trc_heap_forget(heap, who, block);
    }
    else {
        let_pass(play);
        if (step->action == MOVE) {
            bool is_temporary;
            trc_live_block taken = trc_heap_take(heap, NULL, block, &is_temporary);
            trc_heap_remove(heap, who, site, taken, false);
        }
        trc_heap_add(heap, who, site, block, step->size);
    }
    trc_heap_tell_if_moved(heap, site);
}

static void burst(heapplay *play)
{
    trc_heap_thread *who = &play->threads[BURST_THREAD];
    uint32_t site = trc_heap_site_of_node(&play->heap, who, 0);
    trc_heap_add(&play->heap, who, site, block_of(BURST_BLOCK), HEAPPLAY_BURST);
    trc_heap_flush(&play->heap);
    trc_heap_tell_if_moved(&play->heap, site);
    trc_heap_end(&play->heap, who, site, block_of(BURST_BLOCK));
    trc_heap_tell_if_moved(&play->heap, site);
    play->bursts++;
}

void heapplay_period(heapplay *play, bool with_burst)
{
    for (uint32_t i = 0; i < play->step_count; i++) {
        if (with_burst && i == play->top) {
            burst(play);
        }
        take_step(play, &play->steps[i]);
    }
    play->periods++;
}

bool heapplay_open(heapplay *play, int64_t gap)
{
    memset(play, 0, sizeof *play);
    paper_init(&play->paper);
    play->gap = gap;
    play->next_look = LOOK;
    author *author = calloc(1, sizeof *author);
    play->steps = calloc(4 * HEAPPLAY_ALLOCATIONS, sizeof *play->steps);
    bool is_open = trc_heap_init(&play->heap, &play->paper.pages) && author != NULL && play->steps != NULL;
    for (uint32_t i = 0; i <= HEAPPLAY_THREADS; i++) {
        trc_heap_thread_init(&play->threads[i], i);
    }
    if (is_open) {
        author->play = play;
        author->seed = 1;
        for (uint32_t block = BLOCKS; block-- > 0;) {
            bool is_small = block < SMALL_BLOCKS;
            author->unused[is_small][author->unused_count[is_small]++] = block;
        }
        for (int i = 0; i < HEAPPLAY_THREADS; i++) {
            author->latest[i] = BLOCKS;
        }
        compose(author);
        play->heap.moved = moved;
        play->heap.context = play;
        trc_curve_begin(&play->curve, 1000000);
        moved(&play->heap, TRC_SITE_OUTSIDE, play);
        site_of(play, BURST_THREAD, 0, 0);
    }
    free(author);
    return is_open;
}

void heapplay_close(heapplay *play)
{
    for (uint32_t i = 0; i <= HEAPPLAY_THREADS; i++) {
        trc_heap_thread_free(&play->heap, &play->threads[i]);
    }
    trc_heap_free(&play->heap);
    free(play->steps);
}

void heapplay_age(heapplay *play, uint64_t by)
{
    for (uint32_t i = TRC_FIRST_SITE; i < play->heap.site_count; i++) {
        trc_site *site = trc_heap_at(&play->heap, i);
        change(&site->allocated, (int64_t)by, (int64_t)by);
        change(&site->temporary, (int64_t)by, (int64_t)by);
        site->freed_here += by;
    }
    play->aged += by;
}

/* -- Comparing -- */

static bool is(trc_amount amount, uint64_t bytes, uint64_t blocks)
{
    return amount.bytes == bytes && amount.blocks == blocks;
}

/* `times`: how often the figures are repeated. */
static const char *wrong_site(const heapplay *play, const trc_site *site, const heapplay_figures *one, uint64_t times)
{
    uint64_t more = play->aged;
    if (!is(site->allocated, times * one->allocated.bytes + more, times * one->allocated.blocks + more)) {
        return "what a site allocated";
    }
    if (!is(site->temporary, times * one->temporary.bytes + more, times * one->temporary.blocks + more)) {
        return "what was temporary at a site";
    }
    if (site->freed_here != times * one->freed_here + more) {
        return "what was freed at a site";
    }
    if (!is(site->live, 0, 0)) {
        return "what is live of a site";
    }
    trc_amount at_peak = trc_heap_at_peak(&play->heap, site);
    return play->bursts == 0 || is(at_peak, one->at_top.bytes, one->at_top.blocks) ? NULL : "a site at the peak";
}

static const char *wrong_burst(heapplay *play)
{
    trc_amount all = {HEAPPLAY_BURST, 1};
    heapplay_figures one = {.allocated = all, .temporary = all, .freed_here = all.bytes, .at_top = all};
    const trc_site *site = trc_heap_at(&play->heap, site_of(play, BURST_THREAD, 0, 0));
    return wrong_site(play, site, &one, play->bursts);
}

static const char *wrong_curve(const heapplay *play)
{
    const trc_curve *curve = &play->curve;
    uint64_t most = 0, resident = 0;
    for (uint32_t i = 0; i < curve->count; i++) {
        const trc_curve_point *point = &curve->points[i];
        most = point->most > most ? point->most : most;
        resident = point->resident > resident ? point->resident : resident;
        if (i > 0 && point->at < curve->points[i - 1].at + curve->interval) {
            return "how far two points of the curve are apart";
        }
    }
    if (curve->count > TRC_CURVE_POINTS) {
        return "how many points the curve has";
    }
    return play->bursts == 0 || (most == play->heap.peak.bytes && resident == most + RESIDENT)
               ? NULL
               : "the highest point of the curve";
}

const char *heapplay_wrong(heapplay *play)
{
    trc_heap *heap = &play->heap;
    trc_heap_flush(heap);
    const char *wrong = NULL;
    for (uint32_t i = 0; i < PLACES && wrong == NULL; i++) {
        uint32_t line = i % HEAPPLAY_LINES, node = i / HEAPPLAY_LINES % HEAPPLAY_NODES;
        uint32_t site = site_of(play, i / HEAPPLAY_LINES / HEAPPLAY_NODES, node, line);
        wrong = wrong_site(play, trc_heap_at(heap, site), &play->figures[i], play->periods);
    }
    wrong = wrong == NULL && play->bursts > 0 ? wrong_burst(play) : wrong;
    trc_amount top = {play->at_top.bytes + HEAPPLAY_BURST, play->at_top.blocks + 1};
    trc_amount peak = play->bursts == 0 ? play->most : top;
    if (wrong == NULL && !is(heap->peak, peak.bytes, peak.blocks)) {
        wrong = "the peak";
    }
    if (wrong == NULL && (!is(heap->live, 0, 0) || !is(heap->missed, 0, 0) || heap->lost != 0)) {
        wrong = "what is live, missed or lost";
    }
    return wrong == NULL ? wrong_curve(play) : wrong;
}

/* -- Climbing -- */

static const char *wrong_climb(const trc_heap *heap, uint64_t count, uint64_t first_epoch)
{
    if (!is(heap->peak, 2 * count - 1, 2) || !is(heap->live, count, 1)) {
        return "the peak of a climb";
    }
    if (heap->epoch != first_epoch + count - 1) {
        return "how many epochs there were";
    }
    uint64_t blocks = 0, bytes = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const trc_site *site = trc_heap_at(heap, TRC_FIRST_SITE + i);
        uint64_t latest = site->place.node == count % 2 ? count : count - 1;
        if (!is(trc_heap_at_peak(heap, site), latest, 1)) {
            return "a site at the peak of a climb";
        }
        blocks += site->allocated.blocks;
        bytes += site->allocated.bytes;
    }
    uint64_t sum = count % 2 == 0 ? count / 2 * (count + 1) : (count + 1) / 2 * count;
    return blocks == count && bytes == sum ? NULL : "what a climb allocated";
}

const char *heapplay_climb(uint64_t count, uint64_t first_epoch)
{
    trc_heap heap;
    trc_heap_thread thread;
    const char *wrong = "no memory";
    trc_heap_thread_init(&thread, 0);
    if (trc_heap_init(&heap, &trc_system_pages)) {
        heap.epoch = first_epoch;
        for (uint64_t size = 1; size <= count; size++) {
            uint32_t node = (uint32_t)(size % 2), site = trc_heap_site_of_node(&heap, &thread, node);
            trc_heap_add(&heap, &thread, site, block_of(SMALL_BLOCKS + node), size);
            trc_heap_end(&heap, &thread, site, block_of(SMALL_BLOCKS + 1 - node));
        }
        trc_heap_flush(&heap);
        wrong = wrong_climb(&heap, count, first_epoch);
    }
    trc_heap_thread_free(&heap, &thread);
    trc_heap_free(&heap);
    return wrong;
}
