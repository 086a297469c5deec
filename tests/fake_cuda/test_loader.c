// What is said of libraries that are absent, damaged or too old, and of a driver that has no card.
#include "../fake_driver/life.h"
#include "kit.h"

#include "base/text.h"
#include "device/backends/cuda/cuda_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMPILER "libnvrtc.so"

// ---- the loader, in place of the system's for this program

static struct {
    const char *refused;         // names with this are not there
    const char *replaced, *with; // this name is this file
} loader;

static void *system_open(const char *name, int flags)
{
    void *symbol = dlsym(RTLD_NEXT, "dlopen");
    void *(*open)(const char *, int);
    memcpy(&open, &symbol, sizeof open);
    return open(name, flags);
}

void *dlopen(const char *name, int flags)
{
    if (name && loader.refused && strstr(name, loader.refused))
        return system_open("/nowhere/libcuda.so.1", flags);
    if (name && loader.replaced && strcmp(name, loader.replaced) == 0)
        return system_open(loader.with, flags);
    return system_open(name, flags);
}

// ---- lists

struct listed {
    struct arena arena;
    struct device_report list;
};

static void list(struct listed *l)
{
    struct error e = ERROR_INIT;
    struct device_options options = {.root = "/nowhere", .languages = languages_unnamed()};
    arena_init(&l->arena);
    ck_assert_msg(device_list(&l->arena, &options, &l->list, &e), "%s", e.text);
}

static void check_problem(const char *part)
{
    struct listed l;
    list(&l);
    ck_assert_uint_eq(l.list.device_count, 0);
    ck_assert_msg(strstr(l.list.problem, part) != NULL, "'%s' is not in '%s'", part,
                  l.list.problem);
    arena_release(&l.arena);
}

// ---- a copy of a library without one of its functions

struct copy {
    char folder[64], path[128];
};

static void rename_symbol(struct text *bytes, const char *symbol)
{
    size_t length = strlen(symbol) + 1, found = 0;
    for (size_t at = 1; at + length < bytes->length; at++) {
        if (bytes->data[at - 1] == '\0' && memcmp(bytes->data + at, symbol, length) == 0) {
            bytes->data[at] = 'x';
            found++;
        }
    }
    ck_assert_msg(found > 0, "%s is not in the library", symbol);
}

static void copy_without(struct copy *c, const char *library, const char *symbol)
{
    struct text bytes = TEXT_INIT;
    struct error e = ERROR_INIT;
    char from[512];
    snprintf(from, sizeof from, FAKE_DRIVER "/%s", library);
    ck_assert_msg(file_read(from, 0, &bytes, &e), "%s", e.text);
    rename_symbol(&bytes, symbol);
    *c = (struct copy){.folder = "/tmp/hone-test-loader-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(c->folder));
    snprintf(c->path, sizeof c->path, "%.60s/%.40s", c->folder, library);
    FILE *f = fopen(c->path, "wb");
    ck_assert_uint_eq(fwrite(bytes.data, 1, bytes.length, f), bytes.length);
    ck_assert_int_eq(fclose(f), 0);
    text_release(&bytes);
    loader.replaced = library;
    loader.with = c->path;
}

#define SYMBOL(name, symbol, result, parameters) symbol,
static const char *const driver_symbols[] = {CUDA_DRIVER_FUNCTIONS(SYMBOL)};
static const char *const optional_symbols[] = {CUDA_OPTIONAL_FUNCTIONS(SYMBOL)};
static const char *const compiler_symbols[] = {NVRTC_FUNCTIONS(SYMBOL)};
#undef SYMBOL
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

// ---- tests

// Whatever OpenCL, CUDA and NVML this machine has.
START_TEST(the_fakes_card_is_the_only_device)
{
    struct listed l;
    list(&l);
    ck_assert_str_eq(l.list.problem, "");
    ck_assert_uint_eq(l.list.note_count, 0);
    ck_assert_uint_eq(l.list.device_count, 1);
    ck_assert_msg(strstr(l.list.devices[0].id, "Fake card") != NULL, "%s", l.list.devices[0].id);
    arena_release(&l.arena);
}
END_TEST

START_TEST(a_driver_that_lacks_a_function_is_too_old)
{
    struct copy copy;
    copy_without(&copy, CUDA_LIBRARY, driver_symbols[_i]);
    check_problem(driver_symbols[_i]);
    check_problem("a driver for CUDA 11.4 or newer is needed");
    folder_remove(copy.folder);
}
END_TEST

START_TEST(a_compiler_that_lacks_a_function_is_too_old)
{
    struct copy copy;
    copy_without(&copy, COMPILER, compiler_symbols[_i]);
    check_problem(compiler_symbols[_i]);
    check_problem("CUDA 11.2 or newer is needed");
    folder_remove(copy.folder);
}
END_TEST

START_TEST(what_is_optional_may_be_missing)
{
    struct copy copy;
    struct life life;
    copy_without(&copy, CUDA_LIBRARY, optional_symbols[_i]);
    life_live(&life, LANGUAGE_CUDA);
    ck_assert_msg(life.correct && life.right, "%s", life.said);
    folder_remove(copy.folder);
}
END_TEST

// The machine simply has no NVIDIA driver: nothing to complain of in a list, but the card's id says
// it.
START_TEST(a_machine_without_a_driver_lacks_nothing)
{
    struct listed l;
    struct error e = ERROR_INIT;
    struct device_options options = {.scratch = "."};
    loader.refused = CUDA_LIBRARY;
    list(&l);
    ck_assert_uint_eq(l.list.device_count, 0);
    ck_assert_str_eq(l.list.problem, "");
    ck_assert_ptr_null(device_open("cuda/Fake card", &options, &e));
    ck_assert_msg(strstr(e.text, CUDA_LIBRARY) && strstr(e.text, "libcuda1"), "%s", e.text);
    arena_release(&l.arena);
}
END_TEST

START_TEST(a_damaged_driver_is_told)
{
    struct copy copy;
    copy_without(&copy, CUDA_LIBRARY, driver_symbols[0]);
    ck_assert_int_eq(truncate(copy.path, 20), 0);
    check_problem("file too short");
    folder_remove(copy.folder);
}
END_TEST

// The card is there: it is listed as one that lacks something, with the library's name.
START_TEST(a_card_without_a_compiler_is_told)
{
    struct listed l;
    loader.refused = "nvrtc";
    list(&l);
    ck_assert_uint_eq(l.list.device_count, 0);
    ck_assert_uint_eq(l.list.note_count, 1);
    ck_assert_msg(strstr(l.list.notes[0].device, "Fake card") != NULL, "%s",
                  l.list.notes[0].device);
    ck_assert_msg(strstr(l.list.notes[0].reason, COMPILER) != NULL, "%s", l.list.notes[0].reason);
    arena_release(&l.arena);
}
END_TEST

// An architecture needs the compiler alone.
START_TEST(an_architecture_needs_no_driver)
{
    struct error e = ERROR_INIT;
    struct device_options options = {.scratch = ".", .build_only = true};
    loader.refused = CUDA_LIBRARY;
    struct device *d = device_open("cuda/sm_90", &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    ck_assert_str_eq(device_describe(d)->compiler, "NVRTC 13.0");
    device_close(d);
    ck_assert_ptr_null(device_open("cuda/sm_75", &options, &e));
    ck_assert_msg(strstr(e.text, "sm_80, sm_90") != NULL, "%s", e.text); // what the fake builds for
    error_clear(&e);
    options.build_only = false;
    ck_assert_ptr_null(device_open("cuda/sm_90", &options, &e));
    ck_assert_msg(strstr(e.text, "there is no card") != NULL, "%s", e.text);
    error_clear(&e);
    options.build_only = true;
    loader.refused = "nvrtc";
    ck_assert_ptr_null(device_open("cuda/sm_90", &options, &e));
    ck_assert_msg(strstr(e.text, COMPILER) && strstr(e.text, "CUDA_HOME"), "%s", e.text);
}
END_TEST

// A driver without a card, one that does not fit the kernel's module, one that is broken.
START_TEST(a_driver_that_cannot_begin_is_told)
{
    static const struct {
        int code;
        const char *said;
    } codes[] = {{100, "CUDA_ERROR_NO_DEVICE (100)"},
                 {803, "(803)"},
                 {999, "CUDA_ERROR_UNKNOWN (999)"},
                 {3, "(3)"}};
    life_order("FAIL", "cuInit:%d", codes[_i].code);
    check_problem("cuInit: ");
    check_problem(codes[_i].said);
}
END_TEST

START_TEST(more_than_the_card_has_is_told)
{
    struct life life;
    life_order("MEMORY", "%d", 4096);
    life_live(&life, LANGUAGE_CUDA);
    ck_assert(!life.correct);
    ck_assert_msg(strstr(life.said, "largest buffer is 4096") != NULL, "%s", life.said);
    life_order("MEMORY", "%d", 1 << 28);
    life_order("FAIL", "%s", "cuMemAlloc:2");
    life_live(&life, LANGUAGE_CUDA);
    ck_assert(!life.correct);
    ck_assert_msg(strstr(life.said, "CUDA_ERROR_OUT_OF_MEMORY (2)") != NULL, "%s", life.said);
    // The card has it, so that somebody else holds it.
    ck_assert_msg(strstr(life.said, "it is not stored") != NULL, "%s", life.said);
}
END_TEST

static void add(TCase *t)
{
    tcase_add_test(t, the_fakes_card_is_the_only_device);
    tcase_add_loop_test(t, a_driver_that_lacks_a_function_is_too_old, 0, COUNT(driver_symbols));
    tcase_add_loop_test(t, a_compiler_that_lacks_a_function_is_too_old, 0, COUNT(compiler_symbols));
    tcase_add_loop_test(t, what_is_optional_may_be_missing, 0, COUNT(optional_symbols));
    tcase_add_test(t, a_machine_without_a_driver_lacks_nothing);
    tcase_add_test(t, a_damaged_driver_is_told);
    tcase_add_test(t, a_card_without_a_compiler_is_told);
    tcase_add_test(t, an_architecture_needs_no_driver);
    tcase_add_loop_test(t, a_driver_that_cannot_begin_is_told, 0, 4);
    tcase_add_test(t, more_than_the_card_has_is_told);
}

int main(void)
{
    return kit_run("loader", add);
}
