// The lines that follow.h finds are split into words, and these replaced by macros.h, item by item: a
// call of a macro ends where a directive stands. Each word that is put out has the place of the word
// that it comes from.
#include "kernel_text/preprocess.h"

#include "base/text.h"

#include <string.h>

#define REFUSED_MOST  64   // #errors that are looked at
#define REFUSED_WORDS 4096 // of the conditions around one

struct preprocessor {
    struct arena *arena;
    const struct follow *follow;
    struct token_list out;
    struct refused *refused;
    size_t refused_count, refused_room;
    int64_t shift; // what #line says, less where it stands
    bool failed;
};

static const struct token end_token = {.kind = TOKEN_END, .text = ""};

// ---- the words of an item ----------------------------------------------------------------------

static struct item_tokens read_item_tokens(struct preprocessor *p, const struct follow_file *f,
                                           const struct scan_item *item, struct arena *a)
{
    const size_t next = (size_t)(item - f->scan->items) + 1;
    const size_t end = next < f->scan->count ? f->scan->items[next].from : f->length;
    struct item_tokens t = {.list = NULL};
    t.list = tokens_read(f->text + item->from, end - item->from, a, &t.count);
    p->failed |= !t.list;
    for (size_t i = 0; t.list && i < t.count; i++)
        t.list[i].line += item->first - 1;
    return t;
}

static struct item_tokens item_tokens_of(struct preprocessor *p, const struct follow_file *f,
                                         const struct scan_item *item)
{
    if (!f->tokens)
        return read_item_tokens(p, f, item, p->arena);
    struct item_tokens *kept = &f->tokens[item - f->scan->items];
    if (!kept->list)
        *kept = read_item_tokens(p, f, item, f->arena);
    return *kept;
}

// #line 12
static void shift_lines(struct preprocessor *p, const struct token *t)
{
    int64_t named;
    if (t->starts_directive && strcmp(t->directive, "line") == 0 && str_to_i64(t->text, &named))
        p->shift = named - t->line - 1;
}

// Is it a toolkit's header, whose types and functions readers know by their names? Its macros count all
// the same.
static bool is_known_header(const struct follow *f, uint32_t file)
{
    return f->files[file].is_outside && language_traits(f->terms.language)->own_compiler;
}

static void add_live_item(void *context, struct macros *m, uint32_t file,
                          const struct scan_item *item, bool sure)
{
    struct preprocessor *p = context;
    if (item->kind != SCAN_TEXT || item->reads || is_known_header(p->follow, file))
        return;
    const struct item_tokens t = item_tokens_of(p, &p->follow->files[file], item);
    for (size_t i = 0, end = 0; t.list && i < t.count && !m->is_strange;) {
        const struct token *origin = &t.list[i];
        if (origin->directive) {
            shift_lines(p, origin);
            i++;
            continue;
        }
        size_t before = p->out.count;
        for (end = end > i ? end : i; end < t.count && !t.list[end].directive; end++)
            ;
        i += macros_replace(m, origin, end - i, 0, &p->out);
        for (size_t k = before; k < p->out.count; k++) {
            struct token *made = &p->out.items[k];
            made->is_sure = sure;
            made->file = file;
            made->line = (uint32_t)(origin->line + p->shift);
            made->origin = origin;
        }
    }
}

// ---- #error ------------------------------------------------------------------------------------

static void add_sign(struct macros *m, struct token_list *list, const char *text)
{
    macros_add_token(m, list, &(struct token){.kind = TOKEN_SIGN, .text = text});
}

// ( the item's condition )
static void add_condition(struct macros *m, struct token_list *list, const struct scan_item *item)
{
    struct token_list words = {.items = NULL};
    if (item->kind == SCAN_ELSE)
        return;
    if (item->kind == SCAN_IFDEF || item->kind == SCAN_IFNDEF) {
        bool is_defined = macros_look_up(m, item->text, strlen(item->text)).defined;
        bool value = is_defined == (item->kind == SCAN_IFDEF);
        macros_add_token(m, &words,
                         &(struct token){.kind = TOKEN_NUMBER, .text = value ? "1" : "0"});
    } else {
        words = macros_condition(m, item->text);
    }
    add_sign(m, list, "(");
    for (size_t i = 0; i < words.count; i++)
        macros_add_token(m, list, &words.items[i]);
    add_sign(m, list, ")");
}

// ( a ) && ! ( ( b ) || ( c ) ) of the branch we are in and of those before it.
static void add_level(struct macros *m, struct token_list *all, const struct follow_level *level)
{
    uint32_t depth = 0, earlier = 0;
    if (level->branch->kind != SCAN_ELSE) {
        if (all->count)
            add_sign(m, all, "&&");
        add_condition(m, all, level->branch);
    }
    for (const struct scan_item *item = level->first; item < level->branch; item++) {
        bool opens = item->kind == SCAN_IF || item->kind == SCAN_IFDEF || item->kind == SCAN_IFNDEF;
        bool is_head = (opens && depth == 0) || (item->kind == SCAN_ELIF && depth == 1);
        depth += opens;
        depth -= item->kind == SCAN_ENDIF;
        if (!is_head)
            continue;
        if (!earlier && all->count)
            add_sign(m, all, "&&");
        if (!earlier)
            add_sign(m, all, "!");
        add_sign(m, all, earlier++ ? "||" : "(");
        add_condition(m, all, item);
    }
    if (earlier)
        add_sign(m, all, ")");
}

static void note_refused(void *context, struct macros *m, const struct follow_level *levels,
                         uint32_t depth)
{
    struct preprocessor *p = context;
    struct token_list all = {.items = NULL};
    if (p->refused_count >= REFUSED_MOST)
        return;
    for (uint32_t i = 0; i < depth && all.count < REFUSED_WORDS; i++)
        add_level(m, &all, &levels[i]);
    const size_t count = all.count;
    for (size_t i = 0; count && i < TOKENS_AHEAD; i++)
        macros_add_token(m, &all, &end_token);
    if (count && count < REFUSED_WORDS && all.count == count + TOKENS_AHEAD &&
        ARENA_ROOM(p->arena, p->refused, p->refused_room, p->refused_count + 1))
        p->refused[p->refused_count++] = (struct refused){all.items, count};
}

// ---- the whole ---------------------------------------------------------------------------------

bool preprocess_run(struct follow *f, struct arena *a, struct preprocessed *out)
{
    struct preprocessor p = {.arena = a, .follow = f};
    *out = (struct preprocessed){.tokens = NULL};
    f->live = add_live_item;
    f->error = note_refused;
    // cppcheck-suppress autoVariables
    f->context = &p;
    f->regardless = true;
    if (!follow_run(f, a) || p.failed ||
        !ARENA_ROOM(a, p.out.items, p.out.room, p.out.count + TOKENS_AHEAD))
        return false;
    for (size_t i = 0; i < TOKENS_AHEAD; i++)
        p.out.items[p.out.count + i] = end_token;
    *out = (struct preprocessed){.tokens = p.out.items,
                                 .count = p.out.count,
                                 .refused = p.refused,
                                 .refused_count = p.refused_count,
                                 .failed = f->strange,
                                 .is_open = f->opaque != NULL};
    return true;
}

bool lone_text_read(const char *text, size_t length, struct arena *a, struct lone_text *out)
{
    const struct scan_names none = {NULL, 0};
    *out = (struct lone_text){.file = {.text = text, .length = length, .arena = a}};
    if (!scan_text(text, length, &none, a, &out->scan))
        return false;
    out->file.tokens = arena_array(a, out->scan.count + (size_t)1, sizeof *out->file.tokens);
    return out->file.tokens != NULL;
}

bool lone_text_words(struct lone_text *t, uint32_t item, struct item_tokens *out)
{
    struct preprocessor p = {.arena = t->file.arena};
    t->file.scan = &t->scan; // it may have been moved
    *out = item_tokens_of(&p, &t->file, &t->scan.items[item]);
    return !p.failed;
}

bool lone_text_run(struct lone_text *t, const struct given_names *given, enum language l,
                   struct arena *a, struct preprocessed *out)
{
    struct follow_macro *macros = arena_array(a, given->count + 1, sizeof *macros);
    const char **names = arena_array(a, given->count + 1, sizeof *names);
    if (!macros || !names)
        return false;
    for (size_t i = 0; i < given->count; i++) {
        names[i] = given->list[i].name;
        macros[i] =
            (struct follow_macro){true, arena_printf(a, "%lld", (long long)given->list[i].value)};
        if (!macros[i].value)
            return false;
    }
    const struct scan_names watched = {names, (uint32_t)given->count};
    t->file.scan = &t->scan; // it may have been moved
    struct follow f = {.files = &t->file,
                       .file_count = 1,
                       .main_count = 1,
                       .terms = {&watched, macros, l, .assumes = true, .keeps_given = true}};
    const bool ok = preprocess_run(&f, a, out);
    out->given = arena_copy(a, given, sizeof *given);
    return ok && out->given;
}
