"""A backend of torch.compile: `torch.compile(model, backend="lathe")`.

The wheel registers the name. Parts of a model that lathe does not have stay with PyTorch. With the
environment variable LATHE_TORCH_LOG=1, or logging of "lathe.torch" at level INFO, each compiled
graph says which operators these are.
"""

import collections
import logging
import operator
import os
import threading

from ..error import LatheError
from ..relay.frontend.pytorch import _values as _v

log = logging.getLogger("lathe.torch")
_REPORTS = collections.deque(maxlen=64)
_KEPT = 256  # compiled graphs in memory
_compiled, _lock = collections.OrderedDict(), threading.Lock()

# Operators that have a conversion which is not for training, or that only reserve memory.
_LEFT = ("native_dropout", "dropout", "alpha_dropout", "feature_dropout", "rrelu", "empty",
         "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted", "item",
         "_local_scalar_dense", "sym_size", "sym_stride", "sym_numel", "sym_storage_offset",
         "detach_", "copy_", "nonzero", "masked_select", "equal", "as_strided", "_assert_async",
         "_assert_scalar", "sym_constrain_range_for_size", "sym_constrain_range", "index.bool")


class Report(dict):
    """What became of one graph: `compiled`, the number of operators that lathe runs; `parts`, in
    how many pieces; `left`, {operator: why PyTorch runs it}.

    Example:
        >>> from lathe.contrib.torch import Report
        >>> Report(compiled=3, parts=1, left={})["parts"]
        1
    """


def reports():
    """The reports of the last graphs, the newest last.

    Example:
        >>> from lathe.contrib import torch as backend
        >>> isinstance(backend.reports(), list)
        True
    """
    return list(_REPORTS)


def backend(module, example_inputs, *, options=None, **_):
    """The backend: torch.compile calls it with a graph of torch.fx.

    Args:
        module: the graph.
        example_inputs: tensors, or fake ones.
        options: {"target": by default this processor's; "opt_level": 3; "freeze": False}. With
            "freeze", weights are constants, which the compiler arranges as it likes; changes of a
            weight are noticed by PyTorch's count of its versions, so not those of `weight.data`.

    Returns:
        A function of the inputs.

    Raises:
        LatheError: `torch-options`.

    Example:
        >>> from lathe.contrib import torch as backend
        >>> callable(backend.backend)
        True
    """
    from ..relay.frontend.pytorch import _decompose

    torch = _v.torch()
    from torch._dynamo.backends.common import aot_autograd

    chosen = _options(options)

    def training(graph, inputs):
        return _boxed(graph, inputs, chosen, False)

    def inference(graph, inputs):
        return _boxed(graph, inputs, chosen, chosen["freeze"])

    del torch
    made = aot_autograd(fw_compiler=training, bw_compiler=training, inference_compiler=inference,
                        decompositions=_decompose.table())
    return made(module, example_inputs)


def _options(options):
    from ..error import LatheValueError

    found = {"target": "llvm", "opt_level": 3, "freeze": False}
    for key, value in dict(options or {}).items():
        if key not in found:
            raise LatheValueError(f"the backend has no option `{key}`", "torch-options",
                                  f"expected: {', '.join(found)}")
        found[key] = value
    return found


def _boxed(graph, inputs, options, freeze):
    from functorch.compile import make_boxed_func

    return make_boxed_func(compile_graph(graph, inputs, options, freeze))


def compile_graph(graph, inputs, options=None, freeze=False):
    """A function that runs a graph of PyTorch's operators: parts of it compiled.

    Args:
        graph: a torch.fx.GraphModule whose nodes have their values' shapes (`meta["val"]`).
        inputs: not read.
        options: as for `backend`, complete.
        freeze: are weights constants?

    Example:
        >>> from lathe.contrib import torch as backend
        >>> callable(backend.compile_graph)
        True
    """
    from torch._subclasses.fake_tensor import unset_fake_temporarily
    from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
    from torch.fx.passes.operator_support import OperatorSupportBase

    options = options or _options(None)
    left = {}

    class Supported(OperatorSupportBase):
        def is_node_supported(self, submodules, node):
            return node in good

    with unset_fake_temporarily():
        good = _good_nodes(graph, left)
    static = _static_inputs(graph) if freeze else set()
    partitioner = CapabilityBasedPartitioner(graph, Supported(), allows_single_node_partition=True)
    partitions = partitioner.propose_partitions()
    whole = partitioner.fuse_partitions(partitions) if partitions else graph
    count = 0
    for name, part in list(whole.named_children()):
        if name.startswith("fused_"):
            # Where the part's inputs come from, for weights that may become constants.
            call = next(node for node in whole.graph.nodes
                        if node.op == "call_module" and node.target == name)
            frozen = [i for i, one in enumerate(call.args) if getattr(one, "name", "") in static]
            setattr(whole, name, _module_of(Part(part, call, options, frozen)))
            count += 1
    whole.recompile()
    report = Report(compiled=len(good), parts=count, left=left)
    _REPORTS.append(report)
    _say(report)
    return whole


def _say(report):
    text = f"{report['compiled']} operators compiled in {report['parts']} parts"
    if report["left"]:
        text += "; left to PyTorch: " + "; ".join(
            f"{name} ({why})" for name, why in report["left"].items())
    log.info("%s", text)
    if os.environ.get("LATHE_TORCH_LOG") == "1":
        import sys

        print(f"lathe: {text}", file=sys.stderr)


def _static_inputs(graph):
    """The names of the placeholders that are weights."""
    from torch._guards import TracingContext

    context = TracingContext.try_get()
    metadata = getattr(context, "fw_metadata", None)
    places = [node for node in graph.graph.nodes if node.op == "placeholder"]
    found = getattr(metadata, "static_input_indices", None) or []
    return {places[i].name for i in found if i < len(places)}


def _module_of(part):
    torch = _v.torch()

    class Compiled(torch.nn.Module):
        def forward(self, *args):
            return part(*args)

    return Compiled()


# -- Which operators can be compiled.


def _good_nodes(graph, left):
    """The nodes that lathe can run; the reasons for others are put into `left`."""
    good, tried = set(), {}
    for node in graph.graph.nodes:
        if node.op != "call_function":
            continue
        if node.target is operator.getitem:
            if node.args[0] in good:
                good.add(node)
            continue
        if _is_number(node.meta.get("val")):
            continue  # arithmetic of sizes
        why = _why_not(node, tried)
        if why is None:
            good.add(node)
        else:
            left.setdefault(str(node.target), why)
    return good


def _is_number(value):
    return value is not None and type(value).__name__ in ("SymInt", "SymFloat", "SymBool", "int",
                                                          "float", "bool")


def _why_not(node, tried):
    """None, or why PyTorch has to run a node: it is converted alone, and its type compared."""
    from ..relay.frontend.pytorch import _registry

    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return "no operator of PyTorch"
    short = _registry.short_name(schema.name)
    if short in _LEFT or schema.is_mutable:
        return "runs in PyTorch"
    if _registry.find(short, schema.overload_name) is None:
        return "no conversion"
    values = [one.meta.get("val") for one in node.all_input_nodes] + [node.meta.get("val")]
    for one in _tensors(values):
        if one.device.type != "cpu" or one.is_sparse or one.is_complex() or one.is_quantized:
            return f"a tensor of {one.dtype} on {one.device}"
        if str(one.dtype).removeprefix("torch.") not in _DTYPES:
            return f"a tensor of {one.dtype}"
    key = (node.target, _signature(node))
    if key not in tried:
        tried[key] = _trial(node)
    return tried[key]


_DTYPES = ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
           "bool")


def _tensors(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _tensors(value)
        elif _v.known_tensor(value):
            yield value


def _signature(node):
    def of(item):
        if type(item).__name__ == "Node":
            value = item.meta.get("val")
            return (str(getattr(value, "dtype", "")), str(getattr(value, "shape", value)))
        if isinstance(item, (list, tuple)):
            return tuple(of(one) for one in item)
        return repr(item)

    return of(node.args), tuple((key, of(one)) for key, one in sorted(node.kwargs.items()))


class _Inputs:
    """Variables and sizes for the nodes that a part, or one node, reads."""

    def __init__(self, nodes):
        from ..relay.frontend.pytorch._importer import Importer

        self.importer, self.sizes = Importer(), {}
        extents = [n for node in nodes for one in _tensors([node.meta.get("val")])
                   for n in one.shape if not isinstance(n, int)]
        # Symbols that are an extent; other expressions that are one become sizes of their own.
        self.symbols = {str(n.node.expr) for n in extents if n.node.expr.is_Symbol}
        self.bound = {str(n.node.expr) for n in extents}

    def extent(self, n):
        """An extent as an int or an expression over the sizes of the part."""
        from ..relay.frontend.pytorch._fx import extent_of
        from ..relay.ty import Any

        if isinstance(n, int) or {str(one) for one in n.node.expr.free_symbols} <= self.symbols:
            return extent_of(n, self.sizes, Any)
        return self.sizes.setdefault(str(n.node.expr), Any("size"))

    def value(self, node):
        """A variable for a tensor; an expression over sizes for a SymInt."""
        value = node.meta.get("val")
        if _v.known_tensor(value):
            shape = [self.extent(n) for n in value.shape]
            return self.importer.input(node.name, shape, str(value.dtype).removeprefix("torch."))
        if isinstance(value, (list, tuple)):
            raise LatheError("a list of tensors from another part", "torch-part")
        return self.extent(value)

    def unbound(self):
        """The sizes that no input has as an extent."""
        return sorted(set(self.sizes) - self.bound)


def _trial(node):
    from ..relay.frontend.pytorch._fx import FxReader
    from ..relay.frontend.pytorch._importer import flat

    inputs = _Inputs(node.all_input_nodes)
    try:
        env = {one: inputs.value(one) for one in node.all_input_nodes}
        result = FxReader(inputs.importer)._call(node, env, None)
        found = [_v.expr(one) for one in flat(result)]
        wanted = list(_tensors([node.meta.get("val")]))
        if inputs.importer.missing:
            return "no conversion"
        if len(found) < len(wanted):
            return "other results"
        for one, other in zip(found, wanted):
            shape = [inputs.extent(n) for n in other.shape]
            fixed = all(isinstance(n, int) for n in shape)
            if _v.dtype_of(one) != str(other.dtype).removeprefix("torch.") or \
                    len(_v.shape_of(one)) != len(shape) or \
                    (fixed and other.numel() and _v.shape_of(one) != shape):
                return "another type"
    except LatheError as error:
        return error.message.partition(": ")[2] or error.message
    return None


# -- Parts that are compiled.


class Part:
    """A compiled part of a graph. It is compiled at its first call.

    Args:
        module: the part as a torch.fx.GraphModule, which PyTorch runs if lathe cannot.
        call: the node that calls it.
        options: as for `backend`.
        frozen: the numbers of the arguments that are weights.

    Example:
        >>> from lathe.contrib.torch import Part
        >>> Part(None, None, {"target": "llvm"}, []).function is None
        True
    """

    def __init__(self, module, call, options, frozen):
        self.module, self.options, self.frozen = module, options, list(frozen)
        self.function = self.weights = self.kept = self.single = self.orders = None
        self.eager = False

    def __call__(self, *args):
        if self.eager:
            return self.module(*args)
        if self.function is None or not self._fresh(args):
            try:
                self._compile(args)
            except LatheError as error:
                log.warning("a part is left to PyTorch: %s", error)
                self.eager = True
                return self.module(*args)
        return self._run(args)

    def _fresh(self, args):
        """Are the weights still those that became constants?"""
        if not self.weights:
            return True
        for i, tensor, version in self.weights:
            if args[i] is not tensor or tensor._version != version:
                self.frozen = []  # they change: from now on they are inputs
                return False
        return True

    def _compile(self, args):
        from ..relay.frontend.pytorch._fx import FxReader
        from ..relay.frontend.pytorch._importer import flat, tuple_of

        places = [node for node in self.module.graph.nodes if node.op == "placeholder"]
        inputs = _Inputs(places)
        given, self.weights, self.kept = {}, [], []
        for i, (node, arg) in enumerate(zip(places, args)):
            if i in self.frozen and _v.known_tensor(arg):
                given[node] = _v.constant(arg)
                self.weights.append((i, arg, arg._version))
                continue
            given[node] = inputs.value(node)
            if _v.known_tensor(arg):
                self.kept.append(i)
        results = flat(FxReader(inputs.importer).read(self.module, given))
        if inputs.unbound():
            raise LatheError("a size of the part is no extent of its inputs", "torch-part",
                             f"found: {', '.join(inputs.unbound())}")
        outputs = next(node for node in self.module.graph.nodes if node.op == "output").args[0]
        self.single = not isinstance(outputs, (list, tuple))
        self.orders = [(i, order) for i, order in
                       enumerate(map(_order_of, [outputs] if self.single else outputs))
                       if order is not None]
        func = inputs.importer.function(tuple_of(results))
        self.function = _build(func, self.options, len(results))

    def _run(self, args):
        torch = _v.torch()
        given = []
        for i in self.kept:
            one = args[i].detach()
            given.append(one if one.is_contiguous() else one.contiguous())
        try:
            made = self.function(*given)
        except LatheError as error:
            log.warning("a part runs in PyTorch this time: %s", error)
            return self.module(*args)
        if not isinstance(made, (list, tuple)):
            made = [made]
        tensors = [torch.from_dlpack(one) for one in made]
        for i, order in self.orders:
            # PyTorch expects these dimensions in another order of memory.
            tensors[i] = _in_order(tensors[i], order)
        return tensors[0] if self.single else tensors


def _order_of(node):
    """The dimensions from the slowest to the fastest, or None if they are in this order."""
    value = node.meta.get("val")
    if not _v.known_tensor(value) or value.dim() < 2 or value.is_contiguous():
        return None
    strides = [n if isinstance(n, int) else n.node.hint for n in value.stride()]
    if any(n is None or n == 0 for n in strides):
        return None
    order = sorted(range(value.dim()), key=lambda i: -strides[i])
    return None if order == list(range(value.dim())) else order


def _in_order(tensor, order):
    back = [order.index(i) for i in range(len(order))]
    return tensor.permute(order).contiguous().permute(back)


def _build(func, options, _):
    """The compiled function; equal graphs are compiled once."""
    from .. import relay
    from .._irmodule import IRModule
    from ..transform import PassContext

    mod = IRModule.from_expr(func)
    key = (mod.astext(True), str(options["target"]), options["opt_level"])
    with _lock:
        found = _compiled.get(key)
        if found is not None:
            _compiled.move_to_end(key)
            return found
    with PassContext(opt_level=int(options["opt_level"])):
        lib = relay.build(mod, options["target"])
    function = lib.get_lib()["default"]
    with _lock:
        _compiled[key] = function
        while len(_compiled) > _KEPT:
            _compiled.popitem(last=False)
    return function


def register():
    """Registers the backend "lathe" with torch.compile; a wheel that is installed needs no call.

    Example:
        >>> from lathe.contrib import torch as backend
        >>> callable(backend.register)
        True
    """
    from torch._dynamo import list_backends, register_backend

    if "lathe" not in list_backends(exclude_tags=()):
        register_backend(backend, name="lathe")

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
