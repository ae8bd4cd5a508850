#include "topi/cpu/auto/reads.h"

#include "schedule/queries.h"

namespace lathe::topi::cpu {

using ir::Op;
using ir::Tensor;
using schedule::Stage;

Reads::Reads(const schedule::Schedule& s, const target::Machine& machine) {
  std::set<const ir::Node*> in_scans;
  for (const Ref<Stage>& stage : s->stages) {
    const auto* scan = ir::As<ir::ScanOp>(stage->op);
    if (scan == nullptr) continue;
    for (const Op& op : schedule::ScanBody(*scan)) in_scans.insert(op.get());
  }
  for (const Ref<Stage>& stage : s->stages) {
    order_.push_back(stage->op);
    // The time axis has one element at a time.
    const size_t taken = in_scans.count(stage->op.get());
    facts_.emplace(stage->op.get(), FactsOf(*stage->op, machine.vector_bytes, taken));
  }
  for (const Op& op : order_) {
    const Facts& facts = FactsOfOp(op);
    if (facts.compute == nullptr) {
      for (const Tensor& input : ir::InputsOf(*op)) read_otherwise_.insert(input->op.get());
      continue;
    }
    for (const Access& access : facts.accesses)
      readers_[access.tensor->op.get()].push_back({op, &access});
  }
}

const std::vector<Reader>& Reads::ReadersOf(const Op& op) const {
  static const std::vector<Reader> none;
  const auto found = readers_.find(op.get());
  return found == readers_.end() ? none : found->second;
}

}  // namespace lathe::topi::cpu
