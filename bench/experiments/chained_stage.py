#!/usr/bin/env python3
"""A stage of ResNet-50 (three bottlenecks at 56x56) whose layers are chained in one activation layout.

Activations are [channels / 16, height, width, 16] on both sides of every convolution, so nothing is packed
between layers. Sums are kept in register tiles of a few blocks of channels by a few columns; bias, residual sum
and ReLU are computed on those tiles. Only primitives of the schedule are used: split, reorder, unroll,
vectorize, compute_at, rolling_buffer and one pragma.

Weights are cold: every pass over the stage takes the next of several copies of all weights, more than the
last-level cache holds. Activations stay where the layer before has left them, as in a network.

The frame of zeros around the input of a 3x3 convolution is made in one of three ways:
  producer  the 1x1 convolution before it stores its result with the frame
  copy      the 3x3 kernel first copies its whole input into a frame
  window    the 3x3 kernel copies row by row into a window of three rows

Tiles are the fastest of a few for each layer, measured on the spot (--search prints all of them).
Run on one thread with LATHE_NUM_THREADS=1.
"""

import argparse
import statistics
import time

import numpy as np

import lathe
from lathe import te, tir

LANES = 16
SIZE = 56


# The limit of the machine.

def peak_gflops(rows=12, steps=4096):
    """Multiplications and additions of independent registers: the most this processor can do."""
    a = te.placeholder((rows, LANES), name="a")
    k = te.reduce_axis((0, steps), name="k")
    # Only a load for a measurement: x * y + y is not associative, so its order has a meaning.
    step = te.comm_reducer(lambda x, y: x * y + y, lambda dtype: te.const(0, dtype), name="step")
    out = te.compute((rows, LANES), lambda r, b: step(a[r, b], axis=k), name="out")
    s = te.create_schedule(out.op)
    r, b = out.op.axis
    s[out].reorder(k, r, b)
    s[out].unroll(r)
    s[out].vectorize(b)
    f = lathe.build(s, [a, out], "llvm")
    values = lathe.nd.array(np.full((rows, LANES), 0.1, "float32"))
    seconds = f.time_evaluator(f.entry_name, lathe.cpu(0), number=100, repeat=40)(
        values, lathe.nd.empty((rows, LANES))).min
    return 2 * rows * LANES * steps / seconds / 1e9


# A layer: what it computes.

class Layer:
    """A convolution of stride 1 with bias, perhaps a residual sum or a second product, and ReLU.

    `frame_in`: the input has a frame of zeros, one element wide; `frame_out`: so has the result.
    `second`: channels of a second input whose 1x1 product is added to the sums (the projection of the first
    bottleneck). `residual`: a tensor of the result's shape is added.
    """

    def __init__(self, name, channels, filters, kernel=1, frame_in=False, frame_out=False, second=0,
                 residual=False):
        self.name, self.channels, self.filters, self.kernel = name, channels, filters, kernel
        self.frame_in, self.frame_out, self.second, self.residual = frame_in, frame_out, second, residual

    @property
    def operations(self):
        products = self.channels * self.kernel ** 2 + self.second
        return 2 * SIZE * SIZE * self.filters * products

    def out_shape(self):
        width = SIZE + 2 * self.frame_out
        return (self.filters // LANES, width, width, LANES)

    def weight_shape(self):
        return (self.filters // LANES, self.channels // LANES, self.kernel, self.kernel, LANES, LANES)

    def second_weight_shape(self):
        return (self.filters // LANES, self.second // LANES, LANES, LANES)

    def compute(self, data, weight, bias, second=None, second_weight=None, residual=None):
        """The stages of this layer: padded input or None, products, result."""
        shape, n = (self.filters // LANES, SIZE, SIZE, LANES), self.name
        framed = None
        if self.kernel == 3 and not self.frame_in:
            framed = te.compute(
                (self.channels // LANES, SIZE + 2, SIZE + 2, LANES),
                lambda c, y, x, b: te.if_then_else(
                    te.all(y >= 1, y < SIZE + 1, x >= 1, x < SIZE + 1), data[c, y - 1, x - 1, b], 0.0),
                name=n + "_framed")
            data = framed
        sums = []
        if self.second:
            sc = te.reduce_axis((0, self.second // LANES), name="sc")
            si = te.reduce_axis((0, LANES), name="si")
            sums.append(te.compute(
                shape, lambda o, y, x, b: te.sum(second[sc, y, x, si] * second_weight[o, sc, si, b],
                                                 axis=[sc, si]), name=n + "_second"))
        ic = te.reduce_axis((0, self.channels // LANES), name="ic")
        ky = te.reduce_axis((0, self.kernel), name="ky")
        kx = te.reduce_axis((0, self.kernel), name="kx")
        ib = te.reduce_axis((0, LANES), name="ib")
        # The second product is the value that these sums begin with: both stay in the same registers.
        begin = (lambda *at: sums[0][at]) if sums else (lambda *at: None)
        sums.append(te.compute(
            shape, lambda o, y, x, b: te.sum(data[ic, y + ky, x + kx, ib] * weight[o, ic, ky, kx, ib, b],
                                             axis=[ic, ky, kx, ib], init=begin(o, y, x, b)),
            name=n + "_sum"))

        def finished(o, y, x, b):
            value = sums[-1][o, y, x, b] + bias[o, b]
            if residual is not None:
                value = value + residual[o, y, x, b]
            return tir.max(value, 0.0)

        if not self.frame_out:
            out = te.compute(shape, finished, name=n)
        else:
            out = te.compute(
                self.out_shape(), lambda o, y, x, b: te.if_then_else(
                    te.all(y >= 1, y < SIZE + 1, x >= 1, x < SIZE + 1), finished(o, y - 1, x - 1, b), 0.0),
                name=n)
        return framed, sums, out

    def schedule(self, s, stages, tile, window=False):
        """`tile`: (blocks of channels, columns, order of the loops over tiles)."""
        framed, sums, out = stages
        blocks, columns, order = tile
        o, y, x, b = out.op.axis
        oo, oi = s[out].split(o, factor=blocks)
        xo, xi = s[out].split(x, factor=columns)
        loops = {"oyx": (oo, y, xo), "yox": (y, oo, xo), "yxo": (y, xo, oo)}[order]
        s[out].reorder(*loops, oi, xi, b)
        s[out].unroll(oi)
        s[out].unroll(xi)
        s[out].vectorize(b)
        if self.frame_out:
            # Tiles within the frame must have no guards, or their sums do not stay in registers.
            s[out].pragma(xo, "loop_partition_hint")
        for product in sums:
            s[product].compute_at(s[out], loops[-1])
            po, py, px, pb = product.op.axis
            # Columns outside blocks: each input element is then loaded once and needs a register only briefly.
            s[product].reorder(*product.op.reduce_axis, py, px, po, pb)
            s[product].unroll(po)
            s[product].unroll(px)
            s[product].vectorize(pb)
        if framed is not None:
            s[framed].vectorize(framed.op.axis[3])
            if window:
                s[framed].compute_at(s[out], y)
                s[framed].rolling_buffer()

    def inputs(self):
        """Placeholders, in the order of `compute`: data, weight, bias, second, second_weight, residual."""
        width = SIZE + 2 * self.frame_in
        made = {"data": te.placeholder((self.channels // LANES, width, width, LANES), name="data"),
                "weight": te.placeholder(self.weight_shape(), name="weight"),
                "bias": te.placeholder((self.filters // LANES, LANES), name="bias")}
        if self.second:
            made["second"] = te.placeholder((self.second // LANES, SIZE, SIZE, LANES), name="second")
            made["second_weight"] = te.placeholder(self.second_weight_shape(), name="second_weight")
        if self.residual:
            made["residual"] = te.placeholder((self.filters // LANES, SIZE, SIZE, LANES), name="residual")
        return made

    def build(self, tile, window=False):
        inputs = self.inputs()
        stages = self.compute(**inputs)
        s = te.create_schedule(stages[-1].op)
        self.schedule(s, stages, tile, window)
        module = lathe.build(s, [*inputs.values(), stages[-1]], "llvm", name=self.name)
        return module[self.name]

    def tiles(self, window):
        """The tiles to try."""
        if self.frame_out:
            shapes = [(1, 14), (1, 29), (2, 7), (2, 8), (2, 14)]
        else:
            shapes = [(1, 14), (2, 7), (2, 8), (2, 14), (4, 4)]
        # A window is filled within the loop over rows: inside a loop over blocks it would be filled for each.
        orders = ("yox", "yxo") if window and self.kernel == 3 else ("oyx", "yox", "yxo")
        return [(*shape, order) for shape in shapes for order in orders]


def stage_layers(frame):
    """The layers in order, and for each the buffers that it reads and writes."""
    out = frame == "producer"
    layers, reads = [], []
    source = "input"
    for i, channels in enumerate((64, 256, 256)):
        first = i == 0
        layers.append(Layer(f"b{i}_reduce", channels, 64, frame_out=out))
        reads.append({"data": source})
        layers.append(Layer(f"b{i}_3x3", 64, 64, kernel=3, frame_in=out))
        reads.append({"data": f"b{i}_reduce"})
        layers.append(Layer(f"b{i}_expand", 64, 256, second=64 if first else 0, residual=not first))
        reads.append({"data": f"b{i}_3x3", ("second" if first else "residual"): source})
        source = f"b{i}_expand"
    return layers, reads


# Values, and the same stage in NumPy.

def make_values(layers, seed=0):
    rng = np.random.default_rng(seed)

    def normal(shape, fan_in=None):
        scale = 1.0 if fan_in is None else (1.0 / fan_in) ** 0.5
        return (rng.standard_normal(shape) * scale).astype("float32")

    parameters = []
    for layer in layers:
        own = {"weight": normal(layer.weight_shape(), layer.channels * layer.kernel ** 2),
               "bias": normal((layer.filters // LANES, LANES), 10)}
        if layer.second:
            own["second_weight"] = normal(layer.second_weight_shape(), layer.second)
        parameters.append(own)
    return normal((64 // LANES, SIZE, SIZE, LANES)), parameters


def expected_stage(layers, reads, source, parameters):
    """The result by NumPy, with plain [channels, y, x] arrays inside."""
    def plain(a):
        return a.transpose(0, 3, 1, 2).reshape(-1, *a.shape[1:3])

    values = {"input": plain(source)}
    for layer, read, own in zip(layers, reads, parameters):
        data = values[read["data"]]
        w = own["weight"].transpose(0, 5, 1, 4, 2, 3).reshape(layer.filters, layer.channels,
                                                              layer.kernel, layer.kernel)
        wide = np.pad(data, ((0, 0), (layer.kernel // 2,) * 2, (layer.kernel // 2,) * 2))
        out = np.zeros((layer.filters, SIZE * SIZE), "float32")
        for ky in range(layer.kernel):
            for kx in range(layer.kernel):
                part = wide[:, ky:ky + SIZE, kx:kx + SIZE].reshape(layer.channels, -1)
                out += np.ascontiguousarray(w[:, :, ky, kx]) @ part
        if layer.second:
            w = own["second_weight"].transpose(0, 3, 1, 2).reshape(layer.filters, layer.second)
            out += w @ values[read["second"]].reshape(layer.second, -1)
        out += own["bias"].reshape(-1, 1)
        if layer.residual:
            out += values[read["residual"]].reshape(layer.filters, -1)
        values[layer.name] = np.maximum(out, 0).reshape(layer.filters, SIZE, SIZE)
    last = values[layers[-1].name]
    return last.reshape(-1, LANES, SIZE, SIZE).transpose(0, 2, 3, 1)


# Measuring.

def copies_of(parameters, count):
    return [[{name: lathe.nd.array(value) for name, value in own.items()} for own in parameters]
            for _ in range(count)]


def arguments(layer, read, own, buffers):
    named = {**{name: buffers[b] for name, b in read.items()}, **own}
    order = [name for name in ("data", "weight", "bias", "second", "second_weight", "residual")
             if name in named]
    return [named[name] for name in order] + [buffers[layer.name]]


def choose_tile(layer, read, index, copies, buffers, window, show):
    """The fastest tile of a layer by itself, weights cold."""
    best = None
    for tile in layer.tiles(window):
        f = layer.build(tile, window)
        seconds = []
        for parameters in copies[:24]:
            args = arguments(layer, read, parameters[index], buffers)
            begin = time.perf_counter()
            f(*args)
            seconds.append(time.perf_counter() - begin)
        median = statistics.median(seconds)
        if show:
            print(f"  {layer.name:<10} {tile!s:<16} {layer.operations / median / 1e9:6.1f} GFLOP/s")
        if best is None or median < best[0]:
            best = (median, tile, f)
    return best[1], best[2]


def one_function(layers, reads, tiles, window):
    """All layers as one function: inputs and parameters, then the last result. No tiles: the default schedule."""
    values = {"input": te.placeholder((64 // LANES, SIZE, SIZE, LANES), name="input")}
    args, made = [values["input"]], []
    for layer, read in zip(layers, reads):
        inputs = layer.inputs()
        own = {name: inputs[name] for name in inputs if name not in ("data", "second", "residual")}
        args.extend(own.values())
        made.append(layer.compute(**{name: values[b] for name, b in read.items()}, **own))
        values[layer.name] = made[-1][-1]
    args.append(made[-1][-1])
    if tiles is None:
        return lathe.build(args, name="stage")["stage"]
    s = te.create_schedule(args[-1].op)
    for layer, stages, tile in zip(layers, made, tiles):
        layer.schedule(s, stages, tile, window)
    return lathe.build(s, args, "llvm", name="stage")["stage"]


def report(what, seconds, operations, peak):
    best, median = min(seconds), statistics.median(seconds)
    print(f"{what:<34} {median * 1e3:8.3f} ms   {operations / median / 1e9:6.1f} GFLOP/s"
          f"  {operations / median / 1e9 / peak:5.0%} of the peak   (best run {operations / best / 1e9:6.1f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frame", choices=("producer", "copy", "window"), default="producer",
                        help="who makes the frame of zeros of the 3x3 convolutions")
    parser.add_argument("--copies", type=int, default=80,
                        help="copies of all weights (0.85 MB each) that take turns; 1: warm weights")
    parser.add_argument("--passes", type=int, default=200, help="passes over the stage that are timed")
    parser.add_argument("--tile", help="one tile for all layers instead of a search, such as 2,8,oyx")
    parser.add_argument("--search", action="store_true", help="print the figures of all tiles")
    options = parser.parse_args()

    layers, reads = stage_layers(options.frame)
    window = options.frame == "window"
    peak = peak_gflops()
    print(f"peak of one core: {peak:.0f} GFLOP/s")
    source, parameters = make_values(layers)
    copies = copies_of(parameters, options.copies)
    buffers = {"input": lathe.nd.array(source)}
    for layer in layers:
        buffers[layer.name] = lathe.nd.array(np.zeros(layer.out_shape(), "float32"))

    tiles, functions = [], []
    for index, (layer, read) in enumerate(zip(layers, reads)):
        if options.tile:
            blocks, columns, order = options.tile.split(",")
            tile = (int(blocks), int(columns), order)
            function = layer.build(tile, window)
        else:
            tile, function = choose_tile(layer, read, index, copies, buffers, window, options.search)
        tiles.append(tile)
        functions.append(function)

    # Correct?
    calls = [[(f, arguments(layer, read, own, buffers))
              for f, layer, read, own in zip(functions, layers, reads, copy)] for copy in copies]
    expected = expected_stage(layers, reads, source, parameters)
    for f, args in calls[0]:
        f(*args)
    np.testing.assert_allclose(buffers[layers[-1].name].numpy(), expected, rtol=1e-3, atol=1e-3)
    whole = one_function(layers, reads, tiles, window)
    result = lathe.nd.empty(layers[-1].out_shape())
    whole_args = [[buffers["input"], *(v for own in copy for v in own.values()), result] for copy in copies]
    whole(*whole_args[0])
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-3, atol=1e-3)

    by_default = one_function(layers, reads, None, window)
    by_default(*whole_args[0])
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-3, atol=1e-3)

    seconds = [[] for _ in layers]
    total, together, default = [], [], []
    def by_kernels(number):
        begin = at = time.perf_counter()
        for index, (f, args) in enumerate(calls[number % options.copies]):
            f(*args)
            now = time.perf_counter()
            seconds[index].append(now - at)
            at = now
        total.append(at - begin)

    def by_one_function(number):
        begin = time.perf_counter()
        whole(*whole_args[number % options.copies])
        together.append(time.perf_counter() - begin)

    def by_default_schedule(number):
        begin = time.perf_counter()
        by_default(*whole_args[number % options.copies])
        default.append(time.perf_counter() - begin)

    for start in range(0, options.passes, 10):  # in turns, so that a disturbance meets all
        for one_pass in (by_kernels, by_one_function, by_default_schedule):
            for number in range(start, min(start + 10, options.passes)):
                one_pass(number)
    print(f"weights: {options.copies} copies in turn; frame: {options.frame}; times are medians")
    for layer, tile, own in zip(layers, tiles, seconds):
        blocks, columns, order = tile
        report(f"{layer.name:<10} tile {blocks} x {columns:<2} {order}", own, layer.operations, peak)
    operations = sum(layer.operations for layer in layers)
    report(f"the stage, {len(layers)} kernels", total, operations, peak)
    report("the stage as one function", together, operations, peak)
    report("the same, default schedule", default, operations, peak)


if __name__ == "__main__":
    main()
