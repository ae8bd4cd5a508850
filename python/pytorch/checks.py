"""What the tests of relay.frontend.from_pytorch share: a check beside PyTorch, and small networks."""

import warnings

import torch

import lathe
from lathe import relay
from lathe.contrib import graph_executor

nn, F = torch.nn, torch.nn.functional
warnings.filterwarnings("ignore", category=DeprecationWarning)
warnings.filterwarnings("ignore", category=FutureWarning)
warnings.filterwarnings("ignore", category=torch.jit.TracerWarning)


def normal(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(5))


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


# -- Networks.


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
