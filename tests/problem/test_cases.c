// Every folder of data/cases holds a spec, its kernel, perhaps options, and the transcript of
// loading it, reading its sources and making its default job: warnings, errors, or what came out.
//
// HONE_REWRITE=1 writes the transcripts anew; read the difference before keeping it.
#include "base/log.h"
#include "base/text.h"
#include "problem/spec.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CASES HONE_SOURCE_DIR "/tests/problem/data/cases"

// ---- transcripts -------------------------------------------------------------------------------

static void note(void *context, enum log_level level, const char *message)
{
    (void)level;
    text_addf(context, "warning: %s\n", message);
}

struct options {
    const char *set[8];
    uint32_t set_count;
    const char *configuration;
    bool strict;
    struct text text;
};

// One option a line: "--set A=1", "--config a=1", "--strict".
static void read_options(struct options *o)
{
    char *rest = NULL;
    *o = (struct options){.set_count = 0};
    if (access("options.txt", R_OK) != 0)
        return;
    ck_assert(file_read("options.txt", 0, &o->text, NULL));
    for (char *line = strtok_r(o->text.data, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (str_starts(line, "--set "))
            o->set[o->set_count++] = line + 6;
        else if (str_starts(line, "--config "))
            o->configuration = line + 9;
        else
            o->strict = str_equal(line, "--strict");
    }
}

static void show_job(const struct job *j, struct text *out)
{
    const struct job_launch *l = &j->launches[0];
    text_addf(out, "job: %s; global %llu, local %llu; ", j->configuration,
              (unsigned long long)l->global[0], (unsigned long long)l->local[0]);
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        char type[24];
        element_name(&j->buffers[i].element, type);
        text_addf(out, "%s %s[%llu]; ", type, j->buffers[i].name,
                  (unsigned long long)j->buffers[i].count);
    }
    text_addf(out, "reference: %s\n", j->reference.name ? j->reference.name : "none");
    if (j->reference.job)
        text_addf(out, "reference job: %s\n", j->reference.job->configuration);
}

static bool make(const struct spec *s, const struct options *o, struct text *out, struct error *e)
{
    uint32_t choice[16];
    struct job *job = NULL;
    struct spec_sources *src = NULL;
    struct log log = {note, out};
    spec_default(s, choice);
    bool ok = (!o->configuration || spec_parse_configuration(s, o->configuration, choice, e)) &&
              (src = spec_sources_read(s, LANGUAGE_OPENCL, NULL, &log, e)) != NULL &&
              spec_job(s, src, NULL, choice, &job, e);
    if (ok)
        show_job(job, out);
    job_free(job);
    spec_sources_free(src);
    return ok;
}

static void transcribe(struct text *out)
{
    struct options o;
    struct log log = {note, out};
    struct error e = ERROR_INIT;
    read_options(&o);
    struct spec_options given = {
        .set = o.set, .set_count = o.set_count, .strict = o.strict, .log = &log};
    struct spec *s = spec_load("spec.json", &given, &e);
    if (!s || !make(s, &o, out, &e))
        text_addf(out, "error (%s): %s\n", error_code_text(e.code), e.text);
    spec_free(s);
    text_release(&o.text);
}

// ---- cases -------------------------------------------------------------------------------------

// The machine's own path of the case's folder becomes "FOLDER".
static void hide_folder(struct text *t)
{
    char folder[4096];
    struct text out = TEXT_INIT;
    ck_assert_ptr_nonnull(getcwd(folder, sizeof folder));
    size_t length = strlen(folder);
    for (const char *at = text_cstr(t); *at;) {
        bool here = strncmp(at, folder, length) == 0;
        text_add(&out, here ? "FOLDER" : "");
        if (!here)
            text_addc(&out, *at);
        at += here ? length : 1;
    }
    text_release(t);
    *t = out;
}

static void rewrite(const struct text *t)
{
    FILE *f = fopen("expected.txt", "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text_cstr(t), f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

static void run_case(const char *name)
{
    struct text got = TEXT_INIT, expected = TEXT_INIT;
    char path[1024];
    snprintf(path, sizeof path, CASES "/%s", name);
    ck_assert_msg(chdir(path) == 0, "%s", path);
    transcribe(&got);
    hide_folder(&got);
    if (getenv("HONE_REWRITE"))
        rewrite(&got);
    ck_assert_msg(file_read("expected.txt", 0, &expected, NULL), "%s has no expected.txt", name);
    ck_assert_msg(str_equal(text_cstr(&expected), text_cstr(&got)),
                  "%s\n--- expected\n%s--- got\n%s", name, text_cstr(&expected), text_cstr(&got));
    text_release(&got);
    text_release(&expected);
}

static char *names[1000];
static int name_count;

START_TEST(test_case)
{
    run_case(names[_i]);
}
END_TEST

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_cases(void)
{
    DIR *d = opendir(CASES);
    for (struct dirent *entry; d && (entry = readdir(d)) && name_count < 1000;) {
        if (entry->d_name[0] != '.')
            names[name_count++] = strdup(entry->d_name);
    }
    if (d)
        closedir(d);
    qsort(names, (size_t)name_count, sizeof *names, by_name);
}

int main(void)
{
    find_cases();
    if (name_count < 50) {
        fprintf(stderr, "only %d cases found in %s\n", name_count, CASES);
        return 1;
    }
    Suite *suite = suite_create("spec_cases");
    TCase *cases = tcase_create("cases");
    tcase_add_loop_test(cases, test_case, 0, name_count);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    for (int i = 0; i < name_count; i++)
        free(names[i]);
    return failed != 0;
}
