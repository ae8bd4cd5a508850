#include "tools/lathe/model_header.h"

#include <set>

#include "base/error.h"
#include "tools/lathe/model.h"

namespace lathe::cli {
namespace {

using runtime::graph::Plan;

// "small_model-2" -> "SmallModel2".
std::string CamelCase(const std::string& text) {
  std::string out;
  bool upper = true;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (digit && out.empty()) out = "Value";
    if (letter || digit) out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    upper = !letter;
  }
  return out.empty() ? "Value" : out;
}

// A name that no other function of the class has.
std::string Unique(const std::string& wanted, std::set<std::string>* known) {
  std::string name = wanted;
  for (int i = 2; !known->insert(name).second; ++i) name = wanted + std::to_string(i);
  return name;
}

std::string TypeOf(DataType dtype, const std::string& what) {
  const std::string bits = std::to_string(dtype.bits());
  if (dtype.lanes() == 1) {
    if (dtype == DataType::Bool()) return "uint8_t";
    if (dtype == DataType::Float(32)) return "float";
    if (dtype == DataType::Float(64)) return "double";
    if (dtype == DataType::Float(16)) return "uint16_t";
    const bool whole = dtype.bits() % 8 == 0 && dtype.bits() >= 8;
    if (whole && dtype.is_int()) return "int" + bits + "_t";
    if (whole && dtype.is_uint()) return "uint" + bits + "_t";
  }
  throw Error(Diagnostic{.name = "header-element-type",
                         .message = "`" + what + "` has elements that a C++ header cannot have",
                         .expected = "floats of 16, 32 or 64 bits, integers, bools",
                         .found = dtype.ToString(),
                         .help = "leave --header out, and use runtime/graph/graph_c_api.h"});
}

std::string Literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    char octal[8];
    std::snprintf(octal, sizeof octal, "\\%03o", byte);
    if (byte < 0x20 || byte > 0x7e || c == '"' || c == '\\' || c == '?')
      out += octal;
    else
      out += c;
  }
  return out + "\"";
}

// Text within a comment of one line.
std::string Comment(const std::string& text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == '\\' ? '?' : c;
  return out;
}

std::string InputFunction(const Plan& plan, size_t index, std::set<std::string>* known) {
  const std::string& name = plan.inputs[index].name;
  const int32_t number = plan.inputs[index].tensor;
  const DataType dtype = plan.tensors[static_cast<size_t>(number)].dtype;
  const std::string type = TypeOf(dtype, name);
  std::string parameters, shape;
  const std::vector<int64_t> extents = ExtentsOf(plan, number);
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    const bool open = extents[axis] < 0;
    const std::string extent = "extent" + std::to_string(axis);
    if (open) parameters += ", int64_t " + extent;
    shape += (shape.empty() ? "" : ", ") + (open ? extent : std::to_string(extents[axis]));
  }
  const DLDataType dl = dtype.dl();
  return "  // Input " + std::to_string(index) + ", `" + Comment(name) + "`, " +
         TensorText(plan, number) + ": copies a compact array in row-major order.\n  void " +
         Unique("Set" + CamelCase(name), known) + "(const " + type + "* data" + parameters +
         ") {\n    SetInput(" + Literal(name) + ", data, DLDataType{" + std::to_string(dl.code) +
         ", " + std::to_string(dl.bits) + ", " + std::to_string(dl.lanes) + "}, {" + shape +
         "});\n  }\n";
}

std::string OutputFunction(const Plan& plan, size_t index, std::set<std::string>* known) {
  const std::string name = OutputName(plan, index);
  const int32_t number = plan.outputs[index];
  const std::string type = TypeOf(plan.tensors[static_cast<size_t>(number)].dtype, name);
  return "  // Output " + std::to_string(index) + ", `" + Comment(name) + "`, " +
         TensorText(plan, number) + ", of the last run.\n  lathe::ModelOutput<" + type + "> " +
         Unique(CamelCase(name), known) + "() const { return Output<" + type + ">(" +
         std::to_string(index) + "); }\n";
}

// The constructor, and what comes before and behind the class's functions for it.
struct Construction {
  std::string use, before, constructor, behind;
};
Construction ConstructionOf(const Plan& plan, const std::string& name, const std::string& symbol) {
  if (symbol.empty()) {
    return {.use = "(\"FILE\")",
            .before = "#include <string>\n\n",
            .constructor =
                "  // `path`: the file that was compiled together with this header.\n  explicit " +
                name + "(const std::string& path) : CompiledModel(path, " + Literal(plan.name) +
                ") {}\n\n"};
  }
  return {
      .before = "\n",
      .constructor = "  " + name + "() : CompiledModel(Code(), " + Literal(plan.name) + ") {}\n\n",
      .behind =
          "\n private:\n  static lathe_object* Code() {\n    static lathe_object* const "
          "code = Linked(&" +
          symbol + ");\n    return code;\n  }\n"};
}

}  // namespace

std::string HeaderOf(const Plan& plan, const ModelHeader& header) {
  const std::string name = CamelCase(header.name);
  // What the class has already.
  std::set<std::string> known = {name, "SetInput", "SetThreads", "Run", "Output", "Linked", "Code"};
  std::string functions;
  for (size_t i = 0; i < plan.inputs.size(); ++i) functions += InputFunction(plan, i, &known);
  for (size_t i = 0; i < plan.outputs.size(); ++i) functions += OutputFunction(plan, i, &known);
  const Construction made = ConstructionOf(plan, name, header.symbol);
  const std::string symbol =
      header.symbol.empty() ? "" : "extern \"C\" const lathe_artifact " + header.symbol + ";\n\n";
  return "// The compiled model " + Comment(header.source) +
         ", made by `lathe compile --header`. Do not edit.\n//\n//   " + name + " model" +
         made.use +
         ";\n//   model.Set...(data); model.Run(); ... = model....();\n//\n"
         "// `?` in a shape is an extent that callers choose.\n#pragma once\n\n#include "
         "<cstdint>\n" +
         made.before + "#include \"runtime/graph/compiled_model.h\"\n\n" + symbol + "class " +
         name + " : public lathe::CompiledModel {\n public:\n" + made.constructor + functions +
         made.behind + "};\n";
}

}  // namespace lathe::cli
