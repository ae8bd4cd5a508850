"""Statements, expressions and functions; their visitors, rewriters and passes."""

import builtins

from .. import _generate, _lazy, _ops
from .._nodes import CLASSES as _classes
from ..error import LatheValueError
from .expr import *  # noqa: F401,F403
from .expr import (abs, all, any, call_extern, call_intrin, call_llvm_intrin, call_llvm_pure_intrin, call_packed,
                   call_pure_extern, const, convert, fma, if_then_else, intrinsic_doc, intrinsics, max, min, pow, reinterpret,
                   round, select)
from ._types import PointerType, PrimType
from ._data_layout import BijectiveLayout, Layout, bijective_layout, layout
from . import ir_builder, stmt_functor
from .functor import free_vars, ir_transform, post_order_visit, substitute

# _generate puts the classes of all node kinds here.
Expr = PrimExpr = _ops.Expr
Stmt = _ops.Stmt


def decl_buffer(shape, dtype="float32", name="buffer", data=None, strides=None, elem_offset=None,
                scope="", data_alignment=0, offset_factor=0, buffer_type="", axis_separators=None, span=None):
    """A buffer.

    Args:
        shape: extents.
        dtype: the element type.
        strides: in elements; compact by default.
        elem_offset: the offset of the first element, in elements.
        scope: memory scope.
        data_alignment: alignment of the memory, in bytes; 0 or -1: that of the element type.
        offset_factor: elem_offset must be a multiple of it.
        buffer_type: must be "": `te.compute` says what is broadcast.
        axis_separators: must be empty: `Schedule.transform_layout` sets them.

    Raises:
        LatheError: `buffer-declared`: one of the last two is given.

    Example:
        >>> from lathe import tir
        >>> tir.decl_buffer((4, 4), "float32", "A").scope
        ''
    """
    if buffer_type or axis_separators:
        raise LatheValueError("a buffer must have no `buffer_type` and no `axis_separators`", "buffer-declared",
                              f"found: {buffer_type or axis_separators}\nhelp: te.compute says what is broadcast, "
                              "Schedule.transform_layout where flattening begins anew")
    shape = shape if isinstance(shape, (list, tuple)) else (shape,)
    return _classes["Buffer"](name, dtype or "float32", shape, scope or "", strides or (), elem_offset,
                              builtins.max(0, int(data_alignment)), offset_factor, data)


def stmt_seq(*stmts):
    """A sequence of statements. An expression becomes a statement that evaluates it.

    Example:
        >>> from lathe import tir
        >>> len(tir.stmt_list(tir.stmt_seq(tir.Evaluate(1), tir.Evaluate(2))))
        2
    """
    return _classes["Seq"]([_as_stmt(s) for s in stmts])


def stmt_list(stmt):
    """The statements of a sequence; for any other statement, a list with only that statement.

    Example:
        >>> from lathe import tir
        >>> len(tir.stmt_list(tir.Evaluate(1)))
        1
    """
    return list(stmt.stmts) if isinstance(stmt, _classes["Seq"]) else [stmt]


def _as_stmt(item):
    return item if isinstance(item, _ops.Stmt) else _classes["Evaluate"](item)


def register_intrin_lowering(op_name, target="default", f=None, level=10):
    """Registers a rule that replaces calls of an intrinsic on a target.

    Args:
        op_name: the intrinsic ("exp"; "tir.exp" is the same).
        target: a kind or key of targets; "default" for all targets.
        f: called with the Call, whose arguments are already lowered. Returns an expression of the
            same type, or None to leave the call to other rules. Without it, this is a decorator.
        level: rules with a higher level come first. Lathe's own rules have level 0.

    Raises:
        LatheError: `intrinsic-rule-exists`, `unknown-intrinsic`.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> @lathe.register_intrin_lowering("hypot", target="doc-example", level=11)
        ... def rule(call):
        ...     a, b = call.args
        ...     return tir.sqrt(a * a + b * b)
    """
    def register(rule):
        _generate._nodes._ffi.get("driver.register_intrinsic_rule")(
            op_name.removeprefix("tir."), target, int(level), rule)
        return rule

    return register if f is None else register(f)


# Loaded on first use, since they import modules that are loaded after this one: {name: its module, "" if it is one}.
_LAZY = {"transform": "", "analysis": "", "IndexMap": "lathe.tir._index_map", "trace": "lathe.tir._trace",
         **dict.fromkeys(("sum", "comm_reducer", "min_value", "max_value"), "lathe.te")}
__getattr__ = _lazy.submodules(__name__, _LAZY)
