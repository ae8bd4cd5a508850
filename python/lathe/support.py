"""What this build of lathe has."""

import json
import sys


def libinfo():
    """The facts about the build, under TVM's names: {"TVM_VERSION": ..., "USE_LLVM": "ON", ...}.

    "USE_..." says for each kind of target whether a plugin makes code for it ("ON" or "OFF").

    Example:
        >>> import lathe
        >>> lathe.support.libinfo()["TVM_VERSION"] == lathe.__version__
        True
    """
    from . import __version__
    from .target import list_kinds

    there, names = set(list_kinds()), ("llvm", "c", "cuda", "opencl", "metal", "vulkan", "rocm", "hexagon", "webgpu")
    made = {"TVM_VERSION": __version__}
    made.update({"USE_" + name.upper(): "ON" if name in there else "OFF" for name in names})
    return made


def describe(out=None):
    """Prints those facts, and what `lathe.show_versions` says.

    Args:
        out: a file; by default the standard output.

    Example:
        >>> import lathe
        >>> lathe.support.describe()    # doctest: +ELLIPSIS
        {...
    """
    import contextlib

    from . import show_versions

    with contextlib.redirect_stdout(out or sys.stdout):
        print(json.dumps(libinfo(), indent=2))
        show_versions()


class FrontendTestModule:
    """A module whose functions are Python's, for tests of programs that look functions up.

    Args:
        entry_name: the name of the function that a call of the module calls.

    Example:
        >>> import lathe
        >>> made = lathe.support.FrontendTestModule("twice")
        >>> made.add_function("twice", lambda n: n * 2)
        >>> made(4), made.get_function("twice")(5), made["twice"](6)
        (8, 10, 12)
    """

    def __init__(self, entry_name=None):
        self.entry_name, self._functions = entry_name, {}

    def add_function(self, name, func):
        """Adds a function: a Python function or a PackedFunc."""
        from .runtime import convert

        self._functions[name] = convert(func)

    def get_function(self, name, query_imports=False):
        """The function of a name. AttributeError if there is none."""
        if name not in self._functions:
            found = ", ".join(self._functions) or "none"
            raise AttributeError(f"the module has no function {name!r}; it has {found}")
        return self._functions[name]

    __getitem__ = get_function

    @property
    def entry_func(self):
        """The entry function."""
        return self.get_function(self.entry_name)

    def __call__(self, *args):
        return self.entry_func(*args)
