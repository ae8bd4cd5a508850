"""Branches and loops of TorchScript, and operators that write in place."""

from ....error import LatheValueError
from ... import expr as _e
from ... import op as _op
from ..._loop import Loop
from . import _registry
from . import _values as _v
from ._importer import tuple_type

# A loop of at most so many rounds, whose number is known, is unrolled.
_MOST_ROUNDS = 512
_ENDLESS = 2 ** 62


def known_bool(value):
    """True or False, or None if it is computed while the model runs."""
    if isinstance(value, (bool, int, float)) or value is None:
        return bool(value)
    if _v.known_tensor(value) and value.numel() == 1:
        return bool(value)
    return None if isinstance(value, _e.Expr) or _v.is_size(value) else bool(value)


def read_if(importer, node):
    """Reads prim::If. A known condition chooses the arm that is read."""
    condition = known_bool(importer.value(next(iter(node.inputs()))))
    blocks = list(node.blocks())
    raising = [_raises(block) for block in blocks]
    if condition is None and any(raising):
        condition = raising[1]  # what an assertion checks is not checked here
    outputs = [one.debugName() for one in node.outputs()]
    if condition is not None:
        chosen = blocks[0 if condition else 1]
        importer.block(chosen)
        for name, value in zip(outputs, chosen.outputs()):
            importer.env[name] = importer.value(value)
        return
    arms, shapes = [], []
    for block in blocks:
        importer.scopes.append([])
        importer.block(block)
        results = [importer.value(value) for value in block.outputs()]
        shapes.append(_shape_of_lists(results))
        arms.append((_flat(results), importer.scopes.pop()))
    if shapes[0] != shapes[1]:
        raise LatheValueError("the arms of a branch give lists of different lengths, and which arm "
                              "is chosen is computed while the model runs", "pytorch-branch")
    _choose(importer, node, arms, shapes[0], outputs)


def _choose(importer, node, arms, shape, outputs):
    condition = _v.cast(_scalar(importer.value(next(iter(node.inputs())))), "bool")
    types = [_v.promoted(one, other) if _v.dtype_of(one) != _v.dtype_of(other) else
             _v.dtype_of(one) for one, other in zip(arms[0][0], arms[1][0])]
    if not types:
        return
    closed, found = [], []
    for values, scope in arms:
        importer.scopes.append(scope)
        fields = [importer.bind("arm", _v.expr(one, dtype)) for one, dtype in zip(values, types)]
        found.append([one.checked_type for one in fields])
        closed.append(importer.closed(_e.Tuple(fields)))
    for one, other in zip(*found):
        if one != other:
            raise LatheValueError("the arms of a branch give tensors of different types",
                                  "pytorch-branch", f"expected: {one}\nfound: {other}")
    made = _e.If(condition, closed[0], closed[1])
    made._type = tuple_type(found[0])
    whole = importer.bind(outputs[0], made)
    fields = [_e.TupleGetItem(whole, i) for i in range(len(types))]
    for name, value in zip(outputs, _unflat(fields, shape)):
        importer.env[name] = importer.bind(name, value)


def _raises(block):
    return any(node.kind() == "prim::RaiseException" for node in block.nodes())


def _scalar(value):
    """A tensor of one element as one of rank 0."""
    value = _v.expr(value)
    return value if _v.rank_of(value) == 0 else _op.reshape(value, newshape=())


# -- Lists of tensors, which branches and loops carry as single tensors.


def _flat(values):
    return [one for value in values for one in
            (_flat(value) if isinstance(value, (list, tuple)) else [value])]


def _shape_of_lists(values):
    return [_shape_of_lists(one) if isinstance(one, (list, tuple)) else None for one in values]


def _unflat(values, shape):
    values = iter(values)

    def build(shape):
        return [next(values) if one is None else build(one) for one in shape]

    return build(shape)


# -- Loops.


def read_loop(importer, node):
    """Reads prim::Loop. Rounds are unrolled while it is known that there is another one."""
    limit, condition, *carried = [importer.value(one) for one in node.inputs()]
    block = next(iter(node.blocks()))
    names = [one.debugName() for one in block.inputs()]
    outputs = [one.debugName() for one in node.outputs()]
    rounds, go_on = 0, known_bool(condition)
    most = limit if isinstance(limit, int) else None
    counted = most is not None and most <= _MOST_ROUNDS
    while go_on and most is not None and (counted or most >= _ENDLESS) and rounds < most:
        if rounds >= _MOST_ROUNDS:
            raise LatheValueError("a loop has too many rounds", "pytorch-loop",
                                  f"expected: at most {_MOST_ROUNDS}, if what is carried changes "
                                  "with each round")
        importer.env.update(zip(names, [rounds, *carried]))
        importer.block(block)
        condition, *carried = [importer.value(one) for one in block.outputs()]
        rounds, go_on = rounds + 1, known_bool(condition)
    if go_on is False or rounds == most:
        importer.env.update(zip(outputs, carried))
        return
    for name, value in zip(outputs, _run_time_loop(importer, block, limit, condition, carried,
                                                   rounds, outputs)):
        importer.env[name] = value


def _run_time_loop(importer, block, limit, condition, carried, rounds, outputs):
    """A loop whose number of rounds is known when the model runs."""
    shape = _shape_of_lists(carried)
    start = [_v.expr(one) for one in [rounds, _as_bool(condition), *_flat(carried)]]
    types = [one.checked_type for one in start]
    # What a loop carries is bound before it.
    start = [importer.bind("start", one) for one in start]
    state = [_e.Var(importer.name(name), one) for name, one in
             zip(["round", "go_on", *[f"carried{i}" for i in range(len(types))]], types)]
    importer.scopes.append([])
    names = [one.debugName() for one in block.inputs()]
    importer.env.update(zip(names, [state[0], *_unflat(state[2:], shape)]))
    importer.block(block)
    go_on, *results = [importer.value(one) for one in block.outputs()]
    if _shape_of_lists(results) != shape:
        raise LatheValueError("a loop makes a list longer, and its number of rounds is computed "
                              "while the model runs", "pytorch-loop",
                              "help: give the list its length before the loop")
    ends = [_op.add(state[0], _v.expr(1, "int64")), _as_bool(go_on), *_flat(results)]
    ends = [_v.expr(one, str(wanted.dtype)) for one, wanted in zip(ends, types)]
    for one, wanted in zip(ends, types):
        if one.checked_type != wanted:
            raise LatheValueError("what a loop carries changes its shape with each round, and the "
                                  "number of rounds is computed while the model runs",
                                  "pytorch-loop",
                                  f"expected: {wanted}\nfound: {one.checked_type}")
    body = importer.closed(_e.Tuple(ends))
    test = state[1]
    if not (isinstance(limit, int) and limit >= _ENDLESS):
        test = _op.logical_and(test, _op.less(state[0], _v.expr(limit, "int64")))
    whole = importer.bind(outputs[0] if outputs else "loop",
                          Loop(start, state, test, body, tuple_type(types)))
    fields = [_e.TupleGetItem(whole, i + 2) for i in range(len(types) - 2)]
    return [importer.bind(name, one) for name, one in zip(outputs, _unflat(fields, shape))]


def _as_bool(value):
    return _v.cast(_scalar(value), "bool")


# -- Operators that write in place.

VIEWS = ("select", "slice", "view", "reshape", "unsqueeze", "squeeze", "transpose", "permute",
          "expand", "narrow", "t", "flatten", "detach", "alias", "view_as", "expand_as", "unbind",
          "chunk", "split", "diagonal", "contiguous", "unflatten")
_OTHER_WRITES = ("append", "extend", "insert", "pop", "clear", "_set_item", "Delete")


def note_writes(importer, node, kind, outputs):
    """Makes later readers of a tensor that was written see the new elements."""
    name = _registry.short_name(kind)
    inputs = [one.debugName() for one in node.inputs()]
    if name in VIEWS and inputs and outputs:
        for i, output in enumerate(outputs):
            importer.views[output] = (inputs[0], name, i, node)
        return
    if not _registry.writes_in_place(name) or not kind.startswith("aten::") or \
            name in _OTHER_WRITES:
        return
    importer.views[outputs[0]] = (inputs[0], "alias", 0, node)
    _write(importer, inputs[0], importer.env[outputs[0]], outputs[0])


def _write(importer, name, value, source):
    """A tensor gets new elements; so do what it is a view of, and its other views."""
    before = importer.env[name]
    if _v.dtype_of(before) != _v.dtype_of(value):
        value = importer.bind(name, _v.cast(value, _v.dtype_of(before)))
    importer.env[name] = value
    for view, (base, kind, number, node) in list(importer.views.items()):
        if base == name and view != source:
            _renew(importer, view, kind, number, node, value)
    if name in importer.views:
        base, kind, _, node = importer.views[name]
        if base == source:
            return
        values = [importer.value(one) for one in node.inputs()]
        _write(importer, base, importer.bind(base, _scattered(kind, values, value)), name)


def _renew(importer, view, kind, number, node, value):
    """Reads a view again after its base was written."""
    if view not in importer.env:
        return
    made = value
    if kind != "alias":
        made = importer.again(node)
        made = made[number] if isinstance(made, (list, tuple)) else made
    importer.env[view] = importer.bind(view, made)
    for inner, (base, inner_kind, place, other) in list(importer.views.items()):
        if base == view:
            _renew(importer, inner, inner_kind, place, other, importer.env[view])


def _scattered(kind, values, value):
    """The tensor whose view `kind` was changed to `value`."""
    from ._operators import indexing

    data = _v.expr(values[0])
    if kind == "select":
        return indexing.set_slice(data, _op.expand_dims(value, axis=_v.axis_of(
            values[1], _v.rank_of(data))), values[1], values[2],
            None if values[2] == -1 else values[2] + 1, 1)
    if kind == "slice":
        return indexing.set_slice(data, value, values[1], values[2], values[3], values[4])
    if kind in ("view", "reshape", "unsqueeze", "squeeze", "flatten", "view_as", "unflatten"):
        return _op.reshape(value, newshape=_v.shape_of(data))
    if kind in ("detach", "alias", "contiguous"):
        return value
    if kind in ("transpose", "t"):
        rank = _v.rank_of(data)
        one, other = (0, 1) if kind == "t" else (_v.axis_of(n, rank) for n in values[1:3])
        axes = list(range(rank))
        axes[one], axes[other] = axes[other], axes[one]
        return _op.transpose(value, axes=axes)
    raise LatheValueError(f"the model writes to a view of a tensor that {kind} made",
                          "pytorch-write", "expected: a view by select, slice, view, transpose\n"
                          "help: torch.export.export(model, ...) removes writes")
