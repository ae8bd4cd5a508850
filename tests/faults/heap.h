// An allocator that fails where it is told to: malloc and its kin of the whole process.
//
// A site is a stack of calls that allocate: the kFrames innermost return addresses. Sites are
// recorded in one run; later runs of the same program from the same state allocate in the same
// order, so that the number of an allocation is enough to fail it, without looking at stacks.
//
// For processes with one thread: nothing here is locked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lathe::faults {

inline constexpr int kFrames = 12;

struct Site {
  uint64_t hash = 0;   // of `frames`; 0: a free place of the table
  uint64_t first = 0;  // numbers of allocations, from 1 on: the first one from here,
  uint64_t later = 0;  // and a later one; 0 where there was one only
  uint64_t hits = 0;
  void* frames[kFrames] = {};  // innermost first; null behind the last
};

// Stacks end where `function` begins: its callers do not tell sites apart.
void SetOutermost(void* function);
// From now on each allocation is entered into `table`, whose size is a power of two. Allocations of
// sites that find no place are counted by `SitesLost`.
void RecordAllocations(std::span<Site> table);
// From now on allocation number `number`, counted from 1, fails.
void FailAllocation(uint64_t number);
// Neither of both. Gives the number of allocations since.
uint64_t StopFailing();
uint64_t SitesLost();
// The stack of the allocation that failed; `hash` is 0 where none did.
const Site& Failed();

}  // namespace lathe::faults
