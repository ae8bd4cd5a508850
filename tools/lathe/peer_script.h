// The Python program that runs a model in another framework (peer.h).
#pragma once

namespace lathe::cli {

// Reads request.json and the inputs from its folder, and writes the outputs there, or the values
// between. Exits with 77 if a package is not installed, and with 78 if it cannot have the latter.
inline constexpr const char* kPeerScript = R"py(
import json, os, sys

folder = sys.argv[1]
with open(os.path.join(folder, "request.json")) as file:
    request = json.load(file)
try:
    import numpy
    if request["peer"] == "onnxruntime":
        import onnxruntime
    else:
        import torch
except ImportError as error:
    print(error)
    sys.exit(77)


def write(name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def save(kind, index, array):
    # ascontiguousarray makes a vector of a scalar.
    array = numpy.ascontiguousarray(array).reshape(numpy.shape(array))
    numpy.save(os.path.join(folder, "%s_%d.npy" % (kind, index)), array)


def run_onnxruntime(inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    model = request["model"]
    if request["data_folder"]:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", request["data_folder"])
        with open(model, "rb") as file:
            model = file.read()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(request["outputs"], dict(zip(request["inputs"], inputs)))


def tensors_of(value):
    """The tensors of a nested result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [tensor for item in items for tensor in tensors_of(item)]


def place_of(node):
    """The module whose weights an operator reads, else the line of the model that it comes from."""
    for value in node.inputs():
        if value.type().kind() == "TensorType" and value.debugName().startswith("self."):
            return value.debugName()[len("self."):].rpartition(".")[0]
    lines = [line.strip() for line in node.sourceRange().splitlines() if line.strip()]
    own = [line for line in lines if ".py" in line and "/torch/" not in line]
    return (own or lines or [""])[0].rpartition("/")[2].replace('"', "")


def graph_with_layers(model):
    """A function that returns the model's result and its values between, and what they are."""
    # A frozen module has its submodules inlined, and its weights and branches are constants. Convolutions
    # and the normalisations after them stay apart.
    graph = torch.jit.freeze(model, optimize_numerics=False).graph.copy()
    # Values that are written over would be seen as they are at the end.
    torch._C._jit_pass_remove_mutation(graph)
    if next(graph.inputs()).uses():
        raise RuntimeError("the module has attributes that change, so it cannot be frozen")
    graph.eraseInput(0)
    layers = []
    for node in list(graph.nodes()):
        if node.kind() == "prim::Constant":
            continue
        for value in node.outputs():
            if value.type().kind() == "TensorType":
                layers.append({"name": value.debugName(), "op": node.kind(), "place": place_of(node)})
                graph.registerOutput(value)
    if not layers:
        raise RuntimeError("its graph makes no tensors")
    graph.makeMultiOutputIntoTuple()
    torch._C._jit_pass_erase_shape_information(graph)
    return torch._C._create_function_from_graph("forward", graph), layers


def array_of(value):
    """As NumPy can have it; None for what has no such form."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided or value.is_complex():
        return None
    value = value.dequantize() if value.is_quantized else value
    return (value.float() if value.dtype == torch.bfloat16 else value).detach().numpy()


def save_layers(model, inputs):
    try:
        function, layers = graph_with_layers(model)
        with torch.jit.optimized_execution(False):
            values = list(function(*inputs))[1:]
    except Exception as error:
        print("%s: %s" % (type(error).__name__, error))
        sys.exit(78)
    listed, places = [], {}
    for i, layer in enumerate(layers):
        value, values[i] = values[i], None
        array = array_of(value)
        if array is None:
            continue
        key = (value.data_ptr(), tuple(value.shape), value.stride())
        if key not in places:
            places[key] = len(listed)
            save("layer", len(listed), array)
            listed.append(layer)
        elif layer["op"].endswith("_"):  # it has written over its argument; dropout only returns it
            listed[places[key]] = layer
    write("layers.json", json.dumps(listed))


def run_pytorch(inputs):
    model = torch.jit.load(request["model"], map_location="cpu").eval()
    inputs = [torch.from_numpy(i) for i in inputs]
    with torch.no_grad():
        if request["layers"]:
            save_layers(model, inputs)
            return []
        return [tensor.numpy() for tensor in tensors_of(model(*inputs))]


inputs = [numpy.load(os.path.join(folder, "input_%d.npy" % i)) for i in range(len(request["inputs"]))]
outputs = run_onnxruntime(inputs) if request["peer"] == "onnxruntime" else run_pytorch(inputs)
for i, output in enumerate(outputs):
    save("output", i, output)
write("count", str(len(outputs)))
)py";

}  // namespace lathe::cli
