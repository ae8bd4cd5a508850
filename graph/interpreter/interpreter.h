// Evaluates graphs directly: the meaning that compiled plans and passes are held to.
//
// Each call of an operator is computed through its te definition by te's evaluator, with the actual
// extents; no fusion, no schedule, no plan. Slow, and right. Functions, closures, recursion, `if`
// and loops run here as ir/graph.h defines them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "runtime/tensor.h"

namespace lathe::graph {

struct Closure;

// A value of a graph: a tensor, a tuple of values, or a function.
struct GraphValue {
  enum class Kind : uint8_t { kTensor, kTuple, kFunction };
  Kind kind = Kind::kTensor;
  runtime::Tensor tensor;  // on the CPU, compact; nobody writes it
  std::vector<GraphValue> fields;
  std::shared_ptr<const Closure> function;

  GraphValue() = default;
  GraphValue(runtime::Tensor value) : tensor(std::move(value)) {}  // NOLINT
};

struct GraphInterpretOptions {
  int max_call_depth = 500;  // of functions within functions, and of blocks within blocks
  uint64_t step_limit = uint64_t{1} << 40;  // of te's interpreter, for each call of an operator
};

// Calls function `name` of a typed module (InferTypes). Sizes take their values from the arguments'
// shapes. Throws Error
//   graph-interpret-argument  wrong number, type, extent or device of an argument
//   graph-call-depth          functions call each other without end, or too deep
// and what operators and the evaluator throw; the binding is a note. Thread-safe.
GraphValue Interpret(const ir::GraphModule& module, const std::string& name,
                     std::vector<GraphValue> args, const GraphInterpretOptions& options = {});

}  // namespace lathe::graph
