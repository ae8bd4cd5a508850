"""Statements, expressions, functions; what walks, rewrites and transforms them."""

from .. import _generate, _ops
from .._nodes import CLASSES as _classes
from .expr import *  # noqa: F401,F403
from .expr import (abs, all, any, call_extern, call_intrin, call_packed, call_pure_extern, const,
                   convert, fma, if_then_else, intrinsic_doc, intrinsics, max, min, pow, reinterpret,
                   round, select)
from . import ir_builder, stmt_functor
from .functor import free_vars, ir_transform, post_order_visit, substitute

# The classes of all node kinds are put here by _generate.
Expr = PrimExpr = _ops.Expr
Stmt = _ops.Stmt


def decl_buffer(shape, dtype="float32", name="buffer", data=None, strides=None, elem_offset=None,
                scope="", data_alignment=0, offset_factor=0):
    """A buffer.

    Args:
        shape: extents.
        dtype: the element type.
        strides: in elements; compact by default.
        elem_offset: where the first element lies, in elements.
        scope: memory scope.
        data_alignment: of the memory, in bytes; 0 for the element's.
        offset_factor: elem_offset is a multiple of it.
    """
    shape = shape if isinstance(shape, (list, tuple)) else (shape,)
    return _classes["Buffer"](name, dtype, shape, scope, strides or (), elem_offset, data_alignment,
                              offset_factor, data)


def stmt_seq(*stmts):
    """Statements one after the other; expressions are evaluated."""
    return _classes["Seq"]([_as_stmt(s) for s in stmts])


def stmt_list(stmt):
    """The statements of a sequence; of another statement, itself alone."""
    return list(stmt.stmts) if isinstance(stmt, _classes["Seq"]) else [stmt]


def _as_stmt(item):
    return item if isinstance(item, _ops.Stmt) else _classes["Evaluate"](item)


def register_intrin_lowering(op_name, target="default", f=None, level=10):
    """A rule for calls of an intrinsic: what the target has instead.

    Args:
        op_name: the intrinsic ("exp"; "tir.exp" is the same).
        target: a kind or key of targets; "default" for all.
        f: called with the Call, whose arguments are lowered already; returns an expression of its
            type, or None to leave the call to other rules. Without it, this is a decorator.
        level: rules of a higher level come first; lathe's own are of level 0.

    Raises:
        LatheError: `intrinsic-rule-exists`, `unknown-intrinsic`.
    """
    def register(rule):
        _generate._nodes._ffi.get("driver.register_intrinsic_rule")(
            op_name.removeprefix("tir."), target, int(level), rule)
        return rule

    return register if f is None else register(f)


def __getattr__(name):
    if name == "transform":  # which stands on modules that are made later
        import importlib

        return importlib.import_module(".transform", __name__)
    raise AttributeError(f"module 'lathe.tir' has no attribute '{name}'")
