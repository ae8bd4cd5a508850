"""Branches and loops of TorchScript."""

from collections import Counter
from typing import NamedTuple

from ....error import LatheValueError
from ... import expr as _e
from ... import op as _op
from ..._loop import Loop
from . import _values as _v
from . import _writes
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
        for name, one in zip(outputs, chosen.outputs()):
            importer.env[name] = importer.value(one)
            _writes.note_same(importer, name, one)
        return
    read = [_apart(importer, block) for block in blocks]
    written = list(dict.fromkeys(name for one in read for name in one.changed))
    arms, shapes = [], []
    for block, one in zip(blocks, read):
        results = [one.env[value.debugName()] for value in block.outputs()]
        results += [one.changed.get(name, importer.env[name]) for name in written]
        shapes.append(_shape_of_lists(results))
        arms.append((_flat(results), one.scope))
    if shapes[0] != shapes[1]:
        raise LatheValueError("the arms of a branch give lists of different lengths, and which arm "
                              "is chosen is computed while the model runs", "pytorch-branch")
    made = _choose(importer, node, arms, shapes[0])
    for name, value, *origins in zip(outputs, made, *(one.origins for one in read)):
        importer.env[name] = importer.bind(name, value)
        _writes.note_arms(importer, name, origins, [_defined_in(block) for block in blocks], node)
    for name, value in zip(written, made[len(outputs):]):
        _rewrite(importer, name, importer.bind(name, value))


class _Read(NamedTuple):
    """A block that was read: its bindings, the values of all names at its end, and the new values
    of what was there before it and was written in it; and what its results are other names of.
    """

    scope: list
    env: dict
    changed: dict
    origins: list


def _apart(importer, block):
    """Reads a block that a run may skip; the values of the model are as before afterwards."""
    inner = _defined_in(block)
    env, views = dict(importer.env), dict(importer.views)
    before = {name: _content(one) for name, one in env.items() if name not in inner}
    importer.scopes.append([])
    importer.block(block)
    found = {name: _content(one) for name, one in importer.env.items()}
    changed = {name: found[name] for name, one in before.items() if _differs(found[name], one)}
    if any(isinstance(one, dict) for one in changed.values()):
        raise LatheValueError("the model changes a dict in a branch or loop that is chosen while "
                              "the model runs", "pytorch-branch")
    origins = [_writes.origin(importer, one) for one in block.outputs()]
    importer.env, importer.views = env, views
    for name in changed:
        _rewrite(importer, name, before[name])
    return _Read(importer.scopes.pop(), found, changed, origins)


def _defined_in(block):
    """The names of the values of a block: those that no one sees outside of it."""
    return {one.debugName() for one in block.inputs()} | {
        name for node in block.nodes() for name in
        [one.debugName() for one in node.outputs()] +
        [name for inner in node.blocks() for name in _defined_in(inner)]}


def _content(value):
    """What lists and dicts hold now: operators of the model change them."""
    if type(value) is list:
        return [_content(one) for one in value]
    return {key: _content(one) for key, one in value.items()} if type(value) is dict else value


def _differs(one, other):
    if isinstance(one, list):
        return len(one) != len(other) or any(_differs(a, b) for a, b in zip(one, other))
    if isinstance(one, dict):
        return list(one) != list(other) or any(_differs(one[key], other[key]) for key in one)
    return one is not other


def _rewrite(importer, name, value):
    """Gives a name another value; a list stays the same list, as others may hold it."""
    if isinstance(importer.env[name], list):
        importer.env[name][:] = value
    else:
        importer.env[name] = value


def _choose(importer, node, arms, shape):
    """The results of a branch: those of the arm that the run chooses."""
    condition = _v.cast(_scalar(importer.value(next(iter(node.inputs())))), "bool")
    pairs = [_paired(one, other) for one, other in zip(arms[0][0], arms[1][0])]
    types = [_v.promoted(one, other) if _v.dtype_of(one) != _v.dtype_of(other) else
             _v.dtype_of(one) for one, other in pairs]
    if not types:
        return _unflat([], shape)
    closed, found = [], []
    for values, (_, scope) in zip(zip(*pairs), arms):
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
    whole = importer.bind(next((one.debugName() for one in node.outputs()), "branch"), made)
    return _unflat([_e.TupleGetItem(whole, i) for i in range(len(types))], shape)


def _paired(one, other):
    """What two arms give for one name; zeros for what no one reads after an arm.

    Raises:
        LatheValueError: `pytorch-branch`: only one of them gives a tensor.
    """
    if (one is None) != (other is None):
        raise LatheValueError("an arm of a branch gives None and the other does not, and which arm "
                              "is chosen is computed while the model runs", "pytorch-branch",
                              "help: a tensor of zeros, or of the neutral element, in place of None")
    if one is None or one is _v.UNSET and other is _v.UNSET:
        return 0, 0
    if one is _v.UNSET:
        return _zeros(other), other
    return (one, _zeros(one)) if other is _v.UNSET else (one, other)


def _zeros(value):
    return _v.full(_v.shape_of(value), 0, _v.dtype_of(value))


def _raises(block):
    return any(node.kind() == "prim::RaiseException" for node in block.nodes())


def _scalar(value):
    """A tensor of one element as one of rank 0."""
    value = _v.expr(value)
    return value if _v.rank_of(value) == 0 else _op.reshape(value, newshape=())


def _hand_on(importer, block, names, sources):
    """Gives the next round of a loop, or what comes after it, what a round ends with. Such a name
    is another one of a tensor from before, so that writes to it reach that.
    """
    inner = _defined_in(block)
    values = [importer.value(one) for one in sources]
    views = [_writes.from_before(importer, one, inner) for one in sources]
    # The next round makes its own of these.
    importer.views = {name: one for name, one in importer.views.items()
                      if name not in inner and one.base.debugName() not in inner}
    for name, value, view in zip(names, values, views):
        importer.env[name] = value
        if view is not None and _v.is_tensor(value):
            importer.views[name] = view
        else:
            importer.views.pop(name, None)


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
    sources = list(node.inputs())[2:]
    rounds, go_on = 0, known_bool(condition)
    most = limit if isinstance(limit, int) else None
    counted = most is not None and most <= _MOST_ROUNDS
    while go_on and most is not None and (counted or most >= _ENDLESS) and rounds < most:
        if rounds >= _MOST_ROUNDS:
            raise LatheValueError("a loop has too many rounds", "pytorch-loop",
                                  f"expected: at most {_MOST_ROUNDS}, if what is carried changes "
                                  "with each round")
        importer.env[names[0]] = rounds
        _hand_on(importer, block, names[1:], sources)
        importer.block(block)
        sources = list(block.outputs())[1:]
        condition, *carried = [importer.value(one) for one in block.outputs()]
        rounds, go_on = rounds + 1, known_bool(condition)
    if go_on is False or rounds == most:
        _hand_on(importer, block, outputs, sources)
        return
    _hand_on(importer, block, names[1:], sources)
    _run_time_loop(importer, node, limit, condition, carried, rounds)


def _run_time_loop(importer, node, limit, condition, carried, rounds):
    """A loop whose number of rounds is known when the model runs."""
    block = next(iter(node.blocks()))
    names = [one.debugName() for one in block.inputs()]
    outputs = [one.debugName() for one in node.outputs()]
    # Names of one tensor in all rounds: a write to it is one to what was there before the loop.
    views = {name: importer.views[name] for name in names if name in importer.views}
    written, read, missing = [], None, importer.missing
    while read is None:
        importer.missing = Counter(missing)
        given = [*carried, *(importer.env[name] for name in written)]
        shape = _shape_of_lists(given)
        start = [_v.expr(one) for one in [rounds, _as_bool(condition), *_flat(given)]]
        types = [one.checked_type for one in start]
        state = [_e.Var(importer.name(name), one) for name, one in
                 zip(["round", "go_on", *[f"carried{i}" for i in range(len(types))]], types)]
        read = _round(importer, block, [state[0], *_unflat(state[2:], shape)], views, written)
    go_on, *results = [read.env[one.debugName()] for one in block.outputs()]
    results += [read.env[name] for name in written]
    if _shape_of_lists(results) != shape:
        raise LatheValueError("a loop makes a list longer, and its number of rounds is computed "
                              "while the model runs", "pytorch-loop",
                              "help: give the list its length before the loop")
    # What a loop carries is bound before it.
    start = [importer.bind("start", one) for one in start]
    importer.scopes.append(read.scope)
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
    made = _unflat(fields, shape)
    for name, inside, one in zip(outputs, names[1:], made):
        importer.env[name] = importer.bind(name, one)
        importer.views.pop(name, None)
        if inside in views:
            importer.views[name] = importer.views.pop(inside)
    for name, one in zip(written, made[len(outputs):]):
        _rewrite(importer, name, importer.bind(name, one))


def _round(importer, block, values, views, written):
    """One round, whose inputs and what is `written` have these values. None, and views or written
    changed, if it shows that it writes to more, or that a view is none in later rounds.
    """
    names = [one.debugName() for one in block.inputs()]
    importer.env.update(zip(names, values))
    importer.views = {**importer.views, **views}
    before = [_content(importer.env[name]) for name in written]
    for name, value in zip(written, values[len(names):]):
        _rewrite(importer, name, value)
    read = _apart(importer, block)
    for name, value in zip(written, before):
        _rewrite(importer, name, value)
    new = [name for name in read.changed if name not in written]
    gone = [name for name, one in zip(names[1:], read.origins[1:])
            if name in views and one.debugName() != views[name].base.debugName()]
    written += new
    for name in gone:
        del views[name], importer.views[name]
    return None if new or gone else read


def _as_bool(value):
    return _v.cast(_scalar(value), "bool")
