// Programs: compiled graphs with functions, closures, recursion and data types.
//
// What computes tensors is in plans (runtime/graph/plan.h): each straight piece of a function is a
// plan of its own, with kernels, ifs, loops and memory. A program is the code around these: small
// functions over registers, each of which holds a tensor, a tuple, a value of a data type or a
// closure. graph/plan makes programs, and machine.h runs them, without a compiler.
//
// Programs are immutable data. Kinds of values, and that a register is set, are checked while the
// program runs; numbers, targets and counts are checked when it is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/graph/plan.h"

namespace lathe::runtime::vm {

inline constexpr uint32_t kProgramVersion = 1;
// The most registers of a function.
inline constexpr int32_t kMostRegisters = 1 << 20;

struct Instruction {
  enum class Op : uint8_t {
    kRun,        // results = the outputs of plan `index` for the inputs args
    kTuple,      // results[0] = the tuple of args
    kConstruct,  // results[0] = a value that constructor `index` makes of args
    kField,      // results[0] = field `index` of args[0], a tuple or a value of a data type
    kClosure,    // results[0] = function `index`, with args for its first parameters
    kCall,       // results[0] = function `index` of args
    kInvoke,     // results[0] = the closure args[0] of the further args
    kMove,       // results[0] = args[0]
    kBranch,     // goes on at targets[0] if args[0], a bool[], is false
    kSwitch,     // goes on at targets[k] if args[0] was made by constructor k of data type `index`
    kJump,       // goes on at targets[0]
    kReturn,     // args[0] is the function's result
    kNothing,    // stands where registers are emptied
  };
  Op op = Op::kReturn;
  int32_t index = 0;
  std::vector<int32_t> args, results;  // numbers of registers
  std::vector<int32_t> targets;        // numbers of instructions
  std::vector<int32_t> drops;          // registers that are empty after the instruction
};
const char* OpName(Instruction::Op op);

struct ProgramFunction {
  std::string name;       // unique; for people, errors and entries
  int32_t params = 0;     // in the first registers; for closures, what they keep comes first
  int32_t registers = 0;  // params included
  std::vector<Instruction> code;
};

struct ProgramConstructor {
  std::string name;  // "Cons"
  int32_t fields = 0;
};
struct ProgramType {
  std::string name;  // "List"
  std::vector<ProgramConstructor> constructors;
};

// A function that callers may call by its name.
struct ProgramParam {
  std::string name;
  std::string type;  // its text: "float32[n, 3]", "List"
};
struct ProgramEntry {
  int32_t function = 0;
  std::vector<ProgramParam> params;
};

struct Program {
  std::string name;
  std::vector<ProgramType> types;  // constructors are numbered through all types
  std::vector<ProgramFunction> functions;
  std::vector<ProgramEntry> entries;
  std::vector<graph::Plan> plans;
};

// The constructors of all types, in their order.
struct ConstructorPlace {
  int32_t type = 0, tag = 0;
};
std::vector<ConstructorPlace> ConstructorsOf(const Program& program);

// Versioned bytes with a digest at the end.
std::string EncodeProgram(const Program& program);
// Safe for any bytes. Fails with `program-version`, `program-corrupt` (with the place), and as
// DecodePlan and CheckProgram do.
absl::StatusOr<Program> DecodeProgram(std::string_view bytes);
// Fails with `program-malformed`, which names function and instruction. Linear. The plans are
// checked, too.
absl::Status CheckProgram(const Program& program);

// The code as text, for people: one line for each instruction.
std::string ProgramText(const Program& program);

}  // namespace lathe::runtime::vm
