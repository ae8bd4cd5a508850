"""Attention, and the fused layers of transformers."""

import math

from .....error import LatheValueError
from .... import nn as _nn
from .... import op as _op
from .. import _values as _v
from .._registry import operator



@operator("scaled_dot_product_attention")
def _attention(a):
    if a.dropout_p:
        raise LatheValueError("dropout of a model in training is random", "pytorch-training",
                              "help: model.eval() before the model is traced")
    return _attend(a.query, a.key, a.value, a.attn_mask, a.is_causal, a.scale, a.enable_gqa)


def _attend(query, key, value, mask, causal, scale, grouped=False):
    q, k, v = (_v.expr(one) for one in (query, key, value))
    if scale is None:
        depth = _v.shape_of(q)[-1]
        scale = 1 / math.sqrt(depth) if isinstance(depth, int) else None
    if mask is None and _v.rank_of(q) == _v.rank_of(k) == _v.rank_of(v) == 4 and \
            _v.shape_of(q)[0] == _v.shape_of(k)[0] and _v.shape_of(k)[:3] == _v.shape_of(v)[:3] and (
                grouped or _v.shape_of(q)[1] == _v.shape_of(k)[1]) and scale:
        return _nn.attention(q, k, v, scale=float(scale), is_causal=bool(causal))
    if grouped:
        times = _v.shape_of(q)[-3] // _v.shape_of(k)[-3]
        k, v = (_op.repeat(one, repeats=times, axis=_v.rank_of(one) - 3) for one in (k, v))
    if scale is None:
        raise LatheValueError("the scale of attention is not known", "pytorch-value-needed")
    scores = _op.matmul(q, k, transpose_b=True) * float(scale)
    dtype, low = _v.dtype_of(scores), -math.inf
    if causal:
        rows, columns = _v.shape_of(scores)[-2:]
        there = _op.trilu(_v.full([rows, columns], 1, "int8"), upper=False)
        scores = _op.where(_v.cast(there, "bool"), scores, _v.expr(low, dtype))
    if mask is not None:
        mask = _v.expr(mask)
        scores = _op.where(mask, scores, _v.expr(low, dtype)) if _v.dtype_of(mask) == "bool" \
            else scores + _v.cast(mask, dtype)
    if mask is None:
        return _op.matmul(_nn.softmax(scores, axis=-1), v)
    # A row without any key gives zeros.
    axis = _v.rank_of(scores) - 1
    none = _op.equal(_op.max(scores, axis=[axis], keepdims=True), _v.expr(low, dtype))
    weights = _op.where(none, _v.expr(0, dtype), _nn.softmax(scores, axis=-1))
    return _op.matmul(weights, v)


@operator("_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_efficient_attention "
          "_scaled_dot_product_flash_attention")
def _flash(a):
    """Its second result, the logarithms of the sums, serves training alone: zeros."""
    mask = a.attn_mask if a.attn_mask is not None else a.attn_bias
    made = _attend(a.query, a.key, a.value, mask, a.is_causal, a.scale)
    return made, _v.full(_v.shape_of(a.query)[:-1], 0, "float32")


@operator("_scaled_dot_product_attention_math")
def _math_attention(a):
    return _attend(a.query, a.key, a.value, a.attn_mask, a.is_causal, a.scale), None


# -- Fused layers, which PyTorch runs where no gradient is wanted.


def _added(mask, kind):
    """A mask of which True says what is not seen, as numbers that are added to the scores.

    Args:
        mask: None, or [queries, keys] (kind 0), [n, keys] (kind 1), [n, heads, queries, keys].
        kind: which of the three.
    """
    if mask is None:
        return None
    mask = _v.expr(mask)
    if _v.dtype_of(mask) == "bool":
        mask = _op.where(mask, _v.expr(-math.inf, "float32"), _v.expr(0.0, "float32"))
    if kind == 1:
        mask = _op.expand_dims(_op.expand_dims(mask, axis=1), axis=1)
    return mask


def _heads(x, heads):
    n, length, width = _v.shape_of(x)
    x = _op.reshape(x, newshape=[n, length, heads, width // heads])
    return _op.transpose(x, axes=[0, 2, 1, 3])


def _many_heads(inputs, heads, weights, mask):
    """(result, weights of the heads) of multi-head attention.

    Args:
        inputs: query, key and value [n, length, width].
        heads: how many.
        weights: (of the three projections together, its bias, of the output, its bias).
        mask: is added to the scores, or None.
    """
    weight, bias, out, out_bias = (_v.expr(one) for one in weights)
    width = _v.shape_of(out)[0]
    parts = []
    for i, x in enumerate(inputs):
        rows = {"begin": [i * width], "end": [(i + 1) * width], "axes": [0]}
        y = _nn.dense(_v.expr(x), _op.strided_slice(weight, **rows))
        parts.append(_heads(y + _op.strided_slice(bias, **rows), heads))
    q, k, v = parts
    scores = _op.matmul(q, k, transpose_b=True) * (1 / math.sqrt(width // heads))
    if mask is not None:
        scores = scores + mask
    scores = _nn.softmax(scores, axis=-1)
    y = _op.transpose(_op.matmul(scores, v), axes=[0, 2, 1, 3])
    n, length = _v.shape_of(y)[:2]
    y = _op.reshape(y, newshape=[n, length, width])
    return _nn.dense(y, out) + out_bias, scores


@operator("_native_multi_head_attention")
def _native_attention(a):
    mask = _added(a.mask, a.mask_type)
    weights = (a.qkv_weight, a.qkv_bias, a.proj_weight, a.proj_bias)
    y, scores = _many_heads((a.query, a.key, a.value), int(a.num_head), weights, mask)
    if a.need_weights is False:
        return y, None
    return y, _op.mean(scores, axis=[1]) if a.average_attn_weights is not False else scores


@operator("_transformer_encoder_layer_fwd")
def _encoder_layer(a):
    x, eps = _v.expr(a.src), float(a.eps)
    mask = _added(a.mask, a.mask_type)
    weights = (a.qkv_weight, a.qkv_bias, a.proj_weight, a.proj_bias)
    activation = _nn.gelu if a.use_gelu else _nn.relu

    def attend(x):
        return _many_heads((x, x, x), int(a.num_heads), weights, mask)[0]

    def feed(x):
        y = activation(_nn.dense(x, _v.expr(a.ffn_weight_1)) + _v.expr(a.ffn_bias_1))
        return _nn.dense(y, _v.expr(a.ffn_weight_2)) + _v.expr(a.ffn_bias_2)

    def norm(x, weight, bias):
        return _nn.layer_norm(x, _v.expr(weight), _v.expr(bias), epsilon=eps)

    first, second = (a.norm_weight_1, a.norm_bias_1), (a.norm_weight_2, a.norm_bias_2)
    if a.norm_first:
        x = x + attend(norm(x, *first))
        return x + feed(norm(x, *second))
    x = norm(x + attend(x), *first)
    return norm(x + feed(x), *second)
