"""Lesson 16: models of PyTorch: import, compile, compare; and torch.compile.

Run it: python lesson_16_pytorch.py        (after: pip install lathe-*.whl numpy torch)
Without PyTorch it says so, and does nothing.
"""

import sys

try:
    import torch
    from torch import nn
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(0)

import lathe
from lathe import relay
from lathe.contrib import graph_executor


# 1. A model. PyTorch traces it: it runs once, and the operators that ran are recorded.
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)) + x)


torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 16, 3), Block(16), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                      nn.Linear(16, 10)).eval()
example = torch.randn(2, 3, 32, 32)
traced = torch.jit.trace(model, example)

# 2. Import. The inputs get names and shapes; "n" is a size that each run chooses. Weights and values
#    keep the names that they have in the model.
mod, params = relay.frontend.from_pytorch(traced, [("picture", ("n", 3, 32, 32))])
print("weights:", ", ".join(params))

# 3. Compile and run, with any number of pictures.
with lathe.transform.PassContext(opt_level=3):
    lib = relay.build(mod, target="llvm", params=params)
m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
for count in (1, 4):
    pictures = torch.randn(count, 3, 32, 32)
    m.run(picture=lathe.from_dlpack(pictures))
    with torch.no_grad():
        torch.testing.assert_close(torch.from_dlpack(m.get_output(0)), model(pictures),
                                   rtol=1e-3, atol=1e-4)

# 4. A model with control flow is scripted; what depends on the data is decided by each run.
@torch.jit.script
def halve(x: torch.Tensor, limit: torch.Tensor) -> torch.Tensor:
    while bool(x.abs().max() > limit):
        x = x / 2
    return x


mod, _ = relay.frontend.from_pytorch(halve, [("x", (3,)), ("limit", ())])
run = relay.create_executor("graph", mod, target="llvm").evaluate()
found = run(torch.tensor([8.0, -3.0, 1.0]).numpy(), torch.tensor(1.5).numpy())
assert found.numpy().tolist() == [1.0, -0.375, 0.125]

# 5. A program of torch.export is taken in the same way.
program = torch.export.export(model, (example,))
mod, params = relay.frontend.from_exported_program(program)
assert "nn.conv2d" in str(mod)

# 6. An operator that is not known: the error lists all of them, and your own conversions help.
class Odd(nn.Module):
    def forward(self, x):
        return torch.special.airy_ai(x) + x


odd = torch.jit.trace(Odd(), torch.randn(3))
try:
    relay.frontend.from_pytorch(odd, [("x", (3,))])
except lathe.LatheError as error:
    print(error)
mod, _ = relay.frontend.from_pytorch(
    odd, [("x", (3,))], custom_convert_map={
        "aten::special_airy_ai": lambda inputs, input_types: relay.exp(relay.negative(inputs[0]))})

# 7. In one argument: torch.compile. What lathe does not have stays with PyTorch.
if sys.platform == "linux":
    from lathe.contrib import torch as backend

    backend.register()  # an installed wheel has done so already
    fast = torch.compile(model, backend="lathe")
    with torch.no_grad():
        torch.testing.assert_close(fast(example), model(example), rtol=1e-3, atol=1e-4)
    print(backend.reports()[-1])
print("ok")
