#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/blob_memory.h"
#include "base/error.h"
#include "base/planted_graphs.h"
#include "graph/passes/known_values.h"
#include "graph/passes/pass.h"
#include "graph/passes/row_parts.h"
#include "graph/uses.h"
#include "runtime/tensor.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;
using runtime::Tensor;

// Constants of up to this in all are computed in one step.
constexpr int64_t kOneStepBytes = int64_t{32} << 20;
// Of more, each step computes at least this, and at most a part of all: each costs time.
constexpr int64_t kStepBytes = int64_t{8} << 20, kStepsOfAll = 24;

// What is computed at once: results, and all bindings that they need, by their places.
struct Step {
  std::vector<size_t> results;
  std::set<size_t> bindings;
  int64_t bytes = 0;
  std::optional<RowParts> parts;  // of the only result
};

// The bindings of a function that are known, and the steps that compute them.
class Folding {
 public:
  explicit Folding(const List<ir::GraphBinding>& bindings, const ir::Node* result)
      : bindings_(bindings) {
    for (size_t i = 0; i < bindings_.size(); ++i) {
      const ir::GraphBinding& binding = *bindings_[i];
      if (!known_.Add(binding.var, *binding.value)) continue;
      places_.emplace(binding.var.get(), i);
      if (As<ir::GraphCall>(binding.value) != nullptr) continue;
      source_bytes_ += BytesOf(binding.var->type);
    }
    wanted_.insert(result);
    for (const Ref<const ir::GraphBinding>& binding : bindings_) {
      if (known_.Contains(binding->var)) continue;
      ForEachUse(*binding->value, [&](const ir::GraphVarNode& var) { wanted_.insert(&var); });
    }
  }

  // Steps in the order of the bindings. Only large constants are divided: then not all of them and
  // of their results are in memory at once.
  std::vector<Step> Steps() const {
    const int64_t most = source_bytes_ <= kOneStepBytes
                             ? INT64_MAX
                             : std::max(kStepBytes, source_bytes_ / kStepsOfAll);
    std::vector<Step> steps;
    Step open;
    const auto close = [&] {
      if (!open.results.empty()) steps.push_back(std::move(open));
      open = {};
    };
    for (size_t i = 0; i < bindings_.size(); ++i) {
      if (!places_.contains(bindings_[i]->var.get()) || CallAt(i) == nullptr || !IsWanted(i))
        continue;
      Step alone = {{i}, {}, 0, std::nullopt};
      AddNeeded(i, &alone);
      if (alone.bytes > most) {
        alone.parts = PartsOf(i, most);
        close();
        steps.push_back(std::move(alone));
        continue;
      }
      if (open.bytes + alone.bytes > most) close();
      open.results.push_back(i);
      AddNeeded(i, &open);
    }
    close();
    return steps;
  }

  // Is the binding at this place read by what is not known?
  bool IsWanted(size_t place) const { return wanted_.contains(bindings_[place]->var.get()); }

 private:
  const ir::GraphCall* CallAt(size_t place) const {
    return As<ir::GraphCall>(bindings_[place]->value);
  }

  // Adds the binding and all that it needs, unless they are there.
  void AddNeeded(size_t place, Step* step) const {
    std::vector<size_t> work{place};
    while (!work.empty()) {
      const size_t at = work.back();
      work.pop_back();
      if (!step->bindings.insert(at).second) continue;
      const ir::GraphCall* call = CallAt(at);
      if (call == nullptr) {
        step->bytes += BytesOf(bindings_[at]->var->type);
        continue;
      }
      for (const GraphVar& arg : call->args) work.push_back(places_.at(arg.get()));
    }
  }

  std::optional<RowParts> PartsOf(size_t place, int64_t part_bytes) const {
    std::vector<Ref<const ir::GraphCall>> calls;
    std::vector<GraphVar> results;
    for (const ir::GraphCall* call = CallAt(place); call != nullptr; call = CallAt(place)) {
      if (call->args.size() != 1) return std::nullopt;
      calls.emplace_back(call);
      results.push_back(bindings_[place]->var);
      place = places_.at(call->args[0].get());
    }
    std::ranges::reverse(calls);
    std::ranges::reverse(results);
    const auto& source = static_cast<const ir::Constant&>(*bindings_[place]->value);
    return FindRowParts(source, std::move(calls), results, part_bytes);
  }

  const List<ir::GraphBinding>& bindings_;
  KnownValues known_;
  std::unordered_map<const ir::Node*, size_t> places_;  // of known bindings
  std::unordered_set<const ir::Node*> wanted_;          // read by what is not known
  int64_t source_bytes_ = 0;
};

// The function of a step: no parameters -> a tuple of its results.
GraphFuncRef FunctionOf(const Step& step, const List<ir::GraphBinding>& bindings) {
  Builder builder("constants");
  std::unordered_map<const ir::Node*, GraphVar> now;
  for (const size_t place : step.bindings) {
    const ir::GraphBinding& binding = *bindings[place];
    ir::NodeRef value = binding.value;
    if (const auto* call = As<ir::GraphCall>(value)) {
      Ref<ir::GraphCall> copy = CopyOf(*call);
      for (GraphVar& arg : copy->args) arg = now.at(arg.get());
      copy->attrs = AttrsHere(*call);
      value = copy;
    }
    now[binding.var.get()] = builder.Emit(value, binding.var->name);
  }
  std::vector<GraphVar> fields;
  for (const size_t place : step.results) fields.push_back(now.at(bindings[place]->var.get()));
  return builder.Finish(builder.Tuple(fields));
}

Ref<const Blob> DataOf(const Tensor& tensor) {
  const std::string_view bytes(static_cast<const char*>(tensor.dl().data) + tensor.dl().byte_offset,
                               tensor.num_bytes());
  return Blob::View(bytes, [kept = tensor] {});
}

// The binding's variable is this constant now.
Ref<const ir::GraphBinding> Known(const ir::GraphBinding& binding, Ref<const Blob> data) {
  const auto& type = static_cast<const ir::TensorType&>(*binding.var->type);
  std::vector<int64_t> shape;
  for (const ir::Expr& extent : type.shape) shape.push_back(*ir::AsConstInt(extent));
  Ref<ir::GraphBinding> known = CopyOf(binding);
  known->value = ir::MakeConstant(type.dtype, shape, std::move(data));
  return known;
}

// Computes the results of a step, and puts them into the list of bindings.
void Compute(const Step& step, const GraphPassContext& context, List<ir::GraphBinding>* bindings) {
  // The code and its constants are dropped here.
  const std::vector<Tensor> values = context.evaluate(FunctionOf(step, *bindings))({});
  LATHE_CHECK(values.size() == step.results.size()) << "not all constants were computed";
  for (size_t i = 0; i < values.size(); ++i) {
    Ref<const ir::GraphBinding>& binding = (*bindings)[step.results[i]];
    size_t from = i;
    if (Planted(PlantedGraphBug::kFoldedResultsSwapped) && i > 0 &&
        SameType(binding->var->type, (*bindings)[step.results[i - 1]]->var->type)) {
      from = i - 1;
    }
    binding = Known(*binding, DataOf(values[from]));
  }
}

// The same for a step of one result that is computed in parts. `done` are the bindings that nobody
// needs afterwards: they are dropped first, so that the memory of the operand can go part by part.
void ComputeByParts(const Step& step, const std::vector<size_t>& done,
                    const GraphPassContext& context, List<ir::GraphBinding>* bindings) {
  const Computation computation = context.evaluate(FunctionOfPart(*step.parts));
  // The first of them, as all others are made of it.
  const ir::NodeRef& source = (*bindings)[*step.bindings.begin()]->value;
  Ref<const Blob> data = static_cast<const ir::Constant&>(*source).data;
  const size_t result = step.results[0];
  const auto bytes = static_cast<size_t>(BytesOf((*bindings)[result]->var->type));
  for (const size_t place : done) (*bindings)[place] = nullptr;
  (*bindings)[result] =
      Known(*(*bindings)[result], ComputeParts(*step.parts, computation, std::move(data), bytes));
}

}  // namespace

GraphFuncRef FoldConstants(GraphFuncRef func, const ir::GraphModule& module,
                           const GraphPassContext& context) {
  if (!context.evaluate) return func;
  // What other passes have replaced still reads constants that are dropped here.
  func = DropDeadCode(func, module, context);
  const Folding folding(func->body->bindings, func->body->result.get());
  const std::vector<Step> steps = folding.Steps();
  if (steps.empty()) return func;
  // The step after which nobody needs a binding.
  std::map<size_t, size_t> last;
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const size_t place : steps[i].bindings) {
      if (!folding.IsWanted(place)) last[place] = i;
    }
  }
  // Now only this copy has the bindings, unless the caller has the function, too.
  Ref<ir::GraphFunc> rest = CopyOf(*func);
  Ref<ir::GraphBlock> body = CopyOf(*func->body);
  rest->body = nullptr;
  func = nullptr;
  for (size_t i = 0; i < steps.size(); ++i) {
    std::vector<size_t> done;
    for (const size_t place : steps[i].bindings) {
      const auto at = last.find(place);
      if (at != last.end() && at->second == i) done.push_back(place);
    }
    if (steps[i].parts) {
      ComputeByParts(steps[i], done, context, &body->bindings);
    } else {
      Compute(steps[i], context, &body->bindings);
      for (const size_t place : done) body->bindings[place] = nullptr;
    }
  }
  std::erase_if(body->bindings, [](const auto& binding) { return !binding; });
  rest->body = body;
  return Rewrite(*rest, module, {});
}

}  // namespace lathe::graph
