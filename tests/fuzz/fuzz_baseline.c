// Baselines of hone bench and lists of configurations. Beyond not crashing: what is handed out is whole, is written and read
// back as the same, and what is refused says where.
#include "workflows/benchmark/baseline.h"
#include "fuzz.h"

#include <string.h>

#define NAME "baseline.json"

static void check(const struct baseline *b, bool has_passes)
{
    REQUIRE(b->row_count > 0 && b->row_count <= BASELINE_ROWS_MOST);
    for (uint32_t i = 0; i < b->row_count; i++) {
        const struct baseline_row *r = &b->rows[i];
        REQUIRE(r->constants && r->configuration && r->source);
        for (uint32_t k = 0; k < r->set_count; k++)
            REQUIRE(strchr(r->set[k], '='));
        REQUIRE(!has_passes || r->pass_count > 0);
        for (uint32_t k = 0; k < r->pass_count; k++) {
            REQUIRE(r->passes[k].count > 0);
            for (uint32_t n = 0; n < r->passes[k].count; n++)
                REQUIRE(r->passes[k].samples_ns[n] > 0);
        }
    }
}

static void check_again(const struct baseline *b, struct arena *a)
{
    struct text first = TEXT_INIT, second = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct baseline again;
    baseline_write(b, &first);
    REQUIRE(baseline_parse(NAME, text_cstr(&first), first.length, a, &again, &e));
    baseline_write(&again, &second);
    REQUIRE(strcmp(text_cstr(&first), text_cstr(&second)) == 0);
    text_release(&first);
    text_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error e = ERROR_INIT;
    struct arena a;
    struct baseline b;
    const char *text = size ? (const char *)data : "";
    arena_init(&a);
    bool ok = baseline_parse(NAME, text, size, &a, &b, &e);
    REQUIRE(ok == (e.code == ERROR_NONE));
    REQUIRE(ok || e.code == ERROR_MEMORY || str_starts(e.text, NAME ": "));
    if (ok) {
        check(&b, true);
        check_again(&b, &a);
    }
    error_clear(&e);
    ok = baseline_parse_list(NAME, text, size, "D", &a, &b, &e);
    REQUIRE(ok || e.code == ERROR_MEMORY || str_starts(e.text, NAME ": "));
    if (ok)
        check(&b, false);
    arena_release(&a);
    return 0;
}
