"""torch.compile(model, backend="lathe"): `tools/try_pytorch` runs these."""

import pathlib
import subprocess
import sys

import pytest
import torch

from checks import IMAGE, Transformer, mobile_net, residual_net, same


@pytest.fixture
def backend():
    from lathe.contrib import torch as found

    found.register()
    torch._dynamo.reset()
    yield found
    torch._dynamo.reset()


def test_compiled_networks(backend):
    for model, x in ((residual_net(), IMAGE), (mobile_net(), IMAGE),
                     (Transformer().eval(), torch.randint(0, 50, (2, 7)))):
        compiled = torch.compile(model, backend="lathe")
        with torch.no_grad():
            same([compiled(x)], model(x))
        report = backend.reports()[-1]
        assert report["parts"] == 1 and not report["left"], report


def test_compiled_weights(backend):
    """Weights that change are seen, also those that were constants."""
    for options in ({}, {"freeze": True}):
        torch._dynamo.reset()
        model = mobile_net()
        compiled = torch.compile(model, backend="lathe", options=options)
        with torch.no_grad():
            same([compiled(IMAGE)], model(IMAGE))
            model[0].weight.mul_(1.5)
            model[7].bias.add_(1)
            same([compiled(IMAGE)], model(IMAGE))
            same([compiled(IMAGE)], model(IMAGE))


def test_compiled_training(backend):
    def gradients(run):
        torch.manual_seed(10)
        model = residual_net()
        made = run(model)(IMAGE).square().mean()
        made.backward()
        return [made.detach(), *(p.grad.clone() for p in model.parameters())]

    for one, other in zip(gradients(lambda model: torch.compile(model, backend="lathe")),
                          gradients(lambda model: model)):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def test_what_is_left_to_pytorch(backend, monkeypatch, capfd):
    monkeypatch.setenv("LATHE_TORCH_LOG", "1")

    def model(x):
        y = torch.relu(x) + 1
        values, _ = torch.mode(y)
        return torch.linalg.inv(y @ y.t() + torch.eye(4)) * values

    x = torch.randn(4, 4)
    same([torch.compile(model, backend="lathe")(x)], model(x), rtol=1e-3, atol=1e-3)
    report = backend.reports()[-1]
    assert report["compiled"] >= 4 and any("mode" in name for name in report["left"])
    assert "aten.mode" in capfd.readouterr().err


def test_compiled_sizes(backend):
    model = Transformer().eval()
    compiled = torch.compile(model, backend="lathe", dynamic=True)
    with torch.no_grad():
        for shape in ((2, 7), (3, 9), (1, 5), (4, 16)):
            tokens = torch.randint(0, 50, shape)
            same([compiled(tokens)], model(tokens))


def test_compiled_graphs_are_kept(backend):
    backend._compiled.clear()
    for _ in range(2):
        torch._dynamo.reset()
        same([torch.compile(lambda x: torch.sin(x) * 2, backend="lathe")(IMAGE)],
             torch.sin(IMAGE) * 2)
        assert len(backend._compiled) == 1
    views = IMAGE.permute(0, 2, 3, 1)
    same([torch.compile(lambda x: torch.sin(x) * 2, backend="lathe")(views)], torch.sin(views) * 2)


def test_wrong_options(backend):
    with pytest.raises(Exception, match="no option"):
        torch.compile(lambda x: x + 1, backend="lathe", options={"nonsense": 1})(IMAGE)
    with pytest.raises(ValueError) as raised:
        backend.backend(None, [], options={"nonsense": 1})
    assert raised.value.name == "torch-options"


def test_a_size_that_no_input_has(backend, caplog):
    """A part that cannot be compiled runs in PyTorch; the log says why."""
    compiled = torch.compile(lambda n: torch.ones(n) * 2, backend="lathe", dynamic=True)
    for n in (3, 5):
        same([compiled(n)], torch.full((n,), 2.0))
    assert "torch-part" in caplog.text


def test_the_wheel_registers_the_name():
    """Without an import of lathe: the wheel's entry point says where the backend is."""
    text = """
import torch
x = torch.randn(3)
y = torch.compile(lambda x: torch.sin(x) + 1, backend="lathe")(x)
torch.testing.assert_close(y, x.sin() + 1)
print("fine")
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr[-3000:]


def test_the_lesson():
    lesson = pathlib.Path(__file__).parents[2] / "examples/python/lesson_16_pytorch.py"
    done = subprocess.run([sys.executable, str(lesson)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.rstrip().endswith("ok")
