"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class CallEffectKind:
    """What a call may do, as numbers: values of the attribute "TCallEffectKind".

    Example:
        >>> from lathe import tir
        >>> tir.CallEffectKind.Pure
        1
    """
    ...

class ForKind:
    """The kinds of loops, as `For.kind` gives them.

    Example:
        >>> from lathe import te, tir
        >>> tir.For(te.var("i"), 0, 4, tir.ForKind.PARALLEL, tir.Evaluate(0)).kind == tir.ForKind.PARALLEL
        True
    """
    ...

class NodeView:
    """Base of these classes."""
    @staticmethod
    def _holds(item: Any) -> Any: ...
    ...

class Allocate(NodeView):
    """Memory for `body`, which `buffer_var` points to; `tir.decl_buffer(..., data=buffer_var)` are views of it.

    Also with our own parameters: a Buffer and the body.

    Args:
        buffer_var: a Var of type "handle".
        dtype: the element type.
        extents: the shape.
        condition: must be true.
        body: a statement.

    Example:
        >>> from lathe import te, tir
        >>> data = tir.Var("data", "handle")
        >>> made = tir.Allocate(data, "float32", [16], True, tir.Evaluate(0))
        >>> made.buffer_var.same_as(data), [int(n) for n in made.extents]
        (True, [16])
    """
    @staticmethod
    def __new__(cls, buffer_var: Any, dtype: Any, extents: Any = ..., condition: Any = ..., body: Any = ..., annotations: Any = ..., span: Any = ...) -> Any: ...
    ...

class AnySize(NodeView):
    """A size that is not known: a new variable that is >= 0.

    Example:
        >>> from lathe import tir
        >>> tir.Any().dtype
        'int32'
    """
    @staticmethod
    def __new__(cls, span: Any = ...) -> Any: ...
    @staticmethod
    def _holds(item: Any) -> Any: ...
    ...

class AssertStmt(NodeView):
    """A check before `body`.

    Example:
        >>> from lathe import te, tir
        >>> made = tir.AssertStmt(te.var("n") > 0, "n is positive", tir.Evaluate(0))
        >>> isinstance(tir.stmt_list(made)[0], tir.AssertStmt)
        True
    """
    @staticmethod
    def __new__(cls, condition: Any, message: Any, body: Any, span: Any = ...) -> Any: ...
    ...

class CalledText(str):
    """A memory scope: a str that may also be called, as TVM's method `buffer.scope()`. That of no scope is "global".

    Example:
        >>> from lathe import tir
        >>> A = tir.decl_buffer((8,), "float32", "A", scope="shared")
        >>> A.scope, A.scope()
        ('shared', 'shared')
        >>> tir.decl_buffer((8,)).scope()
        'global'
    """
    def __call__(self) -> Any: ...
    ...

class IntrinsicName(str):
    """The name of an intrinsic, as `Call.op` gives it. Its `name` has TVM's prefix: "tir.exp".

    Example:
        >>> from lathe import te, tir
        >>> call = tir.exp(te.var("x", "float32"))
        >>> call.op, call.op.name
        ('exp', 'tir.exp')
    """
    @property
    def name(self) -> Any:
        """The name with "tir." before it."""

    def same_as(self, other: Any) -> Any: ...
    ...

class PrimFunc(NodeView):
    """A function over loops: TVM's parameters for `tir.Func`.

    Args:
        params: variables, and buffers.
        body: a statement.
        ret_type: must be None: functions return nothing.
        buffer_map: {Var: Buffer}: these parameters are buffers.
        attrs: a dict; "global_symbol" is the function's name, by default "main".

    Example:
        >>> from lathe import te, tir
        >>> a = tir.Var("a", "handle")
        >>> A = tir.decl_buffer((8,), "float32", "A")
        >>> func = tir.PrimFunc([a], tir.Evaluate(0), buffer_map={a: A})
        >>> func.name, [p.name for p in func.params], isinstance(func, tir.PrimFunc)
        ('main', ['A'], True)
    """
    @staticmethod
    def __new__(cls, params: Any, body: Any, ret_type: Any = ..., buffer_map: Any = ..., preflattened_buffer_map: Any = ..., attrs: Any = ..., span: Any = ...) -> Any: ...
    ...

class SizeVar(NodeView):
    """A variable that is known to be >= 0: `te.size_var`.

    Example:
        >>> from lathe import te, tir
        >>> isinstance(tir.SizeVar("n", "int32"), tir.Var), isinstance(te.var("n"), tir.SizeVar)
        (True, False)
    """
    @staticmethod
    def __new__(cls, name: Any, dtype: Any = ..., span: Any = ...) -> Any: ...
    @staticmethod
    def _holds(item: Any) -> Any: ...
    ...

class View(type):
    """The class of these classes. `_ours` names the kind of node that counts as an instance."""
    def __instancecheck__(cls, item: Any) -> Any: ...
    def __subclasscheck__(cls, other: Any) -> Any: ...
    ...

CLASSES: Any

def install() -> Any:
    """Gives the nodes TVM's names of their fields. Once, after the classes are generated."""
