"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheOSError as LatheOSError

def create_executable(output: Any, objects: Any, options: Any = ..., cc: Any = ...) -> Any:
    """Links objects into a program. The arguments are those of `create_shared`.

    Example:
        >>> from lathe.contrib import cc
        >>> cc.create_executable("out", ["missing.o"], cc="no-such-compiler")
        Traceback (most recent call last):
        ...
        lathe.error.LatheOSError: the compiler `no-such-compiler` cannot be run [compiler-missing]
        ...
    """

def create_shared(output: Any, objects: Any, options: Any = ..., cc: Any = ...) -> Any:
    """Links objects into a shared library.

    Args:
        output: the library's path.
        objects: paths of objects and sources.
        options: further arguments of the compiler.
        cc: the compiler; `get_cc()` by default.

    Raises:
        LatheError: `compiler-missing`, or `compiler-failed` with the compiler's message.

    Example:
        >>> from lathe.contrib import cc
        >>> cc.create_shared("out.so", ["missing.o"], cc="no-such-compiler")
        Traceback (most recent call last):
        ...
        lathe.error.LatheOSError: the compiler `no-such-compiler` cannot be run [compiler-missing]
        ...
    """

def cross_compiler(compile_func: Any, options: Any = ..., output_format: Any = ...) -> Any:
    """A function for `export_library(path, fcompile=...)` that uses another compiler.

    Args:
        compile_func: the compiler's name ("aarch64-linux-gnu-g++"), or a function
            (output, objects, options).
        options: arguments for every call of the compiler.
        output_format: the suffix of the files that it makes.

    Example:
        >>> from lathe.contrib import cc
        >>> cc.cross_compiler("aarch64-linux-gnu-g++", ["-O2"]).output_format
        'so'
    """

def get_cc() -> Any:
    """The compiler: $CXX, else the first of g++, clang++, gcc, clang, c++ on the PATH; else None.

    Example:
        >>> from lathe.contrib import cc
        >>> cc.get_cc() is None or isinstance(cc.get_cc(), str)
        True
    """
