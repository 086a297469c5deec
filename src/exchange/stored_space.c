#include "exchange/stored_space.h"

#include <string.h>

#define SPACES_MOST  4096
#define SPACES_NAMED 20
#define BUCKETS      65536

// ---- which there are ---------------------------------------------------------------------------

struct noted {
    struct noted *next;
    struct stored_space space;
};

struct noting {
    struct arena *a;
    struct noted *first, **last;
    size_t count;
    bool failed;
};

static const char *copy(struct noting *n, const char *text)
{
    const char *own = arena_strdup(n->a, text);
    n->failed |= !own;
    return own;
}

static bool is_of(const struct stored_space *s, const struct store_row *row)
{
    return str_equal(s->spec, row->spec_name) && str_equal(s->constants, row->constants) &&
           str_equal(s->device, row->device) && str_equal(s->platform, row->platform) &&
           str_equal(s->language, row->language);
}

static bool is_alike(const struct stored_space *s, const struct store_row *row)
{
    const struct store_counting counting = {.device_identity = s->identity,
                                            .inputs =
                                                s->cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM,
                                            .imported = true};
    return store_row_counts(row, &counting) && digest_equal(&s->source, &row->source);
}

// Samples of comparisons are of heats of their own; what a lost device left says nothing.
static bool is_usable(const struct store_row *row)
{
    const struct result *r = row->result;
    bool is_own = r->fault == FAULT_NONE || r->fault == FAULT_CONFIGURATION;
    bool is_checked_only = r->status == STATUS_CORRECT && r->sample_count == 0;
    const struct store_counting any = {.imported = true};
    return store_row_counts(row, &any) && r->stop != STOP_COMPARED && is_own && !is_checked_only;
}

const char *result_statistic(const struct result *r)
{
    return r->statistic && r->statistic[0] ? r->statistic : "median";
}

static void add(struct noting *n, const struct store_row *row)
{
    struct noted *fresh = arena_alloc(n->a, sizeof *fresh);
    n->failed |= !fresh;
    if (!fresh)
        return;
    fresh->space = (struct stored_space){.spec = copy(n, row->spec_name),
                                         .constants = copy(n, row->constants),
                                         .device = copy(n, row->device),
                                         .platform = copy(n, row->platform),
                                         .language = copy(n, row->language),
                                         .driver = copy(n, row->driver),
                                         .identity = copy(n, row->device_identity),
                                         .kernels = copy(n, row->kernels),
                                         .hone_version = copy(n, row->hone_version),
                                         .source = row->source,
                                         .cold = row->cold,
                                         .is_timed = row->result->status == STATUS_CORRECT,
                                         .results = 1,
                                         .is_imported = row->result->stop == STOP_IMPORTED,
                                         .statistic = copy(n, result_statistic(row->result))};
    *n->last = fresh;
    n->last = &fresh->next;
    n->count++;
}

// The newest correct row says whether the inputs were cold.
static void take_inputs(struct stored_space *s, const struct store_row *row)
{
    if (s->is_timed || row->result->status != STATUS_CORRECT)
        return;
    s->is_timed = true;
    s->cold = row->cold;
}

// Rows come newest first.
static bool note(void *context, const struct store_row *row)
{
    struct noting *n = context;
    if (!is_usable(row))
        return true;
    for (struct noted *known = n->first; known; known = known->next) {
        if (!is_of(&known->space, row))
            continue;
        take_inputs(&known->space, row);
        known->space.results += is_alike(&known->space, row);
        return true;
    }
    if (n->count < SPACES_MOST)
        add(n, row);
    return !n->failed;
}

bool stored_spaces(struct store *s, const struct store_query *q, struct arena *a,
                   struct stored_space **out, size_t *count, struct error *e)
{
    struct noting n = {.a = a};
    n.last = &n.first;
    *count = 0;
    if (!store_each(s, q, note, &n, e))
        return false;
    *out = n.failed ? NULL : arena_array(a, n.count + 1, sizeof **out);
    if (!*out)
        return error_memory(e);
    for (const struct noted *at = n.first; at; at = at->next)
        (*out)[(*count)++] = at->space;
    return true;
}

static bool is_named(const struct stored_space *s, const char *wanted, bool exactly)
{
    if (exactly)
        return str_equal_nocase(s->device, wanted);
    return str_contains_nocase(s->device, wanted) || str_contains_nocase(s->platform, wanted);
}

size_t stored_spaces_keep(struct stored_space *spaces, size_t count, const char *wanted)
{
    bool exactly = false;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        exactly |= is_named(&spaces[i], wanted, true);
    for (size_t i = 0; i < count; i++) {
        if (is_named(&spaces[i], wanted, exactly))
            spaces[kept++] = spaces[i];
    }
    return kept;
}

void stored_spaces_list(const struct stored_space *spaces, size_t count, struct text *out)
{
    for (size_t i = 0; i < count && i < SPACES_NAMED; i++) {
        const struct stored_space *s = &spaces[i];
        bool has_constants = s->constants[0] != 0;
        text_addf(out, "\n  %s%s%s%s on %s, %s, %s: %llu result%s", s->spec,
                  has_constants ? " (" : "", s->constants, has_constants ? ")" : "", s->device,
                  s->platform, s->language, (unsigned long long)s->results,
                  s->results == 1 ? "" : "s");
    }
    if (count > SPACES_NAMED)
        text_addf(out, "\n  and %zu more", count - SPACES_NAMED);
}

// ---- results of one ----------------------------------------------------------------------------

struct seen {
    struct seen *next;
    const char *configuration;
};

struct giving {
    const struct stored_space *space;
    bool (*each)(void *context, const struct store_row *row);
    void *context;
    struct arena arena;
    struct seen *buckets[BUCKETS];
    bool failed;
};

// Met for the first time, and from now on known.
static bool is_first(struct giving *g, const char *configuration)
{
    uint32_t hash = 5381;
    for (const char *c = configuration; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    struct seen **bucket = &g->buckets[hash % BUCKETS];
    for (const struct seen *known = *bucket; known; known = known->next) {
        if (str_equal(known->configuration, configuration))
            return false;
    }
    struct seen *fresh = arena_alloc(&g->arena, sizeof *fresh);
    const char *own = arena_strdup(&g->arena, configuration);
    g->failed |= !fresh || !own;
    if (g->failed)
        return false;
    *fresh = (struct seen){*bucket, own};
    *bucket = fresh;
    return true;
}

static bool give(void *context, const struct store_row *row)
{
    struct giving *g = context;
    bool is_given = is_usable(row) && is_of(g->space, row) && is_alike(g->space, row) &&
                    is_first(g, row->configuration_json);
    return is_given ? g->each(g->context, row) : !g->failed;
}

bool stored_space_each(struct store *s, const struct stored_space *space,
                       bool (*each)(void *context, const struct store_row *row), void *context,
                       struct error *e)
{
    struct arena arena;
    const struct store_query q = {
        .spec_name = space->spec, .constants = space->constants, .all_runs = true};
    arena_init(&arena);
    struct giving *g = arena_alloc(&arena, sizeof *g);
    bool ok = g != NULL;
    if (ok) {
        g->space = space;
        g->each = each;
        g->context = context;
        ok = store_each(s, &q, give, g, e) && (!g->failed || error_memory(e));
        arena_release(&g->arena);
    } else {
        error_memory(e);
    }
    arena_release(&arena);
    return ok;
}
