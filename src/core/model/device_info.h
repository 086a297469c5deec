// hone's description of a device: the facts that expressions may read, the limits that a kernel
// author needs, and its identity in a key. A plain struct that crosses frames; made by
// src/core/device.
#pragma once

#include "base/digest.h"
#include "base/wire.h"
#include "model/languages.h"

#define DEVICE_TYPES(X)                                                                            \
    X(GPU, "gpu")                                                                                  \
    X(INTEGRATED, "integrated") /* a GPU that shares the host's memory */                          \
    X(CPU, "cpu")                                                                                  \
    X(ACCELERATOR, "accelerator")

// In the order in which hone prefers them when none was named.
enum device_type {
#define X(name, text) DEVICE_##name,
    DEVICE_TYPES(X)
#undef X
        DEVICE_TYPE_COUNT
};

struct device_info {
    enum language language;
    enum device_type type;
    const char *id;       // stable text that opens it again: never a platform number
    const char *name;     // as the driver says it, blanks trimmed
    const char *vendor;   // "NVIDIA Corporation"
    const char *platform; // OpenCL: the platform's name; CUDA: "CUDA"
    const char *platform_version;
    const char *driver;           // driver version
    const char *compiler;         // what builds kernels, with its version
    const char *language_version; // "OpenCL C 1.2"
    const char *extensions;       // separated by blanks
    const char *uuid;             // "" when the driver does not say
    const char *pci;              // "0000:65:00.0", "" when the driver does not say
    // Other influences on times, in the key: on a CPU the cores in use and the POCL_* variables.
    const char *surroundings;
    // (optional) Folders of the compiler's own headers, separated by colons. Not in the key: what
    // is included from there is.
    const char *include_folders;
    uint32_t compute_units;
    uint32_t clock_mhz;
    uint64_t global_bytes;
    uint64_t max_alloc_bytes;
    uint64_t local_bytes; // local (shared) memory of a work-group, as the driver reports it
    uint64_t constant_bytes;
    uint64_t cache_bytes; // last level the driver reports
    // Sum over the last-level caches of the cores in use, for a CPU with several, as the system
    // reports it; 0: not known. A buffer that must not fit in a cache is larger than this.
    uint64_t all_cache_bytes;
    uint64_t max_group_size;
    uint64_t max_item_sizes[3];
    uint32_t subgroup_size; // warp; 0 when not known
    uint32_t capability;    // CUDA compute capability times 10 (90); 0 when there is none
    uint32_t vector_float;  // preferred vector width for float
    uint32_t base_align;    // bytes; alignment of sub-buffers
    uint64_t timer_ns;      // resolution of event times: claimed in a list, tried in an open device
    // Why the host's clock times launches; NULL or "": it does not. Set when the device is open;
    // not on the wire.
    const char *timer_fault;
    // The number of the card in its list, and all UUIDs and PCI addresses of the card's views,
    // separated by blanks ((optional)): see device_number_cards(). Not on the wire.
    uint32_t card;
    const char *card_names;
    bool float64;
    bool float16;
    bool shares_host; // uses the host's cores or memory: no build may run while it measures
};

// Facts that no driver tells of a device that is made up.
#define DEVICE_INFO_UNSAID                                                                         \
    .platform_version = "", .language_version = "", .extensions = "", .uuid = "", .pci = ""

void device_info_codec(struct wire *w, struct device_info *d);
// The device's part of a key: language, type, name, vendor, platform and its version, driver,
// compiler, surroundings. Without id, uuid and pci: another card of the same model gives the same
// key.
void device_info_identity(struct wire *w, struct device_info *d);
void device_info_digest(const struct device_info *d, struct digest *out); // of that
// Are they views of one card, in two languages or through two drivers? Compares UUIDs, else PCI
// addresses; a device that reports neither is not a view of another.
bool device_same_card(const struct device_info *a, const struct device_info *b);
// Numbers the cards of a list from 0 on, in its order; views of one card have the same number and
// names. False without memory.
bool device_number_cards(struct device_info *devices, uint32_t count, struct arena *a);
// Is the text the card's number, or one of its UUIDs or PCI addresses, however they are written?
bool device_is_card(const struct device_info *d, const char *text);
// Is the text this UUID or PCI address, however it is written? Nothing is called "".
bool card_is_named(const char *name, const char *text);
// Are two PCI addresses the same? Drivers write the domain with four digits or eight, in either
// case.
bool pci_same(const char *a, const char *b);

const char *device_type_text(enum device_type t);

// A GPU that the system shows but no driver offers, with the reason and the remedy.
struct device_note {
    const char *device; // "NVIDIA GH100 [H200] (0000:65:00.0)"
    const char *reason; // "no OpenCL driver is registered for it", "you are not in group render"
    const char *remedy; // "apt install nvidia-opencl-icd"
};

struct device_report {
    struct device_info *devices;
    uint32_t device_count;
    struct device_note *notes;
    uint32_t note_count;
    const char *problem; // "" or why no device can be listed at all ("no ICD loader library")
    // (optional) Of each device the node that has it; "" is this machine. Not on the wire.
    const char *const *nodes;
};
