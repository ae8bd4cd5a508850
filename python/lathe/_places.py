"""Where in the user's program the steps of a schedule were made.

A step keeps a number for the file and the line (python/ffi/schedule.cc); the files are here.
"""

import functools
import linecache
import re
import sys

from . import _ffi
from .error import _PACKAGE

_get = _ffi.get
_files = []
_numbers = {}
_MOST_SHOWN = 3


def _number_of(file):
    number = _numbers.get(file)
    if number is None:
        number = _numbers[file] = len(_files)
        _files.append(file)
    return number


def remembers(stamp):
    """A decorator for methods that add steps to a schedule: they remember who called them."""
    stamp = _get(stamp)

    def decorate(method):
        @functools.wraps(method)
        def placed(self, *args, **kwargs):
            made = method(self, *args, **kwargs)
            frame = sys._getframe(1)
            while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
                frame = frame.f_back
            stamp(self, _number_of(frame.f_code.co_filename), frame.f_lineno)
            return made

        return placed

    return decorate


def add_to(error, schedule):
    """Adds to an error's notes which lines made the steps that concern what it names."""
    named = set()
    for name in re.findall(r"`([^`]+)`", f"{error.message} {error.notes}"):
        named.update(re.findall(r"[A-Za-z_][\w.]*", name))
    if not named or "\n  step " in error.notes:
        return
    found = []
    for step, file, line in _get("schedule.places")(schedule):
        words = set(re.findall(r"[A-Za-z_][\w.]*", step))
        words |= {word.partition(".")[0] for word in words} | {word.partition(".")[2] for word in words}
        common = len(named & words)
        if common and file < len(_files):
            found.append((common, len(found), step, _files[file], line))
    found.sort(reverse=True)
    notes = []
    for _, _, step, file, line in found[:_MOST_SHOWN]:
        source = linecache.getline(file, line).strip()
        notes.append(f"step {step} at {file}:{line}" + (f"\n  {source}" if source else ""))
    if notes:
        error.notes = "\n".join([error.notes, *notes]) if error.notes else "\n".join(notes)
