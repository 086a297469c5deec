// The backend of programs: the host is the device, a build command makes an executable, and a launch is a run of it that says
// itself how long it took. There is no memory to give it, and nothing of hone's own runs on it.
#include "extras/program/program_backend.h"

#include "device/machine.h"
#include "os/descendants.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CARDS "proc/driver/nvidia/gpus"

// ---- the device

// The GPUs that a program may use: what it says is a time of theirs, too.
static void add_cards(const char *root, struct text *out)
{
    struct text path = TEXT_INIT, about = TEXT_INIT;
    struct dirent **list;
    text_addf(&path, "%s/" CARDS, root);
    int count = scandir(text_cstr(&path), &list, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        text_clear(&path);
        text_clear(&about);
        text_addf(&path, "%s/" CARDS "/%s/information", root, list[i]->d_name);
        const char *model =
            list[i]->d_name[0] != '.' && file_read(text_cstr(&path), 0, &about, NULL)
                ? strstr(text_cstr(&about), "Model:")
                : NULL;
        if (model) {
            model += strlen("Model:");
            model += strspn(model, " \t");
            text_addf(out, " gpu=%.*s", (int)strcspn(model, "\n"), model);
        }
        free(list[i]);
    }
    if (count >= 0)
        free(list);
    text_release(&path);
    text_release(&about);
}

static bool describe_program_host(const struct device_options *o, struct arena *a,
                                  struct device_info *d, struct error *e)
{
    const char *environment = o ? o->environment[LANGUAGE_PROGRAM] : NULL;
    const char *root = o && o->root ? o->root : "/";
    struct text cards = TEXT_INIT;
    *d = (struct device_info){
        .language = LANGUAGE_PROGRAM,
        .type = DEVICE_CPU,
        .platform = "Program",
        DEVICE_INFO_UNSAID,
        .driver = "processes",
        .compiler = "",
        .max_group_size = 1,
        .max_item_sizes = {1, 1, 1},
        .base_align = 64,
        .timer_ns = 1, // whatever clock the program has
        .float64 = true,
        .shares_host = true,
    };
    machine_describe(root, a, d);
    add_cards(root, &cards);
    d->surroundings = arena_printf(a, "cores=%u%s%s%s", d->compute_units, text_cstr(&cards),
                                   environment ? " " : "", environment ? environment : "");
    d->id = arena_printf(a, "program/%s", d->name);
    text_release(&cards);
    return (d->surroundings && d->id) || error_memory(e);
}

// Any machine runs programs: it is listed for those who ask for these alone.
static bool program_list(struct arena *a, const struct device_options *o, struct device_report *out,
                         struct error *e)
{
    struct device_info *d = arena_alloc(a, sizeof *d);
    if (!o || o->languages != 1u << LANGUAGE_PROGRAM)
        return true;
    if (!d || !describe_program_host(o, a, d, e))
        return error_memory(e);
    out->devices = d;
    out->device_count = 1;
    return true;
}

static struct program_host *new_program_host(const struct device_options *o, struct error *e)
{
    struct program_host *h = alloc_zeroed(sizeof *h, e);
    char *scratch = h ? realpath(o->scratch ? o->scratch : ".", NULL) : NULL;
    if (h) {
        h->options = o;
        text_add(&h->scratch, scratch ? scratch : "/tmp");
        descendants_adopt();
    }
    free(scratch);
    return h;
}

static void *program_open(const char *id, const struct device_options *o, struct arena *a,
                          struct device_info *info, struct error *e)
{
    if (!describe_program_host(o, a, info, e))
        return NULL;
    if (str_equal(info->id, id))
        return new_program_host(o, e);
    error_set(e, ERROR_DEVICE, "no device of programs has the id '%s'; there is '%s'", id,
              info->id);
    return NULL;
}

static bool program_start(void *own, struct device_info *info, struct error *e)
{
    (void)own, (void)info, (void)e;
    return true;
}

static void program_close(void *own)
{
    struct program_host *h = own;
    if (!h)
        return;
    text_release(&h->scratch);
    free(h);
}

// ---- memory: of hone's own probe alone

static bool program_memory_new(void *own, struct memory *m, enum access access, struct error *e)
{
    (void)own, (void)access;
    if (!mapping_new(&m->map, m->bytes, e))
        return false;
    m->host = true;
    m->view = m->map.data;
    return true;
}

static void program_memory_free(void *own, struct memory *m)
{
    (void)own;
    mapping_free(&m->map);
    m->view = NULL;
}

const struct backend program_backend = {
    .language = LANGUAGE_PROGRAM,
    .prefix = "program/",
    .list = program_list,
    .open = program_open,
    .images_stay = "a program is built and run in the folder of its spec",
    .start = program_start,
    .close = program_close,
    .memory_new = program_memory_new,
    .memory_free = program_memory_free,
    .program_new = program_build,
    .program_free = program_release,
    .program_image = program_bytes,
    .program_binary = program_bytes,
    .kernel_new = program_launch_new,
    .kernel_free = program_launch_free,
    .kernel_bind = program_launch_bind,
    .run = program_launch,
};
