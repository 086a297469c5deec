// PTX: what class an opcode belongs to. "fma.rn.f32" is looked up by its first part; where the type
// decides (the last part), the table names a family, and family and type give the class.
#include "isa/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- types -------------------------------------------------------------------------------------

enum type { TYPE_HALF, TYPE_FLOAT, TYPE_DOUBLE, TYPE_INT, TYPE_LONG, TYPE_PREDICATE, TYPE_COUNT };

static const struct {
    const char *text;
    enum type type;
    unsigned bits, lanes;
} types[] = {
    {"f16", TYPE_HALF, 16, 1},    {"f16x2", TYPE_HALF, 32, 2}, {"bf16", TYPE_HALF, 16, 1},
    {"bf16x2", TYPE_HALF, 32, 2}, {"f32", TYPE_FLOAT, 32, 1},  {"f32x2", TYPE_FLOAT, 64, 2},
    {"f64", TYPE_DOUBLE, 64, 1},  {"b8", TYPE_INT, 8, 1},      {"u8", TYPE_INT, 8, 1},
    {"s8", TYPE_INT, 8, 1},       {"b16", TYPE_INT, 16, 1},    {"u16", TYPE_INT, 16, 1},
    {"s16", TYPE_INT, 16, 1},     {"b32", TYPE_INT, 32, 1},    {"u32", TYPE_INT, 32, 1},
    {"s32", TYPE_INT, 32, 1},     {"b64", TYPE_LONG, 64, 1},   {"u64", TYPE_LONG, 64, 1},
    {"s64", TYPE_LONG, 64, 1},    {"b128", TYPE_LONG, 128, 1}, {"pred", TYPE_PREDICATE, 0, 1},
};
#define TYPES (sizeof types / sizeof *types)

// The last part that is a type; TYPES when there is none.
static size_t type_of_operand(const char *opcode)
{
    size_t found = TYPES;
    char part[16];
    for (unsigned i = 1; opcode_part(opcode, i, part, sizeof part); i++) {
        for (size_t t = 0; t < TYPES; t++)
            found = strcmp(part, types[t].text) == 0 ? t : found;
    }
    return found;
}

// ---- opcodes -----------------------------------------------------------------------------------

enum family { FMA, MULTIPLY, ADD, ARITHMETIC, DIVIDE, FAMILY_COUNT, LOAD, STORE, ALONE };

static const enum code_class by_type[FAMILY_COUNT][TYPE_COUNT] = {
    [FMA] = {CODE_FMA16, CODE_FMA32, CODE_FMA64, CODE_INTEGER, CODE_INTEGER64, CODE_SELECT},
    [MULTIPLY] = {CODE_FLOAT16, CODE_MUL32, CODE_MUL64, CODE_INTEGER, CODE_INTEGER64, CODE_SELECT},
    [ADD] = {CODE_FLOAT16, CODE_ADD32, CODE_ADD64, CODE_INTEGER, CODE_INTEGER64, CODE_SELECT},
    [ARITHMETIC] = {CODE_FLOAT16, CODE_FLOAT, CODE_FLOAT, CODE_INTEGER, CODE_INTEGER64,
                    CODE_SELECT},
    [DIVIDE] = {CODE_FLOAT16, CODE_FUNCTION, CODE_FUNCTION, CODE_INTEGER, CODE_INTEGER64,
                CODE_SELECT},
};

// The first row whose opcodes have the first part, and whose `part` is among the others, counts.
struct rule {
    const char *opcodes, *part; // part NULL: any
    enum family family;
    enum code_class class; // of ALONE
};

static const struct rule rules[] = {
    {"fma mad madc mad24", NULL, FMA, 0},
    {"mul mul24", NULL, MULTIPLY, 0},
    {"add sub addc subc", NULL, ADD, 0},
    {"div rem", NULL, DIVIDE, 0},
    {"min max abs neg copysign and or xor not cnot lop3 shl shr shf sad popc clz brev bfe bfi "
     "bfind fns bmsk szext prmt dp4a dp2a mapa getctarank",
     NULL, ARITHMETIC, 0},
    {"ld ldu ldmatrix", NULL, LOAD, 0},
    {"st", "async", ALONE, CODE_ASYNC_COPY},
    {"st stmatrix", NULL, STORE, 0},
    {"wmma", "load", LOAD, 0},
    {"wmma", "store", STORE, 0},
    {"cp", "commit_group", ALONE, CODE_WAIT},
    {"cp", "wait_group", ALONE, CODE_WAIT},
    {"cp", "wait_all", ALONE, CODE_WAIT},
    {"cp", "mbarrier", ALONE, CODE_BARRIER},
    {"cp", "prefetch", ALONE, CODE_OTHER},
    {"cp", NULL, ALONE, CODE_ASYNC_COPY},
    {"atom red multimem", NULL, ALONE, CODE_ATOMIC},
    {"tex tld4 suld sust sured", NULL, ALONE, CODE_TEXTURE},
    {"wgmma", "mma_async", ALONE, CODE_WGMMA},
    {"wgmma", NULL, ALONE, CODE_WAIT},
    {"tcgen05", "mma", ALONE, CODE_WGMMA},
    {"mma wmma", NULL, ALONE, CODE_MMA},
    {"sin cos ex2 lg2 tanh rcp sqrt rsqrt", NULL, ALONE, CODE_FUNCTION},
    {"cvt", NULL, ALONE, CODE_CONVERT},
    {"setp set selp slct testp isspacep", NULL, ALONE, CODE_SELECT},
    {"bra brx call ret exit trap", NULL, ALONE, CODE_BRANCH},
    {"bar", "warp", ALONE, CODE_WARP},
    {"bar barrier membar fence mbarrier", NULL, ALONE, CODE_BARRIER},
    {"shfl vote match redux elect activemask movmatrix", NULL, ALONE, CODE_WARP},
    {"mov cvta", NULL, ALONE, CODE_MOVE},
};

static const struct rule other = {"", NULL, ALONE, CODE_OTHER};

static const struct rule *rule_of(const char *opcode)
{
    char first[16];
    opcode_part(opcode, 0, first, sizeof first);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (opcode_in(rules[i].opcodes, first) &&
            (!rules[i].part || opcode_has(opcode, rules[i].part)))
            return &rules[i];
    }
    return &other;
}

// ---- memory ------------------------------------------------------------------------------------

static const struct {
    const char *part;
    enum code_class load, store;
} spaces[] = {
    {"global", CODE_LOAD_GLOBAL, CODE_STORE_GLOBAL},
    {"shared", CODE_LOAD_SHARED, CODE_STORE_SHARED},
    {"shared::cta", CODE_LOAD_SHARED, CODE_STORE_SHARED},
    {"shared::cluster", CODE_LOAD_SHARED, CODE_STORE_SHARED},
    {"local", CODE_LOAD_LOCAL, CODE_STORE_LOCAL},
    {"const", CODE_LOAD_CONSTANT, CODE_OTHER},
    {"param", CODE_LOAD_CONSTANT, CODE_OTHER}, // a store: an argument of a call
};

static enum code_class access_class(const char *opcode, bool loads)
{
    if (strstr(opcode, "matrix"))
        return loads ? CODE_LOAD_SHARED : CODE_STORE_SHARED;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (opcode_has(opcode, spaces[i].part))
            return loads ? spaces[i].load : spaces[i].store;
    }
    return loads ? CODE_LOAD_GENERIC : CODE_STORE_GENERIC;
}

static unsigned access_bits(const char *opcode)
{
    static const struct {
        const char *part;
        unsigned factor;
    } factors[] = {{"v2", 2}, {"v4", 4}, {"v8", 8}, {"x2", 2}, {"x4", 4}};
    size_t type = type_of_operand(opcode);
    bool is_matrix = strstr(opcode, "matrix") != NULL; // "x2": a register each
    unsigned bits = type < TYPES && !is_matrix ? types[type].bits : 32;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        bits *= opcode_has(opcode, factors[i].part) ? factors[i].factor : 1;
    return bits;
}

// "[%r1], [%rd2], 16;": the size of cp.async stands behind the addresses. 0: not a number.
static unsigned copy_bits(const char *operands)
{
    const char *at = strchr(operands, ']');
    at = at ? strchr(at + 1, ']') : NULL;
    return at ? (unsigned)strtoul(at + 1 + strspn(at + 1, " \t\n,"), NULL, 10) * 8 : 0;
}

// ---- all together ------------------------------------------------------------------------------

// "m16n8k8": the products of a warp (or, of wgmma, of four), by its work-items.
static double ptx_mma_work(const char *opcode, double items)
{
    char part[32];
    for (unsigned i = 1; opcode_part(opcode, i, part, sizeof part); i++) {
        unsigned m, n, k;
        if (sscanf(part, "m%3un%3uk%3u", &m, &n, &k) == 3)
            return (double)m * n * k / items;
    }
    return 0;
}

static bool reads_special_register(const char *operands)
{
    static const char *const names[] = {"%tid",         "%ctaid",   "%ntid",   "%nctaid",
                                        "%laneid",      "%warpid",  "%smid",   "%clock",
                                        "%globaltimer", "%cluster", "%envreg", "%dynamic_smem_size",
                                        "%lanemask"};
    const char *source = strchr(operands, ',');
    for (size_t i = 0; source && i < sizeof names / sizeof *names; i++) {
        if (strstr(source, names[i]))
            return true;
    }
    return false;
}

static enum code_flow ptx_flow(const char *opcode)
{
    static const struct {
        const char *opcode;
        enum code_flow flow;
    } flows[] = {{"bra", FLOW_BRANCH}, {"brx", FLOW_BRANCH}, {"ret", FLOW_END},
                 {"exit", FLOW_END},   {"trap", FLOW_END},   {".branchtargets", FLOW_BRANCH}};
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        size_t n = strlen(flows[i].opcode);
        if (strncmp(opcode, flows[i].opcode, n) == 0 && (opcode[n] == '.' || opcode[n] == '\0'))
            return flows[i].flow;
    }
    return FLOW_NEXT;
}

void ptx_classify(const char *opcode, const char *operands, struct instruction *out)
{
    const struct rule *rule = rule_of(opcode);
    out->class = rule->class;
    out->flow = ptx_flow(opcode);
    if (opcode[0] == '.') {
        out->class = CODE_CLASS_COUNT;
    } else if (rule->family == LOAD || rule->family == STORE) {
        out->class = access_class(opcode, rule->family == LOAD);
        out->width = width_index(access_bits(opcode));
    } else if (rule->family < FAMILY_COUNT) {
        size_t at = type_of_operand(opcode);
        enum type type = at < TYPES ? types[at].type : TYPE_INT;
        // The product of two of 32 bits has 64.
        if (at < TYPES && opcode_has(opcode, "wide") && type == TYPE_INT && types[at].bits == 32)
            type = TYPE_LONG;
        out->class = by_type[rule->family][type];
    } else if (rule->class == CODE_ASYNC_COPY && !opcode_has(opcode, "bulk")) {
        out->width = width_index(copy_bits(operands));
    } else if (rule->class == CODE_MOVE && reads_special_register(operands)) {
        out->class = CODE_SPECIAL;
    }
    size_t type = type_of_operand(opcode);
    if (out->class == CODE_FMA16 || out->class == CODE_FMA32 || out->class == CODE_FMA64)
        out->multiply_adds = type < TYPES ? types[type].lanes : 1;
    else if (out->class == CODE_MMA || out->class == CODE_WGMMA)
        out->multiply_adds = ptx_mma_work(opcode, out->class == CODE_MMA ? 32 : 128);
}
