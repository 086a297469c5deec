// A spec to T1: what is converted is read again, has the same parameters, and its jobs have the same keys.
#include "fuzz.h"
#include "problem/spec.h"
#include "spec_files.h"

#include <string.h>

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

static bool has_same_values(const struct parameter *a, const struct parameter *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->type == b->type && a->count == b->count &&
                a->initial == b->initial && a->has_default == b->has_default;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = a->values[i].kind == b->values[i].kind && value_equal(&a->values[i], &b->values[i]);
    return same;
}

static bool is_same_space(const struct spec *a, const struct spec *b)
{
    bool same = a->parameter_count == b->parameter_count &&
                a->constant_count == b->constant_count && a->derived_count == b->derived_count &&
                a->restriction_count == b->restriction_count && a->metric_count == b->metric_count;
    for (uint32_t i = 0; same && i < a->parameter_count; i++)
        same = has_same_values(&a->parameters[i], &b->parameters[i]);
    for (uint32_t i = 0; same && i < a->restriction_count; i++)
        same = strcmp(a->restrictions[i].text, b->restrictions[i].text) == 0;
    return same && strcmp(a->name, b->name) == 0;
}

// False: it makes no job.
static bool find_key(const struct spec *s, struct digest *key, bool *is_unseen)
{
    struct error e = ERROR_INIT;
    struct spec_languages languages;
    struct job *job = NULL;
    uint32_t *choice = calloc(s->parameter_count + (size_t)1, sizeof *choice);
    REQUIRE(choice);
    spec_default(s, choice);
    struct spec_sources *src = spec_languages(s, &languages, &e)
                                   ? spec_sources_read(s, languages.list[0], NULL, NULL, &e)
                                   : NULL;
    bool ok = src && spec_job(s, src, &gpu, choice, &job, &e);
    if (ok) {
        job_key(job, &gpu, key);
        *is_unseen = job_is_unseen(job);
    }
    job_free(job);
    spec_sources_free(src);
    free(choice);
    return ok;
}

static void check_same(const struct spec *a, const struct spec *b)
{
    struct digest keys[2];
    bool is_unseen = false;
    REQUIRE(is_same_space(a, b));
    if (!find_key(a, &keys[0], &is_unseen) || is_unseen)
        return;
    REQUIRE(find_key(b, &keys[1], &is_unseen));
    REQUIRE(digest_equal(&keys[0], &keys[1]));
}

// The spec in T1; NULL where the kernel's text does not complete it.
static struct spec *convert(const struct spec *s)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    struct spec *other = NULL;
    const struct spec_options options = {.device = &gpu};
    if (spec_to_t1(s, NULL, &text, &e)) {
        other = spec_parse(text_cstr(&text), text.length, NULL, SPEC_FILE, &options, &e);
        if (!other)
            fprintf(stderr, "%s\n%s\n", e.text, text_cstr(&text));
        REQUIRE(other && !other->is_short);
        check_same(s, other);
    } else {
        REQUIRE(e.code != ERROR_NONE);
    }
    text_release(&text);
    return other;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error e = ERROR_INIT;
    const struct spec_options options = {.device = &gpu};
    spec_files_begin(data, size);
    struct spec *s = spec_load(SPEC_FILE, &options, &e);
    struct spec *other = s ? convert(s) : NULL;
    spec_free(other);
    spec_free(s);
    spec_files_end();
    return 0;
}
