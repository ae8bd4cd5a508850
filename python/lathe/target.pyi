"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Object as Object
from lathe.error import LatheTypeError as LatheTypeError

class GenericFunc:
    """A default function, and others by key of the current target."""
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def get_packed_func(self) -> Any: ...
    def register(self, keys: Any, func: Any = ..., allow_override: Any = ...) -> Any: ...
    def __init__(self, default: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Target(Object):
    """What code is made for: Target("llvm -mcpu=znver4"), Target("cuda", host="llvm").

    In `with target:` it is the target of builds that name none, in this thread.
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
    def attrs(self) -> dict[str, str]:
        """Its attributes, defaults included: a dict of str."""

    @staticmethod
    def current(allow_none: Any = ...) -> Target | None: ...
    @property
    def device_name(self) -> str:
        """The family of devices (-device=)."""

    @property
    def has_threads(self) -> bool:
        """Do loops of its kernels get bound to threads?"""

    @property
    def host(self) -> Target | None:
        """The target of the code that launches this one's; None where none was given."""

    @property
    def keys(self) -> list[str]:
        """What schedules dispatch on, the most specific first."""

    @property
    def kind(self) -> TargetKind:
        """Its kind: "llvm", "cuda", ..."""

    @property
    def libs(self) -> list[str]:
        """Libraries that operators may call."""

    @property
    def model(self) -> str:
        """A name for tuning records."""

    ...

class TargetKind(str):
    """The name of a kind of target."""
    @property
    def name(self) -> Any:
        """The name itself."""

    ...

def create(target: Any, host: Any = ...) -> Any:
    """What code is made for: Target("llvm -mcpu=znver4"), Target("cuda", host="llvm").

    In `with target:` it is the target of builds that name none, in this thread.
    """

def generic_func(fdefault: Any) -> GenericFunc:
    """A function that targets may have their own versions of.

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
    """The kinds of targets that the plugins at hand provide."""
