// Baselines of `hone bench`: what configurations took on a device, pass by pass, in one JSON file that is kept beside the
// kernel. Times come with the state of the machine that they were measured in.
//
//   {"hone_baseline": 1, "hone": "0.2.0", "date": "2026-11-23T12:00:00Z", "spec": "saxpy",
//    "device": {"name", "platform", "language", "driver", "compiler", "surroundings"},
//    "texts": [{"name": "saxpy.cl", "source": "...", "files": [{"path": "x.h", "text": "..."}], "folders": [""]}],
//    "rows": [{"set": ["WIDTH=256"], "constants": "WIDTH=256", "configuration": "block=16", "source_sha256": "...",
//              "programs": [{"text": 0, "options": ["-DWIDTH=256"]}], "geometry": "256 / 16",
//              "passes": [{"samples_ns": [...], "moment": "2026-11-23T12:00:00Z", "load": 120, "mhz": 1980, "celsius": 45,
//                          "milliwatts": 398000}]}]}
//
// Passes of one moment (a session) follow each other. Without the member they are of one. Texts, programs and geometry are what
// a row was compiled from, so that it can be launched beside today's; they are missing where the texts do not say all.
#pragma once

#include "base/arena.h"
#include "model/device_info.h"
#include "model/job.h"
#include "model/result.h"
#include "stats/regression.h"

#define BASELINE_ROWS_MOST    4096
#define BASELINE_PASSES_MOST  1000
#define BASELINE_SAMPLES_MOST 100000 // of a pass
#define BASELINE_MOMENTS_MOST 10

struct baseline_pass {
    const uint64_t *samples_ns;        // in order, one a round
    uint32_t count;                    // 1 or more
    uint32_t mhz, celsius, milliwatts; // 0: not known
    uint32_t load;                     // the machine's load average, in hundredths; 0: not known
    const char *moment;                // of the session; "" of one that is not named
};

// A configuration at a point.
struct baseline_row {
    const char *const *set; // "WIDTH=256": what the spec was read with
    uint32_t set_count;
    const char *constants;     // all of them, as spec_constants_text() has them
    const char *configuration; // all parameters: "a=1, b=2"
    const char *source;        // SHA-256 of the kernel's sources, hexadecimal; "" if not known
    struct job_code code;
    const struct baseline_pass *passes;
    uint32_t pass_count; // 0 of a mere list of configurations
};

struct baseline {
    const char *hone_version, *date, *spec;
    // Only the texts of struct device_info; the rest is zeroed.
    struct device_info device;
    const struct baseline_row *rows;
    uint32_t row_count;
};

// Everything is kept in the arena. The error names the file and the place within it.
bool baseline_parse(const char *path, const char *text, size_t length, struct arena *a,
                    struct baseline *out, struct error *e);
void baseline_write(const struct baseline *b, struct text *out);

// A table of `hone deploy --format json`, of which the points of the device called `device` count; what `hone best --json`
// wrote, or any JSON of objects with `constants` and `configuration`; or a baseline. Rows without passes, but of a baseline.
bool baseline_parse_list(const char *path, const char *text, size_t length, const char *device,
                         struct arena *a, struct baseline *out, struct error *e);

// May times on the device be compared with the baseline? A driver is also its compiler, and on a
// CPU the cores in use. Differences are appended to `why`.
enum baseline_fit { BASELINE_FITS, BASELINE_OTHER_DRIVER, BASELINE_OTHER_DEVICE };
enum baseline_fit baseline_fits(const struct baseline *b, const struct device_info *d,
                                struct text *why);

// The times of the passes in ns, by moment: each is the shortest of its samples. In the arena, NULL
// without memory.
const struct regression_moment *baseline_moments(const struct baseline_row *r, struct arena *a,
                                                 size_t *count);
// Appends today's passes to those of a row's newest moments, BASELINE_MOMENTS_MOST - 1 at most. False without memory.
bool baseline_add_moment(const struct baseline_row *old, struct arena *a, struct baseline_row *now);
// The median over passes of the clock, temperature, power and load; each 0 where no pass knows it.
struct baseline_state {
    uint32_t mhz, celsius, milliwatts, load;
};
struct baseline_state baseline_state_of(const struct baseline_pass *passes, uint32_t count);
