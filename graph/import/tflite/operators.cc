#include "graph/import/tflite/operators.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace lathe::graph::tflite {
namespace {

const std::unordered_map<std::string, Conversion>& Conversions() {
  static const auto* const table = [] {
    auto* made = new std::unordered_map<std::string, Conversion>;
    const auto add = [&](std::vector<Conversion> family) {
      for (Conversion& row : family) made->emplace(row.name, std::move(row));
    };
#define LATHE_TFLITE_FAMILY(name) add(name());
#include "graph/import/tflite/operators.def"
#undef LATHE_TFLITE_FAMILY
    return made;
  }();
  return *table;
}

constexpr std::array kBuiltin = {
#define LATHE_TFLITE_OPERATOR(number, name) #name,
#include "graph/import/tflite/builtin_operators.def"
#undef LATHE_TFLITE_OPERATOR
};

constexpr std::string_view kTexts =
    "texts and tables of them are no tensors here: do this step before the model";
constexpr std::string_view kState =
    "a variable outlives a run: give the model its state as an input, and take it as an output";
constexpr std::string_view kComplex =
    "complex numbers are no tensors here: do this step outside of the model";

struct Reason {
  std::string_view name, text;
};
constexpr std::array kReasons = {
    Reason{"HASHTABLE", kTexts},        Reason{"HASHTABLE_FIND", kTexts},
    Reason{"HASHTABLE_IMPORT", kTexts}, Reason{"HASHTABLE_SIZE", kTexts},
    Reason{"HASHTABLE_LOOKUP", kTexts}, Reason{"SKIP_GRAM", kTexts},
    Reason{"LSH_PROJECTION", kTexts},   Reason{"VAR_HANDLE", kState},
    Reason{"READ_VARIABLE", kState},    Reason{"ASSIGN_VARIABLE", kState},
    Reason{"CALL_ONCE", kState},        Reason{"RFFT2D", kComplex},
    Reason{"REAL", kComplex},           Reason{"IMAG", kComplex},
    Reason{"COMPLEX_ABS", kComplex},    Reason{"SVDF", kState},
};

}  // namespace

std::string NameOf(const Operator& op) {
  if (op.code == kCustom) return "custom " + std::string(op.custom);
  if (op.code >= 0 && static_cast<size_t>(op.code) < kBuiltin.size()) {
    return kBuiltin[static_cast<size_t>(op.code)];
  }
  return "operator " + std::to_string(op.code);
}

const Conversion* FindConversion(const Operator& op) {
  const auto at = Conversions().find(NameOf(op));
  return at == Conversions().end() ? nullptr : &at->second;
}

std::string_view ReasonFor(std::string_view name) {
  for (const Reason& reason : kReasons) {
    if (reason.name == name) return reason.text;
  }
  if (name.starts_with("custom Flex")) {
    return "an operator of TensorFlow itself: convert the model without SELECT_TF_OPS, or import "
           "its frozen graph";
  }
  return "";
}

std::vector<std::string> SupportedOperators() {
  std::vector<std::string> names;
  for (const auto& [name, row] : Conversions()) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> AllOperators() { return {kBuiltin.begin(), kBuiltin.end()}; }

}  // namespace lathe::graph::tflite
