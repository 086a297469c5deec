// Labels: how wide a text is, where it breaks into lines, and rows with names. Widths are those of DejaVu Sans, the widest of the
// fonts that systems have for their interfaces: a label that fits here fits everywhere.
#include "picture/picture.h"

#include <math.h>
#include <string.h>

enum { FIRST = 32, LAST = 126, NARROW = 480, ABOVE_GAP = 18 };

// Thousandths of the font's size, from the blank to the tilde.
static const uint16_t widths[] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

static double part_width(const char *text, size_t length)
{
    double thousandths = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= FIRST && c <= LAST)
            thousandths += widths[c - FIRST];
        else if ((c & 0xc0) != 0x80) // of others a full width for each character
            thousandths += 1000;
    }
    return thousandths / 1000 * PICTURE_FONT;
}

double picture_text_width(const char *text)
{
    return part_width(text, strlen(text));
}

// ---- lines -------------------------------------------------------------------------------------

static bool ends_character(const char *text, size_t at)
{
    return ((unsigned char)text[at] & 0xc0) != 0x80;
}

size_t picture_line_length(const char *text, double room)
{
    size_t length = strlen(text), blank = 0, good = 0, most = 0;
    if (part_width(text, length) <= room)
        return length;
    for (size_t i = 1; i < length && part_width(text, i) <= room; i++) {
        if (!ends_character(text, i))
            continue;
        most = i;
        blank = text[i - 1] == ' ' ? i : blank;
        good = strchr(",_/-:", text[i - 1]) ? i : good;
    }
    // at least a character, so that each line comes further
    size_t one = 1;
    while (one < length && !ends_character(text, one))
        one++;
    return blank ? blank : good ? good : most ? most : one;
}

size_t picture_line_count(const char *text, double room)
{
    size_t lines = 0;
    for (size_t length; *text; text += length, lines++)
        length = picture_line_length(text, room);
    return lines;
}

void picture_lines(const struct picture *p, const char *kind, double x, double y,
                   const char *anchor, double room, const char *text)
{
    size_t length = 0;
    for (size_t row = 0; *text; row++, text += length) {
        struct text line = TEXT_INIT;
        length = picture_line_length(text, room);
        size_t shown = length;
        while (shown > 0 && text[shown - 1] == ' ')
            shown--;
        text_addn(&line, text, shown);
        picture_text(p, kind, x, y + (double)row * PICTURE_LINE, anchor, text_cstr(&line));
        p->out->failed |= line.failed;
        text_release(&line);
    }
}

// ---- rows --------------------------------------------------------------------------------------

void picture_rows(struct picture_rows *rows, double width, const char *const *names, size_t count,
                  double least)
{
    double longest = 0, most = width < NARROW ? width - 32 : 0.45 * width;
    size_t lines = 1;
    rows->is_above = width < NARROW;
    for (size_t i = 0; i < count; i++)
        longest = fmax(longest, picture_text_width(names[i]));
    rows->room = fmin(longest + 1, most);
    longest = 0; // of what is left of the names in their lines
    for (size_t i = 0; i < count; i++) {
        size_t own = 0;
        const char *at = names[i];
        for (size_t length; *at; at += length, own++) {
            length = picture_line_length(at, rows->room);
            longest = fmax(longest, part_width(at, length));
        }
        lines = own > lines ? own : lines;
    }
    rows->room = fmin(longest + 1, most);
    double text = PICTURE_LINE * (double)lines;
    rows->left = rows->is_above ? 16 : rows->room + 24;
    rows->height = rows->is_above ? text + ABOVE_GAP + 4 : fmax(text + 7, least);
    rows->middle = rows->is_above ? (text + ABOVE_GAP / 2.0 + 2) / rows->height : 0.5;
    rows->half = rows->is_above ? 0.4 * ABOVE_GAP / rows->height : 0.3;
}

void picture_row_name(const struct picture *p, const struct picture_rows *rows, size_t row,
                      const char *name)
{
    double top = picture_y(p, (double)row);
    size_t lines = picture_line_count(name, rows->room);
    if (rows->is_above)
        picture_lines(p, "note halo", p->left + 4, top + PICTURE_LINE - 1, "start", rows->room,
                      name);
    else
        picture_lines(p, "note", p->left - 8,
                      picture_y(p, (double)row + 0.5) + 4 -
                          0.5 * PICTURE_LINE * ((double)lines - 1),
                      "end", rows->room, name);
}

enum { LIST_WIDTH = 760, LIST_REST = 84 }; // usual width; height of all but the rows

void picture_begin_rows(struct picture *p, struct picture_rows *rows, struct text *out,
                        const struct canvas *at, const struct picture_list *list)
{
    picture_rows(rows, picture_width(at, LIST_WIDTH), list->names, list->count, list->least);
    picture_begin(p, out, at, LIST_WIDTH, LIST_REST + rows->height * (double)list->count,
                  list->title, list->description);
    p->left = rows->left;
    p->x = list->x;
    p->y =
        (struct axis){.kind = AXIS_NAMES, .low = 0, .high = 0}; // names are drawn with their rows
    picture_axes(p);
    p->y = (struct axis){.low = (double)list->count, .high = 0};
}
