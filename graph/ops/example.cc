#include "graph/ops/example.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"

namespace lathe::graph {
namespace {

[[noreturn]] void Fail(const std::string& text) {
  throw Error(Diagnostic{.name = "graph-example",
                         .message = "this is no input of an example",
                         .expected = "a type and perhaps a range: `T[n, 8] in -1:1`",
                         .found = text});
}

// The text up to `end`, which is removed together with it.
std::string Take(std::string& rest, const std::string& end, const std::string& whole) {
  const size_t at = rest.find(end);
  if (at == std::string::npos) Fail(whole);
  std::string part = rest.substr(0, at);
  rest.erase(0, at + end.size());
  return part;
}

ir::Expr ExtentOf(const std::string& word, std::map<std::string, ir::Var>* sizes) {
  char* end = nullptr;
  const int64_t number = std::strtoll(word.c_str(), &end, 10);
  if (*end == '\0') return ir::Int(number, DataType::Int(64));
  ir::Var& size = (*sizes)[word];
  if (!size) size = ir::MakeSizeVar(word, DataType::Int(64));
  return size;
}

ExampleInput ReadInput(const std::string& text, DataType type,
                       std::map<std::string, ir::Var>* sizes) {
  ExampleInput input;
  std::string rest = text;
  const std::string dtype = Take(rest, "[", text);
  input.dtype = type;
  if (dtype != "T" && !DataType::Parse(dtype, &input.dtype)) Fail(text);
  std::string shape = Take(rest, "]", text);
  while (!shape.empty()) {
    const size_t comma = shape.find(", ");
    input.shape.push_back(ExtentOf(shape.substr(0, comma), sizes));
    shape.erase(0, comma == std::string::npos ? comma : comma + 2);
  }
  if (!input.dtype.is_float()) {
    input.low = input.dtype.is_int() ? -7 : 0;
    input.high = input.dtype.is_bool() ? 1 : 7;
  }
  if (rest.empty()) return input;
  if (!Take(rest, " in ", text).empty()) Fail(text);
  input.low = std::strtod(Take(rest, ":", text).c_str(), nullptr);
  input.high = std::strtod(rest.c_str(), nullptr);
  if (input.dtype.is_uint()) input.low = std::max(input.low, 0.0);
  return input;
}

}  // namespace

std::vector<ExampleInput> ReadExample(const OpExample& example, DataType type,
                                      std::map<std::string, ir::Var>* sizes) {
  std::vector<ExampleInput> inputs;
  for (const std::string& text : example.inputs) inputs.push_back(ReadInput(text, type, sizes));
  return inputs;
}

std::vector<DataType> TypesOfExample(const OpDef& op, const OpExample& example) {
  for (size_t i = 0; i < example.inputs.size(); ++i) {
    if (example.inputs[i].starts_with("T[")) {
      return TypesOf(op.inputs[std::min(i, op.inputs.size() - 1)].types);
    }
  }
  return {DataType::Void()};
}

}  // namespace lathe::graph
