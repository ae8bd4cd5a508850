// The parts of the interpreter. Internal to it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/builder.h"
#include "graph/interpreter/interpreter.h"

namespace lathe::graph {

// The variables and sizes of a block, and the block around it.
struct Scope final : Object {
  Scope() : Object(0) {}
  Ref<const Scope> outer;
  std::unordered_map<const ir::Node*, GraphValue> values;
  std::unordered_map<const ir::Node*, int64_t> sizes;
};
using ScopeRef = Ref<Scope>;

class Closure final : public Object {
 public:
  Closure(Ref<const ir::GraphFunc> of, Ref<const Scope> in)
      : Object(0), func(std::move(of)), scope(std::move(in)) {}
  const Ref<const ir::GraphFunc> func;
  const Ref<const Scope> scope;
};

inline constexpr char kInterpretArgument[] = "graph-interpret-argument";

[[noreturn]] void FailInterpret(const char* name, std::string message, std::string expected = "",
                                std::string found = "", std::string help = "");
runtime::Tensor CheckedTensor(absl::StatusOr<runtime::Tensor> tensor);
inline void* DataOf(const runtime::Tensor& tensor) {
  return static_cast<char*>(tensor.dl().data) + tensor.dl().byte_offset;
}

const GraphValue& FindValue(const ir::GraphVar& var, const Scope& scope);
// An expression over sizes with their values.
ir::Expr WithSizes(const ir::Expr& expr, const Scope& scope);
int64_t ExtentOf(const ir::Expr& expr, const Scope& scope);

// Checks a value against the type of a variable, which gets it; binds those of `sizes` that the
// type mentions first.
void BindSizes(const ir::GraphVarNode& var, const ir::NodeRef& type, const GraphValue& value,
               const std::vector<ir::Var>& sizes, Scope& scope);

// A call of an operator that has a computation. `args` are its operands, `type` is its result's.
GraphValue EvaluateCall(const OpDef& op, const ir::GraphCall& call, const ir::Dict& attrs,
                        const std::vector<GraphValue>& args, const ir::NodeRef& type,
                        const Scope& scope, uint64_t step_limit);
// A composition: the function that it stands for, with the actual extents.
GraphFuncRef ExpandCall(const OpDef& op, const ir::Dict& attrs,
                        const std::vector<GraphValue>& args);

}  // namespace lathe::graph
