"""Operators and small models that TensorFlow makes, compared with TensorFlow's own results.

Each case is run as a frozen graph (compared with TensorFlow), as a model of TFLite in floats, and
in whole numbers of 8 bits, which must be equal to those of TFLite's reference kernels. Run by
`tools/try_tensorflow`.
"""

from frozen import RANDOM, compare, freeze, run

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.lite.python.interpreter import Interpreter, OpResolverType

from lathe import relay

L = tf.keras.layers
IMAGE = [1, 9, 8, 6]


def w(*shape):
    return tf.constant(RANDOM.uniform(-1, 1, shape).astype("float32"))


CASES = {}  # name -> (shapes, function, can it be quantised? None: TFLite does not have it)


def case(name, shapes, function, quantised=True):
    CASES[name] = shapes, function, quantised


nn, math, v1 = tf.nn, tf.math, tf.compat.v1
case("conv", [IMAGE], lambda x: nn.relu(nn.conv2d(x, w(3, 3, 6, 5), 2, "SAME") + w(5)))
case("conv_dilated", [IMAGE], lambda x: nn.conv2d(x, w(3, 2, 6, 5), 1, "VALID", dilations=2) + w(5))
case("conv_groups", [IMAGE], lambda x: nn.conv2d(x, w(3, 2, 3, 4), 1, "VALID"))
case("depthwise", [IMAGE],
     lambda x: nn.relu6(nn.depthwise_conv2d(x, w(3, 3, 6, 2), [1, 2, 2, 1], "SAME") + w(12)))
case("conv_transpose", [IMAGE],
     lambda x: nn.conv2d_transpose(x, w(3, 3, 5, 6), [1, 18, 16, 5], 2, "SAME"))
case("conv_transpose_valid", [IMAGE],
     lambda x: nn.conv2d_transpose(x, w(3, 3, 5, 6), [1, 19, 17, 5], 2, "VALID") + w(5))
case("conv3d", [[1, 5, 6, 7, 3]],
     lambda x: nn.conv3d(x, w(3, 2, 3, 3, 4), [1, 1, 2, 1, 1], "SAME"), False)
case("dense", [[3, 20]], lambda x: tf.matmul(x, w(20, 7)) + w(7))
case("dense_of_rank_3", [[2, 3, 20]], lambda x: nn.relu(tf.tensordot(x, w(20, 7), 1) + w(7)))
case("batch_matmul", [[2, 3, 4], [2, 4, 5]], tf.matmul)
case("batch_matmul_turned", [[2, 4, 3], [2, 5, 4]],
     lambda a, b: tf.matmul(a, b, transpose_a=True, transpose_b=True))
case("average_pool", [IMAGE], lambda x: nn.avg_pool2d(x, 3, 2, "SAME"))
case("average_pool_valid", [IMAGE], lambda x: nn.avg_pool2d(x, [2, 3], [1, 2], "VALID"))
case("max_pool", [IMAGE], lambda x: nn.max_pool2d(x, 3, 2, "SAME"))
case("mean", [IMAGE], lambda x: tf.reduce_mean(x, [1, 2]))
case("mean_last", [IMAGE], lambda x: tf.reduce_mean(x, -1))
case("reduce_max", [IMAGE], lambda x: tf.reduce_max(x, [1]))
case("reduce_min", [IMAGE], lambda x: tf.reduce_min(x, [2, 3]))
case("add", [IMAGE, [1, 1, 1, 6]], lambda a, b: nn.relu(a + b))
case("subtract", [IMAGE, IMAGE], lambda a, b: a - b)
case("multiply", [IMAGE, [1, 9, 1, 6]], lambda a, b: a * b)
case("divide", [IMAGE, IMAGE], lambda a, b: a / (b + 3.0), False)
case("maximum", [IMAGE, IMAGE], tf.maximum)
case("squared_difference", [IMAGE, IMAGE], math.squared_difference)
case("floor_division", [IMAGE, IMAGE], lambda a, b: math.floordiv(a, b + 3.0), False)
case("floor_mod", [IMAGE, IMAGE], lambda a, b: math.floormod(a, b + 3.0), False)
for op in ("abs", "exp", "sigmoid", "tanh"):
    case(op, [IMAGE], getattr(math, op))
for op in ("sin", "cos", "floor", "negative", "sign", "square"):
    case(op, [IMAGE], getattr(math, op), False)
case("erf", [IMAGE], math.erf, None)
for op in ("sqrt", "rsqrt", "log"):
    case(op, [IMAGE], lambda x, op=op: getattr(math, op)(x + 1.5), False)
case("relu", [IMAGE], nn.relu)
case("leaky_relu", [IMAGE], lambda x: nn.leaky_relu(x, 0.3))
case("gelu", [IMAGE], lambda x: nn.gelu(x, False))
case("gelu_tanh", [IMAGE], lambda x: nn.gelu(x, True))
case("hard_swish", [IMAGE], lambda x: (lambda y: y * nn.relu6(y + 3) * (1 / 6.0))(x * 6))
case("softmax", [[3, 10]], lambda x: nn.softmax(x * 5))
case("reshape", [IMAGE], lambda x: tf.reshape(x, [1, 72, 6]))
case("transpose", [IMAGE], lambda x: tf.transpose(x, [0, 3, 1, 2]))
case("concat", [IMAGE, IMAGE], lambda a, b: tf.concat([nn.relu(a), b * 3], 1))
case("stack", [IMAGE, IMAGE], lambda a, b: tf.stack([a, b], 1))
case("split", [IMAGE], lambda x: tf.split(x, [1, 2, 3], axis=3))
case("pad", [IMAGE], lambda x: tf.pad(x, [[0, 0], [1, 2], [3, 0], [0, 1]]))
case("mirror_pad", [IMAGE], lambda x: tf.pad(x, [[0, 0], [1, 2], [3, 0], [0, 1]], "REFLECT"))
case("space_to_depth", [[1, 8, 6, 3]], lambda x: nn.space_to_depth(x, 2))
case("strided_slice", [IMAGE], lambda x: x[:, ::2, -3:, 1])
case("backward_slice", [IMAGE], lambda x: x[:, 7:1:-2, ..., tf.newaxis])
case("gather", [IMAGE], lambda x: tf.gather(x, [2, 0, 5], axis=3))
case("gather_nd", [IMAGE], lambda x: tf.gather_nd(x, [[[0, 1], [0, 3]]]))
case("argmax", [IMAGE], lambda x: tf.argmax(x, 3, output_type=tf.int32))
case("top_k", [[3, 10]], lambda x: math.top_k(x, 4))
case("resize", [IMAGE], lambda x: tf.image.resize(x, [13, 17]))
case("resize_smaller", [IMAGE], lambda x: tf.image.resize(x, [5, 4]))
case("resize_corners", [IMAGE],
     lambda x: v1.image.resize_bilinear(x, [13, 17], align_corners=True))
case("resize_nearest", [IMAGE], lambda x: tf.image.resize(x, [13, 17], "nearest"))
case("select", [IMAGE, IMAGE], lambda a, b: tf.where(a > b, a, b))
case("cumsum", [IMAGE], lambda x: tf.cumsum(x, 2, exclusive=True, reverse=True), False)
case("scatter", [[2, 3]], lambda x: tf.scatter_nd([[1], [3]], x, [5, 3]), False)
case("where", [[3, 4]], lambda x: tf.where(x > 0), False)
case("cond", [[2, 3]], lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x - 1), False)
case("while", [[2, 3]],
     lambda x: tf.while_loop(lambda y: tf.reduce_sum(y) < 50.0, lambda y: (y * 1.5 + 1,), [x])[0],
     False)
case("lstm", [[2, 5, 3]], L.LSTM(4, return_sequences=True), False)
case("bidirectional_lstm", [[2, 5, 3]], L.Bidirectional(L.LSTM(4, return_sequences=True)), False)
case("gru", [[2, 5, 3]], L.GRU(4), False)
case("layer_norm", [[2, 5, 8]], L.LayerNormalization(), False)

# Of frozen graphs only.
raw, quantization = tf.raw_ops, tf.quantization
case("xdivy", [IMAGE, IMAGE], lambda a, b: math.xdivy(nn.relu(a), b), None)
case("xlogy", [IMAGE, IMAGE], lambda a, b: math.xlogy(nn.relu(a), b + 2.0), None)
case("xlog1py", [IMAGE, IMAGE], lambda a, b: math.xlog1py(nn.relu(a), b + 1.0), None)
case("multiply_no_nan", [IMAGE, IMAGE], lambda a, b: math.multiply_no_nan(1 / a, nn.relu(b)), None)
case("linspace", [[], []], lambda a, b: raw.LinSpace(start=a, stop=b, num=11), None)
case("invert_permutation", [[7]],
     lambda x: math.invert_permutation(tf.argsort(x)), None)
case("fake_quant", [IMAGE],
     lambda x: quantization.fake_quant_with_min_max_args(x, -0.7, 0.9, 5), None)
case("fake_quant_vars", [IMAGE],
     lambda x: quantization.fake_quant_with_min_max_vars(x, -0.2, 0.9, 8, True), None)
case("fake_quant_per_channel", [IMAGE],
     lambda x: quantization.fake_quant_with_min_max_vars_per_channel(
         x, [-1, -0.1, 0, -0.7, 0.2, 0], [1, 0.3, 0.9, -0.2, 0.9, 0]), None)
for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
    for name, k in (("wide", (-1, 2)), ("above", (1, 2)), ("below", (-3, -1)), ("one", 1)):
        shape = [2, 3] if k == 1 else [2, k[1] - k[0] + 1, 3]
        case(f"matrix_diag_{name}_{align}", [shape],
             lambda x, k=k, align=align: tf.linalg.diag(x, k=k, padding_value=7.0, align=align), None)
        case(f"matrix_diag_part_{name}_{align}", [[2, 4, 5]],
             lambda x, k=k, align=align: tf.linalg.diag_part(x, k=k, padding_value=7.0, align=align),
             None)
case("matrix_set_diag", [[2, 4, 5], [2, 2, 4]], lambda x, d: tf.linalg.set_diag(x, d, k=(-1, 0)), None)
for size in ([13, 17], [5, 4], [18, 16], [9, 8]):
    case(f"resize_bicubic_{size[0]}", [IMAGE], lambda x, s=size: tf.image.resize(x, s, "bicubic"), None)
    case(f"resize_bicubic_old_{size[0]}", [IMAGE],
         lambda x, s=size: v1.image.resize_bicubic(x, s), None)
    case(f"resize_bicubic_corners_{size[0]}", [IMAGE],
         lambda x, s=size: v1.image.resize_bicubic(x, s, align_corners=True), None)
    case(f"resize_area_{size[0]}", [IMAGE], lambda x, s=size: tf.image.resize(x, s, "area"), None)
for method in ("bilinear", "nearest"):
    for size in ([4, 5], [1, 3]):
        case(f"crop_and_resize_{method}_{size[0]}", [IMAGE, [3, 4]],
             lambda x, b, m=method, s=size: tf.image.crop_and_resize(
                 x, tf.abs(b) * 1.1, [0, 0, 0], s, m, 3.0), None)
BOXES = [[30, 4], [30]]
limits = {"max_output_size": 9, "iou_threshold": 0.3, "score_threshold": -0.5}
case("suppression", BOXES, lambda b, s: raw.NonMaxSuppressionV3(boxes=b, scores=s, **limits), None)
for pad in (False, True):
    case(f"suppression_4_{pad}", BOXES, lambda b, s, pad=pad: tuple(raw.NonMaxSuppressionV4(
        boxes=b, scores=s, pad_to_max_output_size=pad, **limits)), None)
    case(f"suppression_5_{pad}", BOXES, lambda b, s, pad=pad: tuple(raw.NonMaxSuppressionV5(
        boxes=b, scores=s, soft_nms_sigma=0.0, pad_to_max_output_size=pad, **limits)), None)
    for own in (1, 3):
        case(f"suppression_of_{own}_{pad}", [[2, 20, own, 4], [2, 20, 3]],
             lambda b, s, pad=pad: tuple(tf.image.combined_non_max_suppression(
                 tf.abs(b), s, 4, 15, 0.3, 0.1, pad_per_class=pad)), None)
case("case", [[2, 3]],
     lambda x: tf.switch_case(tf.cast(tf.reduce_sum(x) + 1, tf.int32),
                              [lambda: x * 2, lambda: x - 1, lambda: x * x]), None)


def specs(name):
    return [tf.TensorSpec(shape, tf.float32) for shape in CASES[name][0]]


@pytest.mark.parametrize("name", CASES)
def test_frozen_graphs(name):
    _, function, _ = CASES[name]
    frozen = freeze(lambda *x: function(*x), specs(name))
    compare(frozen, [RANDOM.uniform(-1, 1, t.shape).astype("float32") for t in frozen.inputs])


def fused_graph(op, shapes, fused_ops):
    """A graph with a node that only TensorFlow's optimiser makes: x, w and the operands of `fused_ops`."""
    graph = tf.compat.v1.GraphDef()
    names = []
    for i, shape in enumerate(shapes):
        node = graph.node.add(name=f"i{i}", op="Placeholder" if i == 0 else "Const")
        node.attr["dtype"].type = tf.float32.as_datatype_enum
        value = RANDOM.uniform(0.1, 1, shape).astype("float32")
        if i == 0:
            node.attr["shape"].CopyFrom(tf.compat.v1.AttrValue(shape=tf.TensorShape(shape).as_proto()))
        else:
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
        names.append(node.name)
    node = graph.node.add(name="y", op=op, input=names)
    node.attr["T"].type = tf.float32.as_datatype_enum
    node.attr["num_args"].i = len(shapes) - 2
    node.attr["fused_ops"].list.s.extend(one.encode() for one in fused_ops)
    node.attr["epsilon"].f = 0.01
    node.attr["leakyrelu_alpha"].f = 0.3
    if op != "_FusedMatMul":
        node.attr["TArgs"].list.type.extend([tf.float32.as_datatype_enum] * (len(shapes) - 2))
        node.attr["strides"].list.i.extend([1, 2, 2, 1])
        node.attr["padding"].s = b"SAME"
    return graph


@pytest.mark.parametrize("activation", [[], ["Relu"], ["Relu6"], ["Elu"], ["LeakyRelu"]])
@pytest.mark.parametrize("op,shapes,fused", [
    ("_FusedConv2D", [IMAGE, [3, 3, 6, 5], [5]], "BiasAdd"),
    ("_FusedConv2D", [IMAGE, [3, 3, 6, 5], [5], [5], [5], [5]], "FusedBatchNorm"),
    ("_FusedMatMul", [[3, 20], [20, 7], [7]], "BiasAdd")])
def test_fused(op, shapes, fused, activation):
    graph = fused_graph(op, shapes, [fused, *activation])
    x = RANDOM.uniform(-1, 1, shapes[0]).astype("float32")
    with tf.Graph().as_default() as made:
        tf.import_graph_def(graph, name="")
    with v1.Session(graph=made) as session:
        expected = session.run("y:0", {"i0:0": x})
    mod, params = relay.frontend.from_tensorflow(graph)
    for level in (0, 3):
        np.testing.assert_allclose(run(mod, params, level, {"i0": x})[0], expected, rtol=1e-4, atol=3e-5)


def converted(name, quantised):
    _, function, _ = CASES[name]
    call = tf.function(lambda *x: function(*x)).get_concrete_function(*specs(name))
    converter = tf.lite.TFLiteConverter.from_concrete_functions([call])
    if quantised:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.representative_dataset = lambda: [
            [RANDOM.uniform(-1, 1, shape).astype("float32") for shape in CASES[name][0]]
            for _ in range(20)]
        converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def interpreter_of(model):
    """The reference kernels; the optimised ones where TensorFlow has no others."""
    for kind in (OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
        try:
            interpreter = Interpreter(model_content=model, experimental_op_resolver_type=kind)
            interpreter.allocate_tensors()
            return interpreter
        except ValueError:
            continue
    raise AssertionError("TensorFlow cannot run its own model")


@pytest.mark.parametrize("name,quantised",
                         [(name, quantised) for name, (_, _, can) in CASES.items() if can is not None
                          for quantised in ((False, True) if can else (False,))])
def test_models_of_tflite(name, quantised):
    model = converted(name, quantised)
    interpreter = interpreter_of(model)
    inputs = {}
    for detail in interpreter.get_input_details():
        x = RANDOM.integers(-128, 128, detail["shape"]).astype("int8") if quantised else \
            RANDOM.uniform(-1, 1, detail["shape"]).astype("float32")
        inputs[detail["name"]] = x
        interpreter.set_tensor(detail["index"], x)
    interpreter.invoke()
    mod, params = relay.frontend.from_tflite(model)
    for level in (0, 3):
        found = run(mod, params, level, inputs)
        for a, detail in zip(found, interpreter.get_output_details()):
            expected = interpreter.get_tensor(detail["index"])
            assert a.dtype == expected.dtype
            if quantised:
                np.testing.assert_array_equal(a, expected)
            else:
                np.testing.assert_allclose(a, expected, rtol=1e-4, atol=2e-5)
