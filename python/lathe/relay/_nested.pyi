"""Written by python/stubs/make_stubs.py."""

from typing import Any

def run(steps: Any) -> Any:
    """The result of a generator that yields further such generators and gets their results.

    Args:
        steps: a generator; `inner = yield other(...)` runs another one, `return value` is its result.

    Example:
        >>> from lathe.relay import _nested
        >>> def depth(value):
        ...     return 1 + (yield depth(value[0])) if value else 0
        >>> deep = []
        >>> for _ in range(10000):
        ...     deep = [deep]
        >>> _nested.run(depth(deep))
        10000
    """
