// Reports a device's measured limits, and the share of them that a result reaches.
#include "base/fields.h"
#include "report/peak_report.h"

#include "report/report.h"
#include "report/table.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

// ---- units -------------------------------------------------------------------------------------

// "G", "Gi", "": what a unit's prefix multiplies by, and where the rest begins.
static const char *read_prefix(const char *unit, double *scale)
{
    static const char prefixes[] = "kKMGTP";
    static const double decimal[] = {1e3, 1e3, 1e6, 1e9, 1e12, 1e15};
    static const double binary[] = {0x1p10, 0x1p10, 0x1p20, 0x1p30, 0x1p40, 0x1p50};
    const char *at = unit[0] ? strchr(prefixes, unit[0]) : NULL;
    bool is_binary = at && unit[1] == 'i';
    *scale = !at ? 1 : is_binary ? binary[at - prefixes] : decimal[at - prefixes];
    return unit + (at ? 1 : 0) + (is_binary ? 1 : 0);
}

static bool is_one_of(const char *text, const char *const *list)
{
    while (*list && !str_equal_nocase(text, *list))
        list++;
    return *list != NULL;
}

static bool read_unit(const char *unit, double *scale, bool *is_flop)
{
    static const char *const flops[] = {"FLOP/s", "FLOPS", "FLOPs/s", NULL};
    static const char *const bytes[] = {"B/s", "byte/s", "bytes/s", NULL};
    const char *rest = read_prefix(unit ? unit : "", scale);
    *is_flop = is_one_of(rest, flops);
    return *is_flop || is_one_of(rest, bytes);
}

bool peak_has_unit(const char *unit)
{
    double scale;
    bool is_flop;
    return read_unit(unit, &scale, &is_flop);
}

uint32_t report_rate_metric(const struct spec *s)
{
    for (uint32_t i = 0; i < s->metric_count; i++) {
        const char *name = s->metrics[i].name;
        if (strstr(name, "/s") || peak_has_unit(name))
            return i;
    }
    return UINT32_MAX;
}

bool peak_share(const struct peak *p, const char *unit, double value, struct peak_share *out)
{
    bool is_flop;
    double scale;
    if (!p || !read_unit(unit, &scale, &is_flop))
        return false;
    const struct peak_rate *read = &p->rates[PEAK_READ], *copy = &p->rates[PEAK_COPY];
    bool is_copy = copy->known && (!read->known || copy->median > read->median);
    enum peak_limit limit = is_flop ? PEAK_FP32 : is_copy ? PEAK_COPY : PEAK_READ;
    const struct peak_rate *rate = &p->rates[limit];
    if (!rate->known)
        return false;
    *out = (struct peak_share){.limit = limit,
                               .share = value * scale / rate->median,
                               .scale = scale,
                               .beyond = value * scale > rate->high};
    return true;
}

// fp32 lanes of a multiprocessor, by compute capability times 10 (CUDA C++ programming guide,
// "Arithmetic instructions").
static unsigned lanes(uint32_t capability)
{
    bool has_64 = capability == 60 || (capability >= 70 && capability <= 80);
    return capability < 50 ? 0 : has_64 ? 64 : 128;
}

double peak_arithmetic(const struct device_info *d)
{
    return (double)d->compute_units * lanes(d->capability) * 2 * d->clock_mhz * 1e6;
}

// ---- the limits --------------------------------------------------------------------------------

enum column { LIMIT, RATE, INTERVAL, ROUNDS, KERNEL, COLUMNS };

// The unit prefix for a rate: the one with which its number is below 10,000.
struct shown {
    double scale;
    const char *prefix;
    int decimals;
};

static struct shown shown_as(double rate)
{
    static const struct shown prefixes[] = {
        {1e3, "k", 0}, {1e6, "M", 0}, {1e9, "G", 0}, {1e12, "T", 0}};
    size_t i = 0;
    while (i + 1 < sizeof prefixes / sizeof *prefixes && rate >= 1e4 * prefixes[i].scale)
        i++;
    struct shown shown = prefixes[i];
    double number = rate / shown.scale;
    shown.decimals = number < 9.9995 ? 3 : number < 99.995 ? 2 : number < 999.95 ? 1 : 0;
    return shown;
}

static const char *unit_of(enum peak_limit limit)
{
    return limit == PEAK_FP32 ? "FLOP/s" : "B/s";
}

static void put_rate(struct table *t, enum peak_limit limit, const struct peak_rate *r)
{
    struct shown shown = shown_as(r->median);
    table_row(t);
    table_cell(t, LIMIT, "%s", peak_limit_title(limit));
    if (r->known) {
        table_cell(t, RATE, "%.*f %s%s", shown.decimals, r->median / shown.scale, shown.prefix,
                   unit_of(limit));
        put_range(r->low / shown.scale, r->high / shown.scale, shown.decimals, r->interval,
                  table_text(t, INTERVAL));
        table_cell(t, ROUNDS, "%u", r->rounds);
        table_cell(t, KERNEL, "%s", r->configuration);
    } else {
        table_cell(t, RATE, "not known");
        table_note(t, RATE, "%s", r->why ? r->why : "it was not measured");
    }
}

static void put_arithmetic(const struct device_info *d, const struct peak_rate *r, struct text *out)
{
    double most = peak_arithmetic(d);
    struct shown shown = shown_as(most);
    if (!r->known || most <= 0)
        return;
    text_addf(out, "fp32: %.1f %% of %.*f %sFLOP/s = %u compute units x %u lanes x 2 x %u MHz\n",
              100 * r->median / most, shown.decimals, most / shown.scale, shown.prefix,
              d->compute_units, lanes(d->capability), d->clock_mhz);
}

void report_peak(const struct device_info *d, const struct peak *p, enum report_format format,
                 struct text *out)
{
    static const struct table_column columns_of[COLUMNS] = {[LIMIT] = {"limit", ALIGN_LEFT},
                                                            [RATE] = {"median", ALIGN_RIGHT},
                                                            [INTERVAL] = {"", ALIGN_LEFT},
                                                            [ROUNDS] = {"launches", ALIGN_RIGHT},
                                                            [KERNEL] = {"reached by", ALIGN_LEFT}};
    struct table_column shown[COLUMNS];
    struct table table;
    bool is_interval = false;
    memcpy(shown, columns_of, sizeof shown);
    for (unsigned i = 0; i < PEAK_COUNT; i++)
        is_interval |= p->rates[i].known && p->rates[i].interval;
    shown[INTERVAL].title = is_interval ? "95 % interval" : "range";
    table_init(&table, shown, COLUMNS);
    for (unsigned i = 0; i < PEAK_COUNT; i++)
        put_rate(&table, (enum peak_limit)i, &p->rates[i]);
    table_end(&table, format, "", out);
    put_arithmetic(d, &p->rates[PEAK_FP32], out);
    if (d->type == DEVICE_CPU && p->rates[PEAK_LOCAL].known)
        text_add(out, "Local memory is ordinary cache on this device.\n");
}

void report_peak_earlier(const struct peak *now, const struct peak *kept, struct text *out)
{
    for (unsigned i = 0; i < PEAK_COUNT; i++) {
        const struct peak_rate *a = &now->rates[i], *b = &kept->rates[i];
        struct shown shown = shown_as(b->median);
        if (!a->known || !b->known || !(b->median > a->median))
            continue;
        text_addf(out, "%s: %.*f %s%s, measured %.10s, is higher and counts\n",
                  peak_limit_title((enum peak_limit)i), shown.decimals, b->median / shown.scale,
                  shown.prefix, unit_of((enum peak_limit)i), b->date);
    }
}

#define RATE(X)                                                                                    \
    X(F64, rate, (v->known ? v->median : NAN), "1/s", "in flop or bytes; null: not known")         \
    X(PAIR, interval, (v->known && v->interval, v->low, v->high), "1/s", "null below six rounds")  \
    X(U64, rounds, (v->rounds), "", "")                                                            \
    X(TEXT, configuration, (v->configuration), "", "of the kernel that reached it")                \
    X(TEXT, date, (v->date), "", "")                                                               \
    X(TEXT, why, (v->why), "", "it is not known")
FIELDS(rate_fields, struct peak_rate, void, RATE)

#define LIMITS(X)                                                                                  \
    X(RECORD, fp32, (rate_fields, &v->rates[PEAK_FP32]), "", "flop/s")                             \
    X(RECORD, memory_read, (rate_fields, &v->rates[PEAK_READ]), "", "bytes/s")                     \
    X(RECORD, memory_copy, (rate_fields, &v->rates[PEAK_COPY]), "", "bytes/s")                     \
    X(RECORD, local, (rate_fields, &v->rates[PEAK_LOCAL]), "", "bytes/s")
FIELDS(limit_fields, struct peak, void, LIMITS)

#define FOUND(X)                                                                                   \
    X(TEXT, hone, (v->about->hone_version), "", "its version")                                     \
    X(RECORD, device, (report_device_fields, v->device), "", "")                                   \
    X(TEXT, host, (v->about->host), "", "")                                                        \
    X(TEXT, date, (v->about->date), "", "")                                                        \
    X(TEXT, store, (v->about->store), "", "")                                                      \
    X(RECORD, limits, (limit_fields, v->found), "", "")                                            \
    X(F64, fp32_arithmetic, (arithmetic_of(v->device)), "flop/s",                                  \
      "of an NVIDIA card compute units x lanes x 2 x clock; else null")                            \
    X(BOOL, cancelled, (v->cancelled), "", "")                                                     \
    X(TEXT, error, (v->about->broken), "", "")

static double arithmetic_of(const struct device_info *d)
{
    double arithmetic = peak_arithmetic(d);
    return arithmetic > 0 ? arithmetic : NAN;
}

FIELDS_SHARED(report_peak_fields, struct peak_report, void, FOUND)

static void write_peak(const void *report, struct text *out)
{
    const struct peak_report *v = report;
    bool is_known = peak_is_known(v->found);
    report_device(v->device, out);
    if (is_known || (!v->cancelled && !v->about->broken))
        report_peak(v->device, v->found, v->format, out);
    if (v->kept)
        report_peak_earlier(v->found, v->kept, out);
    if (v->about->store && is_known)
        text_addf(out, "Kept in %s\n", v->about->store);
    if (v->cancelled)
        text_addf(out, "Interrupted: %s.\n",
                  is_known ? "these are the results up to then" : "there were no results yet");
}

const writers peak_writers = {[REPORT_TEXT] = {.end = write_peak},
                              [REPORT_JSON] = {.end_fields = &report_peak_fields},
                              [REPORT_MARKDOWN] = {.end = write_peak}};

// ---- shares ------------------------------------------------------------------------------------

void report_peak_share(const struct peak *p, const char *unit, double value, struct text *out)
{
    struct peak_share share, *s = &share;
    char number[UNITS_SIZE], rate[UNITS_SIZE];
    if (!peak_share(p, unit, value, s))
        return;
    const struct peak_rate *r = &p->rates[s->limit];
    number_to_str(value, number);
    number_to_str(r->median / s->scale, rate);
    const char *point = strchr(rate, '.');
    bool has_exponent = strchr(rate, 'e') != NULL;
    text_addf(out, "%s %s is %.*f %% of the device's measured %s (%s", number, unit,
              s->share < 0.0995 ? 1 : 0, 100 * s->share,
              s->limit == PEAK_FP32 ? "fp32 peak" : "memory bandwidth", rate);
    if (!has_exponent) {
        text_add(out, " ");
        put_range(r->low / s->scale, r->high / s->scale, point ? (int)strlen(point + 1) : 0,
                  r->interval, out);
    }
    text_addf(out, "; hone peak)%s\n",
              !s->beyond ? ""
              : s->limit == PEAK_FP32
                  ? ": above it, so other units contributed (tensor cores, half precision), or the "
                    "device was shared while it was measured"
                  : ": above it, so caches contributed, or the device was shared while it was "
                    "measured");
}

void report_peak_shares(const struct record_frame *f, const struct tune_record *r, struct text *out)
{
    double value;
    for (uint32_t i = 0; f->spec && i < f->spec->metric_count; i++) {
        if (record_metric(r, i, &value))
            report_peak_share(f->peak, f->spec->metrics[i].name, value, out);
    }
}

struct reached {
    const struct peak *peak;
    const struct tune_record *record; // (or NULL)
};

static void emit_shares(const void *record, const void *context, struct emit *j)
{
    const struct reached *v = record;
    const struct spec *spec = ((const struct record_frame *)context)->spec;
    struct peak_share share;
    double value;
    emit_object(j);
    for (uint32_t i = 0; v->record && spec && i < spec->metric_count; i++) {
        const char *unit = spec->metrics[i].name;
        if (!record_metric(v->record, i, &value) || !peak_share(v->peak, unit, value, &share))
            continue;
        emit_object_at(j, unit);
        emit_text_at(j, "limit", peak_limit_text(share.limit));
        emit_f64_at(j, "share", share.share);
        emit_object_end(j);
    }
    emit_object_end(j);
}

#define REACHED(X)                                                                                 \
    X(RECORD, limits, (limit_fields, v->peak), "", "as of hone peak")                              \
    X(PUT, shares, (emit_shares, v), "{}", "of each metric in FLOP/s or B/s: limit, share")
FIELDS(reached_fields, struct reached, struct record_frame, REACHED)

void report_peak_json(const void *record, const void *frame, struct emit *j)
{
    const struct reached reached = {((const struct record_frame *)frame)->peak, record};
    if (peak_is_known(reached.peak))
        emit_record(j, &reached_fields, &reached, frame);
    else
        emit_null(j);
}
