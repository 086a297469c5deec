// --on: which devices share the work. Those with one identity (model, driver, compiler) are places of
// one tune; whatever differs is left to a tune of its own, and said.
#include "cli/nodes.h"

#include "runner/farm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- options -------------------------------------------------------------------------------------

bool node_engine_read(const char *text, enum node_engine *out, struct error *e)
{
    *out = ENGINE_LOCAL;
    return str_equal(text, "local") ||
           error_set(e, ERROR_USAGE, "'%s' is nowhere that hone can run: local", text);
}

static bool option_on(void *field, const char *value, struct error *e)
{
    enum node_engine engine;
    return node_engine_read(value, &engine, e) && option_list(field, value, e);
}

// "10%" or "none".
static bool option_outlier(void *field, const char *value, struct error *e)
{
    char *end;
    double percent = strtod(value, &end);
    bool is_number =
        end != value && percent > 0 && percent <= 1000 && (str_equal(end, "%") || !*end);
    *(double *)field = str_equal(value, "none") ? INFINITY : percent / 100;
    return is_number || str_equal(value, "none") ||
           error_set(e, ERROR_USAGE, "'%s' is no share such as 10%%, nor none", value);
}

const struct option node_options[] = {
    {OPTION("on", "WHERE", option_on, offsetof(struct spec_settings, on)),
     .brief = "more devices that share the work: local",
     .help =
         "Share the work among equal devices. local: all of this host that are of the chosen "
         "one's model, driver and compiler; others are said, and take no part. Each holds the "
         "default configuration, and is compared through it: a card's own speed counts for no "
         "configuration. Devices that are the host itself (PoCL's) share one lock and take turns."},
    {OPTION("outlier", "SHARE", option_outlier, offsetof(struct spec_settings, outlier)),
     .help =
         "With --on: a device that is this much slower than its siblings is left out, and it is "
         "said. Default: 10%. none: nobody is left out."},
    {0},
};

// ---- places --------------------------------------------------------------------------------------

static bool is_alike(const struct device_info *a, const struct device_info *b)
{
    struct digest x, y;
    device_info_digest(a, &x);
    device_info_digest(b, &y);
    return digest_equal(&x, &y);
}

// A view of a card that has a place already brings nothing.
static bool has_card(const struct work *w, const struct device_info *d)
{
    for (uint32_t i = 0; i < w->places.count; i++) {
        if (str_equal(w->places.list[i].device->id, d->id) ||
            device_same_card(w->places.list[i].device, d))
            return true;
    }
    return false;
}

static void say_others(const struct work *w, const struct device_info *list, size_t count)
{
    struct text others = TEXT_INIT;
    unsigned n = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_alike(&list[i], w->device) || has_card(w, &list[i]))
            continue;
        text_addf(&others, "%s%s (%s)", n ? ", " : "", list[i].name,
                  language_text(list[i].language));
        n++;
    }
    if (n > 0)
        complain("not of the kind of %s, and left alone: %s; --device all tunes for each",
                 w->device->name, text_cstr(&others));
    text_release(&others);
}

int work_places(struct work *w)
{
    size_t count;
    struct error e = ERROR_INIT;
    if (w->given->on.count == 0)
        return EXIT_DONE;
    const struct device_info *list = work_usable(w, &count);
    struct place *places = arena_array(&w->arena, FARM_MOST, sizeof *places);
    if (!list || !places) {
        error_memory(&e);
        return work_failed(&e);
    }
    w->places = (struct hone_places){.list = places, .outlier = w->given->outlier};
    places[w->places.count++] = (struct place){.name = "", .device = w->device};
    for (size_t i = 0; i < count && w->places.count < FARM_MOST; i++) {
        if (is_alike(&list[i], w->device) && !has_card(w, &list[i]))
            places[w->places.count++] = (struct place){.name = "", .device = &list[i]};
    }
    say_others(w, list, count);
    if (w->places.count == 1)
        complain("there is one device of this kind here (%s): the work is its own",
                 w->device->name);
    return EXIT_DONE;
}
