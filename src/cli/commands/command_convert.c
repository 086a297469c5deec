// hone convert: a spec in T1, for other tuners. What the kernel's source says is read there.
#include "cli/work.h"
#include "os/file_replace.h"
#include "problem/spec.h"

#include <stdlib.h>
#include <string.h>

struct spec_form_settings {
    const char *output;
};

static bool option_form(void *field, const char *value, struct error *e)
{
    (void)field;
    return str_equal(value, "t1") ||
           error_set(e, ERROR_USAGE, "'%s' is not a form that hone writes: use t1", value);
}

// The folder that a file is in, without links; NULL if there is none.
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct text folder = TEXT_INIT;
    text_addn(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
    text_add(&folder, ".");
    char *real = folder.failed ? NULL : realpath(text_cstr(&folder), NULL);
    text_release(&folder);
    return real;
}

// A spec names its files as they lie beside it.
static bool is_beside(const char *path, const char *output, struct error *e)
{
    char *from = folder_of(path), *to = folder_of(output);
    bool same = !from || !to || strcmp(from, to) == 0; // a missing folder is reported on writing
    if (!same)
        error_set(e, ERROR_USAGE,
                  "--output: %s is in another folder than %s, beside which the files that it names "
                  "are looked for: write it into %s",
                  output, path, from);
    free(from);
    free(to);
    return same;
}

static bool write_spec(struct text *text, const char *path, const char *output, struct error *e)
{
    if (!output || str_equal(output, "-")) {
        put_data(text);
        return true;
    }
    return is_beside(path, output, e) && file_create(output, text, e);
}

static int run_convert(struct invocation *i)
{
    const struct spec_form_settings *o = i->settings;
    const char *path = i->arguments[0];
    const struct log log = {console_log, NULL};
    const struct spec_options options = {.log = &log};
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    struct spec *s = spec_load(path, &options, &e);
    bool ok = s && spec_to_t1(s, &log, &text, &e) && write_spec(&text, path, o->output, &e);
    bool is_spec = s != NULL;
    spec_free(s);
    text_release(&text);
    if (ok)
        return EXIT_DONE;
    if (is_spec || e.code != ERROR_INPUT || !work_refuse_file(path))
        complain("%s", e.text);
    return e.code == ERROR_MEMORY ? EXIT_NOTHING : EXIT_USAGE;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct spec_form_settings, member)

static const struct option options[] = {
    {OPTION("to", "t1", option_form, 0), .letter = 't',
     .help =
         "The form to write: t1, the format that other tuners read, which is also the default. A "
         "spec that has it already is printed as it was read."},
    {OPTION("output", "FILE", option_text, FIELD(output)), .letter = 'o',
     .brief = "the file; else standard output",
     .help = "Where the spec goes, in the folder of the old one, since the files that a spec names "
             "lie beside it; - is standard output, the default. A file that is there is not "
             "overwritten."},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options, 0}, {"Help", help_options, 0}, {0}};

static const struct example examples[] = {
    {"hone convert kernels_cl/examples/saxpy.json --to t1", "for other tuners"},
    {0},
};

const struct command command_convert = {
    .name = "convert",
    .former = "spec",
    .group = GROUP_PREPARE,
    .summary = "convert a spec to T1, for other tuners",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description = "Writes the spec in T1: the same space and the same jobs, so that stored "
                   "results stay valid. Comments may be lost.\n\n"
                   "What the short form takes from the kernel's source is written out; if the "
                   "source cannot be read, the spec cannot become T1.",
    .topics = "spec",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct spec_form_settings),
    .run = run_convert,
};
