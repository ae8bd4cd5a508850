"""Devices and tensors of sessions: what works anywhere, and what reports that it cannot work."""

import copy
import gc
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import lathe
from lathe import rpc, te
from lathe._ffi import get


class Loopback(rpc.LocalSession):
    """Behaves like a session with another process."""

    _opened_by = "testing.loopback_session"

    def close(self):
        get("session.close")(self._session)


def named(name, call, *args, kind=lathe.LatheError):
    with pytest.raises(kind) as raised:
        call(*args)
    assert name in str(raised.value)
    return str(raised.value)


def add_one():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    return lathe.build(te.create_schedule(B.op), [A, B], "llvm")


def test_devices_have_room_for_what_they_say():
    for fields in [(-1,), (65536,), (1, -1), (1, 65536), (1, 0, -1), (1, 0, 65536)]:
        named("from 0 to 65535", lathe.runtime.Device, *fields, kind=ValueError)
    device = lathe.runtime.Device(65535, 65535, 65535)
    assert (device.device_type, device.device_id, device.session) == (65535, 65535, 65535)
    assert not lathe.runtime.Device(1, 0, 60000).exist


def test_devices_are_asked_where_they_are():
    session = Loopback()
    device = session.cpu()
    assert device.session > 0 and device.kind == "cpu" and device != lathe.cpu()
    assert device.exist and device.why_not == "" and not session.cpu(1).exist
    assert device.device_name == lathe.cpu().device_name
    assert device.multi_processor_count == lathe.cpu().multi_processor_count
    assert not session.device("vulkan").exist and "vulkan" in session.device("vulkan").why_not
    named("device-no-such-id", session.cpu(1).attribute, "name")
    device.sync()
    assert str(device) == f"session {device.session} cpu:0"
    assert repr(device) == f'<device("cpu", 0) of session {device.session}>'
    named("device-pickled", pickle.dumps, device)
    assert pickle.loads(pickle.dumps(lathe.cpu())) == lathe.cpu()
    session.close()
    assert not device.exist and "session-closed" in device.why_not
    named("session-closed", device.attribute, "name")
    named("session-closed", device.sync)


def test_tensors_are_copied_and_never_touched():
    session = Loopback()
    a = np.arange(12, dtype="float32").reshape(3, 4)
    t = lathe.nd.array(a, session.cpu())
    assert t.device == session.cpu() and t.shape == (3, 4) and t.strides == (4, 1)
    np.testing.assert_array_equal(t.numpy(), a)
    np.testing.assert_array_equal(t[1:, 2].numpy(), a[1:, 2])
    np.testing.assert_array_equal(t.copyto(lathe.cpu()).numpy(), a)
    np.testing.assert_array_equal(t.copyto(session.cpu()).transpose().numpy(), a.T)
    t[0, 1] = 50
    assert t[0, 1].item() == 50 and pickle.loads(pickle.dumps(t)).device == lathe.cpu()
    assert repr(t) == f"<lathe.Tensor float32[3, 4] on session {t.device.session} cpu:0>"
    for part in (t, t[1], t.reshape((12,)), t[:0]):
        named("session", memoryview, part, kind=BufferError)
        named("session", part.__dlpack__, kind=BufferError)
        named("session", lambda part=part: part.__dlpack__(copy=True, max_version=(1, 0)),
              kind=BufferError)
        named("session", part.__dlpack_device__, kind=BufferError)
        named("session", np.from_dlpack, part, kind=BufferError)
        named("tensor-remote", getattr, part, "data_ptr")


def test_kernels_run_where_their_tensors_are(tmp_path):
    f = add_one()
    session = Loopback()
    path = tmp_path / "add.so"
    f.export_library(path)
    session.upload(str(path), "add.so")
    far = session.load_module("add.so")
    a, b = lathe.nd.array(np.array([1, 2, 3, 4], "float32"), session.cpu()), lathe.nd.empty((4,), device=session.cpu())
    far(a, b)
    assert b.numpy().tolist() == [2, 3, 4, 5]
    assert far.function_names == f.function_names
    times = far.time_evaluator(None, session.cpu(), number=2, repeat=3)(a, b)
    assert len(times.results) == 3 and times.number == 2 and times.min > 0
    text = named("call-argument-device", f, a, b)
    assert f"session {a.device.session} cpu:0" in text
    here = lathe.nd.array(np.array([1, 2, 3, 4], "float32"))
    named("session-argument", far, here, b)
    named("call-argument-device", f, here, b)
    named("session-argument", f.time_evaluator(None, session.cpu()), a, b)
    lathe.register_func("tests.num_bytes", lambda t: t.numpy().nbytes, override=True, exported=True)
    assert session.get_function("tests.num_bytes")(a) == 16
    lathe.register_func("tests.unmarked", lambda t: 0, override=True)
    named("registry-not-exported", session.get_function, "tests.unmarked")


@pytest.fixture(params=[rpc.LocalSession, Loopback])
def opened(request, tmp_path, monkeypatch):
    """Returns (kind of session, folder for its own folder). The latter must be empty in the end."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    yield request.param, place
    gc.collect()
    assert list(place.iterdir()) == []


def test_files_are_the_sessions_own(opened, tmp_path):
    kind, place = opened
    session, other = kind(), kind()
    (tmp_path / "b.bin").write_bytes(b"\0\xff")
    session.upload(tmp_path / "b.bin")
    session.upload(str(tmp_path / "b.bin"), "c.bin")
    session.upload(bytearray(b"text"), "a.txt")
    assert session.list_files() == ["a.txt", "b.bin", "c.bin"] and other.list_files() == []
    assert session.download("b.bin") == session.download("c.bin") == b"\0\xff"
    session.remove("b.bin")
    text = named("session-file-missing", session.download, "b.bin", kind=OSError)
    assert "one of `a.txt`, `c.bin`" in text and "help: upload it" in text
    named("session-file-missing", other.load_module, "a.txt", kind=OSError)
    named("b.bin", session.upload, str(tmp_path / "nowhere" / "b.bin"), kind=FileNotFoundError)
    assert len(list(place.iterdir())) == 1
    del session
    gc.collect()
    assert list(place.iterdir()) == []


def test_names_of_files_lead_nowhere(opened, tmp_path):
    session = opened[0]()
    for name in ["", "..", ".hidden", "../x", "/etc/passwd", str(tmp_path / "x"), "a/b", "a\0b", "\n"]:
        for call in [lambda n: session.upload(b"evil", n), session.download, session.remove,
                     session.load_module]:
            text = named("session-file-name", call, name, kind=ValueError)
            assert "expected: " in text and "help: call it" in text
    named("session-file-name", session.upload, b"evil", kind=ValueError)
    assert not (tmp_path / "x").exists() and session.list_files() == []


def test_files_that_cannot_be_stored(opened, monkeypatch):
    session = opened[0]()
    with monkeypatch.context() as patch:
        patch.setenv("TMPDIR", "/no/such/folder")
        text = named("session-file-unwritable", session.upload, b"text", "a.txt", kind=OSError)
    assert "No such file or directory" in text and "help: let TMPDIR" in text


def test_a_new_file_of_a_name_is_another_module(opened, tmp_path):
    session = opened[0]()
    paths = []
    for added in (1.0, 2.0):
        A = te.placeholder((4,), name="A")
        B = te.compute((4,), lambda i, by=added: A[i] + by, name="B")
        paths.append(str(tmp_path / f"add{added}.so"))
        lathe.build(te.create_schedule(B.op), [A, B], "llvm").export_library(paths[-1])
    modules = []
    for path in paths:
        session.upload(path, "add.so")
        modules.append(session.load_module("add.so"))
    session.remove("add.so")
    a, b = (lathe.nd.array(np.zeros(4, "float32"), session.cpu()) for _ in range(2))
    for module, added in zip(modules, (1.0, 2.0)):
        module(a, b)
        assert b.numpy().tolist() == [added] * 4


def test_files_go_with_the_process(tmp_path):
    program = ("from lathe import rpc\nkept = rpc.LocalSession()\nkept.me = kept\n"
               "kept.upload(b'text', 'a.txt')\nprint(kept.list_files())\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
    assert done.stdout == "['a.txt']\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_closed_while_tensors_live():
    session = Loopback()
    device, t = session.cpu(), lathe.nd.array([1.0, 2], session.cpu())
    view = t[1:]
    session.close()
    for use in (t.numpy, view.numpy, lambda: t.copyto(lathe.cpu()), lambda: t.copyto(device),
                lambda: lathe.nd.empty((1,), device=device), lambda: view.copyfrom([3.0])):
        named("session-closed", use)
    assert "session" in repr(t) and t[0].shape == ()
    del t, session
    gc.collect()
    named("session-closed", view.numpy)


def test_tensors_keep_their_session():
    session = Loopback()
    t = lathe.nd.array([1.0, 2], session.cpu())
    device = t.device
    del session
    gc.collect()
    assert t.numpy().tolist() == [1, 2] and device.exist
    del t
    gc.collect()
    assert not device.exist


def test_this_process_is_session_0(tmp_path):
    session = rpc.LocalSession()
    assert session.cpu() == lathe.cpu() and session.device("cpu") == lathe.cpu()
    assert session.cl(3) == lathe.cl(3) and session.cuda(1) == lathe.cuda(1)
    path = tmp_path / "add.so"
    add_one().export_library(path)
    session.upload(str(path))
    a, b = np.ones(4, "float32"), np.zeros(4, "float32")
    session.load_module("add.so")(a, b)
    assert b.tolist() == [2, 2, 2, 2]
    assert session.get_function("tensor.num_bytes")(lathe.nd.array(a)) == 16
    named("registry-not-found", session.get_function, "no.such.function")
    assert copy.deepcopy(session.cpu()) == lathe.cpu()
