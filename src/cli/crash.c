// A crash's line: the command that finds it, a check with --races of the one configuration.
#include "cli/crash.h"

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
    text_add(out, configuration ? " --races" : " --races=reference --sample 1");
    if (configuration && *configuration) {
        text_add(out, " --config ");
        text_add_shell(out, configuration);
    }
    text_add(out, unverified ? " --allow unverified" : "");
}

// ---- telling -----------------------------------------------------------------------------------

static void tell(const struct work *w, const char *who, const char *what, const char *configuration,
                 bool unverified)
{
    struct text command = TEXT_INIT;
    add_command(w, configuration, unverified, &command);
    complain("%s %s; this finds the line:\n  %s", who, what, text_cstr(&command));
    text_release(&command);
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
    const char *own = text_cstr(&configuration);
    tell(w, *own ? own : "the configuration", result_crashed(r) ? "crashed" : "wrote out of bounds",
         own, unverified);
    text_release(&configuration);
}

void crash_tell_reference(const struct work *w, const struct evaluator_status *s)
{
    if (s->reference == REFERENCE_CRASHED && crash_is_simulated(w))
        tell(w, "the reference", "crashed", NULL, false);
}
