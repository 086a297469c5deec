// The small pure parts: build texts, limits, the assembler's log, guard zones, reference files,
// names of driver codes.
#include "kit.h"

#include "device/build_text.h"
#include "device/limits.h"
#include "device/memory.h"
#include "device/nvidia_log.h"
#include "device/occupancy.h"
#include "device/backends/opencl/opencl.h"
#include "device/backends/opencl/opencl_log.h"
#include "device/reference_file.h"

#include <stdlib.h>
#include <string.h>

// ---- build texts

START_TEST(values_with_blanks_become_lines_of_the_source)
{
    struct job *j = kit_job("int x;\n");
    struct text options = TEXT_INIT, source = TEXT_INIT;
    struct error e = ERROR_INIT;
    kit_option(j, "-DN=4");
    kit_option(j, "-DT=unsigned int");
    kit_option(j, "-DF(x)=x + 1");
    kit_option(j, "-Dread_only=1");
    kit_option(j, "-cl-fast-relaxed-math");
    ck_assert(
        build_options(LANGUAGE_OPENCL, &j->programs[0], "./tree", "-cl-nv-verbose", &options, &e));
    ck_assert(build_source(LANGUAGE_OPENCL, &j->programs[0], &source, &e));
    ck_assert_str_eq(text_cstr(&options), "-DN=4 -cl-fast-relaxed-math -I./tree -cl-nv-verbose");
    ck_assert_str_eq(text_cstr(&source), "#define T unsigned int\n#define F(x) x + 1\n"
                                         "#define read_only 1\n#line 1\n"
                                         "int x;\n");
    text_release(&options);
    text_release(&source);
    job_free(j);
}
END_TEST

START_TEST(line_breaks_in_options_are_refused)
{
    struct job *j = kit_job("int x;\n");
    struct text source = TEXT_INIT;
    struct error e = ERROR_INIT;
    kit_option(j, "-DN=4\n#define M");
    ck_assert(!build_source(LANGUAGE_OPENCL, &j->programs[0], &source, &e));
    ck_assert_msg(strstr(e.text, "line break"), "%s", e.text);
    text_release(&source);
    job_free(j);
}
END_TEST

static struct digest digest_with(const char *source, const char *option)
{
    struct job *j = kit_job(source);
    struct digest_state s;
    struct digest d;
    kit_option(j, "-DN=M*2");
    kit_option(j, option);
    digest_start(&s);
    build_digest(&j->programs[0], &s);
    digest_finish(&s, &d);
    job_free(j);
    return d;
}

// Source, two options, whether the second one may change the code.
static const struct {
    const char *source, *one, *other;
    bool same;
} digests[] = {
    {"int x = N;", "-DUNUSED=1", "-DUNUSED=2", true},
    {"int x = K;", "-DK=1", "-DK=2", false},
    {"int x = KK;", "-DK=1", "-DK=2", true},
    {"int x = N;", "-DM=1", "-DM=2", false}, // through the value of N
    {"int x = a ## b;", "-DUNUSED=1", "-DUNUSED=2", false},
    {"int x = N;", "-cl-mad-enable", "-cl-fast-relaxed-math", false},
};

START_TEST(digest_leaves_out_what_is_never_named)
{
    struct digest a = digest_with(digests[_i].source, digests[_i].one);
    struct digest b = digest_with(digests[_i].source, digests[_i].other);
    ck_assert_int_eq(digest_equal(&a, &b), digests[_i].same);
}
END_TEST

// ---- limits

static const struct device_info small_device = {
    .max_group_size = 1024,
    .max_item_sizes = {1024, 1024, 64},
    .local_bytes = 49152,
    .max_alloc_bytes = 1 << 20,
    .global_bytes = 1 << 21,
};

// Sizes, and what the message must say; NULL: accepted.
static const struct {
    uint64_t global[3], local[3];
    const char *says;
    bool spec; // it is the spec's fault, on any device
} launches[] = {
    {{256, 256, 1}, {32, 32, 1}, NULL, false},
    {{256, 256, 1}, {0, 0, 0}, NULL, false},
    {{256, 256, 1}, {64, 32, 1}, "work-group 64x32x1 = 2048 exceeds the device's 1024", false},
    {{256, 256, 128}, {1, 1, 128}, "work-group of 128 along axis 2 exceeds the device's 64", false},
    {{100, 256, 1},
     {32, 1, 1},
     "global size 100 along axis 0 is not a multiple of the "
     "work-group's 32",
     true},
    {{0, 1, 1}, {1, 1, 1}, "the global size is 0", true},
    {{64, 64, 1}, {8, 0, 1}, "the work-group's size is 0 along an axis", true},
    {{UINT64_MAX, 1024, 1}, {UINT64_MAX, 2, 1}, "exceeds the device's", false},
};

START_TEST(launches_are_held_against_the_device)
{
    struct job_launch l = {.kernel = "k", .dimensions = 3};
    struct job j = {.launches = &l, .launch_count = 1};
    struct result *r = result_new();
    memcpy(l.global, launches[_i].global, sizeof l.global);
    memcpy(l.local, launches[_i].local, sizeof l.local);
    bool ok = limits_check_job(&j, &small_device, 0, r);
    ck_assert_int_eq(ok, launches[_i].says == NULL);
    if (!ok) {
        ck_status(r, STATUS_CONSTRAINTS);
        ck_assert_int_eq(r->device_limit, !launches[_i].spec);
        ck_assert_int_eq(fault_is_spec(r->fault), launches[_i].spec);
        ck_says(r, launches[_i].says);
    }
    result_free(r);
}
END_TEST

START_TEST(buffers_are_held_against_the_device)
{
    struct job_buffer b[3] = {{.name = "a", .element = {SCALAR_FLOAT, 1, 0}, .count = 200000}};
    struct job j = {.buffers = b, .buffer_count = 1};
    struct result *r = result_new();
    ck_assert(limits_check_job(&j, &small_device, 131072, r));
    ck_assert(!limits_check_job(&j, &small_device, 262144, r));
    ck_says(r, "buffer a: 1062144 bytes with its guard zones, but the device's largest buffer is");
    result_free(r);
    r = result_new();
    b[1] = b[2] = b[0];
    j.buffer_count = 3;
    ck_assert(!limits_check_job(&j, &small_device, 0, r));
    ck_says(r, "all buffers together");
    result_free(r);
    r = result_new();
    j.buffer_count = 2;
    ck_assert(limits_check_job(&j, &small_device, 0, r));
    b[0].access = ACCESS_BOTH; // has a copy
    ck_assert(!limits_check_job(&j, &small_device, 0, r));
    ck_says(r, "2400000 bytes, but the device's memory (all buffers together, and a copy of "
               "those that are restored) is 2097152");
    result_free(r);
}
END_TEST

START_TEST(local_memory_is_held_against_the_device)
{
    struct job_launch l = {.kernel = "k", .dimensions = 1, .local = {256, 1, 1}};
    struct result *r = result_new();
    ck_assert(limits_check_kernel(&l, &small_device, 256, 49152, r));
    ck_assert(!limits_check_kernel(&l, &small_device, 256, 49153, r));
    ck_says(r, "49153 bytes of local memory exceed the device's 49152");
    result_free(r);
    r = result_new();
    ck_assert(!limits_check_kernel(&l, &small_device, 128, 0, r));
    ck_says(r, "work-group 256 = 256 exceeds the kernel's limit on this device, 128");
    result_free(r);
}
END_TEST

// ---- the assembler's log, as NVIDIA's driver 580 writes it

static const char log_text[] =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'other' for 'sm_90a'\n"
    "ptxas info    : Function properties for other\n"
    "    16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 1 barriers, 16 bytes cumulative stack size\n"
    "ptxas info    : Compiling entry function 'mm' for 'sm_90a'\n"
    "ptxas info    : Function properties for mm\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 38 registers, used 1 barriers, 8192 bytes smem, 384 bytes cmem[0], 16 "
    "bytes cmem[2]\n";

START_TEST(registers_and_spills_are_read)
{
    struct resources unknown = RESOURCES_UNKNOWN, r = unknown;
    nvidia_log_resources(log_text, "mm", &r);
    ck_assert_int_eq(r.registers, 38);
    ck_assert_int_eq(r.spill_bytes, 0);
    ck_assert_int_eq(r.local_bytes, 8192);
    ck_assert_int_eq(r.private_bytes, 0);
    ck_assert_int_eq(r.constant_bytes, 400);
    r = unknown;
    nvidia_log_resources(log_text, "other", &r);
    ck_assert_int_eq(r.registers, 255);
    ck_assert_int_eq(r.spill_bytes, 8);
    ck_assert_int_eq(r.private_bytes, 16);
    ck_assert_int_eq(r.local_bytes, -1);
    r = unknown;
    nvidia_log_resources(log_text, "m", &r);
    ck_assert_int_eq(r.registers, -1);
    nvidia_log_resources("", "mm", &r);
    ck_assert_int_eq(r.registers, -1);
}
END_TEST

START_TEST(what_the_assembler_refuses_is_told_from_what_is_wrong)
{
    ck_assert(nvidia_log_is_limit("ptxas error   : Entry function 'mm' uses too much shared data "
                                  "(0x40000 bytes, 0x38c00 max)"));
    ck_assert(!nvidia_log_is_limit("<kernel>:3:5: error: use of undeclared identifier 'shared'"));
    ck_assert(!nvidia_log_is_limit("ptxas error   : Unresolved extern function 'f'"));
}
END_TEST

START_TEST(occupancy_follows_from_what_the_log_says)
{
    struct device_info hopper = {.capability = 90}, unknown_device = {.capability = 91};
    struct job_launch l = {.dimensions = 2, .local = {32, 8, 1}};
    struct resources unknown = RESOURCES_UNKNOWN, r = unknown;
    nvidia_log_resources(log_text, "mm", &r);
    ck_assert_int_eq(occupancy_groups(&hopper, &l, &r), 6); // 38 registers take 40: 6 of 256
    r.local_bytes = 100 << 10;
    ck_assert_int_eq(occupancy_groups(&hopper, &l, &r), 2);
    ck_assert_int_eq(occupancy_groups(&unknown_device, &l, &r), -1);
    ck_assert_int_eq(occupancy_groups(&hopper, &l, &unknown), -1);
    l.local[0] = l.local[1] = 0; // by the driver
    ck_assert_int_eq(occupancy_groups(&hopper, &l, &r), -1);
}
END_TEST

START_TEST(logs_are_kept_for_programs_that_a_cache_knows)
{
    char folder[] = "/tmp/hone-test-logs-XXXXXX";
    struct text log = TEXT_INIT;
    ck_assert(mkdtemp(folder) != NULL);
    opencl_log_complete(folder, "ptx", 3, &log);
    ck_assert_uint_eq(log.length, 0); // not known yet
    text_add(&log, log_text);
    opencl_log_complete(folder, "ptx", 3, &log);
    ck_assert_str_eq(log.data, log_text); // as it was
    text_clear(&log);
    opencl_log_complete(folder, "ptx", 3, &log);
    ck_assert_str_eq(log.data, log_text);
    text_clear(&log);
    opencl_log_complete(folder, "other", 5, &log);
    opencl_log_complete(NULL, "ptx", 3, &log);
    ck_assert_uint_eq(log.length, 0);
    text_release(&log);
    folder_remove(folder);
}
END_TEST

// ---- guard zones

START_TEST(guards_begin_right_behind_the_data)
{
    static const uint64_t sizes[] = {1, 100, 4096, 100000};
    struct mapping m;
    struct error e = ERROR_INIT;
    ck_assert_msg(mapping_new(&m, sizes[_i], &e), "%s", e.text);
    ck_assert_uint_eq((uintptr_t)m.data % 4096, 0);
    ck_assert_uint_ge(m.tail, GUARD_BYTES);
    memset(m.data - GUARD_BYTES, GUARD_BYTE, GUARD_BYTES);
    memset(m.data + sizes[_i], GUARD_BYTE, m.tail);
    memset(m.data, 0, sizes[_i]);
    ck_assert_uint_eq(guard_look_behind(m.data + sizes[_i], m.tail, GUARD_BYTE).count, 0);
    ck_assert_uint_eq(guard_look_before(m.data - GUARD_BYTES, GUARD_BYTES, GUARD_BYTE).count, 0);
    m.data[sizes[_i] + 4] = m.data[sizes[_i] + 5] = 0;
    struct trespass t = guard_look_behind(m.data + sizes[_i], m.tail, GUARD_BYTE);
    ck_assert_uint_eq(t.count, 2);
    ck_assert_uint_eq(t.first, 4);
    m.data[-8] = 0;
    t = guard_look_before(m.data - GUARD_BYTES, GUARD_BYTES, GUARD_BYTE);
    ck_assert_uint_eq(t.count, 1);
    ck_assert_uint_eq(t.first, 8);
    mapping_free(&m);
}
END_TEST

START_TEST(far_behind_the_guard_nothing_is_mapped)
{
    struct mapping m;
    struct error e = ERROR_INIT;
    ck_assert(mapping_new(&m, 1000, &e));
    ((volatile uint8_t *)m.data)[200000] = 1;
}
END_TEST

// ---- reference files

START_TEST(damaged_references_are_not_read)
{
    struct digest recipe, other;
    struct piece pieces[2] = {{.doubles = 1, .length = 80}, {.length = 0}};
    uint64_t length;
    digest_of("recipe", 6, &recipe);
    digest_of("other", 5, &other);
    uint8_t *blob = reference_layout(&recipe, pieces, 2, &length);
    ck_assert(blob != NULL);
    memset(blob + pieces[0].offset, 7, 80);
    reference_seal(blob, length);
    const struct piece *table = reference_table(blob, length, &recipe, 2);
    ck_assert(table && table[0].length == 80 && table[0].doubles == 1 && table[1].length == 0);
    ck_assert(!reference_table(blob, length, &other, 2));
    ck_assert(!reference_table(blob, length, &recipe, 3));
    ck_assert(!reference_table(blob, length - 64, &recipe, 2));
    ck_assert(!reference_table(blob, 8, &recipe, 2));
    for (uint64_t i = 0; i < length; i += 13) { // whatever byte is changed
        blob[i] ^= 0x10;
        ck_assert_msg(!reference_table(blob, length, &recipe, 2), "byte %llu",
                      (unsigned long long)i);
        blob[i] ^= 0x10;
    }
    ck_assert(reference_table(blob, length, &recipe, 2) != NULL);
    free(blob);
}
END_TEST

// ---- codes

START_TEST(driver_codes_have_names)
{
    char text[128];
    ck_assert_str_eq(opencl_code_text(-5, text), "CL_OUT_OF_RESOURCES (-5)");
    ck_assert_str_eq(opencl_code_text(-54, text), "CL_INVALID_WORK_GROUP_SIZE (-54)");
    ck_assert(strstr(opencl_code_text(-9999, text), "NVIDIA's code"));
    ck_assert(strstr(opencl_code_text(-1001, text), "CL_PLATFORM_NOT_FOUND_KHR"));
    ck_assert(strstr(opencl_code_text(-12345, text), "driver's own"));
}
END_TEST

// ---- fills of OpenCL

static uint64_t filled_to; // what follows begins here

static void covered(size_t from, size_t bytes, size_t pattern)
{
    ck_assert_uint_eq(from, filled_to);
    ck_assert_uint_gt(bytes, 0);
    ck_assert(from % pattern == 0 && bytes % pattern == 0);
    filled_to += bytes;
}

// As NVIDIA's driver does it: right as long as the patterns up to the end have a number that is an int.
static cl_int fill_by_ints(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t size,
                           size_t from, size_t bytes, cl_uint count, const cl_event *list,
                           cl_event *event)
{
    (void)queue, (void)buffer, (void)count, (void)list, (void)event;
    ck_assert(((const uint8_t *)pattern)[size - 1] == 0xa5);
    ck_assert_uint_le((from + bytes) / size, INT32_MAX);
    covered(from, bytes, size);
    return CL_SUCCESS;
}

static cl_int write_edge(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t from,
                         size_t bytes, const void *data, cl_uint count, const cl_event *list,
                         cl_event *event)
{
    (void)queue, (void)buffer, (void)count, (void)list, (void)event;
    ck_assert(blocking && bytes < 128 && ((const uint8_t *)data)[bytes - 1] == 0xa5);
    covered(from, bytes, 1);
    return CL_SUCCESS;
}

static const struct {
    int64_t at;
    uint64_t bytes;
} fills[] = {
    {0, 1000},
    {-64, 64},
    {0, (UINT64_C(1) << 31) - 257},
    {0, UINT64_C(1) << 31},
    {3, (UINT64_C(1) << 31) + 5},
    {UINT64_C(3) << 30, 1},
    {(UINT64_C(3) << 30) + 100, 40},
    {(UINT64_C(3) << 30) + 1, 127},
    {(UINT64_C(3) << 30) + 1, 4096},
    {-4096, UINT64_C(141) << 30},
};

START_TEST(fills_of_opencl_count_in_ints)
{
    struct opencl o = {.cl.clEnqueueFillBuffer = fill_by_ints,
                       .cl.clEnqueueWriteBuffer = write_edge};
    struct memory m = {.offset = 8192};
    struct error e = ERROR_INIT;
    filled_to = (uint64_t)(8192 + fills[_i].at);
    ck_assert(opencl_fill(&o, &m, fills[_i].at, 0xa5, fills[_i].bytes, &e));
    ck_assert_uint_eq(filled_to, (uint64_t)(8192 + fills[_i].at) + fills[_i].bytes);
}
END_TEST

static void add(TCase *t)
{
    tcase_add_test(t, values_with_blanks_become_lines_of_the_source);
    tcase_add_test(t, line_breaks_in_options_are_refused);
    tcase_add_loop_test(t, digest_leaves_out_what_is_never_named, 0,
                        sizeof digests / sizeof *digests);
    tcase_add_loop_test(t, launches_are_held_against_the_device, 0,
                        sizeof launches / sizeof *launches);
    tcase_add_test(t, buffers_are_held_against_the_device);
    tcase_add_test(t, local_memory_is_held_against_the_device);
    tcase_add_test(t, registers_and_spills_are_read);
    tcase_add_test(t, what_the_assembler_refuses_is_told_from_what_is_wrong);
    tcase_add_test(t, occupancy_follows_from_what_the_log_says);
    tcase_add_test(t, logs_are_kept_for_programs_that_a_cache_knows);
    tcase_add_loop_test(t, guards_begin_right_behind_the_data, 0, 4);
    tcase_add_test_raise_signal(t, far_behind_the_guard_nothing_is_mapped, 11);
    tcase_add_test(t, damaged_references_are_not_read);
    tcase_add_test(t, driver_codes_have_names);
    tcase_add_loop_test(t, fills_of_opencl_count_in_ints, 0, sizeof fills / sizeof *fills);
}

int main(void)
{
    return kit_run("parts", add);
}
