// Completion, from the tables: reads the words of a command line as far as they are typed, finds what is expected at
// its end (a command, an option, an option's value, an argument), and lists what may stand there.
#include "cli/completion.h"

#include "cli/help.h"
#include "cli/work.h"
#include "search/search.h"
#include "stats/rules.h"

#include <ctype.h>
#include <string.h>

#define MEANING_MOST 60

void completion_offer(const struct completion *c, const char *candidate, const char *meaning)
{
    if (!str_starts(candidate, c->value))
        return;
    text_addf(c->out, "%s%s", c->before, candidate);
    if (meaning)
        text_addf(c->out, "\t%s", meaning);
    text_addc(c->out, '\n');
}

// "json|csv": words are offered as they are; FILE and SPEC stand for files.
static void offer_argument(const struct completion *c, const char *argument)
{
    while (*argument) {
        size_t length = strcspn(argument, "|");
        char word[32];
        str_format(word, sizeof word, "%.*s", (int)length, argument);
        if (str_starts(word, "SPEC"))
            text_add(c->out, "@files json\n");
        else if (str_starts(word, "FILE"))
            text_add(c->out, "@files\n");
        else if (str_starts(word, "KERNEL"))
            text_add(c->out, "@files cl cu\n");
        else if (islower((unsigned char)word[0]))
            completion_offer(c, word, NULL);
        argument += length;
        argument += *argument == '|';
    }
}

// ---- values of options -------------------------------------------------------------------------

void offer_strategies(const struct completion *c)
{
    for (const struct strategy_operations *const *s = strategies(); *s; s++)
        completion_offer(c, (*s)->name, (*s)->summary);
}

void offer_rules(const struct completion *c)
{
    for (const struct measure_rule *r = measure_rule_table; r->name; r++) {
        struct text word = TEXT_INIT;
        text_addf(&word, "%s=", r->name);
        completion_offer(c, text_cstr(&word), r->text);
        text_release(&word);
    }
}

void offer_statuses(const struct completion *c)
{
    for (unsigned s = 0; s < STATUS_COUNT; s++) {
        if (s != STATUS_CORRECT)
            completion_offer(c, status_text((enum status)s), NULL);
    }
}

void offer_devices(const struct completion *c)
{
    static const struct spec_settings none;
    const struct invocation call = {.command = &command_devices, .line = "hone devices"};
    struct work w;
    work_init(&w, &call, &none, NULL);
    if (work_devices(&w, NULL, NULL) == EXIT_DONE) {
        for (uint32_t i = 0; i < w.devices.device_count; i++)
            completion_offer(c, w.devices.devices[i].name, w.devices.devices[i].platform);
    }
    work_release(&w);
}

// The spec that the line names; NULL: none, or it cannot be read, which the command itself will
// report.
static struct spec *read_spec(const struct completion *c)
{
    static const struct spec_options options;
    struct error e = ERROR_INIT;
    return c->spec ? spec_load(c->spec, &options, &e) : NULL;
}

// "NAME=", for whatever has a value.
static void offer_name(const struct completion *c, const char *name, const char *meaning)
{
    struct text word = TEXT_INIT;
    text_addf(&word, "%s=", name);
    completion_offer(c, text_cstr(&word), meaning);
    text_release(&word);
}

void offer_constants(const struct completion *c)
{
    struct spec *s = read_spec(c);
    for (uint32_t i = 0; s && i < s->constant_count; i++) {
        struct text value = TEXT_INIT;
        value_print(&s->constants[i].value, &value);
        offer_name(c, s->constants[i].name, text_cstr(&value));
        text_release(&value);
    }
    spec_free(s);
}

static void offer_values(const struct completion *c, const struct parameter *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        struct text word = TEXT_INIT;
        text_addf(&word, "%s=", p->name);
        value_print(&p->values[i], &word);
        completion_offer(c, text_cstr(&word), NULL);
        text_release(&word);
    }
}

void offer_parameters(const struct completion *c)
{
    struct spec *s = read_spec(c);
    const char *equals = strchr(c->value, '=');
    size_t length = equals ? (size_t)(equals - c->value) : 0;
    for (uint32_t i = 0; s && i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        if (!equals)
            offer_name(c, p->name, NULL);
        else if (strlen(p->name) == length && strncmp(p->name, c->value, length) == 0)
            offer_values(c, p);
    }
    spec_free(s);
}

void offer_names(const struct completion *c)
{
    struct spec *s = read_spec(c);
    for (uint32_t i = 0; s && i < s->parameter_count; i++)
        completion_offer(c, s->parameters[i].name, "parameter");
    for (uint32_t i = 0; s && i < s->constant_count; i++)
        completion_offer(c, s->constants[i].name, "constant");
    spec_free(s);
}

void offer_objectives(const struct completion *c)
{
    static const char *const directions[] = {"min", "max"};
    struct spec *s = read_spec(c);
    completion_offer(c, "time", NULL);
    for (uint32_t i = 0; s && i < s->metric_count; i++) {
        for (size_t d = 0; d < 2; d++) {
            struct text word = TEXT_INIT;
            text_addf(&word, "%s:%s", directions[d], s->metrics[i].name);
            completion_offer(c, text_cstr(&word), NULL);
            text_release(&word);
        }
    }
    spec_free(s);
}

// ---- the line ----------------------------------------------------------------------------------

// The words typed before the one that is completed.
struct typed {
    const struct command *command;
    const struct option *waiting; // (or NULL) the option whose value comes next
    const char *spec;             // the first argument
    uint32_t arguments;
    bool ended; // by "--": nothing is an option
};

static const struct option *find_letter(const struct command *c, char letter)
{
    for (const struct option_group *g = c->groups; g->title; g++) {
        for (const struct option *o = g->options; o->name; o++) {
            if (o->letter == letter)
                return o;
        }
    }
    return NULL;
}

static void read_word(struct typed *t, const char *word)
{
    if (t->waiting) {
        t->waiting = NULL;
        return;
    }
    bool is_option = !t->ended && word[0] == '-' && word[1];
    if (is_option && str_equal(word, "--")) {
        t->ended = true;
    } else if (is_option) {
        const struct option *o = NULL;
        if (word[1] == '-')
            o = option_find(t->command->groups, word + 2);
        else if (!word[2])
            o = find_letter(t->command, word[1]);
        t->waiting = o && o->argument && !o->optional ? o : NULL;
    } else if (t->arguments++ == 0) {
        t->spec = word;
    }
}

// Only the last item of a list "a,b" is completed; values that contain a comma are not offered.
static void complete_value(const struct typed *t, const struct option *o, const char *word,
                           size_t name_length, struct text *out)
{
    const char *comma = strrchr(word + name_length, ',');
    size_t length = comma ? (size_t)(comma + 1 - word) : name_length;
    struct text before = TEXT_INIT;
    text_addn(&before, word, length);
    struct completion c = {word + length, text_cstr(&before), t->spec, out};
    if (o->offer)
        o->offer(&c);
    else
        offer_argument(&c, o->argument);
    text_release(&before);
}

// The short meaning of an option, else the first sentence of its description.
static void offer_option(const struct completion *c, const struct option *o)
{
    struct text word = TEXT_INIT;
    char meaning[MEANING_MOST + 1];
    text_addf(&word, "--%s", o->name);
    str_format(meaning, sizeof meaning, "%.*s", (int)strcspn(o->help, ".:;("), o->help);
    completion_offer(c, text_cstr(&word), o->brief ? o->brief : meaning);
    text_release(&word);
}

static void complete_option(const struct typed *t, const char *word, struct text *out)
{
    const char *equals = strchr(word, '=');
    const struct completion c = {word, "", t->spec, out};
    for (const struct option_group *g = t->command->groups; g->title; g++) {
        for (const struct option *o = g->options; o->name; o++) {
            size_t length = strlen(o->name);
            if (!equals)
                offer_option(&c, o);
            else if (o->argument && strncmp(word + 2, o->name, length) == 0 &&
                     word + 2 + length == equals)
                complete_value(t, o, word, length + 3, out);
        }
    }
}

// Offers commands that are typed after `under`; NULL: those that come first.
static void complete_command(const struct completion *c, const char *under)
{
    for (const struct command *const *k = commands(); *k; k++) {
        if (under ? str_equal((*k)->under, under) : !(*k)->under)
            completion_offer(c, (*k)->name, (*k)->summary);
    }
}

static void complete_argument(const struct typed *t, const char *word, struct text *out)
{
    const struct completion c = {word, "", NULL, out};
    if (t->command != &command_help) {
        offer_argument(&c, t->command->arguments);
        if (t->arguments == 0)
            complete_command(&c, t->command->name);
        return;
    }
    complete_command(&c, NULL);
    for (const struct help_topic *topic = help_topics(); topic->name; topic++) {
        if (!command_find(topic->name))
            completion_offer(&c, topic->name, topic->summary);
    }
}

void completion_list(const char *const *words, uint32_t count, struct text *out)
{
    const char *last = count > 0 ? words[count - 1] : "";
    struct typed t = {.command = count > 1 ? command_find(words[0]) : NULL};
    const struct completion first = {last, "", NULL, out};
    if (count <= 1)
        complete_command(&first, NULL);
    if (!t.command)
        return;
    const struct command *under = count > 2 ? command_find(words[1]) : NULL;
    bool is_under = under && str_equal(under->under, t.command->name);
    t.command = is_under ? under : t.command;
    for (uint32_t i = is_under ? 2 : 1; i + 1 < count; i++)
        read_word(&t, words[i]);
    if (t.waiting)
        complete_value(&t, t.waiting, last, 0, out);
    else if (last[0] == '-' && !t.ended)
        complete_option(&t, last, out);
    else
        complete_argument(&t, last, out);
}
