"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.autotvm.task.task import deserialize_args as deserialize_args
from lathe.autotvm.task.task import serialize_args as serialize_args

WORKLOAD_FUNC_REGISTRY: Any

def deserialize_workload_registry_entry(data: Any) -> Any:
    """Registers a workload that `serialize_workload_registry_entry` gave, unless it is registered here.

    The bytes are unpickled: take them from a process that you trust.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> registry = auto_scheduler.workload_registry
        >>> _ = auto_scheduler.register_workload_tensors("docs_moved", [te.placeholder((4,), name="A")])
        >>> name, content = registry.serialize_workload_registry_entry("docs_moved")
        >>> registry.deserialize_workload_registry_entry(["docs_arrived", content])  # a name that is new here
        >>> registry.workload_key_to_tensors("docs_arrived")[0].op.name
        'A'
    """

def make_workload_key(func: Any, args: Any) -> Any:
    """The key of a workload: JSON of the name and the arguments.

    Args:
        func: a registered function, or its name.
        args: numbers, text, None, tensors and lists of these.

    Raises:
        LatheError: `auto-scheduler-workload`: it is not registered.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> @auto_scheduler.register_workload
        ... def docs_nothing(n, shape):
        ...     return []
        >>> auto_scheduler.make_workload_key(docs_nothing, (4, (2, 3)))
        '["docs_nothing", 4, [2, 3]]'
    """

def register_workload(func_name: Any, f: Any = ..., override: Any = ...) -> Any:
    """Registers a function that returns the tensors of a computation: its inputs, then its outputs.

    Args:
        func_name: the name, or the function, whose own name is taken then.
        f: the function; without it a decorator is returned.
        override: replace one of that name.

    Raises:
        LatheError: `auto-scheduler-workload`: there is one of that name.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> @auto_scheduler.register_workload("docs_copy")
        ... def copy(n):
        ...     A = te.placeholder((n,), name="A")
        ...     return [A, te.compute((n,), lambda i: A[i], name="B")]
        >>> auto_scheduler.make_workload_key("docs_copy", (8,))
        '["docs_copy", 8]'
    """

def register_workload_tensors(workload_key: Any, tensors: Any, override: Any = ...) -> Any:
    """Registers the tensors of a computation under a key: it needs no function.

    Args:
        override: replace those of that key.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> key = auto_scheduler.register_workload_tensors("docs", [te.placeholder((4,), name="A")])
        >>> len(auto_scheduler.workload_registry.workload_key_to_tensors("docs"))
        1
    """

def serialize_workload_registry_entry(workload_key: Any) -> Any:
    """What another process needs to know a workload, for `deserialize_workload_registry_entry`.

    Args:
        workload_key: of a workload that is registered here.

    Returns:
        A list [name or key, bytes].

    Raises:
        LatheError: `auto-scheduler-workload`: there is none of that key.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> registry = auto_scheduler.workload_registry
        >>> _ = auto_scheduler.register_workload_tensors("docs_sent", [te.placeholder((4,), name="A")])
        >>> entry = registry.serialize_workload_registry_entry("docs_sent")
        >>> registry.deserialize_workload_registry_entry(entry)
        >>> registry.workload_key_to_tensors("docs_sent")[0].op.name
        'A'
    """

def workload_key_to_tensors(workload_key: Any) -> Any:
    """The tensors that the workload of a key computes.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> @auto_scheduler.register_workload
        ... def docs_input(n):
        ...     return [te.placeholder((n,), name="A")]
        >>> key = auto_scheduler.make_workload_key(docs_input, (4,))
        >>> auto_scheduler.workload_registry.workload_key_to_tensors(key)[0].op.name
        'A'
    """
