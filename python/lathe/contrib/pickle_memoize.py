"""Keeps results of functions in files between runs of a program, for data that tests compare with."""

import atexit
import functools
import os
import pickle

_caches = {}


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

    cache_by_key = _caches

    def __init__(self, key, save_at_exit):
        self._path = os.path.join(".pkl_memoize_py3", str(key))
        self.cache, self.dirty, self.save_at_exit = {}, False, bool(save_at_exit)
        if os.path.exists(self._path):
            with open(self._path, "rb") as f:
                self.cache = pickle.load(f)
        _caches[key] = self

    def save(self):
        """Writes the file, if there is anything new."""
        if not self.dirty:
            return
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        with open(self._path + ".new", "wb") as f:
            pickle.dump(self.cache, f, pickle.HIGHEST_PROTOCOL)
        os.replace(self._path + ".new", self._path)
        self.dirty = False


def _save_all():
    for cache in _caches.values():
        if cache.save_at_exit:
            cache.save()


atexit.register(_save_all)


def memoize(key, save_at_exit=False):
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
    def decorate(function):
        cache = _caches.get(key) or Cache(key, save_at_exit)

        @functools.wraps(function)
        def once(*args, **kwargs):
            closed = tuple(cell.cell_contents for cell in function.__closure__ or ()
                           if not callable(cell.cell_contents))
            found = (closed, args, tuple(sorted(kwargs.items())))
            if found not in cache.cache:
                cache.cache[found] = function(*args, **kwargs)
                cache.dirty = True
            return cache.cache[found]

        return once

    return decorate
