// A kernel's source as a tree: its functions with their parameters, statements and expressions, as
// far as indexing, loops and calls need them. Variables are numbered within their function.
#pragma once

#include "base/arena.h"
#include "kernel_text/preprocess.h"
#include "model/languages.h"

enum type_base { TYPE_VOID, TYPE_INTEGER, TYPE_FLOAT, TYPE_RECORD, TYPE_OPEN, TYPE_OPAQUE };
enum type_space { SPACE_OWN, SPACE_SHARED, SPACE_DEVICE, SPACE_FIXED };

#define DIMENSIONS_MOST 4

struct node;
struct type {
    enum type_base base;
    const char *words;     // "unsigned int"; of a record or an unknown type its name
    uint32_t component;    // bytes of one component
    uint32_t lanes;        // components of a vector
    uint32_t alignment;    // of a record; 0: that of its kind
    uint32_t stars;        // of a pointer
    enum type_space space; // where it, or what it points to, lies
    bool is_const, is_reference, is_extern, is_unsigned;
    struct node *dimensions[DIMENSIONS_MOST]; // of an array; NULL: not given
    uint32_t dimension_count;
};

// Kinds of nodes: what is in a, b, c, d, list.
enum node_kind {
    // Expressions.
    NODE_NUMBER, // integer
    NODE_REAL,   // real
    NODE_NAME,   // name; slot, or SLOT_NONE where the source does not declare it
    NODE_ITEM,   // a work-item's place: item, axis in a
    NODE_UNARY,  // operator, a
    NODE_STEP,   // ++ and --: operator, a; is_postfix
    NODE_BINARY, // operator, a, b
    NODE_ASSIGN, // operator of a compound one or 0, a, b
    NODE_CHOICE, // a ? b : c
    NODE_INDEX,  // a[b]
    NODE_MEMBER, // a.name
    NODE_ARROW,  // a->name
    NODE_CALL,   // name, list; function where the source has it
    NODE_CAST,   // type, a; of several in list a vector
    NODE_SIZEOF, // type, or a
    NODE_LIST,   // {list}
    // Statements.
    NODE_DECLARE,    // type, slot, name; a: what it begins with
    NODE_EXPRESSION, // a
    NODE_BLOCK,      // list
    NODE_IF,         // a, b, c
    NODE_FOR,        // a; b; c; d
    NODE_WHILE,      // a, d
    NODE_DO,         // d, a
    NODE_SWITCH,     // a, d
    NODE_CASE,       // a; NULL: default
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_RETURN, // a
};

enum item_word { ITEM_GLOBAL, ITEM_LOCAL, ITEM_GROUP, ITEM_LOCAL_SIZE, ITEM_GROUPS, ITEM_ALL };

// "<<" as one number.
#define SIGN(a, b, c) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16)
#define SLOT_NONE     UINT32_MAX
#define SLOT_SHARED   0x80000000u // of the variables outside functions

struct function;
struct node {
    enum node_kind kind;
    uint32_t sign; // of an operator
    uint32_t slot;
    enum item_word item;
    bool is_postfix;
    bool is_scoped; // wmma::mem_row_major: of what is not read
    int64_t integer;
    double real;
    const char *name;
    const struct type *type;
    struct function *function;
    struct node *a, *b, *c, *d;
    struct node **list;
    uint32_t count;
    uint32_t line;
};

// The nodes below one, each of which may be NULL: a, b, c, d, then the list.
static inline uint32_t node_parts(const struct node *n)
{
    return 4 + n->count;
}
static inline struct node *node_part(const struct node *n, uint32_t i)
{
    struct node *const own[] = {n->a, n->b, n->c, n->d};
    return i < 4 ? own[i] : n->list[i - 4];
}

struct variable {
    const char *name;
    const struct type *type;
    struct node *initial;          // (or NULL) of one outside functions
    const struct token *from, *to; // of a parameter: its declaration
    uint32_t slot;                 // of a parameter: in its function's frame
};

struct template_parameter {
    const char *name;
    bool is_type, is_switch; // is_switch: a bool
    const char *initial;     // (or NULL)
};

struct function {
    const char *name;
    const char *scope; // "outer::inner::", or ""
    bool is_kernel;
    bool is_inner;   // static, inline or a device's own: no launch may name it
    bool is_device;  // __device__: not the host's
    bool has_head;   // its parameters could be read
    bool is_several; // defined more than once: this is the last one
    const struct token *name_token;
    uint32_t line;
    struct variable *parameters;
    uint32_t parameter_count;
    uint32_t slots;                // of its frame; the parameters come first
    const struct token *from, *to; // its text, from the first parameter to the end
    struct node *body;             // NULL: it could not be read, and `trouble` is the line
    uint32_t trouble;
    struct template_parameter *templates;
    uint32_t template_count;
    // reqd_work_group_size and __launch_bounds__; NULL if there is none.
    struct node *required[3], *bound;
};

struct record {
    const char *name;
    uint32_t bytes, alignment; // with what lies between members, and behind the last one
    bool is_union;
    bool is_plain; // all its members are numbers of one kind: `component`, as words
    const char *component;
    uint32_t component_bytes;
    // "struct {int rows; float gain[4];}", with the records in it spelled out; NULL: something has no value that can be
    // written down (a pointer, a union, bits, two open types).
    const char *text;
    const char *open_type; // (or NULL) a member's type that nothing defines; `text` has int for it
};

// A condition on the source's names: a static_assert, or an #error that must not be reached.
struct demand {
    const struct node *condition;
    bool is_refused;      // the condition must not hold
    const char *function; // (or NULL) in which it stands
};

struct syntax {
    struct demand *demands;
    uint32_t demand_count;
    struct function *functions;
    uint32_t function_count;
    struct variable *shared; // outside functions
    uint32_t shared_count;
    struct record *records;
    uint32_t record_count;
    const char **open_types;     // that are used and not defined
    const bool *open_is_integer; // (or NULL) which of them the text uses as integers
    uint32_t open_type_count;
};

// False without memory.
bool syntax_read(const struct preprocessed *text, enum language l, struct arena *a,
                 struct syntax *out);
// Is it the function's name, with or without its namespaces?
bool function_is_named(const struct function *f, const char *name);
const struct function *syntax_function(const struct syntax *s, const char *name);
