// The plan of a compiled graph, as data: which kernels run in which order on which tensors.
//
// A plan is made by graph/plan and read here, without a compiler. It is immutable and may be shared
// by any number of contexts (executor.h). Everything refers to earlier entries of its tables by
// number, so reading and checking are linear and cannot recurse.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/digest.h"
#include "base/dtype.h"

namespace lathe::runtime::graph {

// The newest version. A plan is written in the oldest one that can hold it, so that runtimes that
// are older than the compiler read it: 2, or 3 for plans with parts (PlanTensor::Memory::kPart).
inline constexpr uint32_t kPlanVersion = 3;
// How deep blocks of branches and loops may lie within each other.
inline constexpr size_t kMostNestedBlocks = 64;

// A device that a plan uses. Which one it is, is decided when the plan is loaded.
struct PlanDevice {
  std::string kind = "cpu";  // runtime/device.h has the names
  int32_t slot = 0;          // callers give devices in a list; this is number `slot` of its kind
};

// One value of the table of sizes: a number that is known when the inputs' shapes are. `a` and `b`
// are numbers of earlier entries, if not stated otherwise.
struct PlanSize {
  enum class Kind : uint8_t {
    kConstant,  // value
    kExtent,    // dimension b of input a
    kAdd,
    kSub,
    kMul,
    kFloorDiv,
    kFloorMod,
    kMin,
    kMax,
    kRun,  // known only while running: the one kBindSize step that names it binds it
  };
  Kind kind = Kind::kConstant;
  int64_t value = 0;
  int32_t a = 0, b = 0;
};

// A tensor: compact, row-major. Its memory is one of the following.
struct PlanTensor {
  enum class Memory : uint8_t {
    kInput,     // of the caller: input number `index`
    kConstant,  // entry `index` of the constants
    kArena,     // of the context; planned when sizes are known
    kAlias,     // the memory of the earlier tensor `index`: another shape of the same bytes
    kPrefix,    // the first bytes of the earlier tensor `index`: a result with an upper bound
    // The bytes from `offset` on of the earlier tensor `index`, of the host. Steps may write it.
    // The parts of a tensor lie one after the other in their order here, and when all of its bytes
    // are in parts that are written, so is the tensor: a concatenation that nobody has to do. The
    // shapes of both are known when the plan is made.
    kPart,
  };
  std::string name;  // of the value in the graph; for people, profiles and errors
  DataType dtype;
  std::vector<int32_t> shape;  // numbers of sizes
  Memory memory = Memory::kArena;
  int32_t index = 0;
  // What the kernels that take it rely on, in bytes: a power of two of at most 64. 0: the alignment
  // of an element. The arena's tensors have 64 in any case.
  uint32_t alignment = 0;
  int32_t device = 0;   // number of the device whose memory it is in
  uint64_t offset = 0;  // of kPart, in bytes: a multiple of 64
};

// A step. Control flow is structured: a step of it is followed by the steps of its blocks.
struct PlanStep {
  enum class Kind : uint8_t {
    // Calls a kernel. The kernel's entry without checks (artifact/kernel_entry.h) takes `buffers`
    // in the order of its tensor arguments. `size_names` are the names of its sizes (metadata
    // entry_sizes), and `sizes` their values. All buffers are on one device. If that is not the
    // host, the kernel is a function of the code that launches work there; its scalar arguments
    // are the sizes.
    kKernel,
    kCopy,  // buffers {from, to}: the same bytes, from any device to any device
    // buffers {condition}, a bool[] on the host: if it is true, the next `first` steps run, else
    // the `second` steps after them. What both blocks write is written afterwards.
    kIf,
    // buffers {condition}, a bool[] on the host: the next `first` steps compute it; as long as it
    // is true, the `second` steps after them run, and then the first ones again. Tensors that were
    // written before the loop carry values from one round to the next.
    kLoop,
    // buffers {tensor}, sizes {size}: binds a size of kind kRun to element `element` of an integer
    // tensor on the host, from here to the end of the block. Tensors whose shapes it completes get
    // memory.
    kBindSize,
  };
  std::string kernel;
  std::vector<int32_t> buffers;  // numbers of tensors
  // For each buffer: is it written? Only tensors in the arena are, and parts of these.
  std::vector<uint8_t> writes;
  std::vector<std::string> size_names;
  std::vector<int32_t> sizes;  // numbers of sizes
  std::string location;        // the operators that it computes, for people
  Kind kind = Kind::kKernel;
  int32_t first = 0, second = 0;
  int64_t element = 0;
};

// An input that callers set. Its shape is that of its tensor: the first mention of a size binds it,
// every further one is a check.
struct PlanInput {
  std::string name;
  int32_t tensor = 0;
};

// A constant: a weight, or what was computed from weights while compiling. Its data are in the code
// (Plan::constants_entry), in this process (found by digest), or set by name.
struct PlanConstant {
  std::string name;  // the parameter's; may be empty
  int32_t tensor = 0;
  Digest digest;  // of the data (base/blob.h)
};

// What must hold of sizes: `a` equals `b`, or is at most `b`. A graph is compiled on this condition
// (an inner extent of two operands, a table that is long enough), so kernels rely on it. It is
// checked when the last of its sizes gets its value.
struct PlanCondition {
  enum class Kind : uint8_t { kEqual, kAtMost };
  Kind kind = Kind::kEqual;
  int32_t a = 0, b = 0;  // numbers of sizes
  std::string what;      // for people: "dimension 0 of argument 1 (`rhs`) of add"
};

struct Plan {
  std::string name;                        // of the function
  std::vector<PlanDevice> devices = {{}};  // number 0 is the host, and no other one is
  std::vector<PlanSize> sizes;
  std::vector<PlanTensor> tensors;
  std::vector<PlanInput> inputs;
  std::vector<PlanConstant> constants;
  std::vector<PlanStep> steps;
  std::vector<PlanCondition> conditions;
  std::vector<int32_t> outputs;  // numbers of tensors
  // The entry of the code that knows where the constants are; "" if there is none. It takes one
  // buffer, int64[number of constants], and no sizes, and stores the address of each constant's
  // data, or 0 for data that the code does not have. So the data are found in every kind of file in
  // which compiled code finds its constants (docs/design/graph_plan.md).
  std::string constants_entry;
};

// Versioned bytes with a digest at the end.
std::string EncodePlan(const Plan& plan);
// Safe for any bytes. Fails with `plan-version`, `plan-corrupt` (with the place), and as CheckPlan
// does.
absl::StatusOr<Plan> DecodePlan(std::string_view bytes);
// Every number is in range. On every way through the blocks, tensors are written before they are
// read and sizes bound before they are used: what a block that may not run writes or binds counts
// within it only; what both blocks of an `if` write counts afterwards; so does what the condition
// of a loop writes. Shapes of aliases have as many bytes as can be known now. Linear. Fails with
// `plan-malformed`, which names the entry.
absl::Status CheckPlan(const Plan& plan);

}  // namespace lathe::runtime::graph
