"""What runs compiled code: devices, tensors, functions, modules."""

from .device import Device, cl, cpu, cuda, device
from .module import BenchmarkResult, Module, load_module
from .packed_func import (PackedFunc, convert_to_function, get_global_func, list_global_func_names,
                          register_func, remove_global_func)
from .tensor import NDArray, Tensor, array, empty, from_dlpack
from .._ffi import get as _get


def num_threads():
    """How many threads parallel loops run on."""
    return _get("runtime.num_threads")()


def set_num_threads(n):
    """Parallel loops run on `n` threads from now on."""
    _get("runtime.set_num_threads")(n)
