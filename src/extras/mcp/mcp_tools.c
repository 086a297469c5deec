// The table of tools, the schema of each, and a call's command line: options as --name=value, so that no value can be taken for
// one, then "--" and the paths, which are absolute.
#include "extras/mcp/mcp_tools.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MOST  4096
#define ITEMS_MOST 256
#define LIMIT_S    600
#define LIMIT_MOST 7200

enum property_kind {
    PROPERTY_FILE,  // or folder, which is there
    PROPERTY_FILES, // several
    PROPERTY_NEW,   // a file that is written
    PROPERTY_TEXT,
    PROPERTY_TEXTS,
    PROPERTY_COUNT,
    PROPERTY_FLAG
};

struct property {
    const char *name;
    const char *option; // "--set"; NULL: an argument
    const char *description;
    enum property_kind kind;
    bool required;
    uint64_t least, most;       // of a count
    const char *const *choices; // (or NULL) of a text
    const char *refused;        // (or NULL) how a text must not begin
};

struct mcp_tool {
    const char *name, *description;
    const char *const *words;          // of the command line, in front of all others
    const struct property *properties; // ends with a NULL name
    bool reads;                        // compiles, runs and writes nothing
};

// ---- the table ---------------------------------------------------------------------------------

static const char *const languages[] = {"opencl", "cuda", "c", NULL};

// A property: its name in the call, the option that it becomes (or NULL), kind and description; then what else is true of it.
#define PROPERTY(name_, option_, kind_, ...)                                                       \
    {                                                                                              \
        .name = name_, .option = option_, .kind = PROPERTY_##kind_, .description = __VA_ARGS__     \
    }
#define SPEC PROPERTY("spec", NULL, FILE, "the spec, a JSON file in a root", .required = true)
#define LANGUAGE                                                                                   \
    PROPERTY("language", "--language", TEXT,                                                       \
             "of the kernel; else the spec's first that the device can run", .choices = languages)
#define DEVICE                                                                                     \
    PROPERTY("device", "--device", TEXT,                                                           \
             "its number or a part of its name, as the tool devices shows them")
#define SET PROPERTY("set", "--set", TEXTS, "values of the spec's constants, as \"WIDTH=512\"")
#define CONFIG                                                                                     \
    PROPERTY("config", "--config", TEXTS,                                                          \
             "values of parameters, as \"block_size_x=16,tile_size_x=2\": only these "             \
             "configurations")
#define WHERE                                                                                      \
    PROPERTY("where", "--where", TEXTS,                                                            \
             "only configurations for which this holds, as \"block_size_x >= 32\"")
#define OBJECTIVE                                                                                  \
    PROPERTY("objective", "--objective", TEXTS,                                                    \
             "what is looked for, in place of the time: a metric of the spec's")
#define SAMPLE                                                                                     \
    PROPERTY("sample", "--sample", COUNT, "so many configurations, drawn from all", .least = 1,    \
             .most = 1000000)
#define SEED PROPERTY("seed", "--seed", COUNT, "of what is drawn", .most = INT64_MAX)
#define TIMEOUT                                                                                    \
    PROPERTY("timeout", "--timeout", TEXT, "of a build and a launch, as \"build=30s,launch=5s\"")

static const struct property devices_properties[] = {{0}};

static const struct property init_properties[] = {
    PROPERTY("kernel", NULL, FILE, "a kernel in OpenCL C (.cl), CUDA (.cu) or C (.c), in a root",
             .required = true),
    PROPERTY("function", "--kernel", TEXT, "the kernel's name, if the file has several"),
    PROPERTY("output", "--output", NEW,
             "where the spec goes; else beside the kernel. A file that is there stays"),
    PROPERTY("include", "--include", FILES, "folders in which #include looks"),
    PROPERTY("define", "--define", TEXTS, "macros that the compiler is given, as \"T=4\""),
    PROPERTY("no_check", "--no-check", FLAG,
             "only write the spec: nothing is built and nothing runs"),
    {0}};

static const struct property check_properties[] = {
    SPEC,
    LANGUAGE,
    DEVICE,
    SET,
    CONFIG,
    WHERE,
    SAMPLE,
    SEED,
    TIMEOUT,
    PROPERTY("audit", "--audit", FLAG,
             "also make wrong results of a right one, and say which the check lets pass"),
    {0}};

static const struct property tune_properties[] = {
    SPEC,
    LANGUAGE,
    DEVICE,
    SET,
    CONFIG,
    WHERE,
    OBJECTIVE,
    PROPERTY("budget", "--budget", TEXT,
             "a number of configurations, a time as \"60s\", or both as \"100,60s\""),
    PROPERTY("strategy", "--strategy", TEXT,
             "exhaustive, random, genetic, anneal or surrogate (the default), with its "
             "options as in \"genetic:population=32\"; a program cannot be one here",
             .refused = "exec"),
    SEED,
    TIMEOUT,
    PROPERTY("fresh", "--fresh", FLAG, "measure anew what the store knows already"),
    {0}};

static const struct property judge_properties[] = {
    PROPERTY("spec", NULL, FILE,
             "the judge's spec: its kernel is the baseline; reference, sizes, inputs and "
             "tolerances are its own",
             .required = true),
    PROPERTY("candidates", NULL, FILES,
             "kernel files, or folders of them, with the kernel's name and arguments as the spec "
             "has them. A line \"// hone: block_size_x=32\" gives values of tunable macros",
             .required = true),
    LANGUAGE,
    DEVICE,
    PROPERTY("set", "--set", TEXTS, "sizes that are timed, as \"WIDTH=256,1024\""),
    PROPERTY("config", "--config", TEXT, "the baseline's configuration; else the spec's default"),
    PROPERTY("hidden", "--hidden", COUNT, "sizes that are drawn for this run and verified, too: 2",
             .most = 32),
    PROPERTY("rounds", "--rounds", COUNT,
             "launches of each pair: 12, and 24 or more for those that are faster", .least = 1,
             .most = 100),
    TIMEOUT,
    {0}};

static const struct property best_properties[] = {
    SPEC,
    LANGUAGE,
    DEVICE,
    SET,
    CONFIG,
    WHERE,
    OBJECTIVE,
    PROPERTY("all", "--all", FLAG, "for each device, language and set of constants that is known"),
    {0}};

static const struct property compare_properties[] = {
    PROPERTY("specs", NULL, FILES,
             "one spec, whose sides `left` and `right` tell apart; or several, of which the "
             "bests are compared",
             .required = true),
    DEVICE,
    SET,
    CONFIG,
    WHERE,
    PROPERTY("left", "--left", TEXTS,
             "the first side: \"device=NAME\", \"language=cuda\", \"option=WORDS\" of the "
             "compiler, \"set=NAME=VALUE\" or \"run=last\""),
    PROPERTY("right", "--right", TEXTS, "the second side, likewise"),
    SAMPLE,
    PROPERTY("rounds", "--rounds", COUNT, "interleaved launches of each", .least = 1, .most = 1000),
    SEED,
    TIMEOUT,
    {0}};

static const char *const report_formats[] = {"html", "svg", "csv", "markdown", NULL};
static const struct property report_properties[] = {
    PROPERTY("of", NULL, FILES,
             "specs, of which the store is asked; stores; recorded spaces; verdicts that "
             "judge printed",
             .required = true),
    PROPERTY("output", "--output", NEW, "the file, in a root; one that is there is replaced",
             .required = true),
    PROPERTY("format", "--format", TEXT, "else what the ending of the file says",
             .choices = report_formats),
    PROPERTY("views", "--views", TEXT, "these views alone, as \"finalists,parameters\""),
    PROPERTY("device", "--device", TEXT, "only results of devices with this in their names"),
    LANGUAGE,
    SET,
    WHERE,
    {0}};

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct mcp_tool table[] = {
    {.name = "devices",
     .words = WORDS("devices", "--json"),
     .properties = devices_properties,
     .reads = true,
     .description = "Lists the GPUs and CPUs that kernels can run on, with their limits. One JSON "
                    "object. Nothing is compiled."},
    {.name = "init",
     .words = WORDS("init"),
     .properties = init_properties,
     .description =
         "Reads a kernel and writes its spec, then checks one configuration of it. Promises that a "
         "file that is there is not overwritten, and guesses are listed: read it."},
    {.name = "check",
     .words = WORDS("check", "--json"),
     .properties = check_properties,
     .description =
         "Builds and verifies configurations of a spec, and times nothing. A JSON line for each "
         "that was checked, and a summary; exit status 1 if one is wrong. A result is called "
         "correct only if it was compared with the reference and the comparison could have "
         "failed."},
    {.name = "tune",
     .words = WORDS("tune", "--json"),
     .properties = tune_properties,
     .description =
         "Searches for the fastest configuration of a spec. Every configuration that is timed was "
         "verified; finalists are measured in interleaved rounds, and the speed-up has an "
         "interval. JSON lines, the last one a summary. When the limit comes the best so far is "
         "given, without those rounds. Results are kept, so that a second call goes on."},
    {.name = "judge",
     .words = WORDS("judge", "--json"),
     .properties = judge_properties,
     .description =
         "Judges kernels, each against the spec's own: a JSON line with the verdict (faster, same, "
         "slower, incorrect, cheats, impossible, compile, runtime, timeout, invalid), its evidence "
         "and its score, the lower end of the speed-up's interval; exit status 1 if none is right. "
         "Inputs and some sizes are hidden, outputs are poisoned before each launch, timed "
         "launches are verified, and what seems faster is measured again in fresh workers."},
    {.name = "best",
     .words = WORDS("best", "--json"),
     .properties = best_properties,
     .reads = true,
     .description = "Looks up the fastest configuration that is known for a spec, the device and "
                    "the kernel as it is now; measures nothing. Exit status 1 if none is known."},
    {.name = "compare",
     .words = WORDS("compare", "--json"),
     .properties = compare_properties,
     .description =
         "Measures two sides in interleaved rounds: languages, devices, compiler options, sizes, "
         "runs, or the bests of several specs. Ratios are of pairs of one round, with intervals "
         "that hold together. One JSON object."},
    {.name = "report",
     .words = WORDS("report"),
     .properties = report_properties,
     .description = "Writes a page, picture or table of what is known: one file, which needs no "
                    "network. Nothing runs. Exit status 1 if there is no result to show."},
};
#define TOOLS (sizeof table / sizeof *table)

const struct mcp_tool *const *mcp_tools(void)
{
    static const struct mcp_tool *const list[] = {&table[0], &table[1], &table[2],
                                                  &table[3], &table[4], &table[5],
                                                  &table[6], &table[7], NULL};
    _Static_assert(sizeof list / sizeof *list == TOOLS + 1, "all tools");
    return list;
}

const struct mcp_tool *mcp_tool_find(const char *name)
{
    for (size_t i = 0; i < TOOLS; i++) {
        if (str_equal(table[i].name, name))
            return &table[i];
    }
    return NULL;
}

const char *mcp_tool_name(const struct mcp_tool *t)
{
    return t->name;
}

// ---- the schema --------------------------------------------------------------------------------

static const struct property limit_property =
    PROPERTY("limit_s", NULL, COUNT, "the call is ended after so many seconds: 600", .least = 1,
             .most = LIMIT_MOST);

static void describe_property(const struct property *p, struct emit *out)
{
    static const char *const types[] = {
        [PROPERTY_FILE] = "string", [PROPERTY_FILES] = "array", [PROPERTY_NEW] = "string",
        [PROPERTY_TEXT] = "string", [PROPERTY_TEXTS] = "array", [PROPERTY_COUNT] = "integer",
        [PROPERTY_FLAG] = "boolean"};
    emit_object_at(out, p->name);
    emit_text_at(out, "type", types[p->kind]);
    if (p->kind == PROPERTY_COUNT) {
        emit_u64_at(out, "minimum", p->least);
        emit_u64_at(out, "maximum", p->most);
    } else if (p->kind == PROPERTY_FILES || p->kind == PROPERTY_TEXTS) {
        emit_object_at(out, "items");
        emit_text_at(out, "type", "string");
        emit_object_end(out);
        emit_u64_at(out, "minItems", 1);
        emit_u64_at(out, "maxItems", ITEMS_MOST);
    } else if (p->choices) {
        emit_array_at(out, "enum");
        for (const char *const *c = p->choices; *c; c++)
            emit_text(out, *c);
        emit_array_end(out);
    }
    emit_text_at(out, "description", p->description);
    emit_object_end(out);
}

void mcp_tool_describe(const struct mcp_tool *t, struct emit *out)
{
    const struct property *p;
    emit_object(out);
    emit_text_at(out, "name", t->name);
    emit_text_at(out, "description", t->description);
    emit_object_at(out, "inputSchema");
    emit_text_at(out, "type", "object");
    emit_object_at(out, "properties");
    for (p = t->properties; p->name; p++)
        describe_property(p, out);
    describe_property(&limit_property, out);
    emit_object_end(out);
    emit_array_at(out, "required");
    for (p = t->properties; p->name; p++) {
        if (p->required)
            emit_text(out, p->name);
    }
    emit_array_end(out);
    emit_bool_at(out, "additionalProperties", false);
    emit_object_end(out);
    emit_object_at(out, "annotations");
    emit_bool_at(out, "readOnlyHint", t->reads);
    emit_bool_at(out, "openWorldHint", false);
    emit_object_end(out);
    emit_object_end(out);
}

// ---- paths -------------------------------------------------------------------------------------

static bool is_below(const struct mcp_tool_roots *roots, const char *path)
{
    for (const char *const *root = roots->paths; *root; root++) {
        size_t length = strlen(*root);
        if (strncmp(path, *root, length) == 0 &&
            (path[length] == '\0' || path[length] == '/' || length == 1))
            return true;
    }
    return false;
}

// The path without its last part, and that.
static bool split_path(const char *path, struct arena *a, const char **folder, const char **name,
                       struct error *e)
{
    const char *slash = strrchr(path, '/');
    *name = slash + 1;
    *folder = slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
    if (!**name || str_equal(*name, ".") || str_equal(*name, ".."))
        return error_set(e, ERROR_INPUT, "'%s' names no file", path);
    return *folder || error_memory(e);
}

const char *mcp_tool_path(const struct mcp_tool_roots *roots, const char *path, bool is_new,
                          struct arena *a, struct error *e)
{
    const char *whole =
        path[0] == '/' ? arena_strdup(a, path) : arena_printf(a, "%s/%s", roots->paths[0], path);
    const char *folder = whole, *name = NULL;
    if (!whole)
        return error_memory(e), NULL;
    char *real = realpath(whole, NULL);
    if (!real && is_new) {
        if (!split_path(whole, a, &folder, &name, e))
            return NULL;
        real = realpath(folder, NULL);
    }
    const char *found = !real   ? NULL
                        : !name ? arena_strdup(a, real)
                                : arena_printf(a, "%s/%s", str_equal(real, "/") ? "" : real, name);
    bool is_inside = real && (!found || is_below(roots, found));
    free(real);
    if (!is_inside) // the same words for both: what lies outside is not told
        error_set(e, ERROR_INPUT,
                  "'%s' is not there, or leads out of the roots that hone mcp was started with; "
                  "relative paths begin in %s",
                  path, roots->paths[0]);
    else if (!found)
        error_memory(e);
    return e->code ? NULL : found;
}

// ---- a call ------------------------------------------------------------------------------------

struct making {
    const struct mcp_tool_roots *roots;
    struct arena *arena;
    const char **options, **paths;
    size_t option_count, path_count, room;
    struct error *e;
};

static bool refuse_value(const struct making *m, const struct property *p, const char *wanted)
{
    return error_set(m->e, ERROR_INPUT, "%s: it has to be %s", p->name, wanted);
}

// `value` NULL: the option alone.
static bool add_word(struct making *m, const struct property *p, const char *value)
{
    if (m->option_count + m->path_count == m->room)
        return error_set(m->e, ERROR_INPUT, "%s: too many values", p->name);
    const char *word = !p->option ? value
                       : !value   ? p->option
                                  : arena_printf(m->arena, "%s=%s", p->option, value);
    if (!word)
        return error_memory(m->e);
    if (p->option)
        m->options[m->option_count++] = word;
    else
        m->paths[m->path_count++] = word;
    return true;
}

static bool add_text_value(struct making *m, const struct property *p, const char *text)
{
    bool is_path = p->kind == PROPERTY_FILE || p->kind == PROPERTY_FILES || p->kind == PROPERTY_NEW;
    if (!text[0] || strlen(text) > TEXT_MOST)
        return refuse_value(m, p, "a text of 1 to 4096 bytes");
    if (p->choices && !str_listed(p->choices, text))
        return refuse_value(m, p, "one of those that the schema lists");
    if (p->refused && str_starts(text, p->refused))
        return error_set(m->e, ERROR_INPUT,
                         "%s: '%s': programs are not run for a caller; use it on the command line",
                         p->name, p->refused);
    if (is_path)
        text = mcp_tool_path(m->roots, text, p->kind == PROPERTY_NEW, m->arena, m->e);
    return text ? add_word(m, p, text) : error_context(m->e, "%s", p->name);
}

static bool add_values(struct making *m, const struct property *p, const json_t *value)
{
    size_t count = json_array_size(value);
    if (!json_is_array(value) || count == 0 || count > ITEMS_MOST)
        return refuse_value(m, p, "an array of 1 to 256 texts");
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(value, i));
        if (!text)
            return refuse_value(m, p, "an array of texts");
        if (!add_text_value(m, p, text))
            return false;
    }
    return true;
}

static bool read_count(const struct making *m, const struct property *p, const json_t *value,
                       uint64_t *out)
{
    json_int_t n = json_integer_value(value);
    if (!json_is_integer(value) || n < 0 || (uint64_t)n < p->least || (uint64_t)n > p->most)
        return error_set(m->e, ERROR_INPUT, "%s: it has to be a whole number from %llu to %llu",
                         p->name, (unsigned long long)p->least, (unsigned long long)p->most);
    *out = (uint64_t)n;
    return true;
}

static bool add_property(struct making *m, const struct property *p, const json_t *value)
{
    char number[32];
    uint64_t n;
    switch (p->kind) {
    case PROPERTY_FILES:
    case PROPERTY_TEXTS:
        return add_values(m, p, value);
    case PROPERTY_COUNT:
        if (!read_count(m, p, value, &n))
            return false;
        snprintf(number, sizeof number, "%llu", (unsigned long long)n);
        return add_word(m, p, number);
    case PROPERTY_FLAG:
        if (!json_is_boolean(value))
            return refuse_value(m, p, "true or false");
        return json_is_false(value) || add_word(m, p, NULL);
    default:
        return json_is_string(value) ? add_text_value(m, p, json_string_value(value))
                                     : refuse_value(m, p, "a text");
    }
}

static bool refuse_unknown_argument(const struct mcp_tool *t, const json_t *arguments,
                                    struct error *e)
{
    const char *names[32];
    size_t count = 0;
    const struct property *p;
    for (p = t->properties; p->name; p++)
        names[count++] = p->name;
    names[count++] = limit_property.name;
    names[count] = NULL;
    for (void *i = json_object_iter((json_t *)arguments); i;
         i = json_object_iter_next((json_t *)arguments, i)) {
        const char *key = json_object_iter_key(i), *near;
        if (str_listed(names, key))
            continue;
        near = str_nearest(key, names, count);
        return error_set(e, ERROR_INPUT, "'%.100s' is not an argument of %s%s%s%s", key, t->name,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return true;
}

static bool join_words(const struct making *m, const struct mcp_tool *t, struct mcp_tool_call *out)
{
    size_t fixed = 0, n = 0;
    while (t->words[fixed])
        fixed++;
    const char **words =
        arena_array(m->arena, fixed + m->option_count + m->path_count + 2, sizeof *words);
    if (!words)
        return error_memory(m->e);
    for (size_t i = 0; i < fixed; i++)
        words[n++] = t->words[i];
    for (size_t i = 0; i < m->option_count; i++)
        words[n++] = m->options[i];
    words[n++] = "--";
    for (size_t i = 0; i < m->path_count; i++)
        words[n++] = m->paths[i];
    out->words = words;
    return true;
}

bool mcp_tool_call_make(const struct mcp_tool *t, const json_t *arguments,
                        const struct mcp_tool_roots *roots, struct arena *a,
                        struct mcp_tool_call *out, struct error *e)
{
    struct making m = {.roots = roots, .arena = a, .room = 8 * ITEMS_MOST, .e = e};
    const json_t *limit = json_object_get(arguments, limit_property.name);
    *out = (struct mcp_tool_call){.limit_s = LIMIT_S};
    m.options = arena_array(a, m.room, sizeof *m.options);
    m.paths = arena_array(a, m.room, sizeof *m.paths);
    if (!m.options || !m.paths)
        return error_memory(e);
    if (arguments && !json_is_object(arguments))
        return error_set(e, ERROR_INPUT, "the arguments of %s have to be an object", t->name);
    if (!refuse_unknown_argument(t, arguments, e) ||
        (limit && !read_count(&m, &limit_property, limit, &out->limit_s)))
        return false;
    for (const struct property *p = t->properties; p->name; p++) {
        const json_t *value = json_object_get(arguments, p->name);
        if (value ? !add_property(&m, p, value)
                  : p->required &&
                        !error_set(e, ERROR_INPUT, "%s: it is needed: %s", p->name, p->description))
            return false;
    }
    return join_words(&m, t, out);
}
