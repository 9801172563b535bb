/* What the suites share: see support.h. */
#include "support.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

void insist(bool holds, const char *what)
{
    if (!holds) {
        ck_abort_msg("%s", what);
    }
}

bool is_beyond_tsan(const char *test, const char *why)
{
#if defined(__SANITIZE_THREAD__)
    fprintf(stderr, "tsan: NOT RUN: %s: %s\n", test, why);
    return true;
#else
    (void)test, (void)why;
    return false;
#endif
}

static void *heap_resize(void *context, void *block, size_t size)
{
    heap *memory = context;
    if (size == 0) {
        insist(block != NULL, "the core freed what it never had");
        memory->blocks--;
        free(block);
        return NULL;
    }
    memory->requests++;
    if (memory->requests >= memory->first_failure && memory->requests <= memory->last_failure) {
        return NULL;
    }
    memory->blocks += block == NULL;
    return realloc(block, size);
}

void heap_init(heap *memory)
{
    *memory = (heap){.allocator = {heap_resize, memory}};
}

static const char keys[LETTERS];

const void *key_of(char letter)
{
    return &keys[tolower(letter) - 'a'];
}

static void release(void *owner)
{
    --*(long *)owner;
}

static trc_tick read_stage(void *context)
{
    return ((stage *)context)->now;
}

int64_t stage_cpu(const stage *stage)
{
    return (int64_t)((uint64_t)trc_ticks_since(stage->now, stage->stood) * 1000000000);
}

static int64_t read_cpu_of_stage(void *context)
{
    return stage_cpu(context);
}

void stage_tell_waits(stage *stage)
{
    trc_thread_tell_waits(&stage->thread, &stage->clock);
    trc_thread_begin_waits(&stage->thread, stage->now, stage_cpu(stage));
}

bool stage_open(stage *stage, long budget, long first_failure, long last_failure)
{
    memset(stage, 0, sizeof *stage);
    heap_init(&stage->memory);
    stage->memory.first_failure = first_failure;
    stage->memory.last_failure = last_failure;
    stage->clock = trc_clock_injected(read_stage, stage, 1.0);
    stage->clock.read_cpu = read_cpu_of_stage;
    stage->now = 1000;
    stage->tracing = true;
    stage->scene = &stage->scenes[0];
    atomic_init(&stage->budget, budget);
    return trc_thread_init(&stage->thread, &stage->memory.allocator, &stage->budget, release,
                           trc_clock_now(&stage->clock));
}

void stage_close(stage *stage)
{
    trc_thread_free(&stage->thread);
    ck_assert_int_eq(stage->memory.blocks, 0);
    ck_assert_int_eq(stage->owners, 0);
}

static trc_func *function_of(stage *stage, const void *key)
{
    trc_func *func = trc_functab_find(&stage->thread.funcs, key);
    if (func == NULL) {
        func = trc_functab_add(&stage->thread.funcs, key, &stage->owners);
        stage->owners += func != NULL;
    }
    return func;
}

/* The time that the thread is told. */
static trc_tick stage_now(const stage *stage)
{
    return stage->paused ? stage->thread.last : trc_clock_now(&stage->clock);
}

void measure(trc_tick extras[TRC_EXTRA_COUNT], char digit)
{
    insist(digit >= '1' && digit <= '9', "so many ticks cannot be measured");
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        trc_add_extra(extras, extra, (trc_tick)(digit - '0') * ((trc_tick)extra + 1), 0);
    }
}

/* What a back end does at the start of an activation. */
static void enter(stage *stage, char letter, trc_activation id, trc_entry entry)
{
    const void *key = key_of(letter);
    scene *scene = stage->scene;
    insist(scene->depth < DEEPEST, "the script is too deep");
    scene->ids[scene->depth++] = id;
    stage->entered += entry != TRC_RUNNING;
    bool is_long = stage->thread.overflowing || trc_thread_is_due(&stage->thread, trc_clock_now(&stage->clock));
    trc_node *node = is_long ? NULL : trc_thread_expected(&stage->thread, key);
    if (node != NULL && entry != TRC_RUNNING) { /* the short way, as back ends take it */
        trc_thread_push(&stage->thread, node, id, entry, trc_clock_now(&stage->clock));
        return;
    }
    node = trc_thread_child(&stage->thread, key);
    if (node == NULL) {
        trc_func *func = function_of(stage, key);
        if (func == NULL) {
            stage->thread.lost_calls++;
            return;
        }
        node = trc_thread_add_child(&stage->thread, func);
    }
    if (node != NULL) {
        trc_thread_enter(&stage->thread, node, id, entry, trc_clock_now(&stage->clock));
    }
}

static trc_activation new_id(stage *stage)
{
    return stage->last_id += 2;
}

/* The name of the activation of a C function that the top calls. */
static trc_activation c_id(const stage *stage)
{
    const scene *scene = stage->scene;
    insist(scene->depth > 0 && scene->ids[scene->depth - 1] % 2 == 0, "only a Python function calls C functions");
    return scene->ids[scene->depth - 1] + 1;
}

static void leave_id(stage *stage, trc_activation id)
{
    bool is_on_top = trc_thread_is_on_top(&stage->thread, id);
    if (!stage->thread.overflowing && is_on_top && trc_thread_can_pop(&stage->thread, trc_clock_now(&stage->clock))) {
        trc_thread_pop(&stage->thread, trc_clock_now(&stage->clock));
    }
    else {
        trc_thread_leave(&stage->thread, id, trc_clock_now(&stage->clock));
    }
}

static void leave(stage *stage, int activations)
{
    scene *scene = stage->scene;
    insist(scene->depth >= activations, "the script leaves what it did not enter");
    scene->depth -= activations;
    leave_id(stage, scene->ids[scene->depth]);
}

static void pass(stage *stage, trc_tick ticks)
{
    stage->now += ticks;
    stage->traced += stage->tracing && !stage->paused ? ticks : 0;
}

bool stage_switch(stage *stage, char to)
{
    insist(to >= 'a' && to < 'a' + OWNERS, "no such owner of a stack");
    const scene *from = stage->scene;
    stage->scene = &stage->scenes[to - 'a'];
    bool waited = trc_thread_switch(&stage->thread, from, false, stage->scene, stage_now(stage));
    insist(waited == (stage->scene->depth > 0) || stage->memory.last_failure != 0, "a stack was forgotten or made up");
    return waited;
}

static void stop(stage *stage)
{
    trc_thread_look_at_waits(&stage->thread, trc_clock_now(&stage->clock), stage_cpu(stage));
    trc_thread_stop(&stage->thread, trc_clock_now(&stage->clock));
    stage->tracing = false;
    for (int i = 0; i < OWNERS; i++) {
        stage->scenes[i].depth = 0;
    }
}

static void set_paused(stage *stage, bool paused)
{
    stage->paused = paused;
    (paused ? trc_thread_pause : trc_thread_resume)(&stage->thread, trc_clock_now(&stage->clock));
}

void stage_play(stage *stage, const char *script)
{
    for (const char *at = script; *at != '\0'; at++) {
        switch (*at) {
        case '!':
            enter(stage, *++at, new_id(stage), TRC_RUNNING);
            break;
        case '\'':
            enter(stage, *++at, c_id(stage), TRC_CALLED);
            break;
        case '@':
            stage_switch(stage, *++at);
            break;
        case ')':
            leave(stage, 1);
            break;
        case '}':
            leave(stage, 2);
            break;
        case '?':
            leave_id(stage, new_id(stage));
            break;
        case '-':
            leave_id(stage, c_id(stage));
            break;
        case '~': {
            trc_func *func = function_of(stage, key_of(*++at));
            insist(func != NULL, "such a script is played with memory to spare");
            measure(func->extras, *++at);
            break;
        }
        case '%':
            stage->stood += *++at - '0';
            pass(stage, *at - '0');
            break;
        case '=':
            stop(stage);
            break;
        case '+':
            trc_thread_start(&stage->thread, trc_clock_now(&stage->clock));
            stage->tracing = true;
            break;
        case '<':
        case '>':
            set_paused(stage, *at == '<');
            break;
        default:
            insist(isalnum(*at), "no such step in a script");
            if (isdigit(*at)) {
                pass(stage, *at - '0');
            }
            else {
                enter(stage, *at, new_id(stage), isupper(*at) ? TRC_RESUMED : TRC_CALLED);
            }
        }
    }
}

uint32_t row_of_letter(char letter, const char *labels)
{
    for (; *labels != '\0'; labels += 2) {
        if (labels[0] == letter) {
            return labels[1] == '-' ? TRC_LEFT_OUT : (uint32_t)(labels[1] - 'a');
        }
    }
    return (uint32_t)(letter - 'a');
}

trc_rollup_result stage_add(stage *stage, trc_rollup *rollup, const char *labels)
{
    uint32_t row_of[LETTERS];
    for (const trc_func *func = stage->thread.funcs.first; func != NULL; func = func->hh.next) {
        row_of[func->id] = row_of_letter((char)('a' + ((const char *)func->key - keys)), labels);
    }
    trc_capture capture;
    trc_rollup_result result = TRC_ROLLUP_NO_MEMORY;
    if (trc_capture_thread(&capture, &stage->thread, stage_now(stage), stage->tracing, stage_cpu(stage))) {
        result = trc_rollup_add(rollup, &capture, row_of, stage->thread.funcs.count);
    }
    trc_capture_free(&capture, &stage->memory.allocator);
    return result;
}

/* The extras that only a script's ~ measures: a text has one only if its script has ~. */
static const bool in_every_text[TRC_EXTRA_COUNT] = {[TRC_SUSPENDED] = true};

/* `extras` is NULL for an edge, which has none. */
static int render_figures(char *text, int used, const char *name, const trc_figures *figures, const trc_tick *extras,
                          bool all)
{
    static const trc_figures nothing;
    char resumes[64] = "", more[64 * TRC_EXTRA_COUNT] = "";
    for (trc_extra extra = 0; extras != NULL && extra < TRC_EXTRA_COUNT; extra++) {
        size_t length = strlen(more);
        bool is_in = all ? trc_traits_of(extra)->merge != TRC_WITH_LARGEST : in_every_text[extra];
        if (extras[extra] != 0 && is_in) {
            snprintf(more + length, sizeof more - length, " %s %lld", trc_traits_of(extra)->name,
                     (long long)extras[extra]);
        }
    }
    if (memcmp(figures, &nothing, sizeof nothing) == 0 && more[0] == '\0') {
        return used;
    }
    if (figures->resumes > 0 || figures->primitive_resumes > 0) {
        snprintf(resumes, sizeof resumes, " +%llu/%llu", (unsigned long long)figures->resumes,
                 (unsigned long long)figures->primitive_resumes);
    }
    used += snprintf(text + used, (size_t)(TEXT_SIZE - used), "%s %llu/%llu%s self %lld cum %lld%s\n", name,
                     (unsigned long long)figures->calls, (unsigned long long)figures->primitive_calls, resumes,
                     (long long)figures->self, (long long)figures->cumulative, more);
    insist(used < TEXT_SIZE, "the figures are too long a text");
    return used;
}

static void render_rollup(const trc_rollup *rollup, char text[TEXT_SIZE], bool all)
{
    int used = 0;
    text[0] = '\0';
    for (uint32_t row = 0; row < rollup->row_count; row++) {
        char name[] = {(char)('a' + row), '\0'};
        used = render_figures(text, used, name, &rollup->rows[row], rollup->extras[row], all);
    }
    for (uint32_t pair = 0; pair < LETTERS * LETTERS; pair++) {
        for (uint32_t i = 0; i < rollup->edge_count; i++) {
            const trc_row_edge *edge = &rollup->edges[i];
            if (edge->caller == pair / LETTERS && edge->callee == pair % LETTERS) {
                char name[] = {(char)('a' + edge->caller), '>', (char)('a' + edge->callee), '\0'};
                used = render_figures(text, used, name, &edge->figures, NULL, all);
            }
        }
    }
}

void render(const trc_rollup *rollup, char text[TEXT_SIZE])
{
    render_rollup(rollup, text, false);
}

void render_all(const trc_rollup *rollup, char text[TEXT_SIZE])
{
    render_rollup(rollup, text, true);
}

void expect_labelled(stage *stage, const char *labels, const char *expected)
{
    char text[TEXT_SIZE];
    trc_rollup rollup;
    ck_assert(trc_rollup_init(&rollup, &stage->memory.allocator, LETTERS));
    ck_assert_int_eq(stage_add(stage, &rollup, labels), TRC_ROLLUP_OK);
    render(&rollup, text);
    trc_rollup_free(&rollup);
    ck_assert_str_eq(text, expected);
}

void expect(stage *stage, const char *expected)
{
    expect_labelled(stage, "", expected);
}

void expect_played(const char *script, long budget, const char *expected)
{
    stage stage;
    ck_assert(stage_open(&stage, budget, 0, 0));
    stage_play(&stage, script);
    expect(&stage, expected);
    ck_assert_uint_eq(stage.thread.lost_calls, 0);
    stage_close(&stage);
}

void expect_at_every_budget(const char *script, const char *expected)
{
    for (long budget = 0; budget <= 12; budget++) {
        expect_played(script, budget, expected);
    }
    expect_played(script, NO_LIMIT, expected);
}

void expect_nobody_active(const stage *stage)
{
    for (const trc_func *func = stage->thread.funcs.first; func != NULL; func = func->hh.next) {
        insist(func->active == 0, "a function counts as active");
    }
    for (const trc_edge *edge = stage->thread.edges.first; edge != NULL; edge = edge->hh.next) {
        insist(edge->active == 0, "an edge counts as active");
    }
}

bool survives_shortage(const char *script, long budget, long first_failure, long last_failure)
{
    stage stage;
    trc_rollup rollup;
    bool open = stage_open(&stage, budget, first_failure, last_failure);
    if (open) {
        stage_play(&stage, script);
    }
    bool failed = stage.memory.requests >= first_failure;
    stage.memory.first_failure = stage.memory.last_failure = 0;
    if (open) {
        ck_assert(trc_rollup_init(&rollup, &stage.memory.allocator, LETTERS));
        ck_assert_int_eq(stage_add(&stage, &rollup, ""), TRC_ROLLUP_OK);
        uint64_t counted = 0;
        trc_tick spent = 0;
        for (uint32_t row = 0; row < LETTERS; row++) {
            counted += rollup.rows[row].calls + rollup.rows[row].resumes;
            spent += rollup.rows[row].self;
        }
        expect_nobody_active(&stage);
        ck_assert_uint_eq(counted + stage.thread.lost_calls, stage.entered);
        ck_assert_int_eq(spent + stage.thread.tree.root->self, stage.traced);
        ck_assert(failed || stage.thread.lost_calls == 0);
        trc_rollup_free(&rollup);
    }
    stage_close(&stage);
    return failed;
}
