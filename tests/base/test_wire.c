#include "base/wire.h"
#include "suite.h"

#include <math.h>
#include <string.h>

enum colour { RED, GREEN, BLUE, COLOURS };

struct item {
    const char *name;
    int64_t value;
};

// One field of every kind that the wire knows.
struct record {
    uint8_t u8;
    uint32_t u32;
    uint64_t u64;
    int64_t i64;
    double f64;
    bool yes;
    const char *text, *empty, *null;
    struct digest digest;
    enum colour colour;
    const void *bytes;
    uint64_t byte_count;
    struct item *items;
    uint32_t item_count;
};

static void item_codec(struct wire *w, struct item *item)
{
    wire_str(w, &item->name);
    wire_i64(w, &item->value);
}

static void record_codec(struct wire *w, struct record *r)
{
    wire_u8(w, &r->u8);
    wire_u32(w, &r->u32);
    wire_u64(w, &r->u64);
    wire_i64(w, &r->i64);
    wire_f64(w, &r->f64);
    wire_bool(w, &r->yes);
    wire_str(w, &r->text);
    wire_str(w, &r->empty);
    wire_str(w, &r->null);
    wire_digest(w, &r->digest);
    wire_enum(w, &r->colour, COLOURS);
    wire_bytes(w, &r->bytes, &r->byte_count);
    wire_array(w, (void **)&r->items, &r->item_count, sizeof *r->items, 12);
    for (uint32_t i = 0; i < r->item_count; i++)
        item_codec(w, &r->items[i]);
}

static struct item sample_items[] = {{"first", 1}, {NULL, INT64_MIN}, {"third", -1}};

static struct record sample(void)
{
    struct record r = {
        .u8 = 0xab,
        .u32 = 0x01020304,
        .u64 = 0x1122334455667788,
        .i64 = -2,
        .f64 = -0.0,
        .yes = true,
        .text = "h\xc3\xb6ne",
        .empty = "",
        .colour = BLUE,
        .bytes = "\0\1\2",
        .byte_count = 3,
        .items = sample_items,
        .item_count = 3,
    };
    for (int i = 0; i < 32; i++)
        r.digest.bytes[i] = (uint8_t)i;
    return r;
}

// The layout is a promise to other machines: every byte of it, written by hand.
static const uint8_t sample_bytes[] =
    "\xab"
    "\x04\x03\x02\x01"
    "\x88\x77\x66\x55\x44\x33\x22\x11"
    "\xfe\xff\xff\xff\xff\xff\xff\xff"
    "\x00\x00\x00\x00\x00\x00\x00\x80"
    "\x01"
    "\x05\x00\x00\x00"
    "h\xc3\xb6ne"
    "\x00\x00\x00\x00"
    "\xff\xff\xff\xff"
    "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
    "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"
    "\x02\x00\x00\x00"
    "\x03\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x01\x02"
    "\x03\x00\x00\x00"
    "\x05\x00\x00\x00"
    "first"
    "\x01\x00\x00\x00\x00\x00\x00\x00"
    "\xff\xff\xff\xff"
    "\x00\x00\x00\x00\x00\x00\x00\x80"
    "\x05\x00\x00\x00"
    "third"
    "\xff\xff\xff\xff\xff\xff\xff\xff";
#define SAMPLE_LENGTH (sizeof sample_bytes - 1)

static struct arena arena;
static struct text frame;

static void setup(void)
{
    struct wire w;
    struct record r = sample();
    arena_init(&arena);
    frame = (struct text)TEXT_INIT;
    wire_writer(&w, &frame);
    record_codec(&w, &r);
    ck_assert(wire_done(&w));
}

static void teardown(void)
{
    text_release(&frame);
    arena_release(&arena);
}

START_TEST(test_layout_is_as_promised)
{
    ck_assert_uint_eq(frame.length, SAMPLE_LENGTH);
    for (size_t i = 0; i < SAMPLE_LENGTH; i++)
        ck_assert_msg((uint8_t)frame.data[i] == sample_bytes[i], "byte %zu", i);
}
END_TEST

START_TEST(test_read_gives_what_was_written)
{
    struct wire w;
    struct record r;
    memset(&r, 0x55, sizeof r);
    wire_reader(&w, sample_bytes, SAMPLE_LENGTH, &arena);
    record_codec(&w, &r);
    ck_assert(wire_done(&w));
    struct record s = sample();
    ck_assert(r.u8 == s.u8 && r.u32 == s.u32 && r.u64 == s.u64 && r.i64 == s.i64);
    ck_assert(r.f64 == 0 && signbit(r.f64) && r.yes);
    ck_assert_str_eq(r.text, s.text);
    ck_assert_str_eq(r.empty, "");
    ck_assert_ptr_eq(r.null, NULL);
    ck_assert(digest_equal(&r.digest, &s.digest));
    ck_assert_int_eq(r.colour, BLUE);
    ck_assert_uint_eq(r.byte_count, 3);
    ck_assert(memcmp(r.bytes, s.bytes, 3) == 0);
    ck_assert_uint_eq(r.item_count, 3);
    ck_assert_str_eq(r.items[0].name, "first");
    ck_assert_ptr_eq(r.items[1].name, NULL);
    ck_assert(r.items[1].value == INT64_MIN && r.items[2].value == -1);
}
END_TEST

START_TEST(test_hash_is_that_of_the_frame)
{
    struct wire w;
    struct record r = sample();
    struct digest_state state;
    struct digest hashed, expected;
    digest_start(&state);
    wire_hasher(&w, &state);
    record_codec(&w, &r);
    ck_assert(wire_done(&w));
    digest_finish(&state, &hashed);
    digest_of(sample_bytes, SAMPLE_LENGTH, &expected);
    ck_assert(digest_equal(&hashed, &expected));
}
END_TEST

// Every prefix, in memory of exactly its size so that a sanitizer sees the first byte too many.
START_TEST(test_every_prefix_fails)
{
    for (size_t length = 0; length < SAMPLE_LENGTH; length++) {
        uint8_t *prefix = malloc(length ? length : 1);
        memcpy(prefix, sample_bytes, length);
        struct wire w;
        struct record r;
        memset(&r, 0x55, sizeof r);
        wire_reader(&w, prefix, length, &arena);
        record_codec(&w, &r);
        ck_assert_msg(!wire_done(&w) && w.failed, "prefix of %zu bytes", length);
        ck_assert_ptr_ne(w.why, NULL);
        free(prefix);
    }
}
END_TEST

// Each byte in turn replaced by values that are likely to hurt: it may be read or refused, but what
// is read is whole.
START_TEST(test_every_corrupted_byte_is_survived)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};
    uint8_t bytes[SAMPLE_LENGTH];
    for (size_t i = 0; i < SAMPLE_LENGTH * sizeof values; i++) {
        memcpy(bytes, sample_bytes, sizeof bytes);
        bytes[i / sizeof values] = values[i % sizeof values];
        struct wire w;
        struct record r;
        memset(&r, 0x55, sizeof r);
        wire_reader(&w, bytes, sizeof bytes, &arena);
        record_codec(&w, &r);
        ck_assert(r.colour < COLOURS);
        ck_assert_uint_le(r.item_count, SAMPLE_LENGTH / 12);
        ck_assert_uint_le(r.byte_count, SAMPLE_LENGTH);
        for (uint32_t k = 0; k < r.item_count; k++)
            ck_assert(!r.items[k].name || strlen(r.items[k].name) < SAMPLE_LENGTH);
        arena_release(&arena);
    }
}
END_TEST

START_TEST(test_nothing_is_read_after_a_failure)
{
    struct wire w;
    struct record r;
    memset(&r, 0x55, sizeof r);
    wire_reader(&w, sample_bytes, SAMPLE_LENGTH, &arena);
    wire_fail(&w, "first");
    wire_fail(&w, "second");
    record_codec(&w, &r);
    ck_assert_str_eq(w.why, "first");
    ck_assert_uint_eq(w.left, SAMPLE_LENGTH);
    ck_assert(r.u8 == 0 && r.u32 == 0 && r.u64 == 0 && r.i64 == 0 && r.f64 == 0 && !r.yes);
    ck_assert(!r.text && !r.empty && !r.null && r.colour == RED);
    ck_assert(!r.bytes && r.byte_count == 0 && !r.items && r.item_count == 0);
    for (int i = 0; i < 32; i++)
        ck_assert_uint_eq(r.digest.bytes[i], 0);
}
END_TEST

START_TEST(test_rest_is_not_done)
{
    struct wire w;
    uint8_t v;
    wire_reader(&w, "ab", 2, &arena);
    wire_u8(&w, &v);
    ck_assert(!w.failed && !wire_done(&w));
    wire_u8(&w, &v);
    ck_assert_uint_eq(v, 'b');
    ck_assert(wire_done(&w));
}
END_TEST

static const char *read_text(struct wire *w, const void *bytes, size_t length)
{
    const char *s;
    wire_reader(w, bytes, length, &arena);
    wire_str(w, &s);
    return s;
}

START_TEST(test_hostile_values)
{
    struct wire w;
    bool yes = true;
    enum colour colour = BLUE;
    ck_assert_ptr_eq(read_text(&w, "\x03\0\0\0a\0b", 7), NULL);
    ck_assert_str_eq(w.why, "a string holds a NUL");
    ck_assert_ptr_eq(read_text(&w, "\xfe\xff\xff\xff", 4), NULL);
    ck_assert_str_eq(w.why, "the data ends too early");

    wire_reader(&w, "\x02", 1, &arena);
    wire_bool(&w, &yes);
    ck_assert(w.failed && !yes);
    wire_reader(&w, "\x03\0\0\0", 4, &arena);
    wire_enum(&w, &colour, COLOURS);
    ck_assert(w.failed && colour == RED);
}
END_TEST

START_TEST(test_hostile_counts_allocate_nothing)
{
    struct wire w;
    const void *bytes = "";
    uint64_t length = 1;
    void *items = &w;
    uint32_t count = 1;
    wire_reader(&w,
                "\xff\xff\xff\xff\xff\xff\xff\xff"
                "abc",
                11, &arena);
    wire_bytes(&w, &bytes, &length);
    ck_assert(w.failed && !bytes && length == 0);

    // Twelve bytes follow: two elements of six bytes, never three.
    wire_reader(&w,
                "\x03\0\0\0"
                "0123456789ab",
                16, &arena);
    wire_array(&w, &items, &count, 1 << 20, 6);
    ck_assert(w.failed && !items && count == 0);
    wire_reader(&w,
                "\xff\xff\xff\xff"
                "0",
                5, &arena);
    wire_array(&w, &items, &count, 1 << 20, 0);
    ck_assert(w.failed && !items && count == 0);
    ck_assert_uint_eq(arena.bytes, 0);

    wire_reader(&w,
                "\x02\0\0\0"
                "0123456789ab",
                16, &arena);
    wire_array(&w, &items, &count, 100, 6);
    ck_assert(!w.failed && items && count == 2);
    ck_assert_uint_eq(arena.bytes, 200);
}
END_TEST

START_TEST(test_write_refuses_what_read_would)
{
    struct wire w;
    struct text out = TEXT_INIT;
    enum colour colour = COLOURS;
    wire_writer(&w, &out);
    wire_enum(&w, &colour, COLOURS);
    ck_assert(w.failed && !wire_done(&w));
    ck_assert_uint_eq(out.length, 0);
    ck_assert_int_eq(colour, COLOURS);

    out.failed = true;
    wire_writer(&w, &out);
    uint8_t v = 1;
    wire_u8(&w, &v);
    ck_assert(w.failed && v == 1);
    ck_assert_str_eq(w.why, "out of memory");
    text_release(&out);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, test_layout_is_as_promised);
    tcase_add_test(tests, test_read_gives_what_was_written);
    tcase_add_test(tests, test_hash_is_that_of_the_frame);
    tcase_add_test(tests, test_every_prefix_fails);
    tcase_add_test(tests, test_every_corrupted_byte_is_survived);
    tcase_add_test(tests, test_nothing_is_read_after_a_failure);
    tcase_add_test(tests, test_rest_is_not_done);
    tcase_add_test(tests, test_hostile_values);
    tcase_add_test(tests, test_hostile_counts_allocate_nothing);
    tcase_add_test(tests, test_write_refuses_what_read_would);
}

int main(void)
{
    return suite_run("wire", add);
}
