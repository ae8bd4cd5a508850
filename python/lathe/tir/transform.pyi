"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.transform import Pass as Pass
from lathe.transform import Sequential as Sequential
from lathe.transform import builtin_pass as builtin_pass
from lathe.transform import module_pass as module_pass
from lathe.transform import prim_func_pass as prim_func_pass

def Apply(ftransform: Any) -> Any:
    """A pass that applies `ftransform` (Func -> Func) to each function."""

def CommonSubexprElimTIR(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `cse` as a Pass."""

def FlattenBuffer(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `flatten` as a Pass."""

def InjectPrefetch(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `prefetch` as a Pass."""

def InjectSoftwarePipeline(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `software_pipeline` as a Pass."""

def LoopPartition(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `loop_partition` as a Pass."""

def LowerIntrin(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `intrinsics` as a Pass."""

def LowerTVMBuiltin(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `packed_calls` as a Pass."""

def MakePackedAPI(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `bind_arguments` as a Pass."""

NAMES: Any

def NarrowDataType(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `narrow` as a Pass."""

def Simplify(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `simplify` as a Pass."""

def StorageRewrite(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `storage_reuse` as a Pass."""

def UnrollLoop(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `unroll` as a Pass."""

def VectorizeLoop(*args: Any, **kwargs: Any) -> Any:
    """Lathe's pass `vectorize` as a Pass."""
