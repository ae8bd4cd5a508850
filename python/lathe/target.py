"""Targets: the kinds of machine that code is compiled for."""

import threading

from . import _core, _ffi
from ._virtual_device import VirtualDevice
from .error import LatheTypeError, LatheValueError

_get = _ffi.get
_current = threading.local()
_tags = {}


class Target(_core.Object):
    """A machine to compile for: Target("llvm -mcpu=znver4"), Target("cuda", host="llvm").

    Within `with target:` this thread's builds use it if they name no target.

    Example:
        >>> import lathe
        >>> target = lathe.Target("llvm -mcpu=x86-64")
        >>> target.kind, target.attrs["mcpu"]
        ('llvm', 'x86-64')
    """

    __slots__ = ()

    def __new__(cls, target, host=None):
        if isinstance(target, dict):
            target = dict(target)
            within = target.pop("host", None)
            host = within if host is None else host
            target = _text_of(target)
        if isinstance(target, str):
            target = _tagged(target)
        made = target if isinstance(target, Target) else _parse(target)
        if host is not None:
            made = _get("target.with_host")(made, Target(host))
        return made

    @staticmethod
    def current(allow_none=True):
        """The target of the innermost `with target:` of this thread; None if there is none."""
        stack = getattr(_current, "stack", None)
        if stack:
            return stack[-1]
        if allow_none:
            return None
        raise LatheTypeError("no target is given and none is in force", "no-target-kind",
                             'help: with lathe.target.Target("llvm"): ...')

    def __enter__(self):
        if not hasattr(_current, "stack"):
            _current.stack = []
        _current.stack.append(self)
        return self

    def __exit__(self, *exc):
        _current.stack.pop()

    @property
    def kind(self):
        """The kind of target: "llvm", "cuda", ..."""
        return TargetKind(_get("target.kind")(self))

    @property
    def keys(self):
        """The keys that schedules dispatch on, the most specific first."""
        return list(_get("target.keys")(self))

    @property
    def libs(self):
        """Libraries that operators may call."""
        return list(_get("target.libs")(self))

    @property
    def model(self):
        """A name for tuning records."""
        return _get("target.model")(self)

    @property
    def host(self):
        """The target of the code that launches this target's kernels; None if none was given."""
        return _get("target.host")(self)

    @property
    def attrs(self):
        """The attributes, including defaults: a dict of str."""
        return dict(_get("target.attributes")(self))

    @property
    def device_name(self):
        """The family of devices (-device=)."""
        return _get("target.device")(self)

    @property
    def mcpu(self):
        """The processor (`-mcpu=`); "" if none is named."""
        return self.attrs.get("mcpu", "")

    @property
    def mattr(self):
        """The features of the processor (`-mattr=`), as a list."""
        return [word for word in self.attrs.get("mattr", "").split(",") if word]

    @property
    def arch(self):
        """The architecture of a GPU (`-arch=`); "" if none is named."""
        return self.attrs.get("arch", "")

    def get_kind_attr(self, attr_name):
        """The target's attribute of this name; None if it has none. Kinds have none of their own."""
        return self.attrs.get(attr_name)

    def with_host(self, host=None):
        """A target like this one with another host."""
        return Target(self, host)

    @staticmethod
    def list_kinds():
        """The kinds of targets there are: `target.list_kinds()`."""
        return list_kinds()

    @staticmethod
    def target_or_current(target):
        """The target, or the current one for None. Raises LatheTypeError if there is none."""
        return Target(target) if target is not None else Target.current(allow_none=False)

    @staticmethod
    def canon_target(target):
        """A Target for a text, dict or Target; None for None."""
        return None if target is None else Target(target)

    @staticmethod
    def canon_target_and_host(target, target_host=None):
        """(target, its host): Targets or None."""
        if target is None:
            return None, Target.canon_target(target_host)
        made = Target(target, target_host)
        return made, made.host

    @staticmethod
    def canon_multi_target(multi_targets):
        """Targets for one text or Target, a list of them, or a dict from devices; None for None."""
        if multi_targets is None:
            return None
        listed = multi_targets.values() if isinstance(multi_targets, dict) else \
            multi_targets if isinstance(multi_targets, (list, tuple)) else [multi_targets]
        return [Target(one) for one in listed]

    @staticmethod
    def canon_multi_target_and_host(target, target_host=None):
        """The Targets of `canon_multi_target`, each with that host."""
        return [Target(one, target_host) for one in Target.canon_multi_target(target) or ()]

    @property
    def has_threads(self):
        """Are loops of its kernels bound to threads?"""
        return _get("target.has_threads")(self)

    @property
    def max_num_threads(self):
        """The most threads that a block may have (int); None if the target does not say."""
        return _get("target.limit")(self, "max_threads_per_block")

    @property
    def thread_warp_size(self):
        """The number of threads that run in lockstep (int); None if the target does not say."""
        return _get("target.limit")(self, "warp_size")

    def export(self):
        """Kind, keys, libraries, model, attributes and host as a dict that JSON can hold."""
        made = {"kind": str(self.kind), "text": str(self), "keys": self.keys, "libs": self.libs,
                "model": self.model, "attrs": self.attrs}
        if self.host is not None:
            made["host"] = self.host.export()
        return made

    def __str__(self):
        return _get("target.text")(self)

    def __repr__(self):
        return f'Target("{self}")'

    def _repr_html_(self):
        from . import _html

        words = str(self).split(" -")
        host = [] if self.host is None else [f"  host: {self.host}"]
        return _html.page_of("\n".join([words[0], *("  -" + word for word in words[1:]), *host]))

    def __eq__(self, other):
        return isinstance(other, Target) and str(self) == str(other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(str(self))

    def __reduce__(self):
        return (Target, (str(self),))


class TargetKind(str):
    """The name of a kind of target.

    Example:
        >>> import lathe
        >>> lathe.Target("llvm").kind.name
        'llvm'
    """

    __slots__ = ()

    def __new__(cls, name):
        return super().__new__(cls, name)

    @property
    def name(self):
        """The name itself."""
        return str(self)


_core.register_class(1027, Target)


def _parse(text):
    if not isinstance(text, str):
        raise LatheTypeError("a target must be a text, a dict or a Target", "target-type",
                             f"found: {type(text).__name__}")
    try:
        return _get("target.parse")(text)
    except LatheValueError as error:
        if error.name == "target-unknown-kind" and text.split(" ")[0] in ("ext_dev", "stackvm"):
            error.notes += ("\nhelp: target `llvm` makes objects for any processor, which "
                            "module.export_library(\"x.o\") writes; target `c` writes C")
        raise


def _text_of(attributes):
    attributes = dict(attributes)
    if "kind" not in attributes:
        raise LatheValueError("a dict of a target must have the key `kind`", "target-malformed",
                              f"found: {', '.join(map(str, attributes)) or 'no keys'}\n"
                              'help: lathe.Target({"kind": "llvm"})')
    words = [attributes.pop("kind")]
    for key, value in attributes.items():
        if isinstance(value, (list, tuple)):
            value = ",".join(str(v) for v in value)
        words.append(f"-{key}={int(value) if isinstance(value, bool) else value}")
    return " ".join(words)


def list_kinds():
    """The kinds of targets that the available plugins provide.

    Example:
        >>> import lathe
        >>> "llvm" in lathe.target.list_kinds()
        True
    """
    return list(_get("target.known_kinds")())


def register_tag(name, config, override=False):
    """Registers a short name for a target: from now on Target(name) gives Target(config).

    Args:
        name: such as "our/board-2".
        config: text or dict.
        override: whether it may replace a target of that name.

    Returns:
        The Target.

    Raises:
        LatheError: `target-tag-taken`; or the target is wrong.

    Example:
        >>> import lathe
        >>> _ = lathe.target.register_tag("doc/small", "llvm -mcpu=x86-64", override=True)
        >>> lathe.Target("doc/small").attrs["mcpu"]
        'x86-64'
    """
    if not override and name in _tags:
        raise LatheValueError(f"there is a target of the tag `{name}` already", "target-tag-taken",
                              "help: override=True")
    made = Target(config)
    _tags[str(name)] = made
    return made


def _tagged(text):
    """What a tag stands for, if a target's text is one."""
    if text in _tags or "/" not in text or " " in text or "=" in text:
        return _tags.get(text, text)
    from ._named_targets import TAGS

    if text not in TAGS:
        import difflib

        near = difflib.get_close_matches(text, [*_tags, *TAGS], 3)
        raise LatheValueError(f"there is no target of the tag `{text}`", "target-malformed",
                              "help: " + (f"did you mean {' or '.join(f'`{one}`' for one in near)}? " if near else "")
                              + "register_tag makes tags; a GPU may also be given as `cuda -arch=sm_86`")
    return TAGS[text]


def list_tags():
    """{tag: Target} of all tags: Lathe's own, and those registered with `register_tag`.

    Example:
        >>> import lathe
        >>> _ = lathe.target.register_tag("doc/listed", "llvm", override=True)
        >>> "doc/listed" in lathe.target.list_tags()
        True
    """
    from ._named_targets import TAGS

    return {**{name: Target(text) for name, text in TAGS.items()}, **_tags}


def generic_func(fdefault):
    """A decorator: the function is the default version; targets may have their own versions.

    Example:
        >>> import lathe
        >>> @lathe.target.generic_func
        ... def schedule_it():
        ...     return "any"
        >>> @schedule_it.register("cpu")
        ... def _():
        ...     return "for processors"
        >>> with lathe.target.Target("llvm"):
        ...     schedule_it()
        'for processors'
    """
    return GenericFunc(fdefault)


def _must_be_callable(function, name):
    if not callable(function):
        raise LatheTypeError(f"a version of `{name}` must be a function", "target-generic-function",
                             f"expected: a function\nfound: {type(function).__name__}")


class GenericFunc:
    """A default function, and versions for keys of the current target.

    Args:
        default: the function for all other targets.

    Example:
        >>> import lathe
        >>> schedule_it = lathe.target.GenericFunc(lambda: "any")
        >>> schedule_it()
        'any'
    """

    def __init__(self, default):
        self.default = default
        self.by_key = {}
        self.__doc__ = default.__doc__
        self.__name__ = default.__name__

    def register(self, keys, func=None, allow_override=False):
        """Makes a function the version for target keys.

        Args:
            keys: a key (str), or a list of them.
            func: the function. `register(func, keys)`, as a GenericFunc of TVM has it, means the same.
            allow_override: may it replace a version for a key?

        Returns:
            The function; without `func`, a decorator.

        Raises:
            LatheError: `target-generic-keys`, `target-generic-function`; `target-generic-version`: a key has a version.
        """
        if callable(keys):
            keys, func = func, keys
        keys = [keys] if isinstance(keys, str) else keys
        if not isinstance(keys, (list, tuple, set, frozenset)) or not all(isinstance(key, str) for key in keys):
            raise LatheTypeError(f"`{self.__name__}` needs the keys of targets for a version", "target-generic-keys",
                                 f'expected: a key such as "cpu", or a list of them\nfound: {keys!r}')

        def register(function):
            _must_be_callable(function, self.__name__)
            taken = [key for key in keys if key in self.by_key]
            if taken and not allow_override:
                self._refuse(f'a version for "{taken[0]}"')
            self.by_key.update(dict.fromkeys(keys, function))
            return function

        return register if func is None else register(func)

    def set_default(self, func, allow_override=False):
        """Makes a function the version for all other targets.

        Args:
            func: the function.
            allow_override: must be True: there is such a version already.

        Raises:
            LatheError: `target-generic-version`: `allow_override` is False; `target-generic-function`.
        """
        _must_be_callable(func, self.__name__)
        if not allow_override:
            self._refuse("a default")
        self.default = func

    def _refuse(self, what):
        raise LatheValueError(f"`{self.__name__}` has {what} already", "target-generic-version",
                              "expected: allow_override=True, which replaces it")

    def get_packed_func(self):
        """The version for the current target."""
        target = Target.current()
        if target is not None:
            for key in [*target.keys, str(target.kind)]:
                if key in self.by_key:
                    return self.by_key[key]
        return self.default

    def __call__(self, *args, **kwargs):
        return self.get_packed_func()(*args, **kwargs)


from ._compilation_config import CompilationConfig, make_compilation_config  # noqa: E402,F401
from ._named_targets import (adreno, arm_cpu, bifrost, cuda, intel_graphics, mali,  # noqa: E402,F401
                             riscv_cpu)
