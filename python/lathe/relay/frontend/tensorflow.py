"""Frozen graphs of TensorFlow."""

import os

from ... import _ffi
from ...error import LatheTypeError, LatheValueError
from ..._irmodule import IRModule
from ._model_file import is_bytes, is_path, shapes_of

_get = _ffi.get


def from_tensorflow(graph, layout="NHWC", shape=None, outputs=None):
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
    if layout not in (None, "NHWC"):
        raise LatheValueError("images are not arranged anew", "tensorflow-layout",
                              f"expected: None or \"NHWC\", found: {layout!r}")
    from_path = is_path(graph)
    if from_path:
        data = os.fspath(graph)
    elif is_bytes(graph):
        data = bytes(graph)
    elif hasattr(graph, "SerializeToString"):
        data = graph.SerializeToString()
    else:
        raise LatheTypeError("a graph must be a path, bytes or a GraphDef", "tensorflow-model-type",
                             f"found: {type(graph).__name__}")
    shapes = shapes_of(shape)
    wanted = [outputs] if isinstance(outputs, str) else list(outputs or [])
    module, _, _, names, weights = _get("tensorflow.import")(
        data, from_path, list(shapes), list(shapes.values()), wanted, True)
    return IRModule.from_node(module), dict(zip(names, weights))
