// The compiler: a cubin is options and source, one after the other, and then the names of its kernels, each between zeros
// as in the tables of an ELF file.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

NVRTC_FUNCTIONS(FAKE_DECLARE)

#define NAMES_MOST 16

struct _nvrtcProgram {
    char *source, *options, *log, *cubin;
    size_t cubin_size;
    char *names[NAMES_MOST];
    unsigned name_count;
};

static _Atomic int live; // a thread of the worker's builds

int fake_live_objects(void)
{
    return live;
}

// ---- about itself

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    const char *said = getenv("FAKE_CUDA_NVRTC");
    *major = said ? atoi(said) : 13;
    *minor = 0;
    return fake_enter(__func__);
}

const char *nvrtcGetErrorString(nvrtcResult code)
{
    fake_enter(__func__);
    return code == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR of some kind";
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    *count = 2;
    return fake_enter(__func__);
}

nvrtcResult nvrtcGetSupportedArchs(int *out)
{
    out[0] = 80;
    out[1] = 90;
    return fake_enter(__func__);
}

// ---- programs

nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int headers,
                               const char *const *texts, const char *const *names)
{
    nvrtcResult code = fake_enter(__func__);
    (void)name, (void)headers, (void)texts, (void)names;
    if (code != NVRTC_SUCCESS)
        return code;
    struct _nvrtcProgram *p = calloc(1, sizeof *p);
    p->source = strdup(source);
    live++;
    *out = p;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    struct _nvrtcProgram *p = *program;
    for (unsigned i = 0; i < p->name_count; i++)
        free(p->names[i]);
    free(p->source);
    free(p->options);
    free(p->log);
    free(p->cubin);
    free(p);
    live--;
    *program = NULL;
    return fake_enter(__func__);
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *const name)
{
    nvrtcResult code = fake_enter(__func__);
    if (code == NVRTC_SUCCESS && p->name_count < NAMES_MOST)
        p->names[p->name_count++] = strdup(name);
    return code;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *const name, const char **out)
{
    nvrtcResult code = fake_enter(__func__);
    for (unsigned i = 0; i < p->name_count && code == NVRTC_SUCCESS; i++) {
        if (strcmp(p->names[i], name) == 0)
            *out = p->names[i];
    }
    return code;
}

// ---- compiling

// A line "#define NAME VALUE" at the head of the source is an option -DNAME=VALUE, given otherwise.
static void add_defines(const char *source, FILE *out)
{
    static const char word[] = "#define ";
    for (const char *at = source; strncmp(at, word, strlen(word)) == 0;) {
        const char *name = at + strlen(word);
        int line = (int)strcspn(name, "\n"), length = (int)strcspn(name, " \n");
        int blank = name[length] == ' ';
        fprintf(out, " -D%.*s=%.*s", length, name, line - length - blank, name + length + blank);
        at = name + line + (name[line] == '\n');
    }
}

static char *joined(int count, const char *const *words, const char *source)
{
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    for (int i = 0; i < count; i++)
        fprintf(f, "%s%s", i ? " " : "", words[i]);
    add_defines(source, f);
    fclose(f);
    return text;
}

static const char *wrong_name(const struct _nvrtcProgram *p)
{
    struct declaration d;
    for (unsigned i = 0; i < p->name_count; i++) {
        bool own = strncmp(p->names[i], "hone_", 5) == 0;
        if (!fake_parse_kernel(p->source, p->names[i], &d) || (own && !fake_knows_own(p->names[i])))
            return p->names[i];
    }
    return NULL;
}

static char *assembler_log(const struct _nvrtcProgram *p)
{
    char *text = NULL;
    size_t length;
    const char *registers = fake_define(p->options, "FAKE_REGISTERS");
    FILE *f = open_memstream(&text, &length);
    for (unsigned i = 0; i < p->name_count; i++)
        fprintf(f,
                "ptxas info    : Compiling entry function '%s' for 'sm_90a'\n"
                "ptxas info    : Function properties for %s\n"
                "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                "ptxas info    : Used %d registers, 384 bytes cmem[0]\n",
                p->names[i], p->names[i], registers ? atoi(registers) : 32);
    fclose(f);
    return text;
}

static nvrtcResult fail(struct _nvrtcProgram *p, const char *line)
{
    p->log = strdup(line);
    return NVRTC_ERROR_COMPILATION;
}

static void begin_compilation(void)
{
    const char *path = getenv("FAKE_CUDA_COMPILED"), *ms = getenv("FAKE_CUDA_COMPILE_MS");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (ms)
        usleep((useconds_t)atoi(ms) * 1000);
    if (!f)
        return;
    fprintf(f, "%d\n", (int)getppid()); // of the agent, where it was started by one
    fclose(f);
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options)
{
    begin_compilation();
    nvrtcResult code = fake_enter(__func__);
    char line[256];
    if (code != NVRTC_SUCCESS)
        return code;
    p->options = joined(count, options, p->source);
    const char *unknown = wrong_name(p);
    if (strstr(p->options, "-DFAKE_ERROR"))
        return fail(p, "kernel.cu(1): error: asked for by -DFAKE_ERROR\n");
    snprintf(line, sizeof line, "kernel.cu(1): error: identifier \"%s\" is undefined\n",
             unknown ? unknown : "");
    if (unknown)
        return fail(p, line);
    p->log = assembler_log(p);
    FILE *f = open_memstream(&p->cubin, &p->cubin_size);
    fprintf(f, "%s%s\n%s%c", FAKE_CUBIN, p->options, p->source, '\0');
    for (unsigned i = 0; i < p->name_count; i++)
        fprintf(f, "%s%c", p->names[i], '\0');
    fclose(f);
    return NVRTC_SUCCESS;
}

// ---- what came of it

static nvrtcResult size_of(const char *call, const char *text, size_t *out)
{
    *out = strlen(text ? text : "") + 1;
    return fake_enter(call);
}

static nvrtcResult bytes_of(const char *call, const char *text, char *out)
{
    strcpy(out, text ? text : "");
    return fake_enter(call);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *out)
{
    *out = p->cubin_size;
    return fake_enter(__func__);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *out)
{
    memcpy(out, p->cubin, p->cubin_size);
    return fake_enter(__func__);
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *out)
{
    return size_of(__func__, p->source, out);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *out)
{
    return bytes_of(__func__, p->source, out);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *out)
{
    return size_of(__func__, p->log, out);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *out)
{
    return bytes_of(__func__, p->log, out);
}
