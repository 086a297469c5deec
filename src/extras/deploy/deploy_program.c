// Puts the tables of a program's kernels into one file: lines of words, each table behind its length, a checksum at the end.
#include "extras/deploy/deploy_program.h"

#include "known/known_program.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_MOST = 4096 };

static int compare_titles(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool deploy_program_list(const char *folder, struct arena *a, const char ***titles, uint32_t *count,
                         struct error *e)
{
    DIR *d = opendir(folder);
    *titles = arena_array(a, KERNELS_MOST, sizeof **titles);
    *count = 0;
    if (!d)
        return error_set_driver(e, ERROR_INPUT, errno, "%s: %s", folder, strerror(errno));
    for (struct dirent *f; *titles && *count < KERNELS_MOST && (f = readdir(d));) {
        const size_t length = strlen(f->d_name);
        if (length > 5 && strcmp(f->d_name + length - 5, ".bind") == 0)
            (*titles)[(*count)++] = arena_strndup(a, f->d_name, length - 5);
    }
    closedir(d);
    if (!*titles)
        return error_memory(e);
    qsort(*titles, *count, sizeof **titles, compare_titles);
    return *count > 0 || error_set(e, ERROR_INPUT,
                                   "%s has no spec: it is not a capture, or nothing in it replays; "
                                   "hone capture -o %s -- PROGRAM writes one",
                                   folder, folder);
}

bool deploy_program_first_shape(const char *csv, struct arena *a, const char ***words,
                                uint32_t *count, struct error *e)
{
    struct text t = TEXT_INIT;
    char *names_rest = NULL, *values_rest = NULL;
    if (!file_read_text(csv, 1 << 20, &t, e))
        return false;
    char *names = text_to_arena(&t, a), *values = names ? strchr(names, '\n') : NULL;
    *words = arena_array(a, 64, sizeof **words);
    *count = 0;
    if (!values || !*words)
        return error_set(e, ERROR_INPUT, "%s has no shape", csv);
    *values++ = 0;
    values[strcspn(values, "\n")] = 0;
    char *name = strtok_r(names, ",", &names_rest), *value = strtok_r(values, ",", &values_rest);
    for (; name && value && strcmp(name, "weight") != 0 && *count < 60;
         name = strtok_r(NULL, ",", &names_rest), value = strtok_r(NULL, ",", &values_rest))
        (*words)[(*count)++] = arena_printf(a, "%s=%s", name, value);
    return *count > 0 || error_set(e, ERROR_INPUT, "%s has no column", csv);
}

void deploy_program_start(struct text *out)
{
    text_add(out, "hone-program 1\n");
}

bool deploy_program_add(struct text *out, const char *folder, const char *title,
                        const struct text *known, struct error *e)
{
    struct text bind = TEXT_INIT;
    char path[4096];
    str_format(path, sizeof path, "%s/%s.bind", folder, title);
    const bool ok = (!known->failed || error_memory(e)) && file_read_text(path, 1 << 24, &bind, e);
    if (ok) {
        text_addn(out, bind.data, bind.length);
        text_addf(out, "table %zu\n", known->length);
        text_addn(out, known->data, known->length);
    }
    text_release(&bind);
    return ok;
}

void deploy_program_finish(struct text *out)
{
    if (!out->failed)
        text_addf(out, "checksum %016llx\n",
                  (unsigned long long)known_checksum(out->data, out->length));
}
