"""relay.frontend.from_pytorch: `tools/try_pytorch` runs these."""

import os
import pathlib
import warnings

import numpy as np
import pytest
import torch

import lathe
from lathe import relay
from lathe.contrib import graph_executor

nn, F = torch.nn, torch.nn.functional
warnings.filterwarnings("ignore", category=DeprecationWarning)
warnings.filterwarnings("ignore", category=FutureWarning)
warnings.filterwarnings("ignore", category=torch.jit.TracerWarning)


def outputs(mod, params, inputs):
    """The results of a graph that is compiled at level 3."""
    with lathe.transform.PassContext(opt_level=3):
        lib = relay.build(mod, "llvm", params=params)
    m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    for name, one in inputs.items():
        m.set_input(name, lathe.from_dlpack(one.contiguous()))
    m.run()
    return [torch.from_dlpack(m.get_output(i)).clone() for i in range(m.get_num_outputs())]


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [one for item in value for one in leaves(item)]
    return [torch.as_tensor(value)]


def same(found, expected, rtol=1e-4, atol=1e-5):
    expected = leaves(expected)
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        torch.testing.assert_close(one, other, rtol=rtol, atol=atol)


def infos(tensors):
    return [(f"x{i}", (tuple(one.shape), str(one.dtype).removeprefix("torch.")))
            for i, one in enumerate(tensors)]


def check(model, *tensors, form="trace", rtol=1e-4, atol=1e-5):
    """Imports a model, runs it, compares it with PyTorch; returns (mod, params)."""
    model = model.eval() if isinstance(model, nn.Module) else model
    with torch.no_grad():
        expected = model(*[one.clone() for one in tensors])
        if form == "trace":
            read = torch.jit.trace(model, tuple(one.clone() for one in tensors))
        elif form == "script":
            read = torch.jit.script(model)
        else:
            read = torch.export.export(model, tuple(tensors))
        mod, params = relay.frontend.from_pytorch(read, infos(tensors))
    named = {f"x{i}": one for i, one in enumerate(tensors)}
    same(outputs(mod, params, named), expected, rtol, atol)
    return mod, params


# -- Models.


class Residual(nn.Module):
    def __init__(self, width, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(width // stride, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.short = nn.Conv2d(width // stride, width, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += self.short(x)
        return F.relu(y)


def residual_net():
    torch.manual_seed(1)
    return nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
                         nn.MaxPool2d(3, 2, 1), Residual(8), Residual(16, 2),
                         nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(16, 10)).eval()


class Inverted(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        wide = inside * 4
        self.layers = nn.Sequential(
            nn.Conv2d(inside, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(inplace=True),
            nn.Conv2d(wide, wide, 3, 1, 1, groups=wide, bias=False), nn.BatchNorm2d(wide),
            nn.Hardswish(), nn.Conv2d(wide, outside, 1, bias=False), nn.BatchNorm2d(outside))
        self.add = inside == outside

    def forward(self, x):
        return x + self.layers(x) if self.add else self.layers(x)


def mobile_net():
    torch.manual_seed(2)
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU6(), Inverted(8, 8), Inverted(8, 12),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(1), nn.Dropout(0.2),
                         nn.Linear(12, 5)).eval()


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        n, length, width = x.shape
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        q, k, v = (t.view(n, length, self.heads, width // self.heads).transpose(1, 2)
                   for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(n, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 32), nn.Embedding(16, 32)
        self.layers = nn.ModuleList([Attention(32, 4) for _ in range(2)])
        self.head = nn.Linear(32, 50, bias=False)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        for layer in self.layers:
            x = layer(x)
        return F.log_softmax(self.head(x), dim=-1)


IMAGE = torch.randn(2, 3, 32, 32, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("form", ["trace", "script", "export"])
def test_networks_of_images(form):
    mod, params = check(residual_net(), IMAGE, form=form)
    assert "4.conv1.weight" in params and "8.bias" in params
    check(mobile_net(), IMAGE, form=form)


@pytest.mark.parametrize("form", ["trace", "export"])
def test_a_transformer(form):
    torch.manual_seed(4)
    check(Transformer(), torch.randint(0, 50, (2, 7)), form=form)


def test_the_encoder_of_pytorch():
    torch.manual_seed(5)
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    for form in ("trace", "export"):
        check(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), torch.randn(2, 5, 16),
              form=form)
    attention = nn.MultiheadAttention(16, 4, batch_first=True)
    check(attention, *[torch.randn(2, n, 16) for n in (3, 5, 5)])


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_networks(kind):
    torch.manual_seed(6)
    for options in ({}, {"bidirectional": True, "num_layers": 2, "batch_first": True}):
        check(kind(5, 7, **options), torch.randn(4, 3, 5))


def test_names_survive():
    mod, params = relay.frontend.from_pytorch(torch.jit.trace(residual_net(), IMAGE),
                                              [("picture", (2, 3, 32, 32))])
    text = str(mod)
    assert "%picture: float32[2, 3, 32, 32]" in text and "%`5.bn2.running_var`" in text
    assert "%input" in text
    assert set(params) <= {p.name_hint for p in mod["main"].params}
    mod, params = relay.frontend.from_pytorch(torch.jit.trace(residual_net(), IMAGE),
                                              [("picture", (2, 3, 32, 32))],
                                              use_parser_friendly_name=True)
    assert all("." not in name for name in params)


# -- Sizes that each run chooses.


@pytest.mark.parametrize("extent", ["n", relay.Any("n")])
def test_a_trace_with_an_open_size(extent):
    model = residual_net()
    mod, params = relay.frontend.from_pytorch(torch.jit.trace(model, IMAGE),
                                              [("x", (extent, 3, 32, 32))])
    for n in (1, 3):
        x = torch.randn(n, 3, 32, 32)
        same(outputs(mod, params, {"x": x}), model(x).detach())


def test_exported_sizes():
    model = Transformer().eval()
    tokens = torch.randint(0, 50, (2, 7))
    n, length = torch.export.Dim("n", min=2, max=64), torch.export.Dim("length", min=2, max=16)
    program = torch.export.export(model, (tokens,), dynamic_shapes=({0: n, 1: length},))
    mod, params = relay.frontend.from_exported_program(program)
    for shape in ((2, 7), (3, 12)):
        x = torch.randint(0, 50, shape)
        same(outputs(mod, params, {"tokens": x}), model(x).detach())


# -- Control flow.


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


# -- What goes wrong.


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


def writes_to_a_diagonal(x):
    y = x + 1
    y.diagonal().mul_(2)
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
    (writes_to_a_diagonal, "pytorch-write"), (rows_or_all, "pytorch-branch"),
    (grows, "pytorch-loop"), (takes_matrices, "pytorch-raises"), (row_of_none, "pytorch-axis"),
    (says, "pytorch-result"), (drops, "pytorch-training"), (classes, "pytorch-value-needed"),
    (complex_numbers, "pytorch-type"), (cubic_norm, "pytorch-value"),
])
def test_what_graphs_cannot_say(function, name):
    with pytest.raises(ValueError) as raised:
        relay.frontend.from_pytorch(torch.jit.script(function), [("x", (2, 2))])
    assert raised.value.name == name, str(raised.value)


DATA = pathlib.Path(os.environ.get("LATHE_TEST_DATA", "/nowhere"))


@pytest.mark.skipif(not (DATA / "models").is_dir(),
                    reason="LATHE_TEST_DATA names no folder with models/")
def test_resnet_with_real_weights():
    model = torch.jit.load(str(DATA / "models/resnet20_cifar10_traced.pt")).eval()
    golden = np.load(DATA / "models/resnet20_golden.npz")
    x = torch.from_numpy(golden[[k for k in golden.files if golden[k].ndim == 4][0]])
    x = x[:2].float()
    mod, params = relay.frontend.from_pytorch(model, [("x", tuple(x.shape))])
    same(outputs(mod, params, {"x": x}), model(x).detach(), rtol=1e-3, atol=1e-4)


# -- Quantized models.


class Quantized(nn.Module):
    def __init__(self):
        super().__init__()
        from torch.ao.quantization import DeQuantStub, QuantStub

        self.quantize, self.dequantize = QuantStub(), DeQuantStub()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.relu = nn.ReLU()
        self.pool, self.depth = nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, groups=8)
        self.mean, self.linear = nn.AdaptiveAvgPool2d(1), nn.Linear(8, 5)
        self.functions = nn.quantized.FloatFunctional()

    def forward(self, x):
        x = self.pool(self.relu(self.norm(self.conv(self.quantize(x)))))
        x = self.depth(self.functions.add_relu(x, x))
        x = self.functions.cat([x, x[:, :4]], 1)[:, :8]
        return self.dequantize(self.linear(self.mean(x).flatten(1)))


def quantized(engine):
    from torch.ao import quantization

    torch.backends.quantized.engine = engine
    torch.manual_seed(8)
    model = quantization.fuse_modules(Quantized().eval(), [["conv", "norm", "relu"]])
    model.qconfig = quantization.get_default_qconfig(engine)
    prepared = quantization.prepare(model)
    prepared(torch.randn(8, 3, 8, 8))
    return quantization.convert(prepared)


@pytest.mark.parametrize("engine", ["fbgemm", "x86", "qnnpack"])
def test_quantized_models(engine):
    if engine not in torch.backends.quantized.supported_engines:
        pytest.skip(f"PyTorch's engine {engine} is not there")
    model, x = quantized(engine), torch.randn(16, 3, 8, 8)
    traced = torch.jit.trace(model, x)
    mod, params = relay.frontend.from_pytorch(traced, [("x", tuple(x.shape))])
    assert params["conv.weight"].dtype == "int8" and "linear.weight" in params
    assert "qnn.conv2d" in str(mod) and "qnn.dense" in str(mod)
    (found,), expected = outputs(mod, params, {"x": x}), model(x)
    steps = ((found - expected) / model.linear.scale).round().abs()
    if engine == "qnnpack":  # it rounds in another way
        assert steps.max() <= 4
    else:
        assert steps.max() == 0


def test_dynamically_quantized():
    torch.backends.quantized.engine = "fbgemm"
    torch.manual_seed(9)
    model = torch.ao.quantization.quantize_dynamic(
        nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).eval(), {nn.Linear})
    check(model, torch.randn(5, 16), rtol=1e-4, atol=1e-4)


def test_quantized_programs():
    x = torch.randn(4, 6)

    class Model(nn.Module):
        def forward(self, x):
            ops = torch.ops.quantized_decomposed
            q = ops.quantize_per_tensor(x, 0.05, 3, -128, 127, torch.int8)
            y = ops.dequantize_per_tensor(q, 0.05, 3, -128, 127, torch.int8)
            scales, zeros = torch.full((6,), 0.1), torch.zeros(6, dtype=torch.int64)
            q2 = ops.quantize_per_channel(y, scales, zeros, 1, -127, 127, torch.int8)
            return q, ops.dequantize_per_channel(q2, scales, zeros, 1, -127, 127, torch.int8)

    from torch.ao.quantization.fx import _decomposed  # noqa: F401

    check(Model(), x, form="export", rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_numbers(dtype):
    """Each operator computes in float32 and rounds once, as PyTorch's kernels do."""
    torch.manual_seed(11)
    digits = 2e-2 if dtype == torch.bfloat16 else 3e-3
    for model in (nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4)),
                  mobile_net()):
        x = IMAGE if isinstance(model[0], nn.Conv2d) else torch.randn(5, 16)
        check(model.to(dtype), x.to(dtype), rtol=digits, atol=digits)
