// Keeps the code of a job apart from it, so that a later job for the same launches can be made from it again.
#include "model/job.h"

#include "base/text.h"

#include <string.h>

enum code_form code_form_of(const void *code, uint64_t length)
{
    static const unsigned char elf[] = {0x7f, 'E', 'L', 'F'}, spirv[] = {0x03, 0x02, 0x23, 0x07};
    const char *at = code, *end = at + length;
    if (length >= sizeof elf && memcmp(code, elf, sizeof elf) == 0)
        return FORM_CUBIN;
    if (length >= sizeof spirv && memcmp(code, spirv, sizeof spirv) == 0)
        return FORM_SPIRV;
    // PTX begins with .version, behind comments of a line each.
    while (at < end) {
        bool is_comment = end - at > 1 && at[0] == '/' && at[1] == '/';
        const char *line = is_comment ? memchr(at, '\n', (size_t)(end - at)) : at;
        if (!is_comment && *at != ' ' && *at != '\t' && *at != '\r' && *at != '\n')
            break;
        at = line ? line + 1 : end;
    }
    return end - at > 9 && memcmp(at, ".version ", 9) == 0 ? FORM_PTX : FORM_SOURCE;
}

// A text that JSON can hold as it is.
static bool is_text(const void *data, uint64_t length)
{
    const char *s = data;
    uint32_t code;
    size_t bytes;
    if (memchr(s, 0, length))
        return false;
    for (const char *end = s + length; s < end; s += bytes)
        if (!(bytes = utf8_character(s, &code)))
            return false;
    return true;
}

static bool is_code_whole(const struct job_program *p)
{
    bool is = !p->outside && p->run == 0 && is_text(p->source, p->length);
    for (uint32_t i = 0; is && i < p->file_count; i++)
        is = is_text(p->files[i].text, p->files[i].length);
    return is;
}

static const char **copy_words(struct arena *a, const char *const *words, uint32_t count)
{
    const char **copy = arena_array(a, (size_t)count + 1, sizeof *copy);
    for (uint32_t i = 0; copy && i < count; i++)
        if (!(copy[i] = arena_strdup(a, words[i])))
            return NULL;
    return copy;
}

static bool copy_program(struct arena *a, const struct job_program *p, struct job_program *out)
{
    *out =
        (struct job_program){.name = arena_strdup(a, p->name),
                             .source = arena_strndup(a, p->source, p->length),
                             .length = p->length,
                             .files = arena_array(a, (size_t)p->file_count + 1, sizeof *p->files),
                             .file_count = p->file_count,
                             .folders = copy_words(a, p->folders, p->folder_count),
                             .folder_count = p->folder_count,
                             .options = copy_words(a, p->options, p->option_count),
                             .option_count = p->option_count};
    bool ok = out->name && out->source && out->files && out->folders && out->options;
    for (uint32_t i = 0; ok && i < p->file_count; i++) {
        const struct job_file *f = &p->files[i];
        out->files[i] = (struct job_file){arena_strdup(a, f->path),
                                          arena_strndup(a, f->text, f->length), f->length};
        ok = out->files[i].path && out->files[i].text;
    }
    return ok;
}

bool job_code_of(const struct job *j, struct arena *a, struct job_code *out)
{
    struct text geometry = TEXT_INIT;
    bool is_kept = j->program_count > 0;
    *out = (struct job_code){.count = 0};
    for (uint32_t i = 0; i < j->program_count; i++)
        is_kept = is_kept && is_code_whole(&j->programs[i]);
    if (!is_kept)
        return true;
    job_geometry_text(j, &geometry);
    out->geometry = geometry.failed ? NULL : arena_strdup(a, text_cstr(&geometry));
    out->programs = arena_array(a, j->program_count, sizeof *out->programs);
    text_release(&geometry);
    bool ok = out->geometry && out->programs;
    for (uint32_t i = 0; ok && i < j->program_count; i++)
        ok = copy_program(a, &j->programs[i], &out->programs[i]);
    out->count = ok ? j->program_count : 0;
    return ok;
}

bool job_use_code(struct job *j, const struct job_code *code, struct error *e)
{
    struct text geometry = TEXT_INIT;
    job_geometry_text(j, &geometry);
    bool is_same = str_equal(text_cstr(&geometry), code->geometry);
    bool ok = !geometry.failed;
    if (ok && (!is_same || code->count != j->program_count))
        error_set(e, ERROR_INPUT, "it was launched otherwise: %s in %u program%s, now %s",
                  code->geometry, (unsigned)code->count, code->count == 1 ? "" : "s",
                  text_cstr(&geometry));
    else if (!ok)
        error_memory(e);
    text_release(&geometry);
    if (!ok || !is_same || code->count != j->program_count)
        return false;
    for (uint32_t i = 0; i < code->count; i++) {
        const char *retarget = j->programs[i].retarget;
        j->programs[i] = code->programs[i];
        j->programs[i].retarget = retarget;
    }
    return true;
}
