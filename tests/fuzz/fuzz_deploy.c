// What hone deploy reads: shapes as CSV, and the line in a deployed file that says what it was made from. Beyond not
// crashing: what is handed out keeps its promises, and what is refused says where.
#include "extras/deploy/shapes.h"
#include "extras/deploy/stamp.h"
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_shapes(const char *text, size_t length)
{
    struct error e = ERROR_INIT;
    struct shapes s;
    struct arena a;
    struct constant constants[] = {{.name = "M"}, {.name = "N"}, {.name = "K"}};
    const struct spec spec = {.constants = constants, .constant_count = 3};
    arena_init(&a);
    if (shapes_parse(text, length, "shapes.csv", &spec, &a, &s, &e)) {
        REQUIRE(s.count > 0 && s.count <= SHAPES_MOST);
        REQUIRE(s.column_count > 0 && s.column_count <= SHAPE_COLUMNS);
        for (uint32_t i = 0; i < s.column_count; i++)
            REQUIRE(s.columns[i][0]);
        for (size_t i = 0; i < (size_t)s.count * s.column_count; i++)
            REQUIRE(s.sizes[i] >= 1);
        for (uint32_t i = 0; i < s.count; i++)
            REQUIRE(s.weights[i] > 0);
    } else {
        REQUIRE(strncmp(e.text, "shapes.csv: ", 12) == 0);
    }
    arena_release(&a);
}

static void check_stamp(const char *text)
{
    struct error e = ERROR_INIT;
    struct deploy_stamp s;
    struct arena a;
    arena_init(&a);
    if (deploy_stamp_find(text, "table.h", &a, &s, &e)) {
        REQUIRE(s.language < LANGUAGE_COUNT);
        REQUIRE(s.version && s.spec_path[0]);
        REQUIRE(strlen(s.source) == 64 && strlen(s.spec_digest) == 64);
    } else {
        REQUIRE(strncmp(e.text, "table.h: ", 9) == 0);
    }
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    check_shapes(text, size);
    check_stamp(text);
    free(text);
    return 0;
}
