"""A kernel of lathe as an operator of PyTorch: `tools/try_pytorch` runs this."""

import torch

import lathe
from lathe import te

# The ten lines.
n = te.size_var("n")
X = te.placeholder((n,), name="X")
Y = te.compute((n,), lambda i: X[i] * te.sigmoid(X[i]), name="Y")
s = te.create_schedule(Y.op)
s[Y].vectorize(s[Y].split(Y.op.axis[0], factor=8)[1])
kernel = lathe.build(s, [X, Y], "llvm").entry_func


@torch.library.custom_op("lathe::silu", mutates_args=())
def silu(x: torch.Tensor) -> torch.Tensor:
    kernel(x.detach(), y := torch.empty_like(x))
    return y


silu.register_fake(torch.empty_like)

# It is an operator like any other: called eagerly, ...
x = torch.randn(1000)
torch.testing.assert_close(silu(x), torch.nn.functional.silu(x))

# ... with a gradient, if one is given, ...
def backward(ctx, grad):
    sigmoid = torch.sigmoid(ctx.x)
    return grad * sigmoid * (1 + ctx.x * (1 - sigmoid))


silu.register_autograd(backward, setup_context=lambda ctx, inputs, output: setattr(ctx, "x", inputs[0]))
a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
silu(a).sum().backward()
torch.nn.functional.silu(b).sum().backward()
torch.testing.assert_close(a.grad, b.grad)

# ... and within a compiled model, as one node of its graph.
model = torch.compile(lambda x: silu(x) + 1, fullgraph=True, backend="aot_eager")
torch.testing.assert_close(model(x), torch.nn.functional.silu(x) + 1)
print(torch.library.opcheck(silu, (x,)))
