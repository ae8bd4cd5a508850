// Who touched which byte last: finds two threads that touch one place with nothing between them
// that orders it. Private to the interpreter.
//
// Per place the last write and two reads by different threads are kept, the reads of different
// warps where there are such: any later access that is not ordered after all earlier ones conflicts
// with one of these.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/interpreter/memory.h"

namespace lathe::ir::interp {

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic };

// One access: by whom, and after how many barriers of each scope.
struct AccessEvent {
  const Node* stmt = nullptr;
  uint32_t strand = 0, block = 0, warp = 0;
  uint32_t grid_epoch = 0, epoch = 0, warp_epoch = 0;
  AccessKind kind = AccessKind::kRead;
  bool several = false;  // threads wrote the same value, or atomically, one after the other
  bool there = false;
};

class RaceDetector {
 public:
  // `report` throws the error: the access now and the one before it.
  using Report = std::function<void(const AccessEvent& now, const AccessEvent& before)>;
  RaceDetector(Memory& memory, Report report) : memory_(memory), report_(std::move(report)) {}
  ~RaceDetector();
  RaceDetector(const RaceDetector&) = delete;
  RaceDetector& operator=(const RaceDetector&) = delete;

  // `bytes` from byte `at` of the handle's region. `same`: the write leaves the memory as it is.
  void Access(Handle region, uint64_t at, uint64_t bytes, const AccessEvent& event, bool same);
  // The region ends; its number may come back.
  void Forget(Handle region);

 private:
  struct Cell {
    AccessEvent write, reads[2];
  };
  static constexpr uint64_t kPage = 64;  // cells
  struct Shadow {
    uint64_t granule = 1;  // bytes of a cell: of the accesses, while they all have one size
    std::unordered_map<uint64_t, std::vector<Cell>> pages;
  };
  Cell& CellOf(Shadow& shadow, uint64_t index);
  void Refine(Shadow& shadow);
  void Touch(Cell& cell, const AccessEvent& event, bool same);

  Memory& memory_;
  Report report_;
  std::unordered_map<uint64_t, Shadow> shadows_;  // by the region's number
  uint64_t charged_ = 0;
};

}  // namespace lathe::ir::interp
