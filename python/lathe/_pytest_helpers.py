"""What `lathe.testing` has for tests that pytest runs: fixtures, parameters, reasons to skip."""

import functools
import sys

from .error import LatheTypeError, LatheValueError


def _pytest():
    import pytest

    return pytest


def _fixture_of(values, ids):
    pytest = _pytest()

    @pytest.fixture(params=list(values), ids=ids)
    def one(*_, request):  # an attribute of a class gets the test's instance, too
        return request.param

    return one


def parameter(*values, ids=None, by_dict=None):
    """A fixture with several values: a test that takes its name runs once with each.

    It is a variable of a module, or an attribute of a class of tests, as those of `parameters` and `fixture` are.

    Args:
        values: the values.
        ids: a name for each.
        by_dict: {name: value} instead of both.

    Raises:
        LatheError: `test-parameters`: values and `by_dict` are both given.

    Example:
        >>> import lathe.testing
        >>> size = lathe.testing.parameter(1, 16, 1024)    # doctest: +SKIP
        >>> def test_it(size): ...    # doctest: +SKIP
    """
    if by_dict is not None:
        if values or ids:
            raise LatheValueError("values are given twice", "test-parameters",
                                  "help: leave either `by_dict` or the values and `ids` out")
        ids, values = list(by_dict), list(by_dict.values())
    return _fixture_of(values, ids)


def parameters(*value_sets, ids=None):
    """Fixtures whose values belong together: a test gets one set after the other, not all combinations.

    A test that takes several of them is skipped for combinations of different sets.

    Args:
        value_sets: tuples of equal length.
        ids: a name for each set.

    Returns:
        A fixture for each place in the tuples.

    Raises:
        LatheError: `test-parameters`: the tuples have different lengths.

    Example:
        >>> import lathe.testing
        >>> shape, axis = lathe.testing.parameters(((2, 3), 0), ((4,), -1))    # doctest: +SKIP
        >>> def test_it(shape, axis): ...    # doctest: +SKIP
    """
    pytest = _pytest()
    if len({len(one) for one in value_sets}) > 1:
        raise LatheValueError("the sets of parameters have different lengths", "test-parameters",
                              f"found: {[len(one) for one in value_sets]}")
    group = object()

    def of_place(place):
        @pytest.fixture(params=[_Chosen(group, i, values[place]) for i, values in enumerate(value_sets)],
                        ids=ids or [str(i) for i in range(len(value_sets))])
        def one(*_, request):
            chosen = request.param
            others = getattr(request.node, "callspec", None)
            for other in others.params.values() if others else ():
                if isinstance(other, _Chosen) and other.group is group and other.index != chosen.index:
                    pytest.skip("values of different sets of parameters")
            return chosen.value

        return one

    return [of_place(place) for place in range(len(value_sets[0]) if value_sets else 0)]


class _Chosen:
    def __init__(self, group, index, value):
        self.group, self.index, self.value = group, index, value


def fixture(func=None, *, cache_return_value=False):
    """A decorator: pytest's fixture.

    Args:
        cache_return_value: compute it once for equal parameters, and give each test a copy.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.fixture    # doctest: +SKIP
        ... def data(size): ...
    """
    def make(function):
        return _pytest().fixture(_cached(function) if cache_return_value else function)

    return make if func is None else make(func)


def _cached(function):
    import copy
    import inspect
    import pickle

    kept = {}
    own = list(inspect.signature(function).parameters)[:1] == ["self"]  # of a class: each test has its own instance

    @functools.wraps(function)
    def once(*args, **kwargs):
        try:
            key = pickle.dumps((args[own:], sorted(kwargs.items())))
        except Exception as error:
            raise LatheTypeError("the parameters of a cached fixture must be values for pickle", "test-fixture-type",
                                 f"found: {error}\nhelp: leave `cache_return_value` out") from error
        if key not in kept:
            kept[key] = function(*args, **kwargs)
        return copy.deepcopy(kept[key])

    return once


# What a test may need of a kind of device, as TVM's `support_required`.
_SUPPORT = ("compile-and-run", "compile-only", "optional")


def _skip(condition, reason, cannot_compile=None):
    """A decorator for tests: skips a test if a condition holds. It has the marks themselves as `marks()`.

    Args:
        condition: a function -> bool; None: never.
        reason: what pytest shows.
        cannot_compile: the condition for tests that only compile; the same by default.
    """
    def marks(support_required="compile-and-run"):
        if support_required not in _SUPPORT:
            raise LatheValueError(f"there is no support `{support_required}`", "test-support",
                                  "expected: " + ", ".join(_SUPPORT))
        if support_required == "optional" or condition is None:
            return []
        skips = cannot_compile if support_required == "compile-only" and cannot_compile else condition
        return [_pytest().mark.skipif(skips(), reason=reason)]

    def decorate(test=None, *, support_required="compile-and-run"):
        def mark(function):
            for one in found:
                function = one(function)
            return function

        found = marks(support_required)
        return mark if test is None else mark(test)

    decorate.marks = marks
    decorate.__name__ = "skip_" + reason.replace(" ", "_")
    decorate.__doc__ = f"A decorator for tests. Why it skips one: {reason}."
    return decorate


def requires(kind, reason=None):
    """A decorator for tests that need a device of a kind: "cuda", "opencl", "vulkan", ...

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires("cuda")    # doctest: +SKIP
        ... def test_it(): ...
    """
    from . import testing
    from .runtime import enabled

    return _skip(lambda: not testing.device_enabled(kind), reason or f"no device of the kind {kind}",
                 lambda: not enabled(kind))


def never_here(what):
    """A decorator for tests of something that lathe does not have: they are skipped.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_vitis_ai    # doctest: +SKIP
        ... def test_it(): ...
    """
    return _skip(lambda: True, f"lathe has no {what}")


always_here = _skip(None, "")
always_here.__doc__ = "A decorator for tests of something that lathe always has: it skips none."


def requires_package(*packages):
    """A decorator for tests that import Python packages: skips them if one is not installed.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_package("onnx")    # doctest: +SKIP
        ... def test_it(): ...
    """
    missing = [name for name in packages if not _is_installed(name)]
    return _skip(lambda: bool(missing), "not installed: " + ", ".join(missing))


def _is_installed(name):
    import importlib.util

    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # not even the package that it is in
        return False


def requires_tensorcore():
    """The decorator for tests that need a GPU with tensor cores."""
    def has_none():
        from .contrib import nvcc
        from .runtime.device import cuda

        return not cuda(0).exist or not nvcc.have_tensorcore(cuda(0).compute_version)

    from .runtime import enabled

    return _skip(has_none, "no GPU with tensor cores", lambda: not enabled("cuda"))


def requires_nvcc_version(major_version, minor_version=0, release_version=0):
    """A decorator for tests that need NVIDIA's compiler of at least this version.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_nvcc_version(11, 4)    # doctest: +SKIP
        ... def test_it(): ...
    """
    def too_old():
        from .contrib import nvcc

        try:
            found = nvcc.get_cuda_version()
        except RuntimeError:
            return True
        return found < float(f"{major_version}.{minor_version}")

    return _skip(too_old, f"no CUDA of at least {major_version}.{minor_version}")


def slow(test):
    """A decorator for tests that take long: they run if SKIP_SLOW_TESTS is not set in the environment.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.slow    # doctest: +SKIP
        ... def test_it(): ...
    """
    import os

    return _skip(lambda: bool(os.environ.get("SKIP_SLOW_TESTS")), "SKIP_SLOW_TESTS is set")(test)


def skip_if_32bit(reason):
    """A decorator: skips a test where addresses have 32 bits.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.skip_if_32bit("needs much memory")    # doctest: +SKIP
        ... def test_it(): ...
    """
    return _skip(lambda: sys.maxsize < 2 ** 32, reason)


def skip_if_wheel_test(test):
    """A decorator: skips a test if WHEEL_TEST is set in the environment.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.skip_if_wheel_test    # doctest: +SKIP
        ... def test_it(): ...
    """
    import os

    return _skip(lambda: os.environ.get("WHEEL_TEST", "").lower() in ("1", "true", "yes"), "WHEEL_TEST is set")(test)


def _without(targets, mark):
    """A decorator that applies `mark` to runs of a test whose parameter `target` is one of `targets`."""
    def decorate(test):
        @functools.wraps(test)
        def wrapped(*args, **kwargs):
            target = str(kwargs.get("target", "")).split()
            if target and target[0] in [str(one).split()[0] for one in targets]:
                return mark(lambda: test(*args, **kwargs))
            return test(*args, **kwargs)

        return wrapped

    return decorate


def exclude_targets(*targets):
    """A decorator for tests of a parameter `target`: skips the runs for these targets.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.exclude_targets("cuda")
        ... def test_it(target): ...
    """
    return _without(targets, lambda run: _pytest().skip("this target is excluded"))


def known_failing_targets(*targets):
    """A decorator for tests of a parameter `target`: runs for these targets are expected to fail.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.known_failing_targets("cuda")
        ... def test_it(target): ...
    """
    def mark(run):
        try:
            run()
        except Exception as error:
            _pytest().xfail(f"known to fail: {error}")

    return _without(targets, mark)


def assert_prim_expr_equal(lhs, rhs):
    """Raises AssertionError unless two integer expressions are proved to be equal.

    Example:
        >>> import lathe.testing
        >>> x = lathe.te.var("x")
        >>> lathe.testing.assert_prim_expr_equal(x * 2 + 1, 1 + 2 * x)
    """
    from . import arith

    if not arith.Analyzer().can_prove_equal(lhs, rhs):
        raise AssertionError(f"{lhs} and {rhs} are not proved to be equal")


def check_numerical_grads(function, input_values, grad_values, function_value=None, delta=1e-3, atol=1e-2, rtol=0.1):
    """Raises AssertionError if gradients differ from quotients of differences, measured element by element.

    Args:
        function: arrays by position, or by name if `input_values` is a dict, -> a number or an array,
            whose elements are summed.
        input_values: a list or dict of arrays.
        grad_values: the gradients, in the same form.
        function_value: unused: quotients are taken on both sides of each value.
        delta: the distance to both sides.
        atol, rtol: what may differ: atol and rtol times the gradients' mean square root.

    Example:
        >>> import numpy as np, lathe.testing
        >>> x = np.array([1.0, 2.0])
        >>> lathe.testing.check_numerical_grads(lambda x: (x * x).sum(), [x], [2 * x])
    """
    import numpy as np

    def total(values):
        made = function(**values) if isinstance(values, dict) else function(*values)
        return float(np.sum(made.numpy() if hasattr(made, "numpy") else made))

    named = isinstance(input_values, dict)
    keys = list(input_values) if named else range(len(input_values))
    values = {k: np.array(input_values[k], dtype="float64") for k in keys}
    for key in keys:
        wanted = np.asarray(grad_values[key], dtype="float64")
        found = np.zeros_like(values[key])
        for index in np.ndindex(*found.shape):
            ends = []
            for step in (delta, -delta):
                moved = {k: v.copy() for k, v in values.items()}
                moved[key][index] += step
                cast = {k: v.astype(np.asarray(input_values[k]).dtype) for k, v in moved.items()}
                ends.append(total(cast if named else [cast[k] for k in keys]))
            found[index] = (ends[0] - ends[1]) / (2 * delta)
        distance = np.sqrt(np.mean((found - wanted) ** 2)) if found.size else 0.0
        allowed = atol + rtol * (np.sqrt(np.mean(wanted ** 2)) if wanted.size else 0.0)
        if not distance <= allowed:
            raise AssertionError(f"the gradients of {key!r} are {distance:.3g} from those measured, more than "
                                 f"{allowed:.3g}\nfound: {wanted}\nmeasured: {found}")


def identity_after(x, sleep):
    """`x`, after a time in seconds; for tests of timeouts.

    Example:
        >>> import lathe.testing
        >>> lathe.testing.identity_after(3, 0.0)
        3
    """
    import time

    time.sleep(sleep)
    return x


def terminate_self():
    """Ends this process with status -1; for tests of processes that end.

    Example:
        >>> import lathe.testing
        >>> lathe.testing.terminate_self()    # doctest: +SKIP
    """
    sys.exit(-1)
