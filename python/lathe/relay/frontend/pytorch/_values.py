"""What PyTorch's values are while a model is read.

A tensor is an expression, or a torch.Tensor if its elements are known. A number is a Python
number, or an expression over sizes; one that is computed from elements of tensors is an expression
of rank 0. Lists and tuples are Python's.
"""

from .... import _nodes
from ....error import LatheValueError
from ... import expr as _e
from ... import op as _op
from ...ty import plain_extent

# PyTorch's numbers of element types in schemas (c10::ScalarType).
_CODES = {0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32",
          7: "float64", 11: "bool", 12: "int8", 13: "uint8", 14: "int32", 15: "bfloat16", 27: "uint16", 28: "uint32",
          29: "uint64"}
FLOATS = ("float16", "bfloat16", "float32", "float64")


class _Unset:
    """A value that no one reads: TorchScript gives it to a name in an arm that returns or raises."""

    def __bool__(self):
        return False


UNSET = _Unset()


def torch():
    """The module torch.

    Raises:
        LatheValueError: `pytorch-not-installed`.
    """
    try:
        import torch as module
    except ImportError as error:
        raise LatheValueError("PyTorch is not installed", "pytorch-not-installed",
                              f"found: {error}\nhelp: pip install torch") from None
    return module


def known_tensor(value):
    """Is it a torch.Tensor, whose elements are known?"""
    return type(value).__module__.split(".")[0] == "torch" and hasattr(value, "element_size")


def is_tensor(value):
    """Is it a tensor, known or not?"""
    return isinstance(value, _e.Expr) or known_tensor(value)


def is_size(value):
    """Is it an expression over sizes?"""
    return isinstance(value, _nodes.Node) and not isinstance(value, _e.Expr)


def is_number(value):
    """Is it a number of Python, or an expression over sizes?"""
    return isinstance(value, (bool, int, float)) or is_size(value)


def dtype_name(value, default="float32"):
    """The name of an element type that PyTorch gives: a torch.dtype, a number, or None.

    Example:
        >>> from lathe.relay.frontend.pytorch._values import dtype_name
        >>> dtype_name(4), dtype_name(None)
        ('int64', 'float32')
    """
    if value is None:
        return default
    if isinstance(value, int):
        if value not in _CODES:
            raise LatheValueError("graphs do not have this element type", "pytorch-type",
                                  f"found: complex numbers (number {value} of PyTorch's types)")
        return _CODES[value]
    name = str(value).removeprefix("torch.")
    quantised = {"qint8": "int8", "quint8": "uint8", "qint32": "int32"}
    if name.startswith("complex"):
        raise LatheValueError("graphs do not have this element type", "pytorch-type",
                              f"found: {name}\nhelp: torch.view_as_real gives pairs of numbers")
    return quantised.get(name, name)


def code_of(value):
    """PyTorch's number of a tensor's element type, as the constants of scripts have it."""
    dtype = dtype_of(value)
    return next((code for code, name in _CODES.items() if name == dtype), None)


def dtype_of(value):
    """The name of a tensor's, or number's, element type."""
    if isinstance(value, _e.Expr):
        return str(value.checked_type.dtype)
    if known_tensor(value):
        return dtype_name(value.dtype)
    if isinstance(value, bool):
        return "bool"
    return "float32" if isinstance(value, float) else "int64"


def shape_of(value):
    """A tensor's extents: ints, and expressions over sizes."""
    if isinstance(value, _e.Expr):
        return [plain_extent(n) for n in value.checked_type.shape]
    return list(value.shape) if known_tensor(value) else []


def rank_of(value):
    """A tensor's rank; 0 for numbers."""
    return len(shape_of(value))


def is_float(value):
    """Are its elements real numbers?"""
    return dtype_of(value) in FLOATS


def constant(tensor):
    """A constant of a torch.Tensor, whose elements are copied."""
    from ....runtime import tensor as _tensor

    module = torch()
    made = tensor.detach().cpu()
    if made.is_quantized:
        made = made.int_repr()
    made = made.resolve_conj().resolve_neg()
    dtype_name(made.dtype)  # raises for complex numbers
    made = made.clone(memory_format=module.contiguous_format)
    return _e.Constant(_tensor.from_dlpack(made))


def expr(value, dtype=None):
    """An expression of any value that is a tensor or number, in an element type if one is given."""
    if isinstance(value, _e.TupleWrapper):
        value = value.astuple()
    if isinstance(value, _e.Expr):
        return value if dtype in (None, dtype_of(value)) else cast(value, dtype)
    if known_tensor(value):
        made = constant(value)
        return made if dtype in (None, dtype_of(made)) else cast(made, dtype)
    if is_size(value):
        made = _op.reshape(_op.arange(start=value, stop=value + 1, dtype="int64"), newshape=())
        return cast(made, dtype or "int64")
    if isinstance(value, (bool, int, float)):
        dtype = dtype or dtype_of(value)
        if dtype not in FLOATS and dtype != "bool" and isinstance(value, float):
            value = int(value)
        return _number(value, dtype)
    raise LatheValueError("a tensor or a number is needed", "pytorch-value",
                          f"found: {type(value).__name__}")


def _number(value, dtype):
    module = torch()
    if dtype.startswith("uint") and dtype != "uint8":
        return _e.const(value % 2 ** int(dtype[4:]), dtype)
    if dtype in FLOATS:
        return constant(module.tensor(value, dtype=getattr(module, dtype)))
    return constant(module.tensor(value).to(getattr(module, dtype)))  # 300 is 44 of uint8


def cast(value, dtype):
    """A tensor in an element type; itself if it has that."""
    value = expr(value)
    found = dtype_of(value)
    if found == dtype:
        return value
    if dtype == "bool":
        return _op.not_equal(value, _number(0, found))
    return _op.cast(value, dtype)


def promoted(*values):
    """The element type that PyTorch computes with for these operands (torch.result_type)."""
    module = torch()
    stands = [_stand_in(module, value) for value in values if value is not None]
    tensors = [one for one in stands if isinstance(one, module.Tensor)]
    numbers = [one for one in stands if not isinstance(one, module.Tensor)]
    if not tensors:
        return dtype_name(module.result_type(*(numbers * 2)[:2]))
    # Of tensors of one kind, those with dimensions count more than those without.
    best = None
    for group in (lambda t: t.dim() > 0, lambda t: t.dim() == 0):
        for one in filter(group, tensors):
            best = one if best is None else module.empty(
                best.shape if best.dim() else one.shape, dtype=module.result_type(best, one))
    for number in numbers:
        best = module.empty(best.shape, dtype=module.result_type(best, number))
    return dtype_name(best.dtype)


def _stand_in(module, value):
    if is_size(value):
        return 1
    if is_tensor(value):
        dtype = getattr(module, dtype_of(value))
        return module.empty((1,) if rank_of(value) else (), dtype=dtype)
    return value


def together(*values, least=None):
    """The operands as expressions of the type that PyTorch computes with.

    Args:
        values: tensors and numbers.
        least: "float": whole numbers become float32.
    """
    dtype = promoted(*values)
    if least == "float" and dtype not in FLOATS:
        dtype = "float32"
    return [expr(value, dtype) for value in values]


def floating(value):
    """A tensor of real numbers: whole ones become float32."""
    return expr(value) if is_float(value) else expr(value, "float32")


def axis_of(axis, rank):
    """A dimension counted from the front.

    Raises:
        LatheValueError: `pytorch-axis`: there is no such dimension.
    """
    axis, rank = int(axis), max(rank, 1)
    if not -rank <= axis < rank:
        raise LatheValueError("a tensor does not have this dimension", "pytorch-axis",
                              f"expected: -{rank} to {rank - 1}\nfound: {axis}")
    return axis % rank


def axes_of(axes, rank):
    """Dimensions counted from the front; all if none is given."""
    if axes is None or (isinstance(axes, (list, tuple)) and not axes):
        return list(range(rank))
    return [axis_of(one, rank) for one in (axes if isinstance(axes, (list, tuple)) else [axes])]


def product(extents):
    """The product of extents."""
    result = 1
    for one in extents:
        result = result * one
    return result


def pair(value, count):
    """`count` numbers of a number or a list.

    Example:
        >>> from lathe.relay.frontend.pytorch._values import pair
        >>> pair(3, 2), pair([4], 2), pair([1, 2], 2)
        ([3, 3], [4, 4], [1, 2])
    """
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return values * count if len(values) == 1 else values


def known_number(value, what):
    """A number of Python.

    Raises:
        LatheValueError: `pytorch-value-needed`: it is computed while the model runs.
    """
    if known_tensor(value) and value.numel() == 1:
        return value.item()
    if isinstance(value, (bool, int, float)):
        return value
    raise LatheValueError(f"{what} must be known when the model is imported",
                          "pytorch-value-needed",
                          "found: a value that is computed while the model runs")


def full(shape, value, dtype):
    """A tensor with one value everywhere."""
    return _op.full(expr(value, dtype), shape=list(shape), dtype=dtype)
