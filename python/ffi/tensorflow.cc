// Frozen graphs of TensorFlow as graphs.
#include <string>
#include <vector>

#include "graph/import/tensorflow/import.h"
#include "python/ffi/ffi.h"
#include "python/ffi/models.h"

namespace lathe::python {

void RegisterTensorflow() {
  // [module, names of inputs, names of outputs, names of weights, weights].
  Def("tensorflow.import", [](const std::string& model, bool is_path,
                              const std::vector<std::string>& names,
                              const std::vector<std::vector<runtime::Value>>& shapes,
                              const std::vector<std::string>& outputs, bool weights_are_inputs) {
    graph::tensorflow::ImportOptions options{.outputs = outputs,
                                             .weights_are_inputs = weights_are_inputs};
    options.shapes = ShapesOf(names, shapes);
    const graph::tensorflow::LoadedModel loaded = is_path
                                                      ? OrThrow(graph::tensorflow::LoadModel(model))
                                                      : graph::tensorflow::ParseModel(model);
    return ResultOf(graph::tensorflow::ImportModel(loaded, options));
  });
}

}  // namespace lathe::python
