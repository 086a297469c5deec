// Every key of the format, in the order in which documents list them. The reader knows a key only
// through this table, so that the two cannot drift apart.
#include "problem/keys.h"

#include "base/text.h"

#include <string.h>

#define TEXT          .type = "text", .accepts = KEY_STRING
#define TEXTS         .type = "list of texts", .accepts = KEY_ARRAY, .items = KEY_STRING
#define INTEGER       .type = "integer", .accepts = KEY_INTEGER
#define NUMBER        .type = "number", .accepts = KEY_NUMBER
#define FLAG          .type = "true or false", .accepts = KEY_BOOL | KEY_INTEGER
#define OBJECT        .type = "object", .accepts = KEY_OBJECT
#define OBJECTS       .type = "list of objects", .accepts = KEY_ARRAY, .items = KEY_OBJECT
#define EXPRESSION_IN (KEY_STRING | KEY_NUMBER | KEY_BOOL)
#define EXPRESSION    .type = "expression", .accepts = EXPRESSION_IN
#define LINES                                                                                      \
    .type = "expression, or a list of lines", .accepts = KEY_ARRAY | EXPRESSION_IN,                \
    .items = KEY_STRING
#define EXPRESSIONS                                                                                \
    .type = "list of expressions", .accepts = KEY_ARRAY | EXPRESSION_IN, .items = EXPRESSION_IN
#define IGNORED                                                                                    \
    .type = "any", .accepts = KEY_ANY, .fallback = "-",                                            \
    .meaning = "read by other tuners; hone ignores it"

// A key: its path, type, default and meaning; then what else is true of it.
#define KEY(key, kind, default_text, text)                                                         \
    {                                                                                              \
        .path = key, kind, .fallback = default_text, .meaning = text                               \
    }
#define KEY_WITH(key, kind, default_text, text, ...)                                               \
    {                                                                                              \
        .path = key, kind, .fallback = default_text, .meaning = text, __VA_ARGS__                  \
    }

static const struct spec_key keys[] = {
    KEY_WITH("$schema", TEXT, "-",
             "for editors: a schema, such as the one of hone help --print schema", .dialect = true),
    KEY_WITH("General", OBJECT, "-", "about the file as a whole", .strict = KEY_OBJECT),
    KEY_WITH("General.BenchmarkName", TEXT, "the file's name", "name of the spec", .dialect = true),
    {.path = "General.FormatVersion", IGNORED, .strict = KEY_INTEGER},
    {.path = "General.LoggingLevel",
     IGNORED,
     .strict = KEY_STRING,
     .choices = "Off|Error|Warning|Info|Debug"},
    {.path = "General.TimeUnit",
     IGNORED,
     .strict = KEY_STRING,
     .choices = "Nanoseconds|Microseconds|Milliseconds|Seconds"},
    {.path = "General.OutputFile", IGNORED, .strict = KEY_STRING},
    {.path = "General.OutputFormat", IGNORED, .strict = KEY_STRING, .choices = "JSON|XML"},
    KEY_WITH("General.Objective", TEXT, "-",
             "what to optimise if Objective does not say it: time or a metric's name; ignored "
             "with a warning where it is neither",
             .dialect = true),
    KEY_WITH("General.Minimize", FLAG, "true", "whether less of General.Objective is better",
             .dialect = true),

    KEY_WITH("Constants", .type = "object or list", "{}",
             "named values for every expression, passed to the compiler as -D; --set NAME=VALUE "
             "overrides one",
             .accepts = KEY_OBJECT | KEY_ARRAY, .items = KEY_OBJECT),
    KEY_WITH("Constants.*", .type = "number, text, true or false", "-",
             "the value of the constant of this name",
             .accepts = KEY_STRING | KEY_NUMBER | KEY_BOOL),
    KEY("Constants[].Name", TEXT, "required", "name of a constant, where Constants is a list"),
    KEY("Constants[].Type", TEXT, "the value's own", "int, uint, float, bool or string"),
    KEY_WITH("Constants[].Value", .type = "number, text, true or false", "required", "its value",
             .accepts = KEY_STRING | KEY_NUMBER | KEY_BOOL),

    KEY("Iterations", INTEGER, "chosen by hone", "timed launches of each configuration"),
    KEY("Metrics", OBJECTS, "[]", "what to show beside the time; the first one is shown in tables"),
    KEY("Metrics[].Name", TEXT, "required", "name of the metric"),
    KEY("Metrics[].Expression", EXPRESSION, "required",
        "its value, over parameters, constants, derived parameters, device facts and "
        "time_ns, time_ms, time_s, joule"),
    KEY("Metrics[].Unit", TEXT, "-", "its unit, for readers of the file"),
    KEY_WITH("Objective", .type = "text, or list of texts", "time",
             "what to optimise: time, min:NAME or max:NAME of a metric; of several the Pareto "
             "set. --objective overrides it",
             .accepts = KEY_STRING | KEY_ARRAY, .items = KEY_STRING, .single = true),
    KEY_WITH("Budget", .type = "list of objects, or object", "no limit",
             "when to stop; whichever ends first. --budget overrides it",
             .accepts = KEY_ARRAY | KEY_OBJECT, .items = KEY_OBJECT, .single = true,
             .strict = KEY_ARRAY),
    KEY_WITH("Budget[].Type", TEXT, "required",
             "TuningDuration (seconds), ConfigurationCount or ConfigurationFraction (0 to 1)",
             .strict = KEY_STRING, .required = true,
             .choices = "TuningDuration|ConfigurationCount|ConfigurationFraction"),
    KEY_WITH("Budget[].BudgetValue", NUMBER, "required", "how much of it", .strict = KEY_NUMBER,
             .required = true),
    KEY_WITH("Search", OBJECT, "-",
             "the strategy to use when the command line names none; the default with a note where "
             "hone has none of this name",
             .strict = KEY_OBJECT),
    KEY_WITH("Search.Name", TEXT, "-", "name of the strategy", .strict = KEY_STRING,
             .required = true),
    KEY_WITH("Search.Attributes", .type = "list of objects", "-",
             "its options, as in --strategy NAME:KEY=VALUE; those of other tuners' strategies "
             "are ignored with a note",
             .accepts = KEY_ARRAY, .items = KEY_OBJECT, .strict = KEY_ARRAY),
    KEY_WITH("Search.Attributes[].Name", .type = "text", "required", "name of an option",
             .accepts = KEY_ANY, .strict = KEY_STRING, .required = true),
    KEY_WITH("Search.Attributes[].Value", .type = "number or text", "required", "its value",
             .accepts = KEY_ANY, .strict = KEY_ANY & ~(unsigned)KEY_NULL, .required = true),
    KEY_WITH("StartWith", .type = "text, or list of texts", "-",
             "configurations to try first, \"a=1, b=2\": the values of the parameters, others at "
             "their default. --start-with overrides it",
             .accepts = KEY_STRING | KEY_ARRAY, .items = KEY_STRING, .single = true),
    KEY_WITH("SearchSettings", OBJECT, "-", "another name for Search", .dialect = true),
    KEY_WITH("SearchSettings.Name", TEXT, "-", "as Search.Name", .dialect = true),
    KEY_WITH("SearchSettings.Attributes", .type = "list of objects", "-", "as Search.Attributes",
             .dialect = true, .accepts = KEY_ANY),

    KEY_WITH("ConfigurationSpace", OBJECT, "required", "what may be varied", .strict = KEY_OBJECT,
             .required = true),
    KEY_WITH("ConfigurationSpace.TuningParameters", OBJECTS, "required", "the parameters",
             .strict = KEY_ARRAY, .required = true),
    KEY_WITH("ConfigurationSpace.TuningParameters[].Name", TEXT, "required",
             "name of the parameter: a C identifier, passed to the compiler as -D",
             .strict = KEY_STRING, .required = true),
    KEY_WITH("ConfigurationSpace.TuningParameters[].Type", TEXT, "the values' own",
             "int, uint, float, bool, string or mixed", .strict = KEY_STRING, .required = true,
             .choices = "int|uint|float|bool|string"),
    KEY_WITH("ConfigurationSpace.TuningParameters[].Values",
             .type = "expression giving a list, or list", "required",
             "its values; the expression may use constants and device facts",
             .accepts = KEY_STRING | KEY_ARRAY, .items = KEY_STRING | KEY_NUMBER | KEY_BOOL,
             .strict = KEY_STRING, .required = true),
    KEY_WITH("ConfigurationSpace.TuningParameters[].Default", .type = "value", "the first value",
             "its value in the default configuration: start point and base of the speed-up",
             .dialect = true, .accepts = KEY_STRING | KEY_NUMBER | KEY_BOOL | KEY_ARRAY,
             .items = KEY_STRING | KEY_NUMBER | KEY_BOOL),
    KEY_WITH("ConfigurationSpace.Conditions", .type = "list of objects", "[]",
             "the restrictions; a bare text is an Expression", .accepts = KEY_ARRAY,
             .items = KEY_OBJECT | KEY_STRING, .strict = KEY_ARRAY, .strict_items = KEY_OBJECT),
    KEY_WITH("ConfigurationSpace.Conditions[].Expression", EXPRESSION, "required",
             "a configuration is valid when it is true; a fault, such as a division by zero, "
             "excludes it",
             .strict = KEY_STRING, .required = true),
    KEY_WITH("ConfigurationSpace.Conditions[].Parameters", TEXTS, "-",
             "the parameters it reads; hone finds them itself", .strict = KEY_ARRAY,
             .required = true),
    KEY_WITH("ConfigurationSpace.Constraints", .type = "list of objects", "[]",
             "another name for Conditions", .dialect = true, .accepts = KEY_ARRAY,
             .items = KEY_OBJECT | KEY_STRING),
    KEY_WITH("ConfigurationSpace.Constraints[].Expression", EXPRESSION, "required",
             "as Conditions[].Expression", .dialect = true),
    KEY_WITH("ConfigurationSpace.Constraints[].Parameters", TEXTS, "-",
             "as Conditions[].Parameters", .dialect = true),
    KEY("ConfigurationSpace.Derived", OBJECTS, "[]",
        "values computed from parameters: not searched, passed to the compiler as -D"),
    KEY("ConfigurationSpace.Derived[].Name", TEXT, "required", "its name"),
    KEY("ConfigurationSpace.Derived[].Expression", EXPRESSION, "required",
        "its value; may use derived parameters that stand before it"),

    KEY_WITH("KernelSpecification", OBJECT, "required",
             "the kernel, its sizes, arguments and reference", .strict = KEY_OBJECT,
             .required = true),
    KEY_WITH("KernelSpecification.Language", TEXT, "by the kernel file's ending, else by its text",
             "OpenCL, CUDA or C: the language of KernelFile, and what GlobalSize counts in. Left "
             "out, .cl, .cu and .c say it, then the first language that KernelFile names, then "
             "__kernel or __global__ in the kernel's source",
             .strict = KEY_STRING, .required = true, .choices = "OpenCL|CUDA|Vulkan|Hypertuner"),
    KEY_WITH("KernelSpecification.KernelName", TEXT, "required", "name of the kernel in the source",
             .block = true, .strict = KEY_STRING, .required = true),
    KEY_WITH("KernelSpecification.KernelNameExpression", EXPRESSION, "-",
             "gives the kernel's name, for templates; wins over KernelName", .block = true),
    KEY_WITH("KernelSpecification.KernelFile", .type = "text, or object", "required",
             "file with the kernel, relative to the spec's folder; or one for each language",
             .accepts = KEY_STRING | KEY_OBJECT, .block = true, .strict = KEY_STRING,
             .required = true),
    KEY("KernelSpecification.KernelFile.*", TEXT, "-",
        "for OpenCL, CUDA or C: the file with the kernel in this language"),
    KEY_WITH("KernelSpecification.Sources", TEXTS, "-",
             "several files, joined in order with #line; wins over KernelFile. A list in "
             "KernelSpecification.KernelFile is the same",
             .block = true),
    KEY_WITH("KernelSpecification.KernelSource", TEXT, "-",
             "the kernel's source itself; wins over Sources and KernelFile", .block = true),
    KEY_WITH("KernelSpecification.KernelCommand", TEXTS, "-",
             "words of a command that prints the kernel's source for a configuration; in hone's "
             "short form alone, as kernel.exec",
             .block = true),
    KEY_WITH("KernelSpecification.CompilerOptions", TEXTS, "[]",
             "options for the compiler, one word each, with expressions in braces, as in "
             "-O{LEVEL}; a text is split at its blanks",
             .block = true, .strict = KEY_ARRAY),
    KEY_WITH("KernelSpecification.IncludeFolders", TEXTS, "[]",
             "folders in which #include looks, relative to the spec's folder", .block = true),
    KEY_WITH("KernelSpecification.Retarget", OBJECT, "-",
             "OpenCL on NVIDIA: the driver's PTX is rewritten for another target, and its splice "
             "markers become instructions, before it is assembled",
             .block = true),
    KEY("KernelSpecification.Retarget.Target", TEXT, "required",
        "what stands in the PTX's .target line then"),
    KEY("KernelSpecification.Retarget.When", EXPRESSION, "true",
        "over constants, parameters and device facts: is it done?"),
    KEY_WITH("KernelSpecification.GlobalSizeType", TEXT, "as Language",
             "what GlobalSize counts. OpenCL: work-items, rounded up to a multiple of "
             "LocalSize; CUDA: work-groups",
             .block = true, .strict = KEY_STRING, .choices = "OpenCL|CUDA|Vulkan"),
    KEY_WITH("KernelSpecification.GlobalSize", OBJECT, "-",
             "size of the launch; a list of axes will do, too", .block = true, .strict = KEY_OBJECT,
             .required = true),
    KEY_WITH("KernelSpecification.GlobalSize.X", EXPRESSION, "required", "along the first axis",
             .strict = KEY_STRING, .required = true),
    KEY_WITH("KernelSpecification.GlobalSize.Y", EXPRESSION, "1", "along the second axis",
             .strict = KEY_STRING),
    KEY_WITH("KernelSpecification.GlobalSize.Z", EXPRESSION, "1", "along the third axis",
             .strict = KEY_STRING),
    KEY_WITH("KernelSpecification.LocalSize", OBJECT,
             "block_size_x, block_size_y, block_size_z, else the driver's choice",
             "work-items of a work-group; a list of axes will do, too", .block = true,
             .strict = KEY_OBJECT, .required = true),
    KEY_WITH("KernelSpecification.LocalSize.X", EXPRESSION, "required", "along the first axis",
             .strict = KEY_STRING, .required = true),
    KEY_WITH("KernelSpecification.LocalSize.Y", EXPRESSION, "1", "along the second axis",
             .strict = KEY_STRING),
    KEY_WITH("KernelSpecification.LocalSize.Z", EXPRESSION, "1", "along the third axis",
             .strict = KEY_STRING),
    KEY_WITH("KernelSpecification.GlobalSizeFrom", TEXT, "ProblemSize where it is given",
             "GlobalSize or ProblemSize: which of the two counts when both are given. With "
             "ProblemSize the parameters block_size_x, block_size_y, block_size_z then count "
             "before LocalSize",
             .block = true),
    KEY_WITH("KernelSpecification.ProblemSize", EXPRESSIONS, "-",
             "what is to be computed, per axis ({\"X\": ...} and \"(W, H)\" will do, too); every "
             "expression may use it as ProblemSize[0], "
             "restrictions, derived parameters and metrics where it is over constants",
             .dialect = true, .block = true),
    KEY_WITH("KernelSpecification.GridDivX", EXPRESSIONS, "LocalSize",
             "work-groups are ProblemSize[0] divided by the product of these, rounded up",
             .dialect = true, .block = true),
    KEY_WITH("KernelSpecification.GridDivY", EXPRESSIONS, "LocalSize",
             "the same for ProblemSize[1]", .dialect = true, .block = true),
    KEY_WITH("KernelSpecification.GridDivZ", EXPRESSIONS, "LocalSize",
             "the same for ProblemSize[2]", .dialect = true, .block = true),
    KEY_WITH("KernelSpecification.SharedMemory", EXPRESSION, "0",
             "dynamic shared memory in bytes; CUDA only, and never an argument", .block = true,
             .strict = KEY_INTEGER),

    KEY("KernelSpecification.Languages", OBJECT, "{}", "further languages, or what differs in one"),
    KEY("KernelSpecification.Languages.*", OBJECT, "-",
        "for OpenCL, CUDA or C: keys that count instead of those outside. KernelFile, Sources, "
        "KernelSource and CompilerOptions outside belong to Language alone"),
    KEY("KernelSpecification.Languages.*.When", EXPRESSION, "true",
        "over constants and device facts: can the language be used here?"),
    KEY_WITH("KernelSpecification.Languages.*.Conditions", .type = "list of objects", "[]",
             "restrictions that hold in this language only", .accepts = KEY_ARRAY,
             .items = KEY_OBJECT | KEY_STRING),
    KEY("KernelSpecification.Languages.*.Conditions[].Expression", EXPRESSION, "required",
        "as ConfigurationSpace.Conditions[].Expression"),
    KEY("KernelSpecification.Languages.*.Conditions[].Parameters", TEXTS, "-",
        "the parameters it reads; hone finds them itself"),

    KEY("KernelSpecification.Repeat", EXPRESSION, "1",
        "how often all launches are made, one pass after the other; `pass` is which, from 0, in "
        "expressions of sizes, of scalar arguments and of Launches[].Repeat"),
    KEY_WITH(
        "KernelSpecification.Swap", .type = "two texts, or list of such", "[]",
        "with Repeat: arguments that change roles between passes. The first pass reads the first "
        "one, each later pass what the pass before it wrote, and the last pass writes the second "
        "one",
        .accepts = KEY_ARRAY, .items = KEY_STRING | KEY_ARRAY),
    KEY("KernelSpecification.Partial", FLAG, "true in T1 without keys of hone's own",
        "components that the default configuration leaves unwritten, where it is the reference, "
        "are not compared, which is a warning; else they are an error"),

    KEY("KernelSpecification.Launches", OBJECTS, "one launch",
        "several kernels run in order as one configuration, verified at the end, timed from "
        "the first start to the last end"),
    KEY("KernelSpecification.Launches[].Name", TEXT, "the kernel's name", "for reports"),
    KEY("KernelSpecification.Launches[].Arguments", TEXTS, "all, in order",
        "names of its arguments, in the kernel's order"),
    KEY("KernelSpecification.Launches[].When", EXPRESSION, "true",
        "the launch is left out where it is false"),
    KEY("KernelSpecification.Launches[].Repeat", EXPRESSION, "1",
        "how often this launch is made in a row; `step` is which, from 0"),
    KEY_WITH("KernelSpecification.Launches[].Swap", .type = "two texts, or list of such", "[]",
             "as KernelSpecification.Swap, between the steps of this launch", .accepts = KEY_ARRAY,
             .items = KEY_STRING | KEY_ARRAY),
    KEY("KernelSpecification.Launches[].Languages", OBJECT, "{}", "what differs in a language"),
    KEY("KernelSpecification.Launches[].Languages.*", OBJECT, "-",
        "for OpenCL, CUDA or C: keys that count instead of the launch's own"),

    KEY_WITH("KernelSpecification.Arguments", OBJECTS, "[]", "the arguments, in the kernel's order",
             .strict = KEY_ARRAY),
    KEY_WITH("KernelSpecification.Arguments[].Name", TEXT, "argument0, argument1, ...", "its name",
             .strict = KEY_STRING),
    KEY_WITH(
        "KernelSpecification.Arguments[].Type", TEXT, "required",
        "type of an element: bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 half bfloat16 "
        "float8_e4m3 float8_e5m2 float double, with 2 3 4 8 16 for vectors; also OpenCL's and "
        "CUDA's names; custom; \"struct {int rows; float gain[4];}\". Must be the kernel's: "
        "floats or integers (of either sign), their size, a scalar's width; void *, char * and "
        "files of bytes take anything, ushort * the bits of half and bfloat16",
        .strict = KEY_STRING, .required = true,
        .choices =
            "bool|int8|uint8|int16|uint16|int32|uint32|int64|uint64|half|half2|half4|half8|half16|"
            "float|float2|float4|float8|float16|double|double2|double4|double8|double16|custom"),
    KEY("KernelSpecification.Arguments[].TypeExpression", EXPRESSION, "-",
        "gives the name of the type; wins over Type"),
    KEY_WITH("KernelSpecification.Arguments[].TypeSize", INTEGER, "the type's",
             "bytes of an element of type custom", .strict = KEY_INTEGER),
    KEY_WITH("KernelSpecification.Arguments[].MemoryType", TEXT, "required",
             "Scalar: a value; Vector: a buffer; Local: local memory (CUDA: dynamic shared "
             "memory, no argument); Symbol: constant memory (CUDA: a module symbol, no argument); "
             "Null: a pointer to nothing; Sampler: how an image is read, in OpenCL",
             .strict = KEY_STRING, .required = true, .choices = "Scalar|Vector|Local|Symbol"),
    KEY_WITH("KernelSpecification.Arguments[].MemType", TEXT, "-",
             "Constant: as MemoryType Symbol; in CUDA an argument, too, where the kernel takes one",
             .dialect = true),
    KEY_WITH("KernelSpecification.Arguments[].AccessType", TEXT, "ReadOnly; ReadWrite with Output",
             "what the kernel does with it; a WriteOnly one is poisoned before each launch",
             .strict = KEY_STRING, .choices = "ReadOnly|WriteOnly|ReadWrite"),
    KEY_WITH("KernelSpecification.Arguments[].Size", EXPRESSION, "1", "elements",
             .strict = KEY_INTEGER | KEY_STRING),
    KEY("KernelSpecification.Arguments[].Image", EXPRESSIONS, "-",
        "of a Vector that the kernel takes as an image (OpenCL), or as a texture or surface object "
        "(CUDA): width, height, and depth if it has three; it stands for Size"),
    KEY("KernelSpecification.Arguments[].Format", TEXT, "R, RG or RGBA, by the type's width",
        "of an image: its channel order (R, RG, RGBA, A, RA, BGRA, ARGB, INTENSITY, LUMINANCE; "
        "CUDA: the first three), and normalized: integers of 8 or 16 bits that are read as "
        "numbers up to 1"),
    KEY("KernelSpecification.Arguments[].Sampler", TEXT, "clamp_to_edge nearest",
        "of a Sampler, and of an image in CUDA, whose texture objects have one: words of "
        "clamp_to_edge, clamp, repeat, mirrored_repeat, none; nearest, linear; normalized"),
    KEY_WITH("KernelSpecification.Arguments[].FillType", TEXT, "Constant",
             "Constant, Random, Generator, BinaryRaw or Uninitialized", .strict = KEY_STRING,
             .choices = "Constant|Random|Generator|Script|BinaryRaw|BinaryHDF"),
    KEY_WITH("KernelSpecification.Arguments[].FillValue", .type = "number", "0",
             "Constant: the value; Random: values reach from 0 to it. A text is an expression; a "
             "vector's components are a list, a struct's members an object or a list",
             .accepts = KEY_ANY, .strict = KEY_NUMBER),
    KEY("KernelSpecification.Arguments[].FillExpression", EXPRESSION, "-",
        "instead of FillValue: over parameters, constants, derived parameters and facts"),
    KEY_WITH("KernelSpecification.Arguments[].ScalarValue", EXPRESSION, "-",
             "another name for FillExpression", .dialect = true),
    KEY("KernelSpecification.Arguments[].Distribution", TEXT, "uniform",
        "of Random: uniform or normal"),
    KEY_WITH("KernelSpecification.Arguments[].Range", .type = "two expressions",
             "[0, FillValue], else [-1, 1]",
             "of Random: lowest and highest value (both included for integers); normal: mean and "
             "deviation",
             .accepts = KEY_ARRAY, .items = EXPRESSION_IN),
    KEY_WITH("KernelSpecification.Arguments[].RandomSeed", INTEGER, "the argument's place, from 1",
             "of Random: same seed, same values, on every device", .strict = KEY_INTEGER),
    KEY_WITH("KernelSpecification.Arguments[].DataSource", TEXT, "-",
             "BinaryRaw: a file of elements, .npy is known, in whose name {n} is the value of the "
             "constant n; Generator: an expression over i (the component's index), size, and the "
             "spec's names",
             .strict = KEY_STRING),
    KEY_WITH(
        "KernelSpecification.Arguments[].LinkedTo", .type = "text, or object", "-",
        "another argument, of whose data this one is another view: its contents are that one's, "
        "whatever the fill says here",
        .accepts = KEY_STRING | KEY_OBJECT),
    KEY("KernelSpecification.Arguments[].LinkedTo.Argument", TEXT, "required",
        "name of the argument with the data"),
    KEY("KernelSpecification.Arguments[].LinkedTo.First", EXPRESSION, "0",
        "which component of it is the first here"),
    KEY("KernelSpecification.Arguments[].LinkedTo.Stride", EXPRESSION, "1",
        "how far apart there the components are that follow each other here"),
    KEY_WITH("KernelSpecification.Arguments[].Output", FLAG, "true when WriteOnly or ReadWrite",
             "compared with the reference", .dialect = true),
    KEY("KernelSpecification.Arguments[].Expect", LINES, "-",
        "what it holds after the launch: an expression over i (the component's index), constants, "
        "scalar arguments, and arrays by name, x[i], which are their contents before the launch, "
        "with lines before it that name its parts; or a "
        ".npy file. It makes the argument an output, and stands for Reference"),
    KEY("KernelSpecification.Arguments[].Temporary", FLAG, "false",
        "a buffer between launches: neither filled nor verified"),
    KEY("KernelSpecification.Arguments[].Restore", FLAG, "true",
        "false: a ReadWrite argument keeps its contents from one timed launch to the next"),
    KEY("KernelSpecification.Arguments[].AllowNaN", FLAG, "false",
        "NaN passes where the reference has NaN; else it is refused wherever it is. An "
        "infinity must be the reference's in any case"),
    KEY("KernelSpecification.Arguments[].Verification", OBJECT, "by type",
        "how it is compared with the reference"),
    KEY("KernelSpecification.Arguments[].Verification.Method", TEXT, "close; exact for integers",
        "exact; absolute: |a-r| <= atol; close: |a-r| <= atol + rtol*|r|; norm: ||a-r|| <= "
        "rtol*||r||, and no component more than 8 times as far off as that allows on average; "
        "sum: |sum a - sum r| <= atol + rtol*|sum r|; set: close, in whatever order"),
    KEY("KernelSpecification.Arguments[].Verification.AbsoluteTolerance", EXPRESSION,
        "8-bit floats 1e-1, half and bfloat16 1e-2, float 1e-4, double 1e-9 of the root mean "
        "square of the reference",
        "atol, an absolute number"),
    KEY("KernelSpecification.Arguments[].Verification.RelativeTolerance", EXPRESSION,
        "8-bit floats 1e-1, half and bfloat16 1e-2, float 1e-4, double 1e-9", "rtol"),
    KEY_WITH("KernelSpecification.Arguments[].Verification.Precision", NUMBER,
             "10 times the baseline's own error, or what rounding explains",
             "largest relative norm of the error that hone judge allows a candidate",
             .strict = KEY_NUMBER),
    KEY_WITH("KernelSpecification.Arguments[].Verification.Region", .type = "two expressions",
             "all",
             "first element and count of elements that are compared. Where they depend on the "
             "parameters they are each configuration's own: the reference's may then have "
             "another count with the methods sum and set, and with a reference kernel",
             .accepts = KEY_ARRAY, .items = EXPRESSION_IN),

    KEY("KernelSpecification.Reference", OBJECT, "agreement with the default configuration",
        "what the outputs must be"),
    KEY("KernelSpecification.Reference.Kind", TEXT, "required",
        "gemm: C = Activation(Alpha*A*B + Beta*C + Gamma*Bias), row-major, in float64; kernel: "
        "another kernel; configuration: the same kernel at another one; file; none: not verified"),
    KEY("KernelSpecification.Reference.M", EXPRESSION, "required", "gemm: rows of C"),
    KEY("KernelSpecification.Reference.N", EXPRESSION, "required", "gemm: columns of C"),
    KEY("KernelSpecification.Reference.K", EXPRESSION, "required", "gemm: length of the sums"),
    KEY("KernelSpecification.Reference.A", TEXT, "A", "gemm: name of the argument A"),
    KEY("KernelSpecification.Reference.B", TEXT, "B", "gemm: name of the argument B"),
    KEY("KernelSpecification.Reference.C", TEXT, "C", "gemm: name of the argument C"),
    KEY("KernelSpecification.Reference.TransposeA", FLAG, "false", "gemm: A is stored transposed"),
    KEY("KernelSpecification.Reference.TransposeB", FLAG, "false", "gemm: B is stored transposed"),
    KEY("KernelSpecification.Reference.Alpha", EXPRESSION, "1", "gemm: factor of the product"),
    KEY("KernelSpecification.Reference.Beta", EXPRESSION, "0", "gemm: factor of the initial C"),
    KEY("KernelSpecification.Reference.Gamma", EXPRESSION, "0", "gemm: factor of the bias"),
    KEY("KernelSpecification.Reference.Bias", TEXT, "bias",
        "gemm: name of the argument with a number for each column, if there is a Gamma"),
    KEY("KernelSpecification.Reference.Activation", EXPRESSION, "none",
        "gemm: what becomes of each element: none, relu, gelu (the one of tanh) or silu"),
    KEY("KernelSpecification.Reference.Batch", EXPRESSION, "1",
        "gemm: matrices of each, one behind the other; the bias is that of all"),
    KEY("KernelSpecification.Reference.Arguments", TEXTS, "all, in order",
        "kernel: names of its arguments, in its order"),
    KEY("KernelSpecification.Reference.Repeat", EXPRESSION, "1",
        "kernel: how often it is launched, as KernelSpecification.Repeat"),
    KEY_WITH("KernelSpecification.Reference.Swap", .type = "two texts, or list of such", "[]",
             "kernel: as KernelSpecification.Swap", .accepts = KEY_ARRAY,
             .items = KEY_STRING | KEY_ARRAY),
    KEY("KernelSpecification.Reference.Configuration", TEXT,
        "kernel: the configuration that is verified; configuration: the default one",
        "\"a=1, b=2\": the values of the parameters in the reference; others at their default"),
    KEY("KernelSpecification.Reference.Files", OBJECT, "-",
        "file: the expected contents of each output"),
    KEY("KernelSpecification.Reference.Files.*", TEXT, "-", "a file of elements, .npy is known"),
    KEY("KernelSpecification.Reference.Languages", OBJECT, "{}",
        "kernel: what differs in a language"),
    KEY("KernelSpecification.Reference.Languages.*", OBJECT, "-",
        "for OpenCL, CUDA or C: keys that count instead of the reference's own"),

    KEY_WITH("KernelSpecification.ReferenceArguments", OBJECTS, "[]",
             "T1's expected contents of outputs", .strict = KEY_ARRAY),
    KEY_WITH("KernelSpecification.ReferenceArguments[].Name", TEXT, "-", "its name",
             .strict = KEY_STRING, .required = true),
    KEY_WITH("KernelSpecification.ReferenceArguments[].TargetName", TEXT, "required",
             "the argument it is compared with", .strict = KEY_STRING, .required = true),
    KEY_WITH("KernelSpecification.ReferenceArguments[].FillType", TEXT, "Constant",
             "Constant, Generator or BinaryRaw", .strict = KEY_STRING, .required = true,
             .choices = "Constant|Random|Generator|Script|BinaryRaw|BinaryHDF"),
    KEY_WITH("KernelSpecification.ReferenceArguments[].FillValue", .type = "number", "0",
             "Constant: the value", .accepts = EXPRESSION_IN, .strict = KEY_NUMBER),
    KEY_WITH("KernelSpecification.ReferenceArguments[].DataSource", TEXT, "-",
             "as Arguments[].DataSource", .strict = KEY_STRING),
    {.path = "KernelSpecification.ReferenceArguments[].RandomSeed", IGNORED, .strict = KEY_INTEGER},
    KEY_WITH("KernelSpecification.ReferenceArguments[].ValidationMethod", TEXT,
             "SideBySideComparison",
             "AbsoluteDifference and SideBySideComparison: |a-r| <= threshold for each element; "
             "SideBySideRelativeComparison: |a-r| <= threshold*|r|",
             .strict = KEY_STRING,
             .choices = "AbsoluteDifference|SideBySideComparison|SideBySideRelativeComparison"),
    KEY_WITH("KernelSpecification.ReferenceArguments[].ValidationThreshold", NUMBER, "1e-4",
             "its threshold", .strict = KEY_NUMBER),

    KEY_WITH("KernelSpecification.Device", OBJECT, "-",
             "the device other tuners take; hone's is chosen with --device", .strict = KEY_OBJECT),
    {.path = "KernelSpecification.Device.PlatformId", IGNORED, .strict = KEY_INTEGER},
    {.path = "KernelSpecification.Device.DeviceId", IGNORED, .strict = KEY_INTEGER},
    {.path = "KernelSpecification.Device.Name", IGNORED, .strict = KEY_STRING},
    {.path = "KernelSpecification.Profiling", IGNORED, .strict = KEY_BOOL},
    {.path = "KernelSpecification.SimulationInput", IGNORED, .strict = KEY_STRING},
    {.path = "KernelSpecification.Stream", .dialect = true, IGNORED},
    {.path = "KernelSpecification.BenchmarkName", .dialect = true, IGNORED},
};

#define KEY_COUNT (sizeof keys / sizeof keys[0])

// Objects in which a key with the flag `block` may stand beside KernelSpecification.
static const char *const block_places[] = {
    "KernelSpecification.Languages.*",
    "KernelSpecification.Launches[]",
    "KernelSpecification.Launches[].Languages.*",
    "KernelSpecification.Reference",
    "KernelSpecification.Reference.Languages.*",
    NULL,
};

const struct key_table t1_keys = {.keys = keys,
                                  .count = KEY_COUNT,
                                  .block_root = "KernelSpecification",
                                  .block_places = block_places};

const struct spec_key *spec_keys(size_t *count)
{
    *count = KEY_COUNT;
    return keys;
}

// The last part of a key's path, when the rest of it is `parent`; else NULL.
static const char *name_below(const char *path, const char *parent)
{
    size_t length = strlen(parent);
    if (length == 0)
        return strpbrk(path, ".[") ? NULL : path;
    if (strncmp(path, parent, length) != 0 || path[length] != '.')
        return NULL;
    const char *name = path + length + 1;
    return strpbrk(name, ".[") ? NULL : name;
}

const char *key_name_in(const struct key_table *t, const struct spec_key *key, const char *parent)
{
    const char *name = name_below(key->path, parent);
    if (!name && key->block && str_listed(t->block_places, parent))
        name = name_below(key->path, t->block_root);
    return name;
}

const struct spec_key *key_find(const struct key_table *t, const char *parent, const char *name)
{
    const struct spec_key *any = NULL;
    for (size_t i = 0; i < t->count; i++) {
        const char *known = key_name_in(t, &t->keys[i], parent);
        if (known && strcmp(known, name) == 0)
            return &t->keys[i];
        if (known && strcmp(known, "*") == 0)
            any = &t->keys[i];
    }
    return any;
}

const char *key_nearest(const struct key_table *t, const char *parent, const char *name)
{
    const char *names[KEYS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < t->count && count < KEYS_MOST; i++) {
        const char *known = key_name_in(t, &t->keys[i], parent);
        if (known && strcmp(known, "*") != 0)
            names[count++] = known;
    }
    return str_nearest(name, names, count);
}
