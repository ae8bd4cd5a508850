"""Written by python/stubs/make_stubs.py."""

from typing import Any

class Args:
    """The arguments of one call: `a[0]` by place, `a.dim` by the schema's name; None if not given.

    Example:
        >>> from lathe.relay.frontend.pytorch._registry import Args
        >>> a = Args("softmax.int", ["self", "dim"], ["x", 1])
        >>> a[0], a.dim, a.dtype
        ('x', 1, None)
    """
    def __getattr__(self, name: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __len__(self) -> int: ...
    def has(self, name: Any) -> Any: ...
    def replaced(self, function: Any) -> Any: ...
    def values(self) -> Any: ...
    def __init__(self, name: Any, names: Any, values: Any, options: Any = ...) -> None: ...
    ...

MOVES: Any

OPERATORS: Any

def find(name: Any, overload: Any = ..., table: Any = ...) -> Any:
    """The function for an operator, or None.

    An operator that works in place (`relu_`), or on views (`permute_copy`), is the one without.
    """

def operator(names: Any) -> Any:
    """A decorator: the function makes expressions of the operators of these names."""

def operators(table: Any) -> Any:
    """Adds {names, separated by blanks: function} to the table."""

def short_name(qualified: Any) -> Any:
    """The table's name of "aten::softmax": "softmax".

    Example:
        >>> from lathe.relay.frontend.pytorch._registry import short_name
        >>> short_name("aten::softmax"), short_name("quantized::add")
        ('softmax', 'quantized::add')
    """

def writes_in_place(name: Any) -> Any:
    """Does the operator store its result in its first argument?

    Example:
        >>> from lathe.relay.frontend.pytorch._registry import writes_in_place
        >>> writes_in_place("relu_"), writes_in_place("__and__"), writes_in_place("relu")
        (True, False, False)
    """

def written_places(node: Any) -> Any:
    """Which operands an operator of TorchScript stores its results in: those named `out`.

    Args:
        node: a node of TorchScript.

    Returns:
        Their places.
    """
