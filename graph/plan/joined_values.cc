#include "graph/plan/joined_values.h"

#include <optional>
#include <unordered_set>

#include "graph/concatenation.h"
#include "graph/passes/fuse.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

class Finder {
 public:
  explicit Finder(const ir::GraphFunc& func) : func_(func) {}

  JoinedValues Run() {
    KeepResults();
    for (const Ref<const ir::GraphBinding>& binding : func_.body->bindings) {
      if (const auto* group = As<ir::GraphFunc>(binding->value)) {
        if (IsPrimitive(*group)) groups_.emplace(binding->var.get(), group);
      } else if (const auto* invoke = As<ir::GraphInvoke>(binding->value)) {
        const auto group = groups_.find(invoke->callee.get());
        if (group == groups_.end()) continue;
        if (As<ir::TensorType>(binding->var->type) == nullptr) continue;
        Join(binding->var, *group->second, *invoke);
        of_kernels_.insert(binding->var.get());
      }
    }
    return std::move(found_);
  }

 private:
  void KeepResults() {
    taken_.insert(func_.body->result.get());
    for (const Ref<const ir::GraphBinding>& binding : func_.body->bindings) {
      const auto* tuple = As<ir::GraphTuple>(binding->value);
      if (tuple == nullptr) continue;
      for (const GraphVar& field : tuple->fields) taken_.insert(field.get());
    }
  }

  void Join(const GraphVar& var, const ir::GraphFunc& group, const ir::GraphInvoke& invoke) {
    const ir::GraphCall* call = OnlyConcatenates(group);
    if (call == nullptr || taken_.contains(var.get())) return;
    const std::optional<std::vector<uint64_t>> offsets = PartOffsets(*call);
    if (!offsets) return;
    std::vector<JoinedValues::Part> parts;
    std::unordered_set<const ir::Node*> own;
    for (size_t i = 0; i < offsets->size(); ++i) {
      const GraphVar part = ArgumentOf(group, invoke, call->args[i]);
      if (!of_kernels_.contains(part.get()) || taken_.contains(part.get()) ||
          !own.insert(part.get()).second)
        return;
      parts.push_back({part, (*offsets)[i]});
    }
    taken_.insert(own.begin(), own.end());
    for (const ir::Node* part : own) found_.whole_of.emplace(part, var);
    found_.parts.emplace(var.get(), std::move(parts));
  }

  static GraphVar ArgumentOf(const ir::GraphFunc& group, const ir::GraphInvoke& invoke,
                             const GraphVar& param) {
    for (size_t i = 0; i < group.params.size(); ++i)
      if (group.params[i].get() == param.get()) return invoke.args[i];
    return param;  // a value of the function around the group
  }

  const ir::GraphFunc& func_;
  JoinedValues found_;
  std::unordered_map<const ir::Node*, const ir::GraphFunc*> groups_;
  std::unordered_set<const ir::Node*> of_kernels_;
  std::unordered_set<const ir::Node*> taken_;  // results of the function, and parts
};

}  // namespace

const ir::GraphCall* OnlyConcatenates(const ir::GraphFunc& group) {
  if (group.body->bindings.size() != 1) return nullptr;
  const auto* call = As<ir::GraphCall>(group.body->bindings[0]->value);
  return call != nullptr && call->op == "concatenate" ? call : nullptr;
}

JoinedValues FindJoinedValues(const ir::GraphFunc& func) { return Finder(func).Run(); }

}  // namespace lathe::graph
