// Reading the simulator's log. A message is a line that begins at the margin and the lines behind
// it that begin with a tab:
//
//   Read-write data race at local memory address 0x1000000000004
//   	Kernel: faults
//
//   	First entity:  Global(1,0,0) Local(1,0,0) Group(0,0,0)
//   	  store float %cond, float addrspace(3)* %arrayidx20, align 4
//   	At line 36 (column 34) of input.cl:
//   	  tile_a[local_y][local_x] = ...
//
//   	Second entity: ...
#include "workflows/check/races.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LOG_LIMIT (256u << 20)

struct line {
    const char *at;
    size_t length;
};

// A message while its lines are read.
struct message {
    struct race race;
    struct line instruction[2]; // of each side
    struct race_place *place;   // the lines that follow are about it
    bool known;                 // the first line is one of the table
    bool by_instruction;        // the instruction shows whether it reads or writes
    bool wants_detail;          // what went wrong is the next line, at the margin
    bool text_next;             // the next line is source
    bool open;                  // there is one
};

struct reader {
    struct arena *arena;
    struct races *out;
    size_t room;
    struct message message;
    struct race last;  // counted last
    size_t last_place; // of it in `out`
    bool more;         // the simulator has stopped counting
    bool failed;       // out of memory
};

// ---- pieces of lines ---------------------------------------------------------------------------

static bool begins_with(struct line l, const char *prefix)
{
    size_t n = strlen(prefix);
    return l.length >= n && memcmp(l.at, prefix, n) == 0;
}

static struct line rest_of_line(struct line l, size_t from)
{
    from = from < l.length ? from : l.length;
    return (struct line){l.at + from, l.length - from};
}

static struct line trim_line(struct line l)
{
    while (l.length && isspace((unsigned char)*l.at))
        l = rest_of_line(l, 1);
    while (l.length && isspace((unsigned char)l.at[l.length - 1]))
        l.length--;
    return l;
}

// The rest of the line after the first `word`; empty without it.
static struct line line_after(struct line l, const char *word)
{
    const char *found = l.length ? memmem(l.at, l.length, word, strlen(word)) : NULL;
    return found ? rest_of_line(l, (size_t)(found - l.at) + strlen(word)) : (struct line){l.at, 0};
}

static uint64_t line_number(struct line l)
{
    uint64_t n = 0;
    for (size_t i = 0; i < l.length && isdigit((unsigned char)l.at[i]) && n < UINT32_MAX; i++)
        n = n * 10 + (uint64_t)(l.at[i] - '0');
    return n;
}

static const char *keep_line(struct reader *r, struct line l)
{
    const char *copy = arena_strndup(r->arena, l.at, l.length);
    r->failed = r->failed || !copy;
    return copy ? copy : "";
}

// "Global(1,0,0) Local(1,0,0)" -> "global (1,0,0) local (1,0,0)"
static const char *keep_item(struct reader *r, struct line l)
{
    struct text t = TEXT_INIT;
    for (size_t i = 0; i < l.length; i++) {
        if (l.at[i] == '(' && i && l.at[i - 1] != ' ')
            text_addc(&t, ' ');
        text_addc(&t, (char)tolower((unsigned char)l.at[i]));
    }
    r->failed = r->failed || t.failed;
    const char *kept = keep_line(r, (struct line){text_cstr(&t), t.length});
    text_release(&t);
    return kept;
}

// ---- first lines -------------------------------------------------------------------------------

static const struct {
    const char *prefix;
    enum race_kind kind;
    bool detail;         // the line says more than the kind does
    bool by_instruction; // reads or writes: the instruction tells
    bool wants_detail;
} headers[] = {
    {"Read-write data race", RACE_READ_WRITE, false, false, false},
    {"Write-write data race", RACE_WRITE_WRITE, false, false, false},
    {"Invalid read of size", RACE_READ_OUTSIDE, false, false, false},
    {"Invalid write of size", RACE_WRITE_OUTSIDE, false, false, false},
    {"Index (", RACE_READ_OUTSIDE, true, true, false},
    {"Work-group divergence", RACE_DIVERGENCE, false, false, false},
    {"Uninitialized", RACE_UNINITIALISED, true, false, false},
    {"Controlflow depends on uninitialized", RACE_UNINITIALISED, true, false, false},
    {"Instruction depends on an uninitialized", RACE_UNINITIALISED, true, false, false},
    {"OCLGRIND FATAL ERROR", RACE_OTHER, false, false, true},
};

// The message before closes, and its first line opens another.
static void open_message(struct reader *r, struct line l)
{
    static const struct race_place nowhere = {"", 0, 0, "", ""};
    struct message *m = &r->message;
    struct race *race = &m->race;
    bool detail = true;
    *m = (struct message){.race = {.kernel = "", .at = nowhere, .other = nowhere}, .open = true};
    m->place = &race->at;
    race->kind = RACE_OTHER;
    for (size_t i = 0; i < sizeof headers / sizeof *headers && !m->known; i++) {
        if (!begins_with(l, headers[i].prefix))
            continue;
        m->known = true;
        race->kind = headers[i].kind;
        detail = headers[i].detail;
        m->by_instruction = headers[i].by_instruction;
        m->wants_detail = headers[i].wants_detail;
    }
    // The word before "memory address".
    struct line behind = line_after(l, " memory address");
    const char *end = behind.length ? behind.at - strlen(" memory address") : l.at, *word = end;
    while (word > l.at && word[-1] != ' ')
        word--;
    race->memory = keep_line(r, (struct line){word, (size_t)(end - word)});
    race->bytes = line_number(line_after(l, " of size "));
    race->detail = detail ? keep_line(r, l) : "";
}

// ---- the lines behind --------------------------------------------------------------------------

static void read_kernel_name(struct message *m, struct line l, struct reader *r)
{
    m->race.kernel = keep_line(r, l);
}

static void read_item(struct message *m, struct line l, struct reader *r)
{
    m->place->item = keep_item(r, l);
}

static void read_group(struct message *m, struct line l, struct reader *r)
{
    const char *group = keep_line(r, l);
    const char *item = arena_printf(r->arena, "group %s", group);
    r->failed = r->failed || !item;
    m->place->item = item ? item : "";
}

static void read_other_item(struct message *m, struct line l, struct reader *r)
{
    m->place = &m->race.other;
    read_item(m, l, r);
}

static void read_others(struct message *m, struct line l, struct reader *r)
{
    (void)l;
    (void)r;
    m->place = &m->race.other;
}

// "36 (column 34) of input.cl:"; an included file stands in its tree, "./<digest>/inc/tile.h".
static void read_position(struct message *m, struct line l, struct reader *r)
{
    struct line file = trim_line(line_after(l, " of "));
    if (file.length && file.at[file.length - 1] == ':')
        file.length--;
    if (begins_with(file, "./")) {
        const char *slash = memchr(file.at + 2, '/', file.length - 2);
        bool digest = slash && slash - file.at - 2 == 32;
        file = rest_of_line(file, digest ? 35 : 2);
    }
    m->place->line = (uint32_t)line_number(l);
    m->place->column = (uint32_t)line_number(line_after(l, "(column "));
    m->place->file = keep_line(r, file);
    m->text_next = true;
}

static const struct {
    const char *prefix;
    void (*read)(struct message *m, struct line l, struct reader *r); // given what stands behind it
} fields[] = {
    {"fence=", NULL},
    {"dest=", NULL},
    {"elem_size=", NULL},
    {"Kernel:", read_kernel_name},
    {"Entity:", read_item},
    {"First entity:", read_item},
    {"Second entity:", read_other_item},
    {"Work-group:", read_group},
    {"Work-item:", read_item},
    {"Previous work-items", read_others},
    {"At line ", read_position},
    {"Debugging information", NULL},
    {"(location unknown)", NULL},
};

static void read_body(struct message *m, struct line l, struct reader *r)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!begins_with(l, fields[i].prefix))
            continue;
        m->text_next = false;
        if (fields[i].read)
            fields[i].read(m, trim_line(rest_of_line(l, strlen(fields[i].prefix))), r);
        return;
    }
    bool indented = begins_with(l, "  ");
    struct line trimmed = trim_line(l);
    if (!trimmed.length)
        return;
    if (m->text_next && indented)
        m->place->text = keep_line(r, trimmed);
    else if (indented)
        m->instruction[m->place == &m->race.other] = trimmed;
    else if (!*m->race.detail)
        m->race.detail = keep_line(r, trimmed);
    m->text_next = false;
}

// ---- whole messages ----------------------------------------------------------------------------

static bool reads(struct line instruction)
{
    return line_after(instruction, "= load ").length > 0;
}

static bool writes(struct line instruction)
{
    return begins_with(instruction, "store ");
}

// The simulator tells the two sides of a race in either order.
static void order_sides(struct message *m)
{
    struct race *race = &m->race;
    bool turn = false;
    int by_file = strcmp(race->at.file, race->other.file);
    if (race->kind == RACE_READ_WRITE && (reads(m->instruction[1]) || writes(m->instruction[0])))
        turn = !reads(m->instruction[0]);
    else if (race->kind == RACE_WRITE_WRITE)
        turn = by_file ? by_file > 0 : race->at.line > race->other.line;
    if (!turn)
        return;
    struct race_place at = race->at;
    race->at = race->other;
    race->other = at;
}

static void count_race(struct reader *r, const struct race *race)
{
    size_t i = 0;
    while (i < r->out->count && !race_same(&r->out->races[i], race))
        i++;
    if (i == r->out->count) {
        if (!ARENA_ROOM(r->arena, r->out->races, r->room, i + 1)) {
            r->failed = true;
            return;
        }
        r->out->races[r->out->count++] = *race;
    }
    r->out->races[i].count++;
    r->last = *race;
    r->last_place = i;
}

// An access outside a static array is reported twice, the second time with the index.
static bool is_told(struct reader *r, const struct message *m)
{
    const struct race *race = &m->race;
    if (!m->by_instruction || r->out->count == 0 || !race_same(&r->last, race) ||
        !str_equal(r->last.at.item, race->at.item))
        return false;
    struct race *told = &r->out->races[r->last_place];
    if (!*told->detail)
        told->detail = race->detail;
    return true;
}

// A message without a place and a kind is not a finding. The last one may have been cut short.
static void close_message(struct reader *r, bool at_end)
{
    struct message *m = &r->message;
    bool complete = m->race.at.line > 0 || !at_end || r->out->count == 0;
    if (m->open && complete && *m->race.kernel) {
        if (m->by_instruction && writes(m->instruction[0]))
            m->race.kind = RACE_WRITE_OUTSIDE;
        order_sides(m);
        if (!is_told(r, m))
            count_race(r, &m->race);
    }
    m->open = false;
}

static void read_log_line(struct reader *r, struct line l)
{
    struct message *m = &r->message;
    while (l.length && !*l.at) // a hole, where another process has emptied the file
        l = rest_of_line(l, 1);
    if (l.length && l.at[l.length - 1] == '\r')
        l.length--;
    if (begins_with(l, "\t") && m->open) {
        read_body(m, rest_of_line(l, 1), r);
    } else if (begins_with(l, "Oclgrind: ") && line_after(l, "suppressing further").length) {
        r->more = true;
    } else if (m->open && m->wants_detail && l.length) {
        m->race.detail = keep_line(r, trim_line(l));
        m->wants_detail = false;
    } else if (l.length && !begins_with(l, "\t")) {
        close_message(r, false);
        open_message(r, l);
    }
}

bool races_parse(const char *text, size_t length, struct arena *a, struct races *out,
                 struct error *e)
{
    struct reader r = {.arena = a, .out = out};
    *out = (struct races){NULL, 0};
    for (size_t at = 0; at < length && !r.failed;) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t n = end ? (size_t)(end - text) - at : length - at;
        read_log_line(&r, (struct line){text + at, n});
        at += n + 1;
    }
    close_message(&r, true);
    for (size_t i = 0; i < out->count; i++)
        out->races[i].more = r.more;
    return !r.failed || error_memory(e);
}

bool races_take(const char *log, struct arena *a, struct races *out, struct error *e)
{
    struct text text = TEXT_INIT;
    *out = (struct races){NULL, 0};
    if (access(log, F_OK) != 0)
        return true;
    bool ok = file_read(log, LOG_LIMIT, &text, e) &&
              races_parse(text_cstr(&text), text.length, a, out, e);
    text_release(&text);
    if (ok && unlink(log) != 0 && errno != ENOENT)
        ok =
            error_set_driver(e, ERROR_IO, errno, "%s: cannot be removed: %s", log, strerror(errno));
    return ok || error_context(e, "the simulator's log");
}
