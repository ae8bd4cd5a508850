"""Passes written in Python: what they make of graphs, and that the answers stay."""

import numpy as np
import pytest

import lathe
from lathe import relay
from lathe.contrib import graph_executor
from lathe.relay import transform


def answers(mod, data):
    made = relay.create_executor("debug", mod).evaluate()(**data)
    return [one.numpy().astype("float64") for one in (made if isinstance(made, list) else [made])]


def same(result, a_pass, tolerance=1e-4):
    """Runs the function of `result` before and after a pass; the module after it."""
    mod = lathe.IRModule.from_expr(relay.Function(relay.analysis.free_vars(result), result))
    rng = np.random.default_rng(3)
    data = {p.name_hint: rng.standard_normal(p.type_annotation.concrete_shape).astype(p.type_annotation.dtype)
            for p in mod["main"].params}
    made = a_pass(mod)
    before, after = answers(mod, data), answers(made, data)
    assert len(before) == len(after)
    for x, y in zip(before, after):
        np.testing.assert_allclose(y, x, rtol=tolerance, atol=tolerance)
    return made


def ops(mod):
    return relay.analysis.list_op_freqs(mod)


def image(*shape):
    return relay.var("x", shape=shape)


def conv(data, channels, name="w", **attrs):
    return relay.nn.conv2d(data, relay.var(name), channels=channels, kernel_size=(3, 3), **attrs)


NHWC = {"nn.conv2d": ["NHWC", "default"]}


def test_layouts_follow_through_a_network():
    x = image(1, 4, 8, 8)
    y = relay.nn.relu(relay.nn.bias_add(conv(x, 6, padding=(1, 1)), relay.var("b")))
    y = y * relay.var("s", shape=(6, 1, 1)) + relay.var("t", shape=(1, 6, 1, 1))
    y = relay.nn.max_pool2d(y, pool_size=(2, 2), strides=(2, 2))
    y = relay.concatenate([y, relay.nn.avg_pool2d(y, pool_size=(3, 3), padding=(1, 1))], axis=1)
    y = relay.nn.pad(y, ((0, 0), (0, 0), (1, 1), (2, 2)))
    y = conv(y, 12, "w2", groups=12)
    a, b = relay.split(y, 2, axis=1)
    y = relay.nn.softmax(a + b + 1.0, axis=1)
    whole = relay.Tuple([relay.mean(y, axis=(2, 3)), relay.sum(y, axis=1, keepdims=True), y])
    made = same(whole, transform.ConvertLayout(NHWC))
    # Data, two weights, s and t, and the two results that keep four dimensions.
    assert ops(made)["layout_transform"] == 7
    text = str(made)
    assert text.count('data_layout="NHWC"') == 2 and text.count('layout="NHWC"') >= 4
    assert made["main"].checked_type == lathe.IRModule.from_expr(
        relay.Function(relay.analysis.free_vars(whole), whole))["main"].checked_type


@pytest.mark.parametrize("tail", [
    relay.nn.batch_flatten, lambda y: relay.reshape(y, (1, -1)), lambda y: relay.transpose(y, (1, 0, 2, 3)),
    lambda y: relay.sum(y, axis=(2,)), lambda y: relay.sum(y), lambda y: relay.argmax(y, axis=1),
    lambda y: relay.nn.batch_norm(y, *(relay.var(n, shape=(4,)) for n in "abc"), relay.const(np.ones(4, "float32")))[0],
    lambda y: relay.nn.prelu(y, relay.var("a", shape=(4,))), lambda y: relay.nn.lrn(y),
    lambda y: y + relay.const(np.arange(6, dtype="float32")), lambda y: relay.const(2.0) - y,
    lambda y: relay.image.resize2d(y, size=(9, 9)), lambda y: relay.nn.global_avg_pool2d(y),
    lambda y: relay.broadcast_to(relay.sum(y, axis=1, keepdims=True), (1, 5, 6, 6)),
    lambda y: relay.nn.l2_normalize(y, eps=1e-3, axis=(1,)), lambda y: relay.nn.instance_norm(
        y, relay.var("g", shape=(4,)), relay.var("b", shape=(4,))), lambda y: relay.cumsum(y, axis=1),
    lambda y: relay.nn.depth_to_space(y, 2), lambda y: relay.stack([y, y], axis=1), lambda y: relay.one_hot(
        relay.argmax(y, axis=1), relay.const(1.0), relay.const(0.0), depth=4), lambda y: relay.nn.dropout(y),
    lambda y: relay.If(relay.sum(y) > relay.const(0.0), relay.nn.relu(y), y),
    lambda y: relay.nn.upsampling(y, 2, 2), lambda y: relay.where(y > relay.const(0.0), y, -y),
    lambda y: relay.strided_slice(y, begin=(0, 1), end=(1, 3), axes=(0, 1)),
    lambda y: relay.nn.conv2d_transpose(y, relay.var("v"), channels=2, kernel_size=(2, 2)),
    lambda y: relay.expand_dims(y, 0) + relay.const(np.ones((2, 1, 1, 1, 1), "float32")),
])
def test_each_operator_behind_a_convolution(tail):
    made = same(tail(conv(image(1, 3, 8, 8), 4)), transform.ConvertLayout(NHWC))
    assert 'data_layout="NHWC"' in str(made)


def test_layouts_of_other_kinds():
    x = image(1, 3, 8, 8)
    made = same(conv(x, 4), transform.ConvertLayout({"nn.conv2d": ["NHWC", "OHWI"]}))
    assert 'kernel_layout="OHWI"' in str(made)
    back = same(relay.nn.relu(conv(x, 4)), lambda mod: transform.ConvertLayout({"nn.conv2d": ["NCHW", "OIHW"]})(
        transform.ConvertLayout(NHWC)(mod)))
    assert 'data_layout="NHWC"' not in str(back)
    same(relay.nn.conv3d(image(1, 2, 4, 5, 6), relay.var("w"), channels=3, kernel_size=(2, 2, 2)),
         transform.ConvertLayout({"nn.conv3d": ["NDHWC", "default"]}))
    same(relay.nn.conv1d(image(1, 2, 6), relay.var("w"), channels=3, kernel_size=3),
         transform.ConvertLayout({"nn.conv1d": ["NWC", "default"]}))
    turned = same(relay.nn.conv2d_transpose(x, relay.var("w"), channels=2, kernel_size=(2, 2), strides=(2, 2)),
                  transform.ConvertLayout({"nn.conv2d_transpose": ["NHWC", "default"]}))
    assert 'data_layout="NHWC"' in str(turned)
    untouched = same(conv(x, 4), transform.ConvertLayout({"nn.conv3d": ["NDHWC", "default"]}))
    assert "layout_transform" not in str(untouched)


def test_wrong_layouts():
    mod = lathe.IRModule.from_expr(conv(image(1, 3, 8, 8), 4))
    for wish in ({"nn.conv2d": ["NCHW16c", "default"]}, {"nn.no": ["NHWC"]}, {"nn.conv2d": []}, {"nn.relu": ["NHWC"]}):
        with pytest.raises(lathe.LatheError, match="graph-layout"):
            transform.ConvertLayout(wish)(lathe.IRModule.from_expr(relay.nn.relu(mod["main"].body)))


@pytest.mark.parametrize("narrow, tolerance", [("float16", 5e-3), ("bfloat16", 5e-2)])
def test_mixed_precision(narrow, tolerance):
    x = relay.var("x", shape=(4, 16))
    y = relay.nn.relu(relay.nn.bias_add(relay.nn.dense(x, relay.var("w"), units=8), relay.var("b")))
    y = relay.nn.softmax(relay.nn.dense(y, relay.var("v"), units=4))
    made = same(y, transform.ToMixedPrecision(narrow), tolerance)
    text = str(made)
    assert text.count('nn.dense(') == 2 and text.count('out_dtype="float32"') == 2
    types = {part.op.name: part.checked_type.dtype for part in relay.analysis.post_order(made["main"].body)
             if isinstance(part, relay.Call)}
    assert types["nn.relu"] == narrow and types["nn.bias_add"] == narrow and types["nn.softmax"] == "float32"
    assert made["main"].checked_type.ret_type.dtype == "float32"  # softmax stays
    product = relay.nn.dense(x, relay.var("w", shape=(8, 16)))
    assert transform.ToMixedPrecision(narrow)(product)["main"].checked_type.ret_type.dtype == narrow


def test_mixed_precision_leaves_what_is_not_float32():
    whole = relay.nn.dense(relay.var("x", shape=(2, 4), dtype="int8"), relay.var("w", shape=(3, 4), dtype="int8"),
                           out_dtype="int32")
    mod = transform.ToMixedPrecision("float16")(whole)
    assert "cast" not in ops(mod)
    alone = transform.ToMixedPrecision("float16")(relay.exp(relay.var("x", shape=(2,))) + 1.0)
    assert "cast" not in ops(alone)


@pytest.mark.parametrize("rows, depth, columns", [(1, 64, 32), (8, 64, 32), (9, 34, 40), (49, 96, 64), (97, 64, 72),
                                                  (300, 32, 32), (1009, 32, 32), (5, 7, 6)])
def test_products_of_bfloat16_are_exact_for_small_numbers(rows, depth, columns):
    """By tiles, by vectors or in float32, as this processor has them: the sums are the same."""
    import ml_dtypes

    rng = np.random.default_rng(rows)
    x, w, v = (rng.integers(-4, 5, shape).astype(ml_dtypes.bfloat16)
               for shape in ((2, rows, depth), (columns, depth), (2, depth, columns)))
    bias = rng.integers(-9, 9, columns).astype("float32")
    left = relay.var("x", shape=x.shape, dtype="bfloat16")
    first = relay.nn.dense(relay.reshape(left, (2 * rows, depth)), relay.const(w), out_dtype="float32")
    second = relay.nn.batch_matmul(left, relay.var("v", shape=v.shape, dtype="bfloat16"), transpose_b=False,
                                   out_dtype="float32")
    both = relay.Tuple([relay.nn.relu(relay.nn.bias_add(first, relay.const(bias))), second])
    expected = [np.maximum(np.matmul(x.astype("float64").reshape(-1, depth), w.astype("float64").T) + bias, 0),
                np.matmul(x.astype("float64"), v.astype("float64"))]
    for level in (0, 3):
        with transform.PassContext(opt_level=level):
            lib = relay.build(lathe.IRModule.from_expr(both), target="llvm")
        run = graph_executor.GraphModule(lib["default"](lathe.cpu()))
        run.run(x=x, v=v)
        for k, one in enumerate(expected):
            np.testing.assert_array_equal(run.get_output(k).numpy(), one)


def test_dot_products_of_any_types_and_sizes():
    """What the templates of dot products do not take is computed by the default schedule."""
    rng = np.random.default_rng(5)

    def check(args, out_dtype, x=None):
        variables = [relay.var(name, shape=a.shape, dtype=a.dtype.name) for name, a in zip("xw", args)]
        if x is not None:
            variables[0] = x
        result = relay.nn.contrib_dense_dot(*variables, out_dtype=out_dtype)
        f = relay.Function([v for i, v in enumerate(variables) if v not in variables[:i]], result)
        lib = relay.build(lathe.IRModule.from_expr(f), target="llvm")
        run = graph_executor.GraphModule(lib["default"](lathe.cpu()))
        run.run(**dict(zip("xw", args)))
        wide = [a.astype("float64") for a in args]
        whole = np.moveaxis(wide[-1], (-3, -1), (-4, -3)).reshape(args[-1].shape[-3] * args[-1].shape[-1], -1)
        found = run.get_output(0).numpy().astype("float64")
        np.testing.assert_array_equal(found.reshape(*found.shape[:-2], -1), wide[0] @ whole)

    import ml_dtypes

    def small(*shape, dtype=ml_dtypes.bfloat16):
        return rng.integers(0, 4, shape).astype(dtype)

    check([small(9, 32), small(3, 16, 32, 2)], "bfloat16")
    check([small(9, 64, dtype="uint8"), small(2, 16, 32, 4, dtype="int8")], "int64")
    check([small(9, 64, dtype="uint8"), small(2, 16, 32, 4, dtype="int8")], "float32")
    check([small(4, 8), small(3, 4, 16, 2)], "float32", relay.var("x", shape=(4, relay.Any()), dtype="bfloat16"))
    with pytest.raises(lathe.LatheError, match="graph-argument"):
        check([small(4, 8), small(3, 4, 16, 0)], "float32")
    one = relay.var("x", shape=(3, 1, 16, 2), dtype="bfloat16")
    lib = relay.build(lathe.IRModule.from_expr(relay.nn.contrib_dense_dot(one, one, out_dtype="float32")), target="llvm")
    assert lib is not None


def test_mixed_precision_of_operators_in_no_list():
    y = relay.nn.dense(relay.var("x", shape=(2, 4)), relay.var("w", shape=(3, 4)))
    y = relay.topk(y, k=1, ret_type="values")
    with pytest.raises(lathe.LatheError, match="graph-precision"):
        transform.ToMixedPrecision("float16", 0)(y)
    with pytest.warns(UserWarning, match="topk"):
        transform.ToMixedPrecision("float16", 1)(y)
    transform.ToMixedPrecision("float16", 2)(y)
    for arguments in (("float32",), ("float16", 7)):
        with pytest.raises(lathe.LatheError, match="graph-precision"):
            transform.ToMixedPrecision(*arguments)(y)


def test_parallel_convolutions():
    x = image(1, 4, 8, 8)
    parts = [relay.nn.relu(conv(x, n, f"w{n}")) for n in (2, 3, 5)]
    other = relay.nn.conv2d(x, relay.var("one"), channels=2, kernel_size=(1, 1))
    made = same(relay.Tuple([*parts, other]), transform.CombineParallelConv2D(3))
    assert ops(made)["nn.conv2d"] == 2 and ops(made)["concatenate"] == 1
    few = same(relay.Tuple(parts), transform.CombineParallelConv2D(4))
    assert ops(few)["nn.conv2d"] == 3
    turned = same(relay.Tuple(parts), lambda mod: transform.CombineParallelConv2D(3)(
        transform.FoldConstant()(transform.ConvertLayout(NHWC)(mod))))
    assert ops(turned)["nn.conv2d"] == 3  # weights that are computed stay apart


@pytest.mark.parametrize("to_batch", [True, False])
def test_parallel_dense_layers(to_batch):
    x = relay.var("x", shape=(3, 8))
    parts = [relay.nn.relu(relay.nn.dense(x, relay.var(f"w{i}", shape=(5, 8)))) for i in range(4)]
    parts.append(relay.nn.dense(x, relay.var("other", shape=(2, 8))))
    made = same(relay.Tuple(parts), transform.CombineParallelDense(3, to_batch))
    assert ops(made).get("nn.batch_matmul", 0) == int(to_batch)
    assert ops(made)["nn.dense"] == 1  # the one of another shape; or all


def test_parallel_batches():
    x = relay.var("x", shape=(2, 3, 8))
    parts = [relay.nn.batch_matmul(x, relay.var(f"w{n}", shape=(2, n, 8))) for n in (3, 4, 5)]
    assert ops(same(relay.Tuple(parts), transform.CombineParallelBatchMatmul()))["nn.batch_matmul"] == 1
    parts = [relay.nn.batch_matmul(x, relay.var(f"w{n}", shape=(2, 8, n)), transpose_b=False) for n in (3, 4, 5)]
    assert ops(same(relay.Tuple(parts), transform.CombineParallelBatchMatmul()))["nn.batch_matmul"] == 1


def test_normal_forms():
    x = relay.var("x", shape=(2,))
    shared = relay.exp(x)
    cond = relay.var("c", shape=(), dtype="bool")
    body = shared * shared + relay.If(cond, relay.tanh(shared), relay.abs(x))
    form = transform.ToANormalFormExpr(relay.Function([x, cond], body))
    let, count = form.body, 0
    while isinstance(let, relay.Let):
        assert all(isinstance(arg, relay.Var) for arg in getattr(let.value, "args", []))
        let, count = let.body, count + 1
    assert count == 4 and isinstance(let, relay.Var)
    for c in (True, False):
        data = {"x": np.ones(2, "float32"), "c": np.array(c)}
        want, got = (answers(lathe.IRModule.from_expr(f), data)[0] for f in (relay.Function([x, cond], body), form))
        np.testing.assert_array_equal(got, want)
    again = transform.ToANormalFormExpr(form)
    assert relay.analysis.detect_feature(again) == relay.analysis.detect_feature(form)


def test_functions_of_modules():
    x, y, z = (relay.var(n, shape=(2,)) for n in "xyz")
    mod = lathe.IRModule({"f": relay.Function([y], relay.exp(y)),
                          "main": relay.Function([x], relay.GlobalVar("f")(x)), "unused": relay.Function([z], relay.tanh(z))})
    assert sorted(transform.RemoveUnusedFunctions()(mod)) == ["f", "main"]
    assert sorted(transform.RemoveUnusedFunctions(["unused"])(mod)) == ["unused"]
    assert ops(transform.Inline()(mod)["main"]) == {"exp": 1}
    graph = relay.analysis.CallGraph(mod)
    assert graph.ref_count("f") == 1 and graph.global_call_count("main") == 1 and not graph.is_recursive("f")


def test_smaller_passes():
    x = image(1, 3, 4, 4)
    assert "nn.bias_add" not in ops(same(relay.nn.bias_add(x, relay.var("b", shape=(3,))), transform.CanonicalizeOps()))
    same(relay.nn.bias_add(x, relay.var("b", shape=(4,)), axis=-1), transform.CanonicalizeOps())
    assert "nn.pad" not in ops(same(conv(relay.nn.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), 2),
                                    transform.FoldExplicitPadding()))
    assert ops(same(relay.reshape(relay.reshape(x, (48,)), (6, 8)) * 1.0, transform.SimplifyExpr())) == {"reshape": 1}
    folded = transform.DynamicToStatic()(relay.shape_of(x) * relay.const(2))
    assert ops(folded) == {}
    recast = transform.recast(relay.nn.conv2d(x, relay.var("w", shape=(2, 3, 3, 3))), "int8", "int32")
    assert ops(recast)["cast"] == 3 and recast.checked_type.dtype == "float32"
    assert ops(transform.recast(conv(x, 2), "int8", "int32", skip_layers=[0])) == {"nn.conv2d": 1}


def test_factors_in_front_of_layers():
    fold = transform.ForwardFoldScaleAxis()
    x, factors = image(1, 3, 8, 8), np.array([1.0, 2.0, -3.0], "float32")

    def weights_only(made):
        return all("multiply" in str(part.args[1]) and isinstance(part.args[0], relay.Var)
                   for part in relay.analysis.post_order(made["main"])
                   if isinstance(part, relay.Call) and part.op.name in ("nn.conv2d", "nn.dense"))

    for shape in ((3, 1, 1), (1, 3, 1, 1)):
        assert weights_only(same(conv(x * relay.const(factors.reshape(shape)), 4, padding=(1, 1)), fold))
    turned = relay.nn.conv2d(relay.transpose(x, (0, 2, 3, 1)) * relay.const(factors), relay.var("w", shape=(3, 3, 3, 4)),
                             data_layout="NHWC", kernel_layout="HWIO")
    assert "multiply(%w" in str(same(turned, fold))
    rows = relay.var("x", shape=(2, 3))
    assert weights_only(same(relay.nn.dense(rows * relay.const(factors), relay.var("w", shape=(4, 3))), fold))
    # Factors of rows, groups, and products that others use: nothing changes.
    columns = relay.const(np.arange(8, dtype="float32"))
    shared = x * relay.const(factors.reshape(3, 1, 1))
    for y in (conv(x * columns, 4), conv(x * relay.const(factors.reshape(3, 1, 1)), 3, groups=3),
              relay.Tuple([conv(shared, 4), shared])):
        mod = lathe.IRModule.from_expr(relay.Function(relay.analysis.free_vars(y), y))
        assert str(fold(mod)) == str(mod)


def test_in_a_sequence():
    whole = relay.nn.relu(conv(image(1, 3, 8, 8), 4))
    sequence = lathe.transform.Sequential([transform.ConvertLayout(NHWC), transform.FoldConstant()])
    with lathe.transform.PassContext(opt_level=2):
        assert "layout_transform" not in ops(sequence(lathe.IRModule.from_expr(whole)))
    with lathe.transform.PassContext(opt_level=3):
        assert "layout_transform" in ops(same(whole, sequence))


def test_counts():
    x = image(1, 4, 8, 8)
    y = conv(conv(x, 6, "a", groups=2), 8, "b", strides=(2, 2))
    assert relay.analysis.get_total_mac_number(y) == 6 * 36 * 2 * 9 + 8 * 4 * 6 * 9
    assert relay.analysis.count_layers(y, ["nn.conv2d"]) == 2
    left = relay.nn.batch_matmul(relay.var("l", shape=(2, 3, 4)), relay.var("r", shape=(2, 5, 4)))
    assert relay.analysis.get_total_mac_number(left) == 2 * 3 * 5 * 4
    up = relay.nn.conv2d_transpose(x, relay.var("w", shape=(4, 2, 3, 3)))
    assert relay.analysis.get_total_mac_number(up) == 4 * 64 * 2 * 9
    states = relay.nn.lstm(relay.var("s", shape=(5, 2, 4)), relay.var("w", shape=(1, 12, 4)),
                           relay.var("r", shape=(1, 12, 3)))
    assert relay.analysis.get_total_mac_number(states[0]) == 5 * 2 * (12 * 4 + 12 * 3)
    panels = relay.nn.contrib_dense_pack(relay.var("p", shape=(3, 4)), relay.var("w", shape=(2, 4, 8)))
    assert relay.analysis.get_total_mac_number(panels) == 3 * 4 * 16
    depthwise = relay.nn.contrib_depthwise_conv2d_nchwc(
        relay.var("b", shape=(1, 2, 8, 8, 4)), relay.var("w", shape=(2, 3, 3, 4)), padding=(1, 1))
    assert relay.analysis.get_total_mac_number(depthwise) == 8 * 64 * 9
    with pytest.raises(lathe.LatheError, match="relay-unknown-shape"):
        relay.analysis.get_total_mac_number(relay.nn.dense(relay.var("d", shape=(relay.Any(), 4)),
                                                           relay.var("w", shape=(2, 4))))
    fused = transform.FuseOps()(relay.exp(relay.nn.relu(y)))
    assert len(relay.analysis.extract_fused_functions(fused)) == 2


NETWORKS = {
    "vgg": lambda t: t.vgg.get_net(1, (3, 32, 32), 10, "float32", 13, True),
    "densenet": lambda t: t.densenet.get_net(169, 10, 1, (3, 32, 32)),
    "squeezenet": lambda t: t.squeezenet.get_net(1, (3, 64, 64), 10, "1.0", "float32"),
    "inception": lambda t: t.inception_v3.get_net(1, 10, (3, 139, 139), "float32"),
    "mobilenet": lambda t: t.mobilenet.get_net(1, 10, (3, 32, 32)),
    "resnet": lambda t: t.resnet.get_net(1, 10, 50, (3, 64, 64)),
    "resnet_3d": lambda t: t.resnet_3d.get_net(1, 10, 50, (3, 8, 32, 32)),
    "dqn": lambda t: t.dqn.get_net(1, 10),
    "mlp": lambda t: t.mlp.get_net(1, 10),
}


@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_networks_have_types(name):
    net = NETWORKS[name](relay.testing)
    assert str(net.checked_type.ret_type) == "float32[1, 10]"
    assert [p.name_hint for p in net.params][0] == "data"


def test_sizes_of_networks():
    """Multiplications and weights, as the papers say them."""
    def weights(net):
        return sum(int(np.prod(p.type_annotation.concrete_shape)) for p in net.params
                   if p.name_hint.endswith(("weight", "bias", "gamma", "beta")))

    t = relay.testing
    inception = t.inception_v3.get_net(1, 1000, (3, 299, 299), "float32")
    assert relay.analysis.get_total_mac_number(inception.body) == pytest.approx(5.71e9, rel=0.01)
    assert weights(inception) == pytest.approx(23.8e6, rel=0.01)
    assert weights(t.vgg.get_net(1, (3, 224, 224), 1000, "float32", 16)) == 138357544
    assert weights(t.densenet.get_net(121, 1000, 1)) == pytest.approx(7.98e6, rel=0.001)
    assert weights(t.squeezenet.get_net(1, (3, 224, 224), 1000, "1.0", "float32")) == 1248424
    assert weights(t.squeezenet.get_net(1, (3, 224, 224), 1000, "1.1", "float32")) == 1235496


@pytest.mark.parametrize("make", [lambda t: t.dcgan.get_workload(1, ngf=4, random_len=8),
                                  lambda t: t.synthetic.get_workload(),
                                  lambda t: t.squeezenet.get_workload(1, 10, "1.1", (3, 48, 48))])
def test_small_networks_run(make):
    mod, params = make(relay.testing)
    shape = mod["main"].params[0].type_annotation.concrete_shape
    data = np.random.default_rng(0).random(shape, "float32")
    want = relay.create_executor("debug", mod, params=params).evaluate()(data).numpy()
    with lathe.transform.PassContext(opt_level=3):
        got = relay.create_executor("graph", mod, params=params).evaluate()(data).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4)


def test_what_passes_cannot_do():
    x = relay.var("x", shape=(2, 3))
    with pytest.raises(TypeError) as caught:
        transform.EliminateCommonSubexpr(fskip=print)
    assert caught.value.name == "relay-pass-argument"
    with pytest.raises(ValueError) as caught:
        transform.recast(x + x, "int8", "int32", ops=["add"])
    assert caught.value.name == "relay-precision"


def test_attributes_have_defaults():
    call = relay.nn.conv2d(image(1, 3, 8, 8), relay.var("w", shape=(2, 3, 3, 3)))
    assert call.attrs.strides == (1, 1) and call.attrs["data_layout"] == "NCHW"
    assert relay.nn.dropout(image(2, 3)).checked_type.concrete_shape == (2, 3)
    padded = relay.nn.pad(relay.var("x", shape=(2, 3), dtype="int8"), ((0, 1), (2, 0)), 7)
    np.testing.assert_array_equal(answers(lathe.IRModule.from_expr(padded), {"x": np.zeros((2, 3), "int8")})[0],
                                  np.pad(np.zeros((2, 3)), ((0, 1), (2, 0)), constant_values=7))


def test_a_large_constant_that_is_read_before_and_behind_another_one():
    """A tied embedding: computed in parts, while a constant in the middle of the chain is replaced."""
    random = np.random.default_rng(3)
    table = random.standard_normal((20480, 1024), dtype="float32").astype("float16")
    ids, h = relay.var("ids", shape=(2,), dtype="int32"), relay.var("h", shape=(2, 1024))
    wide = relay.cast(relay.const(table), "float32")
    both = relay.Tuple([relay.take(wide, ids, axis=0), relay.nn.matmul(h, relay.transpose(wide, (1, 0)))])
    value = random.standard_normal((2, 1024)).astype("float32")
    rows, product = relay.create_executor("graph", relay.Function([ids, h], both)).evaluate()(
        np.array([3, 20000], "int32"), value)
    np.testing.assert_array_equal(rows.numpy(), table[[3, 20000]].astype("float32"))
    np.testing.assert_allclose(product.numpy(), value @ table.astype("float32").T, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("is_known", [True, False])
def test_branches_may_nest_deeper_than_python_recurses(is_known):
    x, b = relay.var("x", shape=()), relay.var("b", shape=(), dtype="bool")
    body = x
    for _ in range(400):
        body = relay.If(relay.const(True) if is_known else b, body + relay.const(1.0), x)
    made = relay.transform.PartialEvaluate()(relay.Function([x, b], body))
    assert str(made).count("if ") == (0 if is_known else 400)
    one = np.ones((), "float32")
    assert float(relay.create_executor("debug", made).evaluate()(one, np.bool_(True)).numpy()) == 401


def test_a_frame_that_shifts_stays():
    """One element away in front, one more behind: the shape is the same, the elements are not."""
    x = relay.var("x", shape=(4,))
    func = relay.Function([x], relay.nn.pad(x, ((1, -1),)))
    for level in range(4):
        with relay.transform.PassContext(opt_level=level):
            run = relay.create_executor("graph", lathe.IRModule.from_expr(func)).evaluate()
            assert run(np.array([1, 2, 3, 4], "float32")).numpy().tolist() == [0, 1, 2, 3], level
