#include "runtime/graph/graph_c_api.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/artifact/artifact_module.h"
#include "runtime/c_entry.h"
#include "runtime/device.h"
#include "runtime/graph/executor.h"
#include "runtime/graph/plan_module.h"
#include "runtime/graph/resolved.h"
#include "runtime/module.h"
#include "runtime/tensor.h"

using lathe::runtime::Device;
using lathe::runtime::Module;
using lathe::runtime::Tensor;
using lathe::runtime::graph::Context;
using lathe::runtime::graph::Executable;
using lathe::runtime::internal::Entry;

struct lathe_graph {
  explicit lathe_graph(std::shared_ptr<const Executable> executable)
      : context(std::move(executable)) {}
  Context context;
};

namespace lathe::runtime {
namespace {

DLDevice DeviceOfTensor(const lathe_graph& graph, int32_t tensor) {
  const int32_t number = graph.context.plan().tensors[static_cast<size_t>(tensor)].device;
  return graph.context.executable().devices()[static_cast<size_t>(number)].packed();
}

}  // namespace
}  // namespace lathe::runtime

using lathe::runtime::DeviceOfTensor;

lathe_error* lathe_graph_module_load(const char* path, lathe_object** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(path);
    LATHE_REQUIRE(out);
    LATHE_RETURN_IF_ERROR(lathe::runtime::graph::RegisterGraph());
    LATHE_ASSIGN_OR_RETURN(Module module, lathe::runtime::LoadModuleFile(path));
    *out = static_cast<lathe_object*>(module.release());
    return absl::OkStatus();
  });
}

lathe_error* lathe_graph_module_linked(const lathe_artifact* artifact, lathe_object** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(artifact);
    LATHE_REQUIRE(out);
    LATHE_RETURN_IF_ERROR(lathe::runtime::graph::RegisterGraph());
    LATHE_ASSIGN_OR_RETURN(Module module, lathe::runtime::StaticArtifact(artifact));
    *out = static_cast<lathe_object*>(module.release());
    return absl::OkStatus();
  });
}

lathe_error* lathe_graph_open(lathe_object* module, const char* name, const DLDevice* devices,
                              int32_t num_devices, lathe_graph** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(name);
    LATHE_REQUIRE(out);
    if (num_devices > 0) LATHE_REQUIRE(devices);
    LATHE_ASSIGN_OR_RETURN(const Module code, lathe::runtime::internal::AsModule(module));
    std::vector<Device> given;
    for (int32_t i = 0; i < num_devices; ++i) given.push_back(Device::FromPacked(devices[i]));
    LATHE_ASSIGN_OR_RETURN(std::shared_ptr<const Executable> executable,
                           lathe::runtime::graph::FindExecutable(code, name, given));
    *out = new lathe_graph(std::move(executable));
    return absl::OkStatus();
  });
}

void lathe_graph_close(lathe_graph* graph) { delete graph; }

int32_t lathe_graph_num_inputs(const lathe_graph* graph) {
  return graph == nullptr ? 0 : static_cast<int32_t>(graph->context.plan().inputs.size());
}
int32_t lathe_graph_num_outputs(const lathe_graph* graph) {
  return graph == nullptr ? 0 : static_cast<int32_t>(graph->context.plan().outputs.size());
}
const char* lathe_graph_input_name(const lathe_graph* graph, int32_t index) {
  if (index < 0 || index >= lathe_graph_num_inputs(graph)) return nullptr;
  return graph->context.plan().inputs[static_cast<size_t>(index)].name.c_str();
}

lathe_error* lathe_graph_input_index(const lathe_graph* graph, const char* name, int32_t* out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    LATHE_REQUIRE(name);
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(*out, graph->context.executable().InputIndex(name));
    return absl::OkStatus();
  });
}

lathe_error* lathe_graph_input_type(const lathe_graph* graph, int32_t index, DLDataType* dtype,
                                    int64_t* shape, int32_t capacity, int32_t* rank) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    LATHE_REQUIRE(dtype);
    LATHE_REQUIRE(rank);
    if (capacity > 0) LATHE_REQUIRE(shape);
    if (index < 0 || index >= lathe_graph_num_inputs(graph))
      return lathe::runtime::MakeStatus(
          absl::StatusCode::kInvalidArgument, "graph-input-index",
          {"the graph has no input ", std::to_string(index), "\nexpected: less than ",
           std::to_string(lathe_graph_num_inputs(graph))});
    const auto& plan = graph->context.plan();
    const int32_t number = plan.inputs[static_cast<size_t>(index)].tensor;
    const auto& tensor = plan.tensors[static_cast<size_t>(number)];
    const auto& known = graph->context.executable().resolved().known;
    *dtype = tensor.dtype.dl();
    *rank = static_cast<int32_t>(tensor.shape.size());
    for (int32_t k = 0; k < *rank && k < capacity; ++k)
      shape[k] = known[static_cast<size_t>(tensor.shape[static_cast<size_t>(k)])].value_or(-1);
    return absl::OkStatus();
  });
}

lathe_error* lathe_graph_input_device(const lathe_graph* graph, const char* name, DLDevice* out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    LATHE_REQUIRE(name);
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(const int index, graph->context.executable().InputIndex(name));
    *out = DeviceOfTensor(*graph, graph->context.plan().inputs[static_cast<size_t>(index)].tensor);
    return absl::OkStatus();
  });
}

lathe_error* lathe_graph_output_device(const lathe_graph* graph, int32_t index, DLDevice* out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    LATHE_REQUIRE(out);
    if (index < 0 || index >= lathe_graph_num_outputs(graph))
      return lathe::runtime::MakeStatus(
          absl::StatusCode::kInvalidArgument, "graph-output-index",
          {"the graph has no output ", std::to_string(index), "\nexpected: less than ",
           std::to_string(lathe_graph_num_outputs(graph))});
    *out = DeviceOfTensor(*graph, graph->context.plan().outputs[static_cast<size_t>(index)]);
    return absl::OkStatus();
  });
}

lathe_error* lathe_graph_set_input(lathe_graph* graph, const char* name, lathe_tensor* tensor) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    LATHE_REQUIRE(name);
    LATHE_REQUIRE(tensor);
    return graph->context.SetInput(name, Tensor(tensor));
  });
}

lathe_error* lathe_graph_share_input(lathe_graph* graph, const char* name, lathe_tensor* tensor) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    LATHE_REQUIRE(name);
    LATHE_REQUIRE(tensor);
    LATHE_ASSIGN_OR_RETURN(const int index, graph->context.executable().InputIndex(name));
    return graph->context.SetInputZeroCopy(index, Tensor(tensor));
  });
}

lathe_error* lathe_graph_share_output(lathe_graph* graph, int32_t index, lathe_tensor* tensor) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    return graph->context.SetOutput(index, Tensor(tensor));
  });
}

lathe_error* lathe_graph_load_params(lathe_graph* graph, const void* data, size_t size) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    LATHE_REQUIRE(data);
    LATHE_ASSIGN_OR_RETURN(
        const std::vector<lathe::runtime::graph::NamedTensor> params,
        lathe::runtime::graph::DecodeParams({static_cast<const char*>(data), size}));
    return graph->context.SetConstants(params);
  });
}

lathe_error* lathe_graph_set_threads(lathe_graph* graph, int32_t threads) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    return graph->context.SetThreads(threads);
  });
}

lathe_error* lathe_graph_run(lathe_graph* graph) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    return graph->context.Run();
  });
}

lathe_error* lathe_graph_output(lathe_graph* graph, int32_t index, lathe_tensor** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(graph);
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(Tensor tensor, graph->context.GetOutput(index));
    *out = tensor.release();
    return absl::OkStatus();
  });
}
