"""Small networks node by node, of what PyTorch's exporters do not write, for network_cases.py.

Each function takes a random generator, and returns the model and its inputs.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def node(kind, inputs, outputs, **attributes):
    """Names are separated by spaces; `-` is an input that is left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(kind, names, outputs.split(), **attributes)


def value(name, kind=FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, weights, opset=17):
    """`weights`: arrays by name."""
    graph = helper.make_graph(
        nodes,
        "network",
        inputs,
        outputs,
        [numpy_helper.from_array(np.asarray(one), name) for name, one in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def floats(random, *shape):
    return random.normal(0, 1, shape).astype("float32")


def boxes_of_two_stages(random):
    """Boxes of a first stage, the best of them, their windows, and a head for each; masks of the windows."""
    nodes = [
        node("Conv", "picture w1", "features", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Relu", "features", "active"),
        node("Conv", "active w2", "raw"),
        node("Transpose", "raw", "moved", perm=[0, 2, 3, 1]),
        node("Reshape", "moved by_cell", "cells"),
        node("Split", "cells parts", "deltas objectness", axis=2),
        node("Add", "deltas anchors", "boxes"),
        node("Transpose", "objectness", "scores", perm=[0, 2, 1]),
        node("NonMaxSuppression", "boxes scores most overlap least", "kept"),
        node("Gather", "kept second", "which", axis=1),
        node("Squeeze", "boxes zero", "all_boxes"),
        node("Gather", "all_boxes which", "chosen"),
        node("Shape", "which", "count"),
        node("ConstantOfShape", "count", "pictures", value=helper.make_tensor("v", INT64, [1], [0])),
        node(
            "RoiAlign",
            "active chosen pictures",
            "windows",
            output_height=4,
            output_width=4,
            spatial_scale=0.5,
            sampling_ratio=2,
        ),
        node("Flatten", "windows", "flat"),
        node("Gemm", "flat w3 b3", "classes"),
        node("Softmax", "classes", "probabilities"),
        node("ArgMax", "classes", "best", axis=1, keepdims=0),
        node("ConvTranspose", "windows w4", "grown", strides=[2, 2]),
        node("Sigmoid", "grown", "masks"),
    ]
    corners = random.uniform(0, 12, (64, 2))
    anchors = np.concatenate([corners, corners + random.uniform(3, 9, (64, 2))], 1).astype("float32")[None]
    weights = {
        "w1": floats(random, 8, 3, 3, 3),
        "w2": 0.2 * floats(random, 5, 8, 1, 1),
        "w3": floats(random, 128, 6),
        "b3": floats(random, 6),
        "w4": floats(random, 8, 2, 2, 2),
        "anchors": anchors,
        "by_cell": np.array([1, -1, 5]),
        "parts": np.array([4, 1]),
        "most": np.array([9]),
        "overlap": np.array([0.5], "float32"),
        "least": np.array([-1.0], "float32"),
        "second": np.array(2),
        "zero": np.array([0]),
    }
    outputs = [
        value("kept", INT64, [None, 3]),
        value("chosen", FLOAT, [None, 4]),
        value("probabilities", FLOAT, [None, 6]),
        value("best", INT64, [None]),
        value("masks", FLOAT, [None, 2, 8, 8]),
    ]
    return model(nodes, [value("picture", FLOAT, [1, 3, 16, 16])], outputs, weights), [floats(random, 1, 3, 16, 16)]


def greedy_words(random):
    """A loop that takes the best word until the last, and collects the scores."""
    body = helper.make_graph(
        [
            node("Gather", "words before", "row"),
            node("MatMul", "state wh", "kept_part"),
            node("MatMul", "row wx", "new_part"),
            node("Add", "kept_part new_part", "sum"),
            node("Tanh", "sum", "next"),
            node("MatMul", "next head", "scores"),
            node("ArgMax", "scores", "word", axis=1, keepdims=0),
            node("Equal", "word end", "ended"),
            node("Not", "ended", "open"),
            node("Squeeze", "open", "go"),
        ],
        "body",
        [value("i", INT64, []), value("going", BOOL, []), value("before", INT64, [1]), value("state", FLOAT, [1, 6])],
        [
            value("go", BOOL, []),
            value("word", INT64, [1]),
            value("next", FLOAT, [1, 6]),
            value("scores", FLOAT, [1, 9]),
        ],
    )
    nodes = [
        node("Loop", "rounds yes first start", "last state_out all", body=body),
        node("ReduceMax", "all", "peak", axes=[2], keepdims=0),
    ]
    weights = {
        "words": floats(random, 9, 6),
        "wx": floats(random, 6, 6),
        "wh": floats(random, 6, 6),
        "head": floats(random, 6, 9),
        "end": np.array([4]),
        "yes": np.array(True),
    }
    outputs = [
        value("last", INT64, [1]),
        value("state_out", FLOAT, [1, 6]),
        value("all", FLOAT, [None, 1, 9]),
        value("peak", FLOAT, [None, 1]),
    ]
    inputs = [value("rounds", INT64, []), value("first", INT64, [1]), value("start", FLOAT, [1, 6])]
    return model(nodes, inputs, outputs, weights), [np.array(11), np.array([3]), floats(random, 1, 6)]


def branches(random):
    """Branches within branches, of results of other sizes, and values from outside."""

    def graph(name, nodes, output, shape):
        return helper.make_graph(nodes, name, [], [value(output, FLOAT, shape)])

    inner = [
        graph("a", [node("MatMul", "x w", "a")], "a", [None, 4]),
        graph("b", [node("Neg", "x", "negative"), node("Relu", "negative", "b")], "b", [None, 4]),
    ]
    outer = graph(
        "then",
        [
            node("If", "is_large", "inner_result", then_branch=inner[0], else_branch=inner[1]),
            node("Mul", "inner_result two", "c"),
        ],
        "c",
        [None, 4],
    )
    other = graph("else", [node("Sub", "x two", "d")], "d", [None, 4])
    nodes = [
        node("ReduceSum", "x", "total", keepdims=0),
        node("Greater", "total zero", "positive"),
        node("Greater", "total two", "is_large"),
        node("If", "positive", "y", then_branch=outer, else_branch=other),
        node("Concat", "y x", "z", axis=0),
    ]
    weights = {"w": floats(random, 4, 4), "two": np.float32(2), "zero": np.float32(0)}
    return (
        model(nodes, [value("x", FLOAT, ["n", 4])], [value("z", FLOAT, [None, 4])], weights, 13),
        [np.abs(floats(random, 5, 4))],
    )


def places(random):
    """Writes and reads at places: ScatterND with sums, GatherND with a batch, elements of rows."""
    nodes = [
        node("ScatterND", "x at rows", "added", reduction="add"),
        node("GatherND", "added at", "back"),
        node("GatherElements", "added columns", "picked", axis=1),
        node("ScatterElements", "added columns picked", "put", axis=1),
        node("NonZero", "mask", "where"),
        node("Transpose", "where", "pairs", perm=[1, 0]),
        node("GatherND", "added pairs", "chosen"),
        node("OneHot", "columns depth ends", "hot"),
        node("Einsum", "hot added", "mixed", equation="ijk,ij->ik"),
        node("CumSum", "mixed axis", "sums", reverse=1, exclusive=1),
        node("TopK", "sums two", "best where_best", axis=1),
        node("Trilu", "added", "upper", upper=0),
        node("Compress", "added some", "rows_of_some", axis=0),
        node("ReverseSequence", "added lengths", "turned", batch_axis=0, time_axis=1),
    ]
    weights = {
        "depth": np.array(7),
        "ends": np.array([-0.5, 1.5], "float32"),
        "axis": np.array(1),
        "two": np.array([2]),
    }
    inputs = {
        "x": floats(random, 6, 7),
        "at": random.integers(0, 6, (4, 1)),
        "rows": floats(random, 4, 7),
        "columns": np.argsort(random.random((6, 7)), 1),
        "mask": random.integers(0, 2, (6, 7)).astype(bool),
        "some": np.array([True, False, True, True, False, False]),
        "lengths": random.integers(1, 8, 6),
    }
    kinds = {"float32": FLOAT, "int64": INT64, "bool": BOOL}
    outputs = [
        value(name, FLOAT, None)
        for name in ("back", "picked", "put", "chosen", "sums", "best", "upper", "rows_of_some", "turned")
    ]
    return (
        model(
            nodes,
            [value(name, kinds[str(one.dtype)], list(one.shape)) for name, one in inputs.items()],
            outputs + [value("where_best", INT64, None)],
            weights,
        ),
        list(inputs.values()),
    )


def nhwc_quantised(random):
    """As converters from TensorFlow write: transposes around each operator, and QuantizeLinear between."""
    nodes = [
        node("Transpose", "x", "x1", perm=[0, 3, 1, 2]),
        node("QuantizeLinear", "x1 s z", "q1"),
        node("DequantizeLinear", "q1 s z", "d1"),
        node("DequantizeLinear", "w ws wz", "dw", axis=0),
        node("Conv", "d1 dw b", "c1", pads=[0, 0, 1, 1], strides=[2, 2]),
        node("Clip", "c1 low high", "r1"),
        node("QuantizeLinear", "r1 s z", "q2"),
        node("DequantizeLinear", "q2 s z", "d2"),
        node("Transpose", "d2", "y1", perm=[0, 2, 3, 1]),
        node("Transpose", "y1", "y2", perm=[0, 3, 1, 2]),
        node("Resize", "y2 - - sizes", "up", mode="linear", coordinate_transformation_mode="half_pixel"),
        node("Add", "up bias", "biased"),
        node("Transpose", "biased", "y", perm=[0, 2, 3, 1]),
        node("ReduceMean", "y", "mean", axes=[1, 2], keepdims=0),
        node("DynamicQuantizeLinear", "mean", "qm sm zm"),
        node("MatMulInteger", "qm wm zm", "whole"),
        node("Cast", "whole", "real", to=FLOAT),
        node("Mul", "real sm", "scores"),
    ]
    weights = {
        "s": np.float32(0.05),
        "z": np.uint8(120),
        "w": random.integers(-127, 128, (8, 3, 3, 3)).astype("int8"),
        "ws": random.uniform(0.005, 0.02, 8).astype("float32"),
        "wz": np.zeros(8, "int8"),
        "b": floats(random, 8),
        "low": np.float32(0),
        "high": np.float32(6),
        "sizes": np.array([1, 8, 13, 12]),
        "bias": floats(random, 1, 8, 1, 1),
        "wm": random.integers(-127, 128, (8, 5)).astype("int8"),
    }
    return (
        model(
            nodes, [value("x", FLOAT, [1, 17, 16, 3])], [value("y", FLOAT, None), value("scores", FLOAT, None)], weights
        ),
        [floats(random, 1, 17, 16, 3)],
    )


def scanned(random):
    """A recurrence as Scan, backwards, with two sequences; sequences of tensors."""
    body = helper.make_graph(
        [node("Mul", "h a", "scaled"), node("Add", "scaled b", "next"), node("Identity", "next", "out")],
        "body",
        [value("h", FLOAT, [5]), value("a", FLOAT, [5]), value("b", FLOAT, [5])],
        [value("next", FLOAT, [5]), value("out", FLOAT, [5])],
    )
    nodes = [
        node(
            "Scan",
            "start gates inputs",
            "last rows",
            body=body,
            num_scan_inputs=2,
            scan_input_directions=[1, 1],
            scan_output_directions=[1],
        ),
        node("SplitToSequence", "rows lengths", "pieces", axis=0),
        node("SequenceAt", "pieces one", "piece"),
        node("ConcatFromSequence", "pieces", "joined", axis=1),
        node("ReduceLogSumExp", "piece", "sum", axes=[0]),
    ]
    weights = {"lengths": np.array(3), "one": np.array(1)}
    inputs = [floats(random, 5), random.uniform(0, 1, (6, 5)).astype("float32"), floats(random, 6, 5)]
    return (
        model(
            nodes,
            [value("start", FLOAT, [5]), value("gates", FLOAT, [6, 5]), value("inputs", FLOAT, [6, 5])],
            [value(name, FLOAT, None) for name in ("last", "rows", "joined", "sum")],
            weights,
        ),
        inputs,
    )


def sizes_at_run(random):
    """Shapes that are computed from sizes that only a run knows."""
    nodes = [
        node("Shape", "x", "all"),
        node("Slice", "all rows_at end_of_shape", "hw"),
        node("Mul", "hw scales", "double"),
        node("Slice", "all batch_at channels_at", "n"),
        node("Concat", "n channels double", "sizes", axis=0),
        node(
            "Resize",
            "x - - sizes",
            "up",
            mode="nearest",
            nearest_mode="floor",
            coordinate_transformation_mode="asymmetric",
        ),
        node("Conv", "up w", "c", auto_pad="SAME_UPPER", strides=[2, 2]),
        node("Shape", "c", "of_c"),
        node("Gather", "of_c last", "width"),
        node("Range", "start width step", "columns"),
        node("Cast", "columns", "numbers", to=FLOAT),
        node("Unsqueeze", "numbers new_axis", "row"),
        node("Expand", "row of_c", "wide"),
        node("Add", "c wide", "sum"),
        node("Pad", "sum pads", "padded", mode="edge"),
        node("MaxPool", "padded", "pooled", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
        node("Tile", "pooled times", "tiled"),
        node("Reshape", "tiled shape", "flat"),
        node("GlobalMaxPool", "sum", "most"),
    ]
    weights = {
        "batch_at": np.array([0]),
        "channels_at": np.array([1]),
        "rows_at": np.array([2]),
        "end_of_shape": np.array([4]),
        "scales": np.array([2, 2]),
        "channels": np.array([3]),
        "w": floats(random, 4, 3, 3, 3),
        "last": np.array(-1),
        "start": np.array(0),
        "step": np.array(1),
        "new_axis": np.array([0]),
        "pads": np.array([0, 0, 1, 0, 0, 0, 0, 2]),
        "times": np.array([1, 2, 1, 1]),
        "shape": np.array([0, 8, -1]),
    }
    return (
        model(
            nodes,
            [value("x", FLOAT, ["n", 3, "h", "w"])],
            [value("flat", FLOAT, None), value("most", FLOAT, None)],
            weights,
        ),
        [floats(random, 2, 3, 7, 9)],
    )


NETWORKS = [boxes_of_two_stages, greedy_words, branches, places, nhwc_quantised, scanned, sizes_at_run]
