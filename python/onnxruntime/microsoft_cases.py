#!/usr/bin/env python3
"""Writes a model of each operator of com.microsoft, with ONNX Runtime's own results.

usage: microsoft_cases.py FOLDER

Operators that ONNX Runtime has no code for on CPUs are beside results of NumPy. Run by
`tools/try_onnxruntime`.
"""

import sys

import layout
import numpy as np
import onnxruntime
from onnx import helper, numpy_helper

RANDOM = np.random.default_rng(7)
CASES = {}


def real(*shape, low=-1, high=1):
    return RANDOM.uniform(low, high, shape).astype("float32")


def whole(dtype, *shape):
    info = np.iinfo(dtype)
    return RANDOM.integers(info.min, info.max + 1, shape).astype(dtype)


def weights(*shape):
    """Returns weights of 7 bits: with 8, some processors' instructions saturate sums of two products."""
    return RANDOM.integers(-63, 64, shape).astype("int8")


def number(value, dtype="float32"):
    return np.array(value, dtype)


def case(name, op, inputs, outputs=1, fixed=(), expected=None, domain="com.microsoft", **attributes):
    """A node `op` with `inputs` (None: left out); those numbered in `fixed` are constants.

    `outputs` is how many there are, or which (True, False, True); `expected` are results where ONNX
    Runtime has none.
    """
    CASES[name] = op, inputs, outputs, fixed, expected, domain, attributes


def model_of(op, names, results, values, fixed, outputs, domain, attributes):
    """Returns a model of one node; `outputs` are examples of its results, or nothing."""
    def info(name, value):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)

    given = [info(n, v) for i, (n, v) in enumerate(zip(names, values)) if n and i not in fixed]
    constants = [numpy_helper.from_array(values[i], names[i]) for i in fixed]
    shown = [r for r in results if r]
    infos = [info(r, v) for r, v in zip(shown, outputs)] if outputs else [helper.make_empty_tensor_value_info(r)
                                                                         for r in shown]
    graph = helper.make_graph([helper.make_node(op, names, results, domain=domain, **attributes)], "test", given,
                              infos, constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, ir_version=10, opset_imports=opsets)


def results_of(op, values, outputs=1, domain="com.microsoft", **attributes):
    """Returns what ONNX Runtime computes, not optimized."""
    names = ["" if value is None else f"in{i}" for i, value in enumerate(values)]
    wanted = [True] * outputs if isinstance(outputs, int) else outputs
    results = [f"out{i}" if want else "" for i, want in enumerate(wanted)]
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    # Some operators take their parameters as constants only.
    fixed = [i for i, n in enumerate(names) if n]
    model = model_of(op, names, results, values, fixed, None, domain, attributes)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, {})


def run(folder, name):
    op, values, outputs, fixed, expected, domain, attributes = CASES[name]
    if expected is None:
        expected = results_of(op, values, outputs, domain, **attributes)
    names = ["" if value is None else f"in{i}" for i, value in enumerate(values)]
    wanted = [True] * outputs if isinstance(outputs, int) else outputs
    results = [f"out{i}" if want else "" for i, want in enumerate(wanted)]
    model = model_of(op, names, results, values, fixed, expected, domain, attributes)
    layout.write(folder, name, model, [v for i, v in enumerate(values) if v is not None and i not in fixed], expected)


# -- Activations and products.

X = real(2, 3, 8)
case("gelu", "Gelu", [X])
case("quick_gelu", "QuickGelu", [X])
case("quick_gelu_alpha", "QuickGelu", [X], alpha=0.7)
case("fast_gelu", "FastGelu", [X])
case("fast_gelu_bias", "FastGelu", [X, real(8)])
case("bias_gelu", "BiasGelu", [X, real(8)])
B, S = real(8), real(2, 3, 8)
LEFT, RIGHT = (X + B)[..., :4], (X + B)[..., 4:]
case("bias_split_gelu", "BiasSplitGelu", [X, B], expected=[LEFT * results_of("Gelu", [RIGHT])[0]])
case("bias_add", "BiasAdd", [X, B, S], expected=[X + B + S])
case("fused_matmul", "FusedMatMul", [real(2, 3, 4), real(2, 4, 5)], alpha=0.5)
case("fused_matmul_turned", "FusedMatMul", [real(2, 4, 3), real(2, 5, 4)], transA=1, transB=1)
case("fused_matmul_batch_a", "FusedMatMul", [real(3, 2, 4), real(2, 4, 5)], transBatchA=1)
case("fused_matmul_batch_both", "FusedMatMul", [real(4, 6, 2, 3), real(5, 6, 2, 4)], transBatchA=1, transBatchB=1,
     transA=1, transB=1)
case("transpose_matmul", "TransposeMatMul", [real(4, 3), real(4, 5)], transA=1, alpha=2.0)
A, C = real(3, 4), real(4, 5)
case("fused_matmul_activation", "FusedMatMulActivation", [A, C], activation="LeakyRelu", activation_alpha=0.1,
     expected=[np.where(A @ C < 0, A @ C * np.float32(0.1), A @ C)])
case("fused_gemm", "FusedGemm", [real(3, 4), real(5, 4), real(5)], transB=1, alpha=0.5, beta=2.0, activation="Relu")
case("fused_gemm_hard_sigmoid", "FusedGemm", [real(3, 4), real(4, 5)], activation="HardSigmoid", activation_alpha=0.3,
     activation_beta=0.4)
for name, params in (("Relu", []), ("LeakyRelu", [0.1]), ("Clip", [-0.2, 0.5]), ("Sigmoid", []), ("Tanh", []),
                     ("HardSigmoid", [0.3, 0.4])):
    case(f"fused_conv_{name.lower()}", "FusedConv", [real(1, 3, 7, 6), real(4, 3, 3, 3), real(4)], fixed=(1, 2),
         activation=name, pads=[1, 1, 1, 1], strides=[2, 1], **(dict(activation_params=params) if params else {}))
case("fused_conv_sum", "FusedConv", [real(1, 3, 7, 6), real(4, 3, 3, 3), real(4), real(1, 4, 5, 4)], fixed=(1, 2),
     activation="Relu")
NHWC, FILTER = real(1, 7, 6, 4), real(6, 2, 3, 3)
CONV = results_of("Conv", [NHWC.transpose(0, 3, 1, 2), FILTER], domain="", group=2, pads=[0, 1, 1, 0])[0]
CONV = CONV.transpose(0, 2, 3, 1)
case("nhwc_conv", "NhwcConv", [NHWC, FILTER], fixed=(1,), group=2, pads=[0, 1, 1, 0], expected=[CONV])
case("nhwc_fused_conv", "NhwcFusedConv", [NHWC, FILTER, real(6) * 0, CONV], fixed=(1,), group=2, pads=[0, 1, 1, 0],
     activation="Relu", expected=[np.maximum(2 * CONV, 0)])
case("nhwc_max_pool", "NhwcMaxPool", [whole("int8", 1, 7, 6, 4)], kernel_shape=[3, 2], strides=[2, 1],
     pads=[1, 0, 1, 1])

# -- Normalisation.

G, BETA = real(8), real(8)
case("skip_layer_norm", "SkipLayerNormalization", [X, S, G, BETA, real(8)], (True, False, False, True), epsilon=1e-5)
case("skip_layer_norm_short", "SkipLayerNormalization", [X, real(1, 3, 8), G])
case("skip_simplified_layer_norm", "SkipSimplifiedLayerNormalization", [X, S, G, real(8)], (True, False, False, True),
     epsilon=1e-6)
case("simplified_layer_norm", "SimplifiedLayerNormalization", [X, G], domain="", epsilon=1e-6)
IDS = np.array([[1, 3, 0, 2], [4, 4, 1, 0]], "int32")
SEGMENTS = np.array([[0, 0, 1, 1], [0, 1, 1, 1]], "int32")
WORDS = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], "int32")
case("embed_layer_norm", "EmbedLayerNormalization",
     [IDS, SEGMENTS, real(5, 8), real(6, 8), real(2, 8), G, BETA, WORDS], 3)
case("embed_layer_norm_positions", "EmbedLayerNormalization",
     [IDS, None, real(5, 8), real(6, 8), None, G, BETA, None, np.array([[3, 2, 1, 0]] * 2, "int32")], 2)

# -- Attention: batch 2, 3 places, 2 heads of 4 features.

WEIGHTS, BIAS = real(8, 24), real(24)
MASK = np.array([[1, 1, 0], [1, 1, 1]], "int32")
case("attention", "Attention", [X, WEIGHTS, BIAS], num_heads=2)
case("attention_mask", "Attention", [X, WEIGHTS, BIAS, MASK], num_heads=2)
case("attention_ends", "Attention", [X, WEIGHTS, BIAS, np.array([2, 3], "int32")], num_heads=2)
case("attention_ends_and_begins", "Attention", [X, WEIGHTS, BIAS, np.array([3, 3, 1, 0], "int32")], num_heads=2)
case("attention_mask_3d", "Attention", [X, WEIGHTS, BIAS, np.tril(np.ones((2, 3, 3), "int32"))], num_heads=2)
case("attention_causal", "Attention", [X, WEIGHTS, BIAS, MASK], num_heads=2, unidirectional=1)
case("attention_bias", "Attention", [X, WEIGHTS, BIAS, None, None, real(1, 2, 3, 3)], num_heads=2, scale=0.3)
case("attention_sizes", "Attention", [X, real(8, 28), real(28)], num_heads=2, qkv_hidden_sizes=[8, 8, 12])
case("attention_past", "Attention", [X, WEIGHTS, BIAS, None, real(2, 2, 2, 5, 4)], 2, num_heads=2, unidirectional=1)
case("attention_past_mask", "Attention", [X, WEIGHTS, BIAS, np.array([[0, 1, 1, 1, 1, 1, 1, 0]] * 2, "int32"),
                                          real(2, 2, 2, 5, 4)], 2, num_heads=2)
Q, K, V = real(2, 3, 8), real(2, 5, 8), real(2, 5, 12)
case("mha", "MultiHeadAttention", [Q, K, V], num_heads=2)
case("mha_bias", "MultiHeadAttention", [Q, K, V, real(28)], num_heads=2, scale=0.3)
case("mha_key_mask", "MultiHeadAttention", [Q, K, V, None, np.array([[1, 1, 1, 0, 0], [0, 1, 1, 1, 1]], "int32")],
     num_heads=2)
case("mha_ends", "MultiHeadAttention", [Q, K, V, None, np.array([2, 5], "int32")], num_heads=2)
case("mha_attention_bias", "MultiHeadAttention", [Q, K, V, None, None, real(2, 1, 3, 5)], num_heads=2)
PACKED, KEYS = real(2, 3, 2, 3, 4), real(2, 5, 2, 2, 4)
case("mha_packed", "MultiHeadAttention", [PACKED, None, None, BIAS], num_heads=2, expected=results_of(
    "MultiHeadAttention", [*(PACKED[:, :, :, i].reshape(2, 3, 8) for i in range(3)), BIAS], num_heads=2))
case("mha_packed_keys", "MultiHeadAttention", [Q, KEYS], num_heads=2, expected=results_of(
    "MultiHeadAttention", [Q, *(KEYS[:, :, :, i].reshape(2, 5, 8) for i in range(2))], num_heads=2))
case("mha_cross", "MultiHeadAttention", [Q, real(2, 2, 5, 4), real(2, 2, 5, 4)], num_heads=2)
case("mha_past", "MultiHeadAttention", [X, S, real(2, 3, 8), None, None, None, real(2, 2, 4, 4), real(2, 2, 4, 4)], 3,
     num_heads=2)
case("mha_causal", "MultiHeadAttention", [X, S, real(2, 3, 8)], num_heads=2, unidirectional=1)

TABLES = real(9, 8), real(9, 8)
PROMPT = real(2, 3, 64), real(2, 3, 32), real(2, 3, 32)  # 4 heads, 2 of keys, 16 features
ENDS, TOTAL = np.array([2, 2], "int32"), number(3, "int32")
gqa = dict(num_heads=4, kv_num_heads=2)
STEP = real(2, 1, 64), real(2, 1, 32), real(2, 1, 32)
PAST = real(2, 2, 3, 16), real(2, 2, 3, 16)
LATER, LATER_TOTAL = np.array([3, 3], "int32"), number(4, "int32")
case("gqa_prompt", "GroupQueryAttention", [*PROMPT, None, None, ENDS, TOTAL], 3, **gqa)
case("gqa_step", "GroupQueryAttention", [*STEP, *PAST, LATER, LATER_TOTAL], 3, **gqa)
case("gqa_step_fixed", "GroupQueryAttention", [*STEP, *PAST, LATER, LATER_TOTAL], 3, fixed=(6,), **gqa)
# What a cache has behind the end of a sequence is not defined.
SHORTER = [*STEP, *PAST, np.array([3, 1], "int32"), LATER_TOTAL]
case("gqa_step_shorter", "GroupQueryAttention", SHORTER, 1, **gqa,
     expected=results_of("GroupQueryAttention", SHORTER, 3, **gqa)[:1])
case("gqa_rotary", "GroupQueryAttention", [*PROMPT, None, None, ENDS, TOTAL, *TABLES], 3, do_rotary=1, **gqa)
case("gqa_rotary_step", "GroupQueryAttention", [*STEP, *PAST, LATER, LATER_TOTAL, *TABLES], 3, do_rotary=1,
     rotary_interleaved=1, **gqa)
case("gqa_packed", "GroupQueryAttention", [real(2, 3, 128), None, None, None, None, ENDS, TOTAL, *TABLES], 3,
     do_rotary=1, **gqa)
case("gqa_softcap", "GroupQueryAttention", [*PROMPT, None, None, ENDS, TOTAL], 1, softcap=0.5, scale=0.7, **gqa)
case("gqa_smooth", "GroupQueryAttention", [*PROMPT, None, None, ENDS, TOTAL], 1, smooth_softmax=1, **gqa)
case("gqa_sink", "GroupQueryAttention", [*PROMPT, None, None, ENDS, TOTAL, None, None, None, None, real(4)], 1, **gqa)
case("gqa_bias", "GroupQueryAttention", [*STEP, *PAST, LATER, LATER_TOTAL, None, None, None, real(1, 1, 1, 4)], 3, **gqa)
LONG = real(2, 6, 64), real(2, 6, 32), real(2, 6, 32)
case("gqa_window", "GroupQueryAttention", [*LONG, None, None, np.array([5, 5], "int32"), number(6, "int32")], 1,
     local_window_size=2, **gqa)

PLACES = np.array([[0, 1, 2], [4, 5, 6]], "int64")
case("rotary", "RotaryEmbedding", [real(2, 3, 32), PLACES, *TABLES])
case("rotary_heads", "RotaryEmbedding", [real(2, 2, 3, 16), PLACES, *TABLES], interleaved=1)
case("rotary_one_place", "RotaryEmbedding", [real(2, 3, 32), np.array([2], "int64"), *TABLES])
case("rotary_part", "RotaryEmbedding", [real(2, 3, 40), PLACES, *TABLES], num_heads=2, rotary_embedding_dim=16)

# -- Quantised numbers.

# No simple fractions: no result is in the middle between two whole numbers.
SCALES = number(0.0513), number(0.0317), number(0.0419)
for dtype in ("uint8", "int8"):
    zero = number(3, dtype)
    a, b = whole(dtype, 2, 3, 4), whole(dtype, 3, 4)
    of_two = [a, SCALES[0], zero, b, SCALES[1], number(1, dtype), number(0.0613), number(2, dtype)]
    case(f"qlinear_add_{dtype}", "QLinearAdd", of_two)
    case(f"qlinear_mul_{dtype}", "QLinearMul", of_two)
    of_one = [a, SCALES[0], zero, SCALES[2], number(5, dtype)]
    case(f"qlinear_leaky_relu_{dtype}", "QLinearLeakyRelu", of_one, alpha=0.2)
    case(f"qlinear_sigmoid_{dtype}", "QLinearSigmoid", [*of_one[:3], number(1 / 256), number(0, dtype)])
    case(f"qlinear_softmax_{dtype}", "QLinearSoftmax", [*of_one[:3], number(1 / 256), number(0, dtype)], fixed=(1, 2, 3, 4),
         opset=13, axis=-1)
    case(f"qlinear_softmax_old_{dtype}", "QLinearSoftmax", [*of_one[:3], number(1 / 256), number(0, dtype)],
         fixed=(1, 2, 3, 4), opset=11, axis=1)
    case(f"qlinear_concat_{dtype}", "QLinearConcat",
         [SCALES[2], zero, b, SCALES[0], number(1, dtype), whole(dtype, 2, 4), SCALES[1], zero], axis=0)
    case(f"qlinear_where_{dtype}", "QLinearWhere",
         [np.array([True, False, True, False]), b, SCALES[0], zero, whole(dtype, 3, 4), SCALES[1], number(1, dtype),
          SCALES[2], number(4, dtype)])
    image = whole(dtype, 1, 3, 6, 5)
    case(f"qlinear_global_average_pool_{dtype}", "QLinearGlobalAveragePool",
         [image, SCALES[0], zero, SCALES[2], number(5, dtype)])
    case(f"qlinear_average_pool_{dtype}", "QLinearAveragePool", [image, SCALES[0], zero, SCALES[2], number(5, dtype)],
         kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])
    case(f"qlinear_average_pool_last_{dtype}", "QLinearAveragePool",
         [whole(dtype, 1, 6, 5, 3), SCALES[0], zero, SCALES[2], number(5, dtype)], kernel_shape=[3, 2],
         channels_last=1, count_include_pad=1, pads=[1, 0, 1, 1])
    mean = (a.astype("float32") - 3).mean(1) * SCALES[0]
    code = np.clip(np.rint(mean / SCALES[2]) + 5, np.iinfo(dtype).min, np.iinfo(dtype).max)
    case(f"qlinear_reduce_mean_{dtype}", "QLinearReduceMean", of_one, axes=[1], keepdims=0,
         expected=[code.astype(dtype)])
    case(f"quantize_{dtype}", "QuantizeLinear", [X, SCALES[0], zero])
    case(f"dequantize_{dtype}", "DequantizeLinear", [a, SCALES[0], zero])
case("qlinear_global_average_pool_last", "QLinearGlobalAveragePool",
     [whole("uint8", 1, 6, 5, 3), SCALES[0], number(3, "uint8"), SCALES[2], number(5, "uint8")], channels_last=1)
case("quantize_axis", "QuantizeLinear", [real(2, 3), real(3, low=0.01, high=0.02), whole("int8", 3)], axis=1)
case("dequantize_int16", "DequantizeLinear", [whole("int16", 4), SCALES[0], number(-7, "int16")])
for last in (0, 1):
    shape = (1, 6, 5, 4) if last else (1, 4, 6, 5)
    case(f"qlinear_conv_{last}", "QLinearConv",
         [whole("uint8", *shape), SCALES[0], number(120, "uint8"), weights(3, 4, 3, 3),
          real(3, low=0.01, high=0.02), np.zeros(3, "int8"), number(0.9), number(100, "uint8"),
          RANDOM.integers(-500, 500, 3).astype("int32")],
         fixed=(1, 2, 3, 4, 5, 6, 7, 8), channels_last=last, pads=[1, 1, 1, 1])
A8, W8 = whole("uint8", 3, 6), weights(6, 5)
A_SCALE, A_ZERO, W_SCALE, W_ZERO = number(0.02), number(120, "uint8"), number(0.01), number(2, "int8")
case("qgemm", "QGemm", [A8, A_SCALE, A_ZERO, W8, W_SCALE, W_ZERO, RANDOM.integers(-900, 900, 5).astype("int32"),
                        number(0.05), number(100, "uint8")], alpha=1.5)
case("qgemm_real", "QGemm", [A8.T.copy(), A_SCALE, A_ZERO, W8.T.copy(), real(5, low=0.01, high=0.02),
                             np.zeros(5, "int8")], transA=1, transB=1)
case("matmul_integer_to_float", "MatMulIntegerToFloat", [A8, W8, A_SCALE, real(5, low=0.01, high=0.02), A_ZERO,
                                                         np.zeros(5, "int8"), real(5)])
case("dynamic_quantize_matmul", "DynamicQuantizeMatMul", [real(2, 3, 6), weights(6, 5), W_SCALE, W_ZERO, real(5)])
case("qattention", "QAttention",
     [whole("uint8", 2, 3, 8), weights(8, 24), BIAS, number(0.01), number(0.01), MASK, number(128, "uint8"),
      number(1, "int8")], num_heads=2)
case("qattention_past", "QAttention",
     [whole("uint8", 2, 3, 8), weights(8, 24), BIAS, number(0.01), number(0.01), None, number(128, "uint8"),
      number(0, "int8"), real(2, 2, 2, 5, 4)], 2, num_heads=2, unidirectional=1)
for bits, depth in ((2, 32), (4, 40), (8, 40)):
    columns, block = 6, 16
    blocks = -(-depth // block)
    packed = whole("uint8", columns, blocks, block * bits // 8)
    scales = real(columns, blocks, low=0.01, high=0.1)
    zeros = whole("uint8", columns, -(-blocks * bits // 8))
    sizes = dict(K=depth, N=columns, bits=bits, block_size=block)
    data = real(2, 3, depth)
    case(f"matmul_nbits_{bits}", "MatMulNBits", [data, packed, scales], fixed=(1, 2), **sizes)
    case(f"matmul_nbits_{bits}_zeros", "MatMulNBits", [data, packed, scales, zeros], fixed=(1, 2, 3), **sizes)
    case(f"matmul_nbits_{bits}_bias", "MatMulNBits", [data, packed, scales, zeros, None, real(columns)],
         fixed=(1, 2, 3, 5), **sizes)

# -- Others.

case("trilu", "Trilu", [real(2, 4, 5), number(1, "int64")], upper=0)
case("pad", "Pad", [real(2, 3), np.array([0, 1, 2, 0], "int64"), number(0.5)])
case("pad_reflect", "Pad", [real(4, 5), np.array([[1, 2, 0, 1]], "int64")], fixed=(1,), mode="reflect")
case("unique", "Unique", [np.array([2, 1, 1, 3, 4, 3], "float32")], 3)
case("gather_nd", "GatherND", [real(3, 4, 5), np.array([[0, 1], [2, 3]], "int64")])
case("crop_and_resize", "CropAndResize",
     [real(2, 3, 6, 5), np.array([[0, 0, 1, 1], [0.2, 0.1, 0.8, 0.7], [-0.2, 0, 0.5, 1.2]], "float32"),
      np.array([0, 1, 0], "int32"), np.array([4, 3], "int32")], extrapolation_value=0.5)
case("crop_and_resize_nearest", "CropAndResize",
     [real(2, 3, 6, 5), np.array([[0, 0, 1, 1], [0.2, 0.1, 0.8, 0.7]], "float32"), np.array([1, 1], "int32"),
      np.array([4, 3], "int32")], fixed=(3,), mode="nearest")
case("grid_sample", "GridSample", [real(1, 2, 4, 5), real(1, 3, 3, 2)], padding_mode="border", align_corners=1)
case("range", "Range", [number(1), number(7)], fixed=(0, 1))
case("expand_dims", "ExpandDims", [real(2, 3), number(-1, "int32")], fixed=(1,))


def main():
    failed = []
    for name in CASES:
        try:
            run(sys.argv[1], name)
        except Exception as error:  # what ONNX Runtime does not take
            failed.append(f"{name}: {error}")
    print(f"{len(CASES) - len(failed)} cases written")
    for line in failed:
        print("NOT WRITTEN", line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
