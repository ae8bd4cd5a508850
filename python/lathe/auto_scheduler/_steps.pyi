"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe import te as te

class Step:
    """One call of a state.

    Args:
        kind: the method.
        stage: the number of its stage at that time.
        arguments: numbers of stages, positions of loops, lengths, words.
        text: how people read it.
    """
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def is_free(self) -> Any: ...
    def with_lengths(self, lengths: Any) -> Any: ...
    def __init__(self, kind: Any, stage: Any, arguments: Any, text: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def annotations(schedule: Any) -> Any:
    """{stage.loop: word} of the loops that are not plain, from the schedule's trace."""

def extent_of(span: Any) -> Any:
    """The extent of a Range as a number; None if it is none, or not known."""

def free_loops(schedule: Any, steps: Any, step: Any, made: Any, before: Any, free: Any) -> Any:
    """What a step adds to the loops whose lengths depend on a free choice.

    Args:
        made: what it returned.
        before: `loops_of` its stage before it.
        free: the loops that were free before.
    """

def known_ranges(schedule: Any) -> Any:
    """As `ranges`; none of them while the schedule is one that cannot be lowered."""

def lengths_of(steps: Any, step: Any) -> Any:
    """(lengths, whether they count from the inner loop) of a split, or of one that follows others."""

def loops_of(stage: Any) -> Any:
    """(stage, loop) of each present loop: names, which copies of a schedule share."""

def perform(schedule: Any, steps: Any, step: Any) -> Any:
    """Does a step: returns the loops that it made, the operation that it added, or None."""

def ranges(schedule: Any) -> Any:
    """{(stage, loop): Range} of the present loops; raises what finding them raises."""

def successors(schedule: Any) -> Any:
    """{stage.loop: the one in which a stage is computed that was to be computed in it}.

    Loops that are split or fused are no more; what is in them is then in the innermost of those that
    took their place.
    """
