"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.runtime.module import BenchmarkResult as BenchmarkResult
from lathe.runtime.device import Device as Device
from lathe.runtime.module import Module as Module
from lathe.runtime.tensor import Tensor as Tensor
from lathe._core import Function as Function
from lathe.runtime.device import cl as cl
from . import container as container
from lathe.runtime.packed_func import convert_to_function as convert_to_function
from lathe.runtime.device import cpu as cpu
from lathe.runtime.device import cuda as cuda
from lathe.runtime.device import device as device
from lathe.runtime.device import ext_dev as ext_dev
from lathe.runtime.tensor import from_dlpack as from_dlpack
from lathe.runtime.packed_func import get_global_func as get_global_func
from lathe.runtime.device import hexagon as hexagon
from lathe.runtime.packed_func import list_global_func_names as list_global_func_names
from lathe.runtime.module import load_module as load_module
from lathe.runtime.device import metal as metal
from . import module as module
from . import packed_func as packed_func
from lathe.runtime.packed_func import register_func as register_func
from lathe.runtime.packed_func import remove_global_func as remove_global_func
from lathe.runtime.device import rocm as rocm
from . import tensor as tensor
from . import vm as vm
from lathe.runtime.device import vpi as vpi
from lathe.runtime.device import vulkan as vulkan
from lathe.runtime.device import webgpu as webgpu

NDArray = Tensor

PackedFunc = Function

def array(arr: Any, device: Any = ..., mem_scope: Any = ..., dtype: Any = ...) -> Tensor:
    """A tensor with a copy of the elements of an array, list or number.

    Args:
        arr: a NumPy array, a tensor, nested lists or a number. Lists have NumPy's types: of floats float64.
        device: the tensor's device; the host by default.
        mem_scope: a memory scope of the device.
        dtype: the element type; that of `arr` by default.

    Example:
        >>> import lathe, numpy as np
        >>> lathe.nd.array(np.arange(3, dtype="float32")).numpy().tolist()
        [0.0, 1.0, 2.0]
    """

def empty(shape: Any, dtype: Any = ..., device: Any = ..., mem_scope: Any = ...) -> Tensor:
    """A tensor with uninitialized elements.

    Args:
        shape: the extents (int), or a single extent.
        dtype: the element type.
        device: the tensor's device; the host by default.
        mem_scope: a memory scope of the device.

    Example:
        >>> import lathe
        >>> lathe.nd.empty((2, 3), "int8").nbytes
        6
    """

def enabled(target: Any) -> Any:
    """Is there a code generator for a kind of target? It does not check for devices.

    Args:
        target: a kind ("llvm", "cuda"), text or Target.

    Example:
        >>> import lathe
        >>> lathe.runtime.enabled("llvm"), lathe.runtime.enabled("no-such-kind")
        (True, False)
    """

def load_param_dict(param_bytes: Any) -> Any:
    """{name: Tensor} from bytes of `save_param_dict`. Raises ValueError for other or damaged bytes.

    Example:
        >>> import lathe
        >>> lathe.runtime.load_param_dict(lathe.runtime.save_param_dict({}))
        {}
    """

def num_threads() -> Any:
    """The number of threads that parallel loops run on.

    Example:
        >>> import lathe
        >>> lathe.runtime.num_threads() >= 1
        True
    """

def save_param_dict(params: Any) -> Any:
    """Named tensors as bytes, for `load_param_dict`.

    Args:
        params: {name: Tensor or array}.

    Example:
        >>> import lathe, numpy as np
        >>> data = lathe.runtime.save_param_dict({"w": np.arange(3, dtype="float32")})
        >>> lathe.runtime.load_param_dict(data)["w"].numpy().tolist()
        [0.0, 1.0, 2.0]
    """

def set_num_threads(n: Any) -> Any:
    """Sets the number of threads that parallel loops run on from now on.

    Example:
        >>> import lathe
        >>> lathe.runtime.set_num_threads(lathe.runtime.num_threads())
    """
