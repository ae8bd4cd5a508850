"""Operators that write in place, and the views that they write through.

Values of a graph do not change, so a write makes new ones: of the tensor that is written, of what
it is a view of, and of the other views of that.
"""

import math
from typing import NamedTuple

from ....error import LatheValueError
from ... import expr as _e
from ... import op as _op
from . import _registry
from . import _values as _v
from ._importer import run_now

# These take the elements of their first argument as another tensor.
_VIEWS = frozenset(
    "select slice view reshape unsqueeze squeeze transpose permute expand narrow t flatten detach "
    "alias view_as reshape_as expand_as broadcast_to unbind chunk split split_with_sizes "
    "tensor_split hsplit vsplit dsplit diagonal linalg_diagonal contiguous unflatten numpy_T mT "
    "adjoint mH matrix_H movedim moveaxis swapaxes swapdims ravel unfold as_strided prim::data "
    "real".split())
# Of these, a copy where the elements do not lie as the result needs them.
_MAY_COPY = ("reshape", "reshape_as", "flatten", "ravel", "contiguous")
# These give their argument itself where there is nothing to do.
_MAY_BE_SAME = frozenset(
    "to type type_as float double half bfloat16 int long short char byte bool cpu dropout "
    "feature_dropout alpha_dropout feature_alpha_dropout".split())
# Views whose elements are all elements of the base, in its order.
_IN_ORDER = ("view", "reshape", "unsqueeze", "squeeze", "flatten", "view_as", "unflatten", "ravel",
             "reshape_as")
_WHOLE = ("detach", "alias", "contiguous", "prim::data", "real")
_SHAPES = ("unsqueeze_", "squeeze_", "t_", "transpose_", "swapaxes_", "swapdims_", "as_strided_")
_OTHER_WRITES = ("append", "extend", "insert", "pop", "clear", "_set_item", "Delete")
_PARTS = ("prim::ListUnpack", "prim::TupleUnpack", "aten::__getitem__")


class View(NamedTuple):
    """How a value of the model is a view of another: what `node` gives for `base`, or the number-th
    tensor of that. An "alias" is the base itself, an "arm" is it where the run chooses the
    number-th arm of the branch; how one that is "lost" is a view is not known.
    """

    base: object
    kind: str
    number: int
    node: object


def note_writes(importer, node, names, outputs):
    """Makes later readers of a tensor that was written see the new elements.

    Args:
        names: of the operator's parameters.
        outputs: the names of its results.
    """
    kind, inputs = node.kind(), list(node.inputs())
    if not inputs or not outputs:
        return
    name = _registry.short_name(kind)
    if kind in _PARTS:
        _note_parts(importer, inputs, kind, outputs)
    elif kind.startswith("aten::") and _registry.writes_in_place(name) and \
            name not in _OTHER_WRITES:
        _note_write(importer, node, inputs[0], name, outputs[0])
    elif "out" in names and importer.value(inputs[names.index("out")]) is not None:
        _note_write(importer, node, inputs[names.index("out")], name, outputs[0])
    elif _v.is_tensor(importer.value(inputs[0])) and _shares(importer, node, name, outputs[0]):
        kept = "alias" if name in _MAY_BE_SAME else name
        for i, output in enumerate(outputs):
            importer.views[output] = View(inputs[0], kept, i, node)


def may_share(name):
    """Can the result of an operator have the elements of its first argument?

    Example:
        >>> from lathe.relay.frontend.pytorch._writes import may_share
        >>> may_share("chunk"), may_share("to"), may_share("relu")
        (True, True, False)
    """
    return name in _VIEWS or name in _MAY_BE_SAME


def origin(importer, value):
    """What a value is another name of."""
    found = importer.views.get(value.debugName())
    return origin(importer, found.base) if found and found.kind == "alias" else value


def note_same(importer, name, value):
    """Notes that a name is another one of a value."""
    importer.views.pop(name, None)
    if _v.is_tensor(importer.value(value)):
        importer.views[name] = View(value, "alias", 0, None)


def note_arms(importer, name, origins, inner, node):
    """Notes what the result of a branch is another name of: in one arm, or in both."""
    importer.views.pop(name, None)
    arms = [i for i, one in enumerate(origins) if _v.is_tensor(importer.env.get(one.debugName()))
            and one.debugName() not in inner[i] and
            _v.dtype_of(importer.value(one)) == _v.dtype_of(importer.env[name])]
    if len(arms) == 1:
        importer.views[name] = View(origins[arms[0]], "arm", arms[0], node)
    elif arms:
        same = origins[0].debugName() == origins[1].debugName()
        importer.views[name] = View(origins[0], "alias" if same else "lost", 0, None)


def _in_arm(importer, view, value, other):
    """A value in the arm of a view, and another one in the other arm."""
    condition = _v.cast(_op.reshape(
        _v.expr(importer.value(next(iter(view.node.inputs())))), newshape=()), "bool")
    return _op.where(condition, *((value, other) if view.number == 0 else (other, value)))


def from_before(importer, value, inner):
    """The View that a value is, of what is none of the `inner` names; None if it is new."""
    whole = root = origin(importer, value)
    while root.debugName() in importer.views:
        root = importer.views[root.debugName()].base
    if root.debugName() in inner:
        return None
    kind = "alias" if whole.debugName() not in inner else "lost"
    return View(whole if kind == "alias" else root, kind, 0, None)


def _note_parts(importer, inputs, kind, outputs):
    """Tensors that are taken out of the list that chunk, split and others give."""
    found = importer.views.get(inputs[0].debugName())
    if found is None:
        return
    first = int(importer.value(inputs[1])) if kind == "aten::__getitem__" else 0
    for i, output in enumerate(outputs):
        importer.views[output] = found._replace(number=first + i)


def _note_write(importer, node, written, name, output):
    before, made = importer.value(written), importer.env[output]
    if not _v.is_tensor(before):
        return
    if name in _SHAPES:
        _check_alone(importer, written, name)
    if _v.is_tensor(made) and _v.dtype_of(before) != _v.dtype_of(made):
        # The tensor keeps its element type, whatever the operands promote to.
        made = importer.env[output] = importer.bind(output, _v.cast(made, _v.dtype_of(before)))
    importer.views[output] = View(written, "alias", 0, node)
    _write(importer, written, made, output)


def _check_alone(importer, value, name):
    """Views of what gets another shape, and what it is a view of, keep theirs."""
    whole = origin(importer, value).debugName()
    if whole in importer.views or any(
            one.kind != "alias" and origin(importer, one.base).debugName() == whole
            for one in importer.views.values()):
        raise LatheValueError(f"the model changes the shape of a view, or of a tensor that has "
                              f"views, in place ({name})", "pytorch-write",
                              f"help: y = y.{name[:-1]}(...)")


# -- Views and copies.


def _shares(importer, node, name, output):
    """Has the result of an operator the elements of its first argument?"""
    first = next(iter(node.inputs()))
    if name in _MAY_BE_SAME:
        return importer.env[output] is importer.value(first) and not _copy_is_asked(importer, node)
    if name == "as_strided":
        _check_strided(importer, node)
    if name not in _MAY_COPY:
        return name in _VIEWS
    base = layout(importer, first)
    made = None if base is None else _on_stand_in(importer, node, base)
    if made is None:  # extents of one aside, what lies in another order is copied
        return _lies_in_order(importer, first)
    return _storage(made) == _storage(base)


def _storage(tensor):
    return tensor.untyped_storage()._cdata


def _copy_is_asked(importer, node):
    from ._script import schema_of

    names, inputs = schema_of(node)[0], list(node.inputs())
    return "copy" in names and bool(importer.value(inputs[names.index("copy")]))


def _check_strided(importer, node):
    first, *rest = node.inputs()
    base, offset = layout(importer, first), importer.value(rest[2]) if len(rest) > 2 else None
    check_strided(base, offset, base is None and _lies_in_order(importer, first))


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


def _lies_in_order(importer, value):
    found = importer.views.get(value.debugName())
    return found is None or found.kind in (*_IN_ORDER, *_WHOLE, "arm") and \
        _lies_in_order(importer, found.base)


def layout(importer, value):
    """A tensor without elements that lies as a value of the model does; None if extents are open."""
    found = importer.views.get(value.debugName())
    if found is not None and found.kind == "lost":
        return None
    if found is not None and found.kind not in ("alias", "arm"):
        base = layout(importer, found.base)
        made = None if base is None else _on_stand_in(importer, found.node, base)
        return made[found.number] if isinstance(made, (list, tuple)) else made
    if found is not None:
        return layout(importer, found.base)
    shape = _v.shape_of(importer.value(value))
    if not all(isinstance(n, int) for n in shape):
        return None
    # A trace knows where the elements were, if it was traced with these extents.
    strides = _traced_strides(value, shape)
    torch = _v.torch()
    return torch.empty(shape, device="meta") if strides is None else \
        torch.empty_strided(shape, strides, device="meta")


def _traced_strides(value, shape):
    kind = value.type()
    if kind.kind() != "TensorType" or kind.sizes() != shape:
        return None
    return kind.strides()


def _on_stand_in(importer, node, first):
    """What PyTorch gives for a node with another first argument; None if others are not known."""
    from ._script import schema_of

    if node.kind() == "prim::data":
        return first
    rest = [importer.value(one) for one in node.inputs()][1:]
    if any(_is_open(one) for one in rest):
        shaped = _registry.short_name(node.kind()) in ("view_as", "reshape_as", "expand_as")
        shape = _v.shape_of(rest[0]) if shaped else [None]
        if not all(isinstance(n, int) for n in shape):
            return None
        rest = [_v.torch().empty(shape, device=first.device)]
    return run_now(node.kind(), schema_of(node)[1], [first, *rest])


def _is_open(value):
    if isinstance(value, (list, tuple)):
        return any(_is_open(one) for one in value)
    return isinstance(value, _e.Expr) or _v.is_size(value)


# -- Writes.


def _write(importer, written, value, source):
    """A tensor gets new elements; so do what it is a view of, and its other views."""
    name = written.debugName()
    if written.node().kind() == "prim::GetAttr":
        raise LatheValueError("the model changes its own buffer", "pytorch-state",
                              f"found: self.{written.node().s('name')}\n"
                              "help: return the new value as a result, and write to a clone")
    before = importer.env[name]
    if _v.dtype_of(before) != _v.dtype_of(value):
        value = importer.bind(name, _v.cast(value, _v.dtype_of(before)))
    importer.env[name] = value
    for view, one in list(importer.views.items()):
        if one.base.debugName() == name and view != source:
            _renew(importer, view, one, value)
    found = importer.views.get(name)
    if found is not None and found.base.debugName() != source:
        whole = importer.bind(found.base.debugName(), _scattered(importer, found, value))
        _write(importer, found.base, whole, name)


def _renew(importer, name, view, value):
    """Reads a view again after its base was written."""
    if name not in importer.env or view.kind == "lost":
        return
    made = value
    if view.kind == "arm":
        made = _in_arm(importer, view, value, _v.expr(importer.env[name]))
    elif view.kind != "alias":
        made = importer.again(view.node)
        if isinstance(made, (list, tuple)) and not isinstance(importer.env[name], (list, tuple)):
            made = made[view.number]
    importer.env[name] = importer.bind(name, made)
    for inner, one in list(importer.views.items()):
        if one.base.debugName() == name:
            _renew(importer, inner, one, importer.env[name])


def _scattered(importer, view, value):
    """The tensor whose view was changed to `value`."""
    from ._operators import indexing

    if view.kind == "lost":
        raise LatheValueError("the model writes to a tensor that a round of a loop, or both arms "
                              "of a branch, made as views of others", "pytorch-write",
                              "help: torch.export.export(model, ...) removes writes")
    data = _v.expr(importer.value(view.base))
    if view.kind in _WHOLE:
        return value
    if view.kind == "arm":
        return _in_arm(importer, view, value, data)
    if view.kind in _IN_ORDER:
        return _op.reshape(value, newshape=_v.shape_of(data))
    rank = _v.rank_of(data)
    values = [importer.value(one) for one in view.node.inputs()]
    if view.kind == "select":
        return indexing.set_selected(data, value, values[1], values[2])
    if view.kind == "slice":
        return indexing.set_slice(data, value, *values[1:5])
    if view.kind in ("transpose", "t", "swapaxes", "swapdims", "numpy_T", "mT"):
        return _op.transpose(value, axes=_turned(view.kind, values, rank))
    return _set_places(importer, view, data, value)


def _turned(kind, values, rank):
    axes = list(range(rank))
    if kind == "numpy_T":
        return axes[::-1]
    one, other = {"t": (0, 1), "mT": (rank - 2, rank - 1)}.get(kind) or (
        _v.axis_of(n, rank) for n in values[1:3])
    if rank > 1:
        axes[one], axes[other] = axes[other], axes[one]
    return axes


def _set_places(importer, view, data, value):
    """Sets the elements of any view: where they are, the same view of their numbers says."""
    shape = _v.shape_of(data)
    places = None
    if all(isinstance(n, int) for n in shape):
        numbers = _v.torch().arange(math.prod(shape)).reshape(shape)
        places = _on_stand_in(importer, view.node, numbers)
        places = places[view.number] if isinstance(places, (list, tuple)) else places
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
