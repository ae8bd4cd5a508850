"""relay.frontend.from_pytorch: what it refuses, and how. `tools/try_pytorch` runs these."""

import pytest
import torch
from checks import IMAGE, F, nn, outputs, residual_net, same

import lathe
from lathe import relay


class Odd(nn.Module):
    def forward(self, x):
        return torch.special.bessel_j0(x) + torch.mode(x)[0] + torch.mode(x * 2)[0] + torch.relu(x)


def test_all_unsupported_operators_are_listed():
    traced = torch.jit.trace(Odd(), torch.randn(4, 4))
    with pytest.raises(lathe.LatheError) as raised:
        relay.frontend.from_pytorch(traced, [("x", (4, 4))])
    text = str(raised.value)
    assert raised.value.name == "pytorch-unsupported"
    assert "2 x aten::mode" in text and "1 x aten::special_bessel_j0" in text
    assert "custom_convert_map" in text


def test_custom_conversions():
    class Model(nn.Module):
        def forward(self, x):
            return torch.special.airy_ai(x) + torch.relu(x)

    seen = []

    def airy(inputs, input_types):
        seen.append((len(inputs), input_types))
        return relay.exp(inputs[0])

    traced = torch.jit.trace(Model(), torch.randn(3))
    mod, params = relay.frontend.from_pytorch(
        traced, [("x", (3,))], {"aten::special_airy_ai": airy})
    x = torch.randn(3)
    same(outputs(mod, params, {"x": x}), torch.exp(x) + torch.relu(x))
    assert seen == [(1, ["float32"])]
    for wrong, name, said in (
            (3, "pytorch-custom", "custom_convert_map"),
            (lambda inputs, types: "no", "pytorch-custom", "gives no expression"),
            (lambda inputs, types: inputs[1], "pytorch-operands", "IndexError")):
        with pytest.raises(lathe.LatheError, match=said) as raised:
            relay.frontend.from_pytorch(traced, [("x", (3,))], {"aten::special_airy_ai": wrong})
        assert raised.value.name == name


@pytest.mark.parametrize("wrong, name, said", [
    ([("x", (1, 3, 32, 32)), ("y", (1,))], "pytorch-inputs", "expected: 1"),
    ([], "pytorch-inputs", "expected: 1"),
    ("x", "pytorch-inputs", "list"),
    ([(1, 2)], "pytorch-inputs", "name, shape"),
    ([("x", (1, 4, 32, 32))], "graph-argument", "aten::_convolution"),
    ([("x", (3,))], "graph-argument", "aten::_convolution"),
])
def test_wrong_inputs(wrong, name, said):
    traced = torch.jit.trace(residual_net(), IMAGE)
    with pytest.raises(lathe.LatheError) as raised:
        relay.frontend.from_pytorch(traced, wrong)
    assert raised.value.name == name and said in str(raised.value), str(raised.value)


def test_wrong_models():
    for model in (residual_net(), nn.ReLU(), "path.pt", None):
        with pytest.raises(TypeError, match="torch.jit.trace") as raised:
            relay.frontend.from_pytorch(model, [("x", (1,))])
        assert raised.value.name == "pytorch-module-type"
    with pytest.raises(TypeError):
        relay.frontend.from_exported_program(torch.jit.trace(nn.ReLU(), torch.ones(1)))

    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x):
            self.count += 1
            return x + self.count

    with pytest.raises(lathe.LatheError, match="count") as raised:
        relay.frontend.from_pytorch(torch.export.export(Counter(), (torch.ones(1),)), [("x", (1,))])
    assert raised.value.name == "pytorch-state"
    program = torch.export.export(nn.ReLU(), (torch.ones(2, 3),))
    with pytest.raises(lathe.LatheError, match="does not fit") as raised:
        relay.frontend.from_exported_program(program, [("x", (2, 4))])
    assert raised.value.name == "pytorch-inputs"


def test_decompositions_need_fixed_shapes():
    traced = torch.jit.trace(lambda x: torch.diff(x), torch.ones(2, 2))
    with pytest.raises(ValueError) as raised:
        relay.frontend.from_pytorch(traced, [("x", ("n", 2))])
    assert raised.value.name == "pytorch-decomposition"


def writes_twice_to_an_element(x):
    y = x + 1
    y.as_strided((2, 2), (1, 1)).mul_(2)
    return y


def rows_or_all(x):
    if bool(x.sum() > 0):
        y = x[:1]
    else:
        y = x
    return y


def grows(x):
    while bool(x.sum() < 10):
        x = torch.cat([x, x])
    return x


def takes_matrices(x):
    if x.dim() == 2:
        raise ValueError("no matrices")
    return x


def row_of_none(x):
    return x[7]


def says(x):
    return "a text"


def drops(x):
    return F.dropout(x, 0.5, True)


def classes(x):
    return F.one_hot(x.long(), -1)


def complex_numbers(x):
    return x.to(torch.complex64)


def cubic_norm(x):
    return torch.linalg.norm(x, 3)


@pytest.mark.parametrize("function, name", [
    (writes_twice_to_an_element, "pytorch-write"), (rows_or_all, "pytorch-branch"),
    (grows, "pytorch-loop"), (takes_matrices, "pytorch-raises"), (row_of_none, "pytorch-axis"),
    (says, "pytorch-result"), (drops, "pytorch-training"), (classes, "pytorch-value-needed"),
    (complex_numbers, "pytorch-type"), (cubic_norm, "pytorch-value"),
])
def test_what_graphs_cannot_say(function, name):
    with pytest.raises(ValueError) as raised:
        relay.frontend.from_pytorch(torch.jit.script(function), [("x", (2, 2))])
    assert raised.value.name == name, str(raised.value)
