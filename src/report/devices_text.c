// The devices as text: an entry for each card, with a line for each way to it.
#include "report/report.h"
#include "report/units.h"

#define WIDTH 100

// The first in the list of those that are views of the same card.
static size_t first_view(const struct device_info *devices, size_t index)
{
    size_t first = 0;
    while (!device_same_card(&devices[first], &devices[index]) && first < index)
        first++;
    return first;
}

// ---- a card ------------------------------------------------------------------------------------

static void put_size(const char *name, uint64_t bytes, struct text *out)
{
    char number[UNITS_SIZE];
    bytes_to_str(bytes, number);
    text_addf(out, ", %s%s", name, number);
}

// What all views of a card say alike. Its address and UUID may be known to one of them alone.
static void put_card(const struct device_info *devices, size_t count, size_t first,
                     struct text *out)
{
    const struct device_info *d = &devices[first];
    const char *pci = d->pci, *uuid = d->uuid;
    for (size_t i = first + 1; i < count; i++) {
        bool is_view = first_view(devices, i) == first;
        pci = is_view && !*pci ? devices[i].pci : pci;
        uuid = is_view && !*uuid ? devices[i].uuid : uuid;
    }
    text_addf(out, "%s: %s, %u compute unit%s, %u MHz", d->name, device_type_text(d->type),
              d->compute_units, d->compute_units == 1 ? "" : "s", d->clock_mhz);
    put_size("", d->global_bytes, out);
    text_add(out, "\n");
    if (*pci)
        text_addf(out, "  PCI %s%s", pci, *uuid ? "" : "\n");
    if (*uuid)
        text_addf(out, "%sUUID %s\n", *pci ? ", " : "  ", uuid);
}

// ---- a view of it ------------------------------------------------------------------------------

static void put_view(const struct device_info *d, struct text *out)
{
    struct text line = TEXT_INIT;
    text_add(&line, "  ");
    report_driver(d->language, d->platform, d->driver, &line);
    text_add(&line, ": ");
    size_t head = columns(text_cstr(&line));
    text_add(out, text_cstr(&line));
    text_clear(&line);
    text_addf(&line, "work-group %llu", (unsigned long long)d->max_group_size);
    put_size("local ", d->local_bytes, &line);
    text_addf(&line, ", fp32%s%s", d->float64 ? " fp64" : "", d->float16 ? " fp16" : "");
    if (d->capability > 0)
        text_addf(&line, ", sm_%u", d->capability);
    if (head + columns(text_cstr(&line)) > WIDTH)
        text_add(out, "\n      ");
    text_addf(out, "%s\n      %s\n", text_cstr(&line), d->id);
    text_release(&line);
}

void report_devices(const struct device_info *devices, size_t count,
                    const struct view_missing *missing, size_t missing_count, struct text *out)
{
    for (size_t card = 0; card < count; card++) {
        if (first_view(devices, card) != card)
            continue;
        put_card(devices, count, card, out);
        for (size_t i = card; i < count; i++) {
            if (first_view(devices, i) == card)
                put_view(&devices[i], out);
        }
    }
    for (size_t i = 0; i < missing_count; i++)
        text_addf(out, "Not usable: %s: %s%s%s\n", missing[i].device, missing[i].reason,
                  missing[i].remedy && missing[i].remedy[0] ? ". Remedy: " : "",
                  missing[i].remedy ? missing[i].remedy : "");
}
