// A deploy -> text: a line for each shape as it is done, then the table and what it costs.
#pragma once

#include "base/text.h"
#include "extras/deploy/deploy.h"

// "M=256, N=256: best of 5 is 1.234 ms, 2.10 times as fast as the default [2.03 .. 2.17]"
void report_deploy_row(const struct deploy_view *v, const struct deploy_record *r,
                       struct text *out);
// A row for each point of each device, configurations by number, then these. Nothing without a table.
void report_deploy_table(const struct deploy_view *v, struct text *out);
// The cost of the table in sentences: "5 configurations for 24 sizes; median 0.3 %, at most 1.9 %
// above the best, at 1536". Then the measurements between the points, how much faster than the
// default it is, and shapes that nothing answers.
void report_deploy_end(const struct deploy_view *v, struct text *out);
// The shapes for which the store has no results: "512; 1024". Nothing if there are none.
void report_deploy_unknown(const struct deploy_view *v, struct text *out);
