"""The libraries that a user would call instead of a kernel: for each case, by its name, callables over the same arrays.

A peer writes into its own output if its interface allows that, so that no allocation is timed.
"""

import ctypes
import importlib.metadata
import os
import sys

import numpy as np

import graph_peers


def _torch():
    import torch

    return torch


def _openblas():
    """NumPy's own copy of OpenBLAS, by its C interface (numpy.matmul adds some microseconds)."""
    folder = os.path.join(os.path.dirname(np.__file__), "..", "numpy.libs")
    name = next(f for f in sorted(os.listdir(folder)) if "openblas" in f)
    return ctypes.CDLL(os.path.join(folder, name))


_threads = 1


def set_threads(threads):
    global _threads
    _threads = threads
    _torch().set_num_threads(threads)
    try:
        _opencv().setNumThreads(threads)
    except ImportError:
        pass
    try:
        _openblas().scipy_openblas_set_num_threads64_(threads)
    except (AttributeError, StopIteration, OSError):
        pass


def _opencv():
    import cv2

    return cv2


def _plain_loops():
    """bench/harness/plain_loops.cc, as bench/run compiled it; None if that failed."""
    path = os.environ.get("LATHE_BENCH_PLAIN_LOOPS")
    return ctypes.CDLL(path) if path else None


def versions():
    out = {"numpy": np.__version__}
    for name in ("torch", "opencv-python-headless", "halide", "onnxruntime", "openvino", "apache-tvm"):
        try:
            out[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            out[name] = "not there"
    return out


def _gemm(arrays):
    torch = _torch()
    a, b, _ = arrays
    ta, tb = torch.from_numpy(a), torch.from_numpy(b)
    tc = torch.empty(*ta.shape[:-1], tb.shape[-1])
    nc = np.empty(tuple(tc.shape), np.float32)
    return {
        "torch": (lambda: torch.matmul(ta, tb, out=tc), lambda: [tc.numpy()]),
        "openblas": (lambda: np.matmul(a, b, out=nc), lambda: [nc]),
    }


def _onnx_matmul_integer(arrays):
    """ONNX Runtime's MatMulInteger on 8-bit matrices, into an output of its own; B counts as an input, not a weight."""
    import onnx
    import onnxruntime

    a, b, c = arrays
    kinds = {np.dtype(np.uint8): onnx.TensorProto.UINT8, np.dtype(np.int8): onnx.TensorProto.INT8}
    values = [onnx.helper.make_tensor_value_info(n, kinds[x.dtype], x.shape) for n, x in (("a", a), ("b", b))]
    result = onnx.helper.make_tensor_value_info("c", onnx.TensorProto.INT32, c.shape)
    graph = onnx.helper.make_graph([onnx.helper.make_node("MatMulInteger", ["a", "b"], ["c"])], "product", values, [result])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _torch().get_num_threads()
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    out = np.empty(c.shape, np.int32)
    binding = session.io_binding()
    binding.bind_cpu_input("a", a)
    binding.bind_cpu_input("b", b)
    binding.bind_output("c", "cpu", 0, np.int32, out.shape, out.ctypes.data)
    return lambda: session.run_with_iobinding(binding), lambda: [out]


def _int8_gemm(arrays):
    torch = _torch()
    a, b, c = arrays
    made = {}
    if a.dtype == np.int8:
        ta, tb = torch.from_numpy(a), torch.from_numpy(b)
        tc = torch.empty(c.shape, dtype=torch.int32)
        made["torch _int_mm"] = (lambda: torch._int_mm(ta, tb, out=tc), lambda: [tc.numpy()])
    try:
        made["onnxruntime"] = _onnx_matmul_integer(arrays)
    except Exception as error:  # noqa: BLE001: not there, or no such product: said, and not compared with
        print(f"onnxruntime: {error}", file=sys.stderr)
    return made


def _bf16_gemm(arrays):
    """Arrays hold bfloat16 as its bits (measure.py)."""
    torch = _torch()
    ta, tb = (torch.from_numpy(a).view(torch.bfloat16) for a in arrays[:2])
    tc = torch.empty(ta.shape[0], tb.shape[1], dtype=torch.bfloat16)
    return {"torch bfloat16": (lambda: torch.mm(ta, tb, out=tc), lambda: [tc.view(torch.uint16).numpy()])}


def _gemv(arrays):
    torch = _torch()
    a, x, _ = arrays
    ta, tx = torch.from_numpy(a), torch.from_numpy(x)
    ty = torch.empty(ta.shape[0])
    ny = np.empty(a.shape[0], np.float32)
    return {
        "torch": (lambda: torch.mv(ta, tx, out=ty), lambda: [ty.numpy()]),
        "openblas": (lambda: np.matmul(a, x, out=ny), lambda: [ny]),
    }


def _from_blocked(array):
    """[n, c/b, h, w, b] -> [n, c, h, w]."""
    n, c, h, w, b = array.shape
    return np.ascontiguousarray(array.transpose(0, 1, 4, 2, 3)).reshape(n, c * b, h, w)


def _to_blocked(array, like):
    n, blocks, h, w, b = like.shape
    return np.asarray(array).reshape(n, blocks, b, h, w).transpose(0, 1, 3, 4, 2)


def _conv2d(arrays):
    """oneDNN by PyTorch, in its own blocked layout (weights reordered before, as ours are) and channels last."""
    torch = _torch()
    data, weight, out = arrays
    if weight.ndim == 6:
        f, c, kh, kw, ci, fi = weight.shape
        dense = np.ascontiguousarray(weight.transpose(0, 5, 1, 4, 2, 3)).reshape(f * fi, c * ci, kh, kw)
        groups = 1
    else:
        c, kh, kw, ci = weight.shape
        dense = np.ascontiguousarray(weight.transpose(0, 3, 1, 2)).reshape(c * ci, 1, kh, kw)
        groups = c * ci
    x, w = torch.from_numpy(_from_blocked(data)), torch.from_numpy(dense)
    layer = torch.nn.Conv2d(w.shape[1] * groups, w.shape[0], w.shape[2:], padding=(kh // 2, kw // 2), groups=groups, bias=False)
    layer.weight = torch.nn.Parameter(w, requires_grad=False)
    layer.eval()
    last = torch.nn.Conv2d(w.shape[1] * groups, w.shape[0], w.shape[2:], padding=(kh // 2, kw // 2), groups=groups, bias=False)
    last.weight = torch.nn.Parameter(w.clone(), requires_grad=False)
    last = last.eval().to(memory_format=torch.channels_last)
    x_last = x.to(memory_format=torch.channels_last)
    results = {}

    def run(name, call):
        def go():
            with torch.inference_mode():
                results[name] = call()

        return go, lambda: [_to_blocked(_dense(results[name]), out)]

    def _dense(tensor):
        return (tensor.to_dense() if tensor.is_mkldnn else tensor.contiguous()).numpy()

    made = {"torch channels-last": run("torch channels-last", lambda: last(x_last))}
    try:
        from torch.utils import mkldnn

        blocked, x_blocked = mkldnn.to_mkldnn(layer), x.to_mkldnn()
        made["torch oneDNN"] = run("torch oneDNN", lambda: blocked(x_blocked))
    except Exception as error:  # noqa: BLE001
        print(f"torch oneDNN: {error}", file=sys.stderr)
    return made


def _torch_map(function):
    def make(arrays):
        torch = _torch()
        tensors = [torch.from_numpy(a) for a in arrays[:-1]]
        out = torch.empty(arrays[-1].shape)
        return {"torch": (lambda: function(torch, tensors, out), lambda: [out.numpy()])}

    return make


def _torch_result(function):
    """For functions without an output argument; their allocation is reused by the allocator."""

    def make(arrays):
        torch = _torch()
        tensors = [torch.from_numpy(a) for a in arrays[:-1]]
        kept = {}

        def call():
            kept["out"] = function(torch, tensors)

        return {"torch": (call, lambda: [kept["out"].numpy()])}

    return make


def _reduction(case, arrays):
    torch = _torch()
    name, where = case.split("_")[:2]
    axis = 1 if where == "rows" else 0
    x = torch.from_numpy(arrays[0])
    value = torch.empty(x.shape[1 - axis])
    if name == "argmax":
        kept = {}

        def call():
            kept["out"] = torch.max(x, dim=axis)

        return {"torch": (call, lambda: [kept["out"].indices.numpy(), kept["out"].values.numpy()])}
    if name == "sum":
        return {"torch": (lambda: torch.sum(x, dim=axis, out=value), lambda: [value.numpy()])}
    return {"torch": (lambda: torch.amax(x, dim=axis, out=value), lambda: [value.numpy()])}


def _rgb_to_yuv(arrays):
    """OpenCV's conversion, which has the same formulas, and plain C++ loops; images with channels last, as ours."""
    cv2, plain = _opencv(), _plain_loops()
    x, y = arrays
    width = 1920
    image, converted = x.reshape(-1, width, 3), np.empty((x.shape[0] // width, width, 3), x.dtype)
    made = {
        "opencv": (lambda: cv2.cvtColor(image, cv2.COLOR_RGB2YUV, dst=converted), lambda: [converted]),
    }
    if plain is not None:
        out = np.empty_like(y)
        function = getattr(plain, f"rgb_to_yuv_{x.dtype}")
        pointers = ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(out.ctypes.data)
        count, threads = ctypes.c_int64(x.shape[0]), ctypes.c_int(_threads)
        made["clang -O3"] = (lambda: function(*pointers, count, threads), lambda: [out])
    return made


def _blurs(arrays):
    """Halide, the same chain of means, scheduled by each of its own autoschedulers for the CPU."""
    import halide as hl

    x, y = arrays
    height, width = y.shape
    folder = os.path.join(os.path.dirname(hl.__file__), "lib64")
    extra = {"Mullapudi2016": {"last_level_cache_size": str(16 << 20), "balance": "40"}}
    made = {}
    for scheduler in ("Mullapudi2016", "Adams2019", "Li2018"):
        hl.load_plugin(os.path.join(folder, f"libautoschedule_{scheduler.lower()}.so"))
        image, i, j = hl.ImageParam(hl.Float(32), 2, "x"), hl.Var("i"), hl.Var("j")
        stage = image
        for number in range((x.shape[0] - height) // 2):
            blur = hl.Func(f"blur{number}")

            def row(d, of=stage):
                return of[j, i + d] + of[j + 1, i + d] + of[j + 2, i + d]

            blur[j, i] = (row(0) + row(1) + row(2)) * hl.f32(1 / 9)
            stage = blur
        image.set_estimates([(0, x.shape[1]), (0, x.shape[0])])
        stage.set_estimates([(0, width), (0, height)])
        pipeline, target = hl.Pipeline(stage), hl.get_host_target()
        parameters = {"parallelism": str(_threads), **extra.get(scheduler, {})}
        pipeline.apply_autoscheduler(target, hl.AutoschedulerParams(scheduler, parameters))
        pipeline.compile_jit(target)
        out = np.zeros_like(y)
        image.set(hl.Buffer(x, "x"))
        buffer = hl.Buffer(out, "y")

        def call(pipeline=pipeline, buffer=buffer, target=target):
            pipeline.realize(buffer, target)

        made[f"halide {scheduler}"] = (call, lambda out=out: [out])
    return made


_FAMILIES = [
    ("blurs_", _blurs),
    ("rgb_to_yuv_", _rgb_to_yuv),
    ("exp_", _torch_map(lambda torch, x, out: torch.exp(x[0], out=out))),
    ("tanh_", _torch_map(lambda torch, x, out: torch.tanh(x[0], out=out))),
    ("sigmoid_", _torch_map(lambda torch, x, out: torch.sigmoid(x[0], out=out))),
    ("gelu_", _torch_result(lambda torch, x: torch.nn.functional.gelu(x[0]))),
    ("softmax_", _torch_map(lambda torch, x, out: torch.softmax(x[0], 1, out=out))),
    ("layer_norm_", _torch_result(lambda torch, x: torch.nn.functional.layer_norm(x[0], x[0].shape[1:], x[1], x[2], 1e-5))),
    ("transpose_", _torch_map(lambda torch, x, out: out.copy_(x[0].t()))),
    ("concat_", _torch_map(lambda torch, x, out: torch.cat(x, 1, out=out))),
    ("conv2d_", _conv2d), ("depthwise_", _conv2d), ("gemm_", _gemm),
    ("int8_gemm_", _int8_gemm), ("bf16_gemm_", _bf16_gemm), ("gemv_", _gemv)]


def peers_of(case, arrays):
    """{peer: (call, results)} for a case's arrays (inputs, then outputs)."""
    return {**_libraries_of(case, arrays), **graph_peers.peers_of(case, arrays, _threads)}


def _libraries_of(case, arrays):
    if case.startswith("blurs_3_unfused"):
        return {}  # the same computation as blurs_3, which has them
    if case.startswith(("sum_", "max_", "argmax_")):
        return _reduction(case, arrays)
    for prefix, make in _FAMILIES:
        if case.startswith(prefix):
            return make(arrays)
    return {}
