"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Object as Object
from lathe._compilation_config import CompilationConfig as CompilationConfig
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe._virtual_device import VirtualDevice as VirtualDevice
from lathe._named_targets import adreno as adreno
from lathe._named_targets import arm_cpu as arm_cpu
from lathe._named_targets import bifrost as bifrost
from lathe._named_targets import cuda as cuda
from lathe._named_targets import intel_graphics as intel_graphics
from lathe._compilation_config import make_compilation_config as make_compilation_config
from lathe._named_targets import mali as mali
from lathe._named_targets import riscv_cpu as riscv_cpu

class GenericFunc:
    """A default function, and versions for keys of the current target.

    Args:
        default: the function for all other targets.

    Example:
        >>> import lathe
        >>> schedule_it = lathe.target.GenericFunc(lambda: "any")
        >>> schedule_it()
        'any'
    """
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_packed_func(self) -> Any: ...
    def register(self, keys: Any, func: Any = ..., allow_override: Any = ...) -> Any: ...
    def set_default(self, func: Any, allow_override: Any = ...) -> Any: ...
    def __init__(self, default: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Target(Object):
    """A machine to compile for: Target("llvm -mcpu=znver4"), Target("cuda", host="llvm").

    Within `with target:` this thread's builds use it if they name no target.

    Example:
        >>> import lathe
        >>> target = lathe.Target("llvm -mcpu=x86-64")
        >>> target.kind, target.attrs["mcpu"]
        ('llvm', 'x86-64')
    """
    def __enter__(self) -> Any: ...
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __exit__(self, *exc: Any) -> Any: ...
    def __ne__(self, other: Any) -> Any: ...  # type: ignore[override]
    @staticmethod
    def __new__(cls, target: Any, host: Any = ...) -> Target: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    @property
    def arch(self) -> Any:
        """The architecture of a GPU (`-arch=`); "" if none is named."""

    @property
    def attrs(self) -> dict[str, str]:
        """The attributes, including defaults: a dict of str."""

    @staticmethod
    def canon_multi_target(multi_targets: Any) -> Any: ...
    @staticmethod
    def canon_multi_target_and_host(target: Any, target_host: Any = ...) -> Any: ...
    @staticmethod
    def canon_target(target: Any) -> Any: ...
    @staticmethod
    def canon_target_and_host(target: Any, target_host: Any = ...) -> Any: ...
    @staticmethod
    def current(allow_none: Any = ...) -> Target | None: ...
    @property
    def device_name(self) -> str:
        """The family of devices (-device=)."""

    def export(self) -> Any: ...
    def get_kind_attr(self, attr_name: Any) -> Any: ...
    @property
    def has_threads(self) -> bool:
        """Are loops of its kernels bound to threads?"""

    @property
    def host(self) -> Target | None:
        """The target of the code that launches this target's kernels; None if none was given."""

    @property
    def keys(self) -> list[str]:
        """The keys that schedules dispatch on, the most specific first."""

    @property
    def kind(self) -> TargetKind:
        """The kind of target: "llvm", "cuda", ..."""

    @property
    def libs(self) -> list[str]:
        """Libraries that operators may call."""

    @staticmethod
    def list_kinds() -> Any: ...
    @property
    def mattr(self) -> Any:
        """The features of the processor (`-mattr=`), as a list."""

    @property
    def max_num_threads(self) -> Any:
        """The most threads that a block may have (int); None if the target does not say."""

    @property
    def mcpu(self) -> Any:
        """The processor (`-mcpu=`); "" if none is named."""

    @property
    def model(self) -> str:
        """A name for tuning records."""

    @staticmethod
    def target_or_current(target: Any) -> Any: ...
    @property
    def thread_warp_size(self) -> Any:
        """The number of threads that run in lockstep (int); None if the target does not say."""

    def with_host(self, host: Any = ...) -> Any: ...
    ...

class TargetKind(str):
    """The name of a kind of target.

    Example:
        >>> import lathe
        >>> lathe.Target("llvm").kind.name
        'llvm'
    """
    @staticmethod
    def __new__(cls, name: Any) -> Any: ...
    @property
    def name(self) -> Any:
        """The name itself."""

    ...

def create(target: Any, host: Any = ...) -> Any:
    """A machine to compile for: Target("llvm -mcpu=znver4"), Target("cuda", host="llvm").

    Within `with target:` this thread's builds use it if they name no target.

    Example:
        >>> import lathe
        >>> target = lathe.Target("llvm -mcpu=x86-64")
        >>> target.kind, target.attrs["mcpu"]
        ('llvm', 'x86-64')
    """

def generic_func(fdefault: Any) -> GenericFunc:
    """A decorator: the function is the default version; targets may have their own versions.

    Example:
        >>> import lathe
        >>> @lathe.target.generic_func
        ... def schedule_it():
        ...     return "any"
        >>> @schedule_it.register("cpu")
        ... def _():
        ...     return "for processors"
        >>> with lathe.target.Target("llvm"):
        ...     schedule_it()
        'for processors'
    """

def list_kinds() -> list[str]:
    """The kinds of targets that the available plugins provide.

    Example:
        >>> import lathe
        >>> "llvm" in lathe.target.list_kinds()
        True
    """

def list_tags() -> Any:
    """{tag: Target} of all tags: Lathe's own, and those registered with `register_tag`.

    Example:
        >>> import lathe
        >>> _ = lathe.target.register_tag("doc/listed", "llvm", override=True)
        >>> "doc/listed" in lathe.target.list_tags()
        True
    """

def register_tag(name: Any, config: Any, override: Any = ...) -> Any:
    """Registers a short name for a target: from now on Target(name) gives Target(config).

    Args:
        name: such as "our/board-2".
        config: text or dict.
        override: whether it may replace a target of that name.

    Returns:
        The Target.

    Raises:
        LatheError: `target-tag-taken`; or the target is wrong.

    Example:
        >>> import lathe
        >>> _ = lathe.target.register_tag("doc/small", "llvm -mcpu=x86-64", override=True)
        >>> lathe.Target("doc/small").attrs["mcpu"]
        'x86-64'
    """
