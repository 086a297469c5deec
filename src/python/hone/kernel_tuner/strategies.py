"""Kernel Tuner's strategies by their names, and which of hone's searches in their place. `hone help strategies` explains them."""

from __future__ import annotations

# Its name -> ours, and the option of ours that its own stands for.
NAMES = {
    "brute_force": ("exhaustive", {}),
    "random_sample": ("random", {}),
    "genetic_algorithm": ("genetic", {"popsize": "population"}),
    "diff_evo": ("genetic", {"popsize": "population"}),
    "pso": ("genetic", {"popsize": "population"}),
    "firefly_algorithm": ("genetic", {"popsize": "population"}),
    "simulated_annealing": ("anneal", {}),
    "dual_annealing": ("anneal", {}),
    "basinhopping": ("anneal", {}),
    "minimize": ("anneal", {}),
    "mls": ("anneal", {}),
    "greedy_mls": ("anneal", {}),
    "greedy_ils": ("anneal", {}),
    "ordered_greedy_mls": ("anneal", {}),
    "bayes_opt": ("surrogate", {}),
    "skopt": ("surrogate", {}),
    "pyatf_strategies": ("surrogate", {}),
    "hybrid_vndx": ("anneal", {}),
    "adaptive_tabu_greywolf": ("genetic", {"pop_size": "population"}),
    "nsga2": ("genetic", {"pop_size": "population"}),
    "nsga3": ("genetic", {"pop_size": "population"}),
}


class _Named:
    """What stands for Kernel Tuner's module of a strategy."""

    def __init__(self, name: str) -> None:
        self.__name__ = f"kernel_tuner.strategies.{name}"


def __getattr__(name: str) -> _Named:
    if name in NAMES:
        return _Named(name)
    raise AttributeError(f"hone.kernel_tuner has no strategy {name}; it has " + ", ".join(NAMES))
