// A kernel of Triton's cache: its JSON says the warps and the shared memory, its PTX what it takes, in order. Pointers
// behind the kernel's own, to scratch memory of the compiler's, are as many as the JSON has sizes of such.
#include "extras/init/triton.h"

#include "base/emit.h"

#include <jansson.h>
#include <string.h>

#define FILE_MOST  ((size_t)16 << 20)
#define ELEMENTS   1048576
#define PARAMETERS 64

struct kernel {
    const char *name;
    json_int_t warps, warp_size, shared, ctas;
    unsigned scratch;         // pointers of the compiler's own
    json_int_t scratch_bytes; // of all of them
};

static json_int_t integer_of(const json_t *o, const char *key, json_int_t fallback)
{
    const json_t *n = json_object_get(o, key);
    return json_is_integer(n) ? json_integer_value(n) : fallback;
}

static bool read_kernel_facts(const struct triton_input *in, const json_t *o, struct kernel *out,
                              struct error *e)
{
    static const char *const scratch[] = {"global_scratch_size", "profile_scratch_size"};
    out->name = json_string_value(json_object_get(o, "name"));
    out->warps = integer_of(o, "num_warps", 0);
    out->warp_size = integer_of(json_object_get(o, "target"), "warp_size", 32);
    out->shared = integer_of(o, "shared", 0);
    out->ctas = integer_of(o, "num_ctas", 1);
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++) {
        out->scratch += json_object_get(o, scratch[i]) != NULL;
        out->scratch_bytes += integer_of(o, scratch[i], 0);
    }
    if (!out->name || out->warps < 1 || out->warp_size < 1)
        return error_set(
            e, ERROR_INPUT,
            "%s: is not a kernel out of Triton's cache, which has 'name' and 'num_warps'; init "
            "reads kernels in OpenCL, CUDA or C, and no specs",
            in->path);
    if (out->ctas > 1 || out->scratch_bytes > 0)
        return error_set(e, ERROR_INPUT, "%s: the kernel %s, which hone does not give it", in->path,
                         out->ctas > 1 ? "is launched in clusters of groups"
                                       : "wants scratch memory of the compiler's");
    return true;
}

// The types of an entry's parameters, as PTX calls them ("u64"); how many, 0: there is no such entry.
static size_t list_parameters(const char *ptx, const char *name, char types[][8])
{
    const char *at = ptx;
    size_t length = strlen(name), count = 0;
    while ((at = strstr(at, ".entry ")) != NULL) {
        at += strlen(".entry ");
        if (strncmp(at, name, length) == 0 && strchr(" (\n", at[length]))
            break;
    }
    const char *end = at ? strchr(at, ')') : NULL;
    for (; end && (at = strstr(at, ".param ")) != NULL && at < end && count < PARAMETERS; count++) {
        at += strlen(".param ");
        at += *at == '.';
        size_t n = strcspn(at, " \t");
        str_format(types[count], 8, "%.*s", (int)(n < 8 ? n : 7), at);
    }
    return count;
}

static bool is_pointer(const char *type)
{
    return strcmp(type, "u64") == 0 || strcmp(type, "b64") == 0;
}

static void put_argument(const char *type, size_t index, struct text *out)
{
    bool is_float = *type == 'f';
    text_addf(out, "%s\n    \"arg%zu\": ", index ? "," : "", index);
    if (is_pointer(type))
        text_add(out, "{\"size\": \"SIZE\", \"type\": \"float\", \"access\": \"readwrite\"}");
    else if (is_float)
        text_addf(out, "{\"type\": \"%s\", \"value\": 0.5}",
                  strcmp(type, "f64") == 0 ? "double" : "float");
    else
        text_addf(out, "{\"type\": \"int%s\", \"value\": \"SIZE\"}",
                  strlen(type) > 1 ? type + 1 : "32");
}

// The constants of the grid, of which each is 1 unless -D says another.
static void put_grid(const struct triton_input *in, struct text *out, struct text *open)
{
    static const char *const names[3] = {"GRID_X", "GRID_Y", "GRID_Z"};
    bool any = false;
    for (int axis = 0; axis < 3; axis++) {
        const char *value = "1";
        for (size_t i = 0; i < in->define_count; i++) {
            size_t length = strlen(names[axis]);
            uint64_t number;
            if (strncmp(in->defines[i], names[axis], length) == 0 &&
                in->defines[i][length] == '=' && str_to_u64(in->defines[i] + length + 1, &number) &&
                number > 0)
                value = in->defines[i] + length + 1;
        }
        any = any || strcmp(value, "1") != 0;
        text_addf(out, "\"%s\": %s, ", names[axis], value);
    }
    if (!any)
        text_add(
            open,
            "  - the grid: GRID_X, GRID_Y and GRID_Z are 1 each (-D GRID_X=128 says another)\n");
}

static void write_triton(const struct triton_input *in, const struct kernel *k, char types[][8],
                         size_t count, struct text *out, struct text *open)
{
    size_t own = count > k->scratch ? count - k->scratch : count;
    struct emit j;
    text_add(out, "{\n  \"kernel\": ");
    emit_start(&j, out);
    emit_text(&j, in->ptx);
    text_add(out, ",\n  \"function\": ");
    emit_start(&j, out);
    emit_text(&j, k->name);
    text_add(out, ",\n  \"constants\": {");
    put_grid(in, out, open);
    text_addf(out, "\"SIZE\": %d},\n  \"parameters\": {},\n", ELEMENTS);
    text_addf(out, "  \"groups\": [\"GRID_X\", \"GRID_Y\", \"GRID_Z\"],\n  \"local\": [%lld],\n",
              (long long)(k->warps * k->warp_size));
    if (k->shared > 0)
        text_addf(out, "  \"shared\": %lld,\n", (long long)k->shared);
    text_add(out, "  \"arguments\": {");
    for (size_t i = 0; i < count; i++) {
        if (i < own)
            put_argument(types[i], i, out);
        else
            text_addf(out, "%s\n    \"scratch%zu\": null", i ? "," : "", i - own);
    }
    text_add(out, "\n  }\n}\n");
    text_add(open,
             "  - each buffer's type, size and access: float, SIZE and readwrite are guesses\n"
             "  - each integer's value: SIZE is a guess\n"
             "  - what is right: \"expect\" of an output\n");
}

bool triton_spec(const struct triton_input *in, struct text *out, struct text *open,
                 struct error *e)
{
    struct text ptx = TEXT_INIT, path = TEXT_INIT;
    struct kernel k = {.name = NULL};
    char types[PARAMETERS][8];
    json_error_t why;
    json_t *o = json_load_file(in->path, 0, &why);
    text_addf(&path, "%.*s.ptx", (int)(strlen(in->path) - strlen(".json")), in->path);
    bool ok = o || error_set(e, ERROR_INPUT,
                             "%s:%d:%d: not valid JSON, which Triton's cache has: %s; init reads "
                             "kernels in OpenCL, CUDA or C, and no specs",
                             in->path, why.line, why.column, why.text);
    ok = ok && read_kernel_facts(in, o, &k, e) && file_read(text_cstr(&path), FILE_MOST, &ptx, e);
    size_t count = ok ? list_parameters(text_cstr(&ptx), k.name, types) : 0;
    if (ok && count == 0)
        ok = error_set(e, ERROR_INPUT, "%s: has no entry '%s' with parameters", text_cstr(&path),
                       k.name);
    if (ok)
        write_triton(in, &k, types, count, out, open);
    ok = ok && (!(out->failed || open->failed || path.failed) || error_memory(e));
    json_decref(o);
    text_release(&path);
    text_release(&ptx);
    return ok;
}
