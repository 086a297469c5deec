#include "cli/interrupt.h"
#include "cli/recording.h"
#include "report/score.h"
#include "report/units.h"
#include "score.h"

#include "base/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define A_MOMENT     500000000ull // ns without a word of progress
#define STEP_MS      100
#define MOST_REPEATS 1000000u // and as many in flight

// One `hone score`.
struct session {
    struct work work;
    struct score_options options;
    struct recorded **files;
    struct score *score;
    struct view_score *views; // of the file whose records come
    uint32_t view_count;
    uint64_t started_ns; // the searches
    struct error broken;
};

// ---- progress ----------------------------------------------------------------------------------

static void show_progress(struct session *s)
{
    struct score_progress p;
    struct text line = TEXT_INIT;
    char left[UNITS_SIZE];
    uint64_t now = clock_ns();
    if (!ticker_due(&s->work.ticker, now))
        return;
    score_progress(s->score, &p);
    text_addf(&line, "%llu/%llu searches", (unsigned long long)p.done,
              (unsigned long long)p.planned);
    if (p.done > 0) {
        double each = (double)(now - s->started_ns) / (double)p.done;
        span_to_str((uint64_t)(each * (double)(p.planned - p.done)), left);
        text_addf(&line, "  %s left", left);
    }
    ticker_show(&s->work.ticker, text_cstr(&line), now);
    text_release(&line);
}

// ---- results -----------------------------------------------------------------------------------

static struct view_score_axis axis_of(const struct score_result *r)
{
    return (struct view_score_axis){.known = r->known,
                                    .mean = r->score.mean,
                                    .low = r->score.low,
                                    .high = r->score.high,
                                    .fraction = r->fraction,
                                    .scores = r->scores};
}

static struct view_score view_of(const struct session *s, const struct score_record *r)
{
    const struct recorded *file = r->recorded;
    return (struct view_score){.path = file->path,
                               .format = recorded_format_text(file->format),
                               .name = file->name,
                               .device = file->device,
                               .statistic = file->statistic,
                               .strategy = r->description,
                               .configurations = r->count,
                               .correct = r->correct,
                               .objective = r->objective,
                               .is_time = r->is_time,
                               .optimum = r->optimum,
                               .median = r->median,
                               .budget = r->draws,
                               .budget_ns = r->budget_ns,
                               .repeats = s->options.repeats,
                               .in_flight = s->options.in_flight,
                               .seed = s->options.seed,
                               .evaluations = axis_of(&r->axes[SCORE_EVALUATIONS]),
                               .time = axis_of(&r->axes[SCORE_TIME])};
}

static void write_text(struct session *s, struct text *text)
{
    ticker_clear(&s->work.ticker);
    put(text);
    fflush(stdout); // a script that reads along sees each file when it is there
}

// A line at once as JSON; as text a table once the file has all its strategies.
static void show_record(struct session *s, const struct score_record *r)
{
    struct text text = TEXT_INIT;
    struct emit json;
    s->views[s->view_count++] = view_of(s, r);
    emit_start(&json, &text);
    if (s->work.call->settings.json) {
        report_score_json(&s->views[--s->view_count], &json);
        text_add(&text, "\n");
    } else if (s->view_count == s->options.strategy_count) {
        report_score(s->views, s->view_count, &text);
        text_add(&text, r->file + 1 < s->options.file_count ? "\n" : "");
        s->view_count = 0;
    }
    write_text(s, &text);
    text_release(&text);
}

static struct view_score_axis mean_of(const struct score_mean *m, enum score_axis axis)
{
    return (struct view_score_axis){.known = m->files[axis] > 0,
                                    .mean = m->score[axis].mean,
                                    .low = m->score[axis].low,
                                    .high = m->score[axis].high,
                                    .fraction = m->fraction[axis]};
}

static void show_means(struct session *s)
{
    uint32_t count;
    struct text text = TEXT_INIT;
    const struct score_mean *means = score_means(s->score, &count);
    struct view_score_mean *views = arena_array(&s->work.arena, count, sizeof *views);
    if (!views) {
        error_memory(&s->broken);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        views[i] = (struct view_score_mean){.strategy = means[i].description,
                                            .files = means[i].files[SCORE_EVALUATIONS],
                                            .time_files = means[i].files[SCORE_TIME],
                                            .evaluations = mean_of(&means[i], SCORE_EVALUATIONS),
                                            .time = mean_of(&means[i], SCORE_TIME)};
    text_add(&text, "\n");
    report_score_means(views, count, s->options.repeats, &text);
    write_text(s, &text);
    text_release(&text);
}

// ---- the loop ----------------------------------------------------------------------------------

static int work_off(struct session *s)
{
    const struct score_record *record;
    enum score_answer answer;
    s->started_ns = clock_ns();
    s->work.ticker.next_ns = s->started_ns + A_MOMENT;
    do {
        answer = score_step(s->score, STEP_MS, &record, &s->broken);
        if (answer == SCORE_RECORD)
            show_record(s, record);
        if (interrupt_pending() || ferror(stdout))
            score_cancel(s->score);
        show_progress(s);
    } while (answer == SCORE_RECORD || answer == SCORE_NOTHING);
    ticker_clear(&s->work.ticker);
    if (interrupt_pending())
        return EXIT_SIGNAL + interrupt_pending();
    bool is_whole = answer == SCORE_END && !ferror(stdout);
    if (is_whole && s->options.file_count > 1 && !s->work.call->settings.json)
        show_means(s);
    return s->broken.code ? work_failed(&s->broken) : EXIT_DONE;
}

static int read_files(struct session *s)
{
    const struct invocation *call = s->work.call;
    int status = EXIT_DONE;
    s->files = arena_array(&s->work.arena, call->argument_count, sizeof(*s->files));
    if (!s->files) {
        error_memory(&s->broken);
        return work_failed(&s->broken);
    }
    for (uint32_t i = 0; i < call->argument_count && status == EXIT_DONE; i++) {
        status = interrupt_pending() ? EXIT_SIGNAL + interrupt_pending()
                                     : recording_read(&s->work, call->arguments[i], &s->files[i]);
        s->options.file_count += status == EXIT_DONE;
    }
    s->options.files = (const struct recorded *const *)s->files;
    if (status == EXIT_DONE && call->argument_count == 1) // of several one may be a store
        status = recording_refuse_choice(&s->work, s->files[0]);
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

static bool is_sensible(const char *option, const struct given *given)
{
    if (given->value <= MOST_REPEATS)
        return true;
    complain("--%s: at most %u", option, MOST_REPEATS);
    return false;
}

static int start(struct session *s)
{
    const struct settings *o = &s->work.call->settings;
    static const char *const the_default[] = {NULL};
    bool any = o->strategies.count > 0;
    s->options.strategies = any ? o->strategies.items : the_default;
    s->options.strategy_count = any ? o->strategies.count : 1;
    s->options.repeats = o->repeats.is_given ? (uint32_t)o->repeats.value : SCORE_REPEATS;
    s->options.in_flight = o->in_flight.is_given ? (uint32_t)o->in_flight.value : 1;
    s->options.objective = o->score_by;
    s->options.seed = o->seed.value;
    s->options.jobs = (uint32_t)o->jobs.value;
    s->views = arena_array(&s->work.arena, s->options.strategy_count, sizeof *s->views);
    s->score = s->views ? score_new(&s->options, &s->broken) : NULL;
    if (!s->views)
        error_memory(&s->broken);
    return s->score ? EXIT_DONE : work_failed(&s->broken);
}

static int run(struct invocation *i)
{
    struct session s = {.score = NULL};
    work_init(&s.work, i);
    interrupt_catch();
    bool fits = is_sensible("repeats", &i->settings.repeats) &&
                is_sensible("in-flight", &i->settings.in_flight) &&
                is_sensible("jobs", &i->settings.jobs);
    int status = fits ? check_strategies(&i->settings.strategies) : EXIT_USAGE;
    if (status == EXIT_DONE)
        status = read_files(&s);
    if (status == EXIT_DONE)
        status = start(&s);
    if (status == EXIT_DONE)
        status = work_off(&s);
    score_free(s.score);
    for (uint32_t f = 0; f < s.options.file_count; f++)
        recorded_free(s.files[f]);
    work_release(&s.work);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct settings, member)

static const struct option options[] = {
    {.name = "strategy",
     .argument = "NAME",
     .help = "A strategy to score, with its options as in hone tune: name:key=value,key=value. May "
             "be repeated. Default: the one that hone tune takes.",
     .apply = option_list,
     .offset = FIELD(strategies)},
    {.name = "repeats",
     .argument = "N",
     .help = "Searches of each file by each strategy and budget, with seeds from --seed on. "
             "Default: 100.",
     .apply = option_count,
     .offset = FIELD(repeats)},
    {.name = "objective",
     .argument = "GOAL",
     .help = "What is looked for: time (the least), or min:NAME or max:NAME of what the files have "
             "measured beside it. Default: time.",
     .apply = option_text,
     .offset = FIELD(score_by)},
    {.name = "in-flight",
     .argument = "N",
     .help = "As many configurations are asked for before the first is answered, as a tune with so "
             "many build workers does. Default: 1.",
     .apply = option_count,
     .offset = FIELD(in_flight)},
    {.name = "jobs",
     .argument = "N",
     .help = "Searches at a time; what they find does not depend on it. Default: the cores that "
             "this process may use.",
     .apply = option_count,
     .offset = FIELD(jobs)},
    {.name = "device",
     .argument = "TEXT",
     .help = "Of a store that has results of several devices: those of the one whose name has this "
             "in it.",
     .apply = option_text,
     .offset = FIELD(device)},
    {.name = "set",
     .argument = "NAME=VALUE",
     .help = "Of a store that has results with several constants: those with these. May be "
             "repeated; all constants are named.",
     .apply = option_list,
     .offset = FIELD(set)},
    {.name = "json",
     .help = "One JSON object a line for each file and strategy; the fields are listed above.",
     .apply = option_flag,
     .offset = FIELD(json)},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options}, {"Options", seed_options}, {"Help", help_options}, {0}};

static const struct example examples[] = {
    {"hone score gemm_T4.json.gz --strategy random --strategy genetic",
     "two strategies on one recorded space"},
    {"hone score *.json.gz --repeats 20 --json", "the default strategy on many, for a script"},
    {0},
};

_Static_assert(SCORE_REPEATS == 100, "the help text above says so");

const struct command command_score = {
    .name = "score",
    .summary = "score search strategies on recorded spaces, without a device",
    .arguments = "FILE...",
    .least = 1,
    .most = UINT32_MAX,
    .description =
        "Lets strategies search spaces that somebody recorded as a whole, and sets what they find "
        "against drawing configurations at random, by the methodology of Willemsen et al. (2024). "
        "A file is " RECORDING_FORMATS ".\n\n"
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
        "With --json stdout has one object a line:\n\n"
        "  {\"file\", \"format\", \"space\", \"device\", \"statistic\", \"strategy\", "
        "\"repeats\", \"seed\",\n"
        "   \"in_flight\", \"configurations\", \"correct\", \"objective\", \"optimum\", "
        "\"median\", \"budget\",\n"
        "   \"score\", \"interval\":[low,high], \"fraction\", \"scores\":[], "
        "\"time\":{\"budget_ns\", "
        "\"score\",\n"
        "   \"interval\":[low,high], \"fraction\", \"scores\":[]}}\n\n"
        "scores has one number for each seed; optimum and median are ns where the objective is "
        "time; time is null where no costs are recorded.",
    .groups = groups,
    .examples = examples,
    .run = run,
};
