#include "graph/import/tensorflow/operators.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace lathe::graph::tensorflow {
namespace {

const std::unordered_map<std::string, Conversion>& Conversions() {
  static const auto* const table = [] {
    auto* made = new std::unordered_map<std::string, Conversion>;
    const auto add = [&](std::vector<Conversion> family) {
      for (Conversion& row : family) made->emplace(row.name, std::move(row));
    };
#define LATHE_TENSORFLOW_FAMILY(name) add(name());
#include "graph/import/tensorflow/operators.def"
#undef LATHE_TENSORFLOW_FAMILY
    return made;
  }();
  return *table;
}

constexpr std::string_view kOldControl =
    "control flow in its old form: freeze the model with lower_control_flow=False, so that it has "
    "If and While";
constexpr std::string_view kOldCase =
    "a Case in its old form: docs/tensorflow.md says how a frozen model keeps it";
constexpr std::string_view kVariable =
    "a variable: freeze the model, so that it has constants (docs/tensorflow.md)";
constexpr std::string_view kList =
    "a list whose length changes: convert the model to TFLite, and import that";
constexpr std::string_view kTexts =
    "texts are no tensors here: do this step before the model, and give the model its numbers";

struct Reason {
  std::string_view name, text;
};
constexpr std::array kReasons = {
    Reason{"Switch", kOldControl},
    Reason{"Merge", kOldControl},
    Reason{"RefSwitch", kOldControl},
    Reason{"_SwitchN", kOldCase},
    Reason{"RefMerge", kOldControl},
    Reason{"Enter", kOldControl},
    Reason{"Exit", kOldControl},
    Reason{"NextIteration", kOldControl},
    Reason{"LoopCond", kOldControl},
    Reason{"Variable", kVariable},
    Reason{"VariableV2", kVariable},
    Reason{"VarHandleOp", kVariable},
    Reason{"ReadVariableOp", kVariable},
    Reason{"ResourceGather", kVariable},
    Reason{"AssignVariableOp", kVariable},
    Reason{"TensorListPushBack", kList},
    Reason{"TensorListConcatV2", kList},
    Reason{"TensorArrayV3", kOldControl},
    Reason{"HashTableV2", kTexts},
    Reason{"LookupTableFindV2", kTexts},
    Reason{"StringSplit", kTexts},
    Reason{"StringJoin", kTexts},
    Reason{"DecodeJpeg",
           "files of pictures are no tensors here: decode the picture before the model"},
};

}  // namespace

const Conversion* FindConversion(Text op) {
  const auto at = Conversions().find(std::string(op));
  return at == Conversions().end() ? nullptr : &at->second;
}

std::string_view ReasonFor(std::string_view op) {
  for (const Reason& reason : kReasons) {
    if (reason.name == op) return reason.text;
  }
  return "";
}

std::vector<std::string> SupportedOperators() {
  std::vector<std::string> names;
  for (const auto& [name, row] : Conversions()) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace lathe::graph::tensorflow
