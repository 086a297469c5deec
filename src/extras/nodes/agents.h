// The nodes that --on and --build-on name, each with its agent and its devices. All are started and
// asked in parallel; one that cannot be used is reported, with the reason, and left out.
#pragma once

#include "cli/environment.h"
#include "cli/settings.h"
#include "lib/handle.h"
#include "extras/nodes/launchers.h"
#include "extras/nodes/node.h"

struct agent_member {
    const char *name;             // "" is this machine
    struct node *node;            // NULL: this machine
    bool measures, is_builder;    // --on and --build-on name it
    bool builds;                  // for the device that was chosen
    struct hone_devices *devices; // NULL: nothing is measured there
    struct error why;             // of it
    bool is_said;
    struct digest build; // of the hone-worker there; zeros: not known
};

struct agents {
    struct launchers launchers;
    struct agent_member list[LAUNCHERS_MOST]; // those of launchers.list
    uint32_t count;
    bool is_borrowed;     // the nodes are another's
    bool are_others_said; // devices that do not share the work
};

// Reads what is given by both; a node that both name is one. Nothing is started. False with the error set where it makes no sense.
bool agents_read(const struct spec_settings *given, const struct environment *v, struct arena *a,
                 struct agents *out, struct error *e);
// Starts those that were read, and waits for them; agents_release() in either case.
bool agents_start(struct agents *g, const struct environment *v, struct error *e);
// Asks each for its devices: those of the spec's languages (NULL: of all). With `strict`, a node
// that cannot be used or has no devices is an error; otherwise it is reported, once. It is also an
// error if no node can be used.
bool agents_list(struct agents *g, const struct environment *v, const struct hone_spec *spec,
                 const char *language, bool strict, struct error *e);
// `out` gets the same nodes, which stay the first one's; the devices it lists are its own.
void agents_borrow(const struct agents *g, struct agents *out);
void agents_release(struct agents *g);

// Asks each builder whether it can build for the device, which a worker of this `build` serves. One
// that cannot is reported as above, and its `builds` is false. It is an error if no builder can.
bool agents_ask_builders(struct agents *g, const struct environment *v,
                         const struct device_info *device, const struct digest *build, bool strict,
                         struct error *e);
struct place agents_builder(const struct agent_member *m, const struct environment *v);
// The build of this machine's hone-worker; zeros where that cannot be told.
void agents_own_build(const struct environment *v, struct digest *out);

// The member whose list the copy was made from; NULL: none.
const struct agent_member *agents_with(const struct agents *g, const struct device_info *copy);
// Are the workers of both of one build, as far as that is known?
bool agents_of_one_build(const struct digest *a, const struct digest *b);
// All of their devices in the order of the members; what they lack stands in the notes, with the node's name.
bool agents_report(const struct agents *g, struct arena *a, struct device_report *out,
                   struct error *e);
