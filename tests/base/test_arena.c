#include "base/arena.h"
#include "suite.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static struct arena arena;

static void setup(void)
{
    arena_init(&arena);
}

static void teardown(void)
{
    arena_release(&arena);
}

static bool all_are(const unsigned char *p, size_t n, int value)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != value)
            return false;
    }
    return true;
}

// Sizes around the alignment, around a quarter of a block and above a block: each allocation is
// aligned, zeroed, and keeps what was written although others follow.
START_TEST(test_allocations_are_aligned_zeroed_and_apart)
{
    static const size_t sizes[] = {0,     1,     15,    16,    17,    100,
                                   16383, 16384, 16385, 65536, 65537, 300000};
    enum { KINDS = sizeof sizes / sizeof *sizes, COUNT = 20 * KINDS };
    unsigned char *kept[COUNT];
    for (int i = 0; i < COUNT; i++) {
        size_t size = sizes[i % KINDS];
        kept[i] = arena_alloc(&arena, size);
        ck_assert_ptr_ne(kept[i], NULL);
        ck_assert_uint_eq((uintptr_t)kept[i] % 16, 0);
        ck_assert(all_are(kept[i], size, 0));
        memset(kept[i], i & 0xff, size);
    }
    for (int i = 0; i < COUNT; i++)
        ck_assert(all_are(kept[i], sizes[i % KINDS], i & 0xff));
}
END_TEST

START_TEST(test_a_large_block_keeps_the_room_of_the_small_one)
{
    char *first = arena_alloc(&arena, 16);
    arena_alloc(&arena, 1 << 20);
    char *second = arena_alloc(&arena, 16);
    ck_assert_ptr_eq(second, first + 16);
}
END_TEST

START_TEST(test_overflow_is_null)
{
    ck_assert_ptr_eq(arena_array(&arena, SIZE_MAX / 2, 3), NULL);
    ck_assert_ptr_eq(arena_array(&arena, SIZE_MAX, SIZE_MAX), NULL);
    ck_assert_ptr_eq(arena_alloc(&arena, SIZE_MAX), NULL);
    ck_assert_ptr_eq(arena_alloc(&arena, SIZE_MAX - 16), NULL);
    ck_assert_uint_eq(arena.bytes, 0);
    ck_assert_ptr_ne(arena_array(&arena, 0, 8), NULL);
    ck_assert_ptr_ne(arena_array(&arena, 8, 0), NULL);
}
END_TEST

START_TEST(test_strings)
{
    ck_assert_ptr_eq(arena_strdup(&arena, NULL), NULL);
    ck_assert_ptr_eq(arena_strndup(&arena, NULL, 3), NULL);
    ck_assert_str_eq(arena_strdup(&arena, ""), "");
    ck_assert_str_eq(arena_strdup(&arena, "tile"), "tile");
    ck_assert_str_eq(arena_strndup(&arena, "tile_size", 4), "tile");
    ck_assert_str_eq(arena_strndup(&arena, "tile", 400), "tile");
    ck_assert_str_eq(arena_printf(&arena, "%s=%d", "x", 12), "x=12");
    ck_assert_str_eq(arena_printf(&arena, "%s", ""), "");
    ck_assert(memcmp(arena_copy(&arena, "a\0b", 3), "a\0b", 3) == 0);
}
END_TEST

START_TEST(test_usable_after_release)
{
    arena_alloc(&arena, 1000);
    ck_assert_uint_eq(arena.bytes, 1000);
    arena_release(&arena);
    ck_assert_uint_eq(arena.bytes, 0);
    ck_assert_str_eq(arena_strdup(&arena, "again"), "again");
    struct arena zeroed = {0};
    arena_release(&zeroed);
}
END_TEST

START_TEST(test_emptied_it_is_zeroed)
{
    arena_empty(&arena);
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 40; i++) {
            char *p = arena_alloc(&arena, 1000), none[1000] = {0};
            ck_assert(memcmp(p, none, sizeof none) == 0);
            memset(p, 1, 1000);
        }
        arena_empty(&arena);
        ck_assert_uint_eq(arena.bytes, 0);
    }
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, test_allocations_are_aligned_zeroed_and_apart);
    tcase_add_test(tests, test_a_large_block_keeps_the_room_of_the_small_one);
    tcase_add_test(tests, test_overflow_is_null);
    tcase_add_test(tests, test_strings);
    tcase_add_test(tests, test_usable_after_release);
    tcase_add_test(tests, test_emptied_it_is_zeroed);
}

int main(void)
{
    return suite_run("arena", add);
}
