// A space of 90 configurations, and strategies that search it.
#ifndef HONE_TESTS_SEARCH_GRID_H
#define HONE_TESTS_SEARCH_GRID_H

#include "search/search.h"

#include <check.h>

#define DATA HONE_SOURCE_DIR "/tests/search/data/"
#define GRID 90 // valid configurations of grid.json

struct fixture {
    struct spec *spec;
    struct space *space;
};

static struct fixture open_space(const char *path)
{
    struct error e = ERROR_INIT;
    struct fixture f = {.spec = spec_load(path, NULL, &e)};
    ck_assert_msg(f.spec != NULL, "%s", e.text);
    f.space = space_new(f.spec, NULL, &e);
    ck_assert_msg(f.space != NULL, "%s", e.text);
    return f;
}

static void close_space(struct fixture *f)
{
    space_free(f->space);
    spec_free(f->spec);
}

static struct strategy *start(const struct fixture *f, const char *name, uint64_t budget,
                              uint64_t seed)
{
    struct error e = ERROR_INIT;
    struct strategy_setup setup = {.space = f->space, .budget = budget, .seed = seed};
    struct strategy *s = strategy_new(name, &setup, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    return s;
}

#endif
