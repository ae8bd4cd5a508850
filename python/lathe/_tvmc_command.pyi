"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe import tvmc as tvmc

def main() -> Any:
    """Runs the command of this process's arguments, and ends the process.

    Example:
        >>> import sys
        >>> from unittest import mock
        >>> from lathe import _tvmc_command
        >>> with mock.patch.object(sys, "argv", ["tvmc", "--help"]):
        ...     try:
        ...         _tvmc_command.main()
        ...     except SystemExit as ended:
        ...         print("ended with", ended.code)
        usage: tvmc ...
        ended with 0
    """

def parser() -> Any:
    """The ArgumentParser of the commands.

    Example:
        >>> from lathe import _tvmc_command
        >>> _tvmc_command.parser().parse_args(["compile", "--target", "llvm", "m.onnx"]).output
        'module.tar'
    """

def shapes(text: Any) -> Any:
    """{name: extents} of "data:[1,3,224,224] other:[1]"; None for no text.

    Raises:
        TVMCError: `tvmc-inputs`: the text has another form.

    Example:
        >>> from lathe import _tvmc_command
        >>> _tvmc_command.shapes("data:[1,3] n:[2]")
        {'data': [1, 3], 'n': [2]}
    """
