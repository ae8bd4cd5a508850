"""Written by python/stubs/make_stubs.py."""

from typing import Any
import enum
from lathe.error import LatheValueError as LatheValueError
from lathe.transform import PassContext as PassContext
from lathe.tir.functor import free_vars as free_vars
from lathe.tir.functor import ir_transform as ir_transform
from lathe.tir.functor import post_order_visit as post_order_visit
from lathe.tir.functor import renew_defs as renew_defs
from lathe.ir import structural_equal as structural_equal

class HoistedConditionals(enum.IntEnum):
    """Which conditions go in front of loops: of `if` statements, of `if_then_else` and selects, parts of `and`
    and `or`; and also those that depend on a thread axis.

    Example:
        >>> from lathe import tir
        >>> tir.transform.HoistedConditionals.IfElseStmt in tir.transform.HoistedConditionals.All
        True
    """
    IfElseStmt = 1
    IfElseExpr = 2
    BooleanExpression = 4
    UsingBlockVar = 8

class HoistedLetBindings(enum.IntEnum):
    """Which bindings go in front of loops: those that such a condition needs, of statements, of expressions.

    Example:
        >>> from lathe import tir
        >>> int(tir.transform.HoistedLetBindings.All)
        7
    """
    RequiredByConditional = 1
    LetStmt = 2
    LetExpr = 4

CLASSES: Any

def hoisted(func: Any, conditions: Any, bindings: Any) -> Any:
    """A function whose loops have such conditions and bindings in front of them.

    Args:
        func: a tir.Func.
        conditions, bindings: flags.
    """

def may_fail(expr: Any) -> Any:
    """Can computing an expression where it was not computed before fail, or do anything else?

    Loads may be outside of their buffers, and divisions by what is no constant may be by 0.
    """

def on_threads() -> Any:
    """Does the PassContext's config let HoistIfThenElse move conditions that depend on a thread axis?"""

def options() -> Any:
    """The flags of the PassContext's config "tir.HoistExpression"; all but UsingBlockVar by default."""
