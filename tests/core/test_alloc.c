/* alloc.[ch]: what the wrappers promise, over the C library's allocator and over one that fails. */
#include "suites.h"
#include "support.h"

START_TEST(new_memory_is_zeroed)
{
    /* A block that was in use is likely given out again. */
    for (int round = 0; round < 4; round++) {
        unsigned char *block = trc_alloc(&trc_system_allocator, 500);
        ck_assert_ptr_nonnull(block);
        for (int i = 0; i < 500; i++) {
            ck_assert_uint_eq(block[i], 0);
        }
        memset(block, 0xff, 500);
        trc_free(&trc_system_allocator, block);
    }
}
END_TEST

START_TEST(a_resized_block_keeps_its_bytes)
{
    char *block = trc_alloc(&trc_system_allocator, 4);
    memcpy(block, "abc", 4);
    block = trc_resize(&trc_system_allocator, block, 100000);
    ck_assert_str_eq(block, "abc");
    block = trc_resize(&trc_system_allocator, block, 4);
    ck_assert_str_eq(block, "abc");
    trc_free(&trc_system_allocator, block);
}
END_TEST

START_TEST(no_bytes_are_a_block_too)
{
    heap memory;
    heap_init(&memory);
    void *block = trc_alloc(&memory.allocator, 0);
    ck_assert_ptr_nonnull(block);
    block = trc_resize(&memory.allocator, block, 0);
    ck_assert_ptr_nonnull(block);
    ck_assert_int_eq(memory.blocks, 1);
    trc_free(&memory.allocator, block);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

START_TEST(freeing_nothing_is_nothing)
{
    heap memory;
    heap_init(&memory);
    trc_free(&memory.allocator, NULL); /* the heap itself refuses it */
    trc_free(&trc_system_allocator, NULL);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

START_TEST(a_failure_is_null_and_keeps_the_block)
{
    heap memory;
    heap_init(&memory);
    char *block = trc_alloc(&memory.allocator, 8);
    memcpy(block, "kept", 5);
    memory.first_failure = 2;
    memory.last_failure = 3;
    ck_assert_ptr_null(trc_resize(&memory.allocator, block, 1000));
    ck_assert_ptr_null(trc_alloc(&memory.allocator, 8));
    ck_assert_str_eq(block, "kept");
    ck_assert_int_eq(memory.blocks, 1);
    trc_free(&memory.allocator, block);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

Suite *alloc_suite(void)
{
    Suite *suite = suite_create("alloc");
    TCase *tcase = tcase_create("alloc");
    tcase_add_test(tcase, new_memory_is_zeroed);
    tcase_add_test(tcase, a_resized_block_keeps_its_bytes);
    tcase_add_test(tcase, no_bytes_are_a_block_too);
    tcase_add_test(tcase, freeing_nothing_is_nothing);
    tcase_add_test(tcase, a_failure_is_null_and_keeps_the_block);
    suite_add_tcase(suite, tcase);
    return suite;
}
