#include "tests/prove/graphs/shrink.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/poll.h"
#include "graph/passes/pass.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace lathe::prove::graphs {
namespace {

using graph::Builder;
using graph::CopyOf;
using graph::GraphFuncRef;
using ir::As;
using ir::GraphVar;

// Without dead code, and without inputs that nobody reads, unless they bind a size.
GraphFuncRef Tidy(const GraphFuncRef& func) {
  const GraphFuncRef live = graph::DropDeadCode(func, {}, {});
  std::unordered_set<const ir::Node*> read{live->body->result.get()};
  for (const Ref<const ir::GraphBinding>& binding : live->body->bindings) {
    ir::PostOrder(*binding->value, [&](const ir::Node& node) {
      for (const ir::FieldInfo& field : ir::FieldsOf(node.node_kind())) {
        if (field.role != ir::FieldRole::kRefer) continue;
        if (field.type == ir::FieldType::kNode) {
          if (field.node(node) != nullptr) read.insert(field.node(node));
        } else if (field.type == ir::FieldType::kList) {
          for (size_t i = 0; i < field.list_size(node); ++i) read.insert(field.list_at(node, i));
        }
      }
    });
  }
  Ref<ir::GraphFunc> out = CopyOf(*live);
  out->params.clear();
  out->sizes.clear();
  std::unordered_set<const ir::Node*> bound;
  const auto bind = [&](const GraphVar& param) {
    const auto& type = static_cast<const ir::TensorType&>(*param->type);
    bool binds = false;
    for (const ir::Expr& extent : type.shape) {
      if (As<ir::VarNode>(extent) != nullptr) binds |= bound.insert(extent.get()).second;
    }
    return binds;
  };
  std::unordered_set<const ir::Node*> kept;
  for (const GraphVar& param : live->params) {
    if (read.contains(param.get())) bind(param), kept.insert(param.get());
  }
  for (const GraphVar& param : live->params) {
    const bool needed = kept.contains(param.get());
    // A size that something in the graph may need.
    if (needed || bind(param)) out->params.push_back(param);
  }
  for (const ir::Var& size : live->sizes) {
    if (bound.contains(size.get())) out->sizes.push_back(size);
  }
  return out;
}

class Shrinker {
 public:
  Shrinker(GraphFuncRef func, const std::function<bool(const GraphFuncRef&)>& fails, int attempts)
      : best_(std::move(func)), fails_(fails), left_(attempts) {}

  GraphFuncRef Run() {
    Try([&] { return best_; });
    for (bool smaller = true; smaller && left_ > 0;) {
      const size_t before = SizeOf(*best_);
      Results();
      Bindings();
      Sizes();
      smaller = SizeOf(*best_) < before;
    }
    return best_;
  }

 private:
  static size_t SizeOf(const ir::GraphFunc& func) {
    size_t results = 1;
    if (const auto* tuple = As<ir::TupleType>(func.result_type)) results = tuple->fields.size();
    return 8 * CountBindings(*func.body) + results + func.params.size() + func.sizes.size();
  }

  // Takes what `make` gives if it fails in the same way. What cannot be made is no candidate.
  bool Try(const std::function<GraphFuncRef()>& make) {
    if (left_ <= 0) return false;
    try {
      GraphFuncRef candidate = make();
      if (!candidate) return false;
      candidate = Tidy(candidate);
      --left_;
      if (!fails_(candidate)) return false;
      best_ = std::move(candidate);
      return true;
    } catch (const Interruption&) {
      throw;
    } catch (const std::exception&) {
      return false;
    }
  }

  // One result of a tuple, or all but one.
  void Results() {
    const ir::Node* last =
        best_->body->bindings.empty() ? nullptr : best_->body->bindings.back()->value.get();
    const auto* tuple = As<ir::GraphTuple>(last);
    if (tuple == nullptr || !best_->body->bindings.back()->var.same_as(best_->body->result)) return;
    const std::vector<GraphVar> fields = tuple->fields;
    for (const GraphVar& field : fields) {
      if (Try([&] { return WithResult(field); })) return;
    }
    for (size_t i = fields.size(); i-- > 0 && fields.size() > 2;) {
      const auto* now = As<ir::GraphTuple>(best_->body->bindings.back()->value);
      if (now == nullptr || now->fields.size() < 3) return;
      Ref<ir::GraphTuple> fewer = CopyOf(*now);
      if (i >= fewer->fields.size()) continue;
      fewer->fields.erase(fewer->fields.begin() + static_cast<ptrdiff_t>(i));
      Try([&]() -> GraphFuncRef {
        return graph::Rewrite(*best_, {},
                              [&](const ir::GraphBinding& before, const ir::NodeRef& value,
                                  Builder& builder) -> GraphVar {
                                if (!before.var.same_as(best_->body->result)) return nullptr;
                                Ref<ir::GraphTuple> out = CopyOf(*As<ir::GraphTuple>(value));
                                out->fields.erase(out->fields.begin() + static_cast<ptrdiff_t>(i));
                                return builder.Emit(out);
                              });
      });
    }
  }
  GraphFuncRef WithResult(const GraphVar& var) {
    Ref<ir::GraphFunc> out = CopyOf(*best_);
    out->body = ir::MakeGraphBlock(best_->body->bindings, var);
    out->result_type = var->type;
    return out;
  }

  // Each binding, the last ones first.
  void Bindings() {
    std::vector<GraphVar> vars;
    Collect(*best_->body, &vars);
    for (size_t i = vars.size(); i-- > 0;) {
      // Variables change with each success, so bindings are found by number.
      for (const int way : {0, 1, 2, 3, 4}) {
        if (Try([&] { return Without(i, way); })) break;
      }
    }
  }
  static void Collect(const ir::GraphBlock& block, std::vector<GraphVar>* vars) {
    for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
      if (const auto* node = As<ir::GraphIf>(binding->value)) {
        Collect(*node->then_block, vars);
        Collect(*node->else_block, vars);
      } else if (const auto* loop = As<ir::GraphLoop>(binding->value)) {
        Collect(*loop->condition, vars);
        Collect(*loop->body, vars);
      } else if (const auto* func = As<ir::GraphFunc>(binding->value)) {
        Collect(*func->body, vars);
      }
      vars->push_back(binding->var);
    }
  }

  // The function with something simpler for the binding that is the i-th to be rewritten: an
  // argument of the same type (0 and 1), an input (2), an arm (3 and 4).
  GraphFuncRef Without(size_t i, int way) {
    size_t at = 0;
    bool found = false;
    GraphFuncRef out = graph::Rewrite(
        *best_, {},
        [&](const ir::GraphBinding&, const ir::NodeRef& value, Builder& builder) -> GraphVar {
          if (at++ != i) return nullptr;
          GraphVar made = Simpler(value, way, builder);
          found = static_cast<bool>(made);
          return made;
        });
    return found ? out : nullptr;
  }

  GraphVar Simpler(const ir::NodeRef& value, int way, Builder& builder) {
    if (As<ir::GraphTuple>(value) != nullptr || As<ir::GraphFunc>(value) != nullptr) return nullptr;
    if (const auto* node = As<ir::GraphIf>(value); node != nullptr && way >= 3) {
      return Inline(way == 3 ? *node->then_block : *node->else_block, builder);
    }
    if (const auto* loop = As<ir::GraphLoop>(value); loop != nullptr && way == 3) {
      return builder.Tuple(loop->init);
    }
    if (way >= 3) return nullptr;
    const GraphVar made = builder.Emit(value);
    // Without its count a loop has no end.
    const auto* type = As<ir::TensorType>(made->type);
    if (type != nullptr && type->shape.empty() && !type->dtype.is_float()) return nullptr;
    if (way == 2) {
      const bool is_tensor = type != nullptr;
      if (!is_tensor || As<ir::Constant>(value) != nullptr) return nullptr;
      // Extents of inputs are numbers or sizes.
      for (const ir::Expr& extent : static_cast<const ir::TensorType&>(*made->type).shape) {
        if (ir::AsConstInt(extent) == nullptr && As<ir::VarNode>(extent) == nullptr) return nullptr;
      }
      return builder.Input("y" + std::to_string(inputs_++), made->type);
    }
    std::vector<GraphVar> args;
    if (const auto* call = As<ir::GraphCall>(value)) args = call->args;
    if (const auto* invoke = As<ir::GraphInvoke>(value)) args = invoke->args;
    size_t skip = static_cast<size_t>(way);
    for (const GraphVar& arg : args) {
      if (graph::SameType(arg->type, made->type) && skip-- == 0) return arg;
    }
    return nullptr;
  }
  static GraphVar Inline(const ir::GraphBlock& block, Builder& builder) {
    Ref<ir::GraphFunc> func = Make<ir::GraphFunc>();
    func->body = Ref<const ir::GraphBlock>(&block);
    return graph::InlineCall(*func, {}, {}, builder);
  }

  // Numbers for sizes.
  void Sizes() {
    for (size_t i = best_->sizes.size(); i-- > 0;) {
      for (const int64_t number : {5, 1, 2, 8, 0}) {
        if (i < best_->sizes.size() && Try([&] { return WithNumber(i, number); })) break;
      }
    }
  }
  GraphFuncRef WithNumber(size_t size, int64_t number) {
    const ir::VarMap map{{best_->sizes[size], graph::Int64(number)}};
    Builder builder(best_->name);
    ir::VarMap sizes;
    for (size_t i = 0; i < best_->sizes.size(); ++i) {
      sizes.emplace(best_->sizes[i],
                    i == size ? graph::Int64(number) : builder.Size(best_->sizes[i]->name));
    }
    std::vector<GraphVar> args;
    for (const GraphVar& param : best_->params) {
      const auto& type = static_cast<const ir::TensorType&>(*param->type);
      std::vector<ir::Expr> shape;
      for (const ir::Expr& extent : type.shape) shape.push_back(ir::Substitute(extent, sizes));
      args.push_back(builder.Input(param->name, type.dtype, std::move(shape)));
    }
    return builder.Finish(graph::InlineCall(*best_, args, sizes, builder));
  }

  GraphFuncRef best_;
  const std::function<bool(const GraphFuncRef&)>& fails_;
  int left_;
  int inputs_ = 0;
};

}  // namespace

size_t CountBindings(const ir::GraphBlock& block) {
  size_t count = 0;
  for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
    ++count;
    if (const auto* node = As<ir::GraphIf>(binding->value)) {
      count += CountBindings(*node->then_block) + CountBindings(*node->else_block);
    } else if (const auto* loop = As<ir::GraphLoop>(binding->value)) {
      count += CountBindings(*loop->condition) + CountBindings(*loop->body);
    } else if (const auto* func = As<ir::GraphFunc>(binding->value)) {
      count += CountBindings(*func->body);
    }
  }
  return count;
}

GraphFuncRef Shrink(GraphFuncRef func, const std::function<bool(const GraphFuncRef&)>& fails,
                    int attempts) {
  return Shrinker(std::move(func), fails, attempts).Run();
}

}  // namespace lathe::prove::graphs
