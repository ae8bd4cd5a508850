"""Written by python/stubs/make_stubs.py."""

from typing import Any

class Cache:
    """Results of a function, by their arguments, in the file `.pkl_memoize_py3/<key>` of the working folder.

    Args:
        key: the file's name.
        save_at_exit: write it when the program ends.

    Example:
        >>> from lathe.contrib.pickle_memoize import Cache
        >>> Cache("doc.never_saved", False).cache
        {}
    """
    def save(self) -> Any: ...
    def __init__(self, key: Any, save_at_exit: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def memoize(key: Any, save_at_exit: Any = ...) -> Any:
    """A decorator: computes the function once for equal arguments. They are hashable, and so is what it closes over.

    Args:
        key: the file's name.
        save_at_exit: keep the results in the file for the next run.

    Example:
        >>> from lathe.contrib.pickle_memoize import memoize
        >>> calls = []
        >>> @memoize("doc.twice")
        ... def twice(x):
        ...     calls.append(x)
        ...     return 2 * x
        >>> twice(4), twice(4), calls
        (8, 8, [4])
    """
