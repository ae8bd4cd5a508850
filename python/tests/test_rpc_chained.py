"""Sessions that lead further, and sessions with a worker of one's own."""

import gc
import os
import sys
import threading
import time

import numpy as np
import pytest

import lathe
from lathe import rpc


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


def connect(server, **options):
    return rpc.connect("127.0.0.1", server.port, **options)


def ends(pid):
    """Waits for the end of a process."""
    deadline = time.monotonic() + 20
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not os.path.exists(f"/proc/{pid}")


def named(name, call):
    with pytest.raises(lathe.LatheError) as raised:
        call()
    assert name in str(raised.value)


def test_chained_sessions(server):
    """Client -> middle -> far: a kernel, copies, a callback; and the middle dies."""
    with rpc.Server("127.0.0.1", load_library=[f"{__name__}:export_functions"]) as middle:
        onwards = ["rpc.Connect", "127.0.0.1", server.port, ""]
        with connect(middle) as near:
            middle_pid = near.get_function("rpc_test.pid")()
        with connect(middle, session_constructor_args=onwards) as remote:
            assert remote.get_function("rpc_test.pid")() != middle_pid
            a = lathe.nd.array(np.arange(1000, dtype="float32"), remote.cpu())
            np.testing.assert_array_equal(a.numpy(), np.arange(1000))
            assert remote.get_function("rpc_test.call")(lambda x: x + 1, 41) == 42
            remote.upload(b"text", "a.txt")
            assert remote.list_files() == ["a.txt"]
        again = ["rpc.Connect", "127.0.0.1", server.port, "", False, *onwards]
        with connect(middle, session_constructor_args=again) as remote:
            assert remote.get_function("rpc_test.call")(lambda x: x + 1, 1) == 2
        named("rpc-unreachable", lambda: connect(middle, session_constructor_args=["rpc.Connect", "127.0.0.1", 1]))
        named("rpc-constructor", lambda: connect(middle, session_constructor_args=["rpc.Conect", "127.0.0.1", 1]))
        named("rpc-constructor", lambda: connect(middle, session_constructor_args=["rpc.Connect"]))
        named("rpc-constructor", lambda: connect(middle, session_constructor_args=["rpc.Connect", 1, "a"]))
        # A slow function of the far end, while the middle ends.
        remote = connect(middle, session_constructor_args=onwards)
        sleep = remote.get_function("rpc_test.sleep")
        threading.Timer(0.3, middle.terminate).start()
        started = time.monotonic()
        with pytest.raises(lathe.LatheError):
            sleep(30)
        assert time.monotonic() - started < 20
    with connect(server) as remote:  # the far server goes on
        assert remote.get_function("rpc_test.call")(lambda x: x, 1) == 1


def worker_program():
    """A worker as a file that can be run."""
    code = "\n".join([f"#!{sys.executable} -IS", "import sys", f"sys.path[:] = {[os.path.abspath(p) for p in sys.path]!r}",
                      f"from lathe.rpc.server import _run_worker; _run_worker(['{__name__}:export_functions'])"])
    return code.encode()


def test_popen_session(tmp_path):
    path = tmp_path / "worker"
    path.write_bytes(worker_program())
    path.chmod(0o700)
    for binary in (str(path), worker_program()):
        with rpc.PopenSession(binary) as remote:
            pid = remote.get_function("rpc_test.pid")()
            assert pid != os.getpid()
            a = lathe.nd.array(np.arange(10, dtype="float32"), remote.cpu())
            np.testing.assert_array_equal(a.numpy(), np.arange(10))
        ends(pid)
    # What came from a session keeps it, and the program.
    own = rpc.PopenSession(str(path)).get_function("rpc_test.pid")
    gc.collect()
    pid = own()
    del own
    ends(pid)
    remote = rpc.PopenSession(str(path))
    named("session-crashed", lambda: remote.get_function("rpc_test.exit")(3))
    remote.close()
    named("cannot be started", lambda: rpc.PopenSession("/none"))
