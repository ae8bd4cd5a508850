"""Where in the user's program operations and the steps of a schedule were made.

Nodes keep a number for the file and the line (python/ffi/schedule.cc); the files are here. Errors of
lowering and building that name an operation, an axis or a stage show those lines.
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
# Modules that were lowered, and the schedule that each was made of: the last few, as `build` follows. Several
# threads append to it: it is read as a list.
_lowered = collections.deque(maxlen=8)


def _number_of(file):
    number = _numbers.get(file)
    if number is None:
        number = _numbers[file] = len(_files)
        _files.append(file)
    return number


def here(depth=2):
    """(number of the file, line) of the innermost frame of the user's, from `depth` frames up on."""
    frame = sys._getframe(depth)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    return _number_of(frame.f_code.co_filename), frame.f_lineno


def remembers(stamp):
    """A decorator for methods that add steps to a schedule: they remember who called them."""
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
    """Those that are named; where none is, those whose expressions mention what is named."""
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
    """Adds to an error's notes which lines made the operations and steps that it is about."""
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
    """`with about(schedule):` errors within it show the lines that they are about.

    Takes a Schedule, or a module that `lower` made of one.
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
    """Remembers what a module was made of."""
    _lowered.append((module, schedule))
    return module
