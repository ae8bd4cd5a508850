"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheLookupError as LatheLookupError
from lathe.error import LatheValueError as LatheValueError

class Choice:
    """Base of both: a name, and options of it. `name in choice`: has the option a value? `choice[name]`: which?"""
    def __contains__(self, name: Any) -> Any: ...
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __getitem__(self, name: Any) -> Any: ...
    def __repr__(self) -> str: ...
    def __init__(self, name: Any, options: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Executor(Choice):
    """Who runs a graph: "graph", or "aot". `relay.build` makes the same for both: a plan with its kernels.

    Args:
        name: "graph" or "aot".
        options: of those that TVM has; they have no effect: weights are always part of what `export_library` writes.

    Raises:
        LatheError: `relay-choice`: an unknown name or option.

    Example:
        >>> from lathe import relay
        >>> relay.backend.Executor("graph", {"link-params": True})["link-params"]
        True
        >>> "interface-api" in relay.backend.Executor("aot")
        False
    """
    ...

class Runtime(Choice):
    """The runtime of compiled graphs: "cpp". There is no "crt": boards have the same runtime (docs/adding_a_board.md).

    Args:
        name: "cpp".
        options: of those that TVM has; they have no effect.

    Raises:
        LatheError: `relay-choice`: an unknown name or option.

    Example:
        >>> from lathe import relay
        >>> relay.backend.Runtime("cpp").name
        'cpp'
    """
    ...
