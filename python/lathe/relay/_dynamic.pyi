"""Written by python/stubs/make_stubs.py."""

from typing import Any

def made_of(name: Any, given: Any, builder: Any) -> Any:
    """The call of the dynamic form of an operator, or None if no extent is an expression.

    Args:
        name: the operator.
        given: {parameter: value}.
        builder: gives the builder of an operator by its name.
    """
