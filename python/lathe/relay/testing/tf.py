"""Models of TensorFlow for tests: downloads, and graphs with shapes. Most of it needs the package tensorflow."""

import hashlib
import os
import tarfile
import time

from ...contrib.download import cache_folder, download_testdata
from ...error import LatheTypeError, LatheValueError

_MODELS = "https://github.com/dmlc/web-data/raw/main/tensorflow/models/"


def get_workload_official(model_url, model_sub_path, retries=5):
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
    name = os.path.basename(model_url)
    if not name.endswith((".tar.gz", ".tgz")):
        raise LatheValueError("a model must be in an archive", "testing-archive",
                              f"expected: .tar.gz or .tgz\nfound: {model_url}")
    path = _downloaded(model_url, retries)
    folder = os.path.join(cache_folder(), "tf", "official", _of(model_url) + "-" + name.partition(".")[0])
    with tarfile.open(path) as archive:
        if model_sub_path not in archive.getnames():
            raise LatheValueError(f"the archive has no file `{model_sub_path}`", "testing-archive",
                                  "found: " + ", ".join(archive.getnames()[:20]))
        _unpack(archive, folder)
    return os.path.join(folder, model_sub_path)


def _unpack(archive, folder):
    """Writes the folders and files of an archive below a folder. Filters of tarfile, which would refuse the
    rest, are not in every Python 3.11."""
    root = os.path.realpath(folder)
    for member in archive.getmembers():
        target = os.path.realpath(os.path.join(root, member.name))
        if not (member.isfile() or member.isdir()) or os.path.commonpath([root, target]) != root:
            raise LatheValueError(f"`{member.name}` of the archive cannot be unpacked", "testing-archive",
                                  "expected: files and folders below the archive's own")
    archive.extractall(folder)


def _of(url):
    """A word for an address: files of equal name from two places are two files."""
    return hashlib.sha256(url.encode()).hexdigest()[:12]


def _downloaded(url, retries=5):
    for left in range(retries, -1, -1):
        try:
            return download_testdata(url, _of(url) + "-" + os.path.basename(url), module=["tf", "official"])
        except OSError:
            if not left:
                raise
            time.sleep(1)


def get_workload(model_path, model_sub_path=None, inputs_dict=None, output=None):
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
    if inputs_dict is not None and output is None:
        raise LatheValueError("a graph with other inputs is given for a node", "testing-output",
                              "expected: `output`, the name of a node\nfound: inputs_dict without output\n"
                              'help: output="softmax"')
    v1 = _tensorflow()
    if model_sub_path:
        path = get_workload_official(_MODELS + model_path, model_sub_path)
    else:
        path = _downloaded(_MODELS + model_path)
    graph = v1.GraphDef()
    with open(path, "rb") as file:
        graph.ParseFromString(file.read())
    if inputs_dict is None:
        v1.import_graph_def(graph, name="")
        return graph
    v1.import_graph_def(graph, name="", input_map=inputs_dict)
    with v1.Session() as session:
        return AddShapesToGraphDef(session, output)


def _tensorflow():
    """The module tensorflow.compat.v1."""
    try:
        import tensorflow.compat.v1 as v1
    except ImportError as error:
        raise LatheValueError("models of TensorFlow are tested with the package tensorflow", "testing-package",
                              "help: pip install tensorflow-cpu; relay.frontend.from_tensorflow itself does not need it"
                              ) from error
    return v1


def AddShapesToGraphDef(session, out_node):
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
    v1 = _tensorflow()
    names = [out_node] if isinstance(out_node, str) else list(out_node)
    return v1.graph_util.convert_variables_to_constants(session, session.graph.as_graph_def(add_shapes=True), names)


def ProcessGraphDefParam(graph_def):
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
    v1 = _tensorflow()
    if isinstance(graph_def, v1.GraphDef):
        return graph_def
    try:
        made = v1.GraphDef()
        made.MergeFrom(graph_def)
    except TypeError as error:
        raise LatheTypeError("this is no graph of TensorFlow", "testing-graph",
                             f"expected: a GraphDef\nfound: {type(graph_def).__name__}") from error
    return made
