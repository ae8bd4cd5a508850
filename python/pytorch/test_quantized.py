"""relay.frontend.from_pytorch: quantized models. `tools/try_pytorch` runs these."""

import pytest
import torch
from checks import check, nn, outputs

import lathe
from lathe import relay


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


@pytest.mark.parametrize("layer", [nn.Sigmoid, nn.Hardsigmoid, nn.Tanh])
def test_activations_with_scales_of_their_own(layer):
    from torch.ao import quantization

    torch.backends.quantized.engine = "fbgemm"
    torch.manual_seed(10)
    model = nn.Sequential(quantization.QuantStub(), nn.Linear(8, 5), layer(),
                          quantization.DeQuantStub()).eval()
    model.qconfig = quantization.get_default_qconfig("fbgemm")
    prepared = quantization.prepare(model)
    prepared(torch.randn(9, 8))
    check(quantization.convert(prepared), torch.randn(4, 8), rtol=1e-6, atol=1e-6)


def test_layers_that_are_refused_by_name():
    from torch.ao.nn import quantized
    from torch.ao.quantization import quantize_dynamic

    half = quantize_dynamic(nn.Sequential(nn.Linear(8, 5)), {nn.Linear}, dtype=torch.float16)
    for model, x, said in (
            (quantized.Embedding(10, 4), torch.tensor([1, 2]), "embedding"),
            (quantized.Conv3d(1, 2, 1), torch.quantize_per_tensor(
                torch.randn(1, 1, 2, 2, 2), 0.1, 0, torch.quint8), "conv3d"),
            (half, torch.randn(3, 8), "float16|float32|linear_dynamic_fp16")):
        traced = torch.jit.trace(model, x, check_trace=False)
        with pytest.raises(lathe.LatheError, match=said) as raised:
            relay.frontend.from_pytorch(traced, [("x", tuple(x.shape))])
        assert raised.value.name == "pytorch-unsupported", str(raised.value)
