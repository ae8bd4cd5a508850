"""relay.vm and runtime.vm: recursion, closures, data types; and relay.adt, relay.prelude."""

import numpy as np
import pytest

import lathe
from lathe import relay
from lathe.runtime import container
from lathe.runtime.vm import Executable, VirtualMachine

F32 = relay.scalar_type("float32")


def error_of(function, *args, **kwargs):
    with pytest.raises(lathe.LatheError) as raised:
        function(*args, **kwargs)
    return raised.value


def number(value):
    return float(np.float32(value)) if isinstance(value, (int, float)) else float(value.numpy())


def listed(value):
    """The elements of a List."""
    found = []
    while value.constructor.split(".")[1] == "Cons":
        head, value = value.fields
        found.append(number(head) if head.numpy().ndim == 0 else head.numpy().tolist())
    return found


def both(mod, *args):
    """The results of the machine and of the interpreter."""
    return [relay.create_executor(kind, mod).evaluate()(*args) for kind in ("vm", "debug")]


def chain(p, *items):
    made = p.nil()
    for item in reversed(items):
        made = p.cons(relay.const(float(item)) if isinstance(item, (int, float)) else item, made)
    return made


def unary(body):
    x = relay.var("a", shape=())
    return relay.Function([x], body(x))


def binary(body):
    x, y = relay.var("a", shape=()), relay.var("b", shape=())
    return relay.Function([x, y], body(x, y))


def test_lists_of_the_prelude():
    cases = {
        "map": (lambda p, l: p.map(unary(lambda x: x * 2.0), l), [2, 4, 6]),
        "rev": (lambda p, l: p.rev(l), [3, 2, 1]),
        "append": (lambda p, l: p.append(l, l), [1, 2, 3, 1, 2, 3]),
        "tl": (lambda p, l: p.tl(l), [2, 3]),
        "filter": (lambda p, l: p.filter(unary(lambda x: x > 1.5), l), [2, 3]),
        "zip_with": (lambda p, l: p.zip_with(binary(lambda x, y: x * y), l, l), [1, 4, 9]),
        "update": (lambda p, l: p.update(l, relay.const(1), relay.const(9.0)), [1, 9, 3]),
    }
    for name, (body, expected) in cases.items():
        p = relay.prelude.Prelude()
        p.mod["main"] = relay.Function([], body(p, chain(p, 1, 2, 3)))
        for found in both(p.mod):
            assert listed(found) == expected, name


def test_folds_and_numbers_of_the_prelude():
    minus = binary(lambda x, y: x - y)
    cases = {
        "foldl": (lambda p, l: p.foldl(minus, relay.const(10.0), l), 4),
        "foldr": (lambda p, l: p.foldr(minus, relay.const(10.0), l), -8),
        "sum": (lambda p, l: p.sum(l), 6),
        "length": (lambda p, l: p.length(l), 3),
        "iterate": (lambda p, l: p.iterate(unary(lambda x: x * 2.0), relay.const(1.0),
                                           relay.const(5)), 32),
    }
    for name, (body, expected) in cases.items():
        p = relay.prelude.Prelude()
        p.mod["main"] = relay.Function([], body(p, chain(p, 1, 2, 3)))
        for found in both(p.mod):
            assert number(found) == expected, name
    p = relay.prelude.Prelude(element_type=F32)
    p.mod["main"] = relay.Function([], relay.Tuple([
        p.hd(chain(p)), p.nth(chain(p, 4, 5), relay.const(1))]))
    for none, some in both(p.mod):
        assert none.constructor == "Option.None" and none.tag == 1 and len(none) == 0
        assert some.constructor == "Option.Some" and number(some[0]) == 5


def test_natural_numbers():
    p = relay.prelude.Prelude()
    relay.testing.add_nat_definitions(p)
    p.mod["main"] = relay.Function([], relay.Tuple([relay.testing.make_nat_expr(p, 2), chain(p, 1)]))
    number, other = relay.create_executor("debug", p.mod).evaluate()()
    assert relay.testing.count(p, number) == 2
    error = error_of(relay.testing.count, p, other)
    assert error.name == "testing-value" and "expected: a value of the type `" in str(error)


def test_trees_of_the_prelude():
    p = relay.prelude.Prelude()
    leaf = p.rose(relay.const(2.0), p.no_trees())
    tree = p.rose(relay.const(1.0), p.more_trees(leaf, p.more_trees(leaf, p.no_trees())))
    p.mod["main"] = relay.Function([], relay.Tuple([
        p.size(tree), p.tmap(unary(lambda x: x + 1.0), tree)]))
    for size, mapped in both(p.mod):
        assert number(size) == 3
        assert number(mapped[0]) == 2 and number(mapped[1][0][0]) == 3


def test_two_element_types_in_one_module():
    p = relay.prelude.Prelude()
    rows = relay.prelude.Prelude(p.mod, relay.TensorType((2,)), "_rows")
    x = relay.var("x", shape=(2,))
    row = rows.cons(x, rows.cons(x, rows.nil()))
    p.mod["main"] = relay.Function([x], relay.Tuple([rows.sum(row), p.sum(chain(p, 1, 2))]))
    for total, plain in both(p.mod, np.float32([1, 2])):
        assert total.numpy().tolist() == [2, 4] and number(plain) == 3
    assert [t.name_hint for t in p.mod.get_global_type_vars()][0] == "List"
    assert p.mod.get_type("List_rows")[1].name_hint == "Cons"


def test_a_data_type_of_ones_own():
    shape = relay.GlobalTypeVar("Shape")
    circle = relay.Constructor("Circle", [F32], shape)
    rectangle = relay.Constructor("Rectangle", [F32, F32], shape)
    mod = lathe.IRModule()
    mod[shape] = relay.TypeData(shape, [], [circle, rectangle])
    s, r, w, h = relay.var("s", shape), relay.Var("r"), relay.Var("w"), relay.Var("h")
    var = relay.PatternVar
    area = relay.Match(s, [
        relay.Clause(relay.PatternConstructor(circle, [var(r)]), r * r * 3.0),
        relay.Clause(relay.PatternConstructor(rectangle, [var(w), var(h)]), w * h)])
    assert area.checked_type == F32
    mod["area"] = relay.Function([s], area, F32)
    x = relay.var("x", shape=())
    call = relay.GlobalVar("area")
    mod["main"] = relay.Function([x], relay.Tuple([call(circle(x)), call(rectangle(x, x))]))
    for round_one, square in both(mod, np.float32(2)):
        assert number(round_one) == 12 and number(square) == 4
    # The text reads back, and so do the expressions.
    again = lathe.ir.parse_graph(mod.astext())
    assert again.astext() == mod.astext()
    again["other"] = mod["area"]
    assert again["main"].checked_type == mod["main"].checked_type
    assert again.get_constructor("Shape", "Circle").inputs == [F32]


def test_nested_patterns():
    p = relay.prelude.Prelude(element_type=F32)
    l, a, b = relay.var("l", p.list_type), relay.Var("a"), relay.Var("b")
    any_, var, cons = relay.PatternWildcard(), relay.PatternVar, relay.PatternConstructor
    nil = cons(p.nil)
    clauses = [relay.Clause(cons(p.cons, [var(a), cons(p.cons, [var(b), any_])]), a - b),
               relay.Clause(cons(p.cons, [var(a), nil]), a),
               relay.Clause(any_, relay.const(-1.0))]
    p.mod["second"] = relay.Function([l], relay.Match(l, clauses), F32)
    for items, expected in ((), -1), ((5,), 5), ((5, 3), 2), ((5, 3, 1), 2):
        p.mod["main"] = relay.Function([], relay.GlobalVar("second")(chain(p, *items)))
        for found in both(p.mod):
            assert number(found) == expected
    # Tuples are matched, too.
    pair = relay.Tuple([chain(p, 1), chain(p)])
    both_nil = relay.Match(pair, [
        relay.Clause(relay.PatternTuple([nil, nil]), relay.const(1.0)),
        relay.Clause(relay.PatternTuple([any_, nil]), relay.const(2.0)),
        relay.Clause(any_, relay.const(3.0))])
    p.mod["main"] = relay.Function([], both_nil)
    for found in both(p.mod):
        assert number(found) == 2


def test_wrong_matches():
    p = relay.prelude.Prelude(element_type=F32)
    l, cons, nil = relay.var("l", p.list_type), relay.PatternConstructor, relay.PatternWildcard()
    one = relay.const(1.0)

    def check(*clauses):
        return relay.Match(l, [relay.Clause(pattern, one) for pattern in clauses]).checked_type

    error = error_of(check, cons(p.nil), cons(p.cons, [nil, cons(p.nil)]))
    assert error.name == "graph-match-missing"
    assert "List.Cons(_, List.Cons(_, _))" in str(error)
    assert error_of(check, nil, cons(p.nil)).name == "graph-match-clause"
    assert error_of(check, cons(p.cons, [nil])).name == "graph-match-pattern"
    assert error_of(relay.Match, l, [], False).name == "relay-match-partial"
    assert error_of(relay.Clause, p.nil, one).name == "relay-pattern-type"
    assert error_of(relay.TypeData, p.list_type, [F32], []).name == "relay-type-arguments"
    other = relay.GlobalTypeVar("Other")
    assert error_of(relay.TypeData, other, [], [p.nil]).name == "relay-constructor"
    loose = relay.Constructor("Loose", [], other)
    assert error_of(lambda: loose().checked_type).name == "relay-constructor"
    bad = p.cons(relay.const([1.0, 2.0]), p.nil())
    assert error_of(lambda: bad.checked_type).name == "graph-type"
    assert error_of(lathe.IRModule, {}, [other]).name == "relay-type-definitions"


def test_constructors_and_functions_are_values():
    p = relay.prelude.Prelude()
    some = relay.Function([relay.var("f", relay.FuncType([F32], p.option_type))],
                          relay.var("unused", shape=()))
    assert some.params[0].type_annotation.params[0] == F32
    f = relay.var("f", relay.FuncType([F32], p.option_type))
    p.mod["apply"] = relay.Function([f], f(relay.const(3.0)), p.option_type)
    x = relay.var("x", shape=())
    p.mod["double"] = relay.Function([x], x * 2.0, F32)
    double = relay.GlobalVar("double", relay.FuncType([F32], F32))
    p.mod["main"] = relay.Function([], relay.Tuple([
        relay.GlobalVar("apply")(p.some), p.map(double, chain(p, 1, 2))]))
    for made, mapped in both(p.mod):
        assert number(made[0]) == 3 and listed(mapped) == [2, 4]


def test_an_executable():
    x = relay.var("x", shape=(relay.Any("n"), 3))
    w = relay.var("w", shape=(2, 3))
    func = relay.Function([x, w], relay.nn.dense(x, w))
    weights = np.arange(6, dtype="float32").reshape(2, 3)
    exe = relay.vm.compile(func, "llvm", params={"w": weights})
    assert isinstance(exe, Executable)
    assert exe.globals == ["main"] and exe.get_function_params("main") == ["x"]
    assert "return r" in exe.bytecode and "Globals: main" in exe.stats
    assert exe.constants == 1 and exe.primitive_ops
    assert error_of(exe.get_function_params, "mian").name == "graph-function-unknown"
    vm = VirtualMachine(exe, lathe.cpu())
    for rows in (1, 4, 2):
        data = np.random.default_rng(rows).standard_normal((rows, 3)).astype("float32")
        np.testing.assert_allclose(vm.run(data).numpy(), data @ weights.T, rtol=1e-5)
        np.testing.assert_allclose(vm.invoke("main", x=data).numpy(), data @ weights.T, rtol=1e-5)
    data = np.ones((2, 3), "float32")
    vm.set_input("main", data)
    data[:] = 0
    vm.invoke_stateful("main")
    outputs = vm.get_outputs()
    assert len(outputs) == 1 and outputs[0].numpy().tolist() == [[3, 12], [3, 12]]
    assert vm.get_input_index("x") == 0 and vm.get_input_index("y") == -1
    assert vm.benchmark(lathe.cpu(), data, repeat=2, number=2).mean > 0
    assert vm.benchmark(lathe.cpu(), data, repeat=2, number=2, end_to_end=True).mean > 0


def test_files_load_with_the_runtime_alone(tmp_path):
    p = relay.prelude.Prelude()
    l = relay.var("l", p.list_type)
    w = relay.const(np.float32(3))
    scale = unary(lambda a: a * w)
    p.mod["main"] = relay.Function([l], relay.Tuple([p.map(scale, l), p.length(l)]))
    p.mod["build"] = relay.Function([], chain(p, 1, 2))
    p.mod["main"] = relay.Function([], p.map(scale, chain(p, 1, 2)))
    exe = relay.vm.compile(p.mod, "llvm")
    code, lib = exe.save()
    for name in ("model.so", "model.tar"):
        path = str(tmp_path / name)
        lib.export_library(path)
        loaded = lathe.runtime.load_module(path)
        for found in (Executable(loaded), Executable.load_exec(code, loaded)):
            assert listed(VirtualMachine(found, lathe.cpu()).run()) == [3, 6]


def test_values_go_in_again():
    p = relay.prelude.Prelude()
    l = relay.var("l", p.list_type)
    p.mod["main"] = relay.Function([l], p.cons(relay.const(7.0), l))
    vm = VirtualMachine(relay.vm.compile(p.mod, "llvm"), lathe.cpu())
    q = relay.prelude.Prelude()
    q.mod["main"] = relay.Function([], chain(q, 1))
    # Another program's value, and one of the interpreter.
    for first in both(q.mod):
        value = first
        for _ in range(3):
            value = vm.run(value)
        assert isinstance(value, container.ADT) and listed(value) == [7, 7, 7, 1]
        assert listed(relay.create_executor("debug", p.mod).evaluate()(value)) == [7, 7, 7, 7, 1]


def test_wrong_calls():
    p = relay.prelude.Prelude()
    n = relay.Any("n")
    x, y = relay.var("x", shape=(n,)), relay.var("y", shape=(n,))
    p.mod["main"] = relay.Function([x, y], x + y)
    vm = VirtualMachine(relay.vm.compile(p.mod, "llvm"), lathe.cpu())
    ones = np.ones(3, "float32")
    assert vm.run(ones, y=ones).numpy().tolist() == [2, 2, 2]
    assert error_of(vm.run, ones).name == "graph-argument-count"
    assert error_of(vm.run, ones, ones, ones).name == "graph-argument-count"
    assert error_of(vm.run, ones, z=ones).name == "graph-argument-count"
    assert error_of(vm.invoke, "other", ones).name == "graph-function-unknown"
    assert error_of(vm.run, ones, np.ones(2, "float32")).name == "graph-shape-mismatch"
    wrong = lathe.nd.array(np.ones(3, "float64"))
    assert error_of(vm.run, ones, wrong).name == "graph-input-mismatch"
    assert error_of(vm.invoke_stateful, "main").name == "graph-input-missing"
    assert error_of(relay.vm.VMCompiler().get_exec).name == "vm-program"
    assert error_of(relay.vm.compile, lathe.IRModule(), "llvm").name == "relay-no-main"
    x = relay.var("x", shape=(2,))
    assert error_of(Executable, relay.build(relay.Function([x], x), "llvm").get_lib()).name \
        == "vm-program"
    assert error_of(Executable, None).name == "vm-executable-type"


def test_recursion_without_end_names_the_function():
    x = relay.var("x", shape=())
    endless = relay.GlobalVar("endless", relay.FuncType([F32], F32))
    mod = lathe.IRModule()
    mod._update_all({"endless": relay.Function([x], endless(x) + 1.0, F32),
                     "main": relay.Function([x], endless(x))})
    for kind in ("vm", "debug"):
        error = error_of(relay.create_executor(kind, mod).evaluate(), np.float32(1))
        assert error.name == "graph-call-depth" and "@endless" in str(error)


def test_a_deep_list():
    # The list comes back as one object, and is freed without recursion.
    p = relay.prelude.Prelude()
    n, l = relay.var("n", shape=(), dtype="int32"), relay.var("l", p.list_type)
    count = relay.GlobalVar("count", relay.FuncType([relay.scalar_type("int32"), p.list_type],
                                                    p.list_type))
    body = relay.If(n > 0, count(n - 1, p.cons(n.astype("float32"), l)), l)
    p.mod._update_all({"count": relay.Function([n, l], body, p.list_type)})
    m = relay.var("m", shape=(), dtype="int32")
    p.mod["main"] = relay.Function([m], p.map(unary(lambda a: a + 1.0), count(m, p.nil())))
    vm = VirtualMachine(relay.vm.compile(p.mod, "llvm"), lathe.cpu())
    found = listed(vm.run(np.int32(20000)))
    assert len(found) == 20000 and found[:2] == [2, 3] and found[-1] == 20001


def test_profiles_of_programs():
    p = relay.prelude.Prelude()
    x = relay.var("x", shape=(2,))
    numbers = p.cons(x, p.cons(relay.exp(x), p.nil()))
    p.mod["main"] = relay.Function([x], relay.Tuple([p.map(relay.Function([y := relay.var("y", shape=(2,))], y * 2.0), numbers),
                                                     relay.tanh(x)]))
    exe = relay.vm.compile(p.mod, "llvm")
    assert lathe.runtime.profiler_vm.enabled()
    profiler = lathe.runtime.profiler_vm.VirtualMachineProfiler(exe, lathe.cpu())
    data = np.float32([1, 2])
    text = profiler.profile(data)
    assert text == profiler.get_stat() and len(text.splitlines()) == len(profiler.steps) + 1
    assert text.split("\n")[0].split() == ["step", "calls", "us", "%", "device", "shapes", "function", "operators"]
    # The function of the recursion runs its kernel for each element.
    found = sorted((step.location, step.calls, step.function == "main") for step in profiler.steps)
    assert found == [("exp", 1, True), ("multiply", 2, False), ("tanh", 1, True)]
    assert all(step.nanoseconds > 0 and step.shapes == [(2,)] for step in profiler.steps)
    # It computes what it computes otherwise, before and after.
    found = profiler.run(data)
    np.testing.assert_allclose(listed(found[0]), [[2, 4], 2 * np.exp(data)], rtol=1e-6)
    profiler.set_input("main", data)
    assert profiler.profile(func_name="main").startswith("step")
    assert error_of(profiler.profile, data, func_name="other").name == "graph-function-unknown"

    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop

    with pytest.raises(Stop):
        profiler.module["invoke_observed"]("main", stop, lathe.nd.array(data))
    assert listed(profiler.run(data)[0])[0] == [2, 4]


BOOL = relay.var("c", shape=(), dtype="bool")


def test_branches_of_different_sizes_have_a_size_of_their_own():
    x, y = relay.var("x", shape=(relay.Any("n"), 3)), relay.var("y", shape=(relay.Any("m"), 3))
    chosen = relay.If(BOOL, x, y)
    func = relay.Function([BOOL, x, y], relay.nn.relu(chosen) + chosen)
    assert str(func.checked_type.ret_type).endswith(", 3]")
    mod = lathe.IRModule.from_expr(func)
    again = lathe.ir.parse_graph(mod.astext())
    assert again.astext() == mod.astext() and "sizes [" in mod.astext()
    a, b = np.ones((2, 3), "float32"), np.full((5, 3), -2, "float32")
    for made in (mod, again):
        for found in (both(made, np.bool_(True), a, b), both(made, np.bool_(False), a, b)):
            assert [one.numpy().shape for one in found] in ([(2, 3)] * 2, [(5, 3)] * 2)
    assert (both(mod, np.bool_(True), a, b)[0].numpy() == 2).all() and (both(mod, np.bool_(False), a, b)[0].numpy() == -2).all()
    # One of them may be a number; the sizes of tuples are joined field by field.
    fixed = relay.If(BOOL, relay.Tuple([x, relay.const(np.zeros((4, 3), "float32"))]), relay.Tuple([y, y]))
    pair = lathe.IRModule.from_expr(relay.Function([BOOL, x, y], fixed))
    for found in both(pair, np.bool_(True), a, b):
        assert [one.numpy().shape for one in found] == [(2, 3), (4, 3)]
    for found in both(pair, np.bool_(False), a, b):
        assert [one.numpy().shape for one in found] == [(5, 3), (5, 3)]


def test_branches_that_differ_otherwise_are_refused():
    x = relay.var("x", shape=(relay.Any("n"),))
    for other in (relay.const(np.zeros((2, 2), "float32")), relay.cast(x, "int32"), relay.Tuple([x])):
        assert error_of(lambda: relay.If(BOOL, x, other).checked_type).name == "graph-type"
    three, four = (relay.const(np.zeros(n, "float32")) for n in (3, 4))
    assert error_of(lambda: relay.If(BOOL, three, four).checked_type).name == "graph-type"
    # A plan has one place for both; vm.compile is the way.
    y = relay.var("y", shape=(relay.Any("m"),))
    error = error_of(relay.build, relay.Function([BOOL, x, y], relay.If(BOOL, x, y)), "llvm")
    assert error.name == "graph-plan-unsupported"


def test_cases_of_different_sizes():
    p = relay.prelude.Prelude(element_type=F32)
    l, x, y = relay.var("l", p.list_type), relay.var("x", shape=(relay.Any("n"),)), relay.var("y", shape=(relay.Any("m"),))
    body = relay.Match(l, [relay.Clause(relay.PatternConstructor(p.nil), x), relay.Clause(relay.PatternWildcard(), y)])
    p.mod["choose"] = relay.Function([l, x, y], body)
    p.mod["main"] = relay.Function([x, y], relay.Tuple([
        relay.GlobalVar("choose")(chain(p), x, y), relay.GlobalVar("choose")(chain(p, 1), x, y)]))
    for found in both(p.mod, np.zeros(2, "float32"), np.zeros(5, "float32")):
        assert [one.numpy().shape for one in found] == [(2,), (5,)]


def test_recursion_that_makes_longer_tensors():
    i, st = relay.var("i", shape=(), dtype="int32"), relay.var("st", shape=(relay.Any(), 1), dtype="int32")
    grow, mod = relay.GlobalVar("grow"), lathe.IRModule()
    longer = relay.concatenate([st, relay.reshape(i, (1, 1))], axis=0)
    body = relay.If(i < relay.const(10), grow(i + relay.const(1), longer), st)
    mod[grow] = relay.Function([i, st], body, relay.TensorType((relay.Any(), 1), "int32"))
    start = relay.var("start", shape=(), dtype="int32")
    mod["main"] = relay.Function([start], relay.concatenate(
        [grow(start, relay.reshape(relay.const(0), (1, 1))), relay.const(np.int32([[7]]))], axis=0))
    again = lathe.ir.parse_graph(mod.astext())
    assert lathe.ir.structural_equal(again, mod)
    for made in (mod, again):
        for first in (0, 4, 10):
            for found in both(made, np.int32(first)):
                assert found.numpy().ravel().tolist() == [0, *range(first, 10), 7]
    wrong = relay.Function([i, st], body, relay.TensorType((relay.Any(), 2), "int32"))
    assert error_of(mod.__setitem__, grow, wrong).name == "graph-type"


def test_arguments_that_were_set_are_used():
    x = relay.var("x", shape=(2,))
    machine = lathe.runtime.vm.VirtualMachine(relay.vm.compile(relay.Function([x], relay.Tuple([x + x])), "llvm"))
    with pytest.raises(lathe.LatheError, match="wrong arguments"):
        machine.run()
    given = lathe.nd.array(np.ones(2, "float32"))
    machine.set_input("main", given)
    given.copyfrom(np.zeros(2, "float32"))
    assert [one.numpy().tolist() for one in machine.run()] == [[2.0, 2.0]]
    assert [one.numpy().tolist() for one in machine.invoke("main", given)] == [[0.0, 0.0]]
