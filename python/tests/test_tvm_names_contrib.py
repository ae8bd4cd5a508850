"""Names that programs for TVM 0.9 write: contrib, helpers of tests, what Python shows."""

import contextlib
import inspect
import itertools
import pathlib
import sys
import tarfile
import types

import numpy as np
import pytest

import lathe
from lathe import relay, te, tir

RANDOM = np.random.default_rng(0)


# -- contrib.

def test_pipelines_run_in_order_and_from_files(tmp_path):
    from lathe.contrib import pipeline_executor, pipeline_executor_build

    x, y, w = (relay.var(name, shape=(3,)) for name in "xyw")
    first = lathe.IRModule.from_expr(relay.Function([x], relay.Tuple([x + x, relay.exp(x)])))
    second = lathe.IRModule.from_expr(relay.Function([y, w], y * w))
    config = pipeline_executor_build.PipelineConfig()
    config["input"]["a"].connect(config[first]["input"]["x"])
    config["input"]["b"].connect(config[second]["input"]["w"])
    config[first]["output"][0].connect(config[second]["input"]["y"])
    config[first]["output"][1].connect(config["output"][1])
    config[second]["output"][0].connect(config["output"][0])
    with pytest.raises(lathe.LatheError, match="already"):
        config["input"]["b"].connect(config[first]["input"]["x"])
    built = pipeline_executor_build.build(config)
    path = built.export_library(str(tmp_path / "pipe"))
    loaded = pipeline_executor_build.PipelineExecutorFactoryModule.load(path)
    again = loaded.export_library(str(tmp_path / "again"))
    for pipeline in (pipeline_executor.PipelineModule(built), pipeline_executor.PipelineModule.load_library(path),
                     pipeline_executor.PipelineModule.load_library(again)):
        assert (pipeline.num_inputs, pipeline.num_outputs) == (2, 2)
        data = [RANDOM.normal(size=3).astype("float32") for _ in range(8)]
        pipeline.set_input("b", np.full(3, 3, "float32"))
        for one in data:
            pipeline.set_input("a", one)
            pipeline.run()
        for one in data:
            product, power = pipeline.get_output()
            np.testing.assert_allclose(product.numpy(), one * 6, rtol=1e-6)
            np.testing.assert_allclose(power.numpy(), np.exp(one), rtol=1e-5)
        with pytest.raises(lathe.LatheError, match="under way"):
            pipeline.get_output()
        assert pipeline.num_executing_pipeline == len(data)


def test_products_by_a_blas_library():
    from lathe.contrib import _blas, cblas

    try:
        _blas.library("cblas", cblas._NAMES)
    except lathe.LatheError as error:
        assert error.name == "contrib-library" and "LATHE_BLAS" in str(error)
        pytest.skip("no BLAS library")
    for dtype, turned_a, turned_b in itertools.product(("float32", "float64"), (False, True), (False, True)):
        a, b = RANDOM.normal(size=(3, 5)).astype(dtype), RANDOM.normal(size=(5, 4)).astype(dtype)
        A = te.placeholder((5, 3) if turned_a else (3, 5), dtype, name="A")
        B = te.placeholder((4, 5) if turned_b else (5, 4), dtype, name="B")
        C = cblas.matmul(A, B, turned_a, turned_b)
        D = te.compute(C.shape, lambda i, j: C[i, j] + 1, name="D")
        f, d = lathe.build(te.create_schedule(D.op), [A, B, D], "llvm"), np.zeros((3, 4), dtype)
        f(np.ascontiguousarray(a.T) if turned_a else a, np.ascontiguousarray(b.T) if turned_b else b, d)
        np.testing.assert_allclose(d, a @ b + 1, rtol=1e-5, atol=1e-5)
    with pytest.raises(lathe.LatheError) as raised:
        cblas.matmul(te.placeholder((2, 3), "int32"), te.placeholder((3, 4), "int32"))
    assert raised.value.name == "contrib-operands"


def test_tvms_names_of_products_find_the_library():
    from lathe.contrib import _blas, cblas

    names = ["tvm.contrib.cblas.matmul", "tvm.contrib.cblas.batch_matmul"]
    try:
        _blas.library("cblas", cblas._NAMES)
    except lathe.LatheError:
        assert [lathe.get_global_func(name, True) for name in names] == [None, None]
        pytest.skip("no BLAS library")
    for name, batch in zip(names, ((), (2,))):
        A, B = te.placeholder((*batch, 2, 3), name="A"), te.placeholder((*batch, 3, 4), name="B")
        C = te.extern((*batch, 2, 4), [A, B], lambda ins, outs: tir.call_packed(name, *ins, *outs, False, False),
                      dtype="float32")
        a, b, c = (RANDOM.normal(size=[int(n) for n in one.shape]).astype("float32") for one in (A, B, C))
        lathe.build(te.create_schedule(C.op), [A, B, C], "llvm")(a, b, c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-5)
        assert lathe.get_global_func(name, allow_missing=True) is not None


def test_tvms_names_of_random_numbers():
    from lathe.contrib import random

    made = lathe.nd.empty((100,), "float32")
    lathe.get_global_func("tvm.contrib.random.uniform")(2.0, 3.0, made)
    assert 2 <= made.numpy().min() and made.numpy().max() <= 3
    for dtype in ("float16", "float64", "int8", "bool"):
        random.seed(3)
        made = lathe.nd.empty((100,), dtype)
        lathe.get_global_func("tvm.contrib.random.random_fill")(made)
        assert made.numpy().dtype == dtype and len(set(made.numpy().tolist())) > 1 and random.packed_name("other") == ""
    C = te.extern((8,), [], lambda ins, outs: tir.call_packed("tvm.contrib.random.normal", 5.0, 0.0, outs[0]),
                  dtype="float32")
    c = np.zeros(8, "float32")
    lathe.build(te.create_schedule(C.op), [C], "llvm")(c)
    assert c.tolist() == [5.0] * 8


def test_functions_of_contrib_that_are_missing_say_what_to_write():
    for name, hint in (("sort.argsort", "topi.argsort"), ("nothing.of_it", "register_func"),
                       ("random.other", "contrib.random")):
        assert lathe.get_global_func("tvm.contrib." + name, allow_missing=True) is None
        with pytest.raises(ValueError, match=f"registry-not-found(.|\n)*help: (.*){hint}"):
            lathe.get_global_func("tvm.contrib." + name)
    C = te.extern((8,), [], lambda ins, outs: tir.call_packed("tvm.contrib.sort.argsort", outs[0]), dtype="float32")
    with pytest.raises(lathe.LatheError, match="topi.argsort"):
        lathe.build(te.create_schedule(C.op), [C], "llvm")(np.zeros(8, "float32"))


@pytest.mark.parametrize(("lhs", "rhs", "turned_a", "turned_b"), [
    ((2, 10), (3, 4), False, False), ((3, 2), (4, 3), False, False), ((2, 3), (3, 4), True, False),
    ((2, 3), (3, 4), False, True), ((2, 3, 4), (3, 4, 5), False, False), ((1, 2, 3), (4, 5, 3), False, False)])
def test_blas_libraries_get_matrices_that_fit(lhs, rhs, turned_a, turned_b):
    from lathe.contrib import cblas, dnnl, mkl

    for one in (cblas.matmul, mkl.batch_matmul, dnnl.matmul):
        with pytest.raises(lathe.LatheError, match="depth") as raised:
            one(te.placeholder(lhs), te.placeholder(rhs), turned_a, turned_b)
        assert raised.value.name == "contrib-operands"


def test_blas_libraries_get_matrices_that_fit_when_programs_run():
    from lathe.contrib import _blas, cblas

    try:
        _blas.library("cblas", cblas._NAMES)
    except lathe.LatheError:
        pytest.skip("no BLAS library")
    batch, n, m = te.var("batch"), te.var("n"), te.var("m")
    A, B = te.placeholder((batch, 2, n), name="A"), te.placeholder((m, 3, 4), name="B")
    C = cblas.batch_matmul(A, B)
    f = lathe.build(te.create_schedule(C.op), [A, B, C], "llvm")
    for left, right in (((5, 2, 3), (5, 3, 4)), ((5, 2, 3), (1, 3, 4))):
        a, b, c = (RANDOM.normal(size=shape).astype("float32") for shape in (left, right, (5, 2, 4)))
        f(a, b, c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-5)
    for left, right in (((5, 2, 10), (5, 3, 4)), ((5, 2, 3), (4, 3, 4))):
        with pytest.raises(lathe.LatheError, match="cannot multiply"):
            f(np.zeros(left, "float32"), np.zeros(right, "float32"), np.zeros((5, 2, 4), "float32"))


def test_models_have_all_their_results_compared():
    from lathe.testing import aot

    x, data = relay.var("x", shape=(2,)), np.ones(2, "float32")
    mod = lathe.IRModule.from_expr(relay.Function([x], relay.Tuple([x + x, x * relay.const(5.0)])))
    right = [data * 2, data * 5]
    for names in (["output0", "output1"], ["double", "more"]):
        assert aot.compile_and_run(aot.AOTTestModel(mod, {"x": data}, dict(zip(names, right))))
        with pytest.raises(AssertionError, match=names[0]):
            aot.compile_and_run(aot.AOTTestModel(mod, {"x": data}, dict(zip(names, right[::-1]))))
    assert aot.compile_and_run(aot.AOTTestModel(mod, {"x": data}, {"output1": data * 5, "output0": data * 2}))
    for outputs in ({}, {"output0": data * 2}, {"output1": data * 5, "mine": data * 2}):
        with pytest.raises(lathe.LatheError, match="expected: output0, output1") as raised:
            aot.compile_and_run(aot.AOTTestModel(mod, {"x": data}, outputs))
        assert raised.value.name == "testing-aot-outputs"
    with pytest.raises(AssertionError):
        aot.compile_and_run(aot.AOTTestModel(mod, {"x": data}, {"output0": np.float32(2), "output1": data * 5}))
    with pytest.raises(TypeError):
        aot.AOTTestRunner().pass_config["verify"] = 1


def test_wrapped_callbacks_give_nothing():
    import lathe.testing

    assert lathe.testing.test_wrap_callback(lambda: 0)() is None
    assert lathe.testing.test_wrap_callback(lambda: "text")() is None


@pytest.mark.parametrize("kind", ["max", "avg"])
def test_windows_in_the_padding_have_no_gradient(kind):
    from lathe import topi

    data, far = np.arange(4.0).reshape(1, 1, 2, 2), (4, 4, 0, 0)
    made = topi.testing.pool_grad_nchw(data, np.ones((1, 1, 3, 3)), (2, 2), (2, 2), far, kind, False)
    alone = topi.testing.pool_grad_nchw(data, np.ones((1, 1, 1, 1)), (2, 2), (2, 2), (0, 0, 0, 0), kind, False)
    np.testing.assert_array_equal(made, alone)


def test_sparse_arrays():
    from lathe.contrib import sparse

    dense = RANDOM.integers(0, 3, (5, 7)).astype("float32")
    made = sparse.array(dense)
    np.testing.assert_array_equal(made.numpy(), dense)
    with pytest.raises(lathe.LatheError, match="column 1 of row 0 again") as raised:
        sparse.array(([1.0, 2.0], [1, 1], [0, 2]), shape=(1, 3))
    assert raised.value.name == "sparse-parts"
    with pytest.raises(lathe.LatheError, match=r"expected: \(rows, columns\)"):
        sparse.placeholder((5, 7, 2))
    assert not sparse.array(([], [], [0, 0]), shape=(1, 3)).numpy().any()
    again = sparse.array((made.data, made.indices, made.indptr), shape=(5, 7))
    np.testing.assert_array_equal(again.asnumpy(), dense)
    A = sparse.placeholder((5, 7), int(made.data.shape[0]), name="A")
    C = te.compute(A.data.shape, lambda i: A.data[i] * 2.0, name="C")
    f = lathe.build(te.create_schedule(C.op), [A.data, C], "llvm")
    f(made.data, made.data)
    np.testing.assert_array_equal(made.numpy(), dense * 2)
    for wrong in (lambda: sparse.array(([1.0], [9], [0, 1]), shape=(1, 3)), lambda: sparse.array(np.ones(3)),
                  lambda: sparse.array(dense, stype="coo"), lambda: sparse.array(([1.0], [0], [0, 1]))):
        with pytest.raises(lathe.LatheError):
            wrong()


def test_random_numbers_begin_anew():
    from lathe.contrib import random

    A = random.normal(1.0, 2.0, (1000,))
    f, drawn = lathe.build(te.create_schedule(A.op), [A], "llvm"), []
    for _ in range(2):
        random.seed(7)
        drawn.append(np.zeros(1000, "float32"))
        f(drawn[-1])
    assert (drawn[0] == drawn[1]).all() and abs(drawn[0].mean() - 1) < 0.3 and abs(drawn[0].std() - 2) < 0.3


# -- What Python shows.

def test_values_show_their_types():
    n = te.size_var("n")
    A = te.placeholder((n, 8), name="A")
    B = te.compute((n, 8), lambda i, j: A[i, j] + 1.0, name="B")
    s = te.create_schedule(B.op)
    f = lathe.build(s, [A, B], "llvm")
    assert repr(A) == "Tensor(A: float32[n, 8])" and str(A) == "A" and repr(A[0]) == "A[0, ...]"
    assert repr(f) == "<lathe.Module elf: main(A: float32[n, 8], B: float32[n, 8])>"
    assert str(inspect.signature(f)) == "(A: 'float32[n, 8]', B: 'float32[n, 8]', /)"
    # Documentation tools ask the class too.
    with pytest.raises(ValueError, match="no signature"):
        inspect.signature(lathe.Module)
    x = relay.var("x", shape=(2,))
    mod = lathe.IRModule.from_expr(relay.Function([x], x + x))
    for item in (A, s, f, lathe.Target("llvm"), mod, x + x, lathe.nd.array(np.ones(2)), lathe.lower(s, [A, B])):
        assert item._repr_html_().startswith("<pre"), item
    assert "float32" in mod._repr_html_() and "for" in s._repr_html_()


def test_dir_lists_what_is_loaded_later():
    assert {"relay", "topi", "autotvm", "utils"} <= set(dir(lathe)) and {"transform", "sum", "trace"} <= set(dir(tir))
    assert "hybrid" in dir(te) and "quantize" in dir(relay) and "testing" in dir(lathe.topi)
    for module in (lathe, te, tir, relay, lathe.topi, lathe.runtime, relay.qnn):
        assert all(hasattr(module, name) for name in dir(module))


def test_errors_name_the_nearest_element_type():
    for make in (lambda: te.placeholder((2,), "flaot32"), lambda: relay.var("x", shape=(2,), dtype="float23"),
                 lambda: relay.cast(relay.const(1.0), "floot32"), lambda: te.var("i", "int23")):
        with pytest.raises(lathe.LatheError, match="did you mean `(float|int)32`"):
            make()
    with pytest.raises(ValueError):
        lathe.device("cuuda")


# -- Test models of TensorFlow.

def test_archives_of_one_name_are_kept_apart(tmp_path, monkeypatch):
    from lathe.relay.testing import tf

    monkeypatch.setenv("LATHE_DOWNLOADS", str(tmp_path / "kept"))
    found = []
    for folder, name, content in (("a", "model.tgz", "first"), ("b", "model.tgz", "second"),
                                  ("b", "model.tar.gz", "third")):
        place = tmp_path / folder / name
        place.parent.mkdir(exist_ok=True)
        (tmp_path / "graph.pb").write_text(content)
        with tarfile.open(place, "w:gz") as archive:
            archive.add(tmp_path / "graph.pb", "graph.pb")
        found.append(tf.get_workload_official(place.as_uri(), "graph.pb"))
    assert [pathlib.Path(one).read_text() for one in found] == ["first", "second", "third"]


def test_a_graph_with_other_inputs_needs_an_output(tmp_path, monkeypatch):
    from lathe.relay.testing import tf

    with pytest.raises(lathe.LatheError) as raised:
        tf.get_workload("graph.pb", inputs_dict={"x": None})
    assert raised.value.name == "testing-output"
    # The session is closed: tensorflow is played.
    open_sessions, given = [], []

    @contextlib.contextmanager
    def session():
        open_sessions.append(1)
        yield types.SimpleNamespace(graph=types.SimpleNamespace(as_graph_def=lambda add_shapes: "graph"))
        open_sessions.pop()

    v1 = types.ModuleType("tensorflow.compat.v1")
    v1.GraphDef = lambda: types.SimpleNamespace(ParseFromString=given.append)
    v1.import_graph_def = lambda graph, **options: given.append(options)
    v1.Session = session
    v1.graph_util = types.SimpleNamespace(
        convert_variables_to_constants=lambda session, graph, names: (len(open_sessions), graph, names))
    compat, top = types.ModuleType("tensorflow.compat"), types.ModuleType("tensorflow")
    compat.v1, top.compat = v1, compat
    for module in (top, compat, v1):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    (tmp_path / "graph.pb").write_bytes(b"bytes")
    monkeypatch.setattr(tf, "_MODELS", tmp_path.as_uri() + "/")
    monkeypatch.setenv("LATHE_DOWNLOADS", str(tmp_path / "kept"))
    assert tf.get_workload("graph.pb", inputs_dict={"x": 1}, output="y") == (1, "graph", ["y"])
    assert open_sessions == [] and given == [b"bytes", {"name": "", "input_map": {"x": 1}}]


class _LibraryOnTheHost:
    """cuBLAS's function as its manual describes it, for matrices in this process's memory."""

    @staticmethod
    def cublasGemmStridedBatchedEx(_, op_a, op_b, m, n, k, alpha, a, kind_a, lda, step_a, b, kind_b, ldb, step_b, beta,
                                   c, kind_c, ldc, step_c, batch, compute, algorithm):
        import ctypes

        types = {0: np.float32, 1: np.float64, 3: np.int8, 10: np.int32}

        def at(pointer, kind, rows, columns, lead, step, number):
            """A matrix whose columns are `lead` elements apart."""
            made = np.dtype(types[kind.value])
            memory = (ctypes.c_char * ((lead.value * (columns - 1) + rows) * made.itemsize)).from_address(
                pointer.value + number * step.value * made.itemsize)
            return np.lib.stride_tricks.as_strided(np.frombuffer(memory, made), (rows, columns),
                                                   (made.itemsize, lead.value * made.itemsize))

        assert (alpha._obj.value, beta._obj.value) == (1, 0)
        m, n, k = m.value, n.value, k.value
        for number in range(batch.value):
            left = at(a, kind_a, *((k, m) if op_a.value else (m, k)), lda, step_a, number)
            right = at(b, kind_b, *((n, k) if op_b.value else (k, n)), ldb, step_b, number)
            left, right = (part.astype(types[kind_c.value]) for part in (left, right))
            at(c, kind_c, m, n, ldc, step_c, number)[:] = (left.T if op_a.value else left) @ (
                right.T if op_b.value else right)
        return 0


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8"])
def test_cublas_gets_its_arguments(dtype):
    from lathe.contrib import cublas

    made = "int32" if dtype == "int8" else dtype
    for turned_a, turned_b, batches in itertools.product((False, True), (False, True), ((), (3, 3), (1, 3), (3, 1))):
        a, b = ((RANDOM.normal(size=(*part, *shape)) * 9).astype(dtype) for part, shape in (
            (batches[:1], (5, 2) if turned_a else (2, 5)), (batches[1:], (4, 5) if turned_b else (5, 4))))
        out = lathe.nd.empty((3, 2, 4) if batches else (2, 4), made)
        cublas._product(_LibraryOnTheHost, None, lathe.nd.array(a), lathe.nd.array(b), out, turned_a, turned_b)
        left, right = (np.swapaxes(part, -1, -2) if turned else part for part, turned in ((a, turned_a), (b, turned_b)))
        np.testing.assert_allclose(out.numpy(), left.astype(made) @ right.astype(made), rtol=1e-5, atol=1e-4)


def test_cublas_is_used_where_it_is_and_for_a_gpu(monkeypatch):
    from lathe.contrib import cublas, cublaslt

    A, B = te.placeholder((2, 3), name="A"), te.placeholder((3, 4), name="B")
    for wrong in (lambda: cublas.matmul(B, A), lambda: cublas.matmul(A, B, dtype="float64"),
                  lambda: cublaslt.matmul(te.placeholder((2, 3), "int16"), te.placeholder((3, 4), "int16"))):
        with pytest.raises(lathe.LatheError) as raised:
            wrong()
        assert raised.value.name == "contrib-operands"
    monkeypatch.setattr(cublas, "_candidates", lambda: ["/nowhere/libcublas.so"])
    cublas._library.cache_clear()
    with pytest.raises(lathe.LatheError, match="LATHE_CUBLAS") as raised:
        cublas.matmul(A, B)
    assert raised.value.name == "contrib-library"
    monkeypatch.setattr(cublas, "_library", lambda: _LibraryOnTheHost)
    C = cublas.matmul(A, B)
    f = lathe.build(te.create_schedule(C.op), [A, B, C], "llvm")
    with pytest.raises(lathe.LatheError, match="contrib.cblas"):
        f(np.zeros((2, 3), "float32"), np.zeros((3, 4), "float32"), np.zeros((2, 4), "float32"))
