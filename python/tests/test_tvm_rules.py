"""Programs as users of TVM 0.9 write them: rules that are the same, and the errors of the names that came from there."""

import math
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import lathe
from lathe import relay, te, tir
from lathe.contrib import clang, nvcc, popen_pool
from lathe.tir import _data_layout


def gemv(m, l, name):
    a, b = te.placeholder((l,), name="a"), te.placeholder((m, l), name="b")
    k = te.reduce_axis((0, l), name="k")
    c = te.compute((m,), lambda i: te.sum(a[k] * b[i, k], axis=k), name="c")
    binds = {a: tir.decl_buffer(a.shape, a.dtype, name="A", offset_factor=1, strides=[1]),
             b: tir.decl_buffer(b.shape, b.dtype, name="B", offset_factor=1, strides=[te.var("s1"), 1]),
             c: tir.decl_buffer(c.shape, c.dtype, name="C", offset_factor=1, strides=[1])}

    def made(ins, outs):
        ib = tir.ir_builder.create()
        ib.emit(tir.call_extern("int32", name, outs[0].access_ptr("w"), ins[0].access_ptr("r"),
                                ins[1].access_ptr("r"), m, l, ins[1].strides[0]))
        return ib.get()

    return te.decl_tensor_intrin(c.op, made, binds=binds, name=name)


def plus_one():
    A = te.placeholder((16, 16), name="A")
    B = te.compute((16, 16), lambda i, j: A[i, j] + 1.0, name="B")
    return A, B, te.create_schedule(B.op)


def test_annotating_twice_the_same_way_changes_nothing():
    A, B, s = plus_one()
    i, j = B.op.axis
    for _ in range(2):
        s[B].vectorize(j)
        s[B].parallel(i)
    assert [step.primitive for step in s.trace] == ["vectorize", "parallel"]
    with pytest.raises(ValueError, match="schedule-axis-annotated"):
        s[B].unroll(i)
    s, thread = te.create_schedule(B.op), te.thread_axis("threadIdx.x")
    s[B].bind(i, thread)
    s[B].bind(i, thread)
    with pytest.raises(ValueError, match="schedule-axis-annotated"):
        s[B].bind(i, te.thread_axis("threadIdx.y"))


def test_a_new_tensorize_replaces_the_old_one():
    A, B = te.placeholder((32, 64), name="A"), te.placeholder((32, 64), name="B")
    k = te.reduce_axis((0, 64), name="k")
    C = te.compute((32, 32), lambda i, j: te.sum(A[i, k] * B[j, k], axis=k), name="C")
    s = te.create_schedule(C.op)
    yo, yi = s[C].split(C.op.axis[1], factor=16)
    s[C].reorder(C.op.axis[0], yo, yi, k)
    s[C].tensorize(yi, gemv(16, 64, "first"))
    s[C].tensorize(yi, gemv(16, 64, "second"))
    text = str(lathe.lower(s, [A, B, C]))
    assert "second" in text and "first" not in text
    with pytest.raises(ValueError, match="schedule-tensorize-illegal"):
        s[C].tensorize(yo, gemv(16, 64, "third"))


def test_tensorize_simplifies_by_the_ranges_of_loops():
    A = te.placeholder((4, 16), name="A")
    B = te.compute((64,), lambda i: A[i // 16, i % 16] * 2.0, name="B")
    s = te.create_schedule(B.op)
    _, inner = s[B].split(B.op.axis[0], 16)
    a = te.placeholder((16,), name="a")
    b = te.compute((16,), lambda i: a[i] * 2.0, name="b")
    s[B].tensorize(inner, te.decl_tensor_intrin(b.op, lambda ins, outs: tir.call_extern(
        "int32", "twice", outs[0].access_ptr("w"), ins[0].access_ptr("r"))))
    assert "twice" in str(lathe.lower(s, [A, B]))


def test_the_axes_of_a_factored_reduction_are_those_of_its_operation():
    n, m = te.var("n"), te.var("m")
    A, k = te.placeholder((n, m), name="A"), te.reduce_axis((0, m), "k")
    B = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B.op)
    _, ki = s[B].split(B.op.reduce_axis[0], factor=16)
    BF = s.rfactor(B, ki)
    xo, xi = s[B].split(s[B].op.axis[0], factor=32)
    tx = te.thread_axis("threadIdx.x")
    s[B].bind(xo, te.thread_axis("blockIdx.x"))
    s[B].bind(xi, te.thread_axis("threadIdx.y"))
    s[B].bind(s[B].op.reduce_axis[0], tx)
    s[BF].compute_at(s[B], s[B].op.reduce_axis[0])
    s[B].set_store_predicate(tx.var.equal(0))
    assert "get_local_id(0)" in lathe.build(s, [A, B], "opencl").imported_modules[0].get_source()
    s[B].set_store_predicate(tx.var.equal(1))  # another thread than the one that has the result
    with pytest.raises(ValueError, match="schedule-predicate-refused"):
        lathe.lower(s, [A, B])


def run(out, *tensors):
    """The elements of a tensor of te for these arguments."""
    inputs = [t for t in out.op.input_tensors if isinstance(t.op, te.PlaceholderOp)]
    f = lathe.build(te.create_schedule(out.op), [*inputs, out], "llvm")
    made = lathe.nd.empty([int(n) for n in out.shape], out.dtype)
    f(*[lathe.nd.array(t) for t in tensors], made)
    return made.numpy()


def test_packed_indices_and_no_dimensions():
    A = te.placeholder((4, 5), name="A")
    ones = np.ones((4, 5), "float32")
    assert (run(te.compute(A.shape, lambda *i: A(*i) + 1.0), ones) == 2).all()
    assert (run(te.compute(A.shape, lambda *i: A[i] + 1.0), ones) == 2).all()
    assert (run(te.compute(A.shape, lambda i, *rest: A(i, *rest) + 1.0), ones) == 2).all()
    k, l = te.reduce_axis((0, 4)), te.reduce_axis((0, 5))
    assert run(te.compute((), lambda *i: te.sum(A[k, l], axis=[k, l])), ones) == 20
    scalar = te.placeholder((), name="s")
    assert run(te.compute((2,), lambda i: scalar() + scalar[()]), np.float32(3)).tolist() == [6, 6]
    named = te.compute(A.shape, lambda *i: A(*i), varargs_names=["row", "column"])
    assert [axis.var.name for axis in named.op.axis] == ["row", "column"]
    with pytest.raises(ValueError, match="compute-rank"):
        te.compute(A.shape, lambda *i: A(*i), varargs_names=["row"])


@pytest.mark.parametrize("dtype,greatest", [("float32", 3.4028234663852886e38), ("float16", 65504.0),
                                            ("bfloat16", 3.3895313892515355e38), ("float64", 1.7976931348623157e308),
                                            ("float8_e5m2", 57344.0), ("float8_e4m3fn", 448.0)])
def test_extremes_of_floats_are_finite(dtype, greatest):
    assert te.max_value(dtype).dtype == tir.min_value(dtype).dtype == dtype
    assert (te.max_value(dtype).value, te.min_value(dtype).value) == (greatest, -greatest)
    assert (tir.max_value(dtype).value, tir.min_value(dtype).value) == (greatest, -greatest)
    with pytest.raises(TypeError, match="reducer-type"):
        te.max_value(f"{dtype}x4")
    A, k = te.placeholder((3,), dtype, name="A"), te.reduce_axis((0, 3))
    most = te.compute((), lambda *i: te.max(A[k], axis=k))
    lowest = "-448" if dtype == "float8_e4m3fn" else "-inf"  # as before; that type has no infinity
    assert lowest in str(lathe.lower(te.create_schedule(most.op), [A, most], simple_mode=True))


def test_convert_keeps_objects():
    A, x = te.placeholder((4,), name="A"), relay.var("x", shape=(2,))
    for item in (A, A.op, x, relay.op.get("add"), relay.GlobalVar("g"), relay.TensorType((2,)), lathe.cpu(), None,
                 lathe.IRModule(), lathe.Target("llvm"), tir.decl_buffer((4,)), lathe.nd.array(np.ones(2)),
                 lathe.get_global_func("te.compute")):
        assert lathe.runtime.convert(item) is item
        assert lathe.runtime.convert([item, 1])[0] is item
    assert str(lathe.runtime.convert(A[1])) == "A[1]" and str(lathe.runtime.convert(A[0] == A[1])) == "A[0] == A[1]"
    made = lathe.runtime.convert({"a": 1, "b": [A, "text"]})
    assert isinstance(made, lathe.runtime.container.Map) and made["a"].value == 1 and made["b"][0] is A
    assert isinstance(lathe.runtime.convert(lambda x: x), lathe.runtime.PackedFunc)


def test_the_parser_reads_what_modules_print():
    x = relay.var("x", shape=(2, 3))
    added = relay.tanh(x) + relay.const(np.ones((2, 3), "float32"))
    fused = relay.transform.FuseOps()(lathe.IRModule.from_expr(relay.exp(x + x)))
    datatypes = relay.prelude.Prelude().mod
    for mod in (lathe.IRModule.from_expr(added), fused, datatypes):
        for made in (lathe.parser.fromtext(mod.astext()), lathe.parser.parse(mod.astext())):
            assert lathe.ir.structural_equal(made, mod)
    own = lathe.IRModule({"twice": relay.Function([x], x + x)})
    assert lathe.parser.parse(lathe.IRModule.from_expr(added).astext(), "added", own) is own
    assert sorted(own) == ["main", "twice"]
    with pytest.raises(lathe.LatheError, match="mine:2"):
        lathe.parser.fromtext("graph module\ngraph main( { }", "mine")


def _loops(name, function, **attrs):
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: function(A[i]), name="B")
    module = lathe.lower(te.create_schedule(B.op), [A, B], name=name)
    return module.with_functions([module[name].with_attr(attrs)]) if attrs else module


def _called(function):
    made = np.zeros(4, "float32")
    function(np.arange(4, dtype="float32"), made)
    return made.tolist()


def test_build_takes_modules_by_target(tmp_path):
    one, two = _loops("one", lambda x: x + 1.0), _loops("two", lambda x: x * 2.0)
    assert _called(lathe.build({"llvm": one})) == [1, 2, 3, 4]
    assert _called(lathe.build({lathe.Target("llvm"): one["one"]})["one"]) == [1, 2, 3, 4]
    built = lathe.build({"llvm": one, "llvm -mcpu=x86-64": [two["two"]]})
    assert _called(built) == [1, 2, 3, 4] and _called(built["two"]) == [0, 2, 4, 6]
    built.export_library(str(tmp_path / "both.so"))
    assert _called(lathe.load_module(str(tmp_path / "both.so"))["two"]) == [0, 2, 4, 6]
    for inputs, text in (({}, "an empty dict"), ({"llvm": 3}, "for `llvm` int")):
        with pytest.raises(TypeError, match=text):
            lathe.build(inputs)
    with pytest.raises(ValueError, match="two functions of a program have the name `one`"):
        lathe.build({"llvm": one, "llvm -mcpu=x86-64": one})


def test_build_heeds_the_targets_of_functions():
    old = lathe.Target("llvm -mcpu=x86-64")
    both = lathe.ir.Module([_loops("one", lambda x: x + 1.0, target=lathe.Target("llvm"))["one"],
                            _loops("two", lambda x: x * 2.0, target=old)["two"]])
    built = lathe.build(both)
    assert built.function_names == ["one"] and len(built.imported_modules) == 1
    assert _called(built["one"]) == [1, 2, 3, 4] and _called(built["two"]) == [0, 2, 4, 6]
    assert sorted(lathe.build(both, target="llvm").function_names) == ["one", "two"]


def test_tvms_names_of_the_entry_function():
    built = lathe.build(_loops("one", lambda x: x + 1.0), target="llvm")
    for name in ("default_function", "__tvm_main__"):
        assert _called(built[name]) == _called(built.get_function(name)) == [1, 2, 3, 4]
    assert built.time_evaluator("default_function", lathe.cpu(), number=1)(
        lathe.nd.empty((4,)), lathe.nd.empty((4,))).number == 1
    own = lathe.build(_loops("default_function", lambda x: x * 2.0), target="llvm")
    assert _called(own["default_function"]) == [0, 2, 4, 6]
    with pytest.raises(AttributeError, match="found: `one`"):
        built["default"]


def test_element_types_of_numpy():
    assert te.placeholder((4,), np.float32).dtype == "float32"
    assert te.placeholder((4,), np.dtype("int8")).dtype == "int8"
    assert te.var("x", np.int64).dtype == "int64" and tir.const(1, np.bool_).dtype == "bool"
    assert te.var("x").astype(np.float16).dtype == "float16" and int(te.min_value(np.int8)) == -128
    assert lathe.nd.empty((2,), np.int8).dtype == "int8" and lathe.nd.array([1], dtype=np.int16).dtype == "int16"
    assert tir.decl_buffer((4,), np.float64).dtype == "float64"
    assert relay.var("x", shape=(2,), dtype=np.int8).checked_type.dtype == "int8"
    assert relay.const(1, np.int64).checked_type.dtype == "int64"
    assert relay.cast(relay.const(1.5), np.int32).checked_type.dtype == "int32"
    assert relay.zeros((2,), np.float32).checked_type.dtype == "float32"
    assert te.extern((4,), [], lambda ins, outs: tir.call_packed("f", outs[0]), dtype=np.int8).dtype == "int8"
    for wrong in (np.ndarray, np.complex128, object):
        with pytest.raises(TypeError):
            te.placeholder((4,), wrong)


def test_unknown_element_types_name_the_nearest():
    with pytest.raises(TypeError, match="element types are such as `float32`"):
        te.placeholder((4,), "flaot32")
    with pytest.raises(TypeError, match="element types are such as"):
        te.var("n", "something else")
    with pytest.raises(ValueError, match="`//` and floordiv round down"):
        te.var("n") / 2


def test_targets():
    both = lathe.Target({"kind": "opencl", "host": {"kind": "llvm", "mcpu": "x86-64"}})
    assert both.host.mcpu == "x86-64" and str(both.kind) == "opencl"
    made, host = lathe.Target.canon_target_and_host("opencl", "llvm")
    assert made.host == host and lathe.Target.canon_target_and_host(None) == (None, None)
    assert [str(t.kind) for t in lathe.Target.canon_multi_target({"cpu": "llvm"})] == ["llvm"]
    assert lathe.Target.canon_multi_target(None) is None and lathe.Target.canon_target(None) is None
    assert lathe.Target.canon_multi_target_and_host("opencl", "llvm")[0].host is not None
    assert lathe.Target("llvm").with_host("llvm").host is not None and "llvm" in lathe.Target.list_kinds()
    assert lathe.Target("llvm -mattr=+avx2,+fma").mattr == ["+avx2", "+fma"] and lathe.Target("cuda -arch=sm_80").arch == "sm_80"
    assert not lathe.vulkan(0).exist and not lathe.rocm().exist


def test_an_intrinsic_of_the_users_own():
    lathe.register_op_attr("tir.mylog", "TCallEffectKind", tir.CallEffectKind.Pure)

    def rule(op):
        assert op.op.name == "tir.mylog" and op.op == "mylog" and op.op.same_as(lathe.ir.Op.get("tir.mylog"))
        return tir.call_pure_extern("float32", "logf", op.args[0]) if op.dtype == "float32" else op

    lathe.register_intrin_lowering("tir.mylog", target="default", f=rule, level=99)
    A = te.placeholder((8,), name="A")
    B = te.compute(A.shape, lambda i: tir.call_intrin(A.dtype, "tir.mylog", A[i]), name="B")
    values = np.arange(1, 9, dtype="float32")
    np.testing.assert_allclose(run(B, values), np.log(values), rtol=1e-6)
    lathe.register_op_attr("nn.relu", "target.mine", True)
    assert relay.op.get("nn.relu").get_attr("target.mine") is True and relay.op.get("nn.relu").has_attr("TOpPattern")


def test_bounds_and_sets():
    analyzer, x, y = lathe.arith.Analyzer(), te.var("x"), te.var("y")
    bound = lathe.arith.ConstIntBound
    wide = te.var("wide", "int64")
    assert analyzer.const_int_bound(wide).max_value == bound.POS_INF and bound.NEG_INF == -bound.POS_INF
    analyzer.update(x, bound(2, bound.POS_INF))
    assert analyzer.const_int_bound(x + 1).min_value == 3
    analyzer.update(x, bound(0, 4), override=True)
    assert analyzer.const_int_bound(x).max_value == 4
    analyzer.update(y, lathe.arith.ModularSet(4, 1))
    assert analyzer.can_prove(y % 4 == 1) and int(analyzer.simplify(y % 2)) == 1
    every = lathe.arith.IntervalSet(0, 3)
    assert not every.is_nothing() and not every.is_everything() and not every.is_everything
    with pytest.raises(ValueError, match="arith-domain"):
        lathe.arith.deduce_bound(x, x + y < 4, {}, {y: lathe.arith.IntervalSet(0, None)})
    down = lathe.arith.IntSet.vector(tir.Ramp(x, -2, 4))
    assert str(down.min_value) == "x - 6" and str(down.max_value) == "x"
    with pytest.raises(TypeError, match="arith-vector-type"):
        lathe.arith.IntSet.vector(x)


def test_functions_and_statements():
    a, i = tir.Var("a", "handle"), tir.Var("i", "int32")
    A = tir.decl_buffer((8,), "float32", "A")
    loop = tir.For(i, 0, 8, tir.ForKind.SERIAL, tir.BufferStore(A, tir.BufferLoad(A, [i]) + 1.0, [i]))
    func = tir.PrimFunc([a], loop, buffer_map={a: A}).with_attr({"global_symbol": "bump"})
    assert func.name == "bump" and isinstance(func, tir.PrimFunc) and func.body.kind == tir.ForKind.SERIAL
    assert func.body.loop_var.same_as(i) and func.body.body.buffer_var.same_as(A.data) and A.scope() == "global"
    x = lathe.nd.array(np.zeros(8, "float32"))
    lathe.build(lathe.IRModule({"again": func}), target="llvm")["again"](x)
    assert x.numpy().tolist() == [1] * 8
    pair = tir.SeqStmt([tir.Evaluate(1), tir.Evaluate(2)])
    assert len(pair) == 2 and int(pair[1].value) == 2 and len(pair.seq) == 2
    assert int(A.offset_of(3)[0]) == 3 and isinstance(tir.Any(), tir.SizeVar)


def test_another_name_leaves_the_rest_of_a_function():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    lowered = lathe.lower(te.create_schedule(B.op), [A, B])
    plain, packed = lowered["main"], tir.transform.MakePackedAPI()(lowered)["main"]
    for func, returns in ((plain, "void"), (packed, "int32")):
        other = lathe.IRModule({"other": func})["other"]
        assert other.return_type == func.return_type == returns
        lathe.ir.assert_structural_equal(other.with_attr("global_symbol", "main"), func)


def test_layouts_with_separators():
    A = te.placeholder((4, 8), name="A")
    B = te.compute((4, 8), lambda i, j: A[i, j] + 1.0, name="B")
    s = te.create_schedule(B.op)
    s.transform_layout(B, lambda i, j: [j, te.AXIS_SEPARATOR, i])
    assert "separators=(list<handle>(1i64))" in str(s.trace[0])


def test_graphs_of_other_texts():
    mod = lathe.parser.fromtext("""
        #[version = "0.0.5"]
        type Tree { Leaf, Node(Tensor[(2), float32], Tree) }
        def @twice(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { %x * 2f /* a comment */ }
        def @main(%x: Tensor[(2), float32], %on: bool) {
          let %y: Tensor[(2), float32] = @twice(%x);
          %0 = (%y + 1f, nn.softmax(%y, axis=-1));
          if (%on) { %0.0 } else { -(%0.1) }
        }
    """)
    run_it = relay.create_executor("vm", mod).evaluate()
    x = np.array([1, 2], "float32")
    assert run_it(x, np.bool_(True)).numpy().tolist() == [3, 5]
    assert (run_it(x, np.bool_(False)).numpy() < 0).all()
    weights = lathe.parser.parse("def @main(%x: Tensor[(2), float32]) { %x + meta[relay.Constant][0] }",
                                 init_meta_table={"relay.Constant": [lathe.nd.array(x)]})
    assert "add(" in str(weights)
    found = lathe.parser.parse_expr("(1, 2i64, True)")
    assert [str(field.checked_type) for field in found.fields] == ["int32[]", "int64[]", "bool[]"]


def test_the_worker_of_a_pool():
    worker = popen_pool.PopenWorker()
    worker.send(os._exit, (3,))
    with pytest.raises(OSError, match="worker-ended(.|\n)*exit code 3"):
        worker.recv()
    worker.send(lathe.testing.identity_after, (1, 30), timeout=0.5)
    with pytest.raises(TimeoutError):
        worker.recv()
    assert not worker.is_alive()
    worker.send(threading.Lock)  # its result cannot be sent
    with pytest.raises(TypeError, match="result cannot be sent"):
        worker.recv()
    worker.send(abs, (-1,))
    assert worker.recv() == 1
    worker.join(20)
    assert not worker.is_alive()
    pool = popen_pool.PopenPoolExecutor(max_workers=1, timeout=20)
    statuses = [one.status for one in pool.map_with_error_catching(float, ["1", "text"])]
    assert statuses == [popen_pool.StatusKind.COMPLETE, popen_pool.StatusKind.EXCEPTION]


def test_the_bits_of_another_type():
    x = relay.const(1.0)
    for dtype in ("int32", np.int32, np.dtype("int32")):
        assert int(relay.create_executor("graph", relay.reinterpret(x, dtype)).evaluate()().numpy()) == 0x3F800000


def test_reinterpret_is_known_before_it_is_called():
    mod = lathe.IRModule.from_expr(relay.reinterpret(relay.var("x", shape=(2,)), "int32"))
    for text, read in ((str(mod), "lathe.ir.parse_graph(text)"),
                       (lathe.ir.save_json(mod.node), "lathe.IRModule.from_node(lathe.ir.load_json(text))")):
        code = f"import lathe, sys; text = sys.stdin.read(); print({read})"
        done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        assert done.stdout.strip() == str(mod).strip(), done.stderr


def test_the_options_of_executors():
    Executor = relay.backend.Executor
    graph = Executor("graph")
    assert graph["link-params"] is False and "link-params" in graph and "woof" not in graph
    assert Executor("aot")["link-params"] is True and "interface-api" not in Executor("aot")
    assert Executor("aot", {"interface-api": "c"})["interface-api"] == "c"
    assert graph == Executor("graph", {"link-params": False}) != Executor("graph", {"link-params": True})
    assert len({graph, Executor("graph"), Executor("aot"), relay.backend.Runtime("cpp")}) == 3


def test_collapsing_broadcasts():
    def collapsed(shape, wanted):
        data = np.arange(math.prod(shape), dtype="float32").reshape(shape)
        made = relay.create_executor("graph", relay.collapse_sum_to(relay.const(data), wanted)).evaluate()().numpy()
        return made.shape == wanted, float(made.sum()) == data.sum()

    for shape, wanted in (((4, 6), (4, 1)), ((2, 3), (3,)), ((2, 3), ()), ((3,), (3,)), ((2, 1), (1, 1))):
        assert collapsed(shape, wanted) == (True, True)


def test_sources_and_their_paths():
    from lathe.contrib import utils

    texts = {"kernel.cxx": True, "/x/kernel.o": True, "dir.d/kernel": False, __file__: True, os.getcwd(): True,
             "int f() { return 1.5f; }": False, "#include <math.h>": False, "int a;\n// see k.cc": False, "": False}
    assert {text: utils.is_source_path(text) for text in texts} == texts
    with pytest.raises(OSError, match="compiler-failed") as raised:
        clang.create_llvm(["/x/k.cxx", "int a;"], cc="/bin/false")
    assert " /x/k.cxx " in str(raised.value) and "input1.cc" in str(raised.value)


def test_where_nvcc_is_looked_for(tmp_path, monkeypatch):
    for name in ("first", "second", "."):
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "bin" / "nvcc").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    for name in ("CUDA_PATH", "CUDA_HOME"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(OSError, match="compiler-missing(.|\n)*CUDA_HOME"):  # not in the present folder
        nvcc.find_cuda_path()
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "second"))
    assert nvcc.find_cuda_path() == str(tmp_path / "second")
    monkeypatch.setenv("CUDA_PATH", str(tmp_path / "first"))
    assert nvcc._nvcc() == str(tmp_path / "first" / "bin" / "nvcc")


def test_escapes_in_strings_of_texts():
    mod = lathe.parser.parse(r'''def @main(%x: int32, mark="a\"b\\\n") { %x }''')
    assert mod["main"].attrs["mark"] == 'a"b\\\n'


def test_a_timeout_ends_only_the_function_it_was_given_for():
    worker = popen_pool.PopenWorker()
    worker.send(time.sleep, (0,), timeout=0.3)
    worker.kill()
    worker.send(time.sleep, (0.6,))
    assert worker.recv() is None
    worker.send(abs, (-1,), timeout=0.3)
    worker.send(time.sleep, (0.6,))  # without asking for the first one's result
    assert [worker.recv(), worker.recv()] == [1, None]
    worker.send(abs, (-1,), timeout=0.3)
    assert worker.recv() == 1
    worker.send(time.sleep, (0.6,))
    assert worker.recv() is None
    worker.kill()


def test_the_start_of_a_worker_is_no_part_of_a_timeout():
    worker = popen_pool.PopenWorker(time.sleep, (0.5,))
    worker.send(abs, (-1,), timeout=0.4)
    assert worker.recv() == 1
    worker.kill()


def test_functions_by_value():
    from lathe.contrib import _by_value

    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    count = 0

    def counted(*, by=2):
        """Counts."""
        nonlocal count
        count += by
        return count, math.floor(2.5)

    counted.mark = even
    made = _by_value.loads(_by_value.dumps(counted))
    assert [made(), made(by=1)] == [(2, 2), (3, 2)] and count == 0
    assert made.__doc__ == "Counts." and made.mark(4) and not made.mark(3) and made.__qualname__ == counted.__qualname__
    assert _by_value.loads(_by_value.dumps([math, divmod, scan_of])) == [math, divmod, scan_of]


X = te.placeholder((5, 8), name="X")


def scan_of(offset):
    state = te.placeholder((5, 8), name="S")
    first = te.compute((1, 8), lambda t, j: X[0, j])
    return te.scan(first, te.compute((5, 8), lambda t, j: state[t + offset, j] + X[t, j]), state, inputs=[X])


@pytest.mark.parametrize("make, name, kind", [
    (lambda: scan_of(0), "scan-future", ValueError),
    (lambda: scan_of(1), "scan-future", ValueError),
    (lambda: lathe.register_op_attr("nn.conv2d", "FTVMStrategy", 1), "op-attr-rule", ValueError),
    (lambda: lathe.register_op_attr("nn.softmax", "TOpPattern", 8), "op-attr-rule", ValueError),
    (lambda: relay.op.get("nn.softmax").set_attr("FPrimalGradient", 8), "op-attr-rule", ValueError),
    (lambda: lathe.register_op_attr("nn.softmax", "FInferCorrectLayout", 8), "op-attr-rule", ValueError),
    (lambda: lathe.register_op_attr("tir.test_effect", "TCallEffectKind", 7), "op-attr-effect", ValueError),
    (lambda: lathe.arith.Analyzer().update(te.var("x"), (0, 4)), "arith-info-type", TypeError),
    (lambda: te.create_schedule(X.op).transform_layout(X.op, lambda i, j: (j, i)), "layout-tensor-type", TypeError),
    (lambda: lathe.Target({"mcpu": "x"}), "target-malformed", ValueError),
    (lambda: lathe.parser.parse_expr("(" * 2000 + "1" + ")" * 2000), "relay-text", ValueError),
    (lambda: lathe.parser.parse("def @main() {" + "-" * 2000 + "1f }"), "relay-text", ValueError),
    (lambda: lathe.register_op_attr("tir.no_such_thing", "doc.cost", 1), "unknown-intrinsic", None),
    (lambda: lathe.ir.make_node("IntIm"), "unknown-node-kind", ValueError),
    (lambda: lathe.parser.parse("def main() {}"), "relay-text", ValueError),
    (lambda: lathe.parser.parse("def @main(%x: int32) { %y }"), "relay-text", ValueError),
    (lambda: relay.reverse_reshape(relay.var("x", shape=(2, 3)), (-2,)), "relay-reshape-code", ValueError),
    (lambda: relay.reverse_reshape(relay.var("x", shape=(2,)), (0, 0)), "relay-reshape-code", ValueError),
    (lambda: relay.collapse_sum_to(relay.var("x", shape=(4, 6)), (4, 5)), "relay-collapse-shape", ValueError),
    (lambda: relay.collapse_sum_to(relay.var("x", shape=(6,)), (2, 3)), "relay-collapse-shape", ValueError),
    (lambda: relay.backend.Runtime("crt"), "relay-choice", ValueError),
    (lambda: relay.backend.Executor("graph", {"no-such": 1}), "relay-choice", ValueError),
    (lambda: relay.backend.Executor("aot")["interface-api"], "relay-choice", KeyError),
    (lambda: relay.backend.Executor.list_registered_options("vm"), "relay-choice", ValueError),
    (lambda: tir.decl_buffer((4,), buffer_type="auto_broadcast"), "buffer-declared", ValueError),
    (lambda: tir.decl_buffer((4, 4)).offset_of([1]), "buffer-index-count", ValueError),
    (lambda: tir.decl_buffer((4, 4)).offset_of([1, 2, 3]), "buffer-index-count", ValueError),
    (lambda: tir.layout("nchw"), "layout-text", ValueError),
    (lambda: tir.layout("NN"), "layout-text", ValueError),
    (lambda: tir.bijective_layout("NCHW", "NC"), "layout-pair", ValueError),
    (lambda: tir.bijective_layout("NCHW", "NHWC").forward_shape((1,)), "layout-rank", ValueError),
    (lambda: tir.Allocate(tir.Var("p", "handle"), "int8", [4], te.var("x") > 0, tir.Evaluate(0)), "allocate-condition", ValueError),
    (lambda: tir.PrimFunc("main", []), "prim-func-type", TypeError),
    (lambda: tir.PrimFunc([], tir.Evaluate(0), "int32"), "prim-func-result", ValueError),
    (lambda: lathe.topi.testing.conv2d_nchw_python(np.ones((1, 1, 3, 3)), np.ones((1, 1, 3, 3)), 1, "same"), "oracle-padding", ValueError),
    (lambda: nvcc.parse_compute_version("eight"), "cuda-compute-version", ValueError),
    (lambda: nvcc.compile_cuda("", "elf"), "cuda-format", ValueError),
    (lambda: clang.create_llvm("int a;", cc="/bin/false"), "compiler-failed", OSError),
    (lambda: lathe.build([te.compute((2,), lambda i: i)], target="llvm")["no_such"], "module-no-function", AttributeError),
    (lambda: lathe.get_global_func("no.such.function"), "registry-not-found", KeyError),
    (lambda: lathe.Target("lvm"), "target-unknown-kind", ValueError),
])
def test_errors_say_what_and_are_of_pythons_kind(make, name, kind):
    with pytest.raises(lathe.LatheError) as raised:
        make()
    assert raised.value.name == name
    assert kind is None or isinstance(raised.value, kind)


def test_layouts_map_indices_both_ways():
    pack = _data_layout.bijective_layout("NCHW", "NCHW4c")
    there = [int(n) for n in pack.forward_index((0, 6, 1, 2))]
    assert there == [0, 1, 1, 2, 2] and [int(n) for n in pack.backward_index(there)] == [0, 6, 1, 2]
    i = te.var("c")
    assert str(pack.forward_index((0, i, 0, 0))[4]) == "c % 4"


def test_options_of_a_pass_context_under_tvms_names():
    A = te.placeholder((16,), name="A")
    B = te.compute((16,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    s[B].vectorize(B.op.axis[0])
    with lathe.transform.PassContext(config={"tir.disable_vectorize": True}):
        assert "vectorized" not in str(lathe.lower(s, [A, B]))
        out, x = np.zeros(16, "float32"), relay.var("x", shape=(16,))
        lathe.build(s, [A, B], "llvm")(np.ones(16, "float32"), out)
        assert out.tolist() == [2] * 16
        double = relay.create_executor("graph", relay.Function([x], x + x)).evaluate()
        assert double(out).numpy().tolist() == [4] * 16
    assert "vectorized" in str(lathe.lower(s, [A, B]))
    unroll = {"tir.UnrollLoop": {"auto_max_step": 16, "explicit_unroll": True}}
    with lathe.transform.PassContext(config=unroll) as context:
        assert context.config == unroll and context.packed()[0] == [["unroll.auto_max_step", 16], ["unroll.explicit", 1]]
    both = {"tir.noalias": True, "relay.FuseOps.max_depth": 4, "tir.disable_cse_tir": True, "tir.disable_storage_rewrite": True,
            "tir.LoopPartition": {"partition_const_loop": True, "no_unroll_loop_with_extent_one": True}}
    with lathe.transform.PassContext(config=both) as context:
        assert context.packed()[:2] == [[["partition.constant_loops", 1]], ["cse", "storage_reuse"]]
        out = np.zeros(16, "float32")
        lathe.build(s, [A, B], "llvm")(np.ones(16, "float32"), out)
        assert out.tolist() == [2] * 16
    with lathe.transform.PassContext(config={"tir.instrument_bound_checkers": True}) as context:
        assert context.packed()[0] == [["check", 1]]
    for wrong in ({"tir.disable_vectorise": 1}, {"tir.UnrollLoop": {"max_steps": 3}}):
        with pytest.raises(ValueError, match="did you mean|max_steps"):
            lathe.transform.PassContext(config=wrong)


def test_tensors_give_capsules():
    a = lathe.nd.array(np.arange(3, dtype="float32"))
    b = lathe.nd.from_dlpack(a.to_dlpack())
    b.copyfrom(np.zeros(3, "float32"))
    assert a.numpy().tolist() == [0, 0, 0]
