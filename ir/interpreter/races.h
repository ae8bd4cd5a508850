// Race detection: remembers who accessed each byte last, and finds two threads that access one
// place in an order that nothing defines. Private to the interpreter.
//
// For each place it keeps the last write and two reads by different threads, if possible of
// different warps. A later access that is not ordered after all earlier ones conflicts with one of
// these.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/interpreter/memory.h"

namespace lathe::ir::interp {

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic };

// One access: the thread, and the number of barriers of each scope before it.
struct AccessEvent {
  const Node* stmt = nullptr;
  uint32_t strand = 0, block = 0, warp = 0;
  uint32_t grid_epoch = 0, epoch = 0, warp_epoch = 0;
  AccessKind kind = AccessKind::kRead;
  bool several = false;  // several threads wrote, the same value or atomically
  bool there = false;
};

class RaceDetector {
 public:
  // `report` throws the error. It gets the current access and the earlier one.
  using Report = std::function<void(const AccessEvent& now, const AccessEvent& before)>;
  RaceDetector(Memory& memory, Report report) : memory_(memory), report_(std::move(report)) {}
  ~RaceDetector();
  RaceDetector(const RaceDetector&) = delete;
  RaceDetector& operator=(const RaceDetector&) = delete;

  // Records an access to `bytes` bytes from byte `at` of the handle's region. `same`: the write
  // does not change the memory.
  void Access(Handle region, uint64_t at, uint64_t bytes, const AccessEvent& event, bool same);
  // The region ends. Its number may be reused.
  void Forget(Handle region);

 private:
  struct Cell {
    AccessEvent write, reads[2];
  };
  static constexpr uint64_t kPage = 64;  // cells
  struct Shadow {
    uint64_t granule = 1;  // bytes per cell: the size of the accesses, if all have the same
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
