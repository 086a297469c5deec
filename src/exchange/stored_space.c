#include "exchange/stored_space.h"

#include "exchange/tokens.h"
#include "measure/stats.h"
#include "store/store.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPACES_MOST  256
#define SPACES_NAMED 20

bool stored_space_is(const char *path)
{
    char head[16];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool is = pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
              memcmp(head, "SQLite format 3", sizeof head) == 0;
    close(fd);
    return is;
}

// ---- which spaces there are --------------------------------------------------------------------

// Results that are of one space: those of other drivers and texts of the kernel are older.
struct stored_one {
    char *spec, *constants, *device, *platform, *language;
    char *identity; // of the newest result
    struct digest source;
    uint64_t count;
};

struct choosing {
    const struct recorded_options *o;
    struct arena *a;
    struct stored_one spaces[SPACES_MOST];
    size_t count;
    bool failed;
};

static char *copy(struct choosing *c, const char *text)
{
    char *own = arena_strdup(c->a, text);
    c->failed |= !own;
    return own;
}

static bool is_of(const struct stored_one *s, const struct store_row *row)
{
    return str_equal(s->spec, row->spec_name) && str_equal(s->constants, row->constants) &&
           str_equal(s->device, row->device) && str_equal(s->platform, row->platform) &&
           str_equal(s->language, row->language);
}

// Samples of comparisons are of heats of their own.
static bool is_usable(const struct store_row *row)
{
    return row->measuring_version == HONE_MEASURING_VERSION && row->result->stop != STOP_COMPARED &&
           (row->result->fault == FAULT_NONE || row->result->fault == FAULT_CONFIGURATION);
}

// Rows come newest first.
static bool note_space(void *context, const struct store_row *row)
{
    struct choosing *c = context;
    if (!is_usable(row))
        return true;
    for (size_t i = 0; i < c->count; i++) {
        struct stored_one *s = &c->spaces[i];
        if (is_of(s, row)) {
            s->count += str_equal(s->identity, row->device_identity) &&
                        digest_equal(&s->source, &row->source);
            return true;
        }
    }
    if (c->count == SPACES_MOST)
        return true;
    c->spaces[c->count++] = (struct stored_one){.spec = copy(c, row->spec_name),
                                                .constants = copy(c, row->constants),
                                                .device = copy(c, row->device),
                                                .platform = copy(c, row->platform),
                                                .language = copy(c, row->language),
                                                .identity = copy(c, row->device_identity),
                                                .source = row->source,
                                                .count = 1};
    return !c->failed;
}

static void list_spaces(const struct choosing *c, struct text *out)
{
    for (size_t i = 0; i < c->count && i < SPACES_NAMED; i++) {
        const struct stored_one *s = &c->spaces[i];
        text_addf(out, "\n  %s%s%s%s on %s, %s, %s: %llu result%s", s->spec,
                  s->constants[0] ? " (" : "", s->constants, s->constants[0] ? ")" : "", s->device,
                  s->platform, s->language, (unsigned long long)s->count, s->count == 1 ? "" : "s");
    }
    if (c->count > SPACES_NAMED)
        text_addf(out, "\n  and %zu more", c->count - SPACES_NAMED);
}

static bool refuse_choice(const struct choosing *c, const char *path, struct error *e)
{
    struct text list = TEXT_INIT;
    list_spaces(c, &list);
    const struct spec *s = c->o->spec;
    if (c->count == 0)
        error_set(e, ERROR_INPUT, "%s: the store has no results%s%s%s%s", path, s ? " of " : "",
                  s ? s->name : "", c->o->device ? " for this device or these constants: " : "",
                  c->o->device ? c->o->device : "");
    else
        error_set(e, ERROR_USAGE,
                  "%s: the store has %zu recorded spaces; choose by device and constants:%s", path,
                  c->count, text_cstr(&list));
    text_release(&list);
    return false;
}

// ---- rows --------------------------------------------------------------------------------------

struct taking {
    struct gather *gather;
    const struct stored_one *space;
    struct tokens tokens;
    bool failed;
};

// {"block_size_x": 16, ...}, as hone wrote it.
static bool set_configuration(struct taking *t, const char *json)
{
    struct bytes b;
    struct text name = TEXT_INIT;
    struct value v;
    struct error *e = t->gather->e;
    bool ok = bytes_open_memory(&b, t->gather->recorded->path, json, strlen(json), e);
    tokens_release(&t->tokens);
    tokens_init(&t->tokens, &b);
    ok = ok && tokens_next(&t->tokens, e) == TOKEN_OBJECT;
    while (ok && tokens_next(&t->tokens, e) == TOKEN_KEY) {
        text_clear(&name);
        text_add(&name, text_cstr(&t->tokens.text));
        tokens_next(&t->tokens, e);
        ok = tokens_value(&t->tokens, &v)
                 ? !name.failed && gather_set(t->gather, text_cstr(&name), &v)
                 : gather_refuse(t->gather, "a configuration that cannot be read: %.200s", json);
    }
    ok = ok && t->tokens.kind == TOKEN_OBJECT_END;
    text_release(&name);
    bytes_close(&b);
    return ok || (e->code == ERROR_NONE &&
                  gather_refuse(t->gather, "a configuration that cannot be read: %.200s", json));
}

static double cost(uint64_t ns)
{
    return ns > 0 ? (double)ns : NAN;
}

static bool set_result(struct taking *t, const struct result *r)
{
    const uint64_t *samples;
    uint32_t count;
    struct recorded_row *row = &t->gather->row.row;
    row->status = r->status;
    if (result_samples(r, &samples, &count) && count > 0)
        row->time_ns = stats_median(samples, count);
    row->costs = (struct recorded_costs){.compile_ns = cost(r->build_ns),
                                         .run_ns = cost(r->measure_ns),
                                         .verify_ns = cost(r->verify_ns + r->reference_ns),
                                         .framework_ns = cost(r->load_ns + r->inputs_ns),
                                         .search_ns = NAN};
    return !r->message || !r->message[0] || gather_message(t->gather, r->message);
}

// Older results of a configuration are none of the file's mistakes.
static bool take_row(void *context, const struct store_row *row)
{
    struct taking *t = context;
    if (!is_usable(row) || !is_of(t->space, row) ||
        !str_equal(t->space->identity, row->device_identity) ||
        !digest_equal(&t->space->source, &row->source))
        return true;
    snprintf(t->gather->place, sizeof t->gather->place, "result %.32s", row->id);
    const struct result *r = row->result;
    if (r->status == STATUS_CORRECT && r->sample_count == 0) // checked only
        return true;
    const char **statistic = &t->gather->recorded->statistic;
    if (!*statistic)
        *statistic = "median";
    gather_begin(t->gather);
    t->failed = !set_configuration(t, row->configuration_json) || !set_result(t, r) ||
                !gather_end(t->gather);
    return !t->failed;
}

static bool name_space(struct recorded *r, const struct stored_one *s, struct error *e)
{
    r->name = arena_strdup(&r->arena, s->spec);
    r->device = arena_strdup(&r->arena, s->device);
    r->constants = arena_strdup(&r->arena, s->constants);
    return (r->name && r->device && r->constants) || error_memory(e);
}

static bool take_space(struct recorded *r, struct store *store, const struct stored_one *space,
                       const struct recorded_options *o, struct error *e)
{
    struct gather g;
    struct store_query query = {.spec_name = space->spec, .constants = space->constants};
    struct taking t = {.gather = &g, .space = space};
    bool ok = gather_init(&g, r, o, e);
    g.unit_ns = 1;
    r->format = RECORDED_STORE;
    ok = ok && store_each(store, &query, take_row, &t, e) && !t.failed;
    r->duplicates = 0;
    ok = ok && gather_finish(&g) && name_space(r, space, e);
    tokens_release(&t.tokens);
    gather_release(&g);
    return ok;
}

bool stored_space_read(struct recorded *r, const struct recorded_options *o, struct error *e)
{
    struct arena arena;
    arena_init(&arena);
    struct choosing *c = arena_alloc(&arena, sizeof *c);
    struct store *store = c ? store_open(r->path, STORE_READ, e) : NULL;
    bool ok = store || (!c && error_memory(e));
    if (ok) {
        *c = (struct choosing){.o = o, .a = &arena};
        struct store_query query = {.spec_name = o->spec ? o->spec->name : NULL,
                                    .constants = o->constants,
                                    .device = o->device};
        ok = store_each(store, &query, note_space, c, e);
        ok = ok && (!c->failed || error_memory(e));
        ok = ok && (c->count == 1 || refuse_choice(c, r->path, e));
        ok = ok && take_space(r, store, &c->spaces[0], o, e);
    }
    store_close(store);
    arena_release(&arena);
    return ok;
}
