// Reading JSON token by token, for T4 files, Kernel Tuner cache files and results of KTT. Private to src/extras/formats.
#pragma once

#include "recorded/reading.h"

// The `results` of a T4 file and its `metadata`; the token that was just read begins the value.
bool read_t4_results(struct reading *r);
bool read_t4_metadata(struct reading *r);
// The parts of a cache file, likewise.
bool read_cache_keys(struct reading *r);
bool read_cache_parameters(struct reading *r);
bool read_cache_results(struct reading *r);
// The parts of a file of KTT, likewise.
bool read_ktt_results(struct reading *r);
bool read_ktt_metadata(struct reading *r);

// ---- helpers -----------------------------------------------------------------------------------

// The next token. False with an error; and without one (the kind is TOKEN_TORN) where a cache file
// ends in the middle, which it may. So do all that read.
bool reading_next(struct reading *r);
// Skips the value that just began.
bool reading_skip(struct reading *r);
// "line 12: WHERE: expected WHAT, found ...". Returns false.
bool reading_unexpected(struct reading *r, const char *where, const char *what);
// Whether reading_key() or reading_item() came to the end and not to something else.
bool reading_is_over(const struct reading *r);
// Describes a token that tokens_value() refuses: "a list", "a number that is too large".
const char *reading_no_value(const struct reading *r);
// Keeps the token's text in the recorded space; another kind of token is skipped.
bool reading_text(struct reading *r, const char **out);
// A number of the token; NaN if it is null, missing or not a number. Skips lists and objects.
bool reading_number(struct reading *r, double *out);
// A list of times of single runs.
bool reading_runs(struct reading *r);
// The statistic of the times, if the text is one of mean, median, minimum.
bool reading_statistic(struct reading *r, const char **out);
// Steps through an object: true with the next key in r->tokens.text, false at its end
// (TOKEN_OBJECT_END) or as above.
bool reading_key(struct reading *r);
// Steps through a list: true at the first token of the next item, false at its end
// (TOKEN_ARRAY_END) or as above.
bool reading_item(struct reading *r);
