"""Written by python/stubs/make_stubs.py."""

from typing import Any

class Object:
    """A handle of a C++ object, compared and hashed by identity."""
    _object_kind: Any
    handle: Any
    def same_as(self, *args: Any, **kwargs: Any) -> Any: ...
    ...

class Function(Object):
    """A packed function: called with numbers, strings, tensors, arrays of other libraries,
    functions, None, and lists of them.

    Function(callable) makes one of a Python callable.
    """
    def __new__(cls, *args: Any) -> Any: ...
    def __call__(self, *args: Any) -> Any: ...
    __signature__: Any
    __vectorcalloffset__: Any
    borrows: Any
    described: Any
    release_gil: Any
    written: Any
    ...

class Module(Object):
    """A module: `module(...)` calls its entry function."""
    def __call__(self, *args: Any) -> Any: ...
    __vectorcalloffset__: Any
    _entry: Any
    ...

class Tensor(Object):
    """Memory of a device with a shape, strides and an element type."""
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self, *args: Any, **kwargs: Any) -> Any: ...
    @staticmethod
    def _from_dlpack(*args: Any) -> Any: ...
    _lent: Any
    data_ptr: Any
    device: Any
    dtype: Any
    ndim: Any
    read_only: Any
    shape: Any
    strides: Any
    ...

class Device:
    """Which memory and which processor."""
    def __init__(self, kind: int, id: int = ..., session: int = ...) -> None: ...
    device_id: Any
    device_type: Any
    session: Any
    ...

class Field:
    def __new__(cls, *args: Any) -> Any: ...
    __doc__: Any
    ...

def check_interpreter(*args: Any) -> Any: ...

def check_signals(*args: Any) -> Any: ...

def finalize(*args: Any) -> Any: ...

def find_global(*args: Any) -> Any: ...

def get(*args: Any) -> Any: ...

def register_class(*args: Any) -> Any: ...

def register_device_class(*args: Any) -> Any: ...

def set_array_converter(*args: Any) -> Any: ...

def set_error_factory(*args: Any) -> Any: ...
