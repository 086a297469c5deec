// Cache policies of a PTX text: opcodes are words with points, wherever they stand.
#include "isa/listing.h"

#include "base/text.h"

#include <string.h>

// Opcodes of which any says something; or, with `part`, if that is among their parts.
static const struct {
    const char *opcode, *part;
} policies[] = {
    {"ld", "cs"},
    {"ld", "cg"},
    {"ld", "cv"},
    {"ld", "lu"},
    {"st", "cs"},
    {"st", "cg"},
    {"st", "wt"},
    {"prefetch", NULL},
    {"prefetchu", NULL},
    {"discard", NULL},
    {"applypriority", NULL},
    {"createpolicy", NULL},
    {"cp", "prefetch"},
};

#define OPCODE_MOST 128

static bool is_policy(const char *opcode)
{
    char first[32];
    if (!strchr(opcode, '.') || !opcode_part(opcode, 0, first, sizeof first) || !first[0])
        return false;
    if (strstr(opcode, ".L1::") || strstr(opcode, ".L2::"))
        return true;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (strcmp(first, policies[i].opcode) == 0 &&
            (!policies[i].part || opcode_has(opcode, policies[i].part)))
            return true;
    }
    return false;
}

struct policy_use {
    char opcode[OPCODE_MOST];
    size_t times;
};

// Counts one; false: it is another than all that there is room for.
static bool count_policy(struct policy_use *uses, const char *opcode)
{
    size_t i = 0;
    while (i < CODE_POLICIES && uses[i].times > 0 && strcmp(uses[i].opcode, opcode) != 0)
        i++;
    if (i == CODE_POLICIES)
        return false;
    str_format(uses[i].opcode, sizeof uses[i].opcode, "%s", opcode);
    uses[i].times++;
    return true;
}

size_t code_cache_policies(const char *text, size_t length, struct text *out)
{
    struct policy_use uses[CODE_POLICIES] = {{.times = 0}};
    struct arena a;
    size_t all = 0, others = 0;
    arena_init(&a);
    const char *at = code_is_ptx(text, length) ? ptx_without_comments(&a, text, length) : NULL;
    for (const char *end = at ? at + length : NULL; at && at < end;) {
        char opcode[OPCODE_MOST];
        size_t n = 0;
        while (at + n < end && (is_ptx_name(at[n]) || at[n] == ':'))
            n++;
        str_format(opcode, sizeof opcode, "%.*s", (int)(n < OPCODE_MOST ? n : 0), at);
        if (is_policy(opcode)) {
            all++;
            others += !count_policy(uses, opcode);
        }
        at += n ? n : 1;
    }
    for (size_t i = 0; i < CODE_POLICIES && uses[i].times > 0; i++)
        text_addf(out, "%s%zu %s", i ? ", " : "", uses[i].times, uses[i].opcode);
    if (others > 0)
        text_addf(out, " and %zu more", others);
    arena_release(&a);
    return all;
}
