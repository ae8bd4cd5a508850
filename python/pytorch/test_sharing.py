"""relay.frontend.from_pytorch: names, lists and dicts that have one tensor, or views of it, after
branches and loops. `tools/try_pytorch` runs these.
"""

from typing import Dict, List

import pytest
import torch
from checks import outputs, same
from programs import Program

import lathe
from lathe import relay

INPUTS = [torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[-1.0, 2.0], [-3.0, -4.0]])]
TIMES = (0, 1, 3)


def arm_or_before(x):
    y = x.clone()
    w = y * 1
    if bool(x.sum() > 0):
        w = y
    y.mul_(3)
    return w, y


def one_of_two_write_y(x):
    y, z = x.clone(), x * 2
    if bool(x.sum() > 0):
        w = y
    else:
        w = z
    y.mul_(3)
    return w, y, z


def one_of_two_write_z(x):
    y, z = x.clone(), x * 2
    if bool(x.sum() > 0):
        w = y
    else:
        w = z
    z.mul_(3)
    return w, y, z


def one_of_two_write_w(x):
    y, z = x.clone(), x * 2
    if bool(x.sum() > 0):
        w = y
    else:
        w = z
    row = w[0]
    row.mul_(3)
    return w, y, z, row


def views_of_arms_write_base(x):
    y = x.clone()
    if bool(x.sum() > 0):
        w = y[0]
    else:
        w = y[1]
    y.mul_(3)
    return w, y


def views_of_arms_write_view(x):
    y = x.clone()
    if bool(x.sum() > 0):
        w = y[0]
    else:
        w = y.t()[1]
    w.mul_(3)
    return w, y


def views_of_what_an_arm_makes(x):
    y = x.clone()
    if bool(x.sum() > 0):
        z = y * 2
        a, b = z[0], z[1]
        if bool(x[0, 0] > 5):
            a = y[0]
    else:
        a, b = y[0], y[0]
    a.add_(1)
    b.mul_(2)
    return a, b, y


def two_names_of_an_arm(x):
    y, z = x.clone(), x.clone()
    if bool(x.sum() > 0):
        t = y * 2
        a, b = t, t
    else:
        a, b = y, z
    a.add_(1)
    return a, b, y, z


def nested_arms(x):
    y = x.clone()
    w = y.t()
    if bool(x.sum() > 0):
        if bool(x[0, 0] > 0):
            w = y
        else:
            w = w[:, :1]
            y.add_(1)
            w = y + w
    y[0] = 7.0
    w.mul_(2)
    return w, y


def writes_in_arms_to_a_choice(x):
    y, z = x.clone(), x * 2
    w = y
    if bool(x.sum() > 0):
        w = z
    if bool(x[0, 0] > 0):
        w.add_(1)
    else:
        z.mul_(2)
    return w, y, z


def items_of_a_list(x):
    y = x.clone()
    rows = [y[0], y[1]]
    rows[0].mul_(3)
    y.add_(1)
    return rows[0], rows[1], y


def items_of_another_list(x):
    rows = list(x.clone().unbind(0))
    other = [rows[1], rows[0]]
    other[0].add_(1)
    rows[1] = other[1]
    rows[1].mul_(2)
    return rows[0], rows[1], other[0], other[1]


def items_of_a_dict(x):
    y = x.clone()
    d: Dict[str, List[torch.Tensor]] = {"a": [y], "b": [y * 2]}
    d["a"][0].mul_(3)
    d["b"].append(y[0])
    d["b"][1].add_(1)
    y.add_(1)
    return y, d["a"][0], d["b"][1]


def tuples_in_a_list(x):
    y = x.clone()
    pairs = [(y, y[0]), (y * 2, y[1])]
    pairs[0][1].mul_(3)
    a, b = pairs[1]
    b.add_(1)
    a.sub_(1)
    return y, pairs[0][0], pairs[1][0], pairs[1][1]


def list_of_rounds(x):
    y = x.clone()
    rows: List[torch.Tensor] = []
    for i in range(2):
        rows.append(y[i])
    y.mul_(2)
    rows[1].add_(1)
    for row in rows:
        row.sub_(3)
    return y, rows[0], rows[1], torch.stack(rows)


def longer_in_place(x):
    rows = [x]
    same_list = rows
    rows += [x * 2]
    rows[1].add_(1)
    lists = [rows]
    lists[0].append(x * 3)
    return same_list[1], same_list[2], rows[1]


def list_items_in_arms(x):
    y = x.clone()
    rows = [y[0], y[1]]
    if bool(x.sum() > 0):
        rows[0].add_(1)
        rows[1] = y[0]
    else:
        y.mul_(2)
    rows[1].mul_(3)
    return y, rows[0], rows[1]


def swapped_items(x):
    y, z = x.clone(), x + 1
    rows = [y, z]
    if bool(x.sum() > 0):
        rows = [z, y]
    rows[0].add_(1)
    return y, z, rows[0], rows[1]


def changed_list_of_an_arm(x):
    one, other = [x + 1, x + 2], [x * 2, x * 3]
    if bool(x.sum() > 0):
        other = one
        other[1] = x * 5
    return one[1], other[0], other[1]


def written_in_rounds_by_another_name(x):
    y, i = x.clone(), 0
    w = y
    row = w[0]
    while bool((x.abs() * i).sum() < 20):
        w.add_(1)
        if i == 1:
            row.mul_(2)
        i += 1
    return y, w, row


def copy_of_a_transposed_one(x):
    z = x.t() * 2
    flat = z.reshape(-1)
    flat.mul_(3)
    return flat


def whole_of_what_arms_make(x):
    y = x.clone()
    if bool(x.sum() > 0):
        y = y + 1
    else:
        y = y * 2
    y.reshape(-1)[1] = 5.0
    y.contiguous().add_(1)
    return y


def wholes(x):
    y = x.clone()
    torch.positive(y).add_(1)
    y.resolve_conj().mul_(2)
    return y


def at_a_computed_place(x):
    y = x.clone()
    y[int(x.argmax()) % 2] = 9.0
    y[:, int(x[0].argmin())].add_(1)
    return y


def view_at_the_place_of_an_arm(x):
    y = x.clone()
    w = y[0]
    if bool(x.sum() > 0):
        place = int(x.argmax()) % 2
        w = y[place]
    w.mul_(3)
    return y


FOLLOWED = [
    arm_or_before, one_of_two_write_y, one_of_two_write_z, one_of_two_write_w,
    views_of_arms_write_base, views_of_arms_write_view, views_of_what_an_arm_makes,
    two_names_of_an_arm, nested_arms, writes_in_arms_to_a_choice, items_of_a_list,
    items_of_another_list, items_of_a_dict, tuples_in_a_list, list_of_rounds, longer_in_place,
    list_items_in_arms, swapped_items, changed_list_of_an_arm, written_in_rounds_by_another_name, wholes,
    whole_of_what_arms_make, copy_of_a_transposed_one,
    at_a_computed_place, view_at_the_place_of_an_arm]


@pytest.mark.parametrize("function", FOLLOWED, ids=lambda one: one.__name__)
def test_writes_are_followed(function):
    mod, params = relay.frontend.from_pytorch(torch.jit.script(function), [("x", (2, 2))])
    for x in (*INPUTS, INPUTS[0].flip(0), -INPUTS[0]):
        same(outputs(mod, params, {"x": x}), function(x.clone()))


def view_of_a_round(x):
    y, i = x.clone(), 0
    w = y[0]
    while bool(x.abs().sum() + i < 12):
        w = y[1]
        i += 1
    y.mul_(3)
    return w


def written_view_of_a_round(x):
    y, i = x.clone(), 0
    w = y[0]
    while bool(x.abs().sum() + i < 12):
        w = y[1]
        i += 1
    w.mul_(3)
    return y


def swapped_in_rounds(x):
    a, b, i = x.clone(), x * 2, 0
    while bool(x.abs().sum() + i < 12):
        a, b = b, a
        a.add_(1)
        i += 1
    return a, b


def copy_or_view(x):
    y = x.clone()
    if bool(x.sum() > 0):
        y = y.t()
    z = y * 2
    z.contiguous().add_(1)  # a copy if that of the sum lies as y.t() does
    return z


def one_of_two_lists(x):
    one, other = [x], [x * 2]
    if bool(x.sum() > 0):
        chosen = one
    else:
        chosen = other
    chosen.append(x * 3)
    return one[len(one) - 1]


@pytest.mark.parametrize("function", [
    view_of_a_round, written_view_of_a_round, swapped_in_rounds,
    copy_or_view, one_of_two_lists], ids=lambda one: one.__name__)
def test_what_cannot_be_followed_is_refused(function):
    with pytest.raises(lathe.LatheError) as raised:
        relay.frontend.from_pytorch(torch.jit.script(function), [("x", (2, 2))])
    assert raised.value.name == "pytorch-write", str(raised.value)


def views_of_rounds_without_writes_afterwards(x):
    y, i = x.clone(), 0
    w, z = y[0], y * 1
    while bool(x.abs().sum() + i < 12):
        y.add_(1)
        w = y[1]
        z = w + z
        i += 1
    z.mul_(2)
    return w, y, z


def test_loops_that_make_views():
    function = views_of_rounds_without_writes_afterwards
    mod, params = relay.frontend.from_pytorch(torch.jit.script(function), [("x", (2, 2))])
    for x in (*INPUTS, INPUTS[0] * 9):
        same(outputs(mod, params, {"x": x}), function(x.clone()))


@pytest.mark.parametrize("seed", range(60))
def test_programs_by_chance(seed, tmp_path):
    """What is imported computes what PyTorch does; what cannot be followed is refused by name."""
    function = Program(seed).function(tmp_path)
    try:
        expected = [(x, n, function(x.clone(), torch.tensor(n))) for x in INPUTS for n in TIMES]
    except RuntimeError:  # a view that tensors which lie in another order do not have
        pytest.skip("PyTorch cannot run this program")
    try:
        mod, params = relay.frontend.from_pytorch(
            torch.jit.script(function), [("x", (2, 2)), ("times", ((), "int64"))])
    except lathe.LatheError as error:
        assert error.name in ("pytorch-write", "pytorch-branch"), str(error)
        return
    for x, n, wanted in expected:
        same(outputs(mod, params, {"x": x.clone(), "times": torch.tensor(n)}), wanted)
