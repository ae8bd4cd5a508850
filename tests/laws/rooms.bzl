"""The rooms of the house in order: each may depend only on itself and on what stands above it.

A plain literal: the laws' checker (check_laws.py) reads this file too."""

ROOMS = [
    "abi",
    "base",
    "runtime",
    "target",
    "ir",
    "arith",
    "te",
    "schedule",
    "lower",
    "topi",
    "plugins",
    "backends",
    "driver",
    "graph",
    "tune",
    "tools",
    "python",
    "java",
    "rust",
    "examples",
    "bench",
    "tests",
]
