// Parts of the document, which page_html.c puts together.
#pragma once

#include "extras/page/view.h"

// A term and what it is, of a list of definitions; the exact number beside what people read. `name` (or NULL) is the field of
// `hone best --json`.
void page_put_fact(const char *term, const char *name, double exact, const char *shown,
                   struct text *out);
// The same without a number; nothing if there are no words (NULL, "").
void page_put_words(const char *term, const char *shown, struct text *out);
// "scale (N=20000) on DEVICE, cuda".
void page_put_set_title(const struct page_set *s, bool with_place, struct text *out);
// Are all sets of one device and language? Then their titles need not say so.
bool page_is_one_place(const struct page *p);
// The answer of `hone best`, how to use it, and what to try next.
void page_put_answer(const struct page_set *s, struct text *out);
// A row for each set, and what one configuration for all of them would cost.
void page_put_overview(const struct page *p, struct text *out);
// The set's numbers, for the script.
void page_put_island(const struct page_set *s, struct text *out);
