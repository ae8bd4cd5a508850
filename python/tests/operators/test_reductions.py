"""One element of many."""

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T

table = Table()
X = random(4, 3, 5)
# Which dimensions: none is all, several, from the end, and all but some.
AXES = ({}, {"axis": 1}, {"axis": (0, -1)}, {"axis": -2, "keepdims": True}, {"keepdims": True},
        {"axis": 1, "exclude": True}, {"axis": (-1, 0), "exclude": True, "keepdims": True})


def over(function):
    """The dimensions of Relay's attributes for a function with NumPy's."""
    def call(x, axis=(), keepdims=False, exclude=False, **attrs):
        axes = [axis] if isinstance(axis, int) else list(axis)
        axes = [a % x.ndim for a in axes]
        if exclude:
            axes = [d for d in range(x.ndim) if d not in axes]
        return function(x, tuple(axes or range(x.ndim)), keepdims, **attrs)
    return call


def summed(x, axis, keepdims):
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


def variance(x, axis, keepdims, unbiased=False):
    return np.var(x, axis=axis, keepdims=keepdims, ddof=int(unbiased))


def logsumexp(x, axis, keepdims):
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    y = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return y if keepdims else np.squeeze(y, axis)


def place_of(best):
    """The first (or last) of the best, in row-major order of the dimensions."""
    def call(x, axis, keepdims, select_last_index=False):
        rest = [d for d in range(x.ndim) if d not in axis]
        rows = x.transpose(rest + list(axis)).reshape([x.shape[d] for d in rest] + [-1])
        if select_last_index:
            places = rows.shape[-1] - 1 - best(rows[..., ::-1], axis=-1)
        else:
            places = best(rows, axis=-1)
        shape = [1 if d in axis else e for d, e in enumerate(x.shape)]
        return np.asarray(places).reshape(shape if keepdims else [x.shape[d] for d in rest]) \
            .astype("int32")
    return call


def torch_of(function):
    def call(x, axis=(), keepdims=False, exclude=False, **attrs):
        axes = [axis] if isinstance(axis, int) else list(axis)
        axes = [a % x.ndim for a in axes]
        if exclude:
            axes = [d for d in range(x.ndim) if d not in axes]
        return function(x, axes or list(range(x.ndim)), keepdims, **attrs)
    return call


REDUCTIONS = {
    "sum": (summed, lambda x, a, k: T.sum(x, a, k)),
    "mean": (lambda x, a, k: np.mean(x, axis=a, keepdims=k), lambda x, a, k: T.mean(x, a, k)),
    "prod": (lambda x, a, k: np.prod(x, axis=a, keepdims=k, dtype=x.dtype), None),
    "max": (lambda x, a, k: np.max(x, axis=a, keepdims=k), lambda x, a, k: T.amax(x, a, k)),
    "min": (lambda x, a, k: np.min(x, axis=a, keepdims=k), lambda x, a, k: T.amin(x, a, k)),
    "variance": (variance, lambda x, a, k, unbiased=False: T.var(x, a, correction=int(unbiased),
                                                                 keepdim=k)),
    "std": (lambda x, a, k, unbiased=False: np.sqrt(variance(x, a, k, unbiased)),
            lambda x, a, k, unbiased=False: T.std(x, a, correction=int(unbiased), keepdim=k)),
    "logsumexp": (logsumexp, lambda x, a, k: T.logsumexp(x, a, k)),
    "norm_l1": (lambda x, a, k: summed(np.abs(x), a, k),
                lambda x, a, k: T.linalg.vector_norm(x, 1, a, k)),
    "norm_l2": (lambda x, a, k: np.sqrt(np.sum(x * x, axis=a, keepdims=k)),
                lambda x, a, k: T.linalg.vector_norm(x, 2, a, k)),
    "sum_square": (lambda x, a, k: summed(x * x, a, k), None),
    "log_sum": (lambda x, a, k: np.log(np.sum(x, axis=a, keepdims=k)), None),
    "argmax": (place_of(np.argmax), None),
    "argmin": (place_of(np.argmin), None),
}
TIES = integers(4, 3, 5, dtype="float32", low=-2, high=2)
for name, (reference, other) in REDUCTIONS.items():
    x = np.abs(X) + np.float32(0.1) if name == "log_sum" else X
    for attrs in AXES:
        table.add(name, over(reference), [x], torch=other and torch_of(other), **attrs)
        if name in ("variance", "std"):
            table.add(name, over(reference), [x], torch=torch_of(other), unbiased=True, **attrs)
        if name.startswith("arg"):
            for last in (False, True):
                table.add(name, over(reference), [TIES], select_last_index=last, **attrs)
    for dtype in ("float64", "float16", bfloat16):
        # Sums of 16-bit floats are rounded at each step.
        table.add(name, over(reference), [x[0].astype(dtype)], axis=1,
                  rtol=None if dtype == "float64" else 5e-2)
    # Long rows: what is added is a million times smaller than the sum.
    if name in ("sum", "mean", "variance", "logsumexp", "norm_l2"):
        table.add(name, over(reference), [random(2, 5000, low=10, high=11)], axis=1)
for name in ("sum", "prod", "max", "min", "norm_l1", "sum_square", "argmax", "argmin"):
    for dtype in ("int8", "uint8", "int32", "int64", "uint64"):
        x = integers(4, 6, dtype=dtype, low=0 if dtype[0] == "u" else -9)
        for attrs in AXES[:3]:
            table.add(name, over(REDUCTIONS[name][0]), [x], **attrs)
BOOLS = random(4, 3, 2, dtype=bool)
for attrs in AXES:
    table.add("all", over(lambda x, a, k: np.all(x, axis=a, keepdims=k)), [BOOLS], **attrs)
    table.add("any", over(lambda x, a, k: np.any(x, axis=a, keepdims=k)), [BOOLS], **attrs)

INFINITE = np.array([[1, np.inf, 2], [-np.inf, 3, 1], [-np.inf, -np.inf, -np.inf],
                     [np.inf, np.inf, 0]], "float32")
for name in ("sum", "max", "min", "logsumexp", "argmax", "argmin", "norm_l1", "mean"):
    table.add(name, over(REDUCTIONS[name][0]), [INFINITE], axis=1)
NAN = np.array([[1, np.nan, 2], [np.nan, 3, 1], [1, 3, np.nan], [np.nan] * 3], "float32")
for name in ("sum", "mean", "prod", "max", "min", "argmax", "argmin"):
    table.add(name, over(REDUCTIONS[name][0]), [NAN], axis=1)
table.add("logsumexp", over(logsumexp), [np.array([[1e4, 1e4], [-1e4, -1e4]], "float32")], axis=1)

test_numpy, test_torch = table.tests()
