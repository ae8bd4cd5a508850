"""relay.frontend.from_pytorch: networks and their sizes. `tools/try_pytorch` runs these."""

import os
import pathlib

import numpy as np
import pytest
import torch
from checks import IMAGE, Transformer, check, mobile_net, nn, outputs, residual_net, same

from lathe import relay

DATA = pathlib.Path(os.environ.get("LATHE_TEST_DATA", "/nowhere"))


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


@pytest.mark.skipif(not (DATA / "models").is_dir(),
                    reason="LATHE_TEST_DATA names no folder with models/")
def test_resnet_with_real_weights():
    model = torch.jit.load(str(DATA / "models/resnet20_cifar10_traced.pt")).eval()
    golden = np.load(DATA / "models/resnet20_golden.npz")
    x = torch.from_numpy(golden[[k for k in golden.files if golden[k].ndim == 4][0]])
    x = x[:2].float()
    mod, params = relay.frontend.from_pytorch(model, [("x", tuple(x.shape))])
    same(outputs(mod, params, {"x": x}), model(x).detach(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_numbers(dtype):
    """Each operator computes in float32 and rounds once, as PyTorch's kernels do."""
    torch.manual_seed(11)
    digits = 2e-2 if dtype == torch.bfloat16 else 3e-3
    for model in (nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4)),
                  mobile_net()):
        x = IMAGE if isinstance(model[0], nn.Conv2d) else torch.randn(5, 16)
        check(model.to(dtype), x.to(dtype), rtol=digits, atol=digits)


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
