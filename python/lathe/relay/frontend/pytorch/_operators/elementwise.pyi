"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._operators.arithmetic import extreme as extreme
from lathe.relay.frontend.pytorch._operators.arithmetic import numeric as numeric
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators

def log_add(pair: Any, base: Any) -> Any:
    """The logarithm of the sum of two powers of a number, without great sums in between.

    Args:
        pair: two expressions, the exponents.
        base: the natural logarithm of the number: 1.0 for e.

    Returns:
        log(number ** x + number ** y), to the same base.
    """
