"""Branches of TorchScript, and blocks that a run may skip."""

from collections import Counter
from typing import NamedTuple

from ....error import LatheError, LatheValueError
from ... import expr as _e
from ... import op as _op
from . import _cells, _writes
from . import _values as _v
from ._cells import Cell
from ._importer import tuple_type


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
    if condition is not None:
        chosen = blocks[0 if condition else 1]
        importer.block(chosen)
        importer.env.update({one.debugName(): importer.raw(made)
                             for one, made in zip(node.outputs(), chosen.outputs())})
        return
    _choose(importer, node, [apart(importer, block) for block in blocks])


class Read(NamedTuple):
    """A block that was read, and what it did: its bindings, its results, the new values of cells
    and the new items of lists from before it, what was before it, and values at its end.
    """

    scope: list
    raws: list
    owners: dict
    lists: dict
    before: _cells.State
    values: dict

    def value(self, raw):
        """The value of a leaf at the end of the block.

        Raises:
            LatheValueError: `pytorch-write`: it is stale.
        """
        if isinstance(raw, Cell) and raw not in self.values:
            raise _cells.stale(raw)
        return self.values[raw] if isinstance(raw, Cell) else raw

    def items(self, raw):
        """What a list or tuple holds at the end of the block: lists from before it have their old
        items again.
        """
        if id(raw) in self.lists:
            return list(self.lists[id(raw)][1])
        return list(self.before.lists[id(raw)][1]) if id(raw) in self.before.lists else raw

    def now(self, raw):
        """The same for lists in lists."""
        if not isinstance(raw, (list, tuple)):
            return raw
        return type(raw)([self.now(one) for one in self.items(raw)])


def apart(importer, block):
    """Reads a block that a run may skip.

    Args:
        importer: the importer; the values of the model are as before afterwards.
        block: of TorchScript.

    Returns:
        A Read.
    """
    before = _cells.State(importer)
    importer.scopes.append([])
    importer.block(block)
    raws = [importer.raw(one) for one in block.outputs()]
    changed = {id(one): (one, list(one)) for one in before.changed_lists()}
    held = [list(one) for one, _ in before.lists.values() if isinstance(one, list)]
    values = {}
    for one in leaves([raws, held, [content for _, content in before.lists.values()
                                    if isinstance(content, list)]]):
        if isinstance(one, Cell) and one not in values:
            try:
                values[one] = _cells.read(importer, one)
            except LatheError as error:
                if error.name != "pytorch-write":
                    raise
    owners = before.changed_owners()
    before.restore(importer)
    return Read(importer.scopes.pop(), raws, owners, changed, before, values)


def _choose(importer, node, read):
    """What a branch gives: the results, lists and tensors of the arm that the run chooses."""
    first, other = read
    pairs = list(zip(first.raws, other.raws))
    lists = {**first.lists, **other.lists}
    pairs += [tuple(one.lists[key][1] if key in one.lists else list(held) for one in read)
              for key, (held, _) in lists.items()]
    chosen = [pair for both in pairs for pair in _leaf_pairs(*both, read) if not _is_one(*pair)]
    owners = list(dict.fromkeys([*first.owners, *other.owners]))
    stale = [one for one in owners if any(arm.owners.get(one, one.value) is None for arm in read)]
    owners = [one for one in owners if one not in stale]
    joined = _Joined(importer, node, read, chosen)
    values = [tuple(arm.value(one) for arm, one in zip(read, pair)) for pair in chosen]
    values += [tuple(arm.owners.get(one, one.value) for arm in read) for one in owners]
    made = _branch(importer, node, values + joined.more(), [one.scope for one in read])
    results = iter(joined.cells(made, len(chosen) + len(owners)))
    raws = [_joined_raw(*both, read, results) for both in pairs]
    importer.env.update(zip([one.debugName() for one in node.outputs()], raws))
    _tie(importer, zip(pairs[:len(first.raws)], raws), first.before)
    for (held, _), raw in zip(lists.values(), raws[len(first.raws):]):
        _cells.refill(held, raw)
    set_owners(importer, owners, made[len(chosen):], stale)


def set_owners(importer, owners, values, stale):
    """Tensors from before a branch or loop have other values after it, or are stale.

    Args:
        importer: binds the values.
        owners: cells.
        values: theirs.
        stale: cells that have none.
    """
    for one, value in zip(owners, values):
        one.value = importer.bind(one.name, value)
        _cells.soil(one, known=True)
    for one in stale:
        one.value = None
        _cells.soil(one, known=True)


def _is_one(one, other):
    """Do both arms give the same tensor from before, or the same thing that is none?"""
    if isinstance(one, str):
        return one == other
    return one is other and not _v.is_number(one)


def _leaf_pairs(one, other, read):
    """What two arms give for the items of a list.

    Raises:
        LatheValueError: `pytorch-branch`: the lists differ in length.
    """
    listed = [isinstance(part, (list, tuple)) for part in (one, other)]
    if one is other or not any(listed):
        if isinstance(one, dict) and one is not other:
            raise LatheValueError("the arms of a branch give different dicts", "pytorch-branch",
                                  "help: a tuple, or one dict for both")
        return [(one, other)]
    one, other = read[0].items(one), read[1].items(other)
    if not all(listed) or len(one) != len(other):
        raise LatheValueError("the arms of a branch give lists of different lengths, and which arm "
                              "is chosen is computed while the model runs", "pytorch-branch")
    return [pair for parts in zip(one, other) for pair in _leaf_pairs(*parts, read)]


def _joined_raw(one, other, read, results):
    """What two arms give, with the results of the branch in place of what differs."""
    if isinstance(one, (list, tuple)) and one is not other:
        return type(one)([_joined_raw(*parts, read, results)
                          for parts in zip(read[0].items(one), read[1].items(other))])
    return one if _is_one(one, other) else next(results)


def _tie(importer, results, before):
    """Lists from before are no longer changed if a result may be one of them."""
    for (one, other), made in results:
        held = [part for raw in (one, other) for part in lists_in(raw)]
        if one is not other and any(id(part) in before.lists for part in held):
            importer.tied.extend([*held, *lists_in(made)])


class _Joined:
    """The tensors that a branch gives.

    What an arm made is a tensor of its own after the branch, too, which several results may share:
    it has the value of a result that is it, or of one more field of the branch. So have the places
    and conditions that an arm computed for its views.
    """

    def __init__(self, importer, node, read, pairs):
        self.importer, self.read, self.pairs = importer, read, pairs
        self.condition = importer.value(next(iter(node.inputs())))
        self.outside = [{}, {}]
        self.names = [one.debugName() for one in node.outputs()]
        self.uses = [Counter(owner for pair in pairs if isinstance(pair[arm], Cell)
                             for owner in pair[arm].owners()) for arm in (0, 1)]
        self.hidden = [(arm, one) for arm in (0, 1) for one in self.uses[arm]
                       if self._is_new(arm, one) and one.value is not None and
                       one not in [pair[arm] for pair in pairs]]
        self.places = [(arm, one) for arm in (0, 1) for one in self._places(arm)]
        self.known = {}

    def _places(self, arm):
        """What lenses need that the arm computes."""
        bound = {id(variable) for variable, _ in self.read[arm].scope}
        found, seen, rest = {}, set(), [pair[arm] for pair in self.pairs]
        while rest:
            one = rest.pop()
            if isinstance(one, Cell) and one not in seen and self._is_new(arm, one):
                seen.add(one)
                rest.extend(one.bases)
                found.update({id(value): value for value in leaves(
                    one.lens.values() if one.lens else []) if id(value) in bound})
        return list(found.values())

    def _is_new(self, arm, cell):
        return cell not in self.read[arm].before.cells and cell.attribute is None

    def more(self):
        """Pairs of values that the branch gives, too: tensors of which the results are views."""
        given = [(arm, one.value) for arm, one in self.hidden] + self.places
        return [(one, _v.UNSET) if arm == 0 else (_v.UNSET, one) for arm, one in given]

    def cells(self, made, first):
        """The results.

        Args:
            made: the fields of the branch.
            first: the place of those for `more`.
        """
        for (arm, one), value in zip(self.hidden, made[first:]):
            self.outside[arm][one] = self._cell(one.name, self.importer.bind(one.name, value),
                                                 like=[one])
        self.known = {id(one): self.importer.bind("place", value) for (_, one), value in
                      zip(self.places, made[first + len(self.hidden):])}
        # Results are outputs of the node, and then items of lists.
        names = [self.names[i] if i < len(self.names) else "branch" for i in range(len(self.pairs))]
        values = [self.importer.bind(name, one) for name, one in zip(names, made)]
        for value, pair in zip(values, self.pairs):
            for arm, one in enumerate(pair):
                if isinstance(one, Cell) and self._is_new(arm, one) and not one.bases and \
                        one not in self.outside[arm]:
                    self.outside[arm][one] = self._cell(one.name, value, like=[one])
        return [self._result(*one) for one in zip(names, values, self.pairs)]

    def _cell(self, name, value, bases=(), lens=None, like=()):
        ordered = all(_writes.lies_in_order(one) for one in like if isinstance(one, Cell))
        return Cell(name, value, bases, lens, ordered=ordered)

    def _result(self, name, value, pair):
        if all(not isinstance(one, Cell) or self._is_new(arm, one) and not one.bases and
               self.uses[arm][one] == 1 for arm, one in enumerate(pair)):
            return self._cell(name, value, like=pair)
        bases = [self._part(arm, one) if isinstance(one, Cell) else self._cell(name, value)
                 for arm, one in enumerate(pair)]
        given = [arm.value(one) for arm, one in zip(self.read, pair)]
        followed = all(one is _v.UNSET or _v.is_tensor(one) and
                       _v.dtype_of(one) == _v.dtype_of(value) for one in given)
        return self._cell(name, value, bases, _writes.Choice(self.condition) if followed else None)

    def _part(self, arm, cell):
        """What a tensor of an arm is after the branch."""
        if not self._is_new(arm, cell):
            return cell
        if cell not in self.outside[arm]:
            bases = [self._part(arm, one) for one in cell.bases]
            lens = cell.lens and cell.lens.replaced(lambda one: self.known.get(id(one), one))
            self.outside[arm][cell] = self._cell(cell.name, None, bases, lens)
        return self.outside[arm][cell]


def _branch(importer, node, pairs, scopes):
    """The fields of a branch, of pairs of what its arms give."""
    condition = _v.cast(scalar(importer.value(next(iter(node.inputs())))), "bool")
    pairs = [_paired(one, other) for one, other in pairs]
    types = [_v.promoted(one, other) if _v.dtype_of(one) != _v.dtype_of(other) else
             _v.dtype_of(one) for one, other in pairs]
    if not types:
        return []
    closed, found = [], []
    for values, scope in zip(zip(*pairs), scopes):
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
    return [_e.TupleGetItem(whole, i) for i in range(len(types))]


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


def scalar(value):
    """A tensor of one element as one of rank 0.

    Args:
        value: a tensor or number.

    Returns:
        An expression.
    """
    value = _v.expr(value)
    return value if _v.rank_of(value) == 0 else _op.reshape(value, newshape=())


# -- Lists of tensors, which branches and loops carry as single tensors.


def leaves(values):
    """The items of lists in lists."""
    return [one for value in values for one in
            (leaves(value) if isinstance(value, (list, tuple)) else [value])]


def shape_of_lists(values):
    return [shape_of_lists(one) if isinstance(one, (list, tuple)) else None for one in values]


def unflat(values, shape):
    values = iter(values)

    def build(shape):
        return [next(values) if one is None else build(one) for one in shape]

    return build(shape)


def lists_in(raw):
    """The lists in what a name of the model holds, and itself."""
    if not isinstance(raw, (list, tuple)):
        return []
    return ([raw] if isinstance(raw, list) else []) + [
        part for one in raw for part in lists_in(one)]


def as_bool(value):
    """A tensor of one element, or a number, as a bool of rank 0."""
    return _v.cast(scalar(value), "bool")
