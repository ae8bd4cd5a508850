"""relay.quantize, and the passes that turn what is between quantized tensors into integers."""

import numpy as np
import pytest

import lathe
from lathe import relay

RANDOM = np.random.default_rng(0)
S, Z = relay.const(0.05), relay.const(3)
quantize, dequantize = relay.qnn.op.quantize, relay.qnn.op.dequantize


def network():
    """(module, params, data, result in floating point)."""
    x = relay.var("x", shape=(1, 3, 12, 12))
    y = relay.nn.conv2d(x, relay.var("w0"), channels=8, kernel_size=(3, 3), padding=(1, 1))
    y = relay.nn.relu(relay.nn.bias_add(y, relay.var("b0")))
    z = relay.nn.relu(relay.nn.conv2d(y, relay.var("w1"), channels=8, kernel_size=(3, 3), padding=(1, 1)) + y)
    z = relay.nn.conv2d(relay.nn.max_pool2d(z, (2, 2), strides=(2, 2)), relay.var("w2"), channels=4, kernel_size=(3, 3))
    z = relay.nn.dense(relay.nn.batch_flatten(relay.nn.global_avg_pool2d(z)), relay.var("w3", shape=(10, 4)))
    mod = lathe.IRModule.from_expr(relay.Function(relay.analysis.free_vars(z), z))
    params = {p.name_hint: RANDOM.normal(size=p.checked_type.concrete_shape).astype("float32") * 0.2
              for p in mod["main"].params[1:]}
    data = RANDOM.normal(size=(1, 3, 12, 12)).astype("float32")
    return mod, params, data, relay.create_executor("graph", mod, params=params).evaluate()(data).numpy()


@pytest.mark.parametrize("options, layers", [
    ({}, 2), ({"skip_conv_layers": [], "skip_dense_layer": False, "weight_scale": "max"}, 4),
    ({"skip_conv_layers": [0, 1], "global_scale": 4.0}, 1),
    ({"skip_conv_layers": [], "calibrate_mode": "percentile"}, 3)])
def test_layers_multiply_integers(options, layers):
    mod, params, data, want = network()
    with relay.quantize.qconfig(**options):
        made = relay.quantize.quantize(mod, params, dataset=[{"x": data}])
    counts = relay.analysis.list_op_freqs(made)
    assert counts.get("qnn.conv2d", 0) + counts.get("qnn.dense", 0) == layers
    assert counts.get("nn.conv2d", 0) + counts.get("nn.dense", 0) == 4 - layers
    found = relay.create_executor("graph", made).evaluate()(data).numpy()
    assert np.abs(found - want).max() < 0.08 * np.abs(want).max() and (found != want).any()


def test_simulation_gives_what_integers_give():
    mod, params, data, _ = network()
    found = {}
    for simulated in (True, False):
        with relay.quantize.qconfig(skip_conv_layers=[], do_simulation=simulated):
            made = relay.quantize.quantize(mod, params)
        assert ("qnn.conv2d" in str(made)) != simulated
        found[simulated] = relay.create_executor("graph", made).evaluate()(data).numpy()
    np.testing.assert_allclose(found[True], found[False], atol=0.05)


def test_divergence_limits_outliers():
    numbers = np.concatenate([np.abs(RANDOM.normal(size=20000)), [50.0]])
    from lathe.relay import _calibrate

    assert 2 < _calibrate._least_divergence(numbers) < 10 and _calibrate._percentile(numbers) < 50


def test_options_are_checked():
    for make in (lambda: relay.quantize.qconfig(nbit_input=4), lambda: relay.quantize.qconfig(nothing=1),
                 lambda: relay.quantize.qconfig(calibrate_mode="guess")):
        with pytest.raises(lathe.LatheError) as raised:
            make()
        assert raised.value.name == "relay-quantize"
    mod, params, _, _ = network()
    with relay.quantize.qconfig(calibrate_mode="percentile"), pytest.raises(lathe.LatheError, match="data set"):
        relay.quantize.quantize(mod, params)
    assert relay.quantize.current_qconfig().calibrate_mode == "global_scale"


def both(body, *arrays, **options):
    """(operators of the integer form, what it computes, what the form in floating point computes)."""
    func = relay.Function(relay.analysis.free_vars(body), body)
    made = relay.transform.FakeQuantizationToInteger(**options)(func)
    run = lambda one: relay.create_executor("graph", one).evaluate()(*arrays).numpy().astype("int32")
    return relay.analysis.list_op_freqs(made), run(made["main"]), run(func)


def test_layers_with_bias_are_integers():
    x, w = relay.var("x", shape=(1, 4, 6, 6), dtype="int8"), relay.var("w", shape=(8, 4, 3, 3), dtype="int8")
    weight = dequantize(w, relay.const(0.02), relay.const(0))
    y = relay.nn.conv2d(dequantize(x, S, Z), weight, kernel_size=(3, 3), channels=8)
    y = relay.nn.relu(relay.nn.bias_add(y, relay.const(RANDOM.normal(size=8).astype("float32"))))
    data = [RANDOM.integers(-20, 20, one.checked_type.concrete_shape).astype("int8") for one in (x, w)]
    counts, found, want = both(quantize(y, relay.const(0.1), relay.const(-5)), *data)
    assert counts["qnn.conv2d"] == 1 and "nn.conv2d" not in counts and "nn.relu" not in counts
    assert np.abs(found - want).max() <= 1


@pytest.mark.parametrize("make", [
    lambda x: relay.nn.relu(x), lambda x: relay.clip(x, 0.0, 1.0), lambda x: relay.nn.max_pool2d(x, (2, 2)),
    lambda x: relay.nn.avg_pool2d(x, (2, 2)), lambda x: relay.reshape(x, (4, 36)), lambda x: relay.mean(x, axis=[2, 3]),
    lambda x: relay.nn.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), lambda x: relay.concatenate([x, x], axis=1),
    lambda x: x + x, lambda x: x * relay.const(0.5), lambda x: relay.transpose(x, (0, 2, 3, 1))])
def test_operators_have_integer_forms(make):
    x = relay.var("x", shape=(1, 4, 6, 6), dtype="int8")
    data = RANDOM.integers(-20, 20, (1, 4, 6, 6)).astype("int8")
    counts, found, want = both(quantize(make(dequantize(x, S, Z)), S, Z), data, hard_fail=True)
    assert "qnn.dequantize" not in counts and counts.get("qnn.quantize", 0) <= 1  # of a constant
    assert np.abs(found - want).max() <= 1


def test_what_has_no_integer_form_stays_or_is_refused():
    x = relay.var("x", shape=(2, 3), dtype="int8")
    body = quantize(relay.exp(dequantize(x, S, Z)), S, Z)
    data = RANDOM.integers(-20, 20, (2, 3)).astype("int8")
    counts, found, want = both(body, data)
    assert counts["exp"] == 1
    np.testing.assert_array_equal(found, want)
    with pytest.raises(lathe.LatheError, match="exp") as raised:
        both(body, data, hard_fail=True)
    assert raised.value.name == "relay-fake-quantization"
    assert relay.analysis.list_fake_quantized_op_freqs(body) == {"exp": 1}


@pytest.mark.parametrize("make", [
    lambda x, y: (x + x) * relay.const(0.5), lambda x, y: x + relay.const(20.0), lambda x, y: (x - y) + y,
    lambda x, y: relay.nn.relu(x + y) - y, lambda x, y: x * relay.const(0.001), lambda x, y: x * y,
    lambda x, y: x * relay.const(-0.5) + y, lambda x, y: relay.concatenate([x + x, y], axis=0) * relay.const(0.25),
    lambda x, y: relay.concatenate([x, y], axis=0), lambda x, y: relay.clip(x, 0.0, float("inf")),
    lambda x, y: relay.clip(x + y, -1.0, 3.0), lambda x, y: x * relay.const([0.5, -1.0, 1.0, 0.25, 1.0, 0.0])])
def test_inner_values_have_no_limits_of_the_result(make):
    x, y = (relay.var(name, shape=(6,), dtype="int8") for name in "xy")
    body = make(dequantize(x, S, Z), dequantize(y, relay.const(0.09), relay.const(-7)))
    data = [np.array([-128, -50, 0, 3, 50, 127], "int8"), RANDOM.integers(-128, 128, 6).astype("int8")]
    data = data[:len(relay.analysis.free_vars(body))]
    counts, found, want = both(quantize(body, S, Z), *data, hard_fail=True)
    assert "qnn.dequantize" not in counts and np.abs(found - want).max() <= 1


def test_scales_of_channels_belong_to_the_results_axis():
    x, w = relay.var("x", shape=(1, 4, 5, 5), dtype="int8"), relay.var("w", shape=(4, 4, 3, 3), dtype="int8")
    data = [RANDOM.integers(-50, 50, one.checked_type.concrete_shape).astype("int8") for one in (x, w)]
    scales = relay.const(np.array([0.01, 0.1, 0.5, 1.0], "float32"))
    for axis, integers in ((0, True), (-4, True), (1, False)):
        y = relay.nn.conv2d(dequantize(x, S, Z), dequantize(w, scales, relay.const(0), axis=axis), kernel_size=(3, 3),
                            channels=4)
        counts, found, want = both(quantize(y, relay.const(10.0), relay.const(0)), *data)
        assert counts.get("qnn.conv2d", 0) == integers
        assert np.abs(found - want).max() <= 1 and np.abs(want).max() > 10


@pytest.mark.parametrize("make", [
    lambda x, one: x + relay.nn.relu(one), lambda x, one: x + relay.clip(one, 0.0, 6.0),
    lambda x, one: x + relay.nn.avg_pool2d(one, (1, 1)), lambda x, one: x + relay.nn.bias_add(one, relay.const([1.0])),
    lambda x, one: relay.nn.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), 100.0) * relay.const(0.01),
    lambda x, one: relay.nn.conv2d(x + x, relay.const(np.ones((1, 1, 1, 1), "float32")), kernel_size=(1, 1))])
def test_parts_that_have_no_integer_form_stay(make):
    x = relay.var("x", shape=(1, 1, 2, 2), dtype="int8")
    body = quantize(make(dequantize(x, S, Z), relay.const(np.ones((1, 1, 2, 2), "float32"))), S, Z)
    data = RANDOM.integers(-20, 20, (1, 1, 2, 2)).astype("int8")
    counts, found, want = both(body, data)
    assert counts["qnn.dequantize"] == 1
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("mode", ["global_scale", "percentile"])
def test_other_functions_of_the_module_stay(mode):
    mod, h, a, x = lathe.IRModule(), relay.GlobalVar("h"), relay.var("a", shape=(2, 8)), relay.var("x", shape=(2, 8))
    mod[h] = relay.Function([a], relay.nn.relu(a), relay.TensorType((2, 8)))
    mod["main"] = relay.Function([x], relay.nn.dense(h(x), relay.const(np.ones((4, 8), "float32"))))
    mod.attrs["made_by"] = "test"
    data = RANDOM.normal(size=(2, 8)).astype("float32")
    with relay.quantize.qconfig(skip_dense_layer=False, calibrate_mode=mode):
        made = relay.quantize.quantize(mod, dataset=({"x": one} for one in [data]))
    assert "qnn.dense" in str(made["main"]) and made.attrs["made_by"] == "test"
    found = relay.create_executor("debug", made).evaluate()(data).numpy()
    want = relay.create_executor("debug", mod).evaluate()(data).numpy()
    assert np.abs(found - want).max() < 0.5


def test_ranges_without_numbers_are_refused():
    for scale in (0.0, -1.0, float("nan")):
        with pytest.raises(lathe.LatheError, match="above 0") as raised:
            relay.quantize.qconfig(global_scale=scale)
        assert raised.value.name == "relay-quantize"
    mod, params, _, _ = network()
    with relay.quantize.qconfig(calibrate_mode="percentile"), pytest.raises(lathe.LatheError) as raised:
        relay.quantize.quantize(mod, params, dataset=iter(()))
    assert raised.value.name == "relay-quantize"
