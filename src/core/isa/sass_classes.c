// SASS: what class an opcode belongs to, from Turing (sm_75) on.
#include "isa/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The first row whose opcode is the first part (with a '*': starts with what stands before it), and
// whose `part` is among the others, counts. An opcode of the uniform registers that no row has is
// looked up without its U.
struct rule {
    const char *opcode, *part; // part NULL: any
    enum code_class class;
};

static const struct rule rules[] = {
    {"LDG", NULL, CODE_LOAD_GLOBAL},    {"STG", NULL, CODE_STORE_GLOBAL},
    {"LDS", NULL, CODE_LOAD_SHARED},    {"LDSM", NULL, CODE_LOAD_SHARED},
    {"STS", NULL, CODE_STORE_SHARED},   {"STSM", NULL, CODE_STORE_SHARED},
    {"LDL", NULL, CODE_LOAD_LOCAL},     {"STL", NULL, CODE_STORE_LOCAL},
    {"LDC", NULL, CODE_LOAD_CONSTANT},  {"LDCU", NULL, CODE_LOAD_CONSTANT},
    {"LD", NULL, CODE_LOAD_GENERIC},    {"ST", NULL, CODE_STORE_GENERIC},
    {"LDGSTS", NULL, CODE_ASYNC_COPY},  {"UBLKCP", NULL, CODE_ASYNC_COPY},
    {"UBLKRED", NULL, CODE_ASYNC_COPY}, {"UTMALDG", NULL, CODE_ASYNC_COPY},
    {"UTMASTG", NULL, CODE_ASYNC_COPY}, {"UTMAREDG", NULL, CODE_ASYNC_COPY},
    {"STAS", NULL, CODE_ASYNC_COPY},    {"ATOM*", NULL, CODE_ATOMIC},
    {"RED", NULL, CODE_ATOMIC},         {"REDG", NULL, CODE_ATOMIC},
    {"REDS", NULL, CODE_ATOMIC},        {"REDAS", NULL, CODE_ATOMIC},
    {"TEX*", NULL, CODE_TEXTURE},       {"TLD*", NULL, CODE_TEXTURE},
    {"TXQ", NULL, CODE_TEXTURE},        {"SULD", NULL, CODE_TEXTURE},
    {"SUST", NULL, CODE_TEXTURE},       {"SUATOM", NULL, CODE_TEXTURE},
    {"SURED", NULL, CODE_TEXTURE},

    {"FFMA*", NULL, CODE_FMA32},        {"FMUL*", NULL, CODE_MUL32},
    {"FADD*", NULL, CODE_ADD32},        {"FSWZADD", NULL, CODE_ADD32},
    {"DFMA", NULL, CODE_FMA64},         {"DMUL", NULL, CODE_MUL64},
    {"DADD", NULL, CODE_ADD64},         {"HFMA2*", NULL, CODE_FMA16},
    {"HMUL2*", NULL, CODE_FLOAT16},     {"HADD2*", NULL, CODE_FLOAT16},
    {"HMNMX2", NULL, CODE_FLOAT16},     {"VHMNMX", NULL, CODE_FLOAT16},
    {"FMNMX*", NULL, CODE_FLOAT},       {"DMNMX", NULL, CODE_FLOAT},
    {"MUFU", NULL, CODE_FUNCTION},      {"FCHK", NULL, CODE_FUNCTION},
    {"HMMA", NULL, CODE_MMA},           {"IMMA", NULL, CODE_MMA},
    {"BMMA", NULL, CODE_MMA},           {"DMMA", NULL, CODE_MMA},
    {"QMMA", NULL, CODE_MMA},           {"OMMA", NULL, CODE_MMA},
    {"HGMMA", NULL, CODE_WGMMA},        {"IGMMA", NULL, CODE_WGMMA},
    {"BGMMA", NULL, CODE_WGMMA},        {"QGMMA", NULL, CODE_WGMMA},
    {"UTC*MMA", NULL, CODE_WGMMA},

    {"IMAD", "MOV", CODE_MOVE},         {"IMAD", NULL, CODE_INTEGER},
    {"IADD*", NULL, CODE_INTEGER},      {"IMUL*", NULL, CODE_INTEGER},
    {"IABS", NULL, CODE_INTEGER},       {"IMNMX", NULL, CODE_INTEGER},
    {"VIADD*", NULL, CODE_INTEGER},     {"VIMNMX*", NULL, CODE_INTEGER},
    {"VABSDIFF*", NULL, CODE_INTEGER},  {"IDP", NULL, CODE_INTEGER},
    {"LEA", NULL, CODE_INTEGER},        {"SHF", NULL, CODE_INTEGER},
    {"SHL", NULL, CODE_INTEGER},        {"SHR", NULL, CODE_INTEGER},
    {"LOP3", NULL, CODE_INTEGER},       {"LOP", NULL, CODE_INTEGER},
    {"BMSK", NULL, CODE_INTEGER},       {"SGXT", NULL, CODE_INTEGER},
    {"FLO", NULL, CODE_INTEGER},        {"POPC", NULL, CODE_INTEGER},
    {"BREV", NULL, CODE_INTEGER},       {"PRMT", NULL, CODE_INTEGER},

    {"F2F*", NULL, CODE_CONVERT},       {"F2I*", NULL, CODE_CONVERT},
    {"I2F*", NULL, CODE_CONVERT},       {"I2I*", NULL, CODE_CONVERT},
    {"FRND", NULL, CODE_CONVERT},       {"ISETP", NULL, CODE_SELECT},
    {"FSETP", NULL, CODE_SELECT},       {"DSETP", NULL, CODE_SELECT},
    {"HSETP2", NULL, CODE_SELECT},      {"FSET", NULL, CODE_SELECT},
    {"HSET2", NULL, CODE_SELECT},       {"ISET", NULL, CODE_SELECT},
    {"PSETP", NULL, CODE_SELECT},       {"PLOP3", NULL, CODE_SELECT},
    {"SEL", NULL, CODE_SELECT},         {"FSEL", NULL, CODE_SELECT},
    {"P2R", NULL, CODE_SELECT},         {"R2P", NULL, CODE_SELECT},
    {"UP2UR", NULL, CODE_SELECT},       {"UR2UP", NULL, CODE_SELECT},

    {"BRA", NULL, CODE_BRANCH},         {"BRX*", NULL, CODE_BRANCH},
    {"JMP", NULL, CODE_BRANCH},         {"JMX*", NULL, CODE_BRANCH},
    {"CALL", NULL, CODE_BRANCH},        {"RET", NULL, CODE_BRANCH},
    {"EXIT", NULL, CODE_BRANCH},        {"KILL", NULL, CODE_BRANCH},
    {"BPT", NULL, CODE_BRANCH},         {"BSSY", NULL, CODE_BRANCH},
    {"BSYNC", NULL, CODE_BRANCH},       {"BREAK", NULL, CODE_BRANCH},
    {"YIELD", NULL, CODE_BRANCH},       {"BAR", NULL, CODE_BARRIER},
    {"UCGABAR*", NULL, CODE_BARRIER},   {"MEMBAR", NULL, CODE_BARRIER},
    {"FENCE", NULL, CODE_BARRIER},      {"ERRBAR", NULL, CODE_BARRIER},
    {"CGAERRBAR", NULL, CODE_BARRIER},  {"CCTL*", NULL, CODE_BARRIER},
    {"SYNCS", NULL, CODE_BARRIER},      {"ARRIVES", NULL, CODE_BARRIER},
    {"WARPSYNC", NULL, CODE_BARRIER},   {"NANOSLEEP", NULL, CODE_WAIT},
    {"LDGDEPBAR", NULL, CODE_WAIT},     {"DEPBAR", NULL, CODE_WAIT},
    {"UTMACMDFLUSH", NULL, CODE_WAIT},  {"WARPGROUP*", NULL, CODE_WAIT},
    {"SHFL", NULL, CODE_WARP},          {"VOTE", NULL, CODE_WARP},
    {"MATCH", NULL, CODE_WARP},         {"REDUX", NULL, CODE_WARP},
    {"CREDUX", NULL, CODE_WARP},        {"ELECT", NULL, CODE_WARP},
    {"MOVM", NULL, CODE_WARP},

    {"MOV*", NULL, CODE_MOVE},          {"R2UR", NULL, CODE_MOVE},
    {"BMOV", NULL, CODE_MOVE},          {"S2R", NULL, CODE_SPECIAL},
    {"S2UR", NULL, CODE_SPECIAL},       {"CS2R", NULL, CODE_SPECIAL},
    {"B2R", NULL, CODE_SPECIAL},        {"R2B", NULL, CODE_SPECIAL},
};

static bool matches(const char *pattern, const char *opcode)
{
    size_t before = strcspn(pattern, "*"), length = strlen(opcode);
    if (pattern[before] == '\0')
        return strcmp(pattern, opcode) == 0;
    size_t behind = strlen(pattern + before + 1);
    return length >= before + behind && strncmp(pattern, opcode, before) == 0 &&
           strcmp(pattern + before + 1, opcode + length - behind) == 0;
}

static enum code_class class_of(const char *opcode)
{
    char first[24];
    opcode_part(opcode, 0, first, sizeof first);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (matches(rules[i].opcode, first) &&
            (!rules[i].part || opcode_has(opcode, rules[i].part)))
            return rules[i].class;
    }
    return opcode[0] == 'U' ? class_of(opcode + 1) : CODE_OTHER;
}

// ---- what the parts say ------------------------------------------------------------------------

static int width_of_opcode(const char *opcode)
{
    static const struct {
        const char *part;
        unsigned bits;
    } parts[] = {{"U8", 8},  {"S8", 8},    {"U16", 16}, {"S16", 16},
                 {"64", 64}, {"128", 128}, {"256", 256}};
    if (strncmp(opcode, "LDSM", 4) == 0 || strncmp(opcode, "STSM", 4) == 0)
        return width_index(opcode_has(opcode, "4") ? 128 : opcode_has(opcode, "2") ? 64 : 32);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (opcode_has(opcode, parts[i].part))
            return width_index(parts[i].bits);
    }
    return opcode[0] == 'U' && strncmp(opcode, "ULDC", 4) != 0 ? -1 : width_index(32); // bulk
}

// An addition of 64 bits is two: the second one, which takes the carry (".X"), is counted here.
static bool is_64(const char *opcode)
{
    static const char *const parts[] = {"X", "64", "WIDE", "U64", "S64"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (opcode_has(opcode, parts[i]))
            return true;
    }
    return false;
}

// Instructions that only put a constant or a register into a register.
static bool only_moves(const char *opcode, const char *operands)
{
    bool is_imad = strncmp(opcode, "IMAD", 4) == 0 && !is_64(opcode);
    return (is_imad && strstr(operands, ", RZ, RZ, ")) ||
           (strncmp(opcode, "HFMA2", 5) == 0 && strstr(operands, ", -RZ, RZ, ")) ||
           (strncmp(opcode, "CS2R", 4) == 0 && strstr(operands, "SRZ"));
}

// "64x128x16" of four warps, or "1688" and "16816" (16 x 8 x 8, 16 x 8 x 16) of one.
static double sass_mma_work(const char *opcode)
{
    char part[24];
    for (unsigned i = 1; opcode_part(opcode, i, part, sizeof part); i++) {
        unsigned m, n, k;
        if (sscanf(part, "%3ux%3ux%3u", &m, &n, &k) == 3)
            return (double)m * n * k / 128;
        if (strspn(part, "0123456789") != strlen(part) || strlen(part) < 3)
            continue;
        m = part[0] == '1' ? 16 : 8;
        k = (unsigned)strtoul(part + (m == 16 ? 3 : 2), NULL, 10);
        return (double)m * 8 * k / 32;
    }
    return 0;
}

static double work_of_class(const char *opcode, enum code_class class)
{
    switch (class) {
    case CODE_FMA16:
        return 2;
    case CODE_FMA32:
        return strncmp(opcode, "FFMA2", 5) == 0 ? 2 : 1;
    case CODE_FMA64:
        return 1;
    case CODE_MMA:
    case CODE_WGMMA:
        return sass_mma_work(opcode);
    default:
        return 0;
    }
}

static const struct {
    const char *opcode;
    enum code_flow flow;
} flows[] = {
    {"BRA", FLOW_BRANCH},  {"BRX*", FLOW_BRANCH},  {"JMP", FLOW_BRANCH},
    {"JMX*", FLOW_BRANCH}, {"BSYNC", FLOW_BRANCH}, {"CALL", FLOW_CALL},
    {"RET", FLOW_END},     {"EXIT", FLOW_END},     {"KILL", FLOW_END},
};

static enum code_flow sass_flow(const char *opcode)
{
    char first[24];
    opcode_part(opcode, 0, first, sizeof first);
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        if (matches(flows[i].opcode, first))
            return flows[i].flow;
    }
    return FLOW_NEXT;
}

void sass_classify(const char *opcode, const char *operands, struct instruction *out)
{
    if (strcmp(opcode, "NOP") == 0) {
        out->class = CODE_CLASS_COUNT;
        return;
    }
    out->class = class_of(opcode);
    out->flow = sass_flow(opcode);
    if (only_moves(opcode, operands))
        out->class = CODE_MOVE;
    else if (out->class == CODE_INTEGER && is_64(opcode))
        out->class = CODE_INTEGER64;
    if (out->class < CODE_ACCESSES)
        out->width = width_of_opcode(opcode);
    out->multiply_adds = work_of_class(opcode, out->class);
}
