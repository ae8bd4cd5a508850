"""Losses and distances."""

from .... import op as _op
from .. import _values as _v
from .._registry import operators

_REDUCTIONS = {0: "none", 1: "mean", 2: "sum"}


def _reduced(loss, reduction):
    kind = _REDUCTIONS.get(1 if reduction is None else reduction, reduction)
    if kind == "none":
        return loss
    if _v.rank_of(loss) == 0:
        return loss
    return (_op.mean if kind == "mean" else _op.sum)(loss)


def _of_difference(function):
    def convert(a):
        x, y = _v.together(a[0], a[1], least="float")
        return _reduced(function(x - y, a), a.reduction)

    return convert


def _huber(d, a):
    delta = float(1.0 if a.delta is None else a.delta)
    size = _op.abs(d)
    return _op.where(_op.less_equal(size, _v.expr(delta, _v.dtype_of(d))), d * d * 0.5,
                     (size - 0.5 * delta) * delta)


def _smooth(d, a):
    beta = float(1.0 if a.beta is None else a.beta)
    size = _op.abs(d)
    if beta == 0:
        return size
    return _op.where(_op.less(size, _v.expr(beta, _v.dtype_of(d))), d * d * (0.5 / beta),
                     size - 0.5 * beta)


operators({
    "mse_loss": _of_difference(lambda d, a: d * d),
    "l1_loss": _of_difference(lambda d, a: _op.abs(d)),
    "huber_loss": _of_difference(_huber), "smooth_l1_loss": _of_difference(_smooth),
    "nll_loss nll_loss2d nll_loss_nd": lambda a: _nll(a)[0],
    "nll_loss_forward nll_loss2d_forward": lambda a: _nll(a),
    "kl_div": lambda a: _kl(a),
    "binary_cross_entropy": lambda a: _binary(a),
})


def _nll(a):
    """(loss, the sum of the weights)"""
    x, target = _v.expr(a[0]), _v.expr(a.target, "int64")
    single = _v.rank_of(x) == 1
    if single:
        x, target = _op.expand_dims(x, axis=0), _op.reshape(target, newshape=(1,))
    dtype, ignored = _v.dtype_of(x), -100 if a.ignore_index is None else int(a.ignore_index)
    there = _op.not_equal(target, _v.expr(ignored, "int64"))
    place = _op.where(there, target, _v.expr(0, "int64"))
    picked = _op.squeeze(_op.gather(x, 1, _op.expand_dims(place, axis=1)), axis=[1])
    weight = _v.cast(there, dtype)
    if a.weight is not None:
        weight = weight * _op.take(_v.expr(a.weight, dtype), place, axis=0)
    loss = _op.negative(picked) * weight
    total = _op.sum(weight)
    kind = _REDUCTIONS.get(1 if a.reduction is None else a.reduction)
    if kind == "none":
        return (_op.reshape(loss, newshape=()) if single else loss), _v.full([], 0, dtype)
    summed = _op.sum(loss)
    return (summed / total if kind == "mean" else summed), total


def _kl(a):
    x, y = _v.together(a[0], a[1])
    zero = _v.expr(0, _v.dtype_of(x))
    loss = _op.exp(y) * (y - x) if a.log_target else \
        _op.where(_op.equal(y, zero), zero, y * _op.log(y)) - y * x
    return _reduced(loss, a.reduction)


def _binary(a):
    x, y = _v.together(a[0], a[1])
    low = _v.expr(-100.0, _v.dtype_of(x))
    loss = (y - 1.0) * _op.maximum(_op.log1p(_op.negative(x)), low) - \
        y * _op.maximum(_op.log(x), low)
    if a.weight is not None:
        loss = loss * _v.expr(a.weight, _v.dtype_of(x))
    return _reduced(loss, a.reduction)
