"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.frontend._mxnet_operators import Attributes as Attributes
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.analysis import free_vars as free_vars
from lathe import nd as nd

OPERATORS: Any

def from_mxnet(symbol: Any, shape: Any = ..., dtype: Any = ..., arg_params: Any = ..., aux_params: Any = ...) -> Any:
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
