"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheOSError as LatheOSError
from lathe.contrib.utils import is_source_path as is_source_path

def create_llvm(inputs: Any, output: Any = ..., options: Any = ..., cc: Any = ...) -> Any:
    """LLVM's text of C or C++ sources.

    Args:
        inputs: a source text or the path of a file, or a list of them.
        output: also write the text to this file.
        options: clang's arguments; `-O2` by default.
        cc: the compiler; the first of `find_clang` by default.

    Raises:
        LatheError: `compiler-missing`, or `compiler-failed` with clang's message.

    Example:
        >>> from lathe.contrib import clang
        >>> clang.create_llvm("int one() { return 1; }", cc="no-such-clang")
        Traceback (most recent call last):
        ...
        lathe.error.LatheOSError: the compiler `no-such-clang` cannot be run [compiler-missing]
        ...
    """

def find_clang(required: Any = ...) -> Any:
    """The programs clang on the PATH, the newest first; without a version in its name before all.

    Args:
        required: raise an error if there is none.

    Raises:
        LatheError: `compiler-missing`.

    Example:
        >>> from lathe.contrib import clang
        >>> isinstance(clang.find_clang(required=False), list)
        True
    """
