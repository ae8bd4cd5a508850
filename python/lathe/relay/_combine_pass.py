"""Calls of one operator on the same data, with weights of their own, become one call."""

from . import _operators, _rebuild
from . import expr as _e
from ._operators import builder as _op
from .analysis import post_order


def _shape(expr):
    return [getattr(n, "value", None) for n in expr.checked_type.shape]


def _attrs(call, *without):
    return _operators.changed_attrs(call.op.name, call.attrs, *without)


def _groups(func, name, key_of):
    """The calls of an operator that can be combined: lists, in the order of the graph.

    Their weights are variables or constants, so no call depends on another one of its list.
    """
    groups = {}
    for item in post_order(func):
        if isinstance(item, _e.Call) and item.op == _e.Op(name) and len(item.args) == 2 and \
                isinstance(item.args[1], (_e.Var, _e.Constant)) and None not in _shape(item.args[1]):
            key = key_of(item)
            if key is not None:
                groups.setdefault((id(item.args[0]), repr(key)), []).append(item)
    return groups.values()


def combine(func, name, least, key_of, combined):
    """`func` with each list of at least `least` calls replaced.

    Args:
        key_of: call -> what must be equal, or None for a call that stays.
        combined: (data, calls) -> the expressions that stand for the calls.
    """
    func.checked_type
    chosen = [calls for calls in _groups(func, name, key_of) if len(calls) >= least]
    where = {id(call): calls for calls in chosen for call in calls}
    made = {}

    def changed(part):
        return made.get(id(part), part)

    for item in post_order(func):
        if id(item) in made:
            continue
        calls = where.get(id(item))
        if calls is None:
            made[id(item)] = _rebuild.with_parts(item, changed)
        else:
            results = combined(changed(item.args[0]), calls)
            made.update((id(call), result) for call, result in zip(calls, results))
    return made[id(func)]


def _sliced(whole, axis, extents):
    """The parts of `whole` along an axis."""
    parts, begin = [], 0
    for extent in extents:
        parts.append(_op("strided_slice")(whole, begin=(begin,), end=(begin + extent,),
                                          axes=(axis,)))
        begin += extent
    return parts


def conv2d_key(call):
    """Convolutions with the same windows, without groups."""
    attrs = call.attrs
    if attrs["groups"] != 1 or attrs["out_layout"]:
        return None
    window = dict(zip(attrs["kernel_layout"], _shape(call.args[1])))
    window.pop("O")
    return sorted(window.items()), sorted(_attrs(call, "channels", "kernel_size").items())


def conv2d(data, calls):
    """One convolution with the filters of all."""
    attrs = calls[0].attrs
    axis = attrs["kernel_layout"].index("O")
    weight = _op("concatenate")([call.args[1] for call in calls], axis=axis)
    whole = _e.Call(calls[0].op, [data, weight], _attrs(calls[0], "channels", "kernel_size"))
    return _sliced(whole, attrs["data_layout"].index("C"),
                   [_shape(call.args[1])[axis] for call in calls])


def dense_key(call):
    """Products with the same depth."""
    return _shape(call.args[1])[1], _attrs(call, "units")


def dense_batch_key(call):
    """Products of the same shape."""
    return _shape(call.args[1]), _attrs(call)


def dense(data, calls):
    """One product with the rows of all weights."""
    weight = _op("concatenate")([call.args[1] for call in calls], axis=0)
    whole = _e.Call(calls[0].op, [data, weight], _attrs(calls[0], "units"))
    return _sliced(whole, len(_shape(calls[0])) - 1, [_shape(call.args[1])[0] for call in calls])


def dense_batch(data, calls):
    """One product of batches."""
    rows = _op("stack")([data] * len(calls), axis=0)
    weight = _op("stack")([call.args[1] for call in calls], axis=0)
    out = _attrs(calls[0]).get("out_dtype")
    whole = _op("nn.batch_matmul")(rows, weight, **({"out_dtype": out} if out else {}))
    return [_op("squeeze")(part, axis=(0,)) for part in _sliced(whole, 0, [1] * len(calls))]


def batch_matmul_key(call):
    """Products of batches with the same depth."""
    shape = _shape(call.args[1])
    wide = 1 if call.attrs["transpose_b"] else 2
    return shape[:wide] + shape[wide + 1:], _attrs(call)


def batch_matmul(data, calls):
    """One product with the columns of all."""
    axis = 1 if calls[0].attrs["transpose_b"] else 2
    right = _op("concatenate")([call.args[1] for call in calls], axis=axis)
    whole = _e.Call(calls[0].op, [data, right], _attrs(calls[0]))
    return _sliced(whole, 2, [_shape(call.args[1])[axis] for call in calls])
