"""Lathe: a tensor compiler.

Say what to compute (`lathe.te`) and how (`te.create_schedule`), then compile (`lathe.build`) and
run:

    >>> import lathe, numpy as np
    >>> from lathe import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    >>> f = lathe.build(te.create_schedule(B.op), [A, B], target="llvm")
    >>> b = np.zeros(4, "float32")
    >>> f(np.ones(4, "float32"), b)
    >>> b.tolist()
    [2.0, 2.0, 2.0, 2.0]
"""

from . import _core

_core.check_interpreter()

from . import _ffi, error, te, tir, ir, arith, target, transform, driver, runtime, nd
from . import _lazy, _old_modules, compat
from .error import LatheError
from .driver import bisect, build, default_schedule, explain, lower, workload_key
from .runtime import (Device, Module, Tensor, array, cl, cpu, cuda, device, empty, ext_dev, from_dlpack,
                      get_global_func, hexagon, load_module, metal, register_func, rocm, vpi, vulkan, webgpu)
from .target import Target
from .transform import PassContext

__version__ = _ffi.get("driver.version")()
IRModule = ir.IRModule
register_intrin_lowering = tir.register_intrin_lowering
register_op_attr = ir.register_op_attr

# Loaded on first use.
_LAZY = ("rpc", "contrib", "testing", "codegen", "parser", "instrument", "topi", "relay", "autotvm",
         "auto_scheduler", "tune", "support", "utils")
__getattr__ = _lazy.submodules(__name__, _LAZY)


def show_versions():
    """Prints the versions of lathe, Python, the packages lathe works with, and the plugins.

    Example:
        >>> import lathe
        >>> lathe.show_versions()    # doctest: +ELLIPSIS
        lathe ...
    """
    import platform
    import sys

    print(f"lathe      {__version__}  ({__path__[0]})")
    print(f"python     {sys.version.split()[0]}  ({platform.machine()}, {platform.libc_ver()[1]})")
    for name in ("numpy", "torch", "ml_dtypes"):
        found = _version_of(name)
        print(f"{name:<10} {found or 'not installed'}")
    for title, path, state, reason in _ffi.get("plugins.list")():
        print(f"plugin     {title}: {state}  ({path})" + (f" {reason}" if reason else ""))


def _version_of(name):
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


compat.install(__import__(__name__))
_old_modules.attend(__name__)
