"""Random numbers, of which each bit is known."""

import numpy as np
import pytest

from comparison import Table, random

table = Table()
WORD = 2**32 - 1


def philox(counter, key):
    """Philox 4x32-10 [Salmon et al., 2011: Parallel random numbers: as easy as 1, 2, 3]."""
    counter, key = list(counter), list(key)
    for _ in range(10):
        a, b = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [(b >> 32) ^ counter[1] ^ key[0], b & WORD, (a >> 32) ^ counter[3] ^ key[1],
                   a & WORD]
        key = [(key[0] + 0x9E3779B9) & WORD, (key[1] + 0xBB67AE85) & WORD]
    return counter


def words(key, shape):
    """The four words of each element: [number of elements, 4]."""
    key = int(key) % 2**64
    return np.array([philox((i & WORD, i >> 32, 0, 0), (key & WORD, key >> 32))
                     for i in range(int(np.prod(shape)))], "uint64").reshape(-1, 4)


DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24}


def units(first, second, dtype):
    """Numbers of [0, 1), of as many digits as the type has."""
    if dtype == "float64":
        return ((first << np.uint64(32) | second) >> np.uint64(11)) * 2.0**-53
    return (first >> np.uint64(32 - DIGITS[dtype])) * 2.0**-DIGITS[dtype]


def uniform(key, shape, dtype="float32", low=0.0, high=1.0):
    w = words(key, shape)
    return (low + (high - low) * units(w[:, 0], w[:, 1], dtype)).reshape(shape)


def normal(key, shape, dtype="float32", mean=0.0, scale=1.0):
    w = words(key, shape)
    kind = "float64" if dtype == "float64" else "float32"
    u, v = units(w[:, 0], w[:, 1], kind), units(w[:, 2], w[:, 3], kind)
    return (mean + scale * np.sqrt(-2 * np.log(1 - u)) * np.cos(2 * np.pi * v)).reshape(shape)


def randint(key, shape, dtype="int32", low=None, high=None):
    u = words(key, shape)[:, 0]
    return np.array([low + (int(w) * (high - low) >> 32) for w in u]).astype(dtype).reshape(shape)


def bernoulli(key, p, dtype=""):
    u = words(key, p.shape)[:, 0].reshape(p.shape) / 2.0**32
    drawn = u < p
    return drawn.astype(dtype) if dtype and not dtype.startswith("float") else \
        drawn.astype("float64")


def multinomial(key, p, num_samples=1, dtype="int32"):
    sums = np.cumsum(np.maximum(p.astype("float64"), 0), -1)
    shape = p.shape[:-1] + (num_samples,)
    u = words(key, shape)[:, 0].reshape(shape) / 2.0**32
    drawn = (sums[..., None, :] <= (u * sums[..., -1:])[..., None]).sum(-1)
    return np.minimum(drawn, p.shape[-1] - 1).astype(dtype)


KEYS = [np.array(k, t) for k, t in ((0, "int32"), (7, "int64"), (2**40 + 3, "int64"), (-1, "int64"))]
for key in KEYS:
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        table.add("random.uniform", uniform, [key], shape=(3, 7), dtype=dtype, low=-2.0, high=2.0,
                  result=dtype)
        if dtype != "bfloat16":
            table.add("random.normal", normal, [key], shape=(3, 7), dtype=dtype, mean=3.0,
                      scale=0.5, result=dtype)
    for dtype, low, high in (("int32", -3, 4), ("uint8", 0, 256), ("int64", -2**31, 2**31)):
        table.add("random.randint", randint, [key], shape=(20,), dtype=dtype, low=low, high=high)
    table.add("random.bernoulli", bernoulli, [key, random(4, 5, low=0, high=1)])
    table.add("random.bernoulli", bernoulli, [key, np.array([0, 1, 0.5, 0, 1], "float32")],
              dtype="bool")
    table.add("random.multinomial", multinomial, [key, random(3, 5, low=0, high=1)],
              num_samples=20)
    table.add("random.multinomial", multinomial, [key, random(7, low=-1, high=1)], num_samples=20,
              dtype="int64")
table.add("random.multinomial", multinomial, [KEYS[1], np.zeros((1, 4), "float32")])
table.add("random.multinomial", multinomial, [KEYS[1], np.array([0, 0, 2, 0], "float16")],
          num_samples=5)
table.add("random.uniform", uniform, [KEYS[0]], shape=(40,))
table.add("random.normal", normal, [KEYS[0]], shape=(40,))

test_numpy, test_torch = table.tests()


def test_the_generator_gives_the_words_of_its_paper():
    assert philox([0] * 4, [0] * 2) == [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
    assert philox([WORD] * 4, [WORD] * 2) == [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]


@pytest.mark.parametrize("name,mean,deviation", [("uniform", 0.5, 12**-0.5), ("normal", 0, 1)])
def test_the_references_have_the_moments_of_their_distributions(name, mean, deviation):
    numbers = {"uniform": uniform, "normal": normal}[name](3, (4000,))
    assert abs(numbers.mean() - mean) < 0.06 and abs(numbers.std() - deviation) < 0.06
