// Evaluates graphs directly: the meaning that compiled plans and passes are held to.
//
// Each call of an operator is computed through its te definition by te's evaluator, with the actual
// extents; no fusion, no schedule, no plan. Slow, and right. Functions, closures, recursion, data
// types, `if` and loops run here as ir/graph.h defines them. Calls that are open are in a list and
// not on the C++ stack, so a recursion over a list of 10,000 elements works.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/object.h"
#include "ir/graph.h"
#include "runtime/tensor.h"

namespace lathe::graph {

struct GraphData;

// A value of a graph. Copies share what they consist of.
struct GraphValue {
  enum class Kind : uint8_t { kTensor, kTuple, kFunction, kData };
  Kind kind = Kind::kTensor;
  runtime::Tensor tensor;  // on the CPU, compact; nobody writes it
  std::vector<GraphValue> fields;
  Ref<const Object> object;  // kData: a GraphData; kFunction: for the interpreter alone

  const GraphData& data() const;
  GraphValue() = default;
  GraphValue(runtime::Tensor value) : tensor(std::move(value)) {}  // NOLINT
};

// A value of a data type.
struct GraphData final : Object {
  GraphData() : Object(0) {}
  std::string constructor;  // "List.Cons"
  std::vector<GraphValue> fields;
};
inline const GraphData& GraphValue::data() const { return static_cast<const GraphData&>(*object); }
GraphValue MakeGraphData(std::string constructor, std::vector<GraphValue> fields);

struct GraphInterpretOptions {
  int max_call_depth = 20000;               // calls of functions that are open at the same time
  uint64_t step_limit = uint64_t{1} << 40;  // of te's interpreter, for each call of an operator
  // Called with each binding's value; what it returns is the value from then on. For tests that add
  // noise. May be null.
  std::function<GraphValue(const ir::GraphBinding& binding, GraphValue value)> change_value = {};
};

// Calls function `name` of a typed module (InferTypes). Sizes take their values from the arguments'
// shapes. Throws Error
//   graph-interpret-argument  wrong number, type, extent or device of an argument
//   graph-call-depth          functions call each other without end, or too deep; names the
//                             function
// and what operators and the evaluator throw; the binding is a note. Thread-safe.
GraphValue Interpret(const ir::GraphModule& module, const std::string& name,
                     std::vector<GraphValue> args, const GraphInterpretOptions& options = {});

}  // namespace lathe::graph
