// Writes the seeds that are made from what the project has already: known answers of the expression
// language, our own specs with their kernels, and every frame's payload filled.
//
//   make_seeds FOLDER      FOLDER/expr, FOLDER/spec, FOLDER/frames, FOLDER/serve, FOLDER/spec.dict
#include "../expr/known_answers.h"
#include "../model/sample.h"
#include "base/text.h"
#include "fuzz.h"
#include "fuzz_frames.h"
#include "spec_files.h"
#include "worker/protocol.h"
#include "problem/spec.h"

#include <check.h>
#include <dirent.h>
#include <string.h>
#include <unistd.h>

static const char *target; // FOLDER

static void write_seed(const char *kind, const char *name, const void *bytes, size_t length)
{
    struct text path = TEXT_INIT;
    text_addf(&path, "%s/%s", target, kind);
    REQUIRE(folder_make(text_cstr(&path), NULL));
    text_addf(&path, "/%s", name);
    FILE *f = fopen(text_cstr(&path), "wb");
    REQUIRE(f);
    REQUIRE(fwrite(bytes, 1, length, f) == length);
    REQUIRE(fclose(f) == 0);
    text_release(&path);
}

static void make_expressions(void)
{
    for (size_t i = 0; i < sizeof known_answers / sizeof *known_answers; i++) {
        char name[32];
        snprintf(name, sizeof name, "known_%03zu", i);
        write_seed("expr", name, known_answers[i].text, strlen(known_answers[i].text));
    }
}

// ---- specs -------------------------------------------------------------------------------------

static void add_file(struct text *out, const char *folder, const char *name, const char *ending)
{
    struct text path = TEXT_INIT, file = TEXT_INIT;
    text_addf(&path, "%s/%s/%s%s", HONE_SOURCE_DIR, folder, name, ending);
    if (file_read(text_cstr(&path), 0, &file, NULL))
        text_addn(out, text_cstr(&file), file.length);
    text_add(out, SPEC_PART_END);
    text_release(&file);
    text_release(&path);
}

static void make_specs(void)
{
    static const char *const names[] = {"matmul_naive",    "matmul_tiled",   "matmul_shared",
                                        "matmul_register", "matmul_bounded", "matmul_blocked"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct text seed = TEXT_INIT;
        add_file(&seed, "kernels_cl", names[i], ".json");
        add_file(&seed, "kernels_cl", names[i], ".cl");
        write_seed("spec", names[i], text_cstr(&seed), seed.length);
        text_release(&seed);
    }
    static const char *const short_names[] = {"saxpy", "scan", "stencil", "histogram", "nbody"};
    for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++) {
        struct text seed = TEXT_INIT;
        add_file(&seed, "kernels_cl/examples", short_names[i], ".json");
        add_file(&seed, "kernels_cl/examples", short_names[i], ".cl");
        write_seed("spec", short_names[i], text_cstr(&seed), seed.length);
        text_release(&seed);
    }
}

static const char *source_of(const char *folder)
{
    static const char *const names[] = {"scale.cl", "k.cl"};
    struct text path = TEXT_INIT;
    const char *found = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        text_clear(&path);
        text_addf(&path, "%s/%s/%s", HONE_SOURCE_DIR, folder, names[i]);
        if (access(text_cstr(&path), R_OK) == 0)
            found = names[i];
    }
    text_release(&path);
    return found;
}

// The specs of the reader's own tests, most of them wrong in one way.
static void make_spec_cases(void)
{
    struct dirent **names = NULL;
    int count = scandir(HONE_SOURCE_DIR "/tests/problem/data/cases", &names, NULL, alphasort);
    REQUIRE(count > 2);
    for (int i = 0; i < count; i++) {
        struct text folder = TEXT_INIT, seed = TEXT_INIT;
        text_addf(&folder, "tests/problem/data/cases/%s", names[i]->d_name);
        add_file(&seed, text_cstr(&folder), "spec", ".json");
        add_file(&seed, text_cstr(&folder), source_of(text_cstr(&folder)), "");
        if (names[i]->d_name[0] != '.')
            write_seed("spec", names[i]->d_name, text_cstr(&seed), seed.length);
        text_release(&seed);
        text_release(&folder);
        free(names[i]);
    }
    free(names);
}

// Every key of the format as a word for the fuzzer.
static void make_dictionary(void)
{
    struct text out = TEXT_INIT;
    size_t count;
    const struct spec_key *keys = spec_keys(&count);
    for (size_t i = 0; i < count; i++) {
        const char *dot = strrchr(keys[i].path, '.');
        const char *name = dot ? dot + 1 : keys[i].path;
        if (*name != '*')
            text_addf(&out, "\"\\\"%.*s\\\": \"\n", (int)strcspn(name, "["), name);
    }
    write_seed(".", "spec.dict", text_cstr(&out), out.length);
    text_release(&out);
}

// ---- payloads ----------------------------------------------------------------------------------

static void begin(struct text *out, struct wire *w, uint8_t kind)
{
    text_clear(out);
    text_addc(out, (char)kind);
    wire_writer(w, out);
}

// The contents that sample_job() names.
static struct blob_part sample_part(void)
{
    struct job *j = sample_job();
    const struct job_blob *b = &j->buffers[j->buffer_count - 1].fill.blob;
    struct blob_part part = {b->digest, b->length, 0, b->data, b->length}; // static data
    job_free(j);
    return part;
}

static void make_payloads(void)
{
    struct text out = TEXT_INIT;
    struct wire w;
    struct job *jobs[] = {sample_job(), sample_least_job(), sample_routine_job()};
    struct result *r = sample_result();
    struct device_info device = sample_device();
    struct hello hello = {PROTOCOL_VERSION, "0.1.0"};
    struct open_request open = {"opencl:cpu", ROLE_BUILD, true, &device};
    struct image image = {.primed = true, .bytes = "ptx", .length = 3};
    struct policy policy = {.launches = 5, .batch = 1, .warmups = 1, .build_limit_ns = 7};
    struct phase phase = {PHASE_LAUNCHING, 7, true};
    struct device_note note = {"a GPU", "no driver", "install one"};
    struct device_report report = {&device, 1, &note, 1, "a problem", NULL};
    struct blob_part part = sample_part();
    struct blob_name name = {part.digest,
                             {.path = "/data.npy", .offset = 128, .size = 4224, .modified_s = 1}};
    const struct {
        enum frame_kind kind;
        const char *name;
        void *value;
    } list[] = {{KIND_JOB, "job", jobs[0]},          {KIND_JOB, "least_job", jobs[1]},
                {KIND_JOB, "routine_job", jobs[2]},  {KIND_RESULT, "result", r},
                {KIND_DEVICE, "device", &device},    {KIND_HELLO, "hello", &hello},
                {KIND_OPEN, "open", &open},          {KIND_IMAGE, "image", &image},
                {KIND_POLICY, "policy", &policy},    {KIND_PHASE, "phase", &phase},
                {KIND_REPORT, "report", &report},    {KIND_BLOB, "blob", &part},
                {KIND_BLOB_FILE, "blob_file", &name}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        begin(&out, &w, list[i].kind);
        frame_codecs[list[i].kind](&w, list[i].value);
        write_seed("frames", list[i].name, out.data, out.length);
    }
    begin(&out, &w, KIND_RESULT_OLD);
    text_addc(&out, 1);
    result_codec(&w, r);
    write_seed("frames", "old_result", out.data, out.length);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        job_free(jobs[i]);
    result_free(r);
    text_release(&out);
}

// ---- streams -----------------------------------------------------------------------------------

static void add_frame(struct text *out, enum verb verb, const struct text *payload)
{
    const uint32_t head[4] = {PROTOCOL_MAGIC, (uint32_t)verb, 9, (uint32_t)payload->length};
    text_addn(out, head, sizeof head);
    text_addn(out, text_cstr(payload), payload->length);
}

static void add_job_request(struct text *out, enum verb verb, struct job *job)
{
    struct text payload = TEXT_INIT;
    struct wire w;
    uint32_t handle = 7;
    struct policy policy = {.launches = 3, .batch = 1};
    struct image image = {.primed = true};
    wire_writer(&w, &payload);
    if (verb == VERB_LOAD)
        wire_u32(&w, &handle);
    job_codec(&w, job);
    if (verb == VERB_BUILD)
        policy_codec(&w, &policy);
    if (verb == VERB_LOAD)
        image_codec(&w, &image);
    add_frame(out, verb, &payload);
    text_release(&payload);
}

// In two parts.
static void add_blob(struct text *out)
{
    struct blob_part whole = sample_part();
    for (uint64_t at = 0; at < whole.length; at += whole.length / 2) {
        struct text payload = TEXT_INIT;
        struct wire w;
        struct blob_part part = whole;
        part.offset = at;
        part.data = (const char *)whole.data + at;
        part.size = whole.length / 2;
        wire_writer(&w, &payload);
        blob_part_codec(&w, &part);
        add_frame(out, VERB_BLOB, &payload);
        text_release(&payload);
    }
}

// A handle, then a policy or a second number.
static void add_handle_request(struct text *out, enum verb verb)
{
    struct text payload = TEXT_INIT;
    struct wire w;
    uint32_t handle = 7, which = 0;
    uint64_t launch = 0;
    struct policy policy = {.launches = 3, .batch = 1};
    wire_writer(&w, &payload);
    wire_u32(&w, &handle);
    if (verb == VERB_VERIFY || verb == VERB_MEASURE)
        policy_codec(&w, &policy);
    if (verb == VERB_OUTPUT || verb == VERB_BINARY)
        wire_u32(&w, &which);
    if (verb == VERB_OUTPUTS)
        wire_u64(&w, &launch);
    add_frame(out, verb, &payload);
    text_release(&payload);
}

// The parts of the job's outputs, and the request to compare them.
static void add_comparison(struct text *out, struct job *job)
{
    struct text payload = TEXT_INIT;
    struct wire w;
    struct check_apart c = {.inputs = 1, .launch = 2};
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        const struct job_buffer *b = &job->buffers[i];
        struct output_part part = {.buffer = i, .size = b->count * element_bytes(&b->element)};
        part.data = calloc(1, part.size + 1);
        wire_writer(&w, &payload);
        output_part_codec(&w, &part);
        if (b->output && part.size > 0)
            add_frame(out, VERB_PART, &payload);
        text_clear(&payload);
        free((void *)(uintptr_t)part.data);
    }
    wire_writer(&w, &payload);
    check_apart_codec(&w, &c);
    job_codec(&w, job);
    add_frame(out, VERB_COMPARE, &payload);
    text_release(&payload);
}

static void add_opening(struct text *out)
{
    struct text payload = TEXT_INIT;
    struct wire w;
    struct hello hello = {PROTOCOL_VERSION, "0.1.0"};
    struct open_request open = {.id = "made-up", .role = ROLE_BUILD};
    wire_writer(&w, &payload);
    hello_codec(&w, &hello);
    add_frame(out, VERB_HELLO, &payload);
    text_clear(&payload);
    uint32_t languages = LANGUAGES_ALL;
    wire_writer(&w, &payload);
    wire_u32(&w, &languages);
    add_frame(out, VERB_DEVICES, &payload);
    text_clear(&payload);
    wire_writer(&w, &payload);
    open_request_codec(&w, &open);
    add_frame(out, VERB_OPEN, &payload);
    text_release(&payload);
}

static void make_streams(void)
{
    static const enum verb by_handle[] = {VERB_VERIFY, VERB_MEASURE, VERB_OUTPUT, VERB_OUTPUTS,
                                          VERB_BINARY, VERB_UNLOAD,  VERB_STOP};
    struct text out = TEXT_INIT;
    struct job *job = sample_least_job(), *with_data = sample_job();
    text_addc(&out, KIND_STREAM);
    text_addc(&out, 20); // bytes at once
    add_opening(&out);
    add_job_request(&out, VERB_BUILD, job);
    add_job_request(&out, VERB_PREPARE, job);
    add_job_request(&out, VERB_PREPARE, with_data); // names what is not there
    add_blob(&out);
    add_job_request(&out, VERB_PREPARE, with_data);
    add_job_request(&out, VERB_LOAD, job);
    add_comparison(&out, job);
    for (size_t i = 0; i < sizeof by_handle / sizeof *by_handle; i++)
        add_handle_request(&out, by_handle[i]);
    write_seed("frames", "stream", out.data, out.length);
    write_seed("serve", "stream", out.data + 2, out.length - 2);
    job_free(job);
    job_free(with_data);
    text_release(&out);
}

START_TEST(make_all)
{
    make_expressions();
    make_specs();
    make_spec_cases();
    make_dictionary();
    make_payloads();
    make_streams();
}
END_TEST

// The samples assert, which works inside a test only.
int main(int argc, char **argv)
{
    if (argc != 2)
        return EXIT_FAILURE;
    target = argv[1];
    Suite *suite = suite_create("seeds");
    TCase *cases = tcase_create("seeds");
    tcase_add_test(cases, make_all);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
