#include "ir/interpreter/races.h"

#include <utility>

namespace lathe::ir::interp {
namespace {

// True if something orders `now` after `before`.
bool Ordered(const AccessEvent& before, const AccessEvent& now) {
  if (before.strand == now.strand && !before.several) return true;
  if (before.grid_epoch != now.grid_epoch) return true;
  if (before.block != now.block) return false;
  if (before.epoch != now.epoch) return true;
  return before.warp == now.warp && before.warp_epoch != now.warp_epoch;
}

// True if `now` may replace the read `kept`.
bool Replaces(const AccessEvent& kept, const AccessEvent& now) {
  if (!kept.there || kept.strand == now.strand || kept.grid_epoch != now.grid_epoch) return true;
  if (kept.block != now.block) return false;
  return kept.epoch != now.epoch || (kept.warp == now.warp && kept.warp_epoch != now.warp_epoch);
}

}  // namespace

RaceDetector::~RaceDetector() { memory_.Discharge(charged_); }

RaceDetector::Cell& RaceDetector::CellOf(Shadow& shadow, uint64_t index) {
  std::vector<Cell>& page = shadow.pages[index / kPage];
  if (page.empty()) {
    memory_.Charge(kPage * sizeof(Cell));
    charged_ += kPage * sizeof(Cell);
    page.resize(kPage);
  }
  return page[index % kPage];
}

// From now on a cell is one byte, because accesses of different sizes overlap.
void RaceDetector::Refine(Shadow& shadow) {
  Shadow fine;
  const uint64_t coarse = shadow.pages.size() * kPage * sizeof(Cell);
  for (const auto& [number, page] : shadow.pages) {
    for (uint64_t i = 0; i < page.size(); ++i) {
      const uint64_t first = (number * kPage + i) * shadow.granule;
      for (uint64_t k = 0; k < shadow.granule; ++k) CellOf(fine, first + k) = page[i];
    }
  }
  shadow = std::move(fine);
  memory_.Discharge(coarse);
  charged_ -= coarse;
}

void RaceDetector::Touch(Cell& cell, const AccessEvent& event, bool same) {
  AccessEvent& write = cell.write;
  if (event.kind == AccessKind::kRead) {
    if (write.there && !Ordered(write, event)) report_(event, write);
    AccessEvent& first = cell.reads[0];
    AccessEvent& second = cell.reads[1];
    const bool both_here = second.there && first.block == second.block &&
                           first.warp == second.warp && second.warp != event.warp;
    AccessEvent& kept = Replaces(first, event) ? first : second;
    if (&kept == &first || Replaces(second, event) || both_here || second.block != event.block) {
      kept = event;
      kept.there = true;
    }
    return;
  }
  const bool atomic = event.kind == AccessKind::kAtomic;
  for (const AccessEvent& read : cell.reads) {
    if (read.there && !Ordered(read, event)) report_(event, read);
  }
  bool several = false;
  if (write.there && !Ordered(write, event)) {
    // If several threads write the same value, the content of the memory is certain.
    const bool harmless = (atomic && write.kind == AccessKind::kAtomic) ||
                          (same && write.kind == AccessKind::kWrite && !atomic);
    if (!harmless) report_(event, write);
    several = write.several || write.strand != event.strand;
  }
  write = event;
  write.there = true;
  write.several = several;
}

void RaceDetector::Access(Handle region, uint64_t at, uint64_t bytes, const AccessEvent& event,
                          bool same) {
  const auto [found, fresh] = shadows_.try_emplace(region >> kOffsetBits);
  Shadow& shadow = found->second;
  if (fresh) shadow.granule = bytes == 0 ? 1 : bytes;
  if (shadow.granule != 1 && (at % shadow.granule != 0 || bytes % shadow.granule != 0)) {
    Refine(shadow);
  }
  for (uint64_t byte = at; byte < at + bytes; byte += shadow.granule) {
    Touch(CellOf(shadow, byte / shadow.granule), event, same);
  }
}

void RaceDetector::Forget(Handle region) {
  const auto found = shadows_.find(region >> kOffsetBits);
  if (found == shadows_.end()) return;
  const uint64_t cost = found->second.pages.size() * kPage * sizeof(Cell);
  memory_.Discharge(cost);
  charged_ -= cost;
  shadows_.erase(found);
}

}  // namespace lathe::ir::interp
