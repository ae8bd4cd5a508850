"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

def check_whole(number: Any, what: Any, least: Any, most: Any) -> Any:
    """Raises unless it is a whole number in the range."""

def checked_lengths(lengths: Any) -> Any:
    """The lengths of a split: numbers, and None for those that a search chooses."""

def loop_at(state: Any, stage: Any, iterator: Any) -> Any:
    """(number of the stage, position of the loop in it)."""

def loop_name(iterator: Any) -> Any:
    """The name of a loop with its stage's."""

def loops_at(state: Any, stage: Any, iters: Any) -> Any:
    """(number of the stage, positions of the loops in it)."""

def number_of(state: Any, key: Any) -> Any:
    """The number of a stage that a number, an operation, a tensor or a stage names."""

def source_of(state: Any, step_id: Any) -> Any:
    """The number of a split among the steps of this state's own."""

def stage_name(state: Any, number: Any) -> Any:
    """The name of a stage."""
