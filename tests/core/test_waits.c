/* meter.[ch], and waits.[ch] on top of it: which gap gets what a thread waited, and when it is looked at. test_random.c and
 * test_capture.c show how the waits get into the figures, test_linewaits.c how lines get theirs. A tick is a nanosecond
 * here. */
#include "suites.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define US 1000
#define MS 1000000

/* A thread with the nodes a, b and c, and the ticks that it waited, by which its CPU time falls behind. */
typedef struct watch {
    stage stage;
    trc_clock clock;
    trc_waits *waits;
    trc_node *a;
    trc_node *b;
    trc_node *c;
    trc_tick now;
    trc_tick last; /* the last event */
    trc_tick waited;
} watch;

static trc_tick read_nothing(void *context)
{
    (void)context;
    return 0;
}

static int64_t read_no_cpu(void *context)
{
    (void)context;
    return 0;
}

static void open_watch(watch *w)
{
    ck_assert(stage_open(&w->stage, NO_LIMIT, 0, 0));
    stage_play(&w->stage, "a");
    w->a = w->stage.thread.stack.top->node;
    stage_play(&w->stage, "b");
    w->b = w->stage.thread.stack.top->node;
    stage_play(&w->stage, "c");
    w->c = w->stage.thread.stack.top->node;
    w->clock = trc_clock_injected(read_nothing, NULL, 1e-9);
    w->clock.read_cpu = read_no_cpu;
    w->waits = trc_waits_new(&w->stage.memory.allocator, &w->clock);
    ck_assert_ptr_nonnull(w->waits);
    w->now = w->last = 5 * MS;
    w->waited = 0;
    trc_off_cpu_meter_begin(&w->waits->meter, w->now, w->now);
}

static void close_watch(watch *w)
{
    trc_waits_free(w->waits);
    stage_close(&w->stage);
}

/* `node` is on top for so long, and waits for a part of that. Then there is an event, which looks if it is due. */
static void pass(watch *w, trc_node *node, trc_tick ticks, trc_tick waited)
{
    w->now += ticks;
    w->waited += waited;
    if (w->now >= w->waits->meter.due) {
        const trc_func *func = trc_node_func(node);
        trc_tick before = func == NULL ? 0 : func->extras[TRC_WAITED];
        trc_tick told = trc_waits_look(w->waits, node, w->last, w->now, w->now - w->waited);
        insist(told == (func == NULL ? 0 : func->extras[TRC_WAITED] - before), "what was given is returned");
    }
    node->self += ticks;
    w->last = w->now;
}

static trc_tick waited_of(const watch *w, const trc_node *node)
{
    trc_tick ticks = trc_waits_of(w->waits, node);
    ck_assert_int_eq(trc_node_func(node)->extras[TRC_WAITED], ticks);
    ck_assert_int_le(ticks, node->self);
    return ticks;
}

START_TEST(nothing_is_read_in_between)
{
    watch w;
    open_watch(&w);
    ck_assert_int_eq(w.waits->meter.due, 5 * MS + 100 * US);
    pass(&w, w.a, 60 * US, 5 * US); /* less than a sixteenth: no burst */
    pass(&w, w.b, 39 * US, 0);
    ck_assert_int_eq(w.waits->meter.due, 5 * MS + 100 * US);
    pass(&w, w.a, 1 * US, 0);
    ck_assert_int_eq(w.waits->meter.due, 5 * MS + 200 * US);
    close_watch(&w);
}
END_TEST

START_TEST(a_long_gap_has_what_was_waited)
{
    watch w;
    open_watch(&w);
    for (int i = 0; i < 10; i++) {
        pass(&w, w.b, 50 * US, 0);
        pass(&w, w.a, 10 * MS, 9 * MS);
    }
    ck_assert_int_eq(waited_of(&w, w.a), 90 * MS);
    ck_assert_int_eq(waited_of(&w, w.b), 0);
    close_watch(&w);
}
END_TEST

START_TEST(work_is_no_wait)
{
    watch w;
    open_watch(&w);
    for (int i = 0; i < 1000; i++) {
        pass(&w, w.a, 10 * MS, i % 2 ? 400 : -400); /* the clocks have a grain */
        pass(&w, w.b, 30 * US, 0);
    }
    ck_assert_int_eq(waited_of(&w, w.a), 0);
    ck_assert_int_eq(waited_of(&w, w.b), 0);
    close_watch(&w);
}
END_TEST

START_TEST(what_cannot_have_been_before_belongs_to_the_gap)
{
    watch w;
    open_watch(&w);
    pass(&w, w.b, 90 * US, 0);
    pass(&w, w.a, 120 * US, 110 * US); /* 20 us at least were waited here, and the rest in one of both */
    ck_assert_int_eq(waited_of(&w, w.a), 20 * US);
    ck_assert_int_eq(w.waits->meter.carried, 90 * US);
    ck_assert_int_eq(w.waits->meter.burst, TRC_BURST);
    pass(&w, w.b, 3 * US, 0); /* the burst shows who waits, and how long */
    pass(&w, w.a, 120 * US, 110 * US);
    ck_assert_int_eq(waited_of(&w, w.b), 0);
    ck_assert_int_eq(waited_of(&w, w.a), 220 * US);
    ck_assert_int_eq(w.waits->meter.carried, 0);
    close_watch(&w);
}
END_TEST

START_TEST(many_short_waits_go_to_those_who_wait)
{
    watch w;
    open_watch(&w);
    for (int i = 0; i < 30000; i++) {
        pass(&w, w.a, 30 * US, 27 * US); /* as at a socket */
        pass(&w, w.b, 20 * US, 0);
        pass(&w, w.a, 2 * US, 0);
    }
    ck_assert_int_eq(waited_of(&w, w.b), 0);
    ck_assert_int_ge(waited_of(&w, w.a), w.waited - w.waited / 50);
    ck_assert_int_le(w.waited - waited_of(&w, w.a) - w.waits->meter.carried, MS); /* since the last look */
    close_watch(&w);
}
END_TEST

START_TEST(among_many_other_events_each_has_what_it_waits)
{
    watch w;
    open_watch(&w);
    trc_tick of_a = 0;
    for (int i = 0; i < 40000; i++) {
        pass(&w, w.a, 7 * US, 4 * US); /* as a ping, */
        for (int j = 0; j < 14; j++) {
            pass(&w, w.b, US / 2, 0); /* some lines, */
        }
        pass(&w, w.c, 5 * US, 3 * US / 2); /* and another */
        of_a += 4 * US;
    }
    trc_tick of_c = w.waited - of_a;
    ck_assert_int_eq(waited_of(&w, w.b), 0);
    ck_assert_int_le(w.waited - waited_of(&w, w.a) - waited_of(&w, w.c), w.waited / 50);
    ck_assert_int_le(llabs(waited_of(&w, w.a) - of_a), of_a / 16);
    ck_assert_int_le(llabs(waited_of(&w, w.c) - of_c), of_c / 8);
    close_watch(&w);
}
END_TEST

START_TEST(nobody_waits_a_much_larger_part_of_the_time_than_is_seen)
{
    watch w;
    open_watch(&w);
    pass(&w, w.b, 60 * US, 55 * US);
    pass(&w, w.a, 40 * US, 0);
    ck_assert_int_eq(w.waits->meter.carried, 55 * US);
    pass(&w, w.a, 4 * US, 2 * US); /* one half: no more than 9/16 of its 44 us */
    ck_assert_int_eq(waited_of(&w, w.a), 24750);
    pass(&w, w.a, 4 * US, 2 * US);
    ck_assert_int_eq(waited_of(&w, w.a), 27000);
    pass(&w, w.b, 4 * US, 4 * US);
    ck_assert_int_eq(waited_of(&w, w.b), 36 * US);
    ck_assert_int_eq(w.waits->meter.carried, 0);
    close_watch(&w);
}
END_TEST

START_TEST(a_burst_ends_and_the_next_look_is_later_where_there_were_waits)
{
    watch w;
    open_watch(&w);
    pass(&w, w.a, 30 * US, 20 * US);
    pass(&w, w.b, 70 * US, 0);
    ck_assert_int_eq(w.waits->meter.due, w.now);
    for (int i = 1; i < TRC_BURST; i++) {
        pass(&w, w.a, 5 * US, 5 * US);
        ck_assert_int_eq(w.waits->meter.due, w.now);
    }
    pass(&w, w.a, 5 * US, 5 * US);
    ck_assert_int_eq(w.waits->meter.due, w.now + MS);
    ck_assert_int_eq(waited_of(&w, w.a), w.waited);
    pass(&w, w.b, 2 * MS, 0); /* quiet again */
    ck_assert_int_eq(w.waits->meter.due, w.now + 100 * US);
    close_watch(&w);
}
END_TEST

START_TEST(a_burst_without_waits_gives_what_is_carried_to_nobody)
{
    watch w;
    open_watch(&w);
    pass(&w, w.a, 30 * US, 20 * US);
    pass(&w, w.b, 70 * US, 0);
    for (int i = 0; i < TRC_BURST; i++) {
        pass(&w, i % 2 ? w.a : w.b, 5 * US, 0);
    }
    ck_assert_int_eq(w.waits->meter.due, w.now + 100 * US);
    ck_assert_int_eq(waited_of(&w, w.a) + waited_of(&w, w.b), 0);
    ck_assert_int_eq(w.waits->meter.carried, 20 * US);
    close_watch(&w);
}
END_TEST

START_TEST(outside_of_all_functions_nobody_waits)
{
    watch w;
    open_watch(&w);
    pass(&w, w.stage.thread.tree.root, 10 * MS, 10 * MS);
    pass(&w, w.a, 10 * MS, 10 * MS);
    ck_assert_int_eq(waited_of(&w, w.a), 10 * MS);
    ck_assert_int_eq(trc_waits_of(w.waits, w.stage.thread.tree.root), 0);
    close_watch(&w);
}
END_TEST

START_TEST(what_is_pending_is_told_and_changes_nothing)
{
    watch w;
    open_watch(&w);
    pass(&w, w.b, 10 * US, 0);
    trc_tick now = w.now + 4 * MS;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(trc_off_cpu_meter_pending(&w.waits->meter, w.last, now, now - 3 * MS), 3 * MS);
    }
    pass(&w, w.a, 4 * MS, 3 * MS);
    ck_assert_int_eq(waited_of(&w, w.a), 3 * MS);
    close_watch(&w);
}
END_TEST

START_TEST(to_begin_again_forgets_the_time_between)
{
    watch w;
    open_watch(&w);
    pass(&w, w.a, 10 * MS, 10 * MS);
    w.now = w.last = w.now + 50 * MS;
    w.waited += 50 * MS;
    trc_off_cpu_meter_begin(&w.waits->meter, w.now, w.now - w.waited);
    pass(&w, w.a, 5 * MS, 2 * MS);
    ck_assert_int_eq(waited_of(&w, w.a), 12 * MS);
    close_watch(&w);
}
END_TEST

START_TEST(the_first_look_begins_where_nobody_did)
{
    watch w;
    open_watch(&w);
    trc_off_cpu_meter_forget(&w.waits->meter);
    ck_assert_int_eq(trc_off_cpu_meter_pending(&w.waits->meter, w.last, w.now + MS, 0), 0);
    pass(&w, w.a, 10 * MS, 10 * MS);
    ck_assert_int_eq(waited_of(&w, w.a), 0);
    pass(&w, w.a, 10 * MS, 10 * MS);
    ck_assert_int_eq(waited_of(&w, w.a), 10 * MS);
    close_watch(&w);
}
END_TEST

START_TEST(a_short_rest_needs_no_reading)
{
    watch w;
    open_watch(&w);
    trc_off_cpu_meter *meter = &w.waits->meter;
    ck_assert(!trc_off_cpu_meter_goes_on(meter, w.now)); /* it has not rested */
    trc_off_cpu_meter_rest(meter, w.now + 50 * US);
    ck_assert_int_eq(meter->due, INT64_MIN);
    ck_assert(trc_off_cpu_meter_goes_on(meter, w.now + 50 * US + TRC_SHORT - 1));
    ck_assert(meter->is_begun);
    ck_assert_int_eq(meter->due, w.now + 100 * US);
    trc_off_cpu_meter_rest(meter, w.now + 60 * US);
    ck_assert(!trc_off_cpu_meter_goes_on(meter, w.now + 60 * US + TRC_SHORT));
    ck_assert(!meter->is_begun && !meter->rests);
    ck_assert_int_eq(meter->due, INT64_MIN);
    trc_off_cpu_meter_rest(meter, w.now + 90 * US); /* no look has begun since */
    ck_assert(!trc_off_cpu_meter_goes_on(meter, w.now + 90 * US));
    w.now = w.last = w.now + 5 * MS;
    w.waited += 5 * MS;
    pass(&w, w.a, 1 * MS, 0);
    ck_assert(meter->is_begun);
    pass(&w, w.a, 10 * MS, 4 * MS);
    ck_assert_int_eq(waited_of(&w, w.a), 4 * MS);
    close_watch(&w);
}
END_TEST

START_TEST(a_short_stretch_is_not_worth_a_reading)
{
    watch w;
    open_watch(&w);
    trc_off_cpu_meter *meter = &w.waits->meter;
    ck_assert(!trc_off_cpu_meter_is_worth_it(meter, w.now + TRC_SHORT - 1));
    ck_assert(trc_off_cpu_meter_is_worth_it(meter, w.now + TRC_SHORT));
    meter->read_cost = TRC_SHORT; /* as in a sandbox */
    ck_assert(!trc_off_cpu_meter_is_worth_it(meter, w.now + TRC_SHORT_COSTS * TRC_SHORT - 1));
    ck_assert(trc_off_cpu_meter_is_worth_it(meter, w.now + TRC_SHORT_COSTS * TRC_SHORT));
    meter->read_cost = 0;
    trc_off_cpu_meter_rest(meter, w.now);
    ck_assert(!trc_off_cpu_meter_is_worth_it(meter, w.now + TRC_SHORT)); /* the thread has had no event since */
    trc_off_cpu_meter_forget(meter);
    ck_assert(!trc_off_cpu_meter_is_worth_it(meter, w.now + TRC_SHORT));
    ck_assert(!trc_off_cpu_meter_goes_on(meter, w.now));
    close_watch(&w);
}
END_TEST

START_TEST(without_memory_the_function_has_the_wait_alone)
{
    watch w;
    open_watch(&w);
    w.stage.memory.first_failure = 1;
    w.stage.memory.last_failure = INT64_MAX;
    pass(&w, w.a, 10 * MS, 10 * MS);
    ck_assert_int_eq(trc_node_func(w.a)->extras[TRC_WAITED], 10 * MS);
    ck_assert_int_eq(trc_waits_of(w.waits, w.a), 0);
    ck_assert_ptr_null(trc_waits_new(&w.stage.memory.allocator, &w.clock));
    w.stage.memory.last_failure = 0;
    close_watch(&w);
}
END_TEST

START_TEST(the_clocks_may_say_anything)
{
    static const trc_tick annotations[] = {0, -1, 1, INT64_MAX, INT64_MIN + 1, 5 * MS, -5 * MS, INT64_MAX - 1};
    static const double ticks_per_ns[] = {1, 0, 1e21, INFINITY};
    for (size_t k = 0; k < 4; k++) {
        watch w;
        open_watch(&w);
        w.waits->meter.ticks_per_ns = ticks_per_ns[k];
        for (size_t i = 0; i < 8; i++) {
            for (size_t j = 0; j < 8; j++) {
                trc_waits_look(w.waits, w.a, annotations[i], annotations[j], annotations[(3 * i + j) % 8]);
                trc_waits_look(w.waits, w.a, annotations[i], annotations[j],
                               annotations[(3 * i + j) % 8]); /* no CPU time */
            }
        }
        close_watch(&w);
    }
}
END_TEST

START_TEST(ticks_may_be_so_short_that_no_look_is_due)
{
    watch w;
    open_watch(&w);
    w.waits->meter.ticks_per_ns = 1e21;
    w.waits->meter.burst = 1;
    w.waits->meter.has_waited = true; /* so the pause is a long one */
    trc_waits_look(w.waits, w.a, w.last, 7, w.now);
    ck_assert_int_eq(w.waits->meter.due, 7 + INT64_MAX / 10 * 10);
    close_watch(&w);
}
END_TEST

START_TEST(a_thread_looks_at_its_events)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    ck_assert(!trc_thread_is_due(&stage.thread, INT64_MAX - 1));
    stage_tell_waits(&stage);
    ck_assert(trc_thread_is_due(&stage.thread, stage.now));
    stage_play(&stage, "a%1<%5>%2b%3@b%4@a%6))=");
    const trc_func *a = trc_functab_find(&stage.thread.funcs, key_of('a'));
    const trc_func *b = trc_functab_find(&stage.thread.funcs, key_of('b'));
    ck_assert_int_eq(a->extras[TRC_WAITED], 3); /* nothing in the pause */
    ck_assert_int_eq(b->extras[TRC_WAITED], 9); /* nothing on the other stack */
    stage_close(&stage);
}
END_TEST

Suite *waits_suite(void)
{
    Suite *suite = suite_create("waits");
    TCase *tcase = tcase_create("waits");
    tcase_add_test(tcase, nothing_is_read_in_between);
    tcase_add_test(tcase, a_long_gap_has_what_was_waited);
    tcase_add_test(tcase, work_is_no_wait);
    tcase_add_test(tcase, what_cannot_have_been_before_belongs_to_the_gap);
    tcase_add_test(tcase, many_short_waits_go_to_those_who_wait);
    tcase_add_test(tcase, among_many_other_events_each_has_what_it_waits);
    tcase_add_test(tcase, nobody_waits_a_much_larger_part_of_the_time_than_is_seen);
    tcase_add_test(tcase, a_burst_ends_and_the_next_look_is_later_where_there_were_waits);
    tcase_add_test(tcase, a_burst_without_waits_gives_what_is_carried_to_nobody);
    tcase_add_test(tcase, outside_of_all_functions_nobody_waits);
    tcase_add_test(tcase, what_is_pending_is_told_and_changes_nothing);
    tcase_add_test(tcase, to_begin_again_forgets_the_time_between);
    tcase_add_test(tcase, the_first_look_begins_where_nobody_did);
    tcase_add_test(tcase, a_short_rest_needs_no_reading);
    tcase_add_test(tcase, a_short_stretch_is_not_worth_a_reading);
    tcase_add_test(tcase, without_memory_the_function_has_the_wait_alone);
    tcase_add_test(tcase, the_clocks_may_say_anything);
    tcase_add_test(tcase, ticks_may_be_so_short_that_no_look_is_due);
    tcase_add_test(tcase, a_thread_looks_at_its_events);
    suite_add_tcase(suite, tcase);
    return suite;
}
