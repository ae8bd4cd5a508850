"""Statements, expressions, functions; what walks, rewrites and transforms them."""

from .. import _generate, _ops
from .._nodes import CLASSES as _classes
from .expr import *  # noqa: F401,F403
from .expr import (abs, all, any, call_extern, call_intrin, call_packed, call_pure_extern, const,
                   convert, fma, if_then_else, intrinsic_doc, intrinsics, max, min, pow, reinterpret,
                   round, select)
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
