"""Writes the stubs (.pyi) of the package, including classes that are made at run time.

usage: make_stubs.py FOLDER    with lathe importable; writes FOLDER/lathe/**.pyi
       make_stubs.py --check FOLDER    exits with 1 if a stub there is not up to date

Names, parameters and docstrings come from the package. Types are given if the field lists say them.
"""

import enum
import importlib
import inspect
import pathlib
import pkgutil
import re
import sys

import lathe
from lathe import _core, _nodes

HEADER = '"""Written by python/stubs/make_stubs.py."""\n\n'
TYPES = {"node": "Node", "list": "tuple[Any, ...]", "dict": "dict[str, Any]", "string": "str",
         "int": "int", "float": "float", "bool": "bool", "dtype": "str", "enum": "str", "bytes": "bytes"}

# The types of fields that Python gives in a form of its own.
FIELDS = {"Module.functions": "Functions"}

_AXIS, _NOTHING, _EXPR, _TENSOR = "_ir.IterVar", "None", "_ir.Expr", "_ir.Tensor"
_AXES = f"{_AXIS} | Sequence[{_AXIS}]"
_SHAPE = "_ops.Value | Sequence[_ops.Value]"
_OPERATORS = "add and floordiv lshift mod mul or pow rshift sub truediv xor".split()
# The parameters of the functions of tir.expr that are expressions.
_OPERANDS = ("a", "b", "c", "x", "y", "q", "s", "t", "f", "cond", "condition", "true_value", "false_value", "value")
_OF_EXPRESSIONS = [name for name, item in vars(lathe.tir.expr).items() if inspect.isfunction(item)
                   and item.__module__ == "lathe.tir.expr" and not name.startswith("_")]
# The types that functions return, if their sources do not say it: by module and name.
RETURNS = {
    "lathe.te.operation": {
        "placeholder": "_ir.Tensor", "var": "_ir.Var", "size_var": "_ir.Var", "reduce_axis": _AXIS, "thread_axis": _AXIS,
        "min_value": _EXPR, "max_value": _EXPR, "const": _EXPR, "constant": _TENSOR,
        **dict.fromkeys(("sum", "prod", "min", "max"), _EXPR),
        **dict.fromkeys(("argmin", "argmax"), f"tuple[{_EXPR}, ...]"), "comm_reducer": "Callable[..., Any]"},
    "lathe.tir.expr": {
        **dict.fromkeys(_OF_EXPRESSIONS, _EXPR), "convert": "Any", "store_vector": "_ir.Stmt",
        "intrinsics": "tuple[str, ...]", "intrinsic_doc": "str"},
    "lathe._ops": {
        **{f"ExprOperators.__{r}{name}__": "Expr" for name in _OPERATORS for r in ("", "r")},
        **{f"ExprOperators.__{name}__": "Expr" for name in ("neg", "pos", "invert", "lt", "le", "gt", "ge")},
        "ExprOperators.__eq__": "Comparison", "ExprOperators.__ne__": "Comparison", "ExprOperators.astype": "Expr",
        "ExprOperators.equal": "Expr", "Comparison.asobject": "Expr", "Op.output": _TENSOR, "Op.num_outputs": "int",
        "Op.input_tensors": f"tuple[{_TENSOR}, ...]", "_IterVar.dtype": "str",
        "_Range.from_min_extent": "Range"},
    "lathe.te._tensor": {
        "TensorSlice.__getitem__": "TensorSlice", "TensorSlice.dtype": "str", "_Tensor.__getitem__": "_slices.TensorSlice",
        **{f"_Tensor.__{r}{name}__": "Tensor" for name in "add sub mul truediv floordiv mod".split() for r in ("", "r")},
        "_Tensor.__neg__": "Tensor", "_Tensor.__call__": "Expr", "_Tensor.shape": "tuple[Expr, ...]", "_Tensor.ndim": "int", "_Tensor.dtype": "str",
        "_Tensor.name": "str"},
    "lathe.te.schedule": {
        "create_schedule": "Schedule", "infer_bound": f"dict[{_AXIS}, _ir.Range]", "schedule_ops": "_ir.Stmt",
        "readers": "tuple[Stage, ...]", "auto_inline_elemwise": "tuple[Stage, ...]",
        "auto_inline_broadcast": "tuple[Stage, ...]", "auto_inline_injective": "tuple[Stage, ...]",
        "Schedule.__getitem__": "Stage", "Schedule.stages": "tuple[Stage, ...]", "Schedule.copy": "Schedule",
        "Schedule.normalize": "Schedule", "Schedule.outputs": "tuple[_ir.Op, ...]", "Schedule.cache_read": "_ir.Tensor",
        "Schedule.replay": _NOTHING, "Schedule.to_program": "_ir.Program", "Schedule.create_group": "Group",
        "Schedule.transform_layout": _NOTHING},
    "lathe.te._stage": {
        "Stage.name": "str", "Stage.op": "Any", "Stage.is_output": "bool", "Stage.leaf_iter_vars": f"tuple[{_AXIS}, ...]",
        "Stage.all_iter_vars": f"tuple[{_AXIS}, ...]", "Stage.attach_type": "str", "Stage.scope": "str",
        "Stage.axis_name": "str", "Stage.split": f"tuple[{_AXIS}, {_AXIS}]", "Stage.fuse": _AXIS,
        "Stage.tile": f"tuple[{_AXIS}, {_AXIS}, {_AXIS}, {_AXIS}]", "Stage.attach_stage": "Stage | None",
        **{f"Stage.{name}": _NOTHING for name in (
            "reorder vectorize unroll parallel bind env_threads compute_at compute_inline compute_root set_scope pragma "
            "prefetch storage_align double_buffer rolling_buffer pipeline set_store_predicate tensorize").split()},
        "Group.name": "str", "Group.stages": "tuple[Stage, ...]", "Group.compute_at": _NOTHING,
        "Group.compute_root": _NOTHING},
    "lathe.topi._own": {
        **dict.fromkeys("layer_norm matvec matmul_in_panels conv2d_NCHWc depthwise_conv2d_NCHWc concat_columns rgb_to_yuv "
                        "box_blurs".split(), "_ir.Tensor"),
        "gelu": "_ir.Expr", "argmax_pairs": "tuple[_ir.Tensor, _ir.Tensor]"},
    "lathe.topi._schedule": {"schedule": "Scheduled"},
    "lathe.driver": {
        "lower": "_ir.Module", "build": "_runtime.Module", "compile_to": "bytes", "default_schedule": "_schedule.Schedule",
        "workload_key": "str"},
    "lathe._explain": {
        "explain": "Explanation", "bisect": "Bisection", "Explanation.html": "str", "Explanation.save": _NOTHING},
    "lathe.runtime.tensor": {"empty": "Tensor", "array": "Tensor", "from_dlpack": "Tensor"},
    "lathe.runtime.device": {
        "device": "Device", "cpu": "Device", "cuda": "Device", "cl": "Device", "Device.exist": "bool",
        "Device.kind": "str", "Device.why_not": "str", "Device.sync": _NOTHING},
    "lathe.runtime.module": {
        "load_module": "Module", "Module.get_source": "str", "Module.entry_name": "str", "Module.kind": "str",
        "Module.imported_modules": "list[Module]", "Module.function_names": "list[str]", "Module.type_key": "str",
        "Module.import_module": _NOTHING, "Module.export_library": _NOTHING, "Module.metadata": "dict[str, Any]"},
    "lathe.target": {
        "list_kinds": "list[str]", "generic_func": "GenericFunc", "Target.kind": "TargetKind", "Target.keys": "list[str]",
        "Target.libs": "list[str]", "Target.attrs": "dict[str, str]", "Target.model": "str", "Target.device_name": "str",
        "Target.has_threads": "bool", "Target.__new__": "Target", "Target.host": "Target | None", "Target.current": "Target | None"},
    "lathe.transform": {
        "passes": "list[tuple[str, str, str]]", "options": "list[tuple[str, int, str]]", "builtin_pass": "Pass",
        "PassContext.current": "PassContext", "Pass.__call__": "Any"},
    "lathe.ir": {
        "structural_equal": "bool", "structural_hash": "int", "save_json": "str", "assert_structural_equal": _NOTHING,
        "parse_module": "Module", "parse_program": "Program"},
    "lathe.tir.ir_builder": {"create": "IRBuilder", "IRBuilder.get": "_ir.Stmt", "IRBuilder.emit": _NOTHING,
                             "IRBuilder.allocate": "BufferVar", "IRBuilder.buffer_ptr": "BufferVar"},
    "lathe.testing": {"assert_allclose": _NOTHING, "device_enabled": "bool"},
    "lathe._irmodule": {
        "IRModule.from_expr": "IRModule", "IRModule.from_node": "IRModule", "IRModule.astext": "str",
        "IRModule.__getitem__": "_relay.Function", "IRModule.__iter__": "Iterator[str]", "IRModule.node": "Any",
        "IRModule.functions": "dict[_relay.GlobalVar, _relay.Function]", "IRModule.__contains__": "bool",
        "IRModule.get_global_var": "_relay.GlobalVar", "IRModule.get_global_vars": "list[_relay.GlobalVar]",
        "IRModule.update": _NOTHING, "IRModule.show": _NOTHING, "IRModule.__setitem__": _NOTHING},
    "lathe._graph_types": {"any_size": "_ir.Var", "extents": "list[Any]", "scalar_type": "_ir.TensorType"},
    "lathe.relay.expr": {
        "var": "Var", "const": "Constant", "as_expr": "Expr", "Expr.astype": "Expr", "Expr.astext": "str",
        "Expr.__call__": "_relay.Call", "Expr.__getitem__": "Expr", "Expr.__iter__": "Iterator[Expr]",
        "Expr.span": "tuple[str, int] | None", "Expr.same_as": "bool", "Constant.data": "_tensor.Tensor",
        **{f"Expr.__{r}{name}__": "Expr" for name in "add sub mul truediv floordiv mod pow".split() for r in ("", "r")},
        **{f"Expr.__{name}__": "Expr" for name in ("neg", "lt", "gt", "le", "ge")}},
    "lathe.relay.compound": {
        "TupleWrapper.__getitem__": "_relay.TupleGetItem", "TupleWrapper.__iter__": "Iterator[_relay.Expr]",
        "TupleWrapper.astuple": "_relay.Expr", "Function.with_attr": "Function", "bind": "Any",
        "Tuple.__getitem__": "_relay.Expr", "Tuple.__iter__": "Iterator[_relay.Expr]", "TupleWrapper.astext": "str"},
    "lathe.relay.call": {"Op.__call__": "Call", "Op.same_as": "bool", "Call.attrs": "Attributes",
                         "Attributes.get_int": "int", "Attributes.get_int_tuple": "tuple[int, ...]"},
    "lathe.relay.analysis": {
        **dict.fromkeys(("free_vars", "bound_vars", "all_vars"), "list[_relay.Var]"), "post_order": "list[_relay.Expr]",
        "post_order_visit": _NOTHING, "all_dtypes": "set[str]",
        **dict.fromkeys(("well_formed", "check_constant", "has_sizes"), "bool")},
    "lathe.relay.frontend.onnx": {
        "from_onnx": "tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]"},
    "lathe.relay.frontend.tensorflow": {
        "from_tensorflow": "tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]"},
    "lathe.relay.frontend.tflite": {
        "from_tflite": "tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]"},
    "lathe.relay.build_module": {
        "build": "_factory.GraphExecutorFactoryModule", "create_executor": "Executor",
        "optimize": "tuple[_irmodule.IRModule, dict[str, Any]]", "bind_params_by_name": "_relay.Function",
        "Executor.evaluate": "Any"},
    "lathe.relay.backend.executor_factory": {
        "GraphExecutorFactoryModule.export_library": _NOTHING, "GraphExecutorFactoryModule.get_lib": "_runtime.Module",
        "GraphExecutorFactoryModule.get_params": "dict[str, _tensor.Tensor]",
        "GraphExecutorFactoryModule.get_graph_json": "str", "GraphExecutorFactoryModule.__iter__": "Iterator[Any]"},
    "lathe.relay.transform": {
        "passes": "list[tuple[str, str, int]]", "ExprFunctor.visit": "Any", "GraphPass.__call__": "_irmodule.IRModule",
        **dict.fromkeys("builtin_pass InferType FoldConstant SimplifyInference DeadCodeElimination EliminateCommonSubexpr "
                        "FoldScaleAxis FuseOps".split(), "GraphPass")},
    "lathe.relay._more_passes": dict.fromkeys(
        "ConvertLayout AlterOpLayout ToMixedPrecision CombineParallelConv2D CombineParallelDense "
        "CombineParallelBatchMatmul ToANormalForm ToGraphNormalForm Inline RemoveUnusedFunctions DynamicToStatic "
        "CanonicalizeOps SimplifyExpr FoldExplicitPadding MergeComposite BackwardFoldScaleAxis "
        "ForwardFoldScaleAxis".split(), "GraphPass"),
    "lathe.relay._counts": {
        "list_op_freqs": "dict[str, int]", "count_layers": "int", "get_total_mac_number": "int",
        "detect_feature": "set[Feature]", "extract_fused_functions": "dict[str, Any]"},
    "lathe.relay.dataflow_pattern._matcher": {"match": "bool"},
    "lathe.relay.dataflow_pattern._patterns": {
        **{f"DFPattern.__{name}__": "DFPattern" for name in "call or add sub mul truediv".split()},
        **{f"DFPattern.{name}": "DFPattern" for name in
           "has_attr has_type has_dtype has_shape dominates optional".split()}, "DFPattern.match": "bool"},
    "lathe.relay.dataflow_pattern._sugar": dict.fromkeys(
        "wildcard is_var is_constant is_expr is_op is_tuple is_tuple_get_item is_if is_let has_type has_dtype has_shape "
        "has_attr dominates".split(), "_df.DFPattern"),
    "lathe.relay.scope_builder": {
        "ScopeBuilder.let": "_relay.Var", "ScopeBuilder.get": "_relay.Expr", "ScopeBuilder.ret": _NOTHING},
    **{f"lathe.relay.testing.{name}": {
        "get_net": "_relay.Function", "get_workload": "tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]"}
       for name in "mlp resnet mobilenet lstm vgg densenet squeezenet inception_v3 dqn dcgan resnet_3d synthetic".split()},
    "lathe.contrib.graph_executor": {
        "create": "GraphModule", "GraphModule.get_output": "_tensor.Tensor", "GraphModule.get_input": "_tensor.Tensor",
        "GraphModule.benchmark": "_runtime.BenchmarkResult", "GraphModule.get_input_index": "int",
        **dict.fromkeys(("GraphModule.get_num_inputs", "GraphModule.get_num_outputs"), "int"),
        **{f"GraphModule.{name}": _NOTHING for name in
           "set_input set_input_zero_copy set_output_zero_copy run load_params share_params".split()}},
    "lathe.contrib.debugger.debug_executor": {
        "create": "GraphModuleDebug", "GraphModuleDebug.run": _NOTHING, "GraphModuleDebug.table": "str",
        "GraphModuleDebug.save_trace": _NOTHING, "GraphModuleDebug.run_individual": "list[float]"},
}
# Builders of operators: all functions that these modules generate.
RETURNS.update({f"lathe.relay.{name}": {**{
    key: "_relay.TupleWrapper" if definition in lathe.relay._operators._RESULTS
    else "_relay.Expr"
    for key, definition in getattr(importlib.import_module(f"lathe.relay.{name}"), "_generated").items()}}
    for name in ("op", "nn", "image", "vision", "random", "contrib", "dyn", "dyn.nn", "qnn.op")})
# Operators on tensors; those of broadcast.py may give expressions, and some give lists.
for _name in ("math", "reduction", "transform", "ordering", "nn.layers", "nn.conv", "nn.pooling", "image"):
    _module = importlib.import_module("lathe.topi." + _name)
    RETURNS[_module.__name__] = {key: "_ir.Tensor" for key, item in vars(_module).items() if inspect.isfunction(item)
                                 and key not in ("split", "meshgrid", "topk", "batch_norm")}
for _name in ("generic", "x86", "cuda", "arm_cpu", "gpu", "mali"):
    _module = importlib.import_module("lathe.topi." + _name)
    RETURNS[_module.__name__] = {key: "_schedule.Schedule" for key in vars(_module) if key.startswith("schedule_")}
RETURNS["lathe.relay.op"].update({"get": "_relay.Op", "list_op_names": "list[str]"})
# The types of parameters that have only one type.
PARAMETERS = {
    "lathe.te.operation": {"placeholder.dtype": "str", "placeholder.name": "str", "compute.name": "str", "var.name": "str",
                           "size_var.name": "str", "var.dtype": "str", "size_var.dtype": "str", "compute.tag": "str",
                           "reduce_axis.name": "str", "thread_axis.tag": "str", "placeholder.shape": _SHAPE,
                           "argmin.axis": _AXES, "argmax.axis": _AXES,
                           **{f"{name}.{p}": hint for name in ("sum", "prod", "min", "max")
                              for p, hint in (("expr", "_ops.Value"), ("axis", f"{_AXES} | _ops.Value"))}},
    "lathe.tir.expr": {
        **{f"{name}.{p}": "_ops.Value" for name in _OF_EXPRESSIONS for p in _OPERANDS},
        **{f"{name}.dtype": "str" for name in ("reinterpret", "call_intrin", "call_extern", "call_pure_extern")},
        "convert.value": "Any", "const.value": "int | float | bool", "const.dtype": "str | None", "all.args": "_ops.Value",
        "any.args": "_ops.Value"},
    "lathe._ops": {
        **{f"ExprOperators.__{name}__.other": "Value" for name in
           [r + name for name in _OPERATORS for r in ("", "r")] + ["lt", "le", "gt", "ge", "eq", "ne"]},
        "ExprOperators.equal.other": "Value", "ExprOperators.astype.dtype": "str"},
    "lathe.te._tensor": {"TensorSlice.__getitem__.index": _SHAPE, "_Tensor.__getitem__.indices": _SHAPE,
                         "_Tensor.__call__.indices": "_ops.Value"},
    "lathe.te.schedule": {
        "Schedule.cache_read.scope": "str", "Schedule.cache_write.scope": "str"},
    "lathe.te._stage": {
        "Stage.split.parent": _AXIS,
        "Stage.fuse.axes": f"{_AXIS} | list[{_AXIS}] | tuple[{_AXIS}, ...]", "Stage.reorder.axes": _AXIS,
        "Stage.tile.x_parent": _AXIS, "Stage.tile.y_parent": _AXIS, "Stage.tile.x_factor": "int",
        "Stage.tile.y_factor": "int", "Stage.vectorize.var": _AXIS, "Stage.unroll.var": _AXIS,
        "Stage.parallel.var": _AXIS, "Stage.bind.ivar": _AXIS, "Stage.bind.thread_ivar": _AXIS,
        "Stage.compute_at.parent": "Stage", "Stage.compute_at.scope": _AXIS, "Stage.set_scope.scope": "str",
        "Stage.pragma.var": _AXIS, "Stage.pragma.pragma_type": "str", "Stage.storage_align.axis": _AXIS,
        "Stage.storage_align.factor": "int", "Stage.storage_align.offset": "int", "Stage.pipeline.axis": _AXIS,
        "Stage.pipeline.stages": "int", "Stage.tensorize.var": _AXIS},
    "lathe.driver": {"lower.name": "str", "build.name": "str"},
    "lathe._explain": {"explain.schedule": "_schedule.Schedule", "bisect.schedule": "_schedule.Schedule"},
    "lathe.runtime.device": {"cpu.dev_id": "int", "cuda.dev_id": "int", "cl.dev_id": "int", "device.dev_id": "int"},
    "lathe.runtime.module": {"Module.import_module.module": "Module", "Module.get_source.fmt": "str",
                             "Module.time_evaluator.func_name": "str | None", "Module.time_evaluator.number": "int",
                             "Module.time_evaluator.repeat": "int"},
}
# Functions whose result type depends on the argument types: parameters and result of each form.
OVERLOADS = {
    "lathe.te.operation": {
        "compute": [
            (f"shape: {_SHAPE}, fcompute: Callable[..., {body}], name: str = ..., tag: str = ..., "
             "attrs: dict[str, Any] | None = ...", result)
            for body, result in (("_ops.Value", _TENSOR),
                                 ("tuple[_ops.Value, ...] | list[_ops.Value]", f"tuple[{_TENSOR}, ...]"))],
        "scan": [
            (f"init: {one}, update: {one}, state_placeholder: {one}, inputs: Sequence[{_TENSOR}] | {_TENSOR} | None = ..., "
             "name: str = ..., tag: str = ..., attrs: dict[str, Any] | None = ...", result)
            for one, result in ((_TENSOR, "Any"), (f"Sequence[{_TENSOR}]", f"tuple[{_TENSOR}, ...]"))]},
    "lathe.te.schedule": {
        "Schedule.cache_write": [("self, tensor: _ir.Tensor, scope: str", _TENSOR),
                                 ("self, tensor: Sequence[_ir.Tensor], scope: str", f"tuple[{_TENSOR}, ...]")]},
}
# Additional text for stubs.
EXTRA = {"lathe._ops": "#: What stands where an expression is wanted.\nValue = ExprOperators | int | float | bool\n"}
_TYPING = ("Callable", "Iterator", "NamedTuple", "Sequence", "overload")
_BORROWED = {"_ops": "import lathe._ops as _ops", "_slices": "import lathe.te._tensor as _slices", "_ir": "import lathe.ir as _ir", "_runtime": "import lathe.runtime.module as _runtime",
             "_schedule": "import lathe.te.schedule as _schedule", "_relay": "import lathe.relay.expr as _relay",
             "_irmodule": "import lathe._irmodule as _irmodule", "_tensor": "import lathe.runtime.tensor as _tensor",
             "_factory": "import lathe.relay.backend.executor_factory as _factory",
             "_df": "import lathe.relay.dataflow_pattern._patterns as _df"}


def returns_of(function, otherwise="Any"):
    function = getattr(function, "fget", function)
    return RETURNS.get(function.__module__, {}).get(function.__qualname__, otherwise)


def with_borrowed(text):
    """Adds the imports that the types need."""
    needed = [statement for alias, statement in _BORROWED.items() if re.search(rf"(?<![\w.]){alias}\.", text)]
    typing = ", ".join(["Any"] + [name for name in _TYPING if re.search(rf"\b{name}\b(\[|\n|\))", text)])
    return text.replace("from typing import Any\n", f"from typing import {typing}\n" + "".join(
        n + "\n" for n in needed), 1)


def forms_of(function, indent=""):
    """Stubs of a function with several forms; empty if it has only one."""
    forms = OVERLOADS.get(getattr(function, "__module__", ""), {}).get(getattr(function, "__qualname__", ""), ())
    made = [f"{indent}@overload\n{indent}def {function.__name__}({parameters}) -> {result}:" for parameters, result in forms]
    doc = doc_of(function, indent + "    ")
    return [f"{form}\n{doc}".rstrip() if doc and not i else f"{form} ..." for i, form in enumerate(made)]


def doc_of(item, indent="    "):
    text = inspect.getdoc(item)
    if not text:
        return ""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    lines = text.split("\n")
    body = "\n".join((indent + line).rstrip() for line in lines[1:])
    return f'{indent}"""{lines[0]}' + (f"\n{body}\n{indent}" if body else "") + '"""\n'


def parameters_of(function, is_method=False):
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return "self, *args: Any, **kwargs: Any" if is_method else "*args: Any, **kwargs: Any"
    parts, star = [], False
    for p in signature.parameters.values():
        if p.name in ("self", "cls") and not parts:
            parts.append(p.name)
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        name = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        star = star or p.kind is p.VAR_POSITIONAL
        known = PARAMETERS.get(getattr(function, "__module__", ""), {})
        hint = known.get(f"{getattr(function, '__qualname__', '')}.{p.name}", "Any")
        parts.append(f"{name}: {hint}" + ("" if p.default is p.empty else " = ..."))
    return ", ".join(parts)


def function_stub(name, function):
    if forms := forms_of(function):
        return "\n".join(forms) + "\n"
    doc = doc_of(function)
    made = f"def {name}({parameters_of(function)}) -> {returns_of(function)}:\n{doc or '    ...'}"
    return made.rstrip() + "\n"


def methods_stub(cls, skip):
    lines = []
    for name, item in sorted(vars(cls).items()):
        if name in skip or name in ("__slots__", "__module__", "__doc__", "__match_args__",
                                    "_kind_name", "_index", "__hash__"):
            continue
        if name == "__getattr__" and item.__name__ != name:  # `no_attribute`: it only raises
            continue
        if isinstance(item, property):
            lines.append(f"    @property\n    def {name}(self) -> {returns_of(item)}:\n"
                         f"{doc_of(item, ' ' * 8) or '        ...'}")
        elif inspect.isfunction(item) and forms_of(item):
            lines += forms_of(item, "    ")
        elif inspect.isfunction(item) and (not name.startswith("_") or name.startswith("__")):
            ignore = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
            returns = "bool" if name == "__bool__" else "int" if name in (
                "__int__", "__index__", "__len__", "__hash__") else "float" if name == "__float__" \
                else "str" if name in ("__str__", "__repr__") else returns_of(item)
            lines.append(f"    def {name}({parameters_of(item, True)}) -> {returns}: ...{ignore}")
        elif isinstance(item, staticmethod):
            lines.append(f"    @staticmethod\n    def {name}({parameters_of(item.__func__)}) -> "
                         f"{returns_of(item.__func__)}: ...")
    return lines


def class_stub(name, cls):
    fields = {f[0]: f for f in _nodes.FIELDS.get(name, ())}
    base = next(b for b in cls.__mro__ if b in (lathe.ir.Expr, lathe.ir.Stmt, lathe.ir.Op, lathe.ir.Node))
    mixed = ["ExprOperators"] if name == "IterVar" else []
    lines = [f"class {name}({', '.join(mixed + [base.__name__])}):", doc_of(cls).rstrip()]
    own = cls.__mro__[1] if name in _nodes.METHODS else None
    new = cls.__dict__.get("__new__") or getattr(own, "__new__", None)
    if new is not None and new is not _nodes._new:
        lines.append(f"    def __new__({parameters_of(new)}) -> {name}: ...")
    else:
        listed = ", ".join(f"{f}: Any = ..." for f in fields)
        lines.append(f"    def __new__(cls, {listed}) -> {name}: ...")
    for field, kind, nullable, _ in (f[:4] for f in fields.values()):
        hint = FIELDS.get(f"{name}.{field}") or ("Any" if kind == "node" else TYPES[kind])
        lines.append(f"    @property\n    def {field}(self) -> {hint}: ...")
    if own is not None:
        lines += methods_stub(own, set(fields) | {"__new__"})
    return "\n".join(line for line in lines if line) + "\n"


def ir_stub():
    parts = [HEADER + "from typing import Any\n\nfrom ._nodes import Node as Node\nfrom ._ops import Expr as "
             "Expr, ExprOperators, Op as Op, Stmt as Stmt\n"]
    parts += [class_stub(name, cls) for name, cls in _nodes.CLASSES.items()]
    parts.append("from ._irmodule import IRModule as IRModule\nPrimExpr = Expr\n")
    parts += [plain_class_stub(name, cls) for name, cls in sorted(vars(lathe.ir).items())
              if inspect.isclass(cls) and cls.__module__ == "lathe.ir" and name not in _nodes.CLASSES
              and not name.startswith("_")]
    parts += functions_of(lathe.ir, "lathe.ir")
    return "\n".join(parts)


def functions_of(module, where):
    return [function_stub(name, item) for name, item in sorted(vars(module).items())
            if inspect.isfunction(item) and item.__module__ == where and not name.startswith("_")]


def named_tuple_stub(name, cls):
    hints = [f"    {field}: {getattr(hint, '__forward_arg__', None) or hint.__name__}"
             for field, hint in cls.__annotations__.items()]
    return "\n".join([f"class {name}(NamedTuple):", doc_of(cls).rstrip(), *hints]) + "\n"


def plain_class_stub(name, cls):
    if issubclass(cls, tuple) and (hasattr(cls, "_fields") or "__new__" in vars(cls)):
        return named_tuple_stub(name, cls)
    if issubclass(cls, enum.Enum):
        return "\n".join([f"class {name}(enum.IntEnum):", doc_of(cls).rstrip(),
                          *(f"    {item.name} = {int(item)}" for item in cls)]) + "\n"
    bases = [b for b in cls.__bases__ if b is not object]
    base = ", ".join("_Core" + b.__name__ if b.__name__ == name else b.__name__ for b in bases)
    lines = [f"class {name}({base}):" if base else f"class {name}:", doc_of(cls).rstrip()]
    lines += methods_stub(cls, {"__reduce__", "__init__", "__init_subclass__", "__weakref__", "__dict__"})
    if "__init__" in vars(cls):
        lines.append(f"    def __init__({parameters_of(cls.__init__, True)}) -> None: ...")
        if "__getattr__" not in vars(cls):
            lines.append("    def __getattr__(self, name: str) -> Any: ...")
    return "\n".join(line for line in lines if line) + "\n    ...\n"


def module_stub(module):
    """A module of plain Python: its own functions and classes, and the names that it passes on."""
    here = module.__name__
    package = module.__spec__.submodule_search_locations is not None
    imports, parts, names = {"Any": "from typing import Any"}, [], set()

    def imported(name, where, original):
        if name in names:
            return
        if where == here:
            where = "."
        names.add(name)
        imports[name] = f"from {where} import {original} as {name}"

    classes = [(n, c) for n, c in sorted(vars(module).items())
               if inspect.isclass(c) and c.__module__ == here and not n.startswith("_")]
    for _, cls in classes:
        if issubclass(cls, enum.Enum):
            imports["enum"] = "import enum"
        for base in cls.__bases__:
            if base.__module__.startswith("lathe") and base.__module__ != here:
                alias = "_Core" + base.__name__ if base.__name__ == cls.__name__ else base.__name__
                imported(alias, base.__module__, base.__name__)
    for name, item in sorted(vars(module).items()):
        if name.startswith("_") and name != "__version__":
            continue
        where = getattr(item, "__module__", None)
        if inspect.ismodule(item):
            if item.__name__.startswith("lathe.") and package or item.__name__.count(".") == 1:
                parent, _, last = item.__name__.rpartition(".")
                imported(name, parent, last)
        elif inspect.isclass(item) and (where or "").startswith("lathe"):
            if where != here:
                imported(item.__name__, where, item.__name__)
                if item.__name__ != name:
                    parts.append(f"{name} = {item.__name__}\n")
            elif item.__name__ != name:
                parts.append(f"{name} = {item.__name__}\n")
        elif inspect.isfunction(item) and where and where.startswith("lathe"):
            if where != here and hasattr(sys.modules.get(where), item.__name__) and getattr(
                    sys.modules[where], item.__name__) is item:
                imported(item.__name__, where, item.__name__)
                if item.__name__ != name:
                    parts.append(f"{name} = {item.__name__}\n")
                    imports.pop(name, None)  # a name that hides one of typing
            else:
                parts.append(function_stub(name, item))
        elif not callable(item):
            parts.append(f"{name}: Any\n")
    if package and here == "lathe":
        for lazy in lathe._LAZY:
            imported(lazy, "lathe", lazy)
        parts.append("def __getattr__(name: str) -> Any: ...\n")
    if here == "lathe.te":
        imported("hybrid", "lathe.te", "hybrid")
    if here == "lathe.tir":
        for lazy, where in lathe.tir._LAZY.items():
            imported(lazy, {"": "lathe.tir", "lathe.te": "lathe.te.operation"}.get(where, where), lazy)
    if here in EXTRA:
        parts.append(EXTRA[here])
    ordered = sorted(classes, key=lambda pair: len(pair[1].__mro__))
    classes_text = [plain_class_stub(n, c) for n, c in ordered if c.__name__ == n]
    return "\n".join([HEADER + "\n".join(imports.values()) + "\n", *classes_text, *parts])


def core_stub():
    parts = [HEADER + "from typing import Any\n"]
    for name in ("Object", "Function", "Module", "Tensor", "Device", "Field"):
        cls = getattr(_core, name)
        base = "(Object)" if cls.__mro__[1] is _core.Object else ""
        lines = [f"class {name}{base}:", doc_of(cls).rstrip()]
        if name in ("Function", "Field"):
            lines.append("    def __new__(cls, *args: Any) -> Any: ...")
        if name == "Device":
            lines.append("    def __init__(self, kind: int, id: int = ..., session: int = ...) -> None: ...")
        for member, item in sorted(vars(cls).items()):
            if member == "__call__":
                lines.append("    def __call__(self, *args: Any) -> Any: ...")
            elif inspect.isgetsetdescriptor(item) or inspect.ismemberdescriptor(item):
                lines.append(f"    {member}: Any")
            elif isinstance(item, staticmethod) or type(item).__name__ == "builtin_function_or_method" \
                    and member != "__new__":
                lines.append(f"    @staticmethod\n    def {member}(*args: Any) -> Any: ...")
            elif inspect.ismethoddescriptor(item) and (not member.startswith("__") or
                                                       member.startswith("__dlpack")):
                lines.append(f"    def {member}(self, *args: Any, **kwargs: Any) -> Any: ...")
        parts.append("\n".join(line for line in lines if line) + "\n    ...\n")
    for name, item in sorted(vars(_core).items()):
        if inspect.isbuiltin(item):
            parts.append(f"def {name}(*args: Any) -> Any: ...\n")
    return "\n".join(parts)


def all_stubs():
    stubs = {"_core.pyi": core_stub(), "ir.pyi": ir_stub()}
    for found in pkgutil.walk_packages(lathe.__path__, "lathe."):
        if found.name in ("lathe._core", "lathe.ir", "lathe._generate"):
            continue
        module = importlib.import_module(found.name)
        path = found.name.removeprefix("lathe.").replace(".", "/")
        stubs[path + ("/__init__.pyi" if found.ispkg else ".pyi")] = module_stub(module)
    stubs["__init__.pyi"] = module_stub(lathe)
    return stubs


def main():
    check = sys.argv[1] == "--check"
    folder = pathlib.Path(sys.argv[-1]) / "lathe"
    stale = []
    for path, text in all_stubs().items():
        text = with_borrowed(text.replace("\n\n\n", "\n\n"))
        if not text.endswith("\n"):
            text += "\n"
        if check:
            if not (folder / path).is_file() or (folder / path).read_text() != text:
                stale.append(path)
        else:
            (folder / path).write_text(text)
    if stale:
        print("not as they should be:", ", ".join(stale),
              "; mend with: python3 python/stubs/make_stubs.py python")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
