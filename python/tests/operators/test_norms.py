"""Normalisation, softmax, and losses."""

import itertools

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T

table = Table()
TYPES = ("float32", "float64", "float16", bfloat16)


def along(v, axis, rank):
    """A vector as a tensor that is broadcast along the other dimensions."""
    shape = [1] * rank
    shape[axis] = -1
    return v.reshape(shape)


def scaled(y, gamma, beta, center, scale):
    y = y * gamma if scale else y
    return y + beta if center else y


def normalised(x, axes, epsilon):
    mean = x.mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=axes, keepdims=True) + epsilon)


def bias_add(x, bias, axis=1):
    return x + along(bias, axis, x.ndim)


def batch_norm(x, gamma, beta, mean, var, axis=1, epsilon=1e-5, center=True, scale=True):
    gamma, beta, m, v = (along(a, axis, x.ndim) for a in (gamma, beta, mean, var))
    return [scaled((x - m) / np.sqrt(v + epsilon), gamma, beta, center, scale), mean, var]


def layer_norm(x, gamma, beta, axis=-1, epsilon=1e-5, center=True, scale=True):
    return scaled(normalised(x, axis, epsilon), gamma, beta, center, scale)


def rms_norm(x, weight, axis=-1, epsilon=1e-5):
    axes = tuple(range(axis % x.ndim, x.ndim))
    return x / np.sqrt((x * x).mean(axis=axes, keepdims=True) + epsilon) * weight


def instance_norm(x, gamma, beta, axis=1, epsilon=1e-5, center=True, scale=True):
    axes = tuple(d for d in range(1, x.ndim) if d != axis % x.ndim)
    gamma, beta = (along(a, axis, x.ndim) for a in (gamma, beta))
    return scaled(normalised(x, axes, epsilon), gamma, beta, center, scale)


def group_norm(x, gamma, beta, num_groups, axis=1, epsilon=1e-5, center=True, scale=True):
    moved = np.moveaxis(x, axis, 1)
    parts = moved.reshape(x.shape[0], num_groups, -1)
    y = np.moveaxis(normalised(parts, -1, epsilon).reshape(moved.shape), 1, axis)
    gamma, beta = (along(a, axis, x.ndim) for a in (gamma, beta))
    return scaled(y, gamma, beta, center, scale)


def l2_normalize(x, eps, axis=()):
    axes = ((axis,) if isinstance(axis, int) else tuple(axis)) or tuple(range(x.ndim))
    return x / np.sqrt(np.maximum((x * x).sum(axis=axes, keepdims=True), eps))


def lrn(x, size=5, axis=1, bias=2.0, alpha=1e-5, beta=0.75):
    moved = np.moveaxis(x, axis, 0)
    sums = np.stack([(moved[max(0, c - (size - 1) // 2):c + size // 2 + 1] ** 2).sum(0)
                     for c in range(len(moved))])
    return np.moveaxis(moved / (bias + alpha / size * sums) ** beta, 0, axis)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def log_softmax(x, axis=-1):
    y = x - x.max(axis=axis, keepdims=True)
    return y - np.log(np.exp(y).sum(axis=axis, keepdims=True))


F = T.nn.functional if T else None
X = random(2, 6, 4, 3)
for axis in (0, 1, -1):
    table.add("nn.bias_add", bias_add, [X, random(X.shape[axis])], axis=axis)
table.add("nn.bias_add", bias_add, [random(3, 4), random(4)])
table.add("nn.bias_add", bias_add, [integers(3, 4), integers(4)])
for dtype, rtol in (("float32", 1e-4), ("float64", None), ("float16", 2e-2), (bfloat16, 0.1)):
    def vectors(count, size=6, dtype=dtype):
        return [random(size, dtype=dtype, seed=i, low=0.5) for i in range(count)]

    x = X.astype(dtype)
    table.add("nn.batch_norm", batch_norm, [x, *vectors(4)], rtol=rtol,
              torch=lambda x, g, b, m, v: [F.batch_norm(x, m, v, g, b), m, v])
    table.add("nn.layer_norm", layer_norm, [x, *vectors(2, 3)], rtol=rtol,
              torch=lambda x, g, b: F.layer_norm(x, g.shape, g, b))
    table.add("nn.rms_norm", rms_norm, [x, *vectors(1, 3)], rtol=rtol,
              torch=lambda x, w: F.rms_norm(x, w.shape, w, 1e-5))
    table.add("nn.instance_norm", instance_norm, [x, *vectors(2)], rtol=rtol,
              torch=lambda x, g, b: F.instance_norm(x, None, None, g, b))
    for groups in (1, 2, 3, 6):
        table.add("nn.group_norm", group_norm, [x, *vectors(2)], num_groups=groups, rtol=rtol,
                  torch=lambda x, g, b, num_groups: F.group_norm(x, num_groups, g, b))
    for name, reference, other in (("nn.softmax", softmax, "softmax"),
                                   ("nn.log_softmax", log_softmax, "log_softmax")):
        for axis in (0, 1, -1):
            table.add(name, reference, [x], axis=axis, rtol=rtol,
                      torch=lambda x, axis, f=other: getattr(F, f)(x, axis))
    table.add("nn.l2_normalize", l2_normalize, [x], eps=1e-6, axis=1, rtol=rtol)
    table.add("nn.lrn", lrn, [x], rtol=rtol)
V6, V3 = [random(6, seed=i, low=0.5) for i in range(4)], [random(3, seed=i) for i in range(4)]
FLAGS = [{"center": c, "scale": s} for c, s in itertools.product((True, False), (True, False))]
for flags in FLAGS:
    table.add("nn.batch_norm", batch_norm, [X, *V6], epsilon=0.1, **flags)
    table.add("nn.layer_norm", layer_norm, [X, *V3[:2]], epsilon=0.1, rtol=1e-4, **flags)
    table.add("nn.instance_norm", instance_norm, [X, *V6[:2]], epsilon=0.1, rtol=1e-4, **flags)
    table.add("nn.group_norm", group_norm, [X, *V6[:2]], num_groups=2, epsilon=0.1, rtol=1e-4,
              **flags)
table.add("nn.batch_norm", batch_norm, [X, *[v + 3 for v in V3]], axis=-1)
table.add("nn.instance_norm", instance_norm, [X, *V3[:2]], axis=-1, rtol=1e-4)
table.add("nn.group_norm", group_norm, [X, *V3[:2]], num_groups=3, axis=-1, rtol=1e-4)
table.add("nn.rms_norm", rms_norm, [X, random(4, 3)], axis=2, rtol=1e-4,
          torch=lambda x, w, axis: F.rms_norm(x, w.shape, w, 1e-5))
table.add("nn.rms_norm", rms_norm, [X, random(3)], epsilon=0.5, rtol=1e-4)
for axis in ((), (1, -1), 0):
    table.add("nn.l2_normalize", l2_normalize, [X], eps=1e-6, axis=axis)
table.add("nn.l2_normalize", l2_normalize, [X * 0.01], eps=0.5, axis=(1,))
for attrs in ({"size": 3}, {"size": 4}, {"size": 1, "alpha": 0.5}, {"axis": -1, "alpha": 0.1},
              {"size": 5, "alpha": 2.0, "beta": 0.5, "bias": 1.0}):
    table.add("nn.lrn", lrn, [random(2, 7, 5)], **attrs)
table.add("nn.lrn", lrn, [random(2, 7, 5)], size=5, alpha=2.0, beta=0.5, bias=1.0,
          torch=lambda x, size, alpha, beta, bias: F.local_response_norm(x, size, alpha, beta, bias))
# Numbers whose powers of e overflow, and what is masked.
LARGE = np.array([[1e4, 1e4 - 1, -1e4], [-np.inf, 1, 2], [88, 89, 90], [0, 0, 0]], "float32")
for name, reference, other in (("nn.softmax", softmax, "softmax"),
                               ("nn.log_softmax", log_softmax, "log_softmax")):
    table.add(name, reference, [LARGE], torch=lambda x, f=other: getattr(F, f)(x, -1))
    table.add(name, reference, [random(3, 1000)])
# Variances of numbers that are far from 0.
table.add("nn.layer_norm", layer_norm, [random(3, 64, low=1000, high=1001), random(64),
                                        random(64)], rtol=1e-3)
for rate in (0.5, 0.1):
    table.add("nn.dropout", lambda x, rate: [x, np.ones_like(x)], [X], rate=rate, exact=True)

# -- Losses.


def reduced(losses, reduction, by=None):
    if reduction == "none":
        return losses
    return losses.sum() / (1 if reduction == "sum" else losses.size if by is None else by)


def huber_loss(p, t, reduction="mean", delta=1.0):
    d = np.abs(p - t)
    return reduced(np.where(d <= delta, d * d / 2, delta * (d - delta / 2)), reduction)


def mse_loss(p, t, reduction="mean"):
    return reduced((p - t) ** 2, reduction)


def nll_loss(p, t, weights, reduction="mean", ignore_index=-100):
    losses, used = np.zeros(t.shape), np.zeros(t.shape)
    for at in itertools.product(*map(range, t.shape)):
        if t[at] != ignore_index:
            used[at] = weights[t[at]]
            losses[at] = -used[at] * p[(at[0], t[at]) + at[1:]]
    return reduced(losses, reduction, used.sum())


P, Q = random(4, 6), random(4, 6, seed=1)
SHARES = softmax(P).astype("float32")
table.add("nn.cross_entropy", lambda p, t: -(t * np.log(p)).sum() / len(p), [SHARES, softmax(Q)
                                                                            .astype("float32")])
table.add("nn.cross_entropy_with_logits", lambda p, t: -(t * p).sum() / len(p), [P, SHARES])
for reduction in ("mean", "sum", "none"):
    table.add("nn.mse_loss", mse_loss, [P, Q], reduction=reduction,
              torch=lambda p, t, reduction: F.mse_loss(p, t, reduction=reduction))
    for delta in (1.0, 0.3):
        table.add("nn.huber_loss", huber_loss, [P, Q], reduction=reduction, delta=delta,
                  torch=lambda p, t, reduction, delta: F.huber_loss(p, t, reduction, delta))
    for shape in ((4,), (4, 3), (4, 2, 3)):
        for ignored in (-100, 2):
            targets = integers(*shape, dtype="int64", low=0, high=6)
            table.add("nn.nll_loss", nll_loss, [random(4, 6, *shape[1:]), targets,
                                                random(6, low=0.5)], reduction=reduction,
                      ignore_index=ignored,
                      torch=lambda p, t, w, reduction, ignore_index: F.nll_loss(
                          p, t, w, reduction=reduction, ignore_index=ignore_index))
table.add("nn.mse_loss", mse_loss, [P, Q])
table.add("nn.huber_loss", huber_loss, [P, Q])
table.add("nn.nll_loss", nll_loss, [P, integers(4, low=0, high=6), np.ones(6, "float32")])

test_numpy, test_torch = table.tests()
