"""Builders on Ray, runners under a tracker: what is killed costs nothing that was measured."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import lathe
from lathe import autotvm, rpc, te

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
ray = pytest.importorskip("ray")
from lathe.tune import fleet  # noqa: E402


@autotvm.template("fleet/scale")
def scale(n):
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2.0 + 1.0, name="B")
    s = te.create_schedule(B.op)
    cfg = autotvm.get_config()
    cfg.define_split("tile", s[B].op.axis[0], num_outputs=2)
    cfg.define_knob("vectors", [False, True])
    _, inner = cfg["tile"].apply(s, B, s[B].op.axis[0])
    if cfg["vectors"].val:
        s[B].vectorize(inner)
    return s, [A, B]


def task():
    return autotvm.task.create("fleet/scale", args=(720,), target="llvm")  # 60 points


SERVER = """
import sys, time
from lathe import rpc
server = rpc.Server("127.0.0.1", key="fleet", tracker_addr=("127.0.0.1", int(sys.argv[1])))
print("ready", flush=True)
time.sleep(600)
"""

HEAD = """
import sys
sys.path.insert(0, sys.argv[1])
import test_fleet as t
address, port, log = sys.argv[2], int(sys.argv[3]), sys.argv[4]
t.search(t.fleet.RayBuilder(address=address, n_parallel=1), port, log, 40,
         lambda *_: print("told", flush=True))
"""


def child(code, *arguments):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], env=environment,
                            stdout=subprocess.PIPE, text=True)


@contextlib.contextmanager
def devices(count=2):
    """A tracker, and servers in processes of their own: (port, processes)."""
    tracker = rpc.Tracker("127.0.0.1")
    servers = [child(SERVER, tracker.port) for _ in range(count)]
    try:
        for server in servers:
            assert server.stdout.readline() == "ready\n"
        yield tracker.port, servers
    finally:
        for server in servers:
            server.kill()
            server.wait()
        tracker.terminate()


@pytest.fixture(scope="module", autouse=True)
def builder():
    """Ray on this machine, with two workers, and room for those of single tests."""
    fleet._start(ray, None, num_cpus=8)
    made = fleet.RayBuilder(n_parallel=2)
    yield made
    ray.shutdown()


def search(builder, port, log, trials, heard=lambda *_: None, history=()):
    tuner = autotvm.tuner.GridSearchTuner(task())
    tuner.load_history(history)
    runner = autotvm.RPCRunner("fleet", "127.0.0.1", port, n_parallel=2, number=1, repeat=1,
                               cooldown_interval=0)
    results = []
    tuner.tune(trials, autotvm.measure_option(builder, runner), callbacks=[
        autotvm.callback.log_to_file(log), lambda _, __, found: results.extend(found), heard])
    return results


def workers():
    """The processes of Ray that compile."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if file.read().startswith(b"ray::Worker"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


PROGRAM = """program copy {
  placeholder A: float32[8]
  compute B[i in range(8)] = A[i]
  args [A, B]
}"""


def workers_of(pool):
    """The process of a pool's only worker."""
    actor = pool._free.get()
    pool._free.put(actor)
    return ray.get(actor.process.remote())


def configurations(log):
    return [given.config.index for given, _ in autotvm.record.load_from_file(log)]


def test_a_fleet_measures_what_is_right(builder, tmp_path):
    log = str(tmp_path / "log")
    with devices() as (port, _):
        results = search(builder, port, log, 6)
    assert [result.error_no for result in results] == [0] * 6
    with autotvm.apply_history_best(log), lathe.Target("llvm"):
        function = lathe.build(*scale(720))
    out = lathe.nd.empty((720,))
    values = np.arange(720, dtype="float32")
    function(lathe.nd.array(values), out)
    np.testing.assert_array_equal(out.numpy(), values * 2 + 1)


def test_a_worker_and_a_server_are_killed(builder, tmp_path):
    log, killed = str(tmp_path / "log"), []
    with devices() as (port, servers):
        def heard(*_):
            killed.append(True)
            if len(killed) == 3:
                os.kill(workers()[0], signal.SIGKILL)
            if len(killed) == 6:
                servers[0].kill()

        results = search(builder, port, log, 16, heard)
    assert [result.error_no for result in results] == [0] * 16
    assert len(set(configurations(log))) == 16


def test_the_head_is_killed(builder, tmp_path):
    log = str(tmp_path / "log")
    address = ray.get_runtime_context().gcs_address
    with devices() as (port, _):
        head = child(HEAD, os.path.dirname(os.path.abspath(__file__)), address, port, log)
        told = 0
        while told < 5:
            assert head.stdout.readline() == "told\n", head.poll()
            told += 1
        head.send_signal(signal.SIGKILL)
        told += head.stdout.read().count("told")
        head.wait()
        before = configurations(log)
        assert len(before) >= told, "a trial that was told is lost"
        assert len(before) < 40
        results = search(builder, port, log, 40 - len(before),
                         history=autotvm.record.load_from_file(log))
    assert [result.error_no for result in results] == [0] * (40 - len(before))
    assert sorted(configurations(log)) == sorted(set(configurations(log)))  # none twice
    assert configurations(log)[:len(before)] == before


def test_a_worker_that_ends_each_time(builder, monkeypatch):
    """The candidate fails, and the search goes on."""
    class Ending:
        def version(self):
            return lathe.__version__

        def build(self, *_):
            os._exit(1)

    class Slow(Ending):
        def build(self, *_):
            time.sleep(60)

    monkeypatch.setattr(fleet, "_PATIENCE", 0)
    for kind, made, seconds in (("crash", Ending, 60), ("timeout", Slow, 2)):
        monkeypatch.setattr(fleet, "Worker", made)
        pool = fleet._Pool(ray, 1)
        assert pool.build(seconds, "program")[2] == kind


def test_workers_that_are_dead_already(builder, monkeypatch):
    """They cost no candidate; a fleet whose workers end again and again is an error of its own."""
    pool = fleet._Pool(ray, 1)
    for _ in range(4):
        os.kill(workers_of(pool), signal.SIGKILL)
        answer = pool.build(5, lathe.__version__, PROGRAM, "llvm", [[], []], 5, 0, True)
        assert answer[2] == "" and answer[1], answer
    monkeypatch.setattr(fleet, "_MOST_LOST", 4)
    os.kill(workers_of(pool), signal.SIGKILL)
    with pytest.raises(lathe.LatheError) as caught:
        pool.build(5, lathe.__version__, PROGRAM, "llvm", [[], []], 5, 0, True)
    assert caught.value.name == "tune-fleet-lost"


def test_ctrl_c_does_not_wait_for_a_worker(builder, tmp_path, monkeypatch):
    class Slow(fleet.Worker):
        def build(self, *_):
            time.sleep(60)

    monkeypatch.setattr(fleet, "Worker", Slow)
    slow = fleet.RayBuilder(n_parallel=1)
    with devices(1) as (port, _):
        threading.Timer(6, os.kill, (os.getpid(), signal.SIGINT)).start()
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            search(slow, port, str(tmp_path / "log"), 4)
        assert time.monotonic() - begun < 30


def test_errors_of_the_fleet_are_not_those_of_candidates(tmp_path, monkeypatch):
    class Wrong(fleet.Worker):
        def build(self, *_):
            raise ModuleNotFoundError("No module named 'lathe'")

    monkeypatch.setattr(fleet, "Worker", Wrong)
    log = str(tmp_path / "log")
    with devices(1) as (port, _), pytest.raises(Exception, match="No module named"):
        search(fleet.RayBuilder(n_parallel=1), port, log, 4)
    assert not os.path.exists(log)


def test_what_a_fleet_refuses(monkeypatch):
    monkeypatch.setattr(fleet, "_START", 3)
    with pytest.raises(lathe.LatheError) as caught:
        fleet._Pool(ray, 64)
    assert caught.value.name == "tune-fleet-busy" and "64 free" in str(caught.value)
    monkeypatch.undo()
    with pytest.raises(lathe.LatheError) as caught:
        fleet.Worker().build("0.0.1", "", "llvm", [[], []], 1, 0, False)
    assert caught.value.name == "tune-fleet-version"

    class Old:
        def version(self):
            return "0.0.1"

    monkeypatch.setattr(fleet, "Worker", Old)
    with pytest.raises(lathe.LatheError) as caught:
        fleet._Pool(ray, 1)
    assert caught.value.name == "tune-fleet-version" and "0.0.1" in str(caught.value)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(lathe.LatheError) as caught:
        fleet.RayBuilder()
    assert caught.value.name == "tune-no-ray"
