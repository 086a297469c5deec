// --against: a vendor's routine beside what is tuned.
#pragma once

#include "cli/work.h"

struct against {
    const char *text; // as it was given
    enum routine routine;
    const char *library; // file or soname; NULL: the usual ones
};

// Reads "cublas", "openblas", "cblas=FILE", "clblast=FILE". The error says what there is.
bool against_read(const char *text, struct against *out, struct error *e);
// For `apply`: the same, into a struct list.
bool option_against(void *field, const char *value, struct error *e);
// Under which its results beside a spec are kept: "matmul (CBLAS of libmkl_rt.so)".
void against_name(const struct against *a, const char *spec, struct text *out);
// "cuBLAS", "OpenBLAS", "CBLAS of libmkl_rt.so", for readers who see all of these side by side: for
// libraries with equal file names, with the whole path.
void against_label(const struct against *a, const struct against *const *all, size_t count,
                   struct text *out);
// Is one of them named twice, in two ways? Says so: an exit status. After against_open().
int against_refuse_same(const struct against *const *all, size_t count);

// Opens what a routine beside a spec needs: the spec, the store, and a device: `beside`, or the
// view of the same card in the library's language, whose devices the work then lists (w->devices).
// The library's path is made absolute, since a worker has another working directory. Returns an
// exit status and has reported the reason.
int against_open(struct work *w, const char *text, const struct device_info *beside,
                 struct against *out);
