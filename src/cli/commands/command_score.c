// hone score: runs strategies on recorded spaces with many seeds, and scores them.
#include "cli/completion.h"
#include "cli/interrupt.h"
#include "cli/run_workflow.h"
#include "cli/recording.h"
#include "report/score_report.h"
#include "report/units.h"

#include "os/process.h"

#define A_MOMENT     500000000ull // ns without a word of progress
#define MOST_REPEATS 1000000u     // and as many in flight
#define MANY         16           // in flight, beside one

struct score_settings {
    struct spec_settings given;      // some rows of it
    struct measure_settings measure; // --seed
    struct score_options options;    // --objective, --repeats, --in-flight, --mirror, --jobs
    struct list strategies, transfer, start_with;
    const char *spec;
};

// One `hone score`.
struct session {
    struct work work;
    struct score_options options;
    struct recorded **files, **sources;
    struct score *score;
    struct score_report report;
};

// ---- progress ----------------------------------------------------------------------------------

static void show_score_progress(void *context, const struct screen *screen, struct text *line)
{
    const struct session *s = context;
    struct workflow_progress p;
    char left[UNITS_SIZE];
    score_progress(s->score, &p);
    report_bar(p.done, p.planned, screen, line);
    text_addf(line, "  %llu/%llu searches", (unsigned long long)p.done,
              (unsigned long long)p.planned);
    if (p.done > 0) {
        span_to_str(p.left_ns, left);
        text_addf(line, "  %s left", left);
    }
}

// ---- results -----------------------------------------------------------------------------------

static const struct writer *score_writer(const struct session *s)
{
    return &score_writers[s->report.format];
}

static bool show_score_record(void *context, const void *record)
{
    struct session *s = context;
    const struct score_record *r = record;
    struct text text = TEXT_INIT;
    s->report.records[s->report.count++] = *r;
    writer_record(score_writer(s), &s->report, r, &text);
    if (s->report.count == s->options.strategy_count)
        s->report.count = 0;
    workflow_write(&s->work.ticker, &text);
    return true;
}

static int score_and_show(struct session *s)
{
    struct running running = {.workflow = score_workflow(s->score),
                              .work = &s->work,
                              .context = s,
                              .record = show_score_record,
                              .progress = show_score_progress,
                              .silent = true};
    s->work.ticker.next_ns = clock_ns() + A_MOMENT;
    workflow_run(&running);
    bool is_whole = !s->work.broken.code && !running.ending;
    struct text end = TEXT_INIT;
    uint32_t count;
    if (is_whole && s->options.file_count > 1)
        s->report.means = score_means(s->score, &count);
    writer_end(score_writer(s), &s->report, &end);
    workflow_write(&s->work.ticker, &end);
    return workflow_status(&s->work.broken, work_failed, true);
}

// Reads recordings into a list of the work's arena; *count: so many are the caller's to free.
static int read_recordings(struct work *w, const char *const *paths, uint32_t all, const char *name,
                           struct recorded ***out, uint32_t *count)
{
    struct error e = ERROR_INIT;
    int status = EXIT_DONE;
    *out = arena_array(&w->arena, all + 1, sizeof(**out));
    if (!*out) {
        error_memory(&e);
        return work_failed(&e);
    }
    for (uint32_t i = 0; i < all && status == EXIT_DONE; i++) {
        status = interrupt_pending() ? EXIT_SIGNAL + interrupt_pending()
                                     : recording_read(w, paths[i], name, &(*out)[i]);
        *count += status == EXIT_DONE;
    }
    return status;
}

static int read_files(struct session *s)
{
    struct work *w = &s->work;
    const struct score_settings *o = w->call->settings;
    struct score_options *to = &s->options;
    uint32_t files = w->call->argument_count;
    int status = read_recordings(w, w->call->arguments, files, o->spec, &s->files, &to->file_count);
    if (status == EXIT_DONE && files == 1) // of several one may be a store
        status = recording_refuse_choice(w, o->spec, s->files[0]);
    if (status == EXIT_DONE)
        status = read_recordings(w, o->transfer.items, o->transfer.count, NULL, &s->sources,
                                 &to->source_count);
    to->files = (const struct recorded *const *)s->files;
    to->sources = (const struct recorded *const *)s->sources;
    return status;
}

static int check_strategies(const struct list *strategies)
{
    struct error e = ERROR_INIT;
    for (uint32_t i = 0; i < strategies->count; i++) {
        if (!strategy_check(strategies->items[i], &e)) {
            error_context(&e, "--strategy");
            return work_failed(&e);
        }
    }
    return EXIT_DONE;
}

static bool is_sensible(const char *option, uint32_t given)
{
    if (given <= MOST_REPEATS)
        return true;
    complain("--%s: at most %u", option, MOST_REPEATS);
    return false;
}

static int start_score(struct session *s)
{
    const struct score_settings *o = s->work.call->settings;
    static const char *const the_default[] = {NULL};
    bool any = o->strategies.count > 0;
    s->options.strategies = any ? o->strategies.items : the_default;
    s->options.strategy_count = any ? o->strategies.count : 1;
    if (!s->options.repeats)
        s->options.repeats = SCORE_REPEATS;
    s->options.many = s->options.in_flight ? 0 : MANY;
    if (!s->options.in_flight)
        s->options.in_flight = 1;
    s->options.start_with = o->start_with.items;
    s->options.start_count = o->start_with.count;
    s->options.seed = o->measure.terms.seed;
    s->report =
        (struct score_report){.options = &s->options,
                              .format = o->given.output.format,
                              .records = arena_array(&s->work.arena, s->options.strategy_count,
                                                     sizeof *s->report.records)};
    s->score = s->report.records ? score_new(&s->options, &s->work.broken) : NULL;
    if (!s->report.records)
        error_memory(&s->work.broken);
    return s->score ? EXIT_DONE : work_failed(&s->work.broken);
}

static int run_score(struct invocation *i)
{
    const struct score_settings *o = i->settings;
    struct session s = {.options = o->options};
    work_init(&s.work, i, &o->given, &o->measure);
    interrupt_catch();
    bool fits = is_sensible("repeats", o->options.repeats) &&
                is_sensible("in-flight", o->options.in_flight) &&
                is_sensible("jobs", o->options.jobs);
    int status = fits ? check_strategies(&o->strategies) : EXIT_USAGE;
    if (status == EXIT_DONE)
        status = read_files(&s);
    if (status == EXIT_DONE)
        status = start_score(&s);
    if (status == EXIT_DONE)
        status = score_and_show(&s);
    score_free(s.score);
    for (uint32_t f = 0; f < s.options.file_count; f++)
        recorded_free(s.files[f]);
    for (uint32_t f = 0; f < s.options.source_count; f++)
        recorded_free(s.sources[f]);
    work_release(&s.work);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct score_settings, member)

static const struct option options[] = {
    {OPTION("strategy", "NAME", option_list, FIELD(strategies)), .offer = offer_strategies,
     .brief = "a strategy to score", .is_list = true,
     .help = "A strategy to score, with its options as in hone tune: name:key=value,key=value. May "
             "be repeated. Default: the one that hone tune takes."},
    {OPTION("repeats", "N", option_count, FIELD(options.repeats)), .brief = "searches of each file",
     .help = "Searches of each file by each strategy and budget, with seeds from --seed on. "
             "Default: 100."},
    {OPTION("objective", "GOAL", option_text, FIELD(options.objective)),
     .brief = "what to optimise; else the shortest time",
     .help =
         "What to optimise: time (the shortest), or min:NAME or max:NAME of what the files have "
         "measured beside it. Default: time."},
    {OPTION("also", "SOURCE", option_list, FIELD(transfer)),
     .brief = "a recording that searches learn from", .is_list = true,
     .help = "What searches know beforehand, as a tune does from results elsewhere in its store: "
             "another recording, of the same parameters or most of them. May be repeated; "
             "the nearest first. A file is not a source of itself."},
    {OPTION("start-with", "NAME=VALUE,...", option_list, FIELD(start_with)), .is_list = true,
     .help = "A configuration that every search begins with, as in hone tune. May be repeated."},
    {OPTION("in-flight", "N", option_count, FIELD(options.in_flight)),
     .help = "Configurations that are under way at a time, as in a tune with so many build "
             "workers. Default: 1, and a second time 16."},
    {OPTION("mirror", NULL, option_flag, FIELD(options.mirror)),
     .excludes = "also, start-with: these name values as they are written",
     .brief = "also with the lists of values mirrored",
     .help = "As many searches once more with every list of values inverted (the sign of each "
             "number turned) and shuffled, in a "
             "row of their own: a search should not care which way a list is written."},
    {OPTION("jobs", "N", option_count, FIELD(options.jobs)), .letter = 'j',
     .brief = "searches at a time",
     .help = "Searches at a time; what they find does not depend on it. Default: the cores that "
             "this process may use."},
    {OPTION("device", "TEXT", option_text, FIELD(given.device)), .letter = 'd',
     .offer = offer_devices, .brief = "of a store with several devices",
     .help = "If a store has results of several devices: those of the device whose name contains "
             "this."},
    {OPTION("spec", "NAME", option_text, FIELD(spec)), .brief = "of a store with several specs",
     .help = "If a store has results of several specs: those of the spec with this name."},
    {OPTION("set", "NAME=VALUE", option_list, FIELD(given.set)), .letter = 's',
     .brief = "of a store with several constants", .is_list = true,
     .help = "If a store has results with several sets of constants: those with these. May be "
             "repeated; name all constants."},
    {OPTION("json", NULL, option_json, FIELD(given.output)), .brief = "JSON, for scripts",
     .help = "One JSON object a line for each file and strategy; the fields are listed above."},
    {0},
};

static const struct option_group groups[] = {{"Options", options, 0},
                                             {"Options", seed_options, FIELD(measure)},
                                             {"Options", format_options, FIELD(given.output)},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone score gemm_T4.json.gz --strategy random --strategy genetic",
     "two strategies on one recorded space"},
    {"hone score *.json.gz --repeats 20 --json", "the default strategy on many, for a script"},
    {0},
};

_Static_assert(SCORE_REPEATS == 100, "the help text above says so");

static const struct json_record json_records[] = {{"score", &report_score_fields}, {0}};

const struct command command_score = {
    .name = "score",
    .group = GROUP_MEASURE,
    .summary = "score search strategies on recorded spaces, without a device",
    .arguments = "FILE...",
    .least = 1,
    .most = UINT32_MAX,
    .description =
        "Lets strategies search spaces that somebody recorded as a whole, and scores what they "
        "find against drawing configurations at random.\n\n"
        "The methodology is that of Willemsen et al. (2024). A file is " RECORDING_FORMATS ".\n\n"
        "The baseline R is the expected best of k draws without replacement, exact from the "
        "recorded values; a configuration that failed is a draw that finds nothing. As long as "
        "nothing was found, baseline and strategy alike have the worst of the values. The budget "
        "is the number of draws after which the baseline has come 95 % of the way from the median "
        "to the optimum. The score is the mean over the budget of (R - S) / (R - optimum), where S "
        "is the best that the strategy has found so far: 0 is as good as random, 1 the optimum at "
        "once, below 0 worse than random.\n\n"
        "Where costs are recorded (compiling, running, verifying, the framework) there is a second "
        "score, in time: the baseline then draws at the mean cost of a configuration, and S is the "
        "best whose evaluation has ended. Searches for it are not told how many configurations "
        "they may ask for. Beside each score stands what part of the optimum was reached at the "
        "end of its budget, and the interval in which the mean over seeds lies at 95 %.\n\n"
        "A second table follows the searches along their budget: (R - S) / (R - optimum) after 5, "
        "10, 25, 50 and 100 % of it, and after how many evaluations the median search is within 1 "
        "% of the optimum, or what part of the searches comes so near within the budget; with one "
        "configuration in flight, and with 16.",
    .json = "With --json stdout has one object a line, for each file and strategy.",
    .records = json_records,
    .topics = "strategies, formats, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct score_settings),
    .run = run_score,
};
