#include "tests/prove/rename.h"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/walk.h"
#include "te/tags.h"
#include "tests/prove/random.h"

namespace lathe::prove {
namespace {

// The generator made these nodes, and none of them is a const object.
template <class T>
T& Mutable(const T& node) {
  return const_cast<T&>(node);
}

class Rename {
 public:
  explicit Rename(uint64_t seed) : random_(seed) {}

  void Visit(const ir::Node* root) {
    if (root == nullptr || !seen_.insert(root).second) return;
    ir::PreOrder(*root, [&](const ir::Node& node) {
      One(node);
      return true;
    });
  }

 private:
  void One(const ir::Node& node) {
    if (ir::IsOp(&node)) {
      auto& mine = Mutable(static_cast<const ir::OpNode&>(node));
      mine.name = random_.Pick<const char*>({"x", "y", "conv", "T0", "T1.local", "relu_7"});
      if (!te::IsInjective(mine)) mine.tag = random_.Pick<const char*>({"", "layer", "stem"});
      for (const ir::Tensor& input : ir::InputsOf(mine)) Visit(input->op.get());
    }
    if (const auto* scan = ir::As<ir::ScanOp>(&node)) {
      for (const ir::Tensor& state : scan->state) Visit(state->op.get());
    }
    if (const auto* compute = ir::As<ir::TensorComputeOp>(&node)) Visit(compute->intrin.get());
    if (const auto* intrin = ir::As<ir::TensorIntrinNode>(&node)) {
      for (const ir::Tensor& input : intrin->inputs) Visit(input->op.get());
    }
    if (const auto* var = ir::As<ir::VarNode>(&node);
        var != nullptr && seen_vars_.insert(var).second) {
      Mutable(*var).name = var->is_size ? "size" + std::to_string(seen_vars_.size())
                                        : random_.Pick<const char*>({"a", "b", "i", "row", "k"});
    }
    if (const auto* buffer = ir::As<ir::BufferNode>(&node))
      Mutable(*buffer).name = random_.Pick<const char*>({"memory", "T0", "b1"});
  }

  Random random_;
  std::unordered_set<const ir::Node*> seen_, seen_vars_;
};

}  // namespace

void RenameAll(const TestProgram& program, uint64_t seed) {
  Rename rename(seed);
  // The order differs from that of the arguments.
  for (const auto& [var, value] : program.sizes) rename.Visit(var.get());
  for (size_t i = program.args.size(); i-- > 0;) {
    const ir::Node* arg = program.args[i].get();
    const auto* tensor = ir::As<ir::TensorNode>(arg);
    rename.Visit(tensor != nullptr ? tensor->op.get() : arg);
  }
}

void RenameInner(const TestProgram& program, uint64_t seed) {
  std::vector<std::pair<std::string*, std::string>> kept;
  for (const ir::NodeRef& arg : program.args) {
    const auto* tensor = ir::As<ir::TensorNode>(arg);
    if (tensor != nullptr) kept.emplace_back(&Mutable(*tensor->op).name, tensor->op->name);
  }
  for (const auto& [var, value] : program.sizes) kept.emplace_back(&Mutable(*var).name, var->name);
  RenameAll(program, seed);
  for (auto& [place, name] : kept) *place = name;
}

}  // namespace lathe::prove
