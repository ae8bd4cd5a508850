"""Passes, and the context in which they run."""

import difflib
import threading

from . import _core, _ffi, _nodes, _old_options
from ._irmodule import IRModule
from .error import LatheTypeError, LatheValueError

_get = _ffi.get
_current = threading.local()
#: phase of "tir.add_lower_pass" -> lathe's pass after which the user's passes of that phase run
PHASES = {0: "compact_realize", 1: "simplify", 2: "simplify_pieces", 3: "simplify_pieces"}


# Keys of a context's config that are no options of kernels.
_NO_OPTIONS = ("tir.add_lower_pass", "relay.fallback_device_type", "tir.HoistExpression", "tir.HoistIfThenElse",
               "tune.shipped_records")


def _is_no_option(key):
    return key in _NO_OPTIONS or key.startswith("relay.ext.")


class PassContext:
    """Options for compilations. `with context:` puts them in force in this thread.

    Args:
        opt_level: 0 to 3, which passes over graphs run in `relay.build`: 0 only what must, 1 what
            costs nothing, 2 also layouts, 3 also what rounds differently (convolutions of 3x3 by
            Winograd's algorithm). Kernels always get all useful passes.
        required_pass: names of passes that a Sequential runs even if their level is above `opt_level`.
        config: {option: int}, the options that `lathe.transform.options()` lists, and
            "relay.fallback_device_type": a device's name or number, for `relay.build`;
            TVM's options, such as "tir.UnrollLoop" and "tir.disable_vectorize": docs/migrating.md says
            which have an effect;
            "relay.ext.NAME.options": anything, for the code generator NAME of parts of graphs, which
            reads it from the context;
            "tir.HoistExpression", "tir.HoistIfThenElse": what the passes of `tir.transform` of these
            names take;
            "tune.shipped_records": False: kernels of graphs without the records that come with
            Lathe; and
            "tir.add_lower_pass": [(phase, pass), ...]: passes of your own. A pass of phase 0 gets
            the loops of the schedule, of phase 1 simplified loops, of phases 2 and 3 the result of
            `lower`. A phase may also be the name of one of lathe's own passes (`passes()`),
            including those of `build`: the pass then runs right after that one.
        disabled_pass: names of passes to leave out.
        instruments: objects with any of the methods `enter_pass_ctx()`, `exit_pass_ctx()`,
            `run_before_pass(module, info)`, `run_after_pass(module, info)`.
        verify: verify the module after each pass.
        time_limit: seconds for each call of `lower` or `build`; 0: no limit.
        isolate: run code generators in their own process, as described at `build`.

    Example:
        >>> import lathe
        >>> with lathe.transform.PassContext(config={"unroll.auto_max_step": 4}):
        ...     lathe.transform.PassContext.current().config
        {'unroll.auto_max_step': 4}
    """

    def __init__(self, opt_level=2, required_pass=None, disabled_pass=None, instruments=None,
                 config=None, verify=False, time_limit=0, isolate=False):
        if isinstance(opt_level, bool) or not isinstance(opt_level, int):
            raise LatheTypeError("a PassContext's opt_level must be an int", "pass-context-type",
                                 f"expected: 0 to 4\nfound: {opt_level!r}")
        self.opt_level = opt_level
        self.disabled_pass = list(disabled_pass or [])
        self.required_pass = list(required_pass or [])
        self.instruments = list(instruments or [])
        self.config = dict(config or {})
        self.verify = bool(verify)
        self.time_limit = _checked_time_limit(time_limit)
        self.isolate = bool(isolate)
        known = {name for name, _, _ in options()}
        self._options, self._left_out, odd = _old_options.translated(
            {key: value for key, value in self.config.items() if not _is_no_option(key)})
        odd += [key for key in self._options if key not in known]
        if odd:
            near = difflib.get_close_matches(odd[0], [*known, *_NO_OPTIONS, *_old_options.NAMES], 2)
            raise LatheValueError(f"there is no option `{odd[0]}`", "unknown-option",
                                  "expected: " + ", ".join(sorted(known)) + (
                                      f"\nhelp: did you mean {' or '.join(f'`{one}`' for one in near)}?" if near else ""))
        self._after = {}
        if self.config.get(_old_options.NO_VECTORS):
            self._after[PHASES[0]] = [(0, _old_options.without_vectors)]
        names = None
        for phase, one in self.config.get("tir.add_lower_pass", []):
            after = PHASES.get(phase, phase) if isinstance(phase, (int, str)) else phase
            names = names or {name for name, _, _ in passes()}
            if after not in names or not callable(one):
                raise LatheValueError(f"no pass of your own can run at {phase!r}", "user-pass-phase",
                                      "expected: (0 to 3 or the name of a pass, a pass)")
            self._after.setdefault(after, []).append((phase, one))

    @staticmethod
    def current():
        """The context that is in force in this thread."""
        stack = getattr(_current, "stack", None)
        return stack[-1] if stack else PassContext()

    def __repr__(self):
        parts = [f"opt_level={self.opt_level}"]
        parts += [f"{name}={value!r}" for name in ("required_pass", "disabled_pass", "instruments", "config", "verify",
                                                   "time_limit", "isolate") if (value := getattr(self, name))]
        return f"PassContext({', '.join(parts)})"

    def __enter__(self):
        if not hasattr(_current, "stack"):
            _current.stack = []
        for instrument in self.instruments:
            _call(instrument, "enter_pass_ctx")
        _current.stack.append(self)
        return self

    def __exit__(self, *exc):
        _current.stack.pop()
        for instrument in self.instruments:
            _call(instrument, "exit_pass_ctx")

    def user_passes(self):
        """The user's own passes, in order."""
        return [p for _, p in self.config.get("tir.add_lower_pass", [])]

    def _run_user_passes(self, name, module):
        for _, one in sorted(self._after.get(name, ()), key=lambda pair: str(pair[0])):
            module = one(module)
            if not isinstance(module, _nodes.CLASSES["Module"]):
                raise LatheTypeError("a pass of your own returned what is no module",
                                     "pass-result-type", f"found: {type(module).__name__}")
        return module

    def packed(self, time_limit=None, spent=0.0, isolate=None, note=None):
        """The context in the form that the C++ functions take.

        Args:
            time_limit: seconds; by default the context's.
            spent: how many of these seconds have passed already.
            isolate: by default the context's.
            note: called with the text of each note for the user.
        """
        after = None
        if self.instruments:
            def after(name, before, module, seconds):
                info = PassInfo(name, seconds)
                for instrument in self.instruments:
                    _call(instrument, "run_before_pass", before, info)
                    _call(instrument, "run_after_pass", module, info)
        config = [[key, value] for key, value in self._options.items()]
        return [config, [*self.disabled_pass, *self._left_out], self.verify, after, _core.check_signals,
                self._run_user_passes if self._after else None,
                float(self.time_limit if time_limit is None else time_limit), float(spent),
                bool(self.isolate if isolate is None else isolate), note]


def _checked_time_limit(seconds):
    """`seconds` as a float; raises LatheValueError if it is not a time."""
    try:
        limit = float(seconds)
    except (TypeError, ValueError):
        limit = float("nan")
    if not limit >= 0:
        raise LatheValueError("a time limit must be a number of seconds", "compile-time-limit-value",
                              f"expected: a number, 0 for none\nfound: {seconds!r}")
    return limit


def _call(instrument, method, *args):
    function = getattr(instrument, method, None)
    if function is not None:
        function(*args)


class PassInfo:
    """The name of a pass, and the time it took (seconds).

    `opt_level` is the level of the PassContext from which on a Sequential runs the pass, and
    `required` names passes that it builds on.

    Example:
        >>> import lathe
        >>> lathe.tir.transform.Simplify().info
        PassInfo(simplify)
    """

    __slots__ = ("name", "seconds", "opt_level", "required")

    def __init__(self, name, seconds=0.0, opt_level=0, required=None):
        self.name, self.seconds = name, seconds
        self.opt_level, self.required = opt_level, list(required or [])

    def __repr__(self):
        return f"PassInfo({self.name})"


class Pass:
    """A function from module to module. Call it: `pass_(module)`.

    Args:
        name: its name.
        function: (module, context) -> module.
        opt_level: a Sequential runs the pass if the PassContext's level is at least this one.
        required: names of passes that it builds on; kept in `info`, without effect.

    Example:
        >>> import lathe
        >>> same = lathe.transform.Pass("same", lambda module, context: module)
        >>> len(same(lathe.ir.Module([])))
        0
    """

    def __init__(self, name, function, opt_level=0, required=None):
        self.info = PassInfo(name, opt_level=opt_level, required=required)
        self._function = function

    def __call__(self, module):
        out = self._function(module, PassContext.current())
        if not isinstance(out, IRModule):
            raise LatheTypeError(f"pass `{self.info.name}` returned what is no module",
                                 "pass-result-type", f"found: {type(out).__name__}")
        return out

    def __repr__(self):
        return f"<lathe pass {self.info.name}>"


def _runs(info, context):
    """Does a Sequential run the pass with this PassInfo?"""
    if info.name in context.disabled_pass:
        return False
    return info.name in context.required_pass or info.opt_level <= context.opt_level


class Sequential(Pass):
    """A pass that runs several passes one after the other.

    It leaves out passes that the PassContext's `disabled_pass` names, and passes whose level is
    above the PassContext's `opt_level`, unless `required_pass` names them.

    Example:
        >>> import lathe
        >>> both = lathe.transform.Sequential([lathe.tir.transform.Simplify(), lathe.tir.transform.UnrollLoop()])
        >>> len(both(lathe.ir.Module([])))
        0
    """

    def __init__(self, passes, opt_level=0, name="sequential", required=None):
        self.passes = list(passes)

        def run(module, context):
            for one in self.passes:
                info = getattr(one, "info", None)
                if info is None or _runs(info, context):
                    module = one(module)
            return module

        super().__init__(name, run, opt_level, required)


def pass_maker(base, run_of, method, opt_level, name, required):
    """A decorator that makes a pass from a function, or a class of passes from a class.

    Args:
        base: the class of the passes.
        run_of: turns the function into (module, context) -> module.
        method: the name of the method of a class that is the function.
        opt_level, name, required: as of `Pass`; `name` is by default that of the function or class.

    Returns:
        The decorator.

    Raises:
        LatheError: `pass-class`, when an instance of a class is made that lacks the method.

    Example:
        >>> import lathe
        >>> T = lathe.transform
        >>> make = T.pass_maker(T.Pass, lambda f: f, "transform_module", 1, "same", None)
        >>> make(lambda module, context: module).info.name
        'same'
    """
    import functools
    import inspect

    def make(item):
        title = name or item.__name__
        if not inspect.isclass(item):
            return base(title, run_of(item), opt_level, required)

        class Made(base):
            __doc__ = item.__doc__

            def __init__(self, *args, **kwargs):
                inner = item(*args, **kwargs)
                function = getattr(inner, method, None)
                if function is None:
                    raise LatheTypeError(f"the class `{item.__name__}` of passes has no method `{method}`", "pass-class",
                                         f"expected: a method `{method}`, which is the pass")
                super().__init__(title, run_of(function), opt_level, required)
                self._inner = inner

            def __getattr__(self, key):
                if key == "_inner":  # the class's own __init__ raised an error
                    raise AttributeError(key)
                return getattr(self._inner, key)

        functools.update_wrapper(Made, item, updated=())
        return Made

    return make


def module_pass(pass_func=None, opt_level=0, name=None, required=None):
    """Makes a pass from a function (module, context) -> module, or from a class.

    The instances of a class are passes; its method `transform_module` is that function.

    Args:
        pass_func: the function or class. Without it, this is a decorator.
        opt_level, required: as of `Pass`.
        name: the pass's name; by default that of the function or class.

    Example:
        >>> import lathe
        >>> @lathe.transform.module_pass(opt_level=1)
        ... def leave(module, context):
        ...     return module
        >>> leave.info.name, leave.info.opt_level
        ('leave', 1)
    """
    make = pass_maker(Pass, lambda f: f, "transform_module", opt_level, name, required)
    return make if pass_func is None else make(pass_func)


def prim_func_pass(pass_func=None, opt_level=0, name=None, required=None):
    """Makes a pass from a function (func, module, context) -> func, or from a class. It runs on all functions.

    The instances of a class are passes; its method `transform_function` is that function.

    Args:
        pass_func: the function or class. Without it, this is a decorator.
        opt_level, required: as of `Pass`.
        name: the pass's name; by default that of the function or class.

    Example:
        >>> import lathe
        >>> @lathe.transform.prim_func_pass(opt_level=0)
        ... def leave(func, module, context):
        ...     return func
    """
    def over_functions(f):
        return lambda module, context: _of_loops(module).with_functions(
            [f(func, module, context) for func in module.functions])

    make = pass_maker(Pass, over_functions, "transform_function", opt_level, name, required)
    return make if pass_func is None else make(pass_func)


def builtin_pass(name):
    """One of lathe's own passes, by name (`lathe.transform.passes()`).

    If called within `with lathe.Target(...):`, it uses that target's element types and limits; else those of
    the target that all functions have (`tir.transform.BindTarget`).

    Raises:
        LatheError: `unknown-pass`, `pass-module-kind`, when the pass is called.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> loops = lathe.lower(te.create_schedule(B.op), [A, B], simple_mode=True)
        >>> "allocate" in str(lathe.transform.builtin_pass("compact_realize")(loops))
        False
    """
    def run(module, context):
        from .target import Target

        target = Target.current() or _target_of_all(_of_loops(module))
        return _get("driver.run_pass", True)(module, name, context.packed(), target)

    return Pass(name, run)


def _of_loops(module):
    """The module, which must be one of loops."""
    if not isinstance(module, _nodes.CLASSES["Module"]):
        kind = "a module of graphs" if isinstance(module, IRModule) else type(module).__name__
        raise LatheTypeError("a pass over loops takes a module of loops", "pass-module-kind",
                             f"expected: a result of `lathe.lower`\nfound: {kind}\n"
                             "help: `relay.transform` has the passes over graphs")
    return module


def _target_of_all(module):
    """The target that all functions of a module have; None if they differ, or one has none."""
    from .target import Target

    found = [function.attrs.get("target") for function in module.functions]
    same = found and all(isinstance(one, Target) and one == found[0] for one in found)
    return found[0] if same else None


def PrintIR(header="", show_meta_data=False):
    """A pass that prints the module and does not change it; useful in a Sequential.

    Args:
        header: printed before the module.
        show_meta_data: no effect: the module's attributes are always part of the text.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> lathe.transform.PrintIR("# nothing yet")(lathe.ir.Module([]))
        ... # doctest: +ELLIPSIS
        # nothing yet
        ...
    """
    def run(module, context):
        if header:
            print(header)
        print(module)
        return module

    return Pass("PrintIR", run)


def ApplyPassToFunction(transform, func_name_regex, error_if_no_function_matches_regex=False):
    """A pass that applies another pass to the functions whose whole names match.

    Args:
        transform: a Pass.
        func_name_regex: a regular expression of Python.
        error_if_no_function_matches_regex: raise ValueError if no function matches.

    Example:
        >>> import lathe
        >>> nothing = lathe.transform.ApplyPassToFunction(lathe.tir.transform.Simplify(), "main")
        >>> len(nothing(lathe.ir.Module([])))
        0
    """
    import re

    pattern = re.compile(func_name_regex)

    def run(module, context):
        chosen = [f for f in module.functions if pattern.fullmatch(f.name)]
        if not chosen:
            if error_if_no_function_matches_regex:
                raise LatheValueError(f"no function of the module matches `{func_name_regex}`",
                                      "no-function-matches",
                                      "expected: one of " + ", ".join(module))
            return module
        made = transform(module.with_functions(chosen))
        changed = {f.name: f for f in made.functions}
        if set(changed) != {f.name for f in chosen}:
            raise LatheValueError(f"pass `{transform.info.name}` adds or drops functions",
                                  "pass-changes-functions", "help: apply it to the whole module")
        return module.with_functions([changed.get(f.name, f) for f in module.functions])

    return Pass("ApplyPassToFunction", run)


def passes():
    """[(name, what it does, stage after it)] for all passes, in order.

    Example:
        >>> import lathe
        >>> "simplify" in [name for name, _, _ in lathe.transform.passes()]
        True
    """
    return [tuple(p) for p in _get("driver.passes")()]


def options():
    """[(name, default, what it does)] for all options.

    Example:
        >>> import lathe
        >>> "unroll.auto_max_step" in [name for name, _, _ in lathe.transform.options()]
        True
    """
    return [tuple(o) for o in _get("driver.options")()]
