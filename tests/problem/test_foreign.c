// Specs that other projects ship, as they are: each is read, its sources are held against it and jobs
// are made of its default and of configurations here and there; those in CUDA are compiled for sm_90
// where NVRTC is. Or all that is wrong in it is told at once. The files lie in a folder of
// HONE_TEST_DATA; without it this is skipped.
#include "base/text.h"
#include "device/backends/cuda/cuda_compiler.h"
#include "device/build_text.h"
#include "problem/spec.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER HONE_TEST_DATA "/foreign/"

// What a file is expected to be.
static const struct {
    const char *file;
    const char *wrong[6]; // what the one message says; empty: nothing is wrong
} files[] = {
    {"hub/convolution_milo.json", {NULL}},
    {"hub/gemm_milo.json",
     {"LocalSize.X: column 1: unknown name 'block_size_x'",
      "LocalSize.Y: column 1: unknown name 'block_size_y'",
      "there is no kernel 'Xgemm' in gemm_milo/common.opencl",
      "xgemm_part4.opencl beside it has this word"}},
    {"bat/GEMM/GEMM-CAFF.json", {NULL}},
    {"bat/nbody/nbody-CAFF.json", {NULL}},
    {"bat/pnpoly/pnpoly-CAFF.json",
     {"kernel 'cn_pnpoly' (pnpoly.cu, line 79) takes 3 arguments", "the spec gives 4"}},
    {"ktt/JSON/ClTuneGemm.json", {NULL}},
    {"ktt/JSON/CoulombSum3d.json", {"cannot read", "Coulomb3d.bin"}},
};

static const struct device_info device = {.language = LANGUAGE_CUDA,
                                          .type = DEVICE_GPU,
                                          .name = "a GPU",
                                          .vendor = "NVIDIA Corporation",
                                          .compute_units = 132,
                                          .max_group_size = 1024,
                                          .local_bytes = 49152,
                                          .subgroup_size = 32,
                                          .capability = 90};

// ---- compiling ---------------------------------------------------------------------------------

static struct cuda_compiler compiler;
static bool compiles;

static void compile_program(const char *file, const struct job *j, uint32_t index)
{
    const struct job_program *p = &j->programs[index];
    struct text source = TEXT_INIT;
    struct cuda_code code = CUDA_CODE_INIT;
    struct error e = ERROR_INIT;
    const char *options[64] = {"--gpu-architecture=sm_90"}, *kernels[8];
    nvrtcResult result;
    struct cuda_request q = {.name = p->name, .options = options, .kernels = kernels};
    q.option_count = 1;
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (!build_define(p->options[i], &source))
            options[q.option_count++] = p->options[i];
    }
    text_add(&source, "#line 1\n");
    text_addn(&source, p->source, (size_t)p->length);
    q.source = text_cstr(&source);
    for (uint32_t i = 0; i < j->launch_count; i++)
        kernels[q.kernel_count++] = j->launches[i].kernel;
    bool ok = cuda_compile(&compiler, &q, &code, &result, &e);
    cuda_host_release(&q.host);
    ck_assert_msg(ok, "%s, %s: %s\n%s", file, j->configuration, e.text, text_cstr(&code.log));
    cuda_code_release(&code);
    text_release(&source);
}

// ---- jobs --------------------------------------------------------------------------------------

static bool is_valid(const struct spec *s, const uint32_t *choice)
{
    struct arena scratch;
    struct value slots[256];
    bool truth = true;
    arena_init(&scratch);
    ck_assert_uint_lt(s->slots.count, 256);
    spec_bind_fixed(s, &device, slots);
    bool ok = spec_bind(s, choice, slots, &scratch, NULL, NULL);
    for (uint32_t i = 0; ok && i < s->restriction_count; i++)
        ok =
            expr_test(s->restrictions[i].expr, slots, &scratch, &truth) == EXPR_FAULT_NONE && truth;
    arena_release(&scratch);
    return ok;
}

static void make_and_compile(const char *file, const struct spec *s, struct spec_sources *src,
                             enum language l, const uint32_t *choice)
{
    struct error e = ERROR_INIT;
    struct job *job = NULL;
    ck_assert_msg(spec_job(s, src, &device, choice, &job, &e), "%s: %s", file, e.text);
    for (uint32_t i = 0; compiles && l == LANGUAGE_CUDA && i < job->program_count; i++)
        compile_program(file, job, i);
    job_free(job);
}

static void sample(const char *file, const struct spec *s, struct spec_sources *src,
                   enum language l)
{
    uint32_t choice[64], made = 0;
    unsigned seed = 1;
    ck_assert_uint_lt(s->parameter_count, 64);
    ck_assert_msg(spec_baseline(src, &device, choice), "%s", file);
    make_and_compile(file, s, src, l, choice);
    for (int tries = 0; made < 4 && tries < 20000; tries++) {
        for (uint32_t i = 0; i < s->parameter_count; i++)
            choice[i] = (uint32_t)rand_r(&seed) % s->parameters[i].count;
        if (!is_valid(s, choice))
            continue;
        make_and_compile(file, s, src, l, choice);
        made++;
    }
    ck_assert_uint_eq(made, 4);
}

// ---- files -------------------------------------------------------------------------------------

// Warnings are read by people; here they only must not be empty.
static void note(void *context, enum log_level level, const char *message)
{
    (void)context, (void)level;
    ck_assert(message[0]);
}

START_TEST(test_file)
{
    char path[1024];
    struct error e = ERROR_INIT;
    struct log log = {note, NULL};
    struct spec_options options = {.log = &log};
    struct spec_languages languages;
    struct spec_sources *src = NULL;
    snprintf(path, sizeof path, FOLDER "%s", files[_i].file);
    struct spec *s = spec_load(path, &options, &e);
    if (s && spec_languages(s, &languages, &e))
        src = spec_sources_read(s, languages.list[0], NULL, &log, &e);
    if (!files[_i].wrong[0]) {
        ck_assert_msg(src != NULL, "%s", e.text);
        sample(files[_i].file, s, src, languages.list[0]);
    } else {
        ck_assert_msg(src == NULL, "%s is taken", path);
        for (int k = 0; files[_i].wrong[k]; k++)
            ck_assert_msg(strstr(e.text, files[_i].wrong[k]), "'%s' is not in: %s",
                          files[_i].wrong[k], e.text);
    }
    spec_sources_free(src);
    spec_free(s);
}
END_TEST

int main(void)
{
    struct error e = ERROR_INIT;
    if (access(FOLDER, R_OK) != 0) {
        printf("skipped: there is no folder '%s'; HONE_TEST_DATA names where it is\n", FOLDER);
        return 77;
    }
    const char *nvrtc = getenv("HONE_TEST_NVRTC");
    compiles = nvrtc && *nvrtc && cuda_compiler_open(&compiler, NULL, &e);
    printf("CUDA is %s%s%s\n", compiles ? "compiled for sm_90 by " : "not compiled: ",
           compiles    ? text_cstr(&compiler.opened)
           : e.text[0] ? e.text
                       : "HONE_TEST_NVRTC names no NVRTC",
           "");
    Suite *suite = suite_create("spec_foreign");
    TCase *tcase = tcase_create("files");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, test_file, 0, sizeof files / sizeof files[0]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (compiles)
        cuda_compiler_close(&compiler);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
