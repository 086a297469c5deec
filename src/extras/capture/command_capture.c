// hone capture: runs a program with the layer, then replays what it captured and writes a spec for each kernel.
#include "cli/cli.h"
#include "cli/console.h"
#include "extras/capture/capture.h"
#include "extras/capture/run_layered.h"
#include "os/process.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_DEFAULT (UINT64_C(4) << 30)
#define OWN_SOURCE    "own"

struct capture_settings {
    const char *output, *kernel, *limit;
    uint32_t launches;
    struct list sources; // "own", or files
};

// One `hone capture`.
struct session {
    const struct invocation *call;
    const struct capture_settings *settings;
    struct arena arena;
    char folder[PATH_MAX];
    uint64_t limit;
    struct layered_end end;
    struct capture_counts counts;
    struct capture capture;
};

// ---- before ------------------------------------------------------------------------------------

// "4GiB", "500MB", "1000000".
static bool read_bytes(const char *text, uint64_t *out)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } units[] = {{"", 1},           {"B", 1},           {"kB", 1000},
                 {"MB", 1000000},   {"GB", 1000000000}, {"KiB", 1u << 10},
                 {"MiB", 1u << 20}, {"GiB", 1u << 30}};
    char *end;
    const double number = strtod(text, &end);
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (end != text && number > 0 && number < 1e12 && strcmp(end, units[i].name) == 0) {
            *out = (uint64_t)(number * (double)units[i].bytes);
            return *out > 0;
        }
    }
    return false;
}

static int prepare_capture(struct session *s)
{
    struct error e = ERROR_INIT;
    const char *output = s->settings->output ? s->settings->output : "capture";
    char here[PATH_MAX];
    s->limit = LIMIT_DEFAULT;
    if (s->settings->limit && !read_bytes(s->settings->limit, &s->limit))
        return refuse(EXIT_USAGE, "--limit %s: write bytes, as 4GiB or 500MB", s->settings->limit);
    if (*output == '/')
        str_format(s->folder, sizeof s->folder, "%s", output);
    else if (getcwd(here, sizeof here))
        str_format(s->folder, sizeof s->folder, "%s/%s", here, output);
    if (!layered_folder(s->folder, &e)) {
        complain("%s", e.text);
        return e.code == ERROR_USAGE ? EXIT_USAGE : EXIT_NOTHING;
    }
    return EXIT_DONE;
}

static bool takes_own_source(const struct capture_settings *settings)
{
    bool found = false;
    for (uint32_t i = 0; i < settings->sources.count; i++)
        found = found || str_equal(settings->sources.items[i], OWN_SOURCE);
    return found;
}

static int run_program(struct session *s)
{
    struct error e = ERROR_INIT;
    struct arena *a = &s->arena;
    const char *settings[6] = {NULL};
    uint32_t count = 0;
    settings[count++] = arena_printf(a, "HONE_CAPTURE_LIMIT=%llu", (unsigned long long)s->limit);
    if (s->settings->launches)
        settings[count++] = arena_printf(a, "HONE_CAPTURE_LAUNCHES=%u", s->settings->launches);
    if (s->settings->kernel)
        settings[count++] = arena_printf(a, "HONE_CAPTURE_KERNEL=%s", s->settings->kernel);
    if (takes_own_source(s->settings))
        settings[count++] = "HONE_CAPTURE_REFUSE=1";
    const char **argv = arena_array(a, s->call->argument_count + (size_t)1, sizeof *argv);
    for (uint32_t i = 0; argv && i < s->call->argument_count; i++)
        argv[i] = s->call->arguments[i];
    const struct layered_run r = {.settings = settings, .folder = s->folder, .argv = argv};
    if (!argv || !layered_run(&r, &s->end, &e)) {
        complain("%s", argv ? e.text : "out of memory");
        layered_folder_drop(s->folder);
        return e.code == ERROR_USAGE ? EXIT_USAGE : EXIT_NOTHING;
    }
    return EXIT_DONE;
}

// ---- what was seen -----------------------------------------------------------------------------

// Nothing at all: why?
static int refuse_unseen(const struct session *s)
{
    const char *program = s->call->arguments[0];
    layered_folder_drop(s->folder);
    if (s->counts.processes == 0)
        complain("%s: the layer was not loaded: a static program, or one that runs with the "
                 "rights of another user, cannot be captured; one with AddressSanitizer needs "
                 "ASAN_OPTIONS=verify_asan_link_order=0",
                 program);
    else
        complain("%s: it made no call of OpenCL or CUDA that could be seen: it links a driver of "
                 "OpenCL directly, or it uses another API, or none",
                 program);
    return EXIT_NOTHING;
}

static void tell_program_end(const struct session *s)
{
    char how[128];
    if (WIFEXITED(s->end.status) && WEXITSTATUS(s->end.status) == 0)
        return;
    process_status_text(s->end.status, how, sizeof how);
    complain("%s %s; what it captured before is whole", s->call->arguments[0], how);
}

static void tell_limits(const struct session *s, struct text *out)
{
    const struct capture_counts *c = &s->counts;
    if (c->full)
        text_addf(out, "The folder could not be written: %s. What was captured before is whole.\n",
                  strerror((int)c->full));
    if (c->skipped[CAPTURE_COMMAND_BUFFER])
        text_addf(out, "%llu launches were recorded in command buffers, which are not captured.\n",
                  (unsigned long long)c->skipped[CAPTURE_COMMAND_BUFFER]);
    if (c->skipped[CAPTURE_GRAPH])
        text_addf(
            out,
            "%llu launches of CUDA graphs were not looked into: the program has changed their "
            "nodes, or the driver does not clone them.\n",
            (unsigned long long)c->skipped[CAPTURE_GRAPH]);
    if (c->refused)
        text_addf(out, "%llu binaries were refused.\n", (unsigned long long)c->refused);
    else if (c->binaries)
        text_addf(out,
                  "%llu programs were made from binaries, of which the text is not known: "
                  "--source own makes a program with a cache use its text; so do empty caches "
                  "(OPENCV_OPENCL_CACHE_ENABLE=0, PYOPENCL_NO_CACHE=1).\n",
                  (unsigned long long)c->binaries);
    if (c->images)
        text_addf(
            out,
            "%llu CUDA images were loaded compiled: --source FILE names the text of their "
            "kernels; a cache of the program's own (CuPy's CUPY_CACHE_DIR) has to be empty.\n",
            (unsigned long long)c->images);
    if (c->unlisted)
        text_addf(
            out,
            "%llu launches were of kernels that the layer did not see made or whose "
            "parameters the driver does not tell (CUDA before 12.4), or of too many shapes.\n",
            (unsigned long long)c->unlisted);
}

// ---- replays and specs -------------------------------------------------------------------------

static bool mentions_atomics(const struct session *s, const struct capture_kernel *k)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < k->part_count; i++) {
        struct error e = ERROR_INIT;
        struct text t = TEXT_INIT;
        found = capture_content(&s->capture, k->parts[i].source, &t, &e) &&
                strstr(text_cstr(&t), "atom");
        text_release(&t);
    }
    return found;
}

static bool replay_and_write(struct session *s, struct error *e)
{
    struct capture_player *p = capture_player_new(s->folder, e);
    bool ok = p != NULL;
    for (size_t i = 0; ok && i < s->capture.kernel_count; i++) {
        struct capture_kernel *k = &s->capture.kernels[i];
        capture_player_renew(p);
        // A kernel whose files cannot be written is told in the table, and the others go on.
        ok = capture_write_spec(&s->capture, k, p, &s->arena, e) || e->code == ERROR_IO;
        if (e->code == ERROR_IO) {
            k->spec = NULL;
            k->why = arena_strdup(&s->arena, e->text);
            error_clear(e);
        }
    }
    capture_player_free(p);
    return ok;
}

// ---- the table ---------------------------------------------------------------------------------

enum replay_verdict { REPLAY_EXACT, REPLAY_WITHIN, REPLAY_NOT };

static enum replay_verdict judge_replay(const struct capture_replay *r, bool has_atomics)
{
    if (!r->is_done || r->why || r->times < CAPTURE_REPLAYS)
        return REPLAY_NOT;
    if (r->exact == r->times)
        return REPLAY_EXACT;
    return has_atomics && r->spread > 0 && r->deviation <= 2 * r->spread ? REPLAY_WITHIN
                                                                         : REPLAY_NOT;
}

struct tally {
    uint64_t launches, replayed; // of the run
    double ns, replayed_ns;
    uint32_t kernels, with_spec, tunable;
};

static void add_kernel(struct session *s, const struct capture_kernel *k, struct tally *t,
                       struct text *out)
{
    const bool has_atomics = mentions_atomics(s, k);
    uint32_t counts[3] = {0};
    const char *why = NULL;
    for (size_t i = 0; i < k->launch_count; i++) {
        const struct capture_launch *l = &k->launches[i];
        const enum replay_verdict v = judge_replay(&l->replay, has_atomics);
        counts[v]++;
        if (v != REPLAY_NOT) {
            t->replayed += l->launches;
            t->replayed_ns += l->ns;
        } else if (!why)
            why = l->replay.why ? l->replay.why
                  : l->replay.spread > 0 && !has_atomics
                      ? "replays differ from each other, and it has no atomics: a race"
                      : "replays differ from the recorded output: it reads what no argument names, "
                        "or what was not set";
    }
    t->launches += k->all_launches;
    t->ns += k->ns;
    t->kernels++;
    t->with_spec += k->spec != NULL;
    t->tunable += k->spec && *k->tunes;
    text_addf(out, "%6.1f %%  %8llu  %6llu  %5u %6u %4u  ",
              s->capture.ns > 0 ? 100 * k->ns / s->capture.ns : 0.0,
              (unsigned long long)k->all_launches, (unsigned long long)k->shapes,
              counts[REPLAY_EXACT], counts[REPLAY_WITHIN], counts[REPLAY_NOT]);
    text_addf(out, "%s", k->title);
    if (k->spec)
        text_addf(out, ": %s%s", *k->tunes ? "tunes " : "nothing to tune", k->tunes);
    else
        text_addf(out, ": no spec, because %s", k->why ? k->why : "it was not captured");
    text_addf(out, "%s%s", why ? "; not replayed: " : "", why ? why : "");
    if (k->launch_count && k->shapes > k->launch_count && *capture_reason_text(k->reason))
        text_addf(out, "; not captured: %s", capture_reason_text(k->reason));
    text_add(out, "\n");
}

static void show_table(struct session *s)
{
    struct text out = TEXT_INIT;
    struct tally t = {0};
    text_add(&out, "   time  launches  shapes  exact within  not  kernel\n");
    for (size_t i = 0; i < s->capture.kernel_count; i++) {
        if (s->capture.kernels[i].shapes)
            add_kernel(s, &s->capture.kernels[i], &t, &out);
    }
    const uint64_t all = s->counts.launches;
    text_addf(
        &out,
        "%u kernels, %llu launches: %.1f %% of the launches and %.1f %% of the device's time are "
        "of shapes that replay; %u specs, %u with something to tune\n",
        t.kernels, (unsigned long long)all, all ? 100.0 * (double)t.replayed / (double)all : 0.0,
        s->capture.ns > 0 ? 100 * t.replayed_ns / s->capture.ns : 0.0, t.with_spec, t.tunable);
    tell_limits(s, &out);
    text_addf(&out, "Written: %s (it holds the program's data: keep it as you keep that)\n",
              s->settings->output ? s->settings->output : "capture");
    put(&out);
    text_release(&out);
}

static bool take_sources(struct session *s, struct error *e)
{
    const struct list *given = &s->settings->sources;
    const char **files = arena_array(&s->arena, given->count + (size_t)1, sizeof *files);
    uint32_t count = 0;
    for (uint32_t i = 0; files && i < given->count; i++) {
        if (!str_equal(given->items[i], OWN_SOURCE))
            files[count++] = given->items[i];
    }
    return files ? capture_take_sources(&s->capture, files, count, &s->arena, e) : error_memory(e);
}

static int capture_and_show(struct session *s)
{
    struct error e = ERROR_INIT;
    int status = prepare_capture(s);
    if (status == EXIT_DONE)
        status = run_program(s);
    if (status != EXIT_DONE)
        return status;
    bool ok = capture_read(s->folder, &s->arena, &s->counts, &s->capture, &e);
    if (ok && s->counts.calls == 0)
        return refuse_unseen(s);
    tell_program_end(s);
    ok = ok && take_sources(s, &e) && replay_and_write(s, &e);
    if (!ok)
        return refuse(EXIT_NOTHING, "%s", e.text);
    show_table(s);
    if (s->counts.launches == 0)
        complain("%s: it launched no kernel%s", s->call->arguments[0],
                 s->counts.skipped[CAPTURE_COMMAND_BUFFER] ? " outside of command buffers"
                 : s->counts.graphs                        ? " outside of CUDA graphs"
                                                           : "");
    return s->counts.launches ? EXIT_DONE : EXIT_NOTHING;
}

static int run_capture(struct invocation *i)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return refuse(EXIT_NOTHING, "out of memory");
    s->call = i;
    s->settings = i->settings;
    arena_init(&s->arena);
    const int status = capture_and_show(s);
    arena_release(&s->arena);
    free(s);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct capture_settings, member)

static const struct option options[] = {
    {OPTION("output", "DIR", option_text, FIELD(output)), .letter = 'o',
     .brief = "the folder that is written; default: capture",
     .help = "The folder that is written; it is new, or empty. Default: capture. Only its owner "
             "may read it (mode 0700), because it holds the program's data."},
    {OPTION("kernel", "NAME", option_text, FIELD(kernel)), .letter = 'k',
     .brief = "only the kernels of this name",
     .help = "Only the kernels of this name are captured; the others are counted and timed."},
    {OPTION("sample", "N", option_count, FIELD(launches)), .letter = 'n',
     .brief = "of each kernel, at most N launches",
     .help = "Of each kernel at most N launches are kept, each of another shape: geometry, "
             "scalars or sizes of buffers. Default: 64."},
    {OPTION("limit", "BYTES", option_text, FIELD(limit)), .brief = "of data; default: 4GiB",
     .help = "The most that is kept of data, as 4GiB or 500MB. A launch whose data would pass it "
             "is not captured, and the table says so. Each content is kept once. Default: 4GiB."},
    {OPTION("source", "own|FILE", option_list, FIELD(sources)), .is_list = true,
     .brief = "the text of kernels that are compiled",
     .help = "Where the text of kernels is that the program loads compiled. FILE: the kernels of "
             "a CUDA program that nvcc compiled, in a file that NVRTC compiles (without the "
             "host's code); may be repeated. own: OpenCL programs from binaries are answered "
             "CL_INVALID_BINARY, so that a program with a cache of its own (OpenCV, pyopencl) "
             "falls back to its text."},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options, 0}, {"Help", help_options, 0}, {0}};

const struct command command_capture = {
    .name = "capture",
    .group = GROUP_PREPARE,
    .summary = "write specs for the kernels of a program, as it runs",
    .arguments = "-- PROGRAM [ARGUMENTS]",
    .least = 1,
    .most = UINT32_MAX,
    .description = "Runs a program with a layer between it and OpenCL or CUDA, and writes a spec "
                   "for each kernel that it launches: the text, the data, the sizes and the "
                   "result are the program's own.\n\n"
                   "The program is not rebuilt and not told. Of each kernel the first launches of "
                   "different shapes are captured: source, options, arguments, buffers before and "
                   "after. Each is then replayed ten times, which has to give what the program "
                   "got, bit for bit; a kernel with atomics may differ as much as its replays do. "
                   "Macros become parameters where a replay with other values gives the right "
                   "result. The table says what share of the device's time each kernel has, how "
                   "its replays went, and what can be tuned.\n\n"
                   "Then: hone tune capture/KERNEL.json. A capture holds the program's data.",
    .groups = groups,
    .settings_size = sizeof(struct capture_settings),
    .run = run_capture,
};
