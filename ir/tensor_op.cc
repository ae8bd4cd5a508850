#include "ir/tensor_op.h"

#include <unordered_set>

#include "base/error.h"
#include "ir/walk.h"

namespace lathe::ir {

int TensorNode::ndim() const { return static_cast<int>(shape().size()); }
DataType TensorNode::dtype() const { return OutputType(*op, value_index); }
const std::vector<Expr>& TensorNode::shape() const { return OutputShape(*op, value_index); }
std::string TensorNode::name() const {
  return NumOutputs(*op) == 1 ? op->name : op->name + ".v" + std::to_string(value_index);
}

Tensor OutputOf(const Op& op, int64_t index) {
  LATHE_CHECK(index >= 0 && index < NumOutputs(*op))
      << "`" << op->name << "` has no output " << index;
  Ref<TensorNode> node = Make<TensorNode>();
  node->op = op;
  node->value_index = index;
  return node;
}

int64_t NumOutputs(const OpNode& op) {
  switch (op.node_kind()) {
    case NodeKind::kComputeOp:
      return static_cast<int64_t>(static_cast<const ComputeOp&>(op).body.size());
    case NodeKind::kScanOp:
      return static_cast<int64_t>(static_cast<const ScanOp&>(op).update.size());
    case NodeKind::kExternOp:
      return static_cast<int64_t>(static_cast<const ExternOp&>(op).output_buffers.size());
    case NodeKind::kTensorComputeOp: {
      const auto& compute = static_cast<const TensorComputeOp&>(op);
      return static_cast<int64_t>(compute.intrin->buffers.size() - compute.inputs.size());
    }
    default:
      return 1;
  }
}

const std::vector<Expr>& OutputShape(const OpNode& op, int64_t index) {
  const auto i = static_cast<size_t>(index);
  switch (op.node_kind()) {
    case NodeKind::kPlaceholderOp:
      return static_cast<const PlaceholderOp&>(op).shape;
    case NodeKind::kComputeOp:
      return static_cast<const ComputeOp&>(op).shape;
    case NodeKind::kScanOp:
      return static_cast<const ScanOp&>(op).state[i]->shape();
    case NodeKind::kExternOp:
      return static_cast<const ExternOp&>(op).output_buffers[i]->shape;
    case NodeKind::kTensorComputeOp:
      return static_cast<const TensorComputeOp&>(op).shape;
    default:
      break;
  }
  LATHE_CHECK(false) << NodeKindName(op.node_kind()) << " is not an operation";
  static const std::vector<Expr> kNone;
  return kNone;
}

DataType OutputType(const OpNode& op, int64_t index) {
  const auto i = static_cast<size_t>(index);
  switch (op.node_kind()) {
    case NodeKind::kPlaceholderOp:
      return static_cast<const PlaceholderOp&>(op).dtype;
    case NodeKind::kComputeOp:
      return static_cast<const ComputeOp&>(op).body[i]->dtype;
    case NodeKind::kScanOp:
      return static_cast<const ScanOp&>(op).update[i]->dtype();
    case NodeKind::kExternOp:
      return static_cast<const ExternOp&>(op).output_buffers[i]->dtype;
    case NodeKind::kTensorComputeOp: {
      const auto& compute = static_cast<const TensorComputeOp&>(op);
      return compute.intrin->buffers[compute.inputs.size() + i]->dtype;
    }
    default:
      break;
  }
  LATHE_CHECK(false) << NodeKindName(op.node_kind()) << " is not an operation";
  return {};
}

std::vector<Tensor> InputsOf(const OpNode& op) {
  std::vector<Tensor> out;
  std::unordered_set<Tensor, TensorHash, TensorEqual> seen;
  auto add = [&](const Tensor& t) {
    if (seen.insert(t).second) out.push_back(t);
  };
  auto add_all = [&](const std::vector<Tensor>& list) {
    for (const Tensor& t : list) add(t);
  };
  switch (op.node_kind()) {
    case NodeKind::kComputeOp: {
      PreOrder(op, [&](const Node& node) {
        if (const auto* load = As<Load>(&node)) {
          if (Tensor t = RefAs<TensorNode>(load->source)) add(t);
        }
        return true;
      });
      break;
    }
    case NodeKind::kScanOp: {
      const auto& scan = static_cast<const ScanOp&>(op);
      add_all(scan.init);
      add_all(scan.update);
      break;
    }
    case NodeKind::kExternOp:
      add_all(static_cast<const ExternOp&>(op).inputs);
      break;
    case NodeKind::kTensorComputeOp:
      add_all(static_cast<const TensorComputeOp&>(op).inputs);
      break;
    default:
      break;
  }
  return out;
}

}  // namespace lathe::ir
