"""Simulated annealing over a space, with a model of costs instead of measurements.

S. Kirkpatrick, C. Gelatt, M. Vecchi: Optimization by Simulated Annealing, Science 220 (1983).
"""

import heapq

try:
    import numpy as np
except ImportError:  # XGBTuner says so
    np = None

from ... import _ffi

_get = _ffi.get


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

    def __init__(self, space, steps=500, walkers=128, temperature=(1.0, 0.0), patience=50, seed=1):
        self._space = space
        self._dims = np.asarray(space.dims, dtype=np.int64)
        self._steps, self._walkers, self._patience = steps, walkers, patience
        self._temperature = temperature
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._points = None

    def best(self, score, count, without):
        """The points with the highest scores, best first, but those in `without`.

        Args:
            score: called with a list of points; gives a number for each.
            count: points, at most.
            without: a set of points (tuples).
        """
        if self._points is None:
            tuner = _get("tune.tuner")(self._space._space, "random", [], int(self._random.integers(1 << 62)))
            self._points = [tuple(one) for one in _get("tune.tuner_propose")(tuner, self._walkers)]
        points, found = self._points, _Best(count, without)
        if not points:
            return []
        scores = np.asarray(score(points), dtype=np.float64)
        found.add(points, scores)
        movable = np.flatnonzero(self._dims > 1)
        last_gain = 0
        for step in range(self._steps if len(movable) else 0):
            others = self._neighbours(points, movable)
            other_scores = np.asarray(score(others), dtype=np.float64)
            heat = np.interp(step, (0, max(self._steps - 1, 1)), self._temperature)
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                chance = np.exp(np.minimum((other_scores - scores) / max(heat, 1e-5), 0.0))
            moves = self._random.random(len(points)) < chance
            points = [other if moved else one for one, other, moved in zip(points, others, moves)]
            scores = np.where(moves, other_scores, scores)
            if found.add(others, other_scores):
                last_gain = step
            if step - last_gain >= self._patience:
                break
        self._points = points
        return found.points()

    def _neighbours(self, points, movable):
        knobs = movable[self._random.integers(len(movable), size=len(points))]
        shifts = 1 + (self._random.random(len(points)) * (self._dims[knobs] - 1)).astype(np.int64)
        result = []
        for point, knob, shift in zip(points, knobs, shifts):
            other = list(point)
            other[knob] = int((other[knob] + shift) % self._dims[knob])
            accepted = _get("tune.space_accepts")(self._space._space, other)
            result.append(tuple(other) if accepted else point)
        return result


class _Best:
    """The best of the points that were seen."""

    def __init__(self, count, without):
        self._count, self._heap, self._seen = count, [], set(without)

    def add(self, points, scores):
        """Whether any of them is among the best."""
        gained = False
        for point, score in zip(points, scores):
            if point in self._seen or (len(self._heap) >= self._count and score <= self._heap[0][0]):
                continue
            self._seen.add(point)
            heapq.heappush(self._heap, (float(score), point))
            if len(self._heap) > self._count:
                heapq.heappop(self._heap)
            gained = True
        return gained

    def points(self):
        return [point for _, point in sorted(self._heap, reverse=True)]
