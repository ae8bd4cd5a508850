"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe._graph_types import plain_extent as plain_extent

FLOATS: Any

UNSET: Any

def axes_of(axes: Any, rank: Any) -> Any:
    """Dimensions counted from the front; all if none is given."""

def axis_of(axis: Any, rank: Any) -> Any:
    """A dimension counted from the front.

    Raises:
        LatheValueError: `pytorch-axis`: there is no such dimension.
    """

def cast(value: Any, dtype: Any) -> Any:
    """A tensor in an element type; itself if it has that."""

def code_of(value: Any) -> Any:
    """PyTorch's number of a tensor's element type, as the constants of scripts have it."""

def constant(tensor: Any) -> Any:
    """A constant of a torch.Tensor, whose elements are copied."""

def dtype_name(value: Any, default: Any = ...) -> Any:
    """The name of an element type that PyTorch gives: a torch.dtype, a number, or None.

    Example:
        >>> from lathe.relay.frontend.pytorch._values import dtype_name
        >>> dtype_name(4), dtype_name(None)
        ('int64', 'float32')
    """

def dtype_of(value: Any) -> Any:
    """The name of a tensor's, or number's, element type."""

def expr(value: Any, dtype: Any = ...) -> Any:
    """An expression of any value that is a tensor or number, in an element type if one is given."""

def floating(value: Any) -> Any:
    """A tensor of real numbers: whole ones become float32."""

def full(shape: Any, value: Any, dtype: Any) -> Any:
    """A tensor with one value everywhere."""

def is_float(value: Any) -> Any:
    """Are its elements real numbers?"""

def is_number(value: Any) -> Any:
    """Is it a number of Python, or an expression over sizes?"""

def is_size(value: Any) -> Any:
    """Is it an expression over sizes?"""

def is_tensor(value: Any) -> Any:
    """Is it a tensor, known or not?"""

def known_number(value: Any, what: Any) -> Any:
    """A number of Python.

    Raises:
        LatheValueError: `pytorch-value-needed`: it is computed while the model runs.
    """

def known_tensor(value: Any) -> Any:
    """Is it a torch.Tensor, whose elements are known?"""

def pair(value: Any, count: Any) -> Any:
    """`count` numbers of a number or a list.

    Example:
        >>> from lathe.relay.frontend.pytorch._values import pair
        >>> pair(3, 2), pair([4], 2), pair([1, 2], 2)
        ([3, 3], [4, 4], [1, 2])
    """

def product(extents: Any) -> Any:
    """The product of extents."""

def promoted(*values: Any) -> Any:
    """The element type that PyTorch computes with for these operands (torch.result_type)."""

def rank_of(value: Any) -> Any:
    """A tensor's rank; 0 for numbers."""

def shape_of(value: Any) -> Any:
    """A tensor's extents: ints, and expressions over sizes."""

def together(*values: Any, least: Any = ...) -> Any:
    """The operands as expressions of the type that PyTorch computes with.

    Args:
        values: tensors and numbers.
        least: "float": whole numbers become float32.
    """

def torch() -> Any:
    """The module torch.

    Raises:
        LatheValueError: `pytorch-not-installed`.
    """
