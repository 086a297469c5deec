// Reads the results of other hone commands from their JSON: strategies on recorded spaces (hone
// score --json, a line each), a dispatch table (hone deploy --format json), the starts of a tune
// (hone tune --json) and verdicts on kernels (hone judge --json, a line each, of as many runs as the file has). The files may have been edited: every member is checked.
#include "extras/page/page.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TUNE_HEAD    "{\"type\":\"run\""
#define TUNE_SUMMARY "{\"type\":\"summary\""
#define VERDICT_HEAD "{\"type\":\"verdict\""

enum { FOUND_BYTES = 64 << 20, SHARES_MOST = 1000, COLUMNS_MOST = 16 };

bool page_is_found(const char *head)
{
    return (strstr(head, "\"strategy\"") && strstr(head, "\"scores\"")) ||
           strstr(head, "\"stamp\":\"hone-deploy ") || str_starts(head, TUNE_HEAD) ||
           strstr(head, VERDICT_HEAD);
}

struct finding {
    struct page *page;
    struct page_set *set;
    const char *path;
    size_t line; // 0: the file is one object
    size_t room;
    struct error *e;
};

static bool refuse_found(const struct finding *f, const char *what)
{
    if (f->line > 0)
        return error_set(f->e, ERROR_INPUT, "%s: line %zu: %s", f->path, f->line, what);
    return error_set(f->e, ERROR_INPUT, "%s: %s", f->path, what);
}

static double number_at(json_t *object, const char *key)
{
    json_t *v = json_object_get(object, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *text_at(const struct finding *f, json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return arena_strdup(&f->page->arena, text ? text : "");
}

// ---- scores ------------------------------------------------------------------------------------

static bool read_shares(const struct finding *f, json_t *at, struct page_score *out)
{
    size_t count = json_array_size(at);
    if (count > SHARES_MOST)
        return refuse_found(f, "\"at\" has more than 1000 shares of the budget");
    double *shares = arena_array(&f->page->arena, count + 1, sizeof *shares),
           *leads = arena_array(&f->page->arena, count + 1, sizeof *leads);
    if (!shares || !leads)
        return error_memory(f->e);
    for (size_t i = 0; i < count; i++) {
        shares[i] = number_at(json_array_get(at, i), "share");
        leads[i] = number_at(json_array_get(at, i), "score");
        if (!(shares[i] > 0 && shares[i] <= 1))
            return refuse_found(f, "\"share\" is a number above 0, at most 1");
    }
    out->shares = shares;
    out->leads = leads;
    out->share_count = count;
    return true;
}

static bool read_score(struct finding *f, json_t *line)
{
    struct page_set *s = f->set;
    struct arena *a = &f->page->arena;
    if (!json_is_object(line) || !json_is_string(json_object_get(line, "strategy")) ||
        isnan(number_at(line, "score")))
        return refuse_found(f, "no score of a strategy: hone score --json writes \"strategy\" and "
                               "\"score\"");
    if (!ARENA_ROOM(a, s->scores, f->room, s->score_count + 1))
        return error_memory(f->e);
    json_t *interval = json_object_get(line, "interval");
    struct page_score *out = &s->scores[s->score_count];
    *out = (struct page_score){
        .file = text_at(f, line, "file"),
        .strategy = text_at(f, line, "strategy"),
        .score = number_at(line, "score"),
        .low = json_is_array(interval) ? json_number_value(json_array_get(interval, 0)) : NAN,
        .high = json_is_array(interval) ? json_number_value(json_array_get(interval, 1)) : NAN,
        .fraction = number_at(line, "fraction"),
        .budget = number_at(line, "budget"),
        .near = number_at(json_object_get(line, "within_1_percent"), "evaluations")};
    if (!out->file || !out->strategy)
        return error_memory(f->e);
    s->score_count++;
    return read_shares(f, json_object_get(line, "at"), out);
}

// A file of objects, a line each. `count`: what `read` has made of them.
static bool read_found_lines(struct finding *f, const struct text *all,
                             bool (*read)(struct finding *f, json_t *line), const size_t *count,
                             const char *none)
{
    const char *at = text_cstr(all), *end = at + all->length;
    while (at < end) {
        json_error_t why;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        f->line++;
        json_t *line = length > 0 ? json_loadb(at, length, 0, &why) : NULL;
        if (length > 0 && !line)
            return refuse_found(f, why.text);
        bool ok = length == 0 || read(f, line);
        json_decref(line);
        if (!ok)
            return false;
        at += length + 1;
    }
    return *count > 0 || refuse_found(f, none);
}

// ---- verdicts ----------------------------------------------------------------------------------

// The end of a run of the judge, of which the last says where it was.
static bool read_judge_summary(struct finding *f, json_t *line)
{
    struct page_set *s = f->set;
    const char *spec = text_at(f, line, "spec");
    const char *slash = spec ? strrchr(spec, '/') : NULL;
    s->spec = slash ? slash + 1 : spec;
    s->device = text_at(f, json_object_get(line, "device"), "name");
    s->language = text_at(f, json_object_get(line, "device"), "language");
    s->hone_version = text_at(f, line, "hone");
    return (s->spec && s->device && s->language && s->hone_version) || error_memory(f->e);
}

static bool read_verdict(struct finding *f, json_t *line)
{
    static const char *const right[] = {"faster", "same", "slower", NULL};
    struct page_set *s = f->set;
    const char *type = json_string_value(json_object_get(line, "type"));
    const char *verdict = json_string_value(json_object_get(line, "verdict"));
    if (str_equal(type, "summary"))
        return read_judge_summary(f, line);
    if (str_equal(type, "error")) // a line of --serve that was no candidate
        return true;
    if (!str_equal(type, "verdict") || !verdict ||
        !json_is_string(json_object_get(line, "candidate")))
        return refuse_found(f,
                            "no verdict: hone judge --json writes \"candidate\" and \"verdict\"");
    if (!ARENA_ROOM(&f->page->arena, s->verdicts, f->room, s->verdict_count + 1))
        return error_memory(f->e);
    json_t *interval = json_object_get(line, "interval");
    struct page_verdict *v = &s->verdicts[s->verdict_count++];
    *v = (struct page_verdict){
        .candidate = text_at(f, line, "candidate"),
        .sha256 = text_at(f, line, "sha256"),
        .verdict = text_at(f, line, "verdict"),
        .at = text_at(f, line, "at"),
        .evidence = text_at(f, line, "evidence"),
        .same_as = text_at(f, line, "same_as"),
        .score = number_at(line, "score"),
        .speedup = number_at(line, "speedup"),
        .low = json_is_array(interval) ? json_number_value(json_array_get(interval, 0)) : NAN,
        .high = json_is_array(interval) ? json_number_value(json_array_get(interval, 1)) : NAN,
        .is_right = str_listed(right, verdict),
        .is_twice = json_is_true(json_object_get(line, "measured_twice"))};
    v->evidence = v->evidence ? page_without_folders(v->evidence, &f->page->arena) : NULL;
    return (v->candidate && v->sha256 && v->verdict && v->at && v->evidence && v->same_as) ||
           error_memory(f->e);
}

// Right before wrong, a higher score first, the same order as in the file otherwise.
static int by_verdict_score(const void *a, const void *b)
{
    const struct page_verdict *x = a, *y = b;
    const double p = isnan(x->score) ? -1 : x->score, q = isnan(y->score) ? -1 : y->score;
    if (x->is_right != y->is_right)
        return x->is_right ? -1 : 1;
    return p != q ? (p > q ? -1 : 1) : strcmp(x->candidate, y->candidate);
}

static int by_text(const void *a, const void *b)
{
    const struct page_verdict *x = a, *y = b;
    int texts = strcmp(x->sha256, y->sha256);
    return texts ? texts : by_verdict_score(a, b);
}

// A text that was judged several times counts by its lowest score, a wrong one by that: trying again gains nothing.
static bool read_verdicts(struct finding *f, const struct text *all)
{
    struct page_set *s = f->set;
    if (!read_found_lines(f, all, read_verdict, &s->verdict_count, "there is no verdict"))
        return false;
    qsort(s->verdicts, s->verdict_count, sizeof *s->verdicts, by_text);
    for (size_t i = 0; i + 1 < s->verdict_count; i++)
        s->verdicts[i].is_over =
            s->verdicts[i].sha256[0] && str_equal(s->verdicts[i].sha256, s->verdicts[i + 1].sha256);
    qsort(s->verdicts, s->verdict_count, sizeof *s->verdicts, by_verdict_score);
    return true;
}

// ---- a deployed table --------------------------------------------------------------------------

// "M=256, N=256".
static const char *shape_text(const struct finding *f, json_t *columns, json_t *shape)
{
    struct text out = TEXT_INIT;
    for (size_t i = 0; i < json_array_size(shape); i++)
        text_addf(&out, "%s%s=%lld", i ? ", " : "", json_string_value(json_array_get(columns, i)),
                  (long long)json_integer_value(json_array_get(shape, i)));
    return text_to_arena(&out, &f->page->arena);
}

static bool read_deployed_point(struct finding *f, json_t *root, json_t *device, json_t *point)
{
    struct page_set *s = f->set;
    struct arena *a = &f->page->arena;
    json_t *columns = json_object_get(root, "columns"), *shape = json_object_get(point, "shape");
    size_t configuration = (size_t)json_integer_value(json_object_get(point, "configuration"));
    json_t *of = json_array_get(json_object_get(root, "configurations"), configuration);
    size_t count = json_array_size(shape);
    if (count == 0 || count != json_array_size(columns) || count > COLUMNS_MOST || !of)
        return refuse_found(f, "a point's shape has a number for each of \"columns\", and its "
                               "\"configuration\" is an index of \"configurations\"");
    if (!ARENA_ROOM(a, s->deployed, f->room, s->deployed_count + 1))
        return error_memory(f->e);
    struct page_deployed *out = &s->deployed[s->deployed_count++];
    *out = (struct page_deployed){.device = text_at(f, device, "name"),
                                  .shape = shape_text(f, columns, shape),
                                  .configuration = text_at(f, of, "configuration"),
                                  .first = (double)json_integer_value(json_array_get(shape, 0)),
                                  .median = number_at(point, "median_ns"),
                                  .above_best = number_at(point, "above_best"),
                                  .above_default = number_at(point, "above_default"),
                                  .weight = number_at(point, "weight"),
                                  .is_refined = json_is_true(json_object_get(point, "refined"))};
    return (out->device && out->shape && out->configuration) || error_memory(f->e);
}

static bool read_deployed(struct finding *f, json_t *root)
{
    struct page_set *s = f->set;
    json_t *columns = json_object_get(root, "columns"), *devices = json_object_get(root, "devices");
    for (size_t i = 0; i < json_array_size(columns); i++) {
        if (!json_is_string(json_array_get(columns, i)))
            return refuse_found(f, "\"columns\" are names");
    }
    for (size_t i = 0; i < json_array_size(devices); i++) {
        json_t *device = json_array_get(devices, i), *points = json_object_get(device, "points");
        for (size_t k = 0; k < json_array_size(points); k++) {
            if (!read_deployed_point(f, root, device, json_array_get(points, k)))
                return false;
        }
    }
    if (s->deployed_count == 0)
        return refuse_found(f, "the table has no points");
    s->spec = text_at(f, root, "name");
    s->column = arena_strdup(&f->page->arena, json_string_value(json_array_get(columns, 0)));
    s->language = text_at(f, root, "language");
    s->hone_version = text_at(f, root, "hone");
    s->deployed_within = number_at(root, "within");
    return (s->spec && s->column && s->language && s->hone_version) || error_memory(f->e);
}

// ---- what a tune began with --------------------------------------------------------------------

// "TILE=8, WIDE=1".
static const char *configuration_words(const struct finding *f, json_t *configuration)
{
    const char *name;
    json_t *value;
    struct text out = TEXT_INIT;
    json_object_foreach(configuration, name, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        text_addf(&out, "%s%s=%s", out.length ? ", " : "", name,
                  json_is_string(value) ? json_string_value(value)
                  : text                ? text
                                        : "?");
        free(text);
    }
    return text_to_arena(&out, &f->page->arena);
}

static bool read_beginnings(struct finding *f, json_t *list, bool is_source)
{
    struct page_set *s = f->set;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *of = json_array_get(list, i);
        if (!ARENA_ROOM(&f->page->arena, s->beginnings, f->room, s->beginning_count + 1))
            return error_memory(f->e);
        struct page_beginning *b = &s->beginnings[s->beginning_count++];
        *b = (struct page_beginning){
            .name = is_source ? text_at(f, of, "name")
                              : configuration_words(f, json_object_get(of, "configuration")),
            .outcome = text_at(f, of, is_source ? "outcome" : "status"),
            .is_source = is_source,
            .median = number_at(of, "median_ns"),
            .ratio = number_at(of, "best_ratio"),
            .basis = text_at(f, of, "best_ratio_basis"),
            .results = number_at(of, "results"),
            .parameters = number_at(of, "parameters"),
            .agrees = number_at(of, "agrees")};
        if (!b->name || !b->outcome || !b->basis)
            return error_memory(f->e);
    }
    return true;
}

// The first line says what was tuned and the last one what came of it; those between are the store's business.
static bool read_beginning(struct finding *f, const struct text *all)
{
    json_error_t why;
    const char *first = text_cstr(all);
    const char *last = strstr(first, "\n" TUNE_SUMMARY);
    json_t *run = json_loadb(first, strcspn(first, "\n"), 0, &why);
    json_t *summary = last ? json_loadb(last + 1, strcspn(last + 1, "\n"), 0, &why) : NULL;
    struct page_set *s = f->set;
    bool ok = run && summary;
    if (!ok)
        refuse_found(f, run && !last ? "the tune was interrupted: it has no summary" : why.text);
    s->is_beginning = true;
    ok = ok && read_beginnings(f, json_object_get(summary, "start_with"), false) &&
         read_beginnings(f, json_object_get(summary, "sources"), true);
    if (ok) {
        s->spec = text_at(f, run, "spec_name");
        s->device = text_at(f, json_object_get(run, "device"), "name");
        s->hone_version = text_at(f, run, "hone");
        ok = (s->spec && s->device && s->hone_version) || error_memory(f->e);
    }
    json_decref(run);
    json_decref(summary);
    return ok;
}

bool page_add_found(struct page *p, const char *path, struct error *e)
{
    struct text all = TEXT_INIT;
    json_error_t why;
    struct page_set *s = page_new_set(p, e);
    struct finding f = {.page = p, .set = s, .path = path, .e = e};
    if (!s || !file_read_text(path, FOUND_BYTES, &all, e)) {
        text_release(&all);
        return false;
    }
    const char *slash = strrchr(path, '/');
    s->origin = path;
    s->spec = slash ? slash + 1 : path;
    bool ok;
    if (str_starts(text_cstr(&all), TUNE_HEAD)) {
        ok = read_beginning(&f, &all);
    } else if (strstr(text_cstr(&all), "\"stamp\"")) {
        json_t *root = json_loadb(text_cstr(&all), all.length, 0, &why);
        ok = root ? read_deployed(&f, root) : refuse_found(&f, why.text);
        json_decref(root);
    } else if (strstr(text_cstr(&all), VERDICT_HEAD)) {
        ok = read_verdicts(&f, &all);
    } else {
        ok = read_found_lines(&f, &all, read_score, &s->score_count, "there is no score");
    }
    text_release(&all);
    s->is_recorded = true;
    return ok && page_finish_set(p, s, e);
}
