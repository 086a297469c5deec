// The devices as text and JSON: in text an entry for each card, with a line for each way to it.
#include "base/fields.h"
#include "report/report.h"
#include "report/units.h"
#include "worker/protocol.h"

#define WIDTH 100

// ---- a card ------------------------------------------------------------------------------------

static void put_size(const char *name, uint64_t bytes, struct text *out)
{
    char number[UNITS_SIZE];
    bytes_to_str(bytes, number);
    text_addf(out, ", %s%s", name, number);
}

// Prints the card that all views share. Its address and UUID may be known to only one of them.
static void put_card(const struct device_report *r, size_t first, struct text *out)
{
    const struct device_info *devices = r->devices, *d = &devices[first];
    const size_t count = r->device_count;
    const char *pci = d->pci, *uuid = d->uuid;
    for (size_t i = first + 1; i < count; i++) {
        bool is_view = devices[i].card == d->card;
        pci = is_view && !*pci ? devices[i].pci : pci;
        uuid = is_view && !*uuid ? devices[i].uuid : uuid;
    }
    text_addf(out, "%u: ", d->card);
    if (r->nodes && r->nodes[first][0])
        text_addf(out, "node %s: ", r->nodes[first]);
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

static void write_devices(const void *report, struct text *out)
{
    const struct device_report *r = report;
    const struct device_info *devices = r->devices;
    uint32_t count = r->device_count;
    uint32_t cards = 0;
    for (size_t first = 0; first < count; first++) {
        if (devices[first].card != cards)
            continue;
        cards++;
        put_card(r, first, out);
        for (size_t i = first; i < count; i++) {
            if (devices[i].card == devices[first].card) {
                struct text line = TEXT_INIT;
                text_add(&line, "  ");
                report_driver(devices[i].language, devices[i].platform, devices[i].driver, &line);
                text_add(&line, ": ");
                size_t head = columns(text_cstr(&line));
                text_add(out, text_cstr(&line));
                text_clear(&line);
                text_addf(&line, "work-group %llu", (unsigned long long)devices[i].max_group_size);
                put_size("local ", devices[i].local_bytes, &line);
                text_addf(&line, ", fp32%s%s", devices[i].float64 ? " fp64" : "",
                          devices[i].float16 ? " fp16" : "");
                if (devices[i].capability > 0)
                    text_addf(&line, ", sm_%u", devices[i].capability);
                if (head + columns(text_cstr(&line)) > WIDTH)
                    text_add(out, "\n      ");
                text_addf(out, "%s\n      %s\n", text_cstr(&line), devices[i].id);
                text_release(&line);
            }
        }
    }
    for (uint32_t i = 0; i < r->note_count; i++) {
        const struct device_note *n = &r->notes[i];
        bool has_remedy = n->remedy && n->remedy[0];
        text_addf(out, "Not usable: %s: %s%s%s\n", n->device, n->reason,
                  has_remedy ? ". Remedy: " : "", has_remedy ? n->remedy : "");
    }
}

// ---- JSON --------------------------------------------------------------------------------------

// Names the card by what any of its views reports.
static const char *card_of(const struct device_report *r, const struct device_info *d)
{
    const char *pci = "", *uuid = "", *id = NULL;
    for (uint32_t i = 0; i < r->device_count; i++) {
        const struct device_info *view = &r->devices[i];
        if (view->card != d->card)
            continue;
        id = id ? id : view->id;
        pci = *pci ? pci : view->pci;
        uuid = *uuid ? uuid : view->uuid;
    }
    return *pci ? pci : *uuid ? uuid : id;
}

#define NODE(X) X(TEXT, node, (c->nodes[v - c->devices]), "", "that has it; empty: this machine")
FIELDS(node_fields, struct device_info, struct device_report, NODE)

#define LISTED(X)                                                                                  \
    X(TEXT, card, (card_of(c, v)), "", "shared by all views of one card")                          \
    X(MEMBERS, device, (report_device_fields, v), "", "")                                          \
    X(U64, number, (v->card), "", "of the card")                                                   \
    X(MEMBERS, node, (node_fields, c->nodes ? v : NULL), "", "")
FIELDS(listed_fields, struct device_info, struct device_report, LISTED)

#define MISSING(X)                                                                                 \
    X(TEXT, device, (v->device), "", "")                                                           \
    X(TEXT, reason, (v->reason), "", "")                                                           \
    X(TEXT, remedy, (v->remedy), "", "")
FIELDS(missing_fields, struct device_note, void, MISSING)

#define DEVICES(X)                                                                                 \
    X(RECORDS, devices, (listed_fields, v->devices, v->device_count), "", "")                      \
    X(RECORDS, missing, (missing_fields, v->notes, v->note_count), "", "that no driver offers")
FIELDS_SHARED(report_devices_fields, struct device_report, struct device_report, DEVICES)

const writers devices_writers = {[REPORT_TEXT] = {.end = write_devices},
                                 [REPORT_JSON] = {.end_fields = &report_devices_fields},
                                 [REPORT_MARKDOWN] = {.end = write_devices}};
