"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheTypeError as LatheTypeError
from lathe.relay.frontend._model_file import is_bytes as is_bytes
from lathe.relay.frontend._model_file import is_path as is_path
from lathe.relay.frontend._model_file import shapes_of as shapes_of

def from_onnx(model: Any, shape: Any = ..., dtype: Any = ..., opset: Any = ..., freeze_params: Any = ..., convert_map: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
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
