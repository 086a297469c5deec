// What is written for applications, a header and a `.hone` file, answers as hone's own lookup does, and makes of a
// configuration what hone itself launches.
#include "by_hand.h"

#include "extras/deploy/core_table.h"
#include "extras/deploy/formats.h"
#include "lookup_by_spec.h"
#include "extras/deploy/paste_source.h"
#include "hone_known.h"

#include "base/random.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_file(const char *folder, const char *name, const char *bytes, size_t length)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

static void write_as(const struct deploy_table *t, const char *format,
                     const struct deploy_writing *w, struct text *out)
{
    struct error e = ERROR_INIT;
    const struct deploy_format *f = deploy_format_find(format);
    ck_assert(f != NULL);
    ck_assert_msg(f->write(t, w, out, &e), "%s", e.text);
}

static void write_header_file(const struct deploy_table *t, const struct deploy_writing *w,
                              const char *folder, const char *name)
{
    struct text out = TEXT_INIT;
    write_as(t, "header", w, &out);
    write_file(folder, name, out.data, out.length);
    text_release(&out);
}

static void run_command(const char *format, const char *folder)
{
    char command[1024];
    snprintf(command, sizeof command, format, folder, folder, folder);
    int status = system(command);
    ck_assert_msg(status == 0, "%s", command);
}

// ---- lookups -----------------------------------------------------------------------------------

static const char calls[] =
    "#include \"two.h\"\n"
    "int best(const char *n, const char *v, const char *a, int64_t u, int64_t M, int64_t N);\n"
    "int best(const char *n, const char *v, const char *a, int64_t u, int64_t M, int64_t N)\n{\n"
    "    const two_sizes_handle h = two_sizes_device_like(n, v, a, u);\n"
    "    const two_sizes_configuration *c = two_sizes_best_on(&h, M, N);\n"
    "    return c ? (int)c->index : -1;\n}\n"
    "size_t why(const char *n, const char *v, const char *a, int64_t u, int64_t M, int64_t N, char "
    "*out, size_t size);\n"
    "size_t why(const char *n, const char *v, const char *a, int64_t u, int64_t M, int64_t N, char "
    "*out, size_t size)\n{\n"
    "    const two_sizes_handle h = two_sizes_device_like(n, v, a, u);\n"
    "    return two_sizes_why_on(&h, M, N, out, size);\n}\n";

typedef int (*best_fn)(const char *n, const char *v, const char *a, int64_t u, int64_t m,
                       int64_t nn);
typedef size_t (*why_fn)(const char *n, const char *v, const char *a, int64_t u, int64_t m,
                         int64_t nn, char *out, size_t size);

static const struct {
    const char *name, *vendor, *architecture;
    uint32_t units;
} askers[] = {
    {"Card A", "", "", 0},        {"Card B", "Vendor", "arch_2", 20}, {"GPU-b", "", "", 0},
    {"Card C", "Vendor", "", 12}, {"Card C", "Vendor", "", 19},       {"Card C", "Vendor", "", 15},
    {"Card D", "", "arch_2", 1},  {"Card E", "Other", "arch_9", 10},  {"", "", "", 0},
};

static void check_lookup(const struct deploy_table *t, const hone_known *k, best_fn best,
                         why_fn why, size_t asker, const int64_t *shape, struct arena *scratch)
{
    const struct deploy_asker who = {.name = askers[asker].name,
                                     .identity = askers[asker].name,
                                     .vendor = askers[asker].vendor,
                                     .architecture = askers[asker].architecture,
                                     .compute_units = askers[asker].units};
    const hone_known_device device = {who.name, who.vendor, who.architecture, who.compute_units};
    struct deploy_answer answer;
    struct text reason = TEXT_INIT;
    char from_header[300], from_known[300];
    uint32_t found = 0;
    deploy_find(t, &who, shape, scratch, &answer);
    deploy_why(t, &who, &answer, &reason);
    int expected = answer.configuration == DEPLOY_NONE ? -1 : (int)answer.configuration;
    int of_header = best(device.name, device.vendor, device.architecture, device.compute_units,
                         shape[0], shape[1]);
    int is_known = hone_known_best(k, &device, shape, 2, &found);
    size_t length = why(device.name, device.vendor, device.architecture, device.compute_units,
                        shape[0], shape[1], from_header, sizeof from_header);
    hone_known_why(k, &device, shape, 2, from_known, sizeof from_known);
    ck_assert_msg(of_header == expected && (is_known ? (int)found : -1) == expected,
                  "%s at %lld, %lld: hone %d (%s), header %d (%s), known %d", who.name,
                  (long long)shape[0], (long long)shape[1], expected, text_cstr(&reason), of_header,
                  from_header, (int)found);
    ck_assert_str_eq(from_header, text_cstr(&reason));
    ck_assert_str_eq(from_known, text_cstr(&reason));
    ck_assert_uint_eq(length, strlen(from_header));
    text_release(&reason);
}

// Two hundred points instead of the three of Card A, some of them twice.
static void scatter_points(struct by_hand *h, struct rng *random)
{
    enum { POINTS = 200 };
    struct deploy_device *d = &h->table.devices[0];
    d->points = arena_array(&h->arena, POINTS, sizeof *d->points);
    d->point_count = POINTS;
    for (uint32_t i = 0; i < POINTS; i++) {
        int64_t *shape = arena_array(&h->arena, 2, sizeof *shape);
        for (int c = 0; c < 2; c++)
            shape[c] = 8 * (1 + (int64_t)rng_below(random, i % 2 ? 6 : 4000));
        d->points[i] = (struct deploy_point){
            .shape = shape, .configuration = (uint32_t)rng_below(random, 3), .weight = 1};
    }
}

// What nobody measured: costs at random, some unknown.
static void model_at_random(struct by_hand *h, struct rng *random)
{
    struct deploy_device *d = &h->table.devices[0];
    const uint32_t configurations = h->table.configuration_count;
    hone_core_model *model = arena_alloc(&h->arena, sizeof *model);
    int64_t *slopes = arena_array(&h->arena, 2, sizeof *slopes);
    uint32_t *resident = arena_array(&h->arena, configurations, sizeof *resident);
    int32_t *costs = arena_array(&h->arena, (size_t)d->point_count * configurations, sizeof *costs);
    for (int i = 0; i < 2; i++)
        slopes[i] = (int64_t)rng_below(random, 4 << 16) - (2 << 16);
    for (uint32_t i = 0; i < configurations; i++)
        resident[i] = (uint32_t)rng_below(random, 3);
    for (uint32_t i = 0; i < d->point_count * configurations; i++)
        costs[i] = rng_below(random, 8) ? (int32_t)rng_below(random, 20 << 16) : HONE_CORE_UNTIMED;
    *model = (hone_core_model){0, NULL, slopes, resident, costs};
    d->model = model;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The tree finds the same eight points as looking at all, in the same order.
START_TEST(the_tree_has_the_nearest_points)
{
    struct by_hand h;
    struct rng random;
    struct core_table c;
    struct error e = ERROR_INIT;
    uint64_t all[200], keys[HONE_CORE_NEAR];
    by_hand_init(&h);
    rng_init(&random, 5, 5);
    scatter_points(&h, &random);
    ck_assert_msg(core_table_init(&c, &h.table, &e), "%s", e.text);
    const hone_core_handle handle = hone_core_device_of(&c.core, "Card A", NULL, NULL, 0);
    for (int round = 0; round < 5000; round++) {
        int64_t at[2];
        for (int k = 0; k < 2; k++)
            at[k] = hone_core_log2((int64_t)(rng_u64(&random) >> (40 + rng_below(&random, 24))));
        for (uint32_t i = 0; i < 200; i++)
            all[i] = hone_core_distance(at, hone_core_logarithms(&c.core, c.core.places[i]), 2)
                         << 16 |
                     i;
        qsort(all, 200, sizeof *all, compare_keys);
        hone_core_nearest(&handle, 2, at, NULL, keys, HONE_CORE_NEAR);
        ck_assert_mem_eq(keys, all, sizeof keys);
    }
    core_table_release(&c);
    by_hand_release(&h);
}
END_TEST

// Of points 0 to count: a tree as hone_core_nearest() reads it.
static void order_places(uint32_t *tree, uint32_t count, uint32_t column, uint32_t columns,
                         const int32_t *logarithms)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t point = tree[i];
        uint32_t k = i;
        for (; k > 0 &&
               logarithms[tree[k - 1] * columns + column] > logarithms[point * columns + column];
             k--)
            tree[k] = tree[k - 1];
        tree[k] = point;
    }
    if (count < 2)
        return;
    const uint32_t middle = count / 2, next = (column + 1) % columns;
    order_places(tree, middle, next, columns, logarithms);
    order_places(tree + middle + 1, count - middle - 1, next, columns, logarithms);
}

// Few different sizes, so that many points are equally near.
START_TEST(the_tree_is_searched_in_any_count_of_columns)
{
    enum { POINTS = 300, MOST = 5 };
    const uint32_t columns = (uint32_t)_i;
    const uint32_t count = columns == 1 ? 9 : POINTS;
    int32_t by_point[POINTS * MOST], logarithms[POINTS * MOST];
    uint32_t tree[POINTS];
    uint64_t all[POINTS], keys[HONE_CORE_NEAR];
    struct rng random;
    rng_init(&random, 6, (uint64_t)_i);
    for (uint32_t i = 0; i < count * columns; i++)
        by_point[i] = (int32_t)hone_core_log2(1 + (int64_t)rng_below(&random, 9));
    for (uint32_t i = 0; i < count; i++)
        tree[i] = i;
    order_places(tree, count, 0, columns, by_point);
    for (uint32_t i = 0; i < count * columns; i++)
        logarithms[i] = by_point[tree[i / columns] * columns + i % columns];
    const hone_core_device device = {.count = count};
    const hone_core_table table = {.column_count = columns,
                                   .devices = &device,
                                   .point_configurations = tree,
                                   .logarithms = logarithms,
                                   .tree = tree};
    const hone_core_handle handle = {.table = &table};
    for (int round = 0; round < 2000; round++) {
        int64_t at[HONE_CORE_COLUMNS] = {0};
        for (uint32_t k = 0; k < columns; k++)
            at[k] = hone_core_log2(1 + (int64_t)rng_below(&random, 12));
        for (uint32_t i = 0; i < count; i++)
            all[i] = hone_core_distance(at, &by_point[i * columns], columns) << 16 | i;
        qsort(all, count, sizeof *all, compare_keys);
        hone_core_nearest(&handle, columns, at, NULL, keys, HONE_CORE_NEAR);
        ck_assert_mem_eq(keys, all, sizeof keys);
        hone_core_nearest(&handle, columns, at, NULL, keys, 1);
        ck_assert_uint_eq(keys[0], all[0]);
    }
}
END_TEST

START_TEST(header_and_file_answer_as_hone_does)
{
    struct by_hand h;
    struct rng random;
    struct deploy_writing w = {.command = "a test"};
    struct text known = TEXT_INIT;
    char folder[] = "/tmp/hone_header_XXXXXX", path[64], error[200];
    by_hand_init(&h);
    rng_init(&random, 4, 4);
    if (_i)
        scatter_points(&h, &random);
    if (_i == 2)
        model_at_random(&h, &random);
    ck_assert(mkdtemp(folder) != NULL);
    write_header_file(&h.table, &w, folder, "two.h");
    write_file(folder, "calls.c", calls, strlen(calls));
    run_command(
        "cc -std=c99 -Wall -Wextra -Werror -pedantic -O1 -fPIC -shared -o %s/calls.so %s/calls.c",
        folder);
    snprintf(path, sizeof path, "%s/calls.so", folder);
    void *loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(loaded != NULL, "%s", dlerror());
    best_fn best;
    why_fn why;
    *(void **)&best = dlsym(loaded, "best");
    *(void **)&why = dlsym(loaded, "why");
    write_as(&h.table, "known", &w, &known);
    hone_known *k = hone_known_read(known.data, known.length, error, sizeof error);
    ck_assert_msg(k != NULL, "%s", error);
    for (size_t i = 0; i < (_i == 2 ? 3000 : 20000); i++) {
        static const int64_t sizes[] = {64, 256, 4096, 1, 8, 16, 24, 1 << 20};
        int64_t shape[2];
        for (int c = 0; c < 2; c++)
            shape[c] = rng_below(&random, 3)
                           ? sizes[rng_below(&random, 8)]
                           : 1 + (int64_t)(rng_u64(&random) >> (1 + rng_below(&random, 62)));
        struct arena scratch;
        arena_init(&scratch);
        check_lookup(&h.table, k, best, why, i % (sizeof askers / sizeof *askers), shape, &scratch);
        arena_release(&scratch);
    }
    hone_known_close(k);
    text_release(&known);
    dlclose(loaded);
    folder_remove(folder);
    by_hand_release(&h);
}
END_TEST

// ---- compilers ---------------------------------------------------------------------------------

static const char program[] =
    "#include \"one.h\"\n"
    "#include \"other.h\"\n"
    "#include \"one.h\"\n"
    "#include <stdio.h>\n"
    "int main(void)\n{\n"
    "    char text[512];\n"
    "    hone_deployed_launch launch;\n"
    "    const one_handle h = one_device(\"Card A\");\n"
    "    const one_configuration *c = one_best_on(&h, 4096, 256);\n"
    "    const other_configuration *d = other_best(\"Card A\", 100, 100);\n"
    "    if (!c || c->parameters.block != 32 || c->parameters.unroll != 2 || d)\n        return "
    "1;\n"
    "    if (one_launch(&h, c, 0, 4096, 256, &launch) != 1 || launch.global[0] != 4096 || "
    "launch.global[1] != 256 ||\n"
    "        launch.local[0] != 32 || launch.grid[0] != 128 || launch.argument_count != 1)\n       "
    " return 2;\n"
    "    if (one_launch(&h, c, 1, 4096, 256, &launch) != -1)\n        return 3;\n"
    "    if (one_bytes(&h, c, one_ARGUMENT_to, 4096, 256) != 4096 * 256 * 4)\n        return 4;\n"
    "    if (one_bytes(&h, c, one_ARGUMENT_to, INT64_C(1) << 40, INT64_C(1) << 40) != -1)\n        "
    "return 5;\n"
    "    one_options(&h, c, 4096, 256, text, sizeof text);\n"
    "    puts(text);\n"
    "    other_why(\"Card A\", 100, 100, text, sizeof text);\n"
    "    puts(text);\n"
    "    return one_default()->parameters.block == 8 && !one_find_binary(\"sm_90\", one_default(), "
    "1, 1) &&\n"
    "                   one_find_binary(\"sm_90\", c, 1, 1)->length == 3 && one_source(text, 0) > "
    "10\n"
    "               ? 0\n               : 6;\n}\n";

START_TEST(headers_compile_without_a_warning)
{
    static const char *const compilers[] = {
        "gcc -std=c99 -x c",     "gcc -std=c11 -x c",   "g++ -std=c++11 -x c++",
        "g++ -std=c++20 -x c++", "clang -std=c99 -x c", "clang++ -std=c++11 -x c++",
    };
    struct by_hand h;
    struct error e = ERROR_INIT;
    char folder[] = "/tmp/hone_headers_XXXXXX", command[600], line[600] = "";
    const struct deploy_image image = {"sm_90",
                                       2,
                                       NULL,
                                       "\x7f"
                                       "EL",
                                       3,
                                       "cubin"};
    by_hand_init(&h);
    struct spec_sources *sources = spec_sources_read(h.spec, LANGUAGE_OPENCL, NULL, NULL, &e);
    ck_assert_msg(sources != NULL, "%s", e.text);
    h.table.sources = sources;
    struct deploy_writing w = {
        .prefix = "one", .with_source = true, .images = &image, .image_count = 1};
    struct deploy_writing other = {.prefix = "other"};
    ck_assert(mkdtemp(folder) != NULL);
    write_header_file(&h.table, &w, folder, "one.h");
    write_header_file(&h.table, &other, folder, "other.h");
    write_file(folder, "main.c", program, strlen(program));
    size_t tried = 0;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        snprintf(command, sizeof command, "command -v %.*s >/dev/null",
                 (int)strcspn(compilers[i], " "), compilers[i]);
        if (system(command) != 0)
            continue;
        snprintf(command, sizeof command,
                 "%s -Wall -Wextra -Werror -pedantic -O2 -o %s/main %s/main.c", compilers[i],
                 folder, folder);
        ck_assert_msg(system(command) == 0, "%s", command);
        snprintf(command, sizeof command, "%s/main", folder);
        FILE *out = popen(command, "r");
        ck_assert(out && fgets(line, sizeof line, out));
        ck_assert_str_eq(line,
                         "-DHONE=1 -DSCALE=2 -DRATE=0.5 -Dblock=32 -Dunroll=2 -DM=4096 -DN=256\n");
        ck_assert(fgets(line, sizeof line, out) && pclose(out) == 0);
        ck_assert_str_eq(line, "no configuration is valid: M % block == 0\n");
        tried++;
    }
    ck_assert(tried > 0);
    spec_sources_free(sources);
    folder_remove(folder);
    by_hand_release(&h);
}
END_TEST

// Sizes and arguments that are named as the header's own.
START_TEST(names_of_the_header_are_the_users_too)
{
    static const char text[] =
        "{\"General\": {\"BenchmarkName\": \"names\", \"FormatVersion\": 1},"
        " \"Constants\": {\"size\": 64, \"size_\": 64, \"c\": 1, \"device\": 1, \"shape\": 1,"
        "  \"out\": 1, \"index\": 1, \"argument\": 1, \"i\": 1, \"b\": 1, \"architecture\": 1},"
        " \"ConfigurationSpace\": {\"TuningParameters\": ["
        "  {\"Name\": \"block\", \"Type\": \"int\", \"Values\": \"[8, 16]\", \"Default\": 8}]},"
        " \"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"copy\","
        "  \"KernelSource\": \"__kernel void copy(__global float *to) { to[get_global_id(0)] = 1; "
        "}\","
        "  \"GlobalSize\": {\"X\": \"size\"}, \"LocalSize\": {\"X\": \"block\"},"
        "  \"Arguments\": [{\"Name\": \"COUNT\", \"Type\": \"float\", \"MemoryType\": \"Vector\","
        "   \"AccessType\": \"WriteOnly\", \"Size\": \"size\", \"Output\": true}]}}";
    static const char *const columns[] = {"size",  "size_",    "c", "device", "shape",       "out",
                                          "index", "argument", "i", "b",      "architecture"};
    static const char main_text[] =
        "#include \"names.h\"\n"
        "int main(void)\n{\n"
        "    const names_configuration *c = names_best(\"\", 64, 64, 1, 1, 1, 1, 1, 1, 1, 1, 1);\n"
        "    return names_ARGUMENT_COUNT_ == 0 && names_ARGUMENT_COUNT == 1 && c ? 0 : 1;\n}\n";
    static const uint32_t first[] = {0};
    struct error e = ERROR_INIT;
    struct arena a;
    struct deploy_table t;
    struct deploy_configuration configuration;
    const struct deploy_image image = {"sm_90", 0, NULL, "ELF", 3, "cubin"};
    const struct deploy_writing w = {.images = &image, .image_count = 1};
    char folder[] = "/tmp/hone_names_XXXXXX";
    arena_init(&a);
    struct spec *spec = spec_parse(text, strlen(text), NULL, "names.json", NULL, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    ck_assert_msg(deploy_table_init(&t, spec, columns, sizeof columns / sizeof *columns, &a, &e),
                  "%s", e.text);
    t.source_digest = "0";
    t.configurations = &configuration;
    t.configuration_count = 1;
    ck_assert(deploy_configuration_make(&t, first, &a, &configuration));
    ck_assert(mkdtemp(folder) != NULL);
    write_header_file(&t, &w, folder, "names.h");
    write_file(folder, "main.c", main_text, strlen(main_text));
    run_command("cc -std=c99 -Wall -Wextra -Werror -pedantic -o %s/main %s/main.c && %s/main",
                folder);
    folder_remove(folder);
    spec_free(spec);
    arena_release(&a);
}
END_TEST

// ---- launches as hone makes them ---------------------------------------------------------------

// A table of one point: configuration `choice` of the shipped spec, and its default.
static void table_of_choice(struct deploy_table *t, const struct spec *s,
                            const struct spec_sources *src, const struct device_info *device,
                            const uint32_t *choice, struct arena *a)
{
    struct error e = ERROR_INIT;
    static const char *const three[] = {"M", "N", "K"}, *const one[] = {"WIDTH"};
    static const int64_t shape[] = {256, 256, 256};
    bool is_square = str_equal(s->constants[0].name, "WIDTH");
    uint32_t first[64];
    spec_default(s, first);
    ck_assert_msg(deploy_table_init(t, s, is_square ? one : three, is_square ? 1 : 3, a, &e), "%s",
                  e.text);
    t->source_digest = "0";
    t->sources = src;
    t->language = device->language;
    t->configurations = arena_array(a, 2, sizeof *t->configurations);
    ck_assert(deploy_configuration_make(t, first, a, &t->configurations[0]));
    ck_assert(deploy_configuration_make(t, choice, a, &t->configurations[1]));
    t->configuration_count = 2;
    t->devices = arena_array(a, 1, sizeof *t->devices);
    t->device_count = 1;
    struct deploy_point *point = arena_alloc(a, sizeof *point);
    *point = (struct deploy_point){.shape = shape, .configuration = 1};
    t->devices[0] = (struct deploy_device){.name = device->name,
                                           .platform = "P",
                                           .identity = "",
                                           .vendor = "V",
                                           .architecture = "sm_90",
                                           .driver = "1",
                                           .compute_units = device->compute_units,
                                           .facts = device,
                                           .points = point,
                                           .point_count = 1};
}

static void check_job_options(const struct job_program *p, const char *options)
{
    struct text all = TEXT_INIT;
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (!str_starts(p->options[i], "-DHONE_SOURCE="))
            ck_assert_msg(strstr(options, p->options[i]) != NULL, "%s is not in %s", p->options[i],
                          options);
        text_addf(&all, " %s", p->options[i]);
    }
    for (const char *at = options; *at;) {
        size_t length = strcspn(at, " ");
        ck_assert_msg(memmem(all.data, all.length, at, length) != NULL, "%s is not in%s", at,
                      all.data);
        at += length + (at[length] == ' ');
    }
    text_release(&all);
}

static void check_job(const hone_core_handle *h, const struct job *job, const int64_t *shape)
{
    char options[4096];
    uint32_t made = 0;
    size_t length = hone_core_options(h, 1, shape, options, sizeof options);
    ck_assert(length > 0 && length < sizeof options);
    check_job_options(&job->programs[0], options);
    for (uint32_t i = 0; i < h->table->configurations[1].launch_count; i++) {
        hone_deployed_launch l;
        int status = hone_core_launch_at(h, 1, i, shape, &l);
        ck_assert_int_ge(status, 0);
        if (status == 0)
            continue;
        ck_assert_uint_lt(made, job->launch_count);
        const struct job_launch *expected = &job->launches[made++];
        ck_assert_str_eq(l.kernel, expected->kernel);
        ck_assert_uint_eq(l.dimensions, expected->dimensions);
        ck_assert_uint_eq(l.local_memory, expected->dynamic_local_bytes);
        for (int axis = 0; axis < 3; axis++) {
            ck_assert_uint_eq(l.global[axis], expected->global[axis]);
            ck_assert_uint_eq(l.local[axis], expected->local[axis]);
        }
        ck_assert_uint_eq(l.argument_count, expected->argument_count);
        for (uint32_t k = 0; k < l.argument_count; k++) {
            const struct job_argument *a = &expected->arguments[k];
            ck_assert_str_eq(h->table->arguments[l.arguments[k]], a->name);
            if (a->kind != ARGUMENT_BUFFER)
                continue;
            const struct job_buffer *b = &job->buffers[a->buffer];
            ck_assert_int_eq(hone_core_bytes(h, 1, l.arguments[k], shape),
                             (int64_t)(b->count * element_bytes(&b->element)));
        }
    }
    ck_assert_uint_eq(made, job->launch_count);
}

static void check_spec(const char *path, const struct device_info *device, struct rng *random,
                       size_t *checked)
{
    struct error e = ERROR_INIT;
    int64_t shape[3];
    char words[3][32];
    const char *set[3];
    static const char *const names[] = {"M", "N", "K"};
    struct spec *plain = spec_load(path, NULL, &e);
    ck_assert_msg(plain != NULL, "%s", e.text);
    bool is_square = str_equal(plain->constants[0].name, "WIDTH");
    struct arena a;
    arena_init(&a);
    for (int i = 0; i < 3; i++) {
        shape[i] = 1 + (int64_t)(rng_u64(random) >> (52 + rng_below(random, 11)));
        snprintf(words[i], sizeof words[i], "%s=%lld", is_square ? "WIDTH" : names[i],
                 (long long)shape[i]);
        set[i] = words[i];
    }
    const struct spec_options fixed = {.set = set, .set_count = is_square ? 1 : 3};
    struct spec *at_shape = spec_load(path, &fixed, &e);
    ck_assert_msg(at_shape != NULL, "%s", e.text);
    struct spec_sources *src = spec_sources_read(plain, device->language, NULL, NULL, &e);
    struct spec_sources *src_at = spec_sources_read(at_shape, device->language, NULL, NULL, &e);
    ck_assert_msg(src && src_at, "%s", e.text);
    uint32_t choice[64];
    for (uint32_t i = 0; i < plain->parameter_count; i++)
        choice[i] = (uint32_t)rng_below(random, plain->parameters[i].count);
    struct deploy_table t;
    struct core_table c;
    struct job *job;
    table_of_choice(&t, plain, src, device, choice, &a);
    ck_assert_msg(core_table_init(&c, &t, &e), "%s", e.text);
    ck_assert_str_eq(t.configurations[1].options, c.core.configurations[1].options);
    hone_core_handle h = hone_core_device_of(&c.core, device->name, NULL, NULL, 0);
    if (spec_job(at_shape, src_at, device, choice, &job, &e)) {
        check_job(&h, job, shape);
        job_free(job);
        ++*checked;
    }
    struct arena scratch;
    arena_init(&scratch);
    hone_core_value slots[HONE_CORE_SLOTS];
    hone_core_bind(&h, shape, slots);
    ck_assert_int_eq(deploy_excluded(&t, choice, shape, device, &scratch) == DEPLOY_NONE,
                     hone_core_excluded(&c.core, 1, slots) == HONE_CORE_NONE);
    arena_release(&scratch);
    core_table_release(&c);
    spec_sources_free(src);
    spec_sources_free(src_at);
    spec_free(plain);
    spec_free(at_shape);
    arena_release(&a);
}

START_TEST(shipped_specs_are_launched_as_hone_does)
{
    static const char *const names[] = {"matmul_tensor",  "matmul_vector", "matmul_simt",
                                        "matmul_shared",  "matmul_tiled",  "matmul_register",
                                        "matmul_blocked", "matmul_bounded"};
    struct device_info devices[] = {
        {.language = LANGUAGE_OPENCL,
         .name = "Card",
         .vendor = "V",
         .platform = "P",
         .compute_units = 132,
         .max_group_size = 1024,
         .local_bytes = 49152,
         .global_bytes = UINT64_C(1) << 36,
         .capability = 90,
         .subgroup_size = 32},
        {.language = LANGUAGE_CUDA,
         .name = "Card",
         .vendor = "V",
         .platform = "CUDA",
         .compute_units = 132,
         .max_group_size = 1024,
         .local_bytes = 232448,
         .global_bytes = UINT64_C(1) << 36,
         .capability = 90,
         .subgroup_size = 32},
    };
    struct rng random;
    char path[512];
    rng_init(&random, 9, 9);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t checked = 0;
        snprintf(path, sizeof path, "%s/kernels_cl/%s.json", HONE_SOURCE_DIR, names[i]);
        for (size_t k = 0; k < 40; k++)
            check_spec(path, &devices[strcmp(names[i], "matmul_vector") == 0 ? 0 : k % 2], &random,
                       &checked);
        ck_assert_msg(checked > 5, "%s: %zu", names[i], checked);
    }
}
END_TEST

static void set_value(const struct spec *s, uint32_t *choice, const char *name, const char *value)
{
    uint32_t p = 0, v = 0;
    while (strcmp(s->parameters[p].name, name) != 0)
        p++;
    for (const struct parameter *at = &s->parameters[p];; v++) {
        struct text shown = TEXT_INIT;
        ck_assert_uint_lt(v, at->count);
        value_print(&at->values[v], &shown);
        bool is_it = strstr(text_cstr(&shown), value) != NULL;
        text_release(&shown);
        if (is_it)
            break;
    }
    choice[p] = v;
}

// matmul_half's work-groups that share k wait for each other: a launch for another card's compute units would hang.
static void check_asker(const struct core_table *c, const char *name, int64_t units, uint32_t best,
                        int status)
{
    static const int64_t shape[] = {1024, 1024, 1024};
    const hone_core_handle h = hone_core_device_of(&c->core, name, NULL, "sm_90", units);
    hone_deployed_launch launch = {.grid = {0}};
    ck_assert_uint_eq(hone_core_find(&h, shape).configuration, best);
    ck_assert_int_eq(hone_core_launch_at(&h, 1, 0, shape, &launch), status);
    ck_assert_int_eq(hone_core_bytes(&h, 1, 3, shape) > 0, status == 1);
    if (status == 1)
        ck_assert_uint_eq(launch.grid[0], units ? units : 132);
}

START_TEST(another_cards_compute_units_have_to_be_told)
{
    const struct device_info device = {.language = LANGUAGE_CUDA,
                                       .name = "Card",
                                       .platform = "CUDA",
                                       .compute_units = 132,
                                       .max_group_size = 1024,
                                       .local_bytes = 232448,
                                       .capability = 90};
    struct error e = ERROR_INIT;
    struct arena a;
    struct deploy_table t;
    struct core_table c;
    struct text out = TEXT_INIT;
    const struct deploy_writing w = {.prefix = "half"};
    uint32_t choice[64];
    arena_init(&a);
    struct spec *s = spec_load(HONE_SOURCE_DIR "/kernels_cl/matmul_half.json", NULL, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    struct spec_sources *src = spec_sources_read(s, LANGUAGE_CUDA, NULL, NULL, &e);
    ck_assert_msg(src != NULL, "%s", e.text);
    spec_default(s, choice);
    set_value(s, choice, "instruction", "wgmma");
    set_value(s, choice, "stages", "2");
    set_value(s, choice, "splits", "2");
    table_of_choice(&t, s, src, &device, choice, &a);
    ck_assert_msg(core_table_init(&c, &t, &e), "%s", e.text);
    check_asker(&c, "Card", 0, 1, 1);
    check_asker(&c, "Card", 60, 1, 1);
    check_asker(&c, "Another", 60, 1, 1);
    check_asker(&c, "Another", 1, 0, 1); // fewer than parts
    check_asker(&c, "Another", 0, 0, -1);
    core_table_release(&c);
    // Which buffers the application has to fill is in the header.
    write_as(&t, "header", &w, &out);
    ck_assert(
        strstr(text_cstr(&out), "half_ARGUMENT_parts, /* zeros before the first launch */\n"));
    ck_assert(strstr(text_cstr(&out), "half_ARGUMENT_C,\n"));
    text_release(&out);
    spec_sources_free(src);
    spec_free(s);
    arena_release(&a);
}
END_TEST

// ---- macros and values -------------------------------------------------------------------------

// A table of one configuration, over n, of a spec with this derived parameter D, and argument m.
static struct spec *derive_with(const char *derived, const char *value, struct arena *a,
                                struct deploy_table *t, struct deploy_configuration *configuration)
{
    static const char *const columns[] = {"n"};
    static const uint32_t first[] = {0};
    struct error e = ERROR_INIT;
    const char *text = arena_printf(
        a,
        "{\"General\": {\"BenchmarkName\": \"derived\", \"FormatVersion\": 1},"
        " \"Constants\": {\"n\": 64}, \"ConfigurationSpace\": {\"TuningParameters\": ["
        "  {\"Name\": \"block\", \"Type\": \"int\", \"Values\": \"[8]\", \"Default\": 8}],"
        "  \"Derived\": [{\"Name\": \"D\", \"Expression\": \"%s\"}]},"
        " \"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"copy\","
        "  \"KernelSource\": \"__kernel void copy(__global float *to, int n, uint m) { to[0] = D; "
        "}\","
        "  \"GlobalSize\": {\"X\": \"n\"}, \"LocalSize\": {\"X\": \"block\"},"
        "  \"Arguments\": [{\"Name\": \"to\", \"Type\": \"float\", \"MemoryType\": \"Vector\","
        "    \"AccessType\": \"WriteOnly\", \"Size\": \"1\", \"Output\": true},"
        "   {\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": "
        "\"n\"},"
        "   {\"Name\": \"m\", \"Type\": \"uint32\", \"MemoryType\": \"Scalar\", \"FillValue\": "
        "\"%s\"}]}}",
        derived, value);
    struct spec *spec = spec_parse(text, strlen(text), NULL, "derived.json", NULL, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    ck_assert_msg(deploy_table_init(t, spec, columns, 1, a, &e), "%s", e.text);
    t->source_digest = "0";
    t->configurations = configuration;
    t->configuration_count = 1;
    ck_assert(deploy_configuration_make(t, first, a, configuration));
    return spec;
}

static struct spec *derive(const char *derived, struct arena *a, struct deploy_table *t,
                           struct deploy_configuration *configuration)
{
    return derive_with(derived, "n - 9", a, t, configuration);
}

// What hone itself would refuse to launch is no answer, and options that have no value are none.
START_TEST(values_fit_their_types)
{
    static const struct {
        int64_t n;
        uint32_t configuration;
    } sizes[] = {{8, HONE_CORE_NONE},
                 {9, 0},
                 {INT32_MAX, 0},
                 {INT64_C(1) << 31, HONE_CORE_NONE},
                 {INT64_C(1) << 40, HONE_CORE_NONE}};
    struct error e = ERROR_INIT;
    struct arena a = {0};
    struct deploy_table t;
    struct deploy_configuration configuration;
    struct core_table c;
    char options[100] = "-DOLD";
    const int64_t without = 64;
    struct spec *s = derive("7 // (n - 64)", &a, &t, &configuration);
    ck_assert_msg(core_table_init(&c, &t, &e), "%s", e.text);
    const hone_core_handle h = hone_core_device_of(&c.core, "", NULL, NULL, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        ck_assert_msg(hone_core_find(&h, &sizes[i].n).configuration == sizes[i].configuration,
                      "%lld", (long long)sizes[i].n);
    hone_core_why(&h, &sizes[3].n, options, sizeof options);
    ck_assert_str_eq(options,
                     "no configuration is valid: an argument's value does not fit its type");
    ck_assert_uint_eq(hone_core_options(&h, 0, &without, options, sizeof options), 0);
    ck_assert_str_eq(options, "");
    core_table_release(&c);
    spec_free(s);
    arena_release(&a);
}
END_TEST

// An argument's value that no lookup can compute limits nothing.
START_TEST(values_that_are_not_looked_up_limit_nothing)
{
    static const struct {
        const char *value;
        uint32_t limits; // beside that of the argument n
    } cases[] = {{"int(log2(n))", 0}, {"int(sqrt(n)) + 1", 0}, {"n * n", 1}, {"7", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error e = ERROR_INIT;
        struct arena a = {0};
        struct deploy_table t;
        struct deploy_configuration configuration;
        struct core_table c;
        struct spec *s = derive_with("n // 2", cases[i].value, &a, &t, &configuration);
        ck_assert_msg(core_table_init(&c, &t, &e), "%s: %s", cases[i].value, e.text);
        uint32_t limits = 0;
        const hone_core_configuration *k = c.core.configurations;
        for (uint32_t r = 0; r < k->restriction_count; r++)
            limits += strstr(k->restrictions[r].text, "does not fit its type") != NULL;
        ck_assert_msg(limits == 1 + cases[i].limits, "%s: %u", cases[i].value, (unsigned)limits);
        core_table_release(&c);
        spec_free(s);
        arena_release(&a);
    }
}
END_TEST

START_TEST(macros_that_no_application_can_make_are_refused)
{
    const struct deploy_image image = {"sm_90", 0, NULL, "ELF", 3, "cubin"};
    const struct deploy_writing w = {.images = &image, .image_count = 1};
    static const struct {
        const char *derived, *wrong; // NULL: nothing
    } cases[] = {{"n / 2", "the macro D, 'n / 2', may be a float"},
                 {"1 if n > 5 else 0.5", "may be a float"},
                 {"n // 2", NULL},
                 {"n > 5", NULL},
                 {"device_compute_units * n", "the macro D reads a fact of the device that asks"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error e = ERROR_INIT;
        struct arena a = {0};
        struct deploy_table t;
        struct deploy_configuration configuration;
        struct text out = TEXT_INIT;
        struct spec *s = derive(cases[i].derived, &a, &t, &configuration);
        bool ok = deploy_format_find("header")->write(&t, &w, &out, &e);
        ck_assert_msg(ok == !cases[i].wrong && (ok || strstr(e.text, cases[i].wrong)), "%s: %s",
                      cases[i].derived, e.text);
        text_release(&out);
        spec_free(s);
        arena_release(&a);
    }
}
END_TEST

// ---- the kernel's text -------------------------------------------------------------------------

static void preprocess(const char *folder, const char *from, const char *to)
{
    char command[1200];
    snprintf(command, sizeof command,
             "cc -E -P -xc -I'%s/kernels_cl' -Dtile_m=64 -Dtile_n=64 -Dinstruction=wgmma -Dwgmma=1 "
             "-Dmapped=0 '%s' > %s/%s 2>/dev/null || :",
             HONE_SOURCE_DIR, from, folder, to);
    ck_assert_int_eq(system(command), 0);
}

// Pasted into one text it is what the compiler would have read.
START_TEST(pasted_sources_are_the_same_text)
{
    static const struct {
        const char *spec, *file;
        enum language language;
    } kernels[] = {
        {"kernels_cl/matmul_tensor.json", "kernels_cl/matmul_tensor.cl", LANGUAGE_OPENCL},
        {"kernels_cl/matmul_tensor.json", "kernels_cu/matmul_tensor.cu", LANGUAGE_CUDA},
        {"kernels_cl/matmul_vector.json", "kernels_cl/matmul_vector.cl", LANGUAGE_OPENCL}};
    char folder[] = "/tmp/hone_paste_XXXXXX", path[600];
    ck_assert(mkdtemp(folder) != NULL);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct error e = ERROR_INIT;
        struct text out = TEXT_INIT, expected = TEXT_INIT, got = TEXT_INIT;
        snprintf(path, sizeof path, "%s/%s", HONE_SOURCE_DIR, kernels[i].spec);
        struct spec *s = spec_load(path, NULL, &e);
        ck_assert_msg(s != NULL, "%s", e.text);
        struct spec_sources *src = spec_sources_read(s, kernels[i].language, NULL, NULL, &e);
        ck_assert_msg(src != NULL, "%s", e.text);
        const struct deploy_table t = {
            .spec = s, .sources = src, .language = kernels[i].language, .spec_path = path};
        ck_assert_msg(paste_source(&t, &out, &e), "%s", e.text);
        ck_assert(!strstr(text_cstr(&out), "#include \""));
        write_file(folder, "pasted.c", out.data, out.length);
        snprintf(path, sizeof path, "%s/pasted.c", folder);
        preprocess(folder, path, "got");
        snprintf(path, sizeof path, "%s/%s", HONE_SOURCE_DIR, kernels[i].file);
        preprocess(folder, path, "expected");
        snprintf(path, sizeof path, "%s/got", folder);
        ck_assert(file_read(path, 0, &got, &e));
        snprintf(path, sizeof path, "%s/expected", folder);
        ck_assert(file_read(path, 0, &expected, &e));
        ck_assert(got.length > 500);
        ck_assert_msg(str_equal(text_cstr(&got), text_cstr(&expected)), "%s", kernels[i].file);
        text_release(&out);
        text_release(&got);
        text_release(&expected);
        spec_sources_free(src);
        spec_free(s);
    }
    folder_remove(folder);
}
END_TEST

// A comment may begin in the line of an #include and end in another one; a name that a macro gives leads nowhere.
START_TEST(includes_are_pasted_whole_or_refused)
{
    static const char spec_text[] =
        "{\"kernel\": \"k.cl\", \"constants\": {\"n\": 64}, \"parameters\": {\"block\": [8]},"
        " \"global\": [\"n\"], \"local\": [\"block\"],"
        " \"arguments\": {\"to\": {\"size\": \"n\", \"expect\": \"1\"}}}";
    static const struct {
        const char *kernel, *pasted, *wrong;
    } cases[] = {{"#include \"one.h\" /* a,\n b */\n__kernel void k(__global float *to) { }\n",
                  "#define ONE 1\n__kernel void k(__global float *to) { }\n", NULL},
                 {"#include \\\n  \"one.h\"\n__kernel void k(__global float *to) { }\n",
                  "#define ONE 1\n__kernel void k(__global float *to) { }\n", NULL},
                 {"#define HDR \"one.h\"\n#include HDR\n__kernel void k(__global float *to) { }\n",
                  NULL, "k.cl, line 2: '#include HDR' cannot be pasted"},
                 {"#if n > 5\n#  import <a.h>\n#endif\n__kernel void k(__global float *to) { }\n",
                  NULL, "k.cl, line 2: '#import <a.h>' cannot be pasted"},
                 {"#ifdef __METAL_VERSION__\n#import <a.h>\n#endif\n#if 0\n#include HDR\n#endif\n"
                  "__kernel void k(__global float *to) { }\n",
                  "#ifdef __METAL_VERSION__\n#import <a.h>\n#endif\n#if 0\n#include HDR\n#endif\n"
                  "__kernel void k(__global float *to) { }\n",
                  NULL}};
    char folder[] = "/tmp/hone_paste_XXXXXX", path[600];
    ck_assert(mkdtemp(folder) != NULL);
    write_file(folder, "one.h", "#define ONE 1\n", 14);
    write_file(folder, "k.json", spec_text, strlen(spec_text));
    snprintf(path, sizeof path, "%s/k.json", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error e = ERROR_INIT;
        struct text out = TEXT_INIT;
        write_file(folder, "k.cl", cases[i].kernel, strlen(cases[i].kernel));
        struct spec *s = spec_load(path, NULL, &e);
        ck_assert_msg(s != NULL, "%s", e.text);
        struct spec_sources *src = spec_sources_read(s, LANGUAGE_OPENCL, NULL, NULL, &e);
        ck_assert_msg(src != NULL, "%s", e.text);
        const struct deploy_table t = {
            .spec = s, .sources = src, .language = LANGUAGE_OPENCL, .spec_path = path};
        bool ok = paste_source(&t, &out, &e);
        ck_assert_msg(ok ? cases[i].pasted && str_equal(text_cstr(&out), cases[i].pasted)
                         : cases[i].wrong && strstr(e.text, cases[i].wrong),
                      "%zu: %s[%s]", i, e.text, text_cstr(&out));
        text_release(&out);
        spec_sources_free(src);
        spec_free(s);
    }
    folder_remove(folder);
}
END_TEST

// ---- files that are not whole ------------------------------------------------------------------

START_TEST(damaged_files_are_refused)
{
    struct by_hand h;
    struct text known = TEXT_INIT, shipped = TEXT_INIT;
    struct error e = ERROR_INIT;
    char error[200], path[600];
    const struct deploy_writing w = {.prefix = "two"};
    by_hand_init(&h);
    write_as(&h.table, "known", &w, &known);
    ck_assert(!hone_known_read("", 0, error, sizeof error) && strstr(error, "no checksum"));
    for (size_t i = 0; i < known.length; i += 7) {
        ck_assert(!hone_known_read(known.data, i, error, sizeof error));
        known.data[i] ^= 1;
        ck_assert_msg(!hone_known_read(known.data, known.length, error, sizeof error), "byte %zu",
                      i);
        known.data[i] ^= 1;
    }
    // The file of tests/install is this one; HONE_REWRITE=1 writes it.
    snprintf(path, sizeof path, "%s/tests/install/application", HONE_SOURCE_DIR);
    if (getenv("HONE_REWRITE"))
        write_file(path, "two.hone", known.data, known.length);
    snprintf(path, sizeof path, "%s/tests/install/application/two.hone", HONE_SOURCE_DIR);
    ck_assert_msg(file_read(path, 0, &shipped, &e), "%s", e.text);
    ck_assert_msg(str_equal(text_cstr(&shipped), text_cstr(&known)),
                  "%s is not what is written today", path);
    text_release(&shipped);
    ck_assert(!hone_known_open("/nowhere/at.hone", error, sizeof error) &&
              strstr(error, "cannot be opened"));
    hone_known *k = hone_known_read(known.data, known.length, error, sizeof error);
    ck_assert(k != NULL);
    char text[300];
    const hone_known_device card = {"Card A", NULL, NULL, 0};
    const int64_t shape[] = {4096, 256};
    uint32_t best = 0;
    hone_known_launch launch;
    ck_assert_int_eq(hone_known_best(k, &card, shape, 2, &best), 1);
    ck_assert_int_eq(hone_known_best(k, &card, shape, 3, &best), -1);
    ck_assert_uint_eq(best, 2);
    ck_assert_str_eq(hone_known_about(k, HONE_KNOWN_NAME), "two");
    ck_assert_str_eq(hone_known_about(k, HONE_KNOWN_LANGUAGE), "OpenCL");
    ck_assert_uint_eq(hone_known_value(k, best, "block", text, sizeof text), 2);
    ck_assert_str_eq(text, "32");
    ck_assert_uint_eq(hone_known_value(k, best, "bloc", text, sizeof text), 0);
    ck_assert_uint_gt(hone_known_options(k, &card, best, shape, text, sizeof text), 0);
    ck_assert_str_eq(text, "-DHONE=1 -DSCALE=2 -DRATE=0.5 -Dblock=32 -Dunroll=2 -DM=4096 -DN=256");
    ck_assert_int_eq(hone_known_geometry(k, &card, best, 0, shape, &launch), 1);
    ck_assert_uint_eq(launch.grid[0], 128);
    ck_assert_int_eq(hone_known_geometry(k, &card, 99, 0, shape, &launch), -1);
    ck_assert_int_eq(hone_known_bytes(k, &card, best, 0, shape), 4096 * 256 * 4);
    ck_assert_uint_eq(hone_known_why(k, &card, shape, 1, text, 8),
                      strlen("a shape of this table has 2 columns"));
    hone_known_close(k);
    hone_known_close(NULL);
    text_release(&known);
    by_hand_release(&h);
}
END_TEST

// A file from a stranger answers in a moment, or not at all.
START_TEST(files_that_take_too_long_are_refused)
{
    struct text out = TEXT_INIT;
    char error[200];
    text_add(&out,
             "hone-known 2 \"a\" \"OpenCL\" \"0\" \"s\" \"0\" \"0\"\ncolumns 1 \"n\"\nfacts 0\n"
             "arguments 0\nprograms 1\nprogram 4096 #1");
    for (int i = 1; i < 4096; i++)
        text_add(&out, " not");
    text_add(&out, "\nconfigurations 1 0\nconfiguration \"c\" \"\" \"\" -\nrestrictions 4097\n");
    for (int i = 0; i < 4097; i++)
        text_add(&out, "0 \"\"\n");
    text_add(&out, "defines 0\nlaunches 0\nbytes\ndevices 0 0\n");
    text_addf(&out, "checksum %016llx\n", (unsigned long long)known_checksum(out.data, out.length));
    ck_assert(!hone_known_read(out.data, out.length, error, sizeof error));
    ck_assert_str_eq(error, "its restrictions take too long to be looked up");
    text_release(&out);
}
END_TEST

// Two programs of different cores under one number would decide by the order of their #includes: whoever changes the core
// gives it the next number, and its digest is written here.
START_TEST(a_changed_core_has_another_number)
{
    struct error e = ERROR_INIT;
    struct text core = TEXT_INIT;
    struct digest digest;
    char hex[65];
    ck_assert(file_read(HONE_SOURCE_DIR "/src/core/known/known_core.h", 0, &core, &e));
    ck_assert(strstr(text_cstr(&core), "#define HONE_KNOWN_CORE 6\n"));
    digest_of(core.data, core.length, &digest);
    digest_hex(&digest, hex);
    ck_assert_str_eq(hex, "176c6a65fe0b3d9c8ae4f09e7428482f41bf93a83571f0fc025a6c49a013994f");
    text_release(&core);
}
END_TEST

// Sizes above 2^16 may have the logarithm of another: what was measured is the answer all the same.
START_TEST(a_measured_shape_has_its_own_configuration)
{
    struct by_hand h;
    struct core_table c;
    struct error e = ERROR_INIT;
    by_hand_init(&h);
    struct deploy_device *d = &h.table.devices[0];
    for (uint32_t i = 0; i < 2; i++) {
        int64_t *shape = arena_array(&h.arena, 2, sizeof *shape);
        shape[0] = 100000000 + 128 * (int64_t)i, shape[1] = 1 << 20;
        d->points[i].shape = shape;
        d->points[i].configuration = i;
    }
    d->point_count = 2;
    ck_assert_msg(core_table_init(&c, &h.table, &e), "%s", e.text);
    const hone_core_handle who = hone_core_device_of(&c.core, d->name, NULL, NULL, 0);
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_uint_eq(hone_core_find(&who, d->points[i].shape).configuration, i);
    core_table_release(&c);
    by_hand_release(&h);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("deploy_header");
    TCase *t = tcase_create("deploy_header");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, header_and_file_answer_as_hone_does, 0, 3);
    tcase_add_test(t, the_tree_has_the_nearest_points);
    tcase_add_loop_test(t, the_tree_is_searched_in_any_count_of_columns, 1, 6);
    tcase_add_test(t, headers_compile_without_a_warning);
    tcase_add_test(t, names_of_the_header_are_the_users_too);
    tcase_add_test(t, shipped_specs_are_launched_as_hone_does);
    tcase_add_test(t, another_cards_compute_units_have_to_be_told);
    tcase_add_test(t, pasted_sources_are_the_same_text);
    tcase_add_test(t, damaged_files_are_refused);
    tcase_add_test(t, includes_are_pasted_whole_or_refused);
    tcase_add_test(t, values_fit_their_types);
    tcase_add_test(t, values_that_are_not_looked_up_limit_nothing);
    tcase_add_test(t, macros_that_no_application_can_make_are_refused);
    tcase_add_test(t, files_that_take_too_long_are_refused);
    tcase_add_test(t, a_changed_core_has_another_number);
    tcase_add_test(t, a_measured_shape_has_its_own_configuration);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
