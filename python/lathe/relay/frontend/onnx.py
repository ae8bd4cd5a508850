"""Models of ONNX."""

import os

from ... import _ffi
from ...error import LatheTypeError
from ..._irmodule import IRModule
from ._model_file import is_bytes, is_path, shapes_of

_get = _ffi.get


def from_onnx(model, shape=None, dtype="float32", opset=None, freeze_params=False):
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
    from_path = is_path(model)
    if from_path:
        data = os.fspath(model)
    elif is_bytes(model):
        data = bytes(model)
    elif hasattr(model, "SerializeToString"):
        data = model.SerializeToString()
    else:
        raise LatheTypeError("a model is a path, bytes or an onnx.ModelProto", "onnx-model-type",
                             f"found: {type(model).__name__}")
    if isinstance(dtype, dict):
        dtype = next(iter(dtype.values()), "float32")
    shapes = shapes_of(shape)
    module, _, _, names, weights = _get("onnx.import")(
        data, from_path, list(shapes), list(shapes.values()), [], [], str(dtype), int(opset or 0),
        not freeze_params)
    return IRModule.from_node(module), dict(zip(names, weights))
