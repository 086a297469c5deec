// lean_library LIBRARY LEAN [HEADER LEAN_HEADER]: PoCL's library of OpenCL's functions, and the header that declares them, without
// those that no kernel of the tests calls.
//
// PoCL reads all of its library in each process that compiles: 9 MB and 23,600 functions, most of them roundings of conversions
// and operations on vectors, which takes longer than compiling a small kernel. What is left is read in a seventh of the time.
// A kernel that calls a function that is not left does not build; `wanted_on_vectors` is to name it then. By the C interface of
// the LLVM that PoCL uses, whose headers need not be installed: what is used of it is declared here.
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINKAGE_EXTERNAL 0
#define LINKAGE_INTERNAL 8

struct llvm_buffer;
struct llvm_context;
struct llvm_module;
struct llvm_options;
struct llvm_value;

int LLVMCreateMemoryBufferWithContentsOfFile(const char *path, struct llvm_buffer **buffer,
                                             char **message);
struct llvm_context *LLVMContextCreate(void);
int LLVMParseBitcodeInContext2(struct llvm_context *context, struct llvm_buffer *buffer,
                               struct llvm_module **module);
struct llvm_value *LLVMGetFirstFunction(struct llvm_module *module);
struct llvm_value *LLVMGetNextFunction(struct llvm_value *function);
struct llvm_value *LLVMGetNamedFunction(struct llvm_module *module, const char *name);
const char *LLVMGetValueName2(struct llvm_value *value, size_t *length);
int LLVMIsDeclaration(struct llvm_value *value);
int LLVMGetLinkage(struct llvm_value *value);
void LLVMSetLinkage(struct llvm_value *value, int linkage);
struct llvm_options *LLVMCreatePassBuilderOptions(void);
void *LLVMRunPasses(struct llvm_module *module, const char *passes, void *machine,
                    struct llvm_options *options);
int LLVMWriteBitcodeToFile(struct llvm_module *module, const char *path);

// Whatever they work on. Of Sleef's functions those stay that others call.
static const char unwanted[] =
    "convert_.*_rt[ezpn]|convert_.*[0-9]_sat|shuffle|vstorea?_half.*_rt[zpn]|strided_copy|^Sleef_";
// A type of several elements, in a name and in a declaration, and the functions that stay for these.
static const char vector[] =
    "Dv[0-9]|(char|short|int|long|float|double|half)(2|3|4|8|16)[^0-9a-z_]";
static const char wanted_on_vectors[] =
    "vload|vstore|fma|mad[^_]|min|max|clamp|fabs|abs|floor|ceil|round|rint|mix|step|dot|length|"
    "normalize|any|all|isnan|"
    "convert_|select|exp|sqrt|tanh|_image";

struct dropped {
    char **names;
    size_t count;
};

struct patterns {
    regex_t unwanted, vector, wanted_on_vectors;
};

static int compile_patterns(struct patterns *p)
{
    const int flags = REG_EXTENDED | REG_NOSUB;
    return regcomp(&p->unwanted, unwanted, flags) == 0 && regcomp(&p->vector, vector, flags) == 0 &&
           regcomp(&p->wanted_on_vectors, wanted_on_vectors, flags) == 0;
}

static int matches(const regex_t *pattern, const char *name)
{
    return regexec(pattern, name, 0, NULL, 0) == 0;
}

static int is_wanted(const struct patterns *p, const char *name)
{
    return !matches(&p->unwanted, name) &&
           (!matches(&p->vector, name) || matches(&p->wanted_on_vectors, name));
}

// What is internal goes unless something that stays calls it.
static struct dropped hide_unwanted(struct llvm_module *module, const struct patterns *p)
{
    struct dropped d = {NULL, 0};
    struct llvm_value *f = LLVMGetFirstFunction(module);
    for (; f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LINKAGE_EXTERNAL || is_wanted(p, name))
            continue;
        LLVMSetLinkage(f, LINKAGE_INTERNAL);
        d.names = realloc(d.names, (d.count + 1) * sizeof *d.names);
        if (!d.names || !(d.names[d.count++] = strdup(name)))
            exit(1);
    }
    return d;
}

static int make_library(const char *path, const char *lean, const struct patterns *p)
{
    struct llvm_buffer *bytes;
    struct llvm_module *module;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &bytes, &message) ||
        LLVMParseBitcodeInContext2(LLVMContextCreate(), bytes, &module))
        return 0;
    struct dropped d = hide_unwanted(module, p);
    if (LLVMRunPasses(module, "globaldce", NULL, LLVMCreatePassBuilderOptions()))
        return 0;
    size_t gone = 0;
    for (size_t i = 0; i < d.count; i++) {
        struct llvm_value *f = LLVMGetNamedFunction(module, d.names[i]);
        if (f)
            LLVMSetLinkage(f, LINKAGE_EXTERNAL);
        gone += !f;
        free(d.names[i]);
    }
    free(d.names);
    return gone > 1000 && LLVMWriteBitcodeToFile(module, lean) == 0;
}

// A declaration of a function is a line of its own with the word __ovld.
static int make_header(const char *path, const char *lean, const struct patterns *p)
{
    FILE *from = fopen(path, "r"), *to = fopen(lean, "w");
    char line[1024];
    int ok = from && to;
    while (ok && fgets(line, sizeof line, from)) {
        size_t length = strlen(line);
        int is_whole = strstr(line, "__ovld") && length > 2 && line[length - 2] == ';';
        if (!is_whole || is_wanted(p, line))
            ok = fputs(line, to) >= 0;
    }
    if (from)
        fclose(from);
    return to && fclose(to) == 0 && ok;
}

int main(int count, char **words)
{
    struct patterns p;
    int ok = (count == 3 || count == 5) && compile_patterns(&p) &&
             make_library(words[1], words[2], &p) &&
             (count == 3 || make_header(words[3], words[4], &p));
    if (!ok)
        fprintf(stderr, "lean_library: %s is not as it is known\n", count > 1 ? words[1] : "");
    return ok ? 0 : 1;
}
