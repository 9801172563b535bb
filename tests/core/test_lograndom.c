/* Random programs on threads that write logs, against what is written down beside them: which stretches are kept, how
 * they nest, and what the bins hold. Budgets are from a few blocks to more than enough. */
#include "logplay.h"
#include "suites.h"

#include <stdio.h>

typedef struct author {
    uint32_t seed;
    bool has_ties; /* several events in one tick */
    uint32_t pace;
} author;

static uint32_t throw_dice(author *author, uint32_t sides)
{
    author->seed = author->seed * 1664525 + 1013904223;
    return (author->seed >> 16) % sides;
}

static void let_time_pass(author *author, logplay *play)
{
    uint32_t choice = throw_dice(author, 20);
    trc_tick ticks = choice < 8 ? 0 : choice < 18 ? throw_dice(author, 9) : throw_dice(author, author->pace);
    play->now += ticks + (author->has_ties ? 0 : 1);
}

/* One step of a thread that is traced, and not paused. */
static void step(author *author, logplay *play, int which)
{
    actor *actor = &play->actors[which];
    act_stack *stack = &actor->stacks[actor->on];
    uint32_t choice = throw_dice(author, 100);
    uint32_t depth = (uint32_t)stack->depth;
    if (choice < 44 && stack->depth < 60) {
        trc_entry entry = choice < 41 ? TRC_CALLED : choice < 42 ? TRC_RESUMED : TRC_RUNNING;
        logplay_call(play, which, (int)throw_dice(author, FUNCTIONS), entry);
    }
    else if (choice < 50 && play->suspended_count > 0) {
        logplay_resume(play, which, (int)throw_dice(author, (uint32_t)play->suspended_count));
    }
    else if (choice < 85 && depth > 0) {
        uint32_t most = depth < 5 ? depth : 5;
        logplay_leave(play, which, choice < 52 ? 1 + (int)throw_dice(author, most) : 1);
    }
    else if (choice < 91 && depth > 0 && play->suspended_count < MOST_SUSPENDED) {
        logplay_suspend(play, which);
    }
    else if (choice < 97) {
        uint32_t how = throw_dice(author, 10);
        logplay_switch(play, which, (int)throw_dice(author, OWNERS), how == 0, how == 1);
    }
    else if (choice == 97) {
        logplay_pause(play, which);
    }
    else if (choice == 98 && throw_dice(author, 4) == 0) {
        logplay_stop(play, which);
    }
}

static void any_step(author *author, logplay *play)
{
    let_time_pass(author, play);
    int which = (int)throw_dice(author, (uint32_t)play->actor_count);
    actor *actor = &play->actors[which];
    if (!actor->tracing) {
        if (throw_dice(author, 3) == 0) {
            logplay_stop(play, which);
        }
    }
    else if (actor->paused) {
        if (throw_dice(author, 3) == 0) {
            logplay_pause(play, which);
        }
    }
    else {
        step(author, play, which);
    }
}

static void expect_program(uint32_t seed, const logplan *plan, author author, int steps)
{
    static logplay play;
    char which[128];
    author.seed = seed;
    logplay_open(&play, plan);
    bool nests = !author.has_ties || plan->nodes == NO_LIMIT;
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < steps / 3; i++) {
            any_step(&author, &play);
        }
        snprintf(which, sizeof which, "seed %u, %u blocks of %u, ring %d, unit %lld, nodes %ld, room %ld, part %d",
                 seed, plan->blocks, plan->block_size, plan->is_ring, (long long)plan->unit, plan->nodes, plan->room,
                 part);
        play.now += throw_dice(&author, 3) == 0 ? 0 : throw_dice(&author, author.pace);
        logplay_expect(&play, nests, which);
    }
    logplay_close(&play);
}

static void expect_programs(uint32_t first_seed, uint32_t count, bool is_ring)
{
    static const uint32_t blocks[] = {2, 3, 5, 8, 20, 60, 2000};
    static const trc_tick units[] = {1, 7, 100, 100000};
    static const long rooms[] = {TRC_BIN_ROOM, 3000, 20000};
    static const long nodes[] = {NO_LIMIT, NO_LIMIT, 0, 5, 40};
    for (uint32_t seed = first_seed; seed < first_seed + count; seed++) {
        logplan plan = {.blocks = blocks[seed % 7],
                        .block_size = seed % 3 == 0 ? 1024 : 512,
                        .is_ring = is_ring,
                        .unit = units[seed % 4],
                        .nodes = nodes[seed % 5],
                        .room = rooms[seed / 4 % 3],
                        .actors = 1 + (int)(seed / 2 % ACTORS)};
        author author = {0, seed % 11 < 6, seed % 13 == 0 ? 20000 : 100};
        expect_program(seed, &plan, author, 3000);
    }
}

START_TEST(random_programs_leave_the_log_of_all_stretches_of_at_least_t)
{
    expect_programs(1, 150, false);
}
END_TEST

START_TEST(random_programs_leave_the_latest_stretches_in_a_ring)
{
    expect_programs(1001, 150, true);
}
END_TEST

Suite *lograndom_suite(void)
{
    Suite *suite = suite_create("lograndom");
    TCase *tcase = tcase_create("lograndom");
    tcase_set_timeout(tcase, 60); /* under sanitizers */
    tcase_add_test(tcase, random_programs_leave_the_log_of_all_stretches_of_at_least_t);
    tcase_add_test(tcase, random_programs_leave_the_latest_stretches_in_a_ring);
    suite_add_tcase(suite, tcase);
    return suite;
}
