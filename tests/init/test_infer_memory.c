// Every allocation fails once: a kernel is refused with "out of memory", and nothing leaks.
#include "extras/init/infer.h"

#include "../base/suite.h"
#include "../support/failing.h"

#include <string.h>

static const char text[] =
    "#ifndef T\n#define T 8\n#endif\n#define G(x) global x\n"
    "float f(float v) { return v * T; }\n"
    "kernel void k(G(float *) y, G(const int *) c, int n) { local float t[T];\n"
    "int2 p = (int2)(get_group_id(0) * T, get_local_id(0)); t[p.y] = f(c[p.x]);\n"
    "if (p.x + p.y < n) y[p.x + p.y] = t[p.y]; }";

static bool infer_without(long n)
{
    struct arena arena;
    struct inferred_kernels kernels;
    struct inferred f;
    struct error e = ERROR_INIT;
    arena_init(&arena);
    failing_start(n);
    bool ok = infer_kernels(text, sizeof text - 1, LANGUAGE_OPENCL, &arena, &kernels, &e) &&
              infer_kernel(text, sizeof text - 1, LANGUAGE_OPENCL, "k", &arena, &f, &e);
    bool reached = failing_end();
    ck_assert_msg(ok || (reached && e.code == ERROR_MEMORY), "allocation %ld: %s", n, e.text);
    arena_release(&arena);
    return !reached;
}

START_TEST(refused_at_every_allocation)
{
    long n = 0;
    while (!infer_without(n))
        n += n < 200 ? 1 : n / 16; // an item that is run allocates, too
    ck_assert_int_gt(n, 20);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, refused_at_every_allocation);
}

int main(void)
{
    return suite_run("infer_memory", add);
}
