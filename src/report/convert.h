// Converts a command's JSON output to CSV and JUnit.
#pragma once

#include "report/writer.h"

// CSV has a row for each record and a column for each of their plain values, named by its path
// ("configuration.block", "times_ns.build"); values that a record lacks are empty. JUnit has a test
// case for each record, which fails if its status, or that of one of its sides or lines, is not
// correct.
void report_convert(const char *lines, enum report_format to, const char *suite, struct text *out);

void report_csv_field(const char *s, const char *separator, struct text *out);
