"""Models of TFLite."""

import os

from ... import _ffi
from ...error import LatheTypeError
from ..._irmodule import IRModule
from ._model_file import is_bytes, is_path, shapes_of

_get = _ffi.get


def from_tflite(model, shape_dict=None, dtype_dict=None):
    """A module whose function `main` is a model of TFLite.

    The packages `tflite` and `tensorflow` are not needed. Images stay in TFLite's order of
    dimensions, NHWC. Quantised models compute with whole numbers, bit for bit as TFLite's
    reference kernels (docs/tflite.md has the exceptions).

    Args:
        model: the path of a file (str or os.PathLike), the bytes of one, or a `tflite.Model` of the
            package `tflite`. A file must not change while its weights are in use.
        shape_dict: {name of an input: extents}, which replace what the model says. An extent is an
            int, or a str that names a size which each run chooses.
        dtype_dict: {name of an input: type}. The model states the types, and another one is an
            error.

    Returns:
        (mod, params): an IRModule, whose weights are parameters of `main` behind the inputs, and
        {name: Tensor} with their data.

    Raises:
        LatheError: `tflite-unsupported` (all operators that cannot be imported),
            `tflite-malformed`, `tflite-input-shape`, `tflite-input-unknown`, `tflite-operator`, ...:
            docs/errors.md. An operator is named.
        OSError: the file cannot be read.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> try:
        ...     mod, params = relay.frontend.from_tflite(b"no model")
        ... except lathe.LatheError as error:
        ...     print(error.name)
        tflite-malformed
    """
    from_path = is_path(model)
    table = getattr(model, "_tab", None)
    if from_path:
        data = os.fspath(model)
    elif is_bytes(model):
        data = bytes(model)
    elif hasattr(table, "Bytes"):
        data = bytes(table.Bytes)
    else:
        raise LatheTypeError("a model must be a path, bytes or a tflite.Model", "tflite-model-type",
                             f"found: {type(model).__name__}")
    shapes = shapes_of(shape_dict)
    module, _, _, names, weights = _get("tflite.import")(
        data, from_path, list(shapes), list(shapes.values()), True)
    module = IRModule.from_node(module)
    inputs = {param.name_hint: param for param in module["main"].params}
    for name, dtype in (dtype_dict or {}).items():
        if name not in inputs:
            raise LatheTypeError(f"the model has no input `{name}`", "tflite-model-type",
                                 f"inputs: {', '.join(inputs)}")
        found = inputs[name].type_annotation.dtype
        if str(dtype) != found:
            raise LatheTypeError(f"input `{name}` has another type in the model",
                                 "tflite-model-type", f"expected: {found}, found: {dtype}")
    return module, dict(zip(names, weights))
