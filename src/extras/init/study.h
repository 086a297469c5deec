// One kernel under study: what its launch is made of, as numbers that are varied. Private to
// src/extras/init.
#pragma once

#include "extras/init/infer.h"
#include "extras/init/interpret.h"
#include "extras/init/spread.h"
#include "extras/init/survey.h"

#define ATOMS_MOST     64
#define OBJECTS_MOST   96
#define DEMANDING_MOST 8
#define DEMANDS_MOST   32
#define RELATIONS_MOST 16
#define QUOTIENTS_MOST 16

enum atom_kind {
    ATOM_SIZE,      // of the problem: an integer argument or a name
    ATOM_SCALAR,    // an integer argument that is not a size
    ATOM_LEADING,   // an integer argument that lies between matrices of a batch
    ATOM_PARAMETER, // to be tuned
    ATOM_GROUP,     // a size of the work-group
    ATOM_COUNT,     // how many work-groups there are
    ATOM_ROW,       // elements of a row where a buffer says where rows begin
    ATOM_FIXED      // a number of the text's own, which is varied only here
};

struct atom {
    const char *name;
    const char *text; // as expressions have it: its name, or a number
    enum atom_kind kind;
    int64_t value;    // now
    int64_t initial;  // in the spec
    bool has_initial; // the text gives it
    bool is_own, is_argument, is_switch, is_lane, is_template;
    bool is_small;                        // of the problem, and a few: a radius
    const struct surveyed_name *surveyed; // or NULL
    uint32_t parameter;                   // of an argument
};

// A size in work-groups or elements: factors over a divisor.
struct extent {
    uint32_t atoms[3];
    uint32_t count;
    int64_t number; // without atoms: the extent itself
    int64_t divisor;
    bool has_over; // the divisor is the value of `over`, an atom
    uint32_t over;
};

struct launch_axis {
    int32_t local;       // atom, or -1 - number
    int32_t local_over;  // atom that this is divided by; -1: none
    int64_t local_times; // what it is times: items of a warp; -N: over N
    uint32_t tile[6];    // atoms whose product a group covers
    uint32_t tile_count;
    int32_t tile_over;    // atom that this is divided by; -1: none
    int64_t tile_factor;  // and this number
    int64_t tile_divisor; // and what the product is divided by, a number
    int64_t tile_less;    // what a group of the one atom does not cover: a border, or how often
    int32_t tile_border;  // this atom is one; -1: none, tile_less is the number
    struct extent extent; // what the groups cover together
    int32_t count_atom;   // the number of groups; -1: as many as cover the extent
    bool is_one_less;     // but one: each works on what lies behind the next one's place
    bool is_guarded;      // the kernel itself stops at the extent
    bool is_known;
    bool is_guess; // known, and its end is the only size that is left
};

// Between the size of a group along an axis and another parameter.
enum relation_kind { RELATION_EQUAL, RELATION_MULTIPLE, RELATION_AT_LEAST };
struct relation {
    enum relation_kind kind;
    uint32_t less, more; // atoms; `more` is the multiple
};

struct study {
    struct arena *arena;
    const char *text;
    size_t length;
    struct lone_text *lone; // of it
    struct survey_of_names survey;
    const char *size_name; // (or NULL) a name that is a size here, whatever it is called
    // Conditions, and the value of each with which the kernel has more names.
    struct given_name demanding[DEMANDING_MOST];
    uint32_t demanding_count;
    struct preprocessed source;
    struct syntax syntax;
    const struct function *kernel;
    const struct spread_parameter *origins; // of its parameters
    struct atom atoms[ATOMS_MOST];
    uint32_t atom_count;
    // Conditions on the atoms in the source (restrict.c); refuses: the condition must not hold.
    const struct node *demands[DEMANDS_MOST];
    bool refuses[DEMANDS_MOST];
    uint32_t demand_count;
    struct run run;
    struct bound_name *names;
    int64_t *scalars;
    struct object **objects, **shared;
    struct object *all[OBJECTS_MOST];    // that a spec gives: arguments and symbols
    int32_t content_atoms[OBJECTS_MOST]; // whose value decides what it holds; -1: nothing does
    uint32_t object_count;
    enum language language;
    int32_t image_atoms[3];    // width, height, depth of the images; -1: none
    uint32_t axes, group_axes; // group_axes: along which the kernel tells items of a group apart
    // By axis, anywhere in the text: of an item, of its place in the group, of the group's size, of which
    // group it is.
    bool asks_item[3], asks_place[3], asks_size[3], asks_group[3];
    const char *quotients[QUOTIENTS_MOST][2]; // names that the text divides by one another
    uint32_t quotient_count;
    struct relation relations[RELATIONS_MOST];
    uint32_t relation_count;
    struct launch_axis axis[3];
    int64_t odd;         // sizes are multiples of it, as a group without a bound demands; 0: of any
    int64_t open_groups; // along an axis of which nothing is known yet
    uint64_t budget;     // nodes that may be visited in all
    uint64_t *all_budget; // of this study and those of its variants
    bool is_group_guess;  // no size of the group makes sense of the kernel
    bool is_slow;         // an item takes long: sizes are smaller
    bool is_shrunk;       // and smaller than a group's work, where the kernel stops by itself
    bool is_cheap;        // all items of a group may be run to their end
    bool is_narrow;       // borders are one element wide: wider ones make no sense of the group
};

// How little a launch with the groups as they are makes sense: 0 is best (launch.c).
unsigned study_group_faults(struct study *s);
// relate.c: finds the relations; gives what has to agree with an atom its value; as an expression.
void study_relations(struct study *s);
void study_carry(struct study *s, uint32_t atom);
const char *study_relation_text(struct study *s, const struct relation *r);
int32_t study_find_atom(const struct study *s, const char *name); // -1: there is none
// Does the text compile with the atoms' values (restrict.c)?
bool study_fulfils(const struct study *s);
// Gives the sizes values that tell them apart: three choices, the third in another order.
void study_set_sizes(struct study *s, unsigned variant);
// Puts the atoms' values into the run; sizes of the work-group too.
void study_bind(struct study *s);
int64_t study_local(const struct study *s, uint32_t axis);
int64_t study_tile(const struct study *s, uint32_t axis);
// "TILE * PER_ITEM": what a group covers, with its number of factors; " - 2 * RADIUS" counts as one.
const char *study_tile_text(struct study *s, uint32_t axis, uint32_t *factors);
int64_t study_extent(const struct study *s, const struct extent *e);
int64_t study_groups(const struct study *s, uint32_t axis);
const char *study_extent_text(struct study *s, const struct extent *e);
// Runs groups in the corners of the whole launch. False: too much to run.
bool study_corners(struct study *s);

// The requirements of each buffer (fit.c): its size as an expression.
struct needed {
    const char *size;
    bool is_guess;
    bool is_whole;                      // every element of it is written
    bool is_read, is_written, is_added; // is_added: by atomics
    bool is_per_group;                  // its size depends on the launch
    bool is_loose;                      // its size is well above what was seen to be used
    int64_t least;                      // what was seen to be used
    // Atoms that the size has as factors: 1 << atom.
    uint64_t factors;
};
bool study_sizes(struct study *s, struct needed *out); // by object; false without memory
// Elements of it that were accessed, up to the last one.
int64_t study_need(const struct object *o);
// Finds the contents that keep the kernel within other buffers; false without memory.
bool study_contents(struct study *s);

// Where a work-group works (launch.c). Fills axis and axes.
void study_launch(struct study *s);

bool names_role(const char *name, const char *const *words);
