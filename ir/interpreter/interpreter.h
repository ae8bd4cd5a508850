// The reference interpreter: runs loop-level functions slowly and exactly as ir/expr.h says. It is
// the oracle for every pass and backend, so it shares nothing with them: it never simplifies and
// knows no target.
//
// It accepts a function at any stage between the schedule's loop nest (Realize, multi-dimensional
// buffers) and the flat function with the packed calling convention (outlined parallel bodies,
// runtime calls). Parallel, vectorized and unrolled loops run serially, in order. Loops over thread
// axes run on threads, with barriers, shared memory and race detection as in
// docs/design/threads.md. Functions with the calling convention "kernel" run as on a device.
//
// The interpreter fixes results that the contract leaves open: signed overflow wraps; float to
// integer saturates, NaN gives 0; integers convert to narrow floats through float32; `undef` is NaN
// or bits 0101...; a NaN's payload may get its quiet bit set. Math intrinsics are computed one
// format wider and rounded once.
//
// An error in the program throws Error with the statement, and the variables of the loops around it
// with their values:
//   interpret-argument          an argument does not fit its parameter
//   interpret-unbound           a variable or buffer is used where it is not defined
//   interpret-unlowered         a te node (a Reduce, a load of a Tensor), which lowering removes
//   interpret-malformed         a node whose parts do not fit together (CheckNode, CheckCall)
//   interpret-out-of-bounds     an access outside its buffer, or of a buffer outside its memory
//   interpret-uninitialized     a load of memory that was never written
//   interpret-read-only         a store into a constant or a read-only argument
//   interpret-division-by-zero  of integers, except in the arm that a Select does not choose
//   interpret-bad-handle        a handle is null, freed, or of the wrong kind for its use
//   interpret-value-kind        a tagged value is read as another kind than it holds
//   interpret-unknown-function  a function, C function or packed function does not exist
//   interpret-not-executable    an intrinsic that the interpreter cannot execute
//   interpret-failed-call       a packed function that fails without raising an error
//   interpret-no-constant       an AllocConst without its constant
//   interpret-step-limit, interpret-memory-limit, interpret-call-depth
// and for threads:
//   interpret-race              two threads access one place, one writes, and nothing orders them
//   interpret-divergent-barrier a barrier that not all threads of its scope reach
//   interpret-missing-lanes     a shuffle that lanes of its mask do not reach, or without a source
//   interpret-thread-extent     extents of thread axes that are not known in time, or disagree
//   interpret-launch            a kernel is launched with other extents than its loops have
//   interpret-thread-call       a barrier or a thread loop in a function that a thread calls
// A failed Assert throws Error with the Assert's own name. An error that a packed function raises
// keeps its name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "ir/intrinsic.h"
#include "ir/module.h"
#include "lathe/abi/value.h"

namespace lathe::ir {

// A view of a tensor in this process's memory. It owns nothing: the memory must outlive the
// interpreter's calls.
struct InterpTensor {
  void* data = nullptr;  // may be null if there are no elements
  DataType dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;   // in elements; empty: compact, row-major
  uint64_t byte_offset = 0;       // of the first element from `data`
  DLDevice device = {kDLCPU, 0};  // only reported to the program; the memory is read here
  bool read_only = false;
  bool initialized = true;  // false: loads before the first store are errors
  // For compact tensors at offset 0 only: one flag per byte says whether it was written. Read when
  // the call starts, updated when it ends. Null: `initialized` decides.
  std::vector<uint8_t>* written = nullptr;

  // A compact tensor.
  static InterpTensor Of(void* data, DataType dtype, std::vector<int64_t> shape);
};

// A tagged value: an argument or a result. `kind` is a lathe_value_kind: NONE, INT, BOOL, FLOAT,
// POINTER, DLTENSOR or STRING. The interpreter passes pointers only to call_packed, as addresses. A
// pointer that the caller passes in must be null.
struct InterpValue {
  int32_t kind = LATHE_VALUE_NONE;
  int64_t i = 0;  // INT, BOOL, POINTER
  double d = 0;   // FLOAT
  std::string s;  // STRING
  // DLTENSOR; null stands for a null pointer that a caller passed by mistake.
  std::shared_ptr<const InterpTensor> tensor;

  InterpValue() = default;
  InterpValue(InterpTensor view);  // NOLINT(google-explicit-constructor)
  static InterpValue Int(int64_t value);
  static InterpValue Float(double value);
  static InterpValue Bool(bool value);
  static InterpValue String(std::string value);
};

// A call of a C function, of an LLVM function, or of an intrinsic that has no function of its own.
struct ExternCall {
  struct Argument {
    DataType type;
    std::span<const Lane> lanes;  // numbers
    void* data = nullptr;  // handles and buffers: the address, with `bytes` accessible from there
    size_t bytes = 0;
    const std::string* text = nullptr;  // strings
  };
  std::string_view name;
  DataType type;
  std::span<const Argument> args;
  std::span<Lane> result;  // rounded to the type after the call; cannot be a handle
};

struct InterpretOptions {
  bool check_initialized = true;
  // Loads out of bounds in the arm that a Select does not choose give zero instead of an error. For
  // te programs: lowering makes such loads safe (S27).
  bool tolerate_dropped_loads = false;
  // Loads out of bounds or of unwritten memory spoil the computed value instead of being errors:
  // the next store marks its elements as unwritten. te's scans use this to compute what the
  // existing rows allow.
  bool spoil_missing_loads = false;
  uint64_t step_limit = uint64_t{1} << 36;  // instructions; one evaluates about one node
  // Bytes that the program and its evaluation may hold at once.
  uint64_t memory_limit = uint64_t{4} << 30;
  int call_depth_limit = 64;
  int warp_size = 32;  // a warp: this many threads with neighbouring threadIdx, which can shuffle
  // The order in which blocks and, between barriers, threads take their turns. 0: one after the
  // other. Any other number is the seed of a random interleaving.
  uint64_t interleaving = 0;
  int vscale = 1;  // a scalable vector has its factor times this many lanes
  // runtime_call("parallel", ...) splits a range into this many parts and runs one after the other.
  int parallel_parts = 3;
  // The constants of AllocConst, by index. Empty: the constants of the module, or of its only
  // function that has some (ir/constants.h).
  std::vector<InterpTensor> constants;
  // Calls a registered function; it may throw Error. Null: there are no registered functions.
  std::function<InterpValue(std::string_view name, std::span<const InterpValue> args)> call_packed;
  // Calls a C function (call_extern, call_pure_extern), an LLVM function (llvm_intrinsic) or an
  // intrinsic. Returns false if it does not know the name. Called before the table of C's math
  // functions is tried.
  std::function<bool(const ExternCall&)> call_extern;
};

// Runs functions of one module. Compiles each to a linear form on its first call. Not thread-safe.
class Interpreter {
 public:
  explicit Interpreter(Module module, InterpretOptions options = {});
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Calls the function with its parameters in order (a tensor for a Buffer, a number for a scalar
  // Var). If its calling convention is "packed", calls it through tagged values, as compiled code
  // is called. Throws Error.
  InterpValue Call(std::string_view name, std::span<const InterpValue> args);
  // Instructions executed so far.
  uint64_t steps() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Calls one function alone.
InterpValue Interpret(const Func& func, std::span<const InterpValue> args,
                      InterpretOptions options = {});
// Calls a function of a module.
InterpValue Interpret(const Module& module, std::string_view name,
                      std::span<const InterpValue> args, InterpretOptions options = {});

}  // namespace lathe::ir
