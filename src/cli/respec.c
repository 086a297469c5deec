// Reads a spec again with the constants that a stored result was measured with.
#include "cli/respec.h"

#include "base/text.h"
#include "cli/option.h"

#include <stdlib.h>
#include <string.h>

// Splits "A=1, B='x, y'" in place into what --set takes.
static void split_constants(char *text, struct list *out)
{
    struct error ignored = ERROR_INIT;
    char quote = 0, *start = text;
    for (char *at = text; *text; at++) {
        if (!*at || (!quote && str_starts(at, ", "))) {
            bool last = !*at;
            *at = '\0';
            option_list(out, start, &ignored);
            if (last)
                return;
            at++;
            start = at + 1;
        } else if (quote && *at == '\\' && at[1]) {
            at++;
        } else if (quote) {
            quote = *at == quote ? 0 : quote;
        } else if (*at == '\'' || *at == '"') {
            quote = *at;
        }
    }
}

// `text` NULL: of the file.
static struct spec *read_spec_again(const char *path, const char *text, size_t length,
                                    const char *constants, const struct log *log, struct error *e)
{
    struct list set = {NULL, 0};
    char *copy = strdup(constants);
    if (!copy)
        return error_no_memory(e);
    split_constants(copy, &set);
    struct spec_options options = {.set = set.items, .set_count = set.count, .log = log};
    struct spec *spec =
        text ? spec_parse(text, length, NULL, path, &options, e) : spec_load(path, &options, e);
    list_release(&set);
    free(copy);
    return spec;
}

struct spec *respec(const char *path, const char *constants, const struct log *log, struct error *e)
{
    return read_spec_again(path, NULL, 0, constants, log, e);
}

struct spec *respec_text(const char *text, size_t length, const char *name, const char *constants,
                         const struct log *log, struct error *e)
{
    return read_spec_again(name, text, length, constants, log, e);
}
