"""Runs programs written for TVM 0.9: `import tvm` gives lathe.

    python -m lathe.as_tvm script.py [ARGUMENT...]
    python -m lathe.as_tvm -m pytest tests

or, once and before anything imports tvm, `import lathe.as_tvm`. Then `tvm.x` is `lathe.x`, one
module object for both names. docs/migrating.md says what became of each name.

    >>> import lathe.as_tvm
    >>> import tvm
    >>> from tvm import te
    >>> tvm.te is lathe.te
    True
"""

import importlib
import importlib.abc
import importlib.util
import sys

import lathe

from . import _old_modules
from .error import LatheError

_PREFIX = "tvm."


class _Finder(importlib.abc.MetaPathFinder):
    """Finds `tvm.a.b` as `lathe.a.b`."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith(_PREFIX):
            return None
        real = _module(name)
        return importlib.util.spec_from_loader(name, _old_modules.OtherName(real), is_package=hasattr(real, "__path__"))


def _module(name):
    ours = "lathe." + name[len(_PREFIX):]
    try:
        return importlib.import_module(ours)
    except ModuleNotFoundError as error:
        if error.name is None or not (ours + ".").startswith(error.name + "."):
            raise  # something that our module needs
        why = _old_modules.reason(ours.partition(".")[2])
        raise ModuleNotFoundError(f"No module named {name!r}" + (f": {why}" if why else ""),
                                  name=name) from None


def install():
    """Makes `import tvm` give lathe, in this process. Once is enough; more calls change nothing.

    Raises:
        LatheError: `tvm-imported`: another module of that name has been imported already.

    Example:
        >>> from lathe import as_tvm
        >>> as_tvm.install()
        >>> import tvm.contrib.utils
    """
    found = sys.modules.get("tvm")
    if found is lathe:
        return
    if found is not None:
        raise LatheError("another `tvm` has been imported already", "tvm-imported",
                         f"found: {getattr(found, '__file__', found)}\n"
                         "help: import lathe.as_tvm before anything imports tvm")
    sys.modules["tvm"] = lathe
    sys.meta_path.insert(0, _Finder())


def main(arguments=None):
    """Runs a script, or a module (`-m`), as `python` does, with lathe as tvm.

    Args:
        arguments: those of the command line by default.

    Example:
        >>> import os, tempfile
        >>> from lathe import as_tvm
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "script.py")
        ...     with open(path, "w") as f:
        ...         _ = f.write("import tvm; print(tvm.te.var('n').name)")
        ...     as_tvm.main([path])
        n
    """
    import os
    import runpy

    arguments = list(sys.argv[1:] if arguments is None else arguments)
    as_module = arguments[:1] == ["-m"]
    if as_module:
        del arguments[0]
    if not arguments or arguments[0].startswith("-"):
        sys.exit("usage: python -m lathe.as_tvm SCRIPT [ARGUMENT...]\n"
                 "       python -m lathe.as_tvm -m MODULE [ARGUMENT...]")
    install()
    before = sys.argv, list(sys.path)
    sys.argv = arguments
    try:
        if as_module:
            sys.path.insert(0, os.getcwd())
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            runpy.run_path(arguments[0], run_name="__main__")
    finally:
        sys.argv, sys.path[:] = before


install()

if __name__ == "__main__":
    main()
