#include "graph/import/onnx/operators.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/error.h"

namespace lathe::graph::onnx {
namespace {

const std::unordered_map<std::string, Operator>& Table() {
  static const auto* const table = [] {
    auto* made = new std::unordered_map<std::string, Operator>;
    const auto add = [&](std::vector<Operator> family) {
      for (Operator& op : family) made->emplace(op.name, std::move(op));
    };
#define LATHE_ONNX_FAMILY(name) add(name());
#include "graph/import/onnx/operators.def"
#undef LATHE_ONNX_FAMILY
    return made;
  }();
  return *table;
}

constexpr std::string_view kStrings =
    "texts are no tensors here: do this step before the model, and give the model its numbers";

constexpr std::string_view kSearches =
    "a loop over tokens with a model inside: import that model, and write the loop around its runs";

struct Reason {
  std::string_view name, text;
};
constexpr std::array kReasons = {
    Reason{"StringConcat", kStrings},
    Reason{"StringNormalizer", kStrings},
    Reason{"StringSplit", kStrings},
    Reason{"RegexFullMatch", kStrings},
    Reason{"TfIdfVectorizer", kStrings},
    Reason{"ImageDecoder",
           "files of pictures are no tensors here: decode the picture before the model"},
    Reason{"BitCast", "no operator of graphs reads the bits of numbers as another type"},
    Reason{"ai.onnx.preview.FlexAttention",
           "a preview whose formula is a graph: write the formula with other operators"},
    Reason{"ai.onnx.ml.LabelEncoder", kStrings},
    Reason{"com.microsoft.Tokenizer", kStrings},
    Reason{"com.microsoft.MurmurHash3", kStrings},
    Reason{"com.microsoft.Inverse", "no operator of graphs inverts matrices"},
    Reason{"com.microsoft.BeamSearch", kSearches},
    Reason{"com.microsoft.GreedySearch", kSearches},
    Reason{"com.microsoft.Sampling", kSearches},
    Reason{"com.microsoft.WhisperBeamSearch", kSearches},
    Reason{"com.microsoft.EPContext",
           "the file has code for one device inside: export the model without it"},
};

}  // namespace

std::string FullName(std::string_view domain, std::string_view name) {
  return domain.empty() ? std::string(name) : std::string(domain) + "." + std::string(name);
}

const Operator* FindOperator(std::string_view domain, std::string_view name) {
  const auto at = Table().find(FullName(domain, name));
  return at == Table().end() ? nullptr : &at->second;
}

Results ConvertAs(NodeContext& n, std::string_view name, int64_t opset, std::vector<Value> inputs) {
  const Operator* const op = FindOperator("", name);
  LATHE_CHECK(op != nullptr) << "no operator " << name;
  std::swap(n.inputs, inputs);
  const int64_t own = std::exchange(n.opset, opset);
  Results results = op->convert(n);
  std::swap(n.inputs, inputs);
  n.opset = own;
  return results;
}

std::string_view ReasonFor(std::string_view domain, std::string_view name) {
  const std::string full = FullName(domain, name);
  for (const Reason& reason : kReasons) {
    if (reason.name == full) return reason.text;
  }
  return "";
}

std::vector<std::string> SupportedOperators() {
  std::vector<std::string> names;
  for (const auto& [name, op] : Table()) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace lathe::graph::onnx
