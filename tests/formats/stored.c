#include "stored.h"

#include <check.h>
#include <string.h>

const char stored_spec[] =
    "{\"General\": {\"BenchmarkName\": \"scale\"}, \"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[16, 32]\"},"
    "{\"Name\": \"text\", \"Type\": \"string\", \"Values\": \"['x', 'y z']\"},"
    "{\"Name\": \"flag\", \"Type\": \"bool\", \"Values\": \"[True, False]\"},"
    "{\"Name\": \"real\", \"Type\": \"float\", \"Values\": \"[0.5]\"}]},"
    "\"Constants\": {\"WIDTH\": 256},"
    "\"Metrics\": [{\"Name\": \"GFLOP/s\", \"Expression\": \"WIDTH / time_ns\"}],"
    "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"scale\", "
    "\"KernelFile\": "
    "\"scale.cl\", \"ProblemSize\": [1024, 64]}}";

const struct device_info stored_device = {
    .language = LANGUAGE_OPENCL,
    .type = DEVICE_CPU,
    .id = "pocl:0",
    .name = "Test Processor 9000",
    .vendor = "Test",
    .platform = "Portable Computing Language",
    .platform_version = "OpenCL 3.0",
    .driver = "3.1",
    .compiler = "clang 14",
    .language_version = "OpenCL C 1.2",
    .extensions = "",
    .uuid = "",
    .pci = "",
    .surroundings = "",
};

struct store *stored_open(const char *path)
{
    struct error e = ERROR_INIT;
    struct store *s = store_open(path, STORE_WRITE, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    return s;
}

void stored_begin(struct store *s, const struct spec *spec, const struct device_info *device)
{
    struct error e = ERROR_INIT;
    struct text constants = TEXT_INIT;
    spec_constants_text(spec, &constants);
    struct store_session session = {.command = "hone tune scale.json",
                                    .hone_version = "0.1.0",
                                    .spec_name = spec->name,
                                    .spec_path = "/scale.json",
                                    .spec_text = "{}",
                                    .constants = text_cstr(&constants),
                                    .host = "nowhere",
                                    .device = device};
    ck_assert_msg(store_begin(s, &session, &e), "%s", e.text);
    text_release(&constants);
}

static const char source[] = "__kernel void scale(__global float *c) {}\n";

static struct job *job_of(const char *configuration)
{
    struct job *j = job_new();
    ck_assert_ptr_nonnull(j);
    struct arena *a = &j->arena;
    j->program_count = 1;
    j->programs = arena_array(a, 1, sizeof *j->programs);
    j->programs->name = "scale.cl";
    j->programs->source = source;
    j->programs->length = strlen(source);
    j->programs->option_count = 1;
    j->programs->options = arena_array(a, 1, sizeof *j->programs->options);
    j->programs->options[0] = arena_printf(a, "-DWHICH=%s", configuration);
    j->launch_count = 1;
    j->launches = arena_array(a, 1, sizeof *j->launches);
    j->launches[0] = (struct job_launch){.name = "scale",
                                         .kernel = "scale",
                                         .dimensions = 1,
                                         .global = {1024, 1, 1},
                                         .local = {16, 1, 1}};
    j->configuration = arena_strdup(a, configuration);
    return j;
}

void stored_put(struct store *s, const struct spec *spec, const struct device_info *device,
                const uint32_t *choice, struct result *r)
{
    static const struct policy policy = {.launches = 7, .batch = 1};
    struct error e = ERROR_INIT;
    struct text configuration = TEXT_INIT, json = TEXT_INIT, constants = TEXT_INIT;
    spec_configuration_text(spec, choice, false, &configuration);
    spec_configuration_json(spec, choice, &json);
    spec_constants_text(spec, &constants);
    struct job *j = job_of(text_cstr(&configuration));
    struct store_job job = {
        .job = j, .as.spec_name = spec->name, .as.constants = text_cstr(&constants)};
    j->configuration = text_cstr(&configuration);
    j->configuration_json = text_cstr(&json);
    job_key(j, device, &job.key);
    digest_of(source, strlen(source), &job.as.source);
    ck_assert_msg(store_put(s, &job, &policy, r, &e), "%s", e.text);
    result_free(r);
    job_free(j);
    text_release(&configuration);
    text_release(&json);
    text_release(&constants);
}

struct result *stored_correct(const uint64_t *samples_ns, uint32_t count)
{
    struct result *r = result_new();
    ck_assert_ptr_nonnull(r);
    r->stop = STOP_SETTLED;
    r->verification = VERIFICATION_REFERENCE;
    r->batch = 1;
    r->samples_ns = arena_copy(&r->arena, samples_ns, count * sizeof *samples_ns);
    r->sample_count = count;
    r->build_ns = 2000000;
    r->measure_ns = 3000000;
    r->verify_ns = 400000;
    r->load_ns = 50000;
    return r;
}

struct result *stored_failure(enum status status, const char *message)
{
    struct result *r = result_new();
    ck_assert_ptr_nonnull(r);
    result_fail(r, status, FAULT_CONFIGURATION, "%s", message);
    r->build_ns = 1000000;
    return r;
}

void stored_fill(struct store *s, const struct spec *spec, const struct device_info *device)
{
    const uint64_t old[] = {9}, fast[] = {100, 300, 110}, slow[] = {5000, 4000}, one[] = {777};
    stored_begin(s, spec, device);
    stored_put(s, spec, device, (uint32_t[]){0, 0, 0, 0}, stored_correct(old, 1));
    stored_put(s, spec, device, (uint32_t[]){0, 0, 0, 0}, stored_correct(fast, 3));
    stored_put(s, spec, device, (uint32_t[]){0, 1, 1, 0}, stored_correct(slow, 2));
    stored_put(s, spec, device, (uint32_t[]){1, 0, 0, 0},
               stored_failure(STATUS_TIMEOUT, "ran longer than 1 s, \"quoted\""));
    stored_put(s, spec, device, (uint32_t[]){1, 1, 0, 0},
               stored_failure(STATUS_COMPILE, "no such function"));
    stored_put(s, spec, device, (uint32_t[]){1, 1, 1, 0}, stored_correct(one, 1));
}
