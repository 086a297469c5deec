// The parts of a spec that is being made, between the two files that make it.
#pragma once

#include "expr/expr.h"
#include "extras/capture/capture.h"
#include "extras/init/infer.h"

enum {
    MACROS_MOST = 256,
    FILES_MOST = 33,
    PARAMETERS_MOST = 24,
    SYMBOLS_MOST = 320,
    VALUES_ROOM = 32,
};

struct macro { // of the options
    const char *name, *text;
    int64_t value;
    bool is_integer;
};

struct parameter {
    const char *name;
    int64_t value; // of the program
    int64_t values[VALUES_ROOM];
    uint32_t count; // the program's own is the first
};

enum symbol_kind { SYMBOL_PARAMETER, SYMBOL_MACRO, SYMBOL_SCALAR, SYMBOL_CONSTANT };

struct making {
    const struct capture *c;
    struct capture_kernel *k;
    struct capture_player *p;
    struct arena *a;
    enum language language;
    struct macro macros[MACROS_MOST];
    const char *others[MACROS_MOST]; // options that define nothing
    uint32_t macro_count, other_count;
    const char *files[FILES_MOST]; // of the text
    uint32_t file_count;
    const char *include; // (or NULL) folder of headers
    bool is_inferred;
    struct inferred f;
    const char **types; // of the arguments
    struct parameter parameters[PARAMETERS_MOST];
    uint32_t parameter_count;
    struct expr_symbol symbols[SYMBOLS_MOST];
    enum symbol_kind kinds[SYMBOLS_MOST];
    uint32_t indices[SYMBOLS_MOST];
    uint32_t symbol_count, global_count;
    const struct capture_symbol **globals; // of the first launch, that the kernel uses
    const char *variable;                  // (or NULL) of the text, that the kernel may change
    bool own_local[3], keeps_global[3];
    const char *global[3], *local[3]; // local NULL: the driver chooses
    bool works;                       // a replay by these is right
};

const struct macro *making_macro(const struct making *m, const char *name);
const char *argument_name(const struct making *m, uint32_t at);
// The earlier argument whose memory, whole, is an argument's too, and no image; -1: none.
int64_t capture_twin(const struct capture_launch *l, uint32_t argument);
int64_t making_twin(const struct making *m, uint32_t argument); // of the first launch
// Has it a part of its memory in common with an earlier argument, and the launch changes either?
bool capture_changes_shared(const struct capture_launch *l, uint32_t argument);

// ---- types (capture_types.c) -------------------------------------------------------------------

// Finds out every argument's type; `text` is the kernel's, with what it includes.
void making_learn_types(struct making *m, const char *text);
// Finds out which of the module's symbols the kernel uses, and what it may change. False: no memory.
bool making_learn_globals(struct making *m, const char *text);
// The element of a symbol, as making_type() says it.
bool making_global_type(const struct making *m, const struct capture_symbol *g, const char **spec,
                        uint32_t *bytes);
// By its name in OpenCL, or as the kernel says it where that is no type of a spec.
const char *argument_type(const struct making *m, uint32_t at);
// The element of a buffer: its type in a spec, the bytes of the whole vector. False: hone knows no such type.
bool making_type(const struct making *m, uint32_t argument, const char **spec, uint32_t *bytes,
                 uint32_t *width);
// The parts of an argument by value in the order in which a spec writes them: a number alone, a vector's list, a struct's object.
struct value_piece {
    enum { PIECE_NUMBER, PIECE_LIST, PIECE_LIST_END, PIECE_OBJECT, PIECE_OBJECT_END } kind;
    const char *key; // (or NULL) its member of a struct
    uint32_t offset; // of a number
    const struct scalar_name *scalar;
};
// NULL: a spec cannot say it.
const struct value_piece *making_pieces(struct making *m, uint32_t argument, uint32_t *count);
// A number in a value, exactly; NULL: it is none.
const char *making_number(struct making *m, const struct value_piece *p,
                          const struct capture_value *v);
// Has it the work-group of the kernel's first launch, which is the one that takes the most time? The spec is made for these.
bool making_is_alike(const struct making *m, const struct capture_launch *l);
bool making_scalar(const struct making *m, uint32_t argument, const struct capture_launch *l,
                   int64_t *out);
// Is it a size: the geometry is made of it, or a restriction ties it to another?
bool making_is_size(const struct making *m, const char *name);

// Has a spec images of its kind?
bool capture_image_is_known(struct arena *a, const struct capture_image *image);
// Writes KERNEL.json, the names of its data, and KERNEL.csv with its shapes; sets `spec`.
bool capture_emit_spec(struct making *m, struct error *e);
