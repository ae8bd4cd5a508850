"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.te.operation import extern as extern

class HybridError(LatheValueError):
    """A hybrid function uses something that the language does not have. Names the line.

    Example:
        >>> from lathe import te
        >>> issubclass(te.hybrid.HybridError, ValueError)
        True
    """
    ...

def script(function: Any) -> Any:
    """Turns a Python function with loops into an operation.

    The result takes tensors of tensor expressions (and numbers) and returns the function's output
    tensors.

    Raises:
        HybridError: the function uses something that the language does not have; names the line.

    Example:
        >>> from lathe import te
        >>> @te.hybrid.script
        ... def double(a):
        ...     out = output_tensor(a.shape, a.dtype)
        ...     for i in range(a.shape[0]):
        ...         out[i] = a[i] * 2.0
        ...     return out
        >>> double(te.placeholder((8,), name="A")).dtype
        'float32'
    """
