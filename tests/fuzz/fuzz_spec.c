// The spec reader, from bytes to keys: spec and sources are read, a few configurations become jobs,
// with and without a made-up device. Beyond not crashing: a configuration's text reads back as
// itself, and what is handed out as a job is one that a worker accepts.
#include "fuzz.h"
#include "problem/spec.h"
#include "spec_files.h"

#include <string.h>

enum { CONFIGURATIONS = 3 };

static const struct device_info gpu = {.language = LANGUAGE_OPENCL,
                                       .type = DEVICE_GPU,
                                       .id = "made-up",
                                       .name = "Made-up GPU",
                                       .vendor = "NVIDIA Corporation",
                                       .platform = "Made-up platform",
                                       .platform_version = "1.2",
                                       .driver = "1",
                                       .compiler = "1",
                                       .language_version = "OpenCL C 1.2",
                                       .extensions = "cl_khr_fp64 cl_khr_fp16",
                                       .uuid = "",
                                       .pci = "",
                                       .surroundings = "",
                                       .compute_units = 132,
                                       .max_group_size = 1024,
                                       .max_item_sizes = {1024, 1024, 64},
                                       .local_bytes = 49152,
                                       .global_bytes = 1ull << 36,
                                       .max_alloc_bytes = 1ull << 34,
                                       .subgroup_size = 32,
                                       .capability = 90,
                                       .float64 = true};

static void drop(void *context, enum log_level level, const char *message)
{
    (void)context, (void)level;
    REQUIRE(message && !strchr(message, '\n'));
}

static const struct log silent = {drop, NULL};

// ---- configurations ----------------------------------------------------------------------------

static void choose(const struct spec *s, uint32_t which, uint32_t *choice)
{
    spec_default(s, choice);
    for (uint32_t i = 0; which > 0 && i < s->parameter_count; i++)
        choice[i] = (uint32_t)((which * (i + 1ull)) % s->parameters[i].count);
}

// A text's value may hold the commas that separate.
static bool has_texts(const struct spec *s)
{
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        if (s->parameters[i].type == PARAMETER_STRING)
            return true;
    }
    return false;
}

static void check_texts(const struct spec *s, const uint32_t *choice, uint32_t *again)
{
    struct text text = TEXT_INIT;
    struct error e = ERROR_INIT;
    spec_configuration_text(s, choice, true, &text);
    bool ok = spec_parse_configuration(s, text_cstr(&text), again, &e);
    REQUIRE(ok || has_texts(s));
    if (!has_texts(s))
        REQUIRE(memcmp(choice, again, s->parameter_count * sizeof *again) == 0);
    text_clear(&text);
    spec_configuration_json(s, choice, &text);
    spec_constants_text(s, &text);
    text_release(&text);
}

static void check_metrics(const struct spec *s, const uint32_t *choice)
{
    double value;
    for (uint32_t i = 0; i < s->metric_count && i < 8; i++)
        spec_metric(s, i, choice, &gpu, &(struct spec_measured){1e6, 0.5, NULL}, &value);
}

// ---- jobs --------------------------------------------------------------------------------------

// Of a job that was read none has: they travel apart, and its key is not asked for.
static bool has_contents(void *context, struct job_blob *b)
{
    (void)context;
    return b->data != NULL;
}

// A text ends where its length says.
static void check_sources(const struct job *job)
{
    for (uint32_t i = 0; i < job->program_count; i++) {
        const struct job_program *p = &job->programs[i];
        REQUIRE(!memchr(p->source, '\0', p->length));
        for (uint32_t k = 0; k < p->file_count; k++)
            REQUIRE(!memchr(p->files[k].text, '\0', p->files[k].length));
    }
}

static void check_job(const struct spec *s, const struct spec_sources *src, struct job *job,
                      const struct device_info *device)
{
    struct text bytes = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct digest key, again, effective;
    struct wire w;
    wire_writer(&w, &bytes);
    job_codec(&w, job);
    REQUIRE(!w.failed);
    check_sources(job);
    struct job *read = job_decode(bytes.data, bytes.length, &e);
    if (!read)
        fprintf(stderr, "%s\n", e.text);
    REQUIRE(read);
    job_key(job, device, &key);
    job_key(read, device, &again);
    REQUIRE(digest_equal(&key, &again) || !job_each_blob(read, has_contents, NULL));
    job_reference_digest(job, &key);
    job_reference_digest(read, &again);
    REQUIRE(digest_equal(&key, &again));
    spec_effective_digest(s, src, job, &effective);
    job_free(read);
    text_release(&bytes);
}

static void make_jobs(const struct spec *s, const struct spec_sources *src, uint32_t *choice)
{
    for (uint32_t which = 0; which < 2 * CONFIGURATIONS; which++) {
        const struct device_info *device = which % 2 ? &gpu : NULL;
        struct error e = ERROR_INIT;
        struct job *job = NULL;
        choose(s, which / 2, choice);
        if (spec_job(s, src, device, choice, &job, &e))
            check_job(s, src, job, &gpu);
        else
            REQUIRE(e.code != ERROR_NONE);
        job_free(job);
    }
}

static void use_language(const struct spec *s, enum language l, uint32_t *choice)
{
    struct error e = ERROR_INIT;
    struct digest digest;
    if (!spec_has_language(s, l))
        return;
    struct spec_sources *src = spec_sources_read(s, l, NULL, &silent, &e);
    REQUIRE((src != NULL) == (e.code == ERROR_NONE));
    if (!src)
        return;
    spec_sources_digest(src, &digest);
    make_jobs(s, src, choice);
    spec_sources_free(src);
}

static void use_spec(const struct spec *s)
{
    uint32_t *choice = calloc(2 * (size_t)s->parameter_count + 1, sizeof *choice);
    REQUIRE(choice);
    for (uint32_t which = 0; which < CONFIGURATIONS; which++) {
        choose(s, which, choice);
        check_texts(s, choice, choice + s->parameter_count);
        check_metrics(s, choice);
    }
    for (int l = 0; l < LANGUAGE_COUNT; l++)
        use_language(s, (enum language)l, choice);
    free(choice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error e = ERROR_INIT;
    const struct spec_options options = {.strict = size % 4 == 3, .log = &silent};
    spec_files_begin(data, size);
    struct spec *s = spec_load(SPEC_FILE, &options, &e);
    REQUIRE((s != NULL) == (e.code == ERROR_NONE));
    REQUIRE(!s || strlen(s->text) == s->text_length);
    if (s)
        use_spec(s);
    spec_free(s);
    spec_files_end();
    return 0;
}
