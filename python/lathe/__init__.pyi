"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.runtime.device import Device as Device
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheError as LatheError
from lathe.runtime.module import Module as Module
from lathe.transform import PassContext as PassContext
from lathe.target import Target as Target
from lathe.runtime.tensor import Tensor as Tensor
from . import arith as arith
from lathe.runtime.tensor import array as array
from . import as_tvm as as_tvm
from . import auto_scheduler as auto_scheduler
from . import autotvm as autotvm
from lathe._explain import bisect as bisect
from lathe.driver import build as build
from lathe.runtime.device import cl as cl
from . import codegen as codegen
from . import compat as compat
from . import contrib as contrib
from lathe.runtime.device import cpu as cpu
from lathe.runtime.device import cuda as cuda
from lathe.driver import default_schedule as default_schedule
from lathe.runtime.device import device as device
from . import driver as driver
from lathe.runtime.tensor import empty as empty
from . import error as error
from . import exec as exec
from lathe._explain import explain as explain
from lathe.runtime.device import ext_dev as ext_dev
from lathe.runtime.tensor import from_dlpack as from_dlpack
from lathe.runtime.packed_func import get_global_func as get_global_func
from lathe.runtime.device import hexagon as hexagon
from . import instrument as instrument
from . import ir as ir
from lathe.runtime.module import load_module as load_module
from lathe.driver import lower as lower
from lathe.runtime.device import metal as metal
from . import nd as nd
from . import parser as parser
from lathe.runtime.packed_func import register_func as register_func
from lathe.tir import register_intrin_lowering as register_intrin_lowering
from lathe.ir import register_op_attr as register_op_attr
from . import relay as relay
from lathe.runtime.device import rocm as rocm
from . import rpc as rpc
from . import runtime as runtime
from . import support as support
from . import target as target
from . import te as te
from . import testing as testing
from . import tir as tir
from . import topi as topi
from . import transform as transform
from . import tune as tune
from . import tvmc as tvmc
from . import utils as utils
from lathe.runtime.device import vpi as vpi
from lathe.runtime.device import vulkan as vulkan
from lathe.runtime.device import webgpu as webgpu
from lathe.driver import workload_key as workload_key

__version__: Any

def show_versions() -> Any:
    """Prints the versions of lathe, Python, the packages lathe works with, and the plugins.

    Example:
        >>> import lathe
        >>> lathe.show_versions()    # doctest: +ELLIPSIS
        lathe ...
    """

def __getattr__(name: str) -> Any: ...
