"""Products of matrices."""

import math

from .... import nn as _nn
from .... import op as _op
from .. import _values as _v
from .._registry import operators
from .shapes import reshaped

operators({
    "linear": lambda a: _linear(a[0], a[1], a[2]),
    "mm": lambda a: _matmul(*_v.together(a[0], a[1])),
    "bmm": lambda a: _matmul(*_v.together(a[0], a[1])),
    "matmul __matmul__ linalg_matmul": lambda a: matmul(*_v.together(a[0], a[1])),
    "mv": lambda a: matmul(*_v.together(a[0], a[1])),
    "dot vdot inner.vector": lambda a: matmul(*_v.together(a[0], a[1])),
    "inner": lambda a: _inner(*_v.together(a[0], a[1])),
    "outer ger": lambda a: _outer(*_v.together(a[0], a[1])),
    "kron": lambda a: _kron(*_v.together(a[0], a[1])),
    "addmm addbmm addmv addr baddbmm": lambda a: _add_product(a),
    "einsum": lambda a: _einsum(a), "tensordot": lambda a: _tensordot(a),
    "bilinear": lambda a: _bilinear(a), "chain_matmul": lambda a: _chain(a[0]),
    "linalg_multi_dot": lambda a: _chain(a[0]),
    "cross linalg_cross": lambda a: _cross(a),
    "vecdot linalg_vecdot": lambda a: (lambda x, y: _op.sum(x * y, axis=[
        -1 if a.dim is None else int(a.dim)]))(*_v.together(a[0], a[1])),
    "_cdist_forward": lambda a: _distances(_v.expr(a[0]), _v.expr(a[1]), float(a.p)),
    "cosine_similarity": lambda a: _cosine(a),
})


def _matmul(x, y):
    if _v.dtype_of(x) == "bool":
        return _v.cast(_op.matmul(_v.cast(x, "int32"), _v.cast(y, "int32")), "bool")
    return _op.matmul(x, y)


def matmul(x, y):
    """NumPy's and PyTorch's product: vectors become matrices for the time of the product."""
    left, right = _v.rank_of(x) == 1, _v.rank_of(y) == 1
    if left:
        x = _op.expand_dims(x, axis=0)
    if right:
        y = _op.expand_dims(y, axis=1)
    made = _matmul(x, y)
    if left and right:
        return _op.reshape(made, newshape=())
    if left:
        return _op.squeeze(made, axis=[_v.rank_of(made) - 2])
    return _op.squeeze(made, axis=[_v.rank_of(made) - 1]) if right else made


def _linear(x, weight, bias):
    x, weight = _v.expr(x), _v.expr(weight)
    vector = _v.rank_of(weight) == 1
    if vector:
        weight = _op.expand_dims(weight, axis=0)
    flat = _v.rank_of(x) == 1
    made = _nn.dense(_op.expand_dims(x, axis=0) if flat else x, weight)
    if flat:
        made = _op.squeeze(made, axis=[0])
    if vector:
        made = _op.squeeze(made, axis=[_v.rank_of(made) - 1])
    return made if bias is None else made + _v.expr(bias)


def _inner(x, y):
    if _v.rank_of(x) == 0 or _v.rank_of(y) == 0:
        return _op.multiply(x, y)
    shape = _v.shape_of(x)[:-1] + _v.shape_of(y)[:-1]
    depth = _v.shape_of(x)[-1]
    made = _op.matmul(reshaped(x, [-1, depth]), reshaped(y, [-1, depth]), transpose_b=True)
    return reshaped(made, shape)


def _outer(x, y):
    x, y = _op.expand_dims(x, axis=1), _op.expand_dims(y, axis=0)
    return _op.logical_and(x, y) if _v.dtype_of(x) == "bool" else x * y


def _kron(x, y):
    rank = max(_v.rank_of(x), _v.rank_of(y))
    shapes = [[1] * (rank - _v.rank_of(one)) + _v.shape_of(one) for one in (x, y)]
    left = reshaped(x, [n for one in shapes[0] for n in (one, 1)])
    right = reshaped(y, [n for one in shapes[1] for n in (1, one)])
    made = _op.logical_and(left, right) if _v.dtype_of(x) == "bool" else left * right
    return reshaped(made, [n * m for n, m in zip(*shapes)])


def _add_product(a):
    """beta self + alpha (a product)."""
    added, x, y = _v.together(a[0], a[1], a[2])
    kind, dtype = a._name.partition(".")[0], _v.dtype_of(added)
    if kind == "addr":
        made = _op.expand_dims(x, axis=1) * _op.expand_dims(y, axis=0) if dtype != "bool" else \
            _op.logical_and(_op.expand_dims(x, axis=1), _op.expand_dims(y, axis=0))
    else:
        made = matmul(x, y)
    if kind == "addbmm":
        made = _op.sum(made, axis=[0])
    alpha, beta = (1 if one is None else one for one in (a.alpha, a.beta))
    if dtype == "bool":
        return _op.logical_or(added, made) if beta else made
    if alpha != 1:
        made = made * _v.expr(alpha, dtype)
    if beta == 0:
        shape = _v.shape_of(made)
        return made if len(shape) >= _v.rank_of(added) else made
    return (added if beta == 1 else added * _v.expr(beta, dtype)) + made


def _einsum(a):
    equation = a[0].replace(" ", "")
    operands = _v.together(*a[1])
    if "->" not in equation:
        letters = sorted(set(equation) - set(",."))
        once = "".join(one for one in letters if equation.count(one) == 1)
        equation += "->" + ("..." if "." in equation else "") + once
    return _op.einsum(operands, equation=_without_dots(equation, operands))


def _without_dots(equation, operands):
    """The equation with letters for the dimensions that `...` stands for."""
    if "..." not in equation:
        return equation
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in equation]
    left, _, right = equation.partition("->")
    counts = [_v.rank_of(one) - len(part.replace("...", ""))
              for part, one in zip(left.split(","), operands)]
    most = max((n for n, part in zip(counts, left.split(",")) if "..." in part), default=0)
    letters = "".join(free[:most])
    parts = [part.replace("...", letters[most - n:]) for part, n in zip(left.split(","), counts)]
    return ",".join(parts) + "->" + right.replace("...", letters)


def _tensordot(a):
    x, y = _v.together(a[0], a[1])
    left, right = (_v.axes_of(one, _v.rank_of(t)) if one else []
                   for one, t in ((a.dims_self, x), (a.dims_other, y)))
    for i, j in zip(left, right):  # an extent of 1 meets all of the other one
        if _v.shape_of(x)[i] == 1 != _v.shape_of(y)[j]:
            y = _op.sum(y, axis=[j], keepdims=True)
        elif _v.shape_of(y)[j] == 1 != _v.shape_of(x)[i]:
            x = _op.sum(x, axis=[i], keepdims=True)
    rest_x = [i for i in range(_v.rank_of(x)) if i not in left]
    rest_y = [i for i in range(_v.rank_of(y)) if i not in right]
    shape_x, shape_y = _v.shape_of(x), _v.shape_of(y)
    depth = _v.product(shape_x[i] for i in left)
    x = reshaped(_op.transpose(x, axes=rest_x + left) if shape_x else x,
                 [_v.product(shape_x[i] for i in rest_x), depth])
    y = reshaped(_op.transpose(y, axes=right + rest_y) if shape_y else y,
                 [depth, _v.product(shape_y[i] for i in rest_y)])
    return reshaped(_op.matmul(x, y), [shape_x[i] for i in rest_x] + [shape_y[i] for i in rest_y])


def _bilinear(a):
    x, y, weight = (_v.expr(a[i]) for i in range(3))
    front = _v.shape_of(x)[:-1]
    out, n, m = _v.shape_of(weight)
    x, y = reshaped(x, [-1, n]), reshaped(y, [-1, m])
    made = _op.einsum([x, weight, y], equation="bn,onm,bm->bo")
    if a[3] is not None:
        made = made + _v.expr(a[3])
    return reshaped(made, front + [out])


def _chain(values):
    made = _v.expr(values[0])
    for one in values[1:]:
        made = matmul(made, _v.expr(one))
    return made


def _cross(a):
    from .shapes import broadcast_shape

    x, y = _v.together(a[0], a[1])
    shape = broadcast_shape([_v.shape_of(x), _v.shape_of(y)])
    x, y = (_op.broadcast_to(one, shape=shape) for one in (x, y))
    axis = a.dim
    if axis is None:
        axis = next(i for i, n in enumerate(shape) if n == 3) if not a._name.startswith(
            "linalg") else -1
    axis = _v.axis_of(axis, len(shape))

    def turned(one, by):
        return _op.roll(one, shift=[-by], axis=[axis])

    return turned(x, 1) * turned(y, 2) - turned(x, 2) * turned(y, 1)


def _distances(x, y, p):
    """The p-norm of the difference of each row of x to each row of y."""
    d = _op.abs(_op.expand_dims(x, axis=_v.rank_of(x) - 1) -
                _op.expand_dims(y, axis=_v.rank_of(y) - 2))
    axis, dtype = [_v.rank_of(d) - 1], _v.dtype_of(d)
    if p == math.inf:
        return _op.max(d, axis=axis)
    if p == 0:
        return _op.sum(_v.cast(_v.cast(d, "bool"), dtype), axis=axis)
    if p == 1:
        return _op.sum(d, axis=axis)
    if p == 2:
        return _op.sqrt(_op.sum(d * d, axis=axis))
    powers = _op.sum(_op.power(d, _v.expr(p, dtype)), axis=axis)
    return _op.power(powers, _v.expr(1 / p, dtype))


def _cosine(a):
    from .shapes import at_least, broadcast_shape

    x, y = _v.together(a[0], a[1], least="float")
    rank = max(_v.rank_of(x), _v.rank_of(y))
    x, y = at_least(x, 1), at_least(y, 1)
    shape = broadcast_shape([_v.shape_of(x), _v.shape_of(y)])
    x, y = (_op.broadcast_to(one, shape=shape) for one in (x, y))
    axis = [1 if a.dim is None and rank else int(a.dim or 0)]
    eps = float(1e-8 if a.eps is None else a.eps)
    dtype = _v.dtype_of(x)
    norms = [_op.maximum(_op.sqrt(_op.sum(one * one, axis=axis, keepdims=True)),
                         _v.expr(eps, dtype)) for one in (x, y)]
    return _op.sum((x / norms[0]) * (y / norms[1]), axis=axis)
