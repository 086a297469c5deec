// The readers of what others recorded: T4, cache files, CSV, packed or not, with and without a
// spec. Beyond not crashing: what is handed out is in order, and what is refused says where.
#include "recorded/recorded.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

#define NAME "recorded.json"

static void drop(void *context, enum log_level level, const char *message)
{
    (void)context, (void)level;
    REQUIRE(message && strncmp(message, NAME, strlen(NAME)) == 0);
}

static const struct log silent = {drop, NULL};

static void check_row(const struct recorded *r, const struct recorded_row *row)
{
    for (uint32_t i = 0; i < r->parameter_count; i++)
        REQUIRE(row->choice[i] < r->parameters[i].count);
    bool is_correct = row->status == STATUS_CORRECT;
    REQUIRE(row->status < STATUS_COUNT);
    REQUIRE(is_correct == !isnan(row->time_ns) || (r->is_untimed && isnan(row->time_ns)));
    REQUIRE(!is_correct || r->is_untimed || (row->time_ns > 0 && row->time_ns < 0x1p63));
    const struct recorded_costs *c = &row->costs;
    const double costs[] = {c->compile_ns, c->run_ns, c->verify_ns, c->framework_ns, c->search_ns};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        REQUIRE(isnan(costs[i]) || (costs[i] >= 0 && costs[i] < 0x1p63));
    REQUIRE(row->message && (is_correct || row->message[0]));
    for (uint32_t i = 0; i < r->measurement_count; i++)
        REQUIRE(!isinf(row->measurements[i]));
}

static bool is_same(const struct recorded *r, uint64_t a, uint64_t b)
{
    return memcmp(r->rows[a].choice, r->rows[b].choice,
                  r->parameter_count * sizeof *r->rows[a].choice) == 0;
}

static void check_values(const struct recorded *r)
{
    for (uint32_t i = 0; i < r->parameter_count; i++) {
        const struct parameter *p = &r->parameters[i];
        REQUIRE(p->name && p->count > 0);
        for (uint32_t k = 1; k < p->count && k < 64; k++)
            REQUIRE(!value_equal(&p->values[k - 1], &p->values[k]));
    }
}

static void check(const struct recorded *r)
{
    uint64_t correct = 0;
    REQUIRE(r->count > 0 && r->parameter_count > 0);
    REQUIRE(r->name && r->device && r->constants && r->statistic);
    REQUIRE(r->format != RECORDED_STORE);
    check_values(r);
    for (uint64_t i = 0; i < r->count; i++) {
        check_row(r, &r->rows[i]);
        correct += r->rows[i].status == STATUS_CORRECT;
        for (uint64_t k = 0; k < i && k < 16; k++)
            REQUIRE(!is_same(r, i, k));
    }
    REQUIRE(correct == r->correct);
}

static struct spec *make_spec(void)
{
    static struct value numbers[] = {{.kind = VALUE_INT, .i = 16}, {.kind = VALUE_INT, .i = 32}};
    static struct value texts[] = {{.kind = VALUE_STRING, .s = "x"},
                                   {.kind = VALUE_STRING, .s = "16"}};
    const struct parameter parameters[] = {
        {.name = "a", .type = PARAMETER_INT, .values = numbers, .count = 2},
        {.name = "b", .type = PARAMETER_STRING, .values = texts, .count = 2}};
    struct error e = ERROR_INIT;
    struct spec *s = spec_bare("fuzzed", parameters, 2, &e);
    REQUIRE(s);
    return s;
}

static void read_all(const uint8_t *data, size_t size, const struct spec *spec)
{
    struct error e = ERROR_INIT;
    const struct recorded_options o = {.spec = spec, .log = &silent};
    struct recorded *r = recorded_parse(NAME, data, size, &o, &e);
    REQUIRE((r != NULL) == (e.code == ERROR_NONE));
    REQUIRE(r || e.code == ERROR_MEMORY || strncmp(e.text, NAME ": ", strlen(NAME) + 2) == 0);
    if (r)
        check(r);
    recorded_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct spec *spec;
    static const uint8_t nothing;
    if (!spec)
        spec = make_spec();
    read_all(size ? data : &nothing, size, NULL);
    read_all(size ? data : &nothing, size, spec);
    return 0;
}
