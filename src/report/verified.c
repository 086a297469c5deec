// Describes what results were compared with, what that proves, and how much of the outputs was
// written.
#include "report/verified.h"

#include "model/result_fields.h"
#include "report/report.h"

void report_check(const struct verified_by *c, struct text *out)
{
    const char *against = c->against ? c->against : "";
    if (c->kind == VERIFICATION_REFERENCE)
        text_addf(out, "verified against %s", against[0] ? against : "the reference");
    else if (c->kind == VERIFICATION_AGREES)
        text_add(out, "not verified: compared only with the default configuration");
    else if (c->kind == VERIFICATION_CLAIMED)
        text_add(out, "not verified: valid by its own word");
    else if (c->is_silent)
        text_add(out, "NOT VERIFIED: the program does not report its result (\"valid\": true)");
    else if (c->blind)
        text_addf(out, "NOT VERIFIED: the check of %s shows nothing: %s", c->blind->name,
                  c->blind->note);
    else
        text_add(out, "NOT VERIFIED: the spec has nothing to compare with");
}

// ---- what the check itself is worth ------------------------------------------------------------

static const struct deviation *first_blind(const struct result *r)
{
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        if (r->deviations[i].blind)
            return &r->deviations[i];
    }
    return NULL;
}

struct verified_by report_verified(const struct verified_by *c, const struct checked_outcomes *o)
{
    const struct deviation *blind = NULL;
    bool is_silent = c->kind == VERIFICATION_CLAIMED && o->count > 0;
    for (size_t i = 0; c->kind != VERIFICATION_NONE && i < o->count; i++) {
        const struct result *r = o->at(o->records, i).result;
        if (r->status == STATUS_CORRECT && r->verification != VERIFICATION_NONE)
            return *c;
        if (r->status == STATUS_CORRECT && result_is_blind(r) && !blind)
            blind = first_blind(r);
    }
    return blind || is_silent
               ? (struct verified_by){VERIFICATION_NONE, c->against, blind, is_silent}
               : *c;
}

// The output with a note of its own, from `from` on: the first of each name.
static const struct deviation *next_note(const struct checked_outcomes *o, size_t *result,
                                         uint32_t *output)
{
    for (; *result < o->count; ++*result, *output = 0) {
        const struct result *r = o->at(o->records, *result).result;
        while (*output < r->deviation_count) {
            const struct deviation *d = &r->deviations[(*output)++];
            if (d->note && d->note[0])
                return d;
        }
    }
    return NULL;
}

static bool is_first_note(const struct checked_outcomes *o, const struct deviation *d)
{
    const struct deviation *other;
    size_t result = 0;
    uint32_t output = 0;
    while ((other = next_note(o, &result, &output)) && other != d) {
        if (str_equal(other->name, d->name))
            return false;
    }
    return true;
}

void report_check_notes(const struct checked_outcomes *o, struct text *out)
{
    const struct deviation *d;
    size_t result = 0;
    uint32_t output = 0;
    while ((d = next_note(o, &result, &output))) {
        if (is_first_note(o, d))
            text_addf(out, "%s of %s: %s\n",
                      d->narrowed < 1 && !d->blind ? "Check" : "Warning: check", d->name, d->note);
    }
}

#define CHECK_NOTE(X)                                                                              \
    X(TEXT, argument, (v->name), "", "")                                                           \
    X(MEMBERS, check, (output_check_fields, v), "", "")
FIELDS_SHARED(report_check_note_fields, struct deviation, void, CHECK_NOTE)

void report_emit_check_notes(const struct checked_outcomes *o, struct emit *j)
{
    const struct deviation *d;
    size_t result = 0;
    uint32_t output = 0;
    while ((d = next_note(o, &result, &output))) {
        if (is_first_note(o, d))
            emit_record(j, &report_check_note_fields, d, NULL);
    }
}

// ---- what is shown -----------------------------------------------------------------------------

static bool is_default(const struct verified_by *c, const char *configuration)
{
    return str_equal(c->against, configuration);
}

enum evidence report_shown(const struct verified_by *c, const struct checked_outcomes *o)
{
    struct checked_outcome n;
    const struct verified_by now = report_verified(c, o);
    const char *twin = NULL; // that stands for the default configuration
    c = &now;
    if (c->kind != VERIFICATION_AGREES)
        return c->kind == VERIFICATION_REFERENCE ? SHOWN_CORRECT
               : c->kind == VERIFICATION_CLAIMED ? SHOWN_CLAIMED
                                                 : SHOWN_RAN;
    for (size_t i = 0; i < o->count; i++) {
        n = o->at(o->records, i);
        if (is_default(c, n.configuration))
            twin = n.same_as;
    }
    for (size_t i = 0; i < o->count; i++) {
        n = o->at(o->records, i);
        bool is_itself =
            is_default(c, n.configuration) || (twin && str_equal(twin, n.configuration));
        if (n.result->status == STATUS_CORRECT && !n.same_as && !is_itself)
            return SHOWN_AGREEMENT;
    }
    return SHOWN_REPEATS;
}

const char *report_shown_text(enum evidence s)
{
    static const char *const texts[] = {
        [SHOWN_CORRECT] = "correct",
        [SHOWN_AGREEMENT] = "agree with each other; not verified",
        [SHOWN_REPEATS] = "same result in two launches; not verified",
        [SHOWN_CLAIMED] = "valid by its own word; not verified",
        [SHOWN_RAN] = "ran; not verified",
    };
    return texts[s];
}

// ---- how much was written ----------------------------------------------------------------------

// How much of one output was written, over several results.
struct share {
    const char *name;
    uint64_t components, written; // of the first that is known
    double least, most;
    uint64_t count; // results where it is known
    bool varies, changes;
};

static const struct deviation *find_output(const struct result *r, const char *name)
{
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        if (str_equal(r->deviations[i].name, name))
            return &r->deviations[i];
    }
    return NULL;
}

static void add_share(struct share *s, const struct deviation *d)
{
    if (!d || !deviation_has_written(d))
        return;
    double share = (double)d->written / (double)d->components;
    if (s->count++ == 0) {
        s->components = d->components;
        s->written = d->written;
        s->least = s->most = share;
    }
    s->changes = s->changes || d->changes;
    s->varies = s->varies || d->components != s->components || d->written != s->written;
    s->least = share < s->least ? share : s->least;
    s->most = share > s->most ? share : s->most;
}

// Not rounded up to all of it.
static double percent(double share)
{
    double value = 100 * share;
    return share < 1 && value > 99.9 ? 99.9 : value;
}

static void put_share_of(const struct share *s, struct text *out)
{
    if (s->count == 0)
        text_addf(out, "%s not known", s->name);
    else if (s->least == 1)
        text_addf(out, "%s whole", s->name);
    else if (!s->varies)
        text_addf(out, "%s %llu of %llu (%.3g %%)", s->name, (unsigned long long)s->written,
                  (unsigned long long)s->components, percent(s->least));
    else
        text_addf(out, "%s %.3g to %.3g %%", s->name, percent(s->least), percent(s->most));
    text_add(out, s->changes && s->least < 1 ? ", the rest as before" : "");
}

static const struct result *first_with_outputs(const struct checked_outcomes *o)
{
    for (size_t i = 0; i < o->count; i++) {
        const struct result *r = o->at(o->records, i).result;
        if (r->status == STATUS_CORRECT && r->deviation_count > 0 &&
            r->deviations[0].components > 0)
            return r;
    }
    return NULL;
}

// Lists outputs that are not compared because the default configuration, the standard here, does
// not write them.
static void put_left_out(const struct result *r, struct text *out)
{
    const char *separator = "Not compared: ";
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        const struct deviation *d = &r->deviations[i];
        if (d->left == 0)
            continue;
        text_addf(out, "%s%llu of %s", separator, (unsigned long long)d->left, d->name);
        separator = ", ";
    }
    text_add(out, separator[0] == ','
                      ? ", unwritten by the default (\"Partial\": false forbids that)\n"
                      : "");
}

void report_written(const struct checked_outcomes *o, bool always, struct text *out)
{
    const struct result *first = first_with_outputs(o);
    const char *separator = "Written by the kernel: ";
    for (uint32_t k = 0; first && k < first->deviation_count; k++) {
        struct share s = {.name = first->deviations[k].name};
        for (size_t i = 0; i < o->count; i++) {
            const struct result *r = o->at(o->records, i).result;
            if (r->status == STATUS_CORRECT)
                add_share(&s, find_output(r, s.name));
        }
        if (!always && (s.count == 0 || s.least == 1))
            continue;
        text_add(out, separator);
        put_share_of(&s, out);
        separator = ", ";
    }
    text_add(out, separator[0] == ',' ? "\n" : "");
    if (first && first->verification == VERIFICATION_AGREES)
        put_left_out(first, out);
}

void report_written_part(const struct result *r, struct text *out)
{
    for (uint32_t i = 0; r->status == STATUS_CORRECT && i < r->deviation_count; i++) {
        const struct deviation *d = &r->deviations[i];
        if (deviation_has_written(d) && d->written < d->components)
            text_addf(out, ", %s %.3g %% of %s", d->changes ? "changed" : "wrote",
                      percent((double)d->written / (double)d->components), d->name);
    }
}
