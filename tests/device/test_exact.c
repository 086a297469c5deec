// Buffers of exactly their size: what a device that watches every access needs. On any device the
// checks that are left still work; under Oclgrind the first element outside is seen.
#include "kit.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 64

static const char *program; // this one, to be run again under the simulator

static struct kit kit;

static void set_up(void)
{
    struct device_options o = {.simulated = true};
    kit_open_as(&kit, &o);
}

static void tear_down(void)
{
    kit_close(&kit);
}

// c[i] = a[i] + b[i], then a fault of the caller's. Inputs, restored and poisoned buffers.
static struct job *adding(const char *fault)
{
    struct text source = TEXT_INIT;
    float expected[N];
    text_addf(&source,
              "__kernel void k(__global const float *a, __global float *b, __global float *c) {\n"
              "    size_t i = get_global_id(0);\n"
              "    b[i] += a[i];\n"
              "    c[i] = b[i];\n"
              "    %s\n"
              "}\n",
              fault);
    struct job *j = kit_job(text_cstr(&source));
    text_release(&source);
    kit_buffer(j, "a", N, ACCESS_READ);
    kit_buffer(j, "b", N, ACCESS_BOTH);
    kit_buffer(j, "c", N, ACCESS_WRITE);
    kit_constant(j, 0, 1.5);
    kit_constant(j, 1, 2);
    kit_launch(j, "k", N, 16);
    for (int i = 0; i < N; i++)
        expected[i] = 3.5F;
    kit_expect(j, 2, expected);
    return j;
}

static struct result *verify_fault(const char *fault)
{
    return kit_verify_take(&kit, adding(fault));
}

// ---- what is left without guard zones

static const struct {
    const char *fault;
    enum status status;
    const char *says;
} cases[] = {
    {"", STATUS_CORRECT, ""},
    {"c[i] = 3;", STATUS_CORRECTNESS, "c: "},
    {"if (i > 5) c[i] = as_float(0x7fc00000);", STATUS_CORRECTNESS, "c: "},
    {"((__global float *)a)[3] = 9;", STATUS_RUNTIME, "changed read-only a at element 3"},
};

START_TEST(contents_and_inputs_are_checked)
{
    for (int twice = 0; twice < 2; twice++) { // read-write contents are restored
        struct result *r = verify_fault(cases[_i].fault);
        ck_status(r, cases[_i].status);
        ck_says(r, cases[_i].says);
        result_free(r);
    }
}
END_TEST

START_TEST(samples_are_taken)
{
    struct job *j = adding("");
    struct policy policy = {.launches = 3, .batch = 1, .warmups = 1, .check = POLICY_CHECK_EACH};
    struct result *r = result_new();
    struct loaded *l = device_load(kit.device, j, NULL, r);
    ck_assert_msg(l && device_measure(kit.device, l, &policy, r), "%s", r->message);
    ck_assert_uint_eq(r->sample_count, 3);
    device_unload(kit.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

// A buffer as large as the device allows needs no room for zones.
START_TEST(no_room_is_asked_for_zones)
{
    struct job *j = adding("");
    uint64_t most = device_describe(kit.device)->max_alloc_bytes;
    j->buffers[2].count = most / sizeof(float) + 1;
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CONSTRAINTS);
    ck_assert_ptr_null(strstr(r->message, "guard"));
    result_free(r);
    job_free(j);
}
END_TEST

// ---- under the simulator

// What this program, run again for one fault, makes the simulator say.
static void simulate(const char *fault, struct text *log)
{
    char folder[] = "/tmp/hone-test-exact-XXXXXX", path[64];
    ck_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/log", folder);
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        // Oclgrind's library comes before AddressSanitizer's, and is not ours to mend.
        setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1);
        execlp("oclgrind", "oclgrind", "--log", path, program, fault, (char *)NULL);
        _exit(127);
    }
    ck_assert(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        puts("skipped: Oclgrind is not installed (apt install oclgrind)");
        text_add(log, "skipped");
    } else {
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
        file_read(path, 0, log, NULL);
    }
    folder_remove(folder);
}

static const struct {
    const char *fault, *says; // NULL: nothing
} accesses[] = {
    {"", NULL},
    {"if (i == 63) c[i + 1] = 1;", "Invalid write of size 4"},
    {"if (i == 0) c[i] = b[64];", "Invalid read of size 4"},
    {"if (i == 0) c[i] = a[-1];", "Invalid read of size 4"},
};

START_TEST(first_element_outside_is_seen)
{
    struct text log = TEXT_INIT;
    simulate(accesses[_i].fault, &log);
    if (strcmp(text_cstr(&log), "skipped") != 0) {
        if (accesses[_i].says)
            ck_assert_msg(strstr(text_cstr(&log), accesses[_i].says) != NULL, "%s",
                          text_cstr(&log));
        else
            ck_assert_str_eq(text_cstr(&log), "");
    }
    text_release(&log);
}
END_TEST

// The program that runs under the simulator: whatever is wrong is for the simulator to say.
static const char *simulated_fault;

START_TEST(verify_simulated_fault)
{
    result_free(verify_fault(simulated_fault));
}
END_TEST

static void add_fault(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, verify_simulated_fault);
}

static void add(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_loop_test(t, contents_and_inputs_are_checked, 0, sizeof cases / sizeof *cases);
    tcase_add_test(t, samples_are_taken);
    tcase_add_test(t, no_room_is_asked_for_zones);
}

static void add_simulated(TCase *t)
{
    tcase_add_loop_test(t, first_element_outside_is_seen, 0, sizeof accesses / sizeof *accesses);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        simulated_fault = argv[1];
        return kit_run("fault", add_fault);
    }
    program = argv[0];
    if (!kit_has_device())
        return KIT_SKIPPED;
    return kit_run("exact", add) | kit_run("simulated", add_simulated);
}
