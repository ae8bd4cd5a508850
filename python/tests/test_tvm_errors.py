"""What TVM's names say of arguments that they cannot take: one case for each error."""

import re
import tarfile

import numpy as np
import pytest

import lathe
from lathe import relay, te, tir, topi, utils
from lathe.contrib import pipeline_executor_build, sparse
from lathe.relay.testing import tf
from lathe.testing import aot
from expect import named


def _rows(*shape):
    return relay.var("x", shape=shape)


def _gradient(**options):
    relay.nn.conv2d_backward_weight(_rows(2, 8, 6, 6), _rows(2, 4, 8, 8), **options)


def _trace():
    A = te.placeholder((2,), name="A")
    te.compute((2,), lambda i: tir.trace([A[i], "element"]))


def _pool(kind):
    data = np.ones((1, 1, 2, 2))
    topi.testing.pool_grad_nchw(data, data, (1, 1), (1, 1), (0, 0, 0, 0), kind, False)


def _oracle(layout):
    data = np.ones((1, 1, 2, 2))
    topi.testing.conv2d_backward_weight_python(data, data, (1, 1), (1, 1), (0, 0), layout=layout)


A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
BUFFER = tir.decl_buffer((8,), "float32", "b")


def _on_stage(method, *args, **options):
    s = te.create_schedule(B.op)
    getattr(s[B], method)(*args, **options)


def _lone_axis():
    k = te.reduce_axis((0, 4), name="depth")
    te.compute((8,), lambda i: A[i + k], name="C")


def _nothing(ins, outs):
    tir.ir_builder.create().emit(tir.Evaluate(0))


# (name, what the text must contain, call)
CASES = [
    ("testing-aot", "makefile='corstone300'",
     lambda: aot.compile_and_run([], aot.AOTTestRunner(makefile="corstone300"))),
    ("pipeline-connection", "from an input of the pipeline",
     lambda: pipeline_executor_build.PipelineConfig()["input"]["data"].connect(
         pipeline_executor_build.PipelineConfig()["output"]["0"])),
    ("sparse-parts", "shape=(rows, columns)",
     lambda: sparse.CSRNDArray((np.ones(1), np.zeros(1), np.array([0, 1])))),
    ("sparse-kind", "coo", lambda: sparse.array(np.ones((2, 2)), stype="coo")),
    ("relay-upsampling", "'bicubic'", lambda: relay.nn.upsampling3d(_rows(1, 3, 2, 4, 4), 2, 2, 2, method="bicubic")),
    ("relay-conv2d-backward", "kernel_size", lambda: _gradient()),
    ("relay-conv2d-backward", "NHWC", lambda: _gradient(kernel_size=(3, 3), data_layout="NHWC")),
    ("relay-tensorrt", "(8,)", lambda: relay.op.contrib.tensorrt.partition_for_tensorrt(
        lathe.IRModule.from_expr(relay.Function([], relay.const(1.0))), version=(8,))),
    ("relay-loop", "i without one",
     lambda: relay.loops.while_loop(lambda i: i, [relay.var("i")], lambda i: [i])),
    ("testing-archive", "model.pb", lambda: tf.get_workload_official("https://nowhere/model.pb", "model.pb")),
    ("index-map-rank", "ndim=2", lambda: tir.IndexMap.from_func(lambda *indices: list(indices))),
    ("trace-arguments", "element", _trace),
    ("prim-type", "float12ish", lambda: lathe.ir.PrimType("float12ish")),
    ("oracle-pool", "median", lambda: _pool("median")),
    ("oracle-layout", "HWNC", lambda: _oracle("HWNC")),
    ("topi-pack-extent", "33 elements", lambda: topi.nn.binarize_pack(te.placeholder((1, 33), name="A"))),
    ("peak-target", "opencl", lambda: utils.estimate_peak_fma_flops(lathe.target.Target("opencl"), lathe.cpu())),
    ("reduce-missing", "te.sum(..., axis=depth)", _lone_axis),
    ("value-wrong-kind", "return ib.get()", lambda: te.extern((8,), [A], _nothing, name="E")),
    ("value-wrong-kind", "return ib.get()", lambda: te.decl_tensor_intrin(B.op, _nothing, name="E")),
    ("extern-dtype", 'dtype="float32"', lambda: te.extern((8,), [], lambda ins, outs: tir.Evaluate(0))),
    ("call-wrong-argument-kind", "B.op", lambda: te.decl_tensor_intrin(B, _nothing)),
    ("call-wrong-argument-kind", "s[B]", lambda: _on_stage("compute_at", B, B.op.axis[0])),
    ("call-wrong-argument-kind", 'te.thread_axis("threadIdx.x")',
     lambda: _on_stage("bind", B.op.axis[0], "threadIdx.x")),
    ("call-wrong-argument-kind", "_nothing(...)", lambda: _on_stage("tensorize", B.op.axis[0], _nothing)),
    ("unknown-tensor-intrin", "expected: `x86.vpdpbusd.512`",
     lambda: _on_stage("tensorize", B.op.axis[0], "x86.vpdpbusd.521")),
    ("unknown-tensor-intrin", "te.tensor_intrinsics()", lambda: _on_stage("tensorize", B.op.axis[0], "dot_16x1")),
    ("target-unknown-kind", "lvm", lambda: _on_stage("tensorize", B.op.axis[0], "x86.vpdpbusd.521", target="lvm")),
    ("pragma-source", "none.ll", lambda: _on_stage("pragma", B.op.axis[0], "import_llvm", "/none.ll")),
    ("pragma-source", "llvm-dis", lambda: _on_stage("pragma", B.op.axis[0], "import_llvm", "none.bc")),
    ("buffer-element-type", "int8x4", lambda: BUFFER.vload([0], "int8x4")),
    ("buffer-access", '"rw"', lambda: BUFFER.access_ptr("x")),
    ("llvm-intrinsic-arguments", 'tir.const(1, "uint32")',
     lambda: tir.call_llvm_pure_intrin("float32", "llvm.fabs", tir.Var("x", "float32"))),
    ("llvm-intrinsic-arguments", "llvm.fabs", lambda: tir.call_llvm_intrin("float32", 7)),
]


@pytest.mark.parametrize("name", ["../elsewhere", "/elsewhere"])
def test_archives_stay_in_their_folder(name, tmp_path, monkeypatch):
    monkeypatch.setenv("LATHE_DOWNLOADS", str(tmp_path / "data"))
    path = tmp_path / "model.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for one in ("graph.pb", name):
            archive.addfile(tarfile.TarInfo(one))
    assert name in named("testing-archive", tf.get_workload_official, path.as_uri(), "graph.pb")
    assert not list(tmp_path.rglob("elsewhere"))


@pytest.mark.parametrize(("name", "text", "call"), CASES, ids=[f"{case[0]}-{i}" for i, case in enumerate(CASES)])
def test_says_what_it_takes(name, text, call):
    assert text in named(name, call)


def test_other_names_of_texts_lead_to_ours():
    for item, name, hint in ((te, "softmax", "topi.softmax"), (te, "dense", "topi.nn.dense"),
                             (lathe.lower(te.create_schedule(B.op), [A, B]), "script", "`str`"),
                             (lathe.build([A, B], target="llvm"), "inspect_source", "get_source()")):
        with pytest.raises(AttributeError, match=re.escape(hint)):
            getattr(item, name)
    with pytest.raises(TypeError, match="cumsum(.*)axes(.*)axis=None"):
        topi.cumsum(A, axes=0)


def test_functions_that_are_never_called_are_named():
    with pytest.warns(UserWarning, match="never calls `tvm_callback_cuda_compile`"):
        lathe.register_func("tvm_callback_cuda_compile", lambda code: code, override=True)
    lathe.runtime.remove_global_func("tvm_callback_cuda_compile")


def test_import_llvm_reads_a_file(tmp_path):
    text = "define float @own_twice(float %x) {\n  %y = fadd float %x, %x\n  ret float %y\n}\n"
    (tmp_path / "own.ll").write_text(text)
    C = te.compute((8,), lambda i: tir.call_pure_extern("float32", "own_twice", A[i]), name="C")
    s = te.create_schedule(C.op)
    s[C].pragma(C.op.axis[0], "import_llvm", str(tmp_path / "own.ll"))
    y = np.zeros(8, "float32")
    lathe.build(s, [A, C], target="llvm")(np.arange(64, dtype="float32"), y)
    assert y.tolist() == [2.0 * i for i in range(8)]


def test_tensorflow_is_needed_only_for_its_own_graphs():
    try:
        import tensorflow
    except ImportError:
        named("testing-package", tf.ProcessGraphDefParam, None)
    else:
        named("testing-graph", tf.ProcessGraphDefParam, tensorflow)


@pytest.mark.parametrize("name", ["device_api.nowhere", "codegen.llvm_version_nowhere", "no.such.function"])
def test_missing_functions_are_none_or_value_errors(name):
    assert lathe.get_global_func(name, allow_missing=True) is None
    with pytest.raises(ValueError, match="registry-not-found") as raised:
        lathe.get_global_func(name)
    assert name in str(raised.value) and isinstance(raised.value, (KeyError, AttributeError))


def test_nodes_that_differ_raise_both_kinds_of_errors():
    for kind in (AssertionError, ValueError, lathe.ir.DifferenceError):
        with pytest.raises(kind, match="the nodes differ"):
            lathe.ir.assert_structural_equal(te.var("x") + 1, te.var("x") + 2)
