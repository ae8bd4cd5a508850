"""What a template may choose: knobs, and the values that one of them has in a configuration.

The candidates, their numbers and the filters are those of the C++ side (tune/space.h).
"""

import itertools
import json
import math

from ... import _ffi
from ...error import LatheError, LatheTypeError, LatheValueError

_get = _ffi.get


class InstantiationError(LatheValueError):
    """A configuration of which the template made no schedule; `ConfigSpace.raise_error` says why.

    Example:
        >>> from lathe import autotvm
        >>> issubclass(autotvm.task.space.InstantiationError, ValueError)
        True
    """


class VirtualAxis:
    """A loop of a space: of a schedule, or one that a split will make.

    Attributes:
        length: the number of its iterations, or None if nobody knows it yet.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.ConfigSpace().axis(512).length
        512
    """

    def __init__(self, var, name=None):
        self.name = name
        if isinstance(var, VirtualAxis):
            self.length, self.name = var.length, name or var.name
        elif var is None:
            self.length = None
        else:
            self.length = _constant(var.dom.extent if hasattr(var, "dom") else var)
            self.name = name or getattr(getattr(var, "var", None), "name", None)

    def __repr__(self):
        return f"VirtualAxis({self.name}, length={self.length})"


def _constant(extent):
    value = getattr(extent, "value", extent)
    if isinstance(value, bool) or not isinstance(value, int):
        raise LatheTypeError("a knob needs a loop whose length is known", "tune-axis",
                             f"expected: an axis, or a whole number\nfound: {extent!r}")
    return value


class SplitEntity:
    """Lengths of the loops that a loop is split into, from the outer to the inner; -1: what is left.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.space.SplitEntity([-1, 8]).size
        [-1, 8]
    """

    kind = "sp"

    def __init__(self, size):
        self.size = list(size)

    def apply(self, sch, op, axis):
        """Splits the axis of a stage; returns the axes, from the outer to the inner."""
        axes = []
        for i in range(1, len(self.size)):
            outer, axis = sch[op].split(axis, factor=math.prod(self.size[i:]))
            axes.append(outer)
        return axes + [axis]

    def to_json(self):
        """What logs have for it."""
        return self.size

    def __repr__(self):
        return str(self.size)


class ReorderEntity:
    """An order of loops: numbers of axes, from the outer to the inner.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.space.ReorderEntity([1, 0]).perm
        [1, 0]
    """

    kind = "re"

    def __init__(self, perm):
        self.perm = list(perm)

    def apply(self, sch, op, axes):
        """Reorders axes of a stage; returns them in their new order."""
        axes = [axes[i] for i in self.perm]
        sch[op].reorder(*axes)
        return axes

    def to_json(self):
        """What logs have for it."""
        return self.perm

    def __repr__(self):
        return str(self.perm)


class AnnotateEntity:
    """A word for each axis: "none", "unroll", "vec", a thread such as "threadIdx.x", "fuse".

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.space.AnnotateEntity(["none", "vec"]).anns
        ['none', 'vec']
    """

    kind = "an"

    def __init__(self, anns):
        self.anns = list(anns)

    def apply(self, sch, op, axes, axis_lens=None, max_unroll=None, vec_size=None, cfg=None,
              source=None):
        """Annotates axes of a stage; returns them, fused ones as one.

        Args:
            axis_lens: the lengths of the axes, for the two limits.
            max_unroll: longer axes are not unrolled: then `cfg` is not valid.
            vec_size: lengths that may be vectors; others make `cfg` not valid.
            source: for `locate_cache`: for each number, the axes of another stage.
        """
        from ... import te

        if source is not None:
            return [source[where] for where in self.anns]
        axes = list(axes)
        while self.anns and "fuse" in self.anns and len(axes) == len(self.anns):
            first = self.anns.index("fuse")
            if first != 0:
                raise LatheValueError("only the outermost axes can be fused", "tune-annotation")
            count = self.anns.count("fuse") + 1
            axes = [sch[op].fuse(*axes[:count])] + axes[count:]
        words = [word for word in self.anns if word != "fuse"]
        for i, (axis, word) in enumerate(zip(axes, words)):
            length = axis_lens[i] if axis_lens is not None else None
            if word == "unroll":
                if length is not None and max_unroll is not None and length > max_unroll and cfg:
                    cfg.raise_error(f"a loop of {length} is too long to be unrolled")
                sch[op].unroll(axis)
            elif word == "vec":
                if length is not None and vec_size and length not in vec_size and cfg:
                    cfg.raise_error(f"a vector of {length} is none of {vec_size}")
                sch[op].vectorize(axis)
            elif word == "vthread" or "Idx." in word:
                sch[op].bind(axis, te.thread_axis(word))
            elif word != "none":
                raise LatheValueError(f"{word!r} is no annotation of a loop", "tune-annotation",
                                      "expected: none, unroll, vec, fuse, vthread or a thread")
        return axes

    def to_json(self):
        """What logs have for it."""
        return self.anns

    def __repr__(self):
        return str(self.anns)


class OtherOptionEntity:
    """A value of `define_knob`.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.space.OtherOptionEntity(4).val
        4
    """

    kind = "ot"

    def __init__(self, val):
        self.val = val

    def to_json(self):
        """What logs have for it."""
        return self.val

    def __repr__(self):
        return repr(self.val)


_ENTITIES = {one.kind: one for one in (SplitEntity, ReorderEntity, AnnotateEntity, OtherOptionEntity)}


def _split_candidates(axes, policy, options):
    parts = options.pop("num_outputs", 2)
    accept, given = options.pop("filter", None), options.pop("candidate", None)
    limit, no_tail = options.pop("max_factor", 1 << 62), options.pop("no_tail", policy != "power2")
    options.pop("view", None)
    if policy == "candidate":
        sizes = [list(size) for size in given]
        parts = len(sizes[0])
    elif axes[0].length is None:
        raise LatheValueError("a loop without a known length has no factors", "tune-axis",
                              "help: policy=\"candidate\" with candidate=[[-1, 8], ...]")
    else:
        found = _get("tune.split_candidates")(axes[0].length, policy, parts, limit, no_tail)
        sizes = [[-1] + list(size) for size in found]
    entities = [SplitEntity(size) for size in sizes]
    return ([one for one in entities if accept is None or accept(one)],
            [VirtualAxis(None, f"{axes[0].name}.{i}") for i in range(parts)])


def _merged(chains):
    """All orders of the chains' elements in which each chain keeps its own order."""
    chains = [chain for chain in chains if chain]
    if not chains:
        return [[]]
    orders = []
    for i, chain in enumerate(chains):
        rest = chains[:i] + [chain[1:]] + chains[i + 1:]
        orders += [[chain[0]] + order for order in _merged(rest)]
    return orders


def _reorder_candidates(axes, policy, options):
    def numbers(chains):
        return [[axes.index(axis) for axis in chain] for chain in chains]

    if policy == "identity":
        orders = [range(len(axes))]
    elif policy == "all":
        orders = itertools.permutations(range(len(axes)))
    elif policy in ("interleave", "interleave_cuda"):
        spatial, reduce = numbers(options["spatial"]), numbers(options["reduce"])
        outer, inner = _merged([chain[:-1] for chain in spatial]), [chain[-1:] for chain in spatial]
        if policy == "interleave":
            orders = [o + i for o in outer for i in _merged(inner + reduce)]
        else:
            orders = [o + r + i for o in outer for r in _merged(reduce) for i in _merged(inner)]
    elif policy == "candidate":
        orders = numbers(options["candidate"])
    else:
        raise LatheValueError(f"{policy!r} is no policy of orders", "tune-knob", "expected: identity,"
                              " all, interleave, interleave_cuda or candidate")
    return [ReorderEntity(order) for order in orders], list(axes)


_BLOCKS = {3: ["blockIdx.z", "blockIdx.y", "blockIdx.x"], 2: ["blockIdx.y", "blockIdx.x"],
           1: ["blockIdx.x"]}
_TRIED = {"try_unroll": ["none", "unroll"], "try_vec": ["none", "vec"],
          "try_unroll_vec": ["none", "unroll", "vec"]}


def _annotate_candidates(axes, policy, options):
    count = len(axes)
    if policy in ("unroll", "vec"):
        words = [[policy] * count]
    elif policy in _TRIED:
        words = itertools.product(_TRIED[policy], repeat=count)
    elif policy in ("bind_gpu", "bind_gpu_virtual"):
        levels = 3 if policy == "bind_gpu_virtual" else 2
        each = min(count // levels, 3)
        if each == 0:
            raise LatheValueError(f"{policy!r} needs {levels} axes or more", "tune-annotation",
                                  f"found: {count}")
        blocks = _BLOCKS[each]
        threads = [block.replace("blockIdx", "threadIdx") for block in blocks]
        virtual = ["vthread"] * each if levels == 3 else []
        words = [["fuse"] * (count - levels * each) + blocks + virtual + threads]
    elif policy == "locate_cache":
        words = itertools.combinations(range(count), options["num_anchor"])
    elif policy == "candidate":
        words = options["candidate"]
    else:
        raise LatheValueError(f"{policy!r} is no policy of annotations", "tune-knob",
                              "expected: unroll, vec, try_unroll, try_vec, try_unroll_vec, bind_gpu, "
                              "bind_gpu_virtual, locate_cache or candidate")
    return [AnnotateEntity(one) for one in words], list(axes)


class Definer:
    """What a template calls on its configuration, whatever that is.

    Example:
        >>> from lathe import autotvm
        >>> isinstance(autotvm.ConfigSpace(), autotvm.task.space.Definer)
        True
    """

    def __init__(self):
        self.flop = 0
        self.errors = []

    @staticmethod
    def axis(var):
        """The loop of an axis, or a loop of a length."""
        return VirtualAxis(var)

    reduce_axis = axis

    def define_split(self, name, axis, policy="factors", **kwargs):
        """A knob: how a loop is split.

        Args:
            name: of the knob.
            axis: an axis of a stage, a whole number, or what another `define_split` returned.
            policy: "factors" of the length, "power2", "verbose" (both), or "candidate".
            num_outputs: loops that come of it (2).
            max_factor: the longest that an inner loop may be.
            filter: called with each SplitEntity; only those stay of which it says True.
            no_tail: only lengths whose product divides the loop's; with "power2" False by default.
            candidate: for "candidate": lists of lengths, from the outer to the inner; -1 is free.

        Returns:
            A list of VirtualAxis, for further knobs.
        """
        return self._define(name, _split_candidates, [VirtualAxis(axis)], policy, kwargs)

    def define_reorder(self, name, axes, policy, **kwargs):
        """A knob: the order of loops.

        Args:
            policy: "identity", "all", "interleave" and "interleave_cuda" (with `spatial` and `reduce`,
                lists of lists of the axes: each list keeps its order), or "candidate".
        """
        return self._define(name, _reorder_candidates, list(axes), policy, kwargs)

    def define_annotate(self, name, axes, policy, **kwargs):
        """A knob: a word for each of the axes.

        Args:
            policy: "unroll", "vec", "try_unroll", "try_vec", "try_unroll_vec", "bind_gpu",
                "bind_gpu_virtual", "locate_cache" (with `num_anchor`), or "candidate".
        """
        return self._define(name, _annotate_candidates, list(axes), policy, kwargs)

    def define_knob(self, name, candidate):
        """A knob with a list of values: numbers, text, bool, None."""
        return self._define(name, lambda *_: ([OtherOptionEntity(one) for one in candidate], []),
                            [], "", {})

    def add_flop(self, flop):
        """Adds to the operations that the template's program does, if counting them is not enough."""
        self.flop += int(flop)

    def raise_error(self, msg):
        """Makes this configuration one that cannot be used: the template goes on, its trial fails."""
        self.errors.append(msg)

    def valid(self):
        """Whether `raise_error` was not called."""
        return not self.errors


class ConfigSpace(Definer):
    """All configurations of a template: the knobs that it defines.

    `len(space)` is the number of configurations, `space.get(i)` one of them.

    Example:
        >>> from lathe import autotvm
        >>> space = autotvm.ConfigSpace()
        >>> space.define_knob("unroll", [False, True])
        []
        >>> _ = space.define_split("tile", 12, num_outputs=2)
        >>> len(space), space.get(3)["tile"].size
        (12, [-1, 2])
        >>> print(space)
        ConfigSpace: 12 configurations
          0 unroll: 2 candidates: False, True
          1 tile: 6 candidates: [-1, 1], [-1, 2], [-1, 3], [-1, 4], ...
    """

    is_fallback = False

    def __init__(self):
        super().__init__()
        self.space_map = {}  # knob -> its entities
        self.code_hash = None
        self._entity_map = {}
        self._space = _get("tune.space")()

    def _define(self, name, candidates, axes, policy, kwargs):
        entities, outputs = candidates(axes, policy, kwargs)
        try:
            texts = [json.dumps(one.to_json(), allow_nan=False) for one in entities]
        except (TypeError, ValueError) as error:
            raise LatheTypeError(f"a candidate of the knob `{name}` cannot stand in a log", "tune-knob",
                                 f"expected: numbers, text, bool, None and lists of them\nfound: {error}"
                                 ) from None
        _get("tune.space_add")(self._space, name, entities[0].kind if entities else "ot", texts)
        if name not in self.space_map:
            self.space_map[name] = entities
            self._entity_map[name] = entities[0]
        return outputs

    def __getitem__(self, name):
        return _entity_of(self._entity_map, name)

    def multi_filter(self, filter=None):
        """Leaves out the configurations of which `filter(config)` is False."""
        _get("tune.space_filter")(self._space, lambda point: bool(filter(self._entity(list(point)))))

    def _entity(self, point):
        chosen = {name: entities[position]
                  for (name, entities), position in zip(self.space_map.items(), point)}
        entity = ConfigEntity(_get("tune.space_number")(self._space, point), self.code_hash, chosen, [])
        entity._point = point
        return entity

    def _add_knobs(self, knobs):
        """Adds knobs of the C++ side, [[name, candidates, value]...].

        Returns the configuration with these values; None if there are no knobs.
        """
        if not knobs:
            return None
        for name, candidates, _ in knobs:
            self.define_knob(name, list(candidates))
        return self._entity([list(candidates).index(value) for _, candidates, value in knobs])

    def get(self, index):
        """The configuration of a number."""
        return self._entity(list(_get("tune.space_point")(self._space, int(index))))

    def is_index_valid(self, index):
        """Whether filters accept the configuration of a number."""
        point = _get("tune.space_point")(self._space, int(index))
        return _get("tune.space_accepts")(self._space, list(point))

    def __len__(self):
        size = self._size()
        if size < 0:
            raise LatheValueError("the space has more configurations than there are numbers",
                                  "tune-space-without-numbers", "expected: at most 2^63")
        return size

    def _size(self):
        """-1: more than have numbers."""
        return _get("tune.space_size")(self._space)

    @property
    def range_length(self):
        """The number of configurations, those that filters leave out included."""
        return len(self)

    @property
    def filtered_length(self):
        """The number of configurations that filters accept; takes time with `range_length`."""
        return _get("tune.space_accepted")(self._space)

    @property
    def dims(self):
        """The number of candidates of each knob."""
        return [len(entities) for entities in self.space_map.values()]

    def __repr__(self):
        size = self._size()
        lines = [f"ConfigSpace: {size if size >= 0 else 'more than 2^63'} configurations"]
        for i, (name, entities) in enumerate(self.space_map.items()):
            shown = ", ".join(map(repr, entities[:4])) + (", ..." if len(entities) > 4 else "")
            lines.append(f"{i:3} {name}: {len(entities)} candidates: {shown}")
        return "\n".join(lines)


def _entity_of(entities, name):
    try:
        return entities[name]
    except KeyError:
        raise LatheError(f"the configuration has no knob `{name}`", "tune-knob",
                         f"expected: {', '.join(entities) or 'a knob that was defined before'}"
                         ) from None


class ConfigEntity(Definer):
    """One configuration: an entity for each knob. Templates that define knobs again change nothing.

    Attributes:
        index: its number in the space; -1 if that is not known.

    Example:
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity.from_json_dict(
        ...     {"index": 3, "code_hash": None, "entity": [["tile", "sp", [-1, 8]], ["unroll", "ot", 1]]})
        >>> config["tile"].size, config["unroll"].val
        ([-1, 8], 1)
    """

    is_fallback = False

    def __init__(self, index, code_hash, entity_map, constraints):
        super().__init__()
        self.index = index
        self._point = None  # of a space's configuration: its position in each knob's candidates
        self.code_hash = code_hash
        self._entity_map = dict(entity_map)
        self.constraints = constraints

    def _define(self, name, candidates, axes, policy, kwargs):
        if candidates is _split_candidates and name in self._entity_map:
            return [VirtualAxis(None, f"{axes[0].name}.{i}")
                    for i in range(len(self._entity_map[name].size))]
        return axes

    def __getitem__(self, name):
        return _entity_of(self._entity_map, name)

    def to_json_dict(self):
        """{"index": number, "code_hash": None, "entity": [[knob, kind, value]...]}"""
        return {"index": self.index, "code_hash": self.code_hash,
                "entity": [[name, one.kind, one.to_json()] for name, one in self._entity_map.items()]}

    @staticmethod
    def from_json_dict(json_dict):
        """The configuration of such a dict, as logs have it."""
        entities = {name: _ENTITIES[kind](value) for name, kind, value in json_dict["entity"]}
        return ConfigEntity(json_dict["index"], json_dict.get("code_hash"), entities, [])

    def get_other_option(self):
        """{knob: value} of the knobs that `define_knob` made."""
        return {name: one.val for name, one in self._entity_map.items() if one.kind == "ot"}

    def __eq__(self, other):
        return isinstance(other, ConfigEntity) and self.to_json_dict() == other.to_json_dict()

    def __hash__(self):
        return hash(repr(self.to_json_dict()))

    def __repr__(self):
        return ", ".join(f"{name}={one!r}" for name, one in self._entity_map.items()) or "no knobs"


class FallbackConfigEntity(ConfigSpace):
    """The configuration of a template that was not tuned: the first candidate of each knob.

    A template that knows better asks `cfg.is_fallback` and sets its knobs: `cfg["tile"] =
    SplitEntity([-1, 8])`, or `fallback_split`.

    Example:
        >>> from lathe import autotvm
        >>> config = autotvm.task.space.FallbackConfigEntity()
        >>> _ = config.define_split("tile", 96, num_outputs=2)
        >>> config.fallback_split("tile", [-1, 16])
        >>> config["tile"].size
        [-1, 16]
    """

    is_fallback = True
    index = -1

    def __setitem__(self, name, entity):
        self._entity_map[name] = entity

    def fallback_split(self, name, constraints):
        """Takes the split with the longest inner loops.

        Args:
            constraints: for each loop, from the outer to the inner: the longest that it may be, or
                -1. The outermost has what is left.
        """
        def fits(size):
            return all(limit <= 0 or 0 < length <= limit
                       for limit, length in list(zip(constraints, size))[1:])

        fitting = [one.size for one in self.space_map[name] if fits(one.size)]
        if len(constraints) != len(self.space_map[name][0].size) or not fitting:
            raise LatheValueError(f"no candidate of `{name}` keeps to {constraints}", "tune-split")
        limited = [i for i, limit in enumerate(constraints) if limit > 0 and i > 0]
        self[name] = SplitEntity(max(fitting, key=lambda size: [
            math.prod(size[i] for i in limited), [size[i] for i in limited[::-1]],
            [-length for length in size[1:]]]))

    def __repr__(self):
        return ", ".join(f"{name}={one!r}" for name, one in self._entity_map.items()) + " (fallback)"
