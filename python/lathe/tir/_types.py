"""Types of variables: element types, and pointers to elements."""

import re

from ..error import LatheTypeError

_ELEMENT = re.compile(r"(bool|handle|bfloat16|u?int\d+|float\d+(_\w+)?)(x\d+)?")


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

    __slots__ = ()

    def __new__(cls, dtype):
        if not _ELEMENT.fullmatch(str(dtype)):
            raise LatheTypeError("this text names no element type", "prim-type",
                                 f'expected: such as "int32", "float16x4" or "handle"\nfound: {dtype!r}')
        return super().__new__(cls, str(dtype))

    @property
    def dtype(self):
        """The name of the type."""
        return str(self)


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

    def __new__(cls, element_type, storage_scope=""):
        made = super().__new__(cls, "handle")
        made.element_type, made.storage_scope = PrimType(element_type), str(storage_scope)
        return made

    def __eq__(self, other):
        if isinstance(other, PointerType):
            return (self.element_type, self.storage_scope) == (other.element_type, other.storage_scope)
        return str(self) == other

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__

    def __repr__(self):
        scope = f', "{self.storage_scope}"' if self.storage_scope else ""
        return f"PointerType({str(self.element_type)!r}{scope})"
