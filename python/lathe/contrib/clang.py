"""Makes LLVM's text of C sources with the program clang, for `s[C].pragma(axis, "import_llvm", text)`."""

import os
import shutil
import subprocess
import tempfile

from ..error import LatheOSError
from .utils import is_source_path


def find_clang(required=True):
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
    names = ["clang", *(f"clang-{version}" for version in range(30, 4, -1))]
    found = [path for path in map(shutil.which, names) if path]
    if required and not found:
        raise LatheOSError("the compiler clang was not found", "compiler-missing",
                           "expected: clang on the PATH\nhelp: install it; LLVM's text may also be made elsewhere, "
                           "by `clang -S -emit-llvm`")
    return found


def create_llvm(inputs, output=None, options=None, cc=None):
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
    cc = cc or find_clang()[0]
    inputs = [inputs] if isinstance(inputs, str) else list(inputs)
    with tempfile.TemporaryDirectory(prefix="lathe-clang-") as folder:
        paths = []
        for i, text in enumerate(inputs):
            path = text
            if not is_source_path(text):
                path = os.path.join(folder, f"input{i}.cc")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
            paths.append(path)
        made = os.path.join(folder, "out.ll")
        command = [cc, "-S", "-emit-llvm", *(options or ["-O2"]), "-o", made, *paths]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise LatheOSError(f"the compiler `{cc}` cannot be run", "compiler-missing", f"found: {error}") from error
        if done.returncode != 0:
            raise LatheOSError(f"the compiler `{cc}` failed", "compiler-failed",
                               f"command: {' '.join(command)}\n{done.stderr[-2000:]}")
        with open(made, encoding="utf-8") as f:
            text = f.read()
    if output is not None:
        with open(output, "w", encoding="utf-8") as f:
            f.write(text)
    return text
