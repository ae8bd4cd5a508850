"""relay.frontend.from_pytorch: extents that a run chooses. `tools/try_pytorch` runs these."""

import math

import pytest
import torch
from checks import normal, outputs, same

from lathe import relay


def first(x):
    return x[:, 0]


def second(x):
    return x[:, 1] * 2


def last(x):
    return x[:, -1]


def last_five(x):
    return x[:, -5:]


def but_the_ends(x):
    return x[:, -6:-2]


def half(x):
    return x * (x.shape[1] / 2)


def root(x):
    return x * x.shape[1] ** -0.5


def other_numbers(x):
    return x * (x.shape[1] * 0.5 + 1.5) + x.shape[1] ** 2 - x.shape[1] // 2


def fifth_last(x):
    return x[:, x.shape[1] - 5], x[:, 4 - x.shape[1]]


def modulo(x):
    return x * (x.shape[1] % 2.5), x * (x.shape[1] % 3)


def diagonal(x):
    return x.diagonal()


def diagonal_above(x):
    return x.diagonal(1)


def diagonal_below(x):
    return x.diagonal(-1)


def median(x):
    return x.median(1).values


OPEN = [(first, [8, 3, 1]), (second, [8, 2]), (last, [8, 3, 1]), (last_five, [8, 3, 5]),
        (but_the_ends, [8, 4, 1]), (half, [8, 3]), (root, [8, 3]), (other_numbers, [8, 3]),
        (diagonal, [8, 1, 2]), (diagonal_above, [8, 1, 2]), (diagonal_below, [8, 1]),
        (median, [4, 7]), (fifth_last, [8, 3]), (modulo, [8, 3])]


@pytest.mark.parametrize("form", ["trace", "script"])
@pytest.mark.parametrize("function, extents", OPEN, ids=[one.__name__ for one, _ in OPEN])
def test_open_extents(function, extents, form):
    read = torch.jit.script(function) if form == "script" else \
        torch.jit.trace(function, normal(2, extents[0]), check_trace=False)
    mod, params = relay.frontend.from_pytorch(read, [("x", (2, "n"))])
    for extent in extents:
        x = normal(2, extent)
        same(outputs(mod, params, {"x": x}), function(x))


@pytest.mark.parametrize("function", [last_five, but_the_ends, half, root, other_numbers,
                                      modulo],
                         ids=lambda one: one.__name__)
def test_open_extents_of_programs(function):
    class Model(torch.nn.Module):
        def forward(self, x):
            return function(x)

    program = torch.export.export(Model(), (normal(2, 9),), dynamic_shapes=(
        {1: torch.export.Dim("n", min=7)},))
    mod, params = relay.frontend.from_exported_program(program)
    for extent in (9, 12):
        x = normal(2, extent)
        same(outputs(mod, params, {"x": x}), function(x))


def numbers_of_a_script(x):
    n = x.shape[1]
    return x * math.sqrt(n), x * math.fmod(n - 5, 3), x * (n % 2.5)


def rounded(x):
    return torch.div(x.shape[1] - 5, 2, rounding_mode="trunc") + x, \
        torch.fmod(torch.tensor(x.shape[1] - 5), 3) + x


@pytest.mark.parametrize("function", [numbers_of_a_script, rounded], ids=lambda one: one.__name__)
def test_numbers_of_open_extents(function):
    """Some of these are negative, or no whole numbers."""
    read = torch.jit.script(function) if function is numbers_of_a_script else \
        torch.jit.trace(function, normal(2, 8), check_trace=False)
    mod, params = relay.frontend.from_pytorch(read, [("x", (2, "n"))])
    for extent in (8, 3, 2):
        x = normal(2, extent)
        want = function(x) if function is numbers_of_a_script else read(x)
        same(outputs(mod, params, {"x": x}), want)


def test_writes_to_a_place_that_a_size_says():
    def write(x):
        y = x.clone()
        y[:, x.shape[1] - 5] = 7
        y[:, x.shape[1] - 4] += 1
        return y

    traced = torch.jit.trace(write, normal(2, 8))
    mod, params = relay.frontend.from_pytorch(traced, [("x", (2, "n"))])
    for extent in (8, 4, 3):
        x = normal(2, extent)
        same(outputs(mod, params, {"x": x}), write(x))


def test_writes_to_open_extents():
    def write(x):
        y = x.clone()
        y[:, 0] = 7
        y[:, -1] += 1
        y.t()[:, 1] *= 2
        return y

    traced = torch.jit.trace(write, normal(2, 4))
    mod, params = relay.frontend.from_pytorch(traced, [("x", (2, "n"))])
    for extent in (4, 1):
        x = normal(2, extent)
        same(outputs(mod, params, {"x": x}), write(x))
