"""The formats of models that `tvmc` reads."""

import os

from .error import LatheValueError


class TVMCError(LatheValueError):
    """What is asked of `tvmc` cannot be done.

    Example:
        >>> from lathe import tvmc
        >>> try:
        ...     tvmc.load("model.caffe")
        ... except tvmc.TVMCError as error:
        ...     print(error.name)
        tvmc-model-format
    """


TVMCException = TVMCError  # its old name


def _path(item):
    """A path as a text. (A number would name an open file, which would be closed afterwards.)"""
    if not isinstance(item, (str, os.PathLike)):
        raise TVMCError("a path is needed", "tvmc-path", f"found: {type(item).__name__}")
    return os.fspath(item)


def _from_pytorch(path, shapes, **options):
    try:
        import torch
    except ImportError as error:
        raise TVMCError("models of PyTorch need the package torch", "tvmc-model-format",
                        "help: pip install torch, or export the model as ONNX") from error
    from .relay import frontend

    if not shapes:
        raise TVMCError("a model of PyTorch does not say its inputs' shapes", "tvmc-model-format",
                        'help: shape_dict={"input": (1, 3, 224, 224)}')
    return frontend.from_pytorch(torch.jit.load(path).eval(), list(shapes.items()), **options)


def _from_file(name):
    def convert(path, shapes, **options):
        from .relay import frontend

        key = "shape_dict" if name == "from_tflite" else "shape"
        return getattr(frontend, name)(path, **{key: shapes}, **options)

    return convert


# Format -> (suffixes of its files, a function: path, shapes -> (mod, params)).
_FORMATS = {
    "onnx": ((".onnx",), _from_file("from_onnx")),
    "tflite": ((".tflite",), _from_file("from_tflite")),
    "pb": ((".pb",), _from_file("from_tensorflow")),
    "pytorch": ((".pth", ".pt", ".zip"), _from_pytorch),
}


class Frontend:
    """How models of one format are read: what `guess_frontend` and `get_frontend_by_name` give.

    Example:
        >>> from lathe import tvmc
        >>> tvmc.get_frontend_by_name("onnx").suffixes()
        ['onnx']
    """

    def __init__(self, name):
        self._name = name

    def name(self):
        """The format's name."""
        return self._name

    def suffixes(self):
        """The suffixes of its files, without dots."""
        return [suffix.lstrip(".") for suffix in _FORMATS[self._name][0]]

    def load(self, path, shape_dict=None, **kwargs):
        """(IRModule, {name: Tensor}) of a file. As `lathe.tvmc.load`."""
        return _FORMATS[self._name][1](_path(path), shape_dict, **kwargs)

    def __repr__(self):
        return f"<frontend {self._name}>"


def get_frontend_names():
    """The names of the formats that can be read.

    Example:
        >>> from lathe import tvmc
        >>> "onnx" in tvmc.get_frontend_names()
        True
    """
    return list(_FORMATS)


def get_frontend_by_name(name):
    """The Frontend of a format.

    Raises:
        TVMCError: `tvmc-model-format`: there is no such format.

    Example:
        >>> from lathe import tvmc
        >>> tvmc.get_frontend_by_name("pytorch").name()
        'pytorch'
    """
    return _frontend_of("", name)


def guess_frontend(path):
    """The Frontend for a file, by its suffix.

    Raises:
        TVMCError: `tvmc-model-format`: no format has this suffix.

    Example:
        >>> from lathe import tvmc
        >>> tvmc.guess_frontend("a/model.tflite").name()
        'tflite'
    """
    return _frontend_of(_path(path), None)


def _frontend_of(path, name):
    suffix = os.path.splitext(path)[1].lower()
    known = [one for one, (suffixes, _) in _FORMATS.items() if suffix and suffix in suffixes]
    chosen = [name] if name is not None else known
    if not chosen or chosen[0] not in _FORMATS:
        raise TVMCError(f"`{path}` is of no known format" if path else f"there is no format `{name}`",
                        "tvmc-model-format",
                        f"expected: one of {', '.join(_FORMATS)}\nfound: {name or suffix or 'no suffix'}\n"
                        "help: model_format=\"onnx\"")
    return Frontend(chosen[0])
