"""Names that programs for TVM 0.9 write: graphs."""

import copy
import pickle
import types

import numpy as np
import pytest

import lathe
from lathe import relay, te

RANDOM = np.random.default_rng(0)


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
    relay._nested.run(evaluate.body(mod["main"].body, {}))
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


def test_attributes_of_calls_have_the_form_of_tvms():
    def var(*shape):
        return relay.var("x", shape=shape)

    def form(call):
        return {key: call.attrs[key] for key in ("strides", "padding", "dilation", "pool_size") if key in call.attrs}

    image, weight = var(1, 3, 8, 8), var(4, 3, 3, 3)
    once = relay.nn.conv2d(image, weight, padding=(1, 2), strides=2)
    assert form(once) == {"strides": (2, 2), "padding": (1, 2, 1, 2), "dilation": (1, 1)}
    assert (once.attrs.channels, once.attrs.kernel_size, once.attrs.groups) == (None, None, 1)
    assert once.attrs.as_given["padding"] == (1, 2) and once.attrs.as_given["channels"] == 0
    assert relay.nn.conv2d(image, weight, padding=(1, 2, 3, 0)).attrs.padding == (1, 2, 3, 0)
    assert relay.nn.conv2d(image, weight, channels=4, kernel_size=3).attrs.kernel_size == (3, 3)
    assert form(relay.nn.conv1d(var(1, 3, 8), var(4, 3, 3), padding=1)) == {
        "strides": (1,), "padding": (1, 1), "dilation": (1,)}
    assert form(relay.nn.conv3d_transpose(var(1, 3, 4, 4, 4), var(3, 4, 2, 2, 2), padding=(1, 0, 1))) == {
        "strides": (1, 1, 1), "padding": (1, 0, 1, 1, 0, 1), "dilation": (1, 1, 1)}
    assert form(relay.nn.avg_pool2d(image, pool_size=2, strides=2, padding=1)) == {
        "strides": (2, 2), "padding": (1, 1, 1, 1), "dilation": (1, 1), "pool_size": (2, 2)}
    assert relay.nn.dense(var(2, 3), var(4, 3)).attrs.units is None
    assert relay.nn.dense(var(2, 3), var(4, 3), units=4).attrs.units == 4
    # Calls made of these attributes are the same; patterns know both forms.
    again = relay.Call(once.op, once.args, once.attrs)
    built = relay.nn.conv2d(*once.args, **once.attrs)
    assert again.checked_type == built.checked_type == once.checked_type and form(again) == form(built) == form(once)
    x = var(2, 3)
    for call in (once, relay.nn.dense(x, var(4, 3)), relay.nn.softmax(x), relay.nn.softmax(x, axis=1),
                 relay.Call("nn.softmax", [x], {"axis": -1}), relay.nn.max_pool2d(image, (2, 2), padding=(1, 1)),
                 relay.Call("nn.pad", [x], {"pad_width": [1, 1, 0, 0]})):
        for attrs in (call.attrs, copy.deepcopy(call.attrs), pickle.loads(pickle.dumps(call.attrs))):
            again = relay.Call(call.op, call.args, attrs)
            assert lathe.ir.structural_equal(again, call) and again.attrs == call.attrs
            assert again.attrs.as_given == call.attrs.as_given
    # Attributes that a program changed, or gives another operator, are those that can be read.
    changed = relay.nn.softmax(x).attrs
    changed["axis"] = 0
    assert relay.Call("nn.softmax", [x], changed).attrs.axis == 0
    wider = once.attrs
    wider["padding"] = (2, 2, 2, 2)
    assert relay.Call(once.op, once.args, wider).attrs.padding == (2, 2, 2, 2)
    del wider["strides"]
    assert relay.Call(once.op, once.args, wider).attrs.strides == (1, 1)
    assert relay.Call("sum", [x], relay.max(x, axis=1).attrs).attrs.axis == 1
    assert relay.Call("nn.log_softmax", [x], relay.nn.softmax(x).attrs).attrs.axis == relay.nn.softmax(x).attrs.axis
    any_one = relay.dataflow_pattern.wildcard
    for padding in ((1, 2), [1, 2, 1, 2]):
        pattern = relay.dataflow_pattern.is_op("nn.conv2d")(any_one(), any_one()).has_attr({"padding": padding})
        assert pattern.match(once)


def test_texts_of_relay_may_speak_of_graphs():
    for comment in ("/*\ngraph module\n*/", "/* graph\n graph main( \n*/", "// a\n//\n  // graph module", "/* \" */ /*\ngraph module*/"):
        for text in (comment + "\ndef @main(%x: int32) { %x }", "def @main(%x: int32) {\n" + comment + "\n %x }"):
            assert list(lathe.parser.parse(text)) == list(lathe.parser.fromtext(text)) == ["main"]
    ours = lathe.IRModule.from_expr(relay.Function([x := relay.var("x", shape=(2,))], relay.tanh(x))).astext()
    for text in (ours, "# a /* comment, and \"\n" + ours):
        assert list(lathe.parser.parse(text)) == ["main"]
    for read in (lathe.parser.parse, lathe.parser.fromtext, lathe.parser.parse_expr):
        for wrong in (3, b"def", None):
            with pytest.raises(TypeError, match="relay-text-type(.*\n)*.*expected: a str"):
                read(wrong)
