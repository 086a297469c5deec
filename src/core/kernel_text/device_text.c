// The lines that the compiler sees are taken as one row of words and cut into what they declare: a
// function, a type, a variable, a call of a macro. Kernels are kept, and what they name, and what that
// names; the rest is left out. Files are then written anew, word by word, each on its line.
#include "kernel_text/device_text.h"

#include "kernel_text/preprocess.h"

#include <string.h>

struct word {
    const struct token *token;
    uint32_t file;
    bool is_dropped, is_inside; // is_inside: behind another word of what is dropped
    const char *instead;        // (or NULL) what is written in its place
};

enum part_kind { PART_FRAME, PART_FUNCTION, PART_RECORD, PART_TYPE, PART_VARIABLE, PART_CALL };

struct part {
    size_t from, to; // words
    enum part_kind kind;
    bool is_kept;
    bool is_kernel, is_device, is_constant;
    bool is_faulty; // the compiler refused a line of it
};

// The words of one item, if it is compiled.
struct item_words {
    bool is_live;
    size_t from, to;
};

// A set of names.
#define SET_CHAINS 1024
struct set_entry {
    const char *name;
    struct set_entry *next;
};
struct name_set {
    struct set_entry *chains[SET_CHAINS];
    size_t count;
};

// A macro of the program's own.
struct own_define {
    const char *name;
    const struct token *words;
    size_t count;
    bool is_used;
};

struct device_reader {
    struct device_program *program;
    struct arena *arena;
    struct scan *scans;
    struct follow_file *follow;
    struct item_words **items; // by file
    struct word *words;
    size_t word_count, word_room;
    struct part *parts;
    size_t part_count, part_room;
    struct own_define *defines;
    size_t define_count, define_room;
    struct name_set used, kernel_words, device_words, namespaces;
    bool has_asked; // the kernels asked for are there: others are kept only where these reach them
    bool failed;
};

// ---- names -------------------------------------------------------------------------------------

static struct set_entry **set_place(struct name_set *s, const char *name)
{
    uint32_t hash = 2166136261u;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    struct set_entry **at = &s->chains[hash % SET_CHAINS];
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static bool set_has(const struct name_set *s, const char *name)
{
    return *set_place((struct name_set *)s, name) != NULL;
}

static void set_add(struct device_reader *d, struct name_set *s, const char *name)
{
    struct set_entry **at = set_place(s, name);
    if (*at)
        return;
    *at = arena_alloc(d->arena, sizeof **at);
    d->failed |= !*at;
    if (*at)
        **at = (struct set_entry){.name = name};
    s->count++;
}

// ---- the row of words --------------------------------------------------------------------------

static void add_define(struct device_reader *d, const struct scan_item *item)
{
    size_t count = 0;
    const struct token *t = tokens_read(item->body, strlen(item->body), d->arena, &count);
    if (!t || !ARENA_ROOM(d->arena, d->defines, d->define_room, d->define_count + 1)) {
        d->failed = true;
        return;
    }
    d->defines[d->define_count++] =
        (struct own_define){.name = item->text, .words = t, .count = count};
}

static void add_words(struct device_reader *d, uint32_t file, uint32_t item)
{
    const struct device_file *f = &d->program->files[file];
    const struct scan *scan = &d->scans[file];
    const size_t from = scan->items[item].from;
    const size_t to = item + 1 < scan->count ? scan->items[item + 1].from : f->length;
    size_t count = 0;
    struct token *t = tokens_read(f->text + from, to - from, d->arena, &count);
    if (!t || !ARENA_ROOM(d->arena, d->words, d->word_room, d->word_count + count)) {
        d->failed = true;
        return;
    }
    d->items[file][item].from = d->word_count;
    for (size_t i = 0; i < count; i++) {
        t[i].line += scan->items[item].first - 1;
        d->words[d->word_count++] = (struct word){.token = &t[i], .file = file};
    }
    d->items[file][item].to = d->word_count;
}

static void take_live(void *context, struct macros *m, uint32_t file, const struct scan_item *item,
                      bool sure)
{
    struct device_reader *d = context;
    const uint32_t index = (uint32_t)(item - d->scans[file].items);
    (void)m;
    (void)sure;
    if (d->items[file][index].is_live)
        return;
    d->items[file][index].is_live = true;
    if (item->kind == SCAN_DEFINE)
        add_define(d, item);
    else if (item->kind == SCAN_TEXT && !item->reads)
        add_words(d, file, index);
}

// The file that "NAME" means: one whose path ends so, or UINT32_MAX.
static uint32_t find_named(const struct device_program *p, const char *name)
{
    while (str_starts(name, "../") || str_starts(name, "./"))
        name = strchr(name, '/') + 1;
    const size_t length = strlen(name);
    for (uint32_t i = 1; i < p->count; i++) {
        const size_t whole = strlen(p->files[i].path);
        const char *end = p->files[i].path + (whole >= length ? whole - length : 0);
        if (whole >= length && strcmp(end, name) == 0 && (whole == length || end[-1] == '/'))
            return i;
    }
    return FOLLOW_UNRESOLVED;
}

static bool read_files(struct device_reader *d)
{
    struct device_program *p = d->program;
    d->scans = arena_array(d->arena, p->count, sizeof *d->scans);
    d->follow = arena_array(d->arena, p->count, sizeof *d->follow);
    d->items = arena_array(d->arena, p->count, sizeof *d->items);
    if (!d->scans || !d->follow || !d->items)
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        struct device_file *f = &p->files[i];
        if (!scan_text(f->text, f->length, p->terms.names, d->arena, &d->scans[i]))
            return false;
        const struct scan *s = &d->scans[i];
        uint32_t *targets = arena_array(d->arena, s->count + (size_t)1, sizeof *targets);
        d->items[i] = arena_array(d->arena, s->count + (size_t)1, sizeof **d->items);
        if (!targets || !d->items[i])
            return false;
        for (uint32_t k = 0; k < s->count; k++)
            targets[k] = s->items[k].kind == SCAN_INCLUDE ? find_named(p, s->items[k].text)
                                                          : FOLLOW_UNRESOLVED;
        d->follow[i] = (struct follow_file){
            .scan = s, .targets = targets, .text = f->text, .length = f->length};
    }
    return true;
}

static bool read_words(struct device_reader *d)
{
    if (!read_files(d))
        return false;
    struct follow f = {.files = d->follow,
                       .file_count = d->program->count,
                       .main_count = 1,
                       .terms = d->program->terms,
                       .regardless = true,
                       .live = take_live,
                       .context = d};
    return follow_run(&f, d->arena) && !d->failed;
}

// ---- parts -------------------------------------------------------------------------------------

static bool is_at(const struct device_reader *d, size_t i, const char *text)
{
    return i < d->word_count && !d->words[i].token->directive &&
           strcmp(d->words[i].token->text, text) == 0 && d->words[i].token->kind != TOKEN_TEXT;
}

static bool is_name_at(const struct device_reader *d, size_t i)
{
    return i < d->word_count && !d->words[i].token->directive &&
           d->words[i].token->kind == TOKEN_NAME;
}

static bool is_listed_at(const struct device_reader *d, size_t i, const char *const *list)
{
    return is_name_at(d, i) && str_listed(list, d->words[i].token->text);
}

static const char *const attribute_words[] = {"__launch_bounds__", "__attribute__",    "__align__",
                                              "alignas",           "__declspec",       "decltype",
                                              "__maxnreg__",       "__cluster_dims__", NULL};
static const char *const record_words[] = {"struct", "class", "union", "enum", NULL};

// Behind the bracket that closes the one at i.
static size_t behind_brackets(const struct device_reader *d, size_t i)
{
    int depth = 0;
    for (; i < d->word_count; i++) {
        const struct token *t = d->words[i].token;
        const char c = t->kind == TOKEN_SIGN && !t->directive && !t->text[1] ? t->text[0] : 0;
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth <= 0 && c)
            return i + 1;
    }
    return i;
}

// Behind template <...>.
static size_t behind_template(const struct device_reader *d, size_t i)
{
    int depth = 0;
    for (i++; i < d->word_count; i++) {
        if (is_at(d, i, "(")) {
            i = behind_brackets(d, i) - 1;
            continue;
        }
        depth += is_at(d, i, "<") ? 1 : is_at(d, i, ">") ? -1 : is_at(d, i, ">>") ? -2 : 0;
        if (depth <= 0)
            return i + 1;
    }
    return i;
}

static void note_part_word(struct device_reader *d, struct part *p, size_t i)
{
    static const char *const constant[] = {"const", "constexpr", NULL};
    if (!is_name_at(d, i))
        return;
    const char *text = d->words[i].token->text;
    p->is_kernel |= set_has(&d->kernel_words, text);
    p->is_device |= set_has(&d->device_words, text);
    p->is_constant |= str_listed(constant, text);
}

// namespace X {, extern "C" {, a closing brace: what stands around the rest.
static bool read_frame(struct device_reader *d, size_t i, struct part *p)
{
    size_t end = i;
    if (is_at(d, i, "extern") && i + 2 < d->word_count &&
        d->words[i + 1].token->kind == TOKEN_TEXT && is_at(d, i + 2, "{"))
        end = i + 3;
    else if (is_at(d, i, "}") || is_at(d, i, ";") || d->words[i].token->directive)
        end = i + 1;
    else if (is_at(d, i + 2, "=")) // namespace a = b;
        return false;
    else if (is_at(d, i, "namespace") || (is_at(d, i, "inline") && is_at(d, i + 1, "namespace"))) {
        for (end = i; end < d->word_count && !is_at(d, end, "{") && !is_at(d, end, ";"); end++) {
            if (is_name_at(d, end))
                set_add(d, &d->namespaces, d->words[end].token->text);
        }
        end++;
    }
    *p = (struct part){.from = i, .to = end, .kind = PART_FRAME, .is_kept = true};
    return end > i;
}

// A brace in the head of a part opens its body, a record's members or a value.
static enum part_kind kind_at_brace(const struct device_reader *d, size_t i, bool has_record,
                                    bool has_list)
{
    bool is_value = is_at(d, i - 1, "=") || is_at(d, i - 1, "]");
    if (is_value || (!has_record && !has_list && is_name_at(d, i - 1)))
        return PART_VARIABLE;
    return has_record && !has_list ? PART_RECORD : PART_FUNCTION;
}

// An attribute in front of its brackets: of the language, or a macro of the text's own with the declared name behind.
static bool is_attribute(const struct device_reader *d, size_t i)
{
    if (is_listed_at(d, i, attribute_words))
        return true;
    bool is_macro = false;
    const size_t behind = is_name_at(d, i) ? behind_brackets(d, i + 1) : 0;
    const bool is_declared =
        behind && is_name_at(d, behind) &&
        (is_at(d, behind + 1, "[") || is_at(d, behind + 1, "=") || is_at(d, behind + 1, ";"));
    for (size_t k = 0; is_declared && k < d->define_count && !is_macro; k++)
        is_macro = str_equal(d->defines[k].name, d->words[i].token->text);
    return is_macro;
}

// Reads what is declared at word i.
static void read_device_part(struct device_reader *d, size_t i, struct part *p)
{
    bool has_record = false, has_list = false, has_value = false;
    *p = (struct part){.from = i, .kind = PART_VARIABLE};
    const bool is_type = is_at(d, i, "typedef") || is_at(d, i, "using") || is_at(d, i, "namespace");
    const bool is_call =
        is_name_at(d, i) && is_at(d, i + 1, "(") && !is_listed_at(d, i, attribute_words);
    size_t at = i;
    while (at < d->word_count) {
        note_part_word(d, p, at);
        if (is_at(d, at, "template") && is_at(d, at + 1, "<")) {
            at = behind_template(d, at);
        } else if (is_at(d, at, "(") || is_at(d, at, "[")) {
            has_list |= is_at(d, at, "(") && !(at > i && is_attribute(d, at - 1)) && !has_value;
            at = behind_brackets(d, at);
            if (is_call && at < d->word_count && !is_at(d, at, "{") && has_list) {
                p->kind = PART_CALL;
                p->to = at + is_at(d, at, ";");
                return;
            }
        } else if (is_at(d, at, "{")) {
            enum part_kind kind = kind_at_brace(d, at, has_record, has_list);
            at = behind_brackets(d, at);
            p->kind = kind;
            if (kind == PART_FUNCTION)
                break;
        } else if (is_at(d, at, ";")) {
            at++;
            if (p->kind != PART_RECORD && has_record && !has_list)
                p->kind = PART_RECORD;
            else if (p->kind != PART_RECORD && has_list)
                p->kind = PART_FUNCTION;
            break;
        } else if (is_at(d, at, "}")) {
            break; // it was not understood
        } else {
            has_record |= is_listed_at(d, at, record_words);
            has_value |= is_at(d, at, "=");
            at++;
        }
    }
    p->kind = is_type ? PART_TYPE : p->kind;
    p->to = at > i ? at : i + 1;
}

static bool read_parts(struct device_reader *d)
{
    for (size_t i = 0; i < d->word_count && !d->failed;) {
        if (!ARENA_ROOM(d->arena, d->parts, d->part_room, d->part_count + 1))
            return false;
        struct part *p = &d->parts[d->part_count++];
        if (!read_frame(d, i, p))
            read_device_part(d, i, p);
        i = p->to;
    }
    return !d->failed;
}

// ---- what they declare -------------------------------------------------------------------------

static bool is_used(const struct device_reader *d, size_t i)
{
    return is_name_at(d, i) && set_has(&d->used, d->words[i].token->text);
}

static bool declares_function(const struct device_reader *d, const struct part *p)
{
    for (size_t i = p->from; i < p->to; i++) {
        if (is_at(d, i, "template") && is_at(d, i + 1, "<")) {
            i = behind_template(d, i) - 1;
        } else if (is_at(d, i, "operator")) {
            return true; // what calls it does not name it
        } else if (is_at(d, i, "(")) {
            if (!is_attribute(d, i - 1))
                return is_used(d, i - 1);
            i = behind_brackets(d, i) - 1;
        }
    }
    return false;
}

// The name behind `struct`, enumerators, and what is declared behind the members.
static bool declares_record(const struct device_reader *d, const struct part *p)
{
    bool is_enum = false;
    for (size_t i = p->from; i < p->to; i++) {
        if (is_at(d, i, "template") && is_at(d, i + 1, "<")) {
            i = behind_template(d, i) - 1;
        } else if (is_at(d, i, "(")) {
            i = behind_brackets(d, i) - 1;
        } else if (is_at(d, i, "{")) {
            const size_t end = behind_brackets(d, i);
            for (size_t k = i; is_enum && k < end; k++) {
                if ((is_at(d, k, "{") || is_at(d, k, ",")) && is_used(d, k + 1))
                    return true;
            }
            i = end - 1;
        } else if (is_used(d, i) && !is_listed_at(d, i, record_words)) {
            return true;
        }
        is_enum |= is_at(d, i, "enum");
    }
    return false;
}

// A name in front of what ends a declarator.
static bool declares_name(const struct device_reader *d, const struct part *p)
{
    static const char *const ends[] = {"=", ";", ",", "[", "{", NULL};
    if (is_at(d, p->from, "using") && is_at(d, p->from + 2, "="))
        return is_used(d, p->from + 1);
    for (size_t i = p->from + 1; i < p->to; i++) {
        const struct token *t = d->words[i].token;
        bool is_end = t->kind == TOKEN_SIGN && str_listed(ends, t->text);
        bool is_pointer = is_at(d, i, ")") && is_at(d, i + 1, "("); // (*name)(int)
        if ((is_end || is_pointer) && is_used(d, i - 1))
            return true;
        if (is_at(d, i, "{"))
            i = behind_brackets(d, i) - 1;
    }
    return false;
}

// using namespace X;
static bool is_namespace_known(const struct device_reader *d, const struct part *p)
{
    static const char *const known[] = {"cooperative_groups", "nvcuda", "cuda", NULL};
    return is_listed_at(d, p->from + 2, known) ||
           (is_name_at(d, p->from + 2) &&
            set_has(&d->namespaces, d->words[p->from + 2].token->text));
}

// A kernel that is asked for, or any where those are not found.
static bool is_asked_kernel(const struct device_reader *d, const struct part *p)
{
    return p->is_kernel && (!d->has_asked || declares_function(d, p));
}

static bool is_wanted(const struct device_reader *d, const struct part *p)
{
    if (p->is_faulty)
        return p->is_kernel && p->kind == PART_FUNCTION && is_asked_kernel(d, p);
    switch (p->kind) {
    case PART_FRAME:
        return true;
    case PART_CALL:
        return p->is_kernel || p->is_device || is_at(d, p->from, "static_assert");
    case PART_FUNCTION:
        return is_asked_kernel(d, p) ||
               ((p->is_device || p->is_constant) && declares_function(d, p) &&
                (p->is_device || is_at(d, p->from, "constexpr") ||
                 is_at(d, p->from + 1, "constexpr")));
    case PART_RECORD:
        return declares_record(d, p);
    case PART_TYPE:
        return is_at(d, p->from + 1, "namespace") ? is_namespace_known(d, p) : declares_name(d, p);
    default:
        return (p->is_device || p->is_constant) && declares_name(d, p);
    }
}

static bool use_words(struct device_reader *d, const struct part *p)
{
    const size_t before = d->used.count;
    for (size_t i = p->from; i < p->to; i++) {
        if (is_name_at(d, i))
            set_add(d, &d->used, d->words[i].token->text);
    }
    return d->used.count > before;
}

// Names in the text of a macro are used if the macro is.
static bool use_defines(struct device_reader *d)
{
    bool changed = false;
    for (size_t i = 0; i < d->define_count; i++) {
        struct own_define *o = &d->defines[i];
        if (o->is_used || !set_has(&d->used, o->name))
            continue;
        o->is_used = changed = true;
        for (size_t k = 0; k < o->count; k++) {
            if (o->words[k].kind == TOKEN_NAME)
                set_add(d, &d->used, o->words[k].text);
        }
    }
    return changed;
}

static void keep_parts(struct device_reader *d)
{
    bool changed = true;
    while (changed && !d->failed) {
        changed = use_defines(d);
        for (size_t i = 0; i < d->part_count; i++) {
            struct part *p = &d->parts[i];
            if (p->kind == PART_FRAME || p->is_kept || !is_wanted(d, p))
                continue;
            p->is_kept = changed = true;
            use_words(d, p);
        }
    }
}

// const float X = -Y; as the compiler of both has it: a number, which needs no memory of the device. To that of the
// device alone it is a variable, and its value none of a constant.
static void make_constant(struct device_reader *d, const struct part *p)
{
    size_t qualifier = p->to, at = p->from;
    if (p->kind != PART_VARIABLE || !p->is_constant || p->is_device)
        return;
    for (; is_name_at(d, at); at++) {
        if (is_at(d, at, "constexpr"))
            return;
        qualifier = is_at(d, at, "const") ? at : qualifier;
    }
    if (qualifier < at && at > p->from + 2 && is_at(d, at, "="))
        d->words[qualifier].instead = "constexpr";
}

// The names of the kernels asked for are used, if all of them are declared.
static void ask_kernels(struct device_reader *d)
{
    const struct device_program *p = d->program;
    uint32_t found = 0;
    for (uint32_t i = 0; i < p->kernel_count; i++) {
        size_t count = 0;
        const struct token *t = tokens_read(p->kernels[i], strlen(p->kernels[i]), d->arena, &count);
        d->failed |= !t;
        for (size_t k = 0; t && k < count; k++) {
            if (t[k].kind == TOKEN_NAME)
                set_add(d, &d->used, t[k].text);
        }
    }
    for (size_t i = 0; i < d->part_count; i++)
        found += d->parts[i].is_kernel && d->parts[i].kind == PART_FUNCTION &&
                 declares_function(d, &d->parts[i]);
    d->has_asked = p->kernel_count && found >= p->kernel_count;
    if (!d->has_asked)
        memset(&d->used, 0, sizeof d->used);
}

// Marks the parts that have a line which the compiler refused.
static void note_faults(struct device_reader *d)
{
    const struct device_program *p = d->program;
    for (size_t i = 0; i < d->part_count; i++) {
        struct part *part = &d->parts[i];
        for (size_t k = part->from; k < part->to && part->kind != PART_FRAME; k++) {
            for (uint32_t f = 0; f < p->fault_count; f++)
                part->is_faulty |= p->faults[f].file == d->words[k].file &&
                                   p->faults[f].line == d->words[k].token->line;
        }
    }
}

// The language's own words, and macros that stand for one.
static void read_device_words(struct device_reader *d)
{
    static const char *const words[] = {"__global__", "__device__", "__constant__", "__shared__",
                                        "__managed__"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        set_add(d, i ? &d->device_words : &d->kernel_words, words[i]);
    for (bool changed = true; changed && !d->failed;) {
        changed = false;
        for (size_t i = 0; i < d->define_count; i++) {
            const struct own_define *o = &d->defines[i];
            for (size_t k = 0; k < o->count; k++) {
                struct name_set *sets[] = {&d->kernel_words, &d->device_words};
                for (int s = 0; s < 2; s++) {
                    if (set_has(sets[s], o->words[k].text) && !set_has(sets[s], o->name)) {
                        set_add(d, sets[s], o->name);
                        changed = true;
                    }
                }
            }
        }
    }
}

// ---- writing -----------------------------------------------------------------------------------

static void write_word(struct text *out, const struct word *w, uint32_t *line)
{
    const struct token *t = w->token;
    bool starts = *line < t->line;
    for (; *line < t->line; (*line)++)
        text_addc(out, '\n');
    if (t->starts_directive)
        text_addf(out, "%s#%s ", starts ? "" : "\n", t->directive);
    else if (!starts && !t->is_glued)
        text_addc(out, ' ');
    text_add(out, w->instead ? w->instead : t->text);
}

// A header of the host's libraries that nothing that is left needs.
static bool is_host_header(const struct device_reader *d, const struct scan_item *item)
{
    static const struct {
        const char *start, *space; // space: (or NULL) what its names begin with
    } known[] = {
        {"thrust/", "thrust"}, {"cub/", "cub"},    {"cublas", NULL},         {"cufft", NULL},
        {"cusparse", NULL},    {"curand.h", NULL}, {"cusolver", NULL},       {"npp", NULL},
        {"nvml", NULL},        {"cuda.h", NULL},   {"cuda_gl_interop", NULL}};
    for (size_t i = 0; item->kind == SCAN_INCLUDE && i < sizeof known / sizeof *known; i++) {
        if (str_starts(item->text, known[i].start))
            return !known[i].space || !set_has(&d->used, known[i].space);
    }
    return false;
}

static bool declares(const struct device_reader *d, const struct part *p)
{
    return p->kind == PART_RECORD ? declares_record(d, p)
           : p->kind == PART_TYPE
               ? declares_name(d, p)
               : p->kind != PART_FRAME && p->kind != PART_CALL && declares_name(d, p);
}

// Is it used, and neither declared by what is kept nor a macro?
static bool is_missing(struct device_reader *d, const char *name)
{
    const struct name_set used = d->used;
    bool is_here = !set_has(&used, name);
    for (size_t i = 0; i < d->define_count && !is_here; i++)
        is_here = strcmp(d->defines[i].name, name) == 0;
    memset(&d->used, 0, sizeof d->used);
    set_add(d, &d->used, name);
    for (size_t i = 0; i < d->part_count && !is_here; i++)
        is_here = d->parts[i].is_kept && declares(d, &d->parts[i]);
    d->used = used;
    return !is_here;
}

#define BRING(header) "#if __has_include(<" header ">)\n#include <" header ">\n#endif\n"

// Types that headers of libraries bring, by themselves or by others that they include, in front of line `line`.
static void write_library_types(struct device_reader *d, uint32_t line, struct text *out)
{
    static const struct {
        const char *text, *names[5];
    } types[] = {{BRING("cuda_fp16.h"), {"half", "__half", "half2", "__half2"}},
                 {BRING("cuda_bf16.h"), {"nv_bfloat16", "__nv_bfloat16", "__nv_bfloat162"}},
                 {BRING("cuComplex.h"), {"cuComplex", "cuFloatComplex", "cuDoubleComplex"}},
                 {"typedef float cufftReal;\n", {"cufftReal"}},
                 {"typedef double cufftDoubleReal;\n", {"cufftDoubleReal"}},
                 {"typedef float2 cufftComplex;\n", {"cufftComplex"}},
                 {"typedef double2 cufftDoubleComplex;\n", {"cufftDoubleComplex"}}};
    const size_t before = out->length;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bool missing = false;
        for (const char *const *name = types[i].names; *name; name++)
            missing |= is_missing(d, *name);
        text_add(out, missing ? types[i].text : "");
    }
    if (out->length > before)
        text_addf(out, "#line %u\n", line);
}

static void write_lines_of(const char *text, size_t length, struct text *out)
{
    for (size_t at = 0; at < length; at++) {
        if (text[at] == '\n')
            text_addc(out, '\n');
    }
}

static bool write_device_file(struct device_reader *d, uint32_t file)
{
    struct device_file *f = &d->program->files[file];
    const struct scan *scan = &d->scans[file];
    struct text out = TEXT_INIT;
    size_t behind = 0; // word behind the last one that was written or left out
    for (uint32_t i = 0; i < scan->count; i++) {
        const struct item_words *words = &d->items[file][i];
        const size_t from = scan->items[i].from;
        const size_t to = i + 1 < scan->count ? scan->items[i + 1].from : f->length;
        const bool is_text = scan->items[i].kind == SCAN_TEXT && !scan->items[i].reads;
        if (is_host_header(d, &scan->items[i])) {
            write_library_types(d, scan->items[i].first, &out);
            write_lines_of(f->text + from, to - from, &out);
            continue;
        }
        // The compiler may see other lines in the midst of what is left out.
        if (is_text && !words->is_live && behind < d->word_count && d->words[behind].is_inside &&
            d->words[behind].file == file) {
            write_lines_of(f->text + from, to - from, &out);
            continue;
        }
        if (!is_text || !words->is_live) {
            text_addn(&out, f->text + from, to - from);
            continue;
        }
        behind = words->to;
        uint32_t line = scan->items[i].first;
        for (size_t at = words->from; at < words->to; at++) {
            if (!d->words[at].is_dropped)
                write_word(&out, &d->words[at], &line);
        }
        const uint32_t next = i + 1 < scan->count ? scan->items[i + 1].first : line + 1;
        for (; line < next; line++)
            text_addc(&out, '\n');
    }
    f->device_length = out.length;
    f->device = text_to_arena(&out, d->arena);
    return f->device != NULL;
}

static bool has_host_header(const struct device_reader *d)
{
    bool found = false;
    for (uint32_t file = 0; file < d->program->count; file++) {
        for (uint32_t i = 0; i < d->scans[file].count; i++)
            found |= is_host_header(d, &d->scans[file].items[i]);
    }
    return found;
}

static bool drop_parts(struct device_reader *d)
{
    bool has_kernel = false;
    for (size_t i = 0; i < d->part_count; i++) {
        const struct part *p = &d->parts[i];
        has_kernel |= p->is_kernel && p->is_kept;
        d->program->faulty += p->is_faulty && !p->is_kept;
        const bool is_host = !p->is_kept && (p->kind == PART_FUNCTION || p->kind == PART_CALL ||
                                             p->kind == PART_VARIABLE);
        const struct word *first = &d->words[p->from];
        if (p->is_kept)
            make_constant(d, p);
        d->program->left_out += is_host;
        if (is_host && first->file == 0 && !d->program->first_line)
            d->program->first_line = first->token->line;
        for (size_t k = p->from; k < p->to && !p->is_kept; k++) {
            d->words[k].is_dropped = true;
            d->words[k].is_inside = k > p->from;
        }
    }
    return has_kernel && (d->program->left_out || d->program->faulty || has_host_header(d));
}

bool device_text_make(struct device_program *p, struct arena *a)
{
    struct device_reader *d = arena_alloc(a, sizeof *d);
    if (!d)
        return false;
    d->program = p;
    d->arena = a;
    if (!read_words(d))
        return false;
    read_device_words(d);
    if (!read_parts(d))
        return false;
    ask_kernels(d);
    note_faults(d);
    keep_parts(d);
    const bool is_changed = drop_parts(d);
    bool ok = !d->failed;
    for (uint32_t i = 0; is_changed && ok && i < p->count; i++)
        ok = write_device_file(d, i);
    return ok;
}

void device_text_kernels(const char *text, size_t length, enum language l, struct text *out)
{
    struct arena arena;
    size_t count = 0;
    arena_init(&arena);
    const struct token *t = tokens_read(text, length, &arena, &count);
    const char *const *words = language_traits(l)->kernel_words;
    for (size_t i = 0; t && i < count; i++) {
        if (t[i].directive || t[i].kind != TOKEN_NAME || !str_listed(words, t[i].text))
            continue;
        for (; i < count && !strchr("{;", t[i].text[0]); i++) {
            bool is_attribute = str_listed(attribute_words, t[i].text);
            if (t[i].kind != TOKEN_NAME || strcmp(t[i + 1].text, "(") != 0)
                continue;
            if (!is_attribute) {
                text_addf(out, "%s%s", out->length ? ", " : "", t[i].text);
                break;
            }
            while (i < count && strcmp(t[i].text, ")") != 0)
                i++;
        }
    }
    arena_release(&arena);
}
