// SASS: what class an opcode belongs to, from Turing (sm_75) on.
#include "isa/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The first row whose opcodes have the first part, and whose `part` is among the others, counts. An opcode of the
// uniform registers that no row has is looked up without its U.
struct rule {
    const char *opcodes, *part; // part NULL: any
    enum code_class class;
};

static const struct rule rules[] = {
    {"LDG", NULL, CODE_LOAD_GLOBAL},
    {"STG", NULL, CODE_STORE_GLOBAL},
    {"LDS LDSM", NULL, CODE_LOAD_SHARED},
    {"STS STSM", NULL, CODE_STORE_SHARED},
    {"LDL", NULL, CODE_LOAD_LOCAL},
    {"STL", NULL, CODE_STORE_LOCAL},
    {"LDC LDCU", NULL, CODE_LOAD_CONSTANT},
    {"LD", NULL, CODE_LOAD_GENERIC},
    {"ST", NULL, CODE_STORE_GENERIC},
    {"LDGSTS UBLKCP UBLKRED UTMALDG UTMASTG UTMAREDG STAS", NULL, CODE_ASYNC_COPY},
    {"ATOM* RED REDG REDS REDAS", NULL, CODE_ATOMIC},
    {"TEX* TLD* TXQ SULD SUST SUATOM SURED", NULL, CODE_TEXTURE},
    {"FFMA*", NULL, CODE_FMA32},
    {"FMUL*", NULL, CODE_MUL32},
    {"FADD* FSWZADD", NULL, CODE_ADD32},
    {"DFMA", NULL, CODE_FMA64},
    {"DMUL", NULL, CODE_MUL64},
    {"DADD", NULL, CODE_ADD64},
    {"HFMA2*", NULL, CODE_FMA16},
    {"HMUL2* HADD2* HMNMX2 VHMNMX", NULL, CODE_FLOAT16},
    {"FMNMX* DMNMX", NULL, CODE_FLOAT},
    {"MUFU FCHK", NULL, CODE_FUNCTION},
    {"HMMA IMMA BMMA DMMA QMMA OMMA", NULL, CODE_MMA},
    {"HGMMA IGMMA BGMMA QGMMA UTC*MMA", NULL, CODE_WGMMA},
    {"IMAD", "MOV", CODE_MOVE},
    {"IMAD IADD* IMUL* IABS IMNMX VIADD* VIMNMX* VABSDIFF* IDP LEA SHF SHL SHR LOP3 LOP BMSK "
     "SGXT FLO POPC BREV PRMT",
     NULL, CODE_INTEGER},
    {"F2F* F2I* I2F* I2I* FRND", NULL, CODE_CONVERT},
    {"ISETP FSETP DSETP HSETP2 FSET HSET2 ISET PSETP PLOP3 SEL FSEL P2R R2P UP2UR UR2UP", NULL,
     CODE_SELECT},
    {"BRA BRX* JMP JMX* CALL RET EXIT KILL BPT BSSY BSYNC BREAK YIELD", NULL, CODE_BRANCH},
    {"BAR UCGABAR* MEMBAR FENCE ERRBAR CGAERRBAR CCTL* SYNCS ARRIVES WARPSYNC", NULL, CODE_BARRIER},
    {"NANOSLEEP LDGDEPBAR DEPBAR UTMACMDFLUSH WARPGROUP*", NULL, CODE_WAIT},
    {"SHFL VOTE MATCH REDUX CREDUX ELECT MOVM", NULL, CODE_WARP},
    {"MOV* R2UR BMOV", NULL, CODE_MOVE},
    {"S2R S2UR CS2R B2R R2B", NULL, CODE_SPECIAL},
};

static enum code_class class_of(const char *opcode)
{
    char first[24];
    opcode_part(opcode, 0, first, sizeof first);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (opcode_in(rules[i].opcodes, first) &&
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

static enum code_flow sass_flow(const char *opcode)
{
    char first[24];
    opcode_part(opcode, 0, first, sizeof first);
    return opcode_in("BRA BRX* JMP JMX* BSYNC", first) ? FLOW_BRANCH
           : opcode_in("CALL", first)                  ? FLOW_CALL
           : opcode_in("RET EXIT KILL", first)         ? FLOW_END
                                                       : FLOW_NEXT;
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
