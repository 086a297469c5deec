"""Kernel Tuner's scripts with hone in its place: its tutorial's steps, its interface's corners, its own examples where they are."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

import hone

numpy = pytest.importorskip("numpy")
import hone.kernel_tuner as kernel_tuner  # noqa: E402
from hone.kernel_tuner import util  # noqa: E402
from hone.kernel_tuner._cache import load_cache  # noqa: E402

ADD = """__kernel void vector_add(__global float *c, __global const float *a, __global float *b, int n) {
    int i = get_group_id(0) * block_size_x + get_local_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
"""
N = 5000


@pytest.fixture
def vectors(pocl, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a, b = (numpy.random.rand(N).astype(numpy.float32) for _ in range(2))
    return [numpy.zeros_like(a), a, b, numpy.int32(N)]


def tune(args, source=ADD, params=None, **more):
    given = dict(iterations=3, quiet=True)
    given.update(more)
    return kernel_tuner.tune_kernel("vector_add", source, N, args, params or {"block_size_x": [32, 64, 128]}, **given)


def test_what_runs_the_program_is_imported_when_asked_for():
    code = ("import sys, hone.kernel_tuner.__main__\n"
            "print([m for m in ('hone._program', 'subprocess', 'asyncio', 'numpy') if m in sys.modules])\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stdout + done.stderr


def test_results_are_of_the_same_kind(vectors, capsys):
    metrics = {"GFLOP/s": lambda p: (N / 1e9) / (p["time"] / 1e3), "half": "time / 2 + 0 * block_size_x"}
    results, env = tune(vectors, answer=[vectors[1] + vectors[2], None, None, None], metrics=metrics, quiet=False)
    assert [r["block_size_x"] for r in results] == [32, 64, 128]
    for r in results:
        assert len(r["times"]) == 3 and r["time"] == pytest.approx(sum(r["times"]) / 3)
        assert r["half"] == pytest.approx(r["time"] / 2) and r["GFLOP/s"] == pytest.approx(N / 1e6 / r["time"])
    assert env["best_config"] == min(results, key=lambda r: r["time"]) and env["device_name"].startswith("pthread")
    said = capsys.readouterr().out
    assert "Using: pthread" in said and "best performing configuration:" in said and "block_size_x=64, time=" in said
    json.dumps(results)


def test_seven_launches_but_of_what_is_far_behind(vectors):
    source = ADD.replace("c[i] = a[i] + b[i];", "for (int k = 0; k < work; k++) c[i] = (k ? c[i] : a[i]) * 1.0001f + b[i];")
    given = dict(source=source, params={"block_size_x": [64], "work": [1, 3000, 3001, 3002, 3003]}, iterations=None)
    results, env = tune(vectors, **given)
    launched = {r["work"]: len(r["times"]) for r in results}
    assert launched[1] == 7 and min(launched.values()) < 7 and env["iterations"] == 7
    results, _ = tune(vectors, metrics={"rate": lambda p: 1 / p["time"]}, objective="rate", objective_higher_is_better=True, **given)
    assert {len(r["times"]) for r in results} == {7}


def test_wrong_and_failing_configurations_are_told(vectors):
    source = ADD.replace("a[i] + b[i]", "a[i] + b[i] + (block_size_x == 64)").replace("int n)", "int n) BROKEN")
    source = "#if block_size_x == 128\n#define BROKEN no such thing\n#else\n#define BROKEN\n#endif\n" + source
    results, _ = tune(vectors, source=source, answer=[vectors[1] + vectors[2], None, None, None])
    kinds = {r["block_size_x"]: type(r["time"]) for r in results}
    assert kinds == {32: float, 64: util.RuntimeFailedConfig, 128: util.CompilationFailedConfig}
    assert min(results, key=lambda r: r["time"])["block_size_x"] == 32 and max(results, key=lambda r: r["time"])["time"] != 0
    assert json.loads(json.dumps(results))[1]["time"] == "RuntimeFailedConfig"


def test_verify_is_called_with_what_the_kernel_left(vectors):
    right, seen = vectors[1] + vectors[2], []

    def verify(answer, result, atol=None):
        seen.append(result[1])
        return numpy.isclose(answer[0], numpy.sum(result[0]), rtol=1e-4) and atol == 0.5
    results, _ = tune(vectors, answer=[numpy.sum(right), None, None, None], verify=verify, atol=0.5)
    assert all(isinstance(r["time"], float) for r in results) and seen == [None] * 3
    results, _ = tune(vectors, answer=[numpy.sum(right) + 9, None, None, None], verify=verify, atol=0.5)
    assert all(r["time"] == "RuntimeFailedConfig" for r in results)


def test_verify_without_an_answer_gets_what_the_kernel_writes(vectors):
    def verify(answer, result, atol):
        assert answer is None and result[3] == N and (result[1] == vectors[1]).all()
        return numpy.allclose(result[0], vectors[1] + vectors[2]) or None
    for source, kind in ((ADD, float), (ADD.replace("a[i] +", "2 * a[i] +"), util.RuntimeFailedConfig)):
        results, _ = tune(vectors, source=source, verify=verify, grid_div_x=lambda p: p["block_size_x"])
        assert [type(r["time"]) for r in results] == [kind] * 3
    right = [vectors[1] + vectors[2], None, None, None]  # with tables, which are defined once
    results, _ = tune(vectors, answer=right, verify=lambda answer, result: numpy.allclose(answer[0], result[0]),
                      restrictions=lambda p: p["block_size_x"] > 32, grid_div_x=lambda p: p["block_size_x"])
    assert [type(r["time"]) for r in results] == [float] * 2


def test_names_of_block_sizes_in_any_case(vectors):
    for name in ("BLOCK_SIZE_X", "Block_Size_X"):
        results, _ = tune(vectors, source=ADD.replace("block_size_x", name), params={name: [32, 64]},
                          answer=[vectors[1] + vectors[2], None, None, None])
        assert all(isinstance(r["time"], float) for r in results)
    with pytest.raises(hone.UsageError, match="4 names"):
        tune(vectors, block_size_names=["a", "b", "c", "d"])


def test_which_direction_of_an_objective_is_better(vectors, tmp_path):
    metrics = {"GFLOP/J": lambda p: p["block_size_x"], "mine": lambda p: p["block_size_x"], "cost": "np.log2(block_size_x)", "fitness": "2 * cost"}
    for known, best in (("cost", 32), ("fitness", 128)):
        assert tune(vectors, metrics=metrics, objective=known)[1]["best_config"]["block_size_x"] == best
    results, env = tune(vectors, metrics=metrics, objective="GFLOP/J")
    assert env["best_config"]["block_size_x"] == 128
    kernel_tuner.store_results(tmp_path / "s.json", "vector_add", ADD, {"block_size_x": []}, N, results, env, objective="GFLOP/J")
    assert json.loads((tmp_path / "s.json").read_text())["data"][0]["tunable_parameters"]["block_size_x"] == 128
    with pytest.raises(hone.UsageError, match="objective_higher_is_better"):
        tune(vectors, metrics=metrics, objective="mine")
    assert tune(vectors, metrics=metrics, objective="mine", objective_higher_is_better=False)[1]["best_config"]["block_size_x"] == 32


def test_arguments_that_are_only_read():
    from hone.kernel_tuner._interface import Signature

    def read_only(arguments, body, before=""):
        return Signature(f"{before}\n__kernel void f({arguments}) {{ {body} }}", "f", arguments.count(",") + 1).read_only
    assert read_only("__global const float *a, float *const b, float *c", "b[i] = a[i] + c[i].x * c[i + 1].s[2];") == [True, False, True]
    for body in ("", "y[i].lo.x = 1;", "y[i].s[2] += 1;", "PUT(y[i], 1);", "y[i]++;", "(y[i]) = 2;"):
        assert read_only("float *y", body) == [False], body
    assert read_only("float *y, float *x", "GET; z = y[i];", "#define GET y[3] = x") == [False, False]


def test_numbers_are_scaled_once(monkeypatch):
    from hone.kernel_tuner import _interface
    monkeypatch.setattr(_interface.settings, "numbers", {8192: 4096, 4096: 2048})
    assert _interface._scaled("8192 4096 a4096 4096.0") == "4096 2048 a4096 4096.0"


def test_restrictions_of_all_kinds(vectors):
    for given, count in (((), 3), ((lambda p: p["block_size_x"] > 32, lambda p: p["block_size_x"] < 128), 1),
                         ((lambda block_size_x: block_size_x > 32, ["block_size_x"]), 2)):
        assert len(tune(vectors, restrictions=given)[0]) == count
    for given in ("block_size_x > 999", ["block_size_x > 999", lambda p: True], lambda p: False):
        with pytest.raises(hone.UsageError, match="exclude every"):
            tune(vectors, restrictions=given)


def test_restrictions_sizes_and_sources_as_code(vectors):
    params = {"block_size_x": [32, 64, 128], "tile": [1, 2], "kind": ["a", "b"]}
    tiled = ADD.replace("int i = get_group_id(0) * block_size_x + get_local_id(0);\n    if",
                        "for (int k = 0; k < tile; k++) {\n int i = (get_group_id(0) * tile + k) * block_size_x + get_local_id(0);\n    if"
                        ).replace("b[i];\n", "b[i];\n }\n")
    asked = []

    def code(p):
        asked.append(dict(p))
        return tiled.replace("tile", str(p["tile"]))
    right = [vectors[1] + vectors[2], None, None, None]
    more = dict(params=params, answer=right, grid_div_x=["block_size_x", lambda p: p["tile"]])
    restrictions = ["block_size_x > 32", lambda p: p["kind"] == "b", lambda tile, block_size_x: tile * block_size_x < 256]
    for source in (tiled, code):
        results, _ = kernel_tuner.tune_kernel("vector_add", source, lambda p: N, vectors, **{
            "tune_params": params, "answer": right, "grid_div_x": more["grid_div_x"], "restrictions": restrictions, "iterations": 1,
            "quiet": True})
        assert [(r["block_size_x"], r["tile"], r["kind"]) for r in results] == [(64, 1, "b"), (64, 2, "b"), (128, 1, "b")]
        assert all(isinstance(r["time"], float) for r in results)
    assert {"block_size_x": 64, "tile": 2, "kind": "b"} in asked


def test_problem_size_of_a_parameter_and_other_names(vectors):
    source = ADD.replace("block_size_x", "threads").replace("int i =", "for (int i =").replace("; if", "").replace(
        "get_local_id(0);\n    if (i < n)", "get_local_id(0); i < n; i += blocks * threads)")
    results, _ = kernel_tuner.tune_kernel("vector_add", source, "blocks", vectors, {"threads": [64], "blocks": [4, 8]}, grid_div_x=[],
                                          block_size_names=["threads"], answer=[vectors[1] + vectors[2], None, None, None],
                                          iterations=1, quiet=True)
    assert len(results) == 2 and all(isinstance(r["time"], float) for r in results)


def test_run_kernel_gives_arguments_back(vectors):
    left = kernel_tuner.run_kernel("vector_add", ADD, N, vectors, {"block_size_x": 64})
    assert numpy.allclose(left[0], vectors[1] + vectors[2]) and left[3] == N and (left[1] == vectors[1]).all()
    with pytest.raises(RuntimeError, match="compile"):
        kernel_tuner.run_kernel("vector_add", ADD.replace("float", "flaot"), N, vectors, {"block_size_x": 64})


def test_run_kernel_gives_what_one_launch_left(vectors):
    vectors[0][:] = 1
    left = kernel_tuner.run_kernel("vector_add", ADD.replace("c[i] =", "c[i] +="), N, vectors, {"block_size_x": 64})
    assert numpy.allclose(left[0], 1 + vectors[1] + vectors[2])


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8", "uint16", "int64", "complex64", "bool"])
def test_zeros_are_filled_and_not_written(pocl, kind):
    from hone import _arrays
    written, write = [], _arrays.Scratch.write
    zeros, minus = numpy.zeros((8, 8), dtype=kind), numpy.zeros(64, dtype=kind)
    view = numpy.zeros((16, 16), dtype=kind)[::2, ::2]
    if minus.dtype.kind in "fc":
        minus[3] = minus.dtype.type(-0.0)
    else:
        minus[63] = 1
    source = "__kernel void f(__global char *a, __global char *b, __global char *c) { if (get_global_id(0) == k) a[0] = b[0] = c[0] = 7; }"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_arrays.Scratch, "write", lambda self, name, array: written.append(name) or write(self, name, array))
        left = kernel_tuner.run_kernel("f", source, 64, [zeros, minus, view], {"block_size_x": 64, "k": 99})
    assert written == ["argument1", "argument2"]  # the view is not looked at
    for given, is_left in zip((zeros, minus, view), left):
        assert given.dtype == is_left.dtype and given.shape == is_left.shape and given.tobytes() == is_left.tobytes()


def test_cache_files_are_read_and_written(vectors, tmp_path):
    results, _ = tune(vectors, params={"block_size_x": [32, 64]}, cache=tmp_path / "c")
    document = json.loads((tmp_path / "c.json").read_text())
    assert sorted(document["cache"]) == ["32", "64"] and document["tune_params_keys"] == ["block_size_x"]
    document["cache"]["64"]["time"] = 1e-9
    text = json.dumps(document)
    (tmp_path / "c.json").write_text(text[:-2] + ",")  # as a run leaves it that goes on
    again, env = tune(vectors, params={"block_size_x": [32, 64, 128]}, cache=str(tmp_path / "c.json"))
    assert len(again) == 3 and env["best_config"]["block_size_x"] == 64
    assert {r["block_size_x"]: r["times"] for r in again}[32] == results[0]["times"] and sorted(json.loads((tmp_path / "c.json").read_text())["cache"]) == ["128", "32", "64"]
    with pytest.raises(hone.UsageError, match="parameters"):
        kernel_tuner.tune_kernel("vector_add", ADD, N, vectors, {"block_size_x": [32], "more": [1]}, cache=tmp_path / "c", quiet=True)


def test_a_killed_script_keeps_its_rows(vectors, tmp_path):
    """Each is in the cache before it is printed; what a killed writer cut off is left out."""
    script = tmp_path / "script.py"
    script.write_text(f"""import numpy, hone.kernel_tuner as kernel_tuner
a = numpy.ones({N}, numpy.float32)
kernel_tuner.tune_kernel("vector_add", {ADD!r}, {N}, [a, a, a, numpy.int32({N})], {{"block_size_x": [32, 64, 128, 256], "k": list(range(200))}},
                         cache="killed", iterations=2)
""")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONUNBUFFERED": "1"}) as running:
        printed = 0
        while printed < 5:
            printed += "time=" in running.stdout.readline()
        running.kill()
        printed += sum("time=" in line for line in running.stdout.readlines())
    text = (tmp_path / "killed.json").read_text()
    kept = text.count('"times"')
    assert printed <= kept < 800
    (tmp_path / "killed.json").write_text(text + '"32,1999": {"block_size_x": 32, "k"')
    again = load_cache(tmp_path / "killed.json")
    assert len(again["cache"]) == kept and all("time" in row for row in again["cache"].values())


def test_ctrl_c_ends_the_script(vectors, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"""import numpy, hone.kernel_tuner as kernel_tuner
a = numpy.ones({N}, numpy.float32)
kernel_tuner.tune_kernel("vector_add", {ADD!r}, {N}, [a, a, a, numpy.int32({N})], {{"block_size_x": [32, 64], "k": list(range(400))}}, cache="c", iterations=2)
print("the next line ran")
""")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONUNBUFFERED": "1"}) as running:
        while "time=" not in running.stdout.readline():
            pass
        running.send_signal(signal.SIGINT)
        said, wrong = running.communicate(timeout=300)
    assert running.returncode != 0 and "KeyboardInterrupt" in wrong and "the next line ran" not in said
    assert len(json.loads((tmp_path / "c.json").read_text())["cache"]) >= 1 + said.count("time=")


@pytest.mark.parametrize("guard", ["#ifndef block_size_y\n#define block_size_y 16\n#endif\n", ""])
def test_block_sizes_are_always_defined(vectors, guard):
    """A default behind #ifndef is not another size than that of the launch."""
    source = guard + """__kernel void add(__global float *c, __global const float *a, __global const float *b) {
    int x = get_group_id(0) * block_size_x + get_local_id(0), y = get_group_id(1) * block_size_y + get_local_id(1);
    c[y * 64 + x] = a[y * 64 + x] + b[y * 64 + x];
}
"""
    ones = numpy.ones(64 * 64, numpy.float32)
    left = kernel_tuner.run_kernel("add", source, (64, 64), [numpy.zeros_like(ones), ones, ones], {"block_size_x": 64}, quiet=True)
    assert numpy.count_nonzero(left[0]) == 64 * 64


def test_values_keep_their_kinds(vectors):
    source = ADD.replace("a[i] + b[i]", "a[i] + b[i] + K / 2")
    params = {"block_size_x": [64], "K": [1, 2.5, True], "X": ["test", 2]}
    left = kernel_tuner.run_kernel("vector_add", source, N, vectors, {"block_size_x": 64, "K": 1}, quiet=True)
    assert numpy.array_equal(left[0], vectors[1] + vectors[2])  # 1 / 2 of integers
    results, _ = tune(vectors, source=source, params=params, metrics={"twice": lambda p: p["X"] * 2})
    assert [(r["K"], type(r["K"]), r["X"], r["twice"]) for r in results] == \
        [(1, int, "test", "testtest"), (1, int, 2, 4), (2.5, float, "test", "testtest"), (2.5, float, 2, 4)]
    one = kernel_tuner.tune_kernel("vector_add", source, N, vectors, {**params, "X": ["test", 2, 2.45]}, quiet=True, iterations=1,
                                   restrictions=["X == 2.45", "K == 1"])[0]
    assert [(r["X"], r["K"]) for r in one] == [(2.45, 1)]


def test_a_time_limit_does_not_count_the_wait_for_the_device(vectors, tmp_path, monkeypatch):
    """Another process holds the device for longer than the limit: the search begins when it is free."""
    holder = tmp_path / "holder.py"
    holder.write_text(f"""import numpy, hone.kernel_tuner as kernel_tuner
a = numpy.ones({N}, numpy.float32)
source = {ADD!r}.replace("c[i] =", "for (int k = 0; k < 200000; k++) c[i] = sqrt(c[i] + k); c[i] =")
print("holds", flush=True)
kernel_tuner.run_kernel("vector_add", source, {N}, [a, a, a, numpy.int32({N})], {{"block_size_x": 64}})
""")
    with subprocess.Popen([sys.executable, holder], stdout=subprocess.PIPE, text=True) as running:
        running.stdout.readline()
        results, env = tune(vectors, strategy="random_sample", strategy_options={"time_limit": 0.5})
        running.wait()
    assert results and env["best_config"]


@pytest.mark.parametrize("member, value, said", [("device_name", "another", "another.*pthread"), ("problem_size", ["7"], "7.*5000")])
def test_a_cache_of_something_else_is_refused(vectors, tmp_path, member, value, said):
    tune(vectors, cache=tmp_path / "c")
    document = json.loads((tmp_path / "c.json").read_text())
    assert document["problem_size"] == 5000
    (tmp_path / "c.json").write_text(json.dumps({**document, member: value}))
    with pytest.raises(hone.UsageError, match=said):
        tune(vectors, cache=tmp_path / "c")


def test_of_a_cache_only_what_is_in_the_space_is_told(vectors, tmp_path):
    tune(vectors, cache=tmp_path / "c")
    for more in ({"params": {"block_size_x": [64, 256]}}, {"restrictions": ["block_size_x >= 64"]}):
        results, _ = tune(vectors, cache=tmp_path / "c", **more)
        assert [r["block_size_x"] for r in results] == more.get("params", {"block_size_x": [64, 128]})["block_size_x"]
    assert len(json.loads((tmp_path / "c.json").read_text())["cache"]) == 4
    with pytest.raises(hone.FileError, match="cannot be written"):
        tune(vectors, cache="/nowhere/c")


def test_files_of_results(vectors, tmp_path):
    results, env = tune(vectors)
    kernel_tuner.file_utils.store_output_file(tmp_path / "r", results, {"block_size_x": []})
    (row, *_) = json.loads((tmp_path / "r.json").read_text())["results"]
    assert row["configuration"] == {"block_size_x": 32} and row["invalidity"] == "correct" and len(row["times"]["runtimes"]) == 3
    kernel_tuner.file_utils.store_metadata_file(tmp_path / "m.json")
    assert "devices" in json.loads((tmp_path / "m.json").read_text())["metadata"]
    assert row["times"]["compilation"] > 0 and not any(m["name"] == "compile_time" for m in row["measurements"])


def test_files_of_the_best_results_and_headers_of_them(tmp_path):
    params = {"a": [1, 2, 3]}
    for size, times in ((64, (1.0, 1.02, 2.0)), (128, (3.0, 1.0, 1.5)), (64, (1.0, 1.02, 1.2))):  # the last in the place of the first
        rows = [{"a": a, "time": numpy.float64(t)} for a, t in zip(params["a"], times)] + [{"a": 4, "time": util.RuntimeFailedConfig()}]
        kernel_tuner.store_results(tmp_path / "s.json", "f", ADD, params, (size, 1), rows, {"device_name": "A card (x)"})
    kernel_tuner.store_results(tmp_path / "s.json", "f", ADD, params, 64, [{"a": 3, "time": 1.0}], {"device_name": "B"})
    document = json.loads((tmp_path / "s.json").read_text())
    assert document["data"][0] == {"device_name": "A_card_x_", "problem_size": "128x1", "tunable_parameters": {"a": 2}, "time": 1.0}
    assert [row["tunable_parameters"]["a"] for row in document["data"]] == [2, 1, 2, 3]
    found = kernel_tuner.integration.TuneResults(tmp_path / "s.json")
    assert found.get_best_config("A card (x)", (64, 1)) == {"a": 1} and found.get_best_config("A card (x)") == {"a": 2}
    assert found.get_best_config("B", 7) == {"a": 3} and found.get_best_config("C") == {"a": 2}
    kernel_tuner.create_device_targets(tmp_path / "t.h", tmp_path / "s.json")
    for options, value in ((["-DTARGET_B"], "3"), (["-DTARGET_A_card_x_"], "2"), ([], "2"), (["-Dkernel_tuner"], "a")):
        (tmp_path / "t.c").write_text('#include "t.h"\na')
        done = subprocess.run([os.environ.get("HONE_TEST_CC", "cc"), "-E", "-P", *options, tmp_path / "t.c"], capture_output=True, text=True)
        assert done.stdout.strip() == value, done.stderr
    with pytest.raises(hone.UsageError, match="kernel_name f, and not g"):
        kernel_tuner.store_results(tmp_path / "s.json", "g", ADD, params, 64, rows, {"device_name": "B"})
    with pytest.raises(hone.UsageError, match="not a file of store_results"):
        kernel_tuner.integration.TuneResults(tmp_path / "t.c")


SPACE = {"a": [1, 2, 4, 8], "b": ["x", "y"]}


def recorded(path, **more):
    """A cache file as Kernel Tuner 1.5 leaves it, of a space whose b == "y" with a == 8 does not compile."""
    rows = {}
    for a in SPACE["a"]:
        for b in SPACE["b"]:
            row = {"a": a, "b": b, "compile_time": 100, "verification_time": 0, "benchmark_time": 50, "watt": 10.0 * a}
            row.update({"__error__": "CompilationFailedConfig"} if (a, b) == (8, "y") else {"time": 8 / a + (b == "y"), "times": [8 / a]})
            rows[f"{a},{b}"] = row
    document = {"device_name": "A card", "kernel_name": "f", "problem_size": [64, 1], "tune_params_keys": list(SPACE), "tune_params": SPACE,
                "objective": "time", "cache": rows}
    pathlib.Path(path).write_text(json.dumps({**document, **more})[:-2] + ",")  # open, as it is while a tune goes on


def simulate(cache, params=SPACE, **more):
    return kernel_tuner.tune_kernel("f", "no_such_file.cu", (64, 1), [], params, cache=cache, simulation_mode=True, quiet=True, **more)


def test_simulation_searches_a_cache_file(tmp_path, capsys):
    recorded(tmp_path / "c.json")
    results, env = simulate(tmp_path / "c", metrics={"rate": lambda p: 6 / p["time"], "twice": "rate * 2"})
    assert [(r["a"], r["b"]) for r in results] == [(a, b) for a in SPACE["a"] for b in SPACE["b"]]
    assert env["best_config"]["a"] == 8 and env["best_config"]["twice"] == 12 and env["simulated_time"] == 8 * 150
    assert isinstance(results[-1]["time"], util.CompilationFailedConfig) and "rate" not in results[-1]
    for strategy in kernel_tuner.strategies.NAMES:
        results, env = simulate(tmp_path / "c", strategy=strategy, strategy_options={"max_fevals": 5})
        assert len(results) == 5 and env["simulation"], strategy
    assert len(simulate(tmp_path / "c", strategy="random_sample", strategy_options={"time_limit": 0.4})[0]) == 3
    assert len(simulate(tmp_path / "c", strategy="random_sample")[0]) == 1  # a tenth
    results, env = simulate(tmp_path / "c", strategy="pso", strategy_options={"max_fevals": 3, "x0": (4, "y")})
    assert (results[0]["a"], results[0]["b"]) == (4, "y") and env["overhead_time"] > 0
    results, env = simulate(tmp_path / "c", strategy="pso", strategy_options={"max_fevals": 1, "x0": (8, "y")})  # which did not compile
    assert [(r["a"], r["b"]) for r in results] == [(8, "y")] and env["best_config"] == {}
    with pytest.warns(UserWarning, match="random sample"):
        results, env = simulate(tmp_path / "c", objectives={"time": False, "watt": False}, strategy="nsga2", strategy_options={"max_fevals": 8})
    assert len(results) == 8 and len(env["best_config"]) == 4
    whole = {"strategy_options": {"max_fevals": 8}}
    orders = {str([r["a"] for r in simulate(tmp_path / "c", strategy="random_sample", seed=seed, **whole)[0]]) for seed in (1, 1, 2, 3)}
    assert 1 < len(orders) < 4
    results, env = simulate(tmp_path / "c", objective="GFLOP/s", metrics={"GFLOP/s": lambda p: p["a"] - 4}, strategy="genetic_algorithm")
    assert len(results) == 8 and env["best_config"]["a"] == 8
    results, env = simulate(tmp_path / "c", objectives={"time": False, "watt": False})
    assert [r["a"] for r in env["best_config"]] == [1, 2, 4, 8] and all(r["optimal"] and r["b"] == "x" for r in env["best_config"])
    results, _ = simulate(tmp_path / "c", params={"a": [2, 4], "b": ["y"]}, restrictions=[lambda p: p["a"] > 2])
    assert [r["a"] for r in results] == [4]
    assert capsys.readouterr().out == ""
    assert len(kernel_tuner.tune_cache(tmp_path / "c", restrictions=["a > 1"], verbose=True, iterations=7)[0]) == 6
    said = capsys.readouterr().out
    assert "Simulating: A card" in said and "a=4, b=y, time=3.000ms" in said and "best performing configuration:\na=8, b=x" in said


def test_what_a_simulation_cannot_answer_is_said(tmp_path):
    recorded(tmp_path / "c.json")
    for more, said in (({"cache": tmp_path / "d"}, "there is no.*d.json"), ({"params": {**SPACE, "b": ["x", "z"]}}, "4 of.*4 are missing"),
                       ({"restrictions": "a > 9"}, "exclude every"), ({"objective": "joule", "objective_higher_is_better": False}, "joule"),
                       ({"strategy": "pso", "strategy_options": {"max_feval": 5}}, "no strategy has 'max_feval'"),
                       ({"strategy": "pso", "strategy_options": {"x0": [3, "x"]}}, "x0.*a=3")):
        with pytest.raises(hone.UsageError, match=said):
            simulate(**{"cache": tmp_path / "c", **more})
    for member, value, said in (("kernel_name", "g", "of the kernel g"), ("problem_size", 65, "problem size"), ("cache", {"1": 2}, "no cache file")):
        recorded(tmp_path / "c.json", **{member: value})
        with pytest.raises(hone.UsageError, match=said):
            simulate(tmp_path / "c")
    recorded(tmp_path / "c.json", cache={"1,x": {"a": 1, "b": "x", "time": 1.0}})
    with pytest.raises(hone.UsageError, match="time_limit in simulation_mode"):
        simulate(tmp_path / "c", params={"a": [1], "b": ["x"]}, strategy="random_sample", strategy_options={"time_limit": 1})


def test_what_kernel_tuner_says_of_each_configuration(vectors):
    broken = "#if block_size_x == 64\n#error not this one\n#endif\n" + ADD
    results, env = tune(vectors, source=broken, params={"block_size_x": [32, 64, 1 << 20]}, metrics={"f": lambda p: numpy.float32(p["time"])},
                        objective="f", objective_higher_is_better=False)
    assert [r["block_size_x"] for r in results] == [32, 64]  # the device has no groups of a million
    assert isinstance(results[1]["__error__"], util.CompilationFailedConfig) and "__error__" not in results[0]
    assert all(r["compile_time"] > 0 and r["strategy_time"] == 0 for r in results) and results[0]["benchmark_time"] > 0
    assert env["total_compile_time"] == pytest.approx(sum(r["compile_time"] for r in results)) and env["best_config"]["block_size_x"] == 32


def test_several_objectives(vectors):
    more = {"objectives": {"time": False, "GB/s": True}, "metrics": {"GB/s": lambda p: 1 / p["time"]}}
    results, env = tune(vectors, **more)
    assert len(results) == 3 and [r["time"] for r in env["best_config"]] == [min(r["time"] for r in results)]
    assert len(tune(vectors, strategy="nsga2", strategy_options={"max_fevals": 2}, **more)[0]) == 2


def test_a_kernel_as_a_function(vectors, tmp_path):
    from hone.kernel_tuner.kernelbuilder import PythonKernel
    results, env = tune(vectors, params={"block_size_x": [32]})
    kernel_tuner.store_results(tmp_path / "s.json", "vector_add", ADD, {"block_size_x": [32]}, N, results, env)
    add = PythonKernel("vector_add", ADD, N, vectors, results_file=tmp_path / "s.json", outputs=[True, False, False, False])
    assert add.params == {"block_size_x": 32}
    (c,) = add(vectors[0], 2 * vectors[1], vectors[2], vectors[3])
    assert numpy.allclose(c, 2 * vectors[1] + vectors[2])


def test_what_lies_on_a_device_is_brought(vectors):
    class OnDevice:  # as CuPy's arrays, which refuse to become NumPy's by themselves
        __cuda_array_interface__ = {}

        def __init__(self, array):
            self.array, self.dtype, self.ndim = array, array.dtype, array.ndim

        def __array__(self, *_, **__):
            raise TypeError("implicit")

        def get(self):
            return self.array

        def set(self, array):
            self.array = array
    from hone.kernel_tuner.kernelbuilder import PythonKernel
    c, a, b = map(OnDevice, vectors[:3])
    PythonKernel("vector_add", ADD, N, [c, a, b, vectors[3]], {"block_size_x": 32})(c, a, b, vectors[3])
    assert numpy.allclose(c.array, vectors[1] + vectors[2])


@pytest.mark.parametrize("more, said", [
    ({"texmem_args": {"t": 1}}, "texmem_args"), ({"lang": "HIP"}, "HIP"), ({"simulation_mode": True}, "cache"),
    ({"strategy": "magic"}, "magic"), ({"compiler": "nvcc"}, "nvcc"), ({"observers": [object()]}, "observer object"),
    ({"objective": "beauty"}, "beauty"), ({"parallel": 2}, "parallel"), ({"cmem_args": {"x": numpy.ones(1)}}, "cmem_args"),
    ({"defines": {"block_size_x": 3}}, "block_size_x"), ({"smem_args": {"size": 8}}, "smem_args=.*OpenCL"),
    ({"objectives": 3}, "objectives is a dictionary"), ({"compiler_options": [lambda p: "-DA"]}, "compiler_options as code"), ({"answer": [1]}, "answer has 1"), ({"restrictions": [3]}, "restriction of type int"), ({"platform": 3}, "platform"),
    ({"block_size_names": "bx"}, r"block_size_names is 'bx'.*\['bx'\]"), ({"iterations": -1}, "iterations is -1"), ({"iterations": 2.5}, "whole"),
    ({"params": {"time": [1, 2]}}, "'time'"), ({"params": {"block_size_x": [32], "nvml_gr_clock": [900]}}, "nvml_gr_clock.*sets no clocks"),
    ({"params": {"block_size_x": 32}}, "block_size_x.*no list"), ({"source": ADD.encode()}, "kernel_source is of type bytes"),
    ({"metrics": {"q": "time / what"}}, r"metrics\['q'\].*what"), ({"metrics": {"q": "time /"}}, r"metrics\['q'\].*not an expression"),
    ({"answer": [None, None, None, 1.5]}, "answer.3.*not an array")])
def test_what_cannot_be_served_is_refused_by_name(vectors, more, said):
    with pytest.raises(hone.UsageError, match=said):
        tune(vectors, **more)


def test_texts_of_sizes_are_truncated(pocl):
    source = "__kernel void f(__global int *c) { if (get_global_id(0) == 0) c[0] = get_num_groups(0); }"
    for size, divisors, groups in (("tile * 333.4", [], 1000), (1000, ["block_size_x / 7"], 500), (1000, ["tile", "block_size_x / 7"], 167),
                                   ("1000 / tile", None, 21), (1000, lambda p: p["block_size_x"] / 7, 438)):
        left = kernel_tuner.run_kernel("f", source, size, [numpy.zeros(1, numpy.int32)], {"block_size_x": 16, "tile": 3}, grid_div_x=divisors)
        assert left[0][0] == groups, (size, divisors)


def test_the_macro_by_which_kernels_know_a_tuner(vectors):
    source = "#ifndef kernel_tuner\n#include <the_header_of_create_device_targets.h>\n#endif\n" + ADD.replace("b[i]", "b[i] + kernel_tuner - 1")
    results, _ = tune(vectors, source=source, answer=[vectors[1] + vectors[2], None, None, None])
    assert [type(r["time"]) for r in results] == [float] * 3


def test_a_kernel_that_a_parameter_names(vectors):
    named = dict(params={"block_size_x": [64], "which": ["vector_add"]})
    given = (vectors, {"block_size_x": 64, "which": "vector_add"})
    assert numpy.allclose(kernel_tuner.run_kernel("which", ADD, N, *given)[0], vectors[1] + vectors[2])
    with pytest.raises(kernel_tuner.Unsupported, match="which is a parameter of 2 values"):
        kernel_tuner.tune_kernel("which", ADD, N, vectors, {**named["params"], "which": ["vector_add", "other"]})


def test_run_kernel_takes_a_result_of_a_tune(vectors):
    results, env = tune(vectors, metrics={"GB/s": lambda p: 1 / p["time"]})
    for given in (env["best_config"], results[0]):
        assert numpy.allclose(kernel_tuner.run_kernel("vector_add", ADD, N, vectors, given)[0], vectors[1] + vectors[2])
    assert env["overhead_time"] >= 0 and set(results[0]) >= {"time", "times", "timestamp", "GB/s"}


def test_answers_of_another_type_and_with_nan(pocl):
    source = "__kernel void f(__global float *c, __global int *k) { int i = get_global_id(0); c[i] = i == 3 ? NAN : i; k[i] = 1000 * i; }"
    right, whole = numpy.arange(64.0), 1000 * numpy.arange(64)
    right[3] = numpy.nan

    def tuned(*answer, **more):
        (row,), _ = kernel_tuner.tune_kernel("f", source, 64, [numpy.zeros(64, numpy.float32), numpy.zeros(64, numpy.int32)], {"block_size_x": [64]},
                                             answer=answer, quiet=True, iterations=1, **more)
        return type(row["time"])
    assert tuned(right, whole) is float and tuned(right.reshape(8, 8), None) is float and tuned(None, whole.astype(float)) is float
    for wrong in (numpy.where(numpy.isnan(right), 1, right), numpy.where(right == 9, numpy.nan, right)):
        assert tuned(wrong, None) is util.RuntimeFailedConfig
    with pytest.raises(hone.InputError, match=r"answer\[1\] \(k\) is of float64.*int32"):
        tuned(None, whole + 0.7)


def test_scalars_that_json_has_no_number_for(pocl):
    source = "__kernel void f(__global double *c, float a, double b, long k) { c[0] = a; c[1] = b; c[2] = k; }"
    given = [numpy.zeros(3), numpy.float32("nan"), numpy.float64("-inf"), numpy.int64(-2**63)]
    left = kernel_tuner.run_kernel("f", source, 1, given, {"block_size_x": 1})[0]
    assert numpy.isnan(left[0]) and left[1] == -numpy.inf and left[2] == -2.0**63
    with pytest.raises(hone.InputError, match="'k' is 9223372036854775808.*one element"):
        kernel_tuner.run_kernel("f", source.replace("long", "ulong"), 1, [*given[:3], numpy.uint64(2**63)], {"block_size_x": 1})


COLUMNS = """
__kernel void columns(__global float *c, __global const float *a, int rows) {
    int i = get_global_id(0);
    if (i < 12)
        c[i] = a[i] + 100 * (i / rows) + i % rows;
}
"""


@pytest.mark.parametrize("answer_order", ["C", "F"])
def test_fortrans_order_is_passed_as_it_lies(pocl, answer_order):
    a = numpy.asfortranarray(numpy.arange(12, dtype=numpy.float32).reshape(3, 4))
    right = numpy.array(a + [[100 * j + i for j in range(4)] for i in range(3)], dtype=numpy.float32, order=answer_order)
    given = ["columns", COLUMNS, 12, [numpy.zeros((3, 4), dtype=numpy.float32, order="F"), a, numpy.int32(3)]]
    left = kernel_tuner.run_kernel(*given, {"block_size_x": 4}, lang="OpenCL")
    assert numpy.array_equal(left[0], right) and left[0].flags.f_contiguous
    seen = []
    for how in ({"answer": [right, None, None]}, {"answer": [right, None, None], "verify": lambda answer, result, atol: seen.append(result[0]) or True}):
        results, _ = kernel_tuner.tune_kernel(*given, {"block_size_x": [4]}, lang="OpenCL", **how)
        assert isinstance(results[0]["time"], float)
    assert numpy.array_equal(seen[0], right)
    results, _ = kernel_tuner.tune_kernel(*given, {"block_size_x": [4]}, lang="OpenCL", answer=[right[::-1], None, None])
    assert isinstance(results[0]["time"], kernel_tuner.util.RuntimeFailedConfig)


def test_observers_are_refused_by_name(vectors):
    class Mine(kernel_tuner.observers.BenchmarkObserver):
        def during(self):
            pass

    def of_one_argument(given):
        return None
    observer = kernel_tuner.observers.nvml.NVMLObserver
    for make, said in ((lambda: tune(vectors, observers=[Mine()]), "observer Mine: during"),
                       (lambda: tune(vectors, observers=[of_one_argument]), "observer NoneType"), (lambda: observer(["gr_voltage"]), "gr_voltage: hone serves nvml_energy"),
                       (lambda: observer(["temperature"], save_all=True), "save_all"),
                       (lambda: tune(vectors, observers=[observer(["nvml_energy"], device=1)]), r"NVMLObserver\(device=1\) beside device=0"),
                       (lambda: tune(vectors, observers=[observer(["nvml_energy"])], strategy="genetic_algorithm"), "nvml_energy with strategy"),
                       (lambda: tune(vectors, observers=[observer(["temperature"])]), "NVMLObserver on pthread.*temperature")):
        with pytest.raises(kernel_tuner.Unsupported, match=said):
            make()
    results, _ = tune(vectors, observers=[kernel_tuner.observers.RegisterObserver()])
    assert len(results) == 3 and all("num_regs" in r for r in results)


def test_own_observers_look_at_what_a_kernel_left(vectors):
    class Sum(kernel_tuner.observers.BenchmarkObserver):
        def register_configuration(self, params):
            self.block = params["block_size_x"]

        def after_finish(self):
            left = numpy.zeros(N, numpy.float32)
            self.dev.memcpy_dtoh(left, self.dev.allocations[0])
            self.sum = float(left.sum())

        def get_results(self):
            return {"sum": self.sum, "block": self.block}

    right = vectors[1] + vectors[2]
    source = ADD.replace("a[i] + b[i]", "a[i] + b[i] + (block_size_x == 64 ? 0.5f : 0.0f)")
    results, env = tune(vectors, source=source, answer=[right, None, None, None], verify=lambda answer, left, atol: True,
                        observers=[Sum(), kernel_tuner.accuracy.AccuracyObserver("max error", "off")], objective="off", objective_higher_is_better=False,
                        metrics={"twice": lambda p: 2 * p["sum"]})
    assert [r["block"] for r in results] == [32, 64, 128]
    assert [round(r["off"], 3) for r in results] == [0.0, 0.5, 0.0]
    assert results[0]["sum"] == pytest.approx(right.sum(), rel=1e-5) and results[1]["twice"] > results[0]["twice"]
    for name, error in (("RMSE", 3), ("mean squared error", 9), ("average relative", 3), ("max-abs", 3), ("MALE", numpy.log10(4))):
        assert kernel_tuner.accuracy.error_metric_from_name(name)(numpy.ones(4), numpy.full(4, 4.0)) == pytest.approx(error), name


def test_a_searchspace_and_its_neighbors():
    params = {"a": [1, 2, 4, 8], "b": ["x", "y", "z"]}
    space = kernel_tuner.searchspace.Searchspace(params, ["a != 2 or b == 'y'", lambda p: p["a"] < 8 or p["b"] != "z"], 1024)
    assert space.size == len(space.list) == 9 and space.list[0] == (1, "x") and space.is_param_config_valid((2, "y"))
    assert not space.is_param_config_valid((2, "x")) and not space.is_param_config_valid((3, "x"))
    assert space.get_neighbors((1, "x"), "Hamming") == [(1, "y"), (1, "z"), (4, "x"), (8, "x")]
    assert space.get_neighbors((1, "x"), "strictly-adjacent") == [(1, "y"), (2, "y")]
    assert space.get_neighbors((1, "x"), "Hamming-adjacent") == [(1, "y"), (4, "x")]
    assert space.get_neighbors((4, "x"), "adjacent") == [(2, "y"), (4, "y"), (8, "x"), (8, "y")]
    assert len(set(space.get_random_sample(4))) == 4 and space.get_random_neighbor((4, "x")) in space.list
    assert space.get_neighbors((2, "x"), "closest-param-indices") == [(1, "x"), (2, "y"), (4, "x")]
    assert space.nearest((2, "x")) == (1, "x") and space.nearest((4, "x")) == (4, "x")
    assert space.are_neighbors_indices_cached((4, "x"), "adjacent") and not space.are_neighbors_indices_cached((8, "y"), "adjacent")
    assert space.get_param_neighbors((1, "x"), 0, "Hamming") == [4, 8] and space.get_param_neighbors((1, "x"), 1, "strictly-adjacent") == ["y"]
    order = space.order_param_configs(space.get_neighbors((1, "x"), "Hamming"), [1, 0])
    assert len(set(order)) == 4 and order[0] in space.list
    with pytest.raises(hone.UsageError, match="neighbor_method"):
        space.get_neighbors((1, "x"), "nearest")
    with pytest.raises(hone.UsageError, match="a has no value 3: it has 1, 2, 4, 8"):
        space.get_neighbors((3, "x"))


def test_a_searchspace_as_arrays_and_samples():
    params = {"a": [1, 2.5, 4], "b": ["x", "y"], "c": [True], "d": [False, True]}
    space = kernel_tuner.searchspace.Searchspace(params, ["a > 1", "d == True"], 1024)
    assert space.get_list_param_indices_numpy().tolist() == [[1, 0, 0, 1], [1, 1, 0, 1], [2, 0, 0, 1], [2, 1, 0, 1]]
    assert list(space.tune_param_is_numeric_mask) == [True, False, False, False] and list(space.get_true_tunable_params()) == ["a", "b"]
    assert space.sorted_list() == space.list and [one[1] for one in space.sorted_list(sort_last_param_first=True)] == ["x", "x", "y", "y"]
    assert [space.get_param_config_from_numeric(row) for row in space.get_list_numpy_numeric()] == space.list
    assert space.get_list_numpy()["b"].tolist() == ["x", "y", "x", "y"]
    assert space.get_param_indices_lower_bounds().tolist() == [1, 0, 0, 1] and space.get_param_indices_upper_bounds().tolist() == [2, 1, 0, 1]
    assert sorted(space.get_random_sample_indices(4).tolist()) == [0, 1, 2, 3] and len(set(space.get_LHS_sample_indices(3))) == 3
    with pytest.raises(ValueError, match="greater than the searchspace size"):
        space.get_random_sample_indices(5)
    with pytest.warns(UserWarning, match="5 samples of a space of 4"):
        assert len(set(space.get_random_sample(5))) == 4
    rows = {"cache": {str(i): dict(zip(params, one), time=1.0) for i, one in enumerate(space.list[::-1])}, "tune_params": params}
    assert kernel_tuner.searchspace.Searchspace(None, None, None, from_cache=rows).list == space.list[::-1]
    assert kernel_tuner.searchspace.Searchspace(params, lambda p: False, 1024).size == 0


class ExactSumConstraint:
    """As python-constraint's, whose class is known by its name."""

    def __init__(self, exactsum):
        self._exactsum, self._multipliers = exactsum, None

    def preProcess(self, *_):
        pass

    def __call__(self, *_):
        raise AssertionError("it is a text by then")


def test_a_searchspace_of_millions_of_combinations():
    params = {name: list(range(42)) for name in "abcd"}
    space = kernel_tuner.searchspace.Searchspace(params, [ExactSumConstraint(42), lambda a, b, c, d: min(a, b, c, d) >= 1], 1024)
    assert space.size == 10660 and all(sum(one) == 42 for one in space.list)
    assert len({tuple(one) for one in space.get_LHS_sample(50)}) == 50


def test_helpers_of_scripts(tmp_path):
    recorded(tmp_path / "c.json")
    assert len(util.read_cache(tmp_path / "c.json")["cache"]) == 8
    rows = [{"time": 1.0, "watt": 3.0}, {"time": 2.0, "watt": 2.0}, {"time": 2.5, "watt": 2.5}]
    assert util.get_pareto_results(rows, ["time", "watt"], [False, False]) == rows[:2] and rows[0]["optimal"] and "optimal" not in rows[2]
    assert util.process_metrics({"time": 2.0, "n": 4}, {"rate": "n / time", "twice": lambda p: 2 * p["rate"]})["twice"] == 4
    assert util.check_restrictions(["a < b", lambda p: p["a"] == 1], {"a": 1, "b": 2}) and not util.check_restrictions("a > b", {"a": 1, "b": 2})
    assert util.get_problem_size(("n * 2", 3), {"n": 8}) == [16, 3, 1]
    assert util.get_grid_dimensions([100, 7, 1], {"block_size_x": 32, "k": 2}, (None, ["k", 2], None), ("block_size_x", "block_size_y", "block_size_z")) == (4, 2, 1)
    assert util.get_thread_block_dimensions({"block_size_y": 4}) == (256, 4, 1) and json.loads(json.dumps(numpy.arange(2), cls=util.NpEncoder)) == [0, 1]


def test_a_t1_file(pocl, tmp_path):
    (tmp_path / "add.cl").write_text(ADD)
    (tmp_path / "t1.json").write_text(json.dumps({
        "ConfigurationSpace": {"TuningParameters": [{"Name": "block_size_x", "Type": "int", "Values": "[32, 64]", "Default": 32}], "Conditions": []},
        "KernelSpecification": {"Language": "OpenCL", "KernelName": "vector_add", "KernelFile": "add.cl", "ProblemSize": [N], "LocalSize": {"X": "block_size_x"},
                                "GlobalSizeType": "CUDA", "GlobalSize": {"X": f"ceil({N} / block_size_x)"}, "Arguments": [
            {"Name": n, "Type": "float", "MemoryType": "Vector", "Size": N, "FillType": "Random", "AccessType": "WriteOnly" if n == "c" else "ReadOnly"} for n in "cab"
        ] + [{"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": N}]}}))
    results, env = kernel_tuner.tune_kernel_T1(tmp_path / "t1.json", iterations=3, device="pthread")
    assert sorted(r["block_size_x"] for r in results) == [32, 64] and env["best_config"]["time"] > 0


@pytest.mark.skipif(not os.environ.get("HONE_TEST_FAKE_DRIVERS"), reason="the fake drivers are not built")
def test_energy_power_and_clocks_of_a_card(monkeypatch):
    from hone.kernel_tuner import _interface
    monkeypatch.setenv("LD_LIBRARY_PATH", os.environ["HONE_TEST_FAKE_DRIVERS"])
    monkeypatch.setenv("FAKE_CL_KIND", "card")
    monkeypatch.setenv("FAKE_NVML_MHZ", "1410")
    monkeypatch.delenv("HONE_DEVICE", raising=False)
    monkeypatch.setattr(_interface.Observing, "check", lambda self, device: None)  # the fake's vendor is not NVIDIA
    kernel = "__kernel void forty(const __global float *x, __global float *y) { y[get_global_id(0)] = x[get_global_id(0)]; }"
    x = numpy.ones(64, dtype=numpy.float32)
    observer = kernel_tuner.observers.nvml.NVMLObserver(["nvml_energy", "nvml_power", "core_freq", "mem_freq", "temperature"])
    for more in ({}, {"strategy": "random_sample", "strategy_options": {"max_fevals": 2}}):
        results, env = kernel_tuner.tune_kernel(
            "forty", kernel, 64, [x, x], {"block_size_x": [64], "k": [1, 2]}, observers=[observer], iterations=4, quiet=True,
            metrics={"GFLOPS/W": lambda p: 64 / 1e9 / p["nvml_energy"]}, objective=None if more else "GFLOPS/W", **more)
        assert len(results) == 2 and env["best_config"]["GFLOPS/W"] > 0
        for r in results:
            assert r["nvml_power"] == pytest.approx(r["nvml_energy"] / (r["time"] / 1e3), rel=0.01)
            assert (r["core_freq"], r["temperature"]) == (1410, 61) and r["mem_freq"] > 0


def test_strategies_are_searches_of_hones(vectors, capsys):
    params = {"block_size_x": [16 * i for i in range(1, 17)]}
    results, _ = tune(vectors, params=params, strategy="random_sample", strategy_options={"max_fevals": 4}, iterations=1)
    assert len(results) == 4
    results, _ = tune(vectors, params=params, strategy=kernel_tuner.strategies.pso, strategy_options={"popsize": 4, "max_fevals": 5},
                      iterations=1, quiet=False)
    assert len(results) == 5 and "pso: hone searches with genetic" in capsys.readouterr().out


def test_a_strategy_searches_by_a_rate_of_the_scripts(vectors):
    params = {"block_size_x": [32, 64, 128], "k": [1, 2]}
    more = {"params": params, "objective": "GFLOP/s", "strategy": "genetic_algorithm", "strategy_options": {"max_fevals": 4}}
    for metrics in ({"GFLOP/s": lambda p: 2 * N * p["k"] / 1e6 / p["time"]}, {"s": "time / 1e3", "GFLOP/s": "1 / s"},
                    {"x": "2 * time", "GFLOP/s": lambda p: 3 * p["x"]}):
        results, env = tune(vectors, metrics=metrics, **more)
        assert len(results) == 4 and env["best_config"]["GFLOP/s"] == max(r["GFLOP/s"] for r in results)
    for code, said in ((lambda p: p["time"] ** 2, "so much by the time"), (lambda p: p["nvml_energy"], "asks for more.*nvml_energy")):
        with pytest.raises(kernel_tuner.Unsupported, match=said):
            tune(vectors, metrics={"GFLOP/s": code}, **more)


def test_the_rate_that_hone_searches_by_is_the_scripts():
    from hone.kernel_tuner._interface import Metrics, Question
    x = numpy.zeros(8, dtype=numpy.float32)
    question = Question("f", "__kernel void f(__global float *x) { x[k] = 0; }", 8, [x], {"k": [1, 2, 4]}, (None,) * 3, None, None, None, None,
                        None, None, None, None)
    assert question.rate("r", Metrics({"r": lambda p: 6 / p["time"]})) == "6.0 / time_ms"
    assert question.rate("r", Metrics({"r": lambda p: p["k"] / p["time"]})) == "hone_rate / time_ms"
    assert question.derived[-1] == {"Name": "hone_rate", "Expression": "[1.0, 2.0, 4.0][hone_place]"}


def test_defines_and_options(vectors):
    source, right = ADD.replace("b[i]", "b[i] + MORE - 3"), [vectors[1] + vectors[2], None, None, None]
    for more in ({"defines": {"MORE": 3, "block_size_x": lambda p: p["block_size_x"]}}, {"compiler_options": "-DMORE=3 -cl-mad-enable"},
                 {"defines": {"MORE": lambda block_size_x: 3, "block_size_x": "block_size_x"}}):
        results, _ = tune(vectors, source=source, answer=right, **more)
        assert [type(r["time"]) for r in results] == [float] * 3
    with pytest.raises(kernel_tuner.Unsupported, match="without 'block_size_x'"):  # which then stays a word of the kernel's own
        tune(vectors, source=source, defines={"MORE": 3})
    with pytest.raises(kernel_tuner.Unsupported, match="this gives another one"):
        tune(vectors, defines={"block_size_x": lambda p: 2 * p["block_size_x"]})
    given = source.replace("MORE", "grid_size_x")  # which hone would define, too
    results, _ = tune(vectors, source=given, params={"block_size_x": [64]}, defines={"grid_size_x": 3, "block_size_x": 64}, answer=right)
    assert [type(r["time"]) for r in results] == [float]


def test_a_c_function_of_a_script(vectors):
    if not [d for d in hone.devices() if d.language == "c"]:
        pytest.skip("no C compiler here")
    source = 'extern "C" float vector_add(float *c, const float *a, const float *b, int n) { for (int i = 0; i < n; i++) c[i] = a[i] + b[i]; return k; }'
    with pytest.warns(UserWarning, match="vector_add returns a number"):
        results, _ = tune(vectors, source=source, params={"k": [1, 2]}, lang="C", answer=[vectors[1] + vectors[2], None, None, None],
                          device=3)  # which is of others, as HONE_DEVICE is here
    assert [type(r["time"]) for r in results] == [float] * 2


MAIN = """'Its text.'
import dataclasses, multiprocessing, os, pickle, sys, typing
from kernel_tuner import tune_kernel
from kernel_tuner.util import get_config_string
@dataclasses.dataclass
class Size:
    n: int = 3
def double(k: int) -> int:
    return 2 * k
if __name__ == "__main__":
    assert (__doc__, os.path.basename(__file__), sys.argv) == ("Its text.", "main.py", ["main.py", "--on", "x"])
    assert double.__annotations__ == {"k": int, "return": int} and typing.get_type_hints(Size) == {"n": int}
    assert pickle.loads(pickle.dumps(Size(4))).n == 4
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.map_async(double, [1, 2]).get(60) == [2, 4]
    sys.exit(3)
"""


def test_a_script_is_main_in_its_processes_too(tmp_path):
    (tmp_path / "main.py").write_text(MAIN)
    done = subprocess.run([sys.executable, "-m", "hone.kernel_tuner", "main.py", "--on", "x"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 3, done.stderr


MATMUL = """
import numpy
from kernel_tuner import tune_kernel
n = 4096
A = numpy.random.randn(n, n).astype(numpy.float32)
B = numpy.random.randn(n, n).astype(numpy.float32)
C = numpy.zeros_like(A)
naive = '''#define WIDTH 4096
__kernel void matmul_kernel(__global float *C, __global float *A, __global float *B) {
    int x = get_group_id(0) * block_size_x + get_local_id(0);
    int y = get_group_id(1) * block_size_y + get_local_id(1);
    float sum = 0.0f;
    for (int k = 0; k < WIDTH; k++)
        sum += A[y * WIDTH + k] * B[k * WIDTH + x];
    C[y * WIDTH + x] = sum;
}'''
tune_params = dict()
tune_params["block_size_x"] = [16, 32]
tune_params["block_size_y"] = [4, 8]
results, env = tune_kernel("matmul_kernel", naive, (n, n), [C, A, B], tune_params, answer=[numpy.dot(A, B), None, None], atol=1e-3,
                           metrics={"GFLOP/s": lambda p: (2 * n**3 / 1e9) / (p["time"] / 1e3)})
assert n == 64 and len(results) == 4 and all(r["GFLOP/s"] > 0 for r in results)
"""


def test_the_runner_scales_a_script(pocl, tmp_path):
    (tmp_path / "tutorial.py").write_text(MATMUL)
    done = subprocess.run([sys.executable, "-m", "hone.kernel_tuner", "--scale", "1/64", tmp_path / "tutorial.py"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "best performing configuration:" in done.stdout
    (tmp_path / "texture.py").write_text("import kernel_tuner\nkernel_tuner.tune_kernel('f', 'void f(void) {}', 1, [], {'a': [1]}, "
                                         "texmem_args={'t': 1})\n")
    done = subprocess.run([sys.executable, "-m", "hone.kernel_tuner", tmp_path / "texture.py"], capture_output=True, text=True)
    assert done.returncode == 2 and "texmem_args" in done.stderr and "Traceback" not in done.stderr


# Tunes once a worker has been started.
AHEAD = """
import os, time
import numpy
from kernel_tuner import tune_kernel
if os.environ.get("LATER"):
    os.environ["SEEN"] = "later"
end = time.monotonic() + 60
while not os.path.exists("workers") and not os.environ.get("OTHER") and time.monotonic() < end:
    time.sleep(0.01)
x = numpy.ones(64, dtype=numpy.float32)
for _ in range(2):
    results, _ = tune_kernel("f", "__kernel void f(__global float *x) { x[get_global_id(0)] = k; }", 64, [x],
                             {"block_size_x": [64], "k": [1]}, lang=os.environ.get("OTHER", "OpenCL"), iterations=1)
    assert len(results) == 1 and results[0]["time"] > 0
"""


def test_the_runner_starts_drivers_with_the_script(pocl, tmp_path):
    worker = tmp_path / "worker.sh"
    worker.write_text(f'#!/bin/sh\necho $$ >>{tmp_path}/pids\necho "$SEEN" >>{tmp_path}/workers\nexec "$REAL_WORKER" "$@"\n')
    worker.chmod(0o700)
    (tmp_path / "script.py").write_text(AHEAD)
    real = os.environ.get("HONE_WORKER") or pytest.skip("HONE_WORKER says where the worker is")
    started = {}
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    for case in ("NOW", "LATER"):  # the environment is another one by then
        (tmp_path / "workers").unlink(missing_ok=True)
        done = subprocess.run([sys.executable, "-m", "hone.kernel_tuner", "script.py"], cwd=tmp_path, capture_output=True, text=True,
                              timeout=600, env={**os.environ, "HONE_WORKER": str(worker), "REAL_WORKER": real, "SEEN": "now", case: "1",
                                                "TMPDIR": str(temporary)})
        assert done.returncode == 0, done.stdout + done.stderr
        started[case] = (tmp_path / "workers").read_text().split()
        assert not list(temporary.iterdir()), "a folder is left"
    end = time.monotonic() + 60  # the process's end waits for none of them
    alive = (tmp_path / "pids").read_text().split()
    while alive and time.monotonic() < end:
        time.sleep(0.05)
        alive = [pid for pid in alive if os.path.exists(f"/proc/{pid}/exe")]
    assert not alive, "a worker is left"
    assert started["NOW"] == ["now"] * len(started["NOW"]), "what was started is used"
    assert started["LATER"] == ["now"] + ["later"] * len(started["NOW"])


def test_which_drivers_a_script_seems_to_need():
    import ast
    from hone.kernel_tuner._ahead import find_languages
    from hone.kernel_tuner._interface import LANGUAGES
    call = "kernel_tuner.tune_kernel('f', source, lang=x)\n"
    for text, arguments, languages in (
            ("source = '__kernel void f()'\n" + call, [], ["OpenCL"]), ("source = 'f.cu'\n" + call, [], ["CUDA"]),
            ("x = 'cupy' if cuda else 'opencl'\n" + call, [], ["CUDA", "OpenCL"]),
            ("x = 'cupy' if cuda else 'opencl'\n" + call, ["--n", "1", "opencl"], ["OpenCL"]),
            ("x = 'C'\n" + call, [], []), ("x = 'CUDA'\n", [], []), ("from kernel_tuner import run_kernel\nrun_kernel('f', 'f.cl')", [], ["OpenCL"]),
            ("source = 'f.cu'\ntune_kernel('f', source, simulation_mode=True)", [], [])):
        assert find_languages(ast.parse(text), LANGUAGES, arguments) == languages, text


EXAMPLES = pathlib.Path(os.environ.get("HONE_TEST_DATA", "") or "/nowhere") / "foreign" / "kernel_tuner" / "opencl"


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="Kernel Tuner's examples are not in HONE_TEST_DATA")
@pytest.mark.parametrize("name", ["convolution", "convolution_correct", "matmul", "reduction", "stencil", "vector_add",
                                  "vector_add_codegen"])
def test_its_own_examples_run_unedited(pocl, tmp_path, name):
    folder = tmp_path / "opencl"
    shutil.copytree(EXAMPLES, folder)
    done = subprocess.run([sys.executable, "-m", "hone.kernel_tuner", "--scale", "1/64", "--budget", "2", f"{name}.py"], cwd=folder,
                          capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "time=" in done.stdout and "FailedConfig" not in done.stdout, done.stdout
