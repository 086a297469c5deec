#!/usr/bin/env python3
"""Searches of other packages as strategies of hone, to be set beside its own on recorded spaces.

  hone score FILE... --strategy 'exec:python3 tests/bench/other_searches.py tpe' --strategy surrogate

tpe: Optuna's tree-structured Parzen estimator (multivariate, ten first questions at random). forest: the random forest of
scikit-optimize with expected improvement over a thousand candidates that the restrictions allow, ten first ones at random. A
parameter is the place of its value in its list if that has numbers, else a category. What fails is told as the worst so far.
kt NAME: a strategy of Kernel Tuner, by the name of its module, as it is configured there; begun anew where it ends by itself. Of a
space of more than 10,000 configurations it sees as many at random.
"""
import importlib
import json
import random
import sys


def say(**line):
    print(json.dumps(line), flush=True)


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    return json.loads(line)


class Space:
    def __init__(self, start):
        self.names = [p["name"] for p in start["parameters"]]
        self.values = [p["values"] for p in start["parameters"]]
        self.known = {}  # places: value, or None for a failure
        self.invalid = set()

    def places(self, configuration):
        return tuple(v.index(configuration[n]) for n, v in zip(self.names, self.values))

    def configuration(self, places):
        return {n: v[p] for n, v, p in zip(self.names, self.values, places)}

    def is_number(self, i):
        return not any(isinstance(v, (str, bool)) for v in self.values[i])

    def worst(self):
        return max((v for v in self.known.values() if v is not None), default=1.0)

    def until(self, key, tell=lambda places, value: None):
        """Lines up to the one with the key; all others are outcomes."""
        while key not in (line := hear()):
            places = self.places(line["configuration"])
            if line["status"] == "constraints":
                self.invalid.add(places)
                tell(places, None)
            elif places not in self.known:
                self.known[places] = line["value"] if line["status"] == "correct" else None
                tell(places, self.known[places])
        return line[key]

    def draw(self, count):
        say(sample=count)
        return [self.places(c) for c in self.until("sample")]


def tpe(space, start):
    import optuna
    import warnings
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=start["seed"], multivariate=True, n_startup_trials=10))
    spread = {n: optuna.distributions.IntDistribution(0, len(v) - 1) if space.is_number(i) else
              optuna.distributions.CategoricalDistribution(list(range(len(v))))
              for i, (n, v) in enumerate(zip(space.names, space.values)) if len(v) > 1}

    def add(places, value):
        study.add_trial(optuna.trial.create_trial(
            params={n: p for n, p in zip(space.names, places) if n in spread}, distributions=spread,
            value=space.worst() if value is None else value))

    while True:
        space.until("ask", add)
        chosen = None
        for _ in range(30 if len(space.known) >= 10 else 0):
            trial = study.ask(spread)
            places = tuple(trial.params.get(n, 0) for n in space.names)
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
            if places in space.known or places in space.invalid:
                continue
            chosen = places
            break
        if chosen is None:
            drawn = space.draw(1)
            if not drawn:
                return
            chosen = drawn[0]
        say(configurations=[space.configuration(chosen)])


def forest(space, start):
    from skopt.acquisition import gaussian_ei
    from skopt.learning import RandomForestRegressor
    import numpy
    while True:
        space.until("ask")
        drawn = space.draw(1000 if len(space.known) >= 10 else 1)
        if not drawn:
            return
        if len(space.known) >= 10:
            worst = space.worst()
            X = numpy.array(list(space.known))
            y = numpy.array([worst if v is None else v for v in space.known.values()])
            model = RandomForestRegressor(n_estimators=50, min_variance=1e-12, random_state=start["seed"]).fit(X, numpy.log(y))
            drawn = [drawn[int(numpy.argmax(gaussian_ei(numpy.array(drawn), model, y_opt=numpy.log(y).min())))]]
        say(configurations=[space.configuration(drawn[0])])


def kt(space, start):
    import numpy
    from kernel_tuner.interface import Options
    from kernel_tuner.searchspace import Searchspace
    from kernel_tuner.util import RuntimeFailedConfig, StopCriterionReached, TuningBudget
    random.seed(start["seed"])
    numpy.random.seed(start["seed"] % 2**32)
    strategy = importlib.import_module("kernel_tuner.strategies." + sys.argv[2])

    class Runner:
        def run(self, configurations, options):
            return [self.one(list(c)) for c in configurations]

        def one(self, values):
            places = tuple(v.index(x) for v, x in zip(space.values, values))
            if places not in space.known:
                say(configurations=[space.configuration(places)])
                space.until("ask")
            time = space.known.get(places)
            return {**dict(zip(space.names, values)), **({"__error__": RuntimeFailedConfig()} if time is None else {"time": time})}

        def add_strategy_time(self, seconds):
            pass

        def available_parallelism(self):
            return 1

    say(patience=600)
    space.until("ask")
    valid = sorted(set(space.draw(10000)) | set(space.known))
    cache = {str(i): space.configuration(p) for i, p in enumerate(valid)}
    while True:
        asked = len(space.known)
        searched = Searchspace(None, None, None, from_cache={"tune_params": dict(zip(space.names, space.values)), "cache": cache})
        options = Options(strategy_options=Options({}), objective=["time"], objective_higher_is_better=[False], verbose=False,
                          budget=TuningBudget(max_fevals=10**9), tune_params=searched.tune_params, metrics=None, cache={}, quiet=True)
        try:
            strategy.tune(searched, Runner(), options)
        except StopCriterionReached:
            pass
        if len(space.known) == asked:
            say(configurations=[space.configuration(space.draw(1)[0])])
            space.until("ask")


if __name__ == "__main__":
    first = hear()
    {"tpe": tpe, "forest": forest, "kt": kt}[sys.argv[1]](Space(first), first)
