"""Written by python/stubs/make_stubs.py."""

from typing import Any, NamedTuple
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._importer import run_now as run_now

class View(NamedTuple):
    """How a value of the model is a view of another: what `node` gives for `base`, or the number-th
    tensor of that. An "alias" is the base itself, an "arm" is it where the run chooses the
    number-th arm of the branch; how one that is "lost" is a view is not known.
    """
    base: object
    kind: str
    number: int
    node: object

def check_strided(base: Any, offset: Any, in_order: Any = ...) -> Any:
    """as_strided counts in the memory of a tensor: the importer has it of tensors without gaps.

    Args:
        base: a tensor that lies as the operand does, or None if only `in_order` is known.
        offset: None, or where in the memory of `base`, not in that of a view, it begins.

    Raises:
        LatheValueError: `pytorch-value`.
    """

def from_before(importer: Any, value: Any, inner: Any) -> Any:
    """The View that a value is, of what is none of the `inner` names; None if it is new."""

def layout(importer: Any, value: Any) -> Any:
    """A tensor without elements that lies as a value of the model does; None if extents are open."""

def may_share(name: Any) -> Any:
    """Can the result of an operator have the elements of its first argument?

    Example:
        >>> from lathe.relay.frontend.pytorch._writes import may_share
        >>> may_share("chunk"), may_share("to"), may_share("relu")
        (True, True, False)
    """

def note_arms(importer: Any, name: Any, origins: Any, inner: Any, node: Any) -> Any:
    """Notes what the result of a branch is another name of: in one arm, or in both."""

def note_same(importer: Any, name: Any, value: Any) -> Any:
    """Notes that a name is another one of a value."""

def note_writes(importer: Any, node: Any, names: Any, outputs: Any) -> Any:
    """Makes later readers of a tensor that was written see the new elements.

    Args:
        names: of the operator's parameters.
        outputs: the names of its results.
    """

def origin(importer: Any, value: Any) -> Any:
    """What a value is another name of."""
