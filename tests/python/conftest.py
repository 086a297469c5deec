"""What all of these tests share: a store and caches of their own, a worker that answers at once, and small kernels."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAKE = os.environ.get("HONE_TEST_FAKE_WORKER")


def pytest_collection_modifyitems(items):
    """HONE_TEST_PART=K/N: every Nth test, from the Kth, so that several of these run side by side."""
    part, parts = map(int, os.environ.get("HONE_TEST_PART", "1/1").split("/"))
    items[:] = items[part - 1::parts]


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HONE_LOCKS", str(tmp_path))


@pytest.fixture
def fake(monkeypatch):
    """The worker that answers at once, on a device of its own."""
    monkeypatch.setenv("HONE_WORKER", FAKE)
    monkeypatch.delenv("HONE_DEVICE", raising=False)


@pytest.fixture
def pocl():
    import hone
    try:
        return hone.Devices(language="opencl").pick("pthread")
    except hone.HoneError:
        pytest.skip("no PoCL here")


SMALL = ROOT / "tests" / "api" / "data" / "small.json"
THOUSAND = ROOT / "tests" / "tune" / "data" / "thousand.json"

SAXPY = """__kernel void saxpy(__global float *y, __global const float *x, float a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""


def saxpy(**more):
    """The spec of a saxpy whose arrays are recipes."""
    import hone
    given = dict(source=SAXPY, parameters={"GROUP": [32, 64, 128]}, global_size="n", local_size="GROUP",
                 constants={"n": 4096}, arguments={"y": {"size": "n", "expect": "a * x[i] + y[i]"}, "x": {"size": "n"},
                                                   "a": 2.0, "n": "n"}, metrics={"GB/s": "12 * n / time_ns"})
    given.update(more)
    return hone.Spec(**given)
