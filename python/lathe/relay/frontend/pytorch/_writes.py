"""Operators that write in place, and the views that they write through.

`_cells` has the tensors; here is which operators give views, and what writes through those mean.
"""

import math

from ....error import LatheValueError
from ... import expr as _e
from ... import op as _op
from . import _cells, _registry
from . import _values as _v
from ._importer import run_now
from ._quantized import Quantized

# These take the elements of their first argument as another tensor.
_VIEWS = frozenset(
    "select slice view reshape unsqueeze squeeze transpose permute expand narrow t flatten detach "
    "alias view_as reshape_as expand_as broadcast_to unbind chunk split split_with_sizes "
    "tensor_split hsplit vsplit dsplit diagonal linalg_diagonal contiguous unflatten numpy_T mT "
    "adjoint mH matrix_H movedim moveaxis swapaxes swapdims ravel unfold as_strided prim::data "
    "real positive atleast_1d atleast_2d atleast_3d".split())
# Of these, a copy where the elements do not lie as the result needs them.
_MAY_COPY = ("reshape", "reshape_as", "flatten", "ravel", "contiguous")
# These give their argument itself where there is nothing to do.
_MAY_BE_SAME = frozenset(
    "to type type_as float double half bfloat16 int long short char byte bool cpu dropout "
    "feature_dropout alpha_dropout feature_alpha_dropout conj resolve_conj resolve_neg "
    "sum_to_size".split())
# These give views of the tensors in a list.
_OF_LISTS = ("broadcast_tensors", "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d")
# The results of these lie in memory as their kernels like it.
_OTHER_ORDER = ("einsum", "tensordot", "index", "_unsafe_index", "nonzero", "argwhere", "lstm",
                "gru", "rnn", "quantized_", "scaled_dot", "_scaled_dot", "_native_multi", "bilinear",
                "linalg_", "fft_", "svd", "qr", "inverse", "cholesky", "lu", "triangular_solve",
                "pinverse", "geqrf", "ormqr", "orgqr", "cdist", "to_mkldnn")
# Views whose elements are all elements of the base, in its order.
_IN_ORDER = ("view", "reshape", "unsqueeze", "squeeze", "flatten", "view_as", "unflatten", "ravel",
             "reshape_as", "atleast_1d", "atleast_2d", "atleast_3d")
_WHOLE = ("detach", "alias", "contiguous", "prim::data", "real", "positive")
_SHAPES = ("unsqueeze_", "squeeze_", "t_", "transpose_", "swapaxes_", "swapdims_", "as_strided_")
# Operators on lists, tuples and dicts, and their operands of which the items are kept: all if None.
_OF_CONTAINERS = {
    **dict.fromkeys(("prim::ListConstruct", "prim::TupleConstruct", "prim::DictConstruct",
                     "prim::unchecked_cast", "prim::unchecked_unwrap_optional"), None),
    "append": (0, 1), "insert": (0, 2), "extend": (0, 1), "_set_item": (0, 2), "get": (0, 2),
    "add": (0, 1), "add_": (0, 1), "__iadd__": (0, 1), "setdefault": (0, 2),
    **dict.fromkeys(("prim::ListUnpack", "prim::TupleUnpack", "prim::TupleIndex", "__getitem__",
                     "list", "copy", "dict", "keys", "values", "items", "pop", "reverse", "slice",
                     "mul", "mul_", "clear", "Delete", "popitem", "update", "sort", "len"), (0,))}
_CHANGES = ("append", "insert", "extend", "_set_item", "setdefault", "add_", "mul_", "pop",
            "reverse", "clear", "Delete", "popitem", "update", "sort")


class View:
    """How what an operator gave has the elements of its first operand: a lens of a Cell.

    Args:
        node: the node of TorchScript.
        names: of its parameters.
        overload: of the operator.
        rest: the values of its other operands.
        number: which of its results.
    """

    __slots__ = ("node", "kind", "names", "overload", "rest", "number")

    def __init__(self, node, names, overload, rest, number):
        self.node, self.kind = node, _registry.short_name(node.kind())
        self.names, self.overload, self.rest, self.number = names, overload, rest, number

    def read(self, importer, cell):
        """The view of the base as that is now."""
        base = _cells.read(importer, cell.bases[0])
        return self._part(importer.call(importer.place(self.node), self.node.kind(), self.overload,
                                        self.names, [base, *self.rest]))

    def write(self, importer, cell, value):
        """The base, whose elements in the view become `value`."""
        return [(cell.bases[0], _scattered(importer, self, cell.bases[0], value))]

    def on(self, tensor):
        """What PyTorch gives for another first operand; None if others are not known."""
        made = _on_stand_in(self.node, self.overload, tensor, self.rest)
        return None if made is None else self._part(made)

    def values(self):
        """The expressions, sizes and numbers that it needs besides its base."""
        return self.rest

    def replaced(self, function):
        """The same with other ones."""

        def change(value):
            return [change(one) for one in value] if isinstance(value, (list, tuple)) \
                else function(value)

        return View(self.node, self.names, self.overload, change(self.rest), self.number)

    def _part(self, made):
        if isinstance(made, _e.TupleWrapper):
            made = tuple(made)
        return made[self.number] if isinstance(made, (list, tuple)) else made


def values_of(importer, node):
    """The operands of a node: of operators on lists and dicts, those with their cells.

    Args:
        importer: the importer.
        node: a node of TorchScript.

    Returns:
        (the values, do they hold cells?)
    """
    name = _registry.short_name(node.kind())
    raws = [importer.raw(one) for one in node.inputs()]
    kept = _OF_CONTAINERS.get(name, ())
    held = kept is None or kept and raws and isinstance(raws[0], (list, tuple, dict))
    if name in _CHANGES and raws and any(raws[0] is one for one in importer.tied):
        raise LatheValueError("the model changes a list that a branch or loop, of which the run "
                              "chooses the arm or the rounds, has made one with another",
                              "pytorch-write", "help: change a copy: list(...)")
    if not held or name in importer.custom or node.kind() in importer.custom:
        return [_cells.plain(importer, one) for one in raws], False
    return [one if kept is None or i in kept else _cells.plain(importer, one)
            for i, one in enumerate(raws)], True


def note_writes(importer, node, names, overload, outputs):
    """Makes later readers of a tensor that was written see the new elements.

    Args:
        importer: the importer, which has the operator's results as new tensors.
        node: the operator.
        names: of the operator's parameters.
        overload: of the operator.
        outputs: the names of its results.
    """
    raws = [importer.raw(one) for one in node.inputs()]
    if not raws or not outputs:
        return
    name = _registry.short_name(node.kind())
    if node.kind().startswith("aten::") and _registry.writes_in_place(name):
        _note_write(importer, raws[0], name, outputs[0])
        return
    into = _registry.written_places(node)
    for place, output in zip(into, outputs):
        if isinstance(raws[place], _cells.Cell):
            _note_write(importer, raws[place], name, output)
    if into:
        return
    if isinstance(raws[0], _cells.Cell):
        _note_view(importer, node, raws, names, overload, outputs)
    elif name in _OF_LISTS and isinstance(raws[0], (list, tuple)):
        for made, one in zip(_parts(importer, outputs), raws[0]):
            made.share([one])


def _parts(importer, outputs):
    """The tensors that an operator gave, of lists, too."""
    return [one for output in outputs for one in (
        importer.env[output] if isinstance(importer.env[output], (list, tuple)) else
        [importer.env[output]]) if isinstance(one, _cells.Cell)]


def _note_view(importer, node, raws, names, overload, outputs):
    name, first = _registry.short_name(node.kind()), raws[0]
    if name in _MAY_BE_SAME:
        made = importer.env[outputs[0]]
        if isinstance(made, _cells.Cell) and made.value is first.value and \
                not _copy_is_asked(names, [importer.value(one) for one in node.inputs()]):
            importer.env[outputs[0]] = first
        return
    if name not in _VIEWS:
        return
    rest = [_cells.plain(importer, one) for one in raws[1:]]
    if name == "as_strided":
        _check_strided(first, rest)
    known = _shares(first, View(node, names, overload, rest, 0)) if name in _MAY_COPY else True
    for i, made in enumerate(_parts(importer, outputs) if known is not False else ()):
        made.share([first], View(node, names, overload, rest, i) if known else None)


def may_share(name):
    """Can the result of an operator have the elements of its first argument?

    Example:
        >>> from lathe.relay.frontend.pytorch._writes import may_share
        >>> may_share("chunk"), may_share("to"), may_share("relu")
        (True, True, False)
    """
    return name in _VIEWS or name in _MAY_BE_SAME or name in _OF_LISTS


def _note_write(importer, written, name, output):
    made = importer.env[output]
    if not isinstance(written, _cells.Cell) or not isinstance(made, _cells.Cell):
        return
    if name in _SHAPES and (written.bases or written.views):
        raise LatheValueError(f"the model changes the shape of a view, or of a tensor that has "
                              f"views, in place ({name})", "pytorch-write",
                              f"help: y = y.{name[:-1]}(...)")
    before, value = _cells.read(importer, written), made.value
    if value is before:
        importer.env[output] = written
        return
    if _v.is_tensor(before) and _v.is_tensor(value) and _v.dtype_of(before) != _v.dtype_of(value):
        # The tensor keeps its element type, whatever the operands promote to.
        value = importer.bind(output, _v.cast(value, _v.dtype_of(before)))
    importer.env[output] = written
    _cells.write(importer, written, value)


# -- Views and copies.


def _shares(first, view):
    """Has the result of an operator the elements of its first operand? None: it is not known."""
    base = layout(first)
    made = None if base is None else view.on(base)
    if made is None:
        return True if _lies_in_order(first) else None
    return _storage(made) == _storage(base)


def _storage(tensor):
    return tensor.untyped_storage()._cdata


def _copy_is_asked(names, values):
    return "copy" in names and bool(values[names.index("copy")])


def _check_strided(first, rest):
    base, offset = layout(first), rest[2] if len(rest) > 2 else None
    check_strided(base, offset, base is None and _lies_in_order(first))


def check_strided(base, offset, in_order=False):
    """as_strided counts in the memory of a tensor: the importer has it of tensors without gaps.

    Args:
        base: a tensor that lies as the operand does, or None if only `in_order` is known.
        offset: None, or where in the memory of `base`, not in that of a view, it begins.

    Raises:
        LatheValueError: `pytorch-value`.
    """
    fits = in_order if base is None else base.is_contiguous() and (
        offset is None or base.storage_offset() == 0)
    if not fits:
        raise LatheValueError("as_strided of a tensor that is a part of another, or lies in memory "
                              "in another order", "pytorch-value",
                              "help: .contiguous() or .clone() before, or slices and transposes")


def lies_in_order(cell):
    """Do the elements of a tensor lie in memory one after the other?

    Args:
        cell: a Cell.

    Returns:
        True; False also if that is not known.
    """
    if cell.ordered is None:
        made = layout(cell)
        cell.ordered = _lies_in_order(cell) if made is None else made.is_contiguous()
    return cell.ordered


def result_in_order(name, raws):
    """Do the elements of an operator's result lie in order? PyTorch keeps the order of operands.

    Args:
        name: of the operator.
        raws: its operands, with cells.

    Returns:
        True; False also if that is not known.
    """
    if name in _MAY_COPY:
        return True
    return not name.startswith(_OTHER_ORDER) and all(
        lies_in_order(one) for one in _cells_in(raws))


def _cells_in(raw):
    if isinstance(raw, dict):
        raw = list(raw.values())
    return [raw] if isinstance(raw, _cells.Cell) else [
        one for part in raw for one in _cells_in(part)] if isinstance(raw, (list, tuple)) else []


def _lies_in_order(cell):
    if not cell.bases:
        return cell.ordered is not False
    whole = isinstance(cell.lens, View) and cell.lens.kind in (*_IN_ORDER, *_WHOLE)
    return (whole or isinstance(cell.lens, Choice)) and all(map(_lies_in_order, cell.bases))


def layout(cell):
    """A tensor without elements that lies as a tensor of the model does.

    Args:
        cell: a Cell.

    Returns:
        A torch.Tensor; None if extents are open, or it is not known how it lies.
    """
    if cell.bases and cell.lens is None:
        return None
    if isinstance(cell.lens, Choice):
        first, other = map(layout, cell.bases)
        known = first is not None and other is not None
        return first if known and first.stride() == other.stride() else None
    if cell.bases:
        base = layout(cell.bases[0])
        return None if base is None else cell.lens.on(base)
    if cell.value is None:
        return None
    shape = _v.shape_of(cell.value.data if isinstance(cell.value, Quantized) else cell.value)
    if not all(isinstance(n, int) for n in shape):
        return None
    # A trace knows where the elements were, if it was traced with these extents.
    strides = _traced_strides(cell.source, shape)
    if strides is None and cell.ordered is False:
        return None
    torch = _v.torch()
    return torch.empty(shape, device="meta") if strides is None else \
        torch.empty_strided(shape, strides, device="meta")


def _traced_strides(value, shape):
    if value is None or value.type().kind() != "TensorType" or value.type().sizes() != shape:
        return None
    return value.type().strides()


def _on_stand_in(node, overload, first, rest):
    """What PyTorch gives for a node with another first operand; None if others are not known."""
    if node.kind() == "prim::data":
        return first
    if any(_is_open(one) for one in rest):
        shaped = _registry.short_name(node.kind()) in ("view_as", "reshape_as", "expand_as")
        shape = _v.shape_of(rest[0]) if shaped else [None]
        if not all(isinstance(n, int) for n in shape):
            return None
        rest = [_v.torch().empty(shape, device=first.device)]
    try:
        return run_now(node.kind(), overload, [first, *rest])
    except (RuntimeError, IndexError, TypeError, ValueError):  # of tensors without elements
        return None


def _is_open(value):
    if isinstance(value, (list, tuple)):
        return any(_is_open(one) for one in value)
    return isinstance(value, _e.Expr) or _v.is_size(value)


# -- Writes.


class Choice:
    """What a branch hands on: the first base, or the second one, as the run chooses; a lens.

    Args:
        condition: an expression of one element.
    """

    __slots__ = ("condition",)

    def __init__(self, condition):
        self.condition = condition

    def read(self, importer, cell):
        """That of the arm that the run chose."""
        return self._chosen(*(_v.expr(_cells.read(importer, one)) for one in cell.bases))

    def write(self, importer, cell, value):
        """The base of the arm that the run chose gets the value, the other one keeps its own."""
        for i, base in enumerate(cell.bases):  # the second may be a view of the first
            before = _v.expr(_cells.read(importer, base))
            yield base, self._chosen(*((value, before) if i == 0 else (before, value)))

    def values(self):
        """The expression that it needs besides its bases."""
        return [self.condition]

    def replaced(self, function):
        """The same with another one."""
        return Choice(function(self.condition))

    def _chosen(self, first, other):
        condition = _v.cast(_op.reshape(_v.expr(self.condition), newshape=()), "bool")
        return _op.where(condition, first, other)


def _scattered(importer, view, base, value):
    """The tensor whose view was changed to `value`."""
    from ._operators import indexing

    if not _v.is_tensor(_cells.read(importer, base)):
        raise LatheValueError("the model writes to a view of a quantized tensor", "pytorch-write",
                              "help: write to the tensor before it is quantized")
    data = _v.expr(_cells.read(importer, base))
    if view.kind in _WHOLE:
        return value
    if view.kind in _IN_ORDER:
        return _op.reshape(value, newshape=_v.shape_of(data))
    rank = _v.rank_of(data)
    values = [data, *view.rest]
    if view.kind == "select":
        return indexing.set_selected(data, value, values[1], values[2])
    if view.kind == "slice":
        return indexing.set_slice(data, value, *values[1:5])
    if view.kind in ("transpose", "t", "swapaxes", "swapdims", "numpy_T", "mT"):
        return _op.transpose(value, axes=_turned(view.kind, values, rank))
    return _set_places(view, data, value)


def _turned(kind, values, rank):
    axes = list(range(rank))
    if kind == "numpy_T":
        return axes[::-1]
    one, other = {"t": (0, 1), "mT": (rank - 2, rank - 1)}.get(kind) or (
        _v.axis_of(n, rank) for n in values[1:3])
    if rank > 1:
        axes[one], axes[other] = axes[other], axes[one]
    return axes


def _set_places(view, data, value):
    """Sets the elements of any view: where they are, the same view of their numbers says."""
    shape = _v.shape_of(data)
    places = None
    if all(isinstance(n, int) for n in shape):
        numbers = _v.torch().arange(math.prod(shape)).reshape(shape)
        places = view.on(numbers)
    if places is None or places.unique().numel() < places.numel():
        raise LatheValueError(f"the model writes to a view of a tensor that {view.kind} made",
                              "pytorch-write",
                              "expected: fixed extents, and each element once; or a view by "
                              "select, slice, view, transpose\n"
                              "help: torch.export.export(model, ...) removes writes")
    flat = _op.reshape(data, newshape=(-1,))
    made = _op.scatter_elements(flat, _v.expr(places.reshape(-1).contiguous()),
                                _op.reshape(value, newshape=(-1,)), axis=0)
    return _op.reshape(made, newshape=shape)
