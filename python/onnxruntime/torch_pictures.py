"""Small networks of PyTorch for pictures, one of each kind that people export, for network_cases.py."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from exported_network import Network


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1 = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.LeakyReLU(0.1))
        self.down2 = nn.Sequential(
            nn.MaxPool2d(2, ceil_mode=True),
            nn.Conv2d(8, 16, 3, padding=1),
            nn.InstanceNorm2d(16, affine=True),
            nn.SiLU(),
        )
        self.down3 = nn.Sequential(
            nn.AvgPool2d(2, ceil_mode=True, count_include_pad=False),
            nn.Conv2d(16, 24, 3, padding=2, dilation=2),
            nn.GroupNorm(4, 24),
            nn.Mish(),
        )
        self.up2 = nn.ConvTranspose2d(24, 16, 3, stride=2, padding=1, output_padding=0)
        self.up1 = nn.ConvTranspose2d(32, 8, 4, stride=2, padding=1, groups=4)
        self.head = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(a)
        c = self.down3(b)
        d = F.interpolate(self.up2(c), size=b.shape[2:], mode="bilinear", align_corners=True)
        e = F.interpolate(self.up1(torch.cat([d, b], 1)), size=a.shape[2:], mode="nearest")
        return self.head(torch.cat([e, a], 1)).softmax(1), F.interpolate(
            c, scale_factor=2.0, mode="bicubic", align_corners=False
        )


def unet():
    return Network(Unet(), (torch.randn(1, 3, 21, 26),))


def unet_open():
    return Network(
        Unet(), (torch.randn(1, 3, 20, 28),), {0: {2: "height", 3: "width"}}, (torch.randn(1, 3, 20, 28),), (False,)
    )


class Yolo(nn.Module):
    """The head of a detector: boxes of three sizes of cells, and the best of each."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 12, 6, 4, 2)
        self.heads = nn.ModuleList(nn.Conv2d(12, 3 * 9, 1) for _ in range(2))
        self.register_buffer("anchors", torch.rand(2, 1, 3, 1, 1, 2) + 0.5)

    def forward(self, x):
        x = F.silu(self.stem(x))
        found = []
        for i, head in enumerate(self.heads):
            y = head(x)
            batch, _, height, width = y.shape
            y = y.view(batch, 3, 9, height, width).permute(0, 1, 3, 4, 2).contiguous()
            rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
            grid = torch.stack((columns, rows), 2).view(1, 1, height, width, 2).float()
            place, size, score = y.sigmoid().split((2, 2, 5), 4)
            place = (place * 2 - 0.5 + grid) * 2 ** (i + 2)
            size = (size * 2) ** 2 * self.anchors[i]
            found.append(torch.cat((place, size, score), 4).view(batch, -1, 9))
            x = F.max_pool2d(x, 5, 2, 2)
        every = torch.cat(found, 1)
        best, which = (every[..., 4] * every[..., 5:].amax(-1)).topk(7, dim=1)
        return every, best, every.gather(1, which.unsqueeze(-1).expand(-1, -1, 9))


def yolo():
    return Network(Yolo(), (torch.randn(2, 3, 32, 40),))


class Efficient(nn.Module):
    """Blocks that widen, look at channels, and narrow."""

    def __init__(self, act):
        super().__init__()
        self.stem = nn.Sequential(
            nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(3, 8, 3, 2, bias=False), nn.BatchNorm2d(8), act()
        )
        self.expand = nn.Sequential(
            nn.Conv2d(8, 24, 1),
            nn.BatchNorm2d(24),
            act(),
            nn.Conv2d(24, 24, 5, 1, 2, groups=24),
            nn.BatchNorm2d(24),
            act(),
        )
        self.look = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(24, 6, 1), act(), nn.Conv2d(6, 24, 1), nn.Hardsigmoid()
        )
        self.narrow = nn.Conv2d(24, 8, 1, bias=False)
        self.pool = nn.AvgPool2d((8, 4))
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(64, 10))

    def forward(self, x):
        x = self.stem(x)
        y = self.expand(x)
        return self.head(self.pool(x + self.narrow(y * self.look(y))))


def efficient_hardswish():
    return Network(Efficient(nn.Hardswish), (torch.randn(2, 3, 32, 32),))


def efficient_relu6():
    return Network(Efficient(nn.ReLU6), (torch.randn(2, 3, 32, 32),), {0: {0: "batch"}}, (torch.randn(3, 3, 32, 32),))


class Swin(nn.Module):
    """Attention within windows that are shifted, with a table of biases."""

    def __init__(self):
        super().__init__()
        self.embed, self.norm = nn.Conv2d(3, 16, 4, 4), nn.LayerNorm(16)
        self.qkv, self.out, self.merge = nn.Linear(16, 48), nn.Linear(16, 16), nn.Linear(64, 24, bias=False)
        self.table = nn.Parameter(torch.randn(49, 2))
        rows = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")).flatten(1)
        far = (rows[:, :, None] - rows[:, None, :] + 3).permute(1, 2, 0)
        self.register_buffer("between", far[..., 0] * 7 + far[..., 1])

    def attend(self, x, shift):
        batch, height, width, _ = x.shape
        y = torch.roll(self.norm(x), (-shift, -shift), (1, 2))
        y = y.view(batch, height // 4, 4, width // 4, 4, 16).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, 16)
        q, k, v = self.qkv(y).reshape(-1, 16, 3, 2, 8).permute(2, 0, 3, 1, 4).unbind(0)
        bias = self.table[self.between.view(-1)].view(16, 16, 2).permute(2, 0, 1).unsqueeze(0)
        y = ((q * 8**-0.5) @ k.transpose(-2, -1) + bias).softmax(-1) @ v
        y = self.out(y.transpose(1, 2).reshape(-1, 16, 16))
        y = y.view(batch, height // 4, width // 4, 4, 4, 16).permute(0, 1, 3, 2, 4, 5).reshape(batch, height, width, 16)
        return x + torch.roll(y, (shift, shift), (1, 2))

    def forward(self, x):
        x = self.embed(x).permute(0, 2, 3, 1)
        x = self.attend(self.attend(x, 0), 2)
        parts = [x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
        return self.merge(torch.cat(parts, -1)).mean((1, 2))


def swin():
    return Network(Swin(), (torch.randn(2, 3, 32, 48),))


class Volume(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv3d(2, 6, (3, 3, 2), stride=(1, 2, 2), padding=1), nn.BatchNorm3d(6)
        self.up, self.bend = nn.ConvTranspose3d(6, 3, 2, 2), nn.PReLU(6)

    def forward(self, x):
        y = self.bend(self.norm(self.conv(x)))
        return (
            self.up(F.max_pool3d(y, 2)),
            F.interpolate(y, scale_factor=(1, 2, 2), mode="trilinear"),
            F.adaptive_max_pool3d(y, 1),
        )


def volume():
    return Network(Volume(), (torch.randn(1, 2, 5, 9, 8),))


class Pixels(nn.Module):
    """Pixels of channels, samples at places, and parts of a picture."""

    def __init__(self):
        super().__init__()
        self.conv, self.flow = nn.Conv2d(3, 12, 3, padding=1, padding_mode="reflect"), nn.Conv2d(3, 2, 3, padding=1)

    def forward(self, x):
        batch, _, height, width = x.shape
        y = F.pixel_shuffle(self.conv(x), 2)
        base = F.affine_grid(torch.eye(2, 3).expand(batch, 2, 3), (batch, 3, height, width), align_corners=False)
        moved = F.grid_sample(
            x, base + 0.1 * torch.tanh(self.flow(x)).permute(0, 2, 3, 1), padding_mode="border", align_corners=False
        )
        patches = F.unfold(moved, 4, stride=4)
        return (
            F.pixel_unshuffle(y, 2),
            moved,
            F.fold(patches, (height, width), 4, stride=4),
            F.local_response_norm(y.abs(), 3),
            y.flip(3).std((2, 3)),
        )


def pixels():
    return Network(Pixels(), (torch.randn(2, 3, 12, 16),), exporters=(True,))


class Mobile(nn.Module):
    """A few more of what exporters write: chunks, shuffles, squeezes, statistics, comparisons."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 8, 3, stride=2, padding="valid", groups=2)
        self.power, self.act = nn.LPPool2d(2, 2), nn.CELU(0.7)
        self.lin = nn.LazyLinear(5)

    def forward(self, x):
        a, b = self.conv(x).chunk(2, 1)
        y = torch.stack((a, b), 2).flatten(1, 2)
        y = torch.cat(
            (self.act(y), F.softplus(y, 2), F.hardtanh(y), F.softsign(y), F.selu(y), torch.erf(y), F.logsigmoid(y)), 1
        )
        y = self.power(y.clamp(-1.5, 2) ** 2)
        variance, mean = torch.var_mean(y, (2, 3), keepdim=True)
        y = (y - mean) * torch.rsqrt(variance + 1e-5)
        mask = torch.tril(torch.ones(y.shape[-2], y.shape[-1])).bool() & ~(y > 1.0)
        y = y.masked_fill(~mask, 0.0)
        order = y.flatten(1).sort(1, descending=True)
        return (
            self.lin(y.flatten(1)),
            order[0][:, :9],
            torch.logsumexp(y, (1, 2)),
            y.argmin(1).remainder(3),
            torch.prod(y[:, :3] + 1, 1),
            torch.fmod(y, 0.3),
        )


def mobile():
    network = Network(Mobile(), (torch.randn(2, 4, 17, 19),), exporters=(False,))
    network.module(*network.inputs)  # its lazy layer gets its size
    return network


class Vision(nn.Module):
    """A vision transformer with PyTorch's own attention layer."""

    def __init__(self):
        super().__init__()
        self.patch, self.cls = nn.Conv2d(3, 24, 8, 8), nn.Parameter(torch.randn(1, 1, 24))
        self.place = nn.Parameter(torch.randn(1, 17, 24))
        self.attention = nn.MultiheadAttention(24, 3, batch_first=True)
        self.norm, self.head = nn.LayerNorm(24, eps=1e-6), nn.Linear(24, 10)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls.expand(x.shape[0], -1, -1), x), 1) + self.place
        y, weights = self.attention(x, x, x)
        return self.head(self.norm(x + y)[:, 0]), weights


def vision():
    return Network(Vision(), (torch.randn(2, 3, 32, 32),), {0: {0: "batch"}}, (torch.randn(3, 3, 32, 32),))


NETWORKS = [unet, unet_open, yolo, efficient_hardswish, efficient_relu6, swin, volume, pixels, mobile, vision]
