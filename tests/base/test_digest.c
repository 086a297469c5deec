#include "base/digest.h"
#include "suite.h"

#include <string.h>

// The examples of FIPS 180-4's annex (NIST), and runs of 'a' around the lengths where the padding
// changes its shape.
static const struct {
    const char *message;
    const char *hex;
} messages[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnop"
     "qrsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

static const struct {
    size_t length;
    const char *hex;
} runs[] = {
    {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
    {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
    {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
    {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
    {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
    {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
    {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
    {1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"},
    {1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

START_TEST(test_published_messages)
{
    struct digest digest;
    char hex[65];
    digest_of(messages[_i].message, strlen(messages[_i].message), &digest);
    digest_hex(&digest, hex);
    ck_assert_str_eq(hex, messages[_i].hex);
}
END_TEST

// Added in pieces of 1, 7, 63, 64 and 65 bytes: how it is cut makes no difference.
START_TEST(test_runs_in_pieces)
{
    static const size_t pieces[] = {1, 7, 63, 64, 65};
    char bytes[65], hex[65];
    memset(bytes, 'a', sizeof bytes);
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
        struct digest_state state;
        struct digest digest;
        digest_start(&state);
        for (size_t left = runs[_i].length, n; left; left -= n) {
            n = left < pieces[p] ? left : pieces[p];
            digest_add(&state, bytes, n);
        }
        digest_finish(&state, &digest);
        digest_hex(&digest, hex);
        ck_assert_str_eq(hex, runs[_i].hex);
    }
}
END_TEST

// Where the processor has instructions for it: they say the same as the code without them.
START_TEST(test_instructions)
{
    uint8_t bytes[1000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i + 7 * i);
    for (size_t length = 0; length <= sizeof bytes; length++) {
        struct digest_state state;
        struct digest plain, digest;
        digest_start(&state);
        state.is_plain = true;
        digest_add(&state, bytes, length);
        digest_finish(&state, &plain);
        digest_of(bytes, length, &digest);
        ck_assert_msg(digest_equal(&plain, &digest), "%zu bytes", length);
    }
}
END_TEST

START_TEST(test_hex_is_read_back)
{
    struct digest digest, read, untouched;
    char hex[65], upper[65];
    digest_of("abc", 3, &digest);
    digest_hex(&digest, hex);
    ck_assert(digest_parse(hex, &read));
    ck_assert(digest_equal(&digest, &read));
    ck_assert(
        digest_parse("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD", &read));
    ck_assert(digest_equal(&digest, &read));

    read.bytes[31] ^= 1;
    ck_assert(!digest_equal(&digest, &read));
    untouched = read;
    memcpy(upper, hex, sizeof upper);
    upper[63] = 'g';
    ck_assert(!digest_parse(upper, &read));
    ck_assert(!digest_parse("", &read));
    ck_assert(!digest_parse(NULL, &read));
    ck_assert(!digest_parse(hex + 1, &read));
    ck_assert(digest_equal(&read, &untouched));
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, test_published_messages, 0, sizeof messages / sizeof *messages);
    tcase_add_loop_test(tests, test_runs_in_pieces, 0, sizeof runs / sizeof *runs);
    tcase_add_test(tests, test_instructions);
    tcase_add_test(tests, test_hex_is_read_back);
}

int main(void)
{
    return suite_run("digest", add);
}
