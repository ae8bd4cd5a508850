// The reference interpreter: runs loop-level functions slowly and plainly, to the letter of
// ir/expr.h. It is the oracle that every pass and backend is compared with, so it shares nothing
// with them: it never simplifies, and knows no target.
//
// It takes a function at any stage between the schedule's loop nest (Realize, multi-dimensional
// buffers) and the flat one with the packed calling convention (outlined parallel bodies, runtime
// calls). Parallel, vectorized and unrolled loops run serially, in order. Loops over thread axes
// run on threads, with barriers, shared memory and races as docs/design/threads.md says; functions
// of calling convention "kernel" as on a device.
//
// Results that the contract leaves open are fixed here: signed overflow wraps; float to integer
// saturates, NaN gives 0; integers reach narrow floats through float32; `undef` is NaN or bits
// 0101...; a NaN's payload may get its quiet bit set. Math intrinsics are computed one format wider
// and rounded once.
//
// What a program does wrong throws Error, with the statement, the variables of the loops around it
// and their values:
//   interpret-argument          an argument does not fit its parameter
//   interpret-unbound           a variable or buffer is used where it is not defined
//   interpret-unlowered         a node of te (a Reduce, a load of a Tensor): lowering removes those
//   interpret-malformed         a node whose parts do not fit (CheckNode, CheckCall)
//   interpret-out-of-bounds     an access outside its buffer, or by a buffer outside its memory
//   interpret-uninitialized     a load of memory that nothing was written to
//   interpret-read-only         a store into a constant or a read-only argument
//   interpret-division-by-zero  of integers, unless in the arm that a Select drops
//   interpret-bad-handle        null, freed, or of another kind than the use needs
//   interpret-value-kind        a tagged value read as another kind than it holds
//   interpret-unknown-function  a function, C function or packed function that is not there
//   interpret-not-executable    an intrinsic that has no function for the interpreter
//   interpret-failed-call       a packed function that fails without raising an error
//   interpret-no-constant       an AllocConst without its constant
//   interpret-step-limit, interpret-memory-limit, interpret-call-depth
// and of threads:
//   interpret-race              two threads touch one place, one writes, and nothing orders them
//   interpret-divergent-barrier a barrier that not all threads of its scope reach
//   interpret-missing-lanes     a shuffle that lanes of its mask do not make, or without a source
//   interpret-thread-extent     extents of thread axes that are not known in time, or disagree
//   interpret-launch            a kernel launched with other extents than its loops have
//   interpret-thread-call       a barrier or a thread loop in a function that a thread calls
// A failed Assert throws Error with the Assert's own name, a packed function's raised error with
// the name it raised.
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

// A view of a tensor in this process's memory. Nothing is owned: the memory must outlive the
// interpreter's calls.
struct InterpTensor {
  void* data = nullptr;  // may be null where there are no elements
  DataType dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;   // in elements; empty: compact, row-major
  uint64_t byte_offset = 0;       // of the first element from `data`
  DLDevice device = {kDLCPU, 0};  // what the program is told; the memory is read here all the same
  bool read_only = false;
  bool initialized = true;  // false: loads before the first store are errors
  // Compact tensors at offset 0 only: which bytes were written, one flag each, taken at the call's
  // start and given back at its end. Null: by `initialized`.
  std::vector<uint8_t>* written = nullptr;

  // A compact tensor.
  static InterpTensor Of(void* data, DataType dtype, std::vector<int64_t> shape);
};

// A tagged value: an argument or a result. `kind` is a lathe_value_kind: NONE, INT, BOOL, FLOAT,
// POINTER, DLTENSOR or STRING. Pointers are only passed out (to call_packed), as addresses; passed
// in they must be null.
struct InterpValue {
  int32_t kind = LATHE_VALUE_NONE;
  int64_t i = 0;  // INT, BOOL, POINTER
  double d = 0;   // FLOAT
  std::string s;  // STRING
  std::shared_ptr<const InterpTensor>
      tensor;  // DLTENSOR; null: the null pointer of a caller's mistake

  InterpValue() = default;
  InterpValue(InterpTensor view);  // NOLINT(google-explicit-constructor)
  static InterpValue Int(int64_t value);
  static InterpValue Float(double value);
  static InterpValue Bool(bool value);
  static InterpValue String(std::string value);
};

// A call of a C function, of a function of LLVM, or of an intrinsic without a function of its own.
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
  std::span<Lane> result;  // rounded to the type afterwards; a handle cannot be returned
};

struct InterpretOptions {
  bool check_initialized = true;
  // Loads out of bounds in the arm that a Select drops yield zero instead of an error: for te
  // programs, which lowering makes safe (S27).
  bool tolerate_dropped_loads = false;
  // Loads of what is not there (out of bounds, or never written) spoil the value computed from them
  // instead of being errors: the next store leaves its elements unwritten. For computing what can
  // be computed already (te's scans).
  bool spoil_missing_loads = false;
  uint64_t step_limit = uint64_t{1} << 36;  // instructions, about a node's evaluation each
  uint64_t memory_limit = uint64_t{4}
                          << 30;  // bytes that the program and its evaluation hold at once
  int call_depth_limit = 64;
  int warp_size = 32;  // threads whose threadIdx are neighbours, which shuffle among themselves
  // In which order blocks and, between barriers, threads take their turns: 0 one after the other,
  // other numbers mixed.
  uint64_t interleaving = 0;
  int vscale = 1;  // lanes of scalable vectors: their factor times this
  int parallel_parts =
      3;  // into how many parts runtime_call("parallel", ...) cuts a range, run one after the other
  // For AllocConst, by index. Empty: the constants that the module, or its one function that has
  // some, carries (ir/constants.h).
  std::vector<InterpTensor> constants;
  // Calls a registered function; the callee may throw Error. Null: there are none.
  std::function<InterpValue(std::string_view name, std::span<const InterpValue> args)> call_packed;
  // Calls a C function (call_extern, call_pure_extern), a function of LLVM (llvm_intrinsic) or an
  // intrinsic; false where it does not know the name. Asked before the table of C's math functions.
  std::function<bool(const ExternCall&)> call_extern;
};

// Runs functions of one module. Compiles each to a linear form on its first call. One thread at a
// time.
class Interpreter {
 public:
  explicit Interpreter(Module module, InterpretOptions options = {});
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Calls the function: by its parameters in order (a tensor for a Buffer, a number for a scalar
  // Var), or, where its calling convention is "packed", through tagged values as compiled code
  // would be called. Throws Error.
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
