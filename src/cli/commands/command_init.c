// hone init: writes a starting spec from a kernel's text. Sizes, launches and values are guesses,
// and marked as such.
#include "cli/kernel_source.h"
#include "cli/work.h"
#include "base/emit.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE_NAME  "SIZE" // the constant when the source names none
#define SIZE_VALUE "1024"
#define AXES       3

// One `hone init`.
struct session {
    const struct invocation *call;
    struct arena arena;
    struct kernel_source source;
    const struct found_kernel *kernel;
    const char *path; // of the source
    const char *size; // the constant that sizes are made of
};

static uint32_t axes_of(const struct session *s)
{
    return s->source.dimensions < AXES ? s->source.dimensions : AXES;
}

// ---- guesses -----------------------------------------------------------------------------------

static bool has_word(const char *name, const char *const *words)
{
    for (; *words; words++) {
        if (str_contains_nocase(name, *words))
            return true;
    }
    return false;
}

static bool is_upper(const char *name)
{
    for (; *name; name++) {
        if (islower((unsigned char)*name))
            return false;
    }
    return true;
}

// A name of the problem's size becomes a constant, everything else a parameter.
static bool is_size(const struct found_name *n)
{
    static const char *const words[] = {"width", "height", "size",  "length", "count",
                                        "rows",  "cols",   "depth", NULL};
    static const char *const tuned[] = {"block", "tile",  "group", "local",  "work", "vec",
                                        "wg",    "fetch", "step",  "unroll", NULL};
    bool is_letter = strlen(n->name) == 1 && strchr("NMK", n->name[0]);
    bool is_word = is_upper(n->name) && has_word(n->name, words) && !has_word(n->name, tuned);
    return !n->is_type && (is_letter || is_word);
}

static bool is_group_size(const char *name)
{
    static const char *const words[] = {"block", "group", "local", "tpb", "wg", "threads", NULL};
    return has_word(name, words);
}

static bool is_number(const char *value)
{
    int64_t number;
    return value && str_to_i64(value, &number);
}

static bool is_open(const struct session *s, const char *name)
{
    for (uint32_t i = 0; i < s->source.name_count; i++) {
        if (str_equal(s->source.names[i].name, name))
            return true;
    }
    return false;
}

// Does the kernel require it as a size of its work-group?
static bool is_required(const struct session *s, const char *name)
{
    for (uint32_t axis = 0; axis < AXES; axis++) {
        if (s->kernel->group_size[axis] && str_equal(s->kernel->group_size[axis], name))
            return true;
    }
    return false;
}

static bool ends_with_axis(const char *name)
{
    size_t length = strlen(name);
    return length > 1 && strchr("xyzXYZ", name[length - 1]);
}

// The work-group's size along an axis: what the kernel requires, an open name that looks like it
// ("BLOCK_Y", "TPB" for all axes), else a parameter of our own.
static const char *group_size_name(const struct session *s, uint32_t axis)
{
    static const char *const own[AXES] = {"block_size_x", "block_size_y", "block_size_z"};
    // What the kernel requires of the work-group along an axis, where a spec can say it too.
    const char *size = s->kernel->group_size[axis];
    const char *for_all = size && (is_number(size) || is_open(s, size)) ? size : NULL;
    if (for_all)
        return for_all;
    for (uint32_t i = 0; i < s->source.name_count; i++) {
        const struct found_name *n = &s->source.names[i];
        if (n->is_type || !is_group_size(n->name))
            continue;
        char last = (char)tolower((unsigned char)n->name[strlen(n->name) - 1]);
        if (ends_with_axis(n->name) && last == "xyz"[axis])
            return n->name;
        if (!for_all && !ends_with_axis(n->name))
            for_all = n->name;
    }
    return for_all ? for_all : own[axis];
}

// ---- the spec ----------------------------------------------------------------------------------

static void put_parameter(struct emit *j, const char *name, const char *type, const char *values,
                          const char *initial)
{
    emit_object(j);
    emit_text_at(j, "Name", name);
    emit_text_at(j, "Type", type);
    emit_text_at(j, "Values", values);
    emit_raw_at(j, "Default", initial);
    emit_object_end(j);
}

// Its own value with the neighbouring powers of two, where the source gives one.
static void put_open_name(const struct session *s, const struct found_name *n, struct emit *j)
{
    char values[96];
    int64_t number;
    if (n->is_type) {
        put_parameter(j, n->name, "string", "['float']", "\"float\"");
    } else if (n->value && str_to_i64(n->value, &number) && number > 1 && number % 2 == 0 &&
               number < INT32_MAX) {
        str_format(values, sizeof values, "[%lld, %lld, %lld]", (long long)number / 2,
                   (long long)number, (long long)number * 2);
        put_parameter(j, n->name, "int", values, n->value);
    } else if (is_number(n->value)) {
        str_format(values, sizeof values, "[%s]", n->value);
        put_parameter(j, n->name, "int", values, n->value);
    } else if (is_group_size(n->name) || is_required(s, n->name)) {
        put_parameter(j, n->name, "int", "[4, 8, 16]", "8");
    } else {
        put_parameter(j, n->name, "int", "[1, 2, 4]", "1");
    }
}

static void put_parameters(const struct session *s, struct emit *j)
{
    const char *values = s->source.dimensions > 1 ? "[4, 8, 16]" : "[32, 64, 128, 256]";
    emit_object_at(j, "ConfigurationSpace");
    emit_text_at(j, "Comment",
                 "EDIT 1: the values that each parameter may take, and restrictions "
                 "such as {\"Expression\": \"a * b <= 1024\"}");
    emit_array_at(j, "TuningParameters");
    for (uint32_t axis = 0; axis < axes_of(s); axis++) {
        const char *name = group_size_name(s, axis);
        if (!is_open(s, name) && !is_number(name))
            put_parameter(j, name, "int", values, s->source.dimensions > 1 ? "8" : "64");
    }
    for (uint32_t i = 0; i < s->source.name_count; i++) {
        if (!is_size(&s->source.names[i]))
            put_open_name(s, &s->source.names[i], j);
    }
    emit_array_end(j);
    emit_array_at(j, "Conditions");
    emit_array_end(j);
    emit_object_end(j);
}

static void put_sizes(const struct session *s, struct emit *j)
{
    static const char *const axes[AXES] = {"X", "Y", "Z"};
    emit_object_at(j, "GlobalSize");
    for (uint32_t axis = 0; axis < AXES && axis < axes_of(s); axis++)
        emit_text_at(j, axes[axis], s->size);
    emit_object_end(j);
    emit_object_at(j, "LocalSize");
    for (uint32_t axis = 0; axis < AXES && axis < axes_of(s); axis++)
        emit_text_at(j, axes[axis], group_size_name(s, axis));
    emit_object_end(j);
}

static bool is_number_type(const struct session *s, const char *type)
{
    struct element el;
    return element_parse(type, &el) || is_open(s, type);
}

static bool is_integer(const char *type)
{
    struct element el;
    return element_parse(type, &el) && !scalar_is_float(el.scalar);
}

static void put_vector(const struct session *s, const struct found_argument *a, uint32_t seed,
                       struct emit *j)
{
    bool is_read = a->is_const || a->place == PLACE_CONSTANT;
    emit_text_at(j, "MemoryType", "Vector");
    if (a->place == PLACE_CONSTANT)
        emit_text_at(j, "MemType", "Constant");
    emit_text_at(j, "AccessType",
                 is_read              ? "ReadOnly"
                 : a->is_written_only ? "WriteOnly"
                                      : "ReadWrite");
    // Whole powers of the size, as many as there are axes.
    struct text size = TEXT_INIT;
    for (uint32_t axis = 0; axis < axes_of(s); axis++)
        text_addf(&size, "%s%s", axis ? " * " : "", s->size);
    emit_text_at(j, "Size", text_cstr(&size));
    text_release(&size);
    if (!is_read)
        emit_raw_at(j, "Output", "true");
    if (!is_read && a->is_written_only)
        return;
    if (!is_number_type(s, a->type)) {
        emit_text_at(j, "FillType", "Constant");
        emit_raw_at(j, "FillValue", "0");
        return;
    }
    emit_text_at(j, "FillType", "Random");
    emit_raw_at(j, "Range", is_integer(a->type) ? "[0, 100]" : "[-1, 1]");
    emit_u64_at(j, "RandomSeed", seed);
}

static void put_argument(const struct session *s, const struct found_argument *a, uint32_t seed,
                         struct emit *j)
{
    emit_object(j);
    emit_text_at(j, "Name", a->name);
    struct element el;
    if (element_parse(a->type, &el)) {
        emit_text_at(j, "Type", a->type);
    } else if (is_open(s, a->type)) {
        emit_text_at(j, "Type", "float");
        emit_text_at(j, "TypeExpression", a->type);
    } else {
        emit_text_at(j, "Comment", "EDIT: TypeSize is the size of the type in bytes");
        emit_text_at(j, "Type", "custom");
        emit_raw_at(j, "TypeSize", "4");
    }
    if (a->place == PLACE_LOCAL) {
        emit_text_at(j, "MemoryType", "Local");
        emit_text_at(j, "Size", group_size_name(s, 0));
    } else if (a->place == PLACE_VALUE) {
        emit_text_at(j, "MemoryType", "Scalar");
        emit_text_at(j, "FillType", "Constant");
        if (is_integer(a->type))
            emit_text_at(j, "FillExpression", s->size);
        else
            emit_raw_at(j, "FillValue", "1");
    } else {
        put_vector(s, a, seed, j);
    }
    emit_object_end(j);
}

static void put_kernel(const struct session *s, const char *kernel_file, struct emit *j)
{
    emit_object_at(j, "KernelSpecification");
    emit_text_at(j, "Comment",
                 "EDIT 2: GlobalSize (work-items), the Size of each buffer (elements) "
                 "and the values of scalars");
    emit_text_at(j, "Language", "OpenCL");
    emit_text_at(j, "KernelName", s->kernel->name);
    emit_text_at(j, "KernelFile", kernel_file);
    put_sizes(s, j);
    emit_array_at(j, "Arguments");
    for (uint32_t i = 0; i < s->kernel->argument_count; i++)
        put_argument(s, &s->kernel->arguments[i], i + 1, j);
    emit_array_end(j);
    emit_object_end(j);
}

static void put_spec(const struct session *s, const char *kernel_file, struct emit *j)
{
    emit_object(j);
    emit_text_at(j, "Comment",
                 "Made by hone init. The result of each configuration is compared with "
                 "the default one's; better is a Reference that is known to be right");
    emit_object_at(j, "General");
    emit_text_at(j, "BenchmarkName", s->kernel->name);
    emit_raw_at(j, "FormatVersion", "1");
    emit_object_end(j);
    bool any = false;
    emit_object_at(j, "Constants");
    for (uint32_t i = 0; i < s->source.name_count; i++) {
        const struct found_name *n = &s->source.names[i];
        if (!is_size(n))
            continue;
        emit_raw_at(j, n->name, is_number(n->value) ? n->value : SIZE_VALUE);
        any = true;
    }
    if (!any)
        emit_raw_at(j, SIZE_NAME, SIZE_VALUE);
    emit_object_end(j);
    put_parameters(s, j);
    put_kernel(s, kernel_file, j);
    emit_object_end(j);
}

// Indented, since a person edits it.
static char *indented(const char *json)
{
    json_error_t why;
    json_t *root = json_loads(json, 0, &why);
    char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(root);
    return text;
}

// ---- files -------------------------------------------------------------------------------------

// "dir/matmul.cl" -> "dir/matmul.json"
static char *default_output(const char *path)
{
    struct text out = TEXT_INIT;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    text_addn(&out, path, dot && dot > path ? (size_t)(dot - path) : strlen(path));
    text_add(&out, ".json");
    return text_steal(&out);
}

// The source as the spec names it: relative where both are in one folder, else absolute.
static char *relative_to(const char *source, const char *output)
{
    const char *a = strrchr(source, '/'), *b = strrchr(output, '/');
    size_t source_folder = a ? (size_t)(a - source) : 0, folder = b ? (size_t)(b - output) : 0;
    bool is_same = source_folder == folder && strncmp(source, output, folder) == 0;
    return is_same ? strdup(a ? a + 1 : source) : realpath(source, NULL);
}

static bool write_new(const char *path, const char *text, struct error *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return error_set(e, ERROR_USAGE, "%s is there already; --output FILE writes another", path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        return error_set_driver(e, ERROR_IO, why, "%s: cannot write: %s", path, strerror(why));
    }
    bool ok = fprintf(f, "%s\n", text) > 0;
    ok = fclose(f) == 0 && ok;
    return ok ||
           error_set_driver(e, ERROR_IO, errno, "%s: cannot write: %s", path, strerror(errno));
}

static void put_line(const char *line)
{
    struct text text = TEXT_INIT;
    text_addf(&text, "%s\n", line);
    put_data(&text);
    text_release(&text);
}

static bool write_spec(struct session *s, const char *output, struct error *e)
{
    struct text compact = TEXT_INIT;
    struct emit json;
    bool to_stdout = str_equal(output, "-");
    char *kernel_file = relative_to(s->path, to_stdout ? s->path : output);
    emit_start(&json, &compact);
    if (kernel_file)
        put_spec(s, kernel_file, &json);
    char *text = kernel_file && !compact.failed ? indented(text_cstr(&compact)) : NULL;
    bool ok = text || error_memory(e);
    if (ok && to_stdout)
        put_line(text);
    else if (ok)
        ok = write_new(output, text, e);
    free(text);
    free(kernel_file);
    text_release(&compact);
    return ok;
}

// ---- the kernel --------------------------------------------------------------------------------

struct init_settings {
    const char *kernel, *output;
};

static bool choose_kernel(struct session *s, struct error *e)
{
    const char *wanted = ((const struct init_settings *)s->call->settings)->kernel;
    const struct kernel_source *src = &s->source;
    struct text known = TEXT_INIT;
    for (uint32_t i = 0; i < src->kernel_count; i++) {
        text_addf(&known, "%s%s", i ? ", " : "", src->kernels[i].name);
        if (wanted ? str_equal(wanted, src->kernels[i].name) : src->kernel_count == 1)
            s->kernel = &src->kernels[i];
    }
    if (src->kernel_count == 0)
        error_set(e, ERROR_INPUT, "%s: there is no __kernel in it", s->path);
    else if (!s->kernel && wanted)
        error_set(e, ERROR_USAGE, "--kernel: %s has no kernel '%s'; there are %s", s->path, wanted,
                  text_cstr(&known));
    else if (!s->kernel)
        error_set(e, ERROR_USAGE, "%s has several kernels; name one with --kernel: %s", s->path,
                  text_cstr(&known));
    text_release(&known);
    return s->kernel != NULL;
}

static bool check_arguments(const struct session *s, struct error *e)
{
    for (uint32_t i = 0; i < s->kernel->argument_count; i++) {
        const struct found_argument *a = &s->kernel->arguments[i];
        if (str_starts(a->type, "image") || str_equal(a->type, "sampler_t"))
            return error_set(e, ERROR_INPUT,
                             "%s: argument '%s' of %s is an image or sampler, which "
                             "hone does not know",
                             s->path, a->name, s->kernel->name);
    }
    return true;
}

static bool make_spec_text(struct session *s, const char *output, struct error *e)
{
    struct text text = TEXT_INIT;
    bool ok = file_read(s->path, 0, &text, e) &&
              kernel_source_read(text_cstr(&text), text.length, &s->arena, &s->source, e) &&
              choose_kernel(s, e) && check_arguments(s, e);
    if (ok) {
        s->size = SIZE_NAME;
        for (uint32_t i = s->source.name_count; i-- > 0;) {
            if (is_size(&s->source.names[i]))
                s->size = s->source.names[i].name;
        }
        ok = write_spec(s, output, e);
    }
    text_release(&text);
    return ok;
}

static int run_init(struct invocation *i)
{
    struct error e = ERROR_INIT;
    struct session s = {.call = i, .path = i->arguments[0]};
    const struct init_settings *o = i->settings;
    char *chosen = o->output ? strdup(o->output) : default_output(s.path);
    arena_init(&s.arena);
    bool ok = chosen ? make_spec_text(&s, chosen, &e) : error_memory(&e);
    if (ok && !str_equal(chosen, "-")) {
        struct text text = TEXT_INIT;
        text_addf(&text,
                  "%s: kernel %s, %u arguments, %u names that the source leaves open.\n"
                  "Edit what is marked EDIT, then: hone tune %s\n",
                  chosen, s.kernel->name, s.kernel->argument_count, s.source.name_count, chosen);
        put(&text);
        text_release(&text);
    }
    arena_release(&s.arena);
    free(chosen);
    if (ok)
        return EXIT_DONE;
    int status = work_failed(&e);
    return e.code == ERROR_IO ? EXIT_USAGE : status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct init_settings, member)

static const struct option options[] = {
    {OPTION("kernel", "NAME", option_text, FIELD(kernel)), .letter = 'k',
     .brief = "the kernel, where the file has several",
     .help = "The kernel, where the file has several."},
    {OPTION("output", "FILE", option_text, FIELD(output)), .letter = 'o',
     .brief = "where the spec goes; - is standard output",
     .help =
         "Where the spec goes; - is standard output. Default: the kernel's file with the ending "
         ".json. A file that is there is not overwritten."},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options, 0}, {"Help", help_options, 0}, {0}};

static const struct example examples[] = {
    {"hone init my_kernel.cl", "writes my_kernel.json"},
    {0},
};

const struct command command_init = {
    .name = "init",
    .group = GROUP_PREPARE,
    .summary = "write a starting spec for a kernel",
    .arguments = "KERNEL.cl",
    .least = 1,
    .most = 1,
    .description = "Reads an OpenCL C file and writes a spec to start from: the kernel, its "
                   "arguments with their types, "
                   "and the names that the file uses without defining them (or defines between "
                   "#ifndef and #endif) as "
                   "parameters, those that look like a size of the problem as constants. What has "
                   "to be looked at is "
                   "marked EDIT: the values of parameters, and the sizes.",
    .topics = "spec",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct init_settings),
    .run = run_init,
};
