#include "schedule/queries.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "base/error.h"
#include "ir/structural.h"
#include "ir/walk.h"

namespace lathe::schedule {

using ir::ComputeOp;
using ir::Op;
using ir::ScanOp;
using ir::Tensor;

std::vector<Op> PostOrder(const std::vector<Op>& outputs) {
  // Depth first over inputs, on an explicit stack.
  struct Frame {
    Op op;
    std::vector<Tensor> inputs;
    size_t next = 0;
  };
  std::unordered_set<const ir::Node*> visited;
  std::vector<Op> order;
  for (const Op& output : outputs) {
    LATHE_CHECK(output) << "null operation";
    if (!visited.insert(output.get()).second) continue;
    std::vector<Frame> stack;
    stack.push_back({output, ir::InputsOf(*output)});
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next == top.inputs.size()) {
        order.push_back(top.op);
        stack.pop_back();
        continue;
      }
      Op input = top.inputs[top.next++]->op;
      if (visited.insert(input.get()).second) {
        std::vector<Tensor> its = ir::InputsOf(*input);
        stack.push_back({std::move(input), std::move(its)});
      }
    }
  }
  return order;
}

ReadGraph MakeReadGraph(const std::vector<Op>& outputs) {
  ReadGraph graph;
  for (const Op& op : PostOrder(outputs)) graph.emplace_back(op, ir::InputsOf(*op));
  return graph;
}

FeedGraph MakeFeedGraph(const ReadGraph& graph) {
  FeedGraph feeds;
  for (const auto& [op, inputs] : graph) {
    for (const Tensor& input : inputs) feeds[input].push_back(op);
  }
  return feeds;
}

std::vector<Op> ScanBody(const ScanOp& scan) {
  std::vector<Op> updates;
  std::unordered_set<const ir::Node*> of_step;
  for (const Tensor& update : scan.update) {
    updates.push_back(update->op);
    of_step.insert(update->op.get());
  }
  std::unordered_set<const ir::Node*> changing;  // reads a state, directly or not
  for (const Tensor& state : scan.state) changing.insert(state->op.get());
  std::vector<Op> body;
  for (const Op& op : PostOrder(updates)) {
    if (op->node_kind() == ir::NodeKind::kPlaceholderOp) continue;
    for (const Tensor& input : ir::InputsOf(*op)) {
      if (changing.count(input->op.get()) != 0) changing.insert(op.get());
    }
    if (changing.count(op.get()) != 0 || of_step.count(op.get()) != 0) body.push_back(op);
  }
  return body;
}

namespace {

// Classes of a scan's spatial axes; classes are merged when their axes depend on each other.
class FixPoint {
 public:
  explicit FixPoint(const ScanOp& scan) : scan_(scan), parent_(scan.spatial_axis.size() + 1) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  FixedAxes Run() {
    size_t axis = 0;
    for (size_t k = 0; k < scan_.state.size(); ++k) {
      first_axis_.push_back(axis);
      Along(scan_.update[k], 0, not_fixed());  // time moves
      for (int d = 1; d < scan_.state[k]->ndim(); ++d) {
        Along(scan_.update[k], static_cast<size_t>(d), axis);
        ++axis;
      }
    }
    // From the updates back to the states: the spatial axes along which each tensor is read.
    const std::vector<Op> body = ScanBody(scan_);
    for (size_t i = body.size(); i-- > 0;) Reads(*body[i]);
    for (size_t k = 0; k < scan_.state.size(); ++k) {
      for (int d = 1; d < scan_.state[k]->ndim(); ++d) {
        const size_t own = first_axis_[k] + static_cast<size_t>(d) - 1;
        auto it = along_.find(scan_.state[k]->op.get());
        if (it == along_.end()) continue;
        for (size_t other : it->second[static_cast<size_t>(d)]) {
          Merge(own, other);
          if (other < not_fixed() &&
              !ir::StructuralEqual(scan_.spatial_axis[own]->domain->extent,
                                   scan_.spatial_axis[other]->domain->extent))
            Merge(own, not_fixed());
        }
      }
    }
    FixedAxes out;
    std::vector<int> numbers(parent_.size(), -1);
    int next = 0;
    for (size_t i = 0; i < scan_.spatial_axis.size(); ++i) {
      const size_t root = Find(i);
      if (root != Find(not_fixed()) && numbers[root] < 0) numbers[root] = next++;
      out.classes.push_back(numbers[root]);
    }
    for (const Op& op : body) {
      std::vector<int>& classes = out.body[op.get()];
      for (const std::vector<size_t>& axes : along_[op.get()]) {
        int of_all = axes.empty() ? -1 : numbers[Find(axes[0])];
        for (size_t axis : axes) {
          if (numbers[Find(axis)] != of_all) of_all = -1;
        }
        classes.push_back(of_all);
      }
    }
    return out;
  }

 private:
  // Stands for "any element".
  size_t not_fixed() const { return scan_.spatial_axis.size(); }

  size_t Find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Merge(size_t a, size_t b) { parent_[Find(a)] = Find(b); }

  // Records that dimension `d` of `tensor` is read at the index of spatial axis `axis`. Outputs of
  // one operation share their axes.
  void Along(const Tensor& tensor, size_t d, size_t axis) {
    std::vector<std::vector<size_t>>& dims = along_[tensor->op.get()];
    dims.resize(std::max(dims.size(), static_cast<size_t>(tensor->ndim())));
    std::vector<size_t>& axes = dims[d];
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  }

  void Reads(const ir::OpNode& op) {
    const auto* compute = ir::As<ComputeOp>(&op);
    if (compute == nullptr) {
      for (const Tensor& input : ir::InputsOf(op)) {
        for (int d = 0; d < input->ndim(); ++d) Along(input, static_cast<size_t>(d), not_fixed());
      }
      return;
    }
    const std::vector<std::vector<size_t>> own = along_[&op];
    for (const Expr& body : compute->body) {
      ir::PostOrder(body, [&](const ir::Node& node) {
        const auto* load = ir::As<ir::Load>(&node);
        const Tensor tensor = load != nullptr ? ir::RefAs<ir::TensorNode>(load->source) : nullptr;
        if (!tensor) return;
        for (size_t d = 0; d < load->indices.size(); ++d) {
          size_t axis = 0;
          while (axis < compute->axis.size() &&
                 compute->axis[axis]->var.get() != load->indices[d].get())
            ++axis;
          if (axis >= own.size() || own[axis].empty()) {
            Along(tensor, d, not_fixed());
          } else {
            for (size_t spatial : own[axis]) Along(tensor, d, spatial);
          }
        }
      });
    }
  }

  using Expr = ir::Expr;
  const ScanOp& scan_;
  std::vector<size_t> parent_;
  std::vector<size_t> first_axis_;  // of each state
  // By operation and dimension: the spatial axes whose index reads it.
  std::unordered_map<const ir::Node*, std::vector<std::vector<size_t>>> along_;
};

}  // namespace

FixedAxes ScanFixPoint(const ScanOp& scan) { return FixPoint(scan).Run(); }

}  // namespace lathe::schedule
