"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.contrib.download import cache_folder as cache_folder
from lathe.contrib.download import download_testdata as download_testdata

def AddShapesToGraphDef(session: Any, out_node: Any) -> Any:
    """The session's graph with weights as constants, and the shapes of all results.

    Args:
        session: a tensorflow.Session.
        out_node: the name of the node, or the names of those, that the graph computes.

    Returns:
        A GraphDef.

    Example:
        >>> from lathe.relay.testing import tf
        >>> graph = tf.AddShapesToGraphDef(session, "softmax")    # doctest: +SKIP
    """

def ProcessGraphDefParam(graph_def: Any) -> Any:
    """The graph, checked to be a GraphDef.

    Args:
        graph_def: a GraphDef, or a message that a GraphDef can take over (`MergeFrom`).

    Returns:
        A `tensorflow.compat.v1.GraphDef`.

    Raises:
        LatheError: `testing-graph`: it is none; `testing-package`.

    Example:
        >>> from lathe.relay.testing import tf
        >>> graph = tf.ProcessGraphDefParam(graph)    # doctest: +SKIP
    """

def get_workload(model_path: Any, model_sub_path: Any = ..., inputs_dict: Any = ..., output: Any = ...) -> Any:
    """The graph of a frozen model in TVM's collection of test models. Needs the package tensorflow.

    Args:
        model_path: the file's place in the collection; an archive if `model_sub_path` is given.
        model_sub_path: the file's path within the archive.
        inputs_dict: {name of an input: its new placeholder}: replaced when the graph is read; with
            `output`.
        output: the name of the node whose graph is given.

    Returns:
        A `tensorflow.compat.v1.GraphDef`.

    Raises:
        LatheError: `testing-archive`; `testing-output`: `inputs_dict` without `output`; `testing-package`:
            tensorflow is not installed.

    Example:
        >>> from lathe.relay.testing import tf
        >>> graph = tf.get_workload("InceptionV1/classify_image_graph_def-with_shapes.pb")    # doctest: +SKIP
    """

def get_workload_official(model_url: Any, model_sub_path: Any, retries: Any = ...) -> Any:
    """Downloads an archive with a model, unpacks it, and says where a file of it is.

    Args:
        model_url: where the archive is: `.tar.gz` or `.tgz`.
        model_sub_path: the file's path within the archive.
        retries: how often a download that fails is tried again.

    Returns:
        The path of the unpacked file, in the folder of downloads (`contrib.download.cache_folder`).

    Raises:
        LatheValueError: `testing-archive`: the archive has another ending, has no such file, or a file
            that would be written somewhere else.
        LatheError: `download-network`, `download-failed`: as `contrib.download.download_testdata`.

    Example:
        >>> import os, pathlib, tarfile, tempfile
        >>> from lathe.relay.testing import tf
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     os.environ["LATHE_DOWNLOADS"] = os.path.join(folder, "data")
        ...     path = pathlib.Path(folder, "doc.tgz")
        ...     _ = pathlib.Path(folder, "model.pb").write_text("graph")
        ...     with tarfile.open(path, "w:gz") as archive:
        ...         archive.add(os.path.join(folder, "model.pb"), "doc/model.pb")
        ...     found = tf.get_workload_official(path.as_uri(), "doc/model.pb")
        ...     print(os.path.basename(found), pathlib.Path(found).read_text())
        ...     del os.environ["LATHE_DOWNLOADS"]
        model.pb graph
    """
