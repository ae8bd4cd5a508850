"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

def always_here(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests of something that lathe always has: it skips none."""

def assert_prim_expr_equal(lhs: Any, rhs: Any) -> Any:
    """Raises AssertionError unless two integer expressions are proved to be equal.

    Example:
        >>> import lathe.testing
        >>> x = lathe.te.var("x")
        >>> lathe.testing.assert_prim_expr_equal(x * 2 + 1, 1 + 2 * x)
    """

def check_numerical_grads(function: Any, input_values: Any, grad_values: Any, function_value: Any = ..., delta: Any = ..., atol: Any = ..., rtol: Any = ...) -> Any:
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

def exclude_targets(*targets: Any) -> Any:
    """A decorator for tests of a parameter `target`: skips the runs for these targets.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.exclude_targets("cuda")
        ... def test_it(target): ...
    """

def fixture(func: Any = ..., *, cache_return_value: Any = ...) -> Any:
    """A decorator: pytest's fixture.

    Args:
        cache_return_value: compute it once for equal parameters, and give each test a copy.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.fixture    # doctest: +SKIP
        ... def data(size): ...
    """

def identity_after(x: Any, sleep: Any) -> Any:
    """`x`, after a time in seconds; for tests of timeouts.

    Example:
        >>> import lathe.testing
        >>> lathe.testing.identity_after(3, 0.0)
        3
    """

def known_failing_targets(*targets: Any) -> Any:
    """A decorator for tests of a parameter `target`: runs for these targets are expected to fail.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.known_failing_targets("cuda")
        ... def test_it(target): ...
    """

def never_here(what: Any) -> Any:
    """A decorator for tests of something that lathe does not have: they are skipped.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_vitis_ai    # doctest: +SKIP
        ... def test_it(): ...
    """

def parameter(*values: Any, ids: Any = ..., by_dict: Any = ...) -> Any:
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

def parameters(*value_sets: Any, ids: Any = ...) -> Any:
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

def requires(kind: Any, reason: Any = ...) -> Any:
    """A decorator for tests that need a device of a kind: "cuda", "opencl", "vulkan", ...

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires("cuda")    # doctest: +SKIP
        ... def test_it(): ...
    """

def requires_nvcc_version(major_version: Any, minor_version: Any = ..., release_version: Any = ...) -> Any:
    """A decorator for tests that need NVIDIA's compiler of at least this version.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_nvcc_version(11, 4)    # doctest: +SKIP
        ... def test_it(): ...
    """

def requires_package(*packages: Any) -> Any:
    """A decorator for tests that import Python packages: skips them if one is not installed.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_package("onnx")    # doctest: +SKIP
        ... def test_it(): ...
    """

def requires_tensorcore() -> Any:
    """The decorator for tests that need a GPU with tensor cores."""

def skip_if_32bit(reason: Any) -> Any:
    """A decorator: skips a test where addresses have 32 bits.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.skip_if_32bit("needs much memory")    # doctest: +SKIP
        ... def test_it(): ...
    """

def skip_if_wheel_test(test: Any) -> Any:
    """A decorator: skips a test if WHEEL_TEST is set in the environment.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.skip_if_wheel_test    # doctest: +SKIP
        ... def test_it(): ...
    """

def slow(test: Any) -> Any:
    """A decorator for tests that take long: they run if SKIP_SLOW_TESTS is not set in the environment.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.slow    # doctest: +SKIP
        ... def test_it(): ...
    """

def terminate_self() -> Any:
    """Ends this process with status -1; for tests of processes that end.

    Example:
        >>> import lathe.testing
        >>> lathe.testing.terminate_self()    # doctest: +SKIP
    """
