#!/usr/bin/env python3
"""How much of what a search loses early is not knowing the shape of its model.

  search_limit.py FILE[.gz]... [-n SEEDS] [--quarter N]      T4, or a cache file of Kernel Tuner

A copy of the default strategy in few lines of NumPy (src/core/search/surrogate.c, gp.c; one question at a time, no sources) searches the
first quarter of each budget, at most N questions (70), in five ways:

  search    as hone does: lengths, jump and noise of the process are fitted to the answers so far
  shape     the same, but these were fitted beforehand to 200 recorded configurations, the 50 best among them: what no search
            can know, and so what better priors, inputs or ways to fit a shape could bring at most
  averaged  the improvement that 8 shapes expect, drawn from their posterior, in the mean
  products  each axis's correlation is its own, and main effects count beside interactions (a product of 1 + a k)
  forest    no process: 30 randomized trees, each of a bootstrap sample; their mean and deviation are what is expected
            (as Hutter, Hoos, Leyton-Brown 2011: "Sequential model-based optimization for general algorithm configuration")

For each file and way: the mean lead over random draws (0: as good as these, 1: the optimum at once), and that at 10 % of the
budget; at the end their means over files with standard errors. Needs NumPy, and scikit-learn for the forest: without it a line says that there is
none. Takes some minutes; --ways search,forest tries these two alone.

  search_limit.py FILE... --rows 8,14,30 [-n DRAWS]

What kinds of model know of so few random configurations: of each file, how far on the way from the median to the optimum (logarithms)
the best of the draws is, and that and the one question of the largest expected improvement; and the rank correlation of what is expected
with the others' times. Models: the process, its correlation a product, main effects beside the whole (effects), each fitted and with the
shape of its prior (-0), and the forest.
"""
import argparse
import gzip
import json
import math
import os

import numpy as np

try:
    from sklearn.ensemble import ExtraTreesRegressor
except ImportError:
    ExtraTreesRegressor = None

TRIES, INITIAL, GROWTH, SWEEPS = 20, 6, 1.05, 2
LENGTH, JUMP, NOISE = 0.7, 0.1, 1e-3


def read(file):
    """Places of each configuration's values, from 0 to 1, and its times."""
    with (gzip.open if file.endswith(".gz") else open)(file, "rt") as f:
        document = json.load(f)
    if "cache" in document:
        rows = [(r, r["time"]) for r in document["cache"].values() if isinstance(r.get("time"), (int, float))]
        names = document["tune_params_keys"]
    else:
        correct = [r for r in document["results"] if r.get("invalidity", "correct") == "correct"]
        rows = [(r["configuration"], next(m["value"] for m in r["measurements"] if m["name"] == "time")) for r in correct]
        names = list(rows[0][0])
    times = np.array([time for _, time in rows])
    columns = []
    for name in names:
        values = [configuration[name] for configuration, _ in rows]
        places = {value: k for k, value in enumerate(sorted(set(values)))}
        if len(places) > 1:
            columns.append([places[value] / (len(places) - 1) for value in values])
    return np.array(columns).T, times


def random_draws(times):
    """The expected best of 1, 2, ... draws without replacement."""
    best, n, out = np.sort(times), len(times), []
    for k in range(1, n + 1):
        chance, mean = k / n, 0.0
        for j in range(n - k + 1):
            mean += chance * best[j]
            if n - j - 1 == 0 or chance < 1e-12:
                break
            chance *= (n - j - k) / (n - j - 1)
        out.append(mean)
    return np.array(out)


def matern(square):
    r = np.sqrt(5 * square)
    return (1 + r + r * r / 3) * np.exp(-r)


class Process:
    def __init__(self, axes, products, effects=False):
        self.axes, self.products, self.effects = axes, products, effects
        self.usual = LENGTH * (1.0 if products else math.sqrt(axes))
        self.shape = np.log([1 / self.usual**2] * axes + [JUMP, NOISE, 1.0])  # weights, jump, noise, a
        self.least = np.log([1 / 900] * axes + [1e-3, 1e-5, 0.01])
        self.most = np.log([400.0] * axes + [0.9, 0.3, 100.0])

    def correlate(self, a, b, shape):
        weights, (jump, _, share) = np.exp(shape[: self.axes]), np.exp(shape[self.axes :])
        apart = a[:, None, :] - b[None, :, :]
        square = weights * ((1 - jump) * apart * apart + jump * (apart != 0))
        if self.products:
            return ((1 + share * matern(square)) / (1 + share)).prod(-1)
        whole = matern(square.sum(-1))
        return (whole + share * matern(square * self.axes / 2).mean(-1)) / (1 + share) if self.effects else whole

    def solve(self, x, y, shape):
        """The logarithm of the posterior density, and what predicts."""
        n = len(y)
        correlations = self.correlate(x, x, shape) + np.exp(shape[self.axes + 1]) * np.eye(n)
        factor = np.linalg.cholesky(correlations)
        a, one = np.linalg.solve(factor, np.stack([y, np.ones(n)], 1)).T
        mean = a @ one / (1 + one @ one)
        rest = a - mean * one
        variance = (rest @ rest + 2) / (n + 2)
        away = np.append(-shape[: self.axes] / 2 - math.log(self.usual), (shape[self.axes :] - np.log([JUMP, NOISE, 1])) / [2, 2, 1])
        density = -n * math.log(variance) / 2 - np.log(np.diag(factor)).sum() - away @ away / 2
        return density, factor, mean, variance, rest

    def coordinates(self):
        return range(self.axes + 2 + (self.products or self.effects))

    def fit(self, x, y, sweeps=SWEEPS):
        best, step = self.solve(x, y, self.shape)[0], 0.7
        for _ in range(sweeps):
            for c in self.coordinates():
                for way in (2 * step, -2 * step):
                    other = self.shape.copy()
                    other[c] = np.clip(other[c] + way, self.least[c], self.most[c])
                    density = self.solve(x, y, other)[0]
                    if density > best:
                        best, self.shape = density, other
                        break
            step *= 0.7

    def draw(self, x, y, shapes, rng, steps=3):
        """Each of the shapes some Metropolis steps further."""
        out = []
        for shape in shapes:
            now = self.solve(x, y, shape)[0]
            for c in list(self.coordinates()) * steps:
                other = shape.copy()
                other[c] += 1.2 * rng.randn()
                if not self.least[c] <= other[c] <= self.most[c]:
                    continue
                density = self.solve(x, y, other)[0]
                if math.log(rng.rand()) < density - now:
                    now, shape = density, other
            out.append(shape)
        return out

    def predict(self, x, y, candidates, shape):
        _, factor, mean, variance, rest = self.solve(x, y, shape)
        reach = np.linalg.solve(factor, self.correlate(x, candidates, shape))
        deviation = np.sqrt(variance * np.maximum(1 - (reach * reach).sum(0), 1e-12))
        return mean + reach.T @ rest, deviation

    def improvement(self, x, y, candidates, best, shape):
        return expected_improvement(best, *self.predict(x, y, candidates, shape))


def expected_improvement(best, mean, deviation):
    u = (best - mean) / deviation
    below = 0.5 * (1 + np.vectorize(math.erf)(u / math.sqrt(2)))
    return deviation * (u * below + np.exp(-u * u / 2) / math.sqrt(2 * math.pi))


def forest_predict(x, y, candidates, rng):
    forest = ExtraTreesRegressor(30, max_features=0.8, bootstrap=True, random_state=rng.randint(1 << 30)).fit(x, y)
    each = np.stack([tree.predict(candidates.astype(np.float32)) for tree in forest.estimators_])
    return each.mean(0), each.std(0) + 1e-3


def scaled(logs):
    """Standardised, clipped as far above the median as the best is below; the best of them."""
    order = np.sort(logs)
    clipped = np.minimum(logs, 2 * order[len(order) // 2] - order[0])
    centre, deviation = clipped.mean(), clipped.std() or 1.0
    return (clipped - centre) / deviation, (order[0] - centre) / deviation


def known_shape(x, times, products):
    logs = np.log(times)
    some = np.concatenate([np.random.RandomState(1).choice(len(times), 150, False), np.argsort(times)[:50]])
    process = Process(x.shape[1], products)
    process.fit(x[some], scaled(logs)[0][some], 6)
    return process.shape


def search(x, times, questions, seed, way, shape):
    rng = np.random.RandomState(seed)
    asked = [int(rng.choice(len(times)))]
    while len(asked) < INITIAL:
        tries = np.setdiff1d(rng.choice(len(times), TRIES), asked)
        if len(tries):
            apart = ((x[tries][:, None] - x[asked][None]) ** 2).sum(-1).min(1)
            asked.append(int(tries[apart.argmax()]))
    process, fitted = Process(x.shape[1], way == "products"), 0
    shapes = [process.shape] * 8
    while len(asked) < questions:
        y, best = scaled(np.log(times[asked]))
        if way == "forest":
            expected = expected_improvement(best, *forest_predict(x[asked], y, x, rng))
            expected[asked] = -1
            asked.append(int(expected.argmax()))
            continue
        if fitted == 0 or len(asked) > fitted * GROWTH + 1:
            fitted = len(asked)
            if way == "averaged":
                shapes = process.draw(x[asked], y, shapes, rng)
            elif way != "shape":
                process.fit(x[asked], y)
        used = shapes if way == "averaged" else [shape if way == "shape" else process.shape]
        expected = sum(process.improvement(x[asked], y, x, best, s) for s in used)
        expected[asked] = -1
        asked.append(int(expected.argmax()))
    return asked


def predict(kind, x, y, candidates, rng):
    if kind == "forest":
        return forest_predict(x, y, candidates, rng)
    name, _, prior = kind.partition("-")
    process = Process(x.shape[1], name == "products", name == "effects")
    if not prior:
        process.fit(x, y, 3)
    return process.predict(x, y, candidates, process.shape)


def ranks(values):
    return values.argsort().argsort()


def few_rows(options):
    kinds = [f"{name}{prior}" for name in ("process", "products", "effects") for prior in ("", "-0")] + ["forest"] * bool(ExtraTreesRegressor)
    for file in options.files:
        x, times = read(file)
        logs = np.log(times)
        way = (np.median(logs) - logs) / (np.median(logs) - logs.min())
        for rows in map(int, options.rows.split(",")):
            found, drawn = {kind: [] for kind in kinds}, []
            for draw in range(options.n):
                rng = np.random.RandomState(1000 * rows + draw)
                known = rng.choice(len(times), rows, False)
                others = rng.permutation(np.setdiff1d(np.arange(len(times)), known))[:3000]
                y, best = scaled(logs[known])
                drawn.append(way[known].max())
                for kind in kinds:
                    mean, deviation = predict(kind, x[known], y, x[others], rng)
                    chosen = others[expected_improvement(best, mean, deviation).argmax()]
                    found[kind].append((max(drawn[-1], way[chosen]), np.corrcoef(ranks(mean), ranks(logs[others]))[0, 1]))
            line = "  ".join(f"{kind} {np.mean(f, 0)[0]:.3f} ({np.mean(f, 0)[1]:.2f})" for kind, f in found.items())
            print(f"{os.path.basename(file)[:34]:34} {rows:3} rows: drawn {np.mean(drawn):.3f}  {line}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("-n", type=int, default=12)
    parser.add_argument("--quarter", type=int, default=70)
    parser.add_argument("--rows", help="a list of numbers of random configurations")
    parser.add_argument("--ways", default="search,shape,averaged,products,forest")
    options = parser.parse_args()
    if options.rows:
        return few_rows(options)
    leads = {way: [] for way in options.ways.split(",")}
    if "forest" in leads and ExtraTreesRegressor is None:
        print("no scikit-learn: no forest")
        del leads["forest"]
    for file in options.files:
        x, times = read(file)
        draws, best = random_draws(times), times.min()
        median = np.median(times)
        budget = int(np.argmax(draws <= median - 0.95 * (median - best))) + 1
        questions = max(INITIAL + 1, min(budget // 4, options.quarter))
        shape = known_shape(x, times, False)
        line = f"{os.path.basename(file)[:34]:34} budget {budget:4}, {questions:2} questions:"
        for way, found in leads.items():
            curves = []
            for seed in range(options.n):
                least = np.minimum.accumulate(times[search(x, times, questions, seed, way, shape)])
                curves.append((draws[:questions] - least) / (draws[:questions] - best))
            found.append((np.mean(curves), np.std([c.mean() for c in curves]) / math.sqrt(options.n),
                          np.mean([c[min(budget // 10, questions) - 1] for c in curves])))
            line += f"  {way} {found[-1][0]:.3f} ({found[-1][2]:.2f})"
        print(line, flush=True)
    for way, found in leads.items():
        error = math.sqrt(sum(f[1] ** 2 for f in found)) / len(found)
        print(f"{way:10} {np.mean([f[0] for f in found]):.3f} +- {error:.3f}, at 10 % {np.mean([f[2] for f in found]):.3f}")


if __name__ == "__main__":
    main()
