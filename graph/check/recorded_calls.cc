#include "graph/check/recorded_calls.h"

#include <unordered_map>
#include <unordered_set>

#include "graph/passes/fuse.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

class Recorder {
 public:
  std::vector<RecordedCall> Run(const GraphFuncRef& fused, const ir::GraphModule& module,
                                const Values& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) values_[fused->params[i].get()] = inputs[i];
    FindGroups(*fused->body);
    Ref<ir::GraphModuleNode> own = module ? CopyOf(*module) : Make<ir::GraphModuleNode>();
    std::erase_if(own->functions, [&](const auto& func) { return func->name == fused->name; });
    own->functions.push_back(fused);
    GraphInterpretOptions options;
    options.change_value = [this](const ir::GraphBinding& binding, GraphValue value) {
      Note(binding, value);
      return value;
    };
    Interpret(ir::GraphModule(own), fused->name, inputs, options);
    return std::move(calls_);
  }

 private:
  void FindGroups(const ir::GraphBlock& block) {
    for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
      if (const auto func = ir::RefAs<ir::GraphFunc>(binding->value); func && IsPrimitive(*func)) {
        groups_.emplace(binding->var.get(), func);
      } else if (const auto* node = As<ir::GraphIf>(binding->value)) {
        FindGroups(*node->then_block);
        FindGroups(*node->else_block);
      } else if (const auto* loop = As<ir::GraphLoop>(binding->value)) {
        // In the first round, a carried value is the one that the loop begins with.
        for (size_t i = 0; i < loop->carried.size(); ++i) {
          begins_with_.emplace(loop->carried[i].get(), loop->init[i].get());
        }
        FindGroups(*loop->condition);
        FindGroups(*loop->body);
      }
    }
  }

  const GraphValue* ValueOf(const ir::Node* var) const {
    for (auto init = begins_with_.find(var); init != begins_with_.end();
         init = begins_with_.find(var)) {
      var = init->second;
    }
    const auto at = values_.find(var);
    return at == values_.end() ? nullptr : &at->second;
  }

  void Note(const ir::GraphBinding& binding, const GraphValue& value) {
    const bool first = values_.try_emplace(binding.var.get(), value).second;
    const auto* invoke = As<ir::GraphInvoke>(binding.value);
    if (!first || invoke == nullptr || !invoke->callee) return;
    const auto group = groups_.find(invoke->callee.get());
    if (group == groups_.end()) return;
    RecordedCall call{.group = group->second, .results = TensorsOf(value)};
    for (const GraphVar& arg : invoke->args) {
      const GraphValue* known = ValueOf(arg.get());
      if (known == nullptr) return;
      call.args.push_back(known->tensor);
    }
    calls_.push_back(std::move(call));
  }

  std::unordered_map<const ir::Node*, GraphValue> values_;
  std::unordered_map<const ir::Node*, Ref<const ir::GraphFunc>> groups_;
  std::unordered_map<const ir::Node*, const ir::Node*> begins_with_;
  std::vector<RecordedCall> calls_;
};

}  // namespace

std::vector<RecordedCall> RecordCalls(const GraphFuncRef& fused, const ir::GraphModule& module,
                                      const Values& inputs) {
  return Recorder().Run(fused, module, inputs);
}

}  // namespace lathe::graph
