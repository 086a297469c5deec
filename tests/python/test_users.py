"""Several users at once, and many tunes one after the other: threads, asyncio, memory and descriptors."""

import asyncio
import gc
import multiprocessing
import os
import pty
import select
import sys
import threading
import time

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
    moved = 0
    with hone.Tune(THOUSAND, budget=300, store=False, unranked=True) as t:
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
        begun = asyncio.Event()
        task = asyncio.create_task(hone.tune_async(THOUSAND, store=False, on_record=lambda _: begun.set()))
        await begun.wait()  # 999 configurations are left
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    asyncio.run(cancelled())
    gc.collect()
    assert no_children()


def test_a_forked_process_leaves_its_parents_tune_alone(fake, tmp_path):
    """It has a tune of its own; that it ends, as programs do, frees nothing of its parent's."""
    numpy = pytest.importorskip("numpy")
    kept = saxpy(arguments={"y": numpy.ones(4096, dtype=numpy.float32), "x": {"size": "n"}, "a": 2.0, "n": "n"})
    with hone.Tune(THOUSAND, budget=100, store=tmp_path / "s.sqlite", unranked=True) as t:
        first = t.step(60)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                own = hone.tune(SMALL, store=tmp_path / "s.sqlite", progress=False)
                for call in (t.step, lambda: t.store.best(THOUSAND)):
                    with pytest.raises(hone.UsageError, match="forked"):
                        call()
                code = 0 if len(own) == 5 else 2
                t._free(), kept._scratch.close()  # as at the end of an interpreter
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert len([first, *t]) == 100 and all(r.correct for r in t.result())
    assert kept._scratch.path.exists() and len(kept.space()) == 3


def test_processes_of_a_pool(fake):
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(count, [SMALL, SMALL]) == [5, 5]


def count(spec):
    return len(hone.tune(spec, store=False, progress=False))


def test_garbage_is_collected_in_the_middle(fake, tmp_path):
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        seen = []
        r = hone.tune(SMALL, store=tmp_path / "s.sqlite", on_record=lambda record: (seen.append(record), gc.collect()))
    finally:
        gc.set_threshold(*before)
    assert [q.index for q in seen] == [q.index for q in r] and r.best is not None


def test_ctrl_c_at_the_prompt(fake, tmp_path):
    """Typed on a terminal: what is known comes back, and so does the prompt."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-i", "-q"])
    said = ""

    def until(text):
        nonlocal said
        end = time.monotonic() + 120
        while text not in said:
            assert time.monotonic() < end and select.select([terminal], [], [], 120)[0], said
            said += os.read(terminal, 4096).decode(errors="replace")
    os.write(terminal, b"import hone, time\n")
    os.write(terminal, f"r = hone.tune({str(THOUSAND)!r}, store=False, on_record=lambda q: (print('one' + 'more'), time.sleep(0.02)))\n".encode())
    until("onemore")
    os.write(terminal, b"\x03")
    until("Ending after the running launch")
    os.write(terminal, b"print('know' + 'n', r.interrupted, 0 < len(r) < 1000)\nexit()\n")
    until("known True True")
    os.close(terminal)
    os.waitpid(pid, 0)


def children():
    """Processes of this one that are still there, but for what multiprocessing keeps."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as f:
                is_own = int(f.read().rsplit(")", 1)[1].split()[1]) == os.getpid()
            with open(f"/proc/{name}/cmdline") as f:
                count += is_own and "resource_tracker" not in f.read()
        except OSError:
            pass
    return count


def no_children():
    """Workers that were told to end may wait for a busy machine."""
    end = time.monotonic() + 60
    while children() and time.monotonic() < end:
        time.sleep(0.01)
    return children() == 0


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
    assert len(os.listdir("/proc/self/fd")) == descriptors and no_children()
    assert resident() - memory < 2 << 20  # less than 2.3 KiB a tune
    assert [name for name in os.listdir(tmp_path) if name.startswith("hone-") and not name.endswith(".lock")] == []


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
