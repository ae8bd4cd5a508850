"""Operands and attributes that composed operators do not take: each is refused by name when the graph is built."""

import re

import numpy as np
import pytest
from expect import named

from lathe import relay, te, topi


def var(*shape, dtype="float32"):
    return relay.var("x", shape=shape, dtype=dtype)


def whole(*shape):
    return var(*shape, dtype="int32")


ROWS = relay.const([5.0, 7.0]), relay.const([2, 0]), relay.const([0, 1, 2])  # two rows of three columns
BLOCKS = relay.const(np.ones((2, 2, 2), "float32")), relay.const([0, 1]), relay.const([0, 1, 2])
DETECTOR = (1.0,), (0.5, 1.0, 2.0), 16, 0.7, 40, 10, 16, False  # three anchors


def proposal(prob=(1, 6, 4, 5), moves=(1, 12, 4, 5), images=(1, 3), **changed):
    names = "scales", "ratios", "feature_stride", "threshold", "rpn_pre_nms_top_n", "rpn_post_nms_top_n", \
        "rpn_min_size", "iou_loss"
    return relay.vision.proposal(var(*prob), var(*moves), var(*images), **{**dict(zip(names, DETECTOR)), **changed})


def slope(grad=(2, 8, 6, 6), data=(2, 4, 8, 8), kernel_size=(3, 3), **attrs):
    return relay.nn.conv2d_backward_weight(var(*grad), var(*data), kernel_size=kernel_size, **attrs)


def correlation(x=(1, 1, 8, 8), y=(1, 1, 8, 8), kernel=1, displacement=1, stride1=1, stride2=1, padding=0):
    return relay.nn.correlation(var(*x), var(*y), kernel, displacement, stride1, stride2, padding, True)


def located(prob=(2, 3, 9), moves=(2, 36), anchors=(1, 9, 4), **attrs):
    return relay.vision.multibox_transform_loc(var(*prob), var(*moves), var(*anchors), **attrs)


def sparse_reshape(old, new, places=(3, 2)):
    return relay.sparse_reshape(whole(*places), old, new)


REFUSED = {
    "windows": [
        ("relay-axis", lambda: relay.sliding_window(var(3), 3, (2,), (1,))),
        ("relay-axis", lambda: relay.sliding_window(var(3), -4, (2,), (1,))),
        ("relay-axis", lambda: relay.sliding_window(var(), 0, (), ())),
        ("relay-axis", lambda: relay.sliding_window(var(3), None, (2,), (1,))),
        ("relay-window", lambda: relay.sliding_window(var(3, 3), 0, 2, 1)),
        ("relay-window", lambda: relay.sliding_window(var(3), 0, (4,), (1,))),
        ("relay-window", lambda: relay.sliding_window(var(3), 0, (2,), (0,))),
        ("relay-window", lambda: relay.image.dilation2d(var(1, 1, 4, 4), var(3, 2, 2))),
        ("relay-window", lambda: relay.image.dilation2d(var(1, 1, 2, 2), var(1, 5, 5))),
        ("relay-window", lambda: relay.image.dilation2d(var(1, 1, 4, 4), var(1, 2, 2), strides=0)),
        ("relay-window", lambda: relay.image.dilation2d(var(1, 1, 4, 4), var(1, 2, 2), strides=(1, 2, 3))),
        ("relay-window", lambda: relay.image.dilation2d(var(1, 1, 4, 4), var(1, 2, 2), dilations=(1, -1))),
        ("relay-window", lambda: relay.image.dilation2d(var(1, 1, 4, 4), var(1, 2, 2), padding="FULL")),
        ("relay-window", lambda: relay.image.dilation2d(var(1, 1, 4, 4), var(1, 2, 2), padding=None)),
        ("relay-window", lambda: relay.image.dilation2d(var(1, 1, 4, 4), var(1, 2, 2), padding=(-1, 0))),
        ("relay-rank", lambda: relay.image.dilation2d(var(1, 4, 4), var(1, 2, 2))),
        ("relay-rank", lambda: relay.image.dilation2d(var(1, 1, 4, 4), var(1, 1, 2, 2))),
        ("relay-window", lambda: correlation(y=(1, 1, 9, 8))),
        ("relay-window", lambda: correlation(y=(1, 2, 8, 8))),
        ("relay-window", lambda: correlation(x=(2, 1, 8, 8))),
        ("relay-window", lambda: correlation(stride1=0)),
        ("relay-window", lambda: correlation(stride2=0)),
        ("relay-window", lambda: correlation(kernel=-1)),
        ("relay-window", lambda: correlation(displacement=-1)),
        ("relay-rank", lambda: correlation(x=(1, 8, 8))),
    ],
    "queues and pools": [
        ("relay-axis", lambda: relay.nn.fifo_buffer(var(2, 3), var(2, 3), axis=5)),
        ("relay-axis", lambda: relay.nn.fifo_buffer(var(), var(), axis=0)),
        ("relay-rank", lambda: relay.nn.fifo_buffer(var(3), var(2, 3), axis=1)),
        ("relay-window", lambda: relay.nn.fifo_buffer(var(1, 3), var(2, 3), axis=1)),
        ("relay-gradient-shape",
         lambda: relay.nn.max_pool2d_grad(var(1, 1, 1, 2), var(1, 1, 2, 2), (2, 2), (2, 2))),
        ("relay-gradient-shape",
         lambda: relay.nn.avg_pool2d_grad(var(1, 1, 1), var(1, 1, 2, 2), (2, 2), (2, 2))),
        ("graph-no-gradient",
         lambda: relay.nn.max_pool2d_grad(whole(1, 1, 1, 1), whole(1, 1, 2, 2), (2, 2), (2, 2))),
    ],
    "networks": [
        ("relay-conv2d-backward", lambda: slope(groups=3)),
        ("relay-conv2d-backward", lambda: slope(groups=0)),
        ("relay-conv2d-backward", lambda: slope(kernel_size=(3, 3, 3))),
        ("relay-conv2d-backward", lambda: slope(grad=(2, 8, 6, 5))),
        ("relay-conv2d-backward", lambda: slope(grad=(1, 8, 6, 6))),
        ("relay-conv2d-backward", lambda: slope(padding=(1, 1))),
        ("graph-attribute", lambda: relay.nn.dropout_raw(var(3), rate=2.0)[0].checked_type),
        ("relay-rank", lambda: slope(grad=(8, 6, 6))),
        ("relay-rank", lambda: relay.nn.upsampling3d(var(1, 3, 4, 4), 2, 2, 2)),
        ("relay-upsampling", lambda: relay.nn.upsampling3d(var(1, 3, 4, 4, 4), 0, 2, 2)),
        ("relay-upsampling", lambda: relay.nn.upsampling3d(var(1, 3, 4, 4, 4), 2, 2, 2, method="cubic")),
        ("relay-upsampling", lambda: relay.nn.upsampling3d(var(1, 3, 4, 4, 4), 2, 2, 2, layout="DHW")),
    ],
    "places": [
        ("relay-index", lambda: relay.adv_index([])),
        ("relay-index", lambda: relay.adv_index([var(2, 3)])),
        ("relay-index", lambda: relay.adv_index([var(2), whole(2), whole(2)])),
        ("relay-index", lambda: relay.adv_index([var(2, 3), whole(2), whole(3)])),
        ("relay-integer-type", lambda: relay.adv_index([var(2, 3), var(2)])),
        ("graph-shape-type", lambda: relay.adv_index([var(2, 3), whole(relay.Any()), whole(3)])),
        ("relay-rank", lambda: relay.invert_permutation(whole(2, 2))),
        ("relay-integer-type", lambda: relay.invert_permutation(var(2))),
        ("relay-axis", lambda: relay.segment_sum(var(), whole(2), 2)),
        ("relay-rank", lambda: relay.segment_sum(var(2), whole(2, 1), 2)),
        ("relay-integer-type", lambda: relay.segment_sum(var(2), var(2), 2)),
        ("graph-shape-type", lambda: relay.segment_sum(var(2, relay.Any()), whole(2), 2)),
        ("relay-diagonal", lambda: relay.matrix_set_diag(var(3), var(3))),
        ("relay-diagonal", lambda: relay.matrix_set_diag(var(3, 3), var(3), k=())),
        ("relay-diagonal", lambda: relay.matrix_set_diag(var(3, 3), var(3, 3), k=(-1, 0, 1))),
        ("relay-integer-type", lambda: relay.unravel_index(var(2), (2, 3))),
        ("relay-integer-type", lambda: relay.unravel_index(whole(2), var(2))),
        ("relay-rank", lambda: relay.unravel_index(whole(2), whole(2, 2))),
        ("graph-shape-type", lambda: relay.unravel_index(whole(2), (2, 1.5))),
        ("graph-shape-type", lambda: relay.unravel_index(whole(2), None)),
        ("relay-rank", lambda: relay.sparse_to_dense(whole(2, 2, 2), (3, 3), var(2))),
        ("relay-integer-type", lambda: relay.sparse_to_dense(var(2), (3,), var(2))),
        ("relay-integer-type", lambda: relay.sparse_to_dense(whole(2), var(1), var(2))),
    ],
    "numbers": [
        ("relay-integer-type", lambda: relay.fixed_point_multiply(var(2), 1 << 30, 0)),
        ("relay-integer-type", lambda: relay.fixed_point_multiply(var(2, dtype="int64"), 1 << 30, 0)),
        ("relay-fixed-point", lambda: relay.fixed_point_multiply(whole(2), 1 << 30, -40)),
        ("relay-fixed-point", lambda: relay.fixed_point_multiply(whole(2), 1 << 30, 32)),
        ("relay-fixed-point", lambda: relay.fixed_point_multiply(whole(2), 1 << 31, 0)),
        ("relay-integer-type", lambda: relay.nn.bitpack(var(32), 1, 0, 1)),
        ("relay-bits", lambda: relay.nn.bitpack(var(8, dtype="uint8"), 16, 0, 1, "uint8")),
        ("relay-bits", lambda: relay.nn.bitpack(var(8, dtype="uint8"), 0, 0, 1, "uint8")),
        ("relay-axis", lambda: relay.nn.bitpack(var(8, dtype="uint8"), 1, 5, 0, "uint8")),
        ("relay-axis", lambda: relay.nn.bitpack(var(dtype="uint8"), 1, 0, 0, "uint8")),
        ("relay-bits", lambda: relay.nn.bitserial_dense(whole(2, 3), whole(4, 3), data_bits=33)),
        ("relay-bits", lambda: relay.nn.bitserial_dense(whole(2, 3), whole(4, 3), weight_bits=0)),
        ("relay-integer-type", lambda: relay.nn.bitserial_dense(var(2, 3), whole(4, 3))),
    ],
    "sparse matrices": [
        ("relay-sparse", lambda: relay.nn.sparse_dense(var(2, 3), ROWS[:2])),
        ("relay-sparse", lambda: relay.nn.sparse_dense(var(2, 3), 3)),
        ("relay-sparse", lambda: relay.nn.sparse_dense(var(2, 3), (var(3), *ROWS[1:]))),
        ("relay-sparse", lambda: relay.nn.sparse_dense(var(2, 3), (var(2, 2), *ROWS[1:]))),
        ("relay-rank", lambda: relay.nn.sparse_dense(var(2, 3), (*ROWS[:2], whole(3, 1)))),
        ("relay-rank", lambda: relay.nn.sparse_dense(var(2, 3, 3), ROWS)),
        ("relay-integer-type", lambda: relay.nn.sparse_dense(var(2, 3), (ROWS[0], var(2), ROWS[2]))),
        ("relay-integer-type", lambda: relay.nn.sparse_dense(var(2, 3), (*ROWS[:2], var(3)))),
        ("relay-sparse", lambda: relay.nn.sparse_add(var(3, 3), ROWS)),
        ("relay-sparse", lambda: relay.nn.sparse_add(var(1, 3), ROWS)),
        ("relay-rank", lambda: relay.nn.sparse_transpose(BLOCKS)),
        ("relay-sparse", lambda: sparse_reshape((2, 3), (4, -1))),
        ("relay-sparse", lambda: sparse_reshape((2, 3), (-1, -1))),
        ("relay-sparse", lambda: sparse_reshape((2, 3), (2, 4))),
        ("relay-sparse", lambda: sparse_reshape((2, 3), (-2, 3))),
        ("relay-sparse", lambda: sparse_reshape((0, 3), (0, -1))),
        ("relay-sparse", lambda: sparse_reshape((2, 3, 4), (24,))),
        ("relay-rank", lambda: sparse_reshape((2, 3), (6,), places=(3,))),
        ("relay-sparse", lambda: relay.sparse_fill_empty_rows(whole(2, 2), var(2), (3, 2, 2), 0)),
        ("relay-rank", lambda: relay.sparse_fill_empty_rows(whole(2), var(2), (3, 2), 0)),
        ("relay-rank", lambda: relay.sparse_fill_empty_rows(whole(2, 2), var(2, 1), (3, 2), 0)),
    ],
    "detection": [
        ("relay-reorg", lambda: relay.vision.yolo_reorg(var(1, 4, 4, 4), 0)),
        ("relay-rank", lambda: relay.vision.yolo_reorg(var(4, 4, 4), 2)),
        ("relay-rank", lambda: relay.vision.multibox_prior(var(2, 2))),
        ("relay-boxes", lambda: relay.vision.multibox_prior(var(1, 3, 2, 2), sizes=())),
        ("relay-boxes", lambda: relay.vision.multibox_prior(var(1, 3, 2, 2), ratios=(1.0, -1.0))),
        ("relay-boxes", lambda: relay.vision.multibox_prior(var(1, 3, 2, 2), steps=(0.1,))),
        ("relay-boxes", lambda: relay.vision.multibox_prior(var(1, 3, 2, 2), offsets=0.5)),
        ("relay-boxes", lambda: located(variances=(0.1,))),
        ("relay-boxes", lambda: located(prob=(2, 1, 9))),
        ("relay-boxes", lambda: located(moves=(2, 32))),
        ("relay-boxes", lambda: located(anchors=(2, 9, 4))),
        ("relay-rank", lambda: located(prob=(3, 9))),
        ("relay-boxes", lambda: proposal(scales=(1.0, 2.0))),
        ("relay-boxes", lambda: proposal(ratios=(1.0,))),
        ("relay-boxes", lambda: proposal(moves=(1, 6, 4, 5))),
        ("relay-boxes", lambda: proposal(images=(1, 4))),
        ("relay-boxes", lambda: proposal(ratios=(0.5, 1.0, 0.0))),
        ("relay-boxes", lambda: proposal(feature_stride=0)),
        ("relay-boxes", lambda: proposal(threshold=-0.5)),
        ("relay-boxes", lambda: proposal(rpn_post_nms_top_n=0)),
        ("relay-rank", lambda: proposal(prob=(6, 4, 5))),
    ],
    "topi": [
        ("relay-axis", lambda: topi.expand_like(te.placeholder((3,)), te.placeholder((2, 3)), 2)),
        ("topi-argument", lambda: topi.expand_like(te.placeholder((3,)), te.placeholder((2, 3, 3)), 0)),
        ("topi-argument", lambda: topi.expand_like(te.placeholder((3,)), te.placeholder((2, 2, 3)), (0, 0))),
        ("relay-boxes", lambda: topi.vision.generate_anchor(0.0, 1.0, 4)),
        ("topi-argument", lambda: lstm(wi=(6, 3))),
        ("topi-argument", lambda: lstm(wi=(16, 2))),
        ("topi-argument", lambda: lstm(wh=(12, 4))),
        ("topi-argument", lambda: lstm(wh=(16, 3))),
        ("topi-argument", lambda: lstm(Bi=te.placeholder((8,)))),
        ("topi-argument", lambda: lstm(proj=te.placeholder((2, 4)))),
        ("topi-argument", lambda: upsampled((1, 3, 5, 9))),
        ("topi-argument", lambda: upsampled((1, 4, 5, 9, 9))),
        ("relay-upsampling", lambda: upsampled((1, 3, 5, 9, 0))),
    ],
}


def lstm(wi=(16, 3), wh=(16, 4), **more):
    return topi.nn.lstm(*map(te.placeholder, ((5, 2, 3), wi, wh)), **more)


def upsampled(shape):
    return topi.nn.upsampling3d(te.placeholder((1, 3, 2, 4, 4)), 2, 2, 2, output_shape=shape)


@pytest.mark.parametrize("group", REFUSED)
def test_what_is_refused(group):
    for at, (name, build) in enumerate(REFUSED[group]):
        try:
            text = named(name, build)
        except (Exception, pytest.fail.Exception) as error:
            raise AssertionError(f"{group}, {at}: {name}: {type(error).__name__}: {error}") from error
        assert re.search("expected|found", text), text


def test_what_is_no_tensor():
    both = relay.Tuple([var(2), var(2)])
    named("relay-rank", lambda: relay.sliding_window(both, 0, (1,), (1,)))
    named("relay-rank", lambda: relay.nn.bitpack(both))
    named("relay-integer-type", lambda: relay.fixed_point_multiply(both, 1, 0))
