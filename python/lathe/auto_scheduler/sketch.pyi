"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.auto_scheduler.loop_state import State as State
from lathe.auto_scheduler._lookup import names_of as names_of
from lathe.auto_scheduler._lookup import whole_of as whole_of

class PreloadCustomSketchRule:
    """For `SketchPolicy`: a rule of your own, which makes sketches of states.

    Stages are visited from the last to the first. The functions get a copy of the state that the
    rules have made so far, which they may change by its methods; a search does their steps again with
    other lengths, so what is done to `state.schedule` itself is refused.

    Args:
        meet_condition_func: (search_policy, state, stage_id) -> PASS: the rule has nothing to say
            of this stage; APPLY: it is applied, and the search also goes on without it;
            APPLY_AND_SKIP_REST: it is applied, and nothing else is tried but the schedule that a
            build has without records, which is the first trial of each search.
        apply_func: (search_policy, state, stage_id) -> [[state, stage_id]...]: states, and with
            each the stage that is visited next; -1: the state is finished, it is a sketch.
        rule_name: for records and errors.

    A split with lengths of None is a free choice: a search tries divisors of the loop's extent, the
    innermost of at most 64. Loops that are shared by threads, in vectors or unrolled are those of
    which the rule says so.

    Raises:
        LatheError: `auto-scheduler-sketch-rule`, when a SketchPolicy is made: a function failed, or
            returned something else, or a state of which no search can choose the lengths.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((64, 64), name="A")
        >>> B = te.compute((64, 64), lambda i, j: A[j, i] + 1.0, name="B")
        >>> dag = auto_scheduler.ComputeDAG([A, B])
        >>> task = auto_scheduler.SearchTask(compute_dag=dag, target="llvm")
        >>> Rule = auto_scheduler.PreloadCustomSketchRule
        >>> def condition(policy, state, stage_id):
        ...     return Rule.APPLY if state.stages[stage_id].op.name == "B" else Rule.PASS
        >>> def apply(policy, state, stage_id):
        ...     outer, inner = state.split(stage_id, state[stage_id].iters[0], [None])
        ...     state.parallel(stage_id, outer)
        ...     return [[state, stage_id - 1]]
        >>> policy = auto_scheduler.SketchPolicy(
        ...     task, auto_scheduler.RandomModel(), init_search_callbacks=[Rule(condition, apply, "rows")])
        >>> print(policy.generate_sketches()[0])
        Placeholder: A
        parallel i.outer (None)
          for i.inner (None)
            for j (0,64)
              B = ...
    """
    def __init__(self, meet_condition_func: Any, apply_func: Any, rule_name: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Sketch:
    """A state with free lengths.

    Args:
        name: of the rules that made it.
        state: the State.

    Attributes:
        state: of these arguments.
        name: those rules and a digest of the steps, so that records of an older rule of this name
            are not taken for this one's.
        digest: the whole of it: sketches with the same one are the same.
        knobs: {name: candidates}: lengths for each split that has free ones.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> state = auto_scheduler.ComputeDAG([A, B]).get_init_state()
        >>> _ = state.split(B, state[B].iters[0], [None])
        >>> auto_scheduler.sketch.Sketch("mine", state).knobs
        {'B.i': [[1], [2], [4], [8]]}
    """
    def fill(self, values: Any) -> Any: ...
    def __init__(self, name: Any, state: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def sketches_of(rules: Any, policy: Any, state: Any) -> Any:
    """What rules make of a computation.

    Args:
        rules: [PreloadCustomSketchRule...].
        policy: is passed to their functions.
        state: the one without a schedule.

    Returns:
        ([Sketch...], whether the search also goes on without the rules).

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> auto_scheduler.sketch.sketches_of([], None, auto_scheduler.ComputeDAG([A, B]).get_init_state())
        ([], True)
    """
