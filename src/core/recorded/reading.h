// A reader of one format of recorded spaces, and what readers share.
#pragma once

#include "recorded/gather.h"
#include "recorded/tokens.h"

struct reading {
    struct bytes bytes;
    struct tokens tokens;
    struct gather gather;
    struct error *e;
    uint32_t *order; // of a cache file's parameters in the keys of its entries
    uint32_t order_count;
    size_t order_room;
    bool has_parameters; // a cache file's tune_params were read
    bool is_put_off;     // its results stand before them: the file is to be read again
    bool is_again;       // it is being read for the second time
    bool has_rows;       // the results were met
};

// A reader takes a file by the first byte that is not a blank. `read` begins at that byte; bytes, tokens and gather are
// ready. False with an error in r->e; without one, the file was cut off where it may be.
struct recorded_reader {
    bool (*takes)(int first_byte);
    bool (*read)(struct reading *r);
};

// The readers of extras/formats: JSON (T4 results, Kernel Tuner cache files, KTT), and CSV of hone and KTT.
extern const struct recorded_reader json_reader, csv_reader;
