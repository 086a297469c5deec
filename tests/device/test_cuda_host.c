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

static void add(TCase *tests)
{
    tcase_add_test(tests, what_is_asked_for);
}

int main(void)
{
    return suite_run("cuda_host", add);
}
