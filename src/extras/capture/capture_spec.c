// Makes a spec of a captured kernel. Its text is read as `hone init` reads it, with the macros that the program gave as the
// values of today: this tells which are parameters, and how work-group and extent follow from them and from the scalars. What
// the text does not tell is fitted to the recorded geometry. Either way an expression counts only if it gives the recorded
// geometry of every launch with the work-group of the most expensive one (the others keep the program's own kernel), and a
// parameter's value only if a replay with it gives the recorded output.
#include "extras/capture/capture_spec.h"

#include "expr/expr.h"
#include "extras/capture/capture_guard.h"
#include "extras/capture/capture_words.h"
#include "extras/init/includes.h"
#include "os/file_replace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIED_MOST = 12, VALUES_MOST = 8, WHOLE_MOST = 128 << 10 };
#define TOLERANCE 1e-4

static bool refuse_spec(struct making *m, const char *why)
{
    m->k->why = m->k->why ? m->k->why : why;
    return false;
}

// ---- options -----------------------------------------------------------------------------------

static bool add_macro(struct making *m, const char *text)
{
    const char *equal = strchr(text, '=');
    struct macro *x = &m->macros[m->macro_count];
    if (m->macro_count == MACROS_MOST)
        return refuse_spec(m, "its options have more than 256 macros");
    for (uint32_t i = 0; i < m->macro_count; i++) {
        const size_t length = strlen(m->macros[i].name);
        if (strncmp(m->macros[i].name, text, length) == 0 && (!text[length] || text[length] == '='))
            return true; // again, in another part
    }
    x->name = arena_strndup(m->a, text, equal ? (size_t)(equal - text) : strlen(text));
    x->text = arena_strdup(m->a, equal ? equal + 1 : "1");
    x->is_integer = x->text && str_to_i64(x->text, &x->value);
    m->macro_count++;
    return x->name && x->text;
}

static bool take_option(struct making *m, const char *word, bool is_define)
{
    static const char *const defines[] = {"-D", "--define-macro="};
    for (size_t i = 0; !is_define && i < sizeof defines / sizeof *defines; i++) {
        if (str_starts(word, defines[i]) && word[strlen(defines[i])]) {
            word += strlen(defines[i]);
            is_define = true;
        }
    }
    if (is_define)
        return add_macro(m, word);
    return m->other_count < MACROS_MOST &&
           (m->others[m->other_count++] = arena_strdup(m->a, word)) != NULL;
}

static bool split_options(struct making *m, const char *options)
{
    static const char *const alone[] = {"-D", "--define-macro"};
    bool is_define = false, ok = true;
    char *word;
    for (const char *at = options; ok && (word = capture_words_next(&at)) != NULL; free(word)) {
        const bool is_alone =
            !is_define && (str_equal(word, alone[0]) || str_equal(word, alone[1]));
        if (!is_alone)
            ok = take_option(m, word, is_define);
        is_define = is_alone;
    }
    return ok || refuse_spec(m, "its options cannot be read");
}

// The program's options with other values of the parameters.
static const char *options_with(struct making *m, const int64_t *values)
{
    const char *words[2 * MACROS_MOST + PARAMETERS_MOST];
    size_t count = 0;
    for (uint32_t i = 0; i < m->other_count; i++)
        words[count++] = m->others[i];
    for (uint32_t i = 0; i < m->macro_count; i++) {
        const struct macro *x = &m->macros[i];
        bool is_parameter = false;
        for (uint32_t p = 0; p < m->parameter_count; p++)
            is_parameter = is_parameter || str_equal(m->parameters[p].name, x->name);
        if (!is_parameter)
            words[count++] = arena_printf(m->a, "-D%s=%s", x->name, x->text);
    }
    for (uint32_t p = 0; p < m->parameter_count; p++)
        words[count++] =
            arena_printf(m->a, "-D%s=%lld", m->parameters[p].name, (long long)values[p]);
    char *joined = capture_words_join(words, count);
    const char *options = joined ? arena_strdup(m->a, joined) : NULL;
    free(joined);
    return options;
}

// ---- the text ----------------------------------------------------------------------------------

static bool write_content(struct making *m, const char *name, const char *digest, struct error *e)
{
    struct text t = TEXT_INIT, guarded = TEXT_INIT;
    const char *path = capture_path(m->a, m->c, name);
    bool ok = (path || error_memory(e)) && capture_content(m->c, digest, &t, e);
    char *text = ok ? capture_guard_text(text_cstr(&t)) : NULL;
    text_add(&guarded, text ? text : "");
    ok = ok && ((text && !guarded.failed) || error_memory(e)) && file_replace(path, &guarded, e);
    free(text);
    text_release(&guarded);
    text_release(&t);
    return ok;
}

// A header's name may have folders in it, but leads nowhere else.
static bool is_inside(const char *name)
{
    bool ok = *name && *name != '/' && strlen(name) < 200;
    for (const char *at = name; ok && (at = strstr(at, "..")); at++)
        ok = false;
    return ok;
}

static bool write_headers(struct making *m, const struct capture_part *part, struct error *e)
{
    for (uint32_t i = 0; i < part->header_count; i++) {
        const struct capture_header *h = &part->headers[i];
        if (!is_inside(h->name))
            return refuse_spec(m, "a header's name leads out of its folder");
        m->include = arena_printf(m->a, "%s.include", m->k->title);
        const char *file = arena_printf(m->a, "%s/%s", m->include, h->name);
        const char *slash = file ? strrchr(file, '/') : NULL;
        const char *folder =
            slash ? capture_path(m->a, m->c, arena_strndup(m->a, file, (size_t)(slash - file)))
                  : NULL;
        if (!folder)
            return error_memory(e);
        if (!folder_make(folder, e) || !write_content(m, file, h->digest, e))
            return false;
    }
    return true;
}

// Writes the program's texts, and lists them as the spec does.
static bool write_texts(struct making *m, struct error *e)
{
    const struct capture_kernel *k = m->k;
    const char *ending = *language_traits(k->language)->endings;
    for (uint32_t i = 0; i < k->part_count; i++) {
        const char *name = k->part_count == 1 ? arena_printf(m->a, "%s%s", k->title, ending)
                                              : arena_printf(m->a, "%s.%u.cl", k->title, i + 1);
        if (!name || !write_content(m, name, k->parts[i].source, e))
            return name ? false : error_memory(e);
        m->files[m->file_count++] = name;
        if (!write_headers(m, &k->parts[i], e))
            return false;
        if (m->file_count == FILES_MOST)
            return refuse_spec(m, "it was linked from more than 32 texts");
    }
    bool ok = k->is_linked || split_options(m, k->options);
    for (uint32_t i = 0; ok && k->is_linked && i < k->part_count;
         i++) // all of them for every part; a replay tries it
        ok = split_options(m, k->parts[i].options);
    return ok;
}

static bool read_kernel_files(const struct making *m, const char *const *folders, struct text *out,
                              struct error *e)
{
    for (uint32_t i = 0; i < m->file_count; i++) {
        const char *path = capture_path(m->a, m->c, m->files[i]);
        if (!path || !infer_read(path, folders, out, NULL, e))
            return false;
    }
    return true;
}

// Reads what the reader of `init` is given: macros of the options, then the texts with what they include.
static bool read_texts_whole(struct making *m, bool with_headers, struct text *out, struct error *e)
{
    const char *folders[MACROS_MOST + 2] = {NULL};
    uint32_t count = 0;
    if (m->include)
        folders[count++] = capture_path(m->a, m->c, m->include);
    for (uint32_t i = 0; i < m->other_count; i++) {
        const bool is_apart = str_equal(m->others[i], "-I") && i + 1 < m->other_count;
        if (is_apart || (str_starts(m->others[i], "-I") && m->others[i][2]))
            folders[count++] = is_apart ? m->others[i + 1] : m->others[i] + 2;
    }
    for (uint32_t i = 0; i < m->macro_count; i++)
        text_addf(out,
                  m->macros[i].is_integer ? "#ifndef %s\n#define %s %s\n#endif\n"
                                          : "#define %.0s%s %s\n",
                  m->macros[i].name, m->macros[i].name, m->macros[i].text);
    struct text files = TEXT_INIT;
    bool ok = read_kernel_files(m, with_headers ? folders : NULL, &files, e);
    if (ok && with_headers &&
        files.length > WHOLE_MOST) { // libraries of templates: the kernel's own words have to do
        text_clear(&files);
        ok = read_kernel_files(m, NULL, &files, e);
    }
    text_addn(out, files.data, files.length);
    text_release(&files);
    return ok;
}

// ---- names and their values --------------------------------------------------------------------

const struct macro *making_macro(const struct making *m, const char *name)
{
    for (uint32_t i = 0; i < m->macro_count; i++) {
        if (str_equal(m->macros[i].name, name))
            return &m->macros[i];
    }
    return NULL;
}

const char *argument_name(const struct making *m, uint32_t at)
{
    if (m->is_inferred && at < m->f.argument_count && m->f.arguments[at].name)
        return m->f.arguments[at].name; // a driver's may be another: PoCL's "_cl_length"
    const struct capture_argument *x = &m->k->arguments[at];
    if (*x->name)
        return x->name;
    return arena_printf(m->a, "argument_%u", at);
}

// The symbols of expressions: parameters, then names that the text leaves to the launch, then integer scalars.
static bool add_symbol(struct making *m, const char *name, enum symbol_kind kind, uint32_t index)
{
    for (uint32_t i = 0; i < m->symbol_count; i++) {
        if (str_equal(m->symbols[i].name, name))
            return true;
    }
    if (m->symbol_count == SYMBOLS_MOST)
        return refuse_spec(m, "it has more names than a spec can");
    m->symbols[m->symbol_count] = (struct expr_symbol){.name = name};
    m->kinds[m->symbol_count] = kind;
    m->indices[m->symbol_count++] = index;
    return true;
}

static bool make_symbols(struct making *m)
{
    bool ok = true;
    m->symbol_count = 0;
    for (uint32_t i = 0; ok && i < m->parameter_count; i++)
        ok = add_symbol(m, m->parameters[i].name, SYMBOL_PARAMETER, i);
    for (uint32_t i = 0; ok && i < m->macro_count; i++) {
        if (m->macros[i].is_integer)
            ok = add_symbol(m, m->macros[i].name, SYMBOL_MACRO, i);
    }
    for (uint32_t i = 0; ok && i < m->k->argument_count; i++) {
        int64_t value;
        if (making_scalar(m, i, &m->k->launches[0], &value))
            ok = add_symbol(m, argument_name(m, i), SYMBOL_SCALAR, i);
    }
    for (uint32_t i = 0; ok && m->is_inferred && i < m->f.name_count; i++) {
        if (m->f.names[i].role == NAME_CONSTANT)
            ok = add_symbol(m, m->f.names[i].name, SYMBOL_CONSTANT, i);
    }
    return ok;
}

static void fill_slots(const struct making *m, const struct capture_launch *l,
                       const int64_t *values, struct value *slots)
{
    for (uint32_t i = 0; i < m->symbol_count; i++) {
        int64_t v = 0;
        const uint32_t at = m->indices[i];
        if (m->kinds[i] == SYMBOL_PARAMETER)
            v = values ? values[at] : m->parameters[at].value;
        else if (m->kinds[i] == SYMBOL_MACRO)
            v = m->macros[at].value;
        else if (m->kinds[i] == SYMBOL_CONSTANT)
            v = m->f.names[at].value;
        else
            making_scalar(m, at, l, &v);
        slots[i] = value_int(v);
    }
}

static bool eval_for_launch(struct making *m, const char *text, const struct capture_launch *l,
                            const int64_t *values, int64_t *out)
{
    struct value slots[SYMBOLS_MOST], v;
    struct error e = ERROR_INIT;
    const struct expr_symbols symbols = {m->symbols, m->symbol_count};
    struct expr *x = text ? expr_parse(m->a, text, &symbols, &e) : NULL;
    fill_slots(m, l, values, slots);
    return x && expr_eval(x, slots, m->a, &v) == EXPR_FAULT_NONE && value_to_i64(&v, out);
}

// ---- geometry ----------------------------------------------------------------------------------

static int64_t round_to_group(int64_t n, int64_t to)
{
    return to > 0 && n > 0 && n < INT64_MAX - to ? (n + to - 1) / to * to : n;
}

bool making_is_alike(const struct making *m, const struct capture_launch *l)
{
    const struct capture_launch *first = &m->k->launches[0];
    return l->has_local == first->has_local &&
           (!l->has_local || memcmp(l->local, first->local, sizeof l->local) == 0);
}

// Does the expression give this axis of every launch, as hone would launch it?
static bool fits_global(struct making *m, const char *text, const char *local, uint32_t axis)
{
    for (size_t i = 0; i < m->k->launch_count; i++) {
        const struct capture_launch *l = &m->k->launches[i];
        int64_t global = 0, group = 1;
        if (!making_is_alike(m, l))
            continue;
        if (!eval_for_launch(m, text, l, NULL, &global) ||
            (local && !eval_for_launch(m, local, l, NULL, &group)) || global < 1)
            return false;
        if ((axis < l->dimensions ? l->global[axis] : 1) != round_to_group(global, group))
            return false;
    }
    return true;
}

static bool fits_local(struct making *m, const char *text, uint32_t axis)
{
    for (size_t i = 0; i < m->k->launch_count; i++) {
        const struct capture_launch *l = &m->k->launches[i];
        int64_t local = 0;
        if (!making_is_alike(m, l))
            continue;
        if (!eval_for_launch(m, text, l, NULL, &local) || local < 1 ||
            (l->has_local && (axis < l->dimensions ? l->local[axis] : 1) != local))
            return false;
    }
    return true;
}

// A name that says the axis: LSIZE0, GROUP_Y.
static bool names_axis(const char *name, uint32_t axis)
{
    static const char *const endings[] = {"0Xx", "1Yy", "2Zz"};
    const size_t length = strlen(name);
    return length > 0 && strchr(endings[axis], name[length - 1]) != NULL;
}

// A work-group that the program's macros give: one that is named for the axis, one that no axis before has, any; or a number.
static const char *fit_local(struct making *m, uint32_t axis)
{
    for (int turn = 0; turn < 3 && m->k->launches[0].local[axis] > 1; turn++) {
        for (uint32_t i = 0; i < m->symbol_count; i++) {
            const char *name = m->symbols[i].name;
            bool is_meant = turn > 0 || names_axis(name, axis);
            for (uint32_t a = 0; turn < 2 && a < axis; a++)
                is_meant = is_meant && !str_equal(m->local[a], name);
            if (is_meant && m->kinds[i] != SYMBOL_SCALAR && fits_local(m, name, axis))
                return name;
        }
    }
    return arena_printf(m->a, "%lld", (long long)m->k->launches[0].local[axis]);
}

// An extent of scalars and macros: `s`, `ceil(s / p)`, with groups of `local` items for each.
static const char *fit_global(struct making *m, const char *local, uint32_t axis)
{
    for (uint32_t s = 0; s < m->symbol_count; s++) {
        const char *name = m->symbols[s].name;
        if (m->kinds[s] != SYMBOL_SCALAR)
            continue;
        if (fits_global(m, name, local, axis))
            return name;
        for (uint32_t p = 0; p < m->symbol_count; p++) {
            if (m->kinds[p] != SYMBOL_PARAMETER && m->kinds[p] != SYMBOL_MACRO)
                continue;
            const char *per = m->symbols[p].name;
            const char *few = arena_printf(m->a, "(%s + %s - 1) // %s", name, per, per);
            if (fits_global(m, few, local, axis))
                return few;
            const char *groups = local ? arena_printf(m->a, "(%s) * %s", few, local) : NULL;
            if (groups && fits_global(m, groups, local, axis))
                return groups;
        }
    }
    return NULL;
}

// The recorded size itself, which is then a constant of the spec.
static const char *keep_global(struct making *m, uint32_t axis)
{
    static const char *const names[] = {"launch_x", "launch_y", "launch_z"};
    bool varies = false;
    for (size_t i = 1; i < m->k->launch_count; i++)
        varies = varies || (making_is_alike(m, &m->k->launches[i]) &&
                            m->k->launches[i].global[axis] != m->k->launches[0].global[axis]);
    // cppcheck-suppress arrayIndexOutOfBoundsCond
    if (!varies && axis > 0 && m->k->launches[0].global[axis] == 1)
        return "1";
    m->keeps_global[axis] = true;
    return names[axis];
}

static void make_geometry(struct making *m)
{
    const uint32_t dimensions = m->k->launches[0].dimensions;
    bool fits = m->is_inferred && m->f.axes >= 1;
    for (uint32_t a = 0; fits && a < dimensions; a++) {
        const char *local = a < m->f.axes ? m->f.local[a] : "1";
        fits = fits_local(m, local, a) &&
               fits_global(m, a < m->f.axes ? m->f.global[a] : "1", local, a);
    }
    for (uint32_t a = 0; a < dimensions; a++) {
        const bool is_own =
            m->is_inferred && a < m->f.axes && m->own_local[a] && fits_local(m, m->f.local[a], a);
        m->local[a] = fits || is_own                ? (a < m->f.axes ? m->f.local[a] : "1")
                      : m->k->launches[0].has_local ? fit_local(m, a)
                                                    : NULL;
        m->global[a] =
            fits ? (a < m->f.axes ? m->f.global[a] : "1") : fit_global(m, m->local[a], a);
        if (!m->global[a])
            m->global[a] = keep_global(m, a);
    }
}

// ---- parameters --------------------------------------------------------------------------------

static bool add_parameter(struct making *m, const char *name, int64_t value, const char *values)
{
    const struct expr_symbols none = {NULL, 0};
    struct error e = ERROR_INIT;
    struct value list;
    struct parameter *p = &m->parameters[m->parameter_count];
    struct expr *x = values ? expr_parse(m->a, values, &none, &e) : NULL;
    if (m->parameter_count == PARAMETERS_MOST)
        return false;
    *p = (struct parameter){.name = name, .value = value};
    p->values[p->count++] = value;
    const bool ok =
        x && expr_eval(x, NULL, m->a, &list) == EXPR_FAULT_NONE && list.kind == VALUE_LIST;
    for (uint32_t i = 0; ok && i < list.count && p->count < VALUES_ROOM; i++) {
        int64_t v;
        if (value_to_i64(&list.items[i], &v) && v != value)
            p->values[p->count++] = v;
    }
    m->parameter_count++;
    return true;
}

// A size of the work-group that the text leaves to the launch: along which axis?
static int own_axis(const struct inferred *f, const struct inferred_name *n)
{
    for (uint32_t a = 0; n->is_own && a < f->axes; a++) {
        if (str_equal(f->local[a], n->name))
            return (int)a;
    }
    return -1;
}

static void take_parameters(struct making *m)
{
    const struct capture_launch *l = &m->k->launches[0];
    for (uint32_t i = 0; m->is_inferred && i < m->f.name_count; i++) {
        const struct inferred_name *n = &m->f.names[i];
        const struct macro *x = making_macro(m, n->name);
        const int axis = own_axis(&m->f, n);
        if (n->role != NAME_PARAMETER || (x && !x->is_integer))
            continue;
        if (axis >= 0 && (uint32_t)axis < l->dimensions) {
            int64_t value = l->has_local ? l->local[axis] : axis == 0 ? 64 : 1;
            while (!l->has_local && value > 1 && l->global[axis] % value)
                value /= 2;
            m->own_local[axis] = add_parameter(m, n->name, value, n->values);
        } else if (axis < 0 && !n->is_own)
            add_parameter(m, n->name, x ? x->value : n->value, n->values);
    }
}

// ---- trials ------------------------------------------------------------------------------------

static bool trial_geometry(struct making *m, const int64_t *values, int64_t *global, int64_t *local)
{
    const struct capture_launch *l = &m->k->launches[0];
    for (uint32_t a = 0; a < 3; a++) {
        global[a] = local[a] = 1;
        if (a >= l->dimensions)
            continue;
        if (m->local[a] && !eval_for_launch(m, m->local[a], l, values, &local[a]))
            return false;
        if (m->keeps_global[a])
            global[a] = l->global[a];
        else if (!eval_for_launch(m, m->global[a], l, values, &global[a]))
            return false;
        global[a] = round_to_group(global[a], m->local[a] ? local[a] : 1);
        if (global[a] < 1 || local[a] < 1)
            return false;
    }
    return local[0] <= 4096 && local[1] <= 4096 && local[2] <= 4096 &&
           local[0] * local[1] * local[2] <= 4096;
}

enum trial { TRIAL_RIGHT, TRIAL_WRONG, TRIAL_IMPOSSIBLE };

// A replay with these values. Right is near enough for sums in another order; the spec's own tolerance is as wide.
static enum trial try_values(struct making *m, const int64_t *values)
{
    int64_t global[3], local[3];
    struct capture_replay r;
    if (!trial_geometry(m, values, global, local))
        return TRIAL_IMPOSSIBLE;
    const bool has_local = m->local[0] != NULL;
    const char *options = options_with(m, values);
    capture_play(m->p, m->k, &m->k->launches[0], 1, options, global, has_local ? local : NULL, m->a,
                 &r);
    if (!r.why && (r.exact == r.times || r.deviation <= TOLERANCE))
        return TRIAL_RIGHT;
    capture_player_renew(m->p);
    return r.why ? TRIAL_IMPOSSIBLE : TRIAL_WRONG;
}

static bool meets_restriction(struct making *m, const char *restriction, const int64_t *values)
{
    struct error e = ERROR_INIT;
    struct value slots[SYMBOLS_MOST];
    const struct expr_symbols symbols = {m->symbols, m->symbol_count};
    bool holds = true;
    struct expr *x = expr_parse(m->a, restriction, &symbols, &e);
    fill_slots(m, &m->k->launches[0], values, slots);
    return !x || (expr_test(x, slots, m->a, &holds) == EXPR_FAULT_NONE && holds);
}

static bool meets_restrictions(struct making *m, const int64_t *values)
{
    for (uint32_t i = 0; m->is_inferred && i < m->f.restriction_count; i++) {
        if (!meets_restriction(m, m->f.restrictions[i], values))
            return false;
    }
    return true;
}

// A restriction that the program itself does not keep was read wrongly.
static void drop_restrictions(struct making *m, const int64_t *values)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; m->is_inferred && i < m->f.restriction_count; i++) {
        if (meets_restriction(m, m->f.restrictions[i], values))
            m->f.restrictions[kept++] = m->f.restrictions[i];
    }
    m->f.restriction_count = kept;
}

static enum trial try_one(struct making *m, int64_t *values, uint32_t at, int64_t value)
{
    const int64_t own = values[at];
    enum trial t = TRIAL_RIGHT;
    values[at] = value;
    if (value != own)
        t = meets_restrictions(m, values) ? try_values(m, values) : TRIAL_IMPOSSIBLE;
    values[at] = own;
    return t;
}

bool making_is_size(const struct making *m, const char *name)
{
    const struct expr_symbols symbols = {m->symbols, m->symbol_count};
    const uint32_t restrictions = m->is_inferred ? m->f.restriction_count : 0;
    bool found = false;
    for (uint32_t i = 0; !found && i < 6 + restrictions; i++) {
        const char *text = i < 3   ? (m->keeps_global[i] ? NULL : m->global[i])
                           : i < 6 ? m->local[i - 3]
                                   : m->f.restrictions[i - 6];
        struct error e = ERROR_INIT;
        struct expr *x = text ? expr_parse(m->a, text, &symbols, &e) : NULL;
        for (uint32_t s = 0; x && !found && s < m->symbol_count; s++)
            found = expr_uses(x, s) && str_equal(m->symbols[s].name, name);
    }
    return found;
}

// Tries the least and the greatest value, and keeps all between two that are right. A value that the restrictions forbid to
// change alone has nothing against it.
static void try_size(struct making *m, int64_t *values, uint32_t at)
{
    struct parameter *p = &m->parameters[at];
    int64_t ends[] = {p->value, p->value}; // the least, the greatest
    bool right[2];
    for (uint32_t v = 1; v < p->count; v++) {
        ends[0] = p->values[v] < ends[0] ? p->values[v] : ends[0];
        ends[1] = p->values[v] > ends[1] ? p->values[v] : ends[1];
    }
    for (int i = 0; i < 2; i++) {
        values[at] = ends[i];
        const bool is_forbidden = !meets_restrictions(m, values);
        values[at] = p->value;
        right[i] = is_forbidden || try_one(m, values, at, ends[i]) == TRIAL_RIGHT;
    }
    if (right[0] && right[1])
        return;
    p->count = 1;
    for (int i = 0; i < 2; i++) {
        if (right[i] && ends[i] != p->value)
            p->values[p->count++] = ends[i];
    }
}

// Tries every value. A macro of which one gives another result says what is computed, not how: it is left alone.
static void try_macro(struct making *m, int64_t *values, uint32_t at)
{
    struct parameter *p = &m->parameters[at];
    const uint32_t count = p->count;
    p->count = 1;
    for (uint32_t v = 1; v < count; v++) {
        const enum trial t = try_one(m, values, at, p->values[v]);
        if (t == TRIAL_RIGHT)
            p->values[p->count++] = p->values[v];
        else if (t == TRIAL_WRONG) {
            p->count = 1;
            return;
        }
    }
}

static void fill_own_values(const struct making *m, int64_t *values)
{
    for (uint32_t i = 0; i < m->parameter_count; i++)
        values[i] = m->parameters[i].value;
}

// Each parameter, with the others as the program has them. Builds take most of the time of a capture, and `hone check` tries
// the rest.
static void try_parameters(struct making *m)
{
    int64_t values[PARAMETERS_MOST];
    fill_own_values(m, values);
    drop_restrictions(m, values);
    m->works = try_values(m, values) == TRIAL_RIGHT;
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        struct parameter *p = &m->parameters[i];
        p->count = !m->works || i >= TRIED_MOST ? 1
                   : p->count < VALUES_MOST     ? p->count
                                                : VALUES_MOST;
        if (p->count == 1)
            continue;
        if (making_is_size(m, p->name))
            try_size(m, values, i);
        else
            try_macro(m, values, i);
    }
}

// Where these values give no result, those that only the text says are left to it: the reader may have taken anything for one.
static bool drop_guesses(struct making *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        bool is_own = making_macro(m, m->parameters[i].name) != NULL;
        for (uint32_t a = 0; a < 3 && a < m->f.axes; a++)
            is_own = is_own || (m->own_local[a] && str_equal(m->f.local[a], m->parameters[i].name));
        if (is_own)
            m->parameters[kept++] = m->parameters[i];
    }
    const bool any = kept < m->parameter_count;
    m->parameter_count = kept;
    if (any) // the geometry is made anew
        memset(m->keeps_global, 0, sizeof m->keeps_global);
    return any;
}

// ---- the whole ---------------------------------------------------------------------------------

int64_t capture_twin(const struct capture_launch *l, uint32_t argument)
{
    const struct capture_value *values = l->values, *v = &values[argument];
    return v->same >= 0 && !v->image && v->origin == values[v->same].origin &&
                   v->bytes == values[v->same].bytes
               ? v->same
               : -1;
}

int64_t making_twin(const struct making *m, uint32_t argument)
{
    return capture_twin(&m->k->launches[0], argument);
}

bool capture_changes_shared(const struct capture_launch *l, uint32_t argument)
{
    const struct capture_value *v = &l->values[argument];
    return v->same >= 0 && capture_twin(l, argument) < 0 &&
           (!str_equal(v->before, v->after) ||
            !str_equal(l->values[v->same].before, l->values[v->same].after));
}

static bool is_sometimes_null(const struct capture_kernel *k, uint32_t argument)
{
    const bool first = k->launches[0].values[argument].kind == CAPTURED_NULL;
    for (size_t i = 1; i < k->launch_count; i++) {
        if ((k->launches[i].values[argument].kind == CAPTURED_NULL) != first)
            return true;
    }
    return false;
}

// Is it the same kind of image, and the same sampler, in all launches?
static bool same_images(const struct capture_kernel *k, uint32_t argument)
{
    const struct capture_value *first = &k->launches[0].values[argument];
    bool same = true;
    for (size_t i = 1; i < k->launch_count; i++) {
        const struct capture_value *v = &k->launches[i].values[argument];
        same = same && str_equal(v->sampler, first->sampler) && !v->image == !first->image &&
               (!v->image ||
                (v->image->type == first->image->type && v->image->order == first->image->order &&
                 v->image->channel == first->image->channel));
    }
    return same;
}

// A symbol that a launch changes, which is no output of a spec; NULL: none.
static const char *changed_global(const struct making *m)
{
    for (size_t i = 0; i < m->k->launch_count; i++) {
        const struct capture_launch *l = &m->k->launches[i];
        for (uint32_t g = 0;
             g < m->global_count && l->symbol_count == m->k->launches[0].symbol_count; g++) {
            const struct capture_value *v = &l->values[m->globals[g]->value];
            if (!str_equal(v->before, v->after))
                return m->globals[g]->name;
        }
    }
    return NULL;
}

// A symbol that has the name of an argument, or of another symbol: a spec has one of each. NULL: none.
static const char *doubled_global(const struct making *m)
{
    for (uint32_t g = 0; g < m->global_count; g++) {
        const char *name = m->globals[g]->name;
        bool is_double = false;
        for (uint32_t i = 0; i < m->k->argument_count; i++)
            is_double = is_double || str_equal(argument_name(m, i), name);
        for (uint32_t o = 0; o < g; o++)
            is_double = is_double || str_equal(m->globals[o]->name, name);
        if (is_double)
            return name;
    }
    return NULL;
}

// Is there one for which the kernel has no spec?
static bool refuse_symbols(struct making *m)
{
    const char *changed = changed_global(m), *doubled = doubled_global(m);
    if (changed)
        refuse_spec(
            m, arena_printf(m->a, "it changes the module's %s, which is no argument", changed));
    if (doubled)
        refuse_spec(m, arena_printf(m->a,
                                    "it has a symbol %s of the module and another of this name, or "
                                    "an argument: a spec has one",
                                    doubled));
    if (m->variable)
        refuse_spec(m, arena_printf(m->a,
                                    "it uses %s, a __device__ variable that it may change: what a "
                                    "tuned kernel does to its own is lost",
                                    m->variable));
    return changed || doubled || m->variable;
}

static bool refuse_launch(struct making *m)
{
    const struct capture_kernel *k = m->k;
    const struct capture_launch *l = &k->launches[0];
    uint32_t pieces;
    if (k->without)
        return refuse_spec(m, arena_printf(m->a,
                                           "its program was made from a %s: --source says where "
                                           "its text is",
                                           k->without));
    if (l->is_indirect)
        return refuse_spec(m, "it reads memory that no argument names");
    if (l->is_placed)
        return refuse_spec(m, "its buffers hold pointers, which the data of a spec cannot");
    if (l->has_inside)
        return refuse_spec(m,
                           "a struct by value has pointers in it, which a spec's values cannot be");
    if (refuse_symbols(m))
        return false;
    if (l->has_offset)
        return refuse_spec(m, "it was launched with an offset, which specs do not have");
    for (uint32_t i = 0; i < k->argument_count; i++) {
        const struct capture_value *v = &l->values[i];
        if (is_sometimes_null(k, i))
            return refuse_spec(
                m, arena_printf(m->a, "argument %s is NULL in some launches", argument_name(m, i)));
        if (capture_changes_shared(l, i))
            return refuse_spec(m, arena_printf(m->a, "arguments %s and %s share %s, and it changes",
                                               argument_name(m, (uint32_t)v->same),
                                               argument_name(m, i),
                                               v->image ? "an image" : "a part of their memory"));
        if (!same_images(k, i))
            return refuse_spec(m, arena_printf(m->a, "image %s differs in kind between launches",
                                               argument_name(m, i)));
        if (v->image && !capture_image_is_known(m->a, v->image))
            return refuse_spec(m, arena_printf(m->a,
                                               "image %s is an array, of one dimension, or of a "
                                               "format that a spec does not have",
                                               argument_name(m, i)));
        if (v->kind == CAPTURED_VALUE && !making_pieces(m, i, &pieces))
            return refuse_spec(
                m, arena_printf(m->a, "argument %s is a '%s' by value whose members are not known",
                                argument_name(m, i), argument_type(m, i)));
    }
    return true;
}

// The text of the user's is not the program's, or NVRTC does not take it.
static bool refuse_given_text(struct making *m)
{
    struct capture_replay r;
    int64_t values[PARAMETERS_MOST];
    fill_own_values(m, values);
    capture_play(m->p, m->k, &m->k->launches[0], 1, options_with(m, values), NULL, NULL, m->a, &r);
    return refuse_spec(m, r.why ? arena_printf(m->a, "the text of --source: %s", r.why)
                                : "the text of --source gives another result");
}

static void list_tunable(struct making *m)
{
    struct text t = TEXT_INIT;
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        if (m->parameters[i].count > 1)
            text_addf(&t, "%s%s", t.length ? ", " : "", m->parameters[i].name);
    }
    m->k->tunes = text_to_arena(&t, m->a);
}

// A launch that changed nothing, because an earlier one had left the same, is no evidence: the first that did stands first.
static void put_evidence_first(struct capture_kernel *k)
{
    for (size_t i = 0; i < k->launch_count; i++) {
        if (!capture_changes(&k->launches[i], k->argument_count))
            continue;
        const struct capture_launch first = k->launches[i];
        memmove(&k->launches[1], &k->launches[0], i * sizeof first);
        k->launches[0] = first;
        return;
    }
}

// A driver that does not tell types hands in NULL as a number: the text says that it is a pointer.
static void take_null_pointers(struct making *m)
{
    static const unsigned char null[8];
    for (uint32_t i = 0; m->is_inferred && i < m->k->argument_count && i < m->f.argument_count;
         i++) {
        for (size_t l = 0; m->f.arguments[i].kind == INFERRED_BUFFER && l < m->k->launch_count;
             l++) {
            struct capture_value *v = &m->k->launches[l].values[i];
            if (v->kind == CAPTURED_VALUE && v->bytes == sizeof null &&
                memcmp(v->value, null, sizeof null) == 0)
                v->kind = CAPTURED_NULL;
        }
    }
}

// Addresses in its buffers may be of no use to the kernel: it is first replayed as if there were none.
static void replay_launch(struct capture_player *p, const struct capture_kernel *k,
                          struct capture_launch *l, struct arena *a)
{
    const bool has_places = l->is_placed;
    l->is_placed = false;
    capture_play(p, k, l, CAPTURE_REPLAYS, NULL, NULL, NULL, a, &l->replay);
    if (!has_places || (!l->replay.why && l->replay.exact == l->replay.times))
        return;
    l->is_placed = true;
    capture_player_renew(p);
    capture_play(p, k, l, CAPTURE_REPLAYS, NULL, NULL, NULL, a, &l->replay);
}

static const char *last_name(struct arena *a, const struct capture_kernel *k)
{
    size_t length;
    const char *name = capture_last_name(k->function, &length);
    return arena_strndup(a, name, length);
}

bool capture_write_spec(const struct capture *c, struct capture_kernel *k, struct capture_player *p,
                        struct arena *a, struct error *e)
{
    struct error ignored = ERROR_INIT;
    struct text whole = TEXT_INIT;
    struct making *m = arena_alloc(a, sizeof *m);
    if (!m)
        return error_memory(e);
    memset(m, 0, sizeof *m);
    m->c = c, m->k = k, m->p = p, m->a = a;
    m->language = k->language;
    if (k->launch_count == 0) {
        const char *reason = capture_reason_text(k->reason);
        refuse_spec(m, *reason ? reason : "it was never launched");
        return true;
    }
    put_evidence_first(k);
    bool ok = k->without ? refuse_launch(m) : write_texts(m, e);
    for (int turn = 0; ok && !k->without && turn < 2 && !m->is_inferred; turn++) {
        text_clear(&whole); // a header may have what the reader does not take
        m->is_inferred = read_texts_whole(m, turn == 0, &whole, &ignored) &&
                         infer_kernel(text_cstr(&whole), whole.length, m->language, last_name(a, k),
                                      a, &m->f, &ignored);
    }
    making_learn_types(m, text_cstr(&whole));
    const bool is_learned = making_learn_globals(m, text_cstr(&whole));
    text_release(&whole);
    if (!is_learned)
        return error_memory(e);
    take_null_pointers(m);
    for (size_t l = 0; l < k->launch_count; l++)
        replay_launch(p, k, &k->launches[l], a);
    ok = ok && refuse_launch(m);
    if (ok) {
        take_parameters(m);
        ok = make_symbols(m);
    }
    if (ok) {
        make_geometry(m);
        try_parameters(m);
        if (!m->works && drop_guesses(m)) {
            ok = make_symbols(m);
            make_geometry(m);
            try_parameters(m);
        }
        list_tunable(m);
        ok = ok && (m->works || k->part_count < 2 ||
                    refuse_spec(m, "its parts were compiled with different options"));
        ok = ok && (m->works || !k->given || refuse_given_text(m));
        ok = ok && (k->launches[0].replay.deviation <= TOLERANCE ||
                    refuse_spec(m, "its result differs from launch to launch"));
        ok = ok && capture_emit_spec(m, e);
    }
    return ok || (k->why && e->code == ERROR_NONE);
}
