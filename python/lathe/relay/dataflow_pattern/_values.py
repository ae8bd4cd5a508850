"""Comparisons of what is at the leaves of patterns: types, attributes, constants."""

from ... import _ffi
from .. import expr as _e
from ..op import op_pattern

_same_type = _ffi.get("graph.same_type")


def same_leaf(wanted, found):
    """Is it the same operator or expression? Constants are compared by value."""
    if isinstance(wanted, (_e.Op, _e.GlobalVar)):
        return wanted == found
    if isinstance(wanted, _e.Constant) and isinstance(found, _e.Constant):
        return same_constant(wanted, found)
    return wanted is found


def same_constant(a, b):
    """Have two constants the same type and bytes?"""
    if a is b or a._node is b._node:
        return True
    if not _same_type(a.checked_type, b.checked_type):
        return False
    return bytes(a.data.numpy().data) == bytes(b.data.numpy().data)


def same_type(found, wanted):
    """Do two types agree, with extents compared by arithmetic?"""
    return _same_type(found, wanted)


def has_shape(found, shape):
    """Is it the type of a tensor of this shape?"""
    own = getattr(found, "shape", None)
    return own is not None and len(own) == len(shape) and \
        all(same_value(a, b) for a, b in zip(own, shape))


def has_attrs(expr, attrs):
    """Has a call, function or operator these attributes?"""
    if isinstance(expr, _e.Op):
        found = {"TOpPattern": op_pattern(expr.name)}
    elif isinstance(expr, (_e.Call, _e.Function)):
        found = expr.attrs
    else:
        return False
    given = getattr(found, "as_given", found)
    return all(name in found and (same_value(found[name], value) or same_value(given[name], value))
               for name, value in attrs.items())


def same_value(a, b):
    """Are two values of attributes, or extents, equal? A list is equal to a tuple."""
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and \
            len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b))
    a, b = getattr(a, "value", a), getattr(b, "value", b)
    if isinstance(a, str) or isinstance(b, str):
        return str(a) == str(b)
    return bool(a == b)
