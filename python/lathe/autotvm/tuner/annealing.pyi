"""Written by python/stubs/make_stubs.py."""

from typing import Any

class Annealing:
    """Many walkers, each of which steps to a neighbour: a better one always, a worse one sometimes.

    The walkers stay where they are between searches, as the model gets better.

    Args:
        space: a ConfigSpace.
        steps: of each walker in a search, at most.
        walkers: points at once.
        temperature: (first, last): what is lost with a probability of 1/e, in units of the scores.
        patience: a search ends after so many steps without a better point among the best.
        seed: of the random numbers.

    Example:
        >>> from lathe import autotvm
        >>> space = autotvm.ConfigSpace()
        >>> _ = space.define_knob("x", list(range(100)))
        >>> def score(points): return [-abs(point[0] - 42) for point in points]
        >>> Annealing(space).best(score, 3, set())[0]
        (42,)
    """
    def best(self, score: Any, count: Any, without: Any) -> Any: ...
    def __init__(self, space: Any, steps: Any = ..., walkers: Any = ..., temperature: Any = ..., patience: Any = ..., seed: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
