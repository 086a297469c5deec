// hone space: counts, lists and explains the valid configurations. A device is asked only where a restriction reads a
// fact of one that --assume does not give.
#include "os/process.h"
#include "cli/completion.h"
#include "cli/assume.h"
#include "cli/space_report.h"
#include "cli/work.h"

struct space_settings {
    struct spec_settings given;
    struct list assume;
    const char *why;
    bool list, stats;
};

// One `hone space`.
struct session {
    struct work work;
    struct device_info assumed;
    struct hone_space *made;
    const struct space *space; // what stands behind it, for reports
    uint32_t *choice;          // room for a configuration
    struct space_times times;
};

static int find_space_device(struct session *s, bool is_wanted)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    const struct space_settings *settings = w->call->settings;
    bool is_assumed = settings->assume.count > 0;
    if (settings->given.device || (is_wanted && !is_assumed)) {
        int status = work_device(w);
        if (status != EXIT_DONE)
            return status;
        s->assumed = *w->device;
    } else {
        int status = work_languages(w);
        if (status != EXIT_DONE)
            return status;
        s->assumed = (struct device_info){.language = w->languages.list[0]};
    }
    for (uint32_t i = 0; i < settings->assume.count; i++) {
        if (!assume(&s->assumed, settings->assume.items[i], &e))
            return work_failed(&e);
    }
    if (!is_assumed)
        return EXIT_DONE;
    w->device = &s->assumed;
    w->chosen = device_assumed(&s->assumed, &w->arena);
    return w->chosen || error_memory(&e) ? work_bind(w) : work_failed(&e);
}

static int make_space(struct session *s)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    const struct space_settings *settings = w->call->settings;
    struct hone_error why = HONE_ERROR_INIT;
    const struct hone_space_options options = {.size = sizeof options,
                                               .device = w->chosen,
                                               .configurations = settings->given.config.items,
                                               .where = settings->given.where.items};
    s->choice = arena_array(&w->arena, hone_spec_parameters(w->loaded) + 1, sizeof *s->choice);
    if (!s->choice) {
        error_memory(&e);
        return work_failed(&e);
    }
    uint64_t start = clock_ns();
    s->made = hone_space_new(w->loaded, &options, &why);
    s->space = space_of(s->made);
    s->times.build_ns = clock_ns() - start;
    take_error(&why, &e);
    return s->made ? EXIT_DONE : work_failed(&e);
}

// A device is asked only when a restriction wants to know something of it, or the user names one.
static int find_space(struct session *s)
{
    spec_warn_of_sizes(s->work.spec, &s->work.log);
    int status = find_space_device(s, s->work.spec->uses_device);
    if (status == EXIT_DONE)
        status = make_space(s);
    if (status != EXIT_DONE || s->work.device || !space_reads_device(s->space))
        return status;
    hone_space_free(s->made);
    s->made = NULL;
    status = find_space_device(s, true);
    return status == EXIT_DONE ? make_space(s) : status;
}

static int show_why(struct session *s, const struct space_settings *settings)
{
    struct error e = ERROR_INIT;
    struct space_why_report report = {.space = s->space, .choice = s->choice};
    spec_default(s->work.spec, s->choice);
    if (!spec_parse_configuration(s->work.spec, settings->why, s->choice, &e)) {
        error_context(&e, "--why");
        return work_failed(&e);
    }
    space_why(s->space, s->choice, &report.reason);
    put_report(space_why_writers, settings->given.output.format, &report);
    return report.reason.restriction ? EXIT_NOTHING : EXIT_DONE;
}

static int show_space(struct session *s)
{
    struct text line = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct space_details details = {.groups = NULL};
    const struct space_settings *settings = s->work.call->settings;
    const struct space_report report = {.space = s->space,
                                        .choice = s->choice,
                                        .list = settings->list,
                                        .details = settings->stats ? &details : NULL,
                                        .times = s->times,
                                        .format = settings->given.output.format};
    const struct writer *w = &space_writers[report.format];
    if (settings->why)
        return show_why(s, settings);
    if (settings->stats && !space_detail(s->space, &details, &e))
        return work_failed(&e);
    uint64_t listed = settings->list && w->record ? hone_space_count(s->made) : 0;
    for (uint64_t i = 0; i < listed && !ferror(stdout); i++) {
        hone_space_get(s->made, i, s->choice);
        writer_record(w, &report, s->choice, &line);
        put(&line);
    }
    text_release(&line);
    put_report(space_writers, report.format, &report);
    space_details_release(&details);
    return EXIT_DONE;
}

static int run_space(struct invocation *i)
{
    struct session s = {.made = NULL};
    const struct space_settings *o = i->settings;
    work_init(&s.work, i, &o->given, NULL);
    uint64_t start = clock_ns();
    int status = work_spec(&s.work);
    s.times.read_ns = clock_ns() - start;
    if (status == EXIT_DONE)
        status = find_space(&s);
    if (status == EXIT_DONE)
        status = show_space(&s);
    hone_space_free(s.made);
    work_release(&s.work);
    return status;
}

#define FIELD(member) offsetof(struct space_settings, member)

static const struct option options[] = {
    {OPTION("verbose", NULL, option_flag, FIELD(list)), .letter = 'v',
     .brief = "list the valid configurations",
     .help = "List the valid configurations, one a line, as --config takes them."},
    {OPTION("details", NULL, option_flag, FIELD(stats)),
     .brief = "what each restriction is good for",
     .help =
         "Also show how many more each restriction excludes as the last of all, which parameters "
         "restrict each other and how many combinations of each such group are valid, and what "
         "the space takes in time and memory."},
    {OPTION("why", "a=1,b=2", option_text, FIELD(why)), .offer = offer_parameters,
     .brief = "what excludes this configuration",
     .help = "Say which restriction excludes the configuration; parameters that are not named have "
             "their default. Exit status 0: it is valid, 1: it is excluded."},
    {OPTION("assume", "FACT=VALUE", option_list, FIELD(assume)),
     .brief = "a fact of a device that is not here", .is_list = true,
     .help =
         "Take a fact of the device as given, such as device_capability=90; no device is needed "
         "then. May be repeated."},
    {0},
};

static const struct option_group groups[] = {{"What and where", spec_options, FIELD(given)},
                                             {"Space", options, 0},
                                             {"Space", format_options, FIELD(given.output)},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone space kernels_cl/matmul_tiled.json", "how many configurations there are"},
    {"hone space kernels_cl/matmul_tiled.json --why block_size_x=64,tile_size_x=8",
     "why this one is not among them"},
    {0},
};

static const struct json_record json_records[] = {
    {"space", &space_fields}, {"with --why", &space_why_fields}, {0}};

const struct command command_space = {
    .name = "space",
    .group = GROUP_PREPARE,
    .summary = "count and list the valid configurations of a spec",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description = "Shows the spec's parameters with their values, how many configurations are "
                   "valid, and what each restriction excludes. The kernel is not read.\n\n"
                   "No device is needed unless the spec asks for facts of it.",
    .json = "With --json one object; with --why another one.",
    .records = json_records,
    .topics = "spec, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct space_settings),
    .run = run_space,
};
