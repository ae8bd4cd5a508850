"""relay.frontend.from_pytorch: writes in place, also through views. `tools/try_pytorch` runs these."""

import pytest
import torch
from checks import check, nn

import lathe
from lathe import relay

X = torch.arange(12.0).reshape(3, 4)


def chunks(y):
    a, _ = y.chunk(2, 1)
    a.add_(100)
    return a


def sizes(y):
    a, b = y.split([1, 3], 1)
    b.mul_(10)
    return a


def rows(y):
    return y.unbind(0)[1].zero_()


def halves(y):
    return y.tensor_split(2)[-1].add_(1), y.hsplit(2)[0].mul_(3)


def turned(y):
    a, b, c, d = y.T, y.mT, y.movedim(0, 1), y.swapaxes(0, 1)
    a[0].fill_(7)
    b[1] += 7
    c[2] *= 2
    d[3] = 5
    return a, b, c, d


def raveled(y):
    y.ravel()[2:5] = 0


def broadcast(y):
    y.broadcast_to(3, 4).add_(1)
    y.expand(3, 4).mul_(2)


def windows(y):
    y.unfold(1, 2, 2).mul_(3)
    y.diagonal().fill_(9)


def strided(y):
    y.as_strided((2, 2), (1, 4)).sub_(3)


def narrowed(y):
    z = y.narrow(0, 1, 2)
    z.relu_()
    z -= 3
    y.permute(1, 0)[3, 1] = 6
    return z


def copies(y):
    a, b, c, d = y.t().contiguous(), y.t().reshape(-1), y.t().flatten(), y.t().ravel()
    for one in (a, b, c, d):
        one.add_(1)
    return a, b, c, d


def copy_of_a_sum(y):
    """What is computed from a transposed tensor lies as that does."""
    z = y.t() * 2
    z.reshape(-1).add_(1)
    return z


def views_of_wholes(y):
    y.contiguous().add_(1)
    y.reshape(4, 3).mul_(2)
    y.t().t().flatten().sub_(3)


def same_type(y):
    y.to(torch.float32).add_(1)
    a = y.to(torch.float32, copy=True)
    a.add_(1)
    return a


def diagonals(y):
    y.t().fill_diagonal_(3)
    y.fill_diagonal_(0)


def wrapped_diagonal(y):
    return y.t().clone().fill_diagonal_(5, wrap=True)


def into_out(y):
    torch.mul(y[1], 2, out=y[0])


def turned_in_place(y):
    z = y * 2
    z.t_()
    z[0] = 1
    return z, torch.relu_(z - 3).unsqueeze_(0)


def decomposed(y):
    return y.logit_(0.1), y[1].renorm_(2, 0, 1.0) if y.dim() > 2 else y


NOT_EXPORTED = [strided, diagonals]  # PyTorch's export cannot
WRITES = [chunks, sizes, rows, halves, turned, raveled, broadcast, windows, narrowed, copies,
          copy_of_a_sum, views_of_wholes, same_type, wrapped_diagonal, into_out,
          turned_in_place, decomposed]


@pytest.mark.parametrize("function, form", [
    (one, form) for one in [*WRITES, *NOT_EXPORTED] for form in ("trace", "export")
    if form == "trace" or one in WRITES],
    ids=lambda one: getattr(one, "__name__", one))
def test_writes_through_views(function, form):
    class Model(nn.Module):
        def forward(self, x):
            y = x.clone()
            made = function(y)
            return [y, made] if isinstance(made, torch.Tensor) else [y, *(made or ())]

    check(Model(), X, form=form)


def script_of_parts(x):
    y = x.clone()
    parts = y.split(2, 1)
    parts[1].add_(5)
    parts[-1][0] = 1
    for row in y.unbind(0):
        row += 1
    if y.dim() == 2:
        first = y[0]
    else:
        first = y
    first *= 2
    for _ in range(3):
        first += 1
    return y, first


def test_writes_to_what_a_script_carries():
    check(torch.jit.script(script_of_parts), X, form="script")


@pytest.mark.parametrize("form", ["trace", "export"])
def test_a_tensor_keeps_its_element_type(form):
    class Model(nn.Module):
        def forward(self, h, a):
            h = h.clone()
            h += a
            h.mul_(a)
            return h, h * 2

    check(Model(), torch.randn(3).half(), torch.randn(3), form=form, rtol=1e-2)
    check(Model(), torch.tensor([1, 2], dtype=torch.int32), torch.tensor([3, 4]), form=form)


class Counter(nn.Module):
    def __init__(self, write):
        super().__init__()
        self.write = write
        self.register_buffer("count", torch.zeros(4))

    def forward(self, x):
        self.write(self.count, x)
        return x + self.count


def fresh_copy(count, x):
    count.clone().add_(x)


@pytest.mark.parametrize("write", [lambda count, x: count.add_(x), lambda count, x: count[0].add_(1),
                                   lambda count, x: count.view(2, 2).fill_(3)])
def test_a_buffer_that_is_changed_is_refused(write):
    traced = torch.jit.trace(Counter(write), torch.ones(4), check_trace=False)
    with pytest.raises(lathe.LatheError, match="self.count") as raised:
        relay.frontend.from_pytorch(traced, [("x", (4,))])
    assert raised.value.name == "pytorch-state"
    check(Counter(fresh_copy), torch.ones(4))


def strided_columns(x):
    return x.t().as_strided((3,), (1,))


def strided_part(x):
    return x[1:].as_strided((2, 2), (4, 1), 0)


def shape_of_a_view(x):
    y = x.clone()
    y[1].unsqueeze_(0).add_(1)
    return y


def overlapping(x):
    y = x.clone()
    y.unfold(1, 3, 1).copy_(x[:, :3].unsqueeze(1).expand(3, 2, 3))
    return y


@pytest.mark.parametrize("function, name", [
    (strided_columns, "pytorch-value"), (strided_part, "pytorch-value"),
    (shape_of_a_view, "pytorch-write"), (overlapping, "pytorch-write")])
def test_what_is_refused(function, name):
    traced = torch.jit.trace(function, X, check_trace=False)
    with pytest.raises(lathe.LatheError) as raised:
        relay.frontend.from_pytorch(traced, [("x", (3, 4))])
    assert raised.value.name == name, str(raised.value)


@pytest.mark.parametrize("function", [strided_columns, strided_part])
def test_what_is_refused_of_programs(function):
    class Model(nn.Module):
        def forward(self, x):
            return function(x)

    program = torch.export.export(Model(), (X,))
    with pytest.raises(lathe.LatheError) as raised:
        relay.frontend.from_pytorch(program, [("x", (3, 4))])
    assert raised.value.name == "pytorch-value", str(raised.value)
