// Headers of the host's that NVRTC asks for in vain: each is given once, and only those that hone knows.
#include "device/backends/cuda/cuda_host.h"

#include "../base/suite.h"

#include <string.h>

#define ASKS(name)                                                                                 \
    "k.cu(1): catastrophic error: cannot open source file \"" name "\"\n  #include <" name ">\n"

START_TEST(what_is_asked_for)
{
    struct cuda_host h = {.count = 0};
    ck_assert(cuda_host_add(&h, ASKS("cstdint")));
    ck_assert(cuda_host_add(&h, ASKS("stdio.h")));
    ck_assert_uint_eq(h.count, 2);
    ck_assert_str_eq(h.names[0], "cstdint");
    ck_assert_ptr_nonnull(strstr(h.texts[0], "uint32_t;"));
    ck_assert_str_eq(h.texts[1], "");
    // It was given already; a file of the user's own; another error; parts of a name.
    ck_assert(!cuda_host_add(&h, ASKS("cstdint")));
    ck_assert(!cuda_host_add(&h, ASKS("my.h")));
    ck_assert(!cuda_host_add(&h, "k.cu(3): error: identifier \"stdio.h\" is undefined"));
    ck_assert(!cuda_host_add(&h, "cannot open source file \"stdlib"));
    ck_assert(!cuda_host_add(&h, "cannot open source file \"stdlib.hpp\""));
    ck_assert(!cuda_host_add(&h, ""));
    ck_assert_uint_eq(h.count, 2);
}
END_TEST

// The places of a log's errors, whatever else stands there.
START_TEST(places_of_errors)
{
    const char *log = "k.cu(12): warning #1: x\n  f(3): error\n/a (b)/k.cu(34): error: no\n"
                      "no place: error: x\ninc/h.hpp(5): catastrophic error: y\n";
    char file[64];
    uint32_t line;
    ck_assert(cuda_log_next_error(&log, file, sizeof file, &line));
    ck_assert_str_eq(file, "/a (b)/k.cu");
    ck_assert_uint_eq(line, 34);
    ck_assert(cuda_log_next_error(&log, file, sizeof file, &line));
    ck_assert_str_eq(file, "inc/h.hpp");
    ck_assert_uint_eq(line, 5);
    ck_assert(!cuda_log_next_error(&log, file, sizeof file, &line));
}
END_TEST

START_TEST(empty_headers)
{
    struct cuda_host h = {.count = 0};
    ck_assert(cuda_host_add_empty(&h, "cuda_profiler_api.h"));
    ck_assert(!cuda_host_add_empty(&h, "cuda_profiler_api.h"));
    ck_assert_str_eq(h.texts[0], "");
    cuda_host_release(&h);
    h.takes_any = true;
    char name[16];
    for (int i = 0; i < CUDA_HOST_MOST; i++) {
        str_format(name, sizeof name, "h%d", i);
        ck_assert(cuda_host_add_empty(&h, name));
    }
    ck_assert(!cuda_host_add(&h, ASKS("one_more.h")));
    ck_assert_str_eq(text_cstr(&h.not_found), "");
    cuda_host_release(&h);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, what_is_asked_for);
    tcase_add_test(tests, places_of_errors);
    tcase_add_test(tests, empty_headers);
}

int main(void)
{
    return suite_run("cuda_host", add);
}
