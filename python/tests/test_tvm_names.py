"""Names that programs for TVM 0.9 write, beside those that other files here are about."""

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
    assert number(made.src_to_dst[x], {shifted: 3, n: 10}) == 13
    assert number(made.dst_to_src[shifted], {x: 13, n: 10}) == 3
    open_end = arith.solve_linear_inequalities([x > 3], [x])
    assert not open_end.ranges and number(open_end.relations[0], {x: 4}) and not number(open_end.relations[0], {x: 3})
    (never,) = arith.solve_linear_inequalities([x > 3, x < 2], [x]).relations
    assert never.value == 0
    with pytest.raises(lathe.LatheError) as raised:
        arith.solve_linear_inequalities([x * x > 3], [x])
    assert raised.value.name == "arith-inequality"


def test_parameters_of_equal_names_are_different():
    x, first, second = te.var("x"), te.var("n"), te.var("n")
    conditions = [x >= first, x >= second, x >= first, x < 100, x < 90]
    made = arith.solve_linear_inequalities(conditions, [x]).ranges[x]
    for values in itertools.product((3, 50), (4, 40)):
        binds = dict(zip((first, second), values))
        assert number(made.min, binds) == max(values) and number(made.extent, binds) == 90 - max(values)
    listed = arith.solve_inequalities_as_condition([x], {}, conditions)
    assert len(listed) == 5  # of x, and that each parameter is below 90


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


def test_what_is_touched_is_known_outside_of_the_statement():
    i, j, k, n = (te.var(name) for name in "ijkn")
    A, P = tir.decl_buffer((100,), "float32", "A"), tir.decl_buffer((100,), "int32", "P")

    def touched(body):
        return [(number(one.min, {n: 20}), number(one.extent, {n: 20})) for one in arith.domain_touched(
            tir.For(i, 0, 8, "serial", body), A)]

    read = lambda index: tir.Evaluate(A.vload([index]))
    assert touched(tir.For(j, 0, i, "serial", read(j))) == [(0, 7)]
    assert touched(tir.For(j, i, 3, "serial", read(j * 2))) == [(0, 19)]
    assert touched(tir.For(j, i + n, 3, "serial", read(j))) == [(20, 10)]
    assert touched(tir.LetStmt(k, i * 2, read(k))) == [(0, 15)]
    assert touched(tir.LetStmt(k, i * 2, tir.For(j, k, 2, "serial", read(j)))) == [(0, 16)]
    assert touched(tir.LetStmt(k, i * 2, read(tir.Let(j, k + 1, j)))) == [(1, 15)]
    for whole in (read(P.vload([i])), tir.For(j, 0, P.vload([i]), "serial", read(j)),
                  tir.LetStmt(k, P.vload([0]), read(k + i)),
                  tir.IfThenElse(i > 3, tir.LetStmt(k, i, read(k)), tir.LetStmt(k, i * 2, read(k)))):
        assert touched(whole) == [(0, 100)]
    both = tir.For(j, 0, i, "serial", tir.BufferStore(A, A.vload([j + 50]), [i]))
    one = lambda **kinds: int(arith.domain_touched(tir.For(i, 0, 8, "serial", both), A, **kinds)[0].extent)
    assert (one(), one(consider_loads=False), one(consider_stores=False)) == (57, 8, 7)


@pytest.mark.parametrize("function, shape", [
    (lambda i: [i // 4, i % 4], [32]), (lambda i, j: [j, i], [4, 6]),
    (lambda i, j: [i // 2, j // 3, i % 2, j % 3], [4, 6]),
    (lambda i, j: [i * 6 + j], [4, 6]),
    (lambda i: [i % 8 // 2, i // 8, i % 2], [32])])
def test_index_maps_have_inverses(function, shape):
    made = tir.IndexMap.from_func(function)
    back = made.inverse(shape)
    for point in itertools.product(*map(range, shape)):
        moved = [int(n) for n in made.map_indices(list(point))]
        assert tuple(int(n) for n in back.map_indices(moved)) == point
    assert np.prod([int(n) for n in made.map_shape(shape)]) == np.prod(shape)
    assert back.inverse(made.map_shape(shape)) is made


def test_index_maps_that_cut_an_index_across_have_no_inverse():
    made = tir.IndexMap.from_func(lambda i, j: [(i * 6 + j) // 8, (i * 6 + j) % 8])
    with pytest.raises(lathe.LatheError, match="cuts") as raised:
        made.inverse([8, 6])
    assert raised.value.name == "index-map-inverse"


def test_index_maps_without_inverse():
    for function in (lambda i: [i // 4], lambda i: [i * 2], lambda i: [i, i], lambda i: [i * i]):
        with pytest.raises(lathe.LatheError) as raised:
            tir.IndexMap.from_func(function).inverse([8])
        assert raised.value.name == "index-map-inverse"
    functions = lambda i: [i // 4, i % 4], lambda k: [k // 4, k - k // 4 * 4], lambda i: [i % 4]
    same = [tir.IndexMap.from_func(f) for f in functions]
    assert same[0].is_equivalent_to(same[1]) and not same[0].is_equivalent_to(same[2])
    assert len(tir.IndexMap.from_func(lambda *i: i[::-1], ndim=3).initial_indices) == 3


def test_index_maps_have_right_inverses_or_none():
    with pytest.raises(lathe.LatheError, match="carry") as raised:
        tir.IndexMap.from_func(lambda i, j: [(i * 2 + j) // 4, i % 2, j]).inverse([4, 3])
    assert raised.value.name == "index-map-inverse"
    random, right = np.random.default_rng(0), 0

    def part(indices):
        made = tir.const(0, "int32")
        for one in indices:
            made = made + one * int(random.choice([-1, 0, 0, 1, 1, 2, 3, 4]))
        kind, by = random.integers(3), int(random.choice([-2, 2, 3, 4]))
        return made if kind == 0 else made // by if kind == 1 else made % by

    for _ in range(1000):
        shape, count = [int(n) for n in random.choice([1, 2, 3, 4, 6, 8], 2)], int(random.integers(1, 4))
        made = tir.IndexMap.from_func(lambda i, j: [part([i, j]) for _ in range(count)])
        try:
            back = made.inverse(shape)
        except lathe.LatheError as error:
            assert error.name == "index-map-inverse"
            continue
        right += 1
        for point in itertools.product(*map(range, shape)):
            moved = [int(n) for n in made.map_indices(list(point))]
            assert tuple(int(n) for n in back.map_indices(moved)) == point
    assert right > 20, right


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


def hoisting(body, *params, **config):
    """The body that HoistExpression makes of one, which computes the same for numbers."""
    mod = lathe.ir.Module([tir.Func("main", list(params), body)])
    with lathe.transform.PassContext(config={"tir.HoistExpression": config} if config else {}):
        made = tir.transform.HoistExpression()(mod)
    for numbers in itertools.product((0, 1, 5), repeat=sum(not hasattr(one, "shape") for one in params)):
        results, left = [], list(numbers)
        values = [np.full(8, len(one.name), "float32") if hasattr(one, "shape") else left.pop() for one in params[:-1]]
        for one in (mod, made):
            results.append(np.zeros(8, params[-1].dtype))
            lathe.build(one, target="llvm")(*values, results[-1])
        np.testing.assert_array_equal(*results)
    return made["main"].body


def test_hoisted_branches_that_differ_in_what_they_read_stay_two():
    n, i, x, y = te.var("n"), te.var("i"), te.var("x", "float32"), te.var("y", "float32")
    B, A, C = (tir.decl_buffer((8,), "float32", name) for name in ("B", "A", "CC"))
    for a, b, params in ((x, y, [n, x, y]), (A.vload([i]), C.vload([i]), [n, A, C])):
        guarded = tir.IfThenElse(n > 3, tir.BufferStore(B, a, [i]), tir.BufferStore(B, b, [i]))
        made = hoisting(tir.For(i, 0, 8, "serial", guarded), *params, B)
        assert made.then_case is not None and made.else_case is not None
    same = tir.IfThenElse(n > 3, tir.BufferStore(B, x, [i]), tir.BufferStore(B, x, [i]))
    assert type(hoisting(tir.For(i, 0, 8, "serial", same), n, x, B)).__name__ == "For"


def test_bindings_of_statements_and_expressions_are_hoisted():
    n, i, k = te.var("n"), te.var("i"), te.var("k")
    B = tir.decl_buffer((8,), "int32", "B")
    statement = tir.LetStmt(k, n * 2, tir.BufferStore(B, k + i, [i]))
    expression = tir.BufferStore(B, tir.Let(k, n * 2, k + i), [i])
    for one in (statement, expression):
        made = hoisting(tir.For(i, 0, 8, "serial", one), n, B)
        assert (type(made).__name__, type(made.body).__name__) == ("LetStmt", "For")
        made = hoisting(tir.For(i, 0, 8, "serial", one), n, B, hoisted_let_bindings=0)
        assert type(made).__name__ == "For"


def test_variables_that_are_bound_twice_stay():
    n, i, k = te.var("n"), te.var("i"), te.var("k")
    B = tir.decl_buffer((8,), "int32", "B")
    bound = [tir.LetStmt(k, n * factor, tir.BufferStore(B, k, [i])) for factor in (2, 3)]
    loop = tir.For(i, 0, 8, "serial", tir.IfThenElse(i > 3, *bound))
    made = tir.transform.HoistExpression()(lathe.ir.Module([tir.Func("main", [n, B], loop)]))
    assert type(made["main"].body).__name__ == "For"


def test_only_the_bindings_that_a_condition_needs_are_hoisted():
    n, i, k, needed, free = (te.var(name) for name in ("n", "i", "k", "needed", "free"))
    B, only = tir.decl_buffer((8,), "int32", "B"), tir.transform.HoistedLetBindings.RequiredByConditional
    store = tir.IfThenElse(needed > 3, tir.BufferStore(B, free, [i]), None)
    for value, order in ((n * 2, ["needed"]), (k + 1, ["k", "needed"])):
        loop = tir.For(i, 0, 8, "serial", tir.LetStmt(k, n + 1, tir.LetStmt(needed, value, tir.LetStmt(
            free, n + 7, store))))
        made, names = hoisting(loop, n, B, hoisted_let_bindings=only), []
        while type(made).__name__ == "LetStmt":
            names.append(made.var.name)
            made = made.body
        assert names == order
        assert (type(made).__name__, type(made.then_case).__name__) == ("If", "For")
    bound = tir.LetStmt(needed, n + i, store)
    loop = tir.For(i, 0, 8, "serial", tir.LetStmt(free, n + 7, bound))
    assert type(hoisting(loop, n, B, hoisted_let_bindings=only)).__name__ == "For"


def test_divisions_stay_behind_their_guards():
    n, m, i, k = (te.var(name) for name in "nmik")
    B = tir.decl_buffer((8,), "int32", "B")
    store = tir.BufferStore(B, n + 1, [i])
    for inner in (tir.IfThenElse(n // m > 2, store, None), tir.LetStmt(k, n % m, tir.BufferStore(B, k, [i]))):
        made = hoisting(tir.For(i, 0, 8, "serial", tir.IfThenElse(m > 0, inner, None)), n, m, B)
        assert type(made).__name__ == "If" and "m > 0" in str(made.condition)
        made = hoisting(tir.For(i, 0, 8, "serial", tir.IfThenElse(m > i, inner, None)), n, m, B)
        assert type(made).__name__ == "For"
    made = hoisting(tir.For(i, 0, 8, "serial", tir.IfThenElse(n // 2 > 1, store, None)), n, B)
    assert type(made).__name__ == "If"


def test_conditions_of_threads_are_hoisted_when_the_config_says_so():
    t, i, n = te.var("t"), te.var("i"), te.var("n")
    B = tir.decl_buffer((4, 8), "int32", "B")
    guarded = tir.IfThenElse(t > n, tir.BufferStore(B, n, [t, i]), None)
    threads = tir.For(t, 0, 4, "thread", tir.For(i, 0, 8, "serial", guarded), "threadIdx.x")
    mod, option = lathe.ir.Module([tir.Func("main", [n, B], threads)]), "support_block_scope_hosting"

    def inner(variant, config):
        with lathe.transform.PassContext(config={"tir.HoistIfThenElse": config}):
            return type(tir.transform.HoistIfThenElse(variant)(mod)["main"].body.body).__name__

    assert inner(None, {}) == inner(None, {option: False}) == inner("basic", {option: True}) == "For"
    assert inner(None, {option: True}) == "If"
    with pytest.raises(lathe.LatheError, match="support_block") as raised:
        inner(None, {"hosting": True})
    assert raised.value.name == "unknown-option"


def test_functions_of_scheduled_loops_can_be_built():
    n = te.var("n")
    A = te.placeholder((4, n), name="A")
    both = te.compute(A.shape, lambda i, j: (A[i, j] + 1.0, A[i, j] * 2.0), name="B")
    C = te.compute(A.shape, lambda i, j: both[0][i, j] + both[1][i, j], name="C")
    s = te.create_schedule(C.op)
    s[both[0]].compute_at(s[C], C.op.axis[0])
    body, data = te.schedule.ScheduleOps(s, te.schedule.InferBound(s)), RANDOM.normal(size=(4, 3)).astype("float32")
    for extern in ({}, {A: tir.decl_buffer(A.shape, "float32", "P"), C: tir.decl_buffer(A.shape, "float32", "Q")}):
        func = te.schedule.SchedulePostProcToPrimFunc([A, C], body, extern)
        assert [one.name for one in func.params] == (["P", "Q"] if extern else ["A", "C"])
        result = np.zeros((4, 3), "float32")
        lathe.build(tir.transform.CompactBufferAllocation()(lathe.ir.Module([func])), target="llvm")(data, result)
        np.testing.assert_allclose(result, data * 3 + 1, rtol=1e-6)
    alone = te.schedule.ScheduleOps(te.create_schedule(both[0].op))
    result = [np.zeros((4, 3), "float32") for _ in range(2)]
    lathe.build(te.schedule.SchedulePostProcToPrimFunc([A, *both], alone), target="llvm")(data, *result)
    np.testing.assert_allclose(result[1], data * 2, rtol=1e-6)
    again = te.placeholder(A.shape, name="A")
    with pytest.raises(lathe.LatheError, match="more than once") as raised:
        te.schedule.SchedulePostProcToPrimFunc([A, again], body)
    assert raised.value.name == "schedule-equal-names"


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


# -- Parts of graphs for TensorRT, and devices.

def _compilers(mod):
    return [func.attrs["Compiler"] for var, func in mod.functions.items() if var.name_hint != "main"]


def test_parts_for_tensorrt():
    trt = relay.op.contrib.tensorrt
    x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
    weight = RANDOM.normal(size=(4, 3, 3, 3)).astype("float32")
    net = lathe.IRModule.from_expr(relay.Function([x, w], relay.nn.relu(relay.nn.conv2d(x, w))))
    mod, options = trt.partition_for_tensorrt(net, {"w": weight}, version=(8, 2, 0), use_fp16=True)
    assert _compilers(mod) == ["tensorrt"] and [p.name_hint for p in mod["main"].params] == ["x"]
    assert options["tensorrt_version"] == (8, 2, 0) and options["use_fp16"] and options["use_implicit_batch"]
    kept, _ = trt.partition_for_tensorrt(net, {"w": weight}, remove_no_mac_subgraphs=True)
    assert _compilers(kept) == ["tensorrt"]
    # Without a product the part is Lathe's again, and the same is computed.
    small = lathe.IRModule.from_expr(relay.Function([x], relay.nn.relu(relay.exp(x) - relay.const(2.0))))
    assert _compilers(trt.partition_for_tensorrt(small)[0]) == ["tensorrt"]
    made, _ = trt.partition_for_tensorrt(small, remove_no_mac_subgraphs=True)
    assert _compilers(made) == []
    value = RANDOM.normal(size=(1, 3, 8, 8)).astype("float32")
    found = relay.create_executor("graph", made).evaluate()(value).numpy()
    np.testing.assert_allclose(found, np.maximum(np.exp(value) - 2, 0), rtol=1e-5, atol=1e-5)
    # Integers are not TensorRT's.
    i = relay.var("i", shape=(2,), dtype="int32")
    assert _compilers(trt.partition_for_tensorrt(lathe.IRModule.from_expr(relay.Function([i], i + i)))[0]) == []


def test_devices_are_planned():
    config = lathe.target.make_compilation_config(lathe.transform.PassContext(), {"cpu": "llvm", "opencl": "opencl"})
    x = relay.var("x", shape=(2,))
    away = relay.annotation.on_device(relay.tanh(x), "opencl")
    made = relay.transform.PlanDevices(config)(relay.exp(away))
    # From the host to OpenCL is the graph's input, which may be there; back is a copy.
    assert str(made).count("device_copy") == 1 and "opencl" in str(made)
    assert str(relay.transform.PlanDevices(config)(relay.exp(relay.tanh(x)))).count("device_copy") == 0
    alone = lathe.target.make_compilation_config(lathe.transform.PassContext(), "llvm")
    with pytest.raises(lathe.LatheError) as raised:
        relay.transform.PlanDevices(alone)(relay.exp(away))
    assert raised.value.name == "graph-no-target"


def test_devices_are_planned_from_the_host():
    context = lathe.transform.PassContext(config={"relay.fallback_device_type": 4})
    config = lathe.target.make_compilation_config(context, {"cpu": "llvm", "opencl": "opencl"})
    with pytest.raises(lathe.LatheError) as raised:
        relay.transform.PlanDevices(config)
    assert raised.value.name == "relay-device"


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
