// lookup_table SPEC DEVICES SHAPES FOLDER [waves]: writes a dispatch table of random shapes, and twelve random configurations,
// as FOLDER/table.h and FOLDER/table.hone, for tests/bench/lookup.sh. With `waves` each device has a model of random costs.
#include "extras/deploy/dispatch.h"
#include "extras/deploy/formats.h"
#include "extras/deploy/dispatch.h"
#include "known/known_core.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>

enum { CONFIGURATIONS = 12, COLUMNS = 3 };

static void stop(const struct error *e)
{
    fprintf(stderr, "%s\n", e->text);
    exit(EXIT_FAILURE);
}

static void write_table(const struct deploy_table *t, const char *format, const char *folder,
                        const char *name)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    const struct deploy_writing w = {.prefix = "bench"};
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || !deploy_format_find(format)->write(t, &w, &out, &e))
        stop(&e);
    fwrite(out.data, 1, out.length, file);
    fclose(file);
    text_release(&out);
}

static const hone_core_model *random_model(struct arena *a, struct rng *r, uint32_t shapes)
{
    static const int64_t slopes[COLUMNS] = {20000, 20000, 20000};
    hone_core_model *model = arena_alloc(a, sizeof *model);
    uint32_t *resident = arena_array(a, CONFIGURATIONS, sizeof *resident);
    int32_t *costs = arena_array(a, (size_t)shapes * CONFIGURATIONS, sizeof *costs);
    for (uint32_t i = 0; i < CONFIGURATIONS; i++)
        resident[i] = 1 + (uint32_t)rng_below(r, 2);
    for (uint32_t i = 0; i < shapes * CONFIGURATIONS; i++)
        costs[i] = (int32_t)((10 << 16) + rng_below(r, 1 << 16));
    *model = (hone_core_model){2, NULL, slopes, resident, costs};
    return model;
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"M", "N", "K"};
    static const struct device_info facts = {.compute_units = 132,
                                             .capability = 90,
                                             .local_bytes = 232448,
                                             .max_group_size = 1024,
                                             .global_bytes = 1 << 30};
    static const int64_t common[] = {1024, 1024, 1024};
    struct error e = ERROR_INIT;
    struct arena a;
    struct rng r;
    struct deploy_table t;
    arena_init(&a);
    rng_init(&r, 1, 1);
    struct spec *s = argc == 5 || argc == 6 ? spec_load(argv[1], NULL, &e) : NULL;
    if (!s || !deploy_table_init(&t, s, columns, COLUMNS, &a, &e))
        stop(&e);
    uint32_t devices = (uint32_t)atoi(argv[2]), shapes = (uint32_t)atoi(argv[3]), choice[100];
    t.source_digest = "0";
    t.language = LANGUAGE_CUDA;
    t.configurations = arena_array(&a, CONFIGURATIONS, sizeof *t.configurations);
    t.configuration_count = CONFIGURATIONS;
    spec_default(s, choice);
    for (uint32_t i = 0; i < CONFIGURATIONS; i++) {
        deploy_configuration_make(&t, choice, &a, &t.configurations[i]);
        // Valid ones where K and N are multiples of four, as tuned ones are.
        do
            for (uint32_t k = 0; k < s->parameter_count; k++)
                choice[k] = (uint32_t)rng_below(&r, s->parameters[k].count);
        while (deploy_excluded(&t, choice, common, &facts, &a) != DEPLOY_NONE);
    }
    t.devices = arena_array(&a, devices, sizeof *t.devices);
    t.device_count = devices;
    for (uint32_t i = 0; i < devices; i++) {
        struct deploy_point *points = arena_array(&a, shapes, sizeof *points);
        for (uint32_t k = 0; k < shapes; k++) {
            int64_t *shape = arena_array(&a, COLUMNS, sizeof *shape);
            for (int c = 0; c < COLUMNS; c++)
                shape[c] = 1 + (int64_t)(rng_u64(&r) >> (64 - 4 - rng_below(&r, 11)));
            points[k] = (struct deploy_point){
                .shape = shape, .configuration = (uint32_t)rng_below(&r, CONFIGURATIONS)};
        }
        t.devices[i] =
            (struct deploy_device){.name = arena_printf(&a, "Card %u", i),
                                   .platform = "",
                                   .identity = "",
                                   .vendor = "V",
                                   .architecture = "sm_90",
                                   .driver = "",
                                   .compute_units = 132,
                                   .facts = &facts,
                                   .points = points,
                                   .point_count = shapes,
                                   .model = argc == 6 ? random_model(&a, &r, shapes) : NULL};
    }
    write_table(&t, "header", argv[4], "table.h");
    write_table(&t, "known", argv[4], "table.hone");
    spec_free(s);
    arena_release(&a);
    return EXIT_SUCCESS;
}
