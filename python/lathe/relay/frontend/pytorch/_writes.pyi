"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._quantized import Quantized as Quantized
from lathe.relay.frontend.pytorch._importer import run_now as run_now

class Choice:
    """What a branch hands on: the first base, or the second one, as the run chooses; a lens.

    Args:
        condition: an expression of one element.
    """
    def read(self, importer: Any, cell: Any) -> Any: ...
    def replaced(self, function: Any) -> Any: ...
    def values(self) -> Any: ...
    def write(self, importer: Any, cell: Any, value: Any) -> Any: ...
    def __init__(self, condition: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class View:
    """How what an operator gave has the elements of its first operand: a lens of a Cell.

    Args:
        node: the node of TorchScript.
        names: of its parameters.
        overload: of the operator.
        rest: the values of its other operands.
        number: which of its results.
    """
    def on(self, tensor: Any) -> Any: ...
    def read(self, importer: Any, cell: Any) -> Any: ...
    def replaced(self, function: Any) -> Any: ...
    def values(self) -> Any: ...
    def write(self, importer: Any, cell: Any, value: Any) -> Any: ...
    def __init__(self, node: Any, names: Any, overload: Any, rest: Any, number: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def check_strided(base: Any, offset: Any, in_order: Any = ...) -> Any:
    """as_strided counts in the memory of a tensor: the importer has it of tensors without gaps.

    Args:
        base: a tensor that lies as the operand does, or None if only `in_order` is known.
        offset: None, or where in the memory of `base`, not in that of a view, it begins.

    Raises:
        LatheValueError: `pytorch-value`.
    """

def layout(cell: Any) -> Any:
    """A tensor without elements that lies as a tensor of the model does.

    Args:
        cell: a Cell.

    Returns:
        A torch.Tensor; None if extents are open, or it is not known how it lies.
    """

def lies_in_order(cell: Any) -> Any:
    """Do the elements of a tensor lie in memory one after the other?

    Args:
        cell: a Cell.

    Returns:
        True; False also if that is not known.
    """

def may_share(name: Any) -> Any:
    """Can the result of an operator have the elements of its first argument?

    Example:
        >>> from lathe.relay.frontend.pytorch._writes import may_share
        >>> may_share("chunk"), may_share("to"), may_share("relu")
        (True, True, False)
    """

def note_writes(importer: Any, node: Any, names: Any, overload: Any, outputs: Any) -> Any:
    """Makes later readers of a tensor that was written see the new elements.

    Args:
        importer: the importer, which has the operator's results as new tensors.
        node: the operator.
        names: of the operator's parameters.
        overload: of the operator.
        outputs: the names of its results.
    """

def result_in_order(name: Any, raws: Any) -> Any:
    """Do the elements of an operator's result lie in order? PyTorch keeps the order of operands.

    Args:
        name: of the operator.
        raws: its operands, with cells.

    Returns:
        True; False also if that is not known.
    """

def values_of(importer: Any, node: Any) -> Any:
    """The operands of a node: of operators on lists and dicts, those with their cells.

    Args:
        importer: the importer.
        node: a node of TorchScript.

    Returns:
        (the values, do they hold cells?)
    """
