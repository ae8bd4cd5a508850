"""Written by python/stubs/make_stubs.py."""

from typing import Any

def dumps(value: Any) -> Any:
    """The bytes of a value, for `loads`."""

def loads(data: Any, run_script: Any = ...) -> Any:
    """The value.

    Args:
        run_script: called before something of the script is looked up in `__main__`.
    """
