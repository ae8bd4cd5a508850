"""Sketches of a user's rules: states with free lengths of loops, which a search fills in."""

import hashlib
import itertools
import math

from .. import _ffi
from ..error import LatheError, LatheTypeError, LatheValueError
from . import _steps
from ._lookup import names_of, whole_of
from .loop_state import State

_get = _ffi.get
# The innermost loop of a split has at most so many iterations, as in Ansor: longer ones are no tiles.
_MOST_INNERMOST = 64
# Lengths of loops whose extent depends on other choices; their product has a limit.
_LENGTHS, _MOST_PRODUCT = (1, 2, 4, 8, 16, 32, 64), 1024
# States that rules may make. A rule that never goes on to another stage makes them without an end.
_MOST_STATES = 2000


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

    PASS = 0
    APPLY = 1
    APPLY_AND_SKIP_REST = 2

    def __init__(self, meet_condition_func, apply_func, rule_name="CustomSketchRule"):
        for what, given in (("meet_condition_func", meet_condition_func), ("apply_func", apply_func)):
            if not callable(given):
                raise LatheTypeError(f"{what} of a rule is no function", "auto-scheduler-sketch-rule",
                                     f"expected: a function (search_policy, state, stage_id)\n"
                                     f"found: {given!r}")
        self.meet_condition_func, self.apply_func = meet_condition_func, apply_func
        self.rule_name = str(rule_name)

    def _call(self, function, policy, state, stage):
        name = state.stages[stage].name
        try:
            return function(policy, state.copy(), stage)
        except Exception as error:  # whatever the user's code raises
            raise LatheError(
                f"the rule `{self.rule_name}` failed at stage {stage} (`{name}`)",
                "auto-scheduler-sketch-rule",
                f"expected: {_named(function)} returns without an error\n"
                f"found: {type(error).__name__}: {error}\n"
                "help: return PASS for stages of which a rule has nothing to say") from error

    def _condition(self, policy, state, stage):
        """PASS, APPLY or APPLY_AND_SKIP_REST."""
        given = self._call(self.meet_condition_func, policy, state, stage)
        if whole_of(given) not in (self.PASS, self.APPLY, self.APPLY_AND_SKIP_REST):
            raise LatheValueError(
                f"the rule `{self.rule_name}` does not say whether it applies to stage {stage}",
                "auto-scheduler-sketch-rule",
                "expected: PASS, APPLY or APPLY_AND_SKIP_REST of PreloadCustomSketchRule\n"
                f"found: {given!r}, which {_named(self.meet_condition_func)} returned\n"
                "help: return PASS where the rule has nothing to say")
        return given

    def _applied(self, policy, state, stage):
        """[(state, next stage)...]."""
        given = self._call(self.apply_func, policy, state, stage)
        pairs = list(given) if isinstance(given, (list, tuple)) else [None]
        for pair in pairs:
            if (not isinstance(pair, (list, tuple)) or len(pair) != 2 or not isinstance(pair[0], State)
                    or whole_of(pair[1]) is None or pair[0].schedule is None):
                raise LatheTypeError(
                    f"the rule `{self.rule_name}` returned no list of states at stage {stage}",
                    "auto-scheduler-sketch-rule",
                    f"expected: [[state, the stage that is visited next]...]\nfound: {given!r}\n"
                    "help: return [[state, stage_id - 1]]")
            most = len(pair[0].stages) - 1
            if not -1 <= pair[1] <= most:
                raise LatheValueError(
                    f"the rule `{self.rule_name}` goes from stage {stage} to one that there is not",
                    "auto-scheduler-sketch-rule",
                    f"expected: -1 (finished) to {most}\nfound: {pair[1]}\n"
                    "help: return [[state, stage_id - 1]]")
            self._check_steps(policy, pair[0], stage)
        return [(state.copy(), whole_of(following)) for state, following in pairs]

    def _check_steps(self, policy, state, stage):
        """Raises unless a state's schedule is what its steps make of the task's computation."""
        dag = policy.search_task.compute_dag
        if not dag._is_computed_by(state.schedule):
            raise LatheValueError(
                f"the rule `{self.rule_name}` returned a state of another computation at stage {stage}",
                "auto-scheduler-sketch-rule",
                f"expected: one that computes {names_of(dag.outputs)} of the task's compute_dag\n"
                f"found: one that computes {names_of(state.schedule.outputs)}\n"
                "help: change the state that apply_func gets, or search_task.compute_dag.get_init_state()")
        replayed = State({}, state._base)
        for step in state._steps:
            replayed._do(step)
        expected, found = (list(map(str, one.schedule.trace)) for one in (replayed, state))
        if expected == found:
            return
        pairs = itertools.zip_longest(expected, found, fillvalue="nothing")
        ours, theirs = next(pair for pair in pairs if pair[0] != pair[1])
        raise LatheValueError(
            f"the rule `{self.rule_name}` changed a schedule without the state's methods at stage {stage}",
            "auto-scheduler-sketch-rule",
            f"expected: {ours} in state.schedule.trace\nfound: {theirs}\n"
            "help: state.parallel(...) rather than state.schedule[...].parallel(...)")


def _named(function):
    return f"`{getattr(function, '__name__', type(function).__name__)}`"


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

    def __init__(self, name, state):
        self.state, self._places = state, {}
        text = "\n".join(map(str, state.transform_steps))
        self.digest = hashlib.sha256(text.encode()).hexdigest()
        self.name = f"{name}:{self.digest[:8]}"
        self.knobs = {}
        replayed = State({}, state._base)
        for number, step in enumerate(state._steps):
            if step.is_free():
                loop = replayed.stages[step.stage].iters[step.arguments[0]]
                knob = f"{loop.stage_name}.{loop.name}"
                knob += f".{number}" if knob in self.knobs else ""
                self._places[knob] = number
                self.knobs[knob] = _candidates_of(name, loop, step)
            replayed._do(step)

    def fill(self, values):
        """The State with lengths: {knob: lengths}."""
        chosen = {number: values[knob] for knob, number in self._places.items()}
        filled = State({}, self.state._base.copy())
        for number, step in enumerate(self.state._steps):
            filled._do(step.with_lengths(chosen[number]) if number in chosen else step)
        return filled


def _candidates_of(rule, loop, step):
    extent = _steps.extent_of(loop.range)
    try:
        return _candidates(extent, *step.arguments[1:])
    except LatheError as error:
        raise LatheValueError(
            f"the rule `{rule}` splits loop `{loop.stage_name}.{loop.name}` by lengths that no search can "
            "choose", "auto-scheduler-sketch-rule",
            "expected: a loop that has iterations, and few lengths that are None\n"
            f"found: {list(step.arguments[1])} for {extent} iterations: {error.message}\n"
            "help: give some of the lengths, or leave the loop as it is") from error


def _candidates(extent, lengths, inner_to_outer):
    """Lists of lengths, free ones chosen.

    Where the extent is known, the product of the free ones divides that of what the given lengths
    leave, rounded up.
    """
    free = lengths.count(None)
    given = math.prod(one for one in lengths if one is not None)
    if extent is None:
        found = [one for one in itertools.product(_LENGTHS, repeat=free) if math.prod(one) <= _MOST_PRODUCT]
    else:
        found = _get("tune.split_candidates")(-(-extent // given), "factors", free + 1, 1 << 62, True)
    candidates = []
    for one in found:
        chosen = iter(one)
        filled = [next(chosen) if length is None else length for length in lengths]
        innermost = filled[-1] if lengths[-1] is None else 1
        if not inner_to_outer:
            innermost = 1 if extent is None else extent // math.prod(filled)
        if innermost <= _MOST_INNERMOST:
            candidates.append(filled)
    return sorted(candidates)


def sketches_of(rules, policy, state):
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
    open_states, without, sketches, count = [(state, len(state.stages) - 1, ())], False, {}, 0
    while open_states:
        following = []
        for made, stage, names in open_states:
            if stage < 0:
                without = without or not names
                if names:
                    one = Sketch("+".join(names), made)
                    sketches.setdefault(one.digest, one)  # rules may make the same one
                continue
            following += _visited(rules, policy, made, stage, names)
            count += 1
            if count > _MOST_STATES:
                raise LatheError(
                    "the rules of sketches do not come to an end", "auto-scheduler-sketch-rule",
                    f"expected: at most {_MOST_STATES} states\nfound: more, the last of them by "
                    f"{', '.join(names) or 'no rule'} at stage {stage}\n"
                    "help: apply_func returns [[state, stage_id - 1]]; with APPLY at many stages their "
                    "number doubles with each, APPLY_AND_SKIP_REST does not")
        open_states = following
    if not sketches and not without:
        raise LatheError("the rules of sketches leave nothing to search", "auto-scheduler-sketch-rule",
                         "expected: a finished state, or APPLY rather than APPLY_AND_SKIP_REST\n"
                         "found: apply_func returned empty lists alone")
    return list(sketches.values()), without


def _visited(rules, policy, state, stage, names):
    """[(state, next stage, names of rules)...]: what comes of a state at a stage."""
    following = []
    for rule in rules:
        condition = rule._condition(policy, state, stage)
        if condition == rule.PASS:
            continue
        following += [(*pair, (*names, rule.rule_name)) for pair in rule._applied(policy, state, stage)]
        if condition == rule.APPLY_AND_SKIP_REST:
            return following
    return [*following, (state, stage - 1, names)]
