"""Calls the machine's C++ compiler, for tasks that lathe's own linker does not cover.

`export_library("f.so")` needs no compiler. This call uses one:
`export_library("f.so", fcompile=cc.create_shared)`.
"""

import os
import shutil
import subprocess

from ..error import LatheOSError


def get_cc():
    """The compiler: $CXX, else the first of g++, clang++, gcc, clang, c++ on the PATH; else None.

    Example:
        >>> from lathe.contrib import cc
        >>> cc.get_cc() is None or isinstance(cc.get_cc(), str)
        True
    """
    named = os.environ.get("CXX")
    if named:
        return named
    return next((found for name in ("g++", "clang++", "gcc", "clang", "c++")
                 if (found := shutil.which(name))), None)


def _run(output, objects, options, cc, flags):
    cc = cc or get_cc()
    if cc is None:
        raise LatheOSError("no C++ compiler was found", "compiler-missing",
                           "expected: one on the PATH or in $CXX\nhelp: export_library without "
                           "fcompile needs none")
    objects = [objects] if isinstance(objects, str) else list(objects)
    command = [cc, *flags, "-o", str(output), *map(str, objects), *(options or [])]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise LatheOSError(f"the compiler `{cc}` cannot be run", "compiler-missing",
                           f"found: {error}") from error
    if done.returncode != 0:
        raise LatheOSError(f"the compiler `{cc}` failed", "compiler-failed",
                           f"command: {' '.join(command)}\n{(done.stderr or done.stdout)[-2000:]}")


def create_shared(output, objects, options=None, cc=None):
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
    _run(output, objects, options, cc, ["-shared", "-fPIC"])


def create_executable(output, objects, options=None, cc=None):
    """Links objects into a program. The arguments are those of `create_shared`.

    Example:
        >>> from lathe.contrib import cc
        >>> cc.create_executable("out", ["missing.o"], cc="no-such-compiler")
        Traceback (most recent call last):
        ...
        lathe.error.LatheOSError: the compiler `no-such-compiler` cannot be run [compiler-missing]
        ...
    """
    _run(output, objects, options, cc, [])


def cross_compiler(compile_func, options=None, output_format="so"):
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
    base = list(options or [])

    def compile_(output, objects, options=None):
        more = base + list(options or [])
        if callable(compile_func):
            return compile_func(output, objects, options=more)
        return create_shared(output, objects, more, compile_func)

    compile_.output_format = output_format
    return compile_
