// hone report: one HTML file that shows what stores and recorded spaces know; or a picture, a table, a summary of it.
#include "cli/environment.h"
#include "cli/page_watch.h"
#include "cli/respec.h"
#include "cli/work.h"
#include "recorded/read_store.h"
#include "recorded/stored_space.h"
#include "os/file_replace.h"
#include "extras/page/page.h"
#include "workflows/peak/peak.h"

#include <string.h>
#include <sys/stat.h>

// Forms of the output; PAGE_BY_NAME: as the name of the file says.
enum page_form { PAGE_BY_NAME, PAGE_HTML, PAGE_SVG, PAGE_PDF, PAGE_CSV, PAGE_MARKDOWN, PAGE_FORMS };

struct report_settings {
    struct spec_settings given; // some rows of it
    const char *output, *views;
    enum page_form form;
    struct list objective;
    enum stored_apart apart;
    struct given_watch {
        bool is_given, is_fed; // is_fed: ends with standard input
    } watch;
    bool all;
};

// One `hone report`.
struct session {
    struct work work;
    const struct report_settings *settings;
    struct page page;
    struct page_choice choice;
    struct report_about about;
    char date[32];
    struct hone_store **stores; // one for each argument; NULL: not a store
    struct recorded **recorded; // likewise
    bool *is_fixed;      // of an argument: it is all that it has, and nothing of it is chosen
    struct spec **specs; // of stored spaces
    size_t spec_count, spec_room;
    bool has_warned; // what is left out was said already
};

// ---- a store -----------------------------------------------------------------------------------

struct stored_text {
    struct arena *arena;
    struct digest key;
    bool has_key;
    const char *spec;
    size_t length;
};

static bool take_key(void *context, const struct store_row *row)
{
    struct stored_text *t = context;
    t->key = row->key;
    t->has_key = true;
    return false;
}

static bool take_spec_text(void *context, const char *kind, const char *name, const char *text,
                           size_t length)
{
    struct stored_text *t = context;
    (void)name;
    if (!str_equal(kind, "spec"))
        return true;
    t->spec = arena_strndup(t->arena, text, length);
    t->length = length;
    return false;
}

static bool keep_spec(struct session *s, struct spec *spec, struct error *e)
{
    if (!ARENA_ROOM(&s->work.arena, s->specs, s->spec_room, s->spec_count + 1)) {
        spec_free(spec);
        return error_memory(e);
    }
    s->specs[s->spec_count++] = spec;
    return true;
}

// The spec as it was when the space's newest result was measured; NULL with an error.
static const struct spec *stored_spec(struct session *s, struct store *store,
                                      const struct stored_space *space, struct error *e)
{
    struct stored_text t = {.arena = &s->work.arena};
    if (!stored_space_each(store, space, take_key, &t, e) || !t.has_key ||
        !store_texts(store, &t.key, take_spec_text, &t, e))
        return NULL;
    if (!t.spec || t.length == 0) {
        error_set(e, ERROR_INPUT, "the store has not kept its spec");
        return NULL;
    }
    struct spec *spec = respec_text(t.spec, t.length, space->spec, space->constants, NULL, e);
    return spec && keep_spec(s, spec, e) ? spec : NULL;
}

// The spec of a file with the constants of a stored space, "A=1, B=2"; NULL: it is no longer valid with them.
static const struct spec *spec_with_constants(struct session *s, const char *file,
                                              const struct stored_space *space)
{
    struct error ignored = ERROR_INIT;
    struct spec_options o = {.log = &s->work.log,
                             .refuses_commands = environment_refuses_commands()};
    const char **set = arena_array(&s->work.arena, strlen(space->constants) + 1, sizeof *set);
    char *at = arena_strdup(&s->work.arena, space->constants);
    for (char *end; set && at && *at; at = end) {
        end = strstr(at, ", ");
        set[o.set_count++] = at;
        if (!end)
            break;
        *end = '\0';
        end += 2;
    }
    o.set = set;
    struct spec *spec = set && at ? spec_load(file, &o, &ignored) : NULL;
    return spec && keep_spec(s, spec, &ignored) ? spec : NULL;
}

// The spaces of a store: of a spec and its file (NULL: of all), with its constants or all there are. A space
// whose spec cannot be read any more is left out, which is reported.
static bool add_spaces(struct session *s, struct store *store, const char *path, const char *file,
                       const struct spec *spec, const char *constants, struct error *e)
{
    struct stored_space *spaces;
    size_t count;
    struct arena *a = &s->work.arena;
    const char *device = s->settings->given.device;
    if (!stored_spaces(store, spec ? spec->name : NULL, constants, s->settings->apart, a, &spaces,
                       &count, e))
        return false;
    if (device && device[0])
        count = stored_spaces_keep(spaces, count, device);
    for (size_t i = 0; i < count; i++) {
        struct error why = ERROR_INIT;
        const struct given_language *l = &s->settings->given.language;
        if (str_equal(spaces[i].spec, PEAK_SPEC) ||
            (l->is_given && !str_equal(spaces[i].language, language_text(l->language))))
            continue;
        const struct spec *of = spec && constants ? spec
                                : spec            ? spec_with_constants(s, file, &spaces[i])
                                                  : NULL;
        of = of ? of : stored_spec(s, store, &spaces[i], &why);
        if (of && !page_add_stored(&s->page, store, &spaces[i], of, path, &s->choice, e))
            return false;
        if (!of && !s->has_warned)
            complain("warning: %s: %s%s%s on %s is left out: %s", path, spaces[i].spec,
                     spaces[i].constants[0] ? ", " : "", spaces[i].constants, spaces[i].device,
                     why.text[0] ? why.text : "it has no results");
    }
    return true;
}

// ---- what is given -----------------------------------------------------------------------------

static bool looks_recorded(const char *path, const char *head)
{
    static const char *const keys[] = {"\"results\"", "\"tune_params_keys\"", "\"tune_params\"",
                                       "\"cache\""};
    const char *dot = strrchr(path, '.');
    bool is = dot && (str_equal(dot, ".gz") || str_equal(dot, ".csv"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !is; i++)
        is = strstr(head, keys[i]) != NULL;
    return is;
}

// A file that cannot be read is the caller's to mend.
static int refuse_argument(const struct error *e)
{
    work_failed(e);
    return e->code == ERROR_MEMORY ? EXIT_NOTHING : EXIT_USAGE;
}

static int add_store(struct session *s, uint32_t argument)
{
    struct error e = ERROR_INIT;
    struct hone_error why = HONE_ERROR_INIT;
    const char *path = s->work.call->arguments[argument];
    const char *constants = s->settings->given.set.count ? s->settings->given.set.items[0] : NULL;
    s->stores[argument] = hone_store_open(path, HONE_STORE_READ, &why);
    take_error(&why, &e);
    bool ok = s->stores[argument] &&
              add_spaces(s, store_of(s->stores[argument]), path, NULL, NULL, constants, &e);
    return ok ? EXIT_DONE : work_failed(&e);
}

static int add_recording(struct session *s, uint32_t argument)
{
    struct error e = ERROR_INIT;
    const struct recorded_options o = {.log = &s->work.log};
    struct recorded *r = recorded_read(s->work.call->arguments[argument], &o, &e);
    s->recorded[argument] = r;
    s->is_fixed[argument] = true;
    return r && page_add_recorded(&s->page, r, &s->choice, &e) ? EXIT_DONE : refuse_argument(&e);
}

// Adds the results of the spec from the default store, or from that of --store.
static int add_spec(struct session *s, uint32_t argument)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    struct text constants = TEXT_INIT;
    const struct report_settings *o = s->settings;
    struct spec_options options = {.set = o->given.set.items,
                                   .set_count = o->given.set.count,
                                   .log = &w->log,
                                   .refuses_commands = environment_refuses_commands()};
    struct spec *spec = spec_load(w->call->arguments[argument], &options, &e);
    if (!spec && e.code == ERROR_INPUT && work_refuse_file(w->call->arguments[argument]))
        return EXIT_USAGE;
    if (!spec || !keep_spec(s, spec, &e))
        return refuse_argument(&e);
    int status = w->store ? EXIT_DONE : work_store(w, HONE_STORE_READ);
    if (status != EXIT_DONE)
        return status;
    spec_constants_text(spec, &constants);
    const char *own = arena_strdup(&w->arena, text_cstr(&constants));
    bool ok = own && !constants.failed
                  ? add_spaces(s, w->store, store_path(w->store), w->call->arguments[argument],
                               spec, o->all ? NULL : own, &e)
                  : error_memory(&e);
    text_release(&constants);
    return ok ? EXIT_DONE : work_failed(&e);
}

// Adds the results of hone score, hone deploy, hone judge and of one hone tune.
static int add_found(struct session *s, uint32_t argument)
{
    struct error e = ERROR_INIT;
    const char *path = s->work.call->arguments[argument];
    s->is_fixed[argument] = true;
    return page_add_found(&s->page, path, &e) ? EXIT_DONE : refuse_argument(&e);
}

static int add_argument(struct session *s, uint32_t argument)
{
    char head[4096];
    const char *path = s->work.call->arguments[argument];
    // The beginning of a file, and its name, show its kind; any other JSON may be a spec.
    FILE *f = fopen(path, "rbe");
    size_t n = f ? fread(head, 1, sizeof head - 1, f) : 0;
    if (f)
        fclose(f);
    head[n] = '\0';
    return is_store_file(path)          ? add_store(s, argument)
           : page_is_found(head)        ? add_found(s, argument)
           : looks_recorded(path, head) ? add_recording(s, argument)
                                        : add_spec(s, argument);
}

// ---- what is written ---------------------------------------------------------------------------

// "matmul, transpose": of what the sets are, each once.
static const char *title_of(struct session *s)
{
    struct text title = TEXT_INIT;
    for (size_t i = 0; i < s->page.count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < i; k++)
            is_new &= !str_equal(s->page.sets[k].spec, s->page.sets[i].spec);
        if (is_new && title.length < 200)
            text_addf(&title, "%s%s", title.length ? ", " : "", s->page.sets[i].spec);
    }
    if (!title.length)
        return "No results";
    const char *own = text_to_arena(&title, &s->work.arena);
    return own ? own : "";
}

static enum page_form form_of(const struct report_settings *o)
{
    static const char *const endings[PAGE_FORMS] = {
        [PAGE_SVG] = ".svg", [PAGE_PDF] = ".pdf", [PAGE_CSV] = ".csv", [PAGE_MARKDOWN] = ".md"};
    const char *dot = o->output ? strrchr(o->output, '.') : NULL;
    for (unsigned f = PAGE_SVG; dot && o->form == PAGE_BY_NAME && f < PAGE_FORMS; f++) {
        if (str_equal(dot, endings[f]))
            return (enum page_form)f;
    }
    return o->form == PAGE_BY_NAME ? PAGE_HTML : o->form;
}

static bool write_report(struct session *s, struct text *out, struct error *e)
{
    const struct report_settings *o = s->settings;
    enum page_form form = form_of(o);
    if (form == PAGE_SVG)
        return page_write_svg(&s->page, o->views, out, e);
    if (form == PAGE_PDF)
        return page_write_pdf(&s->page, o->views, environment_scratch_parent(), out, e);
    if (form == PAGE_CSV)
        return page_write_csv(&s->page, o->views, out, e);
    (form == PAGE_MARKDOWN ? page_write_markdown : page_write)(&s->page, out);
    return !out->failed || error_memory(e);
}

static void about_report(struct session *s)
{
    environment_date(s->date);
    s->about = (struct report_about){
        .hone_version = HONE_VERSION, .command = s->work.call->line, .date = s->date};
    s->page.about = &s->about;
    s->page.views = s->settings->views;
    page_order(&s->page);
    s->page.title = title_of(s);
}

static bool is_narrowed(const struct report_settings *o)
{
    const struct spec_settings *g = &o->given;
    return g->device || g->language.is_given;
}

static int write_out(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    const char *path = s->settings->output;
    if (s->page.count == 0 && is_narrowed(s->settings)) {
        complain("no result matches the selection%s%s%s", path ? "; " : "", path ? path : "",
                 path ? " is left as it is" : "");
        return EXIT_NOTHING;
    }
    about_report(s);
    bool ok = write_report(s, &out, &e) && (!path || file_replace(path, &out, &e));
    if (ok && path) {
        complain("%s: %zu set%s of results, %zu bytes%s", path, s->page.count,
                 s->page.count == 1 ? "" : "s", out.length,
                 s->page.count || s->settings->all ? "" : "; --all has those of other constants");
    } else if (ok) {
        put_data(&out);
    }
    text_release(&out);
    return !ok ? work_failed(&e) : s->page.count > 0 ? EXIT_DONE : EXIT_NOTHING;
}

// Refuses options that select from a store if there is no store.
static int refuse_choice(const struct session *s)
{
    const struct spec_settings *g = &s->settings->given;
    const char *idle = g->device              ? "--device"
                       : g->language.is_given ? "--language"
                       : g->set.count         ? "--set"
                                              : NULL;
    for (uint32_t i = 0; i < s->work.call->argument_count; i++) {
        if (!s->is_fixed[i])
            return EXIT_DONE;
    }
    if (!idle)
        return EXIT_DONE;
    complain("%s selects from a store, and none of the arguments is one", idle);
    return EXIT_USAGE;
}

// An objective that only some of several sets lack is reported there; that all lack it is a
// mistake.
static int refuse_objectives(const struct session *s)
{
    for (size_t i = 0; i < s->page.count; i++) {
        if (!s->page.sets[i].is_unfit)
            return EXIT_DONE;
    }
    if (s->settings->objective.count == 0 || s->page.count == 0)
        return EXIT_DONE;
    complain("--objective: %s", s->page.sets[0].no_front);
    return EXIT_USAGE;
}

static int check_report_options(const struct report_settings *o)
{
    struct error e = ERROR_INIT;
    enum page_form form = form_of(o);
    bool is_view = form == PAGE_SVG || form == PAGE_PDF || form == PAGE_CSV;
    if (is_view && !o->views)
        complain("an SVG, PDF or CSV file is of one view: name it with --views");
    else if (form == PAGE_MARKDOWN && o->views)
        complain("--views is for a page, a picture or CSV; a Markdown summary has no views");
    else if (o->watch.is_given && form != PAGE_HTML)
        complain("--watch rewrites a whole page: leave it out, or name a file that ends in .html");
    else if (o->views && !is_view && !page_check_views(o->views, &e))
        complain("--views: %s", e.text);
    else
        return EXIT_DONE;
    return EXIT_USAGE;
}

// A report that is written over what it is made from would be the last.
static int refuse_output(const struct invocation *i)
{
    const struct report_settings *o = i->settings;
    bool is = o->output && o->given.store && file_is_same(o->output, o->given.store);
    for (uint32_t k = 0; o->output && !is && k < i->argument_count; k++)
        is = file_is_same(o->output, i->arguments[k]);
    for (uint32_t k = 0; o->output && !is && k < o->given.also.count; k++)
        is = file_is_same(o->output, o->given.also.items[k]);
    if (!is)
        return EXIT_DONE;
    complain("--output %s: the report is made from that file; name another one", o->output);
    return EXIT_USAGE;
}

static const char *joined_objectives(struct session *s)
{
    const struct list *l = &s->settings->objective;
    const char *all = NULL;
    for (uint32_t i = 0; i < l->count; i++)
        all = arena_printf(&s->work.arena, "%s%s%s", all ? all : "", all ? "," : "", l->items[i]);
    return all;
}

// Gathers what the arguments have; close_report() releases it either way.
static int open_report(struct session *s, const struct invocation *i, bool has_warned)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    int status = EXIT_DONE;
    *s = (struct session){.settings = i->settings, .has_warned = has_warned};
    work_init(w, i, &s->settings->given, NULL);
    s->choice = (struct page_choice){s->settings->given.where.items, s->settings->given.where.count,
                                     joined_objectives(s)};
    s->stores = arena_array(&w->arena, i->argument_count, sizeof(struct hone_store *));
    s->recorded = arena_array(&w->arena, i->argument_count, sizeof(struct recorded *));
    s->is_fixed = arena_array(&w->arena, i->argument_count, sizeof(bool));
    if (!s->stores || !s->recorded || !s->is_fixed) {
        error_memory(&e);
        return work_failed(&e);
    }
    for (uint32_t k = 0; status == EXIT_DONE && k < i->argument_count; k++)
        status = add_argument(s, k);
    if (status == EXIT_DONE)
        status = refuse_choice(s);
    return status == EXIT_DONE ? refuse_objectives(s) : status;
}

static void close_report(struct session *s)
{
    page_release(&s->page);
    for (size_t k = 0; k < s->spec_count; k++)
        spec_free(s->specs[k]);
    for (uint32_t k = 0; s->stores && s->recorded && k < s->work.call->argument_count; k++) {
        hone_store_close(s->stores[k]);
        recorded_free(s->recorded[k]);
    }
    work_release(&s->work);
}

// ---- a page that is written anew -----------------------------------------------------------------

struct watched_report {
    const struct invocation *call;
    char store[4096]; // that a SPEC asks; "": none, or not known yet
    int refused; // why there is not even a first page: the status that the command has without --watch
};

static bool make_watched(void *context, const struct page_moment *moment, struct text *out)
{
    struct watched_report *r = context;
    struct session s;
    int status = open_report(&s, r->call, !moment->is_first);
    bool ok = status == EXIT_DONE;
    if (moment->is_first)
        r->refused = status;
    if (ok) {
        if (s.work.store)
            str_format(r->store, sizeof r->store, "%s", store_path(s.work.store));
        about_report(&s);
        s.page.reload_s = moment->reload_s;
        s.page.news = moment->news;
        page_write(&s.page, out);
        ok = !out->failed;
    }
    close_report(&s);
    return ok;
}

// When a file and what SQLite has not put into it yet were written last.
static uint64_t add_state(uint64_t state, const char *path)
{
    static const char *const ends[] = {"", "-wal", "-journal"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char name[4200];
        struct stat st;
        str_format(name, sizeof name, "%s%s", path, ends[i]);
        if (stat(name, &st) != 0)
            st = (struct stat){0};
        const uint64_t of[] = {(uint64_t)st.st_ino, (uint64_t)st.st_size,
                               (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec};
        for (size_t k = 0; k < sizeof of / sizeof *of; k++)
            state = (state ^ of[k]) * UINT64_C(0x100000001b3);
    }
    return state;
}

static uint64_t state_of_report(void *context)
{
    const struct watched_report *r = context;
    const struct report_settings *o = r->call->settings;
    uint64_t state = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < r->call->argument_count; i++)
        state = add_state(state, r->call->arguments[i]);
    for (uint32_t i = 0; i < o->given.also.count; i++)
        state = add_state(state, o->given.also.items[i]);
    return r->store[0] ? add_state(state, r->store) : state;
}

// ---- the command -------------------------------------------------------------------------------

static int run_report(struct invocation *i)
{
    const struct report_settings *o = i->settings;
    struct session s;
    int status = check_report_options(o);
    if (status == EXIT_DONE)
        status = refuse_output(i);
    if (status != EXIT_DONE)
        return status;
    if (o->watch.is_given) {
        struct watched_report report = {.call = i};
        const struct page_watch watch = {.path = o->output,
                                         .until_eof = o->watch.is_fed,
                                         .context = &report,
                                         .make = make_watched,
                                         .state = state_of_report};
        status = page_watch(&watch);
        return report.refused == EXIT_DONE ? status : report.refused;
    }
    status = open_report(&s, i, false);
    if (status == EXIT_DONE)
        status = write_out(&s);
    close_report(&s);
    return status;
}

static bool option_apart(void *field, const char *value, struct error *e)
{
    static const struct {
        const char *name;
        enum stored_apart apart;
    } names[] = {{"nothing", STORED_NEWEST}, {"driver", STORED_DRIVERS}, {"run", STORED_RUNS}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_equal(names[i].name, value)) {
            *(enum stored_apart *)field = names[i].apart;
            return true;
        }
    }
    error_set(e, ERROR_USAGE, "'%s' is not one of driver, run, nothing", value);
    return false;
}

static bool option_form(void *field, const char *value, struct error *e)
{
    static const char *const names[PAGE_FORMS] = {[PAGE_HTML] = "html",
                                                  [PAGE_SVG] = "svg",
                                                  [PAGE_PDF] = "pdf",
                                                  [PAGE_CSV] = "csv",
                                                  [PAGE_MARKDOWN] = "markdown"};
    for (unsigned f = PAGE_HTML; f < PAGE_FORMS; f++) {
        if (!str_equal(value, names[f]))
            continue;
        *(enum page_form *)field = (enum page_form)f;
        return true;
    }
    return error_set(e, ERROR_USAGE, "'%s' is not one of html, svg, pdf, csv and markdown", value);
}

static bool option_watch(void *field, const char *value, struct error *e)
{
    *(struct given_watch *)field = (struct given_watch){true, value != NULL};
    return !value || str_equal(value, "stdin") ||
           error_set(e, ERROR_USAGE, "'%s': only =stdin can follow", value);
}

#define FIELD(member) offsetof(struct report_settings, member)

static const struct option options[] = {
    {OPTION("output", "FILE", option_text, FIELD(output)), .letter = 'o',
     .brief = "the file; else standard output",
     .help = "Write to this file, whole or not at all. Default: standard output."},
    {OPTION("format", "html|svg|pdf|csv|markdown", option_form, FIELD(form)), .letter = 'f',
     .brief = "a page, a picture, numbers or a summary",
     .help = "html: a page; svg or pdf: one picture, for a paper, from the first set that has it "
             "(pdf needs rsvg-convert); csv: the numbers of a view, times in ns; markdown: a "
             "summary for a pull request with the best, the finalists, what matters and what "
             "failed. Default: by the file's ending, else html."},
    {OPTION("views", "NAME,...", option_text, FIELD(views)), .brief = "these views alone",
     .help =
         "Write these views alone, beside the answer, the environment and the data: a smaller "
         "page; for svg, pdf and csv one of them: evaluations, time, finalists, rounds, devices, "
         "distribution, parameters, importance, heatmap, parallel, failures, pareto, sizes, "
         "beside, matrix, samples, roofline, convergence or deployed; as csv also table, which has "
         "all configurations, as parallel; resources, source, beginning and leaderboard. For a "
         "paper, a width and a font size follow the name: finalists:84mm:8pt."},
    {OPTION("watch", "stdin", option_watch, FIELD(watch)), .optional = true,
     .brief = "rewrite the file while others write to the store",
     .needs = "output: the page is rewritten in a file",
     .help = "Rewrite the page whenever another process writes to the store, at most every two "
             "seconds and with at most a hundredth of a core, until Ctrl-C. The page reloads "
             "itself and keeps its filters. With =stdin, for programs that start hone: until "
             "standard input ends; the page shows the last line read."},
    {0},
};

static const struct option what_options[] = {
    {OPTION("device", "TEXT", option_text, FIELD(given.device)), .letter = 'd',
     .brief = "of a store with several devices",
     .help =
         "If a store has results for several devices: those whose name or platform contains this."},
    {OPTION("language", "NAME", option_language, FIELD(given.language)), .letter = 'l',
     .help = "Of a store: results in this language alone."},
    {OPTION("set", "NAME=VALUE", option_list, FIELD(given.set)), .letter = 's', .is_list = true,
     .help = "Constants of the spec, as in hone tune; of a store the constants as they are listed: "
             "'A=1, B=2'."},
    {OPTION("where", "EXPRESSION", option_list, FIELD(given.where)), .letter = 'w', .is_list = true,
     .brief = "configurations of which this is true",
     .help = "Only configurations of which the expression over the parameters is true. May be "
             "repeated."},
    {OPTION("objective", "TEXT", option_list, FIELD(objective)), .is_list = true,
     .brief = "several draw a Pareto front: min:time,max:NAME",
     .help = "What to optimise, as in hone best: the time or a metric of the spec (or of the "
             "recording), with min: or max: in front. Several draw a Pareto front. Default: the "
             "spec's own, else the shortest time."},
    {OPTION("apart", "WHAT", option_apart, FIELD(apart)),
     .brief = "a set for each driver, or each run",
     .help = "How to split results of one device and language: driver (default), a set for each "
             "driver, with results of the kernel's newest source; run, a set for each run of hone; "
             "nothing, only the newest driver's results."},
    {OPTION("all", NULL, option_flag, FIELD(all)), .letter = 'a', .brief = "with any constants",
     .help = "For a spec: results with any constants, one set each."},
    {OPTION("store", "FILE", option_text, FIELD(given.store)),
     .help = "The store to read for a SPEC. Default: your own."},
    {OPTION("also", "FILE", option_list, FIELD(given.also)), .is_list = true,
     .help = "Further stores to read. May be repeated."},
    {0},
};

static const struct option_group groups[] = {
    {"Output", options, 0}, {"What", what_options, 0}, {"Help", help_options, 0}, {0}};

static const struct example examples[] = {
    {"hone report spec.json -o report.html", "a page with all results for a spec"},
    {"hone report gemm_T4.json.gz -o gemm.html", "of what others recorded"},
    {"hone report spec.json --views evaluations:84mm:8pt -o search.pdf",
     "one picture, for a column of a paper"},
    {"hone report spec.json --format markdown", "a summary for a pull request"},
    {"hone report results.sqlite --watch -o page.html",
     "a page that follows what is measured elsewhere"},
    {0},
};

const struct command command_report = {
    .name = "report",
    .group = GROUP_RESULTS,
    .summary = "write the results as one HTML file with pictures",
    .arguments = "SPEC|STORE|FILE...",
    .least = 1,
    .most = UINT32_MAX,
    .description =
        "Writes one HTML file that needs no network, today or in years: pictures, "
        "tables, and the data to filter them.\n\n"
        "An argument is a spec, whose results come from your store; a whole store; a recorded "
        "space (T4 results, a Kernel Tuner cache file or CSV); or the output of hone score --json, "
        "hone judge --json or hone deploy --format json. Each combination of device, language and "
        "constants is one set.\n\n"
        "Nothing is measured: the numbers are those of hone best and hone tune --json, and "
        "intervals and ties are drawn as they were decided. Times from a ranking and times of "
        "configurations measured alone are not comparable and never share a colour.\n\n"
        "The page's own script filters by comparisons, as 'block_size_x = 16 and time < 2ms', or "
        "by dragging in a picture: all views follow. Hovering shows what a point is, a click marks "
        "it in all views, and each picture can be saved as SVG, PNG or CSV. Everything else works "
        "without scripts.\n\n"
        "Exit status 1: there is no result to show.",
    .topics = "formats",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct report_settings),
    .run = run_report,
};
