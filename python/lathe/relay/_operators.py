"""Builders of operators: one function for each, generated from the definition of the operator."""

import inspect
import keyword
import re

from .. import _ffi
from ..error import LatheTypeError, LatheValueError
from . import _dynamic, _weights
from . import expr as _e

#: name -> Definition
DEFINITIONS = {}
_builders = {}


def _parts_of_split(indices_or_sections=(), sizes=(), axis=0):
    if sizes:
        return len(sizes)
    if isinstance(indices_or_sections, (list, tuple)):
        return len(indices_or_sections) + 1
    return int(indices_or_sections)


# How many results an operator has, by its attributes. Others have one, or say it by their type.
_RESULTS = {
    "split": lambda a: _parts_of_split(**a),
    "nn.batch_norm": lambda a: 3,
    "dyn.topk": lambda a: 2,
    "topk": lambda a: 2 if a.get("ret_type", "both") == "both" else 1,
    "unique": lambda a: 4 if a.get("return_counts") else 3,
    "vision.get_valid_counts": lambda a: 3,
}
# Operators whose builder gives the first result only, as Relay's.
_FIRST = ("nn.dropout",)


# Parameters that Relay's builders name or order in another way: operator -> {ours: theirs}, and
# operator -> attributes in Relay's order.
_SPELLINGS = {"clip": {"data": "a"}}
_ORDERS = {"strided_slice": ["begin", "end", "strides", "axes", "slice_mode"]}
# The first parameters in Relay's order, where operands do not come first; operands that may be numbers,
# with Relay's default.
_PARAMETERS = {
    "nn.pad": ["data", "pad_width", "pad_value", "pad_mode"], "gather": ["data", "axis", "indices"],
    "stft": ["data", "n_fft", "hop_length", "win_length", "window"],
    **dict.fromkeys(("image.resize1d", "image.resize2d", "image.resize3d"), ["data", "size", "roi"]),
    "nn.deformable_conv2d": ["data", "offset", "weight", "strides", "padding", "dilation", "deformable_groups", "groups",
                             "channels", "kernel_size", "data_layout", "kernel_layout", "out_layout", "out_dtype"],
    "vision.all_class_non_max_suppression": ["boxes", "scores", "max_output_boxes_per_class", "iou_threshold",
                                             "score_threshold"],
}
_NUMBERS = {"nn.pad": {"pad_value": 0}, "dyn.nn.pad": {"pad_value": 0}}
# Defaults of Relay's that differ from the operator's. None: the builder does what the operator cannot say.
_DEFAULTS = {"take": {"axis": None}}
# Parameters of Relay that have only one value here.
_FIXED = {"reshape": {"allowzero": False}}


class Definition:
    """What is known of an operator: the parts of graph/op.h."""

    __slots__ = ("name", "doc", "inputs", "attrs", "optional", "variadic", "kind", "example",
                 "example_attrs", "signature", "names")

    def __init__(self, row):
        (self.name, self.doc, self.inputs, self.attrs, self.optional, self.variadic, self.kind,
         self.example, self.example_attrs) = row
        self.names = {}  # parameter -> attribute
        self.signature = self._signature()

    def _signature(self):
        kind, parameters = inspect.Parameter.POSITIONAL_OR_KEYWORD, []
        spelled = _SPELLINGS.get(self.name, {})
        self.inputs = [(spelled.get(name, name), doc, types) for name, doc, types in self.inputs]
        order = _ORDERS.get(self.name)
        if order is not None:
            self.attrs = sorted(self.attrs, key=lambda attr: order.index(attr[0])
                                if attr[0] in order else len(order))
        needed = len(self.inputs) - self.optional
        numbers = _NUMBERS.get(self.name, {})
        for i, (name, _, _) in enumerate(self.inputs):
            default = inspect.Parameter.empty if i < needed else numbers.get(name)
            parameters.append((_spelled(name), default))
        for name, form, _, required, value, _ in self.attrs:
            default = inspect.Parameter.empty if required else _plain_default(value, form)
            default = _DEFAULTS.get(self.name, {}).get(name, default)
            self.names[_spelled(name)] = name
            parameters.append((_spelled(name), default))
        parameters += _FIXED.get(self.name, {}).items()
        listed = _PARAMETERS.get(self.name)
        if listed is not None:
            parameters.sort(key=lambda parameter: listed.index(parameter[0]) if parameter[0] in listed else len(listed))
        # A parameter without default may not follow one that has a default.
        optional, made = False, []
        for name, default in parameters:
            optional = optional or default is not inspect.Parameter.empty
            if optional and default is inspect.Parameter.empty:
                default = None
            made.append(inspect.Parameter(name, kind, default=default))
        return inspect.Signature(made)


def _spelled(name):
    return name + "_" if keyword.iskeyword(name) else name


def _plain_default(value, form):
    return tuple(value) if isinstance(value, list) else value


def defaults(name):
    """{attribute: default} of an operator, without those that must be given."""
    return {attr: _plain_default(value, form)
            for attr, form, _, required, value, _ in DEFINITIONS[name].attrs if not required}


def changed_attrs(name, attrs, *without):
    """The attributes of `attrs` that differ from the operator's defaults."""
    usual = defaults(name)
    attrs = getattr(attrs, "as_given", attrs)
    return {key: value for key, value in attrs.items()
            if key not in without and (key not in usual or usual[key] != value)}


def _load():
    for row in _ffi.get("graph.ops")():
        DEFINITIONS[row[0]] = Definition(row)


_load()


def fields_of(value):
    """The expressions of a list, a tuple, or an expression that gives a tuple."""
    if isinstance(value, (list, tuple, _e.TupleWrapper, _e.Tuple)):
        return [_e.as_expr(item) for item in value]
    if isinstance(value, _e.Expr):
        return list(value) if type(value.checked_type).__name__ == "TupleType" else [value]
    raise LatheTypeError("a list of expressions is needed", "relay-expression-type",
                         f"found: {type(value).__name__}")


def _make(definition, name, module):
    count, variadic = len(definition.inputs), definition.variadic
    signature, names = definition.signature, definition.names
    fixed, numbers = _FIXED.get(definition.name, {}), _NUMBERS.get(definition.name, {})
    input_names = [_spelled(n) for n, _, _ in definition.inputs]
    found = re.search(r"conv(\d)d", name)
    spatial = int(found[1]) if found else 0  # one number stands for a whole window
    op, results = _e.Op(definition.name), _RESULTS.get(definition.name)

    def build(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        given = bound.arguments
        if definition.name == "take" and given.get("axis") is None and "data" in given:
            # The elements in row-major order.
            given["data"], given["axis"] = builder("reshape")(_e.as_expr(given["data"], "`data` of take"), (-1,)), 0
        dynamic = _dynamic.made_of(definition.name, given, builder)
        if dynamic is not None:
            return dynamic
        for key, only in fixed.items():
            if given.pop(key, only) != only:
                raise LatheValueError(f"`{key}` of {definition.name} is always {only}",
                                      "relay-fixed-argument", "help: leave it out")
        inputs = []
        for i, parameter in enumerate(input_names):
            value = given.pop(parameter, None)
            if value is None:
                if i < count - definition.optional:
                    raise LatheTypeError(f"`{parameter}` of {definition.name} is missing",
                                         "relay-expression-type", "expected: an expression")
                continue
            if isinstance(value, (int, float)) and parameter in numbers:
                value = _e.const(value, inputs[0].checked_type.dtype)
            if variadic and i == count - 1:
                inputs.extend(fields_of(value))
            else:
                inputs.append(_e.as_expr(value, f"`{parameter}` of {definition.name}"))
        attrs = {names[key]: _e.plain(value) for key, value in given.items() if value is not None}
        if spatial and isinstance(attrs.get("kernel_size"), int):
            attrs["kernel_size"] = [attrs["kernel_size"]] * spatial
        call = _e.Call(op, inputs, attrs)
        _weights.complete(definition.name, call.args, attrs)
        if definition.name in _FIRST:
            return _e.TupleGetItem(call, 0)
        size = results(attrs) if results is not None else 1
        return call if size == 1 else _e.TupleWrapper(call, size)

    build.__name__ = build.__qualname__ = name
    build.__module__ = module
    build.__doc__ = _documentation(definition, name, module)
    build.__signature__ = signature
    return build


def _documentation(definition, name, module):
    lines = [definition.doc, ""]
    if definition.inputs or definition.attrs:
        lines.append("Args:")
    optional = len(definition.inputs) - definition.optional
    for i, (parameter, doc, types) in enumerate(definition.inputs):
        many = definition.variadic and i == len(definition.inputs) - 1
        what = "a list of expressions" if many else "an expression"
        may = ", or None" if i >= optional else ""
        lines.append(f"    {_spelled(parameter)}: {what}{may}. {_sentence(doc)} ({types}).")
    for parameter, form, doc, _, _, choices in definition.attrs:
        listed = " One of " + ", ".join(f'"{c}"' for c in choices) + "." if choices else ""
        lines.append(f"    {_spelled(parameter)}: {_FORMS[form]}. {_sentence(doc)}.{listed}")
    fixed = _FIXED.get(definition.name, {})
    lines += [f"    {key}: must be {only}." for key, only in fixed.items()]
    if len(lines) > 2:
        lines.append("")
    lines += ["Returns:", "    An expression.", "", "Raises:",
              "    LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for "
              "operands that", "        do not fit, when the expression becomes part of a module.", ""]
    lines += ["Example:", "    >>> from lathe import relay",
              "    >>> y = " + _example(definition, name, module)]
    return "\n".join(lines)


_FORMS = {"int": "an int", "float": "a number", "bool": "a bool", "str": "a str",
          "dtype": "the name of an element type", "ints": "an int or a tuple of ints",
          "shape": "a tuple of extents: ints, or expressions over sizes"}


def _sentence(doc):
    doc = doc.strip().rstrip(".")
    return doc[:1].upper() + doc[1:]


def _example(definition, name, module):
    """A call of the builder with operands like those of the definition's first example."""
    sizes, parts = {}, []
    for i, text in enumerate(definition.example):
        head = text.partition(" in ")[0]
        dtype, _, shape = head.partition("[")
        extents = [_number(word, sizes) for word in shape.rstrip("]").split(",") if word.strip()]
        named = definition.inputs[min(i, len(definition.inputs) - 1)][0]
        kind = "" if dtype in ("T", "float32") else f', dtype="{dtype}"'
        inside = ", ".join(map(str, extents)) + ("," if len(extents) == 1 else "")
        parts.append(f'relay.var("{named}", shape=({inside}){kind})')
    if definition.variadic:
        fixed = len(definition.inputs) - 1
        parts[fixed:] = ["[" + ", ".join(parts[fixed:]) + "]"]
    if definition.name in _PARAMETERS:
        parts = [f"{_spelled(item[0])}={part}" for item, part in zip(definition.inputs, parts)]
    for attr, value in definition.example_attrs:
        value = tuple(value) if isinstance(value, list) else value
        parts.append(f"{_spelled(attr)}={value!r}")
    inner = module.removeprefix("lathe.").removesuffix(".op" if module == "lathe.relay.op" else "")
    return f"{inner}.{name}({', '.join(parts)})"


def _number(word, sizes):
    word = word.strip()
    if word.isdigit():
        return int(word)
    return sizes.setdefault(word, 4 + len(sizes))


def builder(name):
    """The builder of an operator by its name, such as "nn.conv2d"."""
    made = _builders.get(name)
    if made is None:
        made = _builders[name] = _make(DEFINITIONS[name], name.rpartition(".")[2], __name__)
    return made


def install(namespace, prefix):
    """Puts the builders of the operators `prefix` + name into a module's namespace.

    `_generated` there lists them: {name: operator}.
    """
    generated = namespace["_generated"] = {}
    for name, definition in DEFINITIONS.items():
        rest = name.removeprefix(prefix)
        if not name.startswith(prefix) or "." in rest:
            continue
        spelled = _spelled(rest)
        if spelled not in namespace:
            namespace[spelled] = _builders[name] = _make(definition, spelled,
                                                         namespace["__name__"])
            generated[spelled] = name
