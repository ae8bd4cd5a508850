"""Operators that a program adds."""

from ... import _ffi, _nodes
from ...error import LatheTypeError
from .. import _operators
from ..call import Attributes

_KINDS = {bool: "bool", int: "int", float: "float", str: "str", list: "ints", tuple: "ints"}


def register_op(name, inputs, attrs=None, *, type, compute, kind="opaque", doc=""):  # noqa: A002
    """Adds an operator: from now on graphs can call it, and it is compiled like all others.

    It stays until the program ends, and exists in this process only: what `export_library` writes
    has the operator's code, and needs no registration. Operators that are to be part of Lathe are
    written in C++ (docs/adding_an_operator.md).

    Args:
        name: a new name, such as "mine.scale".
        inputs: the operands' names: a list, or {name: what it is}.
        attrs: {attribute: default}; a type (int, float, bool, str, list) instead of a default: it
            must be given.
        type: (types, attributes) -> the result's type: a relay.TensorType, or a list of them for
            several results. It raises what the user shall see if the operands do not fit.
        compute: (te tensors, attributes) -> a te tensor, or a list of them.
        kind: how it may be fused with its neighbours: "elementwise" (an element depends on the
            elements at the same place), "broadcast" (the same, and operands may be repeated),
            "injective" (an element depends on one element of each operand), "reduction", "anchor"
            (heavy: elementwise operators go behind it), "opaque" (alone).
        doc: a sentence that says what it computes.

    Returns:
        The builder: operands and attributes -> an expression.

    Raises:
        LatheError: `graph-operator-twice`, `graph-operator-kind`; and when it is used,
            `relay-operator-type` if `type` returns no type, `graph-operator-results`.

    Example:
        >>> from lathe import relay, te
        >>> twice = relay.op.register_op(
        ...     "example.twice", ["x"], type=lambda types, attrs: types[0], kind="elementwise",
        ...     compute=lambda xs, attrs: te.compute(xs[0].shape, lambda *i: xs[0][i] * 2.0))
        >>> run = relay.create_executor("graph", twice(relay.var("x", shape=(2,)))).evaluate()
        >>> run([1.0, 2.0]).numpy().tolist()
        [2.0, 4.0]
    """
    inputs = inputs.items() if isinstance(inputs, dict) else [(one, "") for one in inputs]
    rows = [_attribute(key, value) for key, value in (attrs or {}).items()]

    def type_of(types, given):
        made = type(list(types), Attributes(map(_pair, given)))
        if isinstance(made, (list, tuple)):
            made = _nodes.CLASSES["TupleType"](list(made))
        if not isinstance(made, (_nodes.CLASSES["TensorType"], _nodes.CLASSES["TupleType"])):
            raise LatheTypeError(f"the type of {name} is no type", "relay-operator-type",
                                 "expected: a relay.TensorType, or a list of them\n"
                                 f"found: {made!r}")
        return made

    def compute_of(given, tensors):
        made = compute(list(tensors), Attributes(map(_pair, given)))
        return list(made) if isinstance(made, (list, tuple)) else [made]

    operands = [[str(key), str(what)] for key, what in inputs]
    row = _ffi.get("graph.register_op")(str(name), str(doc), operands, rows, kind, type_of,
                                        compute_of)
    _operators.DEFINITIONS[name] = _operators.Definition(row)
    return _operators.builder(name)


def _pair(row):
    key, value = row
    return key, tuple(value) if isinstance(value, list) else value


def _attribute(key, value):
    """[name, kind, doc, default or None]."""
    required = isinstance(value, type)
    found = value if required else value.__class__
    if found not in _KINDS:
        raise LatheTypeError(f"attribute `{key}` has no kind", "relay-attribute-kind",
                             "expected: a default or a type: int, float, bool, str, list\n"
                             f"found: {value!r}")
    default = None if required else list(value) if isinstance(value, tuple) else value
    return [str(key), _KINDS[found], "", default]
