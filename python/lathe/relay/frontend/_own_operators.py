"""Operators of models that functions of the caller convert: `convert_map`."""

from ..._nodes import CLASSES
from ...error import LatheError, LatheTypeError, LatheValueError
from .. import _bindings
from .. import expr as _e

_NAME = "onnx-custom"


def checked(convert_map):
    """The map as a dict; None is an empty one.

    Raises:
        LatheTypeError: `onnx-custom`: it is no map of names to functions.
    """
    help_text = "\nhelp: convert_map={\"com.example.Scale\": lambda inputs, attrs: inputs[0] * 2.0}"
    if convert_map is None:
        return {}
    if not isinstance(convert_map, dict):
        raise LatheTypeError("convert_map must be {name: function}", _NAME,
                             f"found: {type(convert_map).__name__}{help_text}")
    for key, function in convert_map.items():
        if not isinstance(key, str) or not callable(function):
            raise LatheTypeError("convert_map must be {name: function}", _NAME,
                                 f"found: {key!r}: {type(function).__name__}{help_text}")
    return dict(convert_map)


def converter(function):
    """What the importer calls for a node: a function(title, name, inputs, attributes) -> GraphFunc.

    Args:
        function: the caller's function(inputs, attributes).
    """
    def convert(title, name, inputs, attributes):
        try:
            return _graph_of(function, name, inputs, attributes)
        except LatheError as error:
            # The same error: its traceback leads to the line of the function.
            error.message = f"{title}: {error.message}"
            raise
        except Exception as error:
            text = str(error).strip().partition("\n")[0]
            raise LatheValueError(f"{title}: convert_map's function failed", _NAME,
                                  f"found: {type(error).__name__}: {text}") from error

    return convert


def _graph_of(function, name, inputs, attributes):
    """The results of the function as a graph, whose parameters are the inputs of the node."""
    params, given, known = [], [], {}
    for item in inputs:
        if item is None:
            given.append(None)
            continue
        param = _e.Var(item[0], item[1])
        params.append(param)
        if item[2] is None:
            given.append(param)
            continue
        # The function may read the value; what it computes with it still uses the model's weight.
        constant = _e.Constant(item[2], item[0])
        known[id(constant)] = param
        given.append(constant)
    results = _results(function(given, {key: _attribute(value) for key, value in attributes}))
    body = results[0] if len(results) == 1 else _e.Tuple(results)
    graph = _bindings.Converter(known, default_name=name)
    return graph.function(_e.Function(params, body), name)


def _attribute(value):
    if isinstance(value, (list, tuple)):
        return [_attribute(item) for item in value]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    return value if isinstance(value, (int, float)) else _e.Constant(value)


def _results(made):
    """What a function returned, as a list of tensors."""
    if isinstance(made, (list, tuple, _e.TupleWrapper)):
        results = list(made)
    elif isinstance(made, _e.Expr) and isinstance(made.checked_type, CLASSES["TupleType"]):
        results = list(made)
    else:
        results = [made]
    for result in results:
        if not isinstance(result, _e.Expr):
            raise LatheTypeError("convert_map's function gives no expression", _NAME,
                                 "expected: an expression of the inputs, or a list of them\n"
                                 f"found: {type(result).__name__}")
        result.checked_type  # an error in it shows the line that made it
    return results
