"""What a script of Kernel Tuner's brings along itself: strategies, arguments that a parameter chooses, structs, templates, notebooks."""

import ctypes
import ctypes.util
import glob
import json
import os
import random
import subprocess
import sys

import pytest

import hone

numpy = pytest.importorskip("numpy")
import hone.kernel_tuner as kernel_tuner  # noqa: E402
from hone.kernel_tuner import accuracy, util  # noqa: E402
from hone.kernel_tuner._interface import Question  # noqa: E402
from hone.kernel_tuner.strategies.common import CostFunc  # noqa: E402
from hone.kernel_tuner.strategies.wrapper import OptAlg, OptAlgWrapper  # noqa: E402
from test_kernel_tuner import ADD, N, tune, vectors  # noqa: E402, F401

SPACE = {"a": [1, 2, 4, 8], "b": ["x", "y", "z"]}


@pytest.fixture
def cache(tmp_path):
    """Of a space in which a=8, b=z is the fastest."""
    rows = {f"{a},{b}": {"a": a, "b": b, "time": 100 / a - i, "compile_time": 1.0, "verification_time": 0, "benchmark_time": 9.0}
            for a in SPACE["a"] for i, b in enumerate(SPACE["b"])}
    (tmp_path / "c.json").write_text(json.dumps({"device_name": "A card", "kernel_name": "f", "problem_size": 64, "tune_params_keys": list(SPACE),
                                                 "tune_params": SPACE, "cache": rows}))
    return tmp_path / "c.json"


def simulate(cache, strategy, **more):
    given = dict(quiet=True, cache=cache, simulation_mode=True, strategy=strategy)
    return kernel_tuner.tune_kernel("f", "none", 64, [], SPACE, **{**given, **more})


class Anywhere(OptAlg):
    def __init__(self, seed=1):
        super().__init__()
        self.costfunc_kwargs = {"scaling": True, "snap": True}
        self.random, self.left = random.Random(seed), None

    def __call__(self, func, searchspace):
        assert searchspace.num_params == 2 and func.budget_spent_fraction == 0
        while True:
            func([self.random.random(), self.random.random()])
            self.left = func.budget_spent_fraction


class Whole:
    """Kernel Tuner's own interface."""

    def tune(self, searchspace, runner, tuning_options):
        cost = CostFunc(searchspace, tuning_options, runner, snap=False)
        best = min(searchspace.list, key=cost)
        assert cost(best) < cost((1, "y")) and cost((3, "x")) == sys.float_info.max and cost.get_bounds() == [(1, 8), ("x", "z")]
        return cost.results


def test_own_strategies_search_a_cache(cache, tmp_path):
    algorithm = Anywhere()
    results, env = simulate(cache, OptAlgWrapper(algorithm), strategy_options={"max_fevals": 5})
    assert len({(r["a"], r["b"]) for r in results}) == 5 and env["best_config"] in results
    assert algorithm.left == 1, "the sixth ended it"
    results, env = simulate(cache, Whole())
    assert len({(r["a"], r["b"]) for r in results}) == 12 and (env["best_config"]["a"], env["best_config"]["b"]) == (8, "z")

    def downwards(func, searchspace):
        at = searchspace.list[0]
        while (better := min(searchspace.get_neighbors(at), key=func)) and func(better) < func(at):
            at = better
    assert simulate(cache, downwards)[1]["best_config"]["time"] == 100 / 8 - 2
    limited, _ = simulate(cache, Anywhere(), strategy_options={"time_limit": 0.03})
    assert len({(r["a"], r["b"]) for r in limited}) == 3, "10 ms each, by the file"
    restricted, _ = simulate(cache, Whole(), restrictions=["a > 1 or b == 'y'"], objective="time")
    assert len({(r["a"], r["b"]) for r in restricted}) == 10
    assert len(kernel_tuner.tune_cache(cache, strategy=Anywhere(), strategy_options={"max_fevals": 2}, quiet=True)[0]) >= 2
    with pytest.raises(hone.UsageError, match="'magic'.*one of your own"):
        simulate(cache, "magic")


def test_a_strategy_of_a_file(cache, tmp_path):
    (tmp_path / "mine.py").write_text("from hone.kernel_tuner.strategies.wrapper import OptAlg\n"
                                      "class Mine(OptAlg):\n    def __init__(self, times=2):\n        super().__init__()\n        self.times = times\n"
                                      "    def __call__(self, func, space):\n        for one in space.list[:self.times]:\n            func(one)\n")
    results, _ = simulate(cache, "Mine", strategy_options={"custom_search_method_path": tmp_path / "mine.py", "times": 4})
    assert len(results) == 4
    with pytest.raises(hone.UsageError, match="no class of this name"):
        simulate(cache, "Other", strategy_options={"custom_search_method_path": tmp_path / "mine.py"})


def test_an_own_strategy_measures(vectors, tmp_path, capsys):  # noqa: F811
    seen = []

    def mine(func, searchspace):
        for one in [(64,), (128,), (64,)]:
            seen.append(func(one))
    results, env = tune(vectors, answer=[vectors[1] + vectors[2], None, None, None], strategy=mine, cache=tmp_path / "c", quiet=False,
                        source=ADD.replace("int n)", "int n)\n#if block_size_x == 128\n#error no\n#endif\n"))
    assert [r["block_size_x"] for r in results] == [64, 128, 64] and seen[0] == seen[2] == results[0]["time"]
    assert seen[1] == sys.float_info.max and isinstance(results[1]["time"], util.CompilationFailedConfig)
    assert env["best_config"] == results[0] and "block_size_x=64, time=" in capsys.readouterr().out
    document = json.loads((tmp_path / "c.json").read_text())
    assert sorted(row["block_size_x"] for row in document["cache"].values()) == [64, 128]


def test_arguments_that_a_parameter_chooses(vectors):  # noqa: F811
    source = ADD.replace("float", "real")
    a, b = (numpy.asarray(v, numpy.float64) for v in vectors[1:3])
    arguments = [accuracy.TunablePrecision("real", one, ["float", "double"]) for one in (numpy.zeros(N), a, b)] + [vectors[3]]
    answer = [accuracy.TunablePrecision("real", a + b, ["float", "double"]), None, None, None]
    params = {"block_size_x": [64], "real": ["double", "float"]}
    results, env = tune(arguments, source=source, params=params, answer=answer,
                        observers=[accuracy.AccuracyObserver("max", "off")])
    assert [r["real"] for r in results] == ["double", "float"] and all(isinstance(r["time"], float) for r in results)
    assert env["best_config"] in results and results[0]["off"] == 0
    left = kernel_tuner.run_kernel("vector_add", source, N, arguments, {"block_size_x": 64, "real": "double"})
    assert left[0].dtype == numpy.float64 and (left[0] == a + b).all()
    with pytest.raises(kernel_tuner.Unsupported, match="Tunable with strategy='pso'"):
        tune(arguments, params=params, strategy="pso")
    chosen = accuracy.Tunable(lambda p: p["i"] + 1, ["a", "b", accuracy.Tunable("k * 2", {6: "c"})])
    assert chosen({"i": 0}) == "b" and chosen({"i": 1, "k": 3}) == "c"
    with pytest.raises(KeyError, match="arguments for 0, 1, 2"):
        chosen({"i": 7})


PAIRS = """typedef struct { int n; float x; } pair;
__kernel void twice(__global pair *out, __global const pair *in) {
    int i = get_group_id(0) * block_size_x + get_local_id(0);
    if (i < 100) { out[i].n = 2 * in[i].n; out[i].x = SCALE * in[i].x; }
}
"""


def test_arrays_of_structs(pocl):
    kind = numpy.dtype([("n", numpy.int32), ("x", numpy.float32)])
    given = numpy.zeros((10, 10), kind)
    given["n"], given["x"] = numpy.arange(100).reshape(10, 10), 0.5
    right = given.copy()
    right["n"], right["x"] = 2 * given["n"], 2 * given["x"]
    left = kernel_tuner.run_kernel("twice", PAIRS, 100, [numpy.zeros_like(given), given], {"block_size_x": 32, "SCALE": 2})
    assert left[0].dtype == kind and left[0].shape == (10, 10) and (left[0] == right).all()
    results, _ = kernel_tuner.tune_kernel("twice", PAIRS, 100, [numpy.zeros_like(given), given], {"block_size_x": [32], "SCALE": [2, 3]},
                                          answer=[right, None], quiet=True, iterations=2)
    assert [type(r["time"]) for r in results] == [float, util.RuntimeFailedConfig], "a member that is wrong is seen"


def test_a_template_has_the_values_of_each_configuration():
    source = "template<int B, typename T> __global__ void f(T *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = B; }\n"
    arguments = [numpy.zeros(64, numpy.float32), numpy.int32(64)]
    params = {"block_size_x": [32, 64], "real": ["float", "double"]}
    made = Question("f<block_size_x, real>", source, 64, arguments, params, (None,) * 3, None, "CUDA", None, None, None, None, None, None)
    assert json.loads(made.spec().text)["KernelSpecification"]["KernelName"] == "f<block_size_x, real>" and made.signature.names == ["p", "n"]
    one = Question("f<block_size_x, real>", source, 64, arguments, {"block_size_x": [32], "real": ["float"]}, (None,) * 3, None, "CUDA", *[None] * 6)
    assert one.name == "f<block_size_x, real>"
    found = ctypes.util.find_library("nvrtc") or next(iter(glob.glob("/usr/local/cuda*/lib*/libnvrtc.so*")), None)
    if found is None:
        pytest.skip("no NVRTC here: that it reads macros in such names is not tested")
    visible = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}  # by which tests hide CUDA
    done = subprocess.run([sys.executable, "-c", LOWER, found, source, made.name], capture_output=True, text=True, env=visible)
    assert done.stdout.split() == ["_Z1fILi64EdEvPT0_i"], (done.stdout, done.stderr, done.returncode)


# A name as NVRTC lowers it, in a process of its own: a compiler may fall.
LOWER = """
import ctypes, sys
nvrtc, program, lowered = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), ctypes.c_char_p()
source, name = (one.encode() for one in sys.argv[2:])
assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"f.cu", 0, None, None) == 0
assert nvrtc.nvrtcAddNameExpression(program, name) == 0
assert nvrtc.nvrtcCompileProgram(program, 2, (ctypes.c_char_p * 2)(b"-Dblock_size_x=64", b"-Dreal=double")) == 0
assert nvrtc.nvrtcGetLoweredName(program, name, ctypes.byref(lowered)) == 0
print(lowered.value.decode(), flush=True)
"""


def test_the_runner_runs_a_notebook(pocl, tmp_path):
    def cell(text, kind="code"):
        return {"cell_type": kind, "source": text.splitlines(keepends=True), "metadata": {}}
    cells = [cell("# Kernel Tuner\n", "markdown"), cell("%matplotlib inline\n!pip install kernel_tuner\nimport numpy, kernel_tuner\n"),
             cell("%%writefile add.cl\n" + ADD), cell("n = 4096 \\\n  % 10000\nif n:\n    !echo no\n"),
             cell("%%html\n<b>no Python</b>\n"),
             cell("a = numpy.ones(n, numpy.float32)\nresults, env = kernel_tuner.tune_kernel('vector_add', 'add.cl', n,\n"
                  "    [numpy.zeros_like(a), a, a, numpy.int32(n)], {'block_size_x': [64]}, quiet=True)\ndisplay(len(results), env['best_config']['block_size_x'])\n")]
    (tmp_path / "steps.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    done = subprocess.run([sys.executable, "-m", "hone.kernel_tuner", "steps.ipynb"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "1 64\n", done.stdout + done.stderr
    for said in ("cell 2: %matplotlib inline is left out", "cell 2: !pip install", "cell 4: !echo no", "cell 5: %%html is left out"):
        assert said in done.stderr
    (tmp_path / "no.ipynb").write_text("[]")
    done = subprocess.run([sys.executable, "-m", "hone.kernel_tuner", "no.ipynb"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "it is not a notebook" in done.stderr
