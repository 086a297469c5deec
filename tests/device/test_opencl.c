// Jobs on a real device: what is right passes, and each way of being wrong is found and named. On
// OpenCL, and on CUDA where HONE_TEST_DEVICE says so.
#include "kit.h"

#include "base/text.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 1024

static struct kit kit;

static void set_up(void)
{
    kit_open(&kit, NULL);
}

static void tear_down(void)
{
    kit_close(&kit);
}

// b[i] = 2 * a[i] and a fault of the caller's, over N work-items.
static struct job *doubling(const char *fault)
{
    struct text source = TEXT_INIT;
    float expected[N];
    text_addf(&source,
              "__kernel void twice(__global const float *a, __global float *b) {\n"
              "    size_t i = get_global_id(0);\n"
              "    float v = 2 * a[i];\n"
              "    b[i] = v;\n"
              "    %s\n"
              "}\n",
              fault);
    struct job *j = kit_job(text_cstr(&source));
    text_release(&source);
    kit_buffer(j, "a", N, ACCESS_READ);
    kit_buffer(j, "b", N, ACCESS_WRITE);
    kit_constant(j, 0, 1.5);
    kit_launch(j, "twice", N, 64);
    for (int i = 0; i < N; i++)
        expected[i] = 3;
    kit_expect(j, 1, expected);
    return j;
}

static struct result *verify_fault(const char *fault)
{
    return kit_verify_take(&kit, doubling(fault));
}

START_TEST(correct_kernel_is_verified)
{
    struct result *r = verify_fault("");
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_REFERENCE);
    ck_assert_uint_eq(r->deviation_count, 1);
    ck_assert_str_eq(r->deviations[0].name, "b");
    ck_assert(r->deviations[0].ok);
    ck_assert_uint_eq(r->resource_count, 1);
    ck_assert_int_gt(r->resources[0].max_group_size, 0);
    ck_assert_uint_gt(r->verify_launch_ns, 0);
    result_free(r);
}
END_TEST

// Each fault, what becomes of it, and what the message must say.
static const struct {
    const char *code;
    enum status status;
    const char *says;
} faults[] = {
    {"if (i == 0) b[1024] = 1;", STATUS_RUNTIME, "wrote 4 bytes past the end of b"},
    {"if (i == 0) b[1024] = 1;", STATUS_RUNTIME, "(first at byte +0)"},
    {"if (i == 0) b[1024 + 1024] = 1;", STATUS_RUNTIME,
     "wrote 4 bytes past the end of b (first at byte +4096)"},
    {"if (i == 0) b[-3] = 1;", STATUS_RUNTIME,
     "wrote 4 bytes before the start of b (nearest at byte -9)"},
    {"if (i == 17) ((__global float *)a)[17] = 9;", STATUS_RUNTIME,
     "changed read-only a at element 17"},
    {"if (i == 1000) b[i] = NAN;", STATUS_CORRECTNESS, "1 NaN"},
    {"if (i == 1000) b[i] = v * 1.001f;", STATUS_CORRECTNESS, "1 component wrong"},
};

START_TEST(wrong_kernels_are_found)
{
    struct result *r = verify_fault(faults[_i].code);
    ck_status(r, faults[_i].status);
    ck_assert_int_eq(r->fault, FAULT_CONFIGURATION);
    ck_says(r, faults[_i].says);
    result_free(r);
}
END_TEST

START_TEST(unwritten_elements_are_counted)
{
    struct job *j = doubling("");
    kit_source(j, "__kernel void twice(__global const float *a, __global float *b) {\n"
                  "    size_t i = get_global_id(0);\n"
                  "    if (i >= 10) b[i] = 2 * a[i];\n"
                  "}\n");
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECTNESS);
    ck_says(r, "b: 10 elements unwritten, first at component 0");
    ck_assert_uint_eq(r->deviations[0].unwritten, 10);
    result_free(r);
    job_free(j);
}
END_TEST

// A device that works on host memory ends its process at once; the next process is not touched.
// The child opens the device itself: threads of a driver do not survive a fork.
START_TEST(far_away_store_ends_the_process)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        kit_open(&kit, NULL);
        bool cpu = device_describe(kit.device)->type == DEVICE_CPU;
        if (cpu)
            verify_fault("if (i == 0) b[100000000] = 1;");
        _exit(cpu ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status) != 0,
                  "a store 400 MB away went unseen");
}
END_TEST

START_TEST(after_a_trespass_inputs_are_made_again)
{
    result_free(verify_fault("if (i == 17) ((__global float *)a)[17] = 9;"));
    struct result *r = verify_fault("");
    ck_status(r, STATUS_CORRECT);
    result_free(r);
}
END_TEST

// ---- limits of the device

START_TEST(oversize_work_group_is_refused_before_it_is_built)
{
    struct job *j = doubling("");
    uint64_t most = device_describe(kit.device)->max_group_size;
    j->programs[0].source = "this is not OpenCL C";
    j->launches[0].global[0] = j->launches[0].local[0] = most * 2;
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CONSTRAINTS);
    ck_assert(r->device_limit);
    ck_says(r, "exceeds the device's");
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(indivisible_global_size_is_refused)
{
    struct job *j = doubling("");
    j->launches[0].local[0] = 100;
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CONSTRAINTS);
    ck_says(r, "global size 1024 along axis 0 is not a multiple of the work-group's 100");
    result_free(r);
    job_free(j);
}
END_TEST

static struct result *verify_local(uint64_t bytes)
{
    struct job *j = kit_job("__kernel void k(__global float *b, __local float *t) {\n"
                            "    t[get_local_id(0)] = 1;\n"
                            "    b[get_global_id(0)] = t[get_local_id(0)];\n"
                            "}\n");
    kit_buffer(j, "b", N, ACCESS_WRITE);
    struct job_launch *l = kit_launch(j, "k", N, 64);
    l->arguments[l->argument_count++] =
        (struct job_argument){.name = "t", .kind = ARGUMENT_LOCAL, .local_bytes = bytes};
    struct result *r = kit_verify(&kit, j);
    job_free(j);
    return r;
}

START_TEST(too_much_local_memory_is_refused)
{
    struct result *r = verify_local(256);
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_NONE);
    ck_assert_int_ge(r->resources[0].local_bytes, 256);
    result_free(r);
    r = verify_local(device_describe(kit.device)->local_bytes * 16);
    ck_status(r, STATUS_CONSTRAINTS);
    ck_assert(r->device_limit);
    result_free(r);
}
END_TEST

START_TEST(oversize_buffer_is_refused)
{
    struct job *j = doubling("");
    j->buffers[1].count = UINT64_C(1) << 45;
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CONSTRAINTS);
    ck_says(r, "buffer b");
    result_free(r);
    job_free(j);
}
END_TEST

// ---- what the spec says wrongly

START_TEST(argument_count_is_checked)
{
    struct job *j = doubling("");
    j->launches[0].argument_count = 1;
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_COMPILE);
    ck_assert_int_eq(r->fault, FAULT_SPEC);
    ck_says(r, "kernel 'twice' takes 2 arguments, the spec gives 1: a");
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(missing_kernel_is_named_with_those_there_are)
{
    struct job *j = doubling("");
    j->launches[0].kernel = "thrice";
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_COMPILE);
    ck_assert_int_eq(r->fault, FAULT_SPEC);
    // Of a source in CUDA the names that stand behind __global__ are listed, and here a macro does.
    ck_says(r, kit_on_cuda() ? "kernel 'thrice' is not in the program"
                             : "kernel 'thrice' is not in the program; it has: twice");
    result_free(r);
    job_free(j);
}
END_TEST

// As PoCL's headers do to a kernel called as a function of OpenCL's: `dot`, `step`.
START_TEST(kernel_that_headers_rename_is_found)
{
    struct job *j =
        kit_job("#define twice _cl_twice\n"
                "__kernel void twice(__global float *b) { b[get_global_id(0)] = 2; }\n");
    kit_buffer(j, "b", 64, ACCESS_WRITE);
    kit_launch(j, "twice", 64, 64);
    struct result *r = kit_verify_take(&kit, j);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
}
END_TEST

START_TEST(scalar_of_the_wrong_size_is_named)
{
    static const int64_t eight = 8;
    struct job *j = kit_job("__kernel void k(__global float *b, int n) {\n"
                            "    b[get_global_id(0)] = n;\n"
                            "}\n");
    kit_buffer(j, "b", N, ACCESS_WRITE);
    struct job_launch *l = kit_launch(j, "k", N, 64);
    l->arguments[l->argument_count++] = (struct job_argument){.name = "n",
                                                              .kind = ARGUMENT_SCALAR,
                                                              .element = {SCALAR_I64, 1, 0},
                                                              .value = &eight,
                                                              .length = sizeof eight};
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_COMPILE);
    ck_assert_int_eq(r->fault, FAULT_TYPE);
    ck_says(r, "argument 2: the spec gives a scalar (int64) 'n'");
    ck_says(r, kit_on_cuda() ? "of 8 bytes, but the kernel takes 4 bytes"
                             : "'n', but the kernel takes");
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(option_that_replaces_an_arguments_name)
{
    struct job *j = doubling("");
    static const char *options[] = {"-Da=4096"};
    j->programs[0].options = options;
    j->programs[0].option_count = 1;
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_COMPILE);
    if (strstr(r->message, "<command line>")) // not every compiler says where a macro comes from
        ck_says(r, "called as an argument or variable of the source?");
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(build_errors_come_with_the_compilers_line)
{
    struct result *r = verify_fault("this is an error;");
    ck_status(r, STATUS_COMPILE);
    ck_assert_int_eq(r->fault, FAULT_CONFIGURATION);
    ck_says(r, "error");
    ck_assert(strlen(r->log) > 0);
    result_free(r);
}
END_TEST

// ---- building

START_TEST(macro_values_with_blanks_and_quotes_arrive_whole)
{
    struct job *j = kit_job("#define TEXT(x) #x\n"
                            "__kernel void k(__global float *b) {\n"
                            "    T n = (T)-1;\n"
                            "    b[get_global_id(0)] = sizeof(NAME) + (n > 0) + PLAIN + ONE;\n"
                            "    int line = __LINE__;\n"
                            "    if (line != 5) b[0] = line;\n"
                            "}\n");
    float expected[N];
    for (int i = 0; i < N; i++)
        expected[i] = 5 + 1 + 20 + 1; // the text has four characters and a NUL
    kit_option(j, "-DT=unsigned int");
    kit_option(j, "-DNAME=\"a \\\"b\"");
    kit_option(j, "-DPLAIN=20");
    kit_option(j, "-DONE");
    kit_buffer(j, "b", N, ACCESS_WRITE);
    kit_launch(j, "k", N, 64);
    kit_expect(j, 0, expected);
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(included_files_are_laid_out)
{
    struct job *j = kit_job("#include \"sub/part.h\"\n"
                            "#include \"other.h\"\n"
                            "__kernel void k(__global float *b) {\n"
                            "    b[get_global_id(0)] = PART + OTHER;\n"
                            "}\n");
    struct job_file files[] = {{"sub/part.h", "#define PART 3\n", 15},
                               {"include/other.h", "#define OTHER 4\n", 16}};
    const char *folders[] = {"", "include"};
    float expected[N];
    for (int i = 0; i < N; i++)
        expected[i] = 7;
    j->programs[0].files = files;
    j->programs[0].file_count = 2;
    j->programs[0].folders = folders;
    j->programs[0].folder_count = 2;
    kit_buffer(j, "b", N, ACCESS_WRITE);
    kit_launch(j, "k", N, 64);
    kit_expect(j, 0, expected);
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    files[1].text = "#define OTHER 5\n"; // another text under the same name
    r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECTNESS);
    result_free(r);
    files[1].path = "../outside.h";
    r = kit_verify(&kit, j);
    ck_status(r, STATUS_COMPILE);
    ck_says(r, "outside");
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(printing_kernel_is_fine)
{
    struct result *r = verify_fault("if (i == 0) printf(\"a line of a kernel\\n\");");
    ck_status(r, STATUS_CORRECT);
    result_free(r);
}
END_TEST

START_TEST(image_of_a_build_loads)
{
    struct job *j = doubling("");
    struct image image;
    struct arena arena;
    struct policy policy = {.launches = 1, .batch = 1};
    struct result *r = result_new();
    arena_init(&arena);
    ck_assert_msg(device_build(kit.device, j, &arena, &image, r), "%s", r->message);
    ck_assert_uint_gt(r->build_ns, 0);
    struct loaded *l = device_load(kit.device, j, &image, r);
    ck_assert_msg(l != NULL, "%s", r->message);
    ck_assert_msg(device_verify(kit.device, l, &policy, r), "%s", r->message);
    device_unload(kit.device, l);
    result_free(r);
    arena_release(&arena);
    job_free(j);
}
END_TEST

// A macro that the source never names changes neither code nor digest; one that it names does.
START_TEST(image_digest_tells_code_apart)
{
    static const char *const options[] = {"-DUNUSED=1", "-DUNUSED=2", "-Dw=u"};
    struct digest digests[3];
    struct arena arena;
    arena_init(&arena);
    for (int i = 0; i < 3; i++) {
        struct job *j = doubling("float w = 0; (void)w;");
        struct image image;
        struct result *r = result_new();
        kit_option(j, options[i]);
        device_build(kit.device, j, &arena, &image, r);
        ck_status(r, STATUS_CORRECT);
        digests[i] = image.digest;
        result_free(r);
        job_free(j);
    }
    if (!kit_on_cuda()) // a cubin may differ in what is no code
        ck_assert(digest_equal(&digests[0], &digests[1]));
    if (device_describe(kit.device)->type == DEVICE_CPU) // a compiler may see that nothing changes
        ck_assert(!digest_equal(&digests[0], &digests[2]));
    arena_release(&arena);
}
END_TEST

// ---- measuring

static struct result *measure_job(struct job *j, const struct policy *policy)
{
    struct result *r = result_new();
    struct loaded *l = device_load(kit.device, j, NULL, r);
    ck_assert_msg(l != NULL, "%s", r->message);
    if (device_verify(kit.device, l, policy, r))
        device_measure(kit.device, l, policy, r);
    device_unload(kit.device, l);
    return r;
}

START_TEST(samples_are_kept_and_limits_met)
{
    static const struct {
        struct policy policy;
        uint32_t count;
        enum stop_reason stop;
    } cases[] = {
        {{.launches = 7, .batch = 1}, 7, STOP_SETTLED},
        {{.launches = 5, .batch = 3, .fixed = true}, 5, STOP_FIXED},
        {{.launches = 7, .batch = 1, .hopeless_ns = 1}, 2, STOP_HOPELESS},
        {{.launches = 7, .batch = 1, .budget_ns = 1}, 1, STOP_LIMIT},
        {{.launches = 4, .batch = 1, .hopeless_ns = 1, .fixed = true}, 4, STOP_FIXED},
    };
    struct job *j = doubling("");
    struct result *r = measure_job(j, &cases[_i].policy);
    ck_status(r, STATUS_CORRECT);
    ck_assert_uint_eq(r->sample_count, cases[_i].count);
    ck_assert_int_eq(r->stop, cases[_i].stop);
    for (uint32_t i = 0; i < r->sample_count; i++)
        ck_assert_uint_gt(r->samples_ns[i], 0);
    ck_assert(r->warm);
    result_free(r);
    job_free(j);
}
END_TEST

// Every launch adds one to what is there: without restoring, the second one would be wrong.
START_TEST(read_write_arguments_start_from_their_contents)
{
    struct job *j = kit_job("__kernel void k(__global float *b) { b[get_global_id(0)] += 1; }\n");
    struct policy policy = {.launches = 3, .batch = 2, .fixed = true};
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    float expected[N], first;
    for (int i = 0; i < N; i++)
        expected[i] = 6;
    kit_buffer(j, "b", N, ACCESS_BOTH);
    kit_constant(j, 0, 5);
    kit_launch(j, "k", N, 64);
    kit_expect(j, 0, expected);
    j->buffers[0].keep = _i == 1;
    struct result *r = result_new();
    struct loaded *l = device_load(kit.device, j, NULL, r);
    ck_assert(l && device_verify(kit.device, l, &policy, r));
    ck_assert(device_measure(kit.device, l, &policy, r));
    ck_assert_msg(device_output(kit.device, l, 0, &out, &e), "%s", e.text);
    memcpy(&first, out.data, sizeof first);
    // Kept contents go on from the launch before: 5, restored once, and six launches.
    ck_assert(first == (_i == 1 ? 11.0F : 6.0F));
    ck_assert(device_verify(kit.device, l, &policy, r));
    device_unload(kit.device, l);
    text_release(&out);
    result_free(r);
    job_free(j);
}
END_TEST

// Two kernels in order with a temporary buffer between them; each one's share of the time.
static struct job *two_steps(void)
{
    struct job *j = kit_job("__kernel void one(__global const float *a, __global float *b,\n"
                            "                  __global float *t) {\n"
                            "    t[get_global_id(0)] = a[get_global_id(0)] + 1;\n"
                            "}\n"
                            "__kernel void two(__global const float *a, __global float *b,\n"
                            "                  __global float *t) {\n"
                            "    b[get_global_id(0)] = t[get_global_id(0)] * 2;\n"
                            "}\n");
    float expected[N];
    for (int i = 0; i < N; i++)
        expected[i] = 5;
    kit_buffer(j, "a", N, ACCESS_READ);
    kit_buffer(j, "b", N, ACCESS_WRITE);
    kit_buffer(j, "t", N, ACCESS_BOTH);
    kit_constant(j, 0, 1.5);
    j->buffers[2].temporary = true;
    j->buffers[2].output = false;
    kit_launch(j, "one", N, 64);
    kit_launch(j, "two", N, 32);
    kit_expect(j, 1, expected);
    return j;
}

START_TEST(launches_run_in_order_and_share_the_time)
{
    struct job *j = two_steps();
    struct policy policy = {.launches = 5, .batch = 2, .fixed = true};
    struct result *r = measure_job(j, &policy);
    ck_status(r, STATUS_CORRECT);
    ck_assert_uint_eq(r->resource_count, 2);
    ck_assert_uint_eq(r->part_columns, 2);
    ck_assert_uint_eq(r->part_count, 10);
    for (uint32_t i = 0; i < 5; i++) {
        uint64_t parts = r->parts_ns[2 * i] + r->parts_ns[2 * i + 1];
        ck_assert_uint_gt(parts, 0);
        ck_assert_uint_le(parts, r->samples_ns[i] + 2); // rounding of two means
    }
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(a_step_left_out_is_seen_in_spite_of_the_run_before)
{
    struct job *j = two_steps();
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    j->launches++; // only the second: its input is poison, not what the first left there
    j->launch_count = 1;
    r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECTNESS);
    result_free(r);
    j->launches--;
    job_free(j);
}
END_TEST

START_TEST(several_jobs_are_loaded_and_share_inputs)
{
    struct job *a = doubling(""), *b = doubling("b[i] = v + 0;");
    struct policy policy = {.launches = 3, .batch = 1};
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct result *r = result_new();
    struct loaded *la = device_load(kit.device, a, NULL, r);
    struct loaded *lb = device_load(kit.device, b, NULL, r);
    ck_assert(la && lb);
    for (int round = 0; round < 3; round++) {
        ck_assert_msg(device_verify(kit.device, la, &policy, r), "%s", r->message);
        ck_assert_msg(device_verify(kit.device, lb, &policy, r), "%s", r->message);
        ck_assert(device_measure(kit.device, la, &policy, r));
    }
    ck_assert_msg(device_output(kit.device, la, 1, &out, &e), "%s", e.text);
    ck_assert_uint_eq(out.length, N * sizeof(float));
    ck_assert(device_verify(kit.device, lb, &policy, r));
    ck_assert(!device_output(kit.device, la, 1, &out, &e)); // overwritten since
    device_unload(kit.device, la);
    ck_assert(device_verify(kit.device, lb, &policy, r));
    device_unload(kit.device, lb);
    text_release(&out);
    result_free(r);
    job_free(a);
    job_free(b);
}
END_TEST

// ---- references

#define M 48
#define K 80

static struct job *product(const char *sum)
{
    struct text source = TEXT_INIT;
    text_addf(&source,
              "__kernel void mm(__global const float *a, __global const float *b,\n"
              "                 __global float *c) {\n"
              "    int i = get_global_id(0) / %d, j = get_global_id(0) %% %d;\n"
              "    float s = 0;\n"
              "    for (int p = 0; p < %d; p++) s += a[i * %d + p] * b[p * %d + j];\n"
              "    c[i * %d + j] = %s;\n"
              "}\n",
              M, M, K, K, M, M, sum);
    struct job *j = kit_job(text_cstr(&source));
    text_release(&source);
    kit_buffer(j, "a", M * K, ACCESS_READ);
    kit_buffer(j, "b", K * M, ACCESS_READ);
    uint32_t c = kit_buffer(j, "c", M * M, ACCESS_BOTH);
    kit_random(j, 0, 1);
    kit_random(j, 1, 2);
    kit_random(j, 2, 3);
    kit_launch(j, "mm", M * M, 64);
    j->buffers[c].compare = (struct job_compare){.kind = COMPARE_NORM, .rtol = 1e-5};
    j->reference.kind = REFERENCE_GEMM;
    j->reference.gemm =
        (struct job_gemm){.m = M, .n = M, .k = K, .a = 0, .b = 1, .c = 2, .alpha = 1, .beta = 0};
    return j;
}

START_TEST(gemm_is_the_reference)
{
    struct job *j = product("s");
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECT);
    ck_assert_double_lt(r->deviations[0].norm, 1e-6);
    result_free(r);
    job_free(j);
    j = product("2 * s + 0.5f * c[i * 48 + j]"); // with the initial contents of c
    j->reference.gemm.alpha = 2;
    j->reference.gemm.beta = 0.5;
    r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    j->reference.gemm.alpha = 2.001;
    r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECTNESS);
    ck_says(r, "relative norm 0.0005 (limit 1e-05;");
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(another_job_is_the_reference)
{
    struct job *j = product("s"), *other = product("s + 1");
    j->reference = (struct job_reference){.kind = REFERENCE_JOB, .job = other, .name = "other"};
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECTNESS);
    result_free(r);
    job_free(other);
    other = product("s");
    j->reference.job = other;
    j->reference.agreement = true;
    r = kit_verify(&kit, j);
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_AGREES);
    result_free(r);
    job_free(other);
    other = product("no such thing");
    j->reference.job = other;
    r = kit_verify(&kit, j);
    ck_status(r, STATUS_COMPILE);
    ck_assert_int_eq(r->fault, FAULT_REFERENCE);
    ck_says(r, "the reference 'other' cannot be made");
    result_free(r);
    job_free(other);
    job_free(j);
}
END_TEST

START_TEST(reference_of_another_process_is_found_in_the_cache)
{
    char cache[] = "/tmp/hone-test-cache-XXXXXX";
    struct job *j = product("s");
    struct digest recipe;
    char hex[65], path[256];
    struct text first = TEXT_INIT, second = TEXT_INIT;
    ck_assert(mkdtemp(cache) != NULL);
    job_reference_digest(j, &recipe);
    digest_hex(&recipe, hex);
    snprintf(path, sizeof path, "%s/reference-%.32s", cache, hex);
    for (int round = 0; round < 3; round++) {
        struct kit other;
        kit_open(&other, cache);
        struct result *r = kit_verify(&other, j);
        ck_status(r, STATUS_CORRECT);
        result_free(r);
        kit_close(&other);
        ck_assert(file_read(path, 0, round == 0 ? &first : &second, NULL));
        if (round == 0)
            continue;
        ck_assert_uint_eq(first.length, second.length);
        ck_assert(memcmp(first.data, second.data, first.length) == 0);
        // Damage it: the next round notices, makes it again and writes it anew.
        FILE *f = fopen(path, "r+b");
        ck_assert(f && fseek(f, -100, SEEK_END) == 0 && fputc(1, f) == 1 && fclose(f) == 0);
    }
    folder_remove(cache);
    text_release(&first);
    text_release(&second);
    job_free(j);
}
END_TEST

static void add_isolation(TCase *t)
{
    tcase_add_test(t, far_away_store_ends_the_process);
}

static void add(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, correct_kernel_is_verified);
    tcase_add_loop_test(t, wrong_kernels_are_found, 0, sizeof faults / sizeof *faults);
    tcase_add_test(t, unwritten_elements_are_counted);
    tcase_add_test(t, after_a_trespass_inputs_are_made_again);
    tcase_add_test(t, oversize_work_group_is_refused_before_it_is_built);
    tcase_add_test(t, indivisible_global_size_is_refused);
    if (!kit_on_cuda()) // which takes none as an argument
        tcase_add_test(t, too_much_local_memory_is_refused);
    tcase_add_test(t, oversize_buffer_is_refused);
    tcase_add_test(t, argument_count_is_checked);
    tcase_add_test(t, missing_kernel_is_named_with_those_there_are);
    if (!kit_on_cuda())
        tcase_add_test(t, kernel_that_headers_rename_is_found);
    tcase_add_test(t, scalar_of_the_wrong_size_is_named);
    tcase_add_test(t, option_that_replaces_an_arguments_name);
    tcase_add_test(t, build_errors_come_with_the_compilers_line);
    tcase_add_test(t, macro_values_with_blanks_and_quotes_arrive_whole);
    tcase_add_test(t, included_files_are_laid_out);
    tcase_add_test(t, printing_kernel_is_fine);
    tcase_add_test(t, image_of_a_build_loads);
    tcase_add_test(t, image_digest_tells_code_apart);
    tcase_add_loop_test(t, samples_are_kept_and_limits_met, 0, 5);
    tcase_add_loop_test(t, read_write_arguments_start_from_their_contents, 0, 2);
    tcase_add_test(t, launches_run_in_order_and_share_the_time);
    tcase_add_test(t, a_step_left_out_is_seen_in_spite_of_the_run_before);
    tcase_add_test(t, several_jobs_are_loaded_and_share_inputs);
    tcase_add_test(t, gemm_is_the_reference);
    tcase_add_test(t, another_job_is_the_reference);
    tcase_add_test(t, reference_of_another_process_is_found_in_the_cache);
}

int main(void)
{
    if (!kit_has_device())
        return KIT_SKIPPED;
    return kit_run("opencl isolation", add_isolation) | kit_run("opencl", add);
}
