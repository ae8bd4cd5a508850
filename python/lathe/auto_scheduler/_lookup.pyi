"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

def checked_lengths(lengths: Any) -> Any:
    """The lengths of a split: numbers, and None for those that a search chooses."""

def checked_whole(number: Any, what: Any, least: Any, most: Any) -> Any:
    """The number as an int; raises unless it is a whole one in the range."""

def loop_at(state: Any, stage: Any, iterator: Any) -> Any:
    """(number of the stage, position of the loop in it)."""

def loop_name(iterator: Any) -> Any:
    """The name of a loop with its stage's."""

def loops_at(state: Any, stage: Any, iters: Any) -> Any:
    """(number of the stage, positions of the loops in it)."""

def names_of(operations: Any) -> Any:
    """Their names, as errors show them."""

def number_of(state: Any, key: Any) -> Any:
    """The number of a stage that a number, an operation, a tensor or a stage names."""

def source_of(state: Any, step_id: Any) -> Any:
    """The number of a split among the steps of this state's own."""

def stage_name(state: Any, number: Any) -> Any:
    """The name of a stage."""

def whole_of(given: Any) -> Any:
    """A whole number, also one of NumPy's, as an int; None if it is none."""
