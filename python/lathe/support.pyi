"""Written by python/stubs/make_stubs.py."""

from typing import Any

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
    def __call__(self, *args: Any) -> Any: ...
    def __getitem__(self, name: Any, query_imports: Any = ...) -> Any: ...
    def add_function(self, name: Any, func: Any) -> Any: ...
    @property
    def entry_func(self) -> Any:
        """The entry function."""

    def get_function(self, name: Any, query_imports: Any = ...) -> Any: ...
    def __init__(self, entry_name: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def describe(out: Any = ...) -> Any:
    """Prints those facts, and what `lathe.show_versions` says.

    Args:
        out: a file; by default the standard output.

    Example:
        >>> import lathe
        >>> lathe.support.describe()    # doctest: +ELLIPSIS
        {...
    """

def libinfo() -> Any:
    """The facts about the build, under TVM's names: {"TVM_VERSION": ..., "USE_LLVM": "ON", ...}.

    "USE_..." says for each kind of target whether a plugin makes code for it ("ON" or "OFF").

    Example:
        >>> import lathe
        >>> lathe.support.libinfo()["TVM_VERSION"] == lathe.__version__
        True
    """
