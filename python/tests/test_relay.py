"""lathe.relay: expressions, modules, compiling and interpreting them."""

import os
import pickle
import threading

import numpy as np
import pytest

import lathe
from lathe import relay, te
from lathe.contrib import graph_executor


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def run(expr, *args, kind="graph", **context):
    with lathe.transform.PassContext(**context):
        return relay.create_executor(kind, lathe.IRModule.from_expr(expr)).evaluate()(*args)


def both(expr, *args):
    """What the compiled graph and the interpreter give, which must agree."""
    compiled, interpreted = run(expr, *args), run(expr, *args, kind="debug")
    many = isinstance(compiled, list)
    for one, other in zip(compiled if many else [compiled], interpreted if many else [interpreted]):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5, atol=1e-6)
    return [one.numpy() for one in compiled] if many else compiled.numpy()


def error_of(function, *args, **kwargs):
    with pytest.raises(lathe.LatheError) as raised:
        function(*args, **kwargs)
    return raised.value


def test_a_network_like_numpy():
    x, w, b = (relay.var(n, shape=s) for n, s in (("x", (3, 8)), ("w", (4, 8)), ("b", (4,))))
    y = relay.nn.relu(relay.nn.bias_add(relay.nn.dense(x, w), b))
    X, W, B = random(3, 8), random(4, 8, seed=1), random(4, seed=2)
    np.testing.assert_allclose(both(relay.Function([x, w, b], y), X, W, B),
                               np.maximum(X @ W.T + B, 0), rtol=1e-5)


def test_arithmetic_and_numbers():
    x, y = relay.var("x", shape=(4,)), relay.var("y", shape=(4,))
    f = relay.Function([x, y], ((x + 1) * y - 0.5) / (2.0 + y * y) - x ** 2.0 + -y)
    X, Y = random(4), random(4, seed=1)
    np.testing.assert_allclose(both(f, X, Y), ((X + 1) * Y - 0.5) / (2 + Y * Y) - X ** 2 - Y,
                               rtol=1e-4, atol=1e-5)
    i = relay.var("i", shape=(4,), dtype="int32")
    got = both(relay.Function([i], relay.Tuple([i // 3, i % 3, i < 2, i.astype("float32")])),
               np.array([-4, 0, 5, 7], "int32"))
    assert got[0].tolist() == [-2, 0, 1, 2] and got[1].tolist() == [2, 0, 2, 1]
    assert got[2].tolist() == [True, True, False, False] and got[3].dtype == "float32"


def test_sizes():
    n = relay.Any("n")
    x, w = relay.var("x", shape=(n, 8)), relay.var("w", shape=(4, 8))
    f = relay.Function([x, w], relay.nn.softmax(relay.nn.dense(x, w)))
    assert "float32[n, 4]" in str(lathe.IRModule.from_expr(f))
    lib = relay.build(f, "llvm")
    for rows in (1, 5):
        X, W = random(rows, 8), random(4, 8, seed=1)
        e = np.exp(X @ W.T)
        np.testing.assert_allclose(lib.get_lib()["default"](X, W).numpy(),
                                   e / e.sum(1, keepdims=True), rtol=1e-5)
    # Variables of te are the same size everywhere, whatever their type.
    m = te.var("m")
    a, b = relay.var("a", shape=(m, 2)), relay.var("b", shape=(m * 2,))
    f = relay.Function([a, b], relay.reshape(a, newshape=(m * 2,)) + b)
    assert f.checked_type.ret_type == relay.TensorType((m * 2,))
    np.testing.assert_allclose(both(f, random(3, 2), random(6)), random(3, 2).ravel() + random(6))


def test_shared_values_are_computed_once():
    x = relay.var("x", shape=(4,))
    y = relay.exp(x)
    text = str(lathe.IRModule.from_expr(relay.Function([x], y * y + y)))
    assert text.count("exp(") == 1


def test_deep_graphs():
    x = relay.var("x", shape=(2,))
    y = x
    for _ in range(10000):
        y = relay.add(y, x)
    mod = lathe.IRModule.from_expr(relay.Function([x], y))
    assert len(mod["main"].body.args) == 2 and mod.node.functions[0].name == "main"
    assert len(relay.analysis.post_order(mod["main"])) == 10002
    sb = relay.ScopeBuilder()
    z = x
    for i in range(3000):
        z = sb.let(f"v{i}", z + x)
    sb.ret(z)
    np.testing.assert_allclose(run(relay.Function([x], sb.get()), np.ones(2, "float32"),
                                   kind="debug").numpy(), [3001, 3001])


def test_lets_tuples_and_names():
    x = relay.var("x", shape=(2,))
    v = relay.var("twice")
    body = relay.Let(v, x + x, relay.Tuple([v * v, v]))
    mod = lathe.IRModule.from_expr(relay.Function([x], body))
    assert "%twice: float32[2] = add(%x, %x)" in str(mod)
    got = both(relay.Function([x], body), np.array([1, 2], "float32"))
    assert got[0].tolist() == [4, 16] and got[1].tolist() == [2, 4]
    assert relay.TupleGetItem(body, 1).checked_type == relay.TensorType((2,))
    assert body[0].checked_type == relay.TensorType((2,))
    weights = [relay.var(n) for n in "gbmv"]
    out, mean, variance = relay.nn.batch_norm(relay.var("d", shape=(1, 3)), *weights)
    assert mean.checked_type == weights[0].type_annotation == relay.TensorType((3,))
    with pytest.raises(IndexError):
        relay.nn.batch_norm(relay.var("d", shape=(1, 3)), *weights)[3]
    assert len(relay.nn.batch_norm(relay.var("d", shape=(1, 3)), *weights).astuple()) == 3


def test_if_and_functions():
    c, x = relay.var("c", shape=(), dtype="bool"), relay.var("x", shape=(2,))
    f = relay.Function([c, x], relay.If(c, x + 1.0, relay.exp(x) * x))
    for flag in (True, False):
        X = random(2)
        expected = X + 1 if flag else np.exp(X) * X
        for kind in ("debug", "vm", "graph"):
            got = run(f, np.array(flag), X, kind=kind).numpy()
            np.testing.assert_allclose(got, expected, rtol=1e-5)
    y = relay.var("y", shape=(2,))
    closure = relay.Function([x], relay.Function([y], x + y))
    assert error_of(run, closure, random(2), kind="debug").name == "graph-result-function"
    twice = relay.var("twice")
    g = relay.Function([x], relay.Let(twice, relay.Function([y], y + y), twice(twice(x))))
    for kind in ("debug", "graph"):
        np.testing.assert_allclose(run(g, random(2), kind=kind).numpy(), 4 * random(2), rtol=1e-6)
    # A function is a value of the interpreter; what leaves it are tensors, and a plan has no others.
    h = relay.Function([x], relay.Function([y], x + y))
    assert error_of(run, h, random(2), kind="debug").name == "graph-result-function"
    assert error_of(relay.build, h, "llvm").name == "graph-plan-unsupported"


def test_functions_of_a_module():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    mod = lathe.IRModule()
    mod["square"] = relay.Function([x], x * x)
    mod["main"] = relay.Function([y], relay.GlobalVar("square")(y) + y)
    assert sorted(mod) == ["main", "square"] and "main" in mod
    assert [v.name_hint for v in mod.get_global_vars()] == ["square", "main"]
    X = random(2)
    np.testing.assert_allclose(relay.create_executor("debug", mod).evaluate()(X).numpy(),
                               X * X + X, rtol=1e-6)
    error = error_of(mod.__setitem__, "main", relay.Function([y], relay.GlobalVar("cube")(y)))
    assert error.name == "graph-type" and "@cube" in str(error)
    assert "square" in str(mod)  # as before
    with pytest.raises(KeyError, match="module-no-function"):
        mod["cube"]


def test_modules_as_text_and_bytes():
    x = relay.var("x", shape=(2, 3))
    mod = lathe.IRModule.from_expr(relay.nn.softmax(x * relay.const([1.0, 2.0, 3.0])))
    again = lathe.ir.parse_graph(mod.astext())
    assert lathe.ir.structural_equal(mod, again)
    assert lathe.ir.structural_equal(mod, pickle.loads(pickle.dumps(mod)))
    assert isinstance(mod, lathe.IRModule) and isinstance(lathe.ir.Module([]), lathe.IRModule)
    func = again["main"]
    wider = relay.Function(func.params, relay.exp(func.body))
    np.testing.assert_allclose(both(wider, random(2, 3)), np.exp(both(func, random(2, 3))),
                               rtol=1e-6)


def test_every_operator_has_a_builder_like_its_definition():
    import inspect

    # Other tests, examples and compositions of the same process register operators of these families.
    registered = ("test.", "example.", "lathe.")
    for name in relay.op.list_op_names():
        if name.startswith(registered):
            continue
        place = relay
        for part in ("qnn.op." + name[4:] if name.startswith("qnn.") else name).split("."):
            place = getattr(place, part)
        assert inspect.getdoc(place) and place.__name__ == name.rpartition(".")[2].rstrip("_")
    signature = inspect.signature(relay.nn.conv2d)
    assert list(signature.parameters)[:6] == ["data", "weight", "strides", "padding", "dilation",
                                              "groups"]
    call = relay.nn.conv2d(relay.var("x", shape=(1, 3, 8, 8)), relay.var("w"), channels=4,
                           kernel_size=np.int64(3), padding=[1, 1], out_dtype=None)
    assert call.checked_type == relay.TensorType((1, 4, 8, 8))
    assert call.attrs.padding == (1, 1, 1, 1) and call.attrs.get_int("channels") == 4
    assert call.op == relay.op.get("nn.conv2d") and call.args[1].name_hint == "w"


def test_variadic_operators():
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(2, 3))
    for parts in ([x, y], (x, y), relay.Tuple([x, y])):
        np.testing.assert_allclose(
            both(relay.Function([x, y], relay.concatenate(parts, axis=1)), random(2, 3),
                 random(2, 3, seed=1)),
            np.concatenate([random(2, 3), random(2, 3, seed=1)], axis=1))
    pair = relay.var("pair", relay.TupleType([relay.TensorType((2,)), relay.TensorType((2,))]))
    assert relay.concatenate(pair, 0).checked_type == relay.TensorType((4,))


def test_errors_show_the_line_that_made_the_expression():
    x, w = relay.var("x", shape=(2, 8)), relay.var("w", shape=(4, 9))
    bad = relay.nn.dense(x, w)  # this line
    error = error_of(lathe.IRModule.from_expr, relay.Function([x, w], relay.nn.relu(bad)))
    assert error.name == "graph-argument" and os.path.basename(error.where[0]) == "test_relay.py"
    with open(__file__) as f:
        assert "# this line" in f.readlines()[error.where[1] - 1]
    assert error_of(relay.op.get, "nn.conv2").name == "graph-unknown-op"
    assert error_of(relay.nn.softmax, x, axis="last").name == "graph-attribute"
    assert error_of(relay.Call, "add", [x]).name == "graph-argument-count"
    assert error_of(relay.Call, "add", [x, x], {"axis": 1}).name == "graph-unknown-attribute"
    error = error_of(relay.add, x, object())
    assert error.name == "relay-expression-type" and "help: relay.var" in str(error)
    assert error_of(relay.Function, [bad], x).name == "relay-expression-type"
    assert error_of(relay.var, "v", relay.TensorType((2,)), (2,)).name == "relay-variable-type"
    assert error_of(relay.TensorType, ("a",)).name == "graph-shape-type"
    assert error_of(lathe.IRModule.from_expr, relay.Function([x], x + w)).name == \
        "relay-free-variable"
    assert error_of(lathe.IRModule.from_expr, relay.Function([relay.var("v")], x)).name == \
        "graph-type"
    with pytest.raises(TypeError):
        relay.nn.softmax(x, axes=1)


def test_mistakes_in_expressions():
    x, n = relay.var("x", shape=(2, 8)), relay.var("n", shape=(2,), dtype="int64")
    f = relay.Function([x], x)
    mod = lathe.IRModule.from_expr(f)
    assert error_of(mod.__setitem__, 3, f).name == "relay-name-type"
    assert error_of(mod.__setitem__, "f", x).name == "relay-function-type"
    assert error_of(lathe.IRModule.from_expr, relay.Function([x, x], x)).name == \
        "relay-parameter-twice"
    assert error_of(relay.Call, f, [x], {"axis": 1}).name == "relay-attributes"
    assert error_of(len, x).name == "relay-tuple-type"
    assert error_of(x.__getitem__, slice(0, 1)).name == "relay-index-type"
    assert error_of(relay.reshape, x, (16,), allowzero=True).name == "relay-fixed-argument"
    assert error_of(relay.strided_slice, x, n, n, slice_mode="size").name == "relay-fixed-argument"


def test_scopes_without_a_result():
    assert error_of(relay.ScopeBuilder().get).name == "relay-scope"
    assert error_of(relay.ScopeBuilder().else_scope).name == "relay-scope"
    builder = relay.ScopeBuilder()
    builder.ret(relay.const(1.0))
    assert error_of(builder.ret, relay.const(2.0)).name == "relay-scope"


def test_parameters():
    x, w = relay.var("x", shape=(2, 8)), relay.var("w", shape=(4, 8))
    f = relay.Function([x, w], relay.nn.dense(x, w) * 2.0)
    W = random(4, 8, seed=1)
    bound = relay.build_module.bind_params_by_name(f, {"w": W, "other": W})
    assert [p.name_hint for p in bound.params] == ["x"]
    expected = random(2, 8) @ W.T * 2
    W[:] = 0  # arrays are copied
    np.testing.assert_allclose(both(bound, random(2, 8)), expected, rtol=1e-5)
    error = error_of(relay.build, f, "llvm", params={"w": random(8, 4)})
    assert error.name == "relay-parameter" and "float32[4, 8]" in str(error)
    data = relay.save_param_dict({"w": random(4, 8), "b": random(3)})
    assert relay.load_param_dict(data)["b"].numpy().tolist() == random(3).tolist()
    assert error_of(relay.load_param_dict, data[:-1]).name == "params-corrupt"


def test_levels_and_disabled_passes():
    x = relay.var("x", shape=(1, 16, 8, 8))
    w = relay.const(random(16, 16, 3, 3, seed=1))
    y = relay.nn.relu(relay.nn.conv2d(x, w, padding=1)) + (relay.const(1.0) + 2.0)
    f, X = relay.Function([x], y), random(1, 16, 8, 8)
    expected = run(f, X, kind="debug").numpy()
    for level in range(4):
        np.testing.assert_allclose(run(f, X, opt_level=level).numpy(), expected, rtol=1e-3,
                                   atol=1e-4)
    with lathe.transform.PassContext(disabled_pass=["FoldConstant"]):
        assert str(relay.optimize(f)[0]).count("add(") == 2
        relay.build(f, "llvm")
    assert str(relay.optimize(f)[0]).count("add(") == 1


def test_passes():
    x = relay.var("x", shape=(4,))
    mod = lathe.IRModule.from_expr((x + x) * (x + x))
    shared = relay.transform.EliminateCommonSubexpr()
    assert str(shared(mod)).count("add(") == 1
    both_passes = lathe.transform.Sequential([shared, relay.transform.FuseOps()])
    assert str(both_passes(mod)).count("add(") == 2  # of level 3
    with lathe.transform.PassContext(opt_level=3):
        assert str(both_passes(mod)).count("add(") == 1
    with lathe.transform.PassContext(opt_level=3, disabled_pass=["EliminateCommonSubexpr"]):
        assert str(both_passes(mod)).count("add(") == 2
    assert "primitive" in str(both_passes(mod))
    seen = []

    class Watch:
        def run_before_pass(self, module, info):
            seen.append(info.name)

    with lathe.transform.PassContext(instruments=[Watch()]):
        relay.transform.InferType()(mod)
        relay.build(mod, "llvm")
    assert seen[0] == "InferType" and "fold_constants" in seen and "fuse" in seen
    assert error_of(relay.transform.builtin_pass, "no_such").name == "unknown-pass"
    assert error_of(shared, lathe.ir.Module([])).name == "relay-module-type"

    @relay.transform.function_pass(opt_level=1)
    class Twice:
        def __init__(self, factor):
            self.factor = factor

        def transform_function(self, func, mod, ctx):
            outer = self

            class Replace(relay.ExprMutator):
                def visit_call(self, call):
                    made = super().visit_call(call)
                    return made * outer.factor if call.op.name == "multiply" else made

            return Replace().visit(func)

    made = Twice(relay.const(2.0))
    assert made.info.name == "Twice"
    np.testing.assert_allclose(both(made(mod)["main"], random(4)), 8 * random(4) ** 2, rtol=1e-5)


def test_networks_of_testing():
    for module, shape in ((relay.testing.mlp.get_workload(2), (2, 1, 28, 28)),
                          (relay.testing.lstm.get_workload(3, 8), (1, 3, 8)),
                          (relay.testing.resnet.get_workload(1, 10, 8, (3, 16, 16)), (1, 3, 16, 16)),
                          (relay.testing.mobilenet.get_workload(1, 10, (3, 32, 32), alpha=0.25),
                           (1, 3, 32, 32))):
        mod, params = module
        again = relay.testing.create_workload(mod["main"])[1]
        assert all(np.array_equal(params[n].numpy(), again[n].numpy()) for n in params)
        X = random(*shape)
        lib = relay.build(mod, "llvm", params=params)
        m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
        m.run(data=X)
        expected = relay.create_executor("debug", mod, params=params).evaluate()(X)
        np.testing.assert_allclose(m.get_output(0).numpy(), expected.numpy(), rtol=1e-3, atol=1e-5)
    nets = relay.testing
    for wrong, text in ((lambda: nets.resnet.get_net(1, 10, num_layers=19), "expected: one of 18, 34"),
                        (lambda: nets.resnet.get_net(1, 10, 8, (3, 16, 16), layout="CHWN"), "found: the layout CHWN"),
                        (lambda: nets.resnet_3d.get_net(1, 10, 18, (3, 4, 32, 32), layout="NDHWC"), "expected: the layout NCDHW"),
                        (lambda: nets.mobilenet.get_net(1, 10, (3, 32, 32), layout="CHWN"), "found: the layout CHWN"),
                        (lambda: nets.dcgan.get_net(1, oshape=(3, 32, 32)), "found: NCHW (3, 32, 32)"),
                        (lambda: nets.dqn.get_net(1, layout="NHWC"), "expected: the layout NCHW"),
                        (lambda: nets.densenet.get_net(120), "found: 120"),
                        (lambda: nets.squeezenet.get_net(1, (3, 64, 64), 10, "1.2", "float32"), "expected: the version 1.0 or 1.1"),
                        (lambda: nets.vgg.get_net(1, (3, 32, 32), 10, "float32", num_layers=12), "expected: one of 11, 13, 16, 19"),
                        (lambda: nets.init.Xavier("normal"), "found: normal, avg")):
        error = error_of(wrong)
        assert isinstance(error, ValueError) and error.name == "testing-network" and text in str(error)


@pytest.mark.parametrize("network", ["resnet", "mobilenet"])
def test_a_network_computes_the_same_in_both_layouts(network):
    make = getattr(relay.testing, network).get_workload
    options = {"num_layers": 8} if network == "resnet" else {"alpha": 0.25}
    rows = 28 if network == "resnet" else 32
    first, params = make(1, 10, image_shape=(3, rows, rows), **options)
    last, others = make(1, 10, image_shape=(rows, rows, 3), layout="NHWC", **options)
    for name, value in params.items():
        value = value.numpy()
        if value.ndim == 4:
            value = value.transpose(2, 3, 0, 1) if value.shape[1] == 1 else value.transpose(2, 3, 1, 0)
        assert value.shape == others[name].shape, name
        others[name] = lathe.nd.array(np.ascontiguousarray(value))
    image = np.random.default_rng(2).normal(size=(1, 3, rows, rows)).astype("float32")
    results = []
    for mod, values, data in ((first, params, image), (last, others, image.transpose(0, 2, 3, 1).copy())):
        module = graph_executor.GraphModule(relay.build(mod, "llvm", params=values)["default"](lathe.cpu()))
        module.run(data=data)
        results.append(module.get_output(0).numpy())
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-6)


def test_residual_networks_have_the_stages_of_their_depth_and_image():
    def kernels(net):
        return [str(p.type_annotation) for p in net.params if p.name_hint.endswith("weight")
                and "_sc" not in p.name_hint]

    make = relay.testing.resnet.get_net
    for rows, layers, first, count in ((32, 18, "float32[64, 3, 3, 3]", 18), (33, 18, "float32[64, 3, 7, 7]", 18),
                                       (28, 20, "float32[16, 3, 3, 3]", 20), (28, 164, "float32[16, 3, 3, 3]", 164),
                                       (64, 200, "float32[64, 3, 7, 7]", 200), (64, 269, "float32[64, 3, 7, 7]", 269)):
        found = kernels(make(1, 10, layers, (3, rows, rows)))
        # Each residual network has a dense layer at its end.
        assert (found[0], len(found)) == (first, count), (rows, layers)
    assert "max_pool2d" not in str(make(1, 10, 18, (3, 32, 32))) and "max_pool2d" in str(make(1, 10, 18, (3, 33, 33)))
    for rows, layers in ((28, 18), (28, 170), (32, 20)):
        with pytest.raises(ValueError, match="residual network"):
            make(1, 10, layers, (3, rows, rows))
    deep = relay.testing.resnet_3d.get_net
    assert kernels(deep(1, 10, 18, (3, 4, 32, 32)))[0] == "float32[64, 3, 3, 3, 3]"
    assert kernels(deep(1, 10, 18, (3, 4, 40, 40)))[0] == "float32[64, 3, 3, 7, 7]"
    assert len(kernels(deep(1, 10, 8, (3, 4, 28, 28)))) == 8


def test_transposed_weights_are_transposed_before():
    x, w, u = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 3)), relay.var("u", shape=(5, 3))
    func = relay.Function([x, w, u], relay.nn.dense(relay.nn.dense(x, relay.transpose(w)), u))
    random = np.random.default_rng(1)
    params = {name: lathe.nd.array(random.normal(size=shape).astype("float32"))
              for name, shape in (("w", (4, 3)), ("u", (5, 3)))}
    new, values = relay.data_dep_optimization.simplify_fc_transpose.convert(func, params)
    assert sorted(values) == ["u", "w.T"] and "transpose" not in str(new)
    np.testing.assert_array_equal(values["w.T"].numpy(), params["w"].numpy().T)
    data, results = random.normal(size=(2, 4)).astype("float32"), []
    for one, given in ((func, params), (new, values)):
        module = graph_executor.GraphModule(relay.build(one, "llvm", params=given)["default"](lathe.cpu()))
        module.run(x=data)
        results.append(module.get_output(0).numpy())
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-6)
    # Not of a parameter: nothing changes.
    assert str(relay.data_dep_optimization.simplify_fc_transpose.convert(func, {})[0]) == str(func)


def test_executors():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    executor = relay.create_executor("graph", relay.Function([x, y], x - y))
    call = executor.evaluate()
    assert call(np.ones(2, "float32"), y=[0.5, 0.25]).numpy().tolist() == [0.5, 0.75]
    assert error_of(call, np.ones(2, "float32")).name == "call-wrong-argument-count"
    assert error_of(call, np.ones(2, "float32"), z=1).name == "graph-input-unknown"
    assert executor.evaluate(relay.const(2.0) * 3.0).numpy() == 6
    assert error_of(relay.create_executor, "tree").name == "relay-executor-kind"
    assert error_of(relay.create_executor, "graph", None, lathe.cuda()).name == "graph-device"
    for wrong in ({"cuda": "llvm"}, []):
        assert error_of(relay.build, relay.Function([x], x), wrong).name == "relay-target"
    assert error_of(relay.build, relay.Function([x], x), ["llvm", "llvm"]).name == "graph-target"
    there = relay.annotation.on_device(relay.exp(x), "cuda")
    assert error_of(relay.build, relay.Function([x], there), "llvm").name == "graph-no-target"
    assert error_of(relay.annotation.on_device, x, "cuda:x").name == "relay-device"
    copy = relay.device_copy(x, lathe.cpu(), lathe.device("opencl", 1))
    assert 'dst_device="opencl:1"' in str(lathe.IRModule.from_expr(relay.Function([x], copy)))


def test_threads_build_and_run():
    results = [None] * 4

    def work(i):
        x = relay.var("x", shape=(i + 1, 8))
        w = relay.const(random(4, 8, seed=i))
        results[i] = run(relay.Function([x], relay.nn.dense(x, w)), random(i + 1, 8)).numpy()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, got in enumerate(results):
        np.testing.assert_allclose(got, random(i + 1, 8) @ random(4, 8, seed=i).T, rtol=1e-5,
                                   atol=1e-6)


def test_functions_may_call_functions_that_follow():
    x, y, z = (relay.var(name, shape=(2,)) for name in "xyz")
    mod = lathe.IRModule({"main": relay.Function([x], relay.GlobalVar("f")(x)),
                          "f": relay.Function([y], relay.negative(relay.GlobalVar("g")(y))),
                          "g": relay.Function([z], relay.exp(z))})
    assert str(mod["main"].checked_type) == "fn(float32[2]) -> float32[2]"
    assert list(mod) == ["main", "f", "g"]
    result = relay.create_executor("debug", mod).evaluate()(np.zeros(2, "float32"))
    np.testing.assert_array_equal(result.numpy(), [-1.0, -1.0])


def flat(results):
    """All tensors of nested results, in order."""
    if isinstance(results, list):
        return [one for part in results for one in flat(part)]
    return [results.numpy()]


def test_gradient():
    x, w = relay.var("x", shape=(3, 4)), relay.var("w", shape=(2, 4))
    f = relay.Function([x, w], relay.tanh(relay.nn.dense(x, w)))
    X, W = random(3, 4), random(2, 4, seed=1)
    for mode in ("higher_order", "first_order"):
        g = relay.transform.gradient(f, mode=mode)
        wanted = relay.TupleType([relay.TensorType((3, 2)),
                                  relay.TupleType([relay.TensorType((3, 4)),
                                                   relay.TensorType((2, 4))])])
        assert g.checked_type.ret_type == wanted
        y, (by_x, by_w) = run(g, X, W, kind="debug")
        slope = 1 - np.tanh(X @ W.T) ** 2
        np.testing.assert_allclose(y.numpy(), np.tanh(X @ W.T), rtol=1e-5)
        np.testing.assert_allclose(by_x.numpy(), slope @ W, rtol=1e-5)
        np.testing.assert_allclose(by_w.numpy(), slope.T @ X, rtol=1e-5)
    # Second derivatives: of sum(x^3) + sum(3 x^2), and of the function itself once more.
    x = relay.var("x", shape=(5,))
    twice = relay.transform.gradient(relay.transform.gradient(relay.Function([x], x * x * x)))
    X = random(5)
    (y, (first,)), (second,) = run(twice, X, kind="debug")
    np.testing.assert_allclose(first.numpy(), 3 * X ** 2, rtol=1e-5)
    np.testing.assert_allclose(second.numpy(), 3 * X ** 2 + 6 * X, rtol=1e-4, atol=1e-5)
    # Expressions are functions of their free variables; compiled results are the interpreted ones.
    g = relay.transform.gradient(relay.exp(x))
    np.testing.assert_allclose(flat(run(g, X))[1], np.exp(X), rtol=1e-5)


def test_gradient_of_functions_and_loops():
    x = relay.var("x", shape=(4,))
    mod = lathe.IRModule({"square": relay.Function([x], x * x)})
    y = relay.var("y", shape=(4,))
    call = relay.Function([y], relay.Call(relay.GlobalVar("square"), [y]))
    g = relay.transform.gradient(call, mod)
    np.testing.assert_allclose(run(g, random(4), kind="debug")[1][0].numpy(), 2 * random(4))
    g = relay.transform.gradient(relay.GlobalVar("square"), mod)
    np.testing.assert_allclose(run(g, random(4), kind="debug")[1][0].numpy(), 2 * random(4))
    # A recurrent network is differentiated as a loop.
    x, w, r = (relay.var(n, shape=s)
               for n, s in (("x", (5, 2, 4)), ("w", (1, 12, 4)), ("r", (1, 12, 3))))
    g = relay.transform.gradient(relay.Function([x, w, r], relay.nn.lstm(x, w, r)[0]))
    args = random(5, 2, 4), random(1, 12, 4, seed=1), random(1, 12, 3, seed=2)
    assert "loop" in str(lathe.IRModule.from_expr(g))
    _, (by_x, _, _) = run(g, *args, kind="debug")
    np.testing.assert_allclose(flat(run(g, *args))[1], by_x.numpy(), rtol=1e-4, atol=1e-5)


def test_parameters_of_loops_and_of_results_of_unknown_sizes():
    # A loop reads a parameter that is bound to a constant.
    x, w, r = (relay.var(n, shape=s)
               for n, s in (("x", (5, 2, 4)), ("w", (1, 12, 4)), ("r", (1, 12, 3))))
    g = relay.transform.gradient(relay.Function([x, w, r], relay.nn.lstm(x, w, r)[0]))
    args = random(5, 2, 4), random(1, 12, 4, seed=1), random(1, 12, 3, seed=2)
    mod = lathe.IRModule.from_node(lathe.IRModule.from_expr(g)._node)
    bound = relay.build_module.bind_params_by_name(mod["main"], {"w": args[1]})
    assert [p.name_hint for p in bound.params] == ["x", "r"]
    found = flat(run(bound, args[0], args[2]))
    np.testing.assert_allclose(found[1], flat(run(g, *args))[1], rtol=1e-5, atol=1e-6)
    # How many elements are not zero, only the run knows.
    c, one = relay.var("c", shape=(4,)), relay.var("one", shape=())
    mod = lathe.IRModule.from_expr(relay.Function([c, one], relay.argwhere(c * one)))
    mod = lathe.IRModule.from_node(mod._node)
    bound = relay.build_module.bind_params_by_name(mod["main"], {"one": np.float32(1)})
    assert run(bound, np.array([0, 3, 0, 2], "float32")).numpy().tolist() == [[1], [3]]


def test_check_grad():
    x, w = relay.var("x", shape=(3, 4)), relay.var("w", shape=(5, 4))
    weights = relay.const(np.arange(5, dtype="float32"))
    for function in (relay.Function([x], relay.tanh(x) * x),
                     relay.Function([x, w], relay.nn.softmax(relay.nn.dense(x, w)) * weights),
                     relay.Function([x], relay.Tuple([relay.sum(x), relay.exp(x)]))):
        relay.testing.check_grad(function)
    wide = relay.var("x", shape=(2, 3), dtype="float64")
    relay.testing.check_grad(relay.Function([wide], relay.sqrt(wide * wide + relay.const(1.0, "float64"))),
                             rtol=1e-6, executor_kind="debug")
    # The gradient of a step is 0, that of a large step is not.
    with pytest.raises(AssertionError, match="gradient of input 0"):
        relay.testing.check_grad(relay.Function([x], relay.round(x * relay.const(50.0))), eps=0.1)


def test_gradient_errors():
    x = relay.var("x", shape=(4,))
    f = relay.Function([x], x)
    assert error_of(relay.transform.gradient, f, mode="third").name == "relay-gradient-mode"
    assert error_of(relay.transform.gradient, relay.Function([x], relay.argmax(x))).name \
        == "graph-no-gradient"
    assert error_of(relay.transform.gradient, relay.GlobalVar("none"),
                    lathe.IRModule({"f": f})).name == "graph-no-function"


def test_builders_take_operands_in_relays_order():
    x, places = relay.var("x", shape=(2, 3)), relay.const(np.zeros((2, 1), "int64"))
    assert relay.gather(x, 1, places).checked_type.concrete_shape == (2, 1)
    image = relay.var("image", shape=(1, 3, 8, 8))
    assert relay.image.resize2d(image, (16, 4)).checked_type.concrete_shape == (1, 3, 16, 4)
    assert relay.op.get("add").num_inputs == 2 and relay.op.get("concatenate").num_inputs == -1
    assert relay.op.get("add").description


def test_arithmetic_of_known_elements():
    """Elements of small tensors are followed where the result has as many."""
    none, two = relay.const(np.zeros((0,), "int64")), relay.const(np.array(2, "int64"))
    column, row = relay.const(np.array([[1], [2]], "int64")), relay.const(np.array([[3, 4]], "int64"))
    for a, b, wanted in ((none, two, []), (two, none, []), (none, relay.const(np.array([2], "int64")), []),
                         (column, row, [[3, 4], [6, 8]]), (row, two, [[6, 8]])):
        module = lathe.IRModule.from_expr(relay.Function([], relay.multiply(a, b)))
        for kind in ("graph", "debug"):
            np.testing.assert_array_equal(relay.create_executor(kind, module).evaluate()().numpy(), wanted)
    shape = relay.shape_of(relay.var("x", shape=())) * relay.const(np.array(2, "int32"))
    assert shape.checked_type.concrete_shape == (0,)
