"""Models of ONNX."""

import os

from ... import _ffi
from ...error import LatheTypeError
from ..._irmodule import IRModule
from . import _own_operators
from ._model_file import is_bytes, is_path, shapes_of

_get = _ffi.get


def from_onnx(model, shape=None, dtype="float32", opset=None, freeze_params=True,
              convert_map=None):
    """A module whose function `main` is a model of ONNX.

    Operator sets 7 to 28. The package `onnx` is not needed. Sizes that the model names are sizes of
    the function; sizes without a name get one of their input.

    Args:
        model: the path of a file (str or os.PathLike), the bytes of one, or an `onnx.ModelProto`.
            Data in other files needs a path. A file must not change while its weights are in use.
        shape: {name of an input: extents}, which replace what the model says. An extent is an int,
            or a str that names a size which each run chooses.
        dtype: the element type of inputs for which the model states none; or
            {name of an input: type}, of which the first type is taken.
        opset: the version of ONNX's operators, instead of what the model says.
        freeze_params: whether weights are constants of the module, which compilers can rearrange.
            Otherwise they are parameters of `main`, and `params` has their data.
        convert_map: {"com.example.Scale": function(inputs, attributes) -> results}: operators that
            Lathe does not know, or that are converted in another way. Those of ONNX's own domain
            have no prefix: "Gelu". Inputs are expressions (relay.Constant if the value is known,
            else relay.Var), None for one that is left out. Attributes are {name: int, float, str
            (bytes if it is no UTF-8), list, or relay.Constant for a tensor}; those that the node
            does not state are not there.
            The result is an expression, or a list with one for each output of the node.

    Returns:
        (mod, params): an IRModule, and {name: Tensor}, empty with `freeze_params`.

    Raises:
        LatheError: `onnx-unsupported` (all operators that cannot be imported), `onnx-malformed`,
            `onnx-opset`, `onnx-input-shape`, `onnx-input-unknown`, `onnx-value-needed` (an input
            decides shapes), `onnx-custom` (a function of `convert_map` fails, or gives no results),
            `onnx-node`, ...: docs/errors.md. A node is named.
        OSError: the file cannot be read.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> try:
        ...     mod, params = relay.frontend.from_onnx(b"no model")
        ... except lathe.LatheError as error:
        ...     print(error.name)
        onnx-malformed

        An operator of one's own; the model is written here by hand:

        >>> field = lambda number, data: bytes([number << 3 | 2, len(data)]) + data
        >>> node = field(1, b"x") + field(2, b"y") + field(4, b"Scale") + field(7, b"com.example")
        >>> x = field(1, b"x") + field(2, field(1, bytes([8, 1]) + field(2, field(1, bytes([8, 2])))))
        >>> graph = field(1, node) + field(11, x) + field(12, field(1, b"y"))
        >>> scale = lambda inputs, attributes: inputs[0] * attributes.get("factor", 2.0)
        >>> mod, _ = relay.frontend.from_onnx(field(7, graph), convert_map={"com.example.Scale": scale})
        >>> print(mod["main"].ret_type)
        float32[2]
    """
    from_path = is_path(model)
    if from_path:
        data = os.fspath(model)
    elif is_bytes(model):
        data = bytes(model)
    elif hasattr(model, "SerializeToString"):
        data = model.SerializeToString()
    else:
        raise LatheTypeError("a model must be a path, bytes or an onnx.ModelProto", "onnx-model-type",
                             f"found: {type(model).__name__}")
    if isinstance(dtype, dict):
        dtype = next(iter(dtype.values()), "float32")
    shapes, own = shapes_of(shape), _own_operators.checked(convert_map)
    module, _, _, names, weights = _get("onnx.import")(
        data, from_path, list(shapes), list(shapes.values()), [], [], str(dtype), int(opset or 0),
        not freeze_params, list(own), [_own_operators.converter(item) for item in own.values()])
    return IRModule.from_node(module), dict(zip(names, weights))
