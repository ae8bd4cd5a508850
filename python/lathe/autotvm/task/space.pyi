"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError

class AnnotateEntity:
    """A word for each axis: "none", "unroll", "vec", a thread such as "threadIdx.x", "fuse".

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.space.AnnotateEntity(["none", "vec"]).anns
        ['none', 'vec']
    """
    def __repr__(self) -> str: ...
    def apply(self, sch: Any, op: Any, axes: Any, axis_lens: Any = ..., max_unroll: Any = ..., vec_size: Any = ..., cfg: Any = ..., source: Any = ...) -> Any: ...
    def to_json(self) -> Any: ...
    def __init__(self, anns: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class OtherOptionEntity:
    """A value of `define_knob`.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.space.OtherOptionEntity(4).val
        4
    """
    def __repr__(self) -> str: ...
    def to_json(self) -> Any: ...
    def __init__(self, val: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class ReorderEntity:
    """An order of loops: numbers of axes, from the outer to the inner.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.space.ReorderEntity([1, 0]).perm
        [1, 0]
    """
    def __repr__(self) -> str: ...
    def apply(self, sch: Any, op: Any, axes: Any) -> Any: ...
    def to_json(self) -> Any: ...
    def __init__(self, perm: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class SplitEntity:
    """Lengths of the loops that a loop is split into, from the outer to the inner; -1: what is left.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.space.SplitEntity([-1, 8]).size
        [-1, 8]
    """
    def __repr__(self) -> str: ...
    def apply(self, sch: Any, op: Any, axis: Any) -> Any: ...
    def to_json(self) -> Any: ...
    def __init__(self, size: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class VirtualAxis:
    """A loop of a space: of a schedule, or one that a split will make.

    Attributes:
        length: the number of its iterations, or None if nobody knows it yet.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.ConfigSpace().axis(512).length
        512
    """
    def __repr__(self) -> str: ...
    def __init__(self, var: Any, name: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class ConfigEntity(_Definer):
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
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __getitem__(self, name: Any) -> Any: ...
    def __repr__(self) -> str: ...
    @staticmethod
    def from_json_dict(json_dict: Any) -> Any: ...
    def get_other_option(self) -> Any: ...
    def to_json_dict(self) -> Any: ...
    def __init__(self, index: Any, code_hash: Any, entity_map: Any, constraints: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class ConfigSpace(_Definer):
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
    def __getitem__(self, name: Any) -> Any: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    @property
    def dims(self) -> Any:
        """The number of candidates of each knob."""

    @property
    def filtered_length(self) -> Any:
        """The number of configurations that filters accept; takes time with `range_length`."""

    def get(self, index: Any) -> Any: ...
    def is_index_valid(self, index: Any) -> Any: ...
    def multi_filter(self, filter: Any = ...) -> Any: ...
    @property
    def range_length(self) -> Any:
        """The number of configurations, those that filters leave out included."""

    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

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
    def __repr__(self) -> str: ...
    def __setitem__(self, name: Any, entity: Any) -> Any: ...
    def fallback_split(self, name: Any, constraints: Any) -> Any: ...
    ...

class InstantiationError(LatheValueError):
    """A configuration of which the template made no schedule; `ConfigSpace.raise_error` says why.

    Example:
        >>> from lathe import autotvm
        >>> issubclass(autotvm.task.space.InstantiationError, ValueError)
        True
    """
    ...
