"""The module beside the library: its structs, its specs and spaces, its errors. Nothing here needs a device."""

import copy
import ctypes
import inspect
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys

import pytest

import hone
from conftest import FAKE, ROOT, SAXPY, SMALL, saxpy
from hone import _arrays, _library, _tune


def test_structs_are_those_of_the_header(tmp_path):
    lines = []
    for name, kind in _library.STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        for member in kind._fields_:
            lines.append(f'printf("{name}.{member[0]} %zu %zu\\n", offsetof(struct {name}, {member[0]}), '
                         f'sizeof(((struct {name} *)0)->{member[0]}));')
    source = tmp_path / "layout.c"
    source.write_text("#include <hone/hone.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) + "\n}\n")
    subprocess.run([os.environ.get("HONE_TEST_CC", "cc"), "-I", ROOT / "include", source, "-o", tmp_path / "layout"],
                   check=True)
    said = subprocess.run([tmp_path / "layout"], check=True, capture_output=True, text=True).stdout
    ours = []
    for name, kind in _library.STRUCTS.items():
        ours.append(f"{name} {ctypes.sizeof(kind)}")
        ours += [f"{name}.{m[0]} {getattr(kind, m[0]).offset} {getattr(kind, m[0]).size}" for m in kind._fields_]
    assert said.splitlines() == ours


def test_every_public_name_is_documented():
    for name in hone.__all__:
        if not name.startswith("_"):
            assert getattr(hone, name).__doc__, name
    assert (pathlib.Path(hone.__file__).parent / "py.typed").exists()


def test_importing_needs_no_numpy_and_names_a_missing_library():
    code = "import sys; sys.modules['numpy'] = None; import hone; print(hone.__version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == hone.__version__, done.stderr
    missing = subprocess.run([sys.executable, "-c", "import hone"], capture_output=True, text=True,
                             env={**os.environ, "HONE_LIBRARY": "/nowhere/libhone.so"})
    assert missing.returncode == 1 and "/nowhere/libhone.so" in missing.stderr and "HONE_LIBRARY" in missing.stderr


def test_spec_of_a_file():
    s = hone.Spec.load(SMALL, set={"SLOWNESS": 5})
    assert s.name == "small" and s.parameters == {"ID": [1, 2, 3, 4], "FAKE": ["good", "wrong", "compile_error"]}
    assert s.constants == {"SLOWNESS": 5} and s.metrics == ["speed"]
    assert s.default == {"ID": 2, "FAKE": "good"}


def test_metrics_are_added_to_a_spec(tmp_path):
    s = hone.Spec.load(SMALL, set={"SLOWNESS": 5}).with_metrics({"slow": "SLOWNESS * time_ms"})
    assert s.metrics == ["speed", "slow"] and s.constants == {"SLOWNESS": 5} and s.name == "small"
    assert s.with_metrics({"speed": "1 / time_s"}).metrics in (["speed", "slow"], ["slow", "speed"])
    assert saxpy().with_metrics({"GB": "n"}).metrics == ["GB/s", "GB"]
    with pytest.raises(hone.InputError, match="nowhere"):
        s.with_metrics({"a": "nowhere + 1"})


def test_the_program_reads_a_spec_with_more_metrics():
    from hone import _program
    s = hone.Spec.load(SMALL).with_metrics({"slow": "2 * time_ms"})
    with _program.SpecFile(s) as file:
        assert os.path.dirname(file.path) == os.path.dirname(os.path.abspath(SMALL))
        assert _program.run(["space", file.path]).startswith(f"{s.name}:")
    assert not os.path.exists(file.path)


def test_space():
    space = hone.space(SMALL)
    assert len(space) == 5 and space.cartesian == 12
    assert space[0] == {"ID": 1, "FAKE": "good"} and space[-1] == {"ID": 4, "FAKE": "good"}
    assert list(space) == space[:] and space.index(space[2]) == 2
    assert {"ID": 1, "FAKE": "good"} in space and {"ID": 3, "FAKE": "good"} not in space
    assert "ID != 3" in space.why({"ID": 3}) and space.why({"ID": 2}) == "" and {"ID": 9} not in space
    assert [r.text for r in space.restrictions][0] == "ID != 3" and space.restrictions[0].excludes == 3
    assert len(hone.space(SMALL, where=["ID > 2"])) == 1
    with pytest.raises(ValueError, match="ID != 3"):
        space.index({"ID": 3})
    with pytest.raises(IndexError, match="5 configurations"):
        space[5]


def test_errors_are_hones_own(tmp_path):
    with pytest.raises(hone.FileError, match="/nowhere/x.json") as caught:
        hone.Spec.load("/nowhere/x.json")
    assert caught.value.driver == 2 and isinstance(caught.value, OSError)
    with pytest.raises(hone.UsageError, match="SLOWNESS"):
        hone.Spec.load(SMALL, set={"SLOWNES": 1})
    with pytest.raises(hone.InputError, match=r"parameters"):
        hone.Spec(source=SAXPY, parameters={"GROUP": "[1, "}, global_size=1)
    with pytest.raises(hone.UsageError, match="kernel.*source"):
        hone.Spec(parameters={"A": [1]})
    with pytest.raises(hone.UsageError, match="NUL"):
        hone.Spec.load("a\0b")
    with pytest.raises(hone.FileError):
        hone.Spec.load("/nowhere/\udcff.json")
    with pytest.raises(hone.StoreError):
        (tmp_path / "no.sqlite").write_text("not a store\n")
        hone.Store(tmp_path / "no.sqlite")
    with pytest.raises(hone.UsageError, match="77 is not a value of ID"):
        hone.Spec.load(SMALL).choice({"ID": 77})


def test_spec_of_objects():
    s = saxpy(restrictions=["GROUP > 32"], derived={"TWICE": "2 * GROUP"}, name="mine", defaults={"GROUP": 64})
    assert s.name == "mine" and len(s.space()) == 2 and s.default == {"GROUP": 64}
    assert json.loads(s.text)["derived"] == {"TWICE": "2 * GROUP"}
    assert s.constants["n"] == 4096
    with pytest.raises(hone.UsageError, match="'x'.*neither"):
        saxpy(arguments={"x": object()})


def test_arrays_lie_in_a_folder_of_the_users_own():
    numpy = pytest.importorskip("numpy")
    data = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    s = saxpy(arguments={"y": data, "x": data.T, "a": numpy.float64(0.5), "n": numpy.int32(12)}, constants={"n": 12})
    folder = s._scratch.path
    assert folder.stat().st_mode & 0o777 == 0o700 and (folder / "y.npy").stat().st_mode & 0o777 == 0o600
    assert (numpy.load(folder / "x.npy", allow_pickle=False) == data.T.ravel()).all()
    arguments = json.loads(s.text)["arguments"]
    assert arguments["n"] == {"memory": "scalar", "type": "int32", "value": 12} and arguments["a"]["type"] == "double"
    del s
    assert not folder.exists()
    with pytest.raises(hone.InputError, match="object"):
        saxpy(arguments={"y": numpy.array([object()])})


def test_arrays_of_bfloat16():
    numpy = pytest.importorskip("numpy")
    if "ml_dtypes" not in sys.modules:
        assert _arrays.from_bytes(b"\x80\x3f", "bfloat16") == b"\x80\x3f"
    ml_dtypes = pytest.importorskip("ml_dtypes")
    data = numpy.array([1, 0.375, -2], dtype=ml_dtypes.bfloat16)
    assert _arrays.type_of("x", data) == "bfloat16"
    assert (_arrays.from_bytes(data.tobytes(), "bfloat16") == data).all()
    s = saxpy(arguments={"y": data, "x": data, "a": 1.0, "n": 3}, constants={"n": 3})
    assert json.loads(s.text)["arguments"]["x"]["type"] == "bfloat16"
    for kind, name in ((ml_dtypes.float8_e4m3fn, "float8_e4m3"), (ml_dtypes.float8_e5m2, "float8_e5m2")):
        data = numpy.array([1, 0.375, -2], dtype=kind)
        assert _arrays.type_of("x", data) == name
        assert (_arrays.from_bytes(data.tobytes(), name) == data).all()


def test_worker_that_is_not_there(monkeypatch):
    monkeypatch.setenv("HONE_WORKER", "/nowhere/worker")
    with pytest.raises(hone.FileError, match="/nowhere/worker"):
        hone.devices()


def test_devices_of_the_fake(fake):
    (device,) = hone.devices()
    assert device.name == "fake device" and device.language == "opencl" and device.type == "cpu"
    with pytest.raises(hone.HoneError, match="fake device"):
        hone.Devices().pick("another")


def test_what_is_no_spec_is_refused():
    for given in (None, 3, {"kernel": "x.cl"}, [SMALL]):  # of which None was a NULL in the library
        for call in (hone.space, hone.best, hone.Spec.load, lambda one: hone.tune(one, store=False)):
            with pytest.raises(hone.UsageError, match=f"a spec is.*{type(given).__name__}"):
                call(given)
    with pytest.raises(hone.UsageError, match="a configuration is.*int"):
        hone.space(SMALL).why(3)


@pytest.mark.parametrize("more, said", [
    ({"restrictions": [lambda p: True]}, r"restrictions\[0\].*function"), ({"constants": {"n": float("nan")}}, "constants.n: nan"),
    ({"parameters": {"GROUP": (i for i in (32, 64))}}, "parameters.GROUP.*generator"), ({"parameters": ["GROUP"]}, "parameters of type list"),
    ({"metrics": {"q": object()}}, "metrics.q.*object"), ({"arguments": {"y": {"size": {3}}, "x": 3j}}, "'x': complex")])
def test_what_has_no_place_in_a_spec_is_named(more, said):
    with pytest.raises(hone.UsageError, match=said):
        saxpy(**more)


def test_what_has_a_handle_is_neither_copied_nor_pickled(fake):
    spec = hone.Spec.load(SMALL)
    for one in (spec, spec.space(), hone.Devices(), hone.devices()[0]):
        for taken in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=f"hone.{type(one).__name__} cannot be pickled or copied"):
                taken(one)


def test_numbers_that_would_wrap_around_are_refused(fake):
    for name, value in (("iterations", -1), ("jobs", 2**32), ("seed", -1), ("lock_wait_s", -1.0), ("iterations", 1.5), ("seed", "7")):
        with pytest.raises(hone.UsageError, match=name):
            hone.tune(SMALL, store=False, **{name: value})


def test_signatures_name_every_option_and_a_typo_names_itself():
    for function in (hone.tune, hone.tune_async, hone.run, hone.measure):
        shown = inspect.signature(function).parameters
        assert {"on", "store", "iterations", "set"} <= set(shown) and all(p.kind != p.VAR_KEYWORD for p in shown.values())
        assert shown["iterations"].default == 0 and shown["iterations"].annotation == "int"
    assert "budget" in inspect.signature(hone.tune).parameters and "budget" not in inspect.signature(hone.run).parameters
    own = {"spec", "progress", "on_record", "self"}
    assert set(inspect.signature(hone.tune).parameters) - own == set(_tune.Options.__annotations__)
    for call, said in ((lambda: hone.tune(SMALL, budgit=3), r"^tune\(\) got .*'budgit'; did you mean 'budget'"),
                       (lambda: hone.run(SMALL, iteration=3), r"^run\(\) .*did you mean 'iterations'"),
                       (lambda: hone.measure(SMALL, storage=3), r"^measure\(\) "), (lambda: hone.Tune(SMALL, budgit=3), "budgit"),
                       (lambda: hone.deploy(SMALL, withn="2%"), r"^deploy\(\) .*did you mean 'within'"),
                       (lambda: hone.report(SMALL, formt="svg"), r"^report\(\) .*did you mean 'format'")):
        with pytest.raises(TypeError, match=said):
            call()


@pytest.mark.parametrize("command, by_the_module", [
    ("deploy", "json strict output for-program check with"), ("report", "store output watch"), ("compare", "json against format output verbose"),
    ("sweep", "json against format output set"), ("score", "strategy json format"), ("peak", "json format")])
def test_signatures_of_the_program_are_its_own(command, by_the_module):
    """Each option of the command is one of the function's, or the module gives it itself."""
    said = subprocess.run([os.environ["HONE_PROGRAM"], command, "--help", "--all"], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"^  (?:-\w, )?--([a-z][a-z-]*)", said, re.M)) - {"help"}
    ours = {name.replace("_", "-") for name in inspect.signature(getattr(hone, command)).parameters}
    assert options - set(by_the_module.split()) <= ours
    assert ours - options <= {"specs", "spec", "source", "files", "strategies", "output", "against", "format"}


def test_a_host_that_compiles_c_is_picked_from_its_list(monkeypatch):
    monkeypatch.delenv("HONE_DEVICE", raising=False)
    listed = hone.Devices(language="c")
    if not len(listed):
        pytest.skip("no C compiler here")
    assert listed.pick().language == "c"
    with pytest.raises(hone.UsageError, match="no device fits 'pthread'"):
        listed.pick("pthread")


def test_program_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setenv("HONE_PROGRAM", "/nowhere/hone")
    with pytest.raises(hone.FileError, match="HONE_PROGRAM"):
        hone.score("x.json")


def test_what_runs_the_program_is_imported_when_asked_for():
    code = ("import sys, hone\n"
            "print([m for m in ('hone._program', 'subprocess', 'asyncio', 'numpy') if m in sys.modules])\n"
            "print([n for n in hone.__all__ if not hasattr(hone, n)], dir(hone) == sorted(hone.__all__), hone._program.report is hone.report)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n[] True True\n", done.stdout + done.stderr


def test_a_subinterpreter_is_refused_and_spoils_nothing(tmp_path):
    interpreters = pytest.importorskip("_xxsubinterpreters")
    if not hasattr(interpreters, "run_string"):
        pytest.skip("this Python runs no text in another interpreter")
    program = tmp_path / "two.py"
    spec = str(ROOT / "kernels_cl" / "examples" / "saxpy.json")
    program.write_text(f"""
import _xxsubinterpreters as interpreters
import hone
before = len(hone.Spec.load({spec!r}).space())
other = interpreters.create()
try:
    interpreters.run_string(other, "import sys; sys.path[:] = " + repr(__import__("sys").path) + "; import hone")
    print("it was imported")
except interpreters.RunFailedError as e:
    print(e)
interpreters.destroy(other)
assert len(hone.Spec.load({spec!r}).space()) == before
print("as before")
""")
    said = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert "ImportError" in said.stdout and "hone cannot be imported in a subinterpreter" in said.stdout
    assert said.stdout.endswith("as before\n")
