// Walks the PCI devices of the system for GPUs of the makers it knows, leaves out those that a driver
// offers, and finds the first reason for the others: no driver is registered, its file is not there, the
// user may not open the device, or the driver does not offer it.
#include "device/missing.h"

#include "base/text.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PCI_FOLDER     "sys/bus/pci/devices"
#define VENDORS_FOLDER "etc/OpenCL/vendors"
#define MISSING_MOST   64

struct maker {
    unsigned pci; // vendor's number on the PCI bus
    const char *name;
    const char *vendor;     // part of what its OpenCL devices say as their vendor
    const char *drivers[5]; // parts of the names of libraries that serve its GPUs
    const char *remedy;     // when none is registered
    bool render;            // is reached through /dev/dri/renderD*
};

static const struct maker makers[] = {
    {0x10de,
     "NVIDIA GPU",
     "NVIDIA",
     {"nvidia", "rusticl"},
     "install NVIDIA's driver with its OpenCL library (Debian, Ubuntu: apt install "
     "nvidia-opencl-icd); if libnvidia-opencl.so.1 is there already, write its path into "
     "/etc/OpenCL/vendors/nvidia.icd",
     false},
    {0x1002,
     "AMD GPU",
     "Advanced Micro Devices",
     {"amdocl", "mesa", "rusticl"},
     "install a driver (Debian, Ubuntu: apt install mesa-opencl-icd, or rocm-opencl-icd)",
     true},
    {0x8086,
     "Intel GPU",
     "Intel",
     {"igdrcl", "intel", "beignet", "rusticl"},
     "install a driver (Debian, Ubuntu: apt install intel-opencl-icd)",
     true},
};

struct gpu {
    const struct maker *maker;
    const char *pci; // "0000:65:00.0"
    unsigned model;
    const char *node; // "renderD128", or NULL
};

static const char *join(struct arena *a, const char *root, const char *path)
{
    size_t n = strlen(root);
    return arena_printf(a, "%s%s%s", root, n && root[n - 1] == '/' ? "" : "/", path);
}

// A file that holds one hexadecimal number, as sysfs has them; 0 when it cannot be read.
static unsigned hex_file(struct arena *a, const char *folder, const char *name)
{
    struct text t = TEXT_INIT;
    const char *path = arena_printf(a, "%s/%s", folder, name);
    unsigned long n = 0;
    if (path && file_read(path, 64, &t, NULL))
        n = strtoul(text_cstr(&t), NULL, 16);
    text_release(&t);
    return (unsigned)n;
}

static const struct maker *maker_of(unsigned pci)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (makers[i].pci == pci)
            return &makers[i];
    }
    return NULL;
}

// Calls `each` for every entry; stops when it returns false.
static void for_entries(const char *folder, bool (*each)(void *context, const char *name),
                        void *context)
{
    DIR *d = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    while (d && (entry = readdir(d))) {
        if (entry->d_name[0] != '.' && !each(context, entry->d_name))
            break;
    }
    if (d)
        closedir(d);
}

struct search {
    struct arena *arena;
    const char *folder;
    const struct maker *maker;
    const char *found;
};

static bool take_render_node(void *context, const char *name)
{
    struct search *s = context;
    if (!str_starts(name, "renderD"))
        return true;
    s->found = arena_strdup(s->arena, name);
    return false;
}

// ---- finding the GPUs

struct scan {
    struct arena *arena;
    const char *folder;
    struct gpu gpus[MISSING_MOST];
    unsigned count;
};

static bool take_gpu(void *context, const char *name)
{
    struct scan *s = context;
    const char *folder = arena_printf(s->arena, "%s/%s", s->folder, name);
    if (!folder || hex_file(s->arena, folder, "class") >> 16 != 0x03) // display controllers
        return true;
    const struct maker *m = maker_of(hex_file(s->arena, folder, "vendor"));
    if (!m || s->count == MISSING_MOST)
        return true;
    struct search nodes = {.arena = s->arena};
    for_entries(arena_printf(s->arena, "%s/drm", folder), take_render_node, &nodes);
    s->gpus[s->count++] = (struct gpu){m, arena_strdup(s->arena, name),
                                       hex_file(s->arena, folder, "device"), nodes.found};
    return true;
}

static int by_address(const void *a, const void *b)
{
    return strcmp(((const struct gpu *)a)->pci, ((const struct gpu *)b)->pci);
}

// ---- is it offered?

static bool is_gpu(const struct device_info *d)
{
    return d->type == DEVICE_GPU || d->type == DEVICE_INTEGRATED;
}

// A device that says no address may be any of its maker's: then none of them is called missing.
static bool is_offered(const struct gpu *g, const struct device_report *list)
{
    for (uint32_t i = 0; i < list->device_count; i++) {
        const struct device_info *d = &list->devices[i];
        if (!is_gpu(d) || !str_contains_nocase(d->vendor, g->maker->vendor))
            continue;
        if (!*d->pci || pci_same(d->pci, g->pci))
            return true;
    }
    return false;
}

static bool names_driver(const struct maker *m, const char *text)
{
    for (size_t i = 0; i < sizeof m->drivers / sizeof *m->drivers && m->drivers[i]; i++) {
        if (str_contains_nocase(text, m->drivers[i]))
            return true;
    }
    return false;
}

// A registration is a file NAME.icd whose text is the driver's library.
static bool take_registration(void *context, const char *name)
{
    struct search *s = context;
    struct text t = TEXT_INIT;
    const char *path = arena_printf(s->arena, "%s/%s", s->folder, name);
    if (path && file_read(path, 4096, &t, NULL) && names_driver(s->maker, text_cstr(&t)))
        s->found = path;
    text_release(&t);
    return !s->found;
}

static bool is_registered(struct arena *a, const char *root, const struct maker *m)
{
    struct search s = {.arena = a, .folder = join(a, root, VENDORS_FOLDER), .maker = m};
    for_entries(s.folder, take_registration, &s);
    return s.found != NULL;
}

static bool may_open(struct arena *a, const char *root, const struct gpu *g)
{
    if (!g->maker->render || !g->node)
        return true;
    const char *path = join(a, root, arena_printf(a, "dev/dri/%s", g->node));
    return access(path, F_OK) != 0 || access(path, R_OK | W_OK) == 0;
}

static struct device_note describe_missing(struct arena *a, const char *root, const struct gpu *g)
{
    struct device_note m = {.device = arena_printf(a, "%s %04x:%04x (%s)", g->maker->name,
                                                   g->maker->pci, g->model, g->pci)};
    if (!is_registered(a, root, g->maker)) {
        m.reason = "no OpenCL driver is registered for it";
        m.remedy = g->maker->remedy;
    } else if (!may_open(a, root, g)) {
        m.reason = arena_printf(a, "you may not open /dev/dri/%s (not in group render)", g->node);
        m.remedy = "sudo usermod -a -G render $USER, then log in again";
    } else {
        m.reason = "its OpenCL driver is registered but does not offer it";
        m.remedy = "see that its kernel module is loaded and fits the driver's version (clinfo, "
                   "dmesg; for NVIDIA nvidia-smi)";
    }
    return m;
}

bool missing_scan(struct arena *a, const char *root, struct device_report *out, struct error *e)
{
    struct scan s = {.arena = a, .folder = join(a, root, PCI_FOLDER)};
    for_entries(s.folder, take_gpu, &s);
    qsort(s.gpus, s.count, sizeof *s.gpus, by_address);
    struct device_note *grown = arena_array(a, out->note_count + s.count, sizeof *out->notes);
    if (!grown)
        return s.count + out->note_count == 0 || error_memory(e);
    for (uint32_t i = 0; i < out->note_count; i++)
        grown[i] = out->notes[i];
    out->notes = grown;
    for (unsigned i = 0; i < s.count; i++) {
        if (!is_offered(&s.gpus[i], out))
            out->notes[out->note_count++] = describe_missing(a, root, &s.gpus[i]);
    }
    return true;
}
