// Compares two builds of one kernel: their PTX or SASS is counted by class of instruction (code/),
// what differs most becomes a sentence, everything a table.
#include "report/why.h"

#include "model/arch.h"
#include "model/result_fields.h"
#include "report/counters_report.h"
#include "report/table.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

// ---- taking builds apart -----------------------------------------------------------------------

#define NOT_NVIDIA "the driver returned neither PTX nor a cubin: only NVIDIA's code can be analysed"

static bool profile_ptx(const struct why_build *b, struct code_profile *out, struct error *e)
{
    if (code_is_ptx(b->binary, b->length))
        return code_profile(b->binary, b->length, CODE_PTX, b->kernel, out, e);
    if (b->ptx)
        return code_profile(b->ptx, b->ptx_length, CODE_PTX, b->kernel, out, e);
    if (code_is_cubin(b->binary, b->length))
        return error_set(e, ERROR_INPUT, "the driver returned a cubin without its PTX");
    return error_set(e, ERROR_DEVICE, NOT_NVIDIA);
}

// The target that a PTX text is assembled for: its own where that says an architecture's own
// instructions ("sm_90a"), else what the caller says.
static bool choose_target(const struct why_build *b, char *out, struct error *e)
{
    if (!code_ptx_target(b->binary, b->length, out))
        return error_set(e, ERROR_INPUT, "its PTX has no .target");
    char last = out[strlen(out) - 1];
    if (b->target && last >= '0' && last <= '9')
        str_format(out, 32, "%s", b->target);
    return true;
}

bool why_sass(const struct why_build *b, const struct code_tools *tools, struct text *out,
              struct error *e)
{
    struct text cubin = TEXT_INIT;
    char target[32];
    bool ok = true;
    if (code_is_ptx(b->binary, b->length))
        ok = choose_target(b, target, e) &&
             code_assemble(tools, b->binary, b->length, target, &cubin, e);
    else if (code_is_cubin(b->binary, b->length))
        text_addn(&cubin, b->binary, b->length);
    else
        ok = error_set(e, ERROR_DEVICE, NOT_NVIDIA);
    ok = ok && (!cubin.failed || error_memory(e)) &&
         code_disassemble(tools, cubin.data, cubin.length, out, e);
    text_release(&cubin);
    return ok;
}

static bool profile_sass(const struct why_build *b, const struct code_tools *tools,
                         struct code_profile *out, struct error *e)
{
    struct text sass = TEXT_INIT;
    bool ok = why_sass(b, tools, &sass, e) &&
              code_profile(text_cstr(&sass), sass.length, CODE_SASS, b->kernel, out, e);
    text_release(&sass);
    return ok;
}

static void make_part(const struct why_build *builds, uint32_t count, enum code_kind kind,
                      const struct code_tools *tools, struct why_part *out)
{
    out->is_there = true;
    for (uint32_t i = 0; i < count; i++) {
        struct error e = ERROR_INIT;
        const struct why_build *b = &builds[i];
        out->sides[i].label = b->label;
        bool ok = kind == CODE_PTX ? profile_ptx(b, &out->sides[i].profile, &e)
                                   : profile_sass(b, tools, &out->sides[i].profile, &e);
        if (!ok && out->is_there) {
            out->is_there = false;
            str_format(out->missing, sizeof out->missing, "%s: %s", b->label, e.text);
        }
    }
}

bool why_make(const struct why_build *builds, uint32_t count, const struct code_tools *tools,
              struct view_why *out, struct error *e)
{
    *out = (struct view_why){.count = count};
    for (uint32_t i = 0; i < count; i++)
        out->labels[i] = builds[i].label;
    for (int kind = 0; kind < CODE_KINDS; kind++)
        make_part(builds, count, (enum code_kind)kind, tools, &out->parts[kind]);
    if (out->parts[CODE_PTX].is_there || out->parts[CODE_SASS].is_there)
        return true;
    if (strcmp(out->parts[CODE_PTX].missing, out->parts[CODE_SASS].missing) == 0)
        return error_set(e, ERROR_DEVICE, "%s", out->parts[CODE_PTX].missing);
    return error_set(e, ERROR_DEVICE, "%s; %s", out->parts[CODE_SASS].missing,
                     out->parts[CODE_PTX].missing);
}

void why_target(uint32_t capability, char *out)
{
    struct arch_name name = {capability, capability >= 90 ? 'a' : '\0'};
    arch_text(&name, out);
}

// ---- rows --------------------------------------------------------------------------------------

struct row {
    char label[96];
    double counts[2];
};

#define ROWS_MOST (CODE_CLASS_COUNT + CODE_ACCESSES * CODE_WIDTHS + 2)

struct rows {
    struct row rows[ROWS_MOST];
    size_t count;
    uint32_t sides;
    const char *labels[2];
    double multiply_adds[2]; // that counts are divided by; 0: they are not
};

static void add_row(struct rows *r, double a, double b, const char *label)
{
    if (a == 0 && b == 0)
        return;
    struct row *row = &r->rows[r->count++];
    str_format(row->label, sizeof row->label, "%s", label);
    row->counts[0] = a;
    row->counts[1] = b;
}

// A class; below it its widths, or with it where there is but one.
static void add_class(struct rows *r, const struct code_counts *const c[2], enum code_class class)
{
    char label[96];
    unsigned widths = 0, bits = 0;
    for (unsigned w = 0; class < CODE_ACCESSES && w < CODE_WIDTHS; w++) {
        if (c[0]->wide[class][w] + c[1]->wide[class][w] == 0)
            continue;
        widths++;
        bits = code_width_bits(w);
    }
    const char *name = code_class_text(class, 2);
    if (widths == 1)
        str_format(label, sizeof label, "%s, %u bits", name, bits);
    add_row(r, c[0]->of[class], c[1]->of[class], widths == 1 ? label : name);
    for (unsigned w = 0; widths > 1 && w < CODE_WIDTHS; w++) {
        str_format(label, sizeof label, "  of %u bits", code_width_bits(w));
        add_row(r, c[0]->wide[class][w], c[1]->wide[class][w], label);
    }
}

// One part's loops, or its whole kernels; what neither has is left out.
static void make_rows(const struct why_part *part, uint32_t sides, bool loop, struct rows *r)
{
    const struct code_counts none = {.instructions = 0}, *c[2] = {&none, &none};
    *r = (struct rows){.sides = sides};
    for (uint32_t i = 0; i < sides; i++) {
        const struct code_profile *p = &part->sides[i].profile;
        c[i] = loop ? &p->loop : &p->whole;
        r->labels[i] = part->sides[i].label;
        r->multiply_adds[i] = loop ? c[i]->multiply_adds : 0;
    }
    add_row(r, c[0]->instructions, c[1]->instructions, "instructions");
    for (int class = 0; class < CODE_CLASS_COUNT; class ++)
        add_class(r, c, (enum code_class) class);
    add_row(r, c[0]->multiply_adds, c[1]->multiply_adds, "multiply-adds of a work-item");
}

// ---- sentences ---------------------------------------------------------------------------------

// The two sides of a comparison: passes of two loops, or whole kernels if one has no loop.
struct compared {
    const struct code_counts *counts[2];
    const char *labels[2];
    bool loops;
    double scale[2]; // a count times this is what is compared
    bool scaled;     // to a hundred multiply-adds, because a pass does more of them in one
};

static void choose_compared(const struct why_part *part, struct compared *out)
{
    const struct code_profile *a = &part->sides[0].profile, *b = &part->sides[1].profile;
    out->loops = a->loop_depth > 0 && b->loop_depth > 0;
    out->counts[0] = out->loops ? &a->loop : &a->whole;
    out->counts[1] = out->loops ? &b->loop : &b->whole;
    double work[2] = {out->counts[0]->multiply_adds, out->counts[1]->multiply_adds};
    out->scaled = work[0] > 0 && work[1] > 0 && work[0] != work[1];
    for (int i = 0; i < 2; i++) {
        out->labels[i] = part->sides[i].label;
        out->scale[i] = out->scaled ? 100 / work[i] : 1;
    }
}

// "12 64-bit integer operations", "none"; of accesses with their widths, "16 ... (8 of 32 bits,
// ...)".
static void put_amount(const struct compared *c, int side, enum code_class class, bool noun,
                       struct text *out)
{
    const struct code_counts *counts = c->counts[side];
    double amount = counts->of[class] * c->scale[side];
    if (amount == 0) {
        text_addf(out, "no%s%s", noun ? " " : "ne", noun ? code_class_text(class, 2) : "");
        return;
    }
    text_addf(out, c->scaled ? "%.3g" : "%.0f", amount);
    if (noun)
        text_addf(out, " %s", code_class_text(class, c->scaled ? 2 : counts->of[class]));
    const char *between = " (";
    for (unsigned w = 0; class < CODE_ACCESSES && w < CODE_WIDTHS; w++) {
        double wide = counts->wide[class][w] * c->scale[side];
        if (wide == 0)
            continue;
        if (wide == amount)
            text_addf(out, "%sof %u bits", between, code_width_bits(w));
        else
            text_addf(out, c->scaled ? "%s%.3g of %u bits" : "%s%.0f of %u bits", between, wide,
                      code_width_bits(w));
        between = ", ";
    }
    text_add(out, between[0] == ',' ? ")" : "");
}

static double difference(const struct compared *c, int class)
{
    return fabs(c->counts[0]->of[class] * c->scale[0] - c->counts[1]->of[class] * c->scale[1]);
}

#define SENTENCES_MOST 5
#define LEAST_SHARE    0.01 // of the instructions, for a sentence

static void put_class(const struct compared *c, enum code_class class, struct text *out)
{
    text_addf(out, "%s does ", c->labels[0]);
    put_amount(c, 0, class, true, out);
    text_add(out, c->scaled ? " per 100 multiply-adds" : c->loops ? " per loop pass" : "");
    text_addf(out, ", %s ", c->labels[1]);
    put_amount(c, 1, class, false, out);
    text_add(out, ".\n");
}

// The classes that differ most, one sentence each.
static void put_classes(const struct compared *c, struct text *out)
{
    bool said[CODE_CLASS_COUNT] = {false};
    double a = c->counts[0]->instructions * c->scale[0],
           b = c->counts[1]->instructions * c->scale[1];
    double least = LEAST_SHARE * fmax(a, b);
    int sentences = 0;
    for (; sentences < SENTENCES_MOST; sentences++) {
        int most = -1;
        for (int i = 0; i < CODE_CLASS_COUNT; i++) {
            double d = difference(c, i);
            if (!said[i] && d > 0 && d >= least && (most < 0 || d > difference(c, most)))
                most = i;
        }
        if (most < 0)
            break;
        said[most] = true;
        put_class(c, (enum code_class)most, out);
    }
    if (sentences == 0)
        text_addf(out, "By classes of instructions %s are the same to %.0f %%.\n",
                  c->loops ? "the two loops" : "the two kernels", LEAST_SHARE * 100);
}

// Registers that spill outside the loop, too.
static void put_spills(const struct why_part *part, const struct compared *c, struct text *out)
{
    uint32_t spills[2];
    for (int i = 0; i < 2; i++) {
        const struct code_counts *whole = &part->sides[i].profile.whole;
        spills[i] = whole->of[CODE_LOAD_LOCAL] + whole->of[CODE_STORE_LOCAL];
    }
    if (spills[0] != spills[1])
        text_addf(out,
                  "In the whole kernel %s has %u loads and stores of spilled registers or private "
                  "arrays, %s %u.\n",
                  c->labels[0], spills[0], c->labels[1], spills[1]);
}

#define COUNTED_SENTENCES 3

// Sentences of what the card counted come first: they say most.
static void put_counted_sentences(const struct view_why *v, struct text *out)
{
    for (uint32_t i = 0; v->counters[0] && i < v->count; i++) {
        struct text bound = TEXT_INIT;
        report_bound(v->counters[i], &bound);
        if (bound.length)
            text_addf(out, "%s is bound by %s.\n", v->labels[i], text_cstr(&bound));
        text_release(&bound);
    }
    if (v->counters[0])
        report_counters_differ(v->counters[0], v->labels[0], v->counters[1], v->labels[1],
                               COUNTED_SENTENCES, out);
}

void report_why_sentences(const struct view_why *v, struct text *out)
{
    if (v->count == 2)
        put_counted_sentences(v, out);
    struct compared c;
    const struct why_part *part = &v->parts[v->parts[CODE_SASS].is_there ? CODE_SASS : CODE_PTX];
    if (v->count < 2 || !part->is_there)
        return;
    choose_compared(part, &c);
    if (!c.loops && part->sides[0].profile.loops + part->sides[1].profile.loops > 0)
        text_addf(out, "%s has no loop; the whole kernels are compared.\n",
                  part->sides[0].profile.loops ? c.labels[1] : c.labels[0]);
    const struct code_counts *a = c.counts[0], *b = c.counts[1];
    const char *what = c.loops ? "a pass of the hottest loop" : "the kernel";
    if (c.scaled)
        text_addf(out,
                  "For each multiply-add %s of %s has %.3f instructions (%.4g multiply-adds), "
                  "that of %s %.3f (%.4g).\n",
                  what, c.labels[0], a->instructions / a->multiply_adds, a->multiply_adds,
                  c.labels[1], b->instructions / b->multiply_adds, b->multiply_adds);
    else if (a->multiply_adds > 0 && b->multiply_adds > 0)
        text_addf(out, "For the %.4g multiply-adds of %s %s has %u instructions, %s %u.\n",
                  a->multiply_adds, what, c.labels[0], a->instructions, c.labels[1],
                  b->instructions);
    else
        text_addf(out, "In %s %s has %u instructions, %s %u.\n", what, c.labels[0], a->instructions,
                  c.labels[1], b->instructions);
    put_classes(&c, out);
    if (c.loops)
        put_spills(part, &c, out);
}

// ---- tables ------------------------------------------------------------------------------------

static const char *const kind_names[CODE_KINDS] = {[CODE_PTX] = "PTX", [CODE_SASS] = "SASS"};

enum column { LABEL, FIRST, SECOND, DIFFERENCE, PER_FIRST, PER_SECOND, COLUMN_COUNT };

static void put_cell(const struct rows *r, const struct row *row, enum column column,
                     struct text *out)
{
    int side = column == SECOND || column == PER_SECOND;
    if (column == LABEL)
        text_add(out, row->label);
    else if (column == DIFFERENCE && r->sides == 2)
        text_addf(out, "%+.6g", row->counts[0] - row->counts[1]);
    else if (column == FIRST || (column == SECOND && r->sides == 2))
        text_addf(out, "%.6g", row->counts[side]);
    else if (column >= PER_FIRST && r->multiply_adds[side] > 0)
        text_addf(out, "%.3f", row->counts[side] / r->multiply_adds[side]);
}

static void put_column_title(const struct rows *r, enum column column, char *out, size_t size)
{
    const char *label = r->labels[column == SECOND || column == PER_SECOND];
    if (column == LABEL)
        out[0] = '\0';
    else if (column == DIFFERENCE)
        str_format(out, size, "difference");
    else
        str_format(out, size, "%s%s", label ? label : "", column >= PER_FIRST ? " / fma" : "");
}

static void put_text_table(const struct rows *r, struct text *out)
{
    char titles[COLUMN_COUNT][96];
    struct table_column columns_of[COLUMN_COUNT];
    struct table table;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        put_column_title(r, (enum column)c, titles[c], sizeof titles[c]);
        columns_of[c] = (struct table_column){titles[c], c == LABEL ? ALIGN_LEFT : ALIGN_RIGHT};
    }
    table_init(&table, columns_of, COLUMN_COUNT);
    for (size_t i = 0; i < r->count; i++) {
        table_row(&table);
        for (int c = 0; c < COLUMN_COUNT; c++)
            put_cell(r, &r->rows[i], (enum column)c, table_text(&table, (size_t)c));
    }
    table_end(&table, REPORT_TEXT, "  ", out);
}

static void put_markdown_table(const struct rows *r, struct text *out)
{
    char title[96];
    struct text cell = TEXT_INIT;
    bool divided = r->multiply_adds[0] > 0 || r->multiply_adds[1] > 0;
    int last = r->sides == 1 ? SECOND : divided ? COLUMN_COUNT : PER_FIRST;
    text_add(out, "|");
    for (int c = 0; c < last; c++) {
        put_column_title(r, (enum column)c, title, sizeof title);
        text_addf(out, " %s |", title);
    }
    text_add(out, "\n|");
    for (int c = 0; c < last; c++)
        text_add(out, c == LABEL ? "---|" : "---:|");
    for (size_t i = 0; i < r->count; i++) {
        text_add(out, "\n|");
        for (int c = 0; c < last; c++) {
            text_clear(&cell);
            put_cell(r, &r->rows[i], (enum column)c, &cell);
            const char *shown = text_cstr(&cell) + strspn(text_cstr(&cell), " ");
            text_addf(out, " %s%s |", shown != text_cstr(&cell) ? "&nbsp;&nbsp;" : "", shown);
        }
    }
    text_add(out, "\n");
    out->failed |= cell.failed;
    text_release(&cell);
}

// ---- the whole view ----------------------------------------------------------------------------

typedef void table_writer(const struct rows *r, struct text *out);

static void put_part(const struct view_why *v, enum code_kind kind, bool loop, const char *before,
                     const char *after, table_writer *write, struct text *out)
{
    struct rows rows;
    make_rows(&v->parts[kind], v->count, loop, &rows);
    if (rows.count == 0)
        return;
    text_add(out, before);
    // "SASS for sm_90a, the hottest loop (OpenCL: lines 40 to 92, depth 2, of 3 loops; CUDA: ...)"
    const struct why_part *part = &v->parts[kind];
    text_addf(out, "%s, %s (", kind_names[kind],
              loop ? "a pass of the hottest loop" : "the whole kernel");
    for (uint32_t i = 0; i < v->count; i++) {
        const struct code_profile *p = &part->sides[i].profile;
        text_addf(out, "%s%s: ", i ? "; " : "", part->sides[i].label);
        if (!loop)
            text_addf(out, "%s%s%s, ", p->kernel, p->target[0] ? " for " : "", p->target);
        if (!loop)
            put_count(p->loops, "loop", out);
        else if (p->loop_depth == 0)
            text_add(out, "no loop");
        else
            text_addf(out, "lines %zu to %zu, depth %u", p->loop_first, p->loop_last,
                      p->loop_depth);
    }
    text_add(out, ")");
    text_add(out, after);
    write(&rows, out);
}

// SASS first: it is what runs.
static void put_parts(const struct view_why *v, const char *before, const char *after,
                      table_writer *write, struct text *out)
{
    static const enum code_kind order[] = {CODE_SASS, CODE_PTX};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const struct why_part *part = &v->parts[order[i]];
        if (part->is_there) {
            put_part(v, order[i], true, before, after, write, out);
            put_part(v, order[i], false, before, after, write, out);
        } else {
            text_addf(out, "\nNo %s: %s\n", kind_names[order[i]], part->missing);
        }
    }
}

// Why a side has none stands below what both have.
static void put_counted(const struct view_why *v, enum report_format format, struct text *out)
{
    if (!v->counters[0])
        return;
    bool is_text = format == REPORT_TEXT;
    text_addf(out, "\n%sCounters, of one launch%s\n", is_text ? "" : "**", is_text ? "" : "**\n");
    report_counters(v->counters, v->labels, v->count, format, out);
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->counters[i]->refused[0])
            text_addf(out, "\nNone of %s: %s\n", v->labels[i], v->counters[i]->refused);
    }
}

void report_why(const struct view_why *v, struct text *out)
{
    report_why_sentences(v, out);
    put_counted(v, REPORT_TEXT, out);
    put_parts(v, "\n", "\n", put_text_table, out);
}

void report_why_markdown(const struct view_why *v, struct text *out)
{
    struct text sentences = TEXT_INIT;
    report_why_sentences(v, &sentences);
    for (const char *at = text_cstr(&sentences); *at; at += strcspn(at, "\n") + 1)
        text_addf(out, "- %.*s\n", (int)strcspn(at, "\n"), at);
    out->failed |= sentences.failed;
    text_release(&sentences);
    put_counted(v, REPORT_MARKDOWN, out);
    put_parts(v, "\n**", "**\n\n", put_markdown_table, out);
}

// ---- JSON --------------------------------------------------------------------------------------

static void emit_classes(const void *record, const void *context, struct emit *j)
{
    const struct code_counts *c = record;
    (void)context;
    emit_object(j);
    for (int i = 0; i < CODE_CLASS_COUNT; i++) {
        if (c->of[i])
            emit_u64_at(j, code_class_key((enum code_class)i), c->of[i]);
    }
    emit_object_end(j);
}

static void emit_class_widths(const void *record, const void *context, struct emit *j)
{
    const struct code_counts *c = record;
    (void)context;
    emit_object(j);
    for (int class = 0; class < CODE_ACCESSES; class ++) {
        bool open = false;
        for (unsigned w = 0; w < CODE_WIDTHS; w++) {
            char bits[16];
            if (c->wide[class][w] == 0)
                continue;
            if (!open)
                emit_object_at(j, code_class_key((enum code_class) class));
            open = true;
            str_format(bits, sizeof bits, "%u", code_width_bits(w));
            emit_u64_at(j, bits, c->wide[class][w]);
        }
        if (open)
            emit_object_end(j);
    }
    emit_object_end(j);
}

#define COUNTS(X)                                                                                  \
    X(U64, instructions, (v->instructions), "", "")                                                \
    X(F64, multiply_adds, (v->multiply_adds), "", "")                                              \
    X(PUT, classes, (emit_classes, v), "{}", "instructions by class")                              \
    X(PUT, widths, (emit_class_widths, v), "{}", "of accesses to memory: class, bits, count")
FIELDS(counts_fields, struct code_counts, void, COUNTS)

static const uint64_t *loop_lines(const struct code_profile *p, struct arena *a)
{
    const uint64_t lines[] = {p->loop_first, p->loop_last};
    return arena_copy(a, lines, sizeof lines);
}

#define LOOP(X)                                                                                    \
    X(U64, depth, (v->loop_depth), "", "")                                                         \
    X(U64S, lines, (true, loop_lines(v, a), 2), "", "the first and the last")                      \
    X(MEMBERS, counts, (counts_fields, &v->loop), "", "")
FIELDS(loop_fields, struct code_profile, void, LOOP)

#define OF v->profile
#define WHY_SIDE(X)                                                                                \
    X(TEXT, label, (v->label), "", "")                                                             \
    X(TEXT, kernel, (OF.kernel), "", "")                                                           \
    X(SOME, target, (OF.target), "", "")                                                           \
    X(U64, loops, (OF.loops), "", "")                                                              \
    X(RECORD, whole, (counts_fields, &OF.whole), "", "")                                           \
    X(RECORD, loop, (loop_fields, OF.loop_depth > 0 ? &OF : NULL), "", "the innermost one")
FIELDS(why_side_fields, struct why_side, struct view_why, WHY_SIDE)

#define WHY_PART(X)                                                                                \
    X(TEXT, missing, (v->is_there ? NULL : v->missing), "", "why")                                 \
    X(RECORDS, sides, (why_side_fields, v->sides, v->is_there ? c->count : 0), "", "")
FIELDS(why_part_fields, struct why_part, struct view_why, WHY_PART)

static void emit_why_sentences(const void *record, const void *context, struct emit *j)
{
    struct text sentences = TEXT_INIT;
    (void)context;
    report_why_sentences(record, &sentences);
    emit_array(j);
    for (char *at = sentences.data, *end; at && *at; at = end + 1) {
        end = at + strcspn(at, "\n");
        *end = '\0';
        emit_text(j, at);
    }
    emit_array_end(j);
    j->out->failed |= sentences.failed;
    text_release(&sentences);
}

#define WHY(X)                                                                                     \
    X(PUT, sentences, (emit_why_sentences, v), "[]", "the largest differences")                    \
    X(RECORD, ptx, (why_part_fields, &v->parts[CODE_PTX]), "", "")                                 \
    X(RECORD, sass, (why_part_fields, &v->parts[CODE_SASS]), "", "")                               \
    X(RECORD, counters, (result_counters_fields, v->counters[0]), "",                              \
      "of the first side's launch")                                                                \
    X(RECORD, counters_second, (result_counters_fields, v->counters[1]), "", "of the second's")
FIELDS_SHARED(report_why_fields, struct view_why, struct view_why, WHY)
