"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.call import Attributes as Attributes
from lathe.error import LatheTypeError as LatheTypeError

def register_op(name: Any, inputs: Any, attrs: Any = ..., *, type: Any, compute: Any, kind: Any = ..., doc: Any = ...) -> Any:
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
