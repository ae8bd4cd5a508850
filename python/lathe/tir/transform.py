"""Lathe's own passes under their usual names: `tir.transform.Simplify()(module)`.

Each function here returns a Pass.

`lathe.transform.passes()` lists all passes under the names that dumps and instruments show.
"""

from .._nodes import CLASSES
from ..transform import Pass, Sequential, builtin_pass, module_pass, prim_func_pass
from .functor import ir_transform

#: usual name -> the pass
NAMES = {
    "Simplify": "simplify",
    "LoopPartition": "loop_partition",
    "InjectSoftwarePipeline": "software_pipeline",
    "InjectPrefetch": "prefetch",
    "MakePackedAPI": "bind_arguments",
    "FlattenBuffer": "flatten",
    "StorageRewrite": "storage_reuse",
    "VectorizeLoop": "vectorize",
    "UnrollLoop": "unroll",
    "NarrowDataType": "narrow",
    "LowerTVMBuiltin": "packed_calls",
    "CommonSubexprElimTIR": "cse",
    "LowerIntrin": "intrinsics",
    "CompactBufferAllocation": "compact_realize",
    "BF16Legalize": "legalize_dtypes",
    "InjectVirtualThread": "virtual_threads",
    "LowerThreadAllreduce": "allreduce",
    "VerifyMemory": "verify_memory",
    "UnifyThreadBinding": "thread_axes",
    "LowerWarpMemory": "warp_memory",
    "MergeDynamicSharedMemoryAllocations": "shared_memory",
    "ThreadSync": "barriers",
    "SplitHostDevice": "split_device",
}


def _named(name, builtin):
    def make(*args, **kwargs):
        if args or kwargs:
            raise TypeError(f"{name} takes its options from the PassContext")
        return builtin_pass(builtin)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"""Lathe's pass `{builtin}` as a Pass. Options come from the PassContext.

    Example:
        >>> from lathe import tir
        >>> tir.transform.{name}().info.name
        '{builtin}'
    """
    return make


for _usual, _builtin in NAMES.items():
    globals()[_usual] = _named(_usual, _builtin)


def Apply(ftransform):
    """A pass that applies `ftransform` (Func -> Func) to each function of a module.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> len(tir.transform.Apply(lambda func: func)(lathe.ir.Module([])))
        0
    """
    return prim_func_pass(lambda func, module, context: ftransform(func), name="Apply")


def Filter(fcond):
    """A pass that keeps the functions for which `fcond` (Func -> bool) holds.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> empty = tir.Func("empty", [], tir.Evaluate(0))
        >>> len(tir.transform.Filter(lambda func: func.name != "empty")(lathe.ir.Module([empty])))
        0
    """
    def keep(module, context):
        return module.with_functions([f for f in module.functions if fcond(f)])

    return module_pass(keep, name="Filter")


def SkipAssert():
    """A pass that removes assertions. Later passes and the code trust what they checked.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> checked = tir.Func("f", [], tir.Assert(tir.const(False), "never", "never holds"))
        >>> "never" in str(tir.transform.SkipAssert()(lathe.ir.Module([checked])))
        False
    """
    def drop(node):
        return CLASSES["Evaluate"](0)

    return Apply(lambda func: func.with_body(ir_transform(func.body, None, drop, ["Assert"])))


def ConvertForLoopsToSerial():
    """A pass that turns parallel loops into serial ones. Loops bound to threads stay.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> i = te.var("i")
        >>> loop = tir.Func("f", [], tir.For(i, 0, 4, "parallel", tir.Evaluate(i)))
        >>> tir.transform.ConvertForLoopsToSerial()(lathe.ir.Module([loop]))["f"].body.for_kind
        'serial'
    """
    def serial(node):
        if node.for_kind != "parallel":
            return None
        return CLASSES["For"](node.var, node.min, node.extent, "serial", node.body, "",
                              node.annotations)

    return Apply(lambda func: func.with_body(ir_transform(func.body, None, serial, ["For"])))

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
