// A given name is first compared as a whole (name, id, UUID, PCI address or number), then as a part
// of name, platform, id or UUID; devices whose language comes last are considered only if no other
// fits. Without a name the kinds of devices are tried in order.
#include "lib/choose_device.h"

#include "base/text.h"

#include <string.h>

#define LISTED 16 // devices named in a message

static bool equals(const struct device_info *d, const char *wanted)
{
    return str_equal_nocase(d->name, wanted) || str_equal(d->id, wanted) ||
           device_is_card(d, wanted);
}

// "3", "12": a number of `hone devices`, not a part of every other id.
static bool is_number(const char *wanted)
{
    size_t digits = strspn(wanted, "0123456789");
    return digits > 0 && digits <= 2 && !wanted[digits];
}

static bool fits(const struct device_info *d, const char *wanted)
{
    if (is_number(wanted))
        return false;
    return str_contains_nocase(d->name, wanted) || str_contains_nocase(d->platform, wanted) ||
           str_contains_nocase(d->id, wanted) ||
           (d->card_names && str_contains_nocase(d->card_names, wanted));
}

// One without an id is not here: it is known by name only.
static void put_device(const struct device_info *d, struct text *out)
{
    text_addf(out, "\n  %s (", d->name);
    if (d->id[0])
        text_addf(out, "%s, %s), id %s", device_type_text(d->type), d->platform, d->id);
    else
        text_addf(out, "%s)", d->platform);
}

static void list(const struct device_info *devices, size_t count, const char *wanted,
                 bool (*is_listed)(const struct device_info *, const char *), struct text *out)
{
    size_t listed = 0;
    for (size_t i = 0; i < count && listed < LISTED; i++) {
        if (is_listed && !is_listed(&devices[i], wanted))
            continue;
        put_device(&devices[i], out);
        listed++;
    }
}

void list_devices(const struct device_info *devices, size_t count, struct text *out)
{
    list(devices, count, NULL, NULL, out);
}

static const struct device_info *
refuse_several(const struct device_info *devices, size_t count, const char *wanted,
               bool (*is_fit)(const struct device_info *, const char *), struct error *e)
{
    struct text several = TEXT_INIT;
    list(devices, count, wanted, is_fit, &several);
    error_set(e, ERROR_USAGE,
              "several devices fit '%s'; name one by more of its name, or its id:%s", wanted,
              text_cstr(&several));
    text_release(&several);
    return NULL;
}

static const struct device_info *refuse_none(const struct device_info *devices, size_t count,
                                             const char *wanted, struct error *e)
{
    struct text known = TEXT_INIT;
    list(devices, count, wanted, NULL, &known);
    error_set(e, ERROR_USAGE, "no device fits '%s'; there %s:%s", wanted, count == 1 ? "is" : "are",
              text_cstr(&known));
    text_release(&known);
    return NULL;
}

// Another language's view of the same card.
static bool is_same_in_another(const struct device_info *a, const struct device_info *b)
{
    return a->language != b->language && device_same_card(a, b);
}

static bool comes_last(const struct device_info *d)
{
    return language_traits(d->language)->comes_last;
}

static bool is_equal_here(const struct device_info *a, const struct device_info *b)
{
    struct digest first, second;
    if (a->language != b->language || strcmp(a->name, b->name) != 0)
        return false;
    device_info_digest(a, &first);
    device_info_digest(b, &second);
    return digest_equal(&first, &second);
}

// The card itself, an equal one, or a view of either in another language.
static bool is_equal_card(const struct device_info *devices, size_t count,
                          const struct device_info *found, const struct device_info *other)
{
    bool is = other == found || is_same_in_another(found, other) || is_equal_here(found, other);
    for (size_t i = 0; !is && i < count; i++)
        is = is_same_in_another(&devices[i], other) && is_equal_here(found, &devices[i]);
    return is;
}

// Devices whose language comes last are considered only when no other device fits.
static const struct device_info *named(const struct device_info *devices, size_t count,
                                       const char *wanted, struct error *e)
{
    static const struct {
        bool (*fits)(const struct device_info *, const char *);
        bool last;
    } rules[] = {{equals, false}, {fits, false}, {equals, true}, {fits, true}};
    for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++) {
        const struct device_info *found = NULL;
        bool is_one = true;
        for (size_t i = 0; i < count; i++) {
            if (comes_last(&devices[i]) != rules[rule].last ||
                !rules[rule].fits(&devices[i], wanted))
                continue;
            found = found ? found : &devices[i];
            is_one = is_one && is_equal_card(devices, count, found, &devices[i]);
        }
        if (found)
            return is_one ? found : refuse_several(devices, count, wanted, rules[rule].fits, e);
    }
    return refuse_none(devices, count, wanted, e);
}

static bool is_preferred(const struct device_info *a, const struct device_info *b)
{
    if (comes_last(a) != comes_last(b))
        return comes_last(b);
    if (a->type != b->type)
        return a->type < b->type;
    int names = strcmp(a->name, b->name);
    return names ? names < 0 : strcmp(a->id, b->id) < 0;
}

// The view of the device's card that stands first in the list.
static const struct device_info *first_view(const struct device_info *devices,
                                            const struct device_info *device)
{
    for (const struct device_info *d = devices; d < device; d++) {
        if (is_same_in_another(d, device))
            return d;
    }
    return device;
}

const struct device_info *choose_device(const struct device_info *devices, size_t count,
                                        const char *wanted, struct error *e)
{
    if (count == 0) {
        error_set(e, ERROR_DEVICE, "there is no device");
        return NULL;
    }
    if (wanted && wanted[0])
        return named(devices, count, wanted, e);
    const struct device_info *best = &devices[0];
    for (size_t i = 1; i < count; i++) {
        if (is_preferred(&devices[i], best))
            best = &devices[i];
    }
    return first_view(devices, best);
}

size_t count_like_devices(const struct device_info *devices, size_t count,
                          const struct device_info *device)
{
    size_t cards = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < i && devices[k].card != devices[i].card)
            k++;
        cards += k == i && devices[i].type == device->type && !comes_last(&devices[i]);
    }
    return cards;
}

const struct device_info *next_equal_device(const struct device_info *devices, size_t count,
                                            const char *wanted, const struct device_info *after)
{
    const struct device_info *first = choose_device(devices, count, wanted, NULL);
    bool is_whole = first && equals(first, wanted);
    for (const struct device_info *d = after + 1; first && d < devices + count; d++) {
        if (is_equal_here(first, d) && (is_whole ? equals(d, wanted) : fits(d, wanted)))
            return d;
    }
    return NULL;
}

size_t count_fitting_devices(const struct device_info *devices, size_t count, const char *wanted)
{
    size_t fit = 0;
    for (size_t i = 0; i < count; i++)
        fit += fits(&devices[i], wanted);
    return fit;
}
