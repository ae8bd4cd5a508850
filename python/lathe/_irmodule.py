"""IRModule: functions over whole tensors, by name."""

from . import _ffi, _nodes
from .error import LatheLookupError, LatheTypeError, LatheValueError, notes_of_names

_get = _ffi.get


class _Kind(type):
    """Modules of loops (`ir.Module`) count as IRModules, too."""

    def __instancecheck__(cls, item):
        return super().__instancecheck__(item) or isinstance(item, _nodes.CLASSES["Module"])


class IRModule(metaclass=_Kind):
    """Functions over whole tensors, by name. `print(mod)` shows its text.

    `mod["main"] = function` sets a function and infers its types; `mod["main"]` gives it as a
    `relay.Function`. Modules of loops are `lathe.ir.Module`: `IRModule(functions)` of such
    functions makes one.

    Args:
        functions: {name or GlobalVar: relay.Function}.
        type_definitions: {GlobalTypeVar: relay.TypeData}; `mod[type_var] = type_data` adds one.
            Those of the constructors that functions use are added by themselves.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> mod = lathe.IRModule.from_expr(relay.Function([x], relay.nn.relu(x)))
        >>> print(mod)    # doctest: +ELLIPSIS
        graph module
        ...
        graph main(%x: float32[2, 3]) -> float32[2, 3] {
          %0: float32[2, 3] = nn.relu(%x)
          return %0
        }
    """

    def __new__(cls, functions=None, type_definitions=None, attrs=None):
        loops = _nodes.CLASSES["Func"]
        items = functions.values() if isinstance(functions, dict) else functions or ()
        if any(isinstance(item, loops) for item in items):
            return _nodes.CLASSES["Module"](functions, attrs)
        return super().__new__(cls)

    def __init__(self, functions=None, type_definitions=None, attrs=None):
        self._expressions, self._node, self._typed = {}, None, None
        self._datatypes = {}  # name -> TypeData
        self.attrs = dict(attrs or {})
        definitions = type_definitions.values() if isinstance(type_definitions, dict) \
            else type_definitions or ()
        for data in definitions:
            self._add_type(data)
        items = functions.items() if isinstance(functions, dict) else functions or ()
        for name, function in items:
            self._put(name, function)
        if self._expressions:
            self.node  # infers the types

    @staticmethod
    def from_expr(expr, functions=None, type_defs=None):
        """A module whose function `main` is `expr`.

        Args:
            expr: a relay.Function; or another expression, whose free variables become parameters.
            functions: {name: relay.Function}, further functions.

        Raises:
            LatheError: operands that do not fit (`graph-argument`, ...); the error shows the line
                that made the expression.
        """
        if isinstance(expr, _nodes.CLASSES["Func"]):
            return _nodes.CLASSES["Module"]([expr])
        from .relay import analysis, expr as _e

        expr = _e.as_expr(expr)
        if not isinstance(expr, _e.Function):
            expr = _e.Function(analysis.free_vars(expr), expr)
        return IRModule({"main": expr, **dict(functions or {})}, type_defs)

    @staticmethod
    def from_node(node):
        """The module for a graph of the compiler (`ir.GraphModule`)."""
        from .relay import adt

        module = IRModule()
        module._datatypes = {one.name: adt.TypeData._of(one) for one in node.datatypes}
        module._node = node
        module._expressions = {function.name: None for function in node.functions}
        return module

    def _add_type(self, data):
        from .relay import adt

        if not isinstance(data, adt.TypeData):
            raise LatheTypeError("a data type must be a relay.TypeData", "relay-type-definitions",
                                 f"found: {type(data).__name__}")
        known = self._datatypes.get(data.header.name)
        if known is not None and known is not data:
            raise LatheValueError(f"the module has a data type `{data.header.name}` already",
                                  "relay-type-definitions")
        self._expand()
        self._datatypes[data.header.name] = data
        self._node = None

    def _expand(self):
        """Makes expressions of all functions, so that the graph can be made anew."""
        for name in list(self._expressions):
            if self._expressions[name] is None:
                self._expressions[name] = self[name]

    def _update_all(self, functions):
        """Sets functions that may call each other; {name: relay.Function}."""
        self._expand()
        for name, function in functions.items():
            self._put(name, function)
        self.node

    def _put(self, name, function):
        from .relay import expr as _e

        if not isinstance(function, _e.Function):
            raise LatheTypeError("a function of a graph must be a relay.Function", "relay-function-type",
                                 f"found: {type(function).__name__}")
        self._expressions[_name_of(name)] = function
        self._node = None

    def _callees_first(self):
        """The functions, each behind those that it calls, so that their types are known there."""
        if len(self._expressions) < 2:
            return list(self._expressions.items())
        from .relay import _bindings

        done, order, work = set(), [], [(name, False) for name in reversed(self._expressions)]
        while work:
            name, ready = work.pop()
            if ready:
                order.append((name, self._expressions[name]))
            elif name in self._expressions and name not in done:
                done.add(name)
                work.append((name, True))
                called = _bindings.called_by(self._expressions[name])
                work += [(one, False) for one in reversed(called)]
        return order

    @property
    def node(self):
        """The compiler's graph, with all types: an `ir.GraphModule`."""
        if self._node is None:
            from .relay import _bindings, _types

            functions, converters = [], []
            plain, instances = _bindings.simple_functions(self._callees_first(), self._datatypes)
            for name, function in plain:
                converter = _bindings.Converter(functions={**self._expressions, **dict(plain)}, instances=instances)
                functions.append(converter.function(function, name))
                converters.append(converter)
            self._node = _types.typed_module(functions, *converters,
                                             datatypes=self._datatypes.values())
            for converter in converters:
                for name, data in converter.datatypes.items():
                    self._datatypes.setdefault(name, data)
        return self._node

    def __getitem__(self, var):
        """The function of a name (str or GlobalVar), as a relay.Function; the TypeData of a
        GlobalTypeVar.

        Raises:
            LatheLookupError: `module-no-function`, with the nearest names; it is also a KeyError.
        """
        from .relay import _read

        if isinstance(var, _nodes.CLASSES["TypeRef"]):
            return self.type_definitions[var]
        name = _name_of(var)
        self._must_have(name)
        for function in self.node.functions:
            if function.name == name:
                return _read.function_of(function, self._datatypes)
        return self._expressions[name]  # it has type parameters, or takes references

    def __setitem__(self, var, func):
        """Sets a function, or the TypeData of a GlobalTypeVar. Raises if operands do not fit."""
        if isinstance(var, _nodes.CLASSES["TypeRef"]):
            self._add_type(func)
            return
        before = dict(self._expressions)
        self._expand()
        self._put(var, func)
        try:
            self.node
        except Exception:
            self._expressions, self._node = before, None
            raise

    def __contains__(self, var):
        return _name_of(var) in self._expressions

    def __iter__(self):
        return iter(self._expressions)

    def __len__(self):
        return len(self._expressions)

    @property
    def functions(self):
        """{GlobalVar: relay.Function}."""
        return {self.get_global_var(name): self[name] for name in self._expressions}

    def items(self):
        """The pairs of `functions`."""
        return self.functions.items()

    @property
    def type_definitions(self):
        """{GlobalTypeVar: relay.TypeData}."""
        return {data.header: data for data in self._datatypes.values()}

    def get_global_type_var(self, name):
        """The GlobalTypeVar of a data type. KeyError if there is none."""
        return self._datatypes[name].header

    def get_global_type_vars(self):
        """The GlobalTypeVars of all data types."""
        return [data.header for data in self._datatypes.values()]

    def get_type(self, name):
        """A data type's GlobalTypeVar, and its constructors, as a tuple."""
        data = self._datatypes[name]
        return (data.header, *data.constructors)

    def get_constructor(self, adt, constructor):
        """The constructor of a data type, both by name. KeyError if there is none."""
        for found in self._datatypes[_name_of(adt)].constructors:
            if found.name_hint == constructor:
                return found
        raise KeyError(constructor)

    def get_global_var(self, name):
        """The GlobalVar of a name.

        Raises:
            LatheLookupError: `module-no-function`, with the nearest names; it is also a KeyError.
        """
        from .relay import expr as _e

        self._must_have(name)
        return _e.GlobalVar(name)

    def _must_have(self, name):
        if name not in self._expressions:
            raise LatheLookupError(f"the module has no function `{name}`", "module-no-function",
                                   notes_of_names(name, self._expressions))

    def get_global_vars(self):
        """The GlobalVars of all functions."""
        return [self.get_global_var(name) for name in self._expressions]

    def update_func(self, var, func):
        """Sets the function of a GlobalVar, as `mod[var] = func` does."""
        self[var] = func

    def update(self, other):
        """Sets all functions of another module or dict."""
        items = other.functions if isinstance(other, IRModule) else dict(other)
        for name, function in items.items():
            self[name] = function

    def astext(self, show_meta_data=True):
        """The module's text. `lathe.ir.parse_graph` reads it back.

        Args:
            show_meta_data: also the data of constants of at most 4096 bytes; other data is named
                by its digest.
        """
        return _get("graph.text")(self.node, bool(show_meta_data))

    def __str__(self):
        return self.astext(False).rstrip("\n")

    def __repr__(self):
        return f"<lathe.IRModule: {', '.join(self._expressions)}>"

    def show(self):
        """Prints the text in colours."""
        self.node.show()

    def _repr_html_(self):
        return self.node._repr_html_()

    def __reduce__(self):
        return (IRModule.from_node, (self.node,))


def _name_of(var):
    name = getattr(var, "name_hint", var)
    if not isinstance(name, str):
        raise LatheTypeError("a function's name must be a str or a GlobalVar", "relay-name-type",
                             f"found: {type(var).__name__}")
    return name
