// Pictures: where values stand, what texts become, how many points become cells.
#include "picture/chart.h"

#include "../base/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void begin(struct picture *p, struct text *out)
{
    picture_begin(p, out, &(struct canvas){.id = "p"}, 400, 200, "a <title>", "it's \"all\"");
    p->x = (struct axis){.kind = AXIS_LINEAR, .low = 0, .high = 10, .title = "x"};
    p->y =
        (struct axis){.kind = AXIS_LOG, .low = 1e3, .high = 1e6, .title = "time", .is_time = true};
}

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        found++;
    return found;
}

START_TEST(values_stand_where_they_should)
{
    struct text out = TEXT_INIT;
    struct picture p;
    begin(&p, &out);
    ck_assert_double_eq(picture_x(&p, 0), p.left);
    ck_assert_double_eq(picture_x(&p, 10), p.right);
    ck_assert_double_eq_tol(picture_x(&p, 5), (p.left + p.right) / 2, 1e-9);
    ck_assert_double_eq(picture_y(&p, 1e3), p.bottom);
    ck_assert_double_eq_tol(picture_y(&p, 1e6), p.top, 1e-9);
    ck_assert_double_eq_tol(picture_y(&p, 1e4), p.bottom + (p.top - p.bottom) / 3, 1e-9);
    p.y = (struct axis){.low = 4, .high = 0}; // from the top
    ck_assert_double_eq(picture_y(&p, 0), p.top);
    text_release(&out);
}
END_TEST

START_TEST(texts_are_no_markup)
{
    struct text out = TEXT_INIT;
    struct picture p;
    begin(&p, &out);
    picture_axes(&p);
    picture_text(&p, "note", 1, 2, "start", "<b> & \xe2\x80\xae\x07");
    picture_end(&p);
    const char *s = text_cstr(&out);
    ck_assert_ptr_nonnull(strstr(s, "a &lt;title&gt;"));
    ck_assert_ptr_nonnull(strstr(s, "it&#39;s &quot;all&quot;"));
    ck_assert_ptr_nonnull(strstr(s, "&lt;b&gt; &amp; \\u202e\\x07"));
    ck_assert_ptr_null(strstr(s, "<b>"));
    ck_assert_ptr_nonnull(strstr(s, "data-y=\"log 1000 1000000 "));
    ck_assert_ptr_nonnull(strstr(s, "time (us)"));
    ck_assert_ptr_null(strstr(s, "nan"));
    text_release(&out);
}
END_TEST

START_TEST(axes_fit_what_is_shown)
{
    struct axis a = {.title = "x"};
    axis_fit(&a, 10, 20);
    ck_assert_int_eq(a.kind, AXIS_LINEAR);
    ck_assert(a.low < 10 && a.low > 9 && a.high > 20 && a.high < 21);
    axis_fit(&a, 10, 1000);
    ck_assert_int_eq(a.kind, AXIS_LOG);
    ck_assert(a.low > 0 && a.low < 10 && a.high > 1000);
    axis_fit(&a, 0, 1000);
    ck_assert_int_eq(a.kind, AXIS_LINEAR);
    ck_assert_double_eq(a.low, 0);
    axis_fit(&a, 7, 7);
    ck_assert(a.low < 7 && a.high > 7);
    axis_fit(&a, INFINITY, 0); // nothing
    ck_assert(a.low < a.high);
}
END_TEST

START_TEST(many_points_become_cells)
{
    static struct mark marks[20000];
    struct text out = TEXT_INIT;
    struct picture p;
    begin(&p, &out);
    for (size_t i = 0; i < 20000; i++)
        marks[i] = (struct mark){(double)(i % 100) / 10, 1e3 * (1 + (double)(i % 7))};
    picture_points(&p, "correct", marks, 3);
    ck_assert_uint_eq(count(text_cstr(&out), "h0"), 3);
    size_t before = out.length;
    picture_density(&p, "correct", marks, 20000);
    ck_assert_uint_lt(out.length - before, 40000);
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "cells correct depth"));
    text_release(&out);
}
END_TEST

START_TEST(coordinates)
{
    static const struct {
        double value;
        const char *text;
    } known[] = {{0, "0"},         {1.5, "1.5"}, {-2.25, "-2.25"}, {1.004, "1"},
                 {12.05, "12.05"}, {NAN, "0"},   {-0.001, "0"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct text out = TEXT_INIT;
        put_coordinate(known[i].value, &out);
        ck_assert_str_eq(text_cstr(&out), known[i].text);
        text_release(&out);
    }
}
END_TEST

START_TEST(charts)
{
    static const struct chart_point one[] = {
        {64, 2, 1, 3}, {128, NAN, NAN, NAN}, {256, 8, NAN, NAN}, {512, 9, NAN, NAN}};
    static const struct chart_point other[] = {{64, 1, NAN, NAN}, {512, 30, NAN, NAN}};
    static const struct chart_line lines[] = {{"mine <1>", one, 4}, {"theirs", other, 2}};
    static const struct chart_panel panels[] = {{"K=1", lines}, {"K=2", lines}};
    struct chart c = {.title = "t",
                      .about = "a",
                      .x_title = "N",
                      .y_title = "GFLOP/s",
                      .panels = panels,
                      .panel_count = 2,
                      .line_count = 2,
                      .limit = 40,
                      .limit_name = "peak"};
    struct text out = TEXT_INIT, file = TEXT_INIT;
    picture_chart(&c, &(struct canvas){.id = "c"}, &out);
    const char *s = text_cstr(&out);
    ck_assert_uint_eq(count(s, "mine &lt;1&gt;"), 1); // one legend
    ck_assert_uint_eq(count(s, "class=\"frame\" data-x=\"log "), 2);
    ck_assert_uint_eq(count(s, ">512</text>"), 2); // a tick at each size
    ck_assert_uint_eq(count(s, ">100</text>"), 0);
    // of each panel: an interval, what is behind the gap, and the other line; two in the legend
    ck_assert_uint_eq(count(s, "class=\"line s0\""), 5);
    ck_assert_uint_eq(count(s, "class=\"line s1\""), 3);
    ck_assert_uint_eq(count(s, "line peak"), 2);
    ck_assert_ptr_null(strstr(s, "nan"));
    picture_file(&out, &file);
    ck_assert_ptr_nonnull(strstr(text_cstr(&file), "<style>"));
    text_release(&file);
    text_release(&out);
}
END_TEST

// Names have as many lines as they need, at blanks and the like; each byte of them is in one.
START_TEST(labels_break_into_lines)
{
    static const char name[] = "GROUP=32, ROWS_PER_GROUP=32, UNROLL=4";
    double room = picture_text_width("ROWS_PER_GROUP=32, ");
    size_t length = 0, lines = 0;
    for (const char *at = name; *at; lines++) {
        size_t line = picture_line_length(at, room);
        ck_assert(line > 0);
        length += line;
        at += line;
    }
    ck_assert_uint_eq(length, strlen(name));
    ck_assert_uint_eq(lines, 3);
    ck_assert_uint_eq(picture_line_count(name, room), 3);
    ck_assert_uint_eq(picture_line_length(name, 1e9), strlen(name));
    ck_assert_uint_eq(picture_line_length("\xe2\x80\xa6\xe2\x80\xa6", 1),
                      3); // a character at least, whole
    ck_assert(picture_text_width("WWW") > 2 * picture_text_width("iii"));
}
END_TEST

// Rows that have names at their left have them above where the picture is narrow.
START_TEST(names_of_rows)
{
    static const char *const names[] = {"short",
                                        "GROUP=32, ROWS_PER_GROUP=32, UNROLL=4, USE_LOCAL=1"};
    struct picture_rows wide, narrow;
    picture_rows(&wide, 760, names, 2, 22);
    picture_rows(&narrow, 340, names, 2, 22);
    ck_assert(!wide.is_above && narrow.is_above);
    ck_assert(wide.left > picture_text_width(names[0]) && narrow.left < 20);
    ck_assert(narrow.height > wide.height && narrow.middle > wide.middle);
}
END_TEST

// A text beyond the edges makes the picture larger: the view box, and the width beside it.
START_TEST(no_text_is_cut)
{
    struct text out = TEXT_INIT;
    struct picture p;
    double box[4], width = picture_text_width("beyond the right edge");
    begin(&p, &out);
    picture_text(&p, "note", 390, 100, "start", "beyond the right edge");
    picture_text(&p, "note", 5, 210, "end", "left");
    picture_end(&p);
    ck_assert_int_eq(sscanf(strstr(text_cstr(&out), "viewBox=\""), "viewBox=\"%lf %lf %lf %lf",
                            &box[0], &box[1], &box[2], &box[3]),
                     4);
    ck_assert(box[0] <= 5 - picture_text_width("left") && box[0] + box[2] >= 390 + width);
    ck_assert(box[1] + box[3] >= 210 && box[1] == 0);
    text_release(&out);
}
END_TEST

// On paper a picture has its width in millimetres.
START_TEST(paper)
{
    struct text out = TEXT_INIT;
    struct picture p;
    picture_begin(&p, &out, &(struct canvas){"p", 357, 84}, 760, 178.5, "t", "d");
    ck_assert_double_eq(p.width, 357);
    picture_end(&p);
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "width=\"84mm\" height=\"42.1176mm\""));
    text_release(&out);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, values_stand_where_they_should);
    tcase_add_test(tests, texts_are_no_markup);
    tcase_add_test(tests, axes_fit_what_is_shown);
    tcase_add_test(tests, many_points_become_cells);
    tcase_add_test(tests, coordinates);
    tcase_add_test(tests, charts);
    tcase_add_test(tests, labels_break_into_lines);
    tcase_add_test(tests, names_of_rows);
    tcase_add_test(tests, no_text_is_cut);
    tcase_add_test(tests, paper);
}

int main(void)
{
    return suite_run("picture", add);
}
