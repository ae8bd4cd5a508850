"""Small networks of PyTorch for words, samples and graphs, with control flow, for network_cases.py."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from exported_network import Network


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.norm1, self.norm2 = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 32), nn.Embedding(64, 32)
        self.blocks = nn.ModuleList(Block(32, 4) for _ in range(2))
        self.head = nn.Linear(32, 50, bias=False)

    def forward(self, ids, mask):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        bias = (1.0 - mask[:, None, None, :].float()) * -1e4
        for block in self.blocks:
            x = block(x, bias)
        return self.head(x), torch.tanh(x[:, 0])


def words(batch, length):
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[-1, length // 2 :] = 0
    return torch.randint(0, 50, (batch, length)), mask


def encoder():
    axes = {0: "batch", 1: "length"}
    return Network(Encoder(), words(2, 9), {0: axes, 1: axes}, words(3, 13))


class Decoder(nn.Module):
    """A step with a cache of keys and values, rotary places, and one set of keys for two heads."""

    def __init__(self):
        super().__init__()
        self.q, self.kv, self.out = (
            nn.Linear(32, 32, bias=False),
            nn.Linear(32, 32, bias=False),
            nn.Linear(32, 32, bias=False),
        )
        self.norm = nn.RMSNorm(32)
        self.gate, self.up, self.down = (
            nn.Linear(32, 48, bias=False),
            nn.Linear(32, 48, bias=False),
            nn.Linear(48, 32, bias=False),
        )

    @staticmethod
    def turn(x, places):
        angles = places[:, None].float() / 100 ** (torch.arange(0, 8, 2).float() / 8)
        angles = torch.cat((angles, angles), -1)
        a, b = x.chunk(2, -1)
        return x * angles.cos() + torch.cat((-b, a), -1) * angles.sin()

    def forward(self, x, keys, values):
        batch, length, _ = x.shape
        past = keys.shape[2]
        h = self.norm(x)
        q = self.q(h).view(batch, length, 4, 8).transpose(1, 2)
        k, v = self.kv(h).view(batch, length, 4, 8).transpose(1, 2).chunk(2, 1)
        places = torch.arange(length) + past
        keys, values = torch.cat((keys, self.turn(k, places)), 2), torch.cat((values, v), 2)
        k, v = (one.repeat_interleave(2, 1) for one in (keys, values))
        scores = self.turn(q, places) @ k.transpose(2, 3) / math.sqrt(8)
        future = torch.arange(past + length)[None, :] > places[:, None]
        weights = scores.masked_fill(future, float("-inf")).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, length, 32))
        return x + self.down(F.silu(self.gate(x)) * self.up(x)), keys, values


def decoder():
    def inputs(length, past):
        return torch.randn(1, length, 32), torch.randn(1, 2, past, 8), torch.randn(1, 2, past, 8)

    return Network(Decoder(), inputs(3, 5), {0: {1: "length"}, 1: {2: "past"}, 2: {2: "past"}}, inputs(2, 7), (True,))


class Text(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.words = nn.Embedding(30, 12, padding_idx=0)
        self.steps = cell(12, 10, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(40, 4)

    def forward(self, ids):
        y, last = self.steps(self.words(ids))
        last = last[0] if isinstance(last, tuple) else last
        return F.log_softmax(self.head(torch.cat((y.mean(1), last[-1], last[-2]), 1)), -1), y.max(1)[0]


def gru_text():
    return Network(Text(nn.GRU), (torch.randint(0, 30, (2, 7)),))


def lstm_text():
    return Network(
        Text(nn.LSTM), (torch.randint(0, 30, (3, 11)),), {0: {0: "batch"}}, (torch.randint(0, 30, (4, 11)),), (False,)
    )


class Speech(nn.Module):
    """Convolutions over samples, a normalisation of weights, and places by a convolution."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 16, 10, 5, bias=False), nn.GroupNorm(16, 16), nn.GELU(), nn.Conv1d(16, 16, 3, 2), nn.GELU()
        )
        self.places = nn.utils.parametrizations.weight_norm(nn.Conv1d(16, 16, 8, padding=4, groups=4), dim=2)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, activation="gelu", norm_first=True)
        self.head = nn.Linear(16, 12)

    def forward(self, samples):
        x = self.features(F.layer_norm(samples, samples.shape[-1:]).unsqueeze(1))
        x = x + F.gelu(self.places(x)[:, :, :-1])
        x = self.layer(F.pad(x, (1, 1), mode="replicate").transpose(1, 2))
        scores = self.head(x).log_softmax(-1)
        return scores, scores.argmax(-1), F.glu(x, -1).cumsum(1)


def speech():
    return Network(Speech(), (torch.randn(2, 400),))


class Graph(nn.Module):
    """Sums over edges, einsum, and writing at places."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Bilinear(8, 8, 5)
        self.mix = nn.Parameter(torch.randn(3, 8, 4))

    def forward(self, x, edges):
        h = self.first(x)
        messages = F.elu(h[edges[0]])
        summed = torch.zeros_like(h).index_add(0, edges[1], messages)
        largest = torch.full_like(h, -10.0).scatter_reduce(0, edges[1][:, None].expand_as(messages), messages, "amax")
        degree = torch.zeros(x.shape[0]).scatter_add(0, edges[1], torch.ones(edges.shape[1])).clamp(min=1)
        h = summed / degree[:, None]
        mixed = torch.einsum("nf,hfo,mf->hnmo", h, self.mix, largest)
        h = h.index_put((edges[0][:3], edges[1][:3]), torch.tensor(7.0))
        return self.second(h, largest), mixed, torch.where(h > 0, h, h.exp() - 1), h.norm(dim=1, p=2)


def graph():
    return Network(Graph(), (torch.randn(9, 6), torch.randint(0, 8, (2, 14))), exporters=(True,))


@torch.jit.script
def until_small(x, rounds):
    """A loop and a branch that depend on data."""
    for i in range(int(rounds)):
        x = torch.tanh(x * 1.5) + i
    if bool(x.sum() > 0):
        x = x * 2
    else:
        x = x - 1
    while bool(x.abs().max() > 0.5):
        x = x * 0.5
    return x


class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x, rounds):
        return until_small(self.layer(x), rounds)


def steps():
    return Network(
        Steps(), (torch.randn(3, 6), torch.tensor(4)), {0: {0: "batch"}}, (torch.randn(2, 6), torch.tensor(3)), (False,)
    )


class Translate(nn.Module):
    """Encoder and decoder layers of PyTorch, with a mask of the future."""

    def __init__(self):
        super().__init__()
        self.net = nn.Transformer(16, 2, 1, 1, 24, batch_first=True)

    def forward(self, source, target):
        return self.net(source, target, tgt_mask=nn.Transformer.generate_square_subsequent_mask(target.shape[1]))


def translate():
    return Network(Translate(), (torch.randn(2, 5, 16), torch.randn(2, 4, 16)), exporters=(False,))


class Waves(nn.Module):
    """A spectrum by a convolution, dilated convolutions with gates, and samples from fewer."""

    def __init__(self):
        super().__init__()
        self.basis = nn.Parameter(torch.randn(18, 1, 16))
        self.gates = nn.ModuleList(nn.Conv1d(9, 18, 3, dilation=2**i) for i in range(3))
        self.up = nn.ConvTranspose1d(9, 1, 16, 8, 4)

    def forward(self, x):
        real, imaginary = F.conv1d(F.pad(x[:, None], (8, 8), mode="reflect"), self.basis, stride=8).chunk(2, 1)
        y = torch.log1p(torch.sqrt(real**2 + imaginary**2))
        for i, layer in enumerate(self.gates):
            a, b = layer(F.pad(y, (2 ** (i + 1), 0))).chunk(2, 1)
            y = y + torch.tanh(a) * torch.sigmoid(b)
        return self.up(y), torch.atan2(imaginary, real).cos(), F.upsample(y, scale_factor=3, mode="linear")


def waves():
    return Network(Waves(), (torch.randn(2, 96),))


NETWORKS = [encoder, decoder, gru_text, lstm_text, speech, graph, steps, translate, waves]
