"""Names that programs for TVM 0.9 write: arithmetic, loops, sources."""

import itertools

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
    on_threads = te.create_schedule(B.op)
    on_threads[B].bind(B.op.axis[0], te.thread_axis("threadIdx.x"))
    for target in ("opencl", lathe.Target("opencl", host="llvm -mcpu=x86-64")):
        device = lathe.build(on_threads, [A, B], target, name="add_one")
        assert device.get_source() == device.get_source("ll") and "define" in device.get_source()
        assert "add_one_kernel" in device.get_source("ll") and "add_one" in device.get_source("asm")
        assert "__kernel" in device.imported_modules[0].get_source() and "__kernel" not in device.get_source()
    y = relay.var("y", shape=(64,))
    launches = relay.build(relay.Function([y], relay.exp(y)), "opencl").get_lib().get_source("ll")
    assert "define" in launches and "__kernel" not in launches
    graph = relay.build(relay.Function([x := relay.var("x", shape=(2,))], x + x), "llvm").get_lib()
    assert "define" in graph.get_source("ll")
    with pytest.raises(lathe.LatheError, match="compile_to"):
        lathe.load_module(exported(f, tmp_path)).get_source("ll")
