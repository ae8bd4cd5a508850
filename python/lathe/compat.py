"""Old names. Each forwards to the new name. docs/migrating.md lists all old and new names.

After `lathe.compat.warn_about_old_names(True)`, or with LATHE_WARN_OLD_NAMES=1 in the environment,
a use of a function, class or keyword of an old name gives a DeprecationWarning that names the
replacement. Modules of an old name (`_old_modules`), and what is taken from them, give none.
"""

import functools
import os
import sys
import warnings

from .error import _PACKAGE

_warn = os.environ.get("LATHE_WARN_OLD_NAMES") == "1"

# Old name in the package -> its present place.
_MOVED = {
    "placeholder": "te.placeholder", "compute": "te.compute", "scan": "te.scan",
    "extern": "te.extern", "create_schedule": "te.create_schedule",
    "thread_axis": "te.thread_axis", "reduce_axis": "te.reduce_axis",
    "comm_reducer": "te.comm_reducer", "decl_tensor_intrin": "te.decl_tensor_intrin",
    "var": "te.var", "size_var": "te.size_var", "convert": "tir.convert", "const": "tir.const",
    "sum": "te.sum", "min": "te.min", "max": "te.max", "prod": "te.prod",
    "all": "tir.all", "any": "tir.any", "select": "tir.select",
    "if_then_else": "tir.if_then_else", "exp": "tir.exp", "log": "tir.log", "sqrt": "tir.sqrt",
    "tanh": "tir.tanh", "sigmoid": "tir.sigmoid", "power": "tir.power", "floor": "tir.floor",
    "ceil": "tir.ceil", "trunc": "tir.trunc", "round": "tir.round", "abs": "tir.abs",
    "call_packed": "tir.call_packed", "call_extern": "tir.call_extern",
    "call_pure_extern": "tir.call_pure_extern", "decl_buffer": "tir.decl_buffer",
    "min_value": "te.min_value", "max_value": "te.max_value",
    "context": "device", "TVMContext": "runtime.Device", "TVMError": "error.LatheError",
    "load_json": "ir.load_json", "save_json": "ir.save_json",
    "gpu": "cuda", "nd.gpu": "cuda", "runtime.gpu": "cuda", "opencl": "cl", "nd.opencl": "cl", "runtime.opencl": "cl",
    "Object": "ir.Node", "runtime.Object": "ir.Node", "runtime.const": "tir.const", "runtime.convert": "tir.convert",
    "runtime.load_static_library": "runtime.load_module", "runtime.executor": "contrib.graph_executor",
    "error.TVMError": "error.LatheError", "error.RPCError": "error.LatheError",
    "ir.BaseExpr": "ir.Node", "ir.IncompleteType": "relay.IncompleteType", "ir.RelayRefType": "relay.RefType",
    "ir.SourceName": "relay.SourceName", "ir.Span": "relay.Span", "ir.TypeCall": "relay.TypeCall",
    "ir.TypeKind": "relay.TypeKind", "ir.TypeVar": "relay.TypeVar", "ir.FuncType": "relay.FuncType",
    "ir.TupleType": "relay.TupleType", "ir.TensorType": "relay.TensorType",
    "ir.BaseFunc": "tir.Func", "ir.GlobalTypeVar": "relay.GlobalTypeVar",
    "ir.GlobalVar": "relay.GlobalVar", "ir.RelayExpr": "relay.Expr", "ir.instrument": "instrument",
    "ir.register_intrin_lowering": "register_intrin_lowering", "ir.transform": "transform", "ir.Type": "relay.Type",
    "transform.ModulePass": "transform.Pass", "transform.FunctionPass": "relay.transform.FunctionPass",
    "transform.function_pass": "relay.transform.function_pass",
    "arith._ffi_api.DomainTouched": "arith.domain_touched",
    "arith._ffi_api.SolveInequalitiesAsCondition": "arith.solve_inequalities_as_condition",
    "auto_scheduler._ffi_api.DeserializeSearchTask": "auto_scheduler.search_task.deserialize_task",
    "auto_scheduler._ffi_api.SerializeSearchTask": "auto_scheduler.search_task.serialize_task",
    "te.HybridOp": "te.ExternOp", "te.tag.TagScope": "te.tag_scope",
    "te.schedule.AutoInlineBroadcast": "te.schedule.auto_inline_broadcast",
    "te.schedule.CreateReadGraph": "te.schedule.create_read_graph",
    "te.schedule.PostDFSOrder": "te.schedule.post_dfs_order",
    "tir.Any": "tir._views.AnySize", "tir.BaseFunc": "tir.Func", "tir.transform.RemoveNoOp": "tir.transform.Simplify",
    "tir.transform.InjectDoubleBuffer": "tir.transform.InjectSoftwarePipeline",
    "tir.transform.LegalizePackedCalls": "tir.transform.LowerTVMBuiltin",
    "tir.transform.LowerCrossThreadReduction": "tir.transform.LowerThreadAllreduce",
    "tir.transform.BF16Promote": "tir.transform.BF16Legalize",
    "tir.transform.BF16CastElimination": "tir.transform.BF16Legalize",
    "tir.transform.BF16TypeLowering": "tir.transform.BF16Legalize",
    "tir.transform.RenormalizeSplitPattern": "tir.transform.Simplify",
    "ir.Array": "runtime.container.Array", "ir.Map": "runtime.container.Map",
    "runtime.String": "runtime.container.String",
    "runtime.ShapeTuple": "runtime.container.ShapeTuple", "runtime.Array": "runtime.container.Array",
    "runtime.Map": "runtime.container.Map", "runtime.ADT": "runtime.container.ADT", "te.schedule.Buffer": "tir.Buffer",
    "tir.AllocateConst": "tir.AllocConst", "tir.ProducerRealize": "tir.Realize", "tir.ProducerStore": "tir.Store",
    "runtime.vm.VMExecutor": "relay.build_module.Executor",
    "relay.vm.VMExecutor": "relay.build_module.Executor",
}


def warn_about_old_names(warn=True):
    """Turns the DeprecationWarning for uses of old names on or off.

    Example:
        >>> import lathe
        >>> lathe.compat.warn_about_old_names(False)
    """
    global _warn
    _warn = bool(warn)


def _say(old, new):
    if _warn:
        warnings.warn(f"lathe.{old} is an old spelling; write lathe.{new}", DeprecationWarning,
                      stacklevel=1 + _frames_of_ours())


def _frames_of_ours():
    """How many frames there are between the caller and the user's. `warnings` does not count those of imports."""
    frame, count = sys._getframe(1), 0
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_PACKAGE):
            count += 1
        elif not name.startswith("<frozen importlib"):
            break
        frame = frame.f_back
    return count


def _renamed(owner, old, new, make):
    """Puts an old name on a class or module."""
    @functools.wraps(make)
    def forward(*args, **kwargs):
        _say(old, new)
        return make(*args, **kwargs)

    setattr(owner, old.rpartition(".")[2], forward)


def _with_old_keyword(function, old, new):
    """`function`, which also accepts the keyword `old` in place of `new`."""
    @functools.wraps(function)
    def forward(*args, **kwargs):
        if old in kwargs:
            _say(f"{function.__name__}({old}=)", f"{function.__name__}({new}=)")
            kwargs[new] = kwargs.pop(old)
        return function(*args, **kwargs)

    return forward


def moved(old):
    """The path of the present name for an old one ("te.thread_axis" for "thread_axis"), or None."""
    path = _MOVED.get(old)
    if path is not None:
        _say(old, path)
    return path


def install(package):
    """Adds the old names of methods, modules and keywords."""
    from . import nd, runtime, target
    from ._nodes import CLASSES
    from .runtime.tensor import Tensor
    from .te import schedule
    from .tir import _views

    def asnumpy(self):
        """The old name of `numpy()`."""
        return self.numpy()

    _renamed(Tensor, "Tensor.asnumpy", "Tensor.numpy", asnumpy)
    Tensor.ctx = property(lambda self: self.device, doc="The old name of `device`.")
    for name in ("array", "empty"):
        both = _with_old_keyword(getattr(runtime, name), "ctx", "device")
        setattr(nd, name, both)
        setattr(runtime, name, both)
    _renamed(nd, "nd.context", "device", runtime.device)
    _renamed(target, "target.create", "target.Target", target.Target)
    _renamed(schedule, "te.schedule.InferBound", "te.schedule.infer_bound", schedule.infer_bound)
    _renamed(schedule, "te.schedule.ScheduleOps", "te.schedule.schedule_ops",
             schedule.schedule_ops)
    _renamed(schedule, "te.schedule.AutoInlineElemWise", "te.schedule.auto_inline_elemwise",
             schedule.auto_inline_elemwise)
    _renamed(schedule, "te.schedule.AutoInlineInjective", "te.schedule.auto_inline_injective",
             schedule.auto_inline_injective)
    for old, new in (("IfThenElse", "If"), ("SeqStmt", "Seq"), ("AttrStmt", "Attr"), ("CommReducer", "Reducer"),
                     ("BufferLoad", "Load"), ("ProducerLoad", "Load"), ("BufferStore", "Store"),
                     ("BufferRealize", "Realize")):
        setattr(package.tir, old, CLASSES[new])
    _views.install()
    for name in ("SizeVar", "AssertStmt", "Allocate", "PrimFunc", "ForKind", "CallEffectKind"):
        setattr(package.tir, name, getattr(_views, name))
    package.ir.PrimExpr = package.ir.Expr
    package.ir.PrimType, package.ir.PointerType = package.tir.PrimType, package.tir.PointerType
