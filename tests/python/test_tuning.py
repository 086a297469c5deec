"""Tunes, runs and stores from Python, with the worker that answers at once and on PoCL."""

import copy
import dataclasses
import importlib.util
import logging
import os
import pathlib
import pickle
import re
import subprocess
import sys
import time

import pytest

import hone
from conftest import ROOT, SAXPY, SMALL, THOUSAND, saxpy


def test_tune_gives_records_and_a_best(fake, tmp_path):
    seen = []
    r = hone.tune(SMALL, store=tmp_path / "s.sqlite", on_record=seen.append)
    assert len(r) == len(seen) == 5 and not r.interrupted
    by = {(q.configuration["ID"], q.configuration["FAKE"]): q for q in r}
    assert by[2, "wrong"].status == "correctness" and by[2, "wrong"].time_ns is None
    assert by[2, "compile_error"].status == "compile" and by[2, "compile_error"].message
    assert r.best.configuration == {"ID": 1, "FAKE": "good"} and r.best.time_ns == pytest.approx(1000, rel=0.2)
    assert r.best.metrics["speed"] == pytest.approx(1000 / r.best.time_ns) and r.ranking[0].ratio == 1
    assert "-DID=1" in r.options and r.geometry[0].local_size == (64,)
    flat = r.to_dicts()[0]
    assert flat["status"] in ("correct", "compile", "correctness") and "ID" in flat and "time_ns" in flat
    again = hone.tune(SMALL, store=tmp_path / "s.sqlite")
    assert all(q.reused for q in again) and again.best.configuration == r.best.configuration
    assert hone.best(SMALL, store=tmp_path / "s.sqlite").configuration == {"ID": 1, "FAKE": "good"}
    with hone.Store(tmp_path / "s.sqlite", "read") as st:
        records = st.records(SMALL, correct_only=True)
        assert len(records) >= 3 and all(q.correct and o.device == "fake device" for q, o in records)
        (run,) = st.runs()
        assert run.spec == "small" and run.command.startswith("python: ") and run.records >= 5
    with pytest.raises(hone.UsageError, match="closed"):
        st.runs()


def test_records_outlive_their_tune_and_travel(fake):
    with hone.Tune(SMALL, store=False) as t:
        handed = list(t)
        found = t.result()
    assert [r.configuration for r in handed] == [r.configuration for r in found]
    for r in found.records:
        other = pickle.loads(pickle.dumps(r))
        assert other == r == copy.copy(r) and vars(other).keys() > {f.name for f in dataclasses.fields(r)}
        assert r.fault and other.place == r.place and r.energy["joule"] is None  # what the library's table has besides
        assert set(r.times_ns) == {"build", "load", "inputs", "reference", "verify", "measure"} and r.gpu == {}
        assert bool(r.samples_ns) == bool(r.metrics) == r.correct and (r.deviations == [] or "norm" in r.deviations[0])
        assert (r.interval_ns is None or r.interval_ns[0] <= r.time_ns <= r.interval_ns[1]) and r.pareto is False
    with pytest.raises(AttributeError, match="no attribute 'times'"):
        found.records[0].times
    assert "\n    place: 1: the winner" in hone.Record.__doc__
    made = hone.Record({"a": 1}, "correct")
    assert made.samples_ns == [] and made.time_ns is None and made.as_dict()["a"] == 1


def test_results_travel_and_records_are_counted(fake, tmp_path):
    r = hone.tune(SMALL, store=tmp_path / "s.sqlite", set={"SLOWNESS": 5})
    other = pickle.loads(pickle.dumps(r))
    assert other.records == r.records and other.best == r.best and other.best in other.records and other.options == r.options
    assert repr(other) == repr(r) and other.ranking == r.ranking and other.spec.constants == {"SLOWNESS": 5}
    assert "small" in other.report() and other.picture("evaluations").startswith("<svg")
    with pytest.raises(hone.UsageError, match="its device, 'fake device'"):
        other.device
    assert len({*r, *other, r[0]}) == len(r)
    code = "import pickle, sys; r = pickle.load(sys.stdin.buffer); print(r.best.configuration, r.device_name, len(r))"
    said = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(r), capture_output=True, check=True).stdout.decode()
    assert said == "{'ID': 1, 'FAKE': 'good'} fake device 5\n"
    first, second, third = repr(r).splitlines()
    assert first.startswith("<hone.Result of 'small' on 'fake device': 3 of 5 correct, in ")
    assert second.startswith(" best ") and second.endswith(" with ID=1,FAKE=good")
    assert third in (" 1 compile, 1 correctness failed; kept in the store>", " 1 correctness, 1 compile failed; kept in the store>")


def test_a_header_of_the_best(fake, tmp_path):
    r = hone.tune(SMALL, store=False)
    text = hone.deploy(r, tmp_path / "k.h")
    assert (tmp_path / "k.h").read_text() == text and "\n#define ID 1\n" in text and "small on fake device" in text
    main = tmp_path / "main.c"
    main.write_text('#include "k.h"\n#include "k.h"\nint main(void) { return ID == 1 ? 0 : 1; }\n')
    subprocess.run([os.environ.get("HONE_TEST_CC", "cc"), main, "-o", tmp_path / "main"], check=True)
    subprocess.run([tmp_path / "main"], check=True)
    with pytest.raises(hone.UsageError, match="budget: of a result"):
        hone.deploy(r, budget=3)
    with pytest.raises(hone.UsageError, match="no best"):
        hone.deploy(hone.tune(SMALL, store=False, where="FAKE == 'wrong'"))


def test_pandas_is_named_where_it_is_missing(fake, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"needs pandas .* to_dicts\(\)"):
        hone.tune(SMALL, store=False).to_pandas()


def test_progress_of_a_script(fake):
    code = "import hone, sys; hone.tune(sys.argv[1], store=False, budget=20, unranked=True, progress={})"
    for wanted, lines in ((True, True), (None, False), (False, False)):
        said = subprocess.run([sys.executable, "-c", code.format(wanted), THOUSAND], capture_output=True, text=True, check=True).stderr
        assert "\r" not in said and bool(re.search(r"^20 of 20, best .* with ID=", said, re.M)) == lines, said


class Downwards(hone.Strategy):
    """From a few random ones to the next smaller ID."""

    def __init__(self):
        self.heard = {}

    def ask(self, count):
        assert self.parameters == {"ID": list(range(1000))} and self.valid == 1000 and self.in_flight > 0
        if len(self.heard) < 5:
            return self.sample(3)
        best = min(self.heard, key=self.heard.get)
        return [{"ID": one} for one in range(best - 1, max(-1, best - 4), -1)]

    def tell(self, configuration, status, value):
        assert status == "correct" and value > 0
        self.heard[configuration["ID"]] = value


def test_a_strategy_in_python(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    mine = Downwards()
    r = hone.tune(THOUSAND, strategy=mine, budget=40, store=False, unranked=True)
    assert {q.configuration["ID"] for q in r} >= set(mine.heard) and 5 < len(mine.heard) <= len(r) <= 40
    with pytest.raises(hone.UsageError, match="this Downwards has searched before"):
        hone.tune(THOUSAND, strategy=mine, budget=40, store=False)
    with pytest.raises(hone.UsageError, match="a hone.Strategy is needed"):
        hone.tune(THOUSAND, strategy=len, budget=40, store=False)

    class Ends(hone.Strategy):
        def ask(self, count):
            return [{"ID": 3}, {"ID": 4}] if not hasattr(self, "named") and not setattr(self, "named", True) else []
    assert {3, 4} <= {q.configuration["ID"] for q in hone.tune(THOUSAND, strategy=Ends(), store=False, unranked=True)}

    class Broken(hone.Strategy):
        def ask(self, count):
            raise KeyError("mine")
    with hone.Tune(THOUSAND, strategy=Broken(), store=False) as t:
        with pytest.raises(KeyError, match="mine"):
            for _ in t:
                pass
        assert t.result().broken == "the strategy raised KeyError"
    assert not list(tmp_path.glob("hone-python-*")), "nothing is left"


def test_a_session_measures_what_it_is_given(fake):
    with hone.measure(SMALL, store=False, iterations=3) as session:
        record = session({"ID": 1, "FAKE": "good"})
        assert record.correct and len(record.samples_ns) == 3 and session("ID=1,FAKE=good") is record
        assert session.measure({"ID": 2, "FAKE": "wrong"}).status == "correctness"
        excluded = session({"ID": 3, "FAKE": "good"})
        assert excluded.status == "constraints" and "ID != 3" in excluded.message
        for wrong, said in (({"ID": 1}, "no FAKE"), ({"ID": 9, "FAKE": "good"}, "9"), ({"ID": 1, "FAKE": "good", "X": 1}, "X")):
            with pytest.raises(hone.HoneError, match=said):
                session(wrong)
        assert record in session.records and "of 5 measured" in repr(session)
    with pytest.raises(hone.HoneError, match="over"):
        session({"ID": 4, "FAKE": "good"})
    with pytest.raises(TypeError, match="budget"):
        hone.measure(SMALL, budget=3)


def test_a_session_keeps_its_workers(fake, tmp_path, monkeypatch):
    frames = tmp_path / "frames"
    monkeypatch.setenv("FAKE_FRAMES", str(frames))
    with hone.measure(THOUSAND, store=False, jobs=1) as session:
        times = [session({"ID": i}).time_ns for i in range(20, 0, -1)]
    assert times == sorted(times, reverse=True)
    assert frames.read_text().count("open ") <= 3, "not one for each"


def test_options_reach_the_library(fake):
    assert len(hone.tune(THOUSAND, budget=20, seed=3, store=False)) == 20
    assert len(hone.tune(THOUSAND, budget=["30", "60s"], strategy="random", unranked=True, store=False)) == 30
    r = hone.tune(SMALL, configurations=[{"ID": 4}], iterations=5, store=False)
    assert len(r) == 1 and len(r.best.samples_ns) == 5
    assert len(hone.tune(SMALL, where="ID == 1", store=False)) == 1
    with pytest.raises(hone.HoneError, match="nonsense"):
        hone.tune(SMALL, strategy="nonsense", store=False)
    with pytest.raises(hone.InputError, match="ID > 9"):
        hone.tune(SMALL, where=["ID > 9"], store=False)
    with pytest.raises(hone.UsageError, match="excluded"):
        hone.run(SMALL, "ID=3", fetch=False)


def test_a_tune_starts_with_what_is_named(fake):
    r = hone.tune(SMALL, start_with=[{"ID": 4}, "ID=2"], budget=2, iterations=3, store=False)
    assert sorted(x.configuration["ID"] for x in r.records) == [2, 4]
    with pytest.raises(hone.UsageError, match="to start with 'ID=99'"):
        hone.tune(SMALL, start_with=["ID=99"], store=False)


def test_a_loop_of_its_own(fake):
    with hone.Tune(THOUSAND, store=False, unranked=True) as t:
        seen = 0
        for record in t:
            assert record.correct
            seen += 1
            if seen == 10:
                assert t.progress().done == 10 and t.progress().planned == 1000
                t.cancel()
        r = t.result()
    assert r.interrupted and 10 <= len(r) < 1000 and r.best is not None
    with pytest.raises(hone.UsageError, match="closed"):
        t.progress()


def test_the_kept_worker_opens_a_device_ahead(fake, tmp_path, monkeypatch):
    frames = tmp_path / "frames"
    monkeypatch.setenv("FAKE_FRAMES", str(frames))
    device = hone.Devices(language="opencl", keep_worker=True)[0]
    for _ in range(2):  # once is enough
        device.devices.open(device)
    end = time.monotonic() + 60
    while "open " not in frames.read_text() and time.monotonic() < end:
        time.sleep(0.01)
    assert frames.read_text().count("open ") == 1, "it is asked before there is a tune"
    assert hone.tune(THOUSAND, on=device, store=False, budget=3, jobs=1, unranked=True).best is not None
    assert frames.read_text().count("open ") == 2, "and by the builder"


def test_what_a_callback_raises_is_raised(fake):
    def no(_record):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        hone.tune(SMALL, store=False, on_record=no)


def test_ctrl_c_keeps_what_is_known(fake, tmp_path):
    code = ("import hone, os, signal\n"
            "def first(r):\n"
            "    global sent\n"
            "    if not sent:\n"
            "        sent = True\n"
            "        os.kill(os.getpid(), signal.SIGINT)\n"
            "sent = False\n"
            f"r = hone.tune({str(THOUSAND)!r}, store=False, on_record=first)\n"
            "print(r.interrupted, 0 < len(r) < 1000, r.best is not None)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout == "True True True\n", done.stderr


def test_warnings_go_to_the_log(fake, caplog):
    with caplog.at_level(logging.DEBUG, "hone"):
        hone.Spec.parse('{"kernel": "a.cl", "parametres": {}, "parameters": {"A": [1]}, "global": 1}')
    assert "parametres" in caplog.text


def test_recipes_on_pocl(pocl):
    r = hone.tune(saxpy(), on=pocl, store=False, iterations=3)
    assert len(r) == 3 and all(q.verified and q.metrics["GB/s"] > 0 for q in r)
    assert "y[i] = a * x[i]" in r.source and r.job(r[0]).geometry[0].global_size == (4096,)
    wrong = saxpy(source=SAXPY.replace("a * x[i]", "(GROUP == 64 ? 0 : a) * x[i]"))
    r = hone.tune(wrong, on=pocl, store=False, iterations=3)
    by = {q.configuration["GROUP"]: q for q in r}
    assert by[64].status == "correctness" and by[64].deviations[0]["wrong"] > 0 and by[32].verified


def test_report_and_deploy_and_score(pocl, tmp_path):
    r = hone.tune(saxpy(name="reported"), store=tmp_path / "s.sqlite")
    page = r.report(tmp_path / "r.html")
    assert "<html" in page and "reported" in page and (tmp_path / "r.html").read_text() == page
    shown = r._repr_html_()
    assert shown.startswith("<iframe sandbox=\"allow-scripts\"") and "allow-same-origin" not in shown
    bare = hone.tune(saxpy(), store=False, iterations=1)
    assert "GROUP" in bare.report() and "GB/s" in bare.report() and bare._repr_html_().startswith("<iframe")
    assert bare.picture().startswith("<svg"), "without a store, too"
    drawn = r.picture("evaluations")
    assert drawn.startswith("<svg") and drawn._repr_svg_() == str(drawn) and "<svg" not in repr(drawn)
    drawn.save(tmp_path / "e.svg")
    assert (tmp_path / "e.svg").read_text() == drawn
    with pytest.raises(hone.HoneError, match="roofline"):
        r.picture("roofline")
    assert hone.score(tmp_path / "s.sqlite", ["random"], repeats=2, set={"n": 4096})
    with pytest.raises(hone.UsageError, match="format='json' is of a file"):
        hone.deploy(saxpy(name="reported"), format="json")
    said = hone.deploy(saxpy(name="reported"), tmp_path / "table.json", set={"n": "1024,4096"}, format="json",
                       store=tmp_path / "s.sqlite")
    assert "2 sizes" in said and (tmp_path / "table.json").stat().st_size > 0
    assert isinstance(hone.deploy(saxpy(name="reported"), set={"n": "1024,4096"}, store=tmp_path / "s.sqlite"), dict)
    with pytest.raises(hone.UsageError, match="nowhere"):
        hone.score("/nowhere/x.json")


def test_compare_and_sweep_have_pictures(pocl, tmp_path, caplog):
    caplog.set_level(logging.INFO, "hone")
    store = tmp_path / "s.sqlite"
    swept = hone.sweep(saxpy(name="swept"), set={"n": [1024, 4096]}, budget=2, device=pocl, store=store)
    assert [row["constants"]["n"] for row in swept["rows"]] == [1024, 4096]
    assert swept.picture.startswith("<svg") and swept._repr_svg_() == str(swept.picture) and repr(swept) == "<hone.Pictured, 2 rows>"
    other = tmp_path / "other.json"
    other.write_text(saxpy(name="other").text)
    compared = hone.compare([saxpy(name="swept"), other], device=pocl, store=store, where="GROUP < 128")
    assert [side["label"] for side in compared["sides"]] == ["swept", "other"] and compared.picture.startswith("<svg")
    assert "n=1024" in caplog.text and "hone: warning" not in caplog.text  # what the program says beside its JSON
    with pytest.raises(hone.UsageError, match="different values of n, 1 and 2"):
        hone.compare([saxpy(set={"n": 1}), saxpy(set={"n": 2})], device=pocl)


def test_arrays_on_pocl(pocl):
    numpy = pytest.importorskip("numpy")
    n = 1000
    x, y = numpy.random.rand(n).astype(numpy.float32), numpy.random.rand(10, 100).astype(numpy.float32)
    arguments = {"y": y, "x": x, "a": numpy.float32(3), "n": numpy.int32(n)}
    right = 3 * x + y.ravel()
    for reference in ({"y": right}, lambda v: v["a"] * v["x"] + v["y"].ravel(), lambda v: {"y": right.reshape(y.shape)}):
        r = hone.tune(saxpy(arguments=arguments, constants={}, global_size=n, metrics=None, reference=reference), on=pocl,
                      store=False, iterations=2)
        assert [q.status for q in r] == ["correct"] * 3 and all(q.verified for q in r)
    r = hone.tune(saxpy(arguments=arguments, constants={}, global_size=n, metrics=None, reference={"y": right + 1}),
                  on=pocl, store=False, iterations=2)
    assert [q.status for q in r] == ["correctness"] * 3 and r.best is None
    s = saxpy(arguments=arguments, constants={}, global_size=n, metrics=None, reference={"y": right}, rtol=0.5, atol=2)
    assert hone.run(s, {"GROUP": 32}, on=pocl).outputs["y"] == pytest.approx(right.reshape(10, 100))
    with pytest.raises(hone.UsageError, match="returned 'z'"):
        hone.tune(saxpy(reference=lambda v: {"z": 1}, arguments={**arguments}, constants={}, global_size=n, metrics=None),
                  on=pocl, store=False)


def test_references_are_of_the_type_and_size_of_their_arguments(pocl):
    numpy = pytest.importorskip("numpy")
    x, y = numpy.random.rand(2, 4096).astype(numpy.float32)
    arrays = dict(arguments={"y": y, "x": x, "a": 2.0, "n": "n"}, parameters={"GROUP": [64]})
    right = 2 * x.astype(float) + y
    for given in ({"y": right}, {"y": right.reshape(64, 64)}, lambda v: right, lambda v: list(right)):
        assert hone.tune(saxpy(reference=given, **arrays), store=False).best.verified
    for given, said in (({"y": right[:5]}, "5 elements, and the argument 4096"), ({"z": right}, "no argument 'z'.*y, x, a, n"),
                        (lambda v: None, "returned None"), (lambda v: {}, "returned nothing"), (lambda v: right[:5], "5 elements"),
                        ({"y": numpy.array([None] * 4096)}, "object, which are not numbers")):
        with pytest.raises((hone.UsageError, hone.InputError), match=said):
            hone.tune(saxpy(reference=given, **arrays), store=False)


def test_tolerances_of_a_callable_reference(pocl):
    pytest.importorskip("numpy")
    arguments = {"y": {"size": "n"}, "x": {"size": "n"}, "a": 2.0, "n": "n"}
    for tolerance, status in ({}, "correctness"), ({"atol": 2}, "correct"), ({"rtol": 1e9}, "correct"):
        s = saxpy(arguments=arguments, reference=lambda v: v["a"] * v["x"] + v["y"] + 1, **tolerance)
        assert [q.status for q in hone.tune(s, on=pocl, store=False, iterations=1)] == [status] * 3


def test_arrays_of_all_kinds(pocl):
    numpy = pytest.importorskip("numpy")
    turn = "__kernel void turn(__global float2 *y, __global const float2 *x) { int i = get_global_id(0); y[i] = (float2)(-x[i].y, x[i].x); }"
    x = (numpy.random.rand(8, 4) + 1j * numpy.random.rand(8, 4)).astype(numpy.complex64)

    def spec(given, reference):
        return hone.Spec(source=turn, parameters={"A": numpy.arange(1, 3)}, global_size=32, arguments={"y": numpy.zeros_like(x), "x": given},
                         reference=reference)
    assert spec(x, None).parameters == {"A": [1, 2]}

    class Tensor:  # dtype and size of its own, as PyTorch's
        dtype, ndim = "tensor.complex64", 2

        def __array__(self, dtype=None, copy=None):
            return x

        def size(self):
            return None
    for given in (x, x.astype(">c8"), Tensor()):
        for reference in ({"y": 1j * x}, lambda v: 1j * v["x"].astype(numpy.complex128)):
            ran = hone.run(spec(given, reference), on=pocl)
            assert ran.record.status == "correct" and ran.outputs["y"].dtype == numpy.complex64
            assert numpy.allclose(ran.outputs["y"], 1j * x)
    with pytest.raises(hone.UsageError, match="budget"):
        hone.run(spec(x, None), on=pocl, budget=3)
    with pytest.raises(hone.UsageError, match="list is not an array"):
        spec({"data": [1]}, None)


def test_a_reference_over_recipes(pocl):
    numpy = pytest.importorskip("numpy")
    calls = []

    def reference(v):
        calls.append(v["x"].shape)
        return numpy.float64(v["a"]) * v["x"] + v["y"]
    s = saxpy(arguments={"y": {"size": "n"}, "x": {"size": "n", "fill": "normal"}, "a": 2.0, "n": "n"}, reference=reference)
    r = hone.tune(s, on=pocl, store=False, iterations=2)
    assert calls == [(4096,)] and all(q.verified for q in r)


def test_a_judge_sees_outputs_before_they_are_timed(pocl):
    numpy = pytest.importorskip("numpy")
    seen = {}

    def judge(configuration, outputs):
        seen[configuration["GROUP"]] = outputs["y"]
        return "I do not like 64" if configuration["GROUP"] == 64 else None
    bare = saxpy(arguments={"y": {"size": "n"}, "x": {"size": "n"}, "a": 2.0, "n": "n"}, reference="none")
    r = hone.tune(bare, on=pocl, store=False, iterations=2, judge=judge)
    by = {q.configuration["GROUP"]: q for q in r}
    assert sorted(seen) == [32, 64, 128] and (seen[32] == seen[128]).all() and seen[32].dtype == numpy.float32
    assert by[64].status == "correctness" and by[64].message == "I do not like 64" and not by[64].samples_ns
    assert by[32].verified and len(by[32].samples_ns) == 2
    with pytest.raises(hone.UsageError, match="judge"):
        hone.tune(bare, on=pocl, judge=judge)

    def broken(configuration, outputs):
        raise ZeroDivisionError("mine")
    with pytest.raises(ZeroDivisionError, match="mine"):
        hone.tune(bare, on=pocl, store=False, judge=broken)
    with hone.Tune(bare, on=pocl, store=False, judge=broken) as t:
        with pytest.raises(ZeroDivisionError):
            list(t)
        assert t.ended and "ZeroDivisionError" in t.result().broken
    with pytest.raises(ValueError, match="ambiguous"):
        hone.tune(bare, on=pocl, store=False, judge=lambda c, outputs: outputs["y"] > 0)
    r = hone.tune(bare, on=pocl, store=False, judge=lambda c, outputs: "\udcff")
    assert [q.message for q in r] == ["?"] * 3 and r.broken is None

    def interrupted(configuration, outputs):
        raise KeyboardInterrupt
    r = hone.tune(bare, on=pocl, store=False, judge=interrupted, jobs=1)
    assert r.interrupted and r.broken is None


def test_what_the_manual_says(pocl, tmp_path, monkeypatch):
    """Every example of src/doc/python.md, in its order."""
    pytest.importorskip("numpy")
    text = (ROOT / "src" / "doc" / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    monkeypatch.chdir(tmp_path)
    kernel = re.search(r"<!-- file: saxpy.cl -->\n```c\n(.*?)```", (ROOT / "README.md").read_text(), re.S).group(1)
    pathlib.Path("saxpy.cl").write_text(kernel)
    pathlib.Path("saxpy.json").write_text(
        '{"kernel": "saxpy.cl", "constants": {"n": 65536}, "parameters": {"GROUP": [64, 128], "PER_ITEM": [1, 2]},'
        ' "global": "n // PER_ITEM", "local": "GROUP",'
        ' "arguments": {"y": {"size": "n", "expect": "a * x[i] + y[i]"}, "x": {"size": "n"}, "a": 2.0, "n": "n"}}')
    assert len(blocks) == 6
    names = {}
    for block in blocks:
        if importlib.util.find_spec("pandas") is None:
            block = block.replace("result.to_pandas()", "result.to_dicts()")
        if "result" in names and len(names["result"].ranking) < 2:  # one was clearly the fastest: no ranking can be drawn
            block = block.replace('picture("finalists")', 'picture("distribution")')
        exec(compile(block, "python.md", "exec"), names)
    assert len(names["table"]) == 4 and len(names["swept"]["rows"]) == 2
    assert all(pathlib.Path(name).exists() for name in ("saxpy.html", "finalists.svg", "sizes.svg"))
    assert all(r.verified for r in names["result"]) and len(names["found"]) == 3 and len(names["session"].records) == 2
    assert all(r.verified for r in hone.tune(names["spec"], store=False, iterations=1))
