"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.te.operation import extern as extern

class HybridError(LatheValueError):
    """What a hybrid function does that the language does not have; with the line.

    Example:
        >>> from lathe import te
        >>> issubclass(te.hybrid.HybridError, ValueError)
        True
    """
    ...

def script(function: Any) -> Any:
    """Makes a Python function with loops an operation.

    Called with tensors of tensor expressions (and numbers), it gives the tensors that it returns.

    Raises:
        HybridError: what the language does not have, with the line.

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
