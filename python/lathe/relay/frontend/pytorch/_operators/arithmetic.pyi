"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators

def divide_numbers(left: Any, right: Any, rounding: Any = ...) -> Any:
    """The ratio of two numbers, of which one may be a size."""

def extreme(function: Any, x: Any, y: Any) -> Any:
    ...

def numeric(value: Any) -> Any:
    """A tensor of numbers: bool becomes int64.

    Args:
        value: a tensor or number.
    """

def of_numbers(function: Any, left: Any, right: Any) -> Any:
    """A function of two numbers; of a size and a real number, what the run computes in float32."""

def power_of_numbers(base: Any, exponent: Any) -> Any:
    """A power of numbers, of which one may be a size."""
