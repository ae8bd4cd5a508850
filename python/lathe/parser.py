"""Reads graphs in Relay's text format, as TVM's `mod.astext()` wrote them.

Lathe's own text of graphs is another one, which is read, too: `parse(mod.astext())`.

    >>> import lathe
    >>> mod = lathe.parser.fromtext('''
    ...     #[version = "0.0.5"]
    ...     def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) + 1f }
    ... ''')
    >>> mod["main"].checked_type
    fn(float32[2, 3]) -> float32[2, 3]
"""

import re

from .error import LatheTypeError, LatheValueError

_TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/) |
    (?P<version>\#\[version\s*=\s*"[^"]*"\]) |
    (?P<local>%(?:\d+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)) | (?P<global>@[A-Za-z_][A-Za-z0-9_.]*) |
    (?P<float>\d+\.\d*(?:[eE][-+]?\d+)?(?:f(?:16|32|64)?)?|\d+[eE][-+]?\d+(?:f(?:16|32|64)?)?|\d+f(?:16|32|64)?) |
    (?P<int>\d+(?:[iu](?:8|16|32|64))?) | (?P<string>"(?:[^"\\]|\\.)*") |
    (?P<name>[A-Za-z_][A-Za-z0-9_]*) | (?P<mark>->|=>|==|!=|<=|>=|[-+*/()\[\]{},;:=<>.?!&|])""", re.X | re.S)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_BINARY = {"+": ("add", 3), "-": ("subtract", 3), "*": ("multiply", 4), "/": ("divide", 4), "<": ("less", 2),
           ">": ("greater", 2), "<=": ("less_equal", 2), ">=": ("greater_equal", 2), "==": ("equal", 1),
           "!=": ("not_equal", 1)}


class _Parser:
    def __init__(self, text, name, meta):
        self.text, self.name, self.meta = text, name, meta or {}
        self.tokens, at = [], 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                self.fail(f"`{text[at]}`", at)
            if match.lastgroup not in ("space", "version"):
                self.tokens.append((match.lastgroup, match.group(), at))
            at = match.end()
        self.tokens.append(("end", "the end", len(text)))
        self.at = 0
        self.scopes = [{}]
        self.datatypes = {}
        self.constructors = {}

    def fail(self, found, at=None, expected=""):
        at = self.tokens[self.at][2] if at is None else at
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        raise LatheValueError(f"{self.name}:{line}:{column}: this is no text of a graph of Relay's", "relay-text",
                              (f"expected: {expected}\n" if expected else "") + f"found: {found}\n"
                              "help: lathe.ir.parse_graph reads the text that lathe prints")

    def read(self, part):
        """What a method of the parser reads."""
        try:
            return part()
        except RecursionError:
            pass
        self.fail(f"`{self.word}`, nested too deeply for Python", expected="`let`, or values with names: `%0 = ...;`")

    # -- tokens
    @property
    def kind(self):
        return self.tokens[self.at][0]

    @property
    def word(self):
        return self.tokens[self.at][1]

    def take(self, word=None, kind=None):
        if (word is not None and self.word != word) or (kind is not None and self.kind != kind):
            self.fail(f"`{self.word}`", expected=f"`{word}`" if word else f"a {kind}")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def skip(self, word):
        if self.word == word and self.kind in ("mark", "name"):
            self.at += 1
            return True
        return False

    def listed(self, end, item):
        made = []
        while not self.skip(end):
            made.append(item())
            if not self.skip(","):
                self.take(end)
                break
        return made

    # -- types
    def type(self):
        from . import relay

        if self.skip("("):
            return relay.TupleType(self.listed(")", self.type))
        if self.skip("fn"):
            if self.word == "[":
                self.fail("parameters of types", expected="a function over plain types")
            self.take("(")
            args = self.listed(")", self.type)
            self.take("->")
            return relay.FuncType(args, self.type())
        name = self.take(kind="name")
        if name == "Tensor":
            self.take("[")
            shape = self.listed(")", self.extent) if self.skip("(") else [self.extent()]
            self.take(",")
            dtype = self.take(kind="name")
            self.take("]")
            return relay.TensorType(shape, dtype)
        if name in self.datatypes:
            if self.word == "[":
                self.fail("parameters of types", expected="a data type without parameters")
            return self.datatypes[name]
        return relay.scalar_type(name)

    def extent(self):
        from . import relay

        if self.skip("?") or self.skip("Any"):
            return relay.Any()
        return int(re.match(r"\d+", self.take(kind="int")).group())

    def annotation(self):
        return self.type() if self.skip(":") else None

    # -- modules
    def module(self, into):
        from . import relay

        functions = {}
        while self.kind != "end":
            if self.skip("type"):
                self.datatype(into)
            elif self.skip("def"):
                name = self.take(kind="global")[1:]
                functions[name] = self.function()
            elif self.skip("extern"):
                self.fail("`extern`", expected="`def` or `type`")
            else:
                self.fail(f"`{self.word}`", expected="`def` or `type`")
        into._update_all({relay.GlobalVar(name): function for name, function in functions.items()})
        return into

    def datatype(self, into):
        from . import relay

        name = self.take(kind="name")
        if self.word == "[":
            self.fail("parameters of types", expected="a data type without parameters")
        header = self.datatypes[name] = relay.GlobalTypeVar(name)
        self.take("{")

        def one():
            title = self.take(kind="name")
            return title, self.listed(")", self.type) if self.skip("(") else []

        made = [relay.Constructor(title, fields, header) for title, fields in self.listed("}", one)]
        self.constructors.update((constructor.name_hint, constructor) for constructor in made)
        into[header] = relay.TypeData(header, [], made)

    def function(self):
        from . import relay

        if self.word == "[":
            self.fail("parameters of types", expected="a function over plain types")
        self.take("(")
        self.scopes.append({})
        params, attrs = [], {}

        def param():
            if self.kind == "local":
                name = self.take()
                params.append(relay.Var(name[1:], self.annotation()))
                self.scopes[-1][name] = params[-1]
            else:
                key = self.take(kind="name")
                self.take("=")
                attrs[key] = self.attribute()

        self.listed(")", param)
        result = self.type() if self.skip("->") else None
        body = self.block()
        self.scopes.pop()
        return relay.Function(params, body, result, attrs=attrs or None)

    # -- expressions
    def block(self):
        self.take("{")
        self.scopes.append({})
        made = self.sequence()
        self.scopes.pop()
        self.take("}")
        return made

    def sequence(self):
        """`%0 = ...; let %x = ...; result`. Lets are nested without recursion, as texts may be long."""
        from . import relay

        lets = []
        while True:
            if self.skip("let"):
                name = self.take(kind="local")
                var = relay.Var(name[1:], self.annotation())
                self.take("=")
                lets.append((var, self.value_of_let(name, var)))
                self.scopes[-1][name] = var
                self.take(";")
            elif self.kind == "local" and self.tokens[self.at + 1][1] == "=":
                name = self.take()
                self.take("=")
                self.scopes[-1][name] = self.expression()
                self.take(";")
            else:
                break
        body = self.expression()
        for var, value in reversed(lets):
            body = relay.Let(var, value, body)
        return body

    def value_of_let(self, name, var):
        if self.word == "fn":  # it may call itself
            self.scopes[-1][name] = var
        return self.expression()

    def expression(self, level=0):
        from . import relay

        made = self.operand()
        while self.kind == "mark" and self.word in _BINARY and _BINARY[self.word][1] > level:
            operator, own = _BINARY[self.take()]
            made = getattr(relay, operator)(made, self.expression(own))
        return made

    def operand(self):
        from . import relay

        if self.skip("-"):
            if self.kind in ("int", "float"):
                return self.number(-1)
            return relay.negative(self.operand())
        made = self.atom()
        while True:
            if self.skip("("):
                made = self.call(made)
            elif self.word == "." and self.tokens[self.at + 1][0] in ("int", "float"):
                self.take()
                for index in re.findall(r"\d+", self.take()):
                    made = relay.TupleGetItem(made, int(index))
            else:
                break
        return self.named(made, ()) if isinstance(made, str) else made

    def atom(self):
        from . import relay

        kind = self.kind
        if kind in ("int", "float"):
            return self.number(1)
        if kind == "local":
            name = self.take()
            for scope in reversed(self.scopes):
                if name in scope:
                    return scope[name]
            self.at -= 1
            self.fail(f"`{name}`, which nothing defines")
        if kind == "global":
            return relay.GlobalVar(self.take()[1:])
        if self.skip("("):
            if self.skip(")"):
                return relay.Tuple([])
            first = self.sequence()
            if self.skip(")"):
                return first
            self.take(",")
            return relay.Tuple([first, *self.listed(")", self.expression)])
        if self.word == "{":
            return self.block()
        if self.skip("fn"):
            return self.function()
        if self.skip("if"):
            self.take("(")
            condition = self.sequence()
            self.take(")")
            then = self.block()
            self.take("else")
            return relay.If(condition, then, self.block())
        if self.word in ("True", "False"):
            return relay.const(self.take() == "True", "bool")
        if self.skip("match"):
            return self.match()
        if self.skip("meta"):
            return self.from_meta()
        name = self.take(kind="name")
        while self.word == "." and self.tokens[self.at + 1][0] == "name":
            self.take()
            name += "." + self.take()
        return name

    def number(self, sign):
        from . import relay

        found = re.fullmatch(r"([\d.]+(?:[eE][-+]?\d+)?)(?:([fiu])(\d*))?", self.take())
        text, form, bits = found.groups()
        if form in ("i", "u"):
            return relay.const(sign * int(text), {"i": "int", "u": "uint"}[form] + bits)
        if form == "f" or "." in text or "e" in text.lower():
            return relay.const(sign * float(text), "float" + (bits or "32"))
        return relay.const(sign * int(text), "int32")

    def call(self, callee):
        args, attrs = [], {}

        def one():
            if self.kind == "name" and self.tokens[self.at + 1][1] == "=":
                key = self.take()
                self.take("=")
                attrs[key] = self.attribute()
            else:
                args.append(self.sequence())

        self.listed(")", one)
        if isinstance(callee, str):
            return self.named(callee, args, attrs)
        from . import relay

        return relay.Call(callee, args)

    def named(self, name, args, attrs=None):
        """A call of the operator or constructor of a name."""
        from . import relay
        from .relay import _operators

        if name in self.constructors:
            return relay.Call(self.constructors[name], args)
        definition = _operators.DEFINITIONS.get(name)
        if definition is None:
            return relay.op.get(name)  # raises, with the nearest names
        attrs = {key: value for key, value in (attrs or {}).items() if value is not None}
        if definition.variadic and len(definition.inputs) == 1 and len(args) == 1:
            args = _operators.fields_of(args[0])
        known = {row[0] for row in definition.attrs}
        return relay.Call(relay.op.get(name), args, {key: value for key, value in attrs.items()
                                                    if key in known or value not in ("", (), [])})

    def attribute(self):
        if self.skip("["):
            return self.listed("]", self.attribute)
        if self.skip("("):
            return self.listed(")", self.attribute)
        if self.kind == "string":
            return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), self.take()[1:-1], flags=re.S)
        sign = -1 if self.skip("-") else 1
        if self.kind in ("int", "float"):
            word = re.match(r"[\d.]+(?:[eE][-+]?\d+)?", self.take()).group()
            return sign * (float(word) if "." in word or "e" in word.lower() else int(word))
        word = self.take(kind="name")
        return {"True": True, "False": False, "None": None, "nullptr": None}.get(word, word)

    def match(self):
        from . import relay

        complete = not self.skip("?")
        self.take("(")
        data = self.sequence()
        self.take(")")
        self.take("{")

        def clause():
            self.scopes.append({})
            pattern = self.pattern()
            self.take("=>")
            made = relay.Clause(pattern, self.block() if self.word == "{" else self.expression())
            self.scopes.pop()
            return made

        return relay.Match(data, self.listed("}", clause), complete)

    def pattern(self):
        from . import relay

        if self.skip("_"):
            return relay.PatternWildcard()
        if self.kind == "local":
            name = self.take()
            var = self.scopes[-1][name] = relay.Var(name[1:], self.annotation())
            return relay.PatternVar(var)
        if self.skip("("):
            return relay.PatternTuple(self.listed(")", self.pattern))
        name = self.take(kind="name")
        if name not in self.constructors:
            self.fail(f"`{name}`", expected="a constructor of a data type of the text")
        return relay.PatternConstructor(self.constructors[name], self.listed(")", self.pattern) if self.skip("(") else [])

    def from_meta(self):
        from . import relay

        self.take("[")
        kind = self.take(kind="name")
        while self.skip("."):
            kind += "." + self.take(kind="name")
        self.take("]")
        self.take("[")
        index = int(self.take(kind="int"))
        self.take("]")
        found = self.meta.get(kind)
        if found is None or index >= len(found):
            self.fail(f"meta[{kind}][{index}]", expected="`init_meta_table` with it: {\"relay.Constant\": [tensor, ...]}")
        return relay.expr.as_expr(found[index])


# A line that each text of graphs that lathe prints has, and no text of Relay's outside of comments.
_OURS = re.compile(r"^\s*graph\s+(?:module\b|[^\W\d][\w.]*\s*\()", re.M)
# Texts in quotes, which may have what looks like comments, and comments of Relay's and of lathe's texts.
_NO_CODE = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|(?://|#)[^\n]*', re.S)


def _is_ours(text):
    return _OURS.search(text) is not None and _OURS.search(_NO_CODE.sub("", text)) is not None


def _must_be_text(source):
    if not isinstance(source, str):
        raise LatheTypeError("the parser takes a text", "relay-text-type",
                             f"expected: a str\nfound: {type(source).__name__}")


def parse(source, source_name="from_string", init_module=None, init_meta_table=None):
    """The module for a text of Relay's, or for one that lathe printed (`mod.astext()`).

    Args:
        source: the text. In a text of Relay's, data types and functions have no type parameters.
        source_name: for errors.
        init_module: an IRModule that gets the functions, instead of a new one.
        init_meta_table: {"relay.Constant": [tensor, ...]}: what `meta[relay.Constant][0]` in the text stands for.

    Raises:
        LatheError: `relay-text`, with line and column; `relay-text-type`; or the graph is wrong.

    Example:
        >>> import lathe
        >>> mod = lathe.parser.parse("def @main(%x: int32) { let %y = %x * 2; (%y, %x).0 }")
        >>> mod["main"].checked_type
        fn(int32[]) -> int32[]
    """
    from ._irmodule import IRModule

    _must_be_text(source)
    if _is_ours(source):
        from .ir import parse_graph

        made = parse_graph(source, source_name)
        if init_module is None:
            return made
        for data in made.type_definitions.values():
            init_module._add_type(data)
        init_module._update_all(made.functions)
        return init_module
    module = IRModule() if init_module is None else init_module
    parser = _Parser(source, source_name, init_meta_table)
    return parser.read(lambda: parser.module(module))


def fromtext(source, source_name="from_string"):
    """The module for a text of Relay's or of lathe's, or the expression if the text is one of Relay's.

    Example:
        >>> import lathe
        >>> type(lathe.parser.fromtext("fn (%x: float32) { %x + 1f }")).__name__
        'Function'
    """
    _must_be_text(source)
    if _is_ours(source):
        return parse(source, source_name)
    parser = _Parser(source, source_name, None)
    if parser.word in ("def", "type", "extern") or parser.kind == "end":
        return parse(source, source_name)
    return parse_expr(source)


def parse_expr(source):
    """The expression for a text of Relay's.

    Example:
        >>> import lathe
        >>> lathe.parser.parse_expr("add(1f, 2f)").op
        Op(add)
    """
    _must_be_text(source)
    parser = _Parser(source, "from_string", None)
    made = parser.read(parser.sequence)
    parser.take(kind="end")
    return made
