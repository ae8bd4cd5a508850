// Threads of the interpreter: all iterations of a region's thread axes run concurrently. Private to
// the interpreter. docs/design/threads.md defines the meaning.
//
// Blocks run one after the other. If the region has a barrier over all blocks, all blocks run
// together. Each thread of a block has its own frame over the same code. In a schedule's loop nest,
// which has no barriers yet, the threads that are furthest behind take one step, again and again.
// So every statement ends for all threads before the next one begins. In a kernel each thread runs
// until it has to wait. Threads begin to exist at the first loop over their axis.
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
  uint32_t id = 0;             // unique in the run of the region
  std::vector<int64_t> index;  // per axis of the region
  uint32_t nonzero = 0;        // axes whose index is not 0
  // Axes whose innermost enclosing loop has no iteration for this thread, though an inner loop may
  // have one.
  uint32_t shadow = 0;
  std::vector<uint32_t> shadows;  // `shadow` before each enclosing loop
  Stop stop = Stop::kPause;
  bool ready = true;  // it can continue
  bool done = false;
  uint32_t warp = 0, lane = 0;
  AsyncQueue async;
};

struct ThreadBlock {
  uint32_t id = 0;
  std::vector<int64_t> index;                    // per axis; 0 for thread axes
  std::vector<int64_t> extent;                   // number of threads along each axis so far
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
  std::unordered_map<Handle, int> users;        // how many threads use a shared memory
};

class Threads {
 public:
  Threads(Machine& machine, const Frame& host, const ThreadRegion& region);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void Run();

  // -- For the machine, while a thread runs.

  // Enters a loop over an axis. False: the thread must stop here until the threads of the axis
  // exist.
  bool ThreadBegin(Strand& strand, const Instr& instr);
  static void ThreadEnd(Strand& strand);
  // Allocates memory for a buffer, or returns the copy that the thread shares with others.
  void Allocate(Strand& strand, const BufferEntry& entry, uint64_t bytes, LiveBuffer* buffer);
  void Release(Strand& strand, Handle handle);
  // Records that the running thread accesses `bytes` bytes from byte `at` of the handle's region.
  void Access(const Frame& frame, Handle region, uint64_t at, uint64_t bytes, AccessKind kind,
              bool same);
  // Records a load of unwritten memory. It is an error, unless a race turns out to be the reason.
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
  // Continues the threads that no longer have to wait. False if there are none.
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
  std::vector<int64_t> grid_;      // per axis; 1 for thread axes
  std::vector<int64_t> launch_;    // extents of the launch, in the order of its tags
  std::vector<std::string> tags_;  // of the launch
  std::vector<std::unique_ptr<ThreadBlock>> blocks_;
  std::vector<std::array<int32_t, 6>> names_;  // indices of each thread
  uint32_t grid_epoch_ = 0;
  uint64_t step_ = 0;
  uint64_t random_ = 0;
  Strand* current_ = nullptr;
  std::optional<Diagnostic> missing_;
};

// The lane that a shuffle reads, or -1 if it is not a lane of the segment (warp_shuffle_xor). `op`
// is the intrinsic's name.
int SourceLane(std::string_view op, int lane, int64_t x, int width);

}  // namespace lathe::ir::interp
