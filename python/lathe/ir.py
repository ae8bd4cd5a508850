"""The IR: nodes, modules, text, structural equality.

Every class is a handle of the C++ type of the same name. Its properties are the fields.
"""

from . import _ffi, _nodes, _ops
from ._irmodule import IRModule
from .error import LatheLookupError, notes_of_names

Node = _nodes.Node
Expr = _ops.Expr
Stmt = _ops.Stmt
Op = _ops.Op


def _named(name, function):
    name = getattr(name, "name_hint", name)
    return function if function.name == name else function.with_attr("global_symbol", name)


class Functions(tuple):
    """The functions of a module of loops. They can be read by number, by name, and as (GlobalVar, function).

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> functions = lathe.ir.Module([tir.Func("f", [], tir.Evaluate(0))]).functions
        >>> functions["f"].same_as(functions[0]), [var.name_hint for var, _ in functions.items()]
        (True, ['f'])
    """

    __slots__ = ()

    def __getitem__(self, name):
        name = getattr(name, "name_hint", name)
        if not isinstance(name, str):
            return super().__getitem__(name)
        found = self.get(name)
        if found is None:
            raise LatheLookupError(f"the module has no function `{name}`", "module-no-function",
                                   notes_of_names(name, [function.name for function in self]))
        return found

    def __contains__(self, name):
        name = getattr(name, "name_hint", name)
        return self.get(name) is not None if isinstance(name, str) else super().__contains__(name)

    def get(self, name, default=None):
        """The function of a name (str or GlobalVar), or `default`."""
        name = getattr(name, "name_hint", name)
        return next((function for function in self if function.name == name), default)

    def keys(self):
        """The GlobalVars of the functions."""
        from .relay import GlobalVar

        return [GlobalVar(function.name) for function in self]

    def values(self):
        """The functions themselves."""
        return list(self)

    def items(self):
        """The pairs (GlobalVar, function)."""
        return list(zip(self.keys(), self))


# What changes modules of TVM in place.
_CHANGES = ("update_func", "update", "remove")


def _no_attribute(module, name):
    if name in _CHANGES:
        raise AttributeError(f"'Module' object has no attribute '{name}': a module of loops never changes; "
                             "`module.with_functions([...])` makes one of other functions", name=name, obj=module)
    return _nodes.no_attribute(module, name)


@_nodes.methods_of("Module")
class _Module(_nodes.Node):
    """Functions with unique names. Passes transform modules; code generators take them.

    A module never changes: `module.with_functions([...])` makes another one.
    """

    __slots__ = ()

    def __new__(cls, functions=(), attrs=None):
        if isinstance(functions, dict):
            functions = [_named(name, function) for name, function in functions.items()]
        return _ffi.get("ir.make_module")(list(functions), attrs or {})

    __getattr__ = _no_attribute

    def __setitem__(self, name, function):
        name = getattr(name, "name_hint", name)
        raise TypeError(f"function `{name}` cannot be set: a module of loops never changes; "
                        "`module.with_functions([...])` makes one of other functions")

    def __getitem__(self, name):
        """The function with a name (str or GlobalVar).

        Raises:
            LatheLookupError: `module-no-function`, with the nearest names; it is also a KeyError.
        """
        return self.functions[str(getattr(name, "name_hint", name))]

    def __contains__(self, name):
        return isinstance(getattr(name, "name_hint", name), str) and name in self.functions

    def __iter__(self):
        return iter(function.name for function in self.functions)

    def __len__(self):
        return len(self.functions)

    def items(self):
        """The pairs (GlobalVar, function)."""
        return self.functions.items()

    def get_global_var(self, name):
        """The GlobalVar of a name.

        Raises:
            LatheLookupError: `module-no-function`, with the nearest names; it is also a KeyError.
        """
        from .relay import GlobalVar

        return GlobalVar(self[name].name)

    def get_global_vars(self):
        """The GlobalVars of all functions."""
        return self.functions.keys()

    def get_attr(self, attr_key):
        """The module's attribute of this name; None if it has none."""
        return self.attrs.get(attr_key)

    def with_attr(self, attr_key, attr_value):
        """A module like this one with an attribute set.

        Args:
            attr_key: the attribute's name.
            attr_value: a number, text or node.

        Returns:
            A Module.
        """
        return _nodes.CLASSES["Module"](list(self.functions), {**self.attrs, attr_key: attr_value})

    def with_functions(self, functions):
        """A module of these functions, with this module's attributes."""
        return _ffi.get("ir.with_functions")(self, list(functions))


def make_node(type_key, **kwargs):
    """A node by the name of its kind and its fields: make_node("IntImm", dtype="int32", value=3).

    Args:
        type_key: the kind; "tir.IntImm" is the same.
        kwargs: fields by name.

    Raises:
        LatheError: `unknown-node-kind`, with the nearest.

    Example:
        >>> import lathe
        >>> lathe.ir.make_node("IntImm", dtype="int32", value=3).value
        3
    """
    import difflib

    from .error import LatheValueError

    kind = type_key.rpartition(".")[2]
    if kind not in _nodes.CLASSES:
        near = difflib.get_close_matches(kind, _nodes.CLASSES, 3)
        raise LatheValueError(f"there is no kind of nodes `{kind}`", "unknown-node-kind",
                              "help: did you mean " + " or ".join(near) + "?" if near else "")
    made = _nodes.CLASSES[kind]
    return made(**kwargs)


class EnvFunc:
    """A function of the registry, by name: EnvFunc.get("my.function").

    Example:
        >>> import lathe
        >>> _ = lathe.register_func("doc.env", lambda x: x + 1, override=True)
        >>> function = lathe.ir.EnvFunc.get("doc.env")
        >>> function(1), function.name
        (2, 'doc.env')
    """

    def __init__(self, name):
        from .runtime import get_global_func

        self.name, self.func = str(name), get_global_func(name)

    @staticmethod
    def get(name):
        """The function of a name. Raises LatheError `registry-not-found` if there is none."""
        return EnvFunc(name)

    def __call__(self, *args):
        return self.func(*args)


def _node_of(item):
    """The node of an IRModule or of an expression of relay; other items are nodes already."""
    if isinstance(item, _nodes.Node):
        return item
    if hasattr(item, "checked_type"):
        item = IRModule.from_expr(item)
    return getattr(item, "node", item)


def structural_equal(lhs, rhs, map_free_vars=False):
    """Are two nodes equal, apart from the names of what they define?

    Args:
        lhs, rhs: nodes.
        map_free_vars: True: free variables may correspond one to one. False: each equals only
            itself.

    Example:
        >>> import lathe
        >>> x = lathe.te.var("x")
        >>> lathe.ir.structural_equal(x + 1, x + 1)
        True
    """
    return _ffi.get("ir.structural_equal")(_node_of(lhs), _node_of(rhs), bool(map_free_vars))


class DifferenceError(AssertionError, ValueError):
    """Two nodes differ; the text says where.

    Example:
        >>> import lathe
        >>> issubclass(lathe.ir.DifferenceError, ValueError)
        True
    """


def assert_structural_equal(lhs, rhs, map_free_vars=False):
    """Raises DifferenceError, an AssertionError and a ValueError, that says where two nodes first differ.

    Example:
        >>> import lathe
        >>> x = lathe.te.var("x")
        >>> lathe.ir.assert_structural_equal(x + 1, x + 1)
    """
    where = _ffi.get("ir.structural_difference")(_node_of(lhs), _node_of(rhs), bool(map_free_vars))
    if where:
        raise DifferenceError("the nodes differ: " + where)


def structural_hash(node):
    """A hash (int), the same for equal nodes in every process.

    Example:
        >>> import lathe
        >>> x = lathe.te.var("x")
        >>> lathe.ir.structural_hash(x + 1) == lathe.ir.structural_hash(x + 1)
        True
    """
    return _ffi.get("ir.structural_hash")(_node_of(node))


def save_json(node):
    """A node as text (JSON) for `load_json`: its kind and its binary form in Base64.

    Args:
        node: a node, an IRModule, or a relay.Function.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> lathe.ir.load_json(lathe.ir.save_json(lathe.tir.const(3, "int32"))).value
        3
        >>> x = relay.var("x", shape=(2,))
        >>> func = lathe.ir.load_json(lathe.ir.save_json(relay.Function([x], relay.exp(x))))
        >>> func.body.op
        Op(exp)
    """
    import base64
    import json

    # A function of relay is the function `main` of a module, and its kind says what it was.
    data = base64.b64encode(_ffi.get("ir.encode")(_node_of(node))).decode()
    kind = "RelayFunction" if hasattr(node, "checked_type") else node.__class__.__name__
    return json.dumps({"lathe_ir": 1, "kind": kind, "data": data})


def load_json(json_str):
    """What `save_json` wrote. Raises ValueError if the text has another form.

    Example:
        >>> import lathe
        >>> lathe.ir.load_json(lathe.ir.save_json(lathe.te.var("x"))).name
        'x'
    """
    import base64
    import json

    found = json.loads(json_str)
    if not isinstance(found, dict) or found.get("lathe_ir") != 1:
        raise ValueError("not a text of lathe.ir.save_json")
    node = _ffi.get("ir.decode")(base64.b64decode(found["data"]))
    if found["kind"] not in ("IRModule", "RelayFunction"):
        return node
    from . import relay  # noqa: F401: it registers operators

    module = IRModule.from_node(_ffi.get("graph.infer", True)(node))
    return module["main"] if found["kind"] == "RelayFunction" else module


def parse(text, filename="<text>"):
    """The node for a text that `str(node)` printed. Errors name line and column.

    Example:
        >>> import lathe
        >>> isinstance(lathe.ir.parse("1 + 2"), lathe.tir.Add)
        True
    """
    return _ffi.get("ir.parse")(text, filename)


def parse_module(text, filename="<text>"):
    """The module for a text.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> module = lathe.lower(s, [A, B])
        >>> lathe.ir.structural_equal(lathe.ir.parse_module(str(module)), module)
        True
    """
    return _ffi.get("ir.parse_module")(text, filename)


def parse_program(text, filename="<text>"):
    """The program (operations, arguments, schedule) for a text.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> program = s.to_program([A, B])
        >>> lathe.ir.parse_program(str(program)).name
        'main'
    """
    return _ffi.get("ir.parse_program")(text, filename)


def parse_graph(text, filename="<text>"):
    """The IRModule for the text of a graph, with all types.

    Example:
        >>> import lathe
        >>> mod = lathe.ir.parse_graph("graph main(%x: float32[2]) { %0 = nn.relu(%x) return %0 }")
        >>> mod["main"].checked_type
        fn(float32[2]) -> float32[2]
    """
    from . import relay  # noqa: F401  # registers operators

    return IRModule.from_node(_ffi.get("graph.parse")(text, filename))


_op_attrs = {}


#: The effects of TVM's CallEffectKind, by number, as those of intrinsics: pure, reads, writes, opaque.
_EFFECTS = {0: 0, 1: 0, 2: 1, 3: 3, 4: 3, 5: 0, 6: 3}
# Attributes of operators that would change how graphs are compiled.
_RULES_OF_OPERATORS = ("FInferCorrectLayout", "FPrimalGradient", "FTVMAlterOpLayout", "FTVMCompute",
                       "FTVMConvertOpLayout", "FTVMQnnCanonicalize", "FTVMQnnLegalize", "FTVMSchedule", "FTVMStrategy",
                       "TOpPattern")


def register_op_attr(op_name, attr_key, value=None, level=10):
    """Registers an attribute of an intrinsic or of an operator of graphs; also a new intrinsic.

    Args:
        op_name: the intrinsic ("exp"; "tir.exp" is the same), or the operator ("nn.conv2d").
        attr_key: "TCallEffectKind", with a value of `tir.CallEffectKind`, makes a new intrinsic, which takes any
            arguments; `tir.call_intrin` calls it, and `lathe.register_intrin_lowering` says what it becomes.
            "<target>.FLowerIntrinsic" and "<target>.FLegalize" are rules for calls of an intrinsic, as
            `lathe.register_intrin_lowering` takes them. "FTVMLegalize" of an operator of graphs is what
            `relay.op.register_legalize` takes. Any other key is a note, for `op_attr`.
        value: the attribute's value. Without it, this is a decorator.
        level: if a key has several values, the one with the highest level holds.

    Raises:
        LatheError: `unknown-intrinsic`; `intrinsic-rule-exists`; `op-attr-exists` if the level
            already has a value; `op-attr-rule` for what would change how graphs are compiled;
            `op-attr-effect`: TVM has no effect of this number.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> _ = lathe.register_op_attr("tir.exp", "doc.cost", 20, level=11)
        >>> lathe.ir.op_attr("exp", "doc.cost")
        20
        >>> _ = lathe.register_op_attr("tir.doc_twice", "TCallEffectKind", tir.CallEffectKind.Pure)
        >>> tir.call_intrin("float32", "tir.doc_twice", te.var("x", "float32")).op
        'doc_twice'
    """
    from .error import LatheValueError

    name = op_name.removeprefix("tir.")

    def register(item):
        target, _, what = attr_key.rpartition(".")
        if not op_name.startswith("tir.") and _is_operator(op_name):
            if attr_key in _RULES_OF_OPERATORS:
                raise LatheValueError(f"`{attr_key}` of an operator of graphs must not be set", "op-attr-rule",
                                      "help: relay.op.register_op adds an operator with its computation and its kind; "
                                      "schedules are made by lathe.default_schedule")
        elif what == "TCallEffectKind":
            _declare_intrinsic(name, int(item))
        else:
            _ffi.get("tir.intrinsic_doc")(name)  # raises if there is no such intrinsic
        if what in ("FLowerIntrinsic", "FLegalize"):
            _ffi.get("driver.register_intrinsic_rule")(name, target or "default", int(level), item)
            return item
        old = _op_attrs.get((name, attr_key))
        if old is not None and old[0] == level and old[1] != item:
            raise LatheValueError(f"`{name}` has a value for `{attr_key}` at level {level} already",
                                  "op-attr-exists", "help: give another level")
        if old is None or old[0] < level:
            _op_attrs[name, attr_key] = (level, item)
        return item

    return register if value is None else register(value)


def _declare_intrinsic(name, effect):
    from .error import LatheValueError

    if effect not in _EFFECTS:
        raise LatheValueError(f"there is no effect of the number {effect}", "op-attr-effect",
                              "expected: one of tir.CallEffectKind")
    if name not in _ffi.get("tir.intrinsics")():
        _ffi.get("tir.register_intrinsic")(name, _EFFECTS[effect], "An intrinsic that a program registered.")


def _is_operator(name):
    from .relay import _operators

    return name in _operators.DEFINITIONS


def with_attr(attr_key):
    """{operator: value} of all operators and intrinsics that have an attribute.

    Example:
        >>> import lathe
        >>> lathe.ir.with_attr("doc.never_set")
        {}
    """
    return {name: value for (name, key), (_, value) in _op_attrs.items() if key == attr_key}


def op_attr(op_name, attr_key, default=None):
    """The value that `register_op_attr` gave an intrinsic; `default` if it gave none.

    Example:
        >>> import lathe
        >>> lathe.ir.op_attr("exp", "doc.never_set", "default")
        'default'
    """
    return _op_attrs.get((op_name.removeprefix("tir."), attr_key), (0, default))[1]
