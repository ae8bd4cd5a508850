// A compiled model in a C++ program, on the functions of graph_c_api.h: what the headers that
// `lathe compile --header` writes are made of. Header only; C++17.
//
// Errors are thrown as std::runtime_error, with the text of the error. One thread at a time uses an
// object; objects of one model share its code and weights.
#ifndef LATHE_RUNTIME_GRAPH_COMPILED_MODEL_H_
#define LATHE_RUNTIME_GRAPH_COMPILED_MODEL_H_

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lathe/abi/kernel.h"
#include "runtime/graph/graph_c_api.h"

namespace lathe {

// A result: its elements in row-major order.
template <class T>
struct ModelOutput {
  std::vector<int64_t> shape;
  std::vector<T> data;
};

class CompiledModel {
 public:
  // The module of an object that is linked into the program. Keep the result: it lives as long as
  // the program.
  static lathe_object* Linked(const lathe_artifact* artifact) {
    lathe_object* module = nullptr;
    Check(lathe_graph_module_linked(artifact, &module));
    return module;
  }

  // The model `name` of a module, with memory of its own.
  CompiledModel(lathe_object* module, const char* name) {
    lathe_graph* graph = nullptr;
    Check(lathe_graph_open(module, name, nullptr, 0, &graph));
    graph_.reset(graph);
  }

  // The same for a file that `lathe compile` wrote, with its weights.
  CompiledModel(const std::string& path, const char* name) {
    lathe_object* module = nullptr;
    Check(lathe_graph_module_load(path.c_str(), &module));
    lathe_graph* graph = nullptr;
    lathe_error* const error = lathe_graph_open(module, name, nullptr, 0, &graph);
    lathe_object_release(module);  // the graph keeps it
    Check(error);
    graph_.reset(graph);
  }

  // Copies a compact array in row-major order.
  void SetInput(const char* name, const void* data, DLDataType dtype,
                const std::vector<int64_t>& shape) {
    lathe_tensor* tensor = nullptr;
    Check(lathe_tensor_wrap(const_cast<void*>(data), 0, shape.data(), nullptr,
                            static_cast<int32_t>(shape.size()), dtype, DLDevice{kDLCPU, 0},
                            /*read_only=*/1, nullptr, nullptr, &tensor));
    lathe_error* const error = lathe_graph_set_input(graph_.get(), name, tensor);
    lathe_object_release(&tensor->object);
    Check(error);
  }

  // The threads of a kernel's parallel loop; 0, the default: as many as there are processors.
  void SetThreads(int threads) { Check(lathe_graph_set_threads(graph_.get(), threads)); }

  void Run() { Check(lathe_graph_run(graph_.get())); }

  // A copy of an output of the last run.
  template <class T>
  ModelOutput<T> Output(int index) const {
    lathe_tensor* tensor = nullptr;
    Check(lathe_graph_output(graph_.get(), index, &tensor));
    ModelOutput<T> out;
    out.shape.assign(tensor->dl.shape, tensor->dl.shape + tensor->dl.ndim);
    const uint64_t bytes = lathe_tensor_bytes(tensor);
    out.data.resize(static_cast<size_t>(bytes / sizeof(T)));
    lathe_error* const error = lathe_tensor_copy_to_host(tensor, out.data.data(), bytes);
    lathe_object_release(&tensor->object);
    Check(error);
    return out;
  }

 private:
  static void Check(lathe_error* error) {
    if (error == nullptr) return;
    lathe_string* text = nullptr;
    std::string what = "an error of Lathe";
    if (lathe_error_text(error, &text) == nullptr) {
      what.assign(text->data);
      lathe_object_release(&text->object);
    }
    lathe_object_release(&error->object);
    throw std::runtime_error(what);
  }

  struct Close {
    void operator()(lathe_graph* graph) const { lathe_graph_close(graph); }
  };
  std::unique_ptr<lathe_graph, Close> graph_;
};

}  // namespace lathe

#endif  // LATHE_RUNTIME_GRAPH_COMPILED_MODEL_H_
