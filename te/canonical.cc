#include "te/canonical.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "ir/binary.h"
#include "ir/rewrite.h"
#include "te/tags.h"

namespace lathe::te {
namespace {

using ir::As;
using ir::FieldRole;
using ir::Load;
using ir::NodeKind;
using ir::NodeRef;
using ir::RefAs;

std::string Numbered(const char* prefix, size_t number) { return prefix + std::to_string(number); }

Var Named(const ir::VarNode& var, std::string name) {
  Ref<ir::Node> copy = CloneNode(var);
  static_cast<ir::VarNode&>(*copy).name = std::move(name);
  return Var(static_cast<const ir::VarNode*>(copy.get()));
}

std::string Encode(const NodeRef& node) { return ir::EncodeNode(node, {.keep_private = true}); }

// All operations of one program, or of one intrinsic's reference.
class Canonicalizer {
 public:
  // `free` is the prefix of the names of variables that nothing in the program defines.
  explicit Canonicalizer(const char* free) : free_(free) {}

  CanonicalProgram Run(const std::vector<NodeRef>& args);
  TensorIntrin Of(const TensorIntrin& intrin);

  // -- For the rewriter of one operation.

  Reducer Of(const Reducer& reducer);
  Tensor Of(const Tensor& tensor) const {
    return ir::OutputOf(made_.at(tensor->op.get()), tensor->value_index);
  }
  // The operation that `op` became; null if it is not done yet.
  Op Made(const ir::Node* op) const {
    const auto it = made_.find(op);
    return it == made_.end() ? Op() : it->second;
  }
  Var FreeVar(const Var& var);

 private:
  // Adds `root` and all operations that it needs.
  void Add(const Op& root);
  Op Rewritten(const Op& op);
  void Replace(std::vector<Tensor>& tensors) const {
    for (Tensor& tensor : tensors) tensor = Of(tensor);
  }
  // Returns the first of all equal nodes. For these nodes object identity has no meaning.
  template <class T>
  Ref<const T> Interned(Ref<const T> node) {
    return RefAs<T>(interned_.try_emplace(Encode(node), node).first->second);
  }

  const char* free_;
  std::vector<Op> ops_, canonical_ops_;
  std::vector<Var> vars_, canonical_vars_;
  std::unordered_map<const ir::Node*, Op> made_;
  std::unordered_map<const ir::Node*, Var> free_vars_;
  std::unordered_map<const ir::Node*, NodeRef> parts_;  // reducers and intrinsics
  std::unordered_map<std::string, NodeRef> interned_;
};

// Copies one operation, reducer or intrinsic with new variables, axes and buffers. The new names
// say where each of them is defined.
class Renamer final : public ir::Mutator {
 public:
  explicit Renamer(Canonicalizer& whole) : Mutator(Memo::kOn), whole_(whole) {}

 protected:
  void BeforeChild(const ir::Edge& edge) override { edge_ = edge; }

  NodeRef Enter(const NodeRef& node) override {
    const bool is_root = edge_.field == nullptr;
    if (ir::IsOp(node.get()) && !is_root) return whole_.Made(node.get());
    if (Reducer reducer = RefAs<ir::ReducerNode>(node); reducer && !is_root)
      return whole_.Of(reducer);
    if (As<ir::IterVarNode>(node) != nullptr) axis_ = AxisName();
    Var var = RefAs<ir::VarNode>(node);
    if (!var) return nullptr;
    if (edge_.field->role != FieldRole::kDefine) return whole_.FreeVar(var);
    return Named(*var, VarName());
  }

  NodeRef Leave(const NodeRef&, NodeRef after) override {
    if (const auto* load = As<Load>(after)) {
      const Tensor tensor = RefAs<ir::TensorNode>(load->source);
      if (!tensor) return after;
      Ref<ir::Node> copy = CloneNode(*load);
      static_cast<Load&>(*copy).source = whole_.Of(tensor);
      return copy;
    }
    if (const auto* buffer = As<ir::BufferNode>(after)) {
      Ref<ir::Node> copy = CloneNode(*buffer);
      static_cast<ir::BufferNode&>(*copy).name = Numbered("b", buffers_++);
      return copy;
    }
    return after;
  }

 private:
  std::string AxisName() {
    if (edge_.Is("axis")) return Numbered("i", edge_.index);
    if (edge_.Is("reduce_axis")) return Numbered("k", edge_.index);
    if (edge_.Is("scan_axis")) return "s";
    if (edge_.Is("spatial_axis")) return Numbered("u", edge_.index);
    return Numbered("v", variables_++);
  }
  // The name of the variable that is defined at the current edge.
  std::string VarName() {
    if (edge_.parent->node_kind() == NodeKind::kIterVarNode) return axis_;
    if (edge_.parent->node_kind() == NodeKind::kBufferNode) return Numbered("p", buffers_);
    if (edge_.Is("lhs")) return Numbered("x", edge_.index);
    if (edge_.Is("rhs")) return Numbered("y", edge_.index);
    return Numbered("v", variables_++);
  }

  Canonicalizer& whole_;
  ir::Edge edge_;
  std::string axis_;
  size_t variables_ = 0, buffers_ = 0;
};

Var Canonicalizer::FreeVar(const Var& var) {
  Var& canonical = free_vars_[var.get()];
  if (!canonical) {
    canonical = Named(*var, Numbered(free_, free_vars_.size() - 1));
    if (!var->dtype.is_handle()) {
      vars_.push_back(var);
      canonical_vars_.push_back(canonical);
    }
  }
  return canonical;
}

Reducer Canonicalizer::Of(const Reducer& reducer) {
  NodeRef& canonical = parts_[reducer.get()];
  if (!canonical) canonical = Interned(Renamer(*this).RunOn(reducer));
  return RefAs<ir::ReducerNode>(canonical);
}

TensorIntrin Canonicalizer::Of(const TensorIntrin& intrin) {
  NodeRef& canonical = parts_[intrin.get()];
  if (!canonical) {
    Canonicalizer own("w");
    own.Add(intrin->op);
    for (const Tensor& input : intrin->inputs) own.Add(input->op);
    Ref<ir::Node> copy = CloneNode(*Renamer(own).RunOn(intrin));
    own.Replace(static_cast<ir::TensorIntrinNode&>(*copy).inputs);
    canonical = Interned(TensorIntrin(static_cast<const ir::TensorIntrinNode*>(copy.get())));
  }
  return RefAs<ir::TensorIntrinNode>(canonical);
}

Op Canonicalizer::Rewritten(const Op& op) {
  Ref<ir::Node> copy = CloneNode(*Renamer(*this).Run(NodeRef(op)));
  auto& made = static_cast<ir::OpNode&>(*copy);
  made.name = Numbered("t", ops_.size());
  if (!IsInjective(*op) && !IsConstant(*op)) made.tag.clear();
  switch (op->node_kind()) {
    case NodeKind::kScanOp: {
      auto& scan = static_cast<ir::ScanOp&>(*copy);
      Replace(scan.init);
      Replace(scan.update);
      Replace(scan.state);
      scan.inputs.clear();  // the updates say what the scan reads
      break;
    }
    case NodeKind::kExternOp:
      Replace(static_cast<ir::ExternOp&>(*copy).inputs);
      break;
    case NodeKind::kTensorComputeOp: {
      auto& compute = static_cast<ir::TensorComputeOp&>(*copy);
      Replace(compute.inputs);
      compute.intrin = Of(compute.intrin);
      break;
    }
    default:
      break;
  }
  return Op(static_cast<const ir::OpNode*>(copy.get()));
}

void Canonicalizer::Add(const Op& root) {
  struct Frame {
    Op op;
    std::vector<Tensor> needs;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  const auto start = [&](const Op& op) {
    if (made_.count(op.get()) != 0) return;
    Frame frame{op, ir::InputsOf(*op)};
    // A state that no update reads is not an input of the scan, but the scan refers to it.
    if (const auto* scan = As<ir::ScanOp>(op))
      frame.needs.insert(frame.needs.end(), scan->state.begin(), scan->state.end());
    stack.push_back(std::move(frame));
  };
  start(root);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next < frame.needs.size()) {
      const Op op = frame.needs[frame.next++]->op;
      start(op);
      continue;
    }
    const Op op = frame.op;
    stack.pop_back();
    const Op canonical = Rewritten(op);
    made_[op.get()] = canonical;
    ops_.push_back(op);
    canonical_ops_.push_back(canonical);
  }
}

CanonicalProgram Canonicalizer::Run(const std::vector<NodeRef>& args) {
  Ref<ir::ProgramNode> program = Make<ir::ProgramNode>();
  program->name = "workload";
  for (const NodeRef& arg : args) {
    if (const Tensor tensor = RefAs<ir::TensorNode>(arg)) {
      Add(tensor->op);
      program->args.emplace_back(Of(tensor));
    } else {
      const Var var = RefAs<ir::VarNode>(arg);
      if (!var) {
        throw Error(Diagnostic{
            .name = "workload-argument",
            .message = "argument " + std::to_string(program->args.size()) + " is no argument",
            .expected = "a tensor, or a variable",
            .found = arg ? ir::NodeKindName(arg->node_kind()) : "nothing",
            .help = "pass what the function is lowered with: inputs, outputs and sizes"});
      }
      program->args.emplace_back(FreeVar(var));
    }
  }
  program->ops = std::move(canonical_ops_);
  program->vars = std::move(canonical_vars_);
  return {program, std::move(ops_), std::move(vars_)};
}

}  // namespace

CanonicalProgram Canonicalize(const std::vector<NodeRef>& args) {
  return Canonicalizer("n").Run(args);
}

TensorIntrin Canonicalize(const TensorIntrin& intrin) { return Canonicalizer("n").Of(intrin); }

}  // namespace lathe::te
