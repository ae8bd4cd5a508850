"""Names that programs for TVM 0.9 write, beside those that other files here are about."""

import copy
import inspect
import itertools
import pickle

import numpy as np
import pytest

import lathe
from lathe import arith, relay, te, tir
from lathe.ir import Range

RANDOM = np.random.default_rng(0)


def number(expr, values):
    """The value of an expression for {Var: int}."""
    if isinstance(expr, int):
        return expr
    made = arith.Analyzer().simplify(tir.stmt_functor.substitute(expr, values))
    return int(made.value)


# -- arith.

@pytest.mark.parametrize("seed", range(12))
def test_inequalities_have_exactly_their_solutions(seed):
    random = np.random.default_rng(seed)
    x, y = te.var("x"), te.var("y")
    domain = {x: Range(-4, 5), y: Range(-3, 4)}
    rows = [[int(n) for n in random.integers(-3, 4, 3)] for _ in range(3)]
    conditions = [x * a + y * b <= c for a, b, c in rows]
    points = list(itertools.product(range(-4, 5), range(-3, 4)))
    holds = {p for p in points if all(p[0] * a + p[1] * b <= c for a, b, c in rows)}
    made = arith.solve_linear_inequalities(conditions, [x, y], domain)
    found = set()
    for p in points:
        values = {x: p[0], y: p[1]}
        inside = all(number(one.min, values) <= values[var] < number(one.min + one.extent, values)
                     for var, one in made.ranges.items())
        if inside and all(number(one, values) for one in made.relations):
            found.add(p)
    assert found == holds
    listed = arith.solve_inequalities_as_condition([x, y], domain, conditions)
    assert {p for p in points if all(number(one, {x: p[0], y: p[1]}) for one in listed)} == holds


def test_inequalities_with_parameters_and_shifted_variables():
    x, n = te.var("x"), te.var("n")
    made = arith.solve_linear_inequalities([x >= n, x * 2 < n * 2 + 9], [x], deskew_range=True)
    (shifted,) = made.dst.variables
    assert number(made.dst.ranges[shifted].extent, {}) == 5
    assert number(made.dst_to_src[x], {shifted: 3, n: 10}) == 13
    assert number(made.src_to_dst[shifted], {x: 13, n: 10}) == 3
    open_end = arith.solve_linear_inequalities([x > 3], [x])
    assert not open_end.ranges and number(open_end.relations[0], {x: 4}) and not number(open_end.relations[0], {x: 3})
    (never,) = arith.solve_linear_inequalities([x > 3, x < 2], [x]).relations
    assert never.value == 0
    with pytest.raises(lathe.LatheError) as raised:
        arith.solve_linear_inequalities([x * x > 3], [x])
    assert raised.value.name == "arith-inequality"


def test_lower_bounds_of_regions_are_covered():
    i, j = te.var("i"), te.var("j")
    domain = {i: Range(2, 6), j: Range(0, 3)}
    sets = arith.estimate_region_lower_bound([Range.from_min_extent(i * 3 + j, 1), Range(0, 4)], domain)
    assert [(int(one.min_value), int(one.max_value)) for one in sets] == [(6, 17), (0, 3)]
    for region in ([Range.from_min_extent(i * 4 + j, 1)], [Range.from_min_extent(i, 1), Range.from_min_extent(i, 2)],
                   [Range.from_min_extent(i * i, 1)]):
        assert arith.estimate_region_lower_bound(region, domain) is None
    assert arith.estimate_region_lower_bound([Range.from_min_extent(i, 1)], domain, i < 4) is None
    back = arith.estimate_region_lower_bound([Range.from_min_extent(20 - i, 1)], domain)
    assert (int(back[0].min_value), int(back[0].max_value)) == (15, 18)


@pytest.mark.parametrize("function, shape", [
    (lambda i: [i // 4, i % 4], [32]), (lambda i, j: [j, i], [4, 6]),
    (lambda i, j: [i // 2, j // 3, i % 2, j % 3], [4, 6]),
    (lambda i, j: [i * 6 + j], [4, 6]), (lambda i, j: [(i * 6 + j) // 8, (i * 6 + j) % 8], [8, 6]),
    (lambda i: [i % 8 // 2, i // 8, i % 2], [32])])
def test_index_maps_have_inverses(function, shape):
    made = tir.IndexMap.from_func(function)
    if made.final_indices and "8" in str(made.final_indices) and shape == [8, 6]:
        with pytest.raises(lathe.LatheError, match="cuts"):
            made.inverse(shape)
        return
    back = made.inverse(shape)
    for point in itertools.product(*map(range, shape)):
        moved = [int(n) for n in made.map_indices(list(point))]
        assert tuple(int(n) for n in back.map_indices(moved)) == point
    assert np.prod([int(n) for n in made.map_shape(shape)]) == np.prod(shape)
    assert back.inverse(made.map_shape(shape)) is made


def test_index_maps_without_inverse():
    for function in (lambda i: [i // 4], lambda i: [i * 2], lambda i: [i, i], lambda i: [i * i]):
        with pytest.raises(lathe.LatheError) as raised:
            tir.IndexMap.from_func(function).inverse([8])
        assert raised.value.name == "index-map-inverse"
    functions = lambda i: [i // 4, i % 4], lambda k: [k // 4, k - k // 4 * 4], lambda i: [i % 4]
    same = [tir.IndexMap.from_func(f) for f in functions]
    assert same[0].is_equivalent_to(same[1]) and not same[0].is_equivalent_to(same[2])
    assert len(tir.IndexMap.from_func(lambda *i: i[::-1], ndim=3).initial_indices) == 3


# -- Loops.

def test_hoisting_keeps_what_loops_compute():
    n, m, i, j = (te.var(name) for name in "nmij")
    A, B = tir.decl_buffer((8, 8), "float32", "A"), tir.decl_buffer((8, 8), "float32", "B")
    value = tir.if_then_else(m > 2, A.vload([i, j]), A.vload([i, j]) * 2.0)
    inner = tir.IfThenElse(tir.all(n > 3, i < 5), tir.BufferStore(B, value, [i, j]),
                           tir.BufferStore(B, tir.const(7.0, "float32"), [i, j]))
    loops = tir.For(i, 0, 8, "serial", tir.For(j, 0, 8, "serial", inner))
    mod = lathe.ir.Module([tir.Func("main", [n, m, A, B], loops)])
    made = tir.transform.HoistExpression()(mod)
    assert type(made["main"].body).__name__ == "If"
    only = tir.transform.HoistedConditionals.IfElseStmt
    with lathe.transform.PassContext(config={"tir.HoistExpression": {"hoisted_conditionals": only}}):
        less = tir.transform.HoistExpression()(mod)
    assert type(less["main"].body).__name__ == "For"  # i < 5 is part of the condition
    data = RANDOM.normal(size=(8, 8)).astype("float32")
    functions = [lathe.build(one, target="llvm") for one in (mod, made, less)]
    for numbers in itertools.product((1, 5), (1, 5)):
        results = [np.zeros((8, 8), "float32") for _ in functions]
        for function, result in zip(functions, results):
            function(*numbers, data, result)
        assert all((result == results[0]).all() for result in results)
    with lathe.transform.PassContext(config={"tir.HoistExpression": {"nothing": 1}}), pytest.raises(lathe.LatheError):
        tir.transform.HoistExpression()(mod)


def test_unsafe_selects_are_guarded():
    A, B = tir.decl_buffer((4,), "int32", "A"), tir.decl_buffer((8,), "int32", "B")
    i, n = te.var("i"), te.var("n")
    value = tir.Select(i < 4, A.vload([i]), i // n)
    mod = lathe.ir.Module([tir.Func("main", [n, A, B], tir.For(i, 0, 8, "serial", tir.BufferStore(B, value, [i])))])
    made = tir.transform.RewriteUnsafeSelect()(mod)
    assert "select" not in str(made["main"].body) and "if_then_else" in str(made["main"].body)
    safe = lathe.ir.Module([tir.Func("main", [n, B], tir.For(i, 0, 8, "serial", tir.BufferStore(
        B, tir.Select(i < n, i, i // 4), [i])))])
    assert lathe.ir.structural_equal(tir.transform.RewriteUnsafeSelect()(safe), safe)


def test_traces_call_functions_and_keep_values():
    seen = []
    lathe.register_func("test.trace", lambda *args: seen.append(args) or 5, override=True)
    for dtype in ("int8", "int64", "float32", "float64"):
        A = te.placeholder((3,), dtype, name="A")
        B = te.compute((3,), lambda i: tir.trace(["at", i, A[i]], "test.trace"), name="B")
        a, b = np.array([1, 2, 100]).astype(dtype), np.zeros(3, dtype)
        lathe.build(te.create_schedule(B.op), [A, B], "llvm")(a, b)
        assert (a == b).all()
    assert seen[:3] == [("at", 0, 1), ("at", 1, 2), ("at", 2, 100)] and len(seen) == 12
    with pytest.raises(lathe.LatheError, match="trace"):
        tir.trace(["only text"])


def exported(module, folder):
    module.export_library(str(folder / "made.so"))
    return str(folder / "made.so")


def test_sources_of_modules(tmp_path):
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    f = lathe.build(s, [A, B], "llvm", name="add_one")
    assert "define" in f.get_source() and "add_one" in f.get_source("ll") and "add_one" in f.get_source("asm")
    with pytest.raises(lathe.LatheError) as raised:
        f.get_source("cuda")
    assert raised.value.name == "module-no-source"
    other = lathe.build(s, [A, B], "llvm -mtriple=aarch64-linux-gnu")
    assert "fadd" in other.get_source("asm")
    graph = relay.build(relay.Function([x := relay.var("x", shape=(2,))], x + x), "llvm").get_lib()
    with pytest.raises(lathe.LatheError, match="compile_to"):
        graph.get_source("ll")
    with pytest.raises(lathe.LatheError, match="compile_to"):
        lathe.load_module(exported(f, tmp_path)).get_source("ll")


# -- Graphs.

def test_forms_of_operators_are_applied_once():
    x, w = relay.var("x", shape=(2, 8)), relay.var("w", shape=(4, 8))
    calls = []

    def wide(attrs, args, types):
        calls.append([str(one) for one in types])
        return relay.nn.dense(args[0] * relay.const(1.0), args[1]) + relay.const(1.0)

    func = relay.Function([x, w], relay.nn.dense(x, w))
    with relay.testing.temp_op_attr.TempOpAttr("nn.dense", "FTVMLegalize", wide):
        lib = relay.build(func, "llvm")
    assert calls == [["float32[2, 8]", "float32[4, 8]", "float32[2, 4]"]]
    executor = lathe.contrib.graph_executor.GraphModule(lib["default"](lathe.cpu()))
    executor.run(x=np.ones((2, 8), "float32"), w=np.ones((4, 8), "float32"))
    assert (executor.get_output(0).numpy() == 9).all()
    assert lathe.ir.op_attr("nn.dense", "FTVMLegalize") is None
    with pytest.raises(lathe.LatheError) as raised:
        relay.testing.temp_op_attr.TempOpAttr("nn.dense", "FTVMStrategy", wide).__enter__()
    assert raised.value.name == "op-attr-rule"


def test_partial_evaluation_follows_known_data():
    p = relay.prelude.Prelude()
    x = relay.var("x", shape=())
    numbers = p.cons(x, p.cons(relay.const(2.0), p.nil()))
    p.mod["main"] = relay.Function([x], p.sum(numbers))
    main = relay.transform.PartialEvaluate()(p.mod)["main"]
    assert relay.analysis.list_op_freqs(main).get("add") in (1, 2) and "match" not in str(main).lower()
    assert float(relay.create_executor("debug", main).evaluate()(np.float32(5)).numpy()) == 7.0
    n = relay.var("n", shape=(), dtype="int32")
    power, y = relay.GlobalVar("power"), relay.var("y", shape=())
    mod = lathe.IRModule()
    body = relay.If(n > relay.const(0), y * power(n - relay.const(1), y), relay.const(1.0))
    mod[power] = relay.Function([n, y], body, relay.scalar_type("float32"))
    mod["main"] = relay.Function([y], power(relay.const(3), y))
    made = relay.transform.PartialEvaluate()(mod)["main"]
    assert float(relay.create_executor("debug", made).evaluate()(np.float32(2)).numpy()) == 8.0
    assert "power" not in str(made)


def test_partial_evaluation_keeps_variables_of_copies_apart():
    p, f32, i32 = relay.prelude.Prelude(), relay.scalar_type("float32"), relay.scalar_type("int32")
    n, l, k = relay.Var("n", i32), relay.Var("l", p.list_type), relay.Var("k", f32)
    a, t, f, g = relay.Var("a", f32), relay.Var("t", p.list_type), relay.GlobalVar("f"), relay.GlobalVar("g")
    rest = relay.PatternConstructor(p.cons, [relay.PatternVar(a), relay.PatternVar(t)])
    step = relay.Match(l, [relay.Clause(rest, f(n - relay.const(1), t, k + a)),
                           relay.Clause(relay.PatternConstructor(p.nil), k)])
    p.mod[f] = relay.Function([n, l, k], relay.If(n > relay.const(0), step, k), f32)
    p.mod[g] = relay.Function([l, k], f(relay.const(2), l, k), f32)
    x = relay.var("x", shape=())
    p.mod["main"] = relay.Function([x], g(p.cons(x, p.cons(relay.const(100.0), p.nil())), relay.const(0.0)))
    made = relay.transform.PartialEvaluate()(p.mod)
    assert str(made["g"]).count("match") == 2
    made["main"] = p.mod["main"]
    assert float(relay.create_executor("debug", made).evaluate()(np.float32(1)).numpy()) == 101.0


def test_partial_evaluation_copies_loops():
    x, y, f = relay.var("x", shape=()), relay.var("y", shape=()), relay.GlobalVar("f")
    loop = relay.loops.while_loop(lambda i, v: i < relay.const(3), [relay.var("i", shape=(), dtype="int32"), x],
                                  lambda i, v: [i + relay.const(1), v * y])
    mod = lathe.IRModule()
    mod[f] = relay.Function([y, x], relay.TupleGetItem(loop(relay.const(0), x), 1), relay.scalar_type("float32"))
    mod["main"] = relay.Function([x], f(x, f(x, relay.const(1.0))))
    made = relay.transform.PartialEvaluate()(mod)
    assert float(relay.create_executor("debug", made).evaluate()(np.float32(2)).numpy()) == 64.0


def test_partial_evaluation_ends():
    n, fib, mod = relay.var("n", shape=(), dtype="int32"), relay.GlobalVar("fib"), lathe.IRModule()
    both = fib(n - relay.const(1)) + fib(n - relay.const(2))
    mod[fib] = relay.Function([n], relay.If(n < relay.const(2), n, both), relay.scalar_type("int32"))
    mod["main"] = relay.Function([], fib(relay.const(30)))
    evaluate, partial = relay._partial._Evaluate({"fib": mod["fib"]}), relay._partial
    evaluate.body(mod["main"].body, {})
    assert evaluate.calls == partial._CALLS


def test_gradients_of_weights_are_those_of_the_oracle():
    for stride, padding, groups in ((1, 0, 1), (2, 1, 1), (1, 1, 2)):
        data, extent = RANDOM.normal(size=(2, 4, 8, 8)).astype("float32"), (8 + 2 * padding - 3) // stride + 1
        grad = RANDOM.normal(size=(2, 6, extent, extent)).astype("float32")
        g, x = relay.var("g", shape=grad.shape), relay.var("x", shape=data.shape)
        made = relay.nn.conv2d_backward_weight(g, x, (stride,) * 2, (padding,) * 2, groups=groups, kernel_size=(3, 3))
        found = relay.create_executor("graph", relay.Function([g, x], made)).evaluate()(grad, data)
        want = lathe.topi.testing.conv2d_backward_weight_python(grad, data, (3, 3), stride, padding, groups=groups)
        np.testing.assert_allclose(found.numpy(), want, rtol=1e-3, atol=1e-4)


def test_gradients_of_pools_are_differences():
    data, step = RANDOM.normal(size=(1, 2, 6, 6)), 1e-3
    for kind, count in (("max", True), ("avg", True), ("avg", False)):
        def pool(x):
            return lathe.topi.testing.poolnd_python(x, [2, 3], [2, 2], [1, 1], [1, 1], [1, 1], kind,
                                                    count_include_pad=count)

        out = pool(data)
        weights = RANDOM.normal(size=out.shape)
        found = lathe.topi.testing.pool_grad_nchw(data, weights, (2, 3), (2, 2), (1, 1, 1, 1), kind, False, count)
        for place in np.ndindex(data.shape):
            moved = data.copy()
            moved[place] += step
            assert abs(((pool(moved) - out) * weights).sum() / step - found[place]) < 2e-2


def test_sparse_places_in_dense_tensors():
    places = RANDOM.permutation(20)[:6].astype("int32")
    values = RANDOM.normal(size=6).astype("float32")
    want = np.full((4, 5), 2.0, "float32")
    want.flat[places] = values
    rows = np.stack(np.unravel_index(places, (4, 5)), axis=1).astype("int32")
    made = relay.sparse_to_dense(relay.const(rows), (4, 5), relay.const(values), 2.0)
    np.testing.assert_array_equal(relay.create_executor("debug").evaluate(made).numpy(), want)
    I, V = te.placeholder((6, 2), "int32", name="I"), te.placeholder((6,), name="V")
    D = lathe.topi.sparse_to_dense(I, (4, 5), V, 2.0)
    f, d = lathe.build(te.create_schedule(D.op), [I, V, D], "llvm"), np.zeros((4, 5), "float32")
    f(rows, values, d)
    np.testing.assert_array_equal(d, want)


def test_loops_of_expressions_are_functions():
    i, x = relay.var("i", shape=(), dtype="int32"), relay.var("x", shape=(2,))
    loop = relay.loops.while_loop(lambda i, x: relay.less(i, relay.const(4)), [i, x], lambda i, x: [i + 1, x * 2.0])
    start = relay.var("start", shape=(2,))
    func = relay.Function([start], loop(relay.const(1), start)[1])
    found = relay.create_executor("graph", lathe.IRModule.from_expr(func)).evaluate()(np.array([1, 3], "float32"))
    assert found.numpy().tolist() == [8.0, 24.0]
    with pytest.raises(lathe.LatheError, match="types"):
        relay.loops.while_loop(lambda i: i, [relay.Var("i")], lambda i: [i])


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
    for pipeline in (pipeline_executor.PipelineModule(built), pipeline_executor.PipelineModule.load_library(path)):
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


def test_sparse_arrays():
    from lathe.contrib import sparse

    dense = RANDOM.integers(0, 3, (5, 7)).astype("float32")
    made = sparse.array(dense)
    np.testing.assert_array_equal(made.numpy(), dense)
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


def test_parts_end_where_something_else_reads_them():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    s = x + y
    func = relay.Function([x, y], relay.Tuple([relay.exp(s), s * y]))
    marked = relay.testing.byoc.CcompilerAnnotator().visit(func)
    mod = relay.transform.PartitionGraph()(lathe.IRModule.from_expr(marked))
    assert not any("compiler_" in name for name in relay.analysis.list_op_freqs(mod))
    assert sum(func.attrs.get("Compiler") == "ccompiler" for func in mod.functions.values()) == 1


def test_gradients_go_through_stops_of_fusion():
    x = relay.var("x", shape=(2,))
    func = relay.Function([x], relay.annotation.stop_fusion(x * x) * relay.const(2.0))
    made = relay.create_executor("debug", relay.transform.gradient(func)).evaluate()(np.array([1.0, 3.0], "float32"))
    assert made[1][0].numpy().tolist() == [4.0, 12.0]


def test_places_in_texts_are_copied():
    span = relay.Span("m", 3, 4, 1, 8)
    for made in (copy.deepcopy(span), copy.copy(span), pickle.loads(pickle.dumps(span))):
        assert made == span and (made.source_name, made.end_line, made.column, made.end_column) == ("m", 4, 1, 8)


def test_hosts_and_channels_are_checked():
    context = lathe.transform.PassContext()
    config = lathe.target.make_compilation_config(context, "opencl")
    assert str(config.host_target.kind) == "llvm"
    context = lathe.transform.PassContext(config={"relay.fallback_device_type": 4})
    config = lathe.target.make_compilation_config(context, {"cpu": "llvm", "opencl": "opencl"})
    with pytest.raises(lathe.LatheError, match="the default device must be the host"):
        relay.transform.PlanDevices(config)
    grad, data = relay.var("g", shape=(2, 8, 6, 6)), relay.var("x", shape=(2, 4, 8, 8))
    with pytest.raises(lathe.LatheError, match="another number of channels") as raised:
        relay.nn.conv2d_backward_weight(grad, data, kernel_size=(3, 3), channels=9)
    assert raised.value.name == "relay-conv2d-backward"
