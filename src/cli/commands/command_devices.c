#include "cli/work.h"
#include "report/report.h"

static struct view_missing *missing_of(struct work *w)
{
    const struct device_report *r = &w->devices;
    struct view_missing *missing = arena_array(&w->arena, r->note_count + 1, sizeof *missing);
    for (uint32_t i = 0; missing && i < r->note_count; i++)
        missing[i] =
            (struct view_missing){r->notes[i].device, r->notes[i].reason, r->notes[i].remedy};
    return missing;
}

static int show(struct work *w)
{
    struct text out = TEXT_INIT;
    struct emit json;
    const struct device_report *r = &w->devices;
    const struct view_missing *missing = missing_of(w);
    uint32_t notes = missing ? r->note_count : 0;
    emit_start(&json, &out);
    if (w->call->settings.json) {
        report_devices_json(r->devices, r->device_count, missing, notes, &json);
        text_add(&out, "\n");
    } else {
        report_devices(r->devices, r->device_count, missing, notes, &out);
    }
    put(&out);
    text_release(&out);
    return r->device_count ? EXIT_DONE : work_no_device(w);
}

static int run(struct invocation *i)
{
    struct work w;
    work_init(&w, i);
    int status = work_devices(&w, LANGUAGES_ALL);
    if (status == EXIT_DONE)
        status = show(&w);
    work_release(&w);
    return status;
}

static const struct option options[] = {
    {.name = "json",
     .help = "Write one JSON object: {\"devices\": [...], \"missing\": [...]}; sizes are in bytes. "
             "Views of one card have the same `card`.",
     .apply = option_flag,
     .offset = offsetof(struct settings, json)},
    {0},
};

static const struct option_group groups[] = {{"Options", options}, {"Help", help_options}, {0}};

const struct command command_devices = {
    .name = "devices",
    .summary = "list the devices that hone can tune on",
    .arguments = "",
    .description =
        "Lists every device with the limits that a kernel author needs: compute units, clock, "
        "global and local memory, the largest work-group, the floating-point types beyond float, "
        "and an id that --device takes. A GPU that both OpenCL and CUDA offer is one entry with a "
        "view for each; --language chooses between them. A GPU that the system shows but no OpenCL "
        "driver offers is named with the reason and what to install.",
    .groups = groups,
    .run = run,
};
