// SASS text, as nvdisasm -c and cuobjdump -sass print it -> listing. A line holds one instruction
// behind its address, "/*0090*/  @P0 BRA `(.L_x_0) ;", or a label; cuobjdump's branches name
// addresses instead of labels.
#include "isa/listing.h"

#include "base/text.h"

#include <string.h>

#define KERNELS_MOST 1024

struct part { // a kernel's lines
    const char *at;
    size_t line;
};

struct kernels {
    struct kernel_name names[KERNELS_MOST];
    struct part parts[KERNELS_MOST];
    size_t count;
};

// Where the synchronisation barriers B0 ... B15 lead, as BSSY says it; BSYNC only names the
// barrier.
struct reader {
    struct listing *listing;
    struct name barriers[16];
};

// ---- lines -------------------------------------------------------------------------------------

struct line {
    const char *at, *end;
};

// The next line without the blanks around it; false at the end.
static bool next_sass_line(const char **at, const char *end, struct line *out)
{
    if (*at >= end)
        return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    *out = (struct line){*at, stop ? stop : end};
    *at = stop ? stop + 1 : end;
    while (out->at < out->end && strchr(" \t\r", *out->at))
        out->at++;
    while (out->end > out->at && strchr(" \t\r", out->end[-1]))
        out->end--;
    return true;
}

static bool line_starts(const struct line *l, const char *prefix)
{
    size_t n = strlen(prefix);
    return (size_t)(l->end - l->at) >= n && memcmp(l->at, prefix, n) == 0;
}

static bool is_sass_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_$.", c));
}

static size_t sass_name_length(const char *at, const char *end)
{
    size_t n = 0;
    while (at + n < end && is_sass_name(at[n]))
        n++;
    return n;
}

// ---- kernels -----------------------------------------------------------------------------------

// The name behind ".section .text." (nvdisasm) or "Function : " (cuobjdump); false for other lines.
static bool starts_kernel(const struct line *l, struct kernel_name *out)
{
    static const char section[] = ".section", text[] = ".text.", function[] = "Function : ";
    const char *at = l->at;
    if (line_starts(l, function)) {
        at += sizeof function - 1;
    } else if (line_starts(l, section)) {
        at += sizeof section - 1;
        while (at < l->end && strchr(" \t\"", *at))
            at++;
        if ((size_t)(l->end - at) < sizeof text || memcmp(at, text, sizeof text - 1) != 0)
            return false;
        at += sizeof text - 1;
    } else {
        return false;
    }
    size_t n = sass_name_length(at, l->end);
    *out = (struct kernel_name){at, n};
    return n > 0;
}

// ".target sm_90a" (nvdisasm) or "code for sm_90a" (cuobjdump).
static void read_target(const struct line *l, struct code_profile *p)
{
    static const char *const starts[] = {".target", "code for"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts && !p->target[0]; i++) {
        if (!line_starts(l, starts[i]))
            continue;
        const char *at = l->at + strlen(starts[i]);
        while (at < l->end && strchr(" \t", *at))
            at++;
        str_format(p->target, sizeof p->target, "%.*s", (int)(sass_name_length(at, l->end) & 31),
                   at);
    }
}

static void find_sass_kernels(const char *text, size_t length, struct kernels *k,
                              struct code_profile *p)
{
    const char *at = text, *end = text + length;
    struct line line;
    struct kernel_name name;
    for (size_t number = 1; next_sass_line(&at, end, &line); number++) {
        read_target(&line, p);
        if (k->count < KERNELS_MOST && starts_kernel(&line, &name)) {
            k->names[k->count] = name;
            k->parts[k->count++] = (struct part){at, number + 1};
        }
    }
}

// ---- instructions ------------------------------------------------------------------------------

// "B3" -> 3; -1.
static int barrier_of(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    if (end - at < 2 || *at != 'B' || at[1] < '0' || at[1] > '9')
        return -1;
    int number = at[1] - '0';
    if (end - at > 2 && at[2] >= '0' && at[2] <= '9')
        number = number * 10 + at[2] - '0';
    return number < 16 ? number : -1;
}

static void note_barrier(struct reader *r, const char *at, const char *end)
{
    int barrier = barrier_of(at, end);
    while (at < end && *at != '.')
        at++;
    if (barrier >= 0 && at < end)
        r->barriers[barrier] = (struct name){.text = at, .length = sass_name_length(at, end)};
}

static void add_flow(struct reader *r, struct instruction *i, const char *opcode, const char *at,
                     const char *end)
{
    if (strncmp(opcode, "BSSY", 4) == 0)
        note_barrier(r, at, end);
    if (strncmp(opcode, "BSYNC", 5) == 0) {
        int barrier = barrier_of(at, end);
        if (barrier >= 0 && r->barriers[barrier].text)
            listing_target(r->listing, r->barriers[barrier].text, r->barriers[barrier].length, 0);
        else
            i->flow = FLOW_NEXT;
    } else if (i->flow == FLOW_BRANCH || i->flow == FLOW_CALL) {
        // Every name that may be a label: ".L_x_1", "$__internal_0", "0x410" (an address; "-0x120"
        // is none). There is a character before `at`.
        while (at < end) {
            size_t n = sass_name_length(at, end);
            bool is_label = n > 1 && (*at == '.' || *at == '$');
            bool is_address = n > 2 && at[-1] == ' ' && at[0] == '0' && at[1] == 'x';
            if (is_label || is_address)
                listing_target(r->listing, at, n, 0);
            at += n ? n : 1;
        }
    }
}

// Reads what stands behind the address: "@!P0 LDG.E R4, desc[UR6][R8.64+0x80] ;".
static bool add_sass_instruction(struct reader *r, const char *at, const char *end, size_t line)
{
    char opcode[128], operands[256];
    const char *stop = memchr(at, ';', (size_t)(end - at));
    end = stop ? stop : end;
    while (at < end && strchr(" \t{", *at))
        at++;
    bool guarded = at<end && * at == '@', never = end - at> 4 && memcmp(at, "@!PT ", 5) == 0;
    while (guarded && at < end && *at != ' ')
        at++;
    while (at < end && *at == ' ')
        at++;
    size_t n = 0;
    while (at + n < end && at[n] != ' ')
        n++;
    if (n == 0)
        return true;
    str_format(opcode, sizeof opcode, "%.*s", (int)(n < 128 ? n : 127), at);
    size_t left = (size_t)(end - at) - n;
    str_format(operands, sizeof operands, "%.*s", (int)(left < 256 ? left : 255), at + n);
    struct instruction *i = listing_add(r->listing, line);
    if (!i)
        return false;
    sass_classify(never ? "NOP" : opcode, operands, i);
    i->guarded = guarded;
    add_flow(r, i, opcode, at + n, end);
    return true;
}

// "/*0410*/" -> the label "0x410" that cuobjdump's branches name.
static bool add_address(struct listing *l, const char *at, size_t digits)
{
    while (digits > 1 && *at == '0') {
        at++;
        digits--;
    }
    char *label = arena_printf(&l->arena, "0x%.*s", (int)(digits & 0xff), at);
    if (label)
        listing_label(l, label, digits + 2, 0);
    return label != NULL;
}

static bool read_sass_line(struct reader *r, const struct line *line, size_t number)
{
    size_t length = (size_t)(line->end - line->at);
    if (line_starts(line, "/*")) {
        const char *at = line->at + 2;
        size_t digits = sass_name_length(at, line->end);
        if (digits == 0 || digits + 4 > length || memcmp(at + digits, "*/", 2) != 0)
            return true; // an encoding
        return add_address(r->listing, at, digits) &&
               add_sass_instruction(r, at + digits + 2, line->end, number);
    }
    size_t n = sass_name_length(line->at, line->end);
    if (n > 0 && n + 1 == length && line->at[n] == ':')
        listing_label(r->listing, line->at, n, 0);
    return !r->listing->failed;
}

bool sass_list(const char *text, size_t length, const char *kernel, struct listing *l,
               struct code_profile *p, struct error *e)
{
    struct kernels *k = arena_alloc(&l->arena, sizeof *k);
    struct reader r = {.listing = l};
    size_t chosen = 0;
    if (!k)
        return error_memory(e);
    find_sass_kernels(text, length, k, p);
    if (!kernel_choose(k->names, k->count, kernel, &chosen, e))
        return error_context(e, "SASS");
    str_format(p->kernel, sizeof p->kernel, "%.*s", (int)(k->names[chosen].length & 0xffff),
               k->names[chosen].text);
    const char *at = k->parts[chosen].at, *end = text + length;
    struct line line;
    struct kernel_name next;
    for (size_t number = k->parts[chosen].line; next_sass_line(&at, end, &line); number++) {
        if (starts_kernel(&line, &next) || line_starts(&line, ".section"))
            break;
        if (!read_sass_line(&r, &line, number))
            return error_memory(e);
    }
    return l->count > 0 ||
           error_set(e, ERROR_INPUT, "SASS: kernel '%s' has no instructions", p->kernel);
}
