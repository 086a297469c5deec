// Writes counters as rows of a table: counts, bytes and shares, each only if a launch has it. Sentences name what differs most
// among the amounts that matter.
#include "report/counters_report.h"

#include "report/table.h"
#include "report/units.h"

#include <math.h>

#define NONE COUNTER_COUNT

enum row_unit { ROW_COUNT, ROW_BYTES, ROW_SECTORS, ROW_PERCENT };

// The counter, or its share of `whole` in per cent.
static const struct {
    const char *label;
    enum counter counter, whole;
    enum row_unit unit;
} counter_rows[] = {
    {"read from memory", COUNTER_dram_read_bytes, NONE, ROW_BYTES},
    {"written to memory", COUNTER_dram_write_bytes, NONE, ROW_BYTES},
    {"memory busy", COUNTER_dram_busy, NONE, ROW_PERCENT},
    {"read from L2", COUNTER_l2_read_bytes, NONE, ROW_BYTES},
    {"written to L2", COUNTER_l2_write_bytes, NONE, ROW_BYTES},
    {"found in L2", COUNTER_l2_hit_sectors, COUNTER_l2_sectors, ROW_PERCENT},
    {"L2 busy", COUNTER_l2_busy, NONE, ROW_PERCENT},
    {"way from L2 busy", COUNTER_l2_link_busy, NONE, ROW_PERCENT},
    {"found in L1", COUNTER_l1_hit_sectors, COUNTER_l1_sectors, ROW_PERCENT},
    {"L1 and shared memory busy", COUNTER_l1_busy, NONE, ROW_PERCENT},
    {"passes over shared memory", COUNTER_shared_wavefronts, NONE, ROW_COUNT},
    {"of them bank conflicts", COUNTER_bank_conflicts, COUNTER_shared_wavefronts, ROW_PERCENT},
    {"spilled registers, private arrays", COUNTER_local_sectors, NONE, ROW_SECTORS},
    {"atomics in L2", COUNTER_atomic_sectors, NONE, ROW_COUNT},
    {"instructions of warps", COUNTER_instructions, NONE, ROW_COUNT},
    {"instructions of work-items", COUNTER_item_instructions, NONE, ROW_COUNT},
    {"occupancy reached", COUNTER_occupancy, NONE, ROW_PERCENT},
    {"multiprocessors active", COUNTER_active_cycles, COUNTER_elapsed_cycles, ROW_PERCENT},
    {"issue slots used", COUNTER_issue_busy, NONE, ROW_PERCENT},
    {"tensor pipe busy", COUNTER_tensor_busy, NONE, ROW_PERCENT},
    {"float pipe busy", COUNTER_fma_busy, NONE, ROW_PERCENT},
    {"double pipe busy", COUNTER_fp64_busy, NONE, ROW_PERCENT},
    {"integer pipe busy", COUNTER_alu_busy, NONE, ROW_PERCENT},
    {"special functions busy", COUNTER_xu_busy, NONE, ROW_PERCENT},
    {"read, as requested", COUNTER_requested_read_bytes, NONE, ROW_BYTES},
    {"written, as requested", COUNTER_requested_write_bytes, NONE, ROW_BYTES},
    {"local memory, as requested", COUNTER_requested_local_bytes, NONE, ROW_BYTES},
    {"floating-point operations", COUNTER_operations, NONE, ROW_COUNT},
};
#define ROW_COUNT_ALL (sizeof counter_rows / sizeof *counter_rows)

#define SECTOR_BYTES 32

static double row_value(const struct counters *c, size_t row)
{
    return counter_rows[row].whole == NONE
               ? c->values[counter_rows[row].counter]
               : counters_share(c, counter_rows[row].counter, counter_rows[row].whole);
}

static void put_amount(double value, enum row_unit unit, struct text *out)
{
    char number[UNITS_SIZE];
    if (unit == ROW_PERCENT) {
        text_addf(out, "%.1f %%", value);
        return;
    }
    if (unit == ROW_COUNT)
        number_to_str(value, number);
    else
        bytes_to_str((uint64_t)(unit == ROW_SECTORS ? value * SECTOR_BYTES : value), number);
    text_add(out, number);
}

void report_counters(const struct counters *const *c, const char *const *labels, uint32_t count,
                     enum report_format format, struct text *out)
{
    const struct table_column columns_of[] = {{"", ALIGN_LEFT},
                                              {labels ? labels[0] : "", ALIGN_RIGHT},
                                              {labels && count > 1 ? labels[1] : "", ALIGN_RIGHT}};
    struct table table;
    table_init(&table, columns_of, count + 1);
    for (size_t row = 0; row < ROW_COUNT_ALL; row++) {
        double most = 0;
        for (uint32_t i = 0; i < count; i++)
            most = fmax(most, row_value(c[i], row));
        if (!(most > 0)) // what no launch has, or does
            continue;
        table_row(&table);
        table_cell(&table, 0, "%s", counter_rows[row].label);
        for (uint32_t i = 0; i < count; i++) {
            double value = row_value(c[i], row);
            if (!isnan(value))
                put_amount(value, counter_rows[row].unit, table_text(&table, i + (size_t)1));
        }
    }
    table_end(&table, format, "  ", out);
}

// ---- the bound ---------------------------------------------------------------------------------

// The number that names a bound.
static const struct {
    const char *before;
    enum counter counter, whole;
    const char *behind;
} bound_reasons[BOUND_COUNT] = {
    [BOUND_GROUPS] = {"multiprocessors are active for ", COUNTER_active_cycles,
                      COUNTER_elapsed_cycles, " of the launch"},
    [BOUND_SPILLS] = {"", COUNTER_local_sectors, COUNTER_l1_sectors,
                      " of the accesses are of spilled registers or private arrays"},
    [BOUND_ATOMICS] = {"", COUNTER_atomic_sectors, COUNTER_l2_sectors, " of L2's work"},
    [BOUND_MEMORY] = {"", COUNTER_dram_busy, NONE, " of its peak"},
    [BOUND_L2] = {"", COUNTER_l2_busy, NONE, " of its peak"},
    [BOUND_CONFLICTS] = {"", COUNTER_bank_conflicts, COUNTER_shared_wavefronts,
                         " of the passes over shared memory"},
    [BOUND_SHARED] = {"", COUNTER_l1_busy, NONE, " of its peak"},
    [BOUND_TENSOR] = {"", COUNTER_tensor_busy, NONE, " of its peak"},
    [BOUND_FLOAT] = {"", COUNTER_fma_busy, NONE, " of its peak"},
    [BOUND_DOUBLE] = {"", COUNTER_fp64_busy, NONE, " of its peak"},
    [BOUND_INTEGER] = {"", COUNTER_alu_busy, NONE, " of its peak"},
    [BOUND_SPECIAL] = {"", COUNTER_xu_busy, NONE, " of the peak"},
    [BOUND_ISSUE] = {"", COUNTER_issue_busy, NONE, " of the slots"},
};

void report_bound(const struct counters *c, struct text *out)
{
    enum bound b = counters_bound(c);
    char time[UNITS_SIZE];
    if (b == BOUND_UNKNOWN)
        return;
    text_add(out, bound_text(b));
    if (b == BOUND_LAUNCH) {
        duration_to_str(c->values[COUNTER_counted_ns], time);
        text_addf(out, ": it takes %s, about as long as one that does nothing", time);
    } else if (b == BOUND_DIVERGENCE) {
        text_addf(out, ": %.1f of 32 work-items take part in an instruction",
                  c->values[COUNTER_item_instructions] / c->values[COUNTER_instructions]);
    } else if (b == BOUND_LATENCY && c->stall[0]) {
        text_addf(out, ": no unit is busy, and %.0f %% of the waiting warps wait for %s",
                  c->values[COUNTER_stall_share], c->stall);
    } else if (bound_reasons[b].behind) {
        enum counter counter = bound_reasons[b].counter, whole = bound_reasons[b].whole;
        double value = whole == NONE ? c->values[counter] : counters_share(c, counter, whole);
        if (b == BOUND_L2)
            value = fmax(value, c->values[COUNTER_l2_link_busy]);
        text_addf(out, ": %s%.0f %%%s", bound_reasons[b].before, value, bound_reasons[b].behind);
    }
}

// ---- differences -------------------------------------------------------------------------------

// An amount of both launches. Below `least` it decides nothing.
static const struct {
    const char *does, *what;
    enum counter counter, more; // their sum
    enum row_unit unit;
    double least;
} amounts[] = {
    {"moves", "bytes to and from memory", COUNTER_dram_read_bytes, COUNTER_dram_write_bytes,
     ROW_BYTES, 1 << 20},
    {"moves", "bytes from L2", COUNTER_l2_read_bytes, NONE, ROW_BYTES, 1 << 20},
    {"moves", "bytes to L2", COUNTER_l2_write_bytes, NONE, ROW_BYTES, 1 << 20},
    {"has", "bank conflicts", COUNTER_bank_conflicts, NONE, ROW_COUNT, 1e5},
    {"moves", "bytes of spilled registers and private arrays", COUNTER_local_sectors, NONE,
     ROW_SECTORS, 1 << 15},
    {"executes", "instructions", COUNTER_item_instructions, NONE, ROW_COUNT, 1e5},
    {"requests", "bytes of global memory", COUNTER_requested_read_bytes,
     COUNTER_requested_write_bytes, ROW_BYTES, 1},
    {"does", "floating-point operations", COUNTER_operations, NONE, ROW_COUNT, 1},
};
#define AMOUNT_COUNT (sizeof amounts / sizeof *amounts)

#define DIFFERS 1.1 // times, at least

static double amount_of(const struct counters *c, size_t i)
{
    double more = amounts[i].more == NONE ? 0 : c->values[amounts[i].more];
    return c->values[amounts[i].counter] + more;
}

// How many times, as a logarithm; 0: it does not matter, or is not known.
static double distance(const struct counters *a, const struct counters *b, size_t i)
{
    double x = amount_of(a, i), y = amount_of(b, i), ratio = fabs(log(fmax(x, 1) / fmax(y, 1)));
    if (isnan(x + y))
        return 0;
    return fmax(x, y) >= amounts[i].least && ratio >= log(DIFFERS) ? ratio : 0;
}

static void put_difference(const struct counters *a, const char *label, const struct counters *b,
                           const char *other, size_t i, struct text *out)
{
    double x = amount_of(a, i), y = amount_of(b, i);
    text_addf(out, "%s %s ", label, amounts[i].does);
    if (x == 0)
        text_addf(out, "no %s, %s ", amounts[i].what, other);
    else if (y == 0)
        text_addf(out, "%s that %s does not (", amounts[i].what, other);
    else
        text_addf(out, "%.2g times %s %s than %s (", x < y ? y / x : x / y,
                  x < y ? "fewer" : "more", amounts[i].what, other);
    put_amount(x == 0 ? y : x, amounts[i].unit, out);
    if (x > 0 && y > 0) {
        text_add(out, ", ");
        put_amount(y, amounts[i].unit, out);
    }
    text_add(out, x == 0 ? ".\n" : ").\n");
}

void report_counters_differ(const struct counters *a, const char *label, const struct counters *b,
                            const char *other, uint32_t most, struct text *out)
{
    bool is_told[AMOUNT_COUNT] = {false};
    for (uint32_t told = 0; told < most; told++) {
        size_t next = AMOUNT_COUNT;
        for (size_t i = 0; i < AMOUNT_COUNT; i++) {
            if (!is_told[i] &&
                distance(a, b, i) > (next == AMOUNT_COUNT ? 0 : distance(a, b, next)))
                next = i;
        }
        if (next == AMOUNT_COUNT)
            return;
        is_told[next] = true;
        put_difference(a, label, b, other, next, out);
    }
}
