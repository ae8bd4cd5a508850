"""Executor and Runtime, which programs for TVM pass to `relay.build`. There is one of each here."""

from ...error import LatheLookupError, LatheValueError


class Choice:
    """Base of both: a name, and options of it. `name in choice`: has the option a value? `choice[name]`: which?"""

    _names, _what = (), ""
    _options = {}  # name -> {option: its type}
    _defaults = {}  # name -> {option: its value if it is not given}

    def __init__(self, name, options=None):
        options = dict(options or {})
        known = self.list_registered_options(name)
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise LatheValueError(f"the {self._what} `{name}` has no option `{unknown[0]}`", "relay-choice",
                                  "expected: " + ", ".join(known))
        self.name, self.options = name, {**self._defaults.get(name, {}), **options}

    def __getitem__(self, name):
        if name not in self.options:
            raise LatheLookupError(f"the {self._what} `{self.name}` has no value of an option `{name}`", "relay-choice",
                                   "expected: " + (", ".join(self.options) or "no option: none is given"))
        return self.options[name]

    def __contains__(self, name):
        return name in self.options

    def __eq__(self, other):
        return type(other) is type(self) and (other.name, other.options) == (self.name, self.options)

    def __hash__(self):
        return hash((type(self), self.name, frozenset(self.options.items())))

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r}, {self.options})"

    @classmethod
    def list_registered(cls):
        """The names that there are."""
        return list(cls._names)

    @classmethod
    def list_registered_options(cls, name):
        """{option: its type} of one of them."""
        if name not in cls._names:
            raise LatheValueError(f"there is no {cls._what} `{name}`", "relay-choice",
                                  "expected: " + ", ".join(cls._names))
        return dict(cls._options[name])


class Executor(Choice):
    """Who runs a graph: "graph", or "aot". `relay.build` makes the same for both: a plan with its kernels.

    Args:
        name: "graph" or "aot".
        options: of those that TVM has; they have no effect: weights are always part of what `export_library` writes.

    Raises:
        LatheError: `relay-choice`: an unknown name or option.

    Example:
        >>> from lathe import relay
        >>> relay.backend.Executor("graph", {"link-params": True})["link-params"]
        True
        >>> "interface-api" in relay.backend.Executor("aot")
        False
    """

    _names, _what = ("graph", "aot"), "executor"
    _options = {"graph": {"link-params": "bool"},
                "aot": {"link-params": "bool", "unpacked-api": "bool", "interface-api": "str",
                        "workspace-byte-alignment": "int", "constant-byte-alignment": "int"}}
    _defaults = {"graph": {"link-params": False}, "aot": {"link-params": True}}


class Runtime(Choice):
    """The runtime of compiled graphs: "cpp". There is no "crt": boards have the same runtime (docs/adding_a_board.md).

    Args:
        name: "cpp".
        options: of those that TVM has; they have no effect.

    Raises:
        LatheError: `relay-choice`: an unknown name or option.

    Example:
        >>> from lathe import relay
        >>> relay.backend.Runtime("cpp").name
        'cpp'
    """

    _names, _what, _options = ("cpp",), "runtime", {"cpp": {"system-lib": "bool"}}
