"""Activations: functions of one tensor that networks use."""

import math

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T

table = Table()
erf = np.vectorize(math.erf, otypes=["float64"])
# Far from 0, where e^x overflows, at the edges of pieces, and what is no number.
POINTS = np.array([-1e4, -100, -20, -3, -1, -0.5, -0.0, 0.0, 0.25, 0.5, 1, 3, 6, 20, 100, 1e4,
                   np.inf, np.nan], "float32")


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))


def softplus(x):
    return np.logaddexp(0, x)


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(x))


# ONNX's constants, which are those of the paper in float32.
def selu(x, alpha=1.6732631921768188, gamma=1.0507010221481323):
    return gamma * np.where(x > 0, x, alpha * np.expm1(x))


def celu(x, alpha=1.0):
    return np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / alpha))


def gelu(x):
    return np.where(x == np.inf, x, x / 2 * (1 + erf(x / math.sqrt(2))))


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def hard_sigmoid(x, alpha=1 / 6, beta=0.5):
    return np.minimum(np.maximum(alpha * x + beta, 0), 1)


def of_torch(name, **renamed):
    """PyTorch's function, with attributes by other names."""
    def call(x, **attrs):
        return getattr(T.nn.functional, name)(x, **{renamed.get(k, k): v for k, v in attrs.items()})
    return call


def activation(name, reference, torch=None, **attrs):
    for x in (POINTS, random(5, 7, low=-4, high=4), random(9, dtype="float64", low=-4, high=4),
              random(9, dtype="float16", low=-4, high=4), random(9, dtype=bfloat16, low=-4, high=4)):
        table.add(name, reference, [x], torch=torch if x.dtype == "float32" else None, **attrs)


activation("nn.relu", lambda x: np.maximum(x, 0), of_torch("relu"))
activation("nn.relu6", lambda x: np.minimum(np.maximum(x, 0), 6), of_torch("relu6"))
for dtype in ("int8", "uint8", "int64"):
    x = integers(20, dtype=dtype, low=0 if dtype == "uint8" else -9)
    table.add("nn.relu", lambda x: np.maximum(x, x.dtype.type(0)), [x])
    table.add("nn.relu6", lambda x: np.clip(x, 0, 6), [x])
activation("nn.leaky_relu", lambda x, alpha=0.01: np.where(x > 0, x, alpha * x),
           of_torch("leaky_relu", alpha="negative_slope"))
activation("nn.leaky_relu", lambda x, alpha: np.where(x > 0, x, alpha * x),
           of_torch("leaky_relu", alpha="negative_slope"), alpha=0.3)
activation("nn.elu", elu, of_torch("elu"))
activation("nn.elu", elu, of_torch("elu"), alpha=0.7)
activation("nn.selu", selu, of_torch("selu"))
activation("nn.selu", selu, None, alpha=1.5, gamma=0.8)
activation("nn.celu", celu, of_torch("celu"))
activation("nn.celu", celu, of_torch("celu"), alpha=2.5)
# PyTorch's result for infinity is NaN on some machines.
activation("nn.gelu", gelu)
table.add("nn.gelu", gelu, [POINTS[:-2]], torch=of_torch("gelu"))
activation("nn.gelu_tanh", gelu_tanh, lambda x: T.nn.functional.gelu(x, approximate="tanh"))
activation("nn.silu", lambda x: x * sigmoid(x), of_torch("silu"))
activation("nn.mish", lambda x: x * np.tanh(softplus(x)), of_torch("mish"))
activation("nn.hard_sigmoid", hard_sigmoid, of_torch("hardsigmoid"))
activation("nn.hard_sigmoid", hard_sigmoid, None, alpha=0.2, beta=0.4)
activation("nn.hard_swish", lambda x: x * hard_sigmoid(x), of_torch("hardswish"))
activation("nn.hard_tanh", lambda x: np.minimum(np.maximum(x, -1), 1), of_torch("hardtanh"))
activation("nn.softplus", softplus, of_torch("softplus"))
activation("nn.softsign", lambda x: x / (1 + np.abs(x)), of_torch("softsign"))
activation("nn.thresholded_relu", lambda x, alpha=1.0: np.where(x <= alpha, 0, x))
activation("nn.thresholded_relu", lambda x, alpha: np.where(x <= alpha, 0, x), alpha=0.25)
activation("nn.hard_shrink", lambda x, lambd=0.5: np.where(np.abs(x) <= lambd, 0, x))
activation("nn.hard_shrink", lambda x, lambd: np.where(np.abs(x) <= lambd, 0, x),
           of_torch("hardshrink"), lambd=1.5)
activation("nn.soft_shrink", lambda x, lambd=0.5: np.sign(x) * np.maximum(np.abs(x) - lambd, 0),
           of_torch("softshrink"))
activation("nn.soft_shrink", lambda x, lambd: np.sign(x) * np.maximum(np.abs(x) - lambd, 0),
           of_torch("softshrink"), lambd=1.5)
activation("nn.log_sigmoid", lambda x: -softplus(-x), of_torch("logsigmoid"))


def prelu(x, alpha, axis=1):
    shape = [1] * x.ndim
    shape[axis] = -1
    return np.where(x > 0, x, alpha.reshape(shape) * x)


for dtype in ("float32", "float16", bfloat16, "float64"):
    table.add("nn.prelu", prelu, [random(4, 3, 5, dtype=dtype), random(3, dtype=dtype)],
              torch=lambda x, alpha: T.nn.functional.prelu(x, alpha))
table.add("nn.prelu", prelu, [random(4, 3, 5), random(5)], axis=-1)
table.add("nn.prelu", prelu, [random(4, 3), random(4)], axis=0)

test_numpy, test_torch = table.tests()
