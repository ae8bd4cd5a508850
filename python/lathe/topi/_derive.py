"""Functions of te tensors, made of the operators of graphs.

An operator has one definition (relay's). A row of a table says under which name and with which
parameters topi has it: "expand_dims(a:data, axis, num_newaxis=1)" takes the operand `data` as `a`.
"""

import inspect
import re

from .. import _ffi, _nodes
from .._ops import ExprOperators
from ..error import LatheTypeError
from ..relay import _operators
from ..relay.call import plain
from ..te.operation import compute
from ..tir.functor import ir_transform

_apply = _ffi.get("graph.apply")
# Marks the tensors that `as_tensor` makes of numbers: they are no stages of a schedule.
_IMMEDIATE = "topi_immediate"


def as_tensor(value, dtype="float32", what="an operand"):
    """`value` as a tensor: a number or expression becomes a tensor of rank 0."""
    if isinstance(value, _nodes.CLASSES["Tensor"]):
        return value
    if isinstance(value, (int, float)):
        from ..tir.expr import const

        return compute((), lambda: const(value, dtype), name="scalar", tag="broadcast", attrs={_IMMEDIATE: 1})
    if isinstance(value, ExprOperators):
        return compute((), lambda: value, name="scalar", tag="broadcast", attrs={_IMMEDIATE: 1})
    raise LatheTypeError(f"{what} is no tensor", "topi-operand-type",
                         f"found: {type(value).__name__}")


def immediate(tensor):
    """The expression that `as_tensor` made a tensor of; None for other tensors."""
    op = tensor.op
    return op.body[0] if isinstance(op, _nodes.CLASSES["ComputeOp"]) and _IMMEDIATE in op.attrs else None


def apply(op, inputs, name=None, **attrs):
    """The operator `op` of graphs applied to tensors.

    Args:
        op: its name, such as "nn.conv2d".
        inputs: tensors; numbers become constants of the first tensor's element type.
        name: the name of the stage that gives the result; by default the operator's.
        attrs: attributes; those that are None get their defaults.

    Returns:
        A tensor, or a list of them if the operator has several results.
    """
    dtype = next((x.dtype for x in inputs if isinstance(x, _nodes.CLASSES["Tensor"])), "float32")
    tensors = [as_tensor(x, dtype, f"an operand of {op}") for x in inputs]
    rows = [[name, plain(value)] for name, value in attrs.items() if value is not None]
    made = _finished(_apply(op, tensors, rows), tensors, name or op.rpartition(".")[2])
    return made[0] if len(made) == 1 else made


def _finished(made, inputs, name):
    """Tensors that an operator made, with numbers in place of tensors of rank 0, and stages of its name.

    A number that were a stage of its own would be outside of a kernel's loops. Operators call their
    last stage "y"; `name` says more.
    """
    compute_op, load = _nodes.CLASSES["ComputeOp"], _nodes.CLASSES["Load"]
    values, rebuilt = {}, {one.op: one.op for one in inputs}
    for one in inputs:
        value = immediate(one)
        if value is not None:
            values[one.op] = value

    def replaced(node):
        if not isinstance(node.source, _nodes.CLASSES["Tensor"]):
            return None
        op = node.source.op
        if op in values:
            return values[op]
        new = rebuilt.get(op, op)
        return None if new.same_as(op) else load(new.output(node.source.value_index), node.indices)

    def of(op):
        if op in rebuilt:
            return rebuilt[op]
        rebuilt[op] = op
        before = [one.op for one in op.input_tensors]
        changed = [one for one in before if one in values or not of(one).same_as(one)]
        fields = {field[0]: getattr(op, field[0]) for field in type(op)._fields()}
        if op.name == "y":
            fields["name"] = name
        if isinstance(op, compute_op) and changed:
            fields["body"] = [ir_transform(one, None, replaced, ["Load"]) for one in op.body]
        if op.name == "y" or isinstance(op, compute_op) and changed:
            rebuilt[op] = _nodes._new(type(op), **fields)
        return rebuilt[op]

    return [of(one.op).output(one.value_index) for one in made]


def named(tensor, name):
    """The tensor, of a stage that is called `name` instead of "y"."""
    return _finished([tensor], [], name)[0]


def install(namespace, table):
    """Puts the functions of a table, {"name(parameters)": operator}, into a module's namespace."""
    for row, op in table.items():
        function = _function(row, op, namespace["__name__"])
        namespace[function.__name__] = function


def _parsed(row):
    """(name, [(parameter, what it is for the operator, default)])."""
    name, inside = re.fullmatch(r"(\w+)\((.*)\)", row).groups()
    parameters = []
    for part in re.split(r", (?![^(]*\))", inside) if inside else []:
        key, _, default = part.partition("=")
        spelled, _, meaning = key.partition(":")
        parameters.append((spelled, meaning or spelled,
                           _literal(default) if default else inspect.Parameter.empty))
    return name, parameters


def _literal(text):
    import ast

    return ast.literal_eval(text)


def _function(row, op, module):
    name, parameters = _parsed(row)
    definition = _operators.DEFINITIONS[op]
    inputs = [item[0] for item in definition.inputs]
    signature = inspect.Signature([
        inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for key, _, default in parameters])

    def function(*args, **kwargs):
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}: {error}; its parameters are {name}{signature}") from None
        bound.apply_defaults()
        given, operands = {meaning: bound.arguments[key] for key, meaning, _ in parameters}, []
        for i, one in enumerate(inputs):
            value = given.pop(one, None)
            if value is None:
                continue
            if definition.variadic and i == len(inputs) - 1:
                operands += [value] if isinstance(value, _nodes.CLASSES["Tensor"]) else list(value)
            else:
                operands.append(value)
        given.pop("_", None)
        return apply(op, operands, given.pop("name", None), **given)

    function.__name__ = function.__qualname__ = name
    function.__module__, function.__signature__ = module, signature
    function.__doc__ = _documentation(definition, name, parameters, module)
    return function


def _documentation(definition, name, parameters, module):
    docs = {"name": ("The name of the stage", "text")}
    docs.update((key, (doc, "a tensor")) for key, doc, _ in definition.inputs)
    if definition.variadic:
        key, doc, _ = definition.inputs[-1]
        docs[key] = (doc, "a list of tensors")
    for key, form, doc, _, _, _ in definition.attrs:
        docs[key] = (doc, _operators._FORMS[form])
    lines = [definition.doc, ""]
    if parameters:
        lines.append("Args:")
    for key, meaning, _ in parameters:
        doc, kind = docs.get(meaning, ("Without effect", "any value"))
        lines.append(f"    {key}: {kind}. {_operators._sentence(doc)}.")
    lines += ["", "Returns:", "    A tensor, or a list of them.", "", "Example:",
              "    >>> from lathe import te, topi", "    >>> y = " +
              _example(definition, name, parameters, module)]
    return "\n".join(lines)


def _example(definition, name, parameters, module):
    """A call with operands like those of the operator's first example."""
    sizes, tensors = {}, []
    for i, text in enumerate(definition.example):
        dtype, _, shape = text.partition(" in ")[0].partition("[")
        if dtype == "T":
            kinds = definition.inputs[min(i, len(definition.inputs) - 1)][2]
            dtype = next(made for word, made in (("floating", "float32"), ("integer", "int32"),
                                                 ("int32", "int32"), ("bool", "bool"))
                         if word in kinds)
        extents = [_operators._number(word, sizes) for word in shape.rstrip("]").split(",")
                   if word.strip()]
        inside = ", ".join(map(str, extents)) + ("," if len(extents) == 1 else "")
        tensors.append(f"te.placeholder(({inside})" +
                       ("" if dtype == "float32" else f', "{dtype}"') + ")")
    inputs = [item[0] for item in definition.inputs]
    given = dict(zip(inputs, tensors))
    if definition.variadic:
        given[inputs[-1]] = "[" + ", ".join(tensors[len(inputs) - 1:]) + "]"
    for key, value in definition.example_attrs:
        given[key] = repr(tuple(value) if isinstance(value, list) else value)
    attrs = {item[0]: item[4] for item in definition.attrs}
    parts = []
    for key, meaning, default in parameters:
        if meaning in given:
            parts.append(f"{key}={given[meaning]}")
        elif default is inspect.Parameter.empty:
            parts.append(f"{key}={attrs.get(meaning)!r}")
    public = module.removeprefix("lathe.") if module.endswith(("image", "vision")) \
        else module.removeprefix("lathe.").rpartition(".")[0]
    return f"{public}.{name}({', '.join(parts)})"
