// A comparison as the command line makes it: settings -> sides and options of the conveyor,
// records -> views. A side is a command line of its own: that of the comparison with what --left or
// --right says of it, so that spec, device and store come about as in every other subcommand.
#ifndef HONE_CLI_COMPARING_H
#define HONE_CLI_COMPARING_H

#include "cli/against.h"
#include "cli/tuning.h"
#include "compare.h"
#include "report/compare.h"
#include "report/why.h"

struct comparing_side {
    struct invocation call;
    struct tuning tuning; // its spec, device and store
    struct list flags;    // compiler options
    const char *run;      // "last", "1a2b3c": a stored run
    bool is_given;        // its device was named for it alone
    bool language_is_given;
    struct stored stored;
    struct against against;  // a vendor's routine, where it is one
    struct text label, name; // name: what the store calls the spec
};

struct comparing {
    const struct invocation *call;
    struct arena arena;
    struct comparing_side sides[COMPARE_SIDES];
    uint32_t count;
    bool of_specs;       // several specs, or routines beside them: the best of each
    uint32_t spec_count; // of the sides: those after them are routines, of the first one's gemm
    bool sampled;        // by itself, because there are many configurations
    struct compare_side parts[COMPARE_SIDES];
    struct compare_options options;
    struct compare *compare;
    struct error broken; // why it could not go on; code NONE: it did
};

void comparing_init(struct comparing *c, const struct invocation *call);
void comparing_release(struct comparing *c);
// Each an exit status; why is said.
int comparing_open(struct comparing *c);  // specs, devices, stores
int comparing_start(struct comparing *c); // the comparison itself

// comparing_sides.c: the sides of one spec, by --left and --right.
int comparing_sides(struct comparing *c);
// One device, or two views of one card.
bool comparing_same_card(const struct device_info *a, const struct device_info *b);
// How one side is told from the other. False without memory; equal sides have empty labels.
bool comparing_labels(struct comparing *c);

// comparing_view.c: in the arena. False without memory.
bool comparing_view(struct comparing *c, struct view_compare *out);
// The builds of one configuration (NULL: the fastest) side by side. An exit status.
int comparing_why(struct comparing *c, const char *configuration, struct view_why *out,
                  bool (*step)(void *context), void *context);

#endif
