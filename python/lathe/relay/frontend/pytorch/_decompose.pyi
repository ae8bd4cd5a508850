"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._importer import unsupported as unsupported

def possible(qualified: Any, overload: Any) -> Any:
    """May PyTorch have a decomposition of the operator?"""

def result(importer: Any, qualified: Any, overload: Any, names: Any, values: Any) -> Any:
    """What an operator gives, by its decomposition.

    Raises:
        LatheError: `pytorch-unsupported`; `pytorch-decomposition`: PyTorch's tracing failed.
    """

def stand_in(qualified: Any, overload: Any, values: Any) -> Any:
    """Zeros of the types that an operator gives, or None if PyTorch does not know them."""

def table(importer: Any = ...) -> Any:
    """PyTorch's decompositions of operators that have no conversion: {overload: function}."""
