"""Convolutions of 3x3 by Winograd's algorithm in networks: from level 3 on, where it is faster, with
the results of the convolution."""

import numpy as np
import pytest

import lathe
from lathe import relay


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def weight(filters, channels, seed=1):
    return random(filters, channels, 3, 3, seed=seed) / np.float32(3 * np.sqrt(channels))


def optimized(func, level, **options):
    with lathe.transform.PassContext(opt_level=level, **options):
        return str(relay.optimize(lathe.IRModule.from_expr(func), "llvm")[0])


def results(func, x, level):
    with lathe.transform.PassContext(opt_level=level):
        return relay.create_executor("graph", lathe.IRModule.from_expr(func)).evaluate()(x).numpy()


def check(func, x, used=True):
    assert ("winograd_nchwc" in optimized(func, 3)) == used
    want = results(func, x, 0)
    np.testing.assert_allclose(results(func, x, 3), want, rtol=1e-4, atol=2e-4 * np.abs(want).max())


# (images, channels, filters, rows, columns, padding): tiles that divide the image, alone or not at
# all, blocks that are not full, one strip and many.
CASES = [(1, 32, 32, 28, 28, (1, 1)), (1, 64, 64, 56, 56, (1, 1)), (1, 64, 96, 14, 14, (1, 1)),
         (2, 40, 72, 13, 17, (1, 1)), (1, 48, 32, 30, 31, (0, 0)), (3, 32, 64, 19, 16, (1, 0, 2, 1)),
         (1, 128, 128, 28, 28, (1, 1)), (2, 64, 64, 57, 15, (2, 2))]


@pytest.mark.parametrize("case", CASES)
def test_convolutions(case):
    images, channels, filters, rows, columns, padding = case
    x = relay.var("x", shape=(images, channels, rows, columns))
    y = relay.nn.conv2d(x, relay.const(weight(filters, channels)), padding=padding)
    check(relay.Function([x], y), random(images, channels, rows, columns))


def test_what_follows():
    """Bias, residual sum and activation are computed on the tiles."""
    x = relay.var("x", shape=(1, 64, 28, 28))
    first = relay.nn.conv2d(x, relay.const(weight(64, 64)), padding=(1, 1))
    first = relay.nn.relu(relay.nn.bias_add(first, relay.const(random(64))))
    second = relay.nn.conv2d(first, relay.const(weight(64, 64, seed=2)), padding=(1, 1))
    second = relay.nn.relu(relay.nn.bias_add(second, relay.const(random(64, seed=3))) + x)
    pooled = relay.nn.max_pool2d(second, (2, 2), (2, 2))
    func = relay.Function([x], relay.Tuple([second, pooled]))
    text = optimized(func, 3)
    assert text.count("winograd_nchwc(") == 2 and "nn.contrib_conv2d_nchwc" not in text
    check(relay.Function([x], pooled), random(1, 64, 28, 28))
    check(relay.Function([x], second), random(1, 64, 28, 28))
    # Results that others read, too.
    check(relay.Function([x], relay.concatenate([first, second, relay.tanh(first)], 1)),
          random(1, 64, 28, 28))


def test_channels_last():
    x = relay.var("x", shape=(1, 28, 28, 32))
    w = relay.const(np.ascontiguousarray(weight(64, 32).transpose(2, 3, 1, 0)))
    y = relay.nn.conv2d(x, w, padding=(1, 1), data_layout="NHWC", kernel_layout="HWIO")
    check(relay.Function([x], relay.nn.relu(y)), random(1, 28, 28, 32))


def test_where_it_is_not_used():
    x = relay.var("x", shape=(1, 64, 28, 28))

    def conv(data=x, w=None, **attrs):
        w = relay.const(weight(64, 64)) if w is None else w
        return relay.Function(relay.analysis.free_vars(relay.Tuple([data, w])),
                              relay.nn.conv2d(data, w, **attrs))

    assert "winograd" in optimized(conv(), 3)
    for level in (0, 1, 2):
        assert "winograd" not in optimized(conv(), level)
    wide = relay.const(random(64, 64, 5, 5))
    open_size = relay.var("x", shape=(relay.Any(), 64, 28, 28))
    for func in (conv(strides=2), conv(dilation=2), conv(w=wide), conv(data=open_size),
                 conv(w=relay.var("w", shape=(64, 64, 3, 3))),  # its transform would be in each run
                 conv(data=relay.var("x", shape=(1, 64, 4, 4))),
                 conv(w=relay.const(weight(64, 1)), groups=64)):
        assert "winograd" not in optimized(func, 3)
    # Few tiles, and four times the weights: reading these takes longer.
    few = relay.var("x", shape=(1, 512, 4, 4))
    assert "winograd" not in optimized(conv(data=few, w=relay.const(weight(512, 512))), 3)


def test_errors_stay_small():
    """What the documentation says of rounding: elements around 1, compared with float64."""
    x, w = random(1, 64, 56, 56), weight(64, 64)
    data = relay.var("x", shape=x.shape)
    exact = np.zeros((64, 54, 54))
    for r in range(3):
        for s in range(3):
            exact += np.einsum("oc,cyx->oyx", w[:, :, r, s].astype("float64"),
                               x[0, :, r:r + 54, s:s + 54].astype("float64"))
    func = relay.Function([data], relay.nn.conv2d(data, relay.const(w)))
    assert "tile_size=4" in optimized(func, 3)
    assert np.abs(results(func, x, 3)[0] - exact).max() < 1e-4
    assert np.abs(results(func, x, 0)[0] - exact).max() < 1e-5


# Channels that fill no block of some machine.
@pytest.mark.parametrize("channels", [12, 24, 37])
@pytest.mark.parametrize("level", [2, 3])
def test_infinite_elements_stay_where_they_are(channels, level):
    """Channels beyond the last have weights of zero, which times infinity is NaN."""
    x = relay.var("x", shape=(1, 3, 28, 28))
    first = relay.nn.conv2d(x, relay.const(np.ones((channels, 3, 1, 1), "float32")))
    known = relay.sigmoid(first)  # 1 of what is infinite
    second = relay.nn.conv2d(known, relay.const(weight(32, channels)), padding=(1, 1))
    third = relay.nn.conv2d(known, relay.const(random(5, channels, 1, 1)))
    func = relay.Function([x], relay.concatenate([second, third], 1))
    if level == 3 and channels == 37:
        assert "winograd_nchwc" in optimized(func, level)
    given = random(1, 3, 28, 28)
    given[0, 1, 5, 7] = np.inf
    want = results(func, given, 0)
    assert np.isfinite(want).all()
    np.testing.assert_allclose(results(func, given, level), want, rtol=1e-4, atol=2e-4 * np.abs(want).max())
