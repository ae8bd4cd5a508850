"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheOSError as LatheOSError

def create_shared(output: Any, objects: Any, options: Any = ...) -> Any:
    """Links objects into a shared library with the compiler of `get_ndk_cc()`.

    Args:
        output: the library's path.
        objects: paths of objects and sources.
        options: further arguments of the compiler.

    Raises:
        LatheError: `compiler-missing`, or `compiler-failed` with the compiler's message.

    Example:
        >>> import os
        >>> from lathe.contrib import ndk
        >>> os.environ["TVM_NDK_CC"] = "no-such-compiler"
        >>> ndk.create_shared("out.so", ["missing.o"])
        Traceback (most recent call last):
        ...
        lathe.error.LatheOSError: the compiler `no-such-compiler` cannot be run [compiler-missing]
        ...
    """

def get_ndk_cc() -> Any:
    """The compiler that TVM_NDK_CC names.

    Raises:
        LatheError: `compiler-missing`: it names none.

    Example:
        >>> import os
        >>> from lathe.contrib import ndk
        >>> os.environ["TVM_NDK_CC"] = "/opt/ndk/bin/aarch64-linux-android24-clang++"
        >>> ndk.get_ndk_cc()
        '/opt/ndk/bin/aarch64-linux-android24-clang++'
    """
