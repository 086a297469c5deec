// Which languages a spec has kernels in: what was read says it, or else the kernel's source.
#include "problem/spec_kernels.h"
#include "problem/sources.h"
#include "kernel_text/scan.h"

#include "base/text.h"

#include <string.h>

#define FILE_LIMIT ((size_t)64 << 20)

bool memory_is_passed(enum memory m, const struct language_traits *l, bool symbols)
{
    return (m != MEMORY_LOCAL || l->passes_local) &&
           (m != MEMORY_SYMBOL || l->passes_symbols || symbols) &&
           (m != MEMORY_SAMPLER || l->passes_samplers);
}

// The words that tell a language, of all languages.
struct telling {
    const char *words[4 * LANGUAGE_COUNT];
    enum language languages[4 * LANGUAGE_COUNT];
    bool is_weak[4 * LANGUAGE_COUNT]; // may be any name
    bool found[4 * LANGUAGE_COUNT];
    uint32_t count;
};

static void add_telling_word(struct telling *t, const char *word, enum language l, bool is_weak)
{
    t->words[t->count] = word;
    t->languages[t->count] = l;
    t->is_weak[t->count++] = is_weak;
}

static void list_telling_words(struct telling *t)
{
    *t = (struct telling){.count = 0};
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        const struct language_traits *traits = language_traits((enum language)l);
        for (const char *const *word = traits->telling_words; *word; word++)
            add_telling_word(t, *word, (enum language)l, false);
        if (traits->weak_word)
            add_telling_word(t, traits->weak_word, (enum language)l, true);
    }
}

// Comments and texts do not count.
static bool look_for_words(const char *text, size_t length, struct telling *t, struct error *e)
{
    const struct scan_names names = {t->words, t->count};
    struct arena scratch;
    struct scan scan;
    arena_init(&scratch);
    bool ok = scan_text(text, length, &names, &scratch, &scan) || error_memory(e);
    for (uint32_t w = 0; ok && w < t->count; w++)
        t->found[w] = t->found[w] || scan_mentions(&scan, w);
    arena_release(&scratch);
    return ok;
}

// A command is not run for this: what only looks at a spec runs nothing.
static bool look_into_variant(const struct spec *s, const struct program_spec *p, struct telling *t,
                              struct error *e)
{
    struct arena a;
    const char *name, *text;
    size_t length;
    if (p->is_generated)
        return error_set(e, ERROR_INPUT,
                         "language: is missing: a command prints the kernel's text, so that "
                         "nothing else says whether it is " LANGUAGES_TITLES);
    arena_init(&a);
    bool ok = variant_default(s, p, LANGUAGE_FIRST, &a, &name, &text, &length, e) &&
              look_for_words(text, length, t, e);
    arena_release(&a);
    return ok;
}

static bool look_into_program(const struct spec *s, const struct program_spec *p, struct telling *t,
                              struct error *e)
{
    bool ok = true;
    if (p->text)
        return look_for_words(p->text, strlen(p->text), t, e);
    if (p->variant_count > 0)
        return look_into_variant(s, p, t, e);
    for (uint32_t i = 0; ok && i < p->file_count; i++) {
        const char *file = p->files[i];
        struct text path = TEXT_INIT, text = TEXT_INIT;
        text_addf(&path, "%s%s%s", file[0] == '/' ? "" : s->directory, file[0] == '/' ? "" : "/",
                  file);
        ok = !path.failed || error_memory(e);
        ok = ok && file_read_text(text_cstr(&path), FILE_LIMIT, &text, e) &&
             look_for_words(text_cstr(&text), text.length, t, e);
        ok = ok || error_context(e, "%s", p->path);
        text_release(&path);
        text_release(&text);
    }
    return ok;
}

static bool language_by_text(const struct spec *s, enum language *out, struct error *e)
{
    const char *key = s->is_short ? "language" : "KernelSpecification.Language";
    struct telling t;
    uint32_t first = UINT32_MAX;
    list_telling_words(&t);
    if (!look_into_program(s, s->kernel->languages[LANGUAGE_FIRST].programs, &t, e))
        return false;
    for (uint32_t w = 0; w < t.count; w++) {
        bool is_better = first == UINT32_MAX || (t.is_weak[first] && !t.is_weak[w]);
        if (t.found[w] && is_better)
            first = w;
        else if (t.found[w] && !t.is_weak[w] && t.languages[w] != t.languages[first])
            return error_set(
                e, ERROR_INPUT,
                "%s: is missing, and the kernel's source has both %s and %s: say %s or "
                "%s, or give %s as {\"%s\": ..., \"%s\": ...}",
                key, t.words[first], t.words[w], language_title(t.languages[first]),
                language_title(t.languages[w]), s->is_short ? "kernel" : "KernelFile",
                language_title(t.languages[first]), language_title(t.languages[w]));
    }
    if (first != UINT32_MAX) {
        *out = t.languages[first];
        return true;
    }
    return error_set(e, ERROR_INPUT,
                     "%s: is missing, and the kernel's source has neither __kernel nor __global__: "
                     "say " LANGUAGES_TITLES,
                     key);
}

bool sources_languages(const struct spec *s, struct spec_languages *out, struct error *e)
{
    const struct kernel_spec *k = s->kernel;
    *out = (struct spec_languages){{k->language}, 1};
    if (k->by_text)
        return language_by_text(s, &out->list[0], e);
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        if (k->languages[l].offered && (enum language)l != k->language)
            out->list[out->count++] = (enum language)l;
    }
    return true;
}

bool spec_languages(const struct spec *s, struct spec_languages *out, struct error *e)
{
    return sources_languages(s, out, e) || spec_error(s, e);
}

bool spec_has_language(const struct spec *s, enum language l)
{
    return l < LANGUAGE_COUNT && s->kernel->languages[l].offered;
}

bool spec_language_fits(const struct spec *s, enum language l, const struct device_info *device)
{
    const struct formula *when = &s->kernel->languages[l].when;
    struct arena scratch;
    bool fits = true;
    if (!when->expr)
        return true;
    arena_init(&scratch);
    struct value *slots = arena_array(&scratch, s->slots.count, sizeof *slots);
    if (slots) {
        spec_bind_fixed(s, device, slots);
        slots[s->slots.facts + FACT_LANGUAGE_INDEX] = value_string(language_title(l));
        bool truth;
        fits = expr_test(when->expr, slots, &scratch, &truth) != EXPR_FAULT_NONE || truth;
    }
    arena_release(&scratch);
    return fits;
}

bool spec_check_language(const struct spec *s, enum language l, struct error *e)
{
    struct spec_languages has;
    if (!spec_languages(s, &has, e))
        return false;
    for (uint32_t i = 0; i < has.count; i++) {
        if (has.list[i] == l)
            return true;
    }
    enum language lower = l < has.list[0] ? l : has.list[0];
    enum language higher = l < has.list[0] ? has.list[0] : l;
    if (s->is_short)
        return error_set(e, ERROR_INPUT,
                         "%s: it has a kernel in %s, and none in %s; give \"kernel\" as {\"%s\": "
                         "..., \"%s\": ...}",
                         s->path, language_title(has.list[0]), language_title(l),
                         language_title(lower), language_title(higher));
    return error_set(e, ERROR_INPUT,
                     "%s: it has a kernel in %s, and none in %s; give KernelFile as {\"%s\": ..., "
                     "\"%s\": ...}, or add Languages.%s with a KernelFile",
                     s->path, language_title(has.list[0]), language_title(l), language_title(lower),
                     language_title(higher), language_title(l));
}
