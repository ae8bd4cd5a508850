// An allocator that fails at a chosen allocation. It replaces malloc and its kin in the whole
// process.
//
// A site is a stack of calls that allocate: the kFrames innermost return addresses. One run records
// the sites. Later runs of the same program from the same state allocate in the same order. So the
// number of an allocation is enough to make it fail, without a look at the stack.
//
// For processes with one thread only: nothing here is locked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lathe::faults {

inline constexpr int kFrames = 12;
inline constexpr size_t kMostSites = size_t{1} << 20;

struct Site {
  uint64_t hash = 0;   // of `frames`; 0: a free entry of the table
  uint64_t first = 0;  // number of the first allocation here, counted from 1
  uint64_t later = 0;  // number of a later allocation here; 0 if there is only one
  uint64_t hits = 0;
  void* frames[kFrames] = {};  // innermost first; null after the last
};

// Stacks end at `function`: its callers do not distinguish sites.
void SetOutermost(void* function);
// Code, by its addresses.
struct Code {
  uintptr_t begin, end;
};
// Allocations with a frame of this code are counted, but not entered into tables. `code` is not
// copied.
void LeaveOut(std::span<const Code> code);
// From now on, each allocation is entered into `table`, whose size must be a power of two, and
// kMostSites at most. `SitesLost` counts allocations of sites that do not fit into the table.
void RecordAllocations(std::span<Site> table);
// From now on allocation number `number`, counted from 1, fails.
void FailAllocation(uint64_t number);
// Stops recording and failing. Returns the number of allocations since then.
uint64_t StopFailing();
uint64_t SitesLost();
// Where in the table this process has entered sites. Most of a table was never touched, and a look
// at all of it takes longer than many programs.
std::span<const uint32_t> UsedSites();
// The stack of the allocation that failed; its `hash` is 0 if none failed.
const Site& Failed();

}  // namespace lathe::faults
