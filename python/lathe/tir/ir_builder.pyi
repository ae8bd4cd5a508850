"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class BufferVar:
    """A buffer in a builder: p[i] is an element, p[i] = x emits a store.

    A buffer of several dimensions takes an index for each of them, or one alone: the place of the
    element in row-major order.

    Example:
        >>> from lathe import tir
        >>> ib = tir.ir_builder.create()
        >>> data = ib.allocate("float32", (8,), name="buf")
        >>> data[0] = data[1] + 1.0
        >>> data.dtype
        'float32'
    """
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> Any: ...
    @property
    def asobject(self) -> Any:
        """The buffer's data: a handle."""

    @property
    def dtype(self) -> Any:
        """The element type."""

    def __init__(self, builder: Any, buffer: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class IRBuilder:
    """Collects statements. `get()` returns them.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> A = tir.decl_buffer((8,), "float32", "A")
        >>> ib = tir.ir_builder.create()
        >>> data = ib.buffer_ptr(A)
        >>> with ib.for_range(0, 8, name="i") as i:
        ...     data[i] = data[i] + 1.0
        >>> func = tir.Func("bump", [A], ib.get())
    """
    @staticmethod
    def _sequence(items: Any) -> Any: ...
    def allocate(self, dtype: Any, shape: Any, name: Any = ..., scope: Any = ...) -> BufferVar: ...
    def buffer_ptr(self, buf: Any, shape: Any = ...) -> BufferVar: ...
    def else_scope(self) -> Any: ...
    def emit(self, stmt: Any) -> None: ...
    def for_range(self, begin: Any, end: Any, name: Any = ..., dtype: Any = ..., kind: Any = ...) -> Any: ...
    def get(self) -> _ir.Stmt: ...
    def if_scope(self, cond: Any) -> Any: ...
    def let(self, var_name: Any, value: Any) -> Any: ...
    def likely(self, expr: Any) -> Any: ...
    def scope_attr(self, node: Any, attr_key: Any, value: Any) -> Any: ...
    def thread(self, extent: Any, tag: Any, name: Any = ...) -> Any: ...
    def while_loop(self, condition: Any) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def create() -> IRBuilder:
    """A new IRBuilder.

    Example:
        >>> from lathe import tir
        >>> ib = tir.ir_builder.create()
        >>> ib.emit(tir.Evaluate(0))
        >>> type(ib.get()).__name__
        'Evaluate'
    """
