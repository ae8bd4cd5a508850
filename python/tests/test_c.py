"""Target c: modules as C to read, and what a C compiler makes of it."""

import os
import shutil

import numpy as np
import pytest

import lathe
from lathe import te

# The pinned compiler where Bazel runs this, else the machine's.
_PINNED = "third_party/toolchain/test_cc.sh"
CC = os.path.abspath(_PINNED) if os.path.exists(_PINNED) else shutil.which("cc")


def _program():
    A, B = te.placeholder((37,), name="A"), te.placeholder((37,), name="B")
    C = te.compute((37,), lambda i: te.exp(A[i]) + B[i] * 0.1, name="C")
    s = te.create_schedule(C.op)
    outer, inner = s[C].split(C.op.axis[0], 8)
    s[C].parallel(outer)
    s[C].vectorize(inner)
    return s, [A, B, C]


def _check(function):
    a, b = (np.random.rand(37).astype("float32") for _ in range(2))
    c = lathe.nd.empty((37,))
    function(lathe.nd.array(a), lathe.nd.array(b), c)
    np.testing.assert_allclose(c.numpy(), np.exp(a) + b * np.float32(0.1), rtol=1e-6)


def test_source_without_a_compiler(tmp_path):
    assert str(lathe.Target("c -keys=cpu").kind) == "c"
    module = lathe.build(*_program(), target="c -cc=/no/compiler")
    for source in (module.get_source(), module.get_source("c")):
        assert "static int main_(void* self" in source and "expf(" in source
        assert "const lathe_artifact lathe_artifact_v1 = {" in source
    module.save(str(tmp_path / "f.c"))
    assert (tmp_path / "f.c").read_text() == module.get_source()
    with pytest.raises(lathe.LatheError, match="c-no-compiler") as found:
        _check(module)
    assert "/no/compiler" in str(found.value) and "get_source()" in str(found.value)


@pytest.mark.skipif(CC is None, reason="no C compiler")
def test_runs(tmp_path):
    module = lathe.build(*_program(), target=f"c -cc={CC}")
    assert module.kind == "elf"
    assert "static int main_(void* self" in module.get_source() and module.get_source("c") == module.get_source()
    _check(module)
    for name in ("f.so", "f.tar", "f.o"):
        module.export_library(str(tmp_path / name))
    _check(lathe.runtime.load_module(str(tmp_path / "f.so")))
    _check(lathe.runtime.load_module(str(tmp_path / "f.tar")))


def test_other_targets_say_where_c_is():
    module = lathe.build(*_program(), target="llvm")
    with pytest.raises(lathe.LatheError, match=r'lathe.build\(..., "c"\) writes C'):
        module.get_source("c")
