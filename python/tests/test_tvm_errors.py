"""What TVM's names say of arguments that they cannot take: one case for each error."""

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


def test_tensorflow_is_needed_only_for_its_own_graphs():
    try:
        import tensorflow
    except ImportError:
        named("testing-package", tf.ProcessGraphDefParam, None)
    else:
        named("testing-graph", tf.ProcessGraphDefParam, tensorflow)
