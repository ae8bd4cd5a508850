"""Operators that PyTorch itself can express by others.

An operator without a conversion is traced with the shapes of its operands, through PyTorch's table
of decompositions, and what that gives is imported in its place.
"""

from collections import Counter

from ....error import LatheError, LatheValueError
from ... import expr as _e
from . import _registry
from . import _values as _v
from ._importer import unsupported

_tables = {}


def _overload_of(qualified, overload):
    torch = _v.torch()
    space, _, name = qualified.partition("::")
    try:
        packet = getattr(getattr(torch.ops, space), _plain(name))
        return getattr(packet, overload or "default")
    except (AttributeError, RuntimeError):
        pass
    try:
        return getattr(getattr(torch.ops, space), name).default
    except (AttributeError, RuntimeError):
        return None


def _plain(name):
    return name[:-1] if _registry.writes_in_place(name) else name


def table(importer=None):
    """PyTorch's decompositions of operators that have no conversion: {overload: function}."""
    known = frozenset(importer.custom) if importer is not None else frozenset()
    found = _tables.get(known)
    if found is None:
        import torch._decomp

        everything = dict(torch._decomp.core_aten_decompositions())
        for key, function in torch._decomp.decomposition_table.items():
            everything.setdefault(key, function)
        found = _tables[known] = {
            key: function for key, function in everything.items()
            if not _known(key, importer)}
    return found


def _known(op, importer):
    schema = getattr(op, "_schema", None)
    if schema is None:
        return True
    name, overload = schema.name, schema.overload_name
    return _registry.find(_registry.short_name(name), overload) is not None or (
        importer is not None and importer.known(name, overload))


def possible(qualified, overload):
    """May PyTorch have a decomposition of the operator?"""
    torch = _v.torch()
    if not qualified.startswith("aten::"):
        return False
    op = _overload_of(qualified, overload)
    if op is None:
        return False
    name = op._schema.name + (f".{op._schema.overload_name}" if op._schema.overload_name else "")
    return op in table() or torch._C._dispatch_has_kernel_for_dispatch_key(
        name, "CompositeImplicitAutograd") or torch._C._dispatch_has_kernel_for_dispatch_key(
            name, "CompositeExplicitAutograd")


def result(importer, qualified, overload, names, values):
    """What an operator gives, by its decomposition.

    Raises:
        LatheError: `pytorch-unsupported`; `pytorch-decomposition`: PyTorch's tracing failed.
    """
    op = _overload_of(qualified, overload)
    if op is None or not possible(qualified, overload):
        raise unsupported(Counter([qualified]))
    tensors, build = _separated(values)
    graph = _traced(importer, qualified, op, tensors, build)
    missing = Counter()
    if any(node.target is op for node in graph.graph.nodes):
        raise unsupported(Counter([qualified]))
    from ._fx import FxReader

    reader = FxReader(importer)
    for name in reader.missing(graph):
        missing[name] += 1
    if missing:
        raise unsupported(missing)
    places = [node for node in graph.graph.nodes if node.op == "placeholder"]
    return reader.read(graph, dict(zip(places, tensors)))


def stand_in(qualified, overload, values):
    """Zeros of the types that an operator gives, or None if PyTorch does not know them."""
    op = _overload_of(qualified, overload)
    if op is None:
        return None
    torch = _v.torch()
    try:
        tensors, build = _separated(values)
        fakes, mode = _fakes(tensors)
        with torch.no_grad(), mode:
            found = _call_of(op, build)(*fakes)
        return _zeros(found)
    except Exception:  # whatever PyTorch raises: there is no answer
        return None


def _zeros(value):
    if isinstance(value, (list, tuple)):
        return tuple(_zeros(one) for one in value)
    return _v.full([int(n) for n in value.shape], 0, _v.dtype_name(value.dtype)) \
        if _v.known_tensor(value) else value


def _fakes(tensors):
    """(tensors without elements, the mode that they belong to)"""
    torch = _v.torch()
    from torch._subclasses.fake_tensor import FakeTensorMode

    mode = FakeTensorMode(allow_non_fake_inputs=True)
    with mode:
        return [torch.empty([int(n) for n in _v.shape_of(one)],
                            dtype=getattr(torch, _v.dtype_of(one))) for one in tensors], mode


def _call_of(op, build):
    """A function of the tensors among an operator's arguments."""
    schema = op._schema.arguments
    kept = [i for i, one in enumerate(schema) if one.kwarg_only]
    names = [one.name for one in schema]

    def call(*given):
        values = build(given)
        named = {names[i]: values[i] for i in kept if i < len(values)}
        return op(*[one for i, one in enumerate(values) if i not in kept], **named)

    return call


def _separated(values):
    """(the tensors among the values, a function from other tensors to the values)"""
    tensors = []

    def take(value):
        if isinstance(value, _e.Expr):
            tensors.append(value)
            return len(tensors) - 1, "tensor"
        if isinstance(value, (list, tuple)):
            return [take(one) for one in value], "list"
        if _v.is_size(value):
            raise LatheValueError("an operator without conversion takes a size that each run "
                                  "chooses", "pytorch-decomposition", "help: give the inputs fixed "
                                  "shapes, or use torch.export.export")
        return value, "plain"

    form = [take(value) for value in values]

    def build(given):
        def put(item):
            value, kind = item
            if kind == "tensor":
                return given[value]
            return [put(one) for one in value] if kind == "list" else value

        return [put(item) for item in form]

    return tensors, build


def _traced(importer, qualified, op, tensors, build):
    torch = _v.torch()
    from torch.fx.experimental.proxy_tensor import make_fx

    shapes = [_v.shape_of(one) for one in tensors]
    if any(not isinstance(n, int) for shape in shapes for n in shape):
        raise LatheValueError(
            f"{qualified} has no conversion, and PyTorch's decomposition needs fixed shapes",
            "pytorch-decomposition", "help: give the inputs fixed shapes, or use "
            "torch.export.export(model, ...), which decomposes with sizes that each run chooses")
    examples = [torch.empty(shape, dtype=getattr(torch, _v.dtype_of(one)))
                for shape, one in zip(shapes, tensors)]
    call = _call_of(op, build)
    try:
        with torch.no_grad():
            # Writes through views, of which the graph that is read knows nothing, are removed.
            return make_fx(torch.func.functionalize(call, remove="mutations_and_views"),
                           decomposition_table=table(importer), tracing_mode="fake",
                           _allow_non_fake_inputs=True)(*examples)
    except LatheError:
        raise
    except Exception as error:  # whatever a decomposition of PyTorch raises
        raise LatheValueError(f"PyTorch cannot decompose {qualified}", "pytorch-decomposition",
                              f"found: {type(error).__name__}: {str(error).splitlines()[0]}\n"
                              f"help: custom_convert_map={{\"{qualified}\": function}}") from None
