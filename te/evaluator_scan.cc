// Scans, row by row.
#include <algorithm>
#include <cstring>
#include <utility>

#include "ir/rewrite.h"
#include "te/evaluator_impl.h"

namespace lathe::te::internal {

using namespace ir;  // NOLINT: the nodes' names, in this file only

Evaluator::ScanParts Evaluator::PartsOf(const ScanOp& op) {
  ScanParts parts;
  TensorSet states;
  for (const Tensor& state : op.state) states.insert(state->op.get());
  TensorSet dependent = states;
  for (const Op& step : InOrder(op.update, states)) {
    const std::vector<Tensor> needs = NeedsOf(*step);
    if (std::any_of(needs.begin(), needs.end(),
                    [&](const Tensor& t) { return dependent.contains(t->op.get()); })) {
      dependent.insert(step.get());
      parts.body.push_back(step);
    }
  }
  auto outside = [&](const std::vector<Tensor>& tensors) {
    for (const Tensor& tensor : tensors) {
      if (!dependent.contains(tensor->op.get())) parts.outside.push_back(tensor);
    }
  };
  outside(op.init);
  outside(op.update);
  for (const Op& step : parts.body) outside(NeedsOf(*step));
  return parts;
}

// Copies rows [begin, end) of dimension 0. `from` is compact or the caller's memory with any
// strides. Returns false at the first element that was never written.
bool Evaluator::CopyRows(const Storage& from, Storage& to, int64_t begin, int64_t end) const {
  const std::vector<int64_t>& shape = to.view.shape;
  uint64_t row_elements = 1;
  for (size_t d = 1; d < shape.size(); ++d) row_elements *= static_cast<uint64_t>(shape[d]);
  const auto width = static_cast<uint64_t>(to.view.dtype.bytes());
  const uint64_t row = row_elements * width;
  std::vector<int64_t> strides = from.view.strides;
  if (strides.empty()) {
    strides.resize(shape.size());
    int64_t step = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      strides[d] = step;
      step *= from.view.shape[d];
    }
  }
  for (int64_t r = begin; r < end; ++r) {
    const uint64_t at = static_cast<uint64_t>(r) * row;
    for (uint64_t e = 0; e < row_elements; ++e) {
      int64_t offset = r * strides[0];
      uint64_t rest = e;
      for (size_t d = shape.size(); d-- > 1;) {
        offset += static_cast<int64_t>(rest % static_cast<uint64_t>(shape[d])) * strides[d];
        rest /= static_cast<uint64_t>(shape[d]);
      }
      const int64_t byte = offset * static_cast<int64_t>(width);
      if (!from.written.empty() && from.written[static_cast<size_t>(byte)] == 0) return false;
      std::memcpy(to.bytes.data() + at + e * width,
                  static_cast<const uint8_t*>(from.view.data) + from.view.byte_offset + byte,
                  width);
    }
    std::fill_n(to.written.begin() + static_cast<ptrdiff_t>(at), row, uint8_t{1});
  }
  return true;
}

// Row by row: for each row, all operations between the state and its update are computed again, as
// far as the existing rows of the state allow. Then the next row is copied into the state.
void Evaluator::EvaluateScan(const ScanOp& op) {
  const size_t n = op.state.size();
  const std::vector<Op> body = PartsOf(op).body;
  const int64_t begin = ValueOf(op.scan_axis->domain->min).i;
  const int64_t end = begin + ValueOf(op.scan_axis->domain->extent).i;
  for (size_t k = 0; k < n; ++k) {
    Storage& state = Fresh(*op.state[k]->op, op.state[k]->value_index);
    const Storage& init = StorageOf(*op.init[k]->op, op.init[k]->value_index);
    const int64_t rows = std::min(begin, end);
    const bool fits =
        init.view.shape[0] >= rows && std::equal(init.view.shape.begin() + 1, init.view.shape.end(),
                                                 state.view.shape.begin() + 1);
    if (!fits)
      Fail("evaluate-argument",
           "the init of scan `" + op.name + "` has another shape than its state");
    if (!CopyRows(init, state, 0, rows) && !options_.spoil_missing_loads) {
      Fail("evaluate-scan-order", "the init of scan `" + op.name + "` is not computed whole");
    }
  }
  const bool spoil = std::exchange(options_.spoil_missing_loads, true);
  for (int64_t t = begin; t < end; ++t) {
    for (const Op& step : body) EvaluateOp(step);
    for (size_t k = 0; k < n; ++k) {
      const Storage& update = StorageOf(*op.update[k]->op, op.update[k]->value_index);
      Storage& state = StorageOf(*op.state[k]->op, op.state[k]->value_index);
      const bool fits = update.view.shape[0] > t &&
                        std::equal(update.view.shape.begin() + 1, update.view.shape.end(),
                                   state.view.shape.begin() + 1);
      if (!fits)
        Fail("evaluate-argument",
             "the update of scan `" + op.name + "` has another shape than its state");
      if (CopyRows(update, state, t, t + 1) || spoil) continue;
      Fail("evaluate-scan-order",
           "row " + std::to_string(t) + " of scan `" + op.name + "` cannot be computed",
           "an update that reads rows of its state before row t, within bounds",
           "`" + op.update[k]->name() + "` reads what is not there",
           "read the state at t - 1 or earlier");
    }
  }
  options_.spoil_missing_loads = spoil;
  for (size_t k = 0; k < n; ++k) {
    Storage& output = Fresh(op, static_cast<int64_t>(k));
    const Storage& state = StorageOf(*op.state[k]->op, op.state[k]->value_index);
    output.bytes = state.bytes;
    output.written = state.written;
    output.view.data = output.bytes.data();
  }
}

}  // namespace lathe::te::internal
