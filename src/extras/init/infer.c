// From a kernel's source to its spec. The directives and the functions that the kernel reaches give
// its names; each becomes an atom (study.h) whose value can be changed. The launch is found
// (launch.c), then what buffers hold and how large they are (fit.c); finally values are chosen: of
// parameters around those in the source, of sizes so that a launch takes less than a second.
#include "extras/init/infer.h"

#include "base/text.h"
#include "expr/expr.h"
#include "extras/init/open_types.h"
#include "extras/init/restrict.h"
#include "extras/init/study.h"
#include "extras/init/variants.h"
#include "model/declared.h"
#include "model/job.h"
#include "problem/spec.h"

#include <stdlib.h>
#include <string.h>

// Nodes that a study of a kernel may visit, and all of them together, with its variants: 60 million take a second.
#define STUDY_BUDGET   48000000u
#define STUDIES_BUDGET 112000000u
#define SIZES_RESERVE  1000000u // of a study, for choosing sizes at its end
#define READ_COST      160u     // nodes that could be visited while a word of the text is read
#define LAUNCH_COST    1e9      // nodes that a launch should have at most: a second on a CPU
#define GIVEN_MOST     192

#define NAME_STARTS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// ---- words -------------------------------------------------------------------------------------

static const char *const tuned_words[] = {
    "block",    "tile",   "group",  "local", "work",   "vec",   "wg",     "fetch",
    "step",     "unroll", "thread", "per_",  "pad",    "use_",  "factor", "stage",
    "chunk",    "coarse", "wpt",    "lws",   "blk",    "tpb",   "warp",   "items",
    "prefetch", "cache",  "buffer", "strip", "method", "lsize", NULL};
static const char *const size_words[] = {"width", "height",   "size",    "length",    "count",
                                         "rows",  "cols",     "columns", "depth",     "num_",
                                         "total", "elements", "points",  "particles", "bodies",
                                         "xmax",  "ymax",     "zmax",    NULL};
static const char *const small_words[] = {
    "radius", "filter",    "kernel_h", "kernel_w",    "kernel_size",  "window",
    "taps",   "halo",      "channel",  "batch",       "heads",        "ghost",
    "mask_w", "mask_size", "order",    "border",      "stencil_size", "fsize",
    "degree", "half_num",  "half_win", "half_kernel", "half_width",   NULL};

static const char *const exact_words[] = {"precision", "double",   "fp64",    "half",
                                          "dtype",     "max_iter", "maxiter", NULL};

static bool is_role_size(const char *name)
{
    bool is_letter = strlen(name) == 1 && strchr("NMKHW", name[0]);
    static const char *const short_names[] = {"NX",    "NY",    "NZ",    "DIM",   "LEN",  "IMG_W",
                                              "IMG_H", "NROWS", "NCOLS", "NBINS", "BINS", NULL};
    for (const char *const *s = short_names; *s; s++) {
        if (str_equal_nocase(*s, name))
            return true;
    }
    if (names_role(name, tuned_words))
        return false;
    return is_letter || names_role(name, size_words) || str_contains_nocase(name, "bins");
}

static bool is_role_small(const char *name)
{
    bool is_whole = str_equal_nocase(name, "ksize") || str_equal_nocase(name, "k_size") ||
                    str_equal_nocase(name, "R");
    return is_whole || (names_role(name, small_words) && !names_role(name, tuned_words));
}

// Words of the languages, which cannot be names of the source's own.
static bool is_language_name(const char *name)
{
    static const char *const starts[] = {"CLK_", "FLT_",    "DBL_",  "M_",    "INT_",  "UINT_",
                                         "LONG", "CHAR",    "SHRT",  "cuda",  "NAN",   "INFINITY",
                                         "HUGE", "MAXF",    "CL_",   "cl_",   "__",    "ULONG",
                                         "CUDA", "memory_", "SCHAR", "UCHAR", "USHRT", NULL};
    static const char *const whole[] = {"HONE",  "HONE_SOURCE", "NULL", "true",
                                        "false", "SIZE_MAX",    NULL};
    const char *bits = str_starts(name, "U") ? name + 1 : name; // UINT32_MAX
    if (str_starts(bits, "INT") && bits[3] >= '0' && bits[3] <= '9' && strchr(bits, '_'))
        return true;
    for (const char *const *s = starts; *s; s++) {
        if (str_starts(name, *s))
            return true;
    }
    return str_listed(whole, name);
}

// WIDTH_OF_ALL: a macro, not a name that this reader only does not know.
static bool is_macro_name(const char *name)
{
    return strlen(name) > 1 && name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == 0 &&
           !is_language_name(name);
}

// ---- given names -------------------------------------------------------------------------------

// "16", "(1 << 20)", "1024u": a number without names.
static bool text_number(const char *text, int64_t *out)
{
    char copy[40];
    size_t length = text ? strlen(text) : 0;
    while (length && strchr(" \t", text[length - 1])) // a comment stood behind it
        length--;
    while (length > 1 && text[0] == '(' && text[length - 1] == ')' && !strchr(text + 1, '(')) {
        text++;
        length -= 2;
    }
    while (length && strchr("uUlL", text[length - 1]))
        length--;
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    const char *shift = strstr(copy, "<<");
    if (shift) {
        char *end;
        long long low = strtoll(copy, &end, 0), by = strtoll(shift + 2, NULL, 0);
        if (end == copy || end + strspn(end, " ") != shift || by < 0 || by > 40)
            return false;
        *out = low << by;
        return low > 0 && low < 65536;
    }
    char *end;
    long long value = strtoll(copy, &end, 0);
    if (end == copy || *end)
        return false;
    *out = value;
    return true;
}

struct givens {
    struct given_name list[GIVEN_MOST];
    size_t count;
};

static void give_name(struct givens *g, const char *name, int64_t value)
{
    for (size_t i = 0; i < g->count; i++) {
        if (strcmp(g->list[i].name, name) == 0) {
            g->list[i].value = value;
            return;
        }
    }
    if (g->count < GIVEN_MOST)
        g->list[g->count++] = (struct given_name){name, value};
}

static bool is_power(int64_t v)
{
    return v > 0 && (v & (v - 1)) == 0;
}

// Widths of vectors: 1, 2, 4, ...
static bool is_lane_name(const struct surveyed_name *n)
{
    uint32_t powers = 0;
    for (uint32_t i = 0; i < n->compared_count; i++)
        powers += is_power(n->compared[i]);
    bool is_width = str_contains_nocase(n->name, "vec") || str_contains_nocase(n->name, "vw") ||
                    str_contains_nocase(n->name, "width") || str_contains_nocase(n->name, "lane");
    return powers == n->compared_count && (powers >= 3 || (powers == 2 && is_width));
}

static int64_t default_of_condition(const struct surveyed_name *n)
{
    int64_t least = 0;
    if (n->compared_count == 0)
        return n->compared_order ? 16 : 0;
    least = n->compared[0];
    for (uint32_t i = 1; i < n->compared_count; i++)
        least = n->compared[i] < least ? n->compared[i] : least;
    if (is_lane_name(n) || n->compared_order)
        return least;
    return least == 1 ? 0 : least;
}

static bool is_open_condition(const struct surveyed_name *n)
{
    return n->in_condition && !n->is_defined && !n->initial && !n->is_later &&
           !is_language_name(n->name);
}

#define FIXED_SIZE_MOST (1 << 28)

// A size that the text defines itself, unguarded; larger numbers are those of hashes and masks.
static bool is_fixed_size(const struct surveyed_name *n, int64_t *value)
{
    return n->defined && text_number(n->defined, value) && !names_role(n->name, tuned_words) &&
           *value <= FIXED_SIZE_MOST && (*value >= 1000 || (*value >= 64 && is_role_size(n->name)));
}

#define LENGTH_GUESS 16

// The length of an array in a struct, which no text says: the struct's layout needs one.
static bool is_open_length(const struct surveyed_name *n)
{
    return n->is_length && !n->is_declared && !n->is_defined && !n->initial && !n->in_condition &&
           !is_language_name(n->name) && !names_role(n->name, tuned_words);
}

static void give_survey(struct givens *g, const struct survey_of_names *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct surveyed_name *n = &s->list[i];
        int64_t value;
        if (n->is_first && !n->is_defined && !n->initial && !is_language_name(n->name))
            give_name(g, n->name, 1);
        else if (is_open_length(n))
            give_name(g, n->name, LENGTH_GUESS);
        else if (n->initial && text_number(n->initial, &value) && !n->is_defined)
            give_name(g, n->name, value);
        else if (is_open_condition(n))
            give_name(g, n->name, default_of_condition(n));
        else if (is_fixed_size(n, &value))
            give_name(g, n->name, value);
    }
}

// A number that the text defines itself, to which a block or tile has its size: that #define gives way
// to the spec's value, as one between #ifndef and #endif does.
static bool is_yielding(const struct surveyed_name *n)
{
    static const char *const words[] = {
        "block",  "tile",     "group",     "wg",       "thread", "unroll", "vec_",
        "_vec",   "vecsz",    "lws",       "tpb",      "wpt",    "coarse", "lsize",
        "local_", "per_item", "work_size", "worksize", "items",  "blk",    NULL};
    static const char *const wholes[] = {"WIDTH", "HEIGHT", "BM", "BN", "BK", "TM",
                                         "TN",    "TK",     "TS", "BS", NULL};
    static const char *const others[] = {"shift", "mask", "log", "num_", "max", "min", NULL};
    int64_t value;
    return n->is_own_number && !n->initial && text_number(n->defined, &value) && value >= 1 &&
           value <= 4096 &&
           (names_role(n->name, words) || (value <= 128 && str_listed(wholes, n->name))) &&
           !names_role(n->name, others) && !names_role(n->name, exact_words) &&
           !is_language_name(n->name);
}

static bool read_survey(struct lone_text *text, struct arena *a, struct survey_of_names *out)
{
    if (!survey_read(text, a, out))
        return false;
    for (size_t i = 0; i < out->count; i++) {
        struct surveyed_name *n = &out->list[i];
        if (!is_yielding(n))
            continue;
        n->initial = n->defined;
        n->is_defined = false;
        n->defined = NULL;
    }
    return true;
}

static bool read_source(struct lone_text *text, enum language l, const struct givens *given,
                        struct arena *a, struct preprocessed *source, struct syntax *syntax)
{
    const struct given_names names = {given->list, given->count};
    return lone_text_run(text, &names, l, a, source) && syntax_read(source, l, a, syntax) &&
           open_types_settle(syntax, a);
}

static void pay_reading(uint64_t *budget, const struct preprocessed *source)
{
    const uint64_t cost = READ_COST * (uint64_t)source->count;
    *budget -= cost < *budget ? cost : *budget;
}

static bool is_candidate_kernel(const struct function *f, enum language l)
{
    const struct language_traits *traits = language_traits(l);
    return f->name && (traits->is_plain_call ? f->body != NULL : f->is_kernel);
}

static size_t count_words(const struct preprocessed *source, const char *word)
{
    size_t count = 0;
    for (size_t i = 0; i < source->count; i++)
        count += strcmp(source->tokens[i].text, word) == 0;
    return count;
}

// KERNEL_HEAD void name(, which nothing calls.
static void find_macro_head(const struct preprocessed *source, struct inferred_kernels *out)
{
    const struct token *t = source->tokens;
    for (size_t i = 0; i + 3 < source->count && !out->macro; i++) {
        const bool is_head = t[i].kind == TOKEN_NAME && is_macro_name(t[i].text) &&
                             strcmp(t[i + 1].text, "void") == 0 && t[i + 2].kind == TOKEN_NAME &&
                             strcmp(t[i + 3].text, "(") == 0 &&
                             count_words(source, t[i + 2].text) == 1;
        out->macro = is_head ? t[i].text : NULL;
        out->behind = is_head ? t[i + 2].text : NULL;
    }
}

bool infer_kernels(const char *text, size_t length, enum language l, struct arena *a,
                   struct inferred_kernels *out, struct error *e)
{
    struct survey_of_names survey;
    struct preprocessed source;
    struct syntax syntax;
    struct lone_text lone;
    struct givens *given = arena_alloc(a, sizeof *given);
    *out = (struct inferred_kernels){.names = NULL};
    if (!given || !lone_text_read(text, length, a, &lone) || !read_survey(&lone, a, &survey))
        return error_memory(e);
    give_survey(given, &survey);
    if (!read_source(&lone, l, given, a, &source, &syntax))
        return error_memory(e);
    out->names = arena_array(a, syntax.function_count + (size_t)1, sizeof *out->names);
    if (!out->names)
        return error_memory(e);
    for (uint32_t i = 0; i < syntax.function_count; i++) {
        if (is_candidate_kernel(&syntax.functions[i], l))
            out->names[out->count++] = syntax.functions[i].name;
    }
    if (out->count == 0)
        find_macro_head(&source, out);
    struct text hidden = TEXT_INIT;
    bool is_listed = language_traits(l)->is_plain_call || variants_list(&lone, l, &hidden);
    out->hidden = text_to_arena(&hidden, a);
    return (is_listed && out->hidden) || error_memory(e);
}

// ---- what the kernel reaches -------------------------------------------------------------------

#define FUNCTIONS_MOST 128
#define NAMES_MOST     128

struct reach {
    const struct syntax *syntax;
    const struct function *functions[FUNCTIONS_MOST];
    uint32_t function_count;
    const char *names[NAMES_MOST]; // that nothing declares
    uint32_t name_count;
    const char *bits[NAMES_MOST]; // variables of bit operators
    uint32_t bit_count;
    uint32_t axes;
    bool asks_item[3], asks_place[3], asks_size[3], asks_group[3]; // by axis
    bool needs_positive;                                           // it takes logarithms, or roots
    uint64_t types;                           // of what is declared, as one number
    const char *quotients[QUOTIENTS_MOST][2]; // TILE / PER_ITEM
    uint32_t quotient_count;
    bool has_dynamic;
    bool has_left, is_barred; // is_barred: a return stands before a barrier
    bool is_joint;            // items of a group work together
    unsigned depth;
};

static void reach_function(struct reach *r, const struct function *f);

static void reach_name(const char **list, uint32_t *count, const char *name)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (strcmp(list[i], name) == 0)
            return;
    }
    if (*count < NAMES_MOST)
        list[(*count)++] = name;
}

static void reach_node(struct reach *r, const struct node *n);

static void reach_type(struct reach *r, const struct type *t)
{
    if (t)
        r->types = (r->types ^ (t->base + 16 * t->component + 4096 * t->lanes)) * 1099511628211u;
    for (uint32_t i = 0; t && i < t->dimension_count; i++)
        reach_node(r, t->dimensions[i]);
}

// get_local_id(0), blockDim.x; an axis that is computed may be any.
static void reach_item(struct reach *r, const struct node *n)
{
    bool is_number = n->a && n->a->kind == NODE_NUMBER;
    bool is_size = n->item == ITEM_GLOBAL || n->item == ITEM_LOCAL_SIZE || n->item == ITEM_ALL;
    if (is_number && n->a->integer < 3 && r->axes < (uint32_t)n->a->integer + 1)
        r->axes = (uint32_t)n->a->integer + 1;
    for (int64_t axis = 0; axis < 3; axis++) {
        bool is_asked = !is_number || n->a->integer == axis;
        r->asks_place[axis] |= is_asked && n->item == ITEM_LOCAL;
        r->asks_size[axis] |= is_asked && is_size;
        r->asks_item[axis] |= is_asked && (is_size || n->item == ITEM_LOCAL);
        r->asks_group[axis] |= is_asked && n->item != ITEM_LOCAL && n->item != ITEM_LOCAL_SIZE;
    }
}

static void reach_node(struct reach *r, const struct node *n)
{
    static const char *const positive[] = {"log", "sqrt", "pow", "acos", NULL};
    static const char *const joint[] = {"barrier", "sync", "shfl", "group_", NULL};
    if (!n || ++r->depth > 1000) {
        r->depth -= n != NULL;
        return;
    }
    if (n->kind == NODE_NAME && n->slot == SLOT_NONE && !n->is_scoped)
        reach_name(r->names, &r->name_count, n->name);
    if (n->kind == NODE_NAME && n->slot != SLOT_NONE && n->slot & SLOT_SHARED)
        reach_type(r, r->syntax->shared[n->slot & ~SLOT_SHARED].type);
    if (n->kind == NODE_ITEM)
        reach_item(r, n);
    if (n->kind == NODE_CALL && n->name) {
        const struct function *f = syntax_function(r->syntax, n->name);
        if (f)
            reach_function(r, f);
        else
            r->needs_positive |= names_role(n->name, positive);
        r->is_barred |= r->has_left &&
                        (str_equal(n->name, "barrier") || str_equal(n->name, "work_group_barrier"));
        r->is_joint |= names_role(n->name, joint);
    }
    r->has_left |= n->kind == NODE_RETURN && r->function_count == 1; // of the kernel's own
    bool is_bits =
        n->kind == NODE_BINARY && (n->sign == SIGN('^', 0, 0) || n->sign == SIGN('<', '<', 0) ||
                                   n->sign == SIGN('>', '>', 0) || n->sign == SIGN('&', 0, 0));
    const struct node *const sides[] = {n->a, n->b};
    for (int i = 0; i < 2 && is_bits; i++) {
        const struct node *side = sides[i]->kind == NODE_BINARY ? sides[i]->a : sides[i];
        if (side->kind == NODE_NAME && side->name) // p & (n - 1), too
            reach_name(r->bits, &r->bit_count, side->name);
    }
    bool is_quotient = n->kind == NODE_BINARY && n->sign == SIGN('/', 0, 0) &&
                       n->a->kind == NODE_NAME && n->a->slot == SLOT_NONE &&
                       n->b->kind == NODE_NAME && n->b->slot == SLOT_NONE;
    if (is_quotient && r->quotient_count < QUOTIENTS_MOST) {
        r->quotients[r->quotient_count][0] = n->a->name;
        r->quotients[r->quotient_count++][1] = n->b->name;
    }
    if (n->kind == NODE_DECLARE) {
        reach_type(r, n->type);
        r->has_dynamic |= n->type->is_extern && n->type->space == SPACE_SHARED;
    }
    for (uint32_t i = 0; i < node_parts(n); i++)
        reach_node(r, node_part(n, i));
    r->depth--;
}

static void reach_function(struct reach *r, const struct function *f)
{
    for (uint32_t i = 0; i < r->function_count; i++) {
        if (r->functions[i] == f)
            return;
    }
    if (r->function_count == FUNCTIONS_MOST)
        return;
    r->functions[r->function_count++] = f;
    for (uint32_t i = 0; i < f->parameter_count; i++)
        reach_type(r, f->parameters[i].type);
    for (int i = 0; i < 3; i++)
        reach_node(r, f->required[i]);
    reach_node(r, f->bound);
    reach_node(r, f->body);
}

// The words that the kernel consists of, as one number: is another text the same kernel?
static uint64_t reach_digest(const struct reach *r)
{
    uint64_t digest = 1469598103934665603u ^ r->types;
    for (uint32_t i = 0; i < r->function_count; i++) {
        for (const struct token *t = r->functions[i]->from; t < r->functions[i]->to; t++) {
            for (const char *c = t->text; *c; c++)
                digest = (digest ^ (unsigned char)*c) * 1099511628211u;
            digest = (digest ^ ' ') * 1099511628211u;
        }
    }
    return digest;
}

struct inferred_name *inferred_find_name(const struct inferred *f, const char *name)
{
    for (uint32_t i = 0; i < f->name_count; i++) {
        if (str_equal(f->names[i].name, name))
            return &f->names[i];
    }
    return NULL;
}

struct inferred_argument *inferred_find_argument(const struct inferred *f, const char *name)
{
    for (uint32_t i = 0; i < f->argument_count; i++) {
        if (strcmp(f->arguments[i].name, name) == 0)
            return &f->arguments[i];
    }
    return NULL;
}

// ---- atoms -------------------------------------------------------------------------------------

static struct atom *add_atom(struct study *s, const char *name, enum atom_kind kind)
{
    const int32_t found = study_find_atom(s, name);
    if (found >= 0)
        return &s->atoms[found];
    if (s->atom_count >= ATOMS_MOST - 4)
        return NULL;
    struct atom *a = &s->atoms[s->atom_count++];
    *a = (struct atom){.name = name, .text = name, .kind = kind};
    a->surveyed = survey_find(&s->survey, name);
    return a;
}

// The first value of a name that has none: sizes of groups are all alike, so that names with the
// same meaning agree; all others are one.
static int64_t first_value(const struct study *s, const char *name)
{
    static const char *const ones[] = {
        "per", "unroll", "tile",     "factor", "vec",  "iter", "coarse", "wpt", "rpt", "pad",
        "ilp", "item",   "work_per", "stride", "use_", "loop", "warp",   "vw",  NULL};
    static const char *const groups[] = {"block", "group", "wg", "tpb", "threads", "local", NULL};
    int64_t group = s->group_axes <= 1 ? 32 : s->group_axes == 2 ? 8 : 4;
    bool is_group = names_role(name, groups);
    if (str_contains_nocase(name, "pad"))
        return 1;
    return !is_group && names_role(name, ones) ? 1 : group;
}

// `#if WIDTH == 1` tells one value of many apart where the text's own is another than 0 and 1.
static bool is_among_compared(const struct surveyed_name *n, int64_t value)
{
    bool found = value == 0 || value == 1;
    for (uint32_t i = 0; i < n->compared_count; i++)
        found |= n->compared[i] == value;
    return found;
}

static void add_condition_atom(struct study *s, const struct surveyed_name *n, int64_t value)
{
    struct atom *a = add_atom(s, n->name, ATOM_PARAMETER);
    if (!a)
        return;
    a->value = a->initial = value;
    a->has_initial = n->initial != NULL;
    a->is_lane = n->compared_count > 0 && is_lane_name(n);
    a->is_switch = !a->is_lane && (n->compared_count || n->is_bare) && !n->compared_order &&
                   is_among_compared(n, value);
    if (names_role(n->name, exact_words))
        a->kind = ATOM_SCALAR; // another value would be another result
}

// A name that the kernel uses; `value` where the text or a condition gives one.
static void add_name_atom(struct study *s, const char *name, const struct givens *given)
{
    const struct surveyed_name *n = survey_find(&s->survey, name);
    int64_t value;
    if (is_language_name(name))
        return;
    if (n && (n->initial || is_open_condition(n))) {
        int64_t initial = 0;
        for (size_t i = 0; i < given->count; i++) {
            if (strcmp(given->list[i].name, name) == 0)
                initial = given->list[i].value;
        }
        add_condition_atom(s, n, initial);
    } else if (n && is_fixed_size(n, &value)) {
        struct atom *a = add_atom(s, name, ATOM_FIXED);
        if (a) {
            a->initial = value;
            a->has_initial = true;
            a->text = arena_printf(s->arena, "%lld", (long long)value);
            s->run.failed |= !a->text;
        }
    } else if (!n || !n->is_defined) {
        struct atom *a = add_atom(s, name, ATOM_PARAMETER);
        if (a)
            a->value = a->initial = first_value(s, name);
    }
    struct atom *a = s->atom_count ? &s->atoms[s->atom_count - 1] : NULL;
    if (!a || strcmp(a->name, name) != 0 || a->kind != ATOM_PARAMETER || a->is_switch || a->is_lane)
        return;
    if (is_role_small(name)) {
        a->kind = ATOM_SCALAR;
        a->is_small = true;
        a->initial = a->has_initial ? a->initial : 2;
    } else if (str_equal(name, s->size_name) ||
               (is_role_size(name) && (!a->has_initial || a->initial >= 64))) {
        a->kind = ATOM_SIZE;
        a->initial = a->has_initial ? a->initial : 0;
    }
}

static const char *find_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; at && (at = strstr(at, word)) != NULL; at += length) {
        if ((at == text || !strchr(NAME_LETTERS, at[-1])) &&
            !(at[length] && strchr(NAME_LETTERS, at[length])))
            return at;
    }
    return NULL;
}

static bool is_word_of(const char *text, const char *word)
{
    return find_word(text, word) != NULL;
}

// The constant of an argument has its name. `in` is a word of expressions: that one is `in_`, or what the text has not.
static const char *constant_name(struct study *s, const char *argument)
{
    const char *name = argument;
    while (spec_name_is_reserved(name) || (name != argument && is_word_of(s->text, name))) {
        name = arena_printf(s->arena, "%s_", name);
        if (!name) {
            s->run.failed = true;
            return argument;
        }
    }
    return name;
}

// A name of what a host counts: where it is in its loop over columns, planes or steps.
static bool is_step_name(const char *name)
{
    static const char *const words[] = {"index", "plane", "idx", "iter", NULL};
    bool is_letter = strlen(name) == 1 && strchr("ijkts", *name);
    bool is_word = false;
    for (const char *const *w = words; *w; w++)
        is_word |= str_contains_nocase(name, *w);
    return is_letter || is_word;
}

// iv0, iv1, iv2: words of a value, no sizes.
static bool is_one_of_several(const struct function *f, const char *name)
{
    const size_t stem = strcspn(name, "0123456789");
    uint32_t others = 0;
    for (uint32_t i = 0; stem > 1 && name[stem] && i < f->parameter_count; i++) {
        const char *other = f->parameters[i].name;
        others += strncmp(other, name, stem) == 0 && strcspn(other, "0123456789") == stem &&
                  strlen(other) == strlen(name);
    }
    return others >= 3;
}

static bool is_name_of(const struct node *n, const char *name)
{
    return n->kind == NODE_NAME && str_equal(n->name, name);
}

static bool has_name(const struct node *n, const char *name, unsigned depth)
{
    if (!n || depth > 200 || n->kind == NODE_INDEX) // an element's place bounds nothing
        return false;
    bool found = is_name_of(n, name);
    for (uint32_t i = 0; i < node_parts(n) && !found; i++)
        found = has_name(node_part(n, i), name, depth + 1);
    return found;
}

// The uses of a name in the kernel.
struct uses {
    const char *name;
    bool is_bound;  // a loop ends at it, or a line divides by it: a size, whatever its name
    bool is_radius; // for (k = -r; ...)
    uint32_t count, choices; // choices: `name == 2`, `if (name)`, `!name`
    int64_t first;           // that such a one asks for
};

static bool is_binary(const struct node *n, uint32_t sign, uint32_t other)
{
    return n->kind == NODE_BINARY && (n->sign == sign || n->sign == other);
}

// The value that a loop begins with, or NULL.
static const struct node *loop_start(const struct node *n)
{
    const struct node *first = n->kind == NODE_FOR ? n->a : NULL;
    if (first && first->kind == NODE_BLOCK && first->count)
        first = first->list[0];
    return !first                        ? NULL
           : first->kind == NODE_DECLARE ? first->a
           : first->kind == NODE_ASSIGN  ? first->b
                                         : NULL;
}

static void find_uses(const struct node *n, struct uses *u, unsigned depth)
{
    if (!n || depth > 200)
        return;
    const struct node *start = loop_start(n);
    u->is_radius |= start && start->kind == NODE_UNARY && start->sign == SIGN('-', 0, 0) &&
                    is_name_of(start->a, u->name);
    u->is_bound |= has_name(n->kind == NODE_FOR     ? n->b
                            : n->kind == NODE_WHILE ? n->a
                                                    : NULL,
                            u->name, 0) ||
                   (is_binary(n, SIGN('%', 0, 0), SIGN('/', 0, 0)) && has_name(n->b, u->name, 0));
    const bool is_equal = is_binary(n, SIGN('=', '=', 0), SIGN('!', '=', 0)) &&
                          is_name_of(n->a, u->name) && n->b->kind == NODE_NUMBER;
    const bool is_both = is_binary(n, SIGN('&', '&', 0), SIGN('|', '|', 0));
    const bool asks = n->kind == NODE_IF || n->kind == NODE_CHOICE || is_both ||
                      (n->kind == NODE_UNARY && n->sign == SIGN('!', 0, 0));
    const uint32_t choices =
        is_equal + (asks && is_name_of(n->a, u->name)) + (is_both && is_name_of(n->b, u->name));
    if (choices && u->choices == 0)
        u->first = is_equal ? n->b->integer : 1;
    u->choices += choices;
    u->count += is_name_of(n, u->name);
    for (uint32_t i = 0; i < node_parts(n); i++)
        find_uses(node_part(n, i), u, depth + 1);
}

// An integer argument: a size, unless its name or its use says otherwise.
static void add_argument_atom(struct study *s, uint32_t parameter, const struct reach *r)
{
    static const struct {
        const char *word;
        int64_t value;
        bool is_small;
    } known[] = {{"offset", 0, false},    {"start", 0, false},        {"begin", 0, false},
                 {"base", 0, false},      {"seed", 12345, false},     {"first", 0, false},
                 {"origin", 0, false},    {"shift", 0, false},        {"max_iter", 100, false},
                 {"maxiter", 100, false}, {"iterations", 100, false}, {"iteration", 1, false},
                 {"iter", 100, false},    {"pass", 1, false},         {"stage", 1, false},
                 {"level", 1, false},     {"phase", 0, false},        {"flag", 1, false},
                 {"mode", 0, false},      {"dir", 1, false},          {"inverse", 0, false},
                 {"thresh", 50, false},   {"steps", 10, false},       {"depth_max", 10, false},
                 {"inc", 1, false},       {"step", 1, false},         {"init", 0, false},
                 {"value", 1, false},     {"align", 16, false}};
    const struct variable *v = &s->kernel->parameters[parameter];
    struct atom *a = add_atom(s, v->name, ATOM_SIZE);
    if (!a)
        return;
    a->is_argument = true;
    a->text = constant_name(s, v->name);
    a->parameter = parameter;
    if (str_equal(v->type->words, "bool") || v->type->component == 1) {
        a->kind = ATOM_SCALAR;
        a->initial = 1;
    }
    if (r->axes == 3 && str_contains_nocase(v->name, "stride"))
        a->kind = ATOM_LEADING;
    struct uses uses = {.name = v->name};
    find_uses(s->kernel->body, &uses, 0);
    if (uses.choices > 0 && uses.choices == uses.count) { // one of a few ways
        a->kind = ATOM_SCALAR;
        a->initial = uses.first;
    }
    const int extent = spread_extent(s->origins[parameter].member);
    if (extent >= 0 && extent >= (int)r->axes) { // of a batch
        a->kind = ATOM_SCALAR;
        a->initial = 1;
    }
    const bool is_step =
        extent < 0 && (is_step_name(v->name) || is_one_of_several(s->kernel, v->name));
    if (a->kind == ATOM_SIZE && is_step && !uses.is_bound) {
        a->kind = ATOM_SCALAR;
        a->initial = 1;
    }
    bool is_short = strlen(v->name) == 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!str_contains_nocase(v->name, known[i].word) || a->kind != ATOM_SIZE)
            continue;
        a->kind = ATOM_SCALAR;
        a->initial = known[i].value;
    }
    for (uint32_t i = 0; i < r->bit_count; i++) {
        if (strcmp(r->bits[i], v->name) == 0 && (a->kind == ATOM_SIZE || is_short)) {
            a->kind = ATOM_SCALAR;
            a->initial = strcmp(v->name, "k") == 0 ? 2 : 1;
        }
    }
    if (is_role_small(v->name) || uses.is_radius) {
        a->kind = ATOM_SCALAR;
        a->is_small = true;
        static const char *const edges[] = {"halo", "border", "ghost", NULL};
        a->initial = names_role(v->name, edges)                                            ? 1
                     : uses.is_radius || str_contains_nocase(v->name, "radius")            ? 2
                     : str_contains_nocase(v->name, "channel") || strstr(v->name, "batch") ? 4
                                                                                           : 5;
    }
    a->value = a->initial;
}

// Names that would be parameters, and that the kernel has only in this variant.
static uint32_t count_more_names(const struct study *s, const struct reach *other,
                                 const struct reach *mine)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < other->name_count; i++) {
        const char *name = other->names[i];
        const struct surveyed_name *n = survey_find(&s->survey, name);
        bool is_mine = is_language_name(name) || (n && n->is_defined && !n->initial);
        for (uint32_t k = 0; k < mine->name_count && !is_mine; k++)
            is_mine = strcmp(mine->names[k], name) == 0;
        count += !is_mine;
    }
    return count;
}

// Names of conditions that change the kernel, though none of its words are they.
static bool add_silent_conditions(struct study *s, struct givens *given, const struct reach *mine,
                                  const char *kernel)
{
    uint64_t digest = reach_digest(mine);
    struct reach *other = arena_alloc(s->arena, sizeof *other);
    struct arena reading;
    arena_init(&reading);
    for (size_t i = 0; other && i < s->survey.count; i++) {
        const struct surveyed_name *n = &s->survey.list[i];
        bool is_open = is_open_condition(n) || (n->initial && n->in_condition && !n->is_defined);
        int64_t value = 0;
        size_t at = 0;
        uint32_t most = 0;
        while (at < given->count && strcmp(given->list[at].name, n->name) != 0)
            at++;
        if (!is_open || at == given->count)
            continue;
        bool differs = false;
        value = given->list[at].value;
        for (uint32_t k = 0; k <= n->compared_count + 1; k++) {
            struct preprocessed source;
            struct syntax syntax;
            given->list[at].value = k < n->compared_count ? n->compared[k] : k - n->compared_count;
            if (given->list[at].value == value || *s->all_budget < STUDY_BUDGET)
                continue;
            arena_empty(&reading);
            if (!read_source(s->lone, s->language, given, &reading, &source, &syntax)) {
                arena_release(&reading);
                return false;
            }
            pay_reading(s->all_budget, &source);
            *other = (struct reach){.syntax = &syntax, .axes = 1};
            const struct function *f = syntax_function(&syntax, kernel);
            if (f && f->body)
                reach_function(other, f);
            differs |= f && f->body && reach_digest(other) != digest;
            uint32_t more = f && f->body ? count_more_names(s, other, mine) : 0;
            if (more > most && s->demanding_count < DEMANDING_MOST)
                s->demanding[s->demanding_count] = given->list[at];
            most = more > most ? more : most;
        }
        given->list[at].value = value;
        s->demanding_count += most > 0 && s->demanding_count < DEMANDING_MOST;
        if (differs)
            add_condition_atom(s, n, value);
    }
    arena_release(&reading);
    return other != NULL;
}

// ---- the run's objects -------------------------------------------------------------------------

static struct object *add_object(struct study *s, const char *name, const struct type *t,
                                 enum type_space space)
{
    struct object *o = arena_alloc(s->arena, sizeof *o);
    if (!o || s->object_count == OBJECTS_MOST) {
        s->run.failed = true;
        return NULL;
    }
    *o = (struct object){
        .name = name, .type = t, .component = t->component ? t->component : 1, .space = space};
    s->content_atoms[s->object_count] = -1;
    s->all[s->object_count++] = o;
    return o;
}

// A symbol in constant memory that the host fills: an argument of the spec.
static bool is_symbol(const struct variable *v)
{
    return v->type->space == SPACE_FIXED && v->type->dimension_count && !v->initial;
}

static bool is_image_parameter(const struct variable *v)
{
    return v->type->stars == 0 && v->type->words &&
           declared_image_kind(v->type->words) == DECLARED_IMAGE;
}

// OpenCL's types say the dimensions, in CUDA the call of tex3D or surf3Dwrite that has the name.
static uint32_t image_axes(const struct study *s, const struct variable *v)
{
    static const char *const calls[] = {"tex3D", "surf3D"};
    bool is_deep = strstr(v->type->words, "3d") != NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        for (const char *at = s->text; !is_deep && (at = strstr(at, calls[i])); at++) {
            const char *open = strchr(at, '(');
            const char *list =
                open ? arena_printf(s->arena, "%.*s", (int)strcspn(open, ";"), open) : NULL;
            is_deep = is_word_of(list, v->name);
        }
    }
    return is_deep ? 3 : 2;
}

// A name of an image's width, height or depth. Of names that are no arguments, rows and columns may be a tile's.
static bool is_image_size(const struct atom *a, uint32_t axis)
{
    static const char *const words[3][6] = {{"width", "cols", "columns", "img_w", "nx", NULL},
                                            {"height", "rows", "img_h", "ny", NULL},
                                            {"depth", "slices", "nz", NULL}};
    static const char *const letters[3] = {"w", "h", "d"};
    return a->kind == ATOM_SIZE &&
           (str_equal_nocase(a->name, words[axis][0]) || str_equal_nocase(a->name, letters[axis]) ||
            (a->is_argument && names_role(a->name, words[axis])));
}

// The bytes of sizeof(float4) in surf2Dwrite(..., x * sizeof(float4), y); 0: it is not there.
static int64_t surface_bytes(const struct study *s)
{
    const char *at = strstr(s->text, "surf2Dwrite");
    struct element el;
    char type[32];
    at = at ? strstr(at, "sizeof(") : NULL;
    if (!at)
        return 0;
    at += strlen("sizeof(");
    str_format(type, sizeof type, "%.*s", (int)strcspn(at, ")"), at);
    return declared_parse(type, s->language, &el) ? element_bytes(&el) : 0;
}

// The images' sizes are integers of the kernel that are called so, or the spec's own, the same for all.
static void add_image_atoms(struct study *s)
{
    static const char *const own[3] = {"WIDTH", "HEIGHT", "DEPTH"};
    uint32_t axes = 0;
    for (uint32_t i = 0; i < s->kernel->parameter_count; i++) {
        const struct variable *v = &s->kernel->parameters[i];
        uint32_t needs = is_image_parameter(v) ? image_axes(s, v) : 0;
        axes = needs > axes ? needs : axes;
    }
    s->run.surface_bytes = axes ? surface_bytes(s) : 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t at = 0;
        s->image_atoms[axis] = -1;
        if (axis >= axes)
            continue;
        while (at < s->atom_count && !is_image_size(&s->atoms[at], axis))
            at++;
        if (at < s->atom_count || add_atom(s, own[axis], ATOM_SIZE))
            s->image_atoms[axis] = (int32_t)at;
    }
}

static bool make_objects(struct study *s, const struct reach *r)
{
    static const struct type bytes = {.base = TYPE_INTEGER,
                                      .words = "char",
                                      .component = 1,
                                      .lanes = 1,
                                      .space = SPACE_SHARED,
                                      .is_extern = true};
    static const struct type texels = {
        .base = TYPE_FLOAT, .words = "float", .component = 4, .lanes = 1, .space = SPACE_DEVICE};
    const struct function *f = s->kernel;
    s->objects = arena_array(s->arena, f->parameter_count + (size_t)1, sizeof *s->objects);
    s->shared = arena_array(s->arena, s->syntax.shared_count + (size_t)1, sizeof *s->shared);
    s->scalars = arena_array(s->arena, f->parameter_count + (size_t)1, sizeof *s->scalars);
    s->names = arena_array(s->arena, ATOMS_MOST, sizeof *s->names);
    if (!s->objects || !s->shared || !s->scalars || !s->names)
        return false;
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        const struct type *t = f->parameters[i].type;
        enum type_space space = t->space == SPACE_OWN ? SPACE_DEVICE : t->space;
        bool is_image = is_image_parameter(&f->parameters[i]);
        if (t->stars || is_image)
            s->objects[i] = add_object(s, f->parameters[i].name, is_image ? &texels : t, space);
        if (s->objects[i])
            s->objects[i]->is_image = is_image;
    }
    for (uint32_t i = 0; i < s->syntax.shared_count; i++) {
        const struct variable *v = &s->syntax.shared[i];
        struct object *o = arena_alloc(s->arena, sizeof *o);
        if (!o)
            return false;
        *o = (struct object){.name = v->name,
                             .type = v->type,
                             .component = v->type->component ? v->type->component : 1,
                             .space = v->type->space == SPACE_OWN ? SPACE_FIXED : v->type->space};
        s->shared[i] = is_symbol(v) ? add_object(s, v->name, v->type, SPACE_FIXED) : o;
        if (v->type->is_extern && v->type->space == SPACE_SHARED)
            s->shared[i] = NULL;
    }
    bool has_dynamic = r->has_dynamic;
    for (uint32_t i = 0; i < s->syntax.shared_count; i++)
        has_dynamic |= s->shared[i] == NULL;
    if (has_dynamic)
        s->run.dynamic = add_object(s, "", &bytes, SPACE_SHARED);
    for (uint32_t i = 0; i < s->syntax.shared_count; i++) {
        if (!s->shared[i])
            s->shared[i] = s->run.dynamic;
    }
    s->run.syntax = &s->syntax;
    s->run.kernel = f;
    s->run.scalars = s->scalars;
    s->run.objects = s->objects;
    s->run.shared = s->shared;
    s->run.arena = s->arena;
    return !s->run.failed;
}

// ---- values of parameters ----------------------------------------------------------------------

static void add_value(struct text *t, int64_t value)
{
    text_addf(t, "%s%lld", t->length > 1 ? ", " : "", (long long)value);
}

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Does a group with the atoms' values now stay within its arrays?
static bool is_value_possible(struct study *s, uint64_t most)
{
    int64_t group[3] = {s->axes > 0, s->axes > 1, s->axes > 2};
    study_bind(s);
    run_forget(&s->run);
    most = most < s->budget ? most : s->budget;
    s->run.budget = most;
    run_group(&s->run, group, true);
    s->budget -= most - s->run.budget;
    bool outside = s->run.outside_local;
    for (uint32_t i = 0; i < s->run.group_count; i++)
        outside |= s->run.group_arrays[i]->access.outside;
    return !outside;
}

// Is it the number of warps of a group?
static bool is_warps(const struct study *s, uint32_t atom)
{
    bool is_one = false;
    for (uint32_t axis = 0; axis < s->axes; axis++)
        is_one |= s->axis[axis].local == (int32_t)atom && s->axis[axis].local_times > 1;
    return is_one;
}

#define VALUES_MOST 20

static uint32_t list_values(const struct study *s, const struct atom *a, int64_t *list)
{
    static const int64_t groups[3][4] = {{32, 64, 128, 256}, {4, 8, 16, 32}, {2, 4, 8, 0}};
    uint32_t count = 0;
    int64_t v = a->initial;
    const struct surveyed_name *n = a->surveyed;
    if (a->is_switch && !n) {
        list[count++] = 0;
        list[count++] = 1;
    } else if ((a->is_switch || a->is_lane) && n) {
        for (uint32_t i = 0; i < n->compared_count; i++)
            list[count++] = n->compared[i];
        bool is_one = n->compared_count == 0 ||
                      (n->compared_count == 1 && (n->compared[0] == 0 || n->compared[0] == 1));
        int64_t most = 0;
        for (uint32_t i = 0; i < n->compared_count; i++)
            most = n->compared[i] > most ? n->compared[i] : most;
        bool lacks_zero = a->is_switch && n->compared_count > 1 && !n->has_chain_end && most < 4;
        if (is_one || lacks_zero) {
            list[count++] = 0;
            if (is_one)
                list[count++] = 1;
        }
    } else if (a->kind == ATOM_GROUP && a->is_own) {
        for (int i = 0; i < 4; i++)
            list[count++] = groups[s->group_axes > 0 ? s->group_axes - 1 : 0][i];
    } else if (is_warps(s, (uint32_t)(a - s->atoms))) {
        for (int64_t x = 1; x <= 8; x *= 2)
            list[count++] = x;
    } else if (a->kind == ATOM_GROUP || v > 1) {
        for (int64_t x = v > 1 ? v / 2 : 1; x <= v * 2 && count < 4; x *= 2)
            list[count++] = x;
        for (int64_t x = 32;
             a->kind == ATOM_GROUP && s->group_axes == 1 && v >= 16 && x <= 256 && is_power(v);
             x *= 2)
            list[count++] = x;
    } else if (v == 0 || (v == 1 && str_contains_nocase(a->name, "pad"))) {
        list[count++] = 1 - v;
    } else {
        list[count++] = 2;
        list[count++] = 4;
    }
    list[count++] = v;
    return count;
}

static void restore_values(struct study *s, const int64_t *before)
{
    for (uint32_t i = 0; i < s->atom_count; i++)
        s->atoms[i].value = before[i];
}

// "[16, 32, 64]": of these the ones that a group can have, the others' values being as they are.
static const char *write_values(struct study *s, struct atom *a)
{
    int64_t list[VALUES_MOST + COMPARED_MOST + 8], before[ATOMS_MOST] = {0};
    uint32_t count = list_values(s, a, list), kept = 0;
    uint64_t budget = a->kind == ATOM_GROUP ? 2000000 : 200000;
    bool is_shaping = a->kind == ATOM_GROUP || (a->kind == ATOM_PARAMETER && !a->is_switch);
    struct text t = TEXT_INIT;
    qsort(list, count, sizeof *list, compare_values);
    text_add(&t, "[");
    for (uint32_t i = 0; i < s->atom_count; i++)
        before[i] = s->atoms[i].value;
    for (uint32_t i = 0; i < count; i++) {
        bool is_again = i > 0 && list[i] == list[i - 1];
        bool is_zero = list[i] == 0 && a->kind == ATOM_GROUP;
        a->value = list[i];
        study_carry(s, (uint32_t)(a - s->atoms));
        if (is_again || is_zero ||
            (list[i] != a->initial && ((a->kind == ATOM_GROUP && list[i] > 1024) ||
                                       (is_shaping && !is_value_possible(s, budget))))) {
            restore_values(s, before);
            continue;
        }
        restore_values(s, before);
        add_value(&t, list[i]);
        kept++;
    }
    study_bind(s);
    text_add(&t, "]");
    const char *copy = t.failed || kept == 0 ? NULL : arena_strdup(s->arena, text_cstr(&t));
    s->run.failed |= !copy;
    text_release(&t);
    return copy;
}

// ---- sizes of the problem ----------------------------------------------------------------------

// Nodes that a launch visits with the sizes that are set.
static double launch_cost(struct study *s)
{
    int64_t group[3], item[3] = {0, 0, 0};
    double items = 1;
    study_bind(s);
    for (uint32_t axis = 0; axis < 3; axis++) {
        int64_t groups = s->run.groups[axis], local = s->run.local[axis];
        items *= (double)groups * (double)local;
        group[axis] = groups / 2;
        item[axis] = local / 2;
    }
    run_forget(&s->run);
    // The work that one item may cost; with more the launch is too long anyway.
    uint64_t most = items > 100 ? (uint64_t)(8 * LAUNCH_COST / items) + 1000 : 10000000;
    most = most < s->budget ? most : s->budget;
    s->run.budget = most;
    run_item(&s->run, group, item);
    s->budget -= most - s->run.budget;
    double cost = (double)(most - s->run.budget) * items;
    return s->run.budget == 0 ? cost * 1e6 : cost;
}

static bool is_bins_name(const char *name)
{
    return str_contains_nocase(name, "bin") || str_contains_nocase(name, "class");
}

// The largest of these sizes with which a launch takes about a second at most.
static void choose_sizes(struct study *s)
{
    static const int64_t lists[3][8] = {{1048576, 262144, 65536, 16384, 4096, 1024, 256, 0},
                                        {1024, 512, 256, 128, 64, 0},
                                        {128, 64, 32, 0}};
    uint32_t sizes = 0, rank;
    for (uint32_t i = 0; i < s->atom_count; i++)
        sizes += s->atoms[i].kind == ATOM_SIZE && !s->atoms[i].has_initial &&
                 !is_bins_name(s->atoms[i].name);
    rank = s->axes > 2 || sizes > 3 ? 2 : s->axes == 2 || sizes > 1 ? 1 : 0;
    if (s->axes == 1 && sizes > 3)
        rank = 1;
    for (const int64_t *size = lists[rank]; *size; size++) {
        for (uint32_t i = 0; i < s->atom_count; i++) {
            struct atom *a = &s->atoms[i];
            bool is_free = a->kind == ATOM_SIZE && !a->has_initial;
            a->value = is_free ? (is_bins_name(a->name) ? 256 : *size) : a->initial;
            if (a->kind == ATOM_LEADING)
                a->value = *size * *size;
            a->initial = a->value;
        }
        if (launch_cost(s) <= LAUNCH_COST)
            return;
    }
}

// ---- writing -----------------------------------------------------------------------------------

// Kernels whose result is each group's own, so that another group's size is another result.
static const char *const group_results[] = {"scan", "prefix", "cumsum", NULL};

struct writer_of {
    bool is_by_group;
    struct study *study;
    struct inferred *out;
    const struct reach *reach;
    size_t open_room, restriction_room;
};

static void add_open(struct writer_of *w, const char *text)
{
    struct study *s = w->study;
    if (text && ARENA_ROOM(s->arena, w->out->open, w->open_room, w->out->open_count + (size_t)1))
        w->out->open[w->out->open_count++] = text;
    else
        s->run.failed = true;
}

// Macros that look like parameters (#ifndef, #define) and that nothing in the text reads.
static void tell_unread(struct writer_of *w)
{
    struct study *s = w->study;
    for (size_t i = 0; i < s->survey.count; i++) {
        const struct surveyed_name *n = &s->survey.list[i];
        const char *at = n->initial ? s->text : NULL;
        uint32_t words = 0;
        for (; at && (at = find_word(at, n->name)) != NULL; at += strlen(n->name))
            words++;
        if (words == 2)
            add_open(w,
                     arena_printf(s->arena, "%s: defined, and never read: no parameter", n->name));
    }
}

// A size that the text defines itself, and that makes a launch long.
static void tell_fixed_sizes(struct writer_of *w)
{
    struct study *s = w->study;
    struct text names = TEXT_INIT;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        struct atom *a = &s->atoms[i];
        a->value = a->initial;
        if (a->kind == ATOM_FIXED)
            text_addf(&names, "%s%s = %s", names.length ? ", " : "", a->name, a->text);
    }
    if (names.length && launch_cost(s) > 4 * LAUNCH_COST)
        add_open(w, arena_printf(s->arena,
                                 "%s: the text defines it itself, and a launch takes long; between "
                                 "#ifndef and #endif it is a constant, which --set changes",
                                 text_cstr(&names)));
    s->run.failed |= names.failed;
    text_release(&names);
}

// Numbers of the text's own that would be parameters if it let -D give them; `is_own`: their #define gives way.
static void tell_numbers(struct writer_of *w, bool is_own)
{
    struct study *s = w->study;
    struct text names = TEXT_INIT;
    for (size_t i = 0; i < s->survey.count; i++) {
        const struct surveyed_name *n = &s->survey.list[i];
        int64_t value;
        if (!n->defined || n->initial || n->is_own_number != is_own ||
            !names_role(n->name, tuned_words) || !text_number(n->defined, &value) || value <= 0)
            continue;
        const char *first = strstr(s->text, n->name);
        bool is_used = !first || !is_word_of(first + strlen(n->name), n->name); // named once
        for (const struct token *t = s->kernel->from; t < s->kernel->to && !is_used; t++)
            is_used = t->kind == TOKEN_NAME && strcmp(t->text, n->name) == 0;
        if (!is_used)
            text_addf(&names, "%s%s = %lld", names.length ? ", " : "", n->name, (long long)value);
    }
    if (names.length)
        add_open(w, arena_printf(s->arena, "whether to tune %s: the text defines what it is; %s",
                                 text_cstr(&names),
                                 is_own ? "named among the spec's parameters, its #define gives way"
                                        : "with #ifndef and #endif around its own #define it is a "
                                          "parameter"));
    s->run.failed |= names.failed;
    text_release(&names);
}

static void tell_defined_numbers(struct writer_of *w)
{
    tell_numbers(w, true);
    tell_numbers(w, false);
}

static void add_restriction(struct writer_of *w, const char *text)
{
    struct study *s = w->study;
    if (text && ARENA_ROOM(s->arena, w->out->restrictions, w->restriction_room,
                           w->out->restriction_count + (size_t)1))
        w->out->restrictions[w->out->restriction_count++] = text;
    else
        s->run.failed = true;
}

static void add_restriction_once(struct writer_of *w, const char *text)
{
    for (uint32_t i = 0; text && i < w->out->restriction_count; i++) {
        if (strcmp(w->out->restrictions[i], text) == 0)
            return;
    }
    add_restriction(w, text);
}

// __launch_bounds__(256) is the most that a group has.
static void add_bound_restriction(struct writer_of *w)
{
    struct study *s = w->study;
    const struct node *bound = s->kernel->bound;
    const char *text = NULL;
    for (uint32_t axis = 0; bound && bound->kind == NODE_NUMBER && axis < s->axes; axis++) {
        if (s->axis[axis].local != -2)
            text = text ? arena_printf(s->arena, "%s * %s", text, w->out->local[axis])
                        : w->out->local[axis];
    }
    bool is_open = false;
    for (uint32_t axis = 0; axis < s->axes; axis++)
        is_open |= s->axis[axis].local >= 0;
    if (text && is_open)
        add_restriction_once(w,
                             arena_printf(s->arena, "%s <= %lld", text, (long long)bound->integer));
}

// The restrictions of the source itself, after those that the launch needs.
static void write_text_restrictions(struct writer_of *w)
{
    struct restrictions found = {.list = NULL};
    w->out->launch_restriction_count = w->out->restriction_count;
    study_restrictions(w->study, w->reach->functions, w->reach->function_count, &found);
    for (uint32_t i = 0; i < found.count; i++)
        add_restriction_once(w, found.list[i]);
    add_bound_restriction(w);
    for (uint32_t i = 0; i < w->study->relation_count; i++)
        add_restriction_once(w, study_relation_text(w->study, &w->study->relations[i]));
}

// ---- sizes that the restrictions allow ---------------------------------------------------------

// The names that restrictions have, with their values.
struct bound_names {
    struct expr_symbol symbols[ATOMS_MOST];
    struct value values[ATOMS_MOST];
    struct expr_symbols all;
};

static void bind_names(const struct study *s, struct bound_names *b)
{
    for (uint32_t i = 0; i < s->atom_count; i++) {
        b->symbols[i] = (struct expr_symbol){.name = s->atoms[i].text};
        b->values[i] = value_int(s->atoms[i].value);
    }
    b->all = (struct expr_symbols){b->symbols, s->atom_count};
}

// 0 where it has no value, or is not understood.
static int64_t value_of_text(struct study *s, const struct bound_names *b, const char *text)
{
    struct error e = ERROR_INIT;
    struct value v;
    int64_t out = 0;
    struct expr *x = expr_parse(s->arena, text, &b->all, &e);
    if (x && expr_eval(x, b->values, s->arena, &v) == EXPR_FAULT_NONE)
        value_to_i64(&v, &out);
    return out;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    return b ? greatest_divisor(b, a % b) : a;
}

// A size as near to its first choice as a power of two of `step` comes.
static void take_multiple(struct atom *a, int64_t step)
{
    int64_t value = step;
    while (value <= a->initial / 2)
        value *= 2;
    a->value = a->initial = value;
}

// Does the launch cover it?
static bool is_extent(const struct study *s, uint32_t atom)
{
    bool found = false;
    for (uint32_t axis = 0; axis < s->axes; axis++) {
        for (uint32_t i = 0; i < s->axis[axis].extent.count; i++)
            found |= s->axis[axis].extent.atoms[i] == atom;
    }
    return found;
}

// "SIZE % (A * B) == 0" does not hold: a multiple is taken for each size that it names.
static bool mend_sizes(struct study *s, const struct bound_names *b, const char *text)
{
    const char *by = strstr(text, " % ");
    const char *end = by ? strstr(by, " == 0") : NULL;
    const char *divisor = end ? arena_printf(s->arena, "%.*s", (int)(end - by - 3), by + 3) : NULL;
    const char *dividend = end ? arena_printf(s->arena, "%.*s", (int)(by - text), text) : NULL;
    int64_t step = divisor ? value_of_text(s, b, divisor) : 0;
    bool changed = false;
    for (uint32_t i = 0; step > 1 && dividend && i < s->atom_count; i++) {
        struct atom *a = &s->atoms[i];
        const bool is_free = a->kind == ATOM_SIZE || (a->kind == ATOM_SCALAR && is_extent(s, i));
        if (!is_free || a->has_initial || !is_word_of(dividend, a->text))
            continue;
        int64_t odd = step, other = a->initial;
        while (odd % 2 == 0)
            odd /= 2;
        while (other > 1 && other % 2 == 0)
            other /= 2; // what an earlier restriction asked for
        step = step / greatest_divisor(step, other) * other;
        if (step > 1 << 20)
            return false;
        take_multiple(a, step);
        changed = true;
    }
    return changed;
}

// Chooses other sizes where a restriction excludes the first configuration of all; one that no size
// helps is told.
static void settle_sizes(struct writer_of *w)
{
    struct study *s = w->study;
    struct bound_names *b = arena_alloc(s->arena, sizeof *b);
    uint32_t kept = 0;
    for (int pass = 0; b && pass < 4; pass++) {
        bool changed = false;
        bind_names(s, b);
        for (uint32_t i = 0; i < w->out->restriction_count && !changed; i++)
            changed = !value_of_text(s, b, w->out->restrictions[i]) &&
                      mend_sizes(s, b, w->out->restrictions[i]);
        if (!changed)
            break;
    }
    for (uint32_t i = 0; b && i < w->out->restriction_count; i++) {
        const char *text = w->out->restrictions[i];
        if (strcspn(text, NAME_STARTS) == strlen(text) && !value_of_text(s, b, text))
            add_open(w, arena_printf(s->arena, "the launch: it would need %s", text));
        else
            w->out->restrictions[kept++] = text;
    }
    w->out->restriction_count = b ? kept : w->out->restriction_count;
}

static const char *local_text(struct study *s, uint32_t axis)
{
    int32_t local = s->axis[axis].local;
    const char *text =
        local >= 0 ? s->atoms[local].text : arena_printf(s->arena, "%lld", (long long)(-1 - local));
    if (s->axis[axis].local_times > 1 && text)
        text = arena_printf(s->arena, "%lld * %s", (long long)s->axis[axis].local_times, text);
    else if (s->axis[axis].local_times < -1 && text)
        text = arena_printf(s->arena, "%s // %lld", text, (long long)-s->axis[axis].local_times);
    if (s->axis[axis].local_over >= 0 && text)
        text = arena_printf(s->arena, "%s // %s", text, s->atoms[s->axis[axis].local_over].text);
    s->run.failed |= !text;
    return text;
}

static bool is_tile_the_group(const struct study *s, uint32_t axis)
{
    const struct launch_axis *x = &s->axis[axis];
    if (x->local_over >= 0 || x->local_times != 1 || x->tile_over >= 0 || x->tile_divisor > 1 ||
        x->tile_less)
        return false;
    if (x->local >= 0)
        return x->tile_count == 1 && x->tile[0] == (uint32_t)x->local && x->tile_factor == 1;
    return x->tile_count == 0 && x->tile_factor == -1 - x->local;
}

static void write_axis(struct writer_of *w, uint32_t axis)
{
    struct study *s = w->study;
    const struct launch_axis *x = &s->axis[axis];
    uint32_t factors;
    const char *local = local_text(s, axis), *tile = study_tile_text(s, axis, &factors);
    w->out->local[axis] = local;
    if (x->tile_over >= 0) {
        int length = (int)(strstr(tile, " //") - tile);
        add_restriction(w, arena_printf(s->arena,
                                        x->tile_count > 1 ? "(%.*s) %% %s == 0" : "%.*s %% %s == 0",
                                        length, tile, s->atoms[x->tile_over].text));
    }
    if (x->tile_less)
        add_restriction_once(w, arena_printf(s->arena, "%s > 0", tile));
    if (!x->is_known && s->asks_place[axis] && !s->asks_group[axis]) { // one group's work
        w->out->global[axis] = local;
    } else if (x->count_atom >= 0) {
        w->out->global[axis] =
            arena_printf(s->arena, "%s * %s", s->atoms[x->count_atom].text, local);
    } else if (!x->is_known && x->extent.count == 0) {
        w->out->global[axis] = local;
        add_open(w, arena_printf(s->arena,
                                 "GlobalSize.%c: how many work-items there are along this axis, "
                                 "which the text does not say",
                                 "XYZ"[axis]));
    } else {
        const char *extent = study_extent_text(s, &x->extent);
        bool is_product = x->extent.count > 1 || x->extent.divisor > 1;
        const char *items = x->local_over >= 0 || x->local_times != 1
                                ? arena_printf(s->arena, "(%s)", local)
                                : local;
        bool is_one = x->tile_count == 0 && x->tile_factor == 1;
        if (is_tile_the_group(s, axis))
            w->out->global[axis] = extent;
        else if (x->local == -2 && x->local_over < 0)
            w->out->global[axis] =
                is_one ? extent
                       : arena_printf(s->arena,
                                      is_product ? "ceil((%s) / %s%s%s)" : "ceil(%s / %s%s%s)",
                                      extent, factors > 1 ? "(" : "", tile, factors > 1 ? ")" : "");
        else if (is_one)
            w->out->global[axis] =
                arena_printf(s->arena, is_product ? "(%s) * %s" : "%s * %s", extent, items);
        else
            w->out->global[axis] = arena_printf(
                s->arena, is_product ? "ceil((%s) / %s%s%s) * %s" : "ceil(%s / %s%s%s) * %s",
                extent, factors > 1 ? "(" : "", tile, factors > 1 ? ")" : "", items);
        if (x->is_one_less)
            w->out->global[axis] =
                arena_printf(s->arena, is_product ? "(%s) - %s" : "%s - %s",
                             w->out->global[axis] ? w->out->global[axis] : "", items);
        if ((!x->is_guarded || w->reach->is_barred) && (x->tile_count || x->tile_factor > 1))
            add_restriction_once(
                w, arena_printf(s->arena, is_product ? "(%s) %% %s%s%s == 0" : "%s %% %s%s%s == 0",
                                extent, factors > 1 ? "(" : "", tile, factors > 1 ? ")" : ""));
        if (!x->is_known || x->is_guess)
            add_open(w, arena_printf(s->arena, "GlobalSize.%c: %s is a guess", "XYZ"[axis],
                                     w -> out -> global[axis]));
    }
    s->run.failed |= !w->out->global[axis];
}

static const char *element_text(struct study *s, const struct type *t, bool whole)
{
    struct element el;
    char name[24];
    if (strcmp(t->words ? t->words : "", "size_t") == 0)
        return "uint64";
    if (!t->words || !declared_parse(t->words, s->language, &el)) {
        if (t->base == TYPE_INTEGER)
            str_format(name, sizeof name, "%sint%u", t->is_unsigned ? "u" : "", t->component * 8);
        else
            str_format(name, sizeof name, "%s",
                       t->base == TYPE_FLOAT && t->component == 8 ? "double" : "float");
        const char *other = arena_strdup(s->arena, name);
        s->run.failed |= !other;
        return other;
    }
    if (!whole)
        el.width = 1;
    element_name(&el, name);
    const char *copy = arena_strdup(s->arena, name);
    s->run.failed |= !copy;
    return copy;
}

static const struct record *find_record(const struct study *s, const char *name)
{
    for (uint32_t i = 0; name && i < s->syntax.record_count; i++) {
        if (s->syntax.records[i].name && strcmp(s->syntax.records[i].name, name) == 0)
            return &s->syntax.records[i];
    }
    return NULL;
}

// A type that the kernel is a template over: the spec instantiates it, for float.
static bool is_template_type(const struct study *s, const char *words)
{
    for (uint32_t i = 0; i < s->kernel->template_count; i++) {
        if (str_equal(s->kernel->templates[i].name, words))
            return true;
    }
    return false;
}

// A type that nothing here defines, as a parameter of the spec names it; NULL: any other.
static const char *open_type_words(const struct study *s, const struct type *t)
{
    bool is_open = t->base == TYPE_OPEN;
    for (uint32_t i = 0; i < s->syntax.open_type_count; i++)
        is_open |= t->base == TYPE_INTEGER && str_equal(s->syntax.open_types[i], t->words);
    return is_open && !is_template_type(s, t->words) ? t->words : NULL;
}

static void write_buffer_type(struct writer_of *w, const struct type *t,
                              struct inferred_argument *a)
{
    struct study *s = w->study;
    const struct record *r = t->base == TYPE_RECORD ? find_record(s, t->words) : NULL;
    if (r && r->is_plain && r->component) {
        struct type plain = {.words = r->component, .component = r->component_bytes};
        struct element el;
        plain.base = declared_parse(r->component, s->language, &el) && scalar_is_float(el.scalar)
                         ? TYPE_FLOAT
                         : TYPE_INTEGER;
        a->type = element_text(s, &plain, false);
        a->is_integer = plain.base == TYPE_INTEGER;
    } else if (t->base == TYPE_RECORD) {
        a->type = "custom";
        a->type_bytes = t->component * t->lanes;
        a->is_zero = true;
    } else if (t->base == TYPE_OPEN) {
        a->type = "float";
    } else if (t->base == TYPE_VOID) {
        a->type = "uint8";
        a->is_integer = true;
    } else {
        a->type = element_text(s, t, false);
        a->is_integer = t->base == TYPE_INTEGER;
    }
    a->type_words = open_type_words(s, t);
}

// The initial contents of a buffer that is read.
static void write_fill(struct writer_of *w, const struct object *o, int32_t content,
                       struct inferred_argument *a)
{
    struct study *s = w->study;
    if (o->contents == CONTENTS_OFFSETS && content >= 0) {
        a->generator = arena_printf(s->arena, "%s * i", s->atoms[content].text);
        s->run.failed |= !a->generator;
    } else if (o->contents == CONTENTS_INDEX && content >= 0 && o->is_scatter) {
        // Each element is chosen once, so that no two items write the same one; of "6 * n" six that lie together are one
        // item's where it was seen to read them, else those that are n apart.
        char *end = NULL;
        const long each = a->size ? strtol(a->size, &end, 10) : 1;
        const bool is_several = each > 1 && str_starts(end, " * ");
        const char *all = s->atoms[content].text;
        if (is_several && str_equal(all, "size")) // in a fill that is the buffer's own
            all = arena_printf(s->arena, "(size // %ld)", each);
        if (all)
            a->generator = is_several && o->item_span == each
                               ? arena_printf(s->arena, "i // %ld * 40487 %% %s", each, all)
                               : arena_printf(s->arena, "i * 40487 %% %s", all);
        s->run.failed |= !a->generator;
    } else if (o->contents == CONTENTS_INDEX && content >= 0) {
        a->low = "0";
        a->high = arena_printf(s->arena, "%s - 1", s->atoms[content].text);
        s->run.failed |= !a->high;
    } else if (a->is_integer) {
        a->low = "0";
        a->high = arena_printf(s->arena, "%lld", (long long)fill_most(o->type));
        s->run.failed |= !a->high;
    } else {
        a->low = w->reach->needs_positive ? "0.1" : "-1";
        a->high = "1";
    }
}

// A size for local memory that no expression fits: so many elements for each item of a group.
static void add_group_size(struct study *s, int64_t least, struct text *t)
{
    int64_t items = 1;
    for (uint32_t axis = 0; axis < s->axes; axis++) {
        const bool is_bracketed = s->axis[axis].local_over >= 0 || s->axis[axis].local_times != 1;
        text_addf(t, is_bracketed ? "%s(%s)" : "%s%s", axis ? " * " : "", local_text(s, axis));
        items *= study_local(s, axis);
    }
    if (least > items)
        text_addf(t, " * %lld", (long long)((least + items - 1) / items));
}

// A size for a buffer of which nothing was seen: that of the launch.
static const char *guessed_size(struct writer_of *w, uint32_t lanes, bool is_local, int64_t least)
{
    struct study *s = w->study;
    struct text t = TEXT_INIT;
    if (is_local)
        add_group_size(s, least, &t);
    for (uint32_t axis = 0; axis < s->axes && !is_local; axis++) {
        const struct extent *e = &s->axis[axis].extent;
        if (e->count || e->number)
            text_addf(&t, "%s%s", t.length ? " * " : "", study_extent_text(s, e));
    }
    if (lanes > 1 && !is_local)
        text_addf(&t, "%s%u", t.length ? " * " : "", lanes);
    const char *copy = t.failed ? NULL : arena_strdup(s->arena, t.length ? text_cstr(&t) : "1");
    s->run.failed |= !copy;
    text_release(&t);
    return copy;
}

// &out[i], &(out[i]): what is done there is done through another pointer.
static bool has_address_taken(const struct study *s, const char *name)
{
    for (const struct token *t = s->kernel->from; t + 3 < s->kernel->to; t++) {
        if (strcmp(t->text, "&") != 0)
            continue;
        const struct token *word = t + 1 + (strcmp(t[1].text, "(") == 0);
        if (strcmp(word->text, name) == 0 && strcmp(word[1].text, "[") == 0)
            return true;
    }
    return false;
}

// Does the kernel's text assign to an element of it: name[i] = ..., name[i][k] += ..., *name = ...?
static bool text_writes(const struct study *s, const char *name)
{
    static const char *const writes[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<=", ">>=", NULL};
    const struct token *end = s->kernel->to;
    for (const struct token *t = s->kernel->from; t < end; t++) {
        if (t->kind != TOKEN_NAME || strcmp(t->text, name) != 0)
            continue;
        bool is_element = t > s->kernel->from && strcmp(t[-1].text, "*") == 0;
        const struct token *at = t + 1;
        for (int depth = 0; at < end && (depth || strcmp(at->text, "[") == 0); at++) {
            depth += strcmp(at->text, "[") == 0;
            depth -= strcmp(at->text, "]") == 0;
            is_element = true;
        }
        if (is_element && at < end && at->kind == TOKEN_SIGN && str_listed(writes, at->text))
            return true;
    }
    return false;
}

// Was no buffer seen to be written? Then any may be, of those that are not const.
static bool has_no_output(const struct study *s, const struct needed *needs)
{
    for (uint32_t i = 0; i < s->object_count; i++) {
        if (needs[i].is_written && s->all[i]->space == SPACE_DEVICE)
            return false;
    }
    return true;
}

static void write_buffer(struct writer_of *w, uint32_t object, const struct needed *needs,
                         struct inferred_argument *a)
{
    const struct needed *need = &needs[object];
    struct study *s = w->study;
    const struct object *o = s->all[object];
    const struct type *t = o->type;
    bool is_fixed = o->space == SPACE_FIXED;
    a->name = o->name;
    a->kind = o->space == SPACE_SHARED ? INFERRED_LOCAL : INFERRED_BUFFER;
    write_buffer_type(w, t, a);
    struct element el;
    a->is_other_type = t->lanes > 1 || !t->words || !declared_parse(t->words, s->language, &el);
    a->is_guess = need->is_guess || !need->size;
    a->size =
        need->size ? need->size : guessed_size(w, t->lanes, a->kind == INFERRED_LOCAL, need->least);
    if (need->is_loose && !a->is_guess)
        add_open(w, arena_printf(s->arena, "the size of %s: %s is more than was seen to be used",
                                 a->name, a->size));
    // A write that was not seen may be one that only other values reach.
    const bool is_hidden =
        !need->is_written && !t->is_const && !is_fixed && text_writes(s, o->name);
    const bool is_open = !is_hidden && !need->is_read && !need->is_written && !t->is_const &&
                         o->space == SPACE_DEVICE && has_no_output(s, needs);
    bool is_written = ((need->is_written || is_hidden) && !is_fixed) || is_open;
    bool is_read = need->is_read || is_hidden || (!is_written && (is_fixed || t->is_const)) ||
                   (!need->is_read && !need->is_written);
    a->access = !is_written ? INFERRED_READ
                : !is_read && need->is_whole && !need->is_guess && !need->is_added &&
                        !has_address_taken(s, a->name)
                    ? INFERRED_WRITE
                    : INFERRED_BOTH;
    a->is_zero |= is_written && !need->is_read && !is_open;
    a->is_added = need->is_added;
    a->is_sum = is_written && need->is_per_group && a->kind == INFERRED_BUFFER;
    // Counters and sums that atomics add to begin at zero.
    if (a->kind == INFERRED_BUFFER && !a->is_zero && a->access != INFERRED_WRITE)
        write_fill(w, o, s->content_atoms[object], a);
    a->is_unused = !need->is_read && !need->is_written;
    a->why = o->access.by_data ? "its index comes out of memory"
             : a->is_unused    ? "the kernel does not use it"
                               : "its index is not understood";
}

// Does the kernel, or a function, use a variable of the file?
static bool is_used(const struct study *s, const char *name)
{
    size_t uses = 0;
    for (uint32_t i = 0; i < s->syntax.function_count; i++) {
        const struct function *f = &s->syntax.functions[i];
        for (const struct token *t = f->from; t && t < f->to; t++)
            uses += t->kind == TOKEN_NAME && strcmp(t->text, name) == 0;
    }
    return uses > 0;
}

// __constant__ int limit, which the host sets: a symbol of one element. One that is no number cannot be
// said.
static bool write_lone_symbols(struct writer_of *w)
{
    struct study *s = w->study;
    for (uint32_t i = 0; i < s->syntax.shared_count; i++) {
        const struct variable *v = &s->syntax.shared[i];
        const struct type *t = v->type;
        if (t->space != SPACE_FIXED || t->dimension_count || v->initial || !is_used(s, v->name))
            continue;
        if (t->stars || t->lanes != 1 || (t->base != TYPE_INTEGER && t->base != TYPE_FLOAT)) {
            add_open(w, arena_printf(s->arena,
                                     "%s in constant memory: the host sets it, and hone cannot "
                                     "say a value of its type",
                                     v->name));
            continue;
        }
        struct inferred_argument *a = &w->out->arguments[w->out->argument_count++];
        *a = (struct inferred_argument){.name = v->name,
                                        .kind = INFERRED_SYMBOL,
                                        .is_typed = true,
                                        .size = "1",
                                        .access = INFERRED_READ,
                                        .is_integer = t->base == TYPE_INTEGER};
        write_buffer_type(w, t, a);
        a->generator = "0.5";
        for (uint32_t k = 0; a->is_integer && k < s->atom_count; k++) {
            if (s->atoms[k].kind == ATOM_SIZE)
                a->generator = s->atoms[k].text;
        }
        if (a->is_integer && *a->generator == '0')
            a->generator = "1";
        add_open(w, arena_printf(s->arena, "%s in constant memory: %s is a guess", v->name,
                                 a->generator));
    }
    return true;
}

static const char *scalar_value(const char *name)
{
    static const struct {
        const char *word, *value;
    } known[] = {{"alpha", "1.5"}, {"beta", "0.5"},   {"eps", "0.001"}, {"soft", "0.001"},
                 {"dt", "0.01"},   {"delta", "0.01"}, {"tol", "0.001"}, {"sigma", "0.3"},
                 {"vol", "0.3"},   {"rate", "0.05"},  {"risk", "0.05"}, {"gamma", "1.2"},
                 {"damp", "0.99"}, {"scale", "1.5"},  {"inv", "0.5"},   {"thresh", "0.5"},
                 {"max", "0.75"},  {"min", "0.25"}};
    static const struct {
        const char *name, *value;
    } whole[] = {{"a", "2.0"},   {"A", "2.0"},   {"dx", "0.003"}, {"dy", "0.002"},
                 {"x0", "-2.0"}, {"y0", "-1.0"}, {"r", "0.05"},   {"v", "0.3"}};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (strcmp(whole[i].name, name) == 0)
            return whole[i].value;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (str_contains_nocase(name, known[i].word))
            return known[i].value;
    }
    return "0.5";
}

static void write_scalar(struct writer_of *w, uint32_t parameter, struct inferred_argument *a)
{
    struct study *s = w->study;
    const struct variable *v = &s->kernel->parameters[parameter];
    a->name = v->name;
    a->kind = INFERRED_SCALAR;
    a->is_integer = v->type->base == TYPE_INTEGER;
    a->type = v->type->base == TYPE_OPEN ? "float" : element_text(s, v->type, true);
    a->type_words = open_type_words(s, v->type);
    a->value = a->is_integer ? "1" : scalar_value(v->name);
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct atom *atom = &s->atoms[i];
        if (!atom->is_argument || atom->parameter != parameter)
            continue;
        bool is_named = atom->kind != ATOM_SCALAR || atom->is_small;
        a->value = is_named ? atom->text : arena_printf(s->arena, "%lld", (long long)atom->initial);
        a->is_guess = !is_named;
        s->run.failed |= !a->value;
    }
}

static void write_struct(struct writer_of *w, uint32_t parameter, struct inferred_argument *a)
{
    const struct study *s = w->study;
    const struct variable *v = &s->kernel->parameters[parameter];
    a->name = v->name;
    a->kind = INFERRED_STRUCT;
    a->layout = s->origins[parameter].layout;
    for (uint32_t i = 0; i < s->syntax.record_count; i++)
        if (str_equal(s->syntax.records[i].name, v->type->words))
            a->type = s->syntax.records[i].text;
}

// A struct, or a type that nothing here defines: behind an #include it could be a macro, too.
static bool has_own_types(const struct study *s)
{
    for (uint32_t i = 0; i < s->kernel->parameter_count; i++) {
        const struct type *t = s->kernel->parameters[i].type;
        struct element el;
        if (t->words && !declared_parse(t->words, s->language, &el) && t->base != TYPE_VOID)
            return true;
    }
    return false;
}

// In the text as it was read, a file that was found left the #line behind it.
static bool has_includes(const struct study *s)
{
    return strstr(s->text, "#include") || strstr(s->text, "\n#line ");
}

// Does the kernel's line contain macros, or a template's types? Then a plain parser, such as a
// spec's, may not understand it.
static bool is_plain_signature(const struct study *s)
{
    const char *name = s->kernel->name, *at = s->text, *end = s->text + s->length;
    size_t length = strlen(name);
    int64_t number;
    bool has_types = has_own_types(s) || strstr(s->text, "typedef");
    if (s->kernel->template_count || (has_types && has_includes(s)))
        return false;
    while ((at = strstr(at, name)) != NULL) {
        const char *open = at + length + strspn(at + length, " \t\r\n");
        bool is_whole = at == s->text || !strchr(NAME_LETTERS, at[-1]);
        if (is_whole && open < end && *open == '(')
            break;
        at += length;
    }
    if (!at)
        return false;
    // Defined again under another condition: which of the two it is, is not read plainly either.
    for (const char *again = strstr(at + length, name); again;
         again = strstr(again + length, name)) {
        if (again[length] == '(' && !strchr(NAME_LETTERS, again[-1]))
            return false;
    }
    while (at > s->text && !strchr(";}", at[-1]))
        at--;
    while (at < end && !strchr("{;", *at)) {
        size_t word = strspn(at, NAME_LETTERS);
        const char *copy = word ? arena_printf(s->arena, "%.*s", (int)word, at) : NULL;
        const struct surveyed_name *n = copy ? survey_find(&s->survey, copy) : NULL;
        if (*at == '#')
            word = strcspn(at, "\n");
        else if (n && n->is_defined && !text_number(n->defined, &number))
            return false;
        at += word ? word : 1;
    }
    return true;
}

// The type is left to the text, as a spec reads it.
static void write_image(struct writer_of *w, uint32_t parameter, const struct needed *need,
                        struct inferred_argument *a)
{
    const struct study *s = w->study;
    a->name = s->kernel->parameters[parameter].name;
    a->kind = INFERRED_IMAGE;
    a->access = need->is_written ? INFERRED_WRITE : INFERRED_READ;
    const uint32_t axes = image_axes(s, &s->kernel->parameters[parameter]);
    for (uint32_t axis = 0; axis < axes && s->image_atoms[axis] >= 0; axis++)
        a->image[axis] = s->atoms[s->image_atoms[axis]].text;
}

static bool write_arguments(struct writer_of *w, const struct needed *needs)
{
    struct study *s = w->study;
    struct inferred *out = w->out;
    const struct function *f = s->kernel;
    out->arguments = arena_array(
        s->arena, f->parameter_count + s->object_count + s->syntax.shared_count + (size_t)1,
        sizeof *out->arguments);
    if (!out->arguments)
        return false;
    bool is_plain = is_plain_signature(s);
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        struct inferred_argument *a = &out->arguments[out->argument_count++];
        a->is_typed = !is_plain;
        uint32_t object = 0;
        while (object < s->object_count && s->all[object] != s->objects[i])
            object++;
        bool is_there = object < s->object_count && s->objects[i];
        if (is_there && s->objects[i]->is_image)
            write_image(w, i, &needs[object], a);
        else if (f->parameters[i].type->words &&
                 declared_image_kind(f->parameters[i].type->words) == DECLARED_SAMPLER)
            *a =
                (struct inferred_argument){.name = f->parameters[i].name, .kind = INFERRED_SAMPLER};
        else if (is_there)
            write_buffer(w, object, needs, a);
        else if (s->origins[i].layout)
            write_struct(w, i, a);
        else
            write_scalar(w, i, a);
        if (s->origins[i].member) {
            a->kind = INFERRED_MEMBER;
            a->owner = f->parameters[s->origins[i].owner].name;
            a->member = s->origins[i].member;
        }
    }
    for (uint32_t i = 0; i < s->object_count; i++) {
        const struct object *o = s->all[i];
        bool is_argument = false;
        for (uint32_t k = 0; k < f->parameter_count; k++)
            is_argument |= s->objects[k] == o;
        if (is_argument)
            continue;
        if (o == s->run.dynamic) {
            out->shared_bytes = needs[i].size ? needs[i].size : "4096";
            if (!needs[i].size)
                add_open(w, "shared: 4096 bytes of dynamic shared memory are a guess");
            continue;
        }
        if (!needs[i].is_read && !needs[i].is_written)
            continue; // a symbol of another kernel
        struct inferred_argument *a = &out->arguments[out->argument_count++];
        write_buffer(w, i, needs, a);
        a->kind = INFERRED_SYMBOL;
        a->is_typed = true;
        a->access = INFERRED_READ;
        struct text t = TEXT_INIT;
        for (uint32_t k = 0; k < o->type->dimension_count; k++) {
            int64_t d;
            if (o->type->dimensions[k] && run_constant(&s->run, o->type->dimensions[k], &d))
                text_addf(&t, "%s%lld", k ? " * " : "", (long long)d);
        }
        if (o->type->lanes > 1)
            text_addf(&t, " * %u", o->type->lanes);
        a->size = t.failed ? NULL : arena_strdup(s->arena, text_cstr(&t));
        a->is_guess = false;
        s->run.failed |= !a->size;
        text_release(&t);
        if (!a->low)
            write_fill(w, o, -1, a);
    }
    return write_lone_symbols(w);
}

// Is it a word of the text?
static bool is_in_launch(const struct inferred *f, const char *name)
{
    for (uint32_t axis = 0; axis < f->axes; axis++) {
        if (is_word_of(f->global[axis], name) || is_word_of(f->local[axis], name))
            return true;
    }
    return false;
}

// Does an expression of the spec have the name? Then it has to be one of the spec's.
static bool is_in_expressions(const struct inferred *f, const char *name)
{
    bool found = is_in_launch(f, name) || is_word_of(f->shared_bytes, name);
    for (uint32_t i = 0; i < f->restriction_count; i++)
        found |= is_word_of(f->restrictions[i], name);
    for (uint32_t i = 0; i < f->argument_count; i++) {
        const struct inferred_argument *a = &f->arguments[i];
        for (int axis = 0; axis < 3; axis++)
            found |= is_word_of(a->image[axis], name);
        found |= a->kind != INFERRED_SCALAR && a->kind != INFERRED_MEMBER &&
                 (is_word_of(a->size, name) || is_word_of(a->high, name) ||
                  is_word_of(a->generator, name));
    }
    return found;
}

// An integer argument that is not a size has its number; if a size depends on it, a constant's
// name.
static bool needs_constant(const struct writer_of *w, const struct atom *a)
{
    struct inferred *out = w->out;
    if (!is_in_expressions(out, a->text))
        return false;
    for (uint32_t i = 0; i < out->argument_count; i++) {
        struct inferred_argument *x = &out->arguments[i];
        bool is_number = x->kind == INFERRED_SCALAR || x->kind == INFERRED_MEMBER;
        if (!is_number || !str_equal(x->name, a->name))
            continue;
        x->value = a->text;
        x->is_guess = false;
    }
    return true;
}

static void write_other_name(struct writer_of *w, const char *name, int64_t value)
{
    const struct study *s = w->study;
    struct inferred *out = w->out;
    bool is_there = inferred_find_name(out, name) || study_find_atom(s, name) >= 0;
    for (uint32_t i = 0; i < s->syntax.open_type_count; i++)
        is_there |= str_equal(s->syntax.open_types[i], name);
    if (!is_there && out->name_count < s->atom_count + NAMES_MOST)
        out->names[out->name_count++] = (struct inferred_name){
            .name = name, .role = NAME_CONSTANT, .value = value, .is_guess = true};
}

// The file is built whole, but for CUDA's host code: macros that only its other functions use, and that nothing
// defines, have to be given, too.
static bool write_other_names(struct writer_of *w)
{
    struct study *s = w->study;
    struct reach *all = arena_alloc(s->arena, sizeof *all);
    if (!all)
        return false;
    *all = (struct reach){.syntax = &s->syntax, .axes = 0};
    for (uint32_t i = 0; i < s->syntax.function_count; i++) {
        const struct function *f = &s->syntax.functions[i];
        if (!language_traits(s->language)->own_compiler || f->is_kernel || f->is_device)
            reach_function(all, f);
    }
    for (uint32_t i = 0; i < all->name_count; i++) {
        const struct surveyed_name *n = survey_find(&s->survey, all->names[i]);
        if (!n && is_macro_name(all->names[i]))
            write_other_name(w, all->names[i], 16);
    }
    for (size_t i = 0; i < s->survey.count; i++) {
        const struct surveyed_name *n = &s->survey.list[i];
        if (n->is_demanded && !n->is_defined && !n->initial && is_macro_name(n->name))
            write_other_name(w, n->name, n->in_condition ? default_of_condition(n) : 16);
    }
    return true;
}

// A type that nothing defines stands in what is built: of a program in one file with its host's only the kernel's.
static bool is_built(const struct writer_of *w, const char *type)
{
    return is_macro_name(type) &&
           (!language_traits(w->study->language)->own_compiler || find_word(w->out->reached, type));
}

static bool write_names(struct writer_of *w)
{
    struct study *s = w->study;
    struct inferred *out = w->out;
    out->names =
        arena_array(s->arena, s->atom_count + (size_t)s->syntax.open_type_count + NAMES_MOST + 1,
                    sizeof *out->names);
    if (!out->names)
        return false;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        struct atom *a = &s->atoms[i];
        if (a->kind == ATOM_FIXED || a->kind == ATOM_ROW || (a->is_own && a->kind != ATOM_GROUP) ||
            (a->is_argument && a->kind == ATOM_SCALAR && !a->is_small && !needs_constant(w, a)))
            continue;
        struct inferred_name *n = &out->names[out->name_count++];
        bool is_constant =
            a->kind == ATOM_SIZE || a->kind == ATOM_LEADING || a->kind == ATOM_SCALAR;
        *n = (struct inferred_name){.name = a->text,
                                    .role = is_constant ? NAME_CONSTANT : NAME_PARAMETER,
                                    .value = a->initial,
                                    .is_guess = !a->has_initial,
                                    .is_own = a->is_own,
                                    .is_switch = a->is_switch,
                                    .is_argument = a->is_argument};
        if (!is_constant)
            n->values = write_values(s, a);
        if (w->is_by_group && a->kind == ATOM_GROUP) {
            n->values = arena_printf(s->arena, "[%lld]", (long long)a->initial);
            s->run.failed |= !n->values;
            add_open(w, arena_printf(s->arena,
                                     "the values of %s: it has one, since each group has a result "
                                     "of its own",
                                     a->name));
        }
    }
    if (!write_other_names(w))
        return false;
    for (uint32_t i = 0; i < s->syntax.open_type_count; i++) {
        const char *type = s->syntax.open_types[i];
        bool is_used = false, is_of_member = false;
        for (uint32_t k = 0; k < out->argument_count; k++) {
            const struct inferred_argument *a = &out->arguments[k];
            is_used |= str_equal(a->type_words, type);
            for (uint32_t r = 0; a->kind == INFERRED_STRUCT && r < s->syntax.record_count; r++)
                is_of_member |= str_equal(a->type, s->syntax.records[r].text) &&
                                str_equal(s->syntax.records[r].open_type, type);
        }
        if (is_used || is_of_member || is_built(w, type))
            out->names[out->name_count++] =
                (struct inferred_name){.name = type,
                                       .role = NAME_TYPE,
                                       .is_integer = s->syntax.open_is_integer[i],
                                       .values = is_of_member ? "[\"int\"]" : NULL};
    }
    return !s->run.failed;
}

// 'reduce<' + str(BLOCK) + ', float>'
static void write_template(struct writer_of *w)
{
    struct study *s = w->study;
    const struct function *f = s->kernel;
    struct text t = TEXT_INIT;
    if (f->template_count == 0)
        return;
    text_addf(&t, "'%s%s<", f->scope, f->name);
    for (uint32_t i = 0; i < f->template_count; i++) {
        const struct template_parameter *p = &f->templates[i];
        if (p->is_type)
            text_addf(&t, "%s%s", i ? ", " : "", str_equal(p->initial, "int") ? "int" : "float");
        else
            text_addf(&t, "%s' + str(%s) + '", i ? ", " : "", p->name);
    }
    text_add(&t, ">'");
    w->out->name_expression = t.failed ? NULL : arena_strdup(s->arena, text_cstr(&t));
    s->run.failed |= !w->out->name_expression;
    text_release(&t);
}

// ---- the whole ---------------------------------------------------------------------------------

// The texture reference (texture<float, 1> t;) that the kernel reads, or NULL.
static const char *find_texture_reference(const struct study *s)
{
    const struct function *f = s->kernel;
    const struct token *all = s->source.tokens;
    for (size_t i = 0; i + 3 < s->source.count; i++) {
        if (strcmp(all[i].text, "texture") != 0 || strcmp(all[i + 1].text, "<") != 0)
            continue;
        while (i + 2 < s->source.count && strcmp(all[i].text, ">") != 0 &&
               strcmp(all[i].text, ";") != 0)
            i++;
        bool is_reference = strcmp(all[i].text, ">") == 0 && all[i + 1].kind == TOKEN_NAME &&
                            strcmp(all[i + 2].text, ";") == 0;
        for (const struct token *t = f->from; t < f->to && is_reference; t++) {
            if (strcmp(t->text, all[i + 1].text) == 0)
                return t->text;
        }
    }
    return NULL;
}

// Refuses parameters that hone cannot pass to a kernel.
static bool check_parameters(const struct study *s, struct error *e)
{
    const struct function *f = s->kernel;
    for (const struct token *t = f->from; t + 1 < f->to && strcmp(t->text, "{") != 0; t++) {
        if (strcmp(t->text, "pipe") == 0 && t[1].kind == TOKEN_NAME) // pipe int p
            return error_set(e, ERROR_INPUT, "%s takes a pipe, which hone does not know", f->name);
    }
    const char *texture = find_texture_reference(s);
    if (texture)
        return error_set(e, ERROR_INPUT,
                         "%s reads the texture reference '%s', which CUDA has no more since 12.0: "
                         "give it a pointer, read by __ldg(&%s[i]) in place of tex1Dfetch(%s, i)",
                         f->name, texture, texture, texture);
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        const struct type *t = f->parameters[i].type;
        const char *words = t->words ? t->words : "", *name = f->parameters[i].name;
        bool is_image = str_starts(words, "image1d") || str_starts(words, "image2d_") ||
                        str_starts(words, "image3d_");
        if (is_image && !str_equal(words, "image2d_t") && !str_equal(words, "image3d_t"))
            return error_set(e, ERROR_INPUT,
                             "argument '%s' of %s is an image (%s) other than image2d_t and "
                             "image3d_t, which hone does not know",
                             name, f->name, words);
        if (strchr(words, '<'))
            return error_set(e, ERROR_INPUT,
                             "argument '%s' of %s is of a template's type (%s), whose layout hone "
                             "does not read: give the kernel a plain type",
                             name, f->name, words);
        if (t->base == TYPE_RECORD && t->stars == 0 && !s->origins[i].layout)
            return error_set(e, ERROR_INPUT,
                             "argument '%s' of %s is a struct by value (%s) with members that no "
                             "value can be written for: a pointer, a union, bits, or a type that "
                             "the text does not define",
                             name, f->name, words);
        if (t->stars > 1 && t->dimension_count == 0)
            return error_set(e, ERROR_INPUT,
                             "argument '%s' of %s is a pointer to pointers, which hone does not "
                             "pass",
                             name, f->name);
    }
    return true;
}

// `more`: (or NULL) names that another variant of the kernel has.
static bool make_atoms(struct study *s, struct givens *given, struct reach *r, const char *kernel,
                       const struct inferred *more)
{
    *r = (struct reach){.syntax = &s->syntax, .axes = 0};
    reach_function(r, s->kernel);
    s->axes = r->axes;
    memcpy(s->quotients, r->quotients, sizeof s->quotients);
    s->quotient_count = r->quotient_count;
    for (uint32_t axis = 0; axis < s->axes; axis++) {
        s->asks_item[axis] = r->asks_item[axis];
        s->asks_size[axis] = r->asks_size[axis];
        s->asks_place[axis] = r->asks_place[axis];
        s->asks_group[axis] = r->asks_group[axis];
        s->group_axes += s->asks_item[axis];
    }
    for (uint32_t i = 0; i < s->kernel->parameter_count; i++) {
        const struct type *t = s->kernel->parameters[i].type;
        if (t->base == TYPE_INTEGER && t->stars == 0 && t->lanes >= 1)
            add_argument_atom(s, i, r);
    }
    for (uint32_t i = 0; i < r->name_count; i++)
        add_name_atom(s, r->names[i], given);
    for (uint32_t i = 0; more && i < more->name_count; i++) {
        const struct inferred_name *n = &more->names[i];
        if (n->role == NAME_PARAMETER && !n->is_own && !n->is_switch)
            add_name_atom(s, n->name, given);
    }
    for (uint32_t i = 0; i < s->kernel->template_count; i++) {
        const struct template_parameter *p = &s->kernel->templates[i];
        struct atom *a = NULL;
        if (!p->is_type)
            a = add_atom(s, p->name, ATOM_PARAMETER);
        if (a && a->kind == ATOM_SIZE && strlen(p->name) > 2) { // ROWS of a tile
            a->kind = ATOM_PARAMETER;
            a->initial = 0;
        }
        if (a && (text_number(p->initial, &a->initial) || str_equal(p->initial, "true") ||
                  str_equal(p->initial, "false")))
            a->has_initial = true;
        if (a && p->is_switch)
            a->initial = str_equal(p->initial, "true");
        if (a && p->is_switch) {
            a->kind = ATOM_PARAMETER;
            a->is_template = a->is_switch = true;
            a->value = a->initial;
        } else if (a) {
            a->is_template = true;
            a->initial = a->initial ? a->initial : first_value(s, a->name);
            a->value = a->initial;
        }
    }
    for (size_t i = 0; i < s->survey.count; i++) {
        const struct surveyed_name *n = &s->survey.list[i];
        const bool is_first =
            n->is_first && !n->is_defined && !n->initial && !is_language_name(n->name);
        struct atom *first =
            is_first || is_open_length(n) ? add_atom(s, n->name, ATOM_SCALAR) : NULL;
        if (first) {
            first->kind = ATOM_SCALAR;
            first->value = first->initial = is_first ? 1 : LENGTH_GUESS;
            first->has_initial = first->is_small = true;
        }
        if (!n->is_unroll || n->is_defined)
            continue;
        if (n->initial)
            add_name_atom(s, n->name, given);
        struct atom *a = n->initial ? NULL : add_atom(s, n->name, ATOM_PARAMETER);
        if (a && !a->value)
            a->value = a->initial = 1;
    }
    return add_silent_conditions(s, given, r, kernel);
}

// A size where the kernel names none.
static void add_size(struct study *s)
{
    for (uint32_t i = 0; i < s->atom_count; i++) {
        if (s->atoms[i].kind == ATOM_SIZE || s->atoms[i].kind == ATOM_FIXED)
            return;
    }
    add_atom(s, "SIZE", ATOM_SIZE);
}

// A name that a buffer's size has as a factor is the problem's, whatever it is called.
static bool settle_roles(struct study *s, const struct needed *needs)
{
    bool changed = false;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        struct atom *a = &s->atoms[i];
        bool is_open = a->kind == ATOM_PARAMETER && !a->is_own && !a->is_lane && !a->is_switch;
        for (uint32_t k = 0; k < s->object_count && is_open; k++) {
            if (!(needs[k].factors >> i & 1) || s->all[k]->space == SPACE_SHARED)
                continue;
            a->kind = ATOM_SCALAR;
            a->is_small = true;
            changed = true;
            break;
        }
    }
    return changed;
}

static bool is_of_launch(const struct study *s, int32_t atom)
{
    for (uint32_t axis = 0; axis < s->axes; axis++) {
        const struct launch_axis *x = &s->axis[axis];
        bool is_there = x->local == atom || x->local_over == atom || x->tile_over == atom ||
                        x->tile_border == atom || x->count_atom == atom ||
                        (x->extent.has_over && x->extent.over == (uint32_t)atom);
        for (uint32_t i = 0; i < x->tile_count; i++)
            is_there |= x->tile[i] == (uint32_t)atom;
        if (is_there)
            return true;
    }
    return false;
}

// The nodes that the corners of the launch visit and the elements that they touch, as one number.
static uint64_t trace_of_corners(struct study *s)
{
    const uint64_t before = s->budget;
    study_bind(s);
    uint64_t trace = study_corners(s) ? 14695981039346656037u : 0;
    trace ^= before - s->budget;
    for (uint32_t i = 0; i < s->object_count; i++) {
        const struct touched *a = &s->all[i]->access;
        const int64_t ends[] = {a->read.any ? a->read.low : -1, a->read.any ? a->read.high : -1,
                                a->written.any ? a->written.low : -1,
                                a->written.any ? a->written.high : -1};
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
            trace = (trace ^ (uint64_t)ends[k]) * 1099511628211u;
    }
    return trace;
}

// A name to which the text gives no value, and whose value changes neither what is visited nor what is
// touched, is a number of the result.
static void settle_result_names(struct writer_of *w)
{
    struct study *s = w->study;
    const uint64_t before = s->budget, some = before / 4;
    uint64_t trace = 0;
    s->budget = some;
    for (uint32_t i = 0; i < s->atom_count && s->kernel->body; i++) {
        struct atom *a = &s->atoms[i];
        const int64_t value = a->value;
        if (a->kind != ATOM_PARAMETER || a->has_initial || a->surveyed || a->is_own ||
            a->is_switch || a->is_lane || a->is_template || a->is_argument ||
            names_role(a->name, tuned_words) || is_of_launch(s, (int32_t)i))
            continue;
        trace = trace ? trace : trace_of_corners(s);
        bool is_same = true;
        for (int64_t other = 1; other <= 64 && is_same; other *= 4) {
            a->value = other;
            is_same = trace_of_corners(s) == trace;
        }
        a->value = value;
        study_bind(s);
        if (!is_same || s->budget == 0)
            continue;
        a->kind = ATOM_SCALAR;
        a->is_small = true;
        add_open(w,
                 arena_printf(s->arena,
                              "%s = %lld: the text gives it no value, and another one is another "
                              "result",
                              a->name, (long long)a->initial));
    }
    s->budget = before - (some - s->budget);
}

static bool writes_anything(struct study *s)
{
    bool any = false;
    study_bind(s);
    for (enum data data = DATA_UNKNOWN; data <= DATA_LEAST && !any; data++) {
        s->run.data = data;
        study_corners(s);
        s->run.data = DATA_UNKNOWN;
        for (uint32_t i = 0; i < s->object_count; i++)
            any |= s->all[i]->space == SPACE_DEVICE && s->all[i]->access.written.any;
    }
    return any;
}

// A launch that writes nothing at all has a number for a size: the step of a factorisation, the place
// in a row. The first argument with which it writes, at 1, is one.
static void settle_idle_sizes(struct study *s)
{
    if (!s->kernel->body || writes_anything(s))
        return;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        struct atom *a = &s->atoms[i];
        const int64_t value = a->value;
        if (a->kind != ATOM_SIZE || !a->is_argument || is_of_launch(s, (int32_t)i))
            continue;
        a->value = 1;
        if (s->budget && writes_anything(s)) {
            a->kind = ATOM_SCALAR;
            a->initial = 1;
            return;
        }
        a->value = value;
    }
    study_bind(s);
}

// Does this item of the first group touch anything?
static bool is_item_busy(struct study *s, uint32_t axis, int64_t place)
{
    const int64_t group[3] = {0, 0, 0};
    int64_t item[3] = {0, 0, 0};
    bool is_busy = false;
    const uint64_t before = s->budget < SIZES_RESERVE ? s->budget : SIZES_RESERVE;
    item[axis] = place;
    study_bind(s);
    run_forget(&s->run);
    s->run.budget = before;
    run_item(&s->run, group, item);
    s->budget -= before - s->run.budget;
    for (uint32_t i = 0; i < s->object_count; i++)
        is_busy |= s->all[i]->access.read.any || s->all[i]->access.written.any;
    for (uint32_t i = 0; i < s->run.group_count; i++)
        is_busy |=
            s->run.group_arrays[i]->access.read.any || s->run.group_arrays[i]->access.written.any;
    return is_busy;
}

// reqd_work_group_size(64, 1, 1): the text fixes what could be tuned.
static void tell_fixed_group(struct writer_of *w)
{
    struct study *s = w->study;
    const struct node *required = s->kernel->required[0];
    if (required && required->kind == NODE_NUMBER && required->integer > 1)
        add_open(w, arena_printf(s->arena,
                                 "the group is %lld, as reqd_work_group_size says in line %u: a "
                                 "name there in place of the number (WG_SIZE) is tuned",
                                 (long long)required->integer, required->line));
}

// A group whose size is a number, and which does all the work along its axis, has no items that return at once: others
// wait for them at a barrier.
static void narrow_groups(struct study *s)
{
    for (uint32_t axis = 0; axis < s->axes && s->kernel->body; axis++) {
        struct launch_axis *x = &s->axis[axis];
        const bool is_lone = !x->is_known && x->count_atom < 0 && s->asks_place[axis] &&
                             !s->asks_group[axis] && x->local_over < 0 && x->local_times == 1;
        if (!is_lone || x->local > -9 || s->kernel->required[axis] || !is_item_busy(s, axis, 0))
            continue;
        while (x->local < -2 && !is_item_busy(s, axis, -2 - x->local))
            x->local = -1 - (-1 - x->local) / 2;
    }
}

// Groups were small, to be run; a launch has larger ones, where they are free.
static void widen_groups(struct study *s)
{
    static const int64_t sizes[3] = {64, 16, 4};
    uint32_t named = 0;
    for (uint32_t i = 0; i < s->atom_count; i++)
        named += s->atoms[i].kind == ATOM_GROUP && !s->atoms[i].is_own;
    for (uint32_t i = 0; i < s->atom_count && s->group_axes; i++) {
        struct atom *a = &s->atoms[i];
        int64_t before = a->value;
        // Several names may have to agree with one another; one has only itself.
        if (a->kind != ATOM_GROUP || a->has_initial || (!a->is_own && named > 1) || is_warps(s, i))
            continue;
        a->value = sizes[s->group_axes - 1];
        if (is_value_possible(s, 2000000))
            a->initial = a->value;
        a->value = before;
    }
    study_bind(s);
}

// ---- sizes that memory holds -------------------------------------------------------------------

#define ELEMENTS_MOST (1 << 24) // of one buffer: a first check shall be short

static bool holds_everywhere(struct study *s, const struct inferred *out,
                             const struct bound_names *b)
{
    for (uint32_t i = 0; i < out->restriction_count; i++) {
        if (!value_of_text(s, b, out->restrictions[i]))
            return false;
    }
    return true;
}

static bool is_too_large(struct study *s, const struct inferred *out, const struct bound_names *b)
{
    for (uint32_t i = 0; i < out->argument_count; i++) {
        if (out->arguments[i].size && value_of_text(s, b, out->arguments[i].size) > ELEMENTS_MOST)
            return true;
    }
    return false;
}

// A launch may be short and its buffers still too large, as the squares of sizes are: then the sizes are
// halved, as far as restrictions allow.
static bool limit_memory(struct writer_of *w)
{
    struct study *s = w->study;
    struct inferred *out = w->out;
    struct bound_names *b = arena_alloc(s->arena, sizeof *b);
    if (!b)
        return false;
    for (uint32_t i = 0; i < s->atom_count; i++)
        s->atoms[i].value = s->atoms[i].initial;
    bind_names(s, b);
    for (int pass = 0; pass < 24 && is_too_large(s, out, b); pass++) {
        for (uint32_t i = 0; i < s->atom_count; i++) {
            struct atom *a = &s->atoms[i];
            if (a->kind == ATOM_SIZE && !a->has_initial && a->value >= 128)
                a->value /= 2;
        }
        bind_names(s, b);
        if (!holds_everywhere(s, out, b))
            break;
        for (uint32_t i = 0; i < s->atom_count; i++)
            s->atoms[i].initial = s->atoms[i].value;
    }
    for (uint32_t i = 0; i < s->atom_count; i++) {
        s->atoms[i].value = s->atoms[i].initial;
        struct inferred_name *n = inferred_find_name(out, s->atoms[i].text);
        if (n)
            n->value = s->atoms[i].initial;
    }
    return true;
}

// ---- sizes that hold for every configuration ---------------------------------------------------

#define SHORTAGE_PATIENCE 3000 // nodes after which a loop ends: rows count, not their ends

// By argument: how many times its size it needs at least, the elements, and how many it lacks.
struct shortage {
    int64_t times[2 * OBJECTS_MOST], elements[2 * OBJECTS_MOST], lack[2 * OBJECTS_MOST];
};

static const struct object *object_of(const struct study *s, const struct inferred_argument *a)
{
    for (uint32_t i = 0; i < s->object_count; i++) {
        if (str_equal(s->all[i]->name, a->name))
            return s->all[i];
    }
    return NULL;
}

// Runs the launch with the atoms' values, whatever its buffers hold. `is_varied`: they are not the
// defaults, with which the text was read, so that only guesses are held against it.
static void note_shortage(struct writer_of *w, struct bound_names *b, bool is_varied,
                          struct shortage *out)
{
    struct study *s = w->study;
    bind_names(s, b);
    for (enum data data = DATA_UNKNOWN; data <= DATA_LEAST; data++) {
        const uint64_t before = s->budget, some = before / 32;
        s->budget = some;
        s->run.data = data;
        s->run.patience = SHORTAGE_PATIENCE;
        study_corners(s);
        s->run.patience = 0;
        s->run.data = DATA_UNKNOWN;
        s->budget = before - (some - s->budget);
        for (uint32_t i = 0; i < w->out->argument_count && i < 2 * OBJECTS_MOST; i++) {
            const struct inferred_argument *a = &w->out->arguments[i];
            const struct object *o = a->size ? object_of(s, a) : NULL;
            const int64_t need = o ? study_need(o) : 0;
            const int64_t size = o ? value_of_text(s, b, a->size) : 0;
            if (size < 1 || need <= size || need > 1 << 30 || (is_varied && !a->is_guess))
                continue;
            const int64_t times = (need + size - 1) / size;
            out->times[i] = times > out->times[i] ? times : out->times[i];
            out->elements[i] = need > out->elements[i] ? need : out->elements[i];
            out->lack[i] = need - size > out->lack[i] ? need - size : out->lack[i];
        }
    }
}

// With the defaults, and with each other value of a parameter.
static void note_shortages(struct writer_of *w, struct bound_names *b, struct shortage *out)
{
    struct study *s = w->study;
    int64_t before[ATOMS_MOST] = {0};
    for (uint32_t i = 0; i < s->atom_count; i++)
        before[i] = s->atoms[i].value = s->atoms[i].initial;
    note_shortage(w, b, false, out);
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct inferred_name *n = inferred_find_name(w->out, s->atoms[i].text);
        const char *at = n ? n->values : NULL;
        while (at && (at = strpbrk(at, "0123456789")) != NULL) {
            char *end;
            s->atoms[i].value = strtoll(at, &end, 10);
            at = end;
            study_carry(s, i);
            if (s->atoms[i].value != before[i])
                note_shortage(w, b, true, out);
            restore_values(s, before);
        }
    }
    study_bind(s);
}

// A buffer that is smaller than what a launch was seen to reach becomes larger: by what it lacks, where
// that is a border, else as many times as large.
static bool cover_shortages(struct writer_of *w)
{
    struct study *s = w->study;
    struct bound_names *b = arena_alloc(s->arena, sizeof *b);
    struct shortage *found = arena_alloc(s->arena, sizeof *found);
    if (!b || !found)
        return false;
    note_shortages(w, b, found);
    for (uint32_t i = 0; i < w->out->argument_count && i < 2 * OBJECTS_MOST; i++) {
        struct inferred_argument *a = &w->out->arguments[i];
        int64_t number;
        const bool is_sum = a->size && strpbrk(a->size, "+-/");
        if (found->times[i] < 2)
            continue;
        const bool is_border = found->lack[i] <= found->elements[i] / 16 && !a->is_guess;
        a->size = str_to_i64(a->size, &number)
                      ? arena_printf(s->arena, "%lld", (long long)found->elements[i])
                  : is_border
                      ? arena_printf(s->arena, "%s + %lld", a->size, (long long)found->lack[i])
                      : arena_printf(s->arena, is_sum ? "%lld * (%s)" : "%lld * %s",
                                     (long long)found->times[i], a->size);
        if (!a->size)
            return false;
        if (a->access == INFERRED_WRITE) { // not all of it is written then
            a->access = INFERRED_BOTH;
            a->is_zero = true;
        }
    }
    return true;
}

// The words of the functions that the kernel reaches, or of all others.
static const char *join_words(const struct writer_of *w, bool of_reached)
{
    const struct study *s = w->study;
    struct text t = TEXT_INIT;
    for (uint32_t i = 0; i < s->syntax.function_count; i++) {
        const struct function *f = &s->syntax.functions[i];
        bool is_reached = f->from == s->kernel->from || w->reach->function_count == FUNCTIONS_MOST;
        for (uint32_t k = 0; !is_reached && k < w->reach->function_count; k++)
            is_reached = w->reach->functions[k]->from == f->from;
        for (const struct token *at = f->from; is_reached == of_reached && at && at < f->to; at++)
            text_addf(&t, "%s ", at->text);
    }
    return text_to_arena(&t, s->arena);
}

static bool study_kernel(struct study *s, struct writer_of *w)
{
    struct needed *needs = arena_array(s->arena, OBJECTS_MOST, sizeof *needs);
    if (!needs || !make_objects(s, w->reach))
        return false;
    study_settle_demands(s, w->reach->functions, w->reach->function_count);
    const uint64_t reserve = s->budget < SIZES_RESERVE ? s->budget : SIZES_RESERVE;
    s->budget -= reserve;
    if (s->axes)
        study_launch(s);
    if (!study_contents(s) || !study_sizes(s, needs))
        return false;
    settle_roles(s, needs);
    settle_result_names(w);
    widen_groups(s);
    s->budget += reserve;
    choose_sizes(s);
    settle_idle_sizes(s);
    narrow_groups(s);
    tell_fixed_sizes(w);
    tell_unread(w);
    w->is_by_group = w->reach->is_joint && names_role(s->kernel->name, group_results);
    w->out->axes = s->axes;
    w->out->is_function = s->axes == 0;
    tell_fixed_group(w);
    if (s->is_group_guess)
        add_open(w, "LocalSize: the size of a work-group, of which the text makes no sense");
    for (uint32_t axis = 0; axis < s->axes; axis++)
        write_axis(w, axis);
    write_template(w);
    write_text_restrictions(w);
    settle_sizes(w);
    w->out->reached = join_words(w, true);
    w->out->others = join_words(w, false);
    bool is_written = w->out->reached && w->out->others && write_arguments(w, needs) &&
                      write_names(w) && limit_memory(w) && cover_shortages(w);
    tell_defined_numbers(w);
    return is_written && !s->run.failed;
}

struct asked {
    const char *text;
    size_t length;
    struct lone_text *lone; // of it
    enum language language;
    const char *kernel;
    struct arena *arena;
    uint64_t *budget;      // of all studies together, which pay for reading the text, too
    const char *size_name; // (or NULL) a name that is a size, whatever it is called
};

// Switches at other values than their defaults.
struct switched {
    struct given_name list[DEMANDING_MOST];
    uint32_t count;
};

// With these switches (NULL: at their defaults), and the names of another variant (or NULL).
// `demanding`: (or NULL) the switches with which the kernel has more names.
static bool infer_with(const struct asked *q, const struct switched *forced,
                       const struct inferred *more, struct inferred *out,
                       struct switched *demanding, struct error *e)
{
    struct arena *a = q->arena;
    struct study *s = arena_alloc(a, sizeof *s);
    struct givens *given = arena_alloc(a, sizeof *given);
    struct reach *reach = arena_alloc(a, sizeof *reach);
    *out = (struct inferred){.kernel = q->kernel};
    if (!s || !given || !reach)
        return error_memory(e);
    *s = (struct study){.arena = a,
                        .language = q->language,
                        .text = q->text,
                        .length = q->length,
                        .lone = q->lone,
                        .size_name = q->size_name,
                        .all_budget = q->budget};
    struct writer_of w = {.study = s, .out = out, .reach = reach};
    if (!read_survey(q->lone, a, &s->survey))
        return error_memory(e);
    give_survey(given, &s->survey);
    for (uint32_t i = 0; forced && i < forced->count; i++)
        give_name(given, forced->list[i].name, forced->list[i].value);
    if (!read_source(q->lone, q->language, given, a, &s->source, &s->syntax))
        return error_memory(e);
    s->kernel = syntax_function(&s->syntax, q->kernel);
    if (!s->kernel)
        return error_set(e, ERROR_INPUT, "there is no kernel '%s'", q->kernel);
    pay_reading(q->budget, &s->source);
    struct spread_parameter *origins = NULL;
    if (!spread_structs(&s->syntax, (struct function *)s->kernel, s->text, s->language, a,
                        &origins))
        return error_memory(e);
    s->origins = origins;
    if (!check_parameters(s, e))
        return false;
    if (*s->kernel->scope)
        out->kernel = arena_printf(a, "%s%s", s->kernel->scope, s->kernel->name);
    if (!out->kernel)
        return error_memory(e);
    if (!s->kernel->body)
        add_open(&w, arena_printf(a, "all sizes: line %u of the kernel is not understood",
                                  s->kernel->trouble));
    if (!make_atoms(s, given, reach, q->kernel, more))
        return error_memory(e);
    if (demanding) {
        memcpy(demanding->list, s->demanding, sizeof demanding->list);
        demanding->count = s->demanding_count;
    }
    if (s->axes == 0 && !language_traits(q->language)->is_plain_call)
        s->axes = 1;
    add_image_atoms(s);
    if (s->axes)
        add_size(s);
    const uint64_t given_budget = *q->budget < STUDY_BUDGET ? *q->budget : STUDY_BUDGET;
    s->budget = given_budget;
    bool is_done = study_kernel(s, &w);
    *q->budget -= given_budget > s->budget ? given_budget - s->budget : 0;
    arena_release(&s->run.scratch);
    return is_done || error_memory(e);
}

// Adds a variant's knowledge about buffers that the default does not use, or only reads.
static void merge_variant(struct inferred *f, const struct inferred *variant)
{
    for (uint32_t i = 0; i < f->argument_count; i++) {
        struct inferred_argument *a = &f->arguments[i];
        const struct inferred_argument *v = inferred_find_argument(variant, a->name);
        if (!v || v->kind != a->kind || a->kind == INFERRED_SCALAR || v->is_unused || v->is_guess)
            continue;
        if (a->is_unused)
            *a = *v;
        else if (a->access != v->access && a->kind == INFERRED_BUFFER)
            a->access = INFERRED_BOTH;
    }
}

static bool has_unused(const struct inferred *f)
{
    for (uint32_t i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].is_unused)
            return true;
    }
    return false;
}

#define VARIANTS_MOST 8

// Buffers that only other values of the switches use, and names that are seen only then.
static bool look_at_variants(const struct asked *q, struct inferred *f, struct error *e)
{
    uint32_t runs = 0;
    for (uint32_t i = 0; i < f->name_count && has_unused(f) && *q->budget > 0; i++) {
        const struct inferred_name *n = &f->names[i];
        for (uint32_t k = 0; n->is_switch && k < 2 && runs<VARIANTS_MOST && * q->budget> 0; k++) {
            struct switched forced = {{{n->name, k}}, 1};
            struct inferred variant;
            struct error why = ERROR_INIT;
            if (k == n->value)
                continue;
            runs++;
            if (infer_with(q, &forced, NULL, &variant, NULL, &why)) {
                if (*q->budget > 0) // else it was not studied
                    merge_variant(f, &variant);
            } else if (why.code == ERROR_MEMORY)
                return error_memory(e);
        }
    }
    return true;
}

static bool is_same_group(const struct inferred *a, const struct inferred *b)
{
    bool same = a->axes == b->axes;
    for (uint32_t axis = 0; same && axis < a->axes; axis++)
        same = str_equal(a->local[axis], b->local[axis]);
    return same;
}

// "LOCAL != 1 or " before a restriction that holds with that value; of several switches any may be the
// one that it depends on.
static const char *switched_text(const struct switched *switched, struct arena *a, const char *text)
{
    const char *unless = NULL;
    for (uint32_t i = 0; i < switched->count; i++) {
        const struct given_name *n = &switched->list[i];
        unless = arena_printf(a, "%s%s%s != %lld", unless ? unless : "", unless ? " and " : "",
                              n->name, (long long)n->value);
        if (!unless)
            return NULL;
    }
    return text && unless ? arena_printf(a, "%s or %s", unless, text) : text;
}

// Adds the variant's own restrictions. A parameter of the launch that the variant's source lacks
// keeps its value there, since the launch would differ.
static bool add_variant_restrictions(const struct asked *q, const struct switched *switched,
                                     const struct inferred *variant, struct inferred *f)
{
    const uint32_t room = f->restriction_count + variant->restriction_count + f->name_count;
    const char **all = arena_array(q->arena, room + (size_t)1, sizeof *all);
    uint32_t count = 0;
    if (!all)
        return false;
    for (uint32_t i = 0; i < f->restriction_count; i++)
        all[count++] = f->restrictions[i];
    for (uint32_t i = variant->launch_restriction_count; i < variant->restriction_count; i++) {
        bool is_there = false;
        for (uint32_t k = 0; k < f->restriction_count; k++)
            is_there |= strcmp(f->restrictions[k], variant->restrictions[i]) == 0;
        if (!is_there)
            all[count++] = switched_text(switched, q->arena, variant->restrictions[i]);
    }
    for (uint32_t i = 0; i < f->name_count; i++) {
        const struct inferred_name *n = &f->names[i];
        if (n->role == NAME_PARAMETER && !n->is_switch && !inferred_find_name(variant, n->name) &&
            is_in_launch(f, n->name))
            all[count++] =
                switched_text(switched, q->arena,
                              arena_printf(q->arena, "%s == %lld", n->name, (long long)n->value));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!all[i])
            return false;
    }
    f->restrictions = all;
    f->restriction_count = count;
    return true;
}

// Names that the default has and the variant has not.
static bool add_default_names(const struct asked *q, const struct inferred *f,
                              struct inferred *variant)
{
    struct inferred_name *names =
        arena_array(q->arena, f->name_count + variant->name_count + (size_t)1, sizeof *names);
    uint32_t count = 0;
    if (!names)
        return false;
    for (uint32_t i = 0; i < variant->name_count; i++) {
        const struct inferred_name *n = &variant->names[i], *mine = inferred_find_name(f, n->name);
        names[count++] = n->is_switch && mine ? *mine : *n;
    }
    for (uint32_t i = 0; i < f->name_count; i++) {
        if (!f->names[i].is_own && !inferred_find_name(variant, f->names[i].name))
            names[count++] = f->names[i];
    }
    variant->names = names;
    variant->name_count = count;
    return true;
}

// The variant of a kernel that has more names than its default. Both run with one launch: the
// default's, with the variant's names, where it has the group that the variant needs; else the
// variant's, where it is as clear, since a work-group that suits it suits both. The switch keeps its
// default.
static bool take_variant(const struct asked *q, const struct switched *switched, struct inferred *f,
                         struct error *e)
{
    struct inferred variant, both;
    struct error why = ERROR_INIT;
    if (switched->count == 0 || *q->budget == 0)
        return true;
    if (!infer_with(q, switched, NULL, &variant, NULL, &why) ||
        !infer_with(q, NULL, &variant, &both, NULL, &why))
        return why.code != ERROR_MEMORY || error_memory(e);
    bool is_one = is_same_group(&both, &variant) && both.open_count <= f->open_count;
    if (!is_one && variant.open_count > f->open_count)
        return true;
    if (is_one) {
        merge_variant(&both, &variant);
        *f = both;
        return add_variant_restrictions(q, switched, &variant, f) || error_memory(e);
    }
    merge_variant(&variant, f);
    bool ok = add_default_names(q, f, &variant);
    *f = variant;
    return ok || error_memory(e);
}

// Buffers whose size is a guess although the kernel uses them.
static uint32_t count_guesses(const struct inferred *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->argument_count; i++)
        count += f->arguments[i].kind == INFERRED_BUFFER && f->arguments[i].is_guess &&
                 !f->arguments[i].is_unused;
    return count;
}

// The only name to which the text gives no value, where the kernel names no size; NULL: there is none, or several.
static const char *find_nameless_size(const struct inferred *f)
{
    const char *found = NULL;
    bool is_added = false;
    for (uint32_t i = 0; i < f->name_count; i++) {
        const struct inferred_name *n = &f->names[i];
        is_added |= n->role == NAME_CONSTANT && str_equal(n->name, "SIZE");
        if (n->role != NAME_PARAMETER || n->is_own || n->is_switch)
            continue;
        if (found || !n->is_guess || names_role(n->name, tuned_words) || is_in_launch(f, n->name))
            return NULL;
        found = n->name;
    }
    return is_added ? found : NULL;
}

// A row of a matrix is as long as the launch, and the text names that length alone: with the name for the size no
// buffer's size is a guess any more.
static bool take_nameless_size(struct asked *q, struct inferred *f, struct error *e)
{
    struct asked named = *q;
    struct inferred other;
    struct error why = ERROR_INIT;
    named.size_name = count_guesses(f) ? find_nameless_size(f) : NULL;
    if (!named.size_name)
        return true;
    if (!infer_with(&named, NULL, NULL, &other, NULL, &why))
        return why.code != ERROR_MEMORY || error_memory(e);
    if (count_guesses(&other) == 0) {
        *f = other;
        q->size_name = named.size_name;
    }
    return true;
}

// Sizes that are still guesses.
static bool tell_guesses(const struct asked *q, struct inferred *f)
{
    const char **open =
        arena_array(q->arena, f->open_count + f->argument_count + (size_t)1, sizeof *open);
    if (!open)
        return false;
    for (uint32_t i = 0; i < f->open_count; i++)
        open[i] = f->open[i];
    f->open = open;
    for (uint32_t i = 0; i < f->argument_count; i++) {
        const struct inferred_argument *a = &f->arguments[i];
        if (!a->is_guess || (a->kind != INFERRED_BUFFER && a->kind != INFERRED_LOCAL))
            continue;
        const char *text = arena_printf(q->arena, "the size of %s: %s is a guess, since %s",
                                        a->name, a->size, a->why);
        if (!text)
            return false;
        f->open[f->open_count++] = text;
    }
    return true;
}

static bool infer_within(uint64_t budget, const char *text, size_t length, enum language l,
                         const char *kernel, struct arena *a, struct inferred *out, struct error *e)
{
    char *ended = arena_alloc(a, length + 1); // zeroed: what searches it meets its end
    if (!ended)
        return error_memory(e);
    memcpy(ended, text, length);
    struct lone_text lone;
    if (!lone_text_read(ended, length, a, &lone))
        return error_memory(e);
    struct asked q = {ended, length, &lone, l, kernel, a, &budget, NULL};
    struct switched demanding = {.count = 0};
    return infer_with(&q, NULL, NULL, out, &demanding, e) && take_nameless_size(&q, out, e) &&
           take_variant(&q, &demanding, out, e) && look_at_variants(&q, out, e) &&
           (tell_guesses(&q, out) || error_memory(e));
}

bool infer_kernel(const char *text, size_t length, enum language l, const char *kernel,
                  struct arena *a, struct inferred *out, struct error *e)
{
    return infer_within(STUDIES_BUDGET, text, length, l, kernel, a, out, e);
}

bool infer_names(const char *text, size_t length, enum language l, const char *kernel,
                 struct arena *a, struct inferred *out, struct error *e)
{
    return infer_within(0, text, length, l, kernel, a, out, e);
}
