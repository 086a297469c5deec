// hone with: runs a program with the tuned kernels of a table in the place of its own, and says how often, and why not.
#include "cli/cli.h"
#include "cli/console.h"
#include "extras/capture/capture_counts.h"
#include "extras/capture/run_layered.h"
#include "base/digest.h"
#include "known/known_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS_MOST = 1000 };

struct with_settings {
    uint32_t repeats;
    double verify;
    struct list files;
};

// One `hone with`.
struct session {
    const struct invocation *call;
    const struct with_settings *settings;
    struct arena arena;
    const char **program; // ends with NULL
    const char *tables;   // their absolute paths, a line each
    char folder[PATH_MAX];
    struct capture_counts counts;
};

// ---- before ------------------------------------------------------------------------------------

static bool is_table(const char *word)
{
    const size_t length = strlen(word);
    return length > 5 && strcmp(word + length - 5, ".hone") == 0;
}

// The layer is silent: what is wrong with a file is told here.
static bool look_at_table(const char *path, struct error *e)
{
    static const char first[] = "hone-program 1\n";
    struct text t = TEXT_INIT;
    char sum[64];
    bool ok = file_read(path, 0, &t, e);
    if (ok && !str_starts(text_cstr(&t), first))
        ok = error_set(
            e, ERROR_INPUT,
            "%s is not a table of a program: hone deploy --for-program CAPTURE -o %s writes one",
            path, path);
    if (ok) {
        const size_t length = t.length < 26 ? 0 : t.length - 26;
        str_format(sum, sizeof sum, "checksum %016llx\n",
                   (unsigned long long)known_checksum(t.data, length));
        ok = strcmp(t.data + length, sum) == 0 ||
             error_set(e, ERROR_INPUT, "%s is damaged: deploy it again", path);
    }
    text_release(&t);
    return ok;
}

static int take_tables(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text list = TEXT_INIT;
    const struct invocation *i = s->call;
    uint32_t count = 0;
    for (; count < i->argument_count && is_table(i->arguments[count]); count++) {
        char path[PATH_MAX];
        if (!look_at_table(i->arguments[count], &e) || !realpath(i->arguments[count], path)) {
            complain("%s", *e.text ? e.text : strerror(errno));
            text_release(&list);
            return EXIT_USAGE;
        }
        text_addf(&list, "%s\n", path);
    }
    s->tables = text_to_arena(&list, &s->arena);
    if (count == 0 || count == i->argument_count) {
        const char *why = count ? "PROGRAM is missing"
                                : arena_printf(&s->arena,
                                               "'%s' is no table, whose name ends in .hone; this "
                                               "writes one of a capture: hone deploy --for-program "
                                               "capture -o app.hone",
                                               i->arguments[0]);
        return refuse_usage(i->command, why ? why : "out of memory");
    }
    s->program = arena_array(&s->arena, i->argument_count - count + (size_t)1, sizeof *s->program);
    for (uint32_t k = count; s->program && k < i->argument_count; k++)
        s->program[k - count] = i->arguments[k];
    return s->program && s->tables ? EXIT_DONE : EXIT_NOTHING;
}

// ---- one run -----------------------------------------------------------------------------------

static bool read_counts(struct session *s)
{
    char path[PATH_MAX + 16];
    str_format(path, sizeof path, "%s/counts", s->folder);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool ok =
        file >= 0 && read(file, &s->counts, sizeof s->counts) == (ssize_t)sizeof s->counts;
    if (file >= 0)
        close(file);
    return ok;
}

static bool run_once(struct session *s, bool plain, const struct text *output,
                     struct layered_end *end, struct error *e)
{
    const char *settings[] = {
        arena_printf(&s->arena, "HONE_WITH_TABLES=%s", s->tables),
        arena_printf(&s->arena, "HONE_WITH_VERIFY=%.17g", s->settings->verify), NULL};
    const struct layered_run r = {.settings = settings,
                                  .folder = s->folder,
                                  .argv = s->program,
                                  .output = output,
                                  .plain = plain};
    const char *place = getenv("TMPDIR");
    str_format(s->folder, sizeof s->folder, "%s/hone-with-XXXXXX",
               place && *place ? place : "/tmp");
    if (!plain && (!mkdtemp(s->folder) || !layered_folder(s->folder, e)))
        return error_set_driver(e, ERROR_IO, errno, "%s: %s", s->folder, strerror(errno));
    const bool ok = layered_run(&r, end, e);
    if (!plain) {
        read_counts(s);
        folder_remove(s->folder);
    }
    return ok;
}

// The last line: how often, and why not.
static void tell_counts(const struct session *s)
{
    static const char *const reasons[] = {
#define X(name, text) text,
        REPLACE_REASONS(X)
#undef X
    };
    const struct capture_counts *c = &s->counts;
    struct text t = TEXT_INIT;
    text_addf(&t, "hone: %llu of %llu launches were replaced",
              (unsigned long long)c->replaced + c->verified, (unsigned long long)c->launches);
    bool any = false;
    for (int r = 1; r < REPLACE_REASON_COUNT; r++) {
        if (c->kept[r])
            text_addf(&t, "%s %llu %s", any ? "," : "; not:", (unsigned long long)c->kept[r],
                      reasons[r]);
        any = any || c->kept[r];
    }
    if (c->graphs)
        text_addf(&t, "; %llu launches of CUDA graphs ran what was recorded once",
                  (unsigned long long)c->graphs);
    if (s->settings->verify > 0)
        text_addf(&t, "; %llu verified, %llu differed", (unsigned long long)c->verified,
                  (unsigned long long)c->differences);
    if (c->processes == 0)
        text_add(&t, "; the layer was not loaded: a static program");
    else if (c->calls == 0)
        text_add(&t, "; no call of OpenCL or CUDA was seen");
    say("%s\n", text_cstr(&t));
    text_release(&t);
}

static int program_status(const struct layered_end *end)
{
    return WIFEXITED(end->status) ? WEXITSTATUS(end->status) : EXIT_SIGNAL + WTERMSIG(end->status);
}

static int run_with(struct session *s)
{
    struct error e = ERROR_INIT;
    struct layered_end end;
    if (!run_once(s, false, NULL, &end, &e)) {
        complain("%s", e.text);
        return e.code == ERROR_USAGE ? EXIT_USAGE : EXIT_NOTHING;
    }
    tell_counts(s);
    return s->counts.differences ? EXIT_NOTHING : program_status(&end);
}

// ---- --repeats ---------------------------------------------------------------------------------

// Adds what a turn left: standard output, and the files that --output names.
static void digest_outputs(const struct session *s, const char *output, struct digest *out)
{
    struct digest_state d;
    digest_start(&d);
    for (uint32_t i = 0; i <= s->settings->files.count; i++) {
        struct error e = ERROR_INIT;
        struct text t = TEXT_INIT;
        const char *path = i ? s->settings->files.items[i - 1] : output;
        if (file_read(path, 0, &t, &e))
            digest_add(&d, t.length ? t.data : "", t.length);
        else
            digest_add(&d, path, strlen(path));
        text_release(&t);
    }
    digest_finish(&d, out);
}

// The geometric mean of the ratios, with a 95 % interval by Student's t of their logarithms.
static void add_ratio(struct text *t, const char *what, const double *with, const double *without,
                      uint32_t count)
{
    static const double quantiles[] = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                       2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131};
    double mean = 0, square = 0;
    for (uint32_t i = 0; i < count; i++)
        mean += log(without[i] / with[i]) / count;
    for (uint32_t i = 0; i < count; i++) {
        const double d = log(without[i] / with[i]) - mean;
        square += d * d;
    }
    const double q =
        count - 1 < 16 ? quantiles[count - 1] : 2.131 - 0.171 * (1 - 15.0 / (count - 1));
    const double half = count > 1 ? q * sqrt(square / (count - 1) / count) : INFINITY;
    text_addf(t, "  %s: %.3f times as fast", what, exp(mean));
    if (count > 1)
        text_addf(t, " [%.3f .. %.3f]", exp(mean - half), exp(mean + half));
    text_add(t, "\n");
}

// The program with the table and without it, in turn, each first in half of the turns.
static int compare_with(struct session *s)
{
    struct error e = ERROR_INIT;
    const uint32_t count = s->settings->repeats;
    double *times = calloc(4 * (size_t)count, sizeof *times);
    double *wall[2] = {times, times + count},
           *cpu[2] = {times + 2 * (size_t)count, times + 3 * (size_t)count};
    struct digest outputs[2], first = {{0}};
    struct text file = TEXT_INIT, t = TEXT_INIT;
    const char *place = getenv("TMPDIR");
    uint32_t same = 0;
    bool ok = times != NULL || error_memory(&e);
    text_addf(&file, "%s/hone-with-output.%ld", place && *place ? place : "/tmp", (long)getpid());
    for (uint32_t i = 0; ok && i < count; i++) {
        for (uint32_t half = 0; ok && half < 2; half++) {
            const uint32_t plain = (i + half) % 2;
            struct layered_end end = {0};
            ok = run_once(s, plain, &file, &end, &e);
            if (ok && end.status != 0)
                ok = error_set(&e, ERROR_INPUT, "%s ended with status %d %s the table",
                               s->program[0], program_status(&end), plain ? "without" : "with");
            wall[plain][i] = end.wall_s;
            cpu[plain][i] = end.cpu_s;
            digest_outputs(s, text_cstr(&file), &outputs[plain]);
        }
        if (i == 0)
            first = outputs[1];
        same += digest_equal(&outputs[0], &outputs[1]) && digest_equal(&outputs[1], &first);
    }
    unlink(text_cstr(&file));
    if (ok) {
        text_addf(&t, "%u turns of %s, with the table and without it:\n", count, s->program[0]);
        add_ratio(&t, "wall time", wall[0], wall[1], count);
        add_ratio(&t, "CPU time ", cpu[0], cpu[1], count);
        text_addf(&t, "  output%s: the same in %u of %u turns\n",
                  s->settings->files.count ? " and files" : "", same, count);
        put(&t);
        tell_counts(s);
    } else
        complain("%s", e.text);
    free(times);
    text_release(&file);
    text_release(&t);
    return ok && same == count && !s->counts.differences ? EXIT_DONE : EXIT_NOTHING;
}

static int run_with_command(struct invocation *i)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return refuse(EXIT_NOTHING, "out of memory");
    s->call = i;
    s->settings = i->settings;
    arena_init(&s->arena);
    int status = take_tables(s);
    if (status == EXIT_DONE)
        status = s->settings->repeats ? compare_with(s) : run_with(s);
    arena_release(&s->arena);
    free(s);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

// "0.1", "10%".
static bool option_share(void *field, const char *value, struct error *e)
{
    return share_read(value, 1, field, e) &&
           (*(double *)field > 0 ||
            error_set(e, ERROR_USAGE, "'%s' is not a share above 0", value));
}

static bool option_turns(void *field, const char *value, struct error *e)
{
    return option_number(field, value, 1, TURNS_MOST, e);
}

#define FIELD(member) offsetof(struct with_settings, member)

static const struct option options[] = {
    {OPTION("repeats", "N", option_turns, FIELD(repeats)),
     .brief = "run it N times with and without",
     .help =
         "Run the program N times with the table and N times without it, alternately, and say how "
         "much faster it is "
         "(wall and CPU time, with a 95 % interval) and whether its output is the same."},
    {OPTION("output", "FILE", option_list, FIELD(files)), .is_list = true,
     .help = "With --repeats: a file that the program writes, compared as its standard output is. "
             "May be repeated."},
    {OPTION("verify", "SHARE", option_share, FIELD(verify)),
     .brief = "compare a share of the launches",
     .help = "Launch both kernels for this share of the replaced launches, the tuned one on "
             "copies, and compare what they wrote: 10% or 0.1. A difference ends the replacing "
             "at once, and the exit status is 1."},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options, 0}, {"Help", help_options, 0}, {0}};

const struct command command_with = {
    .name = "with",
    .group = GROUP_RESULTS,
    .summary = "run a program with its tuned kernels",
    .arguments = "TABLE.hone... -- PROGRAM [ARGUMENTS]",
    .least = 1,
    .most = UINT32_MAX,
    .description = "Runs a program with the tables that hone deploy --for-program wrote: where it "
                   "launches a kernel that a table has, the tuned program runs in its place.\n\n"
                   "The program is not rebuilt. A launch is replaced only where all is as it was "
                   "captured: the text and options of the program, the device and its driver, the "
                   "kinds of the arguments, the geometry; and where the restrictions of the spec "
                   "allow the size. Else, and where a tuned program does not build, the program's "
                   "own kernel runs. The last line, on standard error, says how many launches "
                   "were replaced, and why the others were not. The exit status is the program's.",
    .groups = groups,
    .settings_size = sizeof(struct with_settings),
    .run = run_with_command,
};
