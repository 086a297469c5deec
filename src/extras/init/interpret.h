// A kernel run item by item on numbers, without its data: which elements of which buffer it reads
// and writes. What it loads is unknown; where a condition is, both ways are taken.
#pragma once

#include "kernel_text/syntax.h"

struct span {
    bool any;
    int64_t low, high; // bytes: the first, and one behind the last
};

struct object;
struct touched {
    struct span read, written;
    struct span plain;          // of both, what no index out of memory chose
    bool by_data;               // an index came out of memory
    const struct object *index; // (or NULL) the buffer it came from
    bool is_offsets;            // two neighbours of it are the ends of a loop
    bool is_length;             // and of a difference
    bool is_index;              // what it holds chooses elements of another
    bool is_scatter;            // that are written
    bool outside;               // an access beyond a dimension of it
    bool by_atomic;             // it is added to, whatever it holds
};

// The known contents of a buffer, for loads.
enum contents { CONTENTS_UNKNOWN, CONTENTS_OFFSETS, CONTENTS_INDEX };

// Integers that are loaded: unknown, or all the most or the least of what a spec fills buffers with.
enum data { DATA_UNKNOWN, DATA_MOST, DATA_LEAST };

enum { MAP_PERHAPS = 1, MAP_WRITTEN };

struct object {
    const char *name;
    enum type_space space;
    const struct type *type;
    uint32_t component; // bytes of one component
    bool is_image;      // its elements lie as those of a buffer: row after row
    enum contents contents;
    int64_t content;   // OFFSETS: element i holds i times it; INDEX: the value of all
    bool is_scatter;   // INDEX: it chooses what is written
    int64_t item_span; // with it: components from the first to the last that one item reads
    struct touched access;
    uint8_t *map; // (or NULL) of each component: MAP_PERHAPS where an unknown condition decides
    size_t map_size;
};

// A name that the text leaves open, and its value.
struct bound_name {
    const char *name;
    int64_t value;
};

#define GROUP_ARRAYS_MOST 32
#define HINTS             256

// The meaning of a node's name, found once.
struct hint {
    const struct node *node;
    size_t index;                    // of a name
    const struct function *function; // of a call; NULL: it is not of the text
};

struct run {
    const struct syntax *syntax;
    const struct function *kernel;
    const struct bound_name *names;
    size_t name_count;        // a name keeps its place
    struct hint hints[HINTS]; // by node
    const int64_t *scalars;   // by parameter of the kernel
    struct object **objects;  // by parameter; NULL if it is not a pointer
    struct object **shared;   // by variable outside functions
    struct object *dynamic;   // local memory whose size the launch gives; one for all names of it
    int64_t local[3], groups[3];
    enum data data;
    int64_t image[3];      // width, height and depth of all images
    int64_t surface_bytes; // of an element of CUDA's surfaces; 0: not known
    uint64_t budget;       // nodes that may still be visited; 0: it was exhausted
    // Nodes after which a loop ends early, so that what is done behind it is still seen; 0: loops
    // run to their end.
    uint64_t patience;
    uint64_t writes;      // to buffers, so far
    bool is_cut;          // a loop that writes to buffers ended early
    struct arena *arena;  // for what outlives an item
    struct arena scratch; // of an item; whoever ends the runs releases it
    // Arrays that a group shares, by their declaration.
    const struct node *group_nodes[GROUP_ARRAYS_MOST];
    struct object *group_arrays[GROUP_ARRAYS_MOST];
    int64_t group_dimensions[GROUP_ARRAYS_MOST][2]; // the first two
    uint32_t group_count;
    // The observations of a run.
    uint32_t axes;      // that it asks for
    bool asks_local;    // for a work-item's place in its group
    bool asks_sizes;    // for the group's size, in a number
    bool asks_groups;   // for how many groups there are
    bool outside_local; // an access beyond an array of its own or of its group
    const char *lost;   // (or NULL) a name that has no value
    bool failed;        // no memory
};

// One work-item from the beginning to the end.
void run_item(struct run *r, const int64_t group[3], const int64_t item[3]);
// All items of a group, or only those in its corners.
void run_group(struct run *r, const int64_t group[3], bool corners);
void run_forget(struct run *r); // what was accessed

// The number of an expression outside functions; false if it is not constant.
// The most that an integer buffer is filled with, where it holds no indices.
int64_t fill_most(const struct type *t);
bool run_constant(const struct run *r, const struct node *n, int64_t *out);
