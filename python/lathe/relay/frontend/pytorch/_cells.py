"""Tensors of a model that is read: their elements now, and whose elements these are.

Values of a graph do not change, and tensors of a model do. So names, lists and dicts of a model
hold cells: a write gives a cell another value, gives what it is a view of one, and has the other
views of that read again when they are needed. Where it is not known how tensors share elements, a
write to one makes the others stale: reading these is an error.
"""

from ....error import LatheValueError
from . import _values as _v
from ._quantized import Quantized


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

    __slots__ = ("name", "value", "bases", "lens", "views", "attribute", "source", "ordered")

    def __init__(self, name, value, bases=(), lens=None, attribute=None, source=None,
                 ordered=None):
        self.name, self.value, self.attribute, self.source = name, value, attribute, source
        self.ordered = ordered
        self.bases, self.lens, self.views = [], None, []
        self.share(bases, lens)

    def share(self, bases, lens=None):
        """Makes it a view of other cells.

        Args:
            bases: the cells.
            lens: how it has their elements.
        """
        self.ordered = None if bases else self.ordered
        self.bases, self.lens = list(dict.fromkeys(bases)) if lens is None else list(bases), lens
        for base in dict.fromkeys(bases):
            base.views.append(self)

    def owners(self):
        """The cells on the way to where its elements are that have values of their own."""
        found, seen, rest = [], set(), [self]
        while rest:
            one = rest.pop()
            if one not in seen:
                seen.add(one)
                rest.extend(one.bases)
                found.extend([one] if one.lens is None else [])
        return found


def is_leaf(value):
    """Does a value become a cell?"""
    return _v.is_tensor(value) or isinstance(value, Quantized)


def wrapped(name, value, **more):
    """A value of an operator, as names of the model hold it: tensors are new cells.

    Args:
        name: of the value.
        value: any value.
        more: of each cell.

    Returns:
        The value; a tensor as a Cell.
    """
    if is_leaf(value):
        return Cell(name, value, **more)
    if isinstance(value, (list, tuple)):
        return type(value)([wrapped(f"{name}.{i}", one, **more)
                            for i, one in enumerate(value)])
    if isinstance(value, dict):
        return {key: wrapped(name, one, **more) for key, one in value.items()}
    return value


def plain(importer, raw):
    """What names, lists and dicts of the model hold, with the values of cells.

    Args:
        importer: binds what is read again.
        raw: a Cell, a list, tuple or dict of them, or any other value.

    Returns:
        The value. Lists and dicts are new ones.
    """
    if isinstance(raw, Cell):
        return read(importer, raw)
    if isinstance(raw, (list, tuple)):
        return type(raw)([plain(importer, one) for one in raw])
    if type(raw) is dict:
        return {key: plain(importer, one) for key, one in raw.items()}
    return raw


def read(importer, cell):
    """The value of a cell.

    Raises:
        LatheValueError: `pytorch-write`: it is stale.
    """
    if cell.value is None:
        if cell.lens is None:
            raise stale(cell)
        cell.value = importer.bind(cell.name, cell.lens.read(importer, cell))
    return cell.value


def stale(cell):
    """The error of reading a tensor whose elements are not known any more.

    Args:
        cell: the tensor.

    Returns:
        A LatheValueError.
    """
    return LatheValueError(
        "the model reads a tensor after a write to another one, which may have the same elements: "
        "a branch, a loop or a view made it so", "pytorch-write",
        f"found: {cell.name}\nhelp: .clone() where both are needed, or "
        "torch.export.export(model, ...), which removes writes")


def write(importer, cell, value, sources=()):
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
    _check_attribute(cell)
    sources = (*sources, cell)
    cell.value = value
    soil(cell, sources)
    if cell.lens is None:
        for base in cell.bases:
            _make_stale(base, sources)
    else:
        for base, new in cell.lens.write(importer, cell, value):
            write(importer, base, importer.bind(base.name, new), sources)


def _check_attribute(cell):
    if cell.attribute is not None:
        raise LatheValueError("the model changes its own buffer", "pytorch-state",
                              f"found: self.{cell.attribute}\n"
                              "help: return the new value as a result, and write to a clone")


def _make_stale(cell, sources):
    for owner in cell.owners():
        if owner not in sources:
            _check_attribute(owner)
            owner.value = None
            soil(owner, sources)


def soil(cell, sources=(), known=False):
    """The views of a cell are read again before their next use.

    Args:
        cell: its value changed.
        sources: cells that have their values already.
        known: what has a value of its own keeps it.
    """
    seen, rest = set(sources), list(cell.views)
    while rest:
        view = rest.pop()
        if view not in seen and not (known and view.lens is None):
            seen.add(view)
            view.value = None
            rest.extend(view.views)


class State:
    """What an importer knows about the values of the model, to come back to it.

    Args:
        importer: the importer.
    """

    def __init__(self, importer):
        self.env, self.tied = dict(importer.env), list(importer.tied)
        self.cells, self.lists = {}, {}
        rest = list(self.env.values())
        while rest:  # what no name holds, and no tensor is a view of, is not seen any more
            raw = rest.pop()
            if isinstance(raw, Cell):
                if raw not in self.cells:
                    self.cells[raw] = raw.value, len(raw.views)
                    rest.extend(raw.bases)
            elif isinstance(raw, tuple):
                rest.extend(raw)
            elif isinstance(raw, (list, dict)) and id(raw) not in self.lists:
                content = list(raw) if isinstance(raw, list) else dict(raw)
                self.lists[id(raw)] = raw, content
                rest.extend(content.values() if isinstance(raw, dict) else content)

    def restore(self, importer):
        """Makes everything as it was."""
        importer.env, importer.tied = dict(self.env), list(self.tied)
        for cell, (value, count) in self.cells.items():
            cell.value = value
            del cell.views[count:]
        for held, content in self.lists.values():
            refill(held, content)

    def changed_owners(self):
        """{cell with a value of its own: the new one, None if it is stale}"""
        return {one: one.value for one, (value, _) in self.cells.items()
                if one.lens is None and one.value is not value}

    def changed_lists(self):
        """[list whose items are others now]

        Raises:
            LatheValueError: `pytorch-branch`: a dict has.
        """
        found = []
        for held, content in self.lists.values():
            if len(held) == len(content) and all(
                    a is b for a, b in zip(_items(held), _items(content))):
                continue
            if isinstance(held, dict):
                raise LatheValueError("the model changes a dict in a branch or loop that is chosen "
                                      "while the model runs", "pytorch-branch")
            found.append(held)
        return found


def _items(held):
    return held if isinstance(held, list) else [one for pair in held.items() for one in pair]


def refill(held, content):
    """Gives a list or dict other items; it stays the same one, as others may hold it.

    Args:
        held: the list or dict.
        content: one with the new items.
    """
    held.clear()
    held.extend(content) if isinstance(held, list) else held.update(content)
