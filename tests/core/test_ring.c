/* ring.[ch]: records come out as they went in, also around the end of the bytes, and none is torn. */
#include "suites.h"
#include "support.h"

#include <core/base/clock.h>
#include <core/samples/ring.h>

#include <pthread.h>
#include <sched.h>
#include <string.h>

static _Alignas(8) uint8_t bytes[256];

static trc_ring new_ring(void)
{
    trc_ring ring;
    trc_ring_init(&ring, bytes, sizeof bytes);
    return ring;
}

static void *put(trc_ring *ring, size_t size, uint8_t value)
{
    void *room = trc_ring_reserve(ring, size);
    if (room != NULL) {
        memset(room, value, size);
        trc_ring_commit(ring, size);
    }
    return room;
}

static void expect_record(trc_ring *ring, size_t size, uint8_t value)
{
    const uint8_t *record = trc_ring_peek(ring);
    ck_assert_ptr_nonnull(record);
    for (size_t i = 0; i < size; i++) {
        ck_assert_uint_eq(record[i], value);
    }
    trc_ring_drop(ring);
}

START_TEST(records_come_out_in_their_order)
{
    trc_ring ring = new_ring();
    ck_assert_ptr_null(trc_ring_peek(&ring));
    put(&ring, 5, 1);
    put(&ring, 16, 2);
    put(&ring, 1, 3);
    expect_record(&ring, 5, 1);
    expect_record(&ring, 16, 2);
    expect_record(&ring, 1, 3);
    ck_assert_ptr_null(trc_ring_peek(&ring));
}
END_TEST

START_TEST(what_is_reserved_is_no_record_before_it_is_committed)
{
    trc_ring ring = new_ring();
    ck_assert_ptr_nonnull(trc_ring_reserve(&ring, 100));
    ck_assert_ptr_null(trc_ring_peek(&ring));
    memset(trc_ring_reserve(&ring, 200), 7, 8); /* another record instead */
    trc_ring_commit(&ring, 8);                  /* smaller than its room */
    put(&ring, 200, 8);
    expect_record(&ring, 8, 7);
    expect_record(&ring, 200, 8);
}
END_TEST

/* Each takes 8 bytes more, for its size. */
START_TEST(a_full_ring_has_no_room)
{
    trc_ring ring = new_ring();
    ck_assert_ptr_nonnull(put(&ring, 120, 1));
    ck_assert_ptr_nonnull(put(&ring, 112, 2));
    ck_assert_ptr_null(put(&ring, 1, 3)); /* 8 bytes are left */
    expect_record(&ring, 120, 1);
    ck_assert_ptr_nonnull(put(&ring, 120, 3)); /* from the beginning: the 8 bytes at the end stay empty */
    ck_assert_ptr_null(put(&ring, 1, 4));
    expect_record(&ring, 112, 2);
    expect_record(&ring, 120, 3);
    ck_assert_ptr_null(trc_ring_peek(&ring));
}
END_TEST

START_TEST(a_record_that_never_fits_is_refused)
{
    trc_ring ring = new_ring();
    ck_assert_ptr_null(trc_ring_reserve(&ring, 249));
    ck_assert_ptr_nonnull(trc_ring_reserve(&ring, 248));
}
END_TEST

/* On a busy machine the two wait for each other whenever the ring is full or empty: then fewer records are written. */
#define RECORDS 200000
#define LONG_ENOUGH_NS 5000000000

static _Atomic uint32_t written; /* once the writer has ended; until then RECORDS + 1 */

static size_t size_of(uint32_t number)
{
    return 4 + number * 7919 % 90;
}

static void *write_all(void *context)
{
    int64_t end = trc_clock_monotonic() + LONG_ENOUGH_NS;
    uint32_t number = 0;
    while (number < RECORDS && trc_clock_monotonic() < end) {
        uint8_t *room = trc_ring_reserve(context, 100);
        if (room != NULL) {
            size_t size = size_of(number);
            memset(room, (int)(number & 255), size);
            memcpy(room, &number, 4);
            trc_ring_commit(context, size);
            number++;
        }
        else {
            sched_yield();
        }
    }
    atomic_store(&written, number);
    return NULL;
}

START_TEST(a_reader_beside_the_writer_gets_whole_records)
{
    trc_ring ring = new_ring();
    pthread_t writer;
    atomic_store(&written, RECORDS + 1);
    ck_assert_int_eq(pthread_create(&writer, NULL, write_all, &ring), 0);
    for (uint32_t number = 0; number != atomic_load(&written);) {
        const uint8_t *record = trc_ring_peek(&ring);
        if (record != NULL) {
            uint32_t found;
            memcpy(&found, record, 4);
            insist(found == number, "a record is lost or comes twice");
            for (size_t i = 4; i < size_of(number); i++) {
                insist(record[i] == (number & 255), "a record is torn");
            }
            trc_ring_drop(&ring);
            number++;
        }
        else {
            sched_yield();
        }
    }
    pthread_join(writer, NULL);
}
END_TEST

Suite *ring_suite(void)
{
    Suite *suite = suite_create("ring");
    TCase *tests = tcase_create("ring");
    tcase_set_tags(tests, "threads");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, records_come_out_in_their_order);
    tcase_add_test(tests, what_is_reserved_is_no_record_before_it_is_committed);
    tcase_add_test(tests, a_full_ring_has_no_room);
    tcase_add_test(tests, a_record_that_never_fits_is_refused);
    tcase_add_test(tests, a_reader_beside_the_writer_gets_whole_records);
    suite_add_tcase(suite, tests);
    return suite;
}
