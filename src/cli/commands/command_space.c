#include "base/process.h"
#include "cli/assume.h"
#include "cli/space_report.h"
#include "cli/work.h"

// One `hone space`.
struct session {
    struct work work;
    struct device_info assumed;
    struct space *space;
    uint32_t *choice; // room for a configuration
    struct space_times times;
};

static int find_device(struct session *s, bool is_wanted)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    const struct settings *settings = &w->call->settings;
    bool is_assumed = settings->assume.count > 0;
    if (settings->device || (is_wanted && !is_assumed)) {
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
    if (is_assumed)
        w->device = &s->assumed;
    return EXIT_DONE;
}

static int make_space(struct session *s)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    const struct settings *settings = &w->call->settings;
    struct space_options options = {.device = w->device,
                                    .configurations = settings->config.items,
                                    .configuration_count = settings->config.count,
                                    .where = settings->where.items,
                                    .where_count = settings->where.count};
    s->choice = arena_array(&w->arena, w->spec->parameter_count + 1, sizeof *s->choice);
    if (!s->choice) {
        error_memory(&e);
        return work_failed(&e);
    }
    uint64_t start = clock_ns();
    s->space = space_new(w->spec, &options, &e);
    s->times.build_ns = clock_ns() - start;
    return s->space ? EXIT_DONE : work_failed(&e);
}

// A device is asked only when a restriction wants to know something of it, or the user names one.
static int find_space(struct session *s)
{
    int status = find_device(s, s->work.spec->uses_device);
    if (status == EXIT_DONE)
        status = make_space(s);
    if (status != EXIT_DONE || s->work.device || !space_reads_device(s->space))
        return status;
    space_free(s->space);
    s->space = NULL;
    status = find_device(s, true);
    return status == EXIT_DONE ? make_space(s) : status;
}

static int show_why(struct session *s)
{
    struct error e = ERROR_INIT;
    struct space_reason reason;
    struct text out = TEXT_INIT;
    const struct spec *spec = s->work.spec;
    spec_default(spec, s->choice);
    if (!spec_parse_configuration(spec, s->work.call->settings.why, s->choice, &e)) {
        error_context(&e, "--why");
        return work_failed(&e);
    }
    space_why(s->space, s->choice, &reason);
    if (s->work.call->settings.json) {
        struct emit json;
        emit_start(&json, &out);
        space_why_json(s->space, s->choice, &reason, &json);
    } else {
        spec_configuration_text(spec, s->choice, true, &out);
        text_add(&out, reason.restriction ? ": excluded: " : ": valid");
        if (reason.restriction)
            space_reason_text(s->space, s->choice, &reason, &out);
    }
    text_add(&out, "\n");
    put(&out);
    text_release(&out);
    return reason.restriction ? EXIT_NOTHING : EXIT_DONE;
}

// Written one by one: a space may have millions.
static void show_list(struct session *s)
{
    struct text line = TEXT_INIT;
    for (uint64_t i = 0; i < space_count(s->space) && !ferror(stdout); i++) {
        space_get(s->space, i, s->choice);
        work_configuration(s->work.spec, s->choice, &line);
        text_add(&line, "\n");
        put(&line);
    }
    text_release(&line);
}

static int show(struct session *s)
{
    struct text out = TEXT_INIT;
    struct emit json;
    struct error e = ERROR_INIT;
    struct space_details details = {.groups = NULL};
    const struct settings *settings = &s->work.call->settings;
    emit_start(&json, &out);
    if (settings->why)
        return show_why(s);
    if (settings->stats && !space_detail(s->space, &details, &e))
        return work_failed(&e);
    if (settings->json) {
        struct space_view view = {settings->list, settings->stats ? &details : NULL, s->times};
        space_json(s->space, &view, s->choice, &json);
        text_add(&out, "\n");
    } else if (settings->list) {
        show_list(s);
    } else {
        space_text(s->space, settings->stats ? &details : NULL, &s->times, &out);
    }
    put(&out);
    text_release(&out);
    space_details_release(&details);
    return EXIT_DONE;
}

static int run(struct invocation *i)
{
    struct session s = {.space = NULL};
    work_init(&s.work, i);
    uint64_t start = clock_ns();
    int status = work_spec(&s.work);
    s.times.read_ns = clock_ns() - start;
    if (status == EXIT_DONE)
        status = find_space(&s);
    if (status == EXIT_DONE)
        status = show(&s);
    space_free(s.space);
    work_release(&s.work);
    return status;
}

#define FIELD(member) offsetof(struct settings, member)

static const struct option options[] = {
    {.name = "list",
     .help = "List the valid configurations, one a line, as --config takes them.",
     .apply = option_flag,
     .offset = FIELD(list)},
    {.name = "stats",
     .help =
         "Say also how many more each restriction excludes as the last of all, which parameters "
         "restrict each other and how many combinations of each such group are valid, and what "
         "the space takes in time and memory.",
     .apply = option_flag,
     .offset = FIELD(stats)},
    {.name = "why",
     .argument = "a=1,b=2",
     .help = "Say which restriction excludes the configuration; parameters that are not named have "
             "their default. Exit status 0: it is valid, 1: it is excluded.",
     .apply = option_text,
     .offset = FIELD(why)},
    {.name = "assume",
     .argument = "FACT=VALUE",
     .help =
         "Take a fact of the device as given, such as device_capability=90; no device is needed "
         "then. May be repeated.",
     .apply = option_list,
     .offset = FIELD(assume)},
    {0},
};

static const struct option_group groups[] = {
    {"What and where", spec_options}, {"Space", options}, {"Help", help_options}, {0}};

static const struct example examples[] = {
    {"hone space kernels_cl/matmul_tiled.json", "how many configurations there are"},
    {"hone space kernels_cl/matmul_tiled.json --why block_size_x=64,tile_size_x=8",
     "why this one is not among them"},
    {0},
};

const struct command command_space = {
    .name = "space",
    .summary = "count and list the valid configurations of a spec",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description =
        "Shows the parameters of the spec with their values, how many configurations there are and "
        "how "
        "many of them the restrictions leave, and what each restriction excludes by itself. The "
        "kernel "
        "is not read, and no device is needed unless the spec asks for facts of it.\n\n"
        "With --json one object:\n\n"
        "  {\"spec\", \"name\", \"cartesian\", \"valid\", \"constants\":{}, "
        "\"parameters\":[{\"name\",\n"
        "   \"type\", \"values\":[], \"default\"}], \"restrictions\":[{\"expression\", \"path\",\n"
        "   \"excludes_alone\", \"faults\"}], \"faults\", \"default\":{}}\n\n"
        "and with --list also \"configurations\". With --stats restrictions also have\n"
        "\"excludes_last\", and there are\n\n"
        "  \"groups\":[{\"parameters\":[], \"combinations\", \"valid\"}], "
        "\"diagram\":{\"nodes\",\n"
        "   \"edges\", \"bytes\"}, \"read_seconds\", \"build_seconds\", "
        "\"peak_memory_bytes\"\n\n"
        "With --why and --json:\n\n"
        "  {\"configuration\":{}, \"valid\", \"restriction\", \"path\", \"message\"}",
    .groups = groups,
    .examples = examples,
    .run = run,
};
