"""Where the user's program made operations and the steps of a schedule.

Nodes keep a number for the file and the line number (python/ffi/schedule.cc); this module keeps the
files. If an error of lowering or building names an operation, an axis or a stage, the error shows
their lines.
"""

import collections
import functools
import linecache
import re
import sys

from . import _core, _ffi
from .error import _PACKAGE, LatheError

_get = _ffi.get
_files = []
_numbers = {}
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_MOST_STEPS, _MOST_OPERATIONS = 3, 2
# The last few lowered modules, each with the schedule it was made from. `build` follows soon after
# `lower`, so a few suffice. Several threads append, so readers copy it to a list first.
_lowered = collections.deque(maxlen=8)


def _number_of(file):
    number = _numbers.get(file)
    if number is None:
        number = _numbers[file] = len(_files)
        _files.append(file)
    return number


def here(depth=2):
    """(file number, line) of the innermost frame of the user's code, from `depth` frames up."""
    frame = sys._getframe(depth)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    return _number_of(frame.f_code.co_filename), frame.f_lineno


def remembers(stamp):
    """A decorator for methods that add steps to a schedule: records the caller's line."""
    stamp = _get(stamp)

    def decorate(method):
        @functools.wraps(method)
        def placed(self, *args, **kwargs):
            made = method(self, *args, **kwargs)
            stamp(self, *here())
            return made

        return placed

    return decorate


def _words(text):
    words = set(_WORD.findall(text))
    return words | {part for word in words for part in word.split(".") if part}


def _steps_about(named, schedule):
    found = []
    for step, file, line in _get("schedule.places")(schedule):
        common = len(named & _words(step))
        if common and file < len(_files):
            found.append((common, len(found), f"step {step}", _files[file], line))
    return sorted(found, reverse=True)[:_MOST_STEPS]


def _operations_about(named, schedule):
    """The operations named in the error; if none is, those whose text mentions a named thing."""
    by_name, by_text = [], []
    for op, file, line in _get("schedule.op_places")(schedule):
        if file >= len(_files):
            continue
        entry = (f"`{op.name}` made", _files[file], line)
        if op.name in named or any(word.startswith(op.name + ".") for word in named):
            by_name.append((0, 0, *entry))
        else:
            common = len(named & _words(str(op)))
            if common:
                by_text.append((common, -len(by_text), *entry))
    return (by_name or sorted(by_text, reverse=True))[:_MOST_OPERATIONS]


def add_to(error, schedule):
    """Adds to an error's notes the lines that made the operations and steps the error is about."""
    named = set()
    for name in re.findall(r"`([^`]+)`", f"{error.message}\n{error.notes}"):
        named |= set(_WORD.findall(name))
    if not named or getattr(error, "_has_places", False):
        return
    notes = []
    for _, _, what, file, line in [*_operations_about(named, schedule),
                                   *_steps_about(named, schedule)]:
        source = linecache.getline(file, line).strip()
        notes.append(f"{what} at {file}:{line}" + (f"\n  {source}" if source else ""))
    if notes:
        error._has_places = True
        error.notes = "\n".join([error.notes, *notes]) if error.notes else "\n".join(notes)


class about:
    """`with about(schedule):` errors raised within it show the lines that they are about.

    Takes a Schedule, or a module that `lower` made from one.
    """

    def __init__(self, item):
        self.item = item

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if isinstance(error, LatheError) and isinstance(self.item, _core.Object):
            schedule = next((s for module, s in list(_lowered)
                             if module.same_as(self.item)), self.item)
            if type(schedule).__name__ == "Schedule":
                add_to(error, schedule)
        return False


def made_of(module, schedule):
    """Remembers which schedule a module was made from, and returns the module."""
    _lowered.append((module, schedule))
    return module
