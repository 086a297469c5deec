// Which languages a spec has kernels in: what was read says it, or else the kernel's text.
#include "spec/kernel_spec.h"
#include "spec/scan.h"

#include "base/text.h"

#include <string.h>

#define FILE_LIMIT ((size_t)64 << 20)

enum word { WORD_GLOBAL, WORD_KERNEL, WORD_PLAIN_KERNEL, WORDS };

static const char *const words[WORDS] = {"__global__", "__kernel", "kernel"};

// Comments and texts do not count.
static bool look_for_words(const char *text, size_t length, bool found[WORDS], struct error *e)
{
    static const struct scan_names names = {words, WORDS};
    struct arena scratch;
    struct scan scan;
    arena_init(&scratch);
    bool ok = scan_text(text, length, &names, &scratch, &scan) || error_memory(e);
    for (uint32_t w = 0; ok && w < WORDS; w++)
        found[w] = found[w] || scan_mentions(&scan, w);
    arena_release(&scratch);
    return ok;
}

static bool look_into_file(const struct spec *s, const char *file, bool found[WORDS],
                           struct error *e)
{
    struct text path = TEXT_INIT, text = TEXT_INIT;
    text_addf(&path, "%s%s%s", file[0] == '/' ? "" : s->directory, file[0] == '/' ? "" : "/", file);
    bool ok = !path.failed || error_memory(e);
    ok = ok && file_read(text_cstr(&path), FILE_LIMIT, &text, e) &&
         look_for_words(text_cstr(&text), text.length, found, e);
    text_release(&path);
    text_release(&text);
    return ok;
}

static bool look_into_program(const struct spec *s, const struct program_spec *p, bool found[WORDS],
                              struct error *e)
{
    if (p->text)
        return look_for_words(p->text, strlen(p->text), found, e);
    for (uint32_t i = 0; i < p->file_count; i++) {
        if (!look_into_file(s, p->files[i], found, e))
            return error_context(e, "%s", p->path);
    }
    return true;
}

// `kernel` alone may be any name, so the two that cannot be come first.
static bool language_by_text(const struct spec *s, enum language *out, struct error *e)
{
    bool found[WORDS] = {false};
    const struct program_spec *p = s->kernel->languages[LANGUAGE_OPENCL].programs;
    if (!look_into_program(s, p, found, e))
        return false;
    *out = found[WORD_GLOBAL] ? LANGUAGE_CUDA : LANGUAGE_OPENCL;
    if (found[WORD_GLOBAL] && found[WORD_KERNEL])
        return error_set(e, ERROR_INPUT,
                         "KernelSpecification.Language: is missing, and the kernel's text has both "
                         "__kernel and __global__: say OpenCL or CUDA, or give KernelFile as "
                         "{\"OpenCL\": ..., \"CUDA\": ...}");
    return found[WORD_GLOBAL] || found[WORD_KERNEL] || found[WORD_PLAIN_KERNEL] ||
           error_set(e, ERROR_INPUT,
                     "KernelSpecification.Language: is missing, and the kernel's text has neither "
                     "__kernel nor __global__: say OpenCL or CUDA");
}

bool spec_languages(const struct spec *s, struct spec_languages *out, struct error *e)
{
    const struct kernel_spec *k = s->kernel;
    *out = (struct spec_languages){{k->language}, 1};
    if (k->by_text)
        return language_by_text(s, &out->list[0], e) || error_context(e, "%s", s->path);
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        if (k->languages[l].offered && (enum language)l != k->language)
            out->list[out->count++] = (enum language)l;
    }
    return true;
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
    return error_set(e, ERROR_INPUT,
                     "%s: it has a kernel in %s, and none in %s; give KernelFile as {\"OpenCL\": "
                     "..., \"CUDA\": ...}, or add Languages.%s with a KernelFile",
                     s->path, language_title(has.list[0]), language_title(l), language_title(l));
}
