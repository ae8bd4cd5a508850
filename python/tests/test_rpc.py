"""Sessions with servers: what a script of the first tutorial about boards does, and what can fail."""

import argparse
import concurrent.futures
import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import lathe
from lathe import rpc, te


@pytest.fixture(scope="module")
def server():
    with rpc.Server("127.0.0.1", load_library=[f"{__name__}:export_functions"],
                    max_sessions=8) as made:
        yield made


def export_functions():
    """Runs in each worker."""
    lathe.register_func("rpc_test.pid", os.getpid, exported=True)
    lathe.register_func("rpc_test.exit", lambda code: os._exit(code), exported=True)
    lathe.register_func("rpc_test.sleep", time.sleep, exported=True)
    lathe.register_func("rpc_test.call", lambda f, x: f(x), exported=True)

    def fail():
        raise ValueError("from the worker")

    lathe.register_func("rpc_test.fail", fail, exported=True)

    def write(path):
        try:
            with open(os.path.join(os.environ["TMPDIR"], path), "w") as f:
                return "written" if f.write("text") else "empty"
        except OSError as error:
            return type(error).__name__

    lathe.register_func("rpc_test.write", write, exported=True)
    pool = concurrent.futures.ThreadPoolExecutor(1)
    pool.submit(int).result()  # its thread lives from now on
    lathe.register_func("rpc_test.write_by_thread", lambda path: pool.submit(write, path).result(), exported=True)
    # As lathe_register_artifact does for code that is linked into a program.
    lathe.register_func("module.static.rpc_test", lambda: add_one(16))
    lathe.register_func("module.static.wrong", lambda: 1)


def connect(server, **options):
    return rpc.connect("127.0.0.1", server.port, **options)


def named(name, call, *args, kind=lathe.LatheError):
    with pytest.raises(kind) as raised:
        call(*args)
    assert name in str(raised.value)
    return str(raised.value)


def add_one(n=1024, target="llvm"):
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    return lathe.build(te.create_schedule(B.op), [A, B], target, name="add_one")


@pytest.mark.parametrize("suffix", ["tar", "o", "so"])
def test_a_kernel_compiled_here_runs_there(server, tmp_path, suffix):
    path = str(tmp_path / f"lib.{suffix}")
    add_one().export_library(path)
    with connect(server) as remote:
        remote.upload(path)
        f = remote.load_module(f"lib.{suffix}")
        dev = remote.cpu()
        a = lathe.nd.array(np.random.uniform(size=1024).astype("float32"), dev)
        b = lathe.nd.array(np.zeros(1024, dtype="float32"), dev)
        f(a, b)
        np.testing.assert_equal(b.numpy(), a.numpy() + 1)
        assert f.entry_name == "add_one" and "add_one" in f.function_names
        times = f.time_evaluator(f.entry_name, dev, number=10, repeat=3)(a, b)
        assert len(times.results) == 3 and times.mean > 0
        # A name is looked up where the function runs.
        options = dict(number=2, repeat=2, f_preproc="cache_flush_cpu_non_first_arg")
        assert len(f.time_evaluator(None, dev, **options)(a, b).results) == 2
        options["f_preproc"] = "registry.names"
        named("registry-not-exported", f.time_evaluator(None, dev, **options), a, b)
        # What it takes is checked there, too.
        named("call-argument", f, a, lathe.nd.array(np.zeros(5, "float32"), dev))
        named("session-argument", f, lathe.nd.array(np.zeros(1024, "float32")), b)
        assert dev.exist and not remote.device("vulkan").exist
        assert remote.ext_dev().device_type == 12


def test_a_device_keeps_its_session(server):
    device = connect(server).context("cpu", 0)
    gc.collect()
    assert device.exist and lathe.nd.array([1.0], device).numpy() == [1.0]


def test_what_workers_cannot_import_is_said_at_start():
    for name in ("libfoo.so", "/lib/libfoo.so:libbar.so", "no_such_module", "no_such.module:setup"):
        text = named("rpc-load-library", lambda: rpc.Server("127.0.0.1", load_library=name))
        assert name.partition(":")[0] in text


def test_views_and_copies_between_sessions(server):
    with connect(server) as one, connect(server) as two:
        x = np.random.rand(300, 1000).astype("float32")
        a = lathe.nd.array(x, one.cpu())
        np.testing.assert_equal(a.numpy(), x)
        b = lathe.nd.empty(x.shape, "float32", two.cpu())
        a.copyto(b)
        np.testing.assert_equal(b.numpy(), x)
        assert a.device.session != b.device.session


def test_functions_of_the_worker(server):
    with connect(server) as remote:
        assert remote.get_function("rpc_test.pid")() not in (os.getpid(), 0)
        call = remote.get_function("rpc_test.call")
        seen = []

        def here(x):
            seen.append((os.getpid(), threading.get_ident()))
            return x + 1

        assert call(here, 41) == 42
        assert seen == [(os.getpid(), threading.get_ident())]
        text = named("from the worker", remote.get_function("rpc_test.fail"))
        assert "ValueError" in text

        def wrong(_):
            raise KeyError("in the callback")

        named("in the callback", call, wrong, 1, kind=KeyError)
        named("registry-not-exported", remote.get_function, "module.load")
        named("registry-not-exported", remote.get_function, "rpc.connect")


def test_what_is_linked_into_the_worker(server):
    with connect(server) as remote:
        module = remote.system_lib("rpc_test")
        a = lathe.nd.array(np.arange(16, dtype="float32"), remote.cpu())
        b = lathe.nd.array(np.zeros(16, dtype="float32"), remote.cpu())
        module["add_one"](a, b)
        np.testing.assert_array_equal(b.numpy(), np.arange(16) + 1)
        assert "`rpc_test`" in named("module-not-linked", remote.system_lib)
        assert "gives no module" in named("module-not-linked", remote.system_lib, "wrong")
    with pytest.raises(lathe.LatheError, match="module-not-linked"):
        rpc.LocalSession().system_lib()


def test_an_interrupt_ends_a_measurement(server):
    """As Ctrl-C does: the main thread waits for a measurement that takes minutes."""
    with connect(server) as remote:
        sleep = remote.get_function("rpc_test.sleep")
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            lathe._ffi.get("runtime.time", True)(sleep, [0.2], remote.cpu(), [1.0, 1000.0, 0.0, 0.0, 1.0, 0.0], None, 0,
                                                 lathe._core.check_signals)
        assert time.monotonic() - started < 10


def test_sizes_of_options():
    from lathe.exec.rpc_server import _bytes

    assert [_bytes(text) for text in ("0", "1000", "64K", "1.5M", "2G")] == [0, 1000, 1 << 16, 3 << 19, 2 << 30]
    for wrong in ("", "G", "2X", "-1", "0.5", "nan", "1e30"):
        with pytest.raises(argparse.ArgumentTypeError, match="500M"):
            _bytes(wrong)
    with pytest.raises(ValueError, match="session_memory"):
        rpc.Server("127.0.0.1", session_memory=-1)


def test_limits(tmp_path):
    outside = str(tmp_path / "file")
    # The address sanitizer maps more than any limit for its own purposes.
    memory = 0 if "ASAN_OPTIONS" in os.environ else 8 << 30
    with rpc.Server("127.0.0.1", load_library=[f"{__name__}:export_functions"], confined=True,
                    session_memory=memory) as limited, connect(limited) as remote:
        write = remote.get_function("rpc_test.write")
        assert write("inside") == "written"
        # Kernels before 5.13 have no Landlock.
        for name in ("write", "write_by_thread"):
            refused = remote.get_function(f"rpc_test.{name}")(outside)
            assert refused == ("PermissionError" if landlock() else "written")
        if memory:
            named("device-out-of-memory", lathe.nd.empty, (16 << 30,), "uint8", remote.cpu())
        assert write("again") == "written"


def landlock():
    import ctypes

    return ctypes.CDLL(None).syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), ctypes.c_uint32(1)) > 0


def test_files(server):
    with connect(server) as remote:
        remote.upload(bytes(3 << 20), "zeros")
        remote.upload(__file__)
        assert remote.list_files() == ["test_rpc.py", "zeros"]
        assert remote.download("zeros") == bytes(3 << 20)
        remote.remove("zeros")
        named("session-file-missing", remote.download, "zeros")
        for name in ("../x", "/etc/passwd", ".hidden", "a/b"):
            named("session-file-name", remote.upload, b"x", name)
    with connect(server) as remote:
        assert remote.list_files() == []


def test_a_crash_is_an_error_of_its_session(server):
    remote = connect(server)
    text = named("session-crashed", remote.get_function("rpc_test.exit"), 7)
    assert "status 7" in text
    named("session-crashed", remote.list_files)
    with connect(server) as another:
        assert another.list_files() == []


def test_sessions_end(server):
    remote = connect(server)
    a = lathe.nd.array(np.zeros(3, "float32"), remote.cpu())
    remote.close()
    remote.close()
    named("session-closed", a.numpy)
    named("session-closed", remote.list_files)

    def too_long():
        # A machine that is slow does not get as far as the call.
        connect(server, session_timeout=1.5).get_function("rpc_test.sleep")(30)

    assert "longer than it may" in named("session-timeout", too_long)


def test_threads_share_a_session(server):
    with connect(server) as remote:
        call = remote.get_function("rpc_test.call")
        wrong = []

        def work(k):
            for i in range(50):
                if call(lambda x: x * k, i) != i * k:
                    wrong.append((k, i))

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


def test_threads_use_a_session_during_an_upload(server):
    """None waits with the interpreter's lock for another one that needs that."""
    with connect(server) as session:
        told, done = [], threading.Event()
        session.on_progress(lambda *how_far: told.append(how_far))

        def use():
            while not done.is_set():
                lathe.nd.empty((4,), "float32", session.cpu()).numpy()
                assert session.cpu().exist
                session.get_function("rpc_test.call")(lambda x: x, 1)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            users = [pool.submit(use) for _ in range(2)]
            try:
                for _ in range(8):
                    session.upload(bytes(32 << 20), "zeros")
            finally:
                done.set()
            for user in users:
                user.result()
        assert len(told) == 8 * 32


def test_ctrl_c_ends_an_upload(server):
    """The signal comes while Python is told of the progress, or while C++ sends."""
    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)

    with connect(server) as session:
        for during in (True, False):
            told = []

            def tell(done, total, during=during, told=told):
                told.append(done)
                if len(told) == 3:
                    if during:
                        interrupt()
                    else:
                        threading.Thread(target=interrupt).start()

            session.on_progress(tell)
            with pytest.raises(KeyboardInterrupt):
                session.upload(bytes(256 << 20), "zeros")
            assert len(told) < 256
            session.on_progress(None)
            assert session.list_files() == []
        session.upload(b"text", "a.txt")
        session.on_progress(lambda done, total: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            session.upload(bytes(2 << 20), "zeros")
        with pytest.raises(ZeroDivisionError):
            lathe.nd.array(np.zeros(1 << 20, "float32"), session.cpu())
        session.on_progress(None)
        assert session.download("a.txt") == b"text"


def test_ctrl_c_ends_the_far_call(server):
    with connect(server) as remote:
        sleep = remote.get_function("rpc_test.sleep")
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.time()
        with pytest.raises(KeyboardInterrupt):
            sleep(60)
        assert time.time() - begin < 10
    with connect(server) as remote:
        assert remote.list_files() == []


def test_a_fork_leaves_the_session_alone(server):
    remote = connect(server)
    tensor = lathe.nd.array(np.zeros(3, "float32"), remote.cpu())
    child = os.fork()
    if child == 0:
        try:
            remote.list_files()
            os._exit(1)
        except lathe.LatheError as error:
            del tensor, remote
            gc.collect()
            os._exit(0 if error.name == "session-forked" else 2)
    assert os.waitpid(child, 0)[1] == 0
    assert tensor.numpy().tolist() == [0, 0, 0] and remote.list_files() == []
    remote.close()


def test_who_may_connect(tmp_path, monkeypatch):
    key = tmp_path / "secret"
    rpc.keygen(key)
    named("rpc-secret-file", rpc.keygen, key)
    with rpc.Server("127.0.0.1", key="board", secret_file=key) as server:
        named("rpc-secret", connect, server)
        named("rpc-no-device", lambda: connect(server, key="phone", secret_file=key))
        with connect(server, key="board", secret_file=key) as remote:
            assert remote.list_files() == []
        monkeypatch.setenv("LATHE_REMOTE_SECRET_FILE", str(key))
        with connect(server) as remote:
            assert remote.list_files() == []
        monkeypatch.delenv("LATHE_REMOTE_SECRET_FILE")
        named("rpc-port", rpc.Server, "127.0.0.1", server.port)
    named("rpc-unreachable", connect, server)
    named("rpc-insecure", rpc.Server, "0.0.0.0")
    with pytest.raises(ValueError):
        rpc.Server(max_sessions=0)


def test_who_waits_is_told(caplog, monkeypatch):
    """The server's one session may be the program's own."""
    monkeypatch.setattr(rpc.client, "_QUIET_SECONDS", 0.2)
    told = []
    with rpc.Server("127.0.0.1") as server, caplog.at_level("WARNING", "lathe.rpc"):
        own = connect(server)
        assert caplog.text == ""
        waits = threading.Thread(target=lambda: told.append(connect(server).list_files()))
        waits.start()
        wait_for(lambda: caplog.records)
        assert told == []
        own.close()
        waits.join()
    record, = caplog.records
    assert record.getMessage() == f"127.0.0.1:{server.port}: waiting for a device: number 1 in the queue"
    assert told == [[]]


@pytest.mark.parametrize("wrong", [-1, -0.5, float("nan"), "abc", [1], object()])
def test_limits_of_sessions_are_no_less_than_nothing(server, wrong):
    tracker = rpc.TrackerSession("127.0.0.1", 1)
    for start in (lambda: connect(server, session_timeout=wrong), lambda: tracker.request("board", session_timeout=wrong),
                  lambda: rpc.Server("127.0.0.1", session_timeout=wrong)):
        with pytest.raises(ValueError, match="expected: seconds, or 0 for no limit") as raised:
            start()
        assert raised.value.name == "rpc-session-timeout" and "found: " in str(raised.value)


@pytest.mark.parametrize("option", [{"max_sessions": 0}, {"session_memory": 1}, {"is_proxy": True}])
def test_options_of_servers(option):
    with pytest.raises(ValueError, match="expected: (.*)\n.*found: ") as raised:
        rpc.Server("127.0.0.1", **option)
    assert raised.value.name == "rpc-server-option"


def wait_for(condition, seconds=10):
    end = time.time() + seconds
    while not condition():
        assert time.time() < end, "too late"
        time.sleep(0.05)


def test_a_tracker_lends_servers(capfd, tmp_path):
    log = tmp_path / "tracker.log"
    with rpc.Tracker("127.0.0.1", log_file=log) as tracker:
        here = ("127.0.0.1", tracker.port)
        asked = rpc.connect_tracker(*here)
        libraries = [f"{__name__}:export_functions"]
        with rpc.Server("127.0.0.1", key="board", tracker_addr=here,
                        load_library=libraries) as server:
            wait_for(lambda: len(asked.summary()["devices"]) == 1)
            summary = asked.summary()
            (key, counts), = summary["queue_info"].items()
            assert counts == {"free": 1, "pending": 0} and summary["kind"] == "tracker"
            assert summary["server_info"][0]["key"] == f"server:{key}"
            named("rpc-lease", connect, server)
            session = asked.request("board")
            assert session.get_function("rpc_test.pid")() != os.getpid()
            where = f"127.0.0.1:{server.port}"
            assert f"{'board':<20} {where:<28} lent (" in asked.text_summary()
            assert f": lent board at {where}\n" in log.read_text()
            named("rpc-role", rpc.connect_tracker, "127.0.0.1", server.port)
            named("rpc-role", rpc.connect, *here)
            waits = []
            thread = threading.Thread(
                target=lambda: waits.append(asked.request_and_run(
                    "board", lambda s: s.get_function("rpc_test.pid")(), priority=3)))
            thread.start()
            wait_for(lambda: len(asked.summary()["waiting"]) == 1)
            assert "1 waiting" in asked.text_summary()
            session.close()
            thread.join()
            assert len(waits) == 1

            def crash(s):
                s.get_function("rpc_test.exit")(1)

            named("session-crashed", asked.request_and_run, "board", crash)
            named("rpc-key", asked.request, "no key")
        wait_for(lambda: not asked.summary()["devices"])
        from lathe.exec import query_rpc_tracker
        assert query_rpc_tracker.main(["--port", str(tracker.port), "--json"]) == 0
        assert '"devices": []' in capfd.readouterr().out
    named("rpc-unreachable", rpc.connect_tracker, *here)
    named("rpc-log-file", lambda: rpc.Tracker(log_file=tmp_path / "none" / "log"))
    named("rpc-loopback", lambda: rpc.Server(key="board", tracker_addr=("tracker.example", 9190)))


def test_a_board_whose_workers_do_not_start():
    """A tracker's client gets another one."""
    with rpc.Tracker("127.0.0.1") as tracker:
        here = ("127.0.0.1", tracker.port)
        asked = rpc.connect_tracker(*here)
        broken = lathe._ffi.get("rpc.serve", True)("127.0.0.1", 0, 0, "board", "", False, 0.0, 1, ["/no/such/worker"],
                                                   "", *here, "", "", 0, 0, False)
        try:
            wait_for(lambda: len(asked.summary()["devices"]) == 1)
            with rpc.Server("127.0.0.1", key="board", tracker_addr=here,
                            load_library=[f"{__name__}:export_functions"]):
                wait_for(lambda: len(asked.summary()["devices"]) == 2)
                pids = {asked.request_and_run("board", lambda s: s.get_function("rpc_test.pid")()) for _ in range(3)}
                assert len(pids) == 3
        finally:
            lathe._ffi.get("rpc.server_stop", True)(broken)


def test_the_program():
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    run = subprocess.Popen([sys.executable, "-m", "lathe.exec.rpc_server", "--port", "0",
                            "--port-end", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True, env=env)
    port = int(run.stdout.readline().rpartition(":")[2])
    with rpc.connect("127.0.0.1", port) as remote:
        assert remote.list_files() == []
        run.send_signal(signal.SIGTERM)
        assert run.wait(20) == 0
        named("rpc-refused", remote.list_files)
    wrong = subprocess.run([sys.executable, "-m", "lathe.exec.rpc_server", "--host", "0.0.0.0"],
                           capture_output=True, text=True, env=env)
    assert wrong.returncode == 1 and "rpc-insecure" in wrong.stderr
