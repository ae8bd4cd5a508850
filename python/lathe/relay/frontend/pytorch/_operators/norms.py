"""Normalisations."""

from .....error import LatheValueError
from .... import nn as _nn
from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators
from .shapes import reshaped


def _or(value, default):
    return default if value is None else value


def _scaled(x, weight, bias, shape):
    """x weight + bias, both reshaped to be broadcast."""
    dtype = _v.dtype_of(x)
    if weight is not None:
        x = x * reshaped(_v.expr(weight, dtype), shape)
    return x if bias is None else x + reshaped(_v.expr(bias, dtype), shape)


@operator("batch_norm")
def _batch_norm(a):
    if a.training or a.running_mean is None:
        return _by_batch(a)[0]
    return _with_statistics(a)


def _with_statistics(a):
    x = _v.expr(a[0])
    channels, dtype = _v.shape_of(x)[1], _v.dtype_of(x)
    gamma = _v.full([channels], 1, dtype) if a.weight is None else _v.expr(a.weight, dtype)
    beta = _v.full([channels], 0, dtype) if a.bias is None else _v.expr(a.bias, dtype)
    return _nn.batch_norm(x, gamma, beta, _v.expr(a.running_mean, dtype),
                          _v.expr(a.running_var, dtype), epsilon=float(a.eps))[0]


def _by_batch(a):
    """With the statistics of the batch itself; also (mean, 1 / standard deviation)."""
    x = _v.expr(a[0])
    axes = [i for i in range(_v.rank_of(x)) if i != 1]
    mean = _op.mean(x, axis=axes, keepdims=True)
    inverse = _op.rsqrt(_op.variance(x, axis=axes, keepdims=True) + float(_or(a.eps, 1e-5)))
    shape = [1, -1] + [1] * (_v.rank_of(x) - 2)
    made = _scaled((x - mean) * inverse, a.weight, a.bias, shape)
    return made, reshaped(mean, [-1]), reshaped(inverse, [-1])


@operator("native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_no_training "
          "_native_batch_norm_legit_functional cudnn_batch_norm _batch_norm_no_update")
def _native_batch_norm(a):
    training = bool(a.training)
    if training and a.running_mean is not None and "functional" in a._name:
        raise LatheValueError("batch normalisation of a model in training changes its state",
                              "pytorch-training",
                              "help: model.eval() before the model is traced")
    if training or a.running_mean is None:
        return _by_batch(a)
    empty = _v.full([0], 0, _v.dtype_of(a[0]))
    return _with_statistics(a), empty, empty


@operator("layer_norm")
def _layer_norm(a):
    return _layers(_v.expr(a[0]), a.normalized_shape, a.weight, a.bias, a.eps)[0]


def _layers(x, normalized, weight, bias, eps):
    """(result, mean, 1 / standard deviation)"""
    rank, eps = _v.rank_of(x), float(_or(eps, 1e-5))
    normalized = list(normalized)
    axes = list(range(rank - len(normalized), rank))
    mean = _op.mean(x, axis=axes, keepdims=True)
    inverse = _op.rsqrt(_op.variance(x, axis=axes, keepdims=True) + eps)
    if len(normalized) == 1 and _v.dtype_of(x) == "float32":
        extent = normalized[0]
        gamma = _v.full([extent], 1, "float32") if weight is None else _v.expr(weight)
        beta = _v.full([extent], 0, "float32") if bias is None else _v.expr(bias)
        return _nn.layer_norm(x, gamma, beta, epsilon=eps), mean, inverse
    return _scaled((x - mean) * inverse, weight, bias, normalized), mean, inverse


@operator("group_norm")
def _group_norm(a):
    return _groups(_v.expr(a[0]), int(a.num_groups), a.weight, a.bias, _or(a.eps, 1e-5))[0]


def _groups(x, groups, weight, bias, eps):
    shape = _v.shape_of(x)
    flat = reshaped(x, [shape[0], groups, _v.product(shape[1:]) // groups])
    mean = _op.mean(flat, axis=[2], keepdims=True)
    inverse = _op.rsqrt(_op.variance(flat, axis=[2], keepdims=True) + float(eps))
    made = reshaped((flat - mean) * inverse, shape)
    made = _scaled(made, weight, bias, [1, -1] + [1] * (len(shape) - 2))
    return made, reshaped(mean, [shape[0], groups]), reshaped(inverse, [shape[0], groups])


@operator("instance_norm")
def _instance_norm(a):
    x = _v.expr(a[0])
    rank, eps = _v.rank_of(x), float(_or(a.eps, 1e-5))
    wide = [1, -1] + [1] * (rank - 2)
    if a.use_input_stats is False:
        mean = reshaped(_v.expr(a.running_mean), wide)
        variance = reshaped(_v.expr(a.running_var), wide)
    else:
        axes = list(range(2, rank))
        mean = _op.mean(x, axis=axes, keepdims=True)
        variance = _op.variance(x, axis=axes, keepdims=True)
    return _scaled((x - mean) * _op.rsqrt(variance + eps), a.weight, a.bias, wide)


operators({
    "native_layer_norm": lambda a: _layers(_v.expr(a[0]), a.normalized_shape, a.weight, a.bias,
                                           a.eps),
    "native_group_norm": lambda a: _groups(_v.expr(a[0]), int(a.group), a.weight, a.bias, a.eps),
    "rms_norm _fused_rms_norm": lambda a: _rms_norm(a),
})


def _rms_norm(a):
    x = _v.expr(a[0])
    rank, normalized = _v.rank_of(x), list(a.normalized_shape)
    axes = list(range(rank - len(normalized), rank))
    eps = a.eps
    if eps is None:
        eps = _v.torch().finfo(getattr(_v.torch(), _v.dtype_of(x))).eps
    inverse = _op.rsqrt(_op.mean(x * x, axis=axes, keepdims=True) + float(eps))
    made = _scaled(x * inverse, a.weight, None, normalized)
    return (made, inverse) if a._name.startswith("_fused") else made
