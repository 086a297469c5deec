// Whole tunes in CUDA on a driver that dies, hangs and lies: a lost context costs one configuration
// and one worker; a dead card is told as such and nobody is blamed but what ran there; every hang
// ends; nothing wrong is called correct; no process is left.
#include "../fake_driver/tunes.h"
#include "../support/at_once.h"

#include "device/backends/cuda/cuda_api.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run(struct tune *t, const char *const *more, struct text *output)
{
    tune_start(t, more);
    int code = tune_end(t, 60 * SECONDS);
    tune_output(t, output);
    return code;
}

// ---- a context that is lost

// Codes that a launch may end with. The card is well, its context is not: the next worker works.
static const struct {
    const char *code, *said;
} losses[] = {
    {"700", "CUDA_ERROR_ILLEGAL_ADDRESS (700)"}, {"716", "CUDA_ERROR_MISALIGNED_ADDRESS (716)"},
    {"719", "CUDA_ERROR_LAUNCH_FAILED (719)"},   {"715", "CUDA_ERROR_ILLEGAL_INSTRUCTION (715)"},
    {"999", "CUDA_ERROR_UNKNOWN (999)"},
};

static void a_lost_context_costs_one_configuration(int at)
{
    struct tune t;
    struct text output = TEXT_INIT;
    struct stored s;
    tune_prepare(&t);
    tune_order("DIE", "ID=20");
    tune_order("HOW", "wait");
    tune_order("CODE", losses[at].code);
    tune_order("DEAD", "nothing"); // no other process is harmed
    int code = run(&t, NULL, &output);
    tune_stored(&t, &s);
    ck_assert_msg(code == 0, "exit %d: %s", code, text_cstr(&output));
    for (unsigned i = 0; i < CONFIGURATIONS; i++)
        ck_assert_msg(i == DEADLY || (s.of[i] >= 1 && s.last[i] == STATUS_CORRECT), "ID=%u: %s", i,
                      s.message[i]);
    ck_assert_uint_eq(s.of[DEADLY], 1);
    ck_assert_int_eq(s.last[DEADLY], STATUS_RUNTIME);
    ck_assert_int_eq(s.fault[DEADLY], FAULT_CONFIGURATION);
    ck_assert_msg(strstr(s.message[DEADLY], losses[at].said) != NULL, "%s", s.message[DEADLY]);
    ck_assert(tune_leaves_no_worker(&t));
    folder_remove(t.folder);
    text_release(&output);
}

// A launch that the driver refuses, or has no memory for: no context is lost, and it is the
// configuration's own limit. The first launches are the verified ones.
static void a_refused_launch_costs_one_configuration(int at)
{
    static const char *const orders[] = {"cuLaunchKernel:701@20", "cuLaunchKernel:2@20",
                                         "cuModuleLoadData:2@10", "cuMemAlloc:2@1"};
    struct tune t;
    struct text output = TEXT_INIT;
    struct stored s;
    tune_prepare(&t);
    tune_order("FAIL", orders[at]);
    run(&t, NULL, &output);
    tune_stored(&t, &s);
    ck_assert_msg(s.correct >= CONFIGURATIONS - 2, "%u of %u rows are correct: %s", s.correct,
                  s.rows, text_cstr(&output));
    for (unsigned i = 0; i < CONFIGURATIONS; i++)
        ck_assert_msg(s.last[i] == STATUS_CORRECT || s.message[i][0], "ID=%u says nothing", i);
    ck_assert(tune_leaves_no_worker(&t));
    folder_remove(t.folder);
    text_release(&output);
}

// ---- a card that dies at configuration 20 and stays dead

static const struct {
    const char *how, *dead;
} deaths[] = {
    {"kill", "open"}, {"kill", "load"},  {"kill", "refuse"}, {"kill", "wait"}, {"kill", "hang"},
    {"kill", "kill"}, {"abort", "open"}, {"wait", "open"},   {"wait", "wait"}, {"wait", "hang"},
};

static void a_dead_card_is_told_and_nobody_else_is_blamed(int at)
{
    struct tune t;
    struct text output = TEXT_INIT;
    struct stored s;
    tune_prepare(&t);
    tune_order("DIE", "ID=20");
    tune_order("HOW", deaths[at].how);
    tune_order("DEAD", deaths[at].dead);
    int code = run(&t, NULL, &output);
    tune_check_death(&t, code, text_cstr(&output));
    ck_assert(tune_leaves_no_worker(&t));

    // The card is well again: what killed it is left alone, the rest is done.
    tune_revive(&t);
    code = run(&t, NULL, &output);
    tune_stored(&t, &s);
    ck_assert_msg(code == 0, "exit %d: %s", code, text_cstr(&output));
    ck_assert_uint_eq(s.of[DEADLY], 1);
    for (unsigned i = DEADLY + 1; i < CONFIGURATIONS; i++)
        ck_assert_msg(s.of[i] >= 1 && s.last[i] == STATUS_CORRECT, "ID=%u: %s", i, s.message[i]);
    folder_remove(t.folder);
    text_release(&output);
}

// ---- a driver or a compiler that hangs, in each call in turn

static const char *const calls[] = {
#define X(name, symbol, result, parameters) #name,
    CUDA_DRIVER_FUNCTIONS(X) CUDA_OPTIONAL_FUNCTIONS(X) NVRTC_FUNCTIONS(X)
#undef X
};
enum { CALLS = sizeof calls / sizeof *calls };

// All at once: they only wait. Listing devices has a limit of a minute.
static void every_hang_ends(int at)
{
    (void)at;
    static const char *const few[] = {"--where", "ID < 3", NULL};
    struct tune tunes[CALLS];
    int codes[CALLS];
    for (int i = 0; i < CALLS; i++) {
        tune_prepare(&tunes[i]);
        tune_order("HANG", calls[i]);
        tune_start(&tunes[i], few);
    }
    for (int i = 0; i < CALLS; i++)
        codes[i] = tune_end(&tunes[i], 150 * SECONDS);
    for (int i = 0; i < CALLS; i++) {
        tune_check_hang(&tunes[i], calls[i], codes[i]);
        folder_remove(tunes[i].folder);
    }
}

// ---- a driver that lies about success

static void nothing_that_a_liar_ran_is_correct(int at)
{
    static const char *const lies[] = {"garbage", "nothing", "unread"};
    struct tune t;
    struct text output = TEXT_INIT;
    struct stored s;
    tune_prepare(&t);
    tune_order("LIE", lies[at]);
    int code = run(&t, NULL, &output);
    tune_stored(&t, &s);
    ck_assert_msg(code == 1, "%s: exit %d: %s", lies[at], code, text_cstr(&output));
    ck_assert_uint_eq(s.correct, 0);
    ck_assert(tune_leaves_no_worker(&t));
    folder_remove(t.folder);
    text_release(&output);
}

// ---- __constant__ memory

// What a spec says is constant is copied to the module's symbol and passed as an argument:
// whichever of the two the kernel has.
static void constants_are_symbols_and_arguments(int at)
{
    static const char *const kernels[] = {
        "extern \"C\" __global__ void k(const float *c, float *y) { /* fake:copy */ }",
        "__constant__ float c[64];\n"
        "extern \"C\" __global__ void k(const float *c, float *y) { /* fake:copy */ }",
        "__constant__ float c[64];\n"
        "extern \"C\" __global__ void k(float *y, float *d, int n) { /* fake:add */ }",
    };
    static const char *const ends[] = {"", "", "takes 3 arguments"};
    struct tune t;
    struct text output = TEXT_INIT;
    char path[128];
    tune_prepare(&t);
    tune_path(&t, "k.json", path);
    t.spec = path;
    t.command = "check";
    FILE *f = fopen(path, "w");
    fprintf(f,
            "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"P\", \"Type\": \"int\", "
            "\"Values\": \"[1]\"}]}, \"KernelSpecification\": {\"Language\": \"CUDA\", "
            "\"KernelName\": \"k\", \"KernelSource\": \"");
    for (const char *c = kernels[at]; *c; c++)
        fprintf(f, *c == '"' ? "\\\"" : *c == '\n' ? "\\n" : "%c", *c);
    fprintf(f,
            "\", \"GlobalSize\": {\"X\": \"1\"}, \"LocalSize\": {\"X\": \"64\"}, \"Arguments\": ["
            "{\"Name\": \"c\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"MemType\": "
            "\"Constant\", \"AccessType\": \"ReadOnly\", \"Size\": 64, \"FillValue\": 1}, "
            "{\"Name\": \"y\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": "
            "\"WriteOnly\", \"Size\": 64, \"Output\": true}], \"Reference\": {\"Kind\": \"file\", "
            "\"Files\": {\"y\": \"" HONE_SOURCE_DIR "/tests/fake_opencl/data/ones.f32\"}}}}");
    fclose(f);
    int code = run(&t, NULL, &output);
    ck_assert_msg((code == 0) == !*ends[at] && strstr(text_cstr(&output), ends[at]), "exit %d: %s",
                  code, text_cstr(&output));
    folder_remove(t.folder);
    text_release(&output);
}

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

START_TEST(tunes_in_cuda)
{
    static const struct at_once all[] = {
        {"every hang ends", every_hang_ends, 0, 1},
        {"a lost context costs one configuration", a_lost_context_costs_one_configuration, 0,
         COUNT(losses)},
        {"a refused launch costs one configuration", a_refused_launch_costs_one_configuration, 0,
         4},
        {"a dead card is told", a_dead_card_is_told_and_nobody_else_is_blamed, 0, COUNT(deaths)},
        {"nothing that a liar ran is correct", nothing_that_a_liar_ran_is_correct, 0, 3},
        {"constants are symbols and arguments", constants_are_symbols_and_arguments, 0, 3},
    };
    at_once(all, sizeof all / sizeof *all, 4);
}
END_TEST

int main(void)
{
    if (access(HONE_BINARY_DIR "/hone", X_OK) != 0) {
        printf("skipped: no hone in the build folder\n");
        return 77;
    }
    Suite *suite = suite_create("tunes in CUDA");
    TCase *cases = tcase_create("tunes in CUDA");
    tcase_set_timeout(cases, 500);
    tcase_add_test(cases, tunes_in_cuda);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
