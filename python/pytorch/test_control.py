"""relay.frontend.from_pytorch: branches, loops and writes. `tools/try_pytorch` runs these."""

from typing import List, Optional

import pytest
import torch
from checks import check, nn, outputs, same

import lathe
from lathe import relay


class Steps(nn.Module):
    def forward(self, x, n: int = 3):
        parts = []
        for i in range(n):
            if i % 2 == 0:
                parts.append(x * i)
            else:
                parts.append(x - i)
        return torch.cat(parts, dim=1), len(parts)


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() > 0:
            y = self.a(x)
        else:
            y = self.b(x) * 2
        return y + 1


class While(nn.Module):
    def forward(self, x, limit):
        rounds = torch.zeros((), dtype=torch.int64)
        while bool(x.abs().max() < limit):
            x = x * 2
            if bool(rounds > 2):
                x = x + 1
            rounds = rounds + 1
        return x, rounds


class Counted(nn.Module):
    def forward(self, x, times):
        for i in range(int(times)):
            x = x + i
        return x


class Pairs(nn.Module):
    def forward(self, x):
        pair = (x + 1, [x * 2, x - 3])
        first, others = pair
        found = {"sum": first + others[0], "rest": others[1]}
        if x.dim() == 2 and x.size(1) == 4:
            found["more"] = first.t()
        return found["sum"], found["rest"], found["more"]


def test_loops_that_are_unrolled():
    model = torch.jit.script(Steps())
    mod, params = relay.frontend.from_pytorch(
        torch.jit.trace(lambda x: Steps()(x, 4)[0], torch.randn(2, 3)), [("x", (2, 3))])
    x = torch.randn(2, 3)
    same(outputs(mod, params, {"x": x}), Steps()(x, 4)[0])
    with pytest.raises(lathe.LatheError, match="no tensor"):
        relay.frontend.from_pytorch(model, [("x", (2, 3)), ("n", ())])


def test_branches():
    torch.manual_seed(7)
    model = Branch().eval()
    mod, params = relay.frontend.from_pytorch(torch.jit.script(model), [("x", (2, 4))])
    for x in (torch.ones(2, 4), -torch.ones(2, 4)):
        same(outputs(mod, params, {"x": x}), model(x).detach())


def test_loops_of_a_run():
    mod, params = relay.frontend.from_pytorch(torch.jit.script(While()),
                                              [("x", (3,)), ("limit", ())])
    for limit in (0.5, 100.0):
        x, limit = torch.tensor([1.0, -1.5, 0.25]), torch.tensor(limit)
        same(outputs(mod, params, {"x": x, "limit": limit}), While()(x, limit))
    mod, params = relay.frontend.from_pytorch(torch.jit.script(Counted()),
                                              [("x", (3,)), ("times", ((), "int64"))])
    for times in (0, 5):
        x, times = torch.randn(3), torch.tensor(times)
        same(outputs(mod, params, {"x": x, "times": times}), Counted()(x, times))


def test_tuples_lists_dicts():
    check(Pairs(), torch.randn(2, 4), form="script")


def test_cond():
    class Model(nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))

    program = torch.export.export(Model(), (torch.ones(3),))
    mod, params = relay.frontend.from_pytorch(program, [("x", (3,))])
    for x in (torch.ones(3), -torch.ones(3)):
        same(outputs(mod, params, {"x": x}), Model()(x))


def test_while_loop():
    from torch._higher_order_ops.while_loop import while_loop

    class Model(nn.Module):
        def forward(self, i, x):
            return while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 2 + i), (i, x))

    program = torch.export.export(Model(), (torch.tensor(0), torch.ones(3)))
    mod, params = relay.frontend.from_exported_program(program, [("i", ()), ("x", (3,))])
    for i in (0, 3, 7):
        i, x = torch.tensor(i), torch.randn(3)
        same(outputs(mod, params, {"i": i, "x": x}), Model()(i, x))


def test_writes():
    class Model(nn.Module):
        def forward(self, x):
            y = torch.zeros(3, 4)
            y[1] = x[0]
            y[:, 2:] += 5
            y[:, 0].mul_(3).add_(1)
            x = x.clone()
            x.clamp_(min=0)
            z = torch.ones(2, 3)
            row, turned = z[0], z.t()
            z.mul_(2)
            turned[2] = 7
            return y, x, z, row + 1, turned

    for form in ("trace", "script", "export"):
        check(Model(), torch.randn(2, 4), form=form)


def writes_in_an_arm(x):
    y = x.clone()
    if bool(x.sum() > 0):
        y.add_(1)
    return y


def writes_in_both_arms(x):
    y, z = x.clone(), torch.zeros(4)
    row = z[:2]
    if bool(x.sum() > 0):
        y[0] = 9.0
    else:
        row[1] = 8.0
        z.copy_(x)
    return y, z, row


def appends_in_both_arms(x):
    out: List[torch.Tensor] = [x]
    same = out
    if bool(x.sum() > 0):
        out.append(x * 2)
    else:
        out.append(x * 3)
    same.append(x)
    return out[1], out[2]


def writes_in_rounds(x):
    y, i = torch.zeros(4), 0
    half = y[:2]
    while bool((x.abs() * i).sum() < 20):
        y += x
        half.mul_(2)
        i += 1
    return y, half, i


def writes_in_counted_rounds(x):
    y, z = torch.zeros(4), torch.zeros(4)
    for i in range(int(x[2])):
        y.add_(x * i)
        if i == 1:
            z.copy_(y)
    return y, z


def writes_to_what_an_arm_hands_on(x):
    y = x.clone()
    row = y[:2]
    if bool(x.sum() > 0):
        z = y
    else:
        z = y * 2
    z.add_(1)
    row.mul_(3)
    return y, row, z


def breaks_and_goes_on(x):
    s = x
    for i in range(10):
        if bool(s.sum() > 50):
            break
        if bool(s[0] < 0):
            continue
        s = s * 2
    return s


@pytest.mark.parametrize("function", [
    writes_in_an_arm, writes_in_both_arms, appends_in_both_arms, writes_in_rounds,
    writes_in_counted_rounds, writes_to_what_an_arm_hands_on, breaks_and_goes_on], ids=lambda one: one.__name__)
def test_writes_in_branches_and_loops(function):
    mod, params = relay.frontend.from_pytorch(torch.jit.script(function), [("x", (4,))])
    for x in (torch.tensor([1.0, -2.0, 3.0, 4.0]), torch.tensor([-1.0, 2.0, -3.0, -4.0])):
        same(outputs(mod, params, {"x": x}), function(x))


def asks_for_the_type(x):
    if x.dtype == torch.float32:
        x = x * 2
    if x.dtype == torch.int64:
        x = x * 3
    return x.to(x.dtype) + torch.zeros(2, dtype=x.dtype)


def nested_lists(x):
    return x + torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1.5], [2.0]])


def sorted_numbers(x):
    numbers, others = [3, 1, 2], [0.5, 2.5]
    numbers.sort()
    others.sort(reverse=True)
    again = sorted([5, 4])
    again.reverse()
    again.insert(0, numbers[0])
    return x * numbers[0] + others[0] + again[1] * again[0]


@pytest.mark.parametrize("function", [asks_for_the_type, nested_lists, sorted_numbers],
                         ids=lambda one: one.__name__)
def test_what_scripts_say(function):
    check(torch.jit.script(function), torch.randn(2, 2), form="script")


def none_or_a_tensor(x):
    y: Optional[torch.Tensor] = None
    if bool(x[0] > 0):
        y = x * 2
    return x if y is None else x + y


def longer_in_one_arm(x):
    out: List[torch.Tensor] = [x]
    if bool(x.sum() > 0):
        out.append(x)
    return out[len(out) - 1]


@pytest.mark.parametrize("function", [none_or_a_tensor, longer_in_one_arm])
def test_branches_that_graphs_do_not_have(function):
    with pytest.raises(ValueError) as raised:
        relay.frontend.from_pytorch(torch.jit.script(function), [("x", (4,))])
    assert raised.value.name == "pytorch-branch"
