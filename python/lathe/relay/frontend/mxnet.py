"""Models of MXNet: symbols and Gluon blocks."""

import json

from ... import nd
from ..._irmodule import IRModule
from ...error import LatheTypeError, LatheValueError
from .. import expr as _e
from ..analysis import free_vars
from ._mxnet_operators import OPERATORS, Attributes


def from_mxnet(symbol, shape=None, dtype="float32", arg_params=None, aux_params=None):
    """A module whose function `main` is a model of MXNet, as it is used for inference.

    The package `mxnet` is not imported: the model is read from `symbol.tojson()`.

    Args:
        symbol: a `mxnet.symbol.Symbol`, a `mxnet.gluon.HybridBlock`, or a text: the contents of the
            file `...-symbol.json`.
        shape: {name of an input: extents}. An input without shape has the shape of its parameter.
        dtype: the element type of inputs, or {name of an input: element type}.
        arg_params, aux_params: {name: array of MXNet or NumPy}; a block has its own. Names may begin with
            "arg:" and "aux:", as those of a file `....params` do.

    Returns:
        (mod, params): an IRModule, whose weights are parameters of `main` behind the inputs, and
        {name: Tensor} with their data.

    Raises:
        LatheError: `mxnet-unsupported` (all operators that cannot be imported), `mxnet-malformed`,
            `mxnet-input-shape`, `mxnet-attribute`, `mxnet-model-type`. A node is named.

    Example:
        >>> from lathe import relay
        >>> text = '''{"nodes": [{"op": "null", "name": "x", "inputs": []},
        ...     {"op": "Activation", "name": "y", "attrs": {"act_type": "relu"}, "inputs": [[0, 0, 0]]}],
        ...     "arg_nodes": [0], "heads": [[1, 0, 0]]}'''
        >>> mod, params = relay.frontend.from_mxnet(text, {"x": (2, 3)})
        >>> mod["main"].body.op
        Op(nn.relu)
    """
    if not hasattr(symbol, "tojson") and hasattr(symbol, "collect_params"):
        if arg_params is not None or aux_params is not None:
            raise LatheValueError("a block has its own parameters", "mxnet-model-type",
                                  "help: leave `arg_params` and `aux_params` out")
        arg_params, symbol = _of_block(symbol, shape)
    text = symbol.tojson() if hasattr(symbol, "tojson") else symbol
    if not isinstance(text, str):
        raise LatheTypeError("a model of MXNet must be a symbol, a block or a text", "mxnet-model-type",
                             f"found: {type(symbol).__name__}")
    data = {name.removeprefix("arg:").removeprefix("aux:"): value
            for given in (arg_params, aux_params) for name, value in (given or {}).items()}
    return _Reader(_graph_of(text), dict(shape or {}), dtype, data).module()


def _of_block(block, shape):
    """({name: array}, Symbol) of a Gluon block whose inputs have the names of `shape`."""
    import mxnet

    inputs = [mxnet.symbol.Variable(name) for name in shape or ("data",)]
    made = block(*inputs)
    made = mxnet.symbol.Group(list(made)) if isinstance(made, (list, tuple)) else made
    return {name: value.data() for name, value in block.collect_params().items()}, made


def _graph_of(text):
    try:
        graph = json.loads(text)
        nodes, heads = graph["nodes"], graph["heads"]
        for number, node in enumerate(nodes):
            node["op"], node["name"]
            for source, index, *_ in node["inputs"]:
                if not 0 <= source < number or index < 0:
                    raise ValueError(f"node {number} reads node {source}")
        if not heads or any(not 0 <= head[0] < len(nodes) for head in heads):
            raise ValueError("a result is no node")
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise LatheValueError("this is no model of MXNet", "mxnet-malformed",
                              f"expected: what Symbol.tojson() gives\nfound: {error}") from None
    return graph


class _Reader:
    """The expressions of a graph. Only what the results need is read: labels are not."""

    def __init__(self, graph, shapes, dtype, data):
        self.nodes, self.heads = graph["nodes"], graph["heads"]
        self.shapes, self.dtype, self.data = shapes, dtype, data
        self.made, self.inputs, self.weights = {}, [], {}

    def module(self):
        order = self._order()
        unknown = sorted({self.nodes[n]["op"] for n in order} - set(OPERATORS) - {"null"})
        if unknown:
            raise LatheValueError("the model has operators that cannot be imported", "mxnet-unsupported",
                                  "found: " + ", ".join(unknown) + "\nhelp: export the model as ONNX, and read it "
                                  "with relay.frontend.from_onnx")
        for number in order:
            self.made[number] = self._node(number)
        results = [self._result(head[0], head[1]) for head in self.heads]
        body = results[0] if len(results) == 1 else _e.Tuple(results)
        used = free_vars(body)
        unread = [var for var in self.inputs if not any(var is one for one in used)]
        inputs = [var for var in [*used, *unread] if var.name_hint not in self.weights]
        order_of = {name: i for i, name in enumerate(self.shapes)}
        inputs.sort(key=lambda var: order_of.get(var.name_hint, len(order_of)))
        weights = [var for var in used if var.name_hint in self.weights]
        module = IRModule.from_expr(_e.Function([*inputs, *weights], body))
        return module, {var.name_hint: self.weights[var.name_hint] for var in weights}

    def _order(self):
        """The numbers of the nodes that the results need, operands first."""
        needed, work = set(), [head[0] for head in self.heads]
        while work:
            number = work.pop()
            if number in needed:
                continue
            needed.add(number)
            node = self.nodes[number]
            found = OPERATORS.get(node["op"])
            count = len(node["inputs"]) if found is None else found.reads(len(node["inputs"]))
            work += [one[0] for one in node["inputs"][:count]]
        return sorted(needed)

    def _result(self, number, index):
        made = self.made[number]
        if not isinstance(made, list):
            made = [made]
        if index >= len(made):
            raise LatheValueError(f"node `{self.nodes[number]['name']}` has no result {index} for inference",
                                  "mxnet-malformed", f"expected: fewer than {len(made)}")
        return made[index]

    def _node(self, number):
        node = self.nodes[number]
        if node["op"] == "null":
            return self._variable(node["name"])
        found = OPERATORS[node["op"]]
        count = found.reads(len(node["inputs"]))
        inputs = [self._result(one[0], one[1]) for one in node["inputs"][:count]]
        given = next((node[key] for key in ("attrs", "attr", "param") if key in node), {})
        return found.convert(inputs, Attributes(node["op"], node["name"], given))

    def _variable(self, name):
        if name in self.data:
            array = self.data[name]
            array = array.asnumpy() if hasattr(array, "asnumpy") else array
            self.weights[name] = nd.array(array)
            return _e.var(name, shape=self.weights[name].shape, dtype=str(self.weights[name].dtype))
        if name not in self.shapes:
            raise LatheValueError(f"the shape of input `{name}` is not known", "mxnet-input-shape",
                                  f"help: shape={{{name!r}: (...)}}, or the data of a parameter in `arg_params`")
        dtype = self.dtype.get(name, "float32") if isinstance(self.dtype, dict) else self.dtype
        var = _e.var(name, shape=tuple(self.shapes[name]), dtype=str(dtype))
        self.inputs.append(var)
        return var
