// Holes are found when the spec is read; what they give is held against the rules of the language's options where a job
// is made, as the words of the spec are when its sources are read.
#include "problem/option_words.h"

#include "base/text.h"

#include <string.h>

// The brace that closes this one, over strings and brackets; NULL: there is none.
static const char *closing_brace(const char *open)
{
    int depth = 0;
    for (const char *p = open; *p; p++) {
        if (*p == '\'' || *p == '"') {
            const char *end = strchr(p + 1, *p);
            if (!end)
                return NULL;
            p = end;
        }
        depth += (*p == '{') - (*p == '}');
        if (depth == 0)
            return p;
    }
    return NULL;
}

static bool read_hole(const struct reader *r, const char *path, const char *word, const char *open,
                      const char *close, struct option_hole *out)
{
    struct error why = ERROR_INIT;
    *out = (struct option_hole){.from = (size_t)(open - word), .to = (size_t)(close - word) + 1};
    out->value.path = path;
    out->value.text = arena_strndup(r->arena, open + 1, (size_t)(close - open) - 1);
    if (!out->value.text)
        return error_memory(r->error);
    out->value.expr = expr_parse(r->arena, out->value.text, &r->spec->symbols, &why);
    return out->value.expr ||
           error_set(r->error, why.code, "%s: '%s': in braces: %s", path, word, why.text);
}

// Options that name files or folders: these are read once, for all configurations.
static bool names_file(const char *word)
{
    return str_starts(word, "-I") || str_starts(word, "-include") ||
           str_starts(word, "--include") || str_starts(word, "-isystem") || str_starts(word, "@");
}

bool read_word_holes(const struct reader *r, const char *path, const char *word,
                     bool (*is_kept)(const char *word, const char *open), struct option_word *out)
{
    size_t room = 0;
    for (const char *open = strchr(word, '{'); open; open = strchr(open, '{')) {
        if (is_kept && is_kept(word, open)) {
            open++;
            continue;
        }
        const char *close = closing_brace(open);
        if (!close)
            return error_set(r->error, ERROR_INPUT, "%s: '%s': a brace is not closed", path, word);
        if (!ARENA_ROOM(r->arena, out->holes, room, out->count + (size_t)1))
            return error_memory(r->error);
        if (!read_hole(r, path, word, open, close, &out->holes[out->count++]))
            return false;
        open = close;
    }
    return true;
}

static bool read_option_word(const struct reader *r, const char *path, const char *word,
                             struct option_word *out)
{
    if (str_starts(word, "-D"))
        return true;
    if (!read_word_holes(r, path, word, NULL, out))
        return false;
    return out->count == 0 || !names_file(word) ||
           error_set(r->error, ERROR_INPUT,
                     "%s: '%s' names a file by a value; files are the same for all configurations",
                     path, word);
}

bool read_option_words(const struct reader *r, const char *path, struct program_spec *p)
{
    p->words = arena_array(r->arena, p->option_count + (size_t)1, sizeof *p->words);
    if (!p->words)
        return error_memory(r->error);
    for (uint32_t i = 0; i < p->option_count; i++)
        if (!read_option_word(r, path, p->options[i], &p->words[i]))
            return false;
    return true;
}

static bool check_made(const char *word, const char *made, const char *path, enum language l,
                       struct error *e)
{
    const char *why = *made ? language_refuses(l, made, NULL) : NULL;
    if (made[strcspn(made, " \t\r\n")])
        why = "it has a blank; each option is a word of its own";
    else if (str_starts(made, "-D") || str_starts(made, "-U"))
        why = "it defines a macro; let that be a parameter, or a derived one";
    else if (names_file(made))
        why = "it names a file, and files are the same for all configurations";
    return !why || error_set(e, ERROR_INPUT, "%s: '%s' gives '%s': %s", path, word, made, why);
}

const char *fill_word(const char *word, const struct option_word *w, const struct value *slots,
                      struct arena *a, struct error *e)
{
    struct text out = TEXT_INIT;
    size_t at = 0;
    if (w->count == 0)
        return word;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct option_hole *h = &w->holes[i];
        struct value v = value_int(0);
        enum expr_fault fault = expr_eval(h->value.expr, slots, a, &v);
        if (fault || v.kind == VALUE_LIST || v.kind == VALUE_NONE) {
            error_set(e, ERROR_INPUT, "%s: '%s' in '%s' %s", h->value.path, h->value.text, word,
                      fault ? expr_fault_text(fault) : "is no number or text");
            text_release(&out);
            return NULL;
        }
        text_addn(&out, word + at, h->from - at);
        define_text(&v, &out);
        at = h->to;
    }
    text_add(&out, word + at);
    const char *made = text_to_arena(&out, a);
    if (!made)
        error_memory(e);
    return made;
}

const char *option_word_text(const char *word, const struct option_word *w, enum language l,
                             const struct value *slots, struct arena *a, struct error *e)
{
    const char *made = fill_word(word, w, slots, a, e);
    bool is_made = made && w->count > 0;
    return !is_made || check_made(word, made, w->holes[0].value.path, l, e) ? made : NULL;
}
