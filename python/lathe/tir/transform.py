"""Lathe's own passes under their usual names: `tir.transform.Simplify()(module)`.

Each function here returns a Pass.

`lathe.transform.passes()` lists all passes under the names that dumps and instruments show.
"""

from .. import _old_options
from .._nodes import CLASSES
from ..target import Target
from ..transform import Pass, Sequential, builtin_pass, module_pass, prim_func_pass
from . import _hoist
from ._hoist import HoistedConditionals, HoistedLetBindings
from .functor import ir_transform, post_order_visit

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


# TVM's parameters of these passes, with what each does: {pass: [(parameter, default, what it does)]}.
_PARAMETERS = {
    "StorageFlatten": [("cache_line_size", None, "without effect: `tir.decl_buffer` says the alignment of memory."),
                       ("create_bound_attribute", False, "without effect.")],
    "NarrowDataType": [("target_bits", None, "without effect: indices get the narrowest type that holds them.")],
    "ThreadSync": [("storage_scope", None, "without effect: all memory that threads share is synchronized.")],
    "VectorizeLoop": [("enable_vectorize", True, "False: vectorized loops become serial ones.")],
    "CommonSubexprElimTIR": [("enable_cse_tir", True, "False: the pass changes nothing."),
                             ("identify_equiv_terms", False, "without effect.")],
    "MakePackedAPI": [("num_unpacked_params", -1, "without effect: all parameters are packed.")],
}
# Passes that an argument changes: {(pass, its first argument): module -> module}.
_CHANGED = {("VectorizeLoop", False): _old_options.without_vectors,
            ("CommonSubexprElimTIR", False): lambda module: module}


def _named(name, builtin):
    import inspect

    parameters = _PARAMETERS.get(name, [])
    signature = inspect.Signature([inspect.Parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
                                   for one, default, _ in parameters])

    def make(*args, **kwargs):
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"tir.transform.{name}{signature}: {error}; options come from the PassContext") from None
        bound.apply_defaults()  # `arguments` has the parameters in order then, not those that were given
        given = list(bound.arguments.values())
        changed = _CHANGED.get((name, bool(given[0]))) if given else None
        return builtin_pass(builtin) if changed is None else Pass(builtin, lambda module, context: changed(module))

    make.__name__ = make.__qualname__ = name
    make.__signature__ = signature
    listed = "".join(f"        {one}: {what}\n" for one, _, what in parameters)
    arguments = f"\n    Args:\n{listed}" if parameters else ""
    make.__doc__ = f"""Lathe's pass `{builtin}` as a Pass. Options come from the PassContext.
{arguments}
    Example:
        >>> from lathe import tir
        >>> tir.transform.{name}().info.name
        '{builtin}'
    """
    return make


for _usual, _builtin in {**NAMES, "StorageFlatten": NAMES["FlattenBuffer"]}.items():
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


def BindTarget(target):
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
    bound = Target(target)
    return prim_func_pass(lambda func, module, context: func.with_attr("target", bound), name="BindTarget")


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


def RewriteUnsafeSelect():
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
    from .expr import if_then_else

    def guarded(node):
        if _hoist.may_fail(node.true_value) or _hoist.may_fail(node.false_value):
            return if_then_else(node.condition, node.true_value, node.false_value)
        return None

    return Apply(lambda func: func.with_body(ir_transform(func.body, None, guarded, ["Select"])))


def HoistExpression():
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
    return Apply(lambda func: _hoist.hoisted(func, *_hoist.options()))


def HoistIfThenElse(variant=None):
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
    if variant not in (None, "basic"):
        raise ValueError(f"the variant must be None or 'basic', not {variant!r}")

    def hoisted(func):
        threads = HoistedConditionals.UsingBlockVar if variant is None and _hoist.on_threads() else 0
        return _hoist.hoisted(func, HoistedConditionals.IfElseStmt | threads, HoistedLetBindings.Never)

    return Apply(hoisted)


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
