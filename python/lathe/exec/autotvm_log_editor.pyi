"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe import autotvm as autotvm

def main(arguments: Any = ...) -> Any:
    """Runs the program; returns its exit status.

    Example:
        >>> import lathe.exec.autotvm_log_editor as editor
        >>> callable(editor.main)
        True
    """
