#!/usr/bin/env python3
"""What is known of a kernel before anything is measured: from the lists of its values, and from other kernels.

  search_prior.py FILE_T4.json[.gz]...

Of each recorded space, rank correlations with the times:

  centre  of the distance from the middle of the lists, as the default strategy has it (src/core/search/centre.c)
  others  of what a forest of trees expects, that learnt the standardised times of the other kernels among the files from the
          work-group's size, its width and height, and the work of a work-item and of a work-group; and where in its order the
          best hundredth of this kernel stands in the mean (0.5: anywhere)

Files are named KERNEL_...; what a kernel calls its sizes is in SIZES, and a file without an entry there has no part in the second. filter is
a convolution. Needs NumPy and scikit-learn. Half a minute for thirty files.
"""
import gzip
import json
import math
import os
import sys

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor

from search_constants import kernel_of
from search_limit import away_from_centre, read, scaled

# width and height of a work-group, work of a work-item (up to a factor)
SIZES = {
    "convolution": lambda c: (c["block_size_x"], c["block_size_y"], c["tile_size_x"] * c["tile_size_y"]),
    "dedispersion": lambda c: (c["block_size_x"], c["block_size_y"], c["tile_size_x"] * c["tile_size_y"]),
    "gemm": lambda c: (c["MDIMC"], c["NDIMC"], c["MWG"] * c["NWG"] / c["MDIMC"] / c["NDIMC"]),
    "filter": lambda c: (c["GROUP_X"], c["GROUP_Y"], c["ITEMS_X"] * c["ITEMS_Y"]),
    "stencil": lambda c: (c["GROUP_X"], c["GROUP_Y"], c["WIDTH"] * c["ROWS"]),
    "histogram": lambda c: (c["GROUP"], 1, (1 << 19) / (c["GROUP"] * c["GROUPS"])),
    "nbody": lambda c: (c["GROUP"], 1, c["ITEMS"]),
}


def ranks(values):
    order = np.argsort(values, kind="stable")
    out = np.empty(len(values))
    out[order] = np.arange(len(values))
    unique, inverse = np.unique(values, return_inverse=True)
    sums = np.bincount(inverse, out)
    return (sums / np.bincount(inverse))[inverse]


def correlation(a, b):
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def sizes(file, name):
    with (gzip.open if file.endswith(".gz") else open)(file, "rt") as f:
        results = json.load(f)["results"]
    rows = []
    for r in results:
        if r.get("invalidity", "correct") == "correct":
            x, y, work = SIZES[name](r["configuration"])
            rows.append([math.log2(v) for v in (x * y, x, y, work, x * y * work)])
    return np.array(rows)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    spaces = []
    for file in sys.argv[1:]:
        name = os.path.basename(file).split("_")[0]
        x, times = read(file)
        features = sizes(file, name) if name in SIZES else None
        spaces.append((file, kernel_of(file), features, scaled(np.log(times))[0], times, correlation(away_from_centre(x), times)))
    centre, others, stands = [], [], []
    for file, kernel, features, _, times, of_centre in spaces:
        line = f"{os.path.basename(file)[:38]:38}  centre {of_centre:5.2f}"
        centre.append(of_centre)
        learnt = [s for s in spaces if s[1] != kernel and s[2] is not None]
        if features is not None and learnt:
            some = [np.random.RandomState(1).choice(len(s[3]), 1000, len(s[3]) < 1000) for s in learnt]
            forest = ExtraTreesRegressor(60, min_samples_leaf=20, random_state=1)
            forest.fit(np.concatenate([s[2][i] for s, i in zip(learnt, some)]), np.concatenate([s[3][i] for s, i in zip(learnt, some)]))
            expected = forest.predict(features)
            best = expected[times <= np.sort(times)[max(1, len(times) // 100)]]
            others.append(correlation(expected, times))
            stands.append(np.mean([(expected < e).mean() for e in best]))
            line += f"  others {others[-1]:5.2f}, the best hundredth at {stands[-1]:.2f}"
        print(line)
    print(f"mean: centre {np.mean(centre):.2f}, above 0 in {sum(c > 0 for c in centre)} of {len(centre)}")
    if others:
        print(f"mean: others {np.mean(others):.2f}, from {min(others):.2f} to {max(others):.2f}; the best hundredth at {np.mean(stands):.2f}")


if __name__ == "__main__":
    main()
