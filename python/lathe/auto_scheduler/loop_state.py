"""States: schedules that are made loop by loop, some lengths of which may be left to a search.

    >>> from lathe import auto_scheduler, te
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
    >>> dag = auto_scheduler.ComputeDAG([A, B])
    >>> state = dag.get_init_state()
    >>> outer, inner = state.split(B, state[B].iters[0], [16])
    >>> outer, inner = state.parallel(B, outer), state.vectorize(B, inner)
    >>> print(state)
    Placeholder: A
    parallel i.outer (0,4)
      vectorize i.inner (0,16)
        B = ...
"""

import re

from ..error import LatheError, LatheTypeError, LatheValueError
from ..te.schedule import Schedule
from . import _steps
from ._loop_text import loop_text
from ._lookup import (checked_lengths, checked_whole, loop_at, loop_name, loops_at, number_of, source_of,
                      stage_name, whole_of)
from ._steps import Step

_KINDS = {"data": 0, "reduce": 1}
_THREADS = ("vthread", *(f"{kind}Idx.{dim}" for dim in "xyz" for kind in ("block", "thread")))


class Iterator:
    """A loop of a stage.

    Attributes:
        name: as the schedule calls it.
        annotation: a number of `State.ANNOTATION_TRANS_TABLE`.
        iter_kind: 0: of an output's axis; 1: of a reduction; 3: another one.
        range: its Range in the state as it is now; None while that depends on a length which nobody
            has chosen, or the loop is no more.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
        >>> state = auto_scheduler.ComputeDAG([A, B]).get_init_state()
        >>> int(state[B].iters[0].range.extent)
        64
    """

    __slots__ = ("name", "annotation", "iter_kind", "stage_name", "_state")

    def __init__(self, state, stage_name, name, annotation, iter_kind):
        self._state, self.stage_name, self.name = state, stage_name, name
        self.annotation, self.iter_kind = annotation, iter_kind

    @property
    def range(self):
        """Its Range, or None."""
        return self._state._range(self.stage_name, self.name)

    def __eq__(self, other):
        return (isinstance(other, Iterator) and (self.stage_name, self.name) ==
                (other.stage_name, other.name))

    def __hash__(self):
        return hash((self.stage_name, self.name))

    def __repr__(self):
        span = self.range
        return f"{self.name} " + ("(None)" if span is None else f"({span.min},{span.extent})")


class Stage:
    """How a state computes an operation.

    Attributes:
        name, op: of the operation, as steps have rewritten it.
        iters: its present loops ([Iterator]), from the outer to the inner.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
        >>> state = auto_scheduler.ComputeDAG([A, B]).get_init_state()
        >>> [(stage.name, len(stage.iters)) for stage in state.stages]
        [('A', 0), ('B', 1)]
    """

    def __init__(self, name, op, iters):
        self.name, self.op, self.iters = name, op, iters

    def __repr__(self):
        return f"stage({self.name})"


class State:
    """A schedule of a computation, and how it came about.

    `dag.get_init_state()` gives the one without a schedule. Its methods change it; `copy()` keeps
    what there is. A split some of whose lengths are None is a free choice: such a state is a sketch.
    Until a search fills them in, they are 1.

    Stages are named by their number, operation or tensor. `state[C]` is the stage of one.

    Args:
        knobs: {name: value}: the point of a space that it is; or a state, of which this is a copy.
        schedule: the schedule; beside a state its ComputeDAG, which has no effect.

    Attributes:
        knobs, schedule: of these arguments. `schedule` is a te.Schedule.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.State({"C.unroll": 16}, None).knobs
        {'C.unroll': 16}
    """

    ANNOTATION_TRANS_TABLE = {word: number for number, word in enumerate(
        ["none", "unroll", "vectorize", "parallel", "vthread", "blockIdx.x", "threadIdx.x", "blockIdx.y",
         "threadIdx.y", "blockIdx.z", "threadIdx.z", "tensorize"])}

    def __init__(self, knobs, schedule=None):
        self._steps, self._free, self._known = [], set(), None
        if isinstance(knobs, State):
            self.knobs, self._base = dict(knobs.knobs), knobs._base
            self.schedule = None
            if knobs.schedule is not None:  # who changes one state's schedule changes no other's
                self.schedule, self._base = knobs.schedule.copy(), knobs._base.copy()
            self._steps, self._free = list(knobs._steps), set(knobs._free)
        else:
            if knobs is None or not isinstance(schedule, (Schedule, type(None))):
                found = None if knobs is None else schedule
                raise LatheTypeError("a state must be made of another one, or of knobs and a schedule",
                                     "auto-scheduler-state", "expected: State(state), or State({name: "
                                     f"value}}, a te.Schedule or None)\nfound: {found!r}\n"
                                     "help: dag.get_init_state() is the first state of a ComputeDAG")
            self.knobs, self.schedule, self._base = knobs, schedule, schedule

    @property
    def state_object(self):
        """The state itself."""
        return self

    @property
    def stages(self):
        """All stages ([Stage]), inputs too; each follows those that it reads."""
        words = _steps.annotations(self._made())
        return [self._stage(one, words) for one in self.schedule.stages]

    @property
    def stage_ops(self):
        """The operations of the stages."""
        return [one.op for one in self._made().stages]

    @property
    def transform_steps(self):
        """The steps: those of the schedule that it began with, then one for each call."""
        return ([] if self._base is None else list(self._base.trace)) + self._steps

    def is_sketch(self):
        """Whether it has lengths that nobody has chosen."""
        return any(one.is_free() for one in self._steps)

    def copy(self):
        """An independent copy."""
        return State(self)

    __copy__ = copy

    def __getitem__(self, key):
        """The stage of a number, an operation or a tensor."""
        number = number_of(self, key)
        return self._stage(self.schedule.stages[number], _steps.annotations(self.schedule))

    def split(self, stage, iterator, lengths, inner_to_outer=True):
        """Splits a loop into several.

        Args:
            stage: a number, operation or tensor.
            iterator: the loop.
            lengths: of the inner loops, from the outer to the inner; None: a free choice.
            inner_to_outer: the outermost loop has what is left; False: lengths are those of the outer
                loops, and the innermost has what is left.

        Returns:
            [Iterator], from the outer to the inner, one more than there are lengths.
        """
        number, position = loop_at(self, stage, iterator)
        lengths = checked_lengths(lengths)
        return self._step("split", number, (position, lengths, bool(inner_to_outer)),
                          f"{loop_name(iterator)}, {list(lengths)}, inner_to_outer={bool(inner_to_outer)}")

    def follow_split(self, stage, iterator, src_step_id, n_split):
        """Splits a loop by the lengths of an earlier split.

        Args:
            src_step_id: the split: its position in `transform_steps`.
            n_split: how many lengths; the innermost loop has the product of those that are left.

        Returns:
            [Iterator], n_split + 1 of them.
        """
        number, position = loop_at(self, stage, iterator)
        source = source_of(self, src_step_id)
        n_split = checked_whole(n_split, "n_split", 1, len(self._steps[source].arguments[1]) + 1)
        return self._step("follow_split", number, (position, source, n_split),
                          f"{loop_name(iterator)}, src_step_id={src_step_id}, n_split={n_split}")

    def follow_fused_split(self, stage, iterator, src_step_ids, level, factor_or_nparts):
        """Splits a loop in two, by the lengths of loops that earlier splits made and that were fused.

        Args:
            src_step_ids: the splits: their positions in `transform_steps`.
            level: which of the lengths of each; their product counts.
            factor_or_nparts: True: it is the length of the inner loop; False: of the outer one.

        Returns:
            [outer, inner].
        """
        number, position = loop_at(self, stage, iterator)
        if not isinstance(src_step_ids, (list, tuple)) or not src_step_ids:
            raise LatheValueError("there is no split to follow", "auto-scheduler-step",
                                  "expected: src_step_ids=[the positions of splits]\n"
                                  f"found: {src_step_ids!r}")
        sources = tuple(source_of(self, one) for one in src_step_ids)
        shortest = min(len(self._steps[one].arguments[1]) for one in sources)
        level = checked_whole(level, "level", 0, shortest - 1)
        return self._step("follow_fused_split", number, (position, sources, level, bool(factor_or_nparts)),
                          f"{loop_name(iterator)}, src_step_ids={list(src_step_ids)}, level={level}, "
                          f"factor_or_nparts={bool(factor_or_nparts)}")

    def fuse(self, stage, iters):
        """Fuses loops that lie within each other to one, which it returns."""
        number, positions = loops_at(self, stage, iters)
        return self._step("fuse", number, (positions,), ", ".join(map(loop_name, iters)))[0]

    def reorder(self, stage, order):
        """Puts loops into this order, in the places that they now take."""
        number, positions = loops_at(self, stage, order)
        self._step("reorder", number, (positions,), ", ".join(map(loop_name, order)))

    def compute_at(self, stage, target_stage, target_iter):
        """Computes a stage within a loop of another one."""
        number = number_of(self, stage)
        target, position = loop_at(self, target_stage, target_iter)
        self._step("compute_at", number, (target, position),
                   f"{stage_name(self, number)}, {loop_name(target_iter)}")

    def compute_inline(self, stage):
        """Computes each element of a stage where it is read."""
        number = number_of(self, stage)
        self._step("compute_inline", number, (), stage_name(self, number))

    def compute_root(self, stage):
        """Computes a stage before its readers; undoes compute_at and compute_inline."""
        number = number_of(self, stage)
        self._step("compute_root", number, (), stage_name(self, number))

    def cache_read(self, stage, scope_name, reader_stages):
        """Copies what a stage gives to memory of a scope; the readers then read the copy.

        Args:
            reader_stages: a list of numbers, operations or tensors.

        Returns:
            The operation that copies. Stages behind it have new numbers.
        """
        number = number_of(self, stage)
        many = isinstance(reader_stages, (list, tuple))
        readers = tuple(number_of(self, one) for one in (reader_stages if many else [reader_stages]))
        names = ", ".join(stage_name(self, one) for one in readers)
        return self._step("cache_read", number, (scope_name, readers),
                          f"{stage_name(self, number)}, {scope_name}, [{names}]")

    def cache_write(self, stage, scope_name):
        """Computes a stage in memory of a scope first; the stage then copies that.

        Returns:
            The operation that computes. The stage has a new number.
        """
        number = number_of(self, stage)
        return self._step("cache_write", number, (scope_name,), f"{stage_name(self, number)}, {scope_name}")

    def rfactor(self, stage, iterator, factor_iter_id):
        """Makes a reduction's loop an output's axis of a new stage; the old one reduces that.

        Args:
            factor_iter_id: the place of the new axis among the new stage's.

        Returns:
            The operation of the new stage. The old one has a new number.
        """
        number, position = loop_at(self, stage, iterator)
        return self._step("rfactor", number, (position, factor_iter_id),
                          f"{loop_name(iterator)}, {factor_iter_id}")

    def parallel(self, stage, iterator):
        """Runs a loop's iterations on several threads; returns the loop."""
        return self._annotated("parallel", stage, iterator)

    def vectorize(self, stage, iterator):
        """Turns a loop's iterations into lanes of vectors; returns the loop."""
        return self._annotated("vectorize", stage, iterator)

    def unroll(self, stage, iterator, max_unroll=None):
        """Writes out a loop's iterations; returns the loop.

        Args:
            max_unroll: a loop that is longer stays as it is.
        """
        number, position = loop_at(self, stage, iterator)
        if max_unroll is not None and (isinstance(max_unroll, bool) or whole_of(max_unroll) is None):
            raise LatheTypeError("max_unroll must be a number of iterations", "auto-scheduler-step",
                                 f"expected: a whole number, or None\nfound: {max_unroll!r}")
        extent = _steps.extent_of(self._range(iterator.stage_name, iterator.name))
        if None not in (max_unroll, extent) and extent > max_unroll:
            return self[number].iters[position]
        return self._annotated("unroll", stage, iterator)

    def bind(self, stage, iterator, thread_name):
        """Binds a loop to threads, such as "blockIdx.x", "threadIdx.x" or "vthread"; returns it."""
        if thread_name not in _THREADS:
            raise LatheValueError("loops are not bound to such threads", "auto-scheduler-step",
                                  f"expected: one of {', '.join(_THREADS)}\nfound: {thread_name!r}")
        return self._annotated("bind", stage, iterator, thread_name)

    def tensorize(self, stage, iterator, ti_func_name):
        """Replaces a loop, and those within it, by an intrinsic; returns the loop.

        Args:
            ti_func_name: a registered function (`lathe.register_func`) that gives the intrinsic, the
                intrinsic's own name, or the intrinsic (`te.decl_tensor_intrin`).
        """
        return self._annotated("tensorize", stage, iterator, ti_func_name)

    def pragma(self, stage, iterator, pragma_type):
        """A hint for the code generator on a loop.

        Args:
            pragma_type: its name, with a number behind a `$` if it has one: "auto_unroll_max_step$16".
        """
        if not isinstance(pragma_type, str):
            raise LatheTypeError("a pragma must be a text", "auto-scheduler-step",
                                 f"expected: such as \"auto_unroll_max_step$16\"\nfound: {pragma_type!r}")
        key, _, value = pragma_type.partition("$")
        if value and not re.fullmatch("-?[0-9]{1,18}", value):
            raise LatheValueError(f"the value of the pragma `{key}` is no number", "auto-scheduler-step",
                                  f"expected: such as \"{key}$16\"\nfound: {pragma_type!r}")
        self._annotated("pragma", stage, iterator, key, *([int(value)] if value else []))

    def storage_align(self, stage, iterator, factor, offset):
        """Makes the stride of an axis in memory equal to `offset` modulo `factor`, in elements."""
        self._annotated("storage_align", stage, iterator, factor, offset)

    def __eq__(self, other):
        """Whether they are the same schedule of the same computation."""
        return isinstance(other, State) and self._text() == other._text()

    def __hash__(self):
        return hash(self._text())

    def __str__(self):
        return "no schedule" if self.schedule is None else loop_text(self)

    def __repr__(self):
        return f"State({len(self.transform_steps)} steps)"

    def _text(self):
        if self.schedule is None:
            return repr(self.knobs)
        return "\n".join([str(self), *map(str, self.stage_ops), *map(str, self.schedule.trace)])

    def _made(self):
        if self.schedule is None:
            raise LatheError("a state without a schedule has no stages", "auto-scheduler-state",
                             "expected: one of dag.get_init_state(), or of a trial whose schedule could "
                             "be made\nfound: the knobs of one that could not")
        return self.schedule

    def _stage(self, made, words):
        iters = []
        for axis in made.leaf_iter_vars:
            name = made.axis_name(axis)
            number = self.ANNOTATION_TRANS_TABLE.get(words.get(f"{made.name}.{name}", "none"), 0)
            iters.append(Iterator(self, made.name, name, number, _KINDS.get(axis.iter_kind, 3)))
        return Stage(made.name, made.op, iters)

    def _annotated(self, kind, stage, iterator, *more):
        number, position = loop_at(self, stage, iterator)
        text = ", ".join([loop_name(iterator), *(str(one) for one in more)])
        self._step(kind, number, (position, *more), text)
        return self[number].iters[position]

    def _step(self, kind, stage, arguments, text):
        return self._do(Step(kind, stage, arguments, text))

    def _do(self, step):
        """Does a step; returns what it made: loops, an operation, or None."""
        schedule = self._made().copy()  # one that fails half-way has no effect
        before = _steps.loops_of(schedule.stages[step.stage])
        made = _steps.perform(schedule, self._steps, step)
        free = _steps.free_loops(schedule, self._steps, step, made, before, self._free)
        self.schedule, self._free = schedule, self._free | free
        self._steps.append(step)
        self._known = None
        if not isinstance(made, list):
            return made
        names = {one.name: one for one in self[step.stage].iters}
        stage = self.schedule.stages[step.stage]
        return [names[stage.axis_name(axis)] for axis in made]

    def _range(self, stage, loop):
        if self._known is None:
            self._known = _steps.known_ranges(self.schedule)
        if (stage, loop) in self._free:
            return None
        if self._free and any(one.name == stage and one.attach_type != "root"
                              for one in self.schedule.stages):
            return None  # what its reader needs depends on a free choice
        return self._known.get((stage, loop))


StateObject = State
