"""What both readers (traces and scripts, exported programs) share: names, parameters, operators."""

from collections import Counter

from ....error import LatheError, LatheTypeError, LatheValueError
from ... import expr as _e
from ..._loop import Loop
from ..._types import CLASSES
from ...analysis import post_order
from . import _registry
from . import _values as _v
from ._quantized import Quantized

_OF_QUANTIZED = ("quantize_per_tensor", "dequantize", "int_repr", "q_scale", "q_zero_point",
                 "append", "__getitem__", "list")
# Operators whose results are not functions of their arguments alone.
_RANDOM = ("rand", "bernoulli", "normal", "multinomial", "dropout", "poisson", "exponential",
           "empty", "geometric", "cauchy", "log_normal", "uniform")


class Place:
    """Where in the model an operator is: for names and errors."""

    __slots__ = ("kind", "names", "detail")

    def __init__(self, kind, names, detail=""):
        self.kind, self.names, self.detail = kind, list(names), detail

    def __str__(self):
        name = self.names[0] if self.names else "?"
        return f"node `{name}` ({self.kind})"


class Importer:
    """The state of one import.

    Args:
        custom: {qualified name of an operator: function(inputs, input_types) -> expression}.
        friendly: are dots in names replaced?
    """

    def __init__(self, custom=None, friendly=False):
        self.custom = dict(custom or {})
        for key, function in self.custom.items():
            if not isinstance(key, str) or not callable(function):
                raise LatheTypeError("custom_convert_map must be {name: function}", "pytorch-custom",
                                     f"found: {key!r}: {type(function).__name__}\n"
                                     "help: {\"aten::relu\": lambda inputs, input_types: "
                                     "relay.nn.relu(inputs[0])}")
        self.friendly = friendly
        self.params, self.inputs, self._variables = {}, [], {}
        self.scopes = [[]]
        self.missing = Counter()  # operators that turned out to have no conversion

    # -- Names and variables.

    def name(self, text):
        """A name as it is used in the graph."""
        text = str(text)
        return text.replace(".", "_").replace(":", "_").replace("/", "_") if self.friendly else text

    def input(self, name, shape, dtype):
        """A parameter of the graph that the caller sets in each run."""
        made = _e.var(self.name(name), shape=tuple(shape), dtype=dtype)
        self.inputs.append(made)
        return made

    def parameter(self, name, tensor):
        """The variable for a weight of the model; the same one for the same name."""
        name = self.name(name)
        found = self._variables.get(name)
        if found is None:
            data = _v.constant(tensor).data
            made = _e.var(name, shape=tuple(data.shape), dtype=str(data.dtype))
            found = self._variables[name] = made
            self.params[name] = data
        return found

    # -- Bindings. A scope is a list of (variable, value).

    def bind(self, name, value):
        """The value under a name of the model; expressions get a binding."""
        if isinstance(value, _e.TupleWrapper):
            value = tuple(value)
        if isinstance(value, Quantized):
            return Quantized(self.bind(name, value.data), value.scale, value.zero, value.axis)
        if isinstance(value, (list, tuple)):
            return type(value)(self.bind(f"{name}.{i}", one) for i, one in enumerate(value))
        if not isinstance(value, _e.Expr) or isinstance(value, (_e.Var, _e.Constant)):
            return value
        name = self.name(name)
        made = _e.Var(name, value.checked_type)
        # What the operator became several of has its name, too.
        whole = isinstance(value, (_e.If, Loop))  # its parts are in scopes of their own
        for inner in () if whole else post_order(value):
            if isinstance(inner, _e.Call) and inner is not value:
                self.scopes[-1].append((_e.Var(name), inner))
        self.scopes[-1].append((made, value))
        return made

    def closed(self, result):
        """The expression of the innermost scope, which ends."""
        for variable, value in reversed(self.scopes.pop()):
            result = _e.Let(variable, value, result)
        return result

    def function(self, result):
        """The function of all inputs and weights.

        Raises:
            LatheValueError: `pytorch-unsupported`: the operators that could not be imported.
        """
        if self.missing:
            raise unsupported(self.missing)
        body = self.closed(result)
        variables = list(self._variables.values())
        return _e.Function([*self.inputs, *variables], body)

    # -- Operators.

    def known(self, qualified, overload=""):
        """Is there a conversion?"""
        return self._custom_for(qualified, overload) is not None or \
            _registry.find(_registry.short_name(qualified), overload) is not None

    def _custom_for(self, qualified, overload):
        return self.custom.get(f"{qualified}.{overload}") or self.custom.get(qualified)

    def call(self, place, qualified, overload, names, values):
        """The result of an operator.

        Raises:
            LatheError: the error of the conversion; it names the node.
        """
        try:
            return self._call(qualified, overload, names, values)
        except LatheError as error:
            raise with_place(error, place) from None
        except (TypeError, ValueError, IndexError, KeyError, AttributeError, RuntimeError) as error:
            text = str(error).strip().partition("\n")[0]
            raise with_place(LatheValueError(
                "the operator cannot be imported with these operands", "pytorch-operands",
                f"found: {type(error).__name__}: {text}\nhelp: custom_convert_map="
                f"{{\"{qualified}\": function}} replaces the conversion"), place) from error

    def _call(self, qualified, overload, names, values):
        custom = self._custom_for(qualified, overload)
        if custom is not None:
            return _custom_result(qualified, custom, values)
        name = _registry.short_name(qualified)
        if self._folds(qualified, name, values):
            return run_now(qualified, overload, values)
        function = _registry.find(name, overload)
        if function is not None and _has_quantized(values) and name not in _OF_QUANTIZED and \
                not name.startswith(("quantized::", "prim::")):
            from ._operators.quantized import of_quantized

            return of_quantized(name, overload, _registry.Args(name, names, values))
        if function is not None:
            args = _registry.Args(f"{name}.{overload}", names, values)
            return function(args) if name in _registry.MOVES else _widened(function, args)
        from . import _decompose

        try:
            return _decompose.result(self, qualified, overload, names, values)
        except LatheError as error:
            if error.name not in ("pytorch-unsupported", "pytorch-decomposition"):
                raise
            # The rest of the model is read, so that one error lists all such operators.
            stand_in = _decompose.stand_in(qualified, overload, values)
            if stand_in is None:
                raise
            self.missing[qualified] += 1
            return stand_in

    @staticmethod
    def _folds(qualified, name, values):
        """Can PyTorch compute the result now?"""
        kinds = Counter(_kinds(values))
        return qualified.startswith("aten::") and kinds["known"] > 0 and not kinds["open"] and \
            not any(word in name for word in _RANDOM) and \
            not _registry.writes_in_place(name)


_NARROW = ("float16", "bfloat16")


def _widened(function, args):
    """The result of an operator. Those of float16 and bfloat16 are computed in float32, as PyTorch
    does.
    """
    given = [one for one in _flat(args.values()) if _v.is_tensor(one) and _v.is_float(one)]
    if not any(_v.dtype_of(one) in _NARROW for one in given):
        return function(args)
    dtype = _v.dtype_name(args.dtype, _v.promoted(*given))
    made = function(args.replaced(
        lambda one: _v.expr(one, "float32") if _v.is_tensor(one) and _v.dtype_of(one) in _NARROW
        else one))
    if isinstance(made, _e.TupleWrapper):
        made = tuple(made)

    def back(one):
        narrow = isinstance(one, _e.Expr) and _v.dtype_of(one) == "float32" and dtype in _NARROW
        return _v.cast(one, dtype) if narrow else one

    return type(made)(back(one) for one in made) if isinstance(made, (list, tuple)) else back(made)


def _flat(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value


def _has_quantized(values):
    return any(isinstance(one, Quantized) or isinstance(one, (list, tuple)) and
               _has_quantized(one) for one in values)


def _kinds(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _kinds(value)
        elif isinstance(value, (_e.Expr, Quantized)) or _v.is_size(value):
            yield "open"
        elif _v.known_tensor(value):
            yield "known"


def run_now(qualified, overload, values):
    """What PyTorch gives for known operands."""
    torch = _v.torch()
    packet = getattr(torch.ops.aten, qualified.removeprefix("aten::"))
    op = getattr(packet, overload or "default")
    named = {one.name: value for one, value in zip(op._schema.arguments, values) if one.kwarg_only}
    with torch.no_grad():
        return op(*values[:len(values) - len(named)], **named)


def _custom_result(qualified, custom, values):
    inputs = [_v.expr(one) if _v.known_tensor(one) else one for one in values]
    types = [_v.dtype_of(one) if _v.is_tensor(one) or _v.is_number(one) else
             type(one).__name__ for one in inputs]
    result = custom(inputs, types)
    listed = result if isinstance(result, (list, tuple)) else [result]
    if not all(isinstance(one, (_e.Expr, _e.TupleWrapper)) for one in listed):
        raise LatheTypeError(f"custom_convert_map's function for {qualified} gives no expression",
                             "pytorch-custom", f"found: {type(result).__name__}")
    return result


def with_place(error, place):
    """The same error; its message begins with the node, unless it names one already."""
    if error.message.startswith("node `"):
        return error
    kind = type(error)
    notes = "\n".join(one for one in (error.notes, place.detail) if one)
    return kind(f"{place}: {error.message}", error.name, notes, error.code, error.origin)


def unsupported(counts):
    """The error that lists all operators that cannot be imported.

    Args:
        counts: {qualified name: how often the model has it}.
    """
    import difflib

    lines = []
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        near = difflib.get_close_matches(_registry.short_name(name), _registry.OPERATORS, 1, 0.8)
        lines.append(f"found: {count} x {name}" + (f" (known is {near[0]})" if near else ""))
    first = min(counts, key=lambda name: (-counts[name], name))
    many = f"{len(counts)} operators" if len(counts) > 1 else "1 operator"
    return LatheValueError(
        f"{many} of the model cannot be imported", "pytorch-unsupported",
        "\n".join(lines) + "\nhelp: from_pytorch(..., custom_convert_map="
        f"{{\"{first}\": lambda inputs, input_types: ...}}) with an expression of the inputs")


def tuple_of(values):
    """The expression of results: one tensor, or a tuple."""
    values = flat(values)
    if not values:
        raise LatheValueError("the model has no tensor as a result", "pytorch-result",
                              "expected: a tensor, or a tuple, list or dict of tensors")
    return _v.expr(values[0]) if len(values) == 1 else _e.Tuple([_v.expr(one) for one in values])


def flat(values):
    """The tensors and numbers in lists, tuples and dicts, in order."""
    if isinstance(values, dict):
        values = list(values.values())
    if isinstance(values, (list, tuple)):
        return [one for value in values for one in flat(value)]
    return [] if values is None or isinstance(values, str) else [values]


def tuple_type(types):
    """The type of a tuple."""
    return CLASSES["TupleType"](list(types))
