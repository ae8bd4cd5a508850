"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._quantized import Quantized as Quantized

class Cell:
    """A tensor of the model.

    Args:
        name: what bindings of its value are called.
        value: an expression, a torch.Tensor or a quantized tensor; None if `bases` say it.
        bases: the cells whose elements it has.
        lens: how it has them: an object with `read(importer, cell)`, the value of a cell by those
            of its bases, and `write(importer, cell, value)`, [(base, its new value)]. None if it
            has its own value, and may share elements with the bases in a way that is not known.
        attribute: the name of an attribute of the model that it is, or None.
        source: the value of TorchScript that it was made for, or None.
        ordered: do the elements lie in memory in order? None if that is not looked at yet.
    """
    def owners(self) -> Any: ...
    def share(self, bases: Any, lens: Any = ...) -> Any: ...
    def __init__(self, name: Any, value: Any, bases: Any = ..., lens: Any = ..., attribute: Any = ..., source: Any = ..., ordered: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class State:
    """What an importer knows about the values of the model, to come back to it.

    Args:
        importer: the importer.
    """
    def changed_lists(self) -> Any: ...
    def changed_owners(self) -> Any: ...
    def restore(self, importer: Any) -> Any: ...
    def __init__(self, importer: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def is_leaf(value: Any) -> Any:
    """Does a value become a cell?"""

def plain(importer: Any, raw: Any) -> Any:
    """What names, lists and dicts of the model hold, with the values of cells.

    Args:
        importer: binds what is read again.
        raw: a Cell, a list, tuple or dict of them, or any other value.

    Returns:
        The value. Lists and dicts are new ones.
    """

def read(importer: Any, cell: Any) -> Any:
    """The value of a cell.

    Raises:
        LatheValueError: `pytorch-write`: it is stale.
    """

def refill(held: Any, content: Any) -> Any:
    """Gives a list or dict other items; it stays the same one, as others may hold it.

    Args:
        held: the list or dict.
        content: one with the new items.
    """

def soil(cell: Any, sources: Any = ..., known: Any = ...) -> Any:
    """The views of a cell are read again before their next use.

    Args:
        cell: its value changed.
        sources: cells that have their values already.
        known: what has a value of its own keeps it.
    """

def stale(cell: Any) -> Any:
    """The error of reading a tensor whose elements are not known any more.

    Args:
        cell: the tensor.

    Returns:
        A LatheValueError.
    """

def wrapped(name: Any, value: Any, **more: Any) -> Any:
    """A value of an operator, as names of the model hold it: tensors are new cells.

    Args:
        name: of the value.
        value: any value.
        more: of each cell.

    Returns:
        The value; a tensor as a Cell.
    """

def write(importer: Any, cell: Any, value: Any, sources: Any = ...) -> Any:
    """A tensor gets new elements; so does what it is a view of, and other views are read again.

    Args:
        importer: binds the new values.
        cell: the tensor.
        value: its new value, bound.
        sources: the cells of which this write is a consequence: they have their values.

    Raises:
        LatheValueError: `pytorch-state`: it is an attribute of the model; `pytorch-write`: a write
            through such a view cannot be followed.
    """
