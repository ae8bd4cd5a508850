"""Functions that make computations, by name."""

import json

from .. import _nodes
from ..autotvm.task import serialize_args
from ..autotvm.task.task import deserialize_args
from ..contrib import _by_value
from ..error import LatheError, LatheTypeError

#: {name: function that makes the tensors}: what `register_workload` registered.
WORKLOAD_FUNC_REGISTRY = {}
_functions = WORKLOAD_FUNC_REGISTRY
_tensors = {}  # by key


def register_workload(func_name, f=None, override=False):
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
    if callable(func_name):
        func_name, f = func_name.__name__, func_name

    def add(function):
        known = _functions.get(func_name)
        # A module that is imported again brings the same functions.
        if known is not None and not override and (
                known.__module__, known.__qualname__) != (function.__module__, function.__qualname__):
            raise LatheError(f"there is a workload `{func_name}` already", "auto-scheduler-workload",
                             "help: choose another name, or pass override=True")
        _functions[func_name] = function
        return function

    return add if f is None else add(f)


def make_workload_key(func, args):
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
    name = func if isinstance(func, str) else func.__name__
    if name not in _functions:
        raise LatheError(f"there is no workload `{name}`", "auto-scheduler-workload",
                         f"expected: {', '.join(sorted(_functions)) or 'one that is registered'}\n"
                         "help: @auto_scheduler.register_workload registers a function")
    return json.dumps([name, *serialize_args(args)])


def register_workload_tensors(workload_key, tensors, override=True):
    """Registers the tensors of a computation under a key: it needs no function.

    Args:
        override: replace those of that key.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> key = auto_scheduler.register_workload_tensors("docs", [te.placeholder((4,), name="A")])
        >>> len(auto_scheduler.workload_registry.workload_key_to_tensors("docs"))
        1
    """
    if override or workload_key not in _tensors:
        _tensors[workload_key] = list(tensors)
    return workload_key


def workload_key_to_tensors(workload_key):
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
    if workload_key in _tensors:
        return list(_tensors[workload_key])
    if not workload_key.startswith("["):
        raise LatheError(f"there is no workload with the key {workload_key!r}",
                         "auto-scheduler-workload",
                         "help: register_workload_tensors registers the tensors of a key")
    name, *args = json.loads(workload_key)
    function = _functions.get(name)
    if function is None:
        raise LatheError(f"there is no workload `{name}`", "auto-scheduler-workload")
    tensors = list(function(*deserialize_args(_tuples(args))))
    for tensor in tensors:
        if not isinstance(tensor, _nodes.CLASSES["Tensor"]):
            raise LatheTypeError(f"the workload `{name}` returns what is no tensor",
                                 "auto-scheduler-workload", "expected: a list of tensors, inputs and "
                                 f"outputs\nfound: {tensor!r}")
    return tensors


def serialize_workload_registry_entry(workload_key):
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
    if workload_key in _tensors:
        return [workload_key, _by_value.dumps(("tensors", _tensors[workload_key]))]
    name = json.loads(workload_key)[0] if workload_key.startswith("[") else workload_key
    if name not in _functions:
        raise LatheError(f"there is no workload `{name}`", "auto-scheduler-workload",
                         f"expected: {', '.join(sorted(_functions)) or 'one that is registered'}")
    return [name, _by_value.dumps(("function", _functions[name]))]


def deserialize_workload_registry_entry(data):
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
    name, content = data
    if name in _tensors or name in _functions:
        return
    kind, value = _by_value.loads(content)
    (_tensors if kind == "tensors" else _functions)[name] = value


def _tuples(item):
    return tuple(_tuples(one) for one in item) if isinstance(item, list) else item
