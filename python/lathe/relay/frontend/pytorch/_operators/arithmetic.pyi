"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators

def divide_numbers(left: Any, right: Any, rounding: Any = ...) -> Any:
    """The ratio of two numbers, of which one may be a size.

    Args:
        left: a number or a size.
        right: a number or a size.
        rounding: None, "floor" or "trunc".

    Returns:
        A number, a size, or an expression.
    """

def extreme(function: Any, x: Any, y: Any) -> Any:
    ...

def numeric(value: Any) -> Any:
    """A tensor of numbers: bool becomes int64.

    Args:
        value: a tensor or number.
    """

def of_numbers(function: Any, left: Any, right: Any) -> Any:
    """A function of two numbers; of a size and a real number, what the run computes in float32.

    Args:
        function: one of Python's operators, that sizes and expressions have, too.
        left: a number or a size.
        right: a number or a size.

    Returns:
        A number, a size, or an expression.
    """

def power_of_numbers(base: Any, exponent: Any) -> Any:
    """A power of numbers, of which one may be a size.

    Args:
        base: a number or a size.
        exponent: a number or a size.

    Returns:
        A number, a size, or an expression of float32.
    """

def remainder_of_numbers(left: Any, right: Any, function: Any = ...) -> Any:
    """The remainder of two numbers, of which one may be a size.

    Args:
        left: a number or a size.
        right: a number or a size.
        function: floor_mod, or trunc_mod: the sign is that of `right`, or of `left`.

    Returns:
        A number, a size, or an expression.
    """
