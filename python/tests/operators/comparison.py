"""Operators of graphs beside plain NumPy, and beside PyTorch where it is installed.

A file test_<family>.py has a table of cases (`Table`). Every case is a call of an operator with
arrays and attributes. The reference gets the same arrays and attributes, so the defaults of
attributes are compared, too. All calls of a table are compiled as one graph, which costs less than
a graph for each call.

The environment variable LATHE_OPERATORS_TARGET names another target than "llvm", whose first device then runs the
cases: LATHE_OPERATORS_TARGET=cuda.
"""

import os
import warnings

import ml_dtypes
import numpy as np
import pytest

import lathe
from lathe import relay

try:
    import torch
except ImportError:
    torch = None
    warnings.warn("PyTorch is not installed: operators are compared with NumPy only")

bfloat16 = ml_dtypes.bfloat16
TARGET = os.environ.get("LATHE_OPERATORS_TARGET", "llvm")

# How far a result may be from the reference, which computes in float64.
_TOLERANCE = {"float64": 1e-11, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}


def random(*shape, dtype="float32", low=-2.0, high=2.0, seed=0):
    """Evenly distributed numbers of [low, high)."""
    generator = np.random.default_rng([seed, *shape])
    if np.dtype(dtype) == bool:
        return generator.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind in "iu":
        return generator.integers(int(low), int(high), shape).astype(dtype)
    return generator.uniform(low, high, shape).astype(dtype)


def integers(*shape, low=-9, high=9, dtype="int32", seed=0):
    return random(*shape, dtype=dtype, low=low, high=high, seed=seed)


def is_float(array):
    return isinstance(array, np.ndarray) and array.dtype.name in _TOLERANCE


# Relay's builders of these take operands in another order, give the first result only, or have another name.
_CALLED = ("lathe.reinterpret", "nn.pad", "nn.dropout", "qnn.concatenate", "gather", "stft", "image.resize1d",
           "image.resize2d", "image.resize3d", "nn.deformable_conv2d", "vision.all_class_non_max_suppression")


def builder_of(name):
    if name in _CALLED:
        return lambda *args, **attrs: relay.Call(relay.op.get(name), _arrays(list(args)), attrs)
    place = relay
    for part in ("qnn.op." + name[4:] if name.startswith("qnn.") else name).split("."):
        place = getattr(place, part)
    return place


def _arrays(value):
    """The arrays of an argument, a result, or lists of them."""
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in _arrays(item)]
    return [] if value is None else [value]


def _mapped(value, function):
    if isinstance(value, (list, tuple)):
        return [_mapped(item, function) for item in value]
    return None if value is None else function(value)


def _widened(array):
    return array.astype("float64") if is_float(array) else array


class Case:
    """One call, and what it must give.

    Args:
        reference: a function of the arrays and attributes. Floats come as float64, so that it is
            more precise than what it is compared with.
        args: arrays, None for what is left out, and lists of arrays.
        result: the element type of floating results, if it is not that of the first floating
            argument.
        torch: a function of PyTorch's tensors and the attributes that gives the same.
        exact: each bit is compared, and the reference gets the arrays as they are.
        rtol: the tolerance, if it is not that of the type.
    """

    def __init__(self, op, reference, args, attrs, result, torch, exact, rtol):
        self.op, self.reference, self.args, self.attrs = op, reference, args, attrs
        self.torch, self.exact, self.rtol = torch, exact, rtol
        floats = [a.dtype for a in _arrays(args) if is_float(a)]
        self.dtype = np.dtype(result or (floats[0] if floats else "float32"))

    def __str__(self):
        shapes = ",".join(f"{a.dtype}{list(a.shape)}" for a in _arrays(self.args))
        return f"{self.op}({shapes} {self.attrs})".replace(" ", "")

    def expected(self):
        """What the reference gives for float64, in the result's type."""
        args = self.args if self.exact else _mapped(self.args, _widened)
        with np.errstate(all="ignore"):
            result = self.reference(*args, **self.attrs)
            return [a if a.dtype.kind in "iub" or self.exact else a.astype(self.dtype)
                    for a in map(np.asarray, _arrays(result))]

    def check(self, got):
        expected = self.expected()
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            self._compare(one, other)

    def check_with_torch(self, got):
        args = _mapped(self.args, _to_torch)
        result = self.torch(*args, **self.attrs)
        for one, other in zip(got, map(_from_torch, _arrays(result)), strict=True):
            self._compare(one, other.astype(one.dtype))

    def _compare(self, got, expected):
        assert got.dtype == expected.dtype and got.shape == expected.shape, \
            f"{got.dtype}{list(got.shape)}, not {expected.dtype}{list(expected.shape)}"
        wide = [_widened(a) for a in (got, expected)]
        if got.dtype.kind in "iub" or self.exact:
            np.testing.assert_array_equal(*wide)
            return
        tolerance = self.rtol or _TOLERANCE[got.dtype.name]
        finite = np.abs(wide[1][np.isfinite(wide[1])])
        # An element of a sum may be as far away as its terms are precise.
        scale = min(finite.max(initial=1.0), 1.0)
        np.testing.assert_allclose(*wide, rtol=tolerance, atol=tolerance * scale)


def _to_torch(array):
    if array.dtype == bfloat16:
        return torch.from_numpy(array.astype("float32")).bfloat16()
    return torch.from_numpy(np.array(array))


def _from_torch(tensor):
    if tensor.dtype == torch.bfloat16:
        return tensor.float().numpy().astype(bfloat16)
    return tensor.numpy()


class Table:
    """The cases of one file."""

    def __init__(self):
        self.cases = []
        self._results = None

    def add(self, op, reference, args, *, result=None, torch=None, exact=False, rtol=None, **attrs):
        """Adds a case: `op(*args, **attrs)`. The rest: see Case."""
        self.cases.append(Case(op, reference, args, attrs, result, torch, exact, rtol))

    def result(self, number):
        """The results of compiled code of one case."""
        if self._results is None:
            self._results = _run(self.cases)
        if isinstance(self._results[number], Exception):
            raise self._results[number]
        return self._results[number]

    def tests(self):
        """Two test functions: all cases with NumPy, those that PyTorch knows with PyTorch."""
        numbered = list(enumerate(self.cases))

        @pytest.mark.parametrize("number,case", numbered, ids=lambda c: str(c))
        def test_numpy(number, case):
            case.check(self.result(number))

        @pytest.mark.skipif(torch is None, reason="PyTorch is not installed")
        @pytest.mark.parametrize("number,case", [(i, c) for i, c in numbered if c.torch],
                                 ids=lambda c: str(c))
        def test_torch(number, case):
            case.check_with_torch(self.result(number))

        return test_numpy, test_torch


def _run(cases):
    """The results of all cases; an exception in the place of those of a case that has none."""
    try:
        return _run_as_one(cases)
    except Exception as error:  # pylint: disable=broad-except
        if len(cases) == 1:
            return [error]
    return [result for case in cases for result in _run([case])]


def _run_as_one(cases):
    params, values, results, counts = [], [], [], []

    def parameter(array):
        params.append(relay.var(f"p{len(params)}", shape=array.shape, dtype=array.dtype.name))
        values.append(array)
        return params[-1]

    for case in cases:
        call = builder_of(case.op)(*_mapped(case.args, parameter), **case.attrs)
        call = call.astuple() if hasattr(call, "astuple") else call
        kind = call.checked_type
        # A tensor is one result.
        count = len(kind.fields) if isinstance(kind, relay.TupleType) else None
        counts.append(count or 1)
        results += [call] if count is None else [call[i] for i in range(count)]
    function = relay.Function(params, relay.Tuple(results))
    with lathe.transform.PassContext(opt_level=0):
        module = lathe.IRModule.from_expr(function)
        got = relay.create_executor("graph", module, lathe.device(TARGET), TARGET).evaluate()(*values)
    got = [one.numpy() for one in (got if isinstance(got, list) else [got])]
    ends = np.cumsum(counts)
    return [got[end - count:end] for end, count in zip(ends, counts)]
