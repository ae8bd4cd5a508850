"""Links libraries for Android with the compiler of an NDK.

`export_library("f.so")` needs no compiler, for Android neither. This call uses the one that the
environment names in TVM_NDK_CC, for code that needs the NDK's own libraries:
`export_library("f.so", fcompile=ndk.create_shared)`.
"""

import os

from ..error import LatheOSError
from . import cc as _cc


def get_ndk_cc():
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
    named = os.environ.get("TVM_NDK_CC")
    if not named:
        raise LatheOSError("TVM_NDK_CC names no compiler", "compiler-missing",
                           "expected: the NDK's clang for the phone's API level, such as "
                           "toolchains/llvm/prebuilt/linux-x86_64/bin/aarch64-linux-android24-clang++"
                           "\nhelp: export_library without fcompile needs no compiler")
    return named


def create_shared(output, objects, options=None):
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
    _cc.create_shared(output, objects, options, get_ndk_cc())


create_shared.output_format = "so"
