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

_apply = _ffi.get("graph.apply")


def as_tensor(value, dtype="float32", what="an operand"):
    """`value` as a tensor: a number or expression becomes a tensor of rank 0."""
    if isinstance(value, _nodes.CLASSES["Tensor"]):
        return value
    if isinstance(value, (int, float)):
        from ..tir.expr import const

        return compute((), lambda: const(value, dtype), name="scalar", tag="broadcast")
    if isinstance(value, ExprOperators):
        return compute((), lambda: value, name="scalar", tag="broadcast")
    raise LatheTypeError(f"{what} is no tensor", "topi-operand-type",
                         f"found: {type(value).__name__}")


def apply(op, inputs, **attrs):
    """The operator `op` of graphs applied to tensors.

    Args:
        op: its name, such as "nn.conv2d".
        inputs: tensors; numbers become tensors of the first tensor's element type.
        attrs: attributes; those that are None get their defaults.

    Returns:
        A tensor, or a list of them if the operator has several results.
    """
    dtype = next((x.dtype for x in inputs if isinstance(x, _nodes.CLASSES["Tensor"])), "float32")
    tensors = [as_tensor(x, dtype, f"an operand of {op}") for x in inputs]
    rows = [[name, plain(value)] for name, value in attrs.items() if value is not None]
    made = _apply(op, tensors, rows)
    return made[0] if len(made) == 1 else list(made)


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
        bound = signature.bind(*args, **kwargs)
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
        return apply(op, operands, **given)

    function.__name__ = function.__qualname__ = name
    function.__module__, function.__signature__ = module, signature
    function.__doc__ = _documentation(definition, name, parameters, module)
    return function


def _documentation(definition, name, parameters, module):
    docs = {key: (doc, "a tensor") for key, doc, _ in definition.inputs}
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
