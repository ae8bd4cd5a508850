"""Functions in both directions: values, exceptions, threads."""

import gc
import subprocess
import sys
import threading
import traceback
import weakref

import numpy as np
import pytest

import lathe
from lathe import te


def echo(value):
    return lathe.get_global_func("testing.echo")(value)


def test_values_cross_and_come_back():
    for value in (0, -5, 2**62, -(2**63), 1.5, True, False, None, "text", "a\0b", "ü", b"bytes\0",
                  (1, "a", (2.5, None)), "float32x4"):
        assert echo(value) == value and type(echo(value)) is type(value)
    assert echo([1, [2]]) == (1, (2,))
    assert echo(lathe.cpu(3)) == lathe.cpu(3)
    assert echo(np.float32(2.5)) == 2.5 and echo(np.int64(7)) == 7
    assert echo(np.bool_(True)) is True and echo([np.bool_(False)]) == (False,)
    assert echo([np.arange(3)])[0].numpy().tolist() == [0, 1, 2]
    with pytest.raises(lathe.LatheError, match="value-borrowed-tensor"):
        echo(np.arange(3))  # borrowed for the call
    t = lathe.nd.empty((2,))
    assert echo(t).same_as(t)


def test_dicts_arrive_as_dicts_and_bytearrays_as_bytes():
    seen = []
    take = lathe.runtime.convert_to_function(lambda *values: seen.append(values))
    given = {"a": 1, "b": {2: "two", (3, 4): [5, {}]}, None: lathe.cpu(1)}
    wanted = {"a": 1, "b": {2: "two", (3, 4): (5, {})}, None: lathe.cpu(1)}
    take(given, [given], bytearray(b"a\0b"), [bytearray(b"cd")])
    assert seen == [(wanted, (wanted,), b"a\0b", (b"cd",))] and echo(given) == wanted and list(echo(given)) == list(given)
    assert type(echo(bytearray(b"text"))) is bytes and echo(bytearray()) == b""

    class Sub(dict):
        pass

    assert echo(Sub(x=1)) == {"x": 1} and type(echo(Sub(x=1))) is dict
    kept = lathe.nd.empty((2,))
    assert echo({"t": kept})["t"].same_as(kept)
    with pytest.raises(TypeError, match="object"):
        echo({"a": object()})
    # C++ reads the pairs as before: attributes of nodes are given as a dict.
    assert lathe.tir.Func("f", [], lathe.tir.Evaluate(0), {"a": 1}).attrs["a"].value == 1
    frozen, size = bytearray(b"abc"), []
    lathe.runtime.convert_to_function(lambda data: size.append(len(data)))(frozen)
    frozen += b"d"  # the call's view of it has ended
    assert size == [3] and len(frozen) == 4


def test_what_cannot_cross():
    with pytest.raises(TypeError):
        echo(object())
    with pytest.raises(OverflowError):
        echo(2**64)
    endless = []
    endless.append(endless)
    with pytest.raises(RecursionError):
        echo(endless)
    with pytest.raises(TypeError):
        lathe.get_global_func("testing.echo")(value=1)


def test_python_functions_in_the_registry():
    @lathe.register_func("test.join", override=True, exported=True)
    def join(*parts):
        return "-".join(str(p) for p in parts)

    assert lathe.get_global_func("test.join")("a", 1, None) == "a-1-None"
    with pytest.raises(lathe.LatheError, match="registry-name-taken"):
        lathe.register_func("test.join", lambda: 1)
    assert "test.join" in lathe.runtime.list_global_func_names()
    lathe.runtime.remove_global_func("test.join")
    assert lathe.get_global_func("test.join", allow_missing=True) is None
    with pytest.raises(lathe.LatheError, match="registry-not-found"):
        lathe.get_global_func("test.join")


def test_functions_as_values():
    apply = lathe.runtime.convert_to_function(lambda f, x: f(x))
    assert apply(lambda x: x * 2, 21) == 42
    assert echo(apply).same_as(apply)
    inner = lathe.runtime.convert_to_function(apply)
    assert inner.same_as(apply)


class Special(Exception):
    pass


def test_exceptions_come_back_as_they_were():
    original = Special("deep inside", 17)

    def fails(*_):
        raise original

    with pytest.raises(Special) as caught:
        lathe.runtime.convert_to_function(fails)()
    assert caught.value is original
    frames = [f.name for f in traceback.extract_tb(caught.value.__traceback__)]
    assert "fails" in frames and "test_exceptions_come_back_as_they_were" in frames

    # Through C++ code that catches and rethrows it: the function of a compute.
    with pytest.raises(Special) as caught:
        te.compute((4,), lambda i: fails(i), name="C")
    assert caught.value is original


def test_exceptions_through_compiled_code():
    @lathe.register_func("test.fails", override=True)
    def fails(*_):
        raise Special("from compiled code")

    A = te.placeholder((4,), name="A")
    B = te.extern((4,), [A], lambda i, o: lathe.tir.call_packed("test.fails", i[0], o[0]), name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    with pytest.raises(Special, match="from compiled code"):
        f(lathe.nd.empty((4,)), lathe.nd.empty((4,)))


def test_keyboard_interrupt_ends_a_compile():
    class Stop:
        def run_after_pass(self, module, info):
            raise KeyboardInterrupt

    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    with lathe.PassContext(instruments=[Stop()]):
        with pytest.raises(KeyboardInterrupt):
            lathe.lower(te.create_schedule(B.op), [A, B])


def test_many_lost_exceptions_are_not_kept():
    class Big:
        pass

    kept = []

    def fails():
        big = Big()
        kept.append(weakref.ref(big))
        raise Special(big)

    f = lathe.runtime.convert_to_function(fails)
    for _ in range(100):
        try:
            f()
        except Special:
            pass
    gc.collect()
    assert sum(r() is not None for r in kept) == 0


def test_threads_share_functions():
    A = te.placeholder((1000,), name="A")
    B = te.compute((1000,), lambda i: A[i] * 3.0, name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm").entry_func
    wrong = []

    def work(seed):
        a = np.full(1000, seed, "float32")
        b = np.zeros(1000, "float32")
        for _ in range(300):
            f(a, b)
            if b[0] != 3 * seed:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_threads_build_at_once_and_contexts_are_theirs():
    failed = []

    def work(n):
        try:
            with lathe.Target("llvm"), lathe.PassContext(config={"unroll.auto_max_step": n}):
                A = te.placeholder((n,), name="A")
                B = te.compute((n,), lambda i: A[i] + float(n), name="B")
                f = lathe.build(te.create_schedule(B.op), [A, B])
                out = np.zeros(n, "float32")
                f(np.zeros(n, "float32"), out)
                assert out[0] == n
                assert lathe.PassContext.current().config["unroll.auto_max_step"] == n
        except Exception as error:  # reported by the main thread
            failed.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2, 8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed and lathe.Target.current() is None


def test_parallel_bodies_may_call_python():
    calls = []

    @lathe.register_func("test.row", override=True)
    def row(*_):
        calls.append(threading.get_ident())
        return 0

    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: A[i] + lathe.tir.call_packed("test.row", i).astype("float32"),
                   name="B")
    s = te.create_schedule(B.op)
    s[B].parallel(B.op.axis[0])
    b = np.zeros(64, "float32")
    lathe.build(s, [A, B], "llvm")(np.ones(64, "float32"), b)
    assert len(calls) == 64 and (b == 1).all()


def test_a_limited_number_of_exceptions_is_kept():
    """For errors that C++ swallows. Their text remains."""
    alive = weakref.WeakSet()

    @lathe.register_func("device_api.vpi", override=True)
    def swallowed():
        error = Special("nobody reports this")
        alive.add(error)
        raise error

    try:
        for _ in range(100):
            device = lathe.device("vpi")
            assert not device.exist
            assert "[python-exception] Special: nobody reports this" in device.why_not
        gc.collect()
        assert len(alive) <= 32
    finally:
        lathe.runtime.remove_global_func("device_api.vpi")


def test_functions_called_while_python_goes_away():
    code = f"""
import sys
sys.path[:0] = {[p for p in sys.path if p]!r}
import atexit
@atexit.register
def last():
    try:
        f()
    except lathe.LatheError as error:
        print(error.name)
import lathe
f = lathe.runtime.convert_to_function(lambda: 1)
lathe.register_func("test.kept_by_the_registry", lambda: f)
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-B", "-c", code], text=True,
                          capture_output=True)
    assert done.returncode == 0 and done.stdout.strip() == "python-finalizing", done


# Daemon threads that are in a kernel, in a callback, in a compilation or on a worker when Python
# ends.
DAEMONS = f"""
import sys
sys.path[:0] = {[p for p in sys.path if p]!r}
import threading, time
import lathe
from lathe import te, tir

@lathe.register_func("test.waits")
def waits(*_):
    time.sleep(0.0005)
    return 0

A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
C = te.extern((64,), [A], lambda i, o: tir.call_packed("test.waits", i[0], o[0]), name="C")
D = te.compute((64,), lambda i: A[i] + tir.call_packed("test.waits", i).astype("float32"), name="D")
parallel = te.create_schedule(D.op)
parallel[D].parallel(D.op.axis[0])
kernel = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
callback = lathe.build(te.create_schedule(C.op), [A, C], "llvm")
workers = lathe.build(parallel, [A, D], "llvm")
apply = lathe.runtime.convert_to_function(lambda f: f())
a, b = lathe.nd.empty((64,)), lathe.nd.empty((64,))
begun = threading.Semaphore(0)

def forever(step):
    begun.release()
    while True:
        step()

steps = [lambda: kernel(a, b), lambda: callback(a, b), lambda: workers(a, b),
         lambda: lathe.lower(te.create_schedule(B.op), [A, B]),
         lambda: lathe.build(te.create_schedule(B.op), [A, B], "llvm"),
         lambda: apply(lambda: str(B.op))]
for step in steps:
    threading.Thread(target=forever, args=(step,), daemon=True).start()
for _ in steps:
    begun.acquire()
time.sleep(0.1)
"""


def test_daemon_threads_do_not_disturb_the_end():
    for _ in range(10):
        done = subprocess.run([sys.executable, "-I", "-S", "-B", "-c", DAEMONS], text=True,
                              capture_output=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_functions_show_what_they_take():
    import inspect

    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    for one in (f.entry_func, f["main"]):
        assert repr(one) == "<lathe.Function main(A: float32[4], B: float32[4])>"
        assert str(inspect.signature(one)) == str(inspect.signature(f)) == "(A: 'float32[4]', B: 'float32[4]', /)"
    assert f["main"] is f["main"] and f.entry_func is f.entry_func
    assert repr(lathe.get_global_func("tensor.empty")) == "<lathe.Function tensor.empty>"
    assert repr(lathe._core.Function(lambda: 1)) == "<lathe.Function>"
    assert str(inspect.signature(lathe.get_global_func("tensor.empty"))) == "(*args)"


def test_modules_are_called_as_their_entry_function():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    f, b = lathe.build(te.create_schedule(B.op), [A, B], "llvm"), np.zeros(4, "float32")
    for _ in range(2):  # before and after the entry function is known
        f(np.ones(4, "float32"), b)
        assert b.tolist() == [2] * 4
        with pytest.raises(TypeError, match="keyword"):
            f(np.ones(4, "float32"), out=b)
        with pytest.raises(lathe.LatheError, match="takes 2 arguments"):
            f(b)


def test_names_that_are_loaded_late_are_listed():
    assert {"cblas", "graph_executor", "nvcc"} <= set(dir(lathe.contrib))
    assert {"hybrid"} <= set(dir(te)) and {"testing", "quantize"} <= set(dir(lathe.relay))
    assert lathe.contrib.cblas.matmul is not None


def test_expressions_of_graphs_say_what_they_are():
    from lathe import relay

    x = relay.var("x", shape=(2,))
    assert repr(relay.nn.relu(x)) == "<relay.Call nn.relu>"
    assert repr(relay.Function([x], x)) == "<relay.Function (Var(x, float32[2]))>"
    assert repr(relay.Tuple([x])).startswith("<relay.Tuple")
    assert repr(lathe.transform.PassContext(3, config={"check": 1})) == "PassContext(opt_level=3, config={'check': 1})"
    lib = relay.build(relay.Function([x], x + x), "llvm")
    assert "graph main" in lib._repr_html_() and "for llvm" in lib._repr_html_()
