// Devices of the public interface: a worker lists them, and which one is meant is decided by
// choose_device.h among those that can be.
#include "lib/handle.h"

#include "lib/choose_device.h"

#include <glob.h>
#include <stdlib.h>

_Static_assert((int)HONE_ACCELERATOR + 1 == (int)DEVICE_TYPE_COUNT, "device types");

static void describe_device(struct device_entry *entry, const struct device_info *info,
                            struct hone_devices *list)
{
    entry->list = list;
    entry->info = info;
    entry->device = (struct hone_device){.size = sizeof entry->device,
                                         .name = info->name,
                                         .vendor = info->vendor,
                                         .platform = info->platform,
                                         .driver = info->driver,
                                         .language = language_text(info->language),
                                         .id = info->id,
                                         .compiler = info->compiler,
                                         .type = (enum hone_device_type)info->type,
                                         .compute_units = info->compute_units,
                                         .subgroup_size = info->subgroup_size,
                                         .capability = info->capability,
                                         .global_bytes = info->global_bytes,
                                         .local_bytes = info->local_bytes,
                                         .max_group_size = info->max_group_size,
                                         .timer_ns = info->timer_ns};
}

static bool describe_report(struct hone_devices *d, struct error *e)
{
    const struct device_report *report = &d->report;
    bool failed = false;
    d->entries = arena_array(&d->arena, report->device_count + 1, sizeof *d->entries);
    d->notes = arena_array(&d->arena, report->note_count + 1, sizeof(*d->notes));
    if (!d->entries || !d->notes)
        return error_memory(e);
    for (uint32_t i = 0; i < report->device_count; i++)
        describe_device(&d->entries[i], &report->devices[i], d);
    if (report->problem && *report->problem)
        d->notes[d->note_count++] = report->problem;
    for (uint32_t i = 0; i < report->note_count; i++) {
        const struct device_note *n = &report->notes[i];
        const char *note = arena_printf(&d->arena, "%s: %s (%s)", n->device, n->reason, n->remedy);
        failed |= !note;
        d->notes[d->note_count++] = note;
    }
    return !failed || error_memory(e);
}

// The languages that may be used: the one given, which the spec must have, or the spec's, or those
// that need not be named.
static bool choose_languages(const struct spec *spec, const char *given, struct spec_languages *out,
                             struct error *e)
{
    if (!given && spec)
        return spec_languages(spec, out, e);
    *out = (struct spec_languages){.count = given ? 1 : 0};
    for (unsigned l = 0; l < LANGUAGE_COUNT && !given; l++) {
        if (languages_unnamed() >> l & 1)
            out->list[out->count++] = (enum language)l;
    }
    if (given && !language_parse(given, &out->list[0]))
        return error_set(e, ERROR_USAGE, "'%s' is not a language hone runs: " LANGUAGES_TEXTS,
                         given);
    return !given || !spec || spec_check_language(spec, out->list[0], e);
}

#define WOKEN_BUILDERS 3

static size_t count_cards(void)
{
    glob_t found = {0};
    size_t count = glob("/dev/nvidia[0-9]*", 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

// How many workers are of use beside the one that lists, whatever it finds: builders of a language whose compiler needs a
// card, of one that is asked for alone, or (`shares`) the bench of a second card.
static uint32_t count_woken(uint32_t languages, bool shares)
{
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        bool is_built_there = language_traits((enum language)l)->builds_on_device;
        if (languages == 1u << l && is_built_there && count_cards() > 0)
            return WOKEN_BUILDERS;
    }
    return shares && count_cards() > 1;
}

static bool list_devices_of(struct hone_devices *d, const struct hone_devices_options *o,
                            bool shares, struct error *e)
{
    struct spec_languages languages;
    uint32_t set = 0;
    bool ok = choose_languages(spec_of(o->spec), o->language, &languages, e) &&
              workplace_init(&d->workplace, o->worker, &d->arena, e);
    for (uint32_t i = 0; ok && i < languages.count; i++)
        set |= 1u << languages.list[i];
    if (!o->spec && !o->language)
        set = LANGUAGES_ALL;
    if (ok && o->language) {
        d->language = arena_strdup(&d->arena, o->language);
        ok = d->language || error_memory(e);
    }
    ok = ok &&
         live_devices(&d->workplace.at, set, &d->arena, &d->report,
                      o->keep_worker ? &d->workplace.at.spare : NULL,
                      d->workplace.at.node ? 0 : count_woken(set, shares), e) &&
         describe_report(d, e);
    d->keeps_worker = o->keep_worker;
    if (!o->keep_worker)
        workplace_release(&d->workplace);
    return ok;
}

struct hone_devices *devices_on(struct node *node, const struct hone_devices_options *o,
                                bool shares, struct error *e)
{
    struct hone_devices_options given;
    struct hone_devices *d = calloc(1, sizeof *d);
    bool ok =
        d ? take_sized(o, &given, sizeof given, "HONE_DEVICES_OPTIONS_INIT", e) : error_memory(e);
    if (ok)
        d->workplace.at.node = node;
    if (ok && list_devices_of(d, &given, shares, e))
        return d;
    hone_devices_free(d);
    return NULL;
}

struct hone_devices *hone_devices_list(const struct hone_devices_options *o, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct hone_devices *d = devices_on(NULL, o, false, &why);
    hand_over(&why, e);
    return d;
}

void hone_devices_leave(struct hone_devices *d)
{
    if (!d)
        return;
    spare_leave(d->workplace.at.spare);
    d->workplace.at.spare = NULL;
    hone_devices_free(d);
}

void hone_devices_free(struct hone_devices *d)
{
    if (!d)
        return;
    spare_free(d->workplace.at.spare);
    workplace_release(&d->workplace);
    arena_release(&d->arena);
    free(d);
}

size_t hone_devices_count(const struct hone_devices *d)
{
    return d->report.device_count;
}

const struct hone_device *hone_devices_get(const struct hone_devices *d, size_t index)
{
    return index < d->report.device_count ? &d->entries[index].device : NULL;
}

const char *hone_devices_note(const struct hone_devices *d, size_t index)
{
    return index < d->note_count ? d->notes[index] : NULL;
}

// ---- which one is meant -------------------------------------------------------------------------

size_t devices_usable(const struct device_report *r, const struct spec *spec,
                      const struct spec_languages *languages, struct device_info *list)
{
    size_t count = 0;
    for (int all = !spec || languages->count == 1; all < 2 && count == 0; all++) {
        for (uint32_t l = 0; l < languages->count; l++) {
            for (uint32_t i = 0; i < r->device_count; i++) {
                const struct device_info *d = &r->devices[i];
                if (d->language == languages->list[l] &&
                    (all || spec_language_fits(spec, d->language, d)))
                    list[count++] = *d;
            }
        }
    }
    return count;
}

const struct hone_device *device_like(const struct hone_devices *d, const struct device_info *copy)
{
    for (uint32_t i = 0; copy && i < d->report.device_count; i++) {
        const struct device_info *info = d->entries[i].info;
        if (info->id == copy->id && info->language == copy->language)
            return &d->entries[i].device;
    }
    return NULL;
}

const struct hone_device *device_assumed(const struct device_info *info, struct arena *a)
{
    struct device_entry *entry = arena_alloc(a, sizeof *entry);
    if (!entry)
        return NULL;
    describe_device(entry, info, NULL);
    return &entry->device;
}

void devices_place(const struct hone_devices *d, const struct device_info *device, const char *name,
                   struct place *out)
{
    *out = d->workplace.at;
    out->name = name;
    out->device = device;
}

void devices_drop_worker(struct hone_devices *d)
{
    if (!d)
        return;
    spare_free(d->workplace.at.spare);
    d->workplace.at.spare = NULL;
}

void hone_devices_open(struct hone_devices *d, const struct hone_device *device)
{
    for (uint32_t i = 0; i < d->report.device_count; i++) {
        if (&d->entries[i].device == device)
            spare_open(d->workplace.at.spare, d->entries[i].info);
    }
}

// Is there a device whose language need not be named?
static bool has_unnamed_device(const struct device_report *r)
{
    uint32_t i = 0;
    while (i < r->device_count && !(languages_unnamed() >> r->devices[i].language & 1))
        i++;
    return i < r->device_count;
}

static const struct hone_device *pick_device(const struct hone_devices *d, const struct spec *spec,
                                             const char *language, const char *wanted,
                                             struct error *e)
{
    struct spec_languages languages;
    if (!choose_languages(spec, language, &languages, e))
        return NULL;
    struct device_info *list = calloc(d->report.device_count + 1, sizeof *list);
    size_t count = list ? devices_usable(&d->report, spec, &languages, list) : 0;
    const struct hone_device *found = NULL;
    if (!list)
        error_memory(e);
    else if (count > 0)
        found = device_like(d, choose_device(list, count, wanted, e));
    else if (has_unnamed_device(&d->report))
        error_set(e, ERROR_DEVICE, "none of the devices runs %s",
                  language_title(languages.list[0]));
    else
        error_set(e, ERROR_DEVICE, "no device: %s",
                  d->note_count ? d->notes[0] : "no driver is installed");
    free(list);
    return found;
}

const struct hone_device *hone_devices_pick(const struct hone_devices *d, const char *wanted,
                                            struct hone_error *e)
{
    struct error why = ERROR_INIT;
    const struct hone_device *found = pick_device(d, NULL, d->language, wanted, &why);
    hand_over(&why, e);
    return found;
}

const struct hone_device *hone_devices_pick_for(const struct hone_devices *d,
                                                const struct hone_spec *s, const char *language,
                                                const char *wanted, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    const struct hone_device *found = pick_device(d, spec_of(s), language, wanted, &why);
    hand_over(&why, e);
    return found;
}
