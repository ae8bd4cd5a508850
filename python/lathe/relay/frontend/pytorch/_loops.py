"""Loops of TorchScript."""

from collections import Counter

from ....error import LatheValueError
from ... import expr as _e
from ... import op as _op
from ..._loop import Loop
from . import _cells
from . import _control as _c
from . import _values as _v
from ._cells import Cell
from ._importer import tuple_type

# A loop of at most so many rounds, whose number is known, is unrolled.
_MOST_ROUNDS = 512
_ENDLESS = 2 ** 62


def read_loop(importer, node):
    """Reads prim::Loop. Rounds are unrolled while it is known that there is another one."""
    limit, condition = [importer.value(one) for one in list(node.inputs())[:2]]
    carried = [importer.raw(one) for one in list(node.inputs())[2:]]
    block = next(iter(node.blocks()))
    names = [one.debugName() for one in block.inputs()]
    rounds, go_on = 0, _c.known_bool(condition)
    most = limit if isinstance(limit, int) else None
    counted = most is not None and most <= _MOST_ROUNDS
    while go_on and most is not None and (counted or most >= _ENDLESS) and rounds < most:
        if rounds >= _MOST_ROUNDS:
            raise LatheValueError("a loop has too many rounds", "pytorch-loop",
                                  f"expected: at most {_MOST_ROUNDS}, if what is carried changes "
                                  "with each round")
        importer.env.update(zip(names, [rounds, *carried]))
        importer.block(block)
        again, *carried = block.outputs()
        condition, carried = importer.value(again), [importer.raw(one) for one in carried]
        rounds, go_on = rounds + 1, _c.known_bool(condition)
    if go_on is not False and rounds != most:
        carried = _run_time_loop(importer, node, limit, condition, carried, rounds)
    importer.env.update(zip([one.debugName() for one in node.outputs()], carried))


class _Plan:
    """What is known of the rounds of a loop before one is read: each reading may show more.

    Attributes:
        kept: places of what is carried and stays the same tensor, list or object.
        links: {place of a leaf: the tensors of which it may have the elements}.
        owners, lists: tensors and lists from before that a round changes.
        stale: tensors from before that no one may read in the loop, or after it.
        hubs: {place of a leaf: a cell}: leaves with one hub may share elements.
    """

    def __init__(self, before, carried):
        self.before, self.carried = before, carried
        self.kept = [i for i, one in enumerate(carried) if not _v.is_number(one)]
        self.links, self.owners, self.lists, self.stale, self.hubs = {}, [], [], [], {}

    def raws(self, carried):
        """Of what is carried, what rounds change."""
        return [one for i, one in enumerate(carried) if i not in self.kept]

    def places(self):
        """A name for each leaf."""
        changed = [(i, one) for i, one in enumerate(self.carried) if i not in self.kept]
        changed += [(id(one), list(one)) for one in self.lists]
        return [(key, k) for key, raw in changed for k in range(len(_c.leaves([raw])))]

    def leaves(self):
        """What the leaves are before the loop."""
        return _c.leaves(self.raws(self.carried) + [list(one) for one in self.lists])

    def bases(self, place):
        """The tensors of which a leaf may have the elements."""
        return [*self.links.get(place, ()), *([self.hubs[place]] if place in self.hubs else [])]

    def learn(self, read):
        """Takes what a reading shows. Was it more than was known?"""
        known = self._facts()
        self.kept = [i for i in self.kept if read.raws[1 + i] is self.carried[i]]
        self.lists += [one for one, _ in read.lists.values()
                       if id(one) in self.before.lists and not any(one is a for a in self.lists)]
        for one, value in read.owners.items():
            if one in self.before.cells:
                (self.stale if value is None else self.owners).append(one)
        self.stale = list(dict.fromkeys(self.stale))
        self.owners = [one for one in dict.fromkeys(self.owners) if one not in self.stale]
        if self._facts() == known:
            self._link(read)
        return self._facts() != known

    def _facts(self):
        hubs = {place: id(one) for place, one in self.hubs.items()}
        return (list(self.kept), len(self.lists), list(self.owners), list(self.stale),
                {place: len(one) for place, one in self.links.items()}, hubs)

    def _link(self, read):
        users = {}
        for place, start, end in zip(self.places(), self.leaves(), self.ends(read)):
            bases = self.links.setdefault(place, [])
            outer = [start] if isinstance(start, Cell) else []
            for owner in end.owners() if isinstance(end, Cell) else ():
                if owner in self.before.cells or owner.attribute is not None:
                    outer.append(owner)
                elif owner not in read.before.cells:
                    users.setdefault(owner, []).append(place)
            bases += [one for one in dict.fromkeys(outer) if one not in bases]
        for places in users.values():
            if len(places) > 1:
                joined = dict.fromkeys(self.hubs[one] for one in places if one in self.hubs)
                hub = next(iter(joined), None) or Cell("shared", None)
                places += [one for one, other in self.hubs.items() if other in joined]
                self.hubs.update(dict.fromkeys(places, hub))

    def ends(self, read):
        """What the leaves are after a round."""
        held = [read.lists[id(one)][1] if id(one) in read.lists else
                list(read.before.lists[id(one)][1]) for one in self.lists]
        now = [read.now(one) for one in self.raws(read.raws[1:]) + held]
        wanted = self.raws(self.carried) + [list(one) for one in self.lists]
        if _c.shape_of_lists(now) != _c.shape_of_lists(wanted):
            raise LatheValueError("a loop makes a list longer, and its number of rounds is "
                                  "computed while the model runs", "pytorch-loop",
                                  "help: give the list its length before the loop")
        return _c.leaves(now)


def _run_time_loop(importer, node, limit, condition, carried, rounds):
    """A loop whose number of rounds is known when the model runs. Returns what it hands on."""
    block, missing = next(iter(node.blocks())), importer.missing
    names = [one.debugName() for one in node.outputs()]
    plan, more = _Plan(_cells.State(importer), carried), True
    while more:
        importer.missing = Counter(missing)
        given = [_cells.plain(importer, one) for one in plan.leaves()]
        start = [_v.expr(one) for one in [rounds, _c.as_bool(condition), *given,
                                          *(one.value for one in plan.owners)]]
        types = [one.checked_type for one in start]
        state = [_e.Var(importer.name(name), one) for name, one in
                 zip(["round", "go_on", *[f"carried{i}" for i in range(len(types))]], types)]
        read = _round(importer, block, plan, state)
        more = plan.learn(read)
    ends = [read.value(read.raws[0]), *(read.value(one) for one in plan.ends(read))]
    ends += [read.owners.get(one, var) for one, var in zip(plan.owners, _last(state, plan.owners))]
    # What a loop carries is bound before it.
    start = [importer.bind("start", one) for one in start]
    body = _end_of_round(importer, read, state, ends, types)
    test = state[1]
    if not (isinstance(limit, int) and limit >= _ENDLESS):
        test = _op.logical_and(test, _op.less(state[0], _v.expr(limit, "int64")))
    whole = importer.bind(names[0] if names else "loop",
                          Loop(start, state, test, body, tuple_type(types)))
    fields = [_e.TupleGetItem(whole, i + 2) for i in range(len(types) - 2)]
    made = _carried(importer, plan, fields, plan.raws(names))
    _c.set_owners(importer, plan.owners, _last(fields, plan.owners), plan.stale)
    return made


def _last(values, owners):
    """Those of owners are the last ones."""
    return values[len(values) - len(owners):]


def _end_of_round(importer, read, state, ends, types):
    """The body of a loop."""
    importer.scopes.append(read.scope)
    ends = [_op.add(state[0], _v.expr(1, "int64")), _c.as_bool(ends[0]), *ends[1:]]
    ends = [_v.expr(one, str(wanted.dtype)) for one, wanted in zip(ends, types)]
    for one, wanted in zip(ends, types):
        if one.checked_type != wanted:
            raise LatheValueError("what a loop carries changes its shape with each round, and the "
                                  "number of rounds is computed while the model runs",
                                  "pytorch-loop",
                                  f"expected: {wanted}\nfound: {one.checked_type}")
    return importer.closed(_e.Tuple(ends))


def _carried(importer, plan, values, names):
    """Gives what is carried, and lists, new tensors; returns what is carried."""
    raws = plan.raws(plan.carried)
    shape = _c.shape_of_lists(raws + [list(one) for one in plan.lists])
    cells = []
    for i, (place, value) in enumerate(zip(plan.places(), values)):
        name = names[i] if i < len(names) else "carried"
        cells.append(Cell(name, importer.bind(name, value), plan.bases(place)))
    made = _c.unflat(cells, shape)
    for held, content in zip(plan.lists, made[len(raws):]):
        _cells.refill(held, content)
    for raw in [*raws, *made[:len(raws)]]:
        importer.tied.extend(_c.lists_in(raw))
    changed = iter(made)
    return [one if i in plan.kept else next(changed) for i, one in enumerate(plan.carried)]


def _round(importer, block, plan, state):
    """Reads one round, of which the state is given; afterwards everything is as before."""
    for hub in dict.fromkeys(plan.hubs.values()):
        hub.views = []
    names = [one.debugName() for one in block.inputs()]
    carried = _carried(importer, plan, state[2:], [f"carried{i}" for i in range(len(state))])
    importer.env.update(zip(names, [_cells.wrapped(names[0], state[0]), *carried]))
    for i in plan.kept:
        one = carried[i]
        if isinstance(one, Cell) and one.lens is None and _v.known_tensor(one.value):
            one.value = _v.expr(one.value)  # later rounds may have another one
    _c.set_owners(importer, plan.owners, _last(state, plan.owners), plan.stale)
    read = _c.apart(importer, block)
    plan.before.restore(importer)
    return read
