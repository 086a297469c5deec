"""Kernel Tuner's strategies by their names, and which of hone's searches in their place. `hone help strategies` explains them."""

from __future__ import annotations

import importlib
from typing import Any

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

# Kernel Tuner gives these no x0.
WITHOUT_X0 = frozenset("brute_force random_sample bayes_opt pyatf_strategies adaptive_tabu_greywolf hybrid_vndx nsga2 nsga3".split())

# Names of options that one strategy of its own or another takes; what hone has no use for is told, and a name that none has is a mistake.
OPTIONS = frozenset("""
    max_fevals time_limit fraction x0 searchspace_construction_options snap_to_nearest_config_fallback custom_search_method_path
    acq_func alpha B0 batch_size budget c1 c2 cand_pool constraint_aware cooling covariancekernel covariancelengthscale CR
    crossover_operator crossover_prob elite_size F gamma jump_rate k kappa learner lie_strategy maxiter method mutation_chance
    mutation_prob neighbor no_improvement num_initial order pack_size pop_size popsize popsize_times_dimensions pruneparameterspace
    random_walk randomize ref_dirs_list restart restart_iter restart_ratio samplingmethod searchtechnique shake_rate skopt_kwargs
    stagn_limit t0 t_decay T t_min T_min tabu_factor tabu_size temp0 use_searchspace_cache w""".split())


class _Named:
    """What stands for Kernel Tuner's module of a strategy."""

    def __init__(self, name: str) -> None:
        self.__name__ = f"kernel_tuner.strategies.{name}"


def __getattr__(name: str) -> Any:
    if name in ("common", "wrapper"):  # which need more of this package than is there at the start
        return importlib.import_module(f"{__name__}.{name}")
    if name in NAMES:
        return _Named(name)
    raise AttributeError(f"hone.kernel_tuner has no strategy {name}; it has " + ", ".join(NAMES))
