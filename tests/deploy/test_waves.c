// The lookup that counts waves of work-groups, on a simulated device of 132 compute units: a matrix product whose time is
// that of its waves. What a table of a few sizes loses at sizes between them is known exactly.
#include "extras/deploy/choose.h"
#include "extras/deploy/core_table.h"
#include "extras/deploy/formats.h"
#include "lookup_by_spec.h"
#include "extras/deploy/waves.h"

#include "base/random.h"

#include <hone_known.h>

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 4, CANDIDATES = TILES * TILES, MOST_SIZES = 64, UNITS = 132 };

#define SPEC_BEGIN                                                                                 \
    "{\"General\": {\"BenchmarkName\": \"product\", \"FormatVersion\": 1},"                        \
    " \"Constants\": {\"M\": 1024, \"N\": 1024, \"K\": 1024},"                                     \
    " \"ConfigurationSpace\": {\"TuningParameters\": ["                                            \
    "  {\"Name\": \"tile_m\", \"Type\": \"int\", \"Values\": \"[64, 96, 128, 256]\","              \
    "   \"Default\": 64},"                                                                         \
    "  {\"Name\": \"tile_n\", \"Type\": \"int\", \"Values\": \"[64, 96, 128, 256]\","              \
    "   \"Default\": 64}], \"Conditions\": []},"                                                   \
    " \"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"product\","            \
    "  \"KernelSource\": \"__kernel void product(__global float *to) { to[get_global_id(0)] = M; " \
    "}\","
#define SPEC_END                                                                                   \
    "  \"Arguments\": [{\"Name\": \"to\", \"Type\": \"float\", \"MemoryType\": \"Vector\","        \
    "   \"AccessType\": \"WriteOnly\", \"Size\": \"M * N\", \"Output\": true}]}}"

static const char spec_text[] =
    SPEC_BEGIN "  \"GlobalSize\": {\"X\": \"(M + tile_m - 1) // tile_m * 64\","
               "                   \"Y\": \"(N + tile_n - 1) // tile_n\"},"
               "  \"LocalSize\": {\"X\": \"64\", \"Y\": \"1\"}," SPEC_END;

// No more work-groups than there are units, each of which works through several tiles, in one of two ways; and some
// configurations pack their input first.
static const char persistent_text[] = SPEC_BEGIN
    "  \"GlobalSize\": {\"X\": \"1\"}, \"LocalSize\": {\"X\": \"1\"},"
    "  \"Launches\": ["
    "   {\"KernelName\": \"pack\", \"When\": \"tile_n != 64\", \"Arguments\": [\"to\"],"
    "    \"GlobalSize\": {\"X\": \"8 * tile_m * ceil(K / 32)\"}, \"LocalSize\": {\"X\": \"64\"}},"
    "   {\"KernelName\": \"product\", \"When\": \"tile_m == 64\", \"Arguments\": [\"to\"],"
    "    \"GlobalSize\": {\"X\": \"min(ceil(M / tile_m) * ceil(N / tile_n), "
    "max(device_compute_units, 1)) * 128\"}, \"LocalSize\": {\"X\": \"128\"}},"
    "   {\"KernelName\": \"product\", \"When\": \"tile_m != 64\", \"Arguments\": [\"to\"],"
    "    \"GlobalSize\": {\"X\": \"min(ceil(M / tile_m) * ceil(N / tile_n), "
    "max(device_compute_units, 1)) * 256\"}, \"LocalSize\": {\"X\": \"256\"}}]," SPEC_END;

static const int64_t tiles[TILES] = {64, 96, 128, 256};
static const struct device_info card = {
    .name = "Card", .compute_units = UNITS, .max_group_size = 1024};

// One simulated device: the matrix, and the table that is made of it.
struct simulated {
    struct arena arena;
    struct spec *spec;
    struct deploy_matrix m;
    struct deploy_chosen chosen;
    struct deploy_table table;
    int64_t shapes[MOST_SIZES][3];
    const int64_t *rows[MOST_SIZES];
    double ns[MOST_SIZES * CANDIDATES], weights[MOST_SIZES];
    int64_t groups[2 * MOST_SIZES * CANDIDATES]; // of one launch, or of two
    bool valid[MOST_SIZES * CANDIDATES], has_waves;
    struct deploy_cost costs[CANDIDATES];
};

static struct simulated sim;

static int64_t groups_of(int64_t size, uint32_t candidate)
{
    int64_t m = tiles[candidate / TILES], n = tiles[candidate % TILES];
    return ((size + m - 1) / m) * ((size + n - 1) / n);
}

// A wave works on its tiles along K, the better the larger they are; a launch takes 3 us. Without waves (a processor that
// hands out work evenly) the last one costs as much as it has work-groups.
static double time_of_size(int64_t size, uint32_t candidate)
{
    double m = (double)tiles[candidate / TILES], n = (double)tiles[candidate % TILES];
    double reuse = m * n / (m + n), waves = (double)groups_of(size, candidate) / UNITS;
    double wave = m * n * (1 + 24 / reuse) * ((double)size + 150) / 1500;
    return 3000 + (sim.has_waves ? ceil(waves) : waves) * wave;
}

static void add_size(int64_t size, struct rng *noise)
{
    uint32_t row = sim.m.point_count + sim.m.drawn_count;
    ck_assert_uint_lt(row, MOST_SIZES);
    for (int i = 0; i < 3; i++)
        sim.shapes[row][i] = size;
    sim.rows[row] = sim.shapes[row];
    sim.weights[row] = 1;
    for (uint32_t c = 0; c < CANDIDATES; c++) {
        sim.ns[row * CANDIDATES + c] = time_of_size(size, c) * (1 + 0.01 * (rng_unit(noise) - 0.5));
        sim.groups[row * CANDIDATES + c] = groups_of(size, c);
        sim.valid[row * CANDIDATES + c] = true;
    }
}

// Points from 256 to 8192, and `drawn` sizes between them.
static void measure_sizes(bool has_waves, uint32_t drawn)
{
    struct rng random;
    rng_init(&random, 11, 3);
    sim.has_waves = has_waves;
    sim.m = (struct deploy_matrix){.candidate_count = CANDIDATES,
                                   .default_candidate = 0,
                                   .column_count = 3,
                                   .shapes = sim.rows,
                                   .weights = sim.weights,
                                   .ns = sim.ns,
                                   .valid = sim.valid,
                                   .costs = sim.costs,
                                   .within = 0.02,
                                   .groups = sim.groups,
                                   .launch_count = 1,
                                   .compute_units = UNITS};
    for (int64_t size = 256; size <= 8192; size *= 2) {
        add_size(size, &random);
        sim.m.point_count++;
        if (size == 8192)
            break;
        add_size(size / 2 * 3, &random);
        sim.m.point_count++;
    }
    for (uint32_t i = 0; i < drawn; i++) {
        add_size(8 * (int64_t)(exp2(8 + 5 * rng_unit(&random)) / 8), &random);
        sim.m.drawn_count++;
    }
}

// The table of what was chosen, as the workflow makes it.
static void make_table(const char *text)
{
    struct error e = ERROR_INIT;
    static const char *const columns[] = {"M", "N", "K"};
    struct deploy_table *t = &sim.table;
    struct arena *a = &sim.arena;
    sim.spec = spec_parse(text, strlen(text), NULL, "product.json", NULL, &e);
    ck_assert_msg(sim.spec != NULL, "%s", e.text);
    ck_assert_msg(deploy_table_init(t, sim.spec, columns, 3, a, &e), "%s", e.text);
    t->source_digest = "0";
    t->configurations = arena_array(a, CANDIDATES, sizeof *t->configurations);
    for (uint32_t c = 0; c < CANDIDATES; c++) {
        const uint32_t choice[] = {c / TILES, c % TILES};
        ck_assert(deploy_configuration_make(t, choice, a, &t->configurations[c]));
    }
    t->configuration_count = CANDIDATES;
    struct deploy_device *d = t->devices = arena_alloc(a, sizeof *d);
    t->device_count = 1;
    *d = (struct deploy_device){.name = "Card",
                                .platform = "P",
                                .identity = "",
                                .vendor = "V",
                                .architecture = "a",
                                .driver = "1",
                                .compute_units = UNITS,
                                .facts = &card,
                                .points = sim.chosen.points,
                                .point_count = sim.chosen.point_count};
    for (uint32_t i = 0; i < d->point_count; i++)
        d->points[i].configuration = sim.chosen.candidates[d->points[i].configuration];
    if (!sim.chosen.model)
        return;
    hone_core_model *model = arena_alloc(a, sizeof *model);
    int32_t *costs = arena_array(a, (size_t)d->point_count * CANDIDATES, sizeof *costs);
    for (uint32_t i = 0; i < d->point_count; i++)
        memcpy(costs + (size_t)i * CANDIDATES,
               sim.chosen.model->costs + (size_t)sim.chosen.rows[i] * CANDIDATES,
               CANDIDATES * sizeof *costs);
    *model = *sim.chosen.model;
    model->costs = costs;
    d->model = model;
}

struct loss {
    double mean, most; // of the geometric kind: 0.02 is 2 %
    int64_t most_at;
};

// At 300 sizes between the points, by the file that an application reads; how hone itself looks up agrees.
static struct loss lose(void)
{
    struct error e = ERROR_INIT;
    struct text file = TEXT_INIT;
    struct rng random;
    struct loss out = {0, 0, 0};
    char why[200];
    const struct deploy_writing w = {.prefix = NULL};
    const hone_known_device device = {.name = "Card"};
    const struct deploy_asker who = {.name = "Card"};
    ck_assert_msg(deploy_format_find("known")->write(&sim.table, &w, &file, &e), "%s", e.text);
    hone_known *k = hone_known_read(text_cstr(&file), file.length, why, sizeof why);
    ck_assert_msg(k != NULL, "%s", why);
    rng_init(&random, 5, 5);
    for (int i = 0; i < 300; i++) {
        int64_t size = 8 * (int64_t)(exp2(8 + 5 * rng_unit(&random)) / 8);
        const int64_t shape[] = {size, size, size};
        uint32_t found = 0;
        double best = INFINITY;
        for (uint32_t c = 0; c < CANDIDATES; c++)
            best = fmin(best, time_of_size(size, c));
        ck_assert_int_eq(hone_known_best(k, &device, shape, 3, &found), 1);
        double ratio = time_of_size(size, found) / best;
        out.mean += log(ratio) / 300;
        out.most_at = ratio - 1 > out.most ? size : out.most_at;
        out.most = fmax(out.most, ratio - 1);
        if (i % 10)
            continue;
        struct deploy_answer answer;
        struct arena scratch;
        struct text reason = TEXT_INIT;
        arena_init(&scratch);
        deploy_find(&sim.table, &who, shape, &scratch, &answer);
        deploy_why(&sim.table, &who, &answer, &reason);
        hone_known_why(k, &device, shape, 3, why, sizeof why);
        ck_assert_uint_eq(answer.configuration, found);
        ck_assert_str_eq(why, text_cstr(&reason));
        text_release(&reason);
        arena_release(&scratch);
    }
    out.mean = expm1(out.mean);
    hone_known_close(k);
    text_release(&file);
    return out;
}

static void set_up(void)
{
    memset(&sim, 0, sizeof sim);
    arena_init(&sim.arena);
}

static void tear_down(void)
{
    spec_free(sim.spec);
    arena_release(&sim.arena);
}

// With sizes held out: as `hone deploy --hold-out 12`.
START_TEST(counting_waves_beats_the_nearest_point)
{
    measure_sizes(true, 12);
    ck_assert(deploy_choose(&sim.m, &sim.arena, &sim.chosen));
    ck_assert_ptr_nonnull(sim.chosen.model);
    ck_assert_double_lt(sim.chosen.crossed.mean, sim.chosen.crossed_nearest.mean);
    make_table(spec_text);
    struct loss waves = lose();
    sim.table.devices->model = NULL;
    struct loss nearest = lose();
    ck_assert_msg(waves.mean < 0.02 && waves.mean < nearest.mean / 2 && waves.most < nearest.most,
                  "by waves %.2f %%, at most %.1f %% at %lld; nearest %.2f %%, at most %.1f %%",
                  100 * waves.mean, 100 * waves.most, (long long)waves.most_at, 100 * nearest.mean,
                  100 * nearest.most);
}
END_TEST

// A kernel that launches no more work-groups than the device holds has waves all the same, wherever it stands among a
// configuration's launches.
START_TEST(a_persistent_kernel_has_waves)
{
    measure_sizes(true, 12);
    const uint32_t rows = sim.m.point_count + sim.m.drawn_count;
    const size_t cells = (size_t)rows * CANDIDATES;
    memcpy(sim.groups + cells, sim.groups, cells * sizeof *sim.groups);
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t c = 0; c < CANDIDATES; c++) // where it packs, that comes first
            sim.groups[row * CANDIDATES + c] =
                tiles[c % TILES] == 64 ? groups_of(sim.shapes[row][0], c)
                                       : tiles[c / TILES] * ((sim.shapes[row][2] + 31) / 32) / 8;
    }
    sim.m.launch_count = 2;
    ck_assert(deploy_choose(&sim.m, &sim.arena, &sim.chosen));
    ck_assert_ptr_nonnull(sim.chosen.model);
    ck_assert_uint_eq(sim.chosen.model->launch, 1);
    make_table(persistent_text);
    ck_assert_uint_eq(core_table_kernels(&sim.table), 2);
    struct loss waves = lose();
    sim.table.devices->model = NULL;
    struct loss nearest = lose();
    ck_assert_msg(waves.mean < 0.02 && waves.mean < nearest.mean / 2,
                  "by waves %.2f %%, at most %.1f %% at %lld; nearest %.2f %%", 100 * waves.mean,
                  100 * waves.most, (long long)waves.most_at, 100 * nearest.mean);
}
END_TEST

START_TEST(a_measured_shape_answers_itself)
{
    measure_sizes(true, 0);
    ck_assert(deploy_choose(&sim.m, &sim.arena, &sim.chosen));
    ck_assert_ptr_nonnull(sim.chosen.model);
    make_table(spec_text);
    for (uint32_t i = 0; i < sim.chosen.point_count; i++) {
        struct deploy_answer answer;
        struct arena scratch;
        const struct deploy_asker who = {.name = "Card"};
        arena_init(&scratch);
        deploy_find(&sim.table, &who, sim.chosen.points[i].shape, &scratch, &answer);
        ck_assert(answer.is_exact && !answer.is_predicted);
        ck_assert_uint_eq(answer.configuration, sim.chosen.points[i].configuration);
        arena_release(&scratch);
    }
}
END_TEST

// Where nothing comes in waves, or nobody knows the work-groups, the nearest point answers as before.
START_TEST(without_groups_there_is_no_model)
{
    measure_sizes(true, 4);
    sim.m.groups = NULL;
    ck_assert(deploy_choose(&sim.m, &sim.arena, &sim.chosen));
    ck_assert_ptr_null(sim.chosen.model);
    ck_assert_double_eq(sim.chosen.crossed.mean, sim.chosen.crossed_nearest.mean);
    memset(sim.groups, 0, sizeof sim.groups);
    sim.m.groups = sim.groups;
    ck_assert(deploy_choose(&sim.m, &sim.arena, &sim.chosen));
    ck_assert_ptr_null(sim.chosen.model);
}
END_TEST

// A prediction that is worse than the nearest point where that can be seen is not taken.
START_TEST(noise_is_no_model)
{
    struct rng random;
    rng_init(&random, 1, 1);
    measure_sizes(false, 0);
    for (size_t i = 0; i < sizeof sim.groups / sizeof *sim.groups; i++)
        sim.groups[i] = 1 + (int64_t)rng_below(&random, 100000);
    ck_assert(deploy_choose(&sim.m, &sim.arena, &sim.chosen));
    ck_assert_ptr_null(sim.chosen.model);
}
END_TEST

// How many work-groups a unit holds at once is learned.
START_TEST(resident_groups_are_learned)
{
    struct deploy_waves w;
    measure_sizes(true, 24);
    for (uint32_t row = 0; row < sim.m.point_count + 24; row++) {
        for (uint32_t c = 0; c < CANDIDATES;
             c++) { // candidate 1 has four at once, 2 does not know waves
            size_t at = row * CANDIDATES + c;
            int64_t waves = (sim.groups[at] + 4 * UNITS - 1) / (4 * UNITS);
            double k = (double)sim.shapes[row][2];
            sim.ns[at] = c == 1   ? (double)waves * 40 * k
                         : c == 2 ? (double)sim.groups[at] / UNITS * 10 * k
                                  : sim.ns[at];
        }
    }
    ck_assert(deploy_waves_init(&w, &sim.m, &sim.arena));
    ck_assert(deploy_waves_fit(&w, &sim.m, &sim.arena));
    ck_assert_ptr_nonnull(w.device.model);
    ck_assert_uint_eq(w.model.resident[0], 1);
    ck_assert_uint_eq(w.model.resident[1], 4);
    ck_assert_uint_eq(w.model.resident[2], 0);
}
END_TEST

// A launch of many small work-groups in front of it says nothing of the time.
START_TEST(the_launch_that_decides_is_counted)
{
    struct deploy_waves w;
    measure_sizes(true, 8);
    const uint32_t rows = sim.m.point_count + sim.m.drawn_count;
    memcpy(sim.groups + (size_t)rows * CANDIDATES, sim.groups,
           (size_t)rows * CANDIDATES * sizeof *sim.groups);
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t c = 0; c < CANDIDATES; c++)
            sim.groups[row * CANDIDATES + c] = sim.shapes[row][0] * sim.shapes[row][1] / 64;
    }
    sim.m.launch_count = 2;
    ck_assert(deploy_waves_init(&w, &sim.m, &sim.arena));
    ck_assert(deploy_waves_fit(&w, &sim.m, &sim.arena));
    ck_assert_ptr_nonnull(w.device.model);
    ck_assert_uint_eq(w.model.launch, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("deploy_waves");
    TCase *t = tcase_create("waves");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, counting_waves_beats_the_nearest_point);
    tcase_add_test(t, a_persistent_kernel_has_waves);
    tcase_add_test(t, a_measured_shape_answers_itself);
    tcase_add_test(t, without_groups_there_is_no_model);
    tcase_add_test(t, noise_is_no_model);
    tcase_add_test(t, resident_groups_are_learned);
    tcase_add_test(t, the_launch_that_decides_is_counted);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
