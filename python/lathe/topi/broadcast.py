"""Functions of two operands, of which the smaller one is repeated. Numbers may be operands."""

from .. import _nodes, tir
from . import _derive

# name -> the function of expressions, for operands that are all no tensors.
_BINARY = {
    "add": tir.add, "subtract": tir.subtract, "multiply": tir.multiply, "divide": tir.div,
    "floor_divide": tir.floordiv, "mod": tir.truncmod, "floor_mod": tir.floormod,
    "maximum": tir.max, "minimum": tir.min, "power": tir.power, "left_shift": None,
    "right_shift": None, "greater": None, "less": None, "equal": None, "not_equal": None,
    "greater_equal": None, "less_equal": None, "logical_and": None, "logical_or": None,
    "logical_xor": None, "bitwise_and": None, "bitwise_or": None, "bitwise_xor": None,
}
_derive.install(globals(), {
    **{f"{name}(lhs, rhs)": name for name in _BINARY},
    "logical_not(data)": "logical_not",
    "bitwise_not(data)": "bitwise_not",
    "broadcast_to(data, shape)": "broadcast_to",
})


def _with_expressions(name, of_tensors, of_expressions):
    """`of_tensors`, and `of_expressions` if no operand is a tensor."""
    import functools

    @functools.wraps(of_tensors)
    def function(lhs, rhs):
        tensor = _nodes.CLASSES["Tensor"]
        if not isinstance(lhs, tensor) and not isinstance(rhs, tensor):
            return of_expressions(lhs, rhs)
        if not isinstance(lhs, tensor):
            lhs = _derive.as_tensor(lhs, rhs.dtype)
        return of_tensors(lhs, rhs)

    del function.__wrapped__
    return function


for _name, _of_expressions in _BINARY.items():
    if _of_expressions is not None:
        globals()[_name] = _with_expressions(_name, globals()[_name], _of_expressions)

broadcast_add, broadcast_sub, broadcast_mul = globals()["add"], globals()["subtract"], \
    globals()["multiply"]
broadcast_div = globals()["divide"]
