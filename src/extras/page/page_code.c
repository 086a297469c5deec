// The options and the header of a configuration: those of the job that the kernel's text gives, as
// `hone best --options` prints them. Without the text the parameters alone are known, and the header says so.
#include "extras/page/page.h"

#include "model/job.h"

static bool keep_code(struct page *p, const char *const *words, size_t count, const char *note,
                      struct page_code *out)
{
    struct text options = TEXT_INIT, header = TEXT_INIT;
    job_options_text(words, count, &options);
    text_add(&header, note);
    job_header_text(words, count, &header);
    out->options = text_to_arena(&options, &p->arena);
    out->header = text_to_arena(&header, &p->arena);
    return out->options && out->header;
}

bool page_code_of_parameters(struct page *p, const struct parameter *parameters, uint32_t count,
                             const uint32_t *choice, struct page_code *out)
{
    const char **words = arena_array(&p->arena, count + (size_t)1, sizeof *words);
    size_t length = 0;
    for (uint32_t i = 0; words && i < count; i++) {
        const struct value *v = &parameters[i].values[choice[i]];
        struct text word = TEXT_INIT;
        if (v->kind == VALUE_LIST || v->kind == VALUE_NONE)
            continue;
        text_addf(&word, "-D%s=", parameters[i].name);
        define_text(v, &word);
        words[length] = text_to_arena(&word, &p->arena);
        if (!words[length++])
            return false;
    }
    return words && keep_code(p, words, length,
                              "/* parameters only: the kernel's source is missing */\n", out);
}

static bool code_of_job(struct page *p, const struct job *j, struct page_code *out)
{
    struct text note = TEXT_INIT;
    struct text geometry = TEXT_INIT;
    job_geometry_text(j, &geometry);
    out->geometry = text_to_arena(&geometry, &p->arena);
    text_addf(&note, "/* launch: %s */\n", out->geometry ? out->geometry : "");
    bool ok =
        out->geometry && !note.failed &&
        keep_code(p, j->programs[0].options, j->programs[0].option_count, text_cstr(&note), out);
    text_release(&note);
    return ok;
}

bool page_code_of(struct page *p, const struct spec *spec, const struct spec_sources *sources,
                  const uint32_t *choice, struct page_code *out)
{
    struct job *j = NULL;
    struct error ignored = ERROR_INIT;
    if (!sources || !spec_job(spec, sources, NULL, choice, &j, &ignored) || !j->program_count) {
        job_free(j);
        return page_code_of_parameters(p, spec->parameters, spec->parameter_count, choice, out);
    }
    bool ok = code_of_job(p, j, out);
    job_free(j);
    return ok;
}
