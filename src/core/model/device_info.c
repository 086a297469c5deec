// Device info: its codec, the part of it that a key holds, and which devices are views of one card.
#include "model/device_info.h"

#include "model/codec.h"

#include "base/text.h"

#include <string.h>

static const char *const device_type_texts[] = {DEVICE_TYPES(LIST_TEXT)};

// Serialises the device's part of a key. Another card of the same model gives the same key, so
// nothing here may tell two of them apart.
void device_info_identity(struct wire *w, struct device_info *d)
{
    wire_enum(w, &d->language, LANGUAGE_COUNT);
    wire_enum(w, &d->type, DEVICE_TYPE_COUNT);
    codec_text(w, &d->name);
    codec_text(w, &d->vendor);
    codec_text(w, &d->platform);
    codec_text(w, &d->platform_version);
    codec_text(w, &d->driver);
    codec_text(w, &d->compiler);
    codec_text(w, &d->surroundings);
}

void device_info_digest(const struct device_info *d, struct digest *out)
{
    struct digest_state state;
    struct wire w;
    struct device_info copy = *d; // a codec's parameter is not const, though hashing only reads
    digest_start(&state);
    wire_hasher(&w, &state);
    device_info_identity(&w, &copy);
    digest_finish(&state, out);
}

void device_info_codec(struct wire *w, struct device_info *d)
{
    device_info_identity(w, d);
    codec_text(w, &d->id);
    codec_text(w, &d->language_version);
    codec_text(w, &d->extensions);
    codec_text(w, &d->uuid);
    codec_text(w, &d->pci);
    wire_str(w, &d->include_folders);
    wire_u32(w, &d->compute_units);
    wire_u32(w, &d->clock_mhz);
    wire_u64(w, &d->global_bytes);
    wire_u64(w, &d->max_alloc_bytes);
    wire_u64(w, &d->local_bytes);
    wire_u64(w, &d->constant_bytes);
    wire_u64(w, &d->cache_bytes);
    wire_u64(w, &d->all_cache_bytes);
    wire_u64(w, &d->max_group_size);
    for (int axis = 0; axis < 3; axis++)
        wire_u64(w, &d->max_item_sizes[axis]);
    wire_u32(w, &d->subgroup_size);
    wire_u32(w, &d->capability);
    wire_u32(w, &d->vector_float);
    wire_u32(w, &d->base_align);
    wire_u64(w, &d->timer_ns);
    wire_bool(w, &d->float64);
    wire_bool(w, &d->float16);
    wire_bool(w, &d->shares_host);
}

// ---- cards -------------------------------------------------------------------------------------

bool pci_same(const char *a, const char *b)
{
    enum { SHORT = 12 }; // "0000:65:00.0"
    size_t la = strlen(a), lb = strlen(b);
    return str_equal_nocase(la > SHORT ? a + la - SHORT : a, lb > SHORT ? b + lb - SHORT : b);
}

// NVIDIA's tools write "GPU-4b2c...", OpenCL bytes.
static const char *uuid_digits(const char *uuid)
{
    return str_starts(uuid, "GPU-") || str_starts(uuid, "gpu-") || str_starts(uuid, "MIG-")
               ? uuid + 4
               : uuid;
}

static bool is_said(const char *text)
{
    return text && *text;
}

// Parts of one card (MIG) share its address: their UUIDs distinguish them within a language. Two
// interfaces of one driver may give one card two UUIDs.
bool device_same_card(const struct device_info *a, const struct device_info *b)
{
    bool know_uuid = is_said(a->uuid) && is_said(b->uuid);
    bool know_pci = is_said(a->pci) && is_said(b->pci);
    if (know_uuid && str_equal_nocase(uuid_digits(a->uuid), uuid_digits(b->uuid)))
        return true;
    if (know_uuid && a->language == b->language)
        return false;
    return know_pci && pci_same(a->pci, b->pci);
}

static void add_card_name(struct text *names, const char *name)
{
    if (is_said(name) && !str_contains_nocase(text_cstr(names), name))
        text_addf(names, "%s%s", names->length > 0 ? " " : "", name);
}

bool device_number_cards(struct device_info *devices, uint32_t count, struct arena *a)
{
    uint32_t cards = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = 0;
        while (first < i && !device_same_card(&devices[first], &devices[i]))
            first++;
        if (first < i) {
            devices[i].card = devices[first].card;
            devices[i].card_names = devices[first].card_names;
            continue;
        }
        struct text names = TEXT_INIT;
        for (uint32_t k = i; k < count; k++) {
            if (k == i || device_same_card(&devices[i], &devices[k])) {
                add_card_name(&names, devices[k].uuid);
                add_card_name(&names, devices[k].pci);
            }
        }
        devices[i].card = cards++;
        devices[i].card_names = text_to_arena(&names, a);
        if (!devices[i].card_names)
            return false;
    }
    return true;
}

bool card_is_named(const char *name, const char *text)
{
    return is_said(name) &&
           (str_equal_nocase(uuid_digits(name), uuid_digits(text)) || pci_same(name, text));
}

bool device_is_card(const struct device_info *d, const char *text)
{
    uint64_t number;
    if (!d->card_names)
        return false;
    if (str_to_u64(text, &number))
        return number == d->card;
    for (const char *at = d->card_names; *at;) {
        char name[64];
        size_t length = strcspn(at, " ");
        str_format(name, sizeof name, "%.*s", (int)(length < 64 ? length : 64), at);
        if (card_is_named(name, text))
            return true;
        at += length + strspn(at + length, " ");
    }
    return false;
}

// ---- names -------------------------------------------------------------------------------------

const char *device_type_text(enum device_type t)
{
    return (unsigned)t < DEVICE_TYPE_COUNT ? device_type_texts[t] : "?";
}
