"""Abseil's packages whose headers the precompiled header reaches (third_party/toolchain/precompiled)."""

ABSEIL_PACKAGES = [
    "algorithm",
    "base",
    "cleanup",
    "container",
    "debugging",
    "functional",
    "hash",
    "memory",
    "meta",
    "numeric",
    "profiling",
    "status",
    "strings",
    "synchronization",
    "time",
    "time/internal/cctz",
    "types",
    "utility",
]
