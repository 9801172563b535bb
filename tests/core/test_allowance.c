/* allowance.[ch]: what events may cost, to the nanosecond. */
#include "suites.h"

#include <core/samples/allowance.h>

#define MS INT64_C(1000000)

/* One whose events are known to cost 50 ns. */
static trc_allowance allowance_of(double share, int64_t cpu)
{
    trc_allowance allowance;
    trc_allowance_init(&allowance, share, cpu);
    allowance.cost = 50;
    return allowance;
}

START_TEST(it_pays_until_it_is_used_up)
{
    trc_allowance allowance = allowance_of(0.06, 0);
    for (int i = 0; i < 100000; i++) { /* 5 ms at 50 ns */
        ck_assert(trc_allowance_pay(&allowance));
    }
    ck_assert(!trc_allowance_pay(&allowance));
    ck_assert_uint_eq(allowance.events, 100001);
}
END_TEST

START_TEST(cpu_time_refills_it_up_to_a_limit)
{
    trc_allowance allowance = allowance_of(0.06, 7 * MS);
    allowance.left = -50;
    ck_assert(!trc_allowance_refill(&allowance, 8 * MS, 0)); /* 60 us, and 100 are too little */
    ck_assert_double_eq_tol(allowance.left, 59950, 1e-6);
    ck_assert(trc_allowance_refill(&allowance, 9 * MS, 0));
    ck_assert_double_eq_tol(allowance.left, 119950, 1e-6);
    ck_assert(trc_allowance_refill(&allowance, 900 * MS, 0));
    ck_assert_double_eq(allowance.left, TRC_ALLOWANCE_MOST);
}
END_TEST

START_TEST(all_of_the_time_suffices)
{
    trc_allowance allowance = allowance_of(1, 0);
    allowance.left = -1e9;
    ck_assert(trc_allowance_refill(&allowance, MS, 0));
    ck_assert_double_eq(allowance.left, TRC_ALLOWANCE_MOST);
}
END_TEST

START_TEST(samples_are_paid_for_too)
{
    trc_allowance allowance = allowance_of(0.06, 0);
    allowance.left = 0;
    ck_assert(!trc_allowance_refill(&allowance, 10 * MS, 8 * MS / 10));
    ck_assert_double_eq_tol(allowance.left, -200000, 1e-6);
    ck_assert(trc_allowance_refill(&allowance, 20 * MS, 8 * MS / 10));
    ck_assert_double_eq_tol(allowance.left, 400000, 1e-6);
    trc_payee payees[] = {{NULL, 600}, {NULL, 2900}, {NULL, 3000}, {NULL, 3000}};
    allowance.events = 9500; /* 1.2 ms less 0.8 for samples, less a fifth, pay for 6,400 of 50 ns */
    ck_assert_uint_eq(trc_allowance_choose(&allowance, payees, 4, 20 * MS), 2);
    ck_assert_int_eq(allowance.chosen_samples, 8 * MS / 10);
    trc_payee few[] = {{NULL, 1}, {NULL, 3500}, {NULL, 900}};
    allowance.events += 4401;
    trc_allowance_refill(&allowance, 100 * MS, 9 * MS); /* that were too many: a quarter of 4.8 ms is for events */
    ck_assert_uint_eq(trc_allowance_choose(&allowance, few, 3, 100 * MS), 1);
}
END_TEST

START_TEST(a_rest_refills_nothing)
{
    trc_allowance allowance = allowance_of(0.06, 0);
    allowance.left = 0;
    trc_allowance_refill(&allowance, MS, 0);
    trc_allowance_go_on(&allowance, 500 * MS);
    ck_assert_double_eq_tol(allowance.left, 60000, 1e-6);
    ck_assert(!trc_allowance_refill(&allowance, 500 * MS, 0));
    ck_assert_int_eq(allowance.chosen_at, 499 * MS);
}
END_TEST

START_TEST(what_an_event_costs_is_a_guess_until_samples_know_better)
{
    trc_allowance allowance;
    trc_allowance_init(&allowance, 0.06, 0);
    trc_allowance_measure(&allowance, 0);
    ck_assert_double_eq_tol(allowance.cost, TRC_FIRST_COST, 1e-9);
    uint64_t as_many = (uint64_t)(TRC_GUESS_HOLDS / TRC_FIRST_COST); /* events as the guess weighs */
    allowance.events = as_many;                                      /* at 200 ns, of which .45 are seen */
    trc_allowance_measure(&allowance, (int64_t)(TRC_SEEN_OF_COST * 200 * (double)as_many));
    ck_assert_double_eq_tol(allowance.cost, (200 + TRC_FIRST_COST) / 2.0, 1e-3);
    allowance.events = 1000 * as_many;
    trc_allowance_measure(&allowance, (int64_t)(TRC_SEEN_OF_COST * 200e3 * (double)as_many));
    ck_assert_double_eq_tol(allowance.cost, 200, 0.2);
}
END_TEST

/* Who goes, of functions with so many events, when 100 ms of CPU have passed at 6%: 96,000 events may stay. */
static uint32_t gone(const uint64_t *events, uint32_t count, uint64_t *left)
{
    trc_allowance allowance = allowance_of(0.06, 0);
    trc_payee payees[8];
    for (uint32_t i = 0; i < count; i++) {
        payees[i] = (trc_payee){NULL, events[i]};
        allowance.events += events[i];
    }
    uint32_t result = trc_allowance_choose(&allowance, payees, count, 100 * MS);
    *left = 0;
    for (uint32_t i = result; i < count; i++) {
        *left += payees[i].events;
        ck_assert(result == 0 || payees[i].events <= payees[result - 1].events);
    }
    ck_assert_int_eq(allowance.chosen_at, 100 * MS);
    ck_assert_uint_eq(allowance.chosen_events, allowance.events);
    ck_assert_double_eq(allowance.left, TRC_ALLOWANCE_ANEW);
    return result;
}

START_TEST(the_dearest_go_until_the_rest_can_be_paid_for)
{
    uint64_t left;
    ck_assert_uint_eq(gone((const uint64_t[]){50000, 200000, 40000, 1}, 4, &left), 1);
    ck_assert_uint_eq(left, 90001);
    ck_assert_uint_eq(gone((const uint64_t[]){60000, 200000, 40000, 1}, 4, &left), 2);
    ck_assert_uint_eq(left, 40001);
    ck_assert_uint_eq(gone((const uint64_t[]){10, 20, 30}, 3, &left), 1); /* it was used up: one at least */
    ck_assert_uint_eq(left, 30);
    ck_assert_uint_eq(gone((const uint64_t[]){0, 0}, 2, &left), 0); /* no event came from any of these */
    ck_assert_uint_eq(gone(NULL, 0, &left), 0);
}
END_TEST

START_TEST(what_was_spent_beyond_it_is_paid_back)
{
    trc_allowance allowance = allowance_of(0.06, 0);
    trc_payee payees[] = {{NULL, 10}};
    allowance.left = -2e6;
    ck_assert(!trc_allowance_refill(&allowance, 10 * MS, 0)); /* 0.6 ms */
    trc_allowance_choose(&allowance, payees, 1, 10 * MS);
    ck_assert_double_eq_tol(allowance.owed, 1.4e6 + TRC_ALLOWANCE_ANEW, 1e-6);
    ck_assert(trc_allowance_refill(&allowance, 20 * MS, 0)); /* a fifth of 0.6 ms goes back */
    ck_assert_double_eq_tol(allowance.owed, 2.28e6, 1e-6);
    ck_assert_double_eq_tol(allowance.left, TRC_ALLOWANCE_ANEW + 0.48e6, 1e-6);
    trc_allowance_refill(&allowance, 30 * MS, MS); /* samples took more than that: nothing goes back */
    ck_assert_double_eq_tol(allowance.owed, 2.28e6, 1e-6);
    trc_allowance_refill(&allowance, 1000 * MS, MS);
    ck_assert_double_eq(allowance.owed, 0);
}
END_TEST

START_TEST(events_that_are_paid_cost_what_is_known_later)
{
    trc_allowance allowance = allowance_of(0.06, 0);
    allowance.left = 3e6;
    allowance.events = 1000000;
    trc_allowance_measure(&allowance, (int64_t)(TRC_SEEN_OF_COST * 200e6));
    ck_assert_double_gt(allowance.cost, 150);
    ck_assert_double_eq_tol(allowance.left, 3e6 - (allowance.cost - 50) * 1e6, 1);
}
END_TEST

/* A program of twenty functions, whose events come ever more often: what it pays in 10 s of CPU, where an event costs so
 * many ns. */
static double paid_in_ten_seconds(double cost, bool *is_silent)
{
    trc_allowance allowance;
    uint64_t told[20] = {0}, events[20] = {0};
    trc_allowance_init(&allowance, 0.06, 0);
    for (int64_t cpu = 0; cpu < 10000 * MS; cpu += MS / 10) {
        for (int function = 0; function < 20; function++) {
            for (int call = 0; call < 1 << function / 2 && !is_silent[function]; call++) {
                events[function]++;
                if (!trc_allowance_pay(&allowance)) {
                    trc_allowance_measure(&allowance, (int64_t)(TRC_SEEN_OF_COST * cost * (double)allowance.events));
                    if (!trc_allowance_refill(&allowance, cpu, 0)) {
                        trc_payee payees[20];
                        uint32_t count = 0;
                        for (int i = 0; i < 20; i++) {
                            if (!is_silent[i]) {
                                payees[count++] = (trc_payee){&is_silent[i], events[i] - told[i]};
                            }
                            told[i] = events[i];
                        }
                        uint32_t silenced = trc_allowance_choose(&allowance, payees, count, cpu);
                        for (uint32_t i = 0; i < silenced; i++) {
                            *(bool *)payees[i].who = true;
                        }
                    }
                }
            }
        }
    }
    return (double)allowance.events * cost;
}

START_TEST(a_program_pays_what_it_may)
{
    static const double costs[] = {25, 50, 75, 150, 250};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        bool is_silent[20] = {false};
        double paid = paid_in_ten_seconds(costs[i], is_silent);
        ck_assert_double_lt(paid, 0.06 * 1e10);
        ck_assert_double_gt(paid, 0.01 * 1e10); /* and it was worth something */
        ck_assert(!is_silent[0]);
        ck_assert(is_silent[19]);
    }
}
END_TEST

Suite *allowance_suite(void)
{
    Suite *suite = suite_create("allowance");
    TCase *tests = tcase_create("allowance");
    tcase_add_test(tests, it_pays_until_it_is_used_up);
    tcase_add_test(tests, cpu_time_refills_it_up_to_a_limit);
    tcase_add_test(tests, all_of_the_time_suffices);
    tcase_add_test(tests, samples_are_paid_for_too);
    tcase_add_test(tests, a_rest_refills_nothing);
    tcase_add_test(tests, what_an_event_costs_is_a_guess_until_samples_know_better);
    tcase_add_test(tests, the_dearest_go_until_the_rest_can_be_paid_for);
    tcase_add_test(tests, what_was_spent_beyond_it_is_paid_back);
    tcase_add_test(tests, events_that_are_paid_cost_what_is_known_later);
    tcase_add_test(tests, a_program_pays_what_it_may);
    suite_add_tcase(suite, tests);
    return suite;
}
