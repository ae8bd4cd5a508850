"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend._model_file import is_bytes as is_bytes
from lathe.relay.frontend._model_file import is_path as is_path
from lathe.relay.frontend._model_file import shapes_of as shapes_of

def from_tensorflow(graph: Any, layout: Any = ..., shape: Any = ..., outputs: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """A module whose function `main` is a frozen graph of TensorFlow.

    The package `tensorflow` is not needed. A SavedModel is frozen first: docs/tensorflow.md.

    Args:
        graph: the path of a file (str or os.PathLike), the bytes of one, or a `GraphDef`.
            A file must not change while its weights are in use.
        layout: images stay in the order of dimensions that their operators state; so only "NHWC"
            and None are taken.
        shape: {name of an input: extents}, which replace what the model says. An extent is an int,
            or a str that names a size which each run chooses.
        outputs: names of nodes whose results are those of `main`, like "softmax" or "split:1". If
            left out, those that no other node reads.

    Returns:
        (mod, params): an IRModule, whose weights are parameters of `main` behind the inputs, and
        {name: Tensor} with their data.

    Raises:
        LatheError: `tensorflow-unsupported` (all operators that cannot be imported),
            `tensorflow-malformed`, `tensorflow-input-shape`, `tensorflow-outputs`,
            `tensorflow-node`, `tensorflow-layout`, ...: docs/errors.md. A node is named.
        OSError: the file cannot be read.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> try:
        ...     mod, params = relay.frontend.from_tensorflow(b"no model")
        ... except lathe.LatheError as error:
        ...     print(error.name)
        tensorflow-malformed
    """
