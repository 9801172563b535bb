/* Random scripts of every step that a stage knows, against the plain model. They test thread, capture and rollup together,
 * whether the tree overflows or not, and with figures taken in the middle. */
#include "model.h"
#include "suites.h"

/* What may come next in a script. */
typedef struct author {
    uint32_t seed;
    int depths[OWNERS];
    bool in_c[OWNERS][DEEPEST]; /* whether each activation is a C function's: that calls no C function */
    int owner;
    bool tracing;
    bool paused;
} author;

static uint32_t throw_dice(author *author, uint32_t sides)
{
    author->seed = author->seed * 1664525 + 1013904223;
    return (author->seed >> 16) % sides;
}

static char a_letter(author *author)
{
    return (char)('a' + throw_dice(author, 5));
}

static char *write_enter(author *author, uint32_t choice, char *at)
{
    int *depth = &author->depths[author->owner];
    bool *in_c = author->in_c[author->owner];
    bool may_call_c = *depth > 0 && !in_c[*depth - 1];
    in_c[(*depth)++] = choice < 3 && may_call_c;
    if (choice < 3 && may_call_c) {
        *at++ = '\'';
    }
    else if (choice == 3) {
        *at++ = '!';
    }
    *at = a_letter(author);
    *at += choice == 4 || choice == 5 ? 'A' - 'a' : 0;
    return at + 1;
}

static char *write_leave(author *author, uint32_t choice, char *at)
{
    int *depth = &author->depths[author->owner];
    if (choice == 0 && *depth > 1) {
        *depth -= 2;
        *at++ = '}';
    }
    else if (choice == 1 && *depth > 0 && !author->in_c[author->owner][*depth - 1]) {
        *at++ = '-';
    }
    else if (choice == 2) {
        *at++ = '?';
    }
    else if (*depth > 0) {
        --*depth;
        *at++ = ')';
    }
    return at;
}

static char *write_other(author *author, uint32_t choice, char *at)
{
    if (choice == 0) {
        author->paused = true;
        *at++ = '<';
    }
    else if (choice == 1 && author->depths[author->owner] > 12) {
        author->tracing = false;
        memset(author->depths, 0, sizeof author->depths);
        *at++ = '=';
    }
    else if (choice < 10) {
        if (choice < 4) {
            *at++ = '%'; /* the ticks are waited */
        }
        *at++ = (char)('1' + throw_dice(author, 9));
    }
    return at;
}

static char *write_measure(author *author, char *at)
{
    *at++ = '~';
    *at++ = a_letter(author);
    *at++ = (char)('1' + throw_dice(author, 9));
    return at;
}

static char *write_switch(author *author, char *at)
{
    author->owner = (int)throw_dice(author, OWNERS);
    *at++ = '@';
    *at++ = (char)('a' + author->owner);
    return at;
}

/* One step, or none; the same for the same seed. */
static char *write_step(author *author, char *at)
{
    uint32_t choice = throw_dice(author, 40);
    if (!author->tracing) {
        author->tracing = choice >= 20;
        *at++ = choice >= 20 ? '+' : '7';
    }
    else if (choice < 3) {
        at = write_switch(author, at);
    }
    else if (author->paused) {
        author->paused = choice < 20;
        *at++ = choice < 20 ? '6' : '>';
    }
    else if (choice < 17) {
        at = write_enter(author, throw_dice(author, 14), at);
    }
    else if (choice < 28) {
        at = write_leave(author, throw_dice(author, 11), at);
    }
    else if (choice == 28) {
        at = write_measure(author, at);
    }
    else {
        at = write_other(author, throw_dice(author, 10), at);
    }
    return at;
}

static void compose(author *author, int steps, char *script)
{
    char *at = script;
    for (int i = 0; i < steps; i++) {
        at = write_step(author, at);
    }
    *at = '\0';
}

#define PARTS 4
#define STEPS 120 /* of a part */

/* A script in parts: between them, and at the end, the figures are taken. */
typedef struct play {
    char parts[PARTS][3 * STEPS + 1]; /* a step has three characters at most */
} play;

static void compose_play(play *play, uint32_t seed)
{
    author author = {.seed = seed, .tracing = true};
    for (int i = 0; i < PARTS; i++) {
        compose(&author, STEPS, play->parts[i]);
    }
}

/* Asserts that a stage with this node budget has the model's figures after each part. */
static void expect_figures_of_model(const play *play, long budget, const char *labels, uint32_t seed, bool tells_waits)
{
    static model model;
    static char told[TEXT_SIZE], expected[TEXT_SIZE];
    stage stage;
    model_init(&model, labels);
    ck_assert(stage_open(&stage, budget, 0, 0));
    if (tells_waits) {
        stage_tell_waits(&stage);
    }
    for (int i = 0; i < PARTS; i++) {
        trc_rollup rollup;
        stage_play(&stage, play->parts[i]);
        model_play(&model, play->parts[i], tells_waits);
        insist(trc_rollup_init(&rollup, &stage.memory.allocator, LETTERS), "a rollup found no memory");
        insist(stage_add(&stage, &rollup, labels) == TRC_ROLLUP_OK, "a thread could not be added");
        render_all(&rollup, told);
        trc_rollup_free(&rollup);
        model_render(&model, expected);
        if (strcmp(told, expected) != 0) {
            ck_abort_msg("seed %u, budget %ld, part %d:\n%s\nbut by definition:\n%s", seed, budget, i, told, expected);
        }
    }
    insist(stage.thread.lost_calls == 0, "a call was lost");
    stage_close(&stage);
}

START_TEST(random_scripts_have_the_figures_that_they_should)
{
    static const long budgets[] = {NO_LIMIT, 0, 1, 2, 3, 5, 8, 13, 30, 60, 100};
    for (uint32_t seed = 1; seed <= 150; seed++) {
        play play;
        compose_play(&play, seed);
        for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
            expect_figures_of_model(&play, budgets[i], "", seed, false); /* the short way */
            expect_figures_of_model(&play, budgets[i], "", seed, true);
        }
    }
}
END_TEST

START_TEST(random_scripts_have_them_with_shared_rows_and_functions_left_out)
{
    static const char *const labels[] = {"ba", "b-", "a-b-", "bacade", "c-ba", "a-b-c-d-e-"};
    for (uint32_t seed = 1001; seed <= 1100; seed++) {
        play play;
        compose_play(&play, seed);
        for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
            expect_figures_of_model(&play, NO_LIMIT, labels[i], seed, seed % 2 == 0);
        }
    }
}
END_TEST

Suite *random_suite(void)
{
    Suite *suite = suite_create("random");
    TCase *tcase = tcase_create("random");
    tcase_set_timeout(tcase, 60); /* under sanitizers */
    tcase_add_test(tcase, random_scripts_have_the_figures_that_they_should);
    tcase_add_test(tcase, random_scripts_have_them_with_shared_rows_and_functions_left_out);
    suite_add_tcase(suite, tcase);
    return suite;
}
