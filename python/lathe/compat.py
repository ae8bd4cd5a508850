"""Old names. Each forwards to the new name. All old names are in this module.

After `lathe.compat.warn_about_old_names(True)`, or with LATHE_WARN_OLD_NAMES=1 in the environment,
each use gives a DeprecationWarning that names the replacement. docs/migrating.md lists all old and
new names.
"""

import functools
import os
import warnings

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
                      stacklevel=3)


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


def lookup(package, name):
    """The object that an old name of the package stands for; AttributeError if there is none."""
    path = _MOVED.get(name)
    if path is None:
        raise AttributeError(f"module 'lathe' has no attribute '{name}'")
    _say(name, path)
    found = package
    for part in path.split("."):
        found = getattr(found, part)
    return found


def install(package):
    """Adds the old names of methods, modules and keywords."""
    from . import nd, runtime, target
    from ._nodes import CLASSES
    from .runtime.tensor import Tensor
    from .te import schedule

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
    CLASSES["IterVar"].dom = property(lambda self: self.domain, doc="The old name of `domain`.")
    for old, new in (("PrimFunc", "Func"), ("IfThenElse", "If"), ("SeqStmt", "Seq"),
                     ("AssertStmt", "Assert"), ("AttrStmt", "Attr"), ("CommReducer", "Reducer"),
                     ("BufferLoad", "Load"), ("ProducerLoad", "Load"), ("BufferStore", "Store"),
                     ("BufferRealize", "Realize")):
        setattr(package.tir, old, CLASSES[new])
    package.ir.PrimExpr = package.ir.Expr
