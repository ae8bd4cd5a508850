// Runs the linear form. Private to the interpreter.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/constants.h"
#include "ir/interpreter/code.h"
#include "ir/interpreter/memory.h"

namespace lathe::ir::interp {

// A buffer while it exists.
struct LiveBuffer {
  bool alive = false;
  const BufferNode* node = nullptr;
  Handle data = 0;
  bool owned = false;                         // freed when the buffer ends
  std::vector<int64_t> mins, shape, strides;  // mins: all 0 if empty
  int64_t offset = 0;                         // in elements
  int element_bytes = 0;
  int place = -1;         // of its data variable; -1 for a parameter
  bool of_block = false;  // the threads of a block share its memory
};

// Unfinished asynchronous copies of one thread: those begun since the last commit (`open`), and the
// committed groups.
struct AsyncQueue {
  struct Copy {
    Handle to = 0;
    std::vector<uint8_t> bytes;
  };
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;
};

// Why the execution of a frame stopped. After kEnd, kReturn and kRegionEnd it is complete; after
// the others it continues later.
enum class Stop : uint8_t { kEnd, kReturn, kRegionEnd, kSync, kFork, kCollective, kPause };

class Threads;
struct Strand;

struct Guard {
  const Lane* condition;
  int lanes;
  bool wanted;
};

// One call in progress.
struct Frame {
  const Code* code = nullptr;
  size_t pc = 0;
  std::vector<Lane> lanes;
  std::vector<LiveBuffer> buffers;
  std::vector<Guard> guards;
  std::vector<Handle> owned;  // freed when the call ends
  Lane result;
  DataType result_type;  // void: no return
  std::string result_text;
  Strand* strand = nullptr;  // the thread whose own frame this is; null for functions it calls
};

// A statement as a note of a diagnostic: its first line, without its body.
std::string ExcerptOf(const Node& node);

class Machine {
 public:
  Machine(Module module, InterpretOptions options);

  InterpValue Call(std::string_view name, std::span<const InterpValue> args);

  // -- For the builtins (builtins.cc).

  const InterpretOptions& options() const { return options_; }
  Memory& memory() { return memory_; }
  uint64_t steps() const { return steps_; }
  // Calls a function whose parameters are all variables. Returns the lane of its result, 0 if it
  // returns nothing.
  Lane CallPlain(const FuncNode& func, std::span<const Lane> args, std::span<const DataType> types);
  const FuncNode* FindFunction(std::string_view name) const;
  // Calls a packed function of this module or of the interpreter's user. Throws the error that it
  // raises.
  InterpValue CallPacked(std::string_view name, std::span<const InterpValue> args);
  // The workspaces that are allocated, in the order of allocation.
  std::vector<int64_t>& workspaces() { return workspaces_; }
  // The error that `raise` stored.
  std::optional<Diagnostic>& pending() { return pending_; }

  // The memory location of lane `lane` of an access. Throws "interpret-out-of-bounds".
  Handle Locate(const Frame& frame, const Access& access, int lane);
  // Scalar: lane 0 of argument i, a number. Result: the lanes of the call's result.
  static Lane Scalar(const Frame& frame, const CallSite& site, size_t i) {
    return frame.lanes[static_cast<size_t>(site.args[i].operand.at)];
  }
  static Lane* Result(Frame& frame, const CallSite& site) {
    return frame.lanes.data() + site.result.at;
  }
  Handle FunctionHandle(const FuncNode* func);
  Handle TextHandle(const std::string& text);
  // A buffer as a tensor, for calls that take buffers as tensors.
  InterpTensor TensorOf(const LiveBuffer& buffer);
  Handle NewTensor(const std::string& name, InterpTensor tensor);
  // The value `index` values after the one that the handle names. Throws "interpret-out-of-bounds".
  ValueCell& CellAt(Handle handle, int64_t index, const char* use);
  // Convert values from the caller's form to the program's, and back.
  ValueCell ToCell(const std::string& name, const InterpValue& value);
  InterpValue FromCell(const ValueCell& cell);
  uint64_t NewCacheWord();

  // -- Threads (threads.h).

  Threads* threads() { return threads_; }
  // The queue of the running thread.
  AsyncQueue& async();
  // Memory::Read for the running thread. A read of unwritten memory becomes an error only when it
  // is known that no race is the reason.
  const uint8_t* ReadShared(const Frame& frame, Handle at, uint64_t bytes, const char* use);
  // Launches a kernel of this module. The call has the kernel's arguments, then one extent per
  // thread axis, then the bytes of dynamic shared memory.
  void CallKernel(const FuncNode& func, const Frame& frame, const CallSite& site);
  // The same with tagged values (pointers and scalars), as lowered calls pass them.
  void CallKernel(const FuncNode& func, std::span<const ValueCell> args);

 private:
  friend class Threads;
  void TakeConstants();
  const Code& CodeOf(const FuncNode& func);
  InterpValue CallFunc(const FuncNode& func, std::span<const InterpValue> args);
  InterpValue CallConvention(const FuncNode& func, std::span<const InterpValue> args);
  void BindArgument(Frame& frame, const Parameter& param, size_t index, const InterpValue& value);
  void BindVariable(Frame& frame, const Parameter& param, size_t index, const InterpValue& value);
  void BindTensor(Frame& frame, const Parameter& param, size_t index, const InterpValue& value);
  void StartFrame(Frame& frame, const Code& code);
  void EndFrame(Frame& frame);
  void Run(Frame& frame);
  Stop Execute(Frame& frame);
  bool Pause(const Frame& frame);
  void RunRegion(Frame& frame, const ThreadRegion& region);
  void CollectiveAlone(Frame& frame, const CallSite& site);
  void AddContext(const Frame& frame, Diagnostic& diagnostic) const;

  bool Counts(const Frame& frame, int lane, int lanes) const;
  void Divide(Frame& frame, const Instr& instr);
  void DoLoad(Frame& frame, const Instr& instr);
  void DoStore(Frame& frame, const Instr& instr);
  void DoIntrinsic(Frame& frame, const Instr& instr);
  void RecordStore(const Frame& frame, const Access& access, const Region& region, uint64_t at,
                   const Lane* lanes, const Lane* mask);
  Diagnostic Uninitialized(const Frame& frame, const Access& access, int lane) const;
  void Enter(Frame& frame, const BufferEntry& entry);
  void Leave(Frame& frame, LiveBuffer& buffer);
  void AssertFail(const Frame& frame, const AssertSite& site);
  void BindShape(Frame& frame, const Instr& instr, bool check);
  [[noreturn]] void OutOfBounds(const Frame& frame, const Access& access, int lane,
                                const char* what) const;

  Module module_;
  InterpretOptions options_;
  Memory memory_;
  std::unordered_map<const FuncNode*, std::unique_ptr<Code>> codes_;
  std::unordered_map<const FuncNode*, Handle> functions_;
  std::unordered_map<std::string, Handle> texts_;
  std::unordered_map<int64_t, Handle> constants_;
  std::span<const InterpValue> args_;  // of the call from outside, while its parameters are bound
  std::vector<int64_t> workspaces_;
  std::optional<Diagnostic> pending_;
  uint64_t steps_ = 0;
  uint64_t pause_at_ = 0;        // step_limit, or the end of a thread's turn
  Threads* threads_ = nullptr;   // while a region runs
  AsyncQueue async_;             // of the code outside threads
  std::vector<int64_t> launch_;  // extents given to the kernel that is about to run
  bool spoiled_ = false;  // a load since the last store read missing data (spoil_missing_loads)
  int depth_ = 0;
};

}  // namespace lathe::ir::interp
