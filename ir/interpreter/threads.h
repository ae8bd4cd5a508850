// Threads of the interpreter: all iterations of a region's thread axes at once. Private to the
// interpreter; what it means is said in docs/design/threads.md.
//
// Blocks run one after the other, but all at once where the region has a barrier of the kernel. A
// block's threads are frames of their own over the same code. In a schedule's loop nest (before
// barriers stand in it) those that are furthest behind take one step, then the next: every
// statement ends for all before the one behind it begins. In a kernel each runs until it has to
// wait. Threads begin to exist where the first loop over their axis begins.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/interpreter/machine.h"
#include "ir/interpreter/races.h"

namespace lathe::ir::interp {

struct ThreadBlock;

struct Strand {
  Frame frame;
  ThreadBlock* block = nullptr;
  uint32_t id = 0;             // in the region's run
  std::vector<int64_t> index;  // per axis of the region
  uint32_t nonzero = 0;        // axes whose index is not 0
  uint32_t shadow = 0;  // axes whose innermost loop around has no iteration for this thread, though
                        // a loop within may have
  std::vector<uint32_t> shadows;  // the same, before each loop around
  Stop stop = Stop::kPause;
  bool ready = true;  // it may run on
  bool done = false;
  uint32_t warp = 0, lane = 0;
  AsyncQueue async;
};

struct ThreadBlock {
  uint32_t id = 0;
  std::vector<int64_t> index;                    // per axis; 0 for axes of threads
  std::vector<int64_t> extent;                   // threads along each axis, so far
  uint32_t seen = 0;                             // axes whose threads exist
  std::set<std::vector<int64_t>> indices;        // of its threads
  std::vector<std::unique_ptr<Strand>> strands;  // in the order in which they began
  uint32_t epoch = 0;
  std::vector<uint32_t> warp_epochs;
  struct Shared {
    Handle handle = 0;
    uint64_t bytes = 0;
    uint64_t step = 0;
  };
  std::unordered_map<uint64_t, Shared> shared;  // by allocation and warp
  std::unordered_map<Handle, int> users;        // of memory that several threads have
};

class Threads {
 public:
  Threads(Machine& machine, const Frame& host, const ThreadRegion& region);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void Run();

  // -- For the machine, while a thread runs.

  // Enters a loop over an axis; false: the thread must stop here until the axis's threads exist.
  bool ThreadBegin(Strand& strand, const Instr& instr);
  static void ThreadEnd(Strand& strand);
  // Memory for a buffer, by who shares it.
  void Allocate(Strand& strand, const BufferEntry& entry, uint64_t bytes, LiveBuffer* buffer);
  void Release(Strand& strand, Handle handle);
  // `bytes` from byte `at` of the handle's region are touched by the thread that runs.
  void Access(const Frame& frame, Handle region, uint64_t at, uint64_t bytes, AccessKind kind,
              bool same);
  // A load of what nothing was written to: an error, unless a race is found to be the reason.
  void Missing(Diagnostic problem) {
    if (!missing_) missing_ = std::move(problem);
  }
  Strand* current() { return current_; }

 private:
  // -- threads.cc
  void CheckLaunch(const std::vector<int64_t>& grid) const;
  std::unique_ptr<ThreadBlock> NewBlock(uint32_t id);
  void EndBlock(ThreadBlock& block);
  void EndStrand(Strand& strand);
  void Resume(Strand& strand);
  void Go(Strand& strand) { ++strand.frame.pc, strand.ready = true; }
  void RunSteps(ThreadBlock& block);
  void RunFreely(const std::vector<ThreadBlock*>& blocks);
  void ThrowMissing();
  uint64_t Random(uint64_t below);
  template <class T>
  void Mix(std::vector<T>& order);
  std::string NameOf(uint32_t strand) const;
  [[noreturn]] void ReportRace(const AccessEvent& now, const AccessEvent& before) const;
  // -- fork.cc
  std::unique_ptr<Strand> Clone(const Strand& from);
  void Fork(std::vector<Strand*>& group);
  void EnterLoop(Strand& strand, const Instr& instr);
  void NumberLanes(ThreadBlock& block);
  // -- collectives.cc
  static const Instr& InstrOf(const Strand& strand) {
    return strand.frame.code->instrs[strand.frame.pc];
  }
  static const CallSite* SiteOf(const Strand& strand);
  static bool WaitsAt(const Strand& strand, std::string_view op, std::string_view scope = "");
  // Lets those go on that need wait no longer; false: none.
  bool Resolve(ThreadBlock& block);
  bool ResolveFork(ThreadBlock& block);
  bool ResolveBarrier(const std::vector<Strand*>& of, std::string_view scope);
  bool ResolveShuffles(const std::vector<Strand*>& warp);
  bool ResolveGrid(const std::vector<ThreadBlock*>& blocks);
  bool ResolveMasks(const std::vector<ThreadBlock*>& blocks);
  void CollectiveStep(ThreadBlock& block, const std::vector<Strand*>& group);
  void Shuffle(const std::vector<Strand*>& lanes);
  [[noreturn]] void Stuck(const std::vector<ThreadBlock*>& blocks);
  [[noreturn]] void FailAt(Strand& strand, Diagnostic problem) const;
  std::string Describe(const std::vector<Strand*>& strands) const;
  std::vector<std::vector<Strand*>> Warps(const ThreadBlock& block) const;

  Machine& machine_;
  const Frame& host_;
  const ThreadRegion& region_;
  RaceDetector races_;
  std::vector<int64_t> grid_;      // per axis; 1 for axes of threads
  std::vector<int64_t> launch_;    // extents given at the launch, in the order of its tags
  std::vector<std::string> tags_;  // of the launch
  std::vector<std::unique_ptr<ThreadBlock>> blocks_;
  std::vector<std::array<int32_t, 6>> names_;  // indices of each thread
  uint32_t grid_epoch_ = 0;
  uint64_t step_ = 0;
  uint64_t random_ = 0;
  Strand* current_ = nullptr;
  std::optional<Diagnostic> missing_;
};

// The lane that a shuffle reads, or -1 where that is no lane of the segment (warp_shuffle_xor).
// `op`: the intrinsic's name.
int SourceLane(std::string_view op, int lane, int64_t x, int width);

}  // namespace lathe::ir::interp
