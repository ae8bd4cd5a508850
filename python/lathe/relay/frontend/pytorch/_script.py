"""Reads traces and scripts of TorchScript."""

from collections import Counter

from ....error import LatheError, LatheTypeError, LatheValueError
from ... import expr as _e
from . import _cells, _control, _loops, _writes
from . import _values as _v
from ._importer import Importer, Place, flat, tuple_of, unsupported, with_place
from ._quantized import unpacked

# Nodes that this file understands itself.
_OWN = ("prim::Constant", "prim::GetAttr", "prim::If", "prim::Loop", "prim::CallFunction",
        "prim::RaiseException", "prim::Print", "prim::SetAttr")


class ScriptImporter(Importer):
    """Reads one graph. Values of the model are found by their names in `env`; tensors, also those
    in lists and dicts, are cells.
    """

    def __init__(self, module, custom=None, friendly=False):
        super().__init__(custom, friendly)
        self.module, self.env, self.paths = module, {}, {}
        self.tied = []  # lists that may be others, and must not be changed
        self.attributes = {}  # path -> what is there, with cells

    def run(self, graph, infos, types):
        """The function of the graph.

        Args:
            graph: a torch._C.Graph.
            infos: [(name, shape, element type or None)] of the inputs.
            types: the element types of inputs that infos does not give.
        """
        inputs = list(graph.inputs())
        if self.module is not None and inputs and inputs[0].type().kind() == "ClassType":
            self.env[inputs[0].debugName()] = self.module
            self.paths[inputs[0].debugName()] = ""
            inputs = inputs[1:]
        if len(inputs) != len(infos):
            raise LatheValueError(
                "input_infos does not fit the model's inputs", "pytorch-inputs",
                f"expected: {len(inputs)}: {', '.join(one.debugName() for one in inputs)}\n"
                f"found: {len(infos)}: {', '.join(name for name, _, _ in infos)}")
        missing = self._unknown(graph)
        try:
            return self._read(graph, inputs, infos, types)
        except LatheError:
            if not missing:
                raise
            raise unsupported(missing | self.missing) from None

    def _read(self, graph, inputs, infos, types):
        for value, (name, shape, dtype) in zip(inputs, infos):
            given = self._input(value.type(), name, shape, dtype, types)
            self.env[value.debugName()] = _cells.wrapped(name, given, source=value)
        self.block(graph)
        return self.function(tuple_of([self.value(one) for one in graph.outputs()]))

    def _input(self, kind, name, shape, dtype, default):
        if kind.kind() in ("ListType", "TupleType") and isinstance(shape, (list, tuple)) and \
                shape and isinstance(shape[0], (list, tuple)):
            return [self.input(f"{name}.{i}", one, dtype or default)
                    for i, one in enumerate(shape)]
        if kind.kind() not in ("TensorType", "OptionalType"):
            raise LatheValueError(f"input `{name}` of the model is no tensor", "pytorch-inputs",
                                  f"found: {kind}\nhelp: give the model a wrapper that fixes it")
        if dtype is None and kind.kind() == "TensorType" and kind.dtype() is not None:
            dtype = _v.dtype_name(kind.dtype())
        return self.input(name, shape, dtype or default)

    # -- What cannot be imported, all at once.

    def _unknown(self, graph):
        """{operator: how often} of operators that have no conversion, and no decomposition."""
        from . import _decompose

        missing = Counter()
        for node in _nodes_of(graph):
            kind = node.kind()
            overload = _overload(node)
            if kind not in _OWN and not self.known(kind, overload) and \
                    not _decompose.possible(kind, overload):
                missing[kind] += 1
        return missing

    # -- Blocks and nodes.

    def block(self, block):
        """Reads the nodes of a graph or block."""
        for node in block.nodes():
            self.node(node)

    def value(self, value):
        """The value of a value of the graph."""
        return _cells.plain(self, self.env[value.debugName()])

    def raw(self, value):
        """The value of a value of the graph, with the cells of tensors."""
        return self.env[value.debugName()]

    def node(self, node):
        """Reads one node."""
        kind = node.kind()
        outputs = [one.debugName() for one in node.outputs()]
        if kind == "prim::Constant":
            self.env[outputs[0]] = _cells.wrapped(outputs[0], node.output().toIValue())
        elif kind == "prim::GetAttr":
            self._attribute(node, outputs[0])
        elif kind in ("prim::If", "prim::Loop"):
            place = self.place(node)
            try:
                (_control.read_if if kind == "prim::If" else _loops.read_loop)(self, node)
            except LatheError as error:
                raise with_place(error, place) from None
        elif kind == "prim::SetAttr":
            raise LatheValueError(f"{self.place(node)}: the model changes its own attribute",
                                  "pytorch-state", "found: self."
                                  f"{node.s('name')}\nhelp: return the new value as a result")
        elif kind == "prim::RaiseException":
            raise LatheValueError(f"{self.place(node)}: the model raises an exception for these "
                                  "inputs", "pytorch-raises",
                                  f"found: {self.value(next(iter(node.inputs())))}")
        elif kind != "prim::Print":
            self._operator(node, kind, outputs)

    def _operator(self, node, kind, outputs):
        names, overload = schema_of(node)
        place = self.place(node)
        try:
            values, held = _writes.values_of(self, node)
        except LatheError as error:
            raise with_place(error, place) from None
        result = self.call(place, kind, overload, names, values)
        if held:  # lists and dicts of cells, or cells
            whole = len(outputs) == 1 and not kind.endswith("Unpack")
            self.env.update(zip(outputs, [result] if whole else result or []))
            return
        if isinstance(result, (_e.TupleWrapper, _e.Tuple)) and len(outputs) != 1:
            result = list(result)
        order = _writes.result_in_order(kind.removeprefix("aten::"),
                                        [self.raw(one) for one in node.inputs()])
        try:
            for one, part in zip(node.outputs(), [result] if len(outputs) == 1 else result or []):
                name = one.debugName()
                self.env[name] = _cells.wrapped(name, self.bind(name, part), source=one,
                                                ordered=order)
            _writes.note_writes(self, node, names, overload, outputs)
        except LatheError as error:
            raise with_place(error, place) from None

    def _attribute(self, node, output):
        source = next(iter(node.inputs())).debugName()
        name = node.s("name")
        path = f"{self.paths.get(source, '')}.{name}".lstrip(".")
        self.paths[output] = path
        if path in self.attributes:
            self.env[output] = self.attributes[path]
            return
        found = getattr(self.env[source], name)
        packed = unpacked(found, lambda part, tensor: self.parameter(
            f"{path.replace('._packed_params', '')}.{part}", tensor))
        found = found if packed is None else packed
        if _v.known_tensor(found) and not found.is_quantized:
            found = self.parameter(path, found)
        self.env[output] = self.attributes[path] = _cells.wrapped(path, found, attribute=name)

    def place(self, node):
        """Where in the model a node is."""
        where = node.sourceRange().strip().split("\n")
        line = next((one.strip() for one in where if "File \"" in one or ".py" in one), "")
        scope = node.scopeName().rpartition("/")[2]
        detail = [f"found: at {line}"] if line else []
        if scope:
            detail.append(f"found: in {scope}")
        return Place(node.kind(), [one.debugName() for one in node.outputs()], "\n".join(detail))


def schema_of(node):
    """The names of an operator's parameters, and its overload."""
    text = node.schema()
    if text == "(no schema)":
        return [], ""
    schema = _v.torch()._C.parse_schema(text)
    return [one.name for one in schema.arguments], schema.overload_name


def _overload(node):
    return schema_of(node)[1]


def _nodes_of(block):
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from _nodes_of(inner)


def read_infos(input_infos):
    """[(name, shape, element type or None)] of what the caller gives.

    Raises:
        LatheError: `pytorch-inputs`.

    Example:
        >>> from lathe.relay.frontend.pytorch._script import read_infos
        >>> read_infos([("x", (1, 3)), ("y", ((2,), "int64"))])
        [('x', (1, 3), None), ('y', (2,), 'int64')]
    """
    if not isinstance(input_infos, (list, tuple)):
        raise LatheTypeError("input_infos must be a list", "pytorch-inputs",
                             f"found: {type(input_infos).__name__}\n"
                             "help: [(\"input0\", (1, 3, 224, 224))]")
    found = []
    for info in input_infos:
        if not isinstance(info, (list, tuple)) or len(info) != 2 or not isinstance(info[0], str):
            raise LatheTypeError("an entry of input_infos is no (name, shape)", "pytorch-inputs",
                                 f"found: {info!r}\nhelp: (\"input0\", (1, 3, 224, 224)), or with "
                                 "an element type (\"input0\", ((1, 3), \"int64\"))")
        name, shape = info
        dtype = None
        if isinstance(shape, (list, tuple)) and len(shape) == 2 and \
                isinstance(shape[1], str) and isinstance(shape[0], (list, tuple)):
            shape, dtype = shape
        found.append((name, tuple(shape), dtype))
    names = [name for name, _, _ in found]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise LatheValueError("two inputs have one name", "pytorch-inputs", f"found: {twice[0]}")
    return _named_sizes(found)


def _named_sizes(infos):
    """Extents that are names become sizes; one name is one size."""
    from ...ty import Any

    sizes = {}

    def extent(one):
        if isinstance(one, str):
            return sizes.setdefault(one, Any(one))
        return tuple(extent(n) for n in one) if isinstance(one, (list, tuple)) else one

    return [(name, tuple(extent(n) for n in shape), dtype) for name, shape, dtype in infos]


__all__ = ["ScriptImporter", "flat", "read_infos"]
