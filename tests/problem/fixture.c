#include "fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(void *context, enum log_level level, const char *message)
{
    (void)level;
    text_addf(context, "%s\n", message);
}

void fixture_start(struct fixture *f)
{
    *f = (struct fixture){.folder = "/tmp/hone-spec-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
}

void fixture_file(struct fixture *f, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    ck_assert(folder_make(path, NULL));
    *slash = '/';
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, strlen(text), file), strlen(text));
    ck_assert_int_eq(fclose(file), 0);
}

void fixture_load(struct fixture *f, const char *spec_text)
{
    char path[512];
    struct log log = {note, &f->warnings};
    struct spec_options options = {.log = &log};
    fixture_file(f, "spec.json", spec_text);
    snprintf(path, sizeof path, "%s/spec.json", f->folder);
    f->spec = spec_load(path, &options, &f->error);
    ck_assert_msg(f->spec != NULL, "%s", f->error.text);
}

void fixture_sources(struct fixture *f, enum language l)
{
    struct log log = {note, &f->warnings};
    f->sources = spec_sources_read(f->spec, l, NULL, &log, &f->error);
    ck_assert_msg(f->sources != NULL, "%s", f->error.text);
}

struct job *fixture_job(struct fixture *f, const char *configuration,
                        const struct device_info *device)
{
    uint32_t choice[32];
    struct job *job;
    spec_default(f->spec, choice);
    ck_assert_msg(spec_parse_configuration(f->spec, configuration, choice, &f->error), "%s",
                  f->error.text);
    ck_assert_msg(spec_job(f->spec, f->sources, device, choice, &job, &f->error), "%s",
                  f->error.text);
    return job;
}

void fixture_end(struct fixture *f)
{
    spec_sources_free(f->sources);
    spec_free(f->spec);
    text_release(&f->warnings);
    folder_remove(f->folder);
}

bool program_has(const struct job_program *p, const char *word)
{
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (strcmp(p->options[i], word) == 0)
            return true;
    }
    return false;
}
