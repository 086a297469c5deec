// The names of formats, and writers of which some functions may be missing.
#include "report/writer.h"

static const char *const format_texts[] = {REPORT_FORMAT_LIST(LIST_TEXT)};

const char *report_format_text(enum report_format f)
{
    return format_texts[f];
}

bool report_format_parse(const char *text, enum report_format *out)
{
    for (unsigned i = 0; i < REPORT_FORMATS; i++) {
        if (str_equal(text, format_texts[i])) {
            *out = (enum report_format)i;
            return true;
        }
    }
    return false;
}

void writer_head(const struct writer *w, const void *report, struct text *out)
{
    if (w->head)
        w->head(report, out);
}

void writer_record(const struct writer *w, const void *report, const void *record, struct text *out)
{
    if (w->record_fields)
        fields_line(w->record_fields, record, report, out);
    else if (w->record)
        w->record(report, record, out);
}

void writer_end(const struct writer *w, const void *report, struct text *out)
{
    if (w->end_fields)
        fields_line(w->end_fields, report, report, out);
    else if (w->end)
        w->end(report, out);
}
