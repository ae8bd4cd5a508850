// Models of TFLite as graphs.
#include <string>
#include <vector>

#include "graph/import/tflite/import.h"
#include "python/ffi/ffi.h"
#include "python/ffi/models.h"

namespace lathe::python {

void RegisterTflite() {
  // [module, names of inputs, names of outputs, names of weights, weights].
  Def("tflite.import",
      [](const std::string& model, bool is_path, const std::vector<std::string>& names,
         const std::vector<std::vector<runtime::Value>>& shapes, bool weights_are_inputs) {
        graph::tflite::ImportOptions options{.weights_are_inputs = weights_are_inputs};
        options.shapes = ShapesOf(names, shapes);
        const graph::tflite::LoadedModel loaded =
            is_path ? OrThrow(graph::tflite::LoadModel(model)) : graph::tflite::ParseModel(model);
        return ResultOf(graph::tflite::ImportModel(loaded, options));
      });
}

}  // namespace lathe::python
