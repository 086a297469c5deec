#!/usr/bin/env python3
"""A large space whose every time is known: a model of a tiled matrix multiplication on a GPU.

  model_space.py FILE [SEED]    writes CSV for `hone score`

Recorded spaces have some thousand configurations, and a budget (what random draws need) of at most a thousand. Where many
questions in flight are to be measured against a budget of many times that, this stands in: the parameters and restrictions
that such kernels have, and times from the registers, local memory and occupancy of a configuration, its traffic to memory, the
work-groups of the last wave, and the deviations of a compiler, which are the same for all with one inner loop. SEED
changes these deviations. It is made up: for comparing a search with itself, not for saying how good one is.
"""
import hashlib
import itertools
import math
import sys

N = 4096
UNITS, CLOCK, FMA_A_CLOCK = 80, 1.5e9, 128  # of the device
BANDWIDTH = 7e11
NAMES = ["MWG", "NWG", "KWG", "MDIMC", "NDIMC", "MDIMA", "NDIMB", "KWI", "VWM", "VWN", "SA", "SB"]
VALUES = [
    [16, 32, 64, 128], [16, 32, 64, 128], [16, 32], [8, 16, 32], [8, 16, 32], [8, 16, 32], [8, 16, 32], [2, 8],
    [1, 2, 4, 8], [1, 2, 4, 8], [0, 1], [0, 1],
]


def is_valid(mwg, nwg, kwg, mdimc, ndimc, mdima, ndimb, kwi, vwm, vwn, sa, sb):
    threads = mdimc * ndimc
    return (mwg % (mdimc * vwm) == 0 and nwg % (ndimc * vwn) == 0 and mwg % (mdima * vwm) == 0 and nwg % (ndimb * vwn) == 0
            and threads % mdima == 0 and threads % ndimb == 0 and kwg % (threads // mdima) == 0
            and kwg % (threads // ndimb) == 0 and threads <= 1024 and 4 * kwg * (sa * mwg + sb * nwg) <= 49152)


def deviation(seed, share, *what):
    """A factor around 1 that is the same for all configurations with these values."""
    digest = hashlib.sha256(repr((seed,) + what).encode()).digest()
    uniform = [int.from_bytes(digest[i:i + 4], "big") / 2**32 for i in range(0, 16, 4)]
    return math.exp(share * (sum(uniform) - 2) / math.sqrt(1 / 3))


def seconds(seed, mwg, nwg, kwg, mdimc, ndimc, mdima, ndimb, kwi, vwm, vwn, sa, sb):
    threads, m, n = mdimc * ndimc, mwg // mdimc, nwg // ndimc
    registers = 24 + m * n + (m + n) * (1 + kwi // 4) + 4 * sa + 4 * sb
    spilled = max(0, registers - 240)
    registers = min(255, registers)
    local = 4 * kwg * (sa * mwg + sb * nwg)
    groups = min(2048 // threads, 65536 // (registers * threads), 32, 98304 // local if local else 32)
    if groups == 0:
        return None
    # What a unit issues for each step of the inner loop: multiplications, and what feeds them.
    fed_a = m / vwm * (1.0 if sa else 2.2) * (1 + 0.35 * (vwm == 8))
    fed_b = n / vwn * (1.0 if sb else 2.0) * (1 + 0.35 * (vwn == 8)) * (1 + 0.3 * (sb and ndimc == 32 and vwn == 1))
    staged = (sa * mwg / vwm + sb * nwg / vwn) / threads * 3
    issued = m * n + 2.5 * (fed_a + fed_b) + staged + 3 / kwi + 8 * spilled / kwi
    barriers = (sa or sb) * 40 / kwg
    parallel = groups * threads / 32 * min(6, 1 + math.log2(1 + m * n) * 0.8)
    hidden = min(1, (parallel / 48)**0.7)
    step = (issued + barriers) / (m * n) / hidden
    compute = N**3 / (UNITS * CLOCK * FMA_A_CLOCK) * step
    wide_a, wide_b = min(1, mdima * vwm * 4 / 64), min(1, ndimb * vwn * 4 / 64)
    cached = 0.55 if sa and sb else 0.8
    traffic = 4 * N**3 * (1 / (nwg * wide_a) + 1 / (mwg * wide_b)) * cached
    waves = (N // mwg) * (N // nwg) / (UNITS * groups)
    tail = math.ceil(waves) / waves if waves < 8 else 1
    time = (compute**4 + (traffic / BANDWIDTH / 4)**4)**0.25 * tail
    time *= deviation(seed, 0.06, m, n, kwi, vwm, vwn) * deviation(seed, 0.03, threads, kwg, sa, sb)
    return time * deviation(seed, 0.015, mwg, nwg, kwg, mdimc, ndimc, mdima, ndimb, kwi, vwm, vwn, sa, sb)


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with open(sys.argv[1], "w", encoding="ascii") as out:
        print(",".join(NAMES) + ",status,time_ns,message", file=out)
        for values in itertools.product(*VALUES):
            if not is_valid(*values):
                continue
            time = seconds(seed, *values)
            row = "correct,%d," % (time * 1e9) if time else "compile,,"
            print(",".join(map(str, values)) + "," + row, file=out)


if __name__ == "__main__":
    main()
