"""`lathe compare --with pytorch`: `tools/try_pytorch` runs these."""

import os
import pathlib
import subprocess
import sys
import warnings

import pytest
import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from test_onnx import data, model, node, number, tensor, value  # noqa: E402

nn, F = torch.nn, torch.nn.functional
warnings.filterwarnings("ignore", category=DeprecationWarning)
LATHE = pathlib.Path(sys.executable).parent / "lathe"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.conv1, self.bn1 = nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8)
        self.dense = nn.Linear(8, 10)
        for norm in (self.bn1, self.bn2):
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.uniform_(norm.running_mean, -0.2, 0.2)
            nn.init.uniform_(norm.running_var, 0.5, 1.5)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        z = self.bn2(self.conv2(y))
        z += y
        if self.training:
            z = F.dropout(z, 0.5)
        return self.dense(F.relu(z).mean((2, 3)))


class Counter(nn.Module):
    """Its runs change it."""

    def __init__(self, net):
        super().__init__()
        self.net, self.count = net, 0

    def forward(self, x):
        self.count += 1
        return self.net(x)


def folded(conv, norm):
    """The weights of a convolution that normalises, too."""
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    return conv.weight * scale[:, None, None, None], norm.bias - norm.running_mean * scale


def write_onnx(net, path):
    """As exporters do: the normalisations are part of the convolutions."""
    weights = dict(zip("abcd", [*folded(net.conv1, net.bn1), *folded(net.conv2, net.bn2)]))
    weights.update(w=net.dense.weight.t(), v=net.dense.bias)
    pads = data(1, "pads") + b"".join(number(8, 1) for _ in range(4)) + number(20, 7)
    nodes = [node("Conv", ["x", "a", "b"], ["conv1"], pads), node("Relu", ["conv1"], ["relu1"]),
             node("Conv", ["relu1", "c", "d"], ["conv2"], pads),
             node("Add", ["conv2", "relu1"], ["sum"]), node("Relu", ["sum"], ["relu2"]),
             node("GlobalAveragePool", ["relu2"], ["mean"]), node("Flatten", ["mean"], ["flat"]),
             node("MatMul", ["flat", "w"], ["product"]), node("Add", ["product", "v"], ["scores"])]
    path.write_bytes(model(nodes, [value("x", [2, 3, 16, 16])], ["scores"],
                           [tensor(name, w.detach().numpy()) for name, w in weights.items()]))


@pytest.fixture
def compare(tmp_path):
    """Compares the network's ONNX file with a module, and returns the exit code and the lines."""
    write_onnx(Net().eval(), tmp_path / "net.onnx")

    def run(module, *options, onnx=tmp_path / "net.onnx"):
        if isinstance(module, nn.Module):
            torch.jit.save(module, str(tmp_path / "net.pt"))
            module = tmp_path / "net.pt"
        done = subprocess.run([LATHE, "compare", str(onnx), "--with", "pytorch", "--peer-model", str(module),
                               "--python", sys.executable, *options], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=dict(os.environ, LATHE_CACHE_DIR=str(tmp_path)))
        return done.returncode, done.stdout

    return run


def traced(net):
    return torch.jit.trace(net.eval(), torch.randn(2, 3, 16, 16))


def line_of(text, name):
    """The last line about a value: that with its counterpart."""
    return [line for line in text.splitlines() if line.split()[:1] == [name]][-1]


@pytest.mark.parametrize("form", ["trace", "script"])
def test_every_value_has_its_counterpart(compare, form):
    code, text = compare(traced(Net()) if form == "trace" else torch.jit.script(Net().eval()), "--layers")
    assert code == 0, text
    # PyTorch's linear layer is a product and a sum in one.
    assert "none" not in text.replace(line_of(text, "product"), ""), text
    # What the exporter folded is PyTorch's normalisation.
    assert "aten::batch_norm, bn1" in line_of(text, "conv1")
    assert "aten::batch_norm, bn2" in line_of(text, "conv2")
    assert line_of(text, "scores").endswith("output 0")


@pytest.mark.parametrize("change, first, before", [
    (lambda net: net.conv1.weight.mul_(1.1), "conv1", None),
    (lambda net: net.bn2.bias.add_(0.1), "conv2", "relu1"),
    (lambda net: net.dense.weight.mul_(1.1), "product", "flat"),
])
def test_the_first_value_that_differs(compare, change, first, before):
    net = Net()
    with torch.no_grad():
        change(net)
    code, text = compare(traced(net))
    assert code == 1 and "error[compare-differs]" in text, text
    assert f"`{first}`" in text.split("is the first value that differs")[0], text
    if before:
        assert f"note: `{before}`" in text


def test_modules_that_runs_change(compare):
    module = torch.jit.script(Counter(Net().eval()).eval())
    assert compare(module)[0] == 0
    code, text = compare(module, "--layers")
    assert code == 3 and "error[compare-layers]" in text, text
    assert "cannot be frozen" in text


DATA = pathlib.Path(os.environ.get("LATHE_TEST_DATA", "/nowhere")) / "models"


@pytest.mark.skipif(not DATA.is_dir(), reason="LATHE_TEST_DATA names no folder with models/")
def test_a_real_network(compare):
    code, text = compare(DATA / "resnet20_cifar10_traced.pt", "--layers", onnx=DATA / "resnet20_cifar10.onnx")
    assert code == 0, text
    rows = text.split("counterpart\n")[1].splitlines()
    assert len(rows) > 50 and sum(row.endswith("none") for row in rows) < 5, text
