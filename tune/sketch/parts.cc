#include "tune/sketch/parts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/names.h"
#include "ir/walk.h"
#include "schedule/primitives/checks.h"
#include "schedule/queries.h"

namespace lathe::tune::sketch {
namespace {

using ir::IterVar;
using ir::Op;
using ir::Tensor;

// How many leading indices of all reads of `op` by `reader` are the reader's own axes, in order.
size_t RowsInPlace(const ir::ComputeOp& reader, const Op& op) {
  size_t rows = reader.axis.size();
  for (const ir::Expr& body : reader.body) {
    ir::PreOrder(body, [&](const ir::Node& node) {
      const auto* const load = ir::As<ir::Load>(&node);
      const auto* const tensor = load == nullptr ? nullptr : ir::As<ir::TensorNode>(load->source);
      if (tensor == nullptr || !tensor->op.same_as(op)) return true;
      size_t same = 0;
      while (same < std::min(rows, load->indices.size()) &&
             load->indices[same].get() == reader.axis[same]->var.get())
        ++same;
      rows = same;
      return true;
    });
  }
  return rows;
}

// Reads of `op` by `reader` at exactly the reader's own point.
bool ReadsInPlace(const ir::ComputeOp& reader, const Op& op) {
  const size_t rank = reader.axis.size();
  return rank == ir::OutputOf(op, 0)->shape().size() && RowsInPlace(reader, op) == rank;
}

// Does an input's element serve several points? Then some read leaves out a spatial axis.
bool UsesElementsAgain(const ir::ComputeOp& compute) {
  bool again = false;
  for (const ir::Expr& body : compute.body) {
    ir::PreOrder(body, [&](const ir::Node& node) {
      const auto* const load = ir::As<ir::Load>(&node);
      if (load == nullptr) return true;
      std::set<const ir::Node*> used;
      for (const ir::Expr& index : load->indices) {
        for (const ir::Var& var : ir::FreeVars(index)) used.insert(var.get());
      }
      for (const IterVar& axis : compute.axis) {
        if (ExtentOf(axis) > 1 && used.count(axis->var.get()) == 0) again = true;
      }
      return true;
    });
  }
  return again;
}

bool HasConstantExtents(const ir::ComputeOp& compute) {
  const auto constant = [](const IterVar& axis) { return ExtentOf(axis) > 0; };
  return std::all_of(compute.axis.begin(), compute.axis.end(), constant) &&
         std::all_of(compute.reduce_axis.begin(), compute.reduce_axis.end(), constant);
}

}  // namespace

int64_t ExtentOf(const IterVar& axis) {
  const int64_t* const extent = ir::AsConstInt(axis->domain->extent);
  return extent == nullptr ? 0 : *extent;
}

std::string KnobOf(const Part& part, size_t axis) {
  return part.name + ".axis" + std::to_string(axis);
}

std::vector<IterVar> Joined(std::initializer_list<std::vector<IterVar>> lists) {
  std::vector<IterVar> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Parts::Parts(std::vector<Op> outputs, const std::vector<Tensor>& pre_transformed)
    : outputs_(std::move(outputs)) {
  const schedule::ReadGraph graph = schedule::MakeReadGraph(outputs_);
  std::set<std::string> names;
  for (const auto& [op, inputs] : graph) {
    Part& part = parts_[op.get()];
    order_.push_back(op);
    part.name = op->name;
    for (int i = 1; !names.insert(part.name).second; ++i)
      part.name = op->name + "_" + std::to_string(i);
    part.is_output = std::any_of(outputs_.begin(), outputs_.end(),
                                 [&op = op](const Op& output) { return output.same_as(op); });
    const auto* const compute = ir::As<ir::ComputeOp>(op);
    if (compute != nullptr && HasConstantExtents(*compute)) part.compute = compute;
    std::set<const ir::Node*> read;
    for (const Tensor& input : inputs) {
      if (read.insert(input->op.get()).second) parts_[input->op.get()].readers.push_back(op);
      const auto is_it = [&input = input](const Tensor& other) {
        return ir::SameTensor(input, other);
      };
      if (std::ranges::any_of(pre_transformed, is_it)) part.pre_transformed.push_back(input);
    }
  }
  for (const Op& op : order_) FindTiles(op);
  if (outputs_.size() == 1) FindRows();
}

bool Parts::IsReaderOfTile(const Op& op) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const auto& one) { return one.second.fused_into.same_as(op); });
}

bool Parts::CanBeInlined(const schedule::Schedule& s, const Op& op) const {
  const Part& part = of(op);
  return part.compute != nullptr && part.compute->reduce_axis.empty() && !part.is_output &&
         !IsReaderOfTile(op) && schedule::WhyNotInlined(s[op]).empty() &&
         std::all_of(part.readers.begin(), part.readers.end(),
                     [](const Op& reader) { return ir::As<ir::ComputeOp>(reader) != nullptr; });
}

// Whether the operation is tiled, and with which reader.
void Parts::FindTiles(const Op& op) {
  Part& part = parts_[op.get()];
  if (part.compute == nullptr || part.compute->reduce_axis.empty() || part.compute->axis.empty() ||
      ir::NumOutputs(*op) != 1 || !UsesElementsAgain(*part.compute))
    return;
  part.tiled = true;
  std::vector<Op> chain;
  Op last = op;
  while (!parts_[last.get()].is_output && parts_[last.get()].readers.size() == 1) {
    const Op reader = parts_[last.get()].readers[0];
    const Part& next = parts_[reader.get()];
    if (next.compute == nullptr || !next.compute->reduce_axis.empty() ||
        ir::NumOutputs(*reader) != 1 || next.absorbed || IsReaderOfTile(reader) ||
        !ReadsInPlace(*next.compute, last))
      break;
    chain.push_back(reader);
    last = reader;
  }
  if (chain.empty()) return;
  part.fused_into = chain.back();
  chain.pop_back();
  for (const Op& between : chain) parts_[between.get()].absorbed = true;
}

void Parts::FindRows() {
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    Part& part = parts_[at->get()];
    if (part.compute == nullptr) continue;
    part.rows = part.compute->axis.size();
    if (part.is_output) continue;
    for (const Op& reader : part.readers) {
      const Part& next = parts_[reader.get()];
      if (next.compute == nullptr)
        part.rows = 0;
      else
        part.rows = std::min({part.rows, next.rows, RowsInPlace(*next.compute, *at)});
    }
  }
}

}  // namespace lathe::tune::sketch
