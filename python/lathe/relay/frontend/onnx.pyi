"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheTypeError as LatheTypeError
from lathe.relay.frontend._model_file import is_bytes as is_bytes
from lathe.relay.frontend._model_file import is_path as is_path
from lathe.relay.frontend._model_file import shapes_of as shapes_of

def from_onnx(model: Any, shape: Any = ..., dtype: Any = ..., opset: Any = ..., freeze_params: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
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

    Returns:
        (mod, params): an IRModule, and {name: Tensor}, empty with `freeze_params`.

    Raises:
        LatheError: `onnx-unsupported` (all operators that cannot be imported), `onnx-malformed`,
            `onnx-opset`, `onnx-input-shape`, `onnx-input-unknown`, `onnx-value-needed` (an input
            decides shapes), `onnx-node`, ...: docs/errors.md. A node is named.
        OSError: the file cannot be read.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> try:
        ...     mod, params = relay.frontend.from_onnx(b"no model")
        ... except lathe.LatheError as error:
        ...     print(error.name)
        onnx-malformed
    """
