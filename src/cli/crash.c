// A crash's line: a check with --races of the one configuration, as the suggested command would
// make it, for a bounded time.
#include "cli/crash.h"

#include "os/process.h"
#include "cli/checking.h"
#include "cli/interrupt.h"

#include <stddef.h>
#include <unistd.h>

#define SEARCH_NS 30000000000ull // in the simulator, all together
#define STEP_MS   100

const struct option crash_options[] = {
    {OPTION("no-crash-line", NULL, option_flag, offsetof(struct measure_settings, no_crash_line)),
     .help =
         "Where a configuration or the reference crashes, name the command that finds the line, "
         "and do not run it: otherwise the first crash is run once in the simulator of hone "
         "check --races, where that is installed, for at most 30 s."},
    {0},
};

bool crash_is_simulated(const struct work *w)
{
    return w->device && language_traits(w->device->language)->is_simulated;
}

// ---- the command -------------------------------------------------------------------------------

static void add_command(const struct work *w, const char *configuration, bool unverified,
                        struct text *out)
{
    const struct spec_settings *s = w->given;
    text_add(out, "hone check ");
    text_add_shell(out, w->call->arguments[0]);
    for (uint32_t i = 0; i < s->set.count; i++) {
        text_add(out, " --set ");
        text_add_shell(out, s->set.items[i]);
    }
    if (s->device) {
        text_add(out, " --device ");
        text_add_shell(out, s->device);
    }
    if (s->language.is_given)
        text_addf(out, " --language %s", language_text(s->language.language));
    text_add(out, configuration ? " --races" : " --races --reference --sample 1");
    if (configuration && *configuration) {
        text_add(out, " --config ");
        text_add_shell(out, configuration);
    }
    text_add(out, unverified ? " --allow unverified" : "");
}

// ---- running it --------------------------------------------------------------------------------

// The settings of that command: those of the spec and the device stay.
static struct check_settings settings_of(const struct work *w, const char *const *configuration)
{
    const struct spec_settings *s = w->given;
    struct check_settings check = {
        .given = {.device = s->device, .language = s->language, .set = s->set, .strict = s->strict},
        .measure = {.seed = w->measure->seed, .no_store = true},
        .sample = {.is_given = true, .value = 1},
        .races = true,
        .of_reference = configuration == NULL,
        .allow.unverified = true,
    };
    if (configuration && **configuration)
        check.given.config = (struct list){.items = (const char **)configuration, .count = 1};
    return check;
}

static bool search(struct checking *c)
{
    const struct hone_record *record;
    uint64_t until = clock_ns() + SEARCH_NS;
    enum hone_answer answer;
    do
        answer = hone_tune_step(c->check, STEP_MS, &record, NULL);
    while ((answer == HONE_RECORD || answer == HONE_NOTHING) && clock_ns() < until &&
           !interrupt_pending());
    return answer == HONE_END;
}

// Appends what the simulator found; false where it is not installed, or did not come to its end.
static bool find_line(const struct work *w, const char *configuration, struct text *out)
{
    struct checking c;
    const char *items[] = {configuration, NULL};
    const struct check_settings settings = settings_of(w, configuration ? items : NULL);
    checking_init(&c, w->call, &settings);
    c.work.log = (struct log){NULL, NULL}; // what is to be said of the spec was said
    bool done = checking_start(&c) == EXIT_DONE && search(&c);
    if (done)
        engine_checked_races(c.check, out);
    checking_release(&c);
    return done;
}

// ---- telling -----------------------------------------------------------------------------------

static void tell_command(const struct work *w, const char *configuration, bool unverified)
{
    struct text command = TEXT_INIT;
    add_command(w, configuration, unverified, &command);
    complain("%s wrote out of bounds; this finds the line:\n  %s",
             *configuration ? configuration : "the configuration", text_cstr(&command));
    text_release(&command);
}

static void tell(const struct work *w, const char *configuration, bool unverified)
{
    struct text command = TEXT_INIT, lines = TEXT_INIT;
    const char *who = !configuration    ? "the reference"
                      : !*configuration ? "the configuration"
                                        : configuration;
    bool ask = !w->measure->no_crash_line && engine_simulator_found(w->environment.path) &&
               !interrupt_pending();
    add_command(w, configuration, unverified, &command);
    if (ask && w->ticker.terminal)
        complain("%s crashed; looking for the line in the simulator " RACES_PACKAGE " ...", who);
    if (ask)
        ask = find_line(w, configuration, &lines);
    if (lines.length)
        complain("%s crashed; in the simulator " RACES_PACKAGE " the same shows this:\n%s  %s", who,
                 text_cstr(&lines), text_cstr(&command));
    else
        complain("%s crashed; %s:\n  %s", who,
                 ask ? "the simulator " RACES_PACKAGE " finds nothing wrong with it; this shows it"
                     : "this finds the line",
                 text_cstr(&command));
    text_release(&command);
    text_release(&lines);
}

bool crash_has_line(const struct result *r)
{
    return result_crashed(r) || (r->status == STATUS_RUNTIME && str_starts(r->message, "wrote "));
}

bool crash_is_worse(const struct result *r, const struct result *than)
{
    return than ? result_crashed(r) && !result_crashed(than) : crash_has_line(r);
}

void crash_tell(const struct work *w, const uint32_t *choice, const struct result *r,
                bool unverified)
{
    struct text configuration = TEXT_INIT;
    if (!crash_is_simulated(w))
        return;
    work_configuration(w->spec, choice, &configuration);
    (result_crashed(r) ? tell : tell_command)(w, text_cstr(&configuration), unverified);
    text_release(&configuration);
}

void crash_tell_reference(const struct work *w, const struct evaluator_status *s)
{
    if (s->reference == REFERENCE_CRASHED && crash_is_simulated(w))
        tell(w, NULL, false);
}
