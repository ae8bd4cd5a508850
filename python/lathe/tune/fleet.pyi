"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.measure import LocalBuilder as LocalBuilder
from lathe.error import LatheError as LatheError
from lathe.transform import PassContext as PassContext
from lathe.target import Target as Target

class Worker:
    """What a worker of Ray does; `RayBuilder` makes actors of it.

    Example:
        >>> import lathe
        >>> from lathe.tune import fleet
        >>> fleet.Worker().version() == lathe.__version__
        True
    """
    def build(self, version: Any, program: Any, target: Any, context: Any, seconds: Any, most_nodes: Any, isolate: Any) -> Any: ...
    def process(self) -> Any: ...
    def version(self) -> Any: ...
    ...

class RayBuilder(LocalBuilder):
    """Compiles candidates by workers of Ray.

    Args:
        timeout: seconds for each candidate.
        n_parallel: workers; by default as many as Ray has processors.
        address: of a cluster, as `ray.init` takes it; by default Ray is started on this machine,
            unless it is running in this process.
        isolate: as for LocalBuilder.

    Raises:
        LatheError: `tune-no-ray`: the package is not installed; `tune-fleet-version`: workers have
            another version of Lathe; `tune-fleet-busy`: there are not so many free processors. The
            last two when a search begins. `tune-fleet-lost`: workers end again and again; it ends
            the search, since it says nothing about candidates.

    Example:
        >>> import lathe
        >>> from lathe.tune import fleet
        >>> issubclass(fleet.RayBuilder, lathe.autotvm.LocalBuilder)
        True
    """
    def elsewhere(self, target: Any) -> Any: ...
    def __init__(self, timeout: Any = ..., n_parallel: Any = ..., address: Any = ..., *, isolate: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

__version__: Any
