"""Functions of elements."""

from . import _derive

_UNARY = ("negative exp erf tanh tan cos cosh sin sinh acos acosh asin asinh atan atanh floor ceil "
          "sign trunc abs isnan isfinite isinf round log log2 log10 sqrt rsqrt sigmoid").split()

_derive.install(globals(), {
    **{f"{name}(x:data)": name for name in _UNARY},
    "identity(x:data)": "copy",
    "fast_exp(x:data)": "exp",
    "fast_tanh(x:data)": "tanh",
    "fast_erf(x:data)": "erf",
    "clip(x:a, a_min, a_max)": "clip",
    "cast(x:data, dtype)": "cast",
})
