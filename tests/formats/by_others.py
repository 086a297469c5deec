#!/usr/bin/env python3
"""What hone wrote, judged by those that it is written for.

    by_others.py schema FILE [FOLDER]   a T4 document against both schemas, those of FOLDER (T4-*.schema.json)
                                        or those that Kernel Tuner brings along
    by_others.py simulate FILE          Kernel Tuner tunes from the cache file in simulation mode, by brute
                                        force: it finds the shortest time that is in it
    by_others.py append FILE            Kernel Tuner opens the cache file as one to go on with

Exit status 77: what it takes is not installed.
"""
import json
import os
import shutil
import sys
import tempfile

SKIPPED = 77


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def kernel_tuner():
    try:
        import kernel_tuner as module
        from kernel_tuner import util
    except Exception as why:  # a part of it may be missing, too
        skip(f"Kernel Tuner is not installed: {why}")
    return module, util


def schemas(folder):
    """The texts of the two schemas, wherever they are."""
    names = {"results": "T4-results.schema.json", "metadata": "T4-metadata.schema.json"}
    found = {k: os.path.join(folder, v) for k, v in names.items()} if folder else {}
    if not found or not all(os.path.exists(path) for path in found.values()):
        module, _ = kernel_tuner()
        root = os.path.join(os.path.dirname(module.__file__), "schema", "T4", "1.0.0")
        found = {k: os.path.join(root, f"{k}-schema.json") for k in names}
    return {k: json.load(open(path)) for k, path in found.items()}


def schema(path, folder=""):
    try:
        import jsonschema
    except ImportError:
        skip("jsonschema is not installed")
    document = json.load(open(path))
    for name, text in schemas(folder).items():
        jsonschema.validate(document, text)
        print(f"{path}: valid by the schema of T4 {name}, {len(document['results'])} results")


def copied(path):
    folder = tempfile.mkdtemp()
    copy = os.path.join(folder, "cache.json")
    shutil.copy(path, copy)
    return folder, copy


def expected(path):
    entries = json.load(open(path))["cache"].values()
    return min((e["time"], e) for e in entries if isinstance(e["time"], float))[1]


def simulate(path):
    module, util = kernel_tuner()
    folder, copy = copied(path)
    cache = json.load(open(copy))
    size = tuple(cache.get("problem_size", [1]))
    results, _ = module.tune_kernel(
        cache["kernel_name"], "", size, [], cache["tune_params"],
        restrictions=[util.infer_restrictions_from_cache(util.read_cache(copy, open_cache=False))],
        cache=copy, simulation_mode=True, strategy="brute_force", quiet=True, verbose=False)
    correct = [r for r in results if "__error__" not in r]
    best, least = min(correct, key=lambda r: r["time"]), expected(path)
    shutil.rmtree(folder)
    for name in cache["tune_params_keys"] + ["time"]:
        assert best[name] == least[name], f"{name}: {best[name]} for {least[name]}"
    times = sum(isinstance(e["time"], float) for e in cache["cache"].values())
    assert len(correct) == times, f"{len(correct)} results for {times}"
    print(f"Kernel Tuner finds {best['time']} ms among {len(correct)}")


def append(path):
    _, util = kernel_tuner()
    folder, copy = copied(path)
    before = util.read_cache(copy, open_cache=True)["cache"]
    first = next(iter(before))
    util.store_cache("1,2,3", {"a": 1, "time": 2.5}, copy, {})
    after = util.read_cache(copy, open_cache=False)["cache"]
    shutil.rmtree(folder)
    assert len(after) == len(before) + 1 and after["1,2,3"]["time"] == 2.5
    assert after[first] == before[first]
    print(f"Kernel Tuner goes on after {len(before)} entries")


if __name__ == "__main__":
    {"schema": schema, "simulate": simulate, "append": append}[sys.argv[1]](*sys.argv[2:])
