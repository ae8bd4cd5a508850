"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheTypeError as LatheTypeError
from lathe.relay.frontend._model_file import is_bytes as is_bytes
from lathe.relay.frontend._model_file import is_path as is_path
from lathe.relay.frontend._model_file import shapes_of as shapes_of

def from_tflite(model: Any, shape_dict: Any = ..., dtype_dict: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
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
