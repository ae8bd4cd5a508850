"""Hybrid script: Python functions with loops, compiled as operations.

Example:
    >>> import numpy as np, lathe
    >>> from lathe import te
    >>> @te.hybrid.script
    ... def outer(a, b):
    ...     c = output_tensor((a.shape[0], b.shape[0]), a.dtype)
    ...     for i in range(a.shape[0]):
    ...         for j in range(b.shape[0]):
    ...             c[i, j] = a[i] * b[j]
    ...     return c
    >>> A, B = te.placeholder((3,), name="A"), te.placeholder((4,), name="B")
    >>> C = outer(A, B)
    >>> f = lathe.build(te.create_schedule(C.op), [A, B, C], "llvm")
"""

from .script import HybridError, script

__all__ = ["HybridError", "script"]

from ... import _old_modules  # noqa: E402

_old_modules.attend(__name__)
