"""ONNX Runtime, OpenVINO and TVM as peers: each case as a graph of one operator, over the same arrays.

TVM is untuned. It takes part only in cases whose default schedule for CPUs has vectors along rows (elementwise
operations, softmax, layer norm, reductions), not in products, for which its default schedule is plain loops.
"""

import os
import sys

import numpy as np

_RUNTIMES = ("onnxruntime", "openvino", "tvm")


def _operator(case):
    """(operator, attributes) of a case; None if no single operator computes it."""
    name = case.split("_")[0]
    maps = {"exp": "Exp", "tanh": "Tanh", "sigmoid": "Sigmoid"}
    if name in maps:
        return maps[name], {}
    if name == "gelu":
        return "Gelu", {}
    if name == "softmax":
        return "Softmax", {"axis": 1}
    if case.startswith("layer_norm"):
        return "LayerNormalization", {"axis": 1, "epsilon": 1e-5}
    if case.startswith(("gemm_", "gemv_")):
        return "MatMul", {}
    if name == "transpose":
        return "Transpose", {"perm": [1, 0]}
    if name == "concat":
        return "Concat", {"axis": 1}
    axis = 1 if "_rows_" in case else 0
    if name == "sum":
        return "ReduceSum", {"keepdims": 0, "_axes": axis}
    if name == "max":
        return "ReduceMax", {"keepdims": 0, "_axes": axis}
    return None


def _model(case, arrays):
    from onnx import TensorProto, helper

    found = _operator(case)
    if found is None:
        return None
    operator, attributes = found
    inputs = [helper.make_tensor_value_info(f"x{k}", TensorProto.FLOAT, a.shape) for k, a in enumerate(arrays[:-1])]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, arrays[-1].shape)
    names, constants = [f"x{k}" for k in range(len(inputs))], []
    if "_axes" in attributes:
        constants.append(helper.make_tensor("axes", TensorProto.INT64, [1], [attributes.pop("_axes")]))
        names.append("axes")
    node = helper.make_node(operator, names, ["y"], **attributes)
    graph = helper.make_graph([node], case, inputs, [output], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def _onnxruntime(model, arrays, threads):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    out = np.zeros_like(arrays[-1])
    binding = session.io_binding()
    for k, array in enumerate(arrays[:-1]):
        binding.bind_cpu_input(f"x{k}", array)
    binding.bind_output("y", "cpu", 0, out.dtype.type, out.shape, out.ctypes.data)
    return lambda: session.run_with_iobinding(binding), lambda: [out]


def _openvino(model, arrays, threads):
    import openvino as ov

    settings = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
    settings["INFERENCE_PRECISION_HINT"] = "f32"
    core = ov.Core()
    request = core.compile_model(core.read_model(model.SerializeToString()), "CPU", settings).create_infer_request()
    out = np.zeros_like(arrays[-1])
    for k, array in enumerate(arrays[:-1]):
        request.set_input_tensor(k, ov.Tensor(array, shared_memory=True))
    request.set_output_tensor(0, ov.Tensor(out, shared_memory=True))
    return request.infer, lambda: [out]


def _tvm(model, arrays, threads):
    os.environ["TVM_NUM_THREADS"] = str(threads)
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    module = relax.get_pipeline("zero")(from_onnx(model, keep_params_in_input=False))
    machine = relax.VirtualMachine(relax.build(module, tvm.target.Target({"kind": "llvm", "mcpu": _processor()})), tvm.cpu())
    main, inputs, kept = machine["main"], [tvm.runtime.tensor(a) for a in arrays[:-1]], {}

    def call():
        kept["out"] = main(*inputs)

    return call, lambda: [kept["out"].numpy()]


def _processor():
    """LLVM's name for the newest level of x86-64 that this machine has."""
    flags = open("/proc/cpuinfo").read().split("flags", 1)[-1].split("\n", 1)[0].split()
    return "x86-64-v4" if "avx512vl" in flags else "x86-64-v3" if "avx2" in flags else "generic"


def peers_of(case, arrays, threads):
    """{peer: (call, results)}. If a peer cannot take a case, the reason is printed and the peer is left out."""
    if any(a.dtype != np.float32 for a in arrays):
        return {}
    model = _model(case, arrays)
    made = {}
    for name in _RUNTIMES if model is not None else ():
        if name == "tvm" and case.startswith(("gemm_", "gemv_", "transpose_", "concat_")):
            continue
        try:
            made[name] = {"onnxruntime": _onnxruntime, "openvino": _openvino, "tvm": _tvm}[name](model, arrays, threads)
            made[name][0]()
        except Exception as error:  # noqa: BLE001: whatever a library throws
            made.pop(name, None)
            print(f"{case}: {name} does not take part: {str(error).strip().splitlines()[0][:200]}", file=sys.stderr)
    return made
