"""Packed functions: the kind of function that C++, compiled code and Python can all call."""

from .. import _core, _ffi

PackedFunc = Function = _core.Function


class _OfInstances:
    """The parameters of a function, for `inspect.signature`: each Function has a signature of its own, the class none."""

    def __init__(self, of):
        self._of = of

    def __get__(self, function, owner):
        if function is None:
            raise AttributeError("each Function has a signature of its own, the class has none", name="__signature__",
                                 obj=owner)
        return self._of.__get__(function, owner)


Function.__signature__ = _OfInstances(_core.Function.__signature__)
_get = _ffi.get


class Described:
    """What a packed function shows of itself.

    Args:
        name: its name.
        parameters: [(name, type as text)]; None if they are not known.

    Example:
        >>> from lathe.runtime.packed_func import Described
        >>> str(Described("add", [("a", "float32[4]")]))
        'add(a: float32[4])'
    """

    __slots__ = ("name", "parameters")

    def __init__(self, name, parameters=None):
        self.name, self.parameters = name, parameters

    def signature(self):
        """The inspect.Signature."""
        import inspect

        kind = inspect.Parameter.POSITIONAL_ONLY
        if self.parameters is None or any(not name.isidentifier() for name, _ in self.parameters):
            return inspect.Signature([inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)])
        return inspect.Signature([inspect.Parameter(name, kind, annotation=one) for name, one in self.parameters])

    def __str__(self):
        if self.parameters is None:
            return self.name
        return f"{self.name}({', '.join(f'{name}: {kind}' for name, kind in self.parameters)})"


def convert_to_function(callable_):
    """A Python callable as a packed function.

    Example:
        >>> import lathe
        >>> lathe.runtime.convert_to_function(lambda x: x * 2)(21)
        42
    """
    return _core.Function(callable_)


# TVM calls functions of these names while it builds: {name: what a program does here instead}.
_NEVER_CALLED = dict.fromkeys(
    ("tvm_callback_cuda_compile", "tvm_callback_cuda_postproc", "tvm_callback_opencl_postproc", "tvm_callback_rocm_link",
     "tvm_callback_metal_compile"),
    "the plugin of the target compiles its sources; `imported_modules[0].get_source()` shows them, "
    "and a pragma or call_extern brings in code of your own")

# name -> (the packed function, the Python function): those that register_func registered.
_of_python = {}


def python_function(name):
    """The Python function with a name in the registry; None if it is none, or somebody else's.

    Unlike what `get_global_func` gives, it takes and returns any Python object.

    Example:
        >>> import lathe
        >>> _ = lathe.register_func("doc.python", lambda x: x, override=True)
        >>> lathe.runtime.packed_func.python_function("doc.python")([{}])
        [{}]
    """
    made, function = _of_python.get(name, (None, None))
    return function if made is not None and made == get_global_func(name, allow_missing=True) else None


def register_func(func_name, f=None, override=False, *, exported=False):
    """Registers a Python function, so that C++ and compiled code can find it.

    Args:
        func_name: its name; or the function itself, which is then registered under its own name.
        f: the function; without it, this is a decorator.
        override: whether it may replace a function of that name.
        exported: whether remote sessions may call it by name, with arbitrary arguments.

    Raises:
        LatheError: `registry-name-taken`.

    Example:
        >>> import lathe
        >>> @lathe.register_func("doc.add", override=True)
        ... def add(x, y):
        ...     return x + y
        >>> lathe.get_global_func("doc.add")(1, 2)
        3
    """
    if callable(func_name):
        f, func_name = func_name, func_name.__name__

    if func_name in _NEVER_CALLED:
        import warnings

        warnings.warn(f"lathe never calls `{func_name}`: {_NEVER_CALLED[func_name]}", UserWarning, stacklevel=2)

    def register(function):
        made = _core.Function(function)
        _get("registry.register")(func_name, made, bool(override), bool(exported))
        _of_python[func_name] = (made, function)
        return function

    return register if f is None else register(f)


def get_global_func(name, allow_missing=False):
    """The function with a name in the registry. If a plugin provides it, the plugin is loaded.

    Args:
        name: its name.
        allow_missing: if there is none, return None instead of raising.

    Raises:
        LatheError: `registry-not-found`, with the nearest known names; it is also a ValueError.

    Example:
        >>> import lathe
        >>> lathe.get_global_func("no.such.function", allow_missing=True) is None
        True
    """
    from ..error import LatheError, LatheLookupError

    try:
        ready(name)
        function = _core.find_global(name)
        function.described = Described(name)
        return function
    except LatheError as error:
        if error.name not in ("registry-not-found", "plugin-missing"):
            raise
        if allow_missing:
            return None
        if error.name == "registry-not-found":
            raise
        raise LatheLookupError(f"no function `{name}` is registered: {error.message}", "registry-not-found",
                               error.notes, error.code, error.origin, error.where) from None


def ready(name):
    """Registers the function of a name of TVM's, such as "tvm.contrib.random.uniform", if `contrib` has it.

    `tir.call_packed` and `get_global_func` call it, so that compiled code finds these functions.

    Example:
        >>> import lathe
        >>> lathe.runtime.packed_func.ready("tvm.contrib.random.normal")
        >>> "tvm.contrib.random.normal" in lathe.runtime.list_global_func_names("tvm.contrib.")
        True
    """
    if isinstance(name, str) and name.startswith("tvm.contrib.") and name not in _get("registry.names")(name):
        from ..contrib import _names_of_tvm

        _names_of_tvm.register(name)


def list_global_func_names(prefix=""):
    """The names in the registry, sorted.

    Example:
        >>> import lathe
        >>> "te.compute" in lathe.runtime.list_global_func_names("te.")
        True
    """
    return list(_get("registry.names")(prefix))


def remove_global_func(name):
    """Removes a name from the registry.

    Example:
        >>> import lathe
        >>> _ = lathe.register_func("doc.gone", lambda: 1, override=True)
        >>> lathe.runtime.remove_global_func("doc.gone")
        >>> lathe.get_global_func("doc.gone", allow_missing=True) is None
        True
    """
    _of_python.pop(name, None)
    _get("registry.remove")(name)


def _init_api(namespace, target_module_name=None):
    """Puts the registered functions "NAMESPACE.name" into a module, as `name`.

    Args:
        namespace: what the names begin with, without the last dot. That of "tvm." is left out.
        target_module_name: the name of an imported module; by default `namespace`.
    """
    import sys

    module = sys.modules[target_module_name or namespace]
    prefix = namespace.removeprefix("tvm.") + "."
    for name in list_global_func_names(prefix):
        rest = name.removeprefix(prefix)
        if "." not in rest:
            function = get_global_func(name)
            setattr(module, rest, function)
