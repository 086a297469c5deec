// A kernel as a list of instructions with their labels: what the readers of PTX and SASS make, and
// what the search for loops reads.
#pragma once

#include "base/arena.h"
#include "isa/code.h"

enum code_flow {
    FLOW_NEXT,
    FLOW_BRANCH, // to one of its targets; where it may be skipped (`guarded`) also to the next
    FLOW_CALL,   // to its targets, and to the next
    FLOW_END
};

struct instruction {
    size_t line;
    enum code_class class; // CODE_CLASS_COUNT: takes part in the flow, but is no instruction
    int width;             // index into code_counts.wide; -1: none
    double multiply_adds;
    enum code_flow flow;
    bool guarded;
    uint32_t first_target, target_count; // of listing.targets
};

// A name, where it stands in the text, and the block of braces it belongs to (PTX; else 0).
struct name {
    const char *text;
    size_t length;
    uint32_t scope;
    uint32_t at; // labels: the instruction behind it; targets: the same, once they are resolved
};

#define NOWHERE UINT32_MAX

struct listing {
    struct arena arena;
    struct instruction *instructions;
    uint32_t count;
    size_t room;
    struct name *labels, *targets;
    uint32_t label_count, target_count;
    size_t label_room, target_room;
    uint32_t *scopes; // the block around each block; that of the outermost, 0, is itself
    uint32_t scope_count;
    size_t scope_room;
    bool failed; // no memory
};

void listing_init(struct listing *l);
void listing_release(struct listing *l);
// A new one at the end, zeroed, `width` -1; NULL without memory.
struct instruction *listing_add(struct listing *l, size_t line);
void listing_label(struct listing *l, const char *name, size_t length, uint32_t scope);
// A target of the last instruction.
void listing_target(struct listing *l, const char *name, size_t length, uint32_t scope);
uint32_t listing_scope(struct listing *l, uint32_t around);
// Finds the label of each target: in its block, else in those around it.
void listing_resolve(struct listing *l);

// ---- readers -----------------------------------------------------------------------------------

// Fills a listing and p's kernel and target.
bool ptx_list(const char *text, size_t length, const char *kernel, struct listing *l,
              struct code_profile *p, struct error *e);
bool sass_list(const char *text, size_t length, const char *kernel, struct listing *l,
               struct code_profile *p, struct error *e);

// A copy of a PTX text without comments and contents of strings; lines stay where they are. NULL without memory.
char *ptx_without_comments(struct arena *a, const char *text, size_t length);
bool is_ptx_name(char c); // part of a name or an opcode

// ---- classes -----------------------------------------------------------------------------------

// One instruction without its guard: "fma.rn.f32", "%f1, %f2, %f3, %f4". Sets class, width,
// multiply_adds and flow.
void ptx_classify(const char *opcode, const char *operands, struct instruction *out);
void sass_classify(const char *opcode, const char *operands, struct instruction *out);

// Is `part` one of the opcode's parts, which points separate? The first one is part 0.
bool opcode_has(const char *opcode, const char *part);
// Is it one of these, which blanks separate? A '*' in one stands for anything.
bool opcode_in(const char *opcodes, const char *opcode);
// Part `index` (from 0), at most `size` - 1 bytes of it; false when there are fewer.
bool opcode_part(const char *opcode, unsigned index, char *out, size_t size);
int width_index(unsigned bits); // -1: none of the widths

// ---- choosing a kernel -------------------------------------------------------------------------

// Which of the kernels of a text is meant: the one of that name, else the only one whose (mangled)
// name has it, else, without a name, the only one. The names stay in the text.
struct kernel_name {
    const char *text;
    size_t length;
};
bool kernel_choose(const struct kernel_name *names, size_t count, const char *kernel, size_t *out,
                   struct error *e);

// ---- loops -------------------------------------------------------------------------------------

// Counts what can be reached and finds the hottest loop. False without memory.
bool loops_count(const struct listing *l, struct code_profile *p);
