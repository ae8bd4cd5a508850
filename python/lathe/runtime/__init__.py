"""The runtime for compiled code: devices, tensors, functions, modules."""

from .device import Device, cl, cpu, cuda, device, ext_dev, hexagon, metal, rocm, vpi, vulkan, webgpu
from .module import BenchmarkResult, Module, load_module
from .packed_func import (PackedFunc, _init_api, convert_to_function, get_global_func, list_global_func_names,
                          register_func, remove_global_func)
from . import container, vm
from .. import _lazy
from .tensor import NDArray, Tensor, array, empty, from_dlpack
from .._ffi import get as _get


_LAZY = ("profiler_vm",)
__getattr__ = _lazy.submodules(__name__, _LAZY)


def num_threads():
    """The number of threads that parallel loops run on.

    Example:
        >>> import lathe
        >>> lathe.runtime.num_threads() >= 1
        True
    """
    return _get("runtime.num_threads")()


def set_num_threads(n):
    """Sets the number of threads that parallel loops run on from now on.

    Example:
        >>> import lathe
        >>> lathe.runtime.set_num_threads(lathe.runtime.num_threads())
    """
    _get("runtime.set_num_threads")(n)


def enabled(target):
    """Is there a code generator for a kind of target? It does not check for devices.

    Args:
        target: a kind ("llvm", "cuda"), text or Target.

    Example:
        >>> import lathe
        >>> lathe.runtime.enabled("llvm"), lathe.runtime.enabled("no-such-kind")
        (True, False)
    """
    words = str(target).split()
    return bool(words) and words[0] in _get("target.known_kinds")()


def save_param_dict(params):
    """Named tensors as bytes, for `load_param_dict`.

    Args:
        params: {name: Tensor or array}.

    Example:
        >>> import lathe, numpy as np
        >>> data = lathe.runtime.save_param_dict({"w": np.arange(3, dtype="float32")})
        >>> lathe.runtime.load_param_dict(data)["w"].numpy().tolist()
        [0.0, 1.0, 2.0]
    """
    named = []
    for name, item in dict(params).items():
        named += [str(name), array(item)]
    return _get("graph.encode_params")(*named)


def load_param_dict(param_bytes):
    """{name: Tensor} from bytes of `save_param_dict`. Raises ValueError for other or damaged bytes.

    Example:
        >>> import lathe
        >>> lathe.runtime.load_param_dict(lathe.runtime.save_param_dict({}))
        {}
    """
    found = _get("graph.decode_params")(bytes(param_bytes))
    return dict(zip(found[::2], found[1::2]))
