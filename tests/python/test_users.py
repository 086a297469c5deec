"""Several users at once, and many tunes one after the other: threads, asyncio, memory and descriptors."""

import asyncio
import gc
import os
import threading

import pytest

import hone
from conftest import SMALL, THOUSAND, saxpy


def test_two_tunes_in_two_threads(fake):
    results, failed = {}, []

    def work(name, budget):
        try:
            results[name] = hone.tune(THOUSAND, budget=budget, store=False, unranked=True)
        except BaseException as e:
            failed.append(e)
    threads = [threading.Thread(target=work, args=(str(budget), budget)) for budget in (60, 80)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(300)
    assert not failed and len(results["60"]) == 60 and len(results["80"]) == 80
    assert all(q.correct for r in results.values() for q in r)


def test_the_interpreter_goes_on_beside_a_step(fake):
    """Others run while a tune is in the library: a counter counts in every step that waits."""
    turns, end = [0], threading.Event()

    def count():
        while not end.is_set():
            turns[0] += 1
            end.wait(0.001)
    other = threading.Thread(target=count)
    other.start()
    spec = hone.Spec.load(SMALL)
    moved = 0
    with hone.Tune(spec, store=False) as t:
        while not t.ended:
            before = turns[0]
            t.step(0.2)
            moved += turns[0] > before
    end.set()
    other.join()
    assert moved > 0


def test_asyncio(fake):
    async def both():
        seen = []
        ticks = [0]

        async def tick():
            while True:
                ticks[0] += 1
                await asyncio.sleep(0.001)
        ticking = asyncio.create_task(tick())
        one, two = await asyncio.gather(hone.tune_async(THOUSAND, budget=50, store=False, on_record=seen.append),
                                        hone.tune_async(SMALL, store=False))
        ticking.cancel()
        return one, two, seen, ticks[0]
    one, two, seen, ticks = asyncio.run(both())
    assert len(one) == len(seen) == 50 and len(two) == 5 and ticks > 1


def test_a_cancelled_task_ends_its_workers(fake):
    async def cancelled():
        task = asyncio.create_task(hone.tune_async(THOUSAND, store=False))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    asyncio.run(cancelled())
    gc.collect()
    assert children() == 0


def children():
    """Processes of this one that are still there."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as f:
                count += int(f.read().rsplit(")", 1)[1].split()[1]) == os.getpid()
        except OSError:
            pass
    return count


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_thousand_tunes_leave_nothing_behind(fake, tmp_path):
    """Memory, descriptors, processes and temporary files of tunes of one configuration, with a spec and a store each."""
    os.environ["TMPDIR"] = str(tmp_path)
    try:
        def once():
            r = hone.tune(SMALL, configurations=["ID=1"], store=tmp_path / "s.sqlite", iterations=1)
            assert len(r) == 1 and r.best is not None
        for _ in range(100):
            once()
        gc.collect()
        memory, descriptors = resident(), len(os.listdir("/proc/self/fd"))
        for _ in range(900):
            once()
        gc.collect()
    finally:
        del os.environ["TMPDIR"]
    assert len(os.listdir("/proc/self/fd")) == descriptors and children() == 0
    assert resident() - memory < 2 << 20  # less than 2.3 KiB a tune
    assert [name for name in os.listdir(tmp_path) if name.startswith("hone-")] == []


def test_what_is_in_a_cycle_is_freed_before_what_it_needs(fake, tmp_path, monkeypatch):
    from hone._library import lib
    freed = []
    for name in ("hone_spec_free", "hone_devices_free", "hone_store_close", "hone_space_free", "hone_job_free", "hone_tune_free"):
        def free(handle, name=name, real=getattr(lib, name)):
            freed.append(name)
            real(handle)
        monkeypatch.setattr(lib, name, free)

    def cycle():
        spec, store = hone.Spec.load(SMALL), hone.Store(tmp_path / "s.sqlite")
        t = hone.Tune(spec, store=store)
        t.step()
        spec.kept = store.kept = t.device.devices.kept = [t, spec.space(on=t.device), hone.Result(t).job({"ID": 1})]
        freed.clear()
        store.close()  # which the tune still writes to
        assert freed == []
        t.step()
    cycle()
    gc.collect()
    assert len(freed) == 6 and freed.index("hone_tune_free") < freed.index("hone_store_close")
    first = max(freed.index(name) for name in ("hone_space_free", "hone_job_free", "hone_tune_free"))
    assert first < freed.index("hone_devices_free") < freed.index("hone_spec_free")


def test_arrays_go_with_their_specs(pocl, tmp_path, monkeypatch):
    numpy = pytest.importorskip("numpy")
    import tempfile
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    x = numpy.ones(4096, dtype=numpy.float32)
    for _ in range(50):
        saxpy(arguments={"y": x, "x": x, "a": 2.0, "n": "n"}, reference={"y": 3 * x}).space()
    assert [name for name in os.listdir(tmp_path) if name.startswith("hone-python-")] == []
