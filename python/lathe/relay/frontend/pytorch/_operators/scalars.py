"""Numbers, lists and properties of tensors: what Python computes around the operators."""

import math

from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators
from .arithmetic import power_of_numbers


def _scalar_of(value, dtype):
    """A tensor of one element as a number if it is known, else as a tensor of rank 0."""
    if _v.known_tensor(value):
        return value.item()
    if _v.is_number(value):
        return value
    made = _v.expr(value)
    return _v.cast(_op.reshape(made, newshape=()) if _v.rank_of(made) else made, dtype)


def _python(function, dtype):
    """int(x), float(x), bool(x)."""

    def convert(a):
        found = _scalar_of(a[0], dtype)
        if _v.is_size(found) and function is int:
            return found
        return function(found) if isinstance(found, (bool, int, float, str)) else found

    return convert


def _size(a):
    shape = _v.shape_of(a[0])
    return shape if a.dim is None else shape[_v.axis_of(a.dim, len(shape))]


def _root(a):
    """The square root of a number; the run computes that of a size."""
    return power_of_numbers(a[0], 0.5) if _v.is_size(a[0]) else _math(math.sqrt)(a)


def _math(function):
    def convert(a):
        return function(*[_v.known_number(a[i], "a number") for i in range(len(a))])

    return convert


operators({
    "Int IntImplicit": _python(int, "int64"), "Float FloatImplicit": _python(float, "float32"),
    "Bool": _python(bool, "bool"), "ScalarImplicit item _local_scalar_dense":
        lambda a: _scalar_of(a[0], _v.dtype_of(a[0])),
    "prim::NumToTensor": lambda a: _v.torch().tensor(a[0])
    if isinstance(a[0], (bool, int, float)) else a[0],
    "prim::ImplicitTensorToNum prim::unchecked_cast prim::data "
    "prim::unchecked_unwrap_optional": lambda a: a[0],
    "size": _size, "sym_size": _size, "numel": lambda a: _v.product(_v.shape_of(a[0])),
    "sym_numel": lambda a: _v.product(_v.shape_of(a[0])),
    "dim": lambda a: _v.rank_of(a[0]), "len": lambda a: _length(a[0]),
    "prim::shape": lambda a: _v.shape_of(a[0]), "prim::dtype": lambda a: _v.code_of(a[0]),
    "prim::device": lambda a: _v.torch().device("cpu"), "prim::layout": lambda a: 0,
    "prim::is_cuda": lambda a: False, "prim::requires_grad": lambda a: False,
    "prim::is_nested is_pinned": lambda a: False,
    "is_floating_point": lambda a: _v.is_float(a[0]), "is_complex": lambda a: False,
    "prim::TupleConstruct": lambda a: tuple(a._values),
    "prim::ListConstruct": lambda a: list(a._values),
    "prim::DictConstruct": lambda a: dict(zip(a._values[::2], a._values[1::2])),
    "prim::TupleUnpack prim::ListUnpack": lambda a: list(a[0]),
    "prim::TupleIndex": lambda a: a[0][a[1]], "__getitem__": lambda a: a[0][_place(a)],
    "__contains__": lambda a: a[1] in a[0],
    "__is__": lambda a: a[0] is a[1], "__isnot__": lambda a: a[0] is not a[1],
    "__not__": lambda a: _not(a[0]),
    "append": lambda a: _changed(a[0].append(a[1]), a[0]),
    "list": lambda a: list(a[0]), "copy.t": lambda a: list(a[0]), "dict": lambda a: dict(a[0]),
    "insert": lambda a: _changed(a[0].insert(a[1], a[2]), None),
    "extend": lambda a: _changed(a[0].extend(a[1]), None), "pop": lambda a: a[0].pop(a[1]),
    "_set_item": lambda a: _set_item(a), "reverse": lambda a: _changed(a[0].reverse(), None),
    "sort.int sort.float sort.bool": lambda a: _sorted(a), "sorted": lambda a: sorted(
        _v.known_number(one, "a number in a list that is sorted") for one in a[0]),
    "keys": lambda a: list(a[0].keys()), "values": lambda a: list(a[0].values()),
    "items": lambda a: list(a[0].items()), "get": lambda a: a[0].get(a[1], a[2]),
    "__range_length": lambda a: len(range(a[0], a[1], a[2])),
    "__derive_index": lambda a: a[1] + a[0] * a[2],
    "sqrt.int sqrt.float sqrt.Scalar": _root,
    "exp.int exp.float exp.Scalar": _math(math.exp),
    "log.int log.float log.Scalar": _math(math.log),
    "ceil.int ceil.float ceil.Scalar": _math(math.ceil),
    "floor.int floor.float floor.Scalar": _math(math.floor),
    "cos.int cos.float cos.Scalar": _math(math.cos),
    "sin.int sin.float sin.Scalar": _math(math.sin), "prim::abs abs.int": _math(abs),
    "warn": lambda a: None, "format": lambda a: a[0].format(*a._values[1:]),
    "prim::Uninitialized": lambda a: _v.UNSET,
    "is_autocast_enabled is_autocast_cpu_enabled": lambda a: False,
    "_assert_async _assert_scalar _assert_tensor_metadata sym_constrain_range "
    "sym_constrain_range_for_size": lambda a: None,
    "sym_stride stride": lambda a: _strides(a), "storage_offset sym_storage_offset": lambda a: 0,
    "is_contiguous": lambda a: True, "str": lambda a: str(a[0]), "device": lambda a: a[0],
    "equal": lambda a: _equal(a[0], a[1]), "allclose": lambda a: _allclose(a),
    "is_nonzero": lambda a: _scalar_of(a[0], "bool"),
    "is_same_size": lambda a: _v.shape_of(a[0]) == _v.shape_of(a[1]),
    "result_type": lambda a: getattr(_v.torch(), _v.promoted(a[0], a[1])),
})


def _length(value):
    return _v.shape_of(value)[0] if _v.is_tensor(value) else len(value)


def _place(a):
    if isinstance(a[0], dict):
        return a[1]
    return int(_v.known_number(a[1], "a place in a list"))


def _sorted(a):
    """A list of numbers, sorted in its place."""
    values = [_v.known_number(one, "a number in a list that is sorted") for one in a[0]]
    a[0][:] = sorted(values, reverse=bool(a.reverse))
    return a[0]


def _changed(_, result):
    return result


def _set_item(a):
    a[0][a[1]] = a[2]
    return a[0]


def _not(value):
    if _v.known_tensor(value) or not _v.is_tensor(value):
        return not value
    return _op.logical_not(_v.cast(value, "bool"))


@operator("__and__.bool __or__.bool __xor__.bool")
def _logic(a):
    if all(isinstance(a[i], bool) for i in (0, 1)):
        return {"__and__": a[0] and a[1], "__or__": a[0] or a[1]}.get(
            a._name.partition(".")[0], a[0] != a[1])
    kind = {"__and__": _op.logical_and, "__or__": _op.logical_or}.get(
        a._name.partition(".")[0], _op.logical_xor)
    return kind(_v.expr(a[0], "bool"), _v.expr(a[1], "bool"))


def _strides(a):
    shape = _v.shape_of(a[0])
    found = [_v.product(shape[i + 1:]) for i in range(len(shape))]
    return found if a.dim is None else found[a.dim]


def _equal(left, right):
    if _v.shape_of(left) != _v.shape_of(right):
        return False
    same = _op.equal(*_v.together(left, right))
    return _op.all(same) if _v.rank_of(same) else same


def _allclose(a):
    from .._registry import find

    same = find("isclose")(a)
    return _op.all(same) if _v.rank_of(same) else same
