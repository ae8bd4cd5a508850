#include "graph/explain/explain.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "base/error.h"
#include "graph/check/check_passes.h"
#include "graph/check/values.h"
#include "graph/infer.h"
#include "graph/passes/fuse.h"
#include "runtime/graph/places.h"
#include "runtime/status.h"

namespace lathe::graph {
namespace {

using runtime::graph::PlanStep;
using runtime::graph::PlanTensor;
using runtime::graph::TensorPlace;

const ir::GraphFunc& FunctionOf(const ir::GraphModule& module, const std::string& name) {
  const auto is_it = [&](const GraphFuncRef& func) { return func->name == name; };
  const auto at = std::ranges::find_if(module->functions, is_it);
  LATHE_CHECK(at != module->functions.end()) << "no function";
  return **at;
}

std::string Bytes(uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

std::string NameOf(const PlanStep& step) {
  switch (step.kind) {
    case PlanStep::Kind::kKernel:
      return "kernel " + step.kernel;
    case PlanStep::Kind::kCopy:
      return "copy";
    case PlanStep::Kind::kIf:
      return "if, " + std::to_string(step.first) + " steps, else " + std::to_string(step.second);
    case PlanStep::Kind::kLoop:
      return "loop, while: " + std::to_string(step.first) +
             " steps, do: " + std::to_string(step.second);
    case PlanStep::Kind::kBindSize:
      return "bind a size";
  }
  return "";
}

std::string TensorText(const runtime::graph::Plan& plan, int32_t number, const TensorPlace& place) {
  const PlanTensor& tensor = plan.tensors[static_cast<size_t>(number)];
  std::string text = tensor.name.empty() ? "tensor " + std::to_string(number) : "%" + tensor.name;
  text += ": " + tensor.dtype.ToString() + "[";
  for (const int64_t extent : place.shape) {
    text += (text.back() == '[' ? "" : ", ") + std::to_string(extent);
  }
  text += "], ";
  if (place.root != number) text += "a view of tensor " + std::to_string(place.root) + ", ";
  switch (place.memory) {
    case TensorPlace::Memory::kInput:
      return text + "input " + std::to_string(place.index);
    case TensorPlace::Memory::kConstant:
      return text + "constant " + std::to_string(place.index);
    case TensorPlace::Memory::kOutput:
      return text + "output " + std::to_string(place.index);
    case TensorPlace::Memory::kArena:
      break;
  }
  if (place.bytes == 0) return text + "no memory";
  return text + "arena " + std::to_string(place.offset) + " + " + std::to_string(place.bytes) +
         ", steps " + std::to_string(place.first) + " to " + std::to_string(place.last);
}

void Steps(const runtime::graph::Plan& plan, const runtime::graph::Places& places,
           std::ostream& out) {
  std::vector<int32_t> ends;  // of open blocks
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const auto now = static_cast<int32_t>(i);
    while (!ends.empty() && ends.back() <= now) ends.pop_back();
    const PlanStep& step = plan.steps[i];
    const std::string indent(2 * ends.size() + 2, ' ');
    out << indent << i << "  " << NameOf(step) << "\n";
    for (size_t b = 0; b < step.buffers.size(); ++b) {
      const int32_t tensor = step.buffers[b];
      out << indent << "    " << (step.writes[b] != 0 ? "-> " : "   ")
          << TensorText(plan, tensor, places.tensors[static_cast<size_t>(tensor)]) << "\n";
    }
    if (step.first + step.second > 0) ends.push_back(now + 1 + step.first + step.second);
  }
}

// Each kernel once, with the groups that it computes.
void Kernels(const CompiledGraph& compiled, std::ostream& out) {
  std::vector<std::string> order;
  std::unordered_map<std::string, int> uses;
  for (const PlanStep& step : compiled.plan.steps) {
    if (step.kind == PlanStep::Kind::kKernel && ++uses[step.kernel] == 1) {
      order.push_back(step.kernel);
    }
  }
  out << order.size() << " kernels:\n";
  for (const std::string& name : order) {
    out << "  " << name;
    if (uses[name] > 1) out << ", for " << uses[name] << " groups";
    out << "\n";
  }
}

// The operators of each group, as text.
void Groups(const ir::GraphBlock& block, int depth, std::ostream& out) {
  const std::string indent(static_cast<size_t>(2 * depth), ' ');
  for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
    if (const auto* node = ir::As<ir::GraphIf>(binding->value)) {
      Groups(*node->then_block, depth + 1, out);
      Groups(*node->else_block, depth + 1, out);
    } else if (const auto* loop = ir::As<ir::GraphLoop>(binding->value)) {
      Groups(*loop->condition, depth + 1, out);
      Groups(*loop->body, depth + 1, out);
    }
    const auto* func = ir::As<ir::GraphFunc>(binding->value);
    if (func == nullptr || !IsPrimitive(*func)) continue;
    out << indent;
    for (size_t i = 0; i < func->body->bindings.size(); ++i) {
      const auto* call = ir::As<ir::GraphCall>(func->body->bindings[i]->value);
      out << (i == 0 ? "" : " + ") << (call == nullptr ? "?" : call->op);
    }
    out << " -> " << TypeText(func->result_type) << "\n";
  }
}

}  // namespace

absl::StatusOr<std::string> ExplainGraph(const ir::GraphModule& module, const std::string& function,
                                         const target::Target& target,
                                         const ExplainGraphOptions& given) {
  const ir::GraphModule typed = InferTypes(module);
  const ir::GraphFunc& func = FunctionOf(typed, function);
  const std::vector<int64_t> sizes = ChooseSizes(func, given.sizes);
  GraphBuildOptions options = given.build;
  std::vector<std::string> layouts;
  GraphFuncRef fused;
  std::vector<std::string> passes;
  options.explain = [&](const std::string& line) { layouts.push_back(line); };
  options.after_pass = [&](std::string_view name, const GraphFuncRef& before,
                           const GraphFuncRef& after) {
    if (!before.same_as(after)) passes.emplace_back(name);
    if (name == "fuse") fused = after;
  };
  LATHE_ASSIGN_OR_RETURN(const CompiledGraph compiled,
                         CompileGraph(typed, function, target, options));
  LATHE_ASSIGN_OR_RETURN(const auto executable, LoadGraph(compiled));
  std::vector<std::vector<int64_t>> shapes;
  for (const GraphValue& input : RandomInputs(func, sizes, 1)) {
    shapes.emplace_back(input.tensor.shape().begin(), input.tensor.shape().end());
  }
  LATHE_ASSIGN_OR_RETURN(const runtime::graph::Places places,
                         runtime::graph::PlacesOf(*executable, shapes));

  std::ostringstream out;
  out << "graph " << function;
  for (size_t i = 0; i < sizes.size(); ++i) {
    out << (i == 0 ? ", for " : ", ") << func.sizes[i]->name << " = " << sizes[i];
  }
  out << "\n\nlayouts:\n";
  for (const std::string& line : layouts) out << "  " << line << "\n";
  if (layouts.empty()) out << "  no convolutions to choose blocks for\n";
  out << "\ngroups:\n";
  Groups(*fused->body, 1, out);
  out << "\n";
  Kernels(compiled, out);
  uint64_t constants = 0;
  for (const Ref<const Blob>& data : compiled.constants) constants += data->size();
  out << "\nsteps (-> is written; arena OFFSET + BYTES, and the steps that need it):\n";
  Steps(compiled.plan, places, out);
  out << "\narena: " << Bytes(places.arena_bytes) << ", at least "
      << Bytes(places.arena_lower_bound) << " are in use at once; constants: " << Bytes(constants)
      << "\n";
  return std::move(out).str();
}

}  // namespace lathe::graph
