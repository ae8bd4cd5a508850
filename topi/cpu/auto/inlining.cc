#include "topi/cpu/auto/inlining.h"

#include <algorithm>

#include "schedule/primitives/checks.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using ir::Op;
using schedule::Stage;

// A map with more operations than this is not recomputed for each reader.
constexpr int kCheapOperations = 8;
// Limit on inlining. If inlining a stage would compute it at more places than this, the stage is
// computed once and kept instead. Reading the same place again costs nothing, so a chain of
// elementwise stages has one place, however often each stage reads the one before. For stencils of
// stencils the numbers of points multiply.
constexpr size_t kMostPlaces = 128;

// Would the reader read each element clearly more than once on average?
bool Repeats(const Reader& reader, const Facts& facts) {
  if (facts.pattern == Pattern::kMap) {
    // Broadcasting repeats as well.
    double elements = 1, places = 1;
    for (const IterVar& axis : facts.compute->axis) elements *= static_cast<double>(ExtentOf(axis));
    for (const ir::Expr& extent : reader.access->tensor->shape())
      places *= static_cast<double>(ExtentOf(extent));
    return elements > 2 * places;
  }
  // A reduction reads each element once if every axis moves through a dimension of its own.
  size_t used = 0;
  for (const AxisStep& step : reader.access->steps) used += step.used ? 1 : 0;
  if (used != reader.access->steps.size()) return true;
  return std::any_of(reader.access->indices.begin(), reader.access->indices.end(),
                     [](const ir::Expr& index) { return ir::As<ir::VarNode>(index) == nullptr; });
}

}  // namespace

std::vector<std::pair<Op, size_t>> Inlining::EffectiveReaders(const Op& op, size_t prefix) const {
  std::vector<std::pair<Op, size_t>> out, pending = {{op, prefix}};
  // Many paths may lead through the same stages.
  std::set<std::pair<const ir::Node*, size_t>> met;
  while (!pending.empty()) {
    const auto [read, most] = pending.back();
    pending.pop_back();
    for (const Reader& reader : reads_.ReadersOf(read)) {
      const size_t same = std::min(most, reader.access->same_prefix);
      if (!met.insert({reader.op.get(), same}).second) continue;
      (IsInlined(reader.op) ? pending : out).push_back({reader.op, same});
    }
  }
  return out;
}

void Inlining::TryInline(const Op& op) {
  const Facts& facts = reads_.FactsOfOp(op);
  Stage& stage = s_[op];
  if (facts.pattern != Pattern::kMap || reads_.IsReadOtherwise(op) ||
      !schedule::WhyNotInlined(stage).empty())
    return;
  const std::vector<Reader>& readers = reads_.ReadersOf(op);
  const bool cheap = !facts.cost.has_function && facts.cost.operations <= kCheapOperations;
  bool repeats = readers.size() > 1;
  for (const Reader& reader : readers) {
    const Facts& reading = reads_.FactsOfOp(reader.op);
    repeats = repeats || Repeats(reader, reading);
    // In inner loops conditions cost more than memory, and arithmetic is repeated often.
    if (reading.pattern == Pattern::kContraction &&
        (facts.cost.has_condition || facts.cost.operations > 2 || facts.accesses.size() != 1 ||
         !facts.accesses[0].elementwise))
      return;
    const bool window = reading.pattern != Pattern::kMap && Repeats(reader, reading);
    if (window && facts.cost.has_condition) return;
  }
  if (repeats && !cheap) return;
  std::set<size_t> places = PlacesOf(op);
  if (places.size() > kMostPlaces) return;
  schedule::ComputeInline(stage);
  places_of_[op.get()] = std::move(places);
}

std::set<size_t> Inlining::PlacesOf(const Op& op) {
  std::set<size_t> out;
  for (const Reader& reader : reads_.ReadersOf(op)) {
    const Access* access = reader.access->elementwise ? nullptr : reader.access;
    std::set<size_t> places = {PlaceAt(0, reader.op.get())};
    if (IsInlined(reader.op)) places = places_of_.at(reader.op.get());
    for (const size_t place : places)
      out.insert(access == nullptr ? place : PlaceAt(place, access));
  }
  return out;
}

}  // namespace lathe::topi::cpu
