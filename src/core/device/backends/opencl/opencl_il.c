// Programs from SPIR-V, on devices that say which version they take. A -D option with the name of a specialization constant
// gives it its value: by OpName, or SPEC_7 for the one with the number 7 where a compiler left names out.
#include "device/backends/opencl/opencl.h"

#include <string.h>

#ifndef CL_DEVICE_IL_VERSION
#define CL_DEVICE_IL_VERSION 0x105B
#endif

// The instructions of a module that are read: instructions
enum {
    HEADER_WORDS = 5,
    OP_NAME = 5,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_TRUE = 48,
    OP_SPEC_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1
};

struct module {
    const uint8_t *bytes;
    uint64_t words;
};

static uint32_t word_at(const struct module *m, uint64_t i)
{
    uint32_t word;
    memcpy(&word, m->bytes + 4 * i, sizeof word);
    return word;
}

// The next instruction from *at on with this number, whose word `which` is `id` (0: any); 0: none.
static uint64_t find_instruction(const struct module *m, uint64_t at, uint32_t op, uint32_t which,
                                 uint32_t id)
{
    while (at < m->words) {
        uint32_t head = word_at(m, at), count = head >> 16;
        if (count == 0 || count > m->words - at)
            return 0;
        if ((head & 0xffff) == op && (id == 0 || (which < count && word_at(m, at + which) == id)))
            return at;
        at += count;
    }
    return 0;
}

static uint32_t words_of(const struct module *m, uint64_t at)
{
    return word_at(m, at) >> 16;
}

// The number of the specialization constant that an id is; false: it is none.
static bool spec_id_of(const struct module *m, uint32_t id, uint32_t *out)
{
    for (uint64_t at = HEADER_WORDS; (at = find_instruction(m, at, OP_DECORATE, 1, id)) != 0;
         at += words_of(m, at)) {
        if (words_of(m, at) == 4 && word_at(m, at + 2) == DECORATION_SPEC_ID) {
            *out = word_at(m, at + 3);
            return true;
        }
    }
    return false;
}

// The id with this name and a number.
static uint32_t id_by_name(const struct module *m, const char *name, size_t length,
                           uint32_t *number)
{
    for (uint64_t at = HEADER_WORDS; (at = find_instruction(m, at, OP_NAME, 0, 0)) != 0;
         at += words_of(m, at)) {
        const char *text = (const char *)m->bytes + 4 * (at + 2);
        size_t room = words_of(m, at) > 2 ? 4 * (size_t)(words_of(m, at) - 2) : 0;
        if (length < room && memcmp(text, name, length) == 0 && text[length] == '\0' &&
            spec_id_of(m, word_at(m, at + 1), number))
            return word_at(m, at + 1);
    }
    return 0;
}

static uint32_t id_by_number(const struct module *m, uint32_t number)
{
    for (uint64_t at = HEADER_WORDS; (at = find_instruction(m, at, OP_DECORATE, 0, 0)) != 0;
         at += words_of(m, at)) {
        if (words_of(m, at) == 4 && word_at(m, at + 2) == DECORATION_SPEC_ID &&
            word_at(m, at + 3) == number)
            return word_at(m, at + 1);
    }
    return 0;
}

// The constant's value as its type holds it; its bytes, 0 for a type or value that is none.
static size_t constant_value(const struct module *m, uint32_t id, const char *value, uint8_t out[8])
{
    uint64_t at = find_instruction(m, HEADER_WORDS, OP_SPEC_CONSTANT, 2, id);
    int64_t integer;
    double number;
    if (at == 0) {
        out[0] = strcmp(value, "0") != 0; // a truth value, of one byte
        return find_instruction(m, HEADER_WORDS, OP_SPEC_TRUE, 2, id) ||
                       find_instruction(m, HEADER_WORDS, OP_SPEC_FALSE, 2, id)
                   ? 1
                   : 0;
    }
    uint64_t type = find_instruction(m, HEADER_WORDS, OP_TYPE_INT, 1, word_at(m, at + 1));
    bool is_float = type == 0;
    if (is_float)
        type = find_instruction(m, HEADER_WORDS, OP_TYPE_FLOAT, 1, word_at(m, at + 1));
    if (type == 0 || words_of(m, type) < 3)
        return 0;
    size_t bytes = word_at(m, type + 2) / 8;
    if (bytes > 8 || bytes == 0 || !str_to_f64(value, &number))
        return 0;
    if (is_float)
        float_store(bytes == 8   ? SCALAR_DOUBLE
                    : bytes == 4 ? SCALAR_FLOAT
                                 : SCALAR_HALF,
                    number, out);
    else if (str_to_i64(value, &integer))
        memcpy(out, &integer, bytes);
    else
        return 0;
    return bytes;
}

static bool set_constant(struct opencl *o, const struct job_program *p, const struct module *m,
                         cl_program program, const char *option, struct result *r)
{
    static const char by_number[] = "SPEC_";
    const char *name = option + 2, *equals = strchr(option, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    uint8_t value[8] = {0};
    uint32_t number = 0;
    uint64_t given;
    char text[128];
    uint32_t id = id_by_name(m, name, length, &number);
    bool is_number = !id && str_starts(name, by_number);
    str_format(text, sizeof text, "%.*s", is_number ? (int)(length - strlen(by_number)) : 0,
               name + (is_number ? strlen(by_number) : 0));
    if (is_number && str_to_u64(text, &given) && given <= UINT32_MAX)
        id = id_by_number(m, number = (uint32_t)given);
    if (!id)
        return true; // the module need not have all that the spec names
    size_t bytes = constant_value(m, id, equals ? equals + 1 : "1", value);
    if (!bytes)
        return result_fail(r, STATUS_COMPILE, FAULT_SPEC,
                           "%s: '%s' is not a value of its specialization constant %u", p->name,
                           option + 2, number);
    cl_int code = o->cl.clSetProgramSpecializationConstant
                      ? o->cl.clSetProgramSpecializationConstant(program, number, bytes, value)
                      : CL_INVALID_OPERATION;
    return code == CL_SUCCESS ||
           result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION,
                       "%s: specialization constant %u ('%.*s'): "
                       "clSetProgramSpecializationConstant: %s",
                       p->name, number, (int)length, name, opencl_code_text(code, text));
}

static bool takes_il(struct opencl *o, const struct job_program *p, struct result *r)
{
    char version[256] = "";
    cl_int code =
        o->cl.clGetDeviceInfo(o->device, CL_DEVICE_IL_VERSION, sizeof version - 1, version, NULL);
    if (code == CL_SUCCESS && strstr(version, "SPIR-V") && o->cl.clCreateProgramWithIL)
        return true;
    return result_fail(
        r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
        "%s is SPIR-V, which this device does not take: its CL_DEVICE_IL_VERSION is '%s'", p->name,
        version);
}

cl_program opencl_il_create(struct opencl *o, const struct job_program *p, struct result *r)
{
    const struct module m = {p->source, p->length / 4};
    cl_int code;
    if (!takes_il(o, p, r))
        return NULL;
    cl_program program =
        o->cl.clCreateProgramWithIL(o->context, p->source, (size_t)p->length, &code);
    if (!program) {
        char text[128];
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%s: clCreateProgramWithIL: %s",
                    p->name, opencl_code_text(code, text));
        return NULL;
    }
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (!str_starts(p->options[i], "-D") || set_constant(o, p, &m, program, p->options[i], r))
            continue;
        o->cl.clReleaseProgram(program);
        return NULL;
    }
    return program;
}
