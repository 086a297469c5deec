// The tables of `hone with`, and lookups in them. A table (extras/deploy/deploy_program.c) names the program's text and options by
// their digest, the kernel, the device, the kinds of the arguments and the geometry of each captured launch, followed by a table
// that libhone-known reads.
#include "extras/capture/layer/replace_table.h"

#include "known/known_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tuned_table *tables;

// ---- reading -----------------------------------------------------------------------------------

struct table_reader {
    const char *at, *end;
    bool failed;
};

// The rest of the line behind `key`, a copy; NULL: the line is another.
static char *take_line(struct table_reader *r, const char *key)
{
    const size_t length = strlen(key);
    const char *line = r->at,
               *end = line < r->end ? memchr(line, '\n', (size_t)(r->end - line)) : NULL;
    if (r->failed || !end || (size_t)(end - line) < length || memcmp(line, key, length) != 0) {
        r->failed = true;
        return NULL;
    }
    char *copy = strndup(line + length, (size_t)(end - line) - length);
    r->at = end + 1;
    r->failed = !copy;
    return copy;
}

static uint64_t take_number(struct table_reader *r, char **at, uint64_t most)
{
    char *end;
    const uint64_t value = *at && **at != '-' ? strtoull(*at, &end, 10) : 0;
    if (!*at || **at == '-' || end == *at || value > most) {
        r->failed = true;
        return 0;
    }
    *at = end;
    return value;
}

static void read_arguments(struct table_reader *r, struct tuned_table *t)
{
    char *line = take_line(r, "arguments "), *at = line;
    t->argument_count = (uint32_t)take_number(r, &at, LAYER_ARGUMENTS);
    t->arguments = calloc(t->argument_count + 1, sizeof *t->arguments);
    r->failed = r->failed || !t->arguments;
    for (uint32_t i = 0; !r->failed && i < t->argument_count; i++) {
        at += *at == ' ';
        t->arguments[i].kind = *at;
        r->failed = !*at || !strchr("vblNi", *at);
        if (!r->failed)
            at++;
        t->arguments[i].bytes = take_number(r, &at, 1 << 20);
        t->arguments[i].same = i;
        if (!r->failed && *at == '=') {
            at++;
            t->arguments[i].same = (uint32_t)take_number(r, &at, LAYER_ARGUMENTS);
        }
    }
    free(line);
    line = at = take_line(r, "columns ");
    t->column_count = (uint32_t)take_number(r, &at, COLUMNS_MOST);
    for (uint32_t i = 0; !r->failed && i < t->column_count; i++) {
        at += *at == ' ';
        t->columns[i].from = *at;
        at += *at != 0;
        t->columns[i].at = (uint32_t)take_number(r, &at, LAYER_ARGUMENTS - 1);
        r->failed = r->failed ||
                    (t->columns[i].from == 'g'   ? t->columns[i].at >= t->dimensions
                     : t->columns[i].from == 's' ? t->columns[i].at >= t->argument_count ||
                                                       t->arguments[t->columns[i].at].kind != 'v' ||
                                                       t->arguments[t->columns[i].at].bytes > 8
                                                 : true);
    }
    free(line);
}

// Behind a case's columns: the bytes of each buffer.
static void read_reach(struct table_reader *r, const struct tuned_table *t, struct launch_case *x,
                       char *at)
{
    if (r->failed || !*at)
        return;
    x->reach = calloc(t->argument_count + 1, sizeof *x->reach);
    r->failed = !x->reach;
    for (uint32_t i = 0; !r->failed && i < t->argument_count; i++) {
        if (t->arguments[i].kind == 'b')
            x->reach[i] = take_number(r, &at, SIZE_MAX);
    }
}

static void read_cases(struct table_reader *r, struct tuned_table *t)
{
    char *line = take_line(r, "launches "), *at = line;
    t->case_count = (uint32_t)take_number(r, &at, CASES_MOST);
    free(line);
    t->cases = calloc(t->case_count + 1, sizeof *t->cases);
    r->failed = r->failed || !t->cases;
    for (uint32_t i = 0; !r->failed && i < t->case_count; i++) {
        line = at = take_line(r, "");
        for (int a = 0; a < 3; a++)
            t->cases[i].global[a] = take_number(r, &at, SIZE_MAX);
        for (int a = 0; a < 3; a++)
            t->cases[i].local[a] = take_number(r, &at, SIZE_MAX);
        for (uint32_t c = 0; c < t->column_count; c++)
            t->cases[i].columns[c] = (int64_t)take_number(r, &at, INT64_MAX);
        read_reach(r, t, &t->cases[i], at);
        free(line);
    }
}

static void free_table(struct tuned_table *t)
{
    free(t->program), free(t->kernel), free(t->device), free(t->driver);
    free(t->text), free(t->function);
    for (uint32_t i = 0; t->cases && i < t->case_count; i++)
        free(t->cases[i].reach);
    free(t->arguments), free(t->cases);
    hone_known_close(t->known);
    free(t);
}

static void read_text(struct table_reader *r, struct tuned_table *t)
{
    static const char key[] = "text ";
    if (r->failed || (size_t)(r->end - r->at) < sizeof key || memcmp(r->at, key, 5) != 0)
        return; // the program has its own
    char *line = take_line(r, key), *at = line;
    const uint64_t length = take_number(r, &at, FILE_MOST);
    if (!r->failed && *at == ' ' && length < (uint64_t)(r->end - r->at)) {
        t->function = strdup(at + 1);
        t->text = strndup(r->at, length);
        r->at += length + 1;
    }
    r->failed = r->failed || !t->text || !t->function;
    free(line);
}

static void read_known(struct table_reader *r, struct tuned_table *t)
{
    const char *const *columns;
    char *line = take_line(r, "table "), *at = line;
    const uint64_t length = take_number(r, &at, FILE_MOST);
    free(line);
    if (r->failed || length > (uint64_t)(r->end - r->at)) {
        r->failed = true;
        return;
    }
    t->known = hone_known_read(r->at, length, NULL, 0);
    r->at += length;
    r->failed = !t->known || hone_known_columns(t->known, &columns) != t->column_count;
}

static struct tuned_table *read_table(struct table_reader *r)
{
    struct tuned_table *t = calloc(1, sizeof *t);
    char *line = t ? take_line(r, "kernel ") : NULL, *at;
    r->failed = r->failed || !t || strlen(line) < 66 || line[64] != ' ';
    if (!r->failed) {
        t->program = strndup(line, 64);
        t->kernel = strdup(line + 65);
        r->failed = !t->program || !t->kernel;
    }
    free(line);
    if (!r->failed) {
        t->device = take_line(r, "device ");
        t->driver = take_line(r, "driver ");
        line = at = take_line(r, "dimensions ");
        t->dimensions = (uint32_t)take_number(r, &at, 3);
        r->failed = r->failed || t->dimensions < 1;
        t->has_local = line && strstr(line, "local 1");
        at = line ? strstr(line, "shared ") : NULL;
        at = at ? at + strlen("shared ") : NULL;
        t->shared = at ? (uint32_t)take_number(r, &at, UINT32_MAX) : 0;
        free(line);
    }
    if (!r->failed)
        read_arguments(r, t);
    if (!r->failed)
        read_cases(r, t);
    if (!r->failed)
        read_text(r, t);
    if (!r->failed)
        read_known(r, t);
    if (r->failed && t) {
        free_table(t);
        t = NULL;
    }
    return t;
}

// The whole file, whose last line is a checksum of all before it.
static void read_tables(const char *path)
{
    static const char first[] = "hone-program 1\n";
    size_t length;
    char *bytes = layer_read_file(path, &length), sum[64];
    const size_t last = 26; // "checksum " and 16 digits and a line end
    if (bytes && length > sizeof first + last && memcmp(bytes, first, sizeof first - 1) == 0) {
        snprintf(sum, sizeof sum, "checksum %016llx\n",
                 (unsigned long long)known_checksum(bytes, length - last));
        struct table_reader r = {bytes + sizeof first - 1, bytes + length - last,
                                 memcmp(bytes + length - last, sum, last) != 0};
        while (!r.failed && r.at < r.end) {
            struct tuned_table *t = read_table(&r);
            if (!t)
                break;
            t->next = tables;
            tables = t;
        }
    }
    free(bytes);
}

void layer_replace_open(const char *files)
{
    char *list = strdup(files), *rest = list;
    for (char *path; list && (path = strsep(&rest, "\n"));) {
        if (*path)
            read_tables(path);
    }
    free(list);
}

struct tuned_table *replace_find_table(const struct tuned_table *after, const char *digest,
                                       const char *name)
{
    struct tuned_table *t = after ? after->next : tables;
    while (t && (strcmp(t->program, digest) != 0 || strcmp(t->kernel, name) != 0))
        t = t->next;
    return t;
}

bool layer_replace_has(const char *name)
{
    const struct tuned_table *t = tables;
    while (t && strcmp(t->kernel, name) != 0)
        t = t->next;
    return t != NULL;
}

bool layer_replace_has_text(void)
{
    const struct tuned_table *t = tables;
    while (t && !t->text)
        t = t->next;
    return t != NULL;
}

// ---- decisions ---------------------------------------------------------------------------------

// The options of a configuration without what only the table's columns are for.
static bool take_options(const struct tuned_table *t, const hone_known_device *d,
                         uint32_t configuration, const int64_t *shape, char out[OPTIONS_MOST])
{
    const char *const *names;
    const size_t length = hone_known_options(t->known, d, configuration, shape, out, OPTIONS_MOST);
    const uint32_t count = hone_known_columns(t->known, &names);
    if (length == 0 || length >= OPTIONS_MOST)
        return false;
    for (uint32_t c = 0; c < count; c++) {
        const size_t own = strlen(names[c]);
        for (char *at = out; (at = strstr(at, "-D"));) {
            char *end = at + strcspn(at, " ");
            if (strncmp(at + 2, names[c], own) == 0 && at[2 + own] == '=')
                memmove(at, end, strlen(end) + 1);
            else
                at = end;
        }
    }
    return true;
}

// Looks up what is launched for these columns.
static void decide(const struct replace_state *s, struct replace_decision *d, replace_build build)
{
    const struct tuned_table *t = s->table;
    const hone_known_device device = {.name = t->device};
    char options[OPTIONS_MOST];
    hone_known_launch launch;
    uint32_t configuration;
    d->is_made = true;
    d->kernel = NULL;
    d->reason = REPLACE_SIZE;
    if (hone_known_best(t->known, &device, d->columns, t->column_count, &configuration) != 1 ||
        hone_known_launches(t->known, configuration) != 1 ||
        hone_known_geometry(t->known, &device, configuration, 0, d->columns, &launch) != 1 ||
        !take_options(t, &device, configuration, d->columns, options))
        return;
    d->reason = REPLACE_BUILD;
    build(s, options, d);
    if (!d->kernel)
        return;
    for (int a = 0; a < 3; a++) {
        d->global[a] = launch.global[a];
        d->local[a] = launch.local[a];
    }
    d->has_local = launch.has_local;
    d->reason = launch.dimensions == t->dimensions ? REPLACE_NONE : REPLACE_GEOMETRY;
}

void replace_decide_known(struct replace_state *s, replace_build build)
{
    const struct tuned_table *t = s->table;
    for (uint32_t i = 0; i < t->case_count && i < DECISIONS; i++) {
        struct replace_decision *d = &s->decisions[i];
        memcpy(d->columns, t->cases[i].columns, sizeof d->columns);
        memcpy(d->asked_global, t->cases[i].global, sizeof d->asked_global);
        memcpy(d->asked_local, t->cases[i].local, sizeof d->asked_local);
        decide(s, d, build);
    }
}

void replace_end(struct replace_state *s, replace_release release)
{
    for (uint32_t i = 0; i < DECISIONS; i++) {
        if (s->decisions[i].kernel)
            release(s->decisions[i].kernel);
    }
}

struct replace_decision *replace_decide(struct replace_state *s,
                                        const struct replace_decision *like, replace_build build,
                                        replace_release release)
{
    for (uint32_t i = 0; i < DECISIONS; i++) {
        struct replace_decision *d = &s->decisions[i];
        if (d->is_made &&
            memcmp(d->columns, like->columns, s->table->column_count * sizeof *d->columns) == 0 &&
            memcmp(d->asked_global, like->asked_global, sizeof d->asked_global) == 0 &&
            (!s->table->has_local || memcmp(d->asked_local, like->asked_local,
                                            s->table->dimensions * sizeof *d->asked_local) == 0))
            return d;
    }
    if (!build)
        return NULL;
    struct replace_decision *d = &s->decisions[s->next++ % DECISIONS];
    if (d->kernel)
        release(d->kernel);
    *d = *like;
    decide(s, d, build);
    return d;
}

// ---- launches ----------------------------------------------------------------------------------

// Is a buffer another argument's, too, where it was so, and only there? A kernel that is right with two need not be with one.
static bool shares_as_captured(const struct tuned_table *t, const struct replace_launch *l,
                               uint32_t at)
{
    uint32_t same = at;
    for (uint32_t i = 0; same == at && i < at; i++) {
        if (t->arguments[i].kind == 'b' && l->arguments[i].kind == l->arguments[at].kind &&
            l->arguments[i].size == l->arguments[at].size &&
            memcmp(l->arguments[i].bytes, l->arguments[at].bytes, l->arguments[at].size) == 0)
            same = i;
    }
    return same == t->arguments[at].same;
}

static bool is_null(const struct replace_argument *a)
{
    static const unsigned char null[sizeof(void *)];
    return a->kind == 'v' && a->size == sizeof null && memcmp(a->bytes, null, sizeof null) == 0;
}

// The captured launch of this geometry, of these columns if there is one; NULL: none.
static const struct launch_case *find_case(const struct tuned_table *t,
                                           const struct replace_launch *l,
                                           const struct replace_decision *d)
{
    const struct launch_case *found = NULL;
    for (uint32_t i = 0; i < t->case_count; i++) {
        const struct launch_case *x = &t->cases[i];
        if (memcmp(x->global, d->asked_global, sizeof x->global) != 0 ||
            (l->local && memcmp(x->local, d->asked_local, t->dimensions * sizeof *x->local) != 0))
            continue;
        found = found ? found : x;
        if (memcmp(x->columns, d->columns, t->column_count * sizeof *x->columns) == 0)
            return x;
    }
    return found;
}

// Does `b` begin in what a kernel reaches by `a`, and behind its beginning?
static bool begins_in(const struct replace_argument *a, const struct replace_argument *b,
                      uint64_t reach)
{
    return a->root == b->root && b->offset > a->offset && b->offset - a->offset < reach &&
           b->offset - a->offset < a->room;
}

// How far the kernel reaches by the first of two buffers: in CUDA an allocator hands out parts of large segments, and the
// last of them seems to reach to the segment's end; two of a kind may also have changed places.
static uint64_t reach_of(const struct replace_launch *l, const struct launch_case *x, uint32_t i,
                         uint32_t other)
{
    return l->locate && x->reach[other] < x->reach[i] ? x->reach[other] : x->reach[i];
}

// Has a buffer a part of another? When they were captured, none had: what two of them share as a whole is one.
static bool overlap(const struct tuned_table *t, const struct replace_launch *l,
                    const struct launch_case *x)
{
    for (uint32_t i = 0; x->reach && i < t->argument_count; i++) {
        for (uint32_t o = 0; t->arguments[i].kind == 'b' && o < t->argument_count; o++) {
            struct replace_argument *a = &l->arguments[i], *b = &l->arguments[o];
            const uint64_t reach = t->arguments[o].kind == 'b' ? reach_of(l, x, i, o) : 0;
            if (!begins_in(a, b, reach))
                continue;
            if (l->locate)
                l->locate(a);
            if (begins_in(a, b, reach))
                return true;
        }
    }
    return false;
}

// Is the launch as one that was captured, with arguments of the same kinds? Fills in the columns.
enum replace_reason replace_match(const struct tuned_table *t, const struct replace_launch *l,
                                  struct replace_decision *d)
{
    if (l->argument_count != t->argument_count)
        return REPLACE_ARGUMENTS;
    for (uint32_t i = 0; i < t->argument_count; i++) {
        const struct replace_argument *a = &l->arguments[i];
        const char kind = t->arguments[i].kind;
        const bool is_same = kind == 'v' ? a->kind == 'v' && a->size == t->arguments[i].bytes
                             : kind == 'b' || kind == 'i'
                                 ? (a->kind == 'v' && a->size == sizeof(void *)) || a->kind == 's'
                             : kind == 'l' ? a->kind == 'l'
                                           : a->kind == 'l' || is_null(a);
        if (!is_same || (kind == 'b' && !shares_as_captured(t, l, i)))
            return REPLACE_ARGUMENTS;
    }
    if (l->dimensions != t->dimensions || (l->local != NULL) != t->has_local || !l->global)
        return REPLACE_GEOMETRY;
    memset(d, 0, sizeof *d);
    for (uint32_t a = 0; a < 3; a++) {
        d->asked_global[a] = a < l->dimensions ? l->global[a] : 1;
        d->asked_local[a] = l->local && a < l->dimensions ? l->local[a] : l->local ? 1 : 0;
        if (a < l->dimensions && l->offset && l->offset[a])
            return REPLACE_GEOMETRY;
    }
    for (uint32_t c = 0; c < t->column_count; c++) {
        const uint32_t at = t->columns[c].at;
        if (t->columns[c].from == 'g')
            d->columns[c] = (int64_t)d->asked_global[at];
        else
            memcpy(&d->columns[c], l->arguments[at].bytes, t->arguments[at].bytes);
        if (t->columns[c].from == 's' && t->arguments[at].bytes == 4)
            d->columns[c] =
                (int32_t)
                    d->columns[c]; // columns are positive: a larger unsigned one is not as captured
        if (d->columns[c] < 1)
            return REPLACE_GEOMETRY;
    }
    const struct launch_case *like = find_case(t, l, d);
    if (!like)
        return REPLACE_GEOMETRY;
    return overlap(t, l, like) ? REPLACE_ARGUMENTS : REPLACE_NONE;
}

// ---- what is built -----------------------------------------------------------------------------

static struct tuned_build {
    struct tuned_build *next;
    const struct tuned_table *table;
    const void *context, *module;
    char *options;
    void *built, *loaded;
} * builds;
static pthread_mutex_t builds_lock = PTHREAD_MUTEX_INITIALIZER;

void *replace_find_build(const struct replace_state *s, const char *options, replace_make make)
{
    pthread_mutex_lock(&builds_lock);
    struct tuned_build *b = builds;
    while (b && !(b->table == s->table && b->context == s->context && b->module == s->module &&
                  strcmp(b->options, options) == 0))
        b = b->next;
    char *copy = b ? NULL : strdup(options);
    if (copy && (b = calloc(1, sizeof *b)) != NULL) {
        *b = (struct tuned_build){builds, s->table, s->context, s->module, copy, NULL, NULL};
        b->built = make(s, options, &b->loaded);
        builds = b;
    } else
        free(copy);
    void *built = b ? b->built : NULL;
    pthread_mutex_unlock(&builds_lock);
    return built;
}

void replace_drop_builds(const void *module, void (*unload)(void *loaded))
{
    pthread_mutex_lock(&builds_lock);
    for (struct tuned_build **at = &builds, *b; (b = *at) != NULL;) {
        if (!module || b->module != module) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        if (b->loaded)
            unload(b->loaded);
        free(b->options);
        free(b);
    }
    pthread_mutex_unlock(&builds_lock);
}

// ---- verdicts ----------------------------------------------------------------------------------

bool replace_is_verified_now(struct tuned_table *t)
{
    const double p = layer_settings.verify;
    const uint64_t n = atomic_fetch_add_explicit(&t->replaced, 1, memory_order_relaxed);
    return p > 0 && (uint64_t)((double)(n + 1) * p) > (uint64_t)((double)n * p);
}

void replace_count_verdict(struct tuned_table *t, enum replace_verdict v)
{
    if (v == REPLACE_NOT_COMPARED) {
        atomic_fetch_add(&layer_counts->kept[REPLACE_UNREAD], 1);
        return;
    }
    atomic_fetch_add(&layer_counts->verified, 1);
    if (v == REPLACE_DIFFER) {
        atomic_fetch_add(&layer_counts->differences, 1);
        atomic_store(&t->is_wrong, true);
    }
}

bool replace_agree(const unsigned char *a, const unsigned char *b, size_t bytes, bool is_float)
{
    double sum = 0;
    if (memcmp(a, b, bytes) == 0)
        return true;
    if (!is_float)
        return false;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        float x;
        memcpy(&x, a + i, 4);
        sum += isfinite(x) ? (double)x * x : 0;
    }
    const double square = 1e-8 * sum / (double)(bytes / 4);
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        float x, y;
        memcpy(&x, a + i, 4);
        memcpy(&y, b + i, 4);
        const double beyond = fabs((double)x - y) - 1e-4 * fabs((double)x);
        if (memcmp(a + i, b + i, 4) != 0 && !(beyond <= 0 || beyond * beyond <= square))
            return false;
    }
    return true;
}
