"""Passes over modules of graphs: `relay.transform.FoldConstant()(mod)`.

Within a `lathe.transform.Sequential`, a pass runs only if the PassContext's `opt_level` is at least
the pass's or `required_pass` names it, and if `disabled_pass` does not name it.
"""

from .. import _ffi
from .._irmodule import IRModule
from ..driver import _chosen
from ..error import LatheTypeError
from ..transform import Pass, PassContext, Sequential, _call, module_pass, pass_maker
from . import _pass_options
from . import expr as _e

_get = _ffi.get


class GraphPass(Pass):
    """A pass over modules of graphs: IRModule -> IRModule.

    Example:
        >>> from lathe import relay
        >>> relay.transform.FoldConstant().info
        PassInfo(FoldConstant)
    """

    def __call__(self, module):
        """The module after the pass."""
        if isinstance(module, _e.Expr):
            module = IRModule.from_expr(module)
        if not isinstance(module, IRModule) or not hasattr(module, "node"):
            raise LatheTypeError(f"pass `{self.info.name}` takes a module of graphs",
                                 "relay-module-type", f"found: {type(module).__name__}")
        context = PassContext.current()
        for instrument in context.instruments:
            _call(instrument, "run_before_pass", module, self.info)
        made = self._function(module, context)
        if not isinstance(made, IRModule):
            raise LatheTypeError(f"pass `{self.info.name}` returned what is no module",
                                 "pass-result-type", f"found: {type(made).__name__}")
        for instrument in context.instruments:
            _call(instrument, "run_after_pass", made, self.info)
        return made


def passes():
    """[(name, what it does, level from which on it runs)] for all passes over graphs, in order.

    Example:
        >>> from lathe import relay
        >>> "fold_constants" in [name for name, _, _ in relay.transform.passes()]
        True
    """
    return [tuple(one) for one in _get("graph.passes")()]


def builtin_pass(*names):
    """Lathe's own passes of these names (`passes()`), as one pass.

    Raises:
        LatheError: `unknown-pass`.

    Example:
        >>> from lathe import relay
        >>> relay.transform.builtin_pass("share_equal").info.name
        'share_equal'
    """
    return _builtin("+".join(map(str, names)), names, 0)


def _builtin(name, chosen, opt_level, required=None):
    known = _pass_options.graph_passes()
    for one in chosen:
        if one not in known:
            from ..error import LatheValueError

            raise LatheValueError(f"there is no pass `{one}` over graphs", "unknown-pass",
                                  "expected: " + ", ".join(known))

    def run(module, context):
        quiet = PassContext(opt_level=3, config=context.config)
        leave_out = [one for one in known if one not in chosen]
        options = _pass_options.packed(quiet, level=3, leave_out=leave_out)
        return IRModule.from_node(_get("graph.optimize", True)(module.node, [_chosen(None)], options))

    return GraphPass(name, run, opt_level, required)


def InferType():
    """Infers all types; a module always has them, so this only checks.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.transform.InferType()(relay.Function([x], x))["main"].checked_type
        fn(float32[2]) -> float32[2]
    """
    return GraphPass("InferType", lambda module, context: IRModule.from_node(module.node))


def FoldConstant(fold_qnn=False):
    """Replaces what is computed from constants only by constants.

    Args:
        fold_qnn: without effect: operators on quantized tensors are folded like all others.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> mod = relay.transform.FoldConstant()(x + (relay.const(1.0) + 2.0))
        >>> str(mod).count("add(")
        1
    """
    return _builtin("FoldConstant", ["fold_constants", "drop_dead_code"], 2, ["InferType"])


def SimplifyInference():
    """Replaces operators that are compositions (nn.batch_norm, ...) by what they are made of.

    Example:
        >>> from lathe import relay
        >>> relay.transform.SimplifyInference().info.name
        'SimplifyInference'
    """
    return _builtin("SimplifyInference", ["expand_operators", "forward_tuples", "drop_dead_code"],
                    0, ["InferType"])


def DeadCodeElimination(inline_once=False, ignore_impurity=False):
    """Drops what nobody reads.

    Args:
        inline_once, ignore_impurity: without effect.

    Example:
        >>> from lathe import relay
        >>> x, unused = relay.var("x", shape=(2,)), relay.var("unused")
        >>> mod = relay.transform.DeadCodeElimination()(relay.Let(unused, x + x, x))
        >>> "add(" in str(mod)
        False
    """
    return _builtin("DeadCodeElimination", ["drop_dead_code"], 1, ["InferType"])


def EliminateCommonSubexpr(fskip=None):
    """Equal calls of operators on the same values become one.

    Args:
        fskip: must be None.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> mod = relay.transform.EliminateCommonSubexpr()((x + x) * (x + x))
        >>> str(mod).count("add(")
        1
    """
    if fskip is not None:
        raise LatheTypeError("calls cannot be left out", "relay-pass-argument", "help: fskip=None")
    return _builtin("EliminateCommonSubexpr", ["share_equal", "drop_dead_code"], 3, ["InferType"])


def FoldScaleAxis():
    """Factors per channel go into the weights before them.

    Example:
        >>> from lathe import relay
        >>> relay.transform.FoldScaleAxis().info.opt_level
        3
    """
    return _builtin("FoldScaleAxis", ["fold_scale", "fold_constants", "drop_dead_code"], 3)


def FuseOps(fuse_opt_level=-1):
    """Groups operators that become one kernel each: a group is a function within the function.

    Args:
        fuse_opt_level: 0: the module stays as it is; -1: the PassContext's level.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> "primitive" in str(relay.transform.FuseOps()(relay.exp(x + x)))
        True
    """
    def run(module, context):
        level = context.opt_level if fuse_opt_level == -1 else fuse_opt_level
        return IRModule.from_node(_get("graph.fuse", True)(module.node) if level else module.node)

    return GraphPass("FuseOps", run, 0, ["InferType"])


def gradient(expr, mod=None, mode="higher_order"):
    """A function of the same inputs that returns (result, (gradient of each input)).

    The gradient of the result is 1 everywhere, so the gradients are those of the sum of its
    elements. They have the inputs' types; an input without floating elements has zeros. Calls of
    functions are inlined. Applied to its own result, it gives second derivatives.

    Args:
        expr: a relay.Function, a GlobalVar of `mod`, or another expression, which is taken as a
            function of its free variables.
        mod: an IRModule with the functions that `expr` calls.
        mode: "higher_order" or "first_order". Both give the same: Relay's first order refuses
            control flow and functions, which are no problem here.

    Raises:
        LatheError: operators on the way have no gradient (`graph-no-gradient` names all of them),
            or it is not known how often a loop runs (`graph-gradient-loop`).

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(3,))
        >>> slope = relay.transform.gradient(relay.Function([x], relay.tanh(x)))
        >>> y, (g,) = relay.create_executor("debug", slope).evaluate()(np.zeros(3, "float32"))
        >>> g.numpy().tolist()
        [1.0, 1.0, 1.0]
    """
    if mode not in ("higher_order", "first_order"):
        from ..error import LatheValueError

        raise LatheValueError(f"there is no mode `{mode}` of gradients", "relay-gradient-mode",
                              'expected: "higher_order" or "first_order"')
    functions = dict(mod.functions) if mod is not None else {}
    if isinstance(expr, _e.GlobalVar):
        name = expr.name_hint
    else:
        if not isinstance(expr, _e.Function):
            from .analysis import free_vars

            expr = _e.Function(free_vars(expr), expr)
        name = "main"
        while any(var.name_hint == name for var in functions):
            name += "_"
        functions[name] = expr
    from .annotation import without_stops

    functions = {var: without_stops(func) if isinstance(func, _e.Function) else func
                 for var, func in functions.items()}
    made = _get("graph.gradient", True)(IRModule(functions).node, name)
    return IRModule.from_node(_get("graph.module")([made], [], []))[name]


def function_pass(pass_func=None, opt_level=0, name=None, required=None):
    """Makes a pass from a function (func, module, context) -> func, or from a class.

    The instances of a class are passes; its method `transform_function` is that function.

    Example:
        >>> from lathe import relay
        >>> @relay.transform.function_pass(opt_level=1)
        ... def leave(func, module, context):
        ...     return func
        >>> leave.info.name
        'leave'
    """
    def over_functions(f):
        return lambda module, context: IRModule({var: f(func, module, context) for var, func in module.items()})

    make = pass_maker(GraphPass, over_functions, "transform_function", opt_level, name, required)
    return make if pass_func is None else make(pass_func)


from ._more_passes import (AlterOpLayout, BackwardFoldScaleAxis, CanonicalizeOps,  # noqa: E402,F401
                           CombineParallelBatchMatmul, CombineParallelConv2D, CombineParallelDense, ConvertLayout,
                           DynamicToStatic, FoldConstantExpr, FoldExplicitPadding, ForwardFoldScaleAxis,
                           InferTypeLocal, Inline, MergeComposite, RemoveUnusedFunctions, SimplifyExpr,
                           ToANormalForm, ToANormalFormExpr, ToGraphNormalForm, ToMixedPrecision, recast)
from ._known_passes import (FakeQuantizationToInteger, LazyGradientInit, Legalize, PartialEvaluate,  # noqa: E402,F401
                            PlanDevices)

from .partition import AnnotateTarget, MergeCompilerRegions, PartitionGraph  # noqa: E402,F401

FunctionPass = GraphPass
