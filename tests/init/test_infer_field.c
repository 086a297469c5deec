// Kernels as people write them, in tests/init/kernels: what is said of each stands beside it, in
// NAME.expected: the launch, names, sizes, and what is open. HONE_REWRITE=1 writes these anew; read the
// difference before keeping it.
#include "base/text.h"

#include "../base/suite.h"
#include "describe.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static const char folder[] = HONE_SOURCE_DIR "/tests/init/kernels";

static void describe_kernel(const struct text *source, enum language l, const char *kernel,
                            struct arena *a, struct text *out)
{
    struct inferred f;
    struct error e = ERROR_INIT;
    text_addf(out, "%s: ", kernel);
    if (!infer_kernel(text_cstr(source), source->length, l, kernel, a, &f, &e)) {
        text_addf(out, "%s\n", e.text);
        return;
    }
    describe_inferred(&f, out);
    text_add(out, "\n");
    for (uint32_t i = 0; i < f.open_count; i++)
        text_addf(out, "  ? %s\n", f.open[i]);
}

static void describe_file(const char *path, struct text *out)
{
    struct arena arena;
    struct inferred_kernels kernels;
    struct text source = TEXT_INIT;
    struct error e = ERROR_INIT;
    enum language l = strstr(path, ".cu") ? LANGUAGE_CUDA : LANGUAGE_OPENCL;
    arena_init(&arena);
    ck_assert_msg(file_read(path, 0, &source, &e), "%s", e.text);
    ck_assert(infer_kernels(text_cstr(&source), source.length, l, &arena, &kernels, &e));
    ck_assert_msg(kernels.count > 0, "%s", path);
    for (uint32_t i = 0; i < kernels.count; i++)
        describe_kernel(&source, l, kernels.names[i], &arena, out);
    text_release(&source);
    arena_release(&arena);
}

static void compare_with(const char *path, const struct text *found)
{
    struct text expected = TEXT_INIT;
    struct error e = ERROR_INIT;
    if (getenv("HONE_REWRITE")) {
        FILE *f = fopen(path, "w");
        ck_assert(f && fputs(text_cstr(found), f) >= 0 && fclose(f) == 0);
    }
    ck_assert_msg(file_read(path, 0, &expected, &e), "%s", e.text);
    ck_assert_str_eq(text_cstr(found), text_cstr(&expected));
    text_release(&expected);
}

START_TEST(as_expected)
{
    DIR *d = opendir(folder);
    unsigned count = 0;
    ck_assert(d != NULL);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        struct text path = TEXT_INIT, found = TEXT_INIT;
        if (!dot || (strcmp(dot, ".cl") != 0 && strcmp(dot, ".cu") != 0))
            continue;
        if (count++ % (SUITE_SANITIZED ? 3 : 1) > 0)
            continue;
        text_addf(&path, "%s/%s", folder, entry->d_name);
        describe_file(text_cstr(&path), &found);
        text_add(&path, ".expected");
        compare_with(text_cstr(&path), &found);
        text_release(&found);
        text_release(&path);
    }
    closedir(d);
    ck_assert_uint_gt(count, 40);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, as_expected);
}

int main(void)
{
    return suite_run("infer_field", add);
}
