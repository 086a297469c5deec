// The key must tell apart whatever may give another answer, and nothing else.
#include "sample.h"

#include "../base/suite.h"

#include "model/image.h"

#include <string.h>

static struct job *j;
static struct device_info d;

static void setup(void)
{
    j = sample_job();
    d = sample_device();
}

static void teardown(void)
{
    job_free(j);
}

#define PROGRAM   (&j->programs[0])
#define BUFFER    (&j->buffers[2])
#define LAUNCH    (&j->launches[0])
#define ARGUMENT  (&j->launches[0].arguments[1])
#define REFERENCE (&j->reference)

static const float other_value[4] = {1.5f, 2.5f, 3.5f, 4.25f};
static const char other_data[24] = "twenty-four bytes, mixes";

static const struct job_image images[] = {
    {2, {256, 1, 1}, IMAGE_R, false, {ADDRESSING_CLAMP, false, false}},
    {3, {256, 1, 1}, IMAGE_R, false, {ADDRESSING_CLAMP, false, false}},
    {2, {16, 16, 1}, IMAGE_R, false, {ADDRESSING_CLAMP, false, false}},
    {2, {256, 1, 1}, IMAGE_A, false, {ADDRESSING_CLAMP, false, false}},
    {2, {256, 1, 1}, IMAGE_R, true, {ADDRESSING_CLAMP, false, false}},
    {2, {256, 1, 1}, IMAGE_R, false, {ADDRESSING_NONE, false, false}},
    {2, {256, 1, 1}, IMAGE_R, false, {ADDRESSING_CLAMP, true, false}},
    {2, {256, 1, 1}, IMAGE_R, false, {ADDRESSING_CLAMP, false, true}},
};
static const struct job_argument samplers[] = {
    {.name = "s", .kind = ARGUMENT_SAMPLER, .sampler = {ADDRESSING_CLAMP, false, false}},
    {.name = "s", .kind = ARGUMENT_SAMPLER, .sampler = {ADDRESSING_REPEAT, false, false}},
    {.name = "s", .kind = ARGUMENT_SAMPLER, .sampler = {ADDRESSING_CLAMP, true, false}},
    {.name = "s", .kind = ARGUMENT_SAMPLER, .sampler = {ADDRESSING_CLAMP, false, true}},
};

// Every identity field of every struct of a job, changed alone. A new field comes in here too: the
// sizes in test_no_field_is_forgotten say so.
#define JOB_FLIPS(X)                                                                               \
    X(j->language = LANGUAGE_CUDA)                                                                 \
    X(j->program_count--)                                                                          \
    X(j->buffer_count--)                                                                           \
    X(j->launch_count--)                                                                           \
    X(PROGRAM->name = "other.cl")                                                                  \
    X(PROGRAM->source = "kernel void First() {}")                                                  \
    X(PROGRAM->length--)                                                                           \
    X(PROGRAM->file_count--)                                                                       \
    X(PROGRAM->files[0].path = "include/tilt.h")                                                   \
    X(PROGRAM->files[0].text = "#define TILE 8\n")                                                 \
    X(PROGRAM->files[0].length--)                                                                  \
    X(PROGRAM->folder_count--)                                                                     \
    X(PROGRAM->folders[1] = "incl")                                                                \
    X(PROGRAM->option_count--)                                                                     \
    X(PROGRAM->options[0] = "-DNAME=some  text")                                                   \
    X(PROGRAM->retarget = "sm_100a")                                                               \
    X(j->programs[1].name = "third.cl")                                                            \
    X(BUFFER->name = "D")                                                                          \
    X(BUFFER->element.scalar = SCALAR_I64)                                                         \
    X(BUFFER->element.width = 2)                                                                   \
    X(BUFFER->element.packed = true)                                                               \
    X(BUFFER->element.custom_bytes = 1)                                                            \
    X(j->buffers[4].padding = "x---xxxxxxxx")                                                      \
    X(BUFFER->count = 257)                                                                         \
    X(BUFFER->access = ACCESS_BOTH)                                                                \
    X(BUFFER->image = images[0])                                                                   \
    X(BUFFER->image = images[1])                                                                   \
    X(BUFFER->image = images[2])                                                                   \
    X(BUFFER->image = images[3])                                                                   \
    X(BUFFER->image = images[4])                                                                   \
    X(BUFFER->image = images[5])                                                                   \
    X(BUFFER->image = images[6])                                                                   \
    X(BUFFER->image = images[7])                                                                   \
    X(*ARGUMENT = samplers[0])                                                                     \
    X(*ARGUMENT = samplers[1])                                                                     \
    X(*ARGUMENT = samplers[2])                                                                     \
    X(*ARGUMENT = samplers[3])                                                                     \
    X(BUFFER->fill.kind = FILL_CONSTANT)                                                           \
    X(BUFFER->fill.value = -0.0)                                                                   \
    X(BUFFER->fill.integer = 1)                                                                    \
    X(BUFFER->fill.low = 1)                                                                        \
    X(BUFFER->fill.high = 1)                                                                       \
    X(BUFFER->fill.seed = 1)                                                                       \
    X(BUFFER->fill.expression = "")                                                                \
    X(j->buffers[4].fill.blob = blob_of(other_data, j->buffers[4].fill.blob.length))               \
    X(j->buffers[4].fill.blob.length--)                                                            \
    X(BUFFER->output = false)                                                                      \
    X(BUFFER->temporary = true)                                                                    \
    X(BUFFER->constant = true)                                                                     \
    X(BUFFER->keep = true)                                                                         \
    X(BUFFER->compare.kind = COMPARE_NORM)                                                         \
    X(BUFFER->compare.allow_nan = true)                                                            \
    X(BUFFER->compare.atol = 1e-5)                                                                 \
    X(BUFFER->compare.rtol = 1e-5)                                                                 \
    X(BUFFER->compare.first = 17)                                                                  \
    X(BUFFER->compare.count = 33)                                                                  \
    X(LAUNCH->name = "half two")                                                                   \
    X(LAUNCH->kernel = "third")                                                                    \
    X(LAUNCH->program = 1)                                                                         \
    X(LAUNCH->dimensions = 3)                                                                      \
    X(LAUNCH->global[0] = 1)                                                                       \
    X(LAUNCH->global[1] = 1)                                                                       \
    X(LAUNCH->global[2] = 2)                                                                       \
    X(LAUNCH->local[0] = 1)                                                                        \
    X(LAUNCH->local[1] = 1)                                                                        \
    X(LAUNCH->local[2] = 2)                                                                        \
    X(LAUNCH->dynamic_local_bytes = 1)                                                             \
    X(LAUNCH->argument_count--)                                                                    \
    X(ARGUMENT->name = "beta")                                                                     \
    X(ARGUMENT->kind = ARGUMENT_LOCAL)                                                             \
    X(ARGUMENT->buffer = 1)                                                                        \
    X(ARGUMENT->element.scalar = SCALAR_I32)                                                       \
    X(ARGUMENT->element.width = 3)                                                                 \
    X(ARGUMENT->element.custom_bytes = 1)                                                          \
    X(ARGUMENT->value = other_value)                                                               \
    X(ARGUMENT->length = 12)                                                                       \
    X(ARGUMENT->local_bytes = 1)                                                                   \
    X(REFERENCE->kind = REFERENCE_GEMM)                                                            \
    X(REFERENCE->agreement = false)                                                                \
    X(REFERENCE->name = "other")                                                                   \
    X(REFERENCE->gemm.m = 1)                                                                       \
    X(REFERENCE->gemm.n = 1)                                                                       \
    X(REFERENCE->gemm.k = 1)                                                                       \
    X(REFERENCE->gemm.a = 3)                                                                       \
    X(REFERENCE->gemm.b = 3)                                                                       \
    X(REFERENCE->gemm.c = 3)                                                                       \
    X(REFERENCE->gemm.transpose_a = true)                                                          \
    X(REFERENCE->gemm.transpose_b = true)                                                          \
    X(REFERENCE->gemm.alpha = 2)                                                                   \
    X(REFERENCE->gemm.beta = 2)                                                                    \
    X(REFERENCE->gemm.others = (REFERENCE->kind = REFERENCE_GEMM))                                 \
    X(REFERENCE->gemm.gamma = (REFERENCE->kind = REFERENCE_GEMM))                                  \
    X(REFERENCE->gemm.bias = 3 * (REFERENCE->gemm.gamma = REFERENCE->kind = REFERENCE_GEMM))       \
    X(REFERENCE->gemm.activation = 2 * (int)(REFERENCE->kind = REFERENCE_GEMM))                    \
    X(REFERENCE->job = NULL)                                                                       \
    X(REFERENCE->job->launches[0].kernel = "plainer")                                              \
    X(REFERENCE->data_count = 0)                                                                   \
    X(REFERENCE->data[0].buffer = 3)                                                               \
    X(REFERENCE->data[0].blob = blob_of(other_data, REFERENCE->data[0].blob.length))               \
    X(REFERENCE->data[0].blob.length--)

#define DEVICE_FLIPS(X)                                                                            \
    X(d.language = LANGUAGE_CUDA)                                                                  \
    X(d.type = DEVICE_GPU)                                                                         \
    X(d.name = "other")                                                                            \
    X(d.vendor = "other")                                                                          \
    X(d.platform = "other")                                                                        \
    X(d.platform_version = "other")                                                                \
    X(d.driver = "other")                                                                          \
    X(d.compiler = "other")                                                                        \
    X(d.surroundings = "other")

// What is no part of the identity: another card of the same model, and messages.
#define NEUTRAL(X)                                                                                 \
    X(d.id = "other")                                                                              \
    X(d.uuid = "other")                                                                            \
    X(d.pci = "other")                                                                             \
    X(d.clock_mhz = 99)                                                                            \
    X(d.include_folders = "/other")                                                                \
    X(j->programs[0].outside = false)                                                              \
    X(j->programs[0].run = 99)                                                                     \
    X(j->configuration = "other")                                                                  \
    X(j->constants = "other")

#define COUNT_ONE(...) +1
#define NAME(...)      #__VA_ARGS__,
#define APPLY(...)                                                                                 \
    if (n++ == which) {                                                                            \
        __VA_ARGS__;                                                                               \
    }

enum {
    FLIP_COUNT = 0 JOB_FLIPS(COUNT_ONE) DEVICE_FLIPS(COUNT_ONE),
    JOB_FLIP_COUNT = 0 JOB_FLIPS(COUNT_ONE),
    NEUTRAL_COUNT = 0 NEUTRAL(COUNT_ONE),
};

static const char *const flip_names[] = {JOB_FLIPS(NAME) DEVICE_FLIPS(NAME)};
static const char *const neutral_names[] = {NEUTRAL(NAME)};

static void flip(int which)
{
    int n = 0;
    JOB_FLIPS(APPLY)
    DEVICE_FLIPS(APPLY)
}

static void change_neutral(int which)
{
    int n = 0;
    NEUTRAL(APPLY)
}

// The fixture's job, changed by one flip, in place of the one before.
static void renew(int which)
{
    teardown();
    setup();
    flip(which);
}

START_TEST(test_every_flip_has_a_key_of_its_own)
{
    static struct digest keys[FLIP_COUNT + 1];
    job_key(j, &d, &keys[FLIP_COUNT]);
    for (int i = 0; i < FLIP_COUNT; i++) {
        renew(i);
        job_key(j, &d, &keys[i]);
    }
    for (int i = 0; i <= FLIP_COUNT; i++)
        for (int k = 0; k < i; k++)
            ck_assert_msg(!digest_equal(&keys[i], &keys[k]), "%s and %s have the same key",
                          i < FLIP_COUNT ? flip_names[i] : "the sample", flip_names[k]);
}
END_TEST

// A reference by expressions: what it says and the numbers that it reads.
START_TEST(test_expressions_are_in_the_key)
{
    static struct job_number number, numbers[] = {{.name = "a", .is_float = true, .number = 2.5}};
    static struct job_expression expression,
        expressions[] = {{.text = "a * x[i]", .numbers = numbers, .number_count = 1}};
    struct digest keys[8];
    int count = 0;
    j->reference.kind = REFERENCE_EXPRESSION;
    j->reference.expressions = expressions;
    j->reference.expression_count = 1;
    expression = expressions[0];
    number = numbers[0];
#define KEY_AFTER(change)                                                                          \
    expressions[0] = expression;                                                                   \
    numbers[0] = number;                                                                           \
    change;                                                                                        \
    job_key(j, &d, &keys[count++]);
    KEY_AFTER((void)0)
    KEY_AFTER(expressions[0].text = "a + x[i]")
    KEY_AFTER(expressions[0].total = true)
    KEY_AFTER(expressions[0].buffer = 1)
    KEY_AFTER(numbers[0].name = "b")
    KEY_AFTER(numbers[0].number = 2)
    KEY_AFTER(numbers[0].is_float = false)
    KEY_AFTER(numbers[0].integer = 2)
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            ck_assert_msg(!digest_equal(&keys[i], &keys[k]), "%d and %d", i, k);
}
END_TEST

// The bytes of a frame follow every flip as the key does: both come from one layout.
START_TEST(test_every_flip_is_on_the_wire)
{
    struct text before = TEXT_INIT, after = TEXT_INIT;
    job_bytes(j, &before);
    flip(_i);
    job_bytes(j, &after);
    ck_assert_msg(before.length != after.length ||
                      memcmp(before.data, after.data, before.length) != 0,
                  "%s is not on the wire", flip_names[_i]);
    text_release(&before);
    text_release(&after);
}
END_TEST

START_TEST(test_neutral_changes_keep_the_key)
{
    struct digest before, after;
    job_key(j, &d, &before);
    change_neutral(_i);
    job_key(j, &d, &after);
    ck_assert_msg(digest_equal(&before, &after), "%s", neutral_names[_i]);
}
END_TEST

static bool give_contents(void *context, struct job_blob *b)
{
    (void)context;
    ck_assert_ptr_null(b->data);
    b->data = j->buffers[4].fill.blob.data;
    return true;
}

// Of a job that is built the texts and macros count no more, and all the rest does.
static bool is_in_the_image(int which)
{
    static const char *const texts[] = {"PROGRAM->name",      "PROGRAM->source", "PROGRAM->length",
                                        "PROGRAM->file",      "PROGRAM->folder", "PROGRAM->options",
                                        "j->programs[1].name"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (str_starts(flip_names[which], texts[i]))
            return true;
    }
    return false;
}

START_TEST(test_built_key_leaves_out_what_is_compiled)
{
    struct image image = {.bytes = "code", .length = 4, .digest.bytes = {1}};
    struct image other = {.bytes = "core", .length = 4, .digest.bytes = {2}},
                 none = {.digest.bytes = {1}};
    struct digest before, after;
    ck_assert(job_built_key(j, &image, &before));
    for (int i = 0; i < JOB_FLIP_COUNT; i++) {
        renew(i);
        ck_assert(job_built_key(j, &image, &after));
        ck_assert_msg(digest_equal(&before, &after) == is_in_the_image(i), "%s", flip_names[i]);
    }
    renew(JOB_FLIP_COUNT); // of the device
    ck_assert(job_built_key(j, &other, &after) && !digest_equal(&before, &after));
    ck_assert(!job_built_key(j, &none, &after));
}
END_TEST

// A key of a job that was sent is the key of the job, once the contents that it names are there.
START_TEST(test_key_survives_the_wire)
{
    struct digest before, after;
    struct text bytes = TEXT_INIT;
    job_bytes(j, &bytes);
    struct job *read = job_decode(bytes.data, bytes.length, NULL);
    ck_assert_ptr_nonnull(read);
    ck_assert(job_each_blob(read, give_contents, NULL));
    read->reference.data[0].blob.data = REFERENCE->data[0].blob.data; // which is not used
    job_key(j, &d, &before);
    job_key(read, &d, &after);
    ck_assert(digest_equal(&before, &after));
    job_free(read);
    text_release(&bytes);
}
END_TEST

// Those of a routine, which ordinary jobs have not on the wire.
START_TEST(test_routine_is_in_the_key)
{
    struct job *r = sample_routine_job();
    struct digest keys[6];
    job_key(r, &d, &keys[0]);
    r->routine = ROUTINE_CLBLAST;
    job_key(r, &d, &keys[1]);
    r->routine_library = "/opt/lib/libother.so";
    job_key(r, &d, &keys[2]);
    r->routine_library = NULL;
    job_key(r, &d, &keys[3]);
    r->routine_about = "CLBlast, /usr/lib/libclblast.so.1.5.3";
    job_key(r, &d, &keys[4]);
    r->routine_about = "CLBlast, /usr/lib/libclblast.so.1.6.0";
    job_key(r, &d, &keys[5]);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++)
            ck_assert(!digest_equal(&keys[i], &keys[k]));
    job_free(r);
}
END_TEST

// Worked out apart, from the layout alone. When this fails every stored result is orphaned: is that
// meant? Then say why in the commit.
START_TEST(test_known_key)
{
    struct job *least = sample_least_job();
    struct digest key;
    char hex[65];
    job_key(least, &d, &key);
    digest_hex(&key, hex);
    ck_assert_str_eq(hex, "dc4450c1b6c4c17c7cae6463bf0804f598f352c90263d66aa6162da10d13ec56");
    job_free(least);
}
END_TEST

// A field added to a struct changes its size: then it belongs into the codec, and into the flips
// above, and here.
START_TEST(test_no_field_is_forgotten)
{
    if (sizeof(void *) != 8 || sizeof(size_t) != 8)
        return; // the sizes are those of the 64-bit ABIs
    ck_assert_uint_eq(sizeof(struct element), 16);
    ck_assert_uint_eq(sizeof(struct job_file), 24);
    ck_assert_uint_eq(sizeof(struct job_program), 104);
    ck_assert_uint_eq(sizeof(struct job_blob), 56);
    ck_assert_uint_eq(sizeof(struct job_fill), 112);
    ck_assert_uint_eq(sizeof(struct job_compare), 48);
    ck_assert_uint_eq(sizeof(struct job_buffer), 264);
    ck_assert_uint_eq(sizeof(struct job_argument), 64);
    ck_assert_uint_eq(sizeof(struct job_launch), 96);
    ck_assert_uint_eq(sizeof(struct job_gemm), 80);
    ck_assert_uint_eq(sizeof(struct job_data), 64);
    ck_assert_uint_eq(sizeof(struct job_number), 32);
    ck_assert_uint_eq(sizeof(struct job_expression), 32);
    ck_assert_uint_eq(sizeof(struct job_reference), 136);
    ck_assert_uint_eq(sizeof(struct job), 256);
}
END_TEST

// ---- digests of parts ---------------------------------------------------------------------------

typedef void part_digest(struct digest *out);

static void buffer_part(struct digest *out)
{
    job_buffer_digest(BUFFER, out);
}

static void reference_part(struct digest *out)
{
    job_reference_digest(j, out);
}

// The flips, by name, that change a digest; all others leave it alone. "" ends a list.
static void check_part(part_digest *part, const char *const *moving)
{
    struct digest before, after;
    teardown();
    setup();
    part(&before);
    for (int i = 0; i < JOB_FLIP_COUNT; i++) {
        bool moves = false;
        for (const char *const *m = moving; **m != '\0'; m++)
            moves = moves || strncmp(flip_names[i], *m, strlen(*m)) == 0;
        renew(i);
        part(&after);
        ck_assert_msg(digest_equal(&before, &after) != moves, "%s %s the digest", flip_names[i],
                      moves ? "keeps" : "changes");
    }
}

START_TEST(test_buffer_digest)
{
    static const char *const moving[] = {"BUFFER->element", "BUFFER->count", "BUFFER->fill",
                                         "BUFFER->image", ""};
    check_part(buffer_part, moving);
}
END_TEST

START_TEST(test_reference_digest)
{
    static const char *const moving[] = {"REFERENCE->",        "BUFFER->name",
                                         "BUFFER->element",    "BUFFER->count",
                                         "BUFFER->fill",       "BUFFER->output",
                                         "BUFFER->temporary",  "j->buffer_count",
                                         "j->buffers[4].fill", ""};
    check_part(reference_part, moving);
}
END_TEST

START_TEST(test_reference_digest_leaves_temporaries_out)
{
    struct digest before, after;
    job_reference_digest(j, &before);
    ck_assert(j->buffers[3].temporary);
    j->buffers[3].count = 1000;
    job_reference_digest(j, &after);
    ck_assert(digest_equal(&before, &after));
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, test_every_flip_has_a_key_of_its_own);
    tcase_add_test(tests, test_expressions_are_in_the_key);
    tcase_add_loop_test(tests, test_every_flip_is_on_the_wire, 0, JOB_FLIP_COUNT);
    tcase_add_loop_test(tests, test_neutral_changes_keep_the_key, 0, NEUTRAL_COUNT);
    tcase_add_test(tests, test_built_key_leaves_out_what_is_compiled);
    tcase_add_test(tests, test_key_survives_the_wire);
    tcase_add_test(tests, test_routine_is_in_the_key);
    tcase_add_test(tests, test_known_key);
    tcase_add_test(tests, test_no_field_is_forgotten);
    tcase_add_test(tests, test_buffer_digest);
    tcase_add_test(tests, test_reference_digest);
    tcase_add_test(tests, test_reference_digest_leaves_temporaries_out);
}

int main(void)
{
    return suite_run("key", add);
}
