// Results that KTT writes (version 2): JSON and XML say the same things by the same names, as the fields of an object or as the
// attributes of an element. Private to src/extras/formats.
#pragma once

#include "recorded/reading.h"

// The result that is being read, as far as it is known; times in the file's unit, NaN: not said.
struct ktt_result {
    double total, extra;   // of all its kernels, and of the host's code between them
    double kernels;        // the sum of their durations
    double moving, probed; // overheads
    bool has_counters;     // of its first kernel
};

// Begins the result with this number, at the line of the file.
void ktt_begin(struct reading *r, struct ktt_result *k, uint64_t line, uint64_t number);
// Takes a field of the result; `text` is its number as the file writes it. Other fields are ignored.
void ktt_number(struct reading *r, struct ktt_result *k, const char *name, double value);
bool ktt_status(struct reading *r, const char *word);
// Takes a field of one of its kernels.
bool ktt_kernel(struct reading *r, struct ktt_result *k, const char *name, double value);
bool ktt_counter(struct reading *r, const struct ktt_result *k, const char *name, double value);
bool ktt_end(struct reading *r, const struct ktt_result *k);

// Takes a field of the metadata that is a text: the unit of all times, or the device.
bool ktt_metadata(struct reading *r, const char *name, const char *text);
