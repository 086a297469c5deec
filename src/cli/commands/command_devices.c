// hone devices: what a worker sees, and what the system has that no driver offers.
#include "cli/nodes.h"
#include "cli/work.h"
#include "report/report.h"

struct devices_settings {
    struct spec_settings given; // --json and --on alone
};

static int show_devices(struct work *w)
{
    const struct device_report *r = &w->devices;
    put_report(devices_writers, w->given->output.format, r);
    // The languages that come last need no driver: if they are all there is, the user still has to
    // learn what to install.
    bool has_other = false;
    for (uint32_t i = 0; i < r->device_count; i++)
        has_other |= (languages_unnamed() >> r->devices[i].language & 1) != 0;
    return has_other ? EXIT_DONE : work_no_device(w);
}

static int run_devices(struct invocation *i)
{
    struct work w;
    const struct devices_settings *o = i->settings;
    work_init(&w, i, &o->given, NULL);
    int status = work_devices(&w, NULL, NULL);
    if (status == EXIT_DONE)
        status = show_devices(&w);
    work_release(&w);
    return status;
}

static const struct option options[] = {
    {OPTION("json", NULL, option_json, offsetof(struct devices_settings, given.output)),
     .brief = "JSON, for scripts",
     .help =
         "Write one JSON object: {\"devices\": [...], \"missing\": [...]}; sizes are in bytes. "
         "Views of one card have the same `card`, and the same `number`, which --device takes."},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options, 0},
    {"Options", NODE_OPTIONS, offsetof(struct devices_settings, given)},
    {"Options", strict_options, offsetof(struct devices_settings, given)},
    {"Options", format_options, offsetof(struct devices_settings, given.output)},
    {"Help", help_options, 0},
    {0}};

static const struct json_record json_records[] = {{"devices", &report_devices_fields}, {0}};

extern const char about_devices[]; // about/devices.txt

const struct command command_devices = {
    .name = "devices",
    .group = GROUP_PREPARE,
    .summary = "list the devices that hone can tune on",
    .arguments = "",
    .description = about_devices,
    .json = "With --json one object.",
    .records = json_records,
    .topics = "devices" EXTRA_NODES(", nodes"),
    .groups = groups,
    .settings_size = sizeof(struct devices_settings),
    .run = run_devices,
};
