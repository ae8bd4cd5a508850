"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe._nodes import Node as Node
from lathe.error import LatheTypeError as LatheTypeError

class Type(Node):
    """Base of the types. `==` compares structure.

    Example:
        >>> from lathe import relay
        >>> relay.TensorType((2, 3)) == relay.TensorType((2, 3), "float32")
        True
    """
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    ...

def any_size(name: Any = ...) -> _ir.Var:
    """A size that the caller chooses: each call gives a new one.

    Args:
        name: of the size, for texts and errors.

    Example:
        >>> from lathe import relay
        >>> relay.TensorType((relay.Any("n"), 784))
        float32[n, 784]
    """

def extents(shape: Any) -> list[Any]:
    """The extents of a shape as a list: ints, and expressions.

    Args:
        shape: an int or expression, or a sequence of them. NumPy's integers count as ints.

    Raises:
        LatheTypeError: an extent is neither.

    Example:
        >>> from lathe import relay
        >>> relay.ty.extents(5), relay.ty.extents((2, 3))
        ([5], [2, 3])
    """

def plain_extent(extent: Any) -> Any:
    """An extent as an int if it is a number; else the expression.

    Example:
        >>> from lathe import relay
        >>> [relay.ty.plain_extent(n) for n in relay.TensorType((2, 3)).shape]
        [2, 3]
    """

def scalar_type(dtype: Any) -> _ir.TensorType:
    """The type of tensors of rank 0.

    Example:
        >>> from lathe import relay
        >>> relay.scalar_type("int32")
        int32[]
    """

def sized(node: Any) -> Any:
    """A type, or a call's attributes, with te's 32-bit variables replaced by sizes.

    A variable is the same size everywhere.

    Example:
        >>> from lathe import relay, te
        >>> relay.TensorType((te.var("n") * 2,))
        float32[n * 2]
    """
