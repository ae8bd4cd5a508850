"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.tir._hoist import HoistedConditionals as HoistedConditionals
from lathe.tir._hoist import HoistedLetBindings as HoistedLetBindings
from lathe.transform import Pass as Pass
from lathe.transform import Sequential as Sequential
from lathe.target import Target as Target
from lathe.transform import builtin_pass as builtin_pass
from lathe.tir.functor import ir_transform as ir_transform
from lathe.transform import module_pass as module_pass
from lathe.tir.functor import post_order_visit as post_order_visit
from lathe.transform import prim_func_pass as prim_func_pass

def Apply(ftransform: Any) -> Any:
    """A pass that applies `ftransform` (Func -> Func) to each function of a module.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> len(tir.transform.Apply(lambda func: func)(lathe.ir.Module([])))
        0
    """

def BF16Legalize() -> Any:
    """Lathe's pass `legalize_dtypes` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.BF16Legalize().info.name
        'legalize_dtypes'
    """

def BindTarget(target: Any) -> Any:
    """A pass that gives each function of a module a target: the attribute "target", which `lathe.build` reads.

    Args:
        target: text, dict or Target.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> module = lathe.ir.Module([tir.Func("f", [], tir.Evaluate(0))])
        >>> tir.transform.BindTarget("llvm")(module)["f"].attrs["target"].kind
        'llvm'
    """

CLASSES: Any

def CommonSubexprElimTIR(enable_cse_tir: Any = ..., identify_equiv_terms: Any = ...) -> Any:
    """Lathe's pass `cse` as a Pass. Options come from the PassContext.

    Args:
        enable_cse_tir: False: the pass changes nothing.
        identify_equiv_terms: without effect.

    Example:
        >>> from lathe import tir
        >>> tir.transform.CommonSubexprElimTIR().info.name
        'cse'
    """

def CompactBufferAllocation() -> Any:
    """Lathe's pass `compact_realize` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.CompactBufferAllocation().info.name
        'compact_realize'
    """

def ConvertForLoopsToSerial() -> Any:
    """A pass that turns parallel loops into serial ones. Loops bound to threads stay.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> i = te.var("i")
        >>> loop = tir.Func("f", [], tir.For(i, 0, 4, "parallel", tir.Evaluate(i)))
        >>> tir.transform.ConvertForLoopsToSerial()(lathe.ir.Module([loop]))["f"].body.for_kind
        'serial'
    """

def Filter(fcond: Any) -> Any:
    """A pass that keeps the functions for which `fcond` (Func -> bool) holds.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> empty = tir.Func("empty", [], tir.Evaluate(0))
        >>> len(tir.transform.Filter(lambda func: func.name != "empty")(lathe.ir.Module([empty])))
        0
    """

def FlattenBuffer() -> Any:
    """Lathe's pass `flatten` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.FlattenBuffer().info.name
        'flatten'
    """

def HoistExpression() -> Any:
    """A pass that puts conditions and bindings that a loop does not change in front of it.

    The PassContext's config {"tir.HoistExpression": {"hoisted_conditionals": flags, "hoisted_let_bindings":
    flags}} says which (`HoistedConditionals`, `HoistedLetBindings`); by default all, but for conditions that
    depend on a thread axis. A loop is written out for at most four conditions, since each doubles it.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> n, i, A = te.var("n"), te.var("i"), tir.decl_buffer((8,), "float32", "A")
        >>> guarded = tir.IfThenElse(n > 3, tir.BufferStore(A, tir.const(1.0, "float32"), [i]), None)
        >>> func = tir.Func("f", [n, A], tir.For(i, 0, 8, "serial", guarded))
        >>> made = tir.transform.HoistExpression()(lathe.ir.Module([func]))["f"].body
        >>> type(made).__name__, type(made.then_case).__name__
        ('If', 'For')
    """

def HoistIfThenElse(variant: Any = ...) -> Any:
    """A pass that puts the conditions of `if` statements that a loop does not change in front of it.

    The PassContext's config {"tir.HoistIfThenElse": {"support_block_scope_hosting": True}} also moves
    conditions that depend on a thread axis.

    Args:
        variant: None, or "basic": never conditions that depend on a thread axis.

    Raises:
        ValueError: another variant.
        LatheValueError: `unknown-option`: the config has another key; when the pass runs.

    Example:
        >>> from lathe import tir
        >>> tir.transform.HoistIfThenElse().info.name
        'Apply'
    """

def InjectPrefetch() -> Any:
    """Lathe's pass `prefetch` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.InjectPrefetch().info.name
        'prefetch'
    """

def InjectSoftwarePipeline() -> Any:
    """Lathe's pass `software_pipeline` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.InjectSoftwarePipeline().info.name
        'software_pipeline'
    """

def InjectVirtualThread() -> Any:
    """Lathe's pass `virtual_threads` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.InjectVirtualThread().info.name
        'virtual_threads'
    """

def LoopPartition() -> Any:
    """Lathe's pass `loop_partition` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.LoopPartition().info.name
        'loop_partition'
    """

def LowerIntrin() -> Any:
    """Lathe's pass `intrinsics` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.LowerIntrin().info.name
        'intrinsics'
    """

def LowerTVMBuiltin() -> Any:
    """Lathe's pass `packed_calls` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.LowerTVMBuiltin().info.name
        'packed_calls'
    """

def LowerThreadAllreduce() -> Any:
    """Lathe's pass `allreduce` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.LowerThreadAllreduce().info.name
        'allreduce'
    """

def LowerWarpMemory() -> Any:
    """Lathe's pass `warp_memory` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.LowerWarpMemory().info.name
        'warp_memory'
    """

def MakePackedAPI(num_unpacked_params: Any = ...) -> Any:
    """Lathe's pass `bind_arguments` as a Pass. Options come from the PassContext.

    Args:
        num_unpacked_params: without effect: all parameters are packed.

    Example:
        >>> from lathe import tir
        >>> tir.transform.MakePackedAPI().info.name
        'bind_arguments'
    """

def MergeDynamicSharedMemoryAllocations() -> Any:
    """Lathe's pass `shared_memory` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.MergeDynamicSharedMemoryAllocations().info.name
        'shared_memory'
    """

NAMES: Any

def NarrowDataType(target_bits: Any = ...) -> Any:
    """Lathe's pass `narrow` as a Pass. Options come from the PassContext.

    Args:
        target_bits: without effect: indices get the narrowest type that holds them.

    Example:
        >>> from lathe import tir
        >>> tir.transform.NarrowDataType().info.name
        'narrow'
    """

def RewriteUnsafeSelect() -> Any:
    """A pass that turns a select whose operand may fail into a choice that evaluates only one operand.

    A select evaluates both operands. Loads, divisions by what is no constant, and calls with effects
    may fail or do something; a choice (`tir.if_then_else`) guards them by its condition.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> A, i = tir.decl_buffer((8,), "float32", "A"), te.var("i")
        >>> read = tir.Select(i < 8, A.vload([i]), tir.const(0.0, "float32"))
        >>> func = tir.Func("f", [i, A], tir.Evaluate(read))
        >>> "if_then_else" in str(tir.transform.RewriteUnsafeSelect()(lathe.ir.Module([func])))
        True
    """

def Simplify() -> Any:
    """Lathe's pass `simplify` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.Simplify().info.name
        'simplify'
    """

def SkipAssert() -> Any:
    """A pass that removes assertions. Later passes and the code trust what they checked.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> checked = tir.Func("f", [], tir.Assert(tir.const(False), "never", "never holds"))
        >>> "never" in str(tir.transform.SkipAssert()(lathe.ir.Module([checked])))
        False
    """

def SplitHostDevice() -> Any:
    """Lathe's pass `split_device` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.SplitHostDevice().info.name
        'split_device'
    """

def StorageFlatten(cache_line_size: Any = ..., create_bound_attribute: Any = ...) -> Any:
    """Lathe's pass `flatten` as a Pass. Options come from the PassContext.

    Args:
        cache_line_size: without effect: `tir.decl_buffer` says the alignment of memory.
        create_bound_attribute: without effect.

    Example:
        >>> from lathe import tir
        >>> tir.transform.StorageFlatten().info.name
        'flatten'
    """

def StorageRewrite() -> Any:
    """Lathe's pass `storage_reuse` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.StorageRewrite().info.name
        'storage_reuse'
    """

def ThreadSync(storage_scope: Any = ...) -> Any:
    """Lathe's pass `barriers` as a Pass. Options come from the PassContext.

    Args:
        storage_scope: without effect: all memory that threads share is synchronized.

    Example:
        >>> from lathe import tir
        >>> tir.transform.ThreadSync().info.name
        'barriers'
    """

def UnifyThreadBinding() -> Any:
    """Lathe's pass `thread_axes` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.UnifyThreadBinding().info.name
        'thread_axes'
    """

def UnrollLoop() -> Any:
    """Lathe's pass `unroll` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.UnrollLoop().info.name
        'unroll'
    """

def VectorizeLoop(enable_vectorize: Any = ...) -> Any:
    """Lathe's pass `vectorize` as a Pass. Options come from the PassContext.

    Args:
        enable_vectorize: False: vectorized loops become serial ones.

    Example:
        >>> from lathe import tir
        >>> tir.transform.VectorizeLoop().info.name
        'vectorize'
    """

def VerifyMemory() -> Any:
    """Lathe's pass `verify_memory` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.VerifyMemory().info.name
        'verify_memory'
    """
