// Reads the counts of instructions that Oclgrind prints.
#include "workflows/check/instructions.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "Instructions executed for kernel "

static const char *const arithmetic[] = {"fadd", "fsub", "fmul", "fdiv", "frem", "fneg"};
static const char *const vectors[] = {"insertelement", "extractelement", "shufflevector"};
static const char *const multiply_adds[] = {"call llvm.fmuladd.", "call llvm.fma.", "call _Z3fma",
                                            "call _Z3mad"};

#define BEGINS(what, list) begins_with_one(what, list, sizeof(list) / sizeof *(list))

static bool begins_with_one(const char *what, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_starts(what, list[i]))
            return true;
    }
    return false;
}

// "llvm.fmuladd.v4f32()", "_Z3fmaDv4_fS_S_()": 4; else 1.
static double vector_width(const char *call)
{
    const char *at = strstr(call, ".v");
    if (!at)
        at = strstr(call, "Dv");
    double width = at ? strtod(at + 2, NULL) : 1;
    return width >= 1 ? width : 1;
}

static void add_requested_bytes(const char *what, struct counters *c)
{
    bool is_load = str_starts(what, "load "), is_store = str_starts(what, "store ");
    const char *space = strchr(what, ' '), *bytes = strchr(what, '(');
    if ((!is_load && !is_store) || !bytes)
        return;
    enum counter counter = is_load ? COUNTER_requested_read_bytes : COUNTER_requested_write_bytes;
    if (str_starts(space + 1, "local"))
        counter = COUNTER_requested_local_bytes;
    else if (!str_starts(space + 1, "global") && !str_starts(space + 1, "constant"))
        return;
    c->values[counter] += strtod(bytes + 1, NULL);
}

bool instructions_read(const char *text, struct counters *out, struct error *e)
{
    bool has_vectors = false, has_arithmetic = false;
    double operations = 0, instructions = 0;
    const char *line = strstr(text, HEAD);
    if (!line || str_starts(text, "..."))
        return error_set(e, ERROR_DEVICE,
                         line ? "the simulator printed more counts than are kept: a job of fewer "
                                "kernels can be counted"
                              : "the simulator printed no counts of instructions");
    out->values[COUNTER_requested_read_bytes] = out->values[COUNTER_requested_write_bytes] = 0;
    out->values[COUNTER_requested_local_bytes] = 0;
    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *end;
        double count = strtod(line, &end);
        const char *what = end + 3;
        if (end == line || !str_starts(end, " - "))
            continue;
        instructions += count;
        add_requested_bytes(what, out);
        has_vectors = has_vectors || BEGINS(what, vectors);
        has_arithmetic = has_arithmetic || BEGINS(what, arithmetic);
        if (BEGINS(what, arithmetic))
            operations += count;
        else if (BEGINS(what, multiply_adds))
            operations += 2 * count * vector_width(what);
    }
    out->values[COUNTER_item_instructions] = instructions;
    if (!has_vectors || !has_arithmetic)
        out->values[COUNTER_operations] = operations;
    return true;
}
