// Finds kernels by their words alone, in every branch of the text's conditions, so that those which the
// values at hand leave out can be named, with the conditions in which each stands.
#include "extras/init/variants.h"

#include <string.h>

#define NEST_MOST 32

struct variant_reader {
    struct lone_text *text;
    const char *const *kernel_words;
    const struct scan_item *open[NEST_MOST]; // the branch of each condition that is open
    uint32_t depth;
    struct text *out;
};

static bool is_guard_of(const struct variant_reader *r, const struct scan_item *item)
{
    return item->kind == SCAN_IFNDEF && r->text->scan.guard && item->text &&
           strcmp(item->text, r->text->scan.guard) == 0;
}

// "#if defined(ONE)", "#ifdef ONE", "#else" with the line.
static void add_branch(const struct variant_reader *r, const struct scan_item *item)
{
    static const char *const words[] = {[SCAN_IF] = "#if ",
                                        [SCAN_IFDEF] = "#ifdef ",
                                        [SCAN_IFNDEF] = "#ifndef ",
                                        [SCAN_ELIF] = "#elif "};
    if (item->kind == SCAN_ELSE)
        text_addf(r->out, "the #else of line %u", (unsigned)item->first);
    else
        text_addf(r->out, "%s%s", words[item->kind], item->text);
}

// The head of a kernel in t[i ..]: the name in front of the first bracket that is no attribute's.
static const char *name_behind(const struct token *t, size_t count, size_t i)
{
    int depth = 0;
    for (; i + 1 < count; i++) {
        const char *text = t[i].text;
        bool is_sign = t[i].kind == TOKEN_SIGN, opens = is_sign && strcmp(text, "(") == 0;
        bool is_attribute = t[i].kind == TOKEN_NAME &&
                            (str_starts(text, "__attribute") || str_starts(text, "__launch_b"));
        depth += opens;
        depth -= is_sign && strcmp(text, ")") == 0;
        if (is_sign && strpbrk(text, ";{}"))
            return NULL;
        bool is_head = depth == 0 && t[i].kind == TOKEN_NAME && !is_attribute &&
                       t[i + 1].kind == TOKEN_SIGN && strcmp(t[i + 1].text, "(") == 0;
        if (is_head)
            return text;
    }
    return NULL;
}

static void add_variant(const struct variant_reader *r, const char *name)
{
    uint32_t said = 0;
    for (uint32_t i = 0; i < r->depth; i++) {
        if (is_guard_of(r, r->open[i]))
            continue;
        if (said == 0)
            text_addf(r->out, "%s%s stands in ", r->out->length ? "; " : "", name);
        text_add(r->out, said++ ? ", in it " : "");
        add_branch(r, r->open[i]);
    }
}

static bool look_for_heads(const struct variant_reader *r, uint32_t item)
{
    struct item_tokens words;
    if (!lone_text_words(r->text, item, &words))
        return false;
    for (size_t i = 0; i < words.count; i++) {
        const struct token *t = &words.list[i];
        bool is_kernel =
            !t->directive && t->kind == TOKEN_NAME && str_listed(r->kernel_words, t->text);
        const char *name = is_kernel ? name_behind(words.list, words.count, i + 1) : NULL;
        if (name)
            add_variant(r, name);
    }
    return true;
}

bool variants_list(struct lone_text *text, enum language l, struct text *out)
{
    struct variant_reader r = {
        .text = text, .kernel_words = language_traits(l)->kernel_words, .out = out};
    for (uint32_t i = 0; i < text->scan.count; i++) {
        const struct scan_item *item = &text->scan.items[i];
        switch (item->kind) {
        case SCAN_IF:
        case SCAN_IFDEF:
        case SCAN_IFNDEF:
            if (r.depth == NEST_MOST)
                return true;
            r.open[r.depth++] = item;
            break;
        case SCAN_ELIF:
        case SCAN_ELSE:
            if (r.depth)
                r.open[r.depth - 1] = item;
            break;
        case SCAN_ENDIF:
            r.depth -= r.depth > 0;
            break;
        case SCAN_TEXT:
            if (r.depth && !look_for_heads(&r, i))
                return false;
            break;
        default:
            break;
        }
    }
    return !out->failed;
}
