"""PyTorch's tensors and lathe's: `tools/try_pytorch` runs these, in an environment of their own."""

import gc
import pathlib
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import torch

import lathe
from lathe import te


def adder(shape=(4,), dtype="float32"):
    A = te.placeholder(shape, dtype, name="A")
    B = te.compute(shape, lambda *i: A(*i) + te.const(1, dtype), name="B")
    return lathe.build(te.create_schedule(B.op), [A, B], "llvm").entry_func


@pytest.fixture(scope="module")
def add_one():
    return adder()


def test_compiled_functions_take_tensors(add_one):
    a, b = torch.arange(4.0), torch.zeros(4)
    add_one(a, b)
    assert b.tolist() == [1, 2, 3, 4]
    add_one(b, b)
    assert b.tolist() == [2, 3, 4, 5]
    # Mixed with those of other libraries.
    c = lathe.nd.empty((4,))
    add_one(b, c)
    add_one(c, b.numpy())
    assert b.tolist() == [4, 5, 6, 7]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64",
                                   "uint8", "uint16", "uint32", "uint64", "bool", "float8_e4m3fn", "float8_e4m3fnuz",
                                   "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"])
def test_memory_is_shared_both_ways(dtype):
    t = torch.tensor([1, 0, 1, 1]).to(getattr(torch, dtype))
    ours = lathe.from_dlpack(t)
    assert ours.dtype == dtype and ours.data_ptr == t.data_ptr() and not ours.read_only
    again = torch.from_dlpack(ours)
    assert again.dtype == t.dtype and again.data_ptr() == t.data_ptr()
    again.view(torch.uint8)[0] = 7
    assert t.view(torch.uint8)[0] == 7
    own = torch.from_dlpack(lathe.nd.empty((2, 3), dtype))
    assert own.shape == (2, 3) and own.dtype == t.dtype


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_small_floats_are_computed_with(dtype):
    A = te.placeholder((64,), dtype, name="A")
    B = te.compute((64,), lambda i: A[i].astype("float32") * 2.0, name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    a, b = torch.linspace(-4, 4, 64).to(getattr(torch, dtype)), torch.zeros(64)
    f(a, b)
    assert torch.equal(b, a.float() * 2)


def test_ownership_in_every_order():
    for ours_first in (True, False):
        root = np.arange(1000.0)
        alive = weakref.ref(root)
        t = torch.from_numpy(root)
        ours = lathe.from_dlpack(t)
        back = torch.from_dlpack(ours)
        del t, root
        gc.collect()
        assert alive() is not None
        if ours_first:
            del ours
            assert back[999] == 999
            del back
        else:
            del back
            assert ours[999].item() == 999
            del ours
        gc.collect()
        assert alive() is None
    made = lathe.nd.empty((1 << 20,))
    seen = torch.from_dlpack(made)
    del made
    gc.collect()
    seen.fill_(3)
    assert seen.sum() == 3 << 20


def test_strides():
    t = torch.arange(24.0).reshape(4, 6)
    assert lathe.from_dlpack(t[::2, 1::2]).strides == (12, 2)
    assert (lathe.from_dlpack(t.t()).numpy() == t.t().numpy()).all()
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] * 2.0, name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm").entry_func
    out = torch.zeros(4, 6)
    f(t, out)
    assert torch.equal(out, t * 2)
    for strided in (t.t(), t[:, ::2], torch.ones(1, 6).expand(4, 6)):
        with pytest.raises(lathe.LatheError, match="call-argument-strides") as caught:
            f(strided, torch.zeros(strided.shape))
        assert "compact" in str(caught.value)


def test_wrong_shapes_and_types_are_said(add_one):
    with pytest.raises(lathe.LatheError, match="call-argument-shape|shape"):
        add_one(torch.zeros(5), torch.zeros(5))
    with pytest.raises(TypeError, match="call-argument-dtype"):
        add_one(torch.zeros(4, dtype=torch.float64), torch.zeros(4))
    with pytest.raises(TypeError, match="call-argument-dtype"):
        add_one(torch.zeros(4, dtype=torch.complex64), torch.zeros(4))


def test_gradients_are_refused(add_one):
    needs, out = torch.zeros(4, requires_grad=True), torch.zeros(4)
    parameter = torch.nn.Parameter(torch.zeros(4))
    follows = needs * 2
    for call in (lambda: add_one(needs, out), lambda: add_one(out, needs), lambda: add_one(parameter, out),
                 lambda: add_one(follows, out), lambda: lathe.from_dlpack(needs)):
        with pytest.raises(ValueError, match="array-requires-grad") as caught:
            call()
        assert "detach" in str(caught.value)
    with torch.no_grad(), pytest.raises(ValueError, match="array-requires-grad"):
        add_one(needs, out)
    add_one(needs.detach(), out)
    assert out.tolist() == [1, 1, 1, 1]


def test_pending_conjugation_and_negation_are_refused():
    z = torch.complex(torch.arange(4.0), torch.arange(4.0))
    one = adder((1,))
    scalar = adder(())
    imaginary = z.conj().imag
    assert imaginary.is_neg()
    for call in (lambda: lathe.from_dlpack(z.conj()), lambda: lathe.from_dlpack(imaginary),
                 lambda: adder()(imaginary, torch.zeros(4)),
                 lambda: one(imaginary[1:2], torch.zeros(1)),  # its stride says nothing of one element
                 lambda: lathe.from_dlpack(imaginary[1:2]),
                 lambda: scalar(imaginary[3], torch.zeros(())),
                 lambda: lathe.from_dlpack(imaginary[3]),
                 lambda: adder((2, 4))(imaginary.expand(2, 4), torch.zeros(2, 4))):
        with pytest.raises(ValueError, match="array-not-resolved"):
            call()
    out = torch.zeros(4)
    adder()(imaginary.resolve_neg(), out)
    assert out.tolist() == [1, 0, -1, -2]
    scalar(z.imag[3], value := torch.zeros(()))
    assert value == 4


def test_what_has_no_memory_is_refused(add_one):
    out = torch.zeros(4)
    for bad in (torch.zeros(4).to_sparse(), torch.empty(4, device="meta")):
        with pytest.raises(lathe.LatheError, match="array-not-shared") as caught:
            add_one(bad, out)
        assert "frame #" not in str(caught.value) and caught.value.__cause__ is not None
    nested = torch.nested.nested_tensor([torch.zeros(4)], layout=torch.jagged)
    with pytest.raises(Exception, match="."):
        add_one(nested, out)
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.zeros(4)
    with pytest.raises(lathe.LatheError):
        add_one(fake, out)


def test_read_only_arrays_keep_that_here(add_one):
    a = np.zeros(4, "float32")
    a.flags.writeable = False
    ours = lathe.from_dlpack(a)
    with pytest.raises(lathe.LatheError, match="call-argument-read-only"):
        add_one(torch.zeros(4), ours)
    add_one(ours, out := torch.zeros(4))
    assert out.sum() == 4


def test_subclasses_views_and_inference_tensors(add_one):
    class Sub(torch.Tensor):
        pass

    out = torch.zeros(4)
    add_one(torch.arange(4.0).as_subclass(Sub), out)
    assert out.tolist() == [1, 2, 3, 4]
    with torch.inference_mode():
        add_one(torch.arange(4.0), out)
    add_one(torch.arange(10.0)[3:7], out)
    assert out.tolist() == [4, 5, 6, 7]


def test_python_functions_receive_what_pytorch_takes():
    seen = []

    @lathe.register_func("pytorch.look", override=True)
    def look(x, y):
        theirs = torch.from_dlpack(x)
        seen.append(theirs.clone())
        torch.from_dlpack(y).copy_(theirs * 3)

    A = te.placeholder((4,), name="A")
    B = te.extern((4,), [A], lambda ins, outs: lathe.tir.call_packed("pytorch.look", ins[0], outs[0]))
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    f(torch.arange(4.0), out := torch.zeros(4))
    assert seen[0].tolist() == [0, 1, 2, 3] and out.tolist() == [0, 3, 6, 9]


def test_several_threads(add_one):
    failures = []

    def work():
        a, b = torch.arange(4.0), torch.zeros(4)
        for _ in range(2000):
            add_one(a, b)
            if b[3] != 4:
                failures.append(b)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_nothing_leaks(add_one):
    import resource

    a, b = torch.zeros(4), torch.zeros(4)

    def many(n):
        for _ in range(n):
            add_one(a, b)
            lathe.from_dlpack(a)
            torch.from_dlpack(lathe.from_dlpack(b))
            try:
                add_one(a, b.double())
            except TypeError:
                pass

    many(2000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    count = sys.getrefcount(a)
    many(10_000)
    assert sys.getrefcount(a) == count
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2000  # KiB


TOGETHER = """
import {first}
import {second}
import lathe, torch
from lathe import te
A = te.placeholder((1000,), name="A")
B = te.compute((1000,), lambda i: te.exp(A[i]), name="B")
f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
a, b = torch.rand(1000), torch.zeros(1000)
f(a, b)
torch.testing.assert_close(b, torch.exp(a))
m = torch.rand(300, 300)
torch.testing.assert_close(m @ m, (m.double() @ m.double()).float(), rtol=1e-4, atol=1e-4)
{more}
f(a, b)
print("fine")
"""
# Another LLVM of the process, of another version.
OTHER_LLVM = """
import llvmlite.binding as llvm
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
module = llvm.parse_assembly('define i32 @f(i32 %x) {{ %y = add i32 %x, 1\\n ret i32 %y }}')
machine = llvm.Target.from_default_triple().create_target_machine()
engine = llvm.create_mcjit_compiler(module, machine)
engine.finalize_object()
import ctypes
assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(engine.get_function_address('f'))(41) == 42
"""


@pytest.mark.parametrize("first, second, more", [
    ("torch", "lathe", ""), ("lathe", "torch", ""),
    ("llvmlite.binding", "lathe", OTHER_LLVM), ("lathe", "llvmlite.binding", OTHER_LLVM)])
def test_in_one_process(first, second, more):
    text = TOGETHER.format(first=first, second=second, more=more.replace("{{", "{").replace("}}", "}"))
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr[-3000:]


def test_the_example():
    example = pathlib.Path(__file__).parents[2] / "examples/python/pytorch_operator.py"
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "SUCCESS" in done.stdout and "FAIL" not in done.stdout
