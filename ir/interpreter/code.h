// The linear form to which the interpreter compiles a function. Private to the interpreter.
//
// Every expression has its own place in the frame (one Lane per lane). Instructions name places.
// Structured control flow becomes jumps, so execution needs no stack, however deep the tree is.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/interpreter/interpreter.h"
#include "ir/interpreter/lanes.h"

namespace lathe::ir::interp {

struct Operand {
  int at = 0;  // place of the first lane in the frame
  int lanes = 0;
  DataType type;
};

enum class OpCode : uint8_t {
  kBinary,      // dst = kernel(a, b)
  kDivide,      // kBinary for integers, if b may be 0
  kNot,         // dst = !a
  kCast,        // dst = a, of type `from`
  kCopy,        // dst = a
  kSelect,      // dst = a ? b : c, `index` lanes in the condition
  kGuardTrue,   // until kGuardEnd, results are used only in lanes where a (`lanes` lanes) is true
  kGuardFalse,  //   ... is false
  kGuardEnd,
  kRamp,         // dst = a + lane * b
  kBroadcast,    // dst = a in all lanes
  kShuffle,      // dst = lanes of list `index`: places in the frame
  kLoad,         // dst = accesses[index]
  kStore,        // accesses[index] = a
  kIntrinsic,    // calls[index], with the intrinsic's own function
  kBuiltin,      // calls[index], with a function of the interpreter
  kJump,         // to `index`
  kJumpIfFalse,  // to `index` unless a
  kForBegin,     // b iterations of dst, from a on; c counts down; to `index` if there are none
  kForNext,      // to `index` for the next iteration, or continue
  kEnter,        // buffers[index] begins to exist
  kLeave,        // buffers[index] ends
  kAssertFail,   // asserts[index]
  kBindShape,    // dst = an extent, stride or offset of a parameter: bindings[index]
  kCheckShape,   // compares the same value with a
  kReturn,       // returns `lanes` lanes of a
  // Threads (threads.h).
  kRegion,       // runs regions[index] on threads, then continues after it
  kRegionEnd,    // a thread is done
  kThreadBegin,  // enters thread_loops[index]: dst from a on, extent b
  kThreadEnd,    // leaves thread_loops[index]
  kSync,         // a statement of a schedule's loop nest begins: syncs[index]
  kCollective,   // calls[index], by several threads together
};

struct Instr {
  OpCode op;
  DataType type;  // element type of the operands
  DataType from;
  int dst = 0, a = 0, b = 0, c = 0;
  int lanes = 1;
  int index = 0;
  BinaryKernel kernel = nullptr;
};

// A load, a store, or the place that address_of names.
struct Access {
  int buffer = 0;  // slot in the frame
  const BufferNode* node = nullptr;
  std::vector<Operand> indices;
  Operand mask;      // no lanes: no mask
  DataType element;  // of one lane
  int element_lanes = 1;
  int index_lanes = 1;
};

// Which threads share one copy of memory that is allocated inside a thread region.
enum class Copies : uint8_t { kOne, kPerThread, kPerWarp, kPerBlock };

struct Argument {
  enum Kind : uint8_t { kOperand, kText, kBuffer, kAccess } kind = kOperand;
  Operand operand;
  std::string text;
  int index = 0;  // of the buffer's slot or the access
};

class Machine;
struct Frame;
struct CallSite;
using Builtin = void (*)(Machine&, Frame&, const CallSite&);

struct CallSite {
  const Call* call = nullptr;
  const Intrinsic* intrinsic = nullptr;
  Builtin builtin = nullptr;
  std::vector<Argument> args;
  Operand result;
  mutable uint64_t cache = 0;  // call_site_cache's word, as a handle
};

// How a buffer begins to exist.
struct BufferEntry {
  enum Kind : uint8_t { kRealize, kAllocate, kConstant, kView } kind = kAllocate;
  int slot = 0;
  const BufferNode* node = nullptr;
  int data = 0;  // place of the data variable
  std::vector<Operand> mins, shape, strides;
  Operand offset;  // no lanes: 0
  int64_t constant = 0;
  Copies copies = Copies::kOne;
};

// A maximal nest of loops over thread axes, or the complete body of a kernel.
struct ThreadRegion {
  const Node* node = nullptr;
  std::vector<std::string> tags;  // its axes, without `vthread`: those loops are plain loops
  // Extents of the loops over block axes, computed before the region: (axis, extent).
  std::vector<std::pair<int, Operand>> grid;
  bool kernel = false;  // true: threads run freely between barriers; false: statement by statement
  bool global_barrier = false;  // it has a barrier over all blocks, so all exist at once
  int end = 0;                  // its kRegionEnd
};

struct ThreadLoop {
  int axis = 0;
  int outer = -1;        // depth of the outermost enclosing loop over the same axis; -1: none
  bool reopens = false;  // it contains another loop over the same axis
  int end = 0;           // its kThreadEnd
};

// A point before a statement in a nest that runs statement by statement.
struct SyncSite {
  uint32_t enclosing = 0;   // axes along which several threads run it (one bit each)
  bool always = false;      // control flow: every thread runs it
  bool per_thread = false;  // it stores to memory of which each thread has a copy
  int next = 0;             // the instruction after it
};

struct AssertSite {
  const Assert* node = nullptr;
  std::vector<Operand> values;
};

// A value of a parameter's tensor that binds a variable or must equal an expression.
struct Binding {
  enum Kind : uint8_t { kExtent, kStride, kOffset } kind = kExtent;
  int param = 0;
  int dim = 0;
};

struct Parameter {
  const VarNode* var = nullptr;        // a scalar or a handle, or
  const BufferNode* buffer = nullptr;  // a tensor
  int place = 0;                       // of the variable or of the buffer's data variable
  int slot = 0;                        // of the buffer
  std::vector<Operand> shape, strides;
  Operand offset;
};

// A loop variable, which errors show.
struct Scope {
  int parent = -1;
  std::string name;
  Operand operand;
};

struct Code {
  const FuncNode* func = nullptr;
  std::vector<Instr> instrs;
  std::vector<const Node*> origin;  // per instruction: the statement it belongs to
  std::vector<int> scope;           // per instruction: its innermost scope, or -1
  std::vector<Scope> scopes;
  std::vector<Lane> initial;  // the lanes of a new frame, which has the constants
  int num_slots = 0;
  std::vector<Access> accesses;
  std::vector<CallSite> calls;
  std::vector<BufferEntry> buffers;
  std::vector<AssertSite> asserts;
  std::vector<Binding> bindings;
  std::vector<std::vector<int>> lists;
  std::vector<Parameter> params;
  std::vector<ThreadRegion> regions;
  std::vector<ThreadLoop> thread_loops;
  std::vector<SyncSite> syncs;
  std::vector<std::pair<int, int>> turns;  // instructions [first, second) that threads run in turn
};

// Throws Error "interpret-unbound", "interpret-unlowered", "interpret-malformed",
// "interpret-memory-limit".
std::unique_ptr<Code> Compile(const FuncNode& func, const InterpretOptions& options);

// The interpreter's own function for a call. For unknown names it is a function that asks the
// interpreter's user.
Builtin FindBuiltin(std::string_view name);
// True for barriers, shuffles and similar intrinsics, which several threads execute together.
bool IsCollective(std::string_view name);
// The function for atomics and asynchronous copies (async.cc); null for others.
Builtin FindThreadBuiltin(std::string_view name);

}  // namespace lathe::ir::interp
