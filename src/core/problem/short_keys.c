// Every key of the short form, in the order in which documents list them, with the keys of T1 that it stands for.
#include "problem/keys.h"

#include "base/text.h"

#include <string.h>

#define SCALAR (KEY_STRING | KEY_NUMBER | KEY_BOOL)
#define TEXT   .type = "text", .accepts = KEY_STRING
#define TEXTS                                                                                      \
    .type = "text, or list of texts", .accepts = KEY_STRING | KEY_ARRAY, .items = KEY_STRING
#define EXPRESSION .type = "expression", .accepts = SCALAR
#define LINES                                                                                      \
    .type = "expression, or a list of lines", .accepts = SCALAR | KEY_ARRAY, .items = KEY_STRING
#define EXPRESSIONS                                                                                \
    .type = "expression, or list of them", .accepts = SCALAR | KEY_ARRAY, .items = SCALAR
#define PAIR    .type = "two expressions", .accepts = KEY_ARRAY, .items = SCALAR
#define FLAG    .type = "true or false", .accepts = KEY_BOOL
#define INTEGER .type = "integer", .accepts = KEY_INTEGER
#define OBJECT  .type = "object", .accepts = KEY_OBJECT
#define OBJECTS .type = "list of objects", .accepts = KEY_ARRAY, .items = KEY_OBJECT

// A key: its path, type, default and meaning; the last part of the T1 key; then what else is true of it.
#define KEY(key, kind, default_text, text, ...)                                                    \
    {                                                                                              \
        .path = key, kind, .fallback = default_text, .meaning = text, __VA_ARGS__                  \
    }

static const struct spec_key keys[] = {
    KEY("$schema", TEXT, "-", "for editors: a schema, such as the one of hone help --print schema",
        .t1 = NULL),
    KEY("name", TEXT, "the file's name", "name of the spec", .t1 = "BenchmarkName"),
    KEY("kernel", .type = "text, list of texts, or object", "required",
        "the kernel's file, relative to the spec's folder; of a list those in one language are "
        "joined in order, and files in other "
        "languages (.cl, .cu, .c) are the kernel there; or an object by language; or of a program, "
        "which is run as it is. A file's name "
        "with expressions in braces, mm_{BM}.cl, is a file for each configuration. PTX, cubins and "
        "SPIR-V (.ptx, .cubin, .spv) are loaded as they are",
        .accepts = KEY_STRING | KEY_ARRAY | KEY_OBJECT, .items = KEY_STRING, .block = true,
        .t1 = "KernelFile"),
    KEY("kernel.*", TEXTS, "-", "for OpenCL, CUDA or C: the files of the kernel in this language",
        .t1 = NULL),
    KEY("kernel.exec", TEXTS, "-",
        "the kernel is generated: the command that prints its text for a configuration, a word "
        "each, with expressions in "
        "braces; it runs in the spec's folder",
        .t1 = "KernelCommand"),
    KEY("kernel.run", TEXTS, "-",
        "of a program: the command that runs it, a word each, with expressions in braces, as in "
        "{N}; {program} is what "
        "build has made, {output} a file that it writes its times to instead of printing them",
        .t1 = NULL),
    KEY("kernel.build", TEXTS, "-",
        "of a program: the command that makes {program}, which is this configuration's own; both "
        "run in the spec's folder",
        .t1 = NULL),
    KEY("kernel.files", TEXTS, "[]",
        "of a program: files and folders that it is made of, beside those that the words name and "
        "what these include",
        .t1 = NULL),
    KEY("kernel.benchmark", TEXT, "the only one",
        "of a program with the output of nvbench or Google Benchmark: the name of the benchmark "
        "that counts",
        .t1 = NULL),
    KEY("source", TEXT, "-", "the kernel's source itself, instead of a file", .block = true,
        .t1 = "KernelSource"),
    KEY("function", TEXT, "the only kernel of the text",
        "the kernel's name in its text; what is not a name is an expression that gives it, for "
        "templates",
        .block = true, .t1 = "KernelName"),
    KEY("language", TEXT, "by the kernel file's ending, else by its text",
        "OpenCL, CUDA or C: the language of a kernel whose file does not say it",
        .choices = "OpenCL|CUDA|C", .t1 = "Language"),
    KEY("options", TEXTS, "[]",
        "options for the compiler, with expressions in braces, as in -O{LEVEL}; a text is split at "
        "its blanks",
        .block = true, .t1 = "CompilerOptions"),
    KEY("include", TEXTS, "[]", "folders in which #include looks, relative to the spec's folder",
        .block = true, .t1 = "IncludeFolders"),
    KEY("retarget", .type = "text, or object", "-",
        "OpenCL on NVIDIA: the target that the driver's PTX is rewritten for, such as sm_90a",
        .accepts = KEY_STRING | KEY_OBJECT, .block = true, .t1 = "Retarget"),
    KEY("retarget.target", TEXT, "required", "the target", .t1 = "Target"),
    KEY("retarget.when", EXPRESSION, "true",
        "over constants, parameters and device facts: is it done?", .t1 = "When"),

    KEY("constants", OBJECT, "{}",
        "named values for every expression, passed to the compiler as -D unless the kernel has a "
        "parameter of the same name; --set "
        "NAME=VALUE overrides one",
        .t1 = "Constants"),
    KEY("constants.*", .type = "number, text, true or false", "-",
        "the value of the constant of this name", .accepts = SCALAR, .t1 = NULL),
    KEY("parameters", OBJECT, "{}",
        "what may be varied: the tuning parameters, passed to the compiler as -D",
        .t1 = "TuningParameters"),
    KEY("parameters.*", .type = "list, expression giving a list, or object", "-",
        "the values of the parameter of this name; the expression may use constants",
        .accepts = KEY_ARRAY | KEY_STRING | KEY_OBJECT, .items = SCALAR, .t1 = "Values"),
    KEY("parameters.*.values", .type = "list, or expression giving a list", "required",
        "its values", .accepts = KEY_ARRAY | KEY_STRING, .items = SCALAR, .t1 = "Values"),
    KEY("parameters.*.type", TEXT, "the values' own", "int, uint, float, bool, string or mixed",
        .t1 = "Type"),
    KEY("defaults", OBJECT, "the first values",
        "the default configuration: start point, and base of the speed-up", .t1 = "Default"),
    KEY("defaults.*", .type = "value", "the first value",
        "the default of the parameter of this name", .accepts = SCALAR, .t1 = NULL),
    KEY("derived", OBJECT, "{}",
        "values computed from parameters: not searched, passed to the compiler as -D",
        .t1 = "Derived"),
    KEY("derived.*", EXPRESSION, "-",
        "the value of this name; may use derived ones that stand before it", .t1 = NULL),
    KEY("restrictions", EXPRESSIONS, "[]",
        "a configuration is valid when all of them are true; a fault, such as a division by zero, "
        "excludes it",
        .t1 = "Conditions"),

    KEY("global", EXPRESSIONS, "required",
        "work-items of the launch along each axis, rounded up to whole work-groups", .block = true,
        .t1 = "GlobalSize"),
    KEY("groups", EXPRESSIONS, "-", "instead of global: work-groups of the launch along each axis",
        .block = true, .t1 = NULL),
    KEY("local", EXPRESSIONS, "block_size_x, block_size_y, block_size_z, else the driver's choice",
        "work-items of a work-group along each axis", .block = true, .t1 = "LocalSize"),
    KEY("problem", EXPRESSIONS, "-",
        "instead of global: what is to be computed along each axis; every expression may use it as "
        "ProblemSize[0]",
        .block = true, .t1 = "ProblemSize"),
    KEY("per_group", .type = "list of expressions, or of lists of them", "local",
        "with problem: how much of it a work-group computes along each axis; of a list the product",
        .accepts = KEY_ARRAY, .items = SCALAR | KEY_ARRAY, .block = true, .t1 = NULL),
    KEY("shared", EXPRESSION, "0",
        "dynamic shared memory in bytes; CUDA only, and never an argument", .block = true,
        .t1 = "SharedMemory"),

    KEY("repeat", EXPRESSION, "1",
        "how often all launches are made, one pass after the other; `pass` is which, from 0, in "
        "expressions of sizes and scalars",
        .t1 = "Repeat"),
    KEY("swap", .type = "two texts, or list of such", "[]",
        "with repeat: arguments that change roles between passes. The first pass reads the first "
        "one, each later pass what the pass "
        "before it wrote, and the last pass writes the second one",
        .accepts = KEY_ARRAY, .items = KEY_STRING | KEY_ARRAY, .t1 = "Swap"),

    KEY("partial", FLAG, "false",
        "components that the default configuration leaves unwritten, where it is the reference, "
        "are not compared, which is a warning; else they are an error",
        .t1 = "Partial"),

    KEY("arguments", OBJECT, "{}",
        "the kernel's arguments by name. Their order and types are read in its text; where that is "
        "not understood, the "
        "order written here counts",
        .t1 = "Arguments"),
    KEY("arguments.*", .type = "expression, list, object, or null", "-",
        "a scalar's value (a list of a vector's components), an object for a buffer, or null for a "
        "pointer to nothing. A scalar of the kernel that is not named "
        "here has the value of the constant or "
        "parameter of its name",
        .accepts = SCALAR | KEY_OBJECT | KEY_ARRAY, .t1 = NULL),
    KEY("arguments.*.size", EXPRESSION, "that of its .npy file, else 1", "elements of the buffer",
        .t1 = "Size"),
    KEY("arguments.*.image", EXPRESSIONS, "-",
        "of an image (OpenCL), a texture or a surface object (CUDA): its width, its height, and "
        "its "
        "depth if it has three; it stands for size",
        .t1 = "Image"),
    KEY("arguments.*.format", TEXT,
        "R, RG or RGBA by the type's width; normalized as the kernel reads it",
        "of an image: its channel order (R, RG, RGBA, A, RA, BGRA, ARGB, INTENSITY, LUMINANCE; "
        "CUDA: "
        "the first three), and normalized: integers of 8 or 16 bits that are read as numbers up to "
        "1",
        .t1 = "Format"),
    KEY("arguments.*.sampler", TEXT, "clamp_to_edge nearest",
        "of a sampler_t, and of an image in CUDA, whose texture objects have one: words of "
        "clamp_to_edge, clamp, repeat, mirrored_repeat, none; nearest, linear; normalized",
        .t1 = "Sampler"),
    KEY("arguments.*.value", .type = "expression, list, or object", "0",
        "of a scalar: its value; of a vector: a list of its components; of a struct: an object or "
        "a list of its members",
        .accepts = KEY_ANY, .t1 = "FillExpression"),
    KEY("arguments.*.type", TEXT, "the kernel's",
        "type of an element, such as float, int32 or float4, where the kernel's source does not "
        "say "
        "it; what names no type is an "
        "expression that gives its name",
        .t1 = "Type"),
    KEY("arguments.*.type_size", INTEGER, "the type's", "bytes of an element of type custom",
        .t1 = "TypeSize"),
    KEY("arguments.*.memory", TEXT, "the kernel's",
        "scalar; vector: a buffer; local: local memory (CUDA: dynamic shared memory, no argument); "
        "symbol: constant memory (CUDA: "
        "a module symbol, no argument); constant: as symbol, and an argument where the kernel "
        "takes one",
        .choices = "scalar|vector|local|symbol|constant", .t1 = "MemoryType"),
    KEY("arguments.*.access", TEXT, "as the kernel's source uses it",
        "read, write or readwrite; what is only written is poisoned before each launch",
        .choices = "read|write|readwrite", .t1 = "AccessType"),
    KEY("arguments.*.fill", .type = "expression, text, or object", "random",
        "the contents: random, normal, none, a file (.npy, or elements as they are), or an "
        "expression, which may use i (the "
        "component's index) and size; or an object",
        .accepts = SCALAR | KEY_OBJECT, .choices = "random|normal|none", .t1 = "FillType"),
    KEY("arguments.*.fill.constant", EXPRESSION, "-", "this value in every element",
        .t1 = "FillValue"),
    KEY("arguments.*.fill.expression", TEXT, "-",
        "an expression over i (the component's index), size and the spec's names",
        .t1 = "DataSource"),
    KEY("arguments.*.fill.file", TEXT, "-",
        "a file of elements; .npy is known, and gives the argument its size, and its type where "
        "the "
        "kernel's source does not; {n} in its name is the constant n",
        .t1 = NULL),
    KEY("arguments.*.fill.random", .type = "two expressions, or one", "[-1, 1]; integers [0, 100]",
        "uniform values: lowest and highest; or from 0 to the one", .accepts = SCALAR | KEY_ARRAY,
        .items = SCALAR, .t1 = "Range"),
    KEY("arguments.*.fill.normal", .type = "two expressions, or one", "[0, 1]",
        "normal values: mean and deviation", .accepts = SCALAR | KEY_ARRAY, .items = SCALAR,
        .t1 = NULL),
    KEY("arguments.*.fill.seed", INTEGER, "the argument's place, from 1",
        "of random ones: same seed, same values, on every device", .t1 = "RandomSeed"),
    KEY("arguments.*.expect", LINES, "-",
        "what it holds after the launch: an expression over i (the component's index), constants, "
        "scalar arguments, and arrays by name, x[i], which are their contents before the launch, "
        "with lines before it that name its parts; or a .npy file",
        .t1 = "Expect"),
    KEY("arguments.*.verify", .type = "text, or object", "by type",
        "how it is compared with the reference: a method, or an object",
        .accepts = KEY_STRING | KEY_OBJECT, .t1 = "Verification"),
    KEY("arguments.*.verify.method", TEXT, "close; exact for integers",
        "exact; absolute: |a-r| <= atol; close: |a-r| <= atol + rtol*|r|; norm: ||a-r|| <= "
        "rtol*||r||; sum: |sum a - "
        "sum r| <= atol + rtol*|sum r|; set: close, in whatever order",
        .choices = "exact|absolute|close|norm|sum|set", .t1 = "Method"),
    KEY("arguments.*.verify.atol", EXPRESSION,
        "8-bit floats 1e-1, half and bfloat16 1e-2, float 1e-4, double 1e-9 of the root mean "
        "square of "
        "the reference",
        "absolute tolerance, an absolute number", .t1 = "AbsoluteTolerance"),
    KEY("arguments.*.verify.rtol", EXPRESSION,
        "8-bit floats 1e-1, half and bfloat16 1e-2, float 1e-4, double 1e-9", "relative tolerance",
        .t1 = "RelativeTolerance"),
    KEY("arguments.*.verify.precision", .type = "number",
        "10 times the baseline's own error, or what rounding explains",
        "largest relative norm of the error that hone judge allows a candidate",
        .accepts = KEY_NUMBER, .t1 = "Precision"),
    KEY("arguments.*.verify.region", PAIR, "all",
        "first element and count of elements that are compared", .t1 = "Region"),
    KEY("arguments.*.verify.nan", FLAG, "false", "NaN passes where the reference has NaN",
        .t1 = "AllowNaN"),
    KEY("arguments.*.linked", .type = "text, or object", "-",
        "another argument, of whose data this one is another view: its contents are that one's, "
        "whatever the fill says here",
        .accepts = KEY_STRING | KEY_OBJECT, .t1 = "LinkedTo"),
    KEY("arguments.*.linked.argument", TEXT, "required", "name of the argument with the data",
        .t1 = "Argument"),
    KEY("arguments.*.linked.first", EXPRESSION, "0", "which component of it is the first here",
        .t1 = "First"),
    KEY("arguments.*.linked.stride", EXPRESSION, "1",
        "how far apart there the components are that follow each other here", .t1 = "Stride"),
    KEY("arguments.*.output", FLAG, "true when it is written", "compared with the reference",
        .t1 = "Output"),
    KEY("arguments.*.temporary", FLAG, "false",
        "a buffer between launches: neither filled nor verified", .t1 = "Temporary"),
    KEY("arguments.*.restore", FLAG, "true",
        "false: what is read and written keeps its contents from one timed launch to the next",
        .t1 = "Restore"),

    KEY("reference", .type = "text, or object", "agreement with the default configuration",
        "what the outputs must be: none, default, or an object", .accepts = KEY_STRING | KEY_OBJECT,
        .t1 = "Reference"),
    KEY("reference.kind", TEXT, "as its other keys say",
        "gemm: C = activation(alpha*A*B + beta*C + gamma*bias), row-major, in float64; kernel: "
        "another kernel; "
        "configuration: the same "
        "kernel at another one; file; none",
        .choices = "gemm|kernel|configuration|file|none", .t1 = "Kind"),
    KEY("reference.M", EXPRESSION, "required", "gemm: rows of C", .t1 = "M"),
    KEY("reference.N", EXPRESSION, "required", "gemm: columns of C", .t1 = "N"),
    KEY("reference.K", EXPRESSION, "required", "gemm: length of the sums", .t1 = "K"),
    KEY("reference.A", TEXT, "A", "gemm: name of the argument A", .t1 = "A"),
    KEY("reference.B", TEXT, "B", "gemm: name of the argument B", .t1 = "B"),
    KEY("reference.C", TEXT, "C", "gemm: name of the argument C", .t1 = "C"),
    KEY("reference.transpose_a", FLAG, "false", "gemm: A is stored transposed", .t1 = "TransposeA"),
    KEY("reference.transpose_b", FLAG, "false", "gemm: B is stored transposed", .t1 = "TransposeB"),
    KEY("reference.alpha", EXPRESSION, "1", "gemm: factor of the product", .t1 = "Alpha"),
    KEY("reference.beta", EXPRESSION, "0", "gemm: factor of the initial C", .t1 = "Beta"),
    KEY("reference.gamma", EXPRESSION, "0", "gemm: factor of the bias", .t1 = "Gamma"),
    KEY("reference.bias", TEXT, "bias",
        "gemm: name of the argument with a number for each column, if there is a gamma",
        .t1 = "Bias"),
    KEY("reference.activation", EXPRESSION, "none",
        "gemm: what becomes of each element: none, relu, gelu (the one of tanh) or silu",
        .t1 = "Activation"),
    KEY("reference.batch", EXPRESSION, "1",
        "gemm: matrices of each, one behind the other; the bias is that of all", .t1 = "Batch"),
    KEY("reference.arguments", .type = "list of texts", "by the kernel's source",
        "kernel: names of its arguments, in its order", .accepts = KEY_ARRAY, .items = KEY_STRING,
        .t1 = NULL),
    KEY("reference.configuration", .type = "text, or object",
        "kernel: the configuration that is verified; configuration: the default one",
        "the values of the parameters in the reference, as an object or as \"a=1, b=2\"; others at "
        "their default",
        .accepts = KEY_STRING | KEY_OBJECT, .t1 = "Configuration"),
    KEY("reference.configuration.*", .type = "value", "-",
        "the value of the parameter of this name", .accepts = SCALAR, .t1 = NULL),
    KEY("reference.repeat", EXPRESSION, "1", "kernel: how often it is launched, as repeat",
        .t1 = NULL),
    KEY("reference.swap", .type = "two texts, or list of such", "[]", "kernel: as swap",
        .accepts = KEY_ARRAY, .items = KEY_STRING | KEY_ARRAY, .t1 = NULL),
    KEY("reference.files", OBJECT, "-", "file: the expected contents of each output",
        .t1 = "Files"),
    KEY("reference.files.*", TEXT, "-",
        "a file of elements; .npy is known, and {n} in its name is the constant n", .t1 = NULL),
    KEY("reference.languages", OBJECT, "{}", "kernel: what differs in a language", .t1 = NULL),
    KEY("reference.languages.*", OBJECT, "-",
        "for OpenCL, CUDA or C: keys that count instead of the reference's own", .t1 = NULL),

    KEY("launches", OBJECTS, "one launch",
        "several kernels run in order as one configuration, verified at the end, timed from the "
        "first start to the last end",
        .t1 = "Launches"),
    KEY("launches[].name", TEXT, "the kernel's name", "for reports", .t1 = NULL),
    KEY("launches[].arguments", .type = "list of texts", "by the kernel's source",
        "names of its arguments, in the kernel's order", .accepts = KEY_ARRAY, .items = KEY_STRING,
        .t1 = NULL),
    KEY("launches[].when", EXPRESSION, "true", "the launch is left out where it is false",
        .t1 = NULL),
    KEY("launches[].repeat", EXPRESSION, "1",
        "how often this launch is made in a row; `step` is which, from 0", .t1 = NULL),
    KEY("launches[].swap", .type = "two texts, or list of such", "[]",
        "as swap, between the steps of this launch", .accepts = KEY_ARRAY,
        .items = KEY_STRING | KEY_ARRAY, .t1 = NULL),
    KEY("launches[].languages", OBJECT, "{}", "what differs in a language", .t1 = "Languages"),
    KEY("launches[].languages.*", OBJECT, "-",
        "for OpenCL, CUDA or C: keys that count instead of the launch's own", .t1 = NULL),
    KEY("languages", OBJECT, "{}", "further languages, or what differs in one", .t1 = "Languages"),
    KEY("languages.*", OBJECT, "-",
        "for OpenCL, CUDA or C: keys that count instead of those outside. kernel, source and "
        "options outside belong to the "
        "first language alone",
        .t1 = NULL),
    KEY("languages.*.when", EXPRESSION, "true",
        "over constants and device facts: can the language be used here?", .t1 = NULL),
    KEY("languages.*.restrictions", EXPRESSIONS, "[]",
        "restrictions that hold in this language only", .t1 = NULL),

    KEY("metrics", OBJECT, "{}", "what to show beside the time; the first one is shown in tables",
        .t1 = "Metrics"),
    KEY("metrics.*", .type = "expression, or object", "-",
        "over parameters, constants, derived parameters, device facts and time_ns, time_ms, "
        "time_s, joule",
        .accepts = SCALAR | KEY_OBJECT, .t1 = NULL),
    KEY("metrics.*.value", EXPRESSION, "required", "the same, in an object", .t1 = NULL),
    KEY("metrics.*.unit", TEXT, "-", "its unit, for readers of the file", .t1 = "Unit"),
    KEY("objective", .type = "text, or list of texts", "time",
        "what to optimise: time, min:NAME or max:NAME of a metric; of several the Pareto set. "
        "--objective overrides it",
        .accepts = KEY_STRING | KEY_ARRAY, .items = KEY_STRING, .t1 = "Objective"),
    KEY("iterations", INTEGER, "chosen by hone", "timed launches of each configuration",
        .t1 = "Iterations"),
    KEY("budget", .type = "integer, text, or object", "no limit",
        "when to stop: so many configurations, or after a time such as \"60s\"; of several "
        "whichever ends first. "
        "--budget overrides it",
        .accepts = KEY_INTEGER | KEY_STRING | KEY_OBJECT, .t1 = "Budget"),
    KEY("budget.configurations", .type = "number", "-", "so many configurations",
        .accepts = KEY_NUMBER, .t1 = NULL),
    KEY("budget.seconds", .type = "number", "-", "so long", .accepts = KEY_NUMBER, .t1 = NULL),
    KEY("budget.fraction", .type = "number", "-",
        "this share of the valid configurations, at most 1", .accepts = KEY_NUMBER, .t1 = NULL),
    KEY("search", TEXT, "-",
        "the strategy to use when the command line names none, as in --strategy", .t1 = "Search"),
    KEY("start_with", .type = "text, or list of texts", "-",
        "configurations to try first, \"a=1, b=2\": the values of the parameters, others at their "
        "default. --start-with overrides it",
        .accepts = KEY_STRING | KEY_ARRAY, .items = KEY_STRING, .t1 = "StartWith"),
};

// Objects in which a key with the flag `block` may stand beside the file's own.
static const char *const block_places[] = {
    "languages.*",           "launches[]", "launches[].languages.*", "reference",
    "reference.languages.*", NULL,
};

const struct key_table short_keys = {.keys = keys,
                                     .count = sizeof keys / sizeof *keys,
                                     .block_root = "",
                                     .block_places = block_places};

const struct spec_key *spec_short_keys(size_t *count)
{
    *count = short_keys.count;
    return keys;
}

// The objects of T1 whose keys may stand in an object of the short form too.
static const struct {
    const char *pattern, *t1[4];
} places[] = {
    {"", {"KernelSpecification", "", "ConfigurationSpace", "General"}},
    {"parameters.*", {"ConfigurationSpace.TuningParameters[]"}},
    {"arguments.*", {"KernelSpecification.Arguments[]"}},
    {"arguments.*.verify", {"KernelSpecification.Arguments[].Verification"}},
    {"reference", {"KernelSpecification.Reference"}},
    {"reference.languages.*", {"KernelSpecification.Reference.Languages.*"}},
    {"launches[]", {"KernelSpecification.Launches[]"}},
    {"launches[].languages.*", {"KernelSpecification.Launches[].Languages.*"}},
    {"languages.*", {"KernelSpecification.Languages.*"}},
    {"retarget", {"KernelSpecification.Retarget"}},
};

// These hold what the short form says in keys of its own.
static bool is_taken_apart(const char *name)
{
    static const char *const names[] = {
        "General",  "ConfigurationSpace", "KernelSpecification", "TuningParameters", "Arguments",
        "Launches", "Languages",          "Reference",           "$schema",          NULL};
    return str_listed(names, name);
}

const struct spec_key *short_t1_key(const char *pattern, const char *name, const char **place)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(places[i].pattern, pattern) != 0)
            continue;
        for (size_t p = 0; p < 4 && places[i].t1[p]; p++) {
            const struct spec_key *key = key_find(&t1_keys, places[i].t1[p], name);
            bool is_any = key && strcmp(key_name_in(&t1_keys, key, places[i].t1[p]), "*") == 0;
            if (!key || is_any || is_taken_apart(name))
                continue;
            *place = places[i].t1[p];
            return key;
        }
    }
    return NULL;
}

// The last part of a key's path.
static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

const char *short_key_name(const char *t1)
{
    for (size_t i = 0; i < short_keys.count; i++) {
        if (keys[i].t1 && strcmp(keys[i].t1, t1) == 0 && strcmp(last_part(keys[i].path), "*") != 0)
            return last_part(keys[i].path);
    }
    return t1;
}
