/* Random scripts of every event that a thread whose lines are timed can be told of, against a slow model. The model gives
 * each tick to every line that some activation is on, and each tick of a wait to the innermost of them. */
#include "suites.h"
#include "support.h"

#include <core/lines/linethread.h>

#define CODES 2
#define LINES 6 /* of a code object; they begin at 10 */
#define ACTORS 24

static const char codes[CODES];
static const int32_t first_lines[CODES][LINES] = {{10, 11, 11, 13, 14, 13}, {10, 11, 12, 13, 14, 15}};
static const trc_linecosts costs = {.line = 1, .call = 20, .c = 400};

typedef enum state {
    ABSENT,
    BEGUN, /* and on no line yet */
    ON_LINE,
    WAITING,
} state;

/* An activation, and where it is by definition. */
typedef struct actor {
    state state;
    int code;
    int place; /* index of the line that its statement begins on */
    bool continued;
    bool in_c;
    trc_tick since; /* when it began to wait */
} actor;

typedef struct model {
    actor actors[ACTORS];
    trc_line lines[CODES][LINES];
    int stack[ACTORS]; /* where calls are seen: the actors that run, the innermost last */
    int depth;
    bool sees_calls;
    trc_tick now;
    trc_tick waited; /* of `now`, while the thread did not run */
} model;

typedef struct play {
    model model;
    heap memory;
    trc_linemap maps[CODES];
    trc_linethread thread;
    trc_clock clock; /* shows the model's time, in seconds: so every event looks at what was waited */
    uint32_t seed;
} play;

static trc_tick read_model(void *context)
{
    return ((const model *)context)->now;
}

static int64_t read_cpu_of_model(void *context)
{
    const model *model = context;
    return 1000000000 * (model->now - model->waited);
}

static uint32_t throw_dice(play *play, uint32_t sides)
{
    play->seed = play->seed * 1664525 + 1013904223;
    return (play->seed >> 16) % sides;
}

static trc_activation id_of(int actor)
{
    return 4096 + 48 * (trc_activation)actor;
}

static trc_line *line_of(model *model, const actor *actor)
{
    return &model->lines[actor->code][actor->place];
}

/* Marks the lines that some actor is on, and the lines where one is in C, in fields that the model uses for nothing else. */
static void mark(model *model)
{
    for (int code = 0; code < CODES; code++) {
        for (int i = 0; i < LINES; i++) {
            model->lines[code][i].active = model->lines[code][i].c_active = 0;
        }
    }
    for (int i = 0; i < ACTORS; i++) {
        const actor *actor = &model->actors[i];
        if (actor->state == ON_LINE) {
            line_of(model, actor)->active++;
            line_of(model, actor)->c_active += actor->in_c;
        }
    }
}

static void pass(model *model, trc_tick ticks)
{
    mark(model);
    for (int code = 0; code < CODES; code++) {
        for (int i = 0; i < LINES; i++) {
            trc_line *line = &model->lines[code][i];
            line->ticks += line->active > 0 ? ticks : 0;
            line->c_ticks += line->c_active > 0 ? ticks : 0;
        }
    }
    const actor *top = model->depth == 0 ? NULL : &model->actors[model->stack[model->depth - 1]];
    if (model->sees_calls && top != NULL && top->state == ON_LINE && !top->in_c) {
        line_of(model, top)->own += ticks;
    }
    model->now += ticks;
}

/* The actor that is on a line and has called none that is on one, where calls are seen; or NULL. */
static const actor *innermost(const model *model)
{
    int depth = model->depth;
    while (depth > 0 && model->actors[model->stack[depth - 1]].state != ON_LINE) {
        depth--;
    }
    return depth == 0 ? NULL : &model->actors[model->stack[depth - 1]];
}

static void wait(model *model, trc_tick ticks)
{
    const actor *actor = innermost(model);
    if (actor != NULL) {
        line_of(model, actor)->waited += ticks;
    }
    model->waited += ticks;
    pass(model, ticks);
}

static void pay(model *model, trc_tick cost)
{
    mark(model);
    for (int code = 0; code < CODES; code++) {
        for (int i = 0; i < LINES; i++) {
            model->lines[code][i].cost += model->lines[code][i].active > 0 ? cost : 0;
        }
    }
}

/* -- The events, told to the thread and played by the model -- */

static void tell_line(play *play, int who, int index)
{
    model *model = &play->model;
    actor *actor = &model->actors[who];
    const void *key = &codes[actor->code];
    insist(trc_linethread_line(&play->thread, id_of(who), key, 10 + index, model->now), "a table is missing");
    int place = first_lines[actor->code][index] - 10;
    bool continues = place != index;
    if (actor->state != ON_LINE || actor->place != place) {
        actor->in_c = false;
        actor->place = place;
        actor->state = ON_LINE;
        line_of(model, actor)->hits++;
    }
    else if (!continues && !actor->continued) {
        line_of(model, actor)->hits++;
    }
    actor->continued = continues;
    pay(model, costs.line);
}

static void tell_c(play *play, int who)
{
    model *model = &play->model;
    actor *actor = &model->actors[who];
    if (!actor->in_c) {
        trc_linethread_enter_c(&play->thread, id_of(who), model->now);
        pay(model, costs.c);
        actor->in_c = actor->state == ON_LINE;
    }
    else {
        trc_linethread_leave_c(&play->thread, id_of(who), model->now);
        actor->in_c = false;
    }
}

static void push(model *model, int who)
{
    model->stack[model->depth++] = who;
}

static void pop(model *model)
{
    model->depth -= model->sees_calls;
}

static void tell_enter(play *play, int who)
{
    model *model = &play->model;
    actor *actor = &model->actors[who];
    *actor = (struct actor){.state = BEGUN, .code = (int)throw_dice(play, CODES)};
    if (model->sees_calls) {
        trc_linethread_enter(&play->thread, id_of(who), &codes[actor->code], model->now);
        pay(model, costs.call);
        push(model, who);
    }
}

static void tell_leave(play *play, int who)
{
    model *model = &play->model;
    trc_linethread_leave(&play->thread, id_of(who), model->now);
    pay(model, costs.call);
    model->actors[who] = (actor){0};
    pop(model);
}

static void tell_suspend(play *play, int who)
{
    model *model = &play->model;
    actor *actor = &model->actors[who];
    trc_linethread_suspend(&play->thread, id_of(who), model->now);
    pay(model, costs.call);
    actor->state = actor->state == ON_LINE ? WAITING : ABSENT;
    actor->in_c = false;
    actor->since = model->now;
    pop(model);
}

static void tell_resume(play *play, int who)
{
    model *model = &play->model;
    actor *actor = &model->actors[who];
    trc_linethread_resume(&play->thread, id_of(who), &codes[actor->code], model->now);
    actor->state = ON_LINE;
    line_of(model, actor)->suspended += model->now - actor->since;
    pay(model, costs.call);
    if (model->sees_calls) {
        push(model, who);
    }
}

/* -- Scripts -- */

static int someone(play *play, state state)
{
    int who = (int)throw_dice(play, ACTORS);
    for (int i = 0; i < ACTORS; i++, who = (who + 1) % ACTORS) {
        if (play->model.actors[who].state == state) {
            return who;
        }
    }
    return -1;
}

/* The actor that acts next: where calls are seen, the one that runs; else any that does not wait. -1: none. */
static int next_one(play *play)
{
    const model *model = &play->model;
    if (model->sees_calls) {
        return model->depth == 0 ? -1 : model->stack[model->depth - 1];
    }
    int who = someone(play, throw_dice(play, 4) == 0 ? BEGUN : ON_LINE);
    return who < 0 ? someone(play, BEGUN) : who;
}

static void step(play *play)
{
    uint32_t choice = throw_dice(play, 20);
    int who = next_one(play), absent = someone(play, ABSENT), waiting = someone(play, WAITING);
    if (choice < 3) {
        pass(&play->model, 1 + throw_dice(play, 9));
        wait(&play->model, throw_dice(play, 9));
    }
    else if (choice < 6 && absent >= 0) {
        tell_enter(play, absent);
    }
    else if (choice < 8 && waiting >= 0) {
        tell_resume(play, waiting);
    }
    else if (choice == 8) {
        trc_linethread_catch_up(&play->thread, play->model.now, read_cpu_of_model(&play->model));
    }
    else if (who >= 0 && choice < 14) {
        tell_line(play, who, (int)throw_dice(play, LINES));
    }
    else if (who >= 0 && choice < 17) {
        tell_c(play, who);
    }
    else if (who >= 0 && choice == 17) {
        tell_suspend(play, who);
    }
    else if (who >= 0) {
        tell_leave(play, who);
    }
}

static void compare(play *play)
{
    trc_linethread_catch_up(&play->thread, play->model.now, read_cpu_of_model(&play->model));
    mark(&play->model);
    for (int code = 0; code < CODES; code++) {
        const trc_linetab *table = trc_linetabs_find(&play->thread.tables, &codes[code]);
        for (uint32_t row = 0; row < table->map->row_count; row++) {
            const trc_line *told = &table->lines[row];
            const trc_line *expected = &play->model.lines[code][table->map->lines[row] - 10];
            insist(told->hits == expected->hits, "the hits are wrong");
            insist(told->ticks == expected->ticks, "the time is wrong");
            insist(told->c_ticks == expected->c_ticks, "the time in C is wrong");
            insist(told->own == expected->own, "the own time is wrong");
            insist(told->suspended == expected->suspended, "the suspended time is wrong");
            insist(!play->model.sees_calls || told->waited == expected->waited, "the waits are wrong");
            insist(told->waited >= 0 && told->waited <= told->ticks, "a line waited longer than it took");
            insist(told->cost == expected->cost, "the cost is wrong");
            insist(told->active == expected->active, "another number is on the line");
            insist(told->c_active == expected->c_active, "another number is in C");
        }
    }
}

static void play_at_random(uint32_t seed, bool sees_calls)
{
    play play = {.seed = seed, .model.sees_calls = sees_calls};
    heap_init(&play.memory);
    trc_linethread_init(&play.thread, &play.memory.allocator, sees_calls, costs);
    play.clock = trc_clock_injected(read_model, &play.model, 1.0);
    play.clock.read_cpu = read_cpu_of_model;
    trc_linethread_tell_waits(&play.thread, &play.clock);
    for (int code = 0; code < CODES; code++) {
        ck_assert(trc_linemap_init(&play.maps[code], &trc_system_allocator, 10, LINES, first_lines[code]));
        ck_assert_ptr_nonnull(trc_linetabs_add(&play.thread.tables, &codes[code], &play.maps[code]));
    }
    for (int part = 0; part < 20; part++) {
        for (int i = 0; i < 40; i++) {
            step(&play);
        }
        compare(&play);
    }
    trc_linethread_free(&play.thread);
    for (int code = 0; code < CODES; code++) {
        trc_linemap_free(&play.maps[code], &trc_system_allocator);
    }
    ck_assert_int_eq(play.memory.blocks, 0);
}

START_TEST(activations_in_any_order)
{
    for (uint32_t seed = 1; seed <= 1000; seed++) {
        play_at_random(seed, false);
    }
}
END_TEST

START_TEST(activations_on_a_stack_where_calls_are_seen)
{
    for (uint32_t seed = 1; seed <= 1000; seed++) {
        play_at_random(seed, true);
    }
}
END_TEST

Suite *linerandom_suite(void)
{
    Suite *suite = suite_create("linerandom");
    TCase *tcase = tcase_create("linerandom");
    tcase_set_timeout(tcase, 60); /* under sanitizers */
    tcase_add_test(tcase, activations_in_any_order);
    tcase_add_test(tcase, activations_on_a_stack_where_calls_are_seen);
    suite_add_tcase(suite, tcase);
    return suite;
}
