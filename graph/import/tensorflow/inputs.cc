// The inputs and constants of a graph.
#include <algorithm>
#include <cstring>
#include <functional>

#include "base/error.h"
#include "graph/import/map_file.h"
#include "graph/import/tensorflow/importer.h"

namespace lathe::graph::tensorflow {
namespace {

std::string BytesOf(const TensorData& tensor, DataType dtype, size_t count,
                    const std::function<void(size_t)>& fail) {
  const auto width = static_cast<size_t>(dtype.bytes());
  const bool is_float = tensor.type == kFloat, is_double = tensor.type == kDouble;
  const size_t found = is_float    ? tensor.floats.size()
                       : is_double ? tensor.doubles.size()
                                   : tensor.ints.size();
  // The last element stands for all that follow; none at all for zeros.
  if (found > count) fail(found);
  std::string out(count * width, '\0');
  for (size_t i = 0; i < count && found > 0; ++i) {
    const size_t from = std::min(i, found - 1);
    const void* element = is_float    ? static_cast<const void*>(&tensor.floats[from])
                          : is_double ? static_cast<const void*>(&tensor.doubles[from])
                                      : static_cast<const void*>(&tensor.ints[from]);
    std::memcpy(out.data() + i * width, element, width);
  }
  return out;
}

}  // namespace

TensorValue Importer::Read(const TensorData& tensor, Text name) const {
  const auto fail = [&](const std::string& problem, std::string expected, std::string found) {
    throw Error(Diagnostic{.name = "tensorflow-tensor",
                           .message = "the constant " + Quoted(name) + " " + problem,
                           .expected = std::move(expected),
                           .found = std::move(found)});
  };
  const std::optional<DataType> dtype = DTypeOf(tensor.type);
  if (!dtype) {
    fail("has an element type that graphs do not have", "floats, integers or truth values",
         ElementTypeName(tensor.type));
  }
  int64_t count = 1;
  for (const int64_t extent : tensor.shape.dims) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count) || count > (INT64_MAX >> 4)) {
      fail("has an impossible shape", "extents of 0 and more", std::to_string(extent));
    }
  }
  TensorValue value{*dtype, tensor.shape.dims, {}};
  const int64_t bytes = count * dtype->bytes();
  if (tensor.has_content && !tensor.content.empty()) {
    if (static_cast<int64_t>(tensor.content.size()) != bytes) {
      fail("has the wrong number of bytes", std::to_string(bytes),
           std::to_string(tensor.content.size()));
    }
    value.data = DataOf({tensor.content, model_.bytes});
    return value;
  }
  // One number may stand for many, but not for more than a machine has.
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  if (bytes > kMostBytes) {
    fail("is too large for what the file has of it", std::to_string(kMostBytes) + " bytes",
         std::to_string(bytes));
  }
  value.data = Blob::Copy(BytesOf(tensor, *dtype, static_cast<size_t>(count), [&](size_t found) {
    fail("has too many elements", std::to_string(count), std::to_string(found));
  }));
  return value;
}

GraphVar Importer::AddConstant(const Node& node, const TensorData& tensor) {
  const std::string name(node.name);
  const GraphVar var = Constant(Read(tensor, node.name), name);
  if (depth_ == 0 && b().OpenBlocks() == 1) weights_.emplace_back(name, var);
  return var;
}

GraphVar Importer::AddInput(const Node& node) {
  const std::string name(node.name);
  const NodeContext n(*this, node);
  const DataType dtype = n.Type("dtype");
  const Attribute* attribute = n.Find("shape");
  const auto fail = [&](const std::string& problem, std::string expected, std::string found) {
    throw Error(Diagnostic{.name = "tensorflow-input-shape",
                           .message = "input " + Quoted(name) + " " + problem,
                           .expected = std::move(expected),
                           .found = std::move(found),
                           .help = "give its shape at import: shape={\"" + name + "\": [...]}"});
  };
  const Shape stated = attribute == nullptr ? Shape() : attribute->shape;
  const auto size = [&](const std::string& text) {
    const auto at = sizes_.find(text);
    return at != sizes_.end() ? at->second : sizes_.emplace(text, b().Size(text)).first->second;
  };
  std::vector<Expr> shape;
  if (const auto given = options_.shapes.find(name); given != options_.shapes.end()) {
    if (stated.has_rank && stated.dims.size() != given->second.size()) {
      fail("has another rank in the model than in the options", std::to_string(stated.dims.size()),
           std::to_string(given->second.size()));
    }
    for (const Extent& extent : given->second) {
      if (const int64_t* number = std::get_if<int64_t>(&extent)) {
        if (*number < 0) fail("has a negative extent", "0 and more", std::to_string(*number));
        shape.push_back(Int64(*number));
      } else {
        shape.push_back(size(SizeName(std::get<std::string>(extent))));
      }
    }
  } else {
    if (!stated.has_rank) fail("has no shape", "at least a rank", "nothing");
    for (size_t d = 0; d < stated.dims.size(); ++d) {
      shape.push_back(stated.dims[d] >= 0 ? Int64(stated.dims[d])
                                          : size(SizeName(name) + "_" + std::to_string(d)));
    }
  }
  const GraphVar var = b().Input(name, dtype, std::move(shape));
  inputs_.emplace(var, name);
  return var;
}

std::string Importer::OriginOf(const GraphVar& var) const {
  const auto at = inputs_.find(var);
  return at == inputs_.end() ? "a value that the model computes, " + Quoted(var->name)
                             : "the input " + Quoted(at->second);
}

}  // namespace lathe::graph::tensorflow
