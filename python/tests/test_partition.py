"""Parts of graphs that other code generators take: marked, joined, cut out, compiled and exported."""

import numpy as np
import pytest

import lathe
from lathe import relay, te
from lathe.contrib import graph_executor
from lathe.relay._regions import outermost
from lathe.relay.analysis import post_order
from lathe.relay.dataflow_pattern import is_op, wildcard
from expect import named

SUPPORTED = ("add", "multiply", "nn.relu", "exp", "concatenate", "split")
for _name in SUPPORTED:
    lathe.ir.register_op_attr(_name, "target.test_npu", lambda call: True)
lathe.ir.register_op_attr("tanh", "target.test_dsp", lambda call: call.args[0].checked_type.shape[0] == 2)

RULES = {"add": lambda a, b: a + b, "multiply": lambda a, b: a * b, "exp": te.exp,
         "nn.relu": lambda a: te.max(a, te.const(0.0, "float32"))}


def tensors_of(func, arguments):
    """The results of a function's body as te tensors."""
    made = {id(var): given for var, given in zip(func.params, arguments)}

    def value(part, index):
        if isinstance(part, relay.Constant):
            return te.const(float(part.data.numpy()), "float32")
        return made[id(part)](*index)

    def of(item):
        if isinstance(item.op, relay.Function):
            return tensors_of(item.op, [made[id(arg)] for arg in item.args])[0]
        shape = [made[id(arg)].shape for arg in item.args if id(arg) in made][0]
        return te.compute(shape, lambda *i: RULES[item.op.name](*(value(arg, i) for arg in item.args)))

    own = outermost(func)  # not what is in composites
    for item in post_order(func.body):
        if isinstance(item, relay.Call) and id(item) in own:
            made[id(item)] = of(item)
    results = func.body.fields if isinstance(func.body, relay.Tuple) else [func.body]
    return [made[id(one)] for one in results]


compiled = []


def compile_part(func):
    compiled.append(func)
    inputs = [te.placeholder(var.type_annotation.concrete_shape, var.type_annotation.dtype, var.name_hint)
              for var in func.params]
    outputs = tensors_of(func, inputs)
    schedule = te.create_schedule([one.op for one in outputs])
    return lathe.build(schedule, inputs + outputs, "llvm", name=func.attrs["global_symbol"])


@pytest.fixture(autouse=True)
def generator():
    compiled.clear()
    lathe.register_func("relay.ext.test_npu", compile_part, override=True)
    yield
    lathe.runtime.remove_global_func("relay.ext.test_npu")


def cut(expr, targets="test_npu", merge=True, **options):
    steps = [relay.transform.AnnotateTarget(targets)]
    if merge:
        steps.append(relay.transform.MergeCompilerRegions())
    steps.append(relay.transform.PartitionGraph(**options))
    mod = expr if isinstance(expr, lathe.IRModule) else lathe.IRModule.from_expr(expr)
    return lathe.transform.Sequential(steps)(mod)


def parts(mod):
    return {name: mod[name] for name in (var.name_hint for var in mod.functions) if name != "main"}


def inputs_of(func, seed=1):
    random = np.random.default_rng(seed)
    return {var.name_hint: random.standard_normal(var.type_annotation.concrete_shape).astype("float32")
            for var in func.params}


def run(lib, values):
    if not isinstance(lib, lathe.runtime.Module):
        lib = lib.module
    executor = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    executor.run(**values)
    return [executor.get_output(i).numpy() for i in range(executor.get_num_outputs())]


def expected(expr, values):
    found = relay.create_executor("debug", expr).evaluate()(**values)
    return [one.numpy() for one in (found if isinstance(found, (list, tuple)) else [found])]


def check(expr, count, **options):
    """The module after the cut, which has `count` parts and computes what it did before."""
    func = relay.Function(relay.analysis.free_vars(expr), expr)
    values = inputs_of(func)
    mod = cut(func, **options)
    assert len(parts(mod)) == count, str(mod)
    want = expected(func, values)
    for found in (expected(mod["main"] if not count else mod, values), run(relay.build(mod, "llvm"), values)):
        for one, other in zip(found, want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    assert len(compiled) == count
    return mod


def variables(*names, shape=(2, 3)):
    return [relay.var(name, shape=shape) for name in names]


def test_a_chain_is_one_part():
    x, y = variables("x", "y")
    mod = check(relay.tanh(relay.nn.relu(x * y) + y), 1)
    part = mod["tvmgen_default_test_npu_main_0"]
    assert part.attrs["Compiler"] == "test_npu"
    assert part.attrs["global_symbol"] == "tvmgen_default_test_npu_main_0"
    assert [str(var.type_annotation) for var in part.params] == ["float32[2, 3]"] * 2
    # Each operator by itself.
    compiled.clear()
    check(relay.tanh(relay.nn.relu(x * y) + y), 3, merge=False)
    compiled.clear()
    assert list(parts(check(relay.nn.relu(x), 1, mod_name="own"))) == ["tvmgen_own_test_npu_main_0"]


def test_a_part_does_not_read_itself():
    x, = variables("x")
    y = relay.nn.relu(x)
    z = relay.tanh(y)  # stays
    check((y * y) + (y + z), 2)
    # The same through a branch, which is computed as a whole.
    compiled.clear()
    flag = relay.var("flag", shape=(), dtype="bool")
    branch = relay.If(flag, relay.tanh(y), relay.exp(y))
    mod = cut(relay.Function([x, flag], y + branch))
    assert len(parts(mod)) == 2
    found = relay.create_executor("graph", mod).evaluate()(np.full((2, 3), 0.5, "float32"), np.array(True))
    np.testing.assert_allclose(found.numpy(), 0.5 + np.tanh(np.full((2, 3), 0.5)), rtol=1e-6)


def test_several_results():
    x, y = variables("x", "y")
    a = relay.nn.relu(x + y)
    check(relay.Tuple([relay.tanh(a), relay.exp(a), a]), 1)
    assert len(compiled[0].body.fields) == 2


def test_two_parts_that_know_nothing_of_each_other():
    x, y = variables("x", "y")
    check(relay.tanh(relay.nn.relu(x)) - relay.tanh(relay.exp(y)), 2)


def test_constants():
    x, = variables("x")
    mod = check(x * relay.const(2.0) + relay.const(1.0), 1)
    assert [len(part.params) for part in parts(mod).values()] == [1]
    mod = cut(x * relay.const(2.0), bind_constants=False)
    assert [len(part.params) for part in parts(mod).values()] == [2]


def test_the_first_code_generator_that_takes_a_call():
    x, = variables("x")
    mod = cut(relay.tanh(relay.nn.relu(x)), ["test_dsp", "test_npu"])
    assert sorted(parts(mod)) == ["tvmgen_default_test_dsp_main_1", "tvmgen_default_test_npu_main_0"]
    wide, = variables("x", shape=(3, 3))  # the predicate refuses it
    assert list(parts(cut(relay.tanh(wide), ["test_dsp", "test_npu"]))) == []


def test_patterns():
    @relay.op.contrib.register_pattern_table("test_pattern")
    def table():
        return [("test_pattern.add_relu", is_op("nn.relu")(is_op("add")(wildcard(), wildcard())))]

    from lathe.relay.op.contrib.register import get_pattern_table

    lathe.register_func("relay.ext.test_pattern", compile_part, override=True)
    x, y = variables("x", "y")
    expr = relay.tanh(relay.nn.relu(x + y) * x)
    mod = relay.transform.MergeComposite(get_pattern_table("test_pattern"))(expr)
    mod = cut(mod, "test_pattern")
    (part,) = parts(mod).values()
    assert part.body.op.attrs["Composite"] == "test_pattern.add_relu"
    values = inputs_of(mod["main"])
    np.testing.assert_allclose(run(relay.build(mod, "llvm"), values)[0], expected(expr, values)[0], rtol=1e-6)
    assert len(compiled) == 1
    assert get_pattern_table("nobody") is None


def test_tuples_belong_to_those_that_make_and_read_them():
    x, y = variables("x", "y")
    joined = relay.concatenate([relay.nn.relu(x), relay.tanh(y)], axis=0)
    mod = cut(joined)
    (part,) = parts(mod).values()
    assert sorted(item.op.name for item in post_order(part) if isinstance(item, relay.Call)) == \
        ["concatenate", "nn.relu"]
    halves = relay.split(x, 3, axis=1)
    (part,) = parts(cut(halves[0] + halves[2])).values()
    assert len(part.params) == 1
    (part,) = parts(cut(relay.Tuple([relay.tanh(halves[0]), halves[2]]))).values()
    assert len(part.body.fields) == 2  # the results of split that others read


def test_exported(tmp_path):
    x, y = variables("x", "y")
    func = relay.Function([x, y], relay.tanh(relay.nn.relu(x * y)))
    values = inputs_of(func)
    for suffix in ("so", "tar"):
        path = str(tmp_path / f"lib.{suffix}")
        relay.build(cut(func), "llvm").export_library(path)
        found = run(lathe.runtime.load_module(path), values)
        np.testing.assert_allclose(found[0], expected(func, values)[0], rtol=1e-6)


def test_the_virtual_machine():
    x, = variables("x")
    mod = cut(relay.Function([x], relay.tanh(relay.nn.relu(x))))
    machine = lathe.runtime.vm.VirtualMachine(relay.vm.compile(mod, "llvm"), lathe.cpu())
    found = machine.run(np.full((2, 3), -1.0, "float32"))
    assert not found.numpy().any()
    assert len(compiled) == 1


def test_sizes_of_the_caller():
    @lathe.register_func("relay.ext.test_any", override=True)
    def compile_any(func):
        n = te.var("n")
        a = te.placeholder((n, 3), name="a")
        b = te.compute((n, 3), lambda i, j: te.exp(a[i, j]))
        return lathe.build(te.create_schedule(b.op), [a, b], "llvm", name=func.attrs["global_symbol"])

    begin, end = relay.annotation.compiler_begin, relay.annotation.compiler_end
    x = relay.var("x", shape=(relay.Any("n"), 3))
    y = end(relay.exp(begin(relay.concatenate([x, x], axis=0), "test_any")), "test_any")
    mod = relay.transform.PartitionGraph()(relay.Function([x], relay.tanh(y)))
    for rows in (1, 5):
        value = np.full((rows, 3), 0.25, "float32")
        found = relay.create_executor("graph", mod).evaluate()(value)
        np.testing.assert_allclose(found.numpy(), np.full((2 * rows, 3), np.tanh(np.exp(0.25))), rtol=1e-6)


def test_a_function_made_by_hand():
    x, y = variables("x", "y")
    a, = variables("a")
    part = relay.Function([a], relay.Tuple([relay.exp(a)]))
    part = part.with_attr({"Compiler": "test_npu", "global_symbol": "by_hand"})
    call = relay.Call(part, [x])
    found = run(relay.build(relay.Function([x], relay.tanh(call[0])), "llvm"), {"x": np.zeros((2, 3), "float32")})
    np.testing.assert_allclose(found[0], np.tanh(1.0), rtol=1e-6)
    named("relay-codegen", relay.build, relay.Function([x], relay.Call(relay.Function(
        [a], relay.exp(a), None, None, {"Compiler": "test_npu"}), [x])), "llvm")
    nested = relay.Function([a], relay.Tuple([relay.Tuple([a])]), None, None,
                            {"Compiler": "test_npu", "global_symbol": "nested"})
    lathe.register_func("relay.ext.test_npu", lambda func: compile_part(
        relay.Function([a], relay.exp(a), None, None, {"global_symbol": "nested"})), override=True)
    named("relay-codegen", relay.build, relay.Function([x], relay.Call(nested, [x])[0][0]), "llvm")


def test_marks_alone_have_no_effect():
    x, = variables("x")
    y = relay.annotation.compiler_begin(relay.Tuple([x, relay.exp(x)]), "nobody")
    y = relay.annotation.compiler_end(relay.add(y[0], y[1]), "nobody")
    found = run(relay.build(relay.Function([x], y), "llvm"), {"x": np.zeros((2, 3), "float32")})
    assert (found[0] == 1).all()
    split = relay.split(x, 3, axis=1).astuple()
    split.checked_type
    assert len(relay.annotation.compiler_end(split, "nobody").fields) == 3


def test_a_packed_function_in_a_graph():
    @lathe.register_func("test.sum_and_twice", override=True)
    def sum_and_twice(a, b, total, twice):
        total.copyfrom(a.numpy() + b.numpy())
        twice.copyfrom(2 * a.numpy())

    x, y = variables("x", "y")
    both = relay.Call(relay.op.get("call_packed"), [x, y], {
        "function": "test.sum_and_twice", "dtypes": "float32,float32", "ranks": [2, 2], "extents": [2, 3, 2, 3]})
    func = relay.Function([x, y], relay.TupleGetItem(both, 0) * relay.TupleGetItem(both, 1))
    values = inputs_of(func)
    want = (values["x"] + values["y"]) * 2 * values["x"]
    np.testing.assert_allclose(run(relay.build(func, "llvm"), values)[0], want, rtol=1e-6)
    np.testing.assert_allclose(expected(func, values)[0], want, rtol=1e-6)
    # It is not called while the graph is compiled, though its inputs are known.
    one = relay.const(np.ones((2, 3), "float32"))
    lib = relay.build(relay.Function([], relay.op.call_packed(
        [one], function="test.not_yet", dtypes="float32", ranks=(2,), extents=(2, 3))), "llvm")
    lathe.register_func("test.not_yet", lambda a, out: out.copyfrom(3 * a.numpy()), override=True)
    assert (run(lib, {})[0] == 3).all()
    for wrong in ({"dtypes": "float"}, {"ranks": [2]}, {"extents": [2, 3]}):
        given = {"function": "f", "dtypes": "float32,int8", "ranks": [1, 1], "extents": [2, 3], **wrong}
        if wrong == {"extents": [2, 3]}:
            given["ranks"] = [1, 2]
        named("graph-attribute", lambda: relay.Call(relay.op.get("call_packed"), [x], given).checked_type)


def test_a_code_generator_that_is_not_of_python():
    x, = variables("x")
    mod = cut(relay.nn.relu(x))
    got = []

    def of_bytes(data):
        got.append(lathe._ffi.get("ir.decode")(data))
        return compile_part(lathe.IRModule.from_node(got[0])["tvmgen_default_test_npu_main_0"])

    # As another language would: the registry does not know the Python function.
    lathe.runtime.remove_global_func("relay.ext.test_npu")
    lathe._ffi.get("registry.register")("relay.ext.test_npu", lathe.convert(of_bytes), False, False)
    check_module = relay.build(mod, "llvm")
    assert [func.name for func in got[0].functions] == ["tvmgen_default_test_npu_main_0"]
    assert (run(check_module, {"x": np.full((2, 3), -1.0, "float32")})[0] == 0).all()


def test_what_is_refused():
    x, y = variables("x", "y")
    begin, end = relay.annotation.compiler_begin, relay.annotation.compiler_end
    mod = cut(relay.nn.relu(x))
    lathe.register_func("relay.ext.test_npu", lambda func: 7, override=True)
    named("relay-codegen", relay.build, mod, "llvm")
    lathe.register_func("relay.ext.test_npu", lambda func: compile_part(func.with_attr("global_symbol", "other")),
                        override=True)
    named("relay-codegen", relay.build, mod, "llvm")
    missing = relay.transform.PartitionGraph()(end(relay.exp(begin(x, "no_such")), "no_such"))
    named("relay-codegen", relay.build, missing, "llvm")

    wrong = "relay-annotation"
    partition = relay.transform.PartitionGraph()
    named(wrong, partition, end(relay.exp(begin(x, "a")), "b"))
    named(wrong, partition, end(relay.exp(end(relay.exp(begin(x, "a")), "a")), "a"))
    shared = relay.exp(begin(x, "a"))
    named(wrong, partition, relay.add(end(shared, "a"), end(shared, "b")))
    itself = relay.exp(begin(x, "a"))
    named(wrong, partition, end(relay.add(itself, begin(relay.tanh(end(itself, "a")), "a")), "a"))
    flag = relay.var("flag", shape=(), dtype="bool")
    named(wrong, partition, end(relay.If(begin(flag, "a"), begin(x, "a"), begin(y, "a")), "a"))
