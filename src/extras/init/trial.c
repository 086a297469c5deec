// Tries a spec before it is handed over. Each round is `hone check` of a few configurations, a process of its
// own within a time; its JSON says what went wrong, and each kind of fault has its remedies, tried in
// turn: a larger buffer, gentler data, smaller sizes, a parameter that stays as it is. What leads to no check
// that passes is taken back.
#include "extras/init/trial.h"

#include "base/text.h"
#include "os/process.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define ROUNDS_MOST 14
#define ROUND_MS    40000
#define ALL_NS      120000000000u
#define SAMPLE      "6"
#define OUTPUT_MOST (4u << 20)
#define GROWTH_MOST 256
#define NUMBER_MOST (1 << 22) // elements, where the index says nothing
#define REMEDIES    3

// ---- what a check says -------------------------------------------------------------------------

struct trial_rows {
    json_t *list; // of the lines with "type": "check"
};

void trial_rows_free(struct trial_rows *rows)
{
    if (rows)
        json_decref(rows->list);
    free(rows);
}

static const char *row_text(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

static bool is_outcome_failed(const json_t *row)
{
    return strcmp(row_text(row, "outcome"), "failed") == 0;
}

// A row may agree and show nothing, since its reference is 0 throughout.
static bool row_failed(const json_t *row)
{
    return is_outcome_failed(row) && strcmp(row_text(row, "status"), "correct") != 0;
}

// "wrote 12 bytes past the end of dst (first at ...": dst; what stands behind `words`.
static bool read_argument(const char *text, const char *words, char *out, size_t size)
{
    const char *at = strstr(text, words);
    if (!at)
        return false;
    at += strlen(words);
    str_format(out, size, "%.*s", (int)strcspn(at, " ;,`\n"), at);
    return true;
}

// "configuration left 3 elements of `dst` unwritten, of 9".
static bool read_left(const char *text, struct trial_outcome *out)
{
    const char *left = strstr(text, " left "),
               *end = left ? strstr(left, "` unwritten, of ") : NULL;
    if (!end || !read_argument(left, " of `", out->argument, sizeof out->argument))
        return false;
    out->left = strtoll(left + strlen(" left "), NULL, 10);
    out->of = strtoll(end + strlen("` unwritten, of "), NULL, 10);
    return true;
}

static enum trial_kind read_kind(const char *text, struct trial_outcome *out)
{
    if (read_argument(text, " past the end of ", out->argument, sizeof out->argument))
        return TRIAL_PAST;
    if (read_left(text, out))
        return TRIAL_UNWRITTEN;
    if (strstr(text, "no launch changed"))
        return TRIAL_IDLE;
    if (strstr(text, "NaN is refused"))
        return TRIAL_NAN;
    if (strstr(text, "launched again"))
        return TRIAL_RACE;
    if (strstr(text, "killed by"))
        return TRIAL_CRASH;
    return strstr(text, ", its limit") || strstr(text, "was not there after") ||
                   strstr(text, "longer than the limit")
               ? TRIAL_LONG
               : TRIAL_OTHER;
}

static void read_rows(const struct trial_rows *rows, const char *summary, const char *messages,
                      struct trial_outcome *out)
{
    struct trial_outcome row_out;
    size_t failed = 0, blind = 0;
    for (size_t i = 0; i < json_array_size(rows->list); i++) {
        const json_t *row = json_array_get(rows->list, i);
        blind += is_outcome_failed(row) && !row_failed(row);
        if (!row_failed(row))
            continue;
        failed++;
        if (read_kind(row_text(row, "message"), &row_out) == TRIAL_PAST)
            str_format(out->argument, sizeof out->argument, "%s", row_out.argument);
    }
    if (failed > 0)
        out->kind = TRIAL_WRONG;
    else if (*summary || json_array_size(rows->list) == 0)
        out->kind = read_kind(*summary ? summary : messages, out);
    else
        out->kind = blind > 0 ? TRIAL_BLIND : TRIAL_PASSED;
    if (out->kind == TRIAL_OTHER)
        out->kind = read_kind(messages, out);
}

struct trial_rows *trial_read(const char *lines, const char *messages, struct trial_outcome *out)
{
    struct trial_rows *rows = calloc(1, sizeof *rows);
    char summary[512] = "";
    bool has_summary = false;
    *out = (struct trial_outcome){.kind = TRIAL_OTHER};
    if (!rows || !(rows->list = json_array())) {
        trial_rows_free(rows);
        return NULL;
    }
    for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        json_t *line = json_loadb(at, strcspn(at, "\n"), 0, NULL);
        if (strcmp(row_text(line, "type"), "check") == 0)
            json_array_append(rows->list, line);
        if (strcmp(row_text(line, "type"), "summary") == 0) {
            has_summary = true;
            str_format(summary, sizeof summary, "%s", row_text(line, "error"));
        }
        json_decref(line);
    }
    if (has_summary || json_array_size(rows->list) > 0)
        read_rows(rows, summary, messages, out);
    else
        out->kind = read_kind(messages, out);
    return rows;
}

// ---- remedies ----------------------------------------------------------------------------------

static bool tell(struct inferred *f, struct arena *a, const char *text)
{
    const char **open = arena_array(a, f->open_count + (size_t)1, sizeof *open);
    if (!open || !text)
        return false;
    for (uint32_t i = 0; i < f->open_count; i++)
        open[i] = f->open[i];
    open[f->open_count++] = text;
    f->open = open;
    return true;
}

static bool copy_found(const struct inferred *from, struct arena *a, struct inferred *to)
{
    *to = *from;
    to->names = arena_array(a, from->name_count + (size_t)1, sizeof *to->names);
    to->arguments = arena_array(a, from->argument_count + (size_t)1, sizeof *to->arguments);
    if (!to->names || !to->arguments)
        return false;
    for (uint32_t i = 0; i < from->name_count; i++)
        to->names[i] = from->names[i];
    for (uint32_t i = 0; i < from->argument_count; i++)
        to->arguments[i] = from->arguments[i];
    return true;
}

// A remedy that did not help.
static void take_back(enum trial_kind kind, struct inferred *f, struct trial_state *state)
{
    if (state->tried == kind || (state->tried == TRIAL_BLIND && kind == TRIAL_IDLE))
        *f = state->before;
    state->tried = TRIAL_PASSED;
}

static bool is_buffer(const struct inferred_argument *x)
{
    return x->kind == INFERRED_BUFFER && x->size && !x->file;
}

static bool is_random(const struct inferred_argument *x)
{
    return x->low && !x->file && !x->generator && !x->is_zero;
}

// "(n + 1)", and not "(n) + (m)".
static bool is_one_bracket(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (depth == 0)
            return text[1] == '\0';
    }
    return false;
}

// Makes "8 * (n + 1)" of "4 * (n + 1)". A number alone is of a buffer whose index is not known at all, and
// grows to `least` at once.
static bool grow_size(struct inferred_argument *x, int64_t by, int64_t least, struct arena *a)
{
    const char *inner = x->size;
    char *end;
    int64_t factor = strtoll(inner, &end, 10);
    if (end != inner && *end == 0) {
        if (factor >= NUMBER_MOST)
            return false;
        factor = 32 * (factor > 0 ? factor : 1);
        factor = factor < least ? least : factor < NUMBER_MOST ? factor : NUMBER_MOST;
        const char *number = arena_printf(a, "%lld", (long long)factor);
        x->size = number ? number : inner;
        return number != NULL;
    }
    if (end == inner || strncmp(end, " * (", 4) != 0 || !is_one_bracket(end + 3))
        factor = 1;
    else
        inner = end + 3;
    if (factor > GROWTH_MOST / by)
        return false;
    const char *text = *inner == '('
                           ? arena_printf(a, "%lld * %s", (long long)factor * by, inner)
                           : arena_printf(a, "%lld * (%s)", (long long)factor * by, inner);
    if (text)
        x->size = text;
    return text != NULL;
}

// An output that is not written whole begins with zeros. False: it does already.
static bool begin_with_zeros(struct inferred_argument *x)
{
    if (!x || !is_buffer(x) || x->access != INFERRED_WRITE)
        return false;
    x->access = INFERRED_BOTH;
    x->is_zero = true;
    return true;
}

// Where most of it is left, it is the size that is wrong.
static bool mend_unwritten(struct inferred *f, const struct trial_outcome *o, struct arena *a)
{
    return o->left <= o->of / 2 && begin_with_zeros(inferred_find_argument(f, o->argument)) &&
           tell(
               f, a,
               arena_printf(a,
                            "%s: the default configuration leaves %lld of %lld elements unwritten, "
                            "which begin with zeros: are the sizes right?",
                            o->argument, (long long)o->left, (long long)o->of));
}

// Makes a buffer larger; an output that was written whole no longer is.
static bool grow(struct inferred_argument *x, int64_t by, int64_t least, struct arena *a)
{
    if (!grow_size(x, by, least, a))
        return false;
    begin_with_zeros(x);
    return true;
}

static bool mend_past(struct inferred *f, const char *name, struct arena *a)
{
    struct inferred_argument *x = inferred_find_argument(f, name);
    if (!x || !is_buffer(x) || !grow(x, 4, 0, a))
        return false;
    return tell(f, a,
                arena_printf(a, "the size of %s: %s, grown until the kernel wrote within it%s",
                             name, x->size, x->is_zero ? "; it begins with zeros" : ""));
}

// Indices into another buffer: no element is its own, which makes distances 0.
static bool mend_nan(struct inferred *f, unsigned turn, struct arena *a)
{
    bool changed = false;
    for (uint32_t i = 0; i < f->argument_count; i++) {
        struct inferred_argument *x = &f->arguments[i];
        if (x->kind != INFERRED_BUFFER || !is_random(x))
            continue;
        const size_t length = strlen(x->high);
        if (x->is_integer && length > 4 && strcmp(x->high + length - 4, " - 1") == 0) {
            x->generator = arena_printf(a, "(i * 40487 + 1) %% (%.*s)", (int)(length - 4), x->high);
            changed |= x->generator != NULL;
        } else if (!x->is_integer) {
            const char *low = turn == 0 ? "0.1" : turn == 1 ? "0.5" : "0.9";
            changed |= strcmp(low, x->low) != 0;
            x->low = low;
            x->high = "1";
        }
    }
    return changed && (turn > 0 || tell(f, a,
                                        "the data: what is random gave NaN at first; it is "
                                        "positive now, and no index is its own"));
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool is_in_text(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; at && (at = strstr(at, name)) != NULL; at += length) {
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    }
    return false;
}

static bool is_launch_size(const struct inferred *f, const char *name)
{
    bool found = false;
    for (uint32_t axis = 0; axis < f->axes; axis++)
        found |= is_in_text(f->global[axis], name) || is_in_text(f->local[axis], name);
    for (uint32_t i = 0; i < f->argument_count; i++)
        found |= is_in_text(f->arguments[i].size, name);
    for (uint32_t i = 0; i < f->restriction_count; i++)
        found |= is_in_text(f->restrictions[i], name);
    return found;
}

// Outputs that begin with zeros begin with something else: the kernel may write zeros. False: there is none.
static bool fill_outputs(struct inferred *f, struct arena *a)
{
    bool changed = false;
    for (uint32_t i = 0; i < f->argument_count; i++) {
        struct inferred_argument *x = &f->arguments[i];
        if (!is_buffer(x) || x->access != INFERRED_BOTH || !x->is_zero || x->type_bytes ||
            x->is_added)
            continue;
        x->is_zero = false;
        x->low = x->is_integer ? "1" : "-1";
        x->high = x->is_integer ? "3" : "1";
        changed = true;
    }
    return changed && tell(f, a,
                           "the data: outputs begin with random numbers, since with zeros the "
                           "check showed nothing");
}

// Makes what the kernel compares with its data small, and the data too.
static bool mend_idle(struct inferred *f, unsigned turn, struct arena *a)
{
    bool changed = false;
    for (uint32_t i = 0; i < f->name_count; i++) {
        struct inferred_name *n = &f->names[i];
        if (n->role != NAME_CONSTANT || n->is_given || n->follows || is_launch_size(f, n->name))
            continue;
        changed |= n->value != (int64_t)(turn == 0);
        n->value = turn == 0;
    }
    for (uint32_t i = 0; i < f->argument_count; i++) {
        struct inferred_argument *x = &f->arguments[i];
        if (x->kind == INFERRED_BUFFER && is_random(x) && x->is_integer) {
            x->low = "0";
            x->high = "3";
            changed = true;
        }
    }
    return changed &&
           (turn > 0 || tell(f, a,
                             "scalars and integers in memory: small, since with others the "
                             "kernel changed nothing"));
}

// Sizes of the problem, a quarter each.
static bool shrink(struct inferred *f)
{
    bool changed = false;
    for (uint32_t i = 0; i < f->name_count; i++) {
        struct inferred_name *n = &f->names[i];
        if (n->role != NAME_CONSTANT || n->is_given || n->follows || n->value < 64 ||
            n->value % 4 != 0)
            continue;
        n->value /= 4;
        changed = true;
    }
    return changed;
}

static bool mend_crash(struct inferred *f, unsigned turn, struct arena *a)
{
    static const char *const texts[] = {
        "the sizes of buffers: larger than the text tells, since the kernel left them",
        "integers in memory: small, since with others the kernel crashed",
        "the sizes: smaller than usual, since the kernel crashed"};
    const bool is_shrunk = turn >= 2 && shrink(f);
    bool changed = is_shrunk;
    for (uint32_t i = 0; i < f->argument_count; i++) {
        struct inferred_argument *x = &f->arguments[i];
        if (turn == 1 && x->kind == INFERRED_BUFFER && x->is_integer &&
            (is_random(x) || x->generator)) {
            x->generator = NULL;
            x->low = "0";
            x->high = "3";
            changed = true;
        } else if (turn != 1 && turn < 3 && is_buffer(x)) {
            changed |= grow(x, 4, 1 << 20, a);
        } else if (turn == 0 && x->kind == INFERRED_LOCAL && x->is_guess && x->size) {
            changed |= grow(x, 2, 0, a);
        }
    }
    return changed && (turn > 2 || (turn == 2 && !is_shrunk) || tell(f, a, texts[turn]));
}

static bool mend_long(struct inferred *f, struct arena *a, unsigned turn)
{
    return shrink(f) && (turn > 0 || tell(f, a,
                                          "the sizes: smaller than usual, since a launch took "
                                          "too long"));
}

// ---- parameters that change the result ---------------------------------------------------------

// How often a parameter has another value than its default, in rows that failed and in others.
static void count_rows(const struct trial_rows *rows, const struct inferred_name *n,
                       size_t failed[2], size_t *passed)
{
    failed[0] = failed[1] = *passed = 0;
    for (size_t i = 0; i < json_array_size(rows->list); i++) {
        const json_t *row = json_array_get(rows->list, i);
        const json_t *value = json_object_get(json_object_get(row, "configuration"), n->name);
        const bool is_other = json_integer_value(value) != n->value;
        if (row_failed(row))
            failed[is_other]++;
        else
            *passed += is_other;
    }
}

static bool is_default(const struct inferred *f, const json_t *row)
{
    bool is_all = true;
    for (uint32_t i = 0; i < f->name_count; i++) {
        const struct inferred_name *n = &f->names[i];
        const json_t *value = json_object_get(json_object_get(row, "configuration"), n->name);
        is_all &= n->role != NAME_PARAMETER || json_integer_value(value) == n->value;
    }
    return is_all;
}

// The parameter that explains most: it has another value wherever a configuration failed, and nowhere
// where one passed.
static struct inferred_name *find_culprit(struct inferred *f, const struct trial_rows *rows)
{
    struct inferred_name *best = NULL;
    int64_t most = INT64_MIN;
    for (size_t i = 0; i < json_array_size(rows->list); i++) {
        const json_t *row = json_array_get(rows->list, i);
        if (row_failed(row) && is_default(f, row))
            return NULL; // no parameter explains that
    }
    for (uint32_t i = 0; i < f->name_count; i++) {
        struct inferred_name *n = &f->names[i];
        size_t failed[2], passed;
        if (n->role != NAME_PARAMETER)
            continue;
        count_rows(rows, n, failed, &passed);
        const int64_t score = 4 * (int64_t)failed[1] - 6 * (int64_t)failed[0] - 3 * (int64_t)passed;
        if (failed[1] > 0 && score > most) {
            most = score;
            best = n;
        }
    }
    return best;
}

static json_int_t row_count(const json_t *row, const char *key)
{
    return json_integer_value(json_object_get(row, key));
}

// Is this output wrong in a few of its elements, and every other one right?
static bool is_loose_in(const struct inferred_argument *x, const json_t *row)
{
    const json_t *outputs = json_object_get(row, "outputs"), *output;
    bool is_wrong = false;
    size_t k;
    json_array_foreach(outputs, k, output)
    {
        const json_int_t wrong = row_count(output, "wrong"), nans = row_count(output, "nans");
        const bool is_it = strcmp(row_text(output, "argument"), x->name) == 0;
        if (nans > 0 || (is_it ? wrong > row_count(output, "components") / 8 : wrong > 0))
            return false;
        is_wrong |= is_it && wrong > 0;
    }
    return is_wrong;
}

// Is it so in every configuration that failed?
static bool is_loose(const struct inferred_argument *x, const struct trial_rows *rows)
{
    for (size_t i = 0; i < json_array_size(rows->list); i++) {
        const json_t *row = json_array_get(rows->list, i);
        if (row_failed(row) && !is_loose_in(x, row))
            return false;
    }
    return true;
}

// An output that is written alone, of which few elements hang on the configuration, beside outputs that are
// right: what a program prints to see what it does. NULL: there is none.
static struct inferred_argument *find_loose_output(struct inferred *f,
                                                   const struct trial_rows *rows)
{
    struct inferred_argument *found = NULL;
    uint32_t others = 0;
    for (uint32_t i = 0; i < f->argument_count; i++) {
        struct inferred_argument *x = &f->arguments[i];
        if (x->kind != INFERRED_BUFFER || x->access == INFERRED_READ || x->is_scratch)
            continue;
        if (!found && !x->expect && (x->access == INFERRED_WRITE || x->is_zero) &&
            is_loose(x, rows))
            found = x;
        else
            others++;
    }
    return others > 0 ? found : NULL;
}

// The first output of which a configuration gives next to nothing another value: more likely a place that it leaves out, or
// one that several items write, than wrong arithmetic.
void trial_note_few(const struct trial_rows *rows, struct trial_state *state, struct arena *a)
{
    for (size_t i = 0; i < json_array_size(rows->list) && !state->few; i++) {
        const json_t *row = json_array_get(rows->list, i), *output;
        size_t k;
        json_array_foreach(json_object_get(row, "outputs"), k, output)
        {
            const json_int_t wrong = row_count(output, "wrong");
            const json_int_t all = row_count(output, "components");
            if (row_failed(row) && wrong > 0 && wrong < all / 1000 && !state->few)
                state->few =
                    arena_printf(a,
                                 "%s differs from the default in %lld of %lld elements: "
                                 "an edge that a configuration leaves out, or items that "
                                 "write one element",
                                 row_text(output, "argument"), (long long)wrong, (long long)all);
        }
    }
}

// A configuration may write past an output that the default fills: its size follows the parameters, which one larger size
// shows; or a parameter is wrong, and the size is what it was.
static bool mend_wrong(struct inferred *f, const struct trial_outcome *o,
                       const struct trial_rows *rows, struct trial_state *state, struct arena *a)
{
    state->past += *o->argument != '\0';
    if (*o->argument && state->grown++ == 0 && copy_found(f, a, &state->before) &&
        mend_past(f, o->argument, a)) {
        state->tried = TRIAL_WRONG;
        return true;
    }
    struct inferred_argument *x = find_loose_output(f, rows);
    if (x) {
        x->is_scratch = true;
        return tell(f, a,
                    arena_printf(a,
                                 "%s is not compared (\"temporary\"): what it holds hangs on "
                                 "the parameters",
                                 x->name));
    }
    struct inferred_name *n = find_culprit(f, rows);
    if (!n)
        return false;
    n->role = NAME_CONSTANT;
    n->is_own = false;
    return tell(f, a,
                arena_printf(a,
                             "%s is %lld and not tuned: with other values the result differs "
                             "or fails; where your launch follows it, say how",
                             n->name, (long long)n->value));
}

bool trial_mend(struct inferred *f, const struct trial_outcome *o, const struct trial_rows *rows,
                struct trial_state *state, struct arena *a)
{
    if (state->tried != TRIAL_PASSED)
        take_back(o->kind, f, state);
    switch (o->kind) {
    case TRIAL_PAST:
        state->past++;
        return mend_past(f, o->argument, a);
    case TRIAL_UNWRITTEN:
        return mend_unwritten(f, o, a);
    case TRIAL_NAN:
        return state->nan < REMEDIES && mend_nan(f, state->nan++, a);
    case TRIAL_BLIND:
        if (state->filled++ == 0 && copy_found(f, a, &state->before) && fill_outputs(f, a)) {
            state->tried = TRIAL_BLIND;
            return true;
        }
        return state->idle < 2 && mend_idle(f, state->idle++, a);
    case TRIAL_IDLE:
        return state->idle < 2 && mend_idle(f, state->idle++, a);
    case TRIAL_CRASH:
        return state->crash <= REMEDIES && mend_crash(f, state->crash++, a);
    case TRIAL_LONG:
        return state->slow < REMEDIES && mend_long(f, a, state->slow++);
    case TRIAL_WRONG:
        return mend_wrong(f, o, rows, state, a);
    default:
        return false;
    }
}

// ---- nothing to tune ---------------------------------------------------------------------------

static bool has_floats(const struct inferred *f)
{
    for (uint32_t i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].kind == INFERRED_BUFFER && !f->arguments[i].is_integer)
            return true;
    }
    return false;
}

bool trial_has_parameters(const struct inferred *f)
{
    for (uint32_t i = 0; i < f->name_count; i++) {
        const struct inferred_name *n = &f->names[i];
        if (n->role == NAME_PARAMETER &&
            (!n->values || strchr(n->values, ','))) // "[128]" is one value
            return true;
    }
    return false;
}

bool trial_add_option(struct inferred *f, const char *language, struct arena *a)
{
    static const char *const options[][2] = {{"opencl", "-cl-fast-relaxed-math"},
                                             {"cuda", "--use_fast_math"}};
    struct inferred_name *names = arena_array(a, f->name_count + (size_t)1, sizeof *names);
    const char *option = NULL;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        option = strcmp(options[i][0], language) == 0 ? options[i][1] : option;
    if (!names || !option || f->option || !has_floats(f) || trial_has_parameters(f))
        return false;
    for (uint32_t i = 0; i < f->name_count; i++)
        names[i] = f->names[i];
    names[f->name_count++] =
        (struct inferred_name){.name = "FAST_MATH", .role = NAME_PARAMETER, .values = "[0, 1]"};
    f->names = names;
    f->option = arena_printf(a, "{'%s' if FAST_MATH else ''}", option);
    return f->option &&
           tell(f, a,
                arena_printf(a,
                             "nothing is left to tune: FAST_MATH, which is the compiler's "
                             "%s, is tuned",
                             option));
}

// ---- the rounds --------------------------------------------------------------------------------

// Reads what a check prints: its lines on the channel, its messages behind descriptor 2.
static bool read_check(const struct trial *t, struct process *p, uint64_t until_ns,
                       struct text *lines)
{
    char bytes[4096];
    for (;;) {
        const uint64_t now = clock_ns();
        struct pollfd fds[] = {{.fd = p->channel, .events = POLLIN},
                               {.fd = p->printed, .events = POLLIN}};
        if (now >= until_ns || t->interrupted())
            return false;
        if (poll(fds, 2, (int)((until_ns - now) / 1000000) + 1) < 0) {
            if (errno != EINTR)
                return false;
            continue;
        }
        process_drain(p);
        const ssize_t got = recv(p->channel, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got == 0)
            return true;
        if (got > 0 && lines->length < OUTPUT_MOST)
            text_addn(lines, bytes, (size_t)got);
    }
}

// One check. NULL, without an error, where there is no time left.
static struct trial_rows *check_once(const struct trial *t, struct trial_outcome *out,
                                     struct error *e)
{
    const char *const argv[] = {t->program,   "check",     t->spec,  "--sample",   SAMPLE,
                                "--language", t->language, "--json", "--no-store", NULL};
    const uint64_t until_ns = clock_ns() + ROUND_MS * UINT64_C(1000000);
    struct process p = PROCESS_NONE;
    struct text lines = TEXT_INIT;
    int status;
    if (!process_start_owned(&p, argv, e))
        return NULL;
    shutdown(p.channel, SHUT_WR); // its standard input is empty
    const bool ended = read_check(t, &p, until_ns, &lines) && process_wait(&p, 2000, &status);
    if (!ended) { // its workers end with it, and the device is free again
        process_signal(&p, SIGTERM);
        process_wait(&p, 3000, &status);
    }
    process_end(&p);
    p.tail[process_tail_length(&p)] = '\0';
    struct trial_rows *rows = trial_read(text_cstr(&lines), p.tail, out);
    if (!ended && rows && json_array_size(rows->list) == 0)
        out->kind = TRIAL_LONG;
    text_release(&lines);
    if (!rows)
        error_memory(e);
    return rows;
}

// One round. False: it was the last.
static bool run_round(const struct trial *t, struct trial_state *state, struct trial_outcome *o,
                      struct inferred *good, struct error *e)
{
    const bool is_first = state->rounds++ == 0;
    if (t->is_long && state->slow == 0) {
        o->kind = TRIAL_LONG;
        return trial_mend(t->found, o, NULL, state, t->arena);
    }
    struct trial_rows *rows = check_once(t, o, e);
    if (!rows)
        return false;
    if (o->kind == TRIAL_PASSED && !copy_found(t->found, t->arena, good))
        error_memory(e);
    if (is_first) // later ones are of a spec that may not stay
        trial_note_few(rows, state, t->arena);
    const bool has_more =
        o->kind == TRIAL_PASSED
            ? state->past == 0 && trial_add_option(t->found, t->language, t->arena)
            : !t->found->option && trial_mend(t->found, o, rows, state, t->arena);
    trial_rows_free(rows);
    return has_more;
}

bool trial_run(const struct trial *t, bool *is_changed, struct error *e)
{
    const uint64_t until_ns = clock_ns() + ALL_NS;
    struct trial_state state = {0};
    struct trial_outcome o = {.kind = TRIAL_OTHER};
    struct inferred good; // as it was, or as it passed
    struct error ignored = ERROR_INIT;
    bool is_written = false, is_checked = true; // what the file holds now
    *is_changed = false;
    if (!copy_found(t->found, t->arena, &good))
        return error_memory(e);
    for (int round = 0; round < ROUNDS_MOST && clock_ns() < until_ns; round++) {
        const bool has_more = run_round(t, &state, &o, &good, e);
        is_checked = !t->interrupted();
        if (e->code || !has_more || !is_checked)
            break;
        *is_changed |= o.kind == TRIAL_PASSED && is_written; // what passed is kept
        is_written = true;
        is_checked = false;
        if (!t->write(t->owner, e))
            break;
    }
    const bool has_passed = is_checked && o.kind == TRIAL_PASSED && e->code == ERROR_NONE;
    if (state.few && !has_passed)
        tell(&good, t->arena, state.few);
    if (!is_written) {
        *t->found = good;
        return e->code == ERROR_NONE;
    }
    if (has_passed) {
        *is_changed = true;
        return true;
    }
    *t->found = good;
    return t->write(t->owner, e->code ? &ignored : e) && e->code == ERROR_NONE;
}
