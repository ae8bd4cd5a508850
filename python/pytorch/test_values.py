"""relay.frontend.from_pytorch: single operators at their edges. `tools/try_pytorch` runs these."""

import math

import pytest
import torch
from checks import F, check, normal, outputs

from lathe import relay

inf, nan = math.inf, math.nan
T = torch.tensor


def same_here(function, *tensors, rtol=1e-4, atol=1e-5):
    """As `check`; NaN is equal to NaN."""
    expected = function(*tensors)
    traced = torch.jit.trace(function, tensors, check_trace=False)
    infos = [(f"x{i}", (tuple(one.shape), str(one.dtype).removeprefix("torch.")))
             for i, one in enumerate(tensors)]
    mod, params = relay.frontend.from_pytorch(traced, infos)
    found = outputs(mod, params, {f"x{i}": one for i, one in enumerate(tensors)})
    expected = expected if isinstance(expected, tuple) else (expected,)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=rtol, atol=atol, equal_nan=True)


EDGES = T([nan, inf, -inf, 0.0, -1.5, 2.0])
SPECIAL = {
    "logcumsumexp": lambda: (lambda x: torch.logcumsumexp(x, 0), T([-200.0, 0.0, 5.0, 300.0, -inf])),
    "logcumsumexp nan": lambda: (lambda x: torch.logcumsumexp(x, 0), T([1.0, -inf, nan, 2.0])),
    "logcumsumexp rows": lambda: (lambda x: torch.logcumsumexp(x, 1), normal(2, 13, 3) * 50),
    "median": lambda: (lambda x: (*x.median(0), *x.median(1, keepdim=True)),
                       T([[1.0, nan, 3.0], [nan, 5.0, 2.0], [0.0, 7.0, 7.0], [2.0, nan, 2.0]])),
    "nan_to_num half": lambda: (torch.nan_to_num, EDGES.half()),
    "nan_to_num bfloat16": lambda: (torch.nan_to_num, EDGES.bfloat16()),
    "cumsum half": lambda: (lambda x: x.cumsum(0, dtype=torch.float16), torch.ones(5000)),
    "sign": lambda: (torch.sign, EDGES),
    "heaviside": lambda: (torch.heaviside, EDGES, EDGES.flip(0)),
    "hypot": lambda: (torch.hypot, T([nan, inf, nan, 3.0, 0.0]), T([inf, nan, 1.0, -4.0, 0.0])),
    "var": lambda: (lambda x: (torch.var(x, 0, correction=3), torch.std(x, 0, correction=2),
                               torch.var(x * 0, 0, correction=3)), T([1.0, 2.0])),
    "var of one": lambda: (lambda x: (torch.var(x, 1), torch.var(x, 1, correction=0)), normal(3, 1)),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_edges(name):
    same_here(*SPECIAL[name]())


def test_great_arguments_of_erfc():
    x = T([-1.0, 0.5, 1.9, 2.1, 3.0, 5.0, 8.0, inf, nan])
    same_here(torch.erfc, x, rtol=1e-4, atol=0)
    same_here(torch.erfc, x.double(), rtol=1e-11, atol=0)


def test_constants_of_selu():
    same_here(F.selu, normal(9).double(), rtol=1e-14, atol=0)


def test_numbers_that_wrap():
    same_here(lambda x: (x > 300, x == -1, x < -1), T([0, 100, 255], dtype=torch.uint8))


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_unsigned_types(dtype):
    check(lambda x: x.to(getattr(torch, dtype)), T([0, 1, 65535]))
    check(lambda x: x.to(torch.int64) + 1, T([0, 1, 65535]).to(getattr(torch, dtype)))


def test_attention_of_values_for_all_batches():
    check(lambda q, v: F.scaled_dot_product_attention(q, q, v[:1]), normal(2, 4, 5, 8),
          normal(2, 4, 5, 6))
