#include "report/report.h"
#include "report/table.h"
#include "report/units.h"

enum column {
    NAME,
    TYPE,
    PLATFORM,
    DRIVER,
    UNITS,
    CLOCK,
    GLOBAL,
    LOCAL,
    GROUP,
    FLOATS,
    ID,
    COLUMNS
};

static const struct table_column columns_of[COLUMNS] = {
    [NAME] = {"name", ALIGN_LEFT},
    [TYPE] = {"type", ALIGN_LEFT},
    [PLATFORM] = {"platform", ALIGN_LEFT},
    [DRIVER] = {"driver", ALIGN_LEFT},
    [UNITS] = {"units", ALIGN_RIGHT},
    [CLOCK] = {"clock", ALIGN_RIGHT},
    [GLOBAL] = {"global", ALIGN_RIGHT},
    [LOCAL] = {"local", ALIGN_RIGHT},
    [GROUP] = {"group", ALIGN_RIGHT},
    [FLOATS] = {"floats", ALIGN_LEFT},
    [ID] = {"id", ALIGN_LEFT},
};

static void put_device(struct table *t, const struct device_info *d)
{
    char number[UNITS_SIZE];
    table_row(t);
    table_cell(t, NAME, "%s", d->name);
    table_cell(t, TYPE, "%s", device_type_text(d->type));
    table_cell(t, PLATFORM, "%s", d->platform);
    table_cell(t, DRIVER, "%s", d->driver);
    table_cell(t, UNITS, "%u", d->compute_units);
    table_cell(t, CLOCK, "%u MHz", d->clock_mhz);
    bytes_to_str(d->global_bytes, number);
    table_cell(t, GLOBAL, "%s", number);
    bytes_to_str(d->local_bytes, number);
    table_cell(t, LOCAL, "%s", number);
    table_cell(t, GROUP, "%llu", (unsigned long long)d->max_group_size);
    table_cell(t, FLOATS, "fp32%s%s", d->float64 ? " fp64" : "", d->float16 ? " fp16" : "");
    table_cell(t, ID, "%s", d->id);
}

void report_devices(const struct device_info *devices, size_t count,
                    const struct view_missing *missing, size_t missing_count, struct text *out)
{
    struct table table;
    table_init(&table, columns_of, COLUMNS);
    for (size_t i = 0; i < count; i++)
        put_device(&table, &devices[i]);
    table_print(&table, "", out);
    table_release(&table);
    for (size_t i = 0; i < missing_count; i++)
        text_addf(out, "Not usable: %s: %s%s%s\n", missing[i].device, missing[i].reason,
                  missing[i].remedy && missing[i].remedy[0] ? ". Remedy: " : "",
                  missing[i].remedy ? missing[i].remedy : "");
}
