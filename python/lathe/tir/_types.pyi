"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError

class PrimType(str):
    """An element type: `PrimType("int32")`. It is the text itself.

    Args:
        dtype: the type's name.

    Raises:
        LatheTypeError: `prim-type`: it names no element type.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> one = lathe.ir.PrimType("int32")
        >>> one.dtype, one == "int32", tir.Var("n", one).dtype
        ('int32', True, 'int32')
    """
    @staticmethod
    def __new__(cls, dtype: Any) -> Any: ...
    @property
    def dtype(self) -> Any:
        """The name of the type."""

    ...

class PointerType(PrimType):
    """The type of pointers to elements, in a memory scope. Variables of it are of type "handle".

    Args:
        element_type: a PrimType or a text.
        storage_scope: the memory scope; "" for the device's own memory.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> pointer = lathe.ir.PointerType(lathe.ir.PrimType("float32"), "shared")
        >>> pointer.element_type, pointer.storage_scope, tir.Var("data", pointer).dtype
        ('float32', 'shared', 'handle')
    """
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Any: ...  # type: ignore[override]
    @staticmethod
    def __new__(cls, element_type: Any, storage_scope: Any = ...) -> Any: ...
    def __repr__(self) -> str: ...
    ...
