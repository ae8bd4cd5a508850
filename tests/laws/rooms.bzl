"""The rooms of the house in order: each may depend only on itself and on what stands above it.

A plain literal: the laws' checker (check_laws.py) reads this file too."""

ROOMS = [
    "plugins/api",
    "base",
    "runtime",
    "ir",
    "arith",
    "te",
    "schedule",
    "lower",
    "topi",
    "graph",
    "tune",
    "plugins",
    "backends",
    "driver",
    "tools",
    "python",
    "java",
    "rust",
    "examples",
    "bench",
    "tests",
]
