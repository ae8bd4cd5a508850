"""Activations."""

import math

from .....error import LatheValueError
from .... import nn as _nn
from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators


def _number(value, default):
    return float(default if value is None else value)


operators({
    "relu": lambda a: _nn.relu(_v.expr(a[0])),
    "relu6": lambda a: _nn.relu6(_v.expr(a[0])),
    "leaky_relu": lambda a: _nn.leaky_relu(_v.expr(a[0]), alpha=_number(a.negative_slope, 0.01)),
    "elu": lambda a: _elu(_v.expr(a[0]), a),
    "selu": lambda a: _nn.selu(
        _v.expr(a[0]), alpha=1.6732632423543772, gamma=1.0507009873554805),
    "celu": lambda a: _nn.celu(_v.expr(a[0]), alpha=_number(a.alpha, 1.0)),
    "gelu": lambda a: (_nn.gelu_tanh if a.approximate == "tanh" else _nn.gelu)(_v.expr(a[0])),
    "silu": lambda a: _nn.silu(_v.expr(a[0])),
    "mish": lambda a: _nn.mish(_v.expr(a[0])),
    "hardsigmoid": lambda a: _nn.hard_sigmoid(_v.expr(a[0])),
    "hardswish": lambda a: _nn.hard_swish(_v.expr(a[0])),
    "hardshrink": lambda a: _hard_shrink(_v.expr(a[0]), _number(a.lambd, 0.5)),
    "softshrink": lambda a: _soft_shrink(_v.expr(a[0]), _number(a.lambd, 0.5)),
    "log_sigmoid": lambda a: _nn.log_sigmoid(_v.expr(a[0])),
    "log_sigmoid_forward": lambda a: (_nn.log_sigmoid(_v.expr(a[0])),
                                      _op.exp(_op.negative(_op.abs(_v.expr(a[0]))))),
    "softplus": lambda a: _softplus(_v.expr(a[0]), _number(a.beta, 1), _number(a.threshold, 20)),
    "glu": lambda a: _glu(a),
    "softmax _softmax special_softmax": lambda a: _softmax(_nn.softmax, a),
    "log_softmax _log_softmax special_log_softmax": lambda a: _softmax(_nn.log_softmax, a),
    "_safe_softmax": lambda a: _safe_softmax(a),
    "rrelu": lambda a: _rrelu(a),
})


@operator("hardtanh")
def _hardtanh(a):
    x = _v.expr(a[0])
    return _op.clip(x, a_min=_number(a.min_val, -1.0), a_max=_number(a.max_val, 1.0))


@operator("threshold")
def _threshold(a):
    x = _v.expr(a[0])
    dtype = _v.dtype_of(x)
    return _op.where(_op.less_equal(x, _v.expr(a.threshold, dtype)), _v.expr(a.value, dtype), x)


@operator("prelu _prelu_kernel")
def _prelu(a):
    x, slope = _v.expr(a[0]), _v.expr(a[1])
    rank = _v.rank_of(x)
    if _v.rank_of(slope) <= 1 and rank > 1 and _v.shape_of(slope) not in ([], [1]):
        slope = _op.reshape(slope, newshape=[-1] + [1] * (rank - 2))
    elif _v.rank_of(slope) == 1 and rank == 0:
        slope = _op.reshape(slope, newshape=())
    zero = _v.expr(0, _v.dtype_of(x))
    return _op.where(_op.greater(x, zero), x, x * slope)


def _rrelu(a):
    if a.training:
        raise LatheValueError("rrelu of a model in training is random", "pytorch-training",
                              "help: model.eval() before the model is traced")
    slope = (_number(a.lower, 0.125) + _number(a.upper, 1 / 3)) / 2
    return _nn.leaky_relu(_v.expr(a[0]), alpha=slope)


def _elu(x, a):
    alpha, scale, slope = (_number(one, 1.0) for one in (a.alpha, a.scale, a.input_scale))
    if scale == slope == 1.0:
        return _nn.elu(x, alpha=alpha)
    zero = _v.expr(0, _v.dtype_of(x))
    return _op.where(_op.greater(x, zero), x * scale, _op.expm1(x * slope) * (alpha * scale))


def _hard_shrink(x, limit):
    dtype = _v.dtype_of(x)
    inside = _op.less_equal(_op.abs(x), _v.expr(limit, dtype))
    return _op.where(inside, _v.expr(0, dtype), x)


def _soft_shrink(x, limit):
    dtype = _v.dtype_of(x)
    high, low = _v.expr(limit, dtype), _v.expr(-limit, dtype)
    found = _op.where(_op.less(x, low), x + limit, _v.expr(0, dtype))
    found = _op.where(_op.greater(x, high), x - limit, found)
    return _op.where(_op.isnan(x), x, found)


def _softplus(x, beta, threshold):
    scaled = x if beta == 1 else x * beta
    found = _nn.softplus(scaled)
    found = found if beta == 1 else found / beta
    over = _op.greater(scaled, _v.expr(threshold, _v.dtype_of(x)))
    return _op.where(over, x, found)


def _glu(a):
    x = _v.expr(a[0])
    axis = _v.axis_of(-1 if a.dim is None else a.dim, _v.rank_of(x))
    left, right = _op.split(x, 2, axis=axis)
    return left * _op.sigmoid(right)


def _softmax(function, a):
    x = _v.expr(a[0]) if a.dtype is None else _v.expr(a[0], _v.dtype_name(a.dtype))
    x = _v.floating(x)
    if _v.rank_of(x) == 0:
        return _op.reshape(function(_op.reshape(x, newshape=(1,)), axis=0), newshape=())
    return function(x, axis=_v.axis_of(a.dim, _v.rank_of(x)))


def _safe_softmax(a):
    """Rows that are -infinity throughout become zeros."""
    x = _v.expr(a[0])
    axis = _v.axis_of(a.dim, _v.rank_of(x))
    low = _v.expr(-math.inf, _v.dtype_of(x))
    empty = _op.equal(_op.max(x, axis=[axis], keepdims=True), low)
    return _op.where(empty, _v.expr(0, _v.dtype_of(x)), _nn.softmax(x, axis=axis))
