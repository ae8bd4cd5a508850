// CDialect: how a C-like language writes the constructs of `c_source.h`.
//
// The generator writes everything that C-like languages have in common; a dialect supplies the
// differences. To write one, derive and override
//
//   1. ThreadIndex, Barrier, KernelHead and Parameter: the form of a kernel;
//   2. Type and Pointer, if names of types differ from C's or memory has address spaces;
//   3. Array and DynamicShared: how memory of scope "shared" and "local" is declared;
//   4. for a language with vectors: PartLanes, Splat, Compose, Lane, Convert, Compare, Select,
//      Reinterpret, and MemoryLanes, LoadVector, StoreVector (a language without operators on
//      vectors, but with wide loads, overrides these three, too: `float4` of CUDA);
//   5. Math, Atomic, Shuffle: the functions of the language's library;
//   6. Intrinsic: the intrinsics of your manifest;
//   7. for a language of hosts: FunctionHead, HostCall, StackMemory and HandleVariable.
//
// Vectors. A value of n lanes is kept in parts of PartLanes(n) lanes each. With 1 (the default)
// every lane is a scalar, and operators are applied lane by lane; with 4 a float32x8 is two
// `float4`. So hooks see only scalars and vectors of PartLanes lanes (in LoadVector and
// StoreVector: of MemoryLanes). A vector of bool has the type that Compare returns and Select
// accepts.
//
// Operands are texts that are valid in any operand position. Those of MinMax, Atomic and Lane are
// names or constants and may be repeated; all others must be used once. The result of a hook must
// be usable as an operand: put it in parentheses unless it is a name, a call or a cast in
// parentheses. One object serves one call of GenerateC and may collect data for Prelude. Hooks
// throw Error by Unsupported if the language cannot express something.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"

namespace lathe::sdk {

// A parameter of a kernel: pointers first, then scalars (S40).
struct CParameter {
  std::string name;  // in the source
  DataType dtype;    // a pointer's elements, or the scalar's type
  bool is_pointer = false;
  std::string scope;     // a pointer's memory
  bool is_read = false;  // how the kernel uses a pointer's memory
  bool is_written = false;
  bool noalias = true;  // no other parameter points to that memory (S42)
  // An image's rows and elements of a row, if they are constants, else 0. Only memory of two
  // dimensions has them.
  bool is_image = false;
  int64_t rows = 0, columns = 0;
};

// A thread axis of a kernel.
struct CLaunchAxis {
  std::string tag;
  int64_t extent = 0;  // 0: known at the launch only
};

struct CKernel {
  std::string name;    // of the function in the IR
  std::string symbol;  // in the source
  std::vector<CParameter> parameters;
  std::vector<CLaunchAxis> launch;  // in the order in which the launch gives extents
  bool dynamic_shared = false;      // it uses memory whose size is the launch's last argument
  int64_t shared_bytes = 0;         // memory that it declares itself
  // The threads of a block if all extents of threadIdx.* are constants, else 0.
  int64_t BlockThreads() const;
  // 1 for an axis that is not launched; 0 if only the launch knows it.
  int64_t ExtentOf(std::string_view tag) const;
};

// A function of a host: any calling convention but "kernel" (ir/names.h).
struct CFunction {
  std::string name;    // in the IR
  std::string symbol;  // in the source
  std::string convention;
  std::string entry_of;  // of an entry without checks: its function's name
  DataType result;
  std::vector<CParameter> parameters;  // a handle has no type of elements: void
};

// An operand of a call that only hosts have.
struct COperand {
  std::string text;                     // of a string the function of that name, if there is one
  DataType dtype;                       // of a handle or a string: handle
  const std::string* string = nullptr;  // if it is a string constant
};

class CDialect {
 public:
  virtual ~CDialect() = default;

  // -- Types.

  // The type of a value: a scalar, or a vector as above. The default has C's names: `signed char`,
  // `unsigned int`, `long long`, `float`; `bool`. A dialect learns from these calls which types are
  // used.
  virtual std::string Type(DataType type);
  // The type of an element in memory. The default: Type, but bytes for bool.
  virtual std::string MemoryType(DataType element);
  // A pointer to memory of a scope. The default: `const float*`.
  virtual std::string Pointer(const std::string& scope, DataType element, bool is_const);
  // True if the language has `+ - * /` and comparisons for a type. For float types without them,
  // operations are computed in float32, and each result is rounded. The default: types of 32 and 64
  // bits.
  virtual bool HasArithmetic(DataType type);
  // The suffix of 64-bit constants.
  virtual const char* LongSuffix() { return "LL"; }
  // A finite literal of a floating type.
  virtual std::string FloatLiteral(DataType type, double value);
  // An infinity or a NaN. "": it is made of its bits by Reinterpret.
  virtual std::string NonFinite(DataType type, double value) { return (void)type, (void)value, ""; }

  // -- Values.

  // Element types differ; lanes do not. From bool: 0 and 1; to bool: true if it is not 0.
  virtual std::string Convert(DataType to, DataType from, const std::string& x);
  // The same bits; both types have the same size.
  virtual std::string Reinterpret(DataType to, DataType from, const std::string& x);
  // `op` is "==", "!=", "<", "<=", ">" or ">="; `type` is the operands'.
  virtual std::string Compare(std::string_view op, DataType type, const std::string& a,
                              const std::string& b);
  // `type` is the arms'; the condition has as many lanes.
  virtual std::string Select(DataType type, const std::string& condition, const std::string& a,
                             const std::string& b);
  // For floats: if one operand is NaN, the other one.
  virtual std::string MinMax(bool is_max, DataType type, const std::string& a,
                             const std::string& b);
  // An intrinsic of ir/intrinsic_math.cc on values of one type, with at least 32 bits for floats
  // (ldexp's second argument is int32). "": the language does not have it. The default: C's
  // library.
  virtual std::string Math(std::string_view op, DataType type,
                           const std::vector<std::string>& args);

  // An intrinsic of the manifest, whose operands are addresses and scalars. An expression, or a
  // statement without `;` if `type` is void. "": the language does not have it.
  virtual std::string Intrinsic(std::string_view op, DataType type,
                                const std::vector<std::string>& args);

  // -- Vectors.

  // A divisor of `lanes`.
  virtual int PartLanes(int lanes);
  virtual std::string Splat(DataType vector, const std::string& x);
  virtual std::string Compose(DataType vector, const std::vector<std::string>& lanes);
  virtual std::string Lane(DataType vector, const std::string& x, int lane);

  // -- Memory.

  // How many of `lanes` neighbouring elements one LoadVector or StoreVector moves: a divisor of
  // `lanes`; 1 means element by element. If PartLanes(lanes) is more than 1, the result must be
  // that number or 1. `alignment` is the known alignment of the first element's address, in bytes.
  virtual int MemoryLanes(DataType element, const std::string& scope, int lanes, int64_t alignment);
  // An expression that loads from a pointer to the first element.
  virtual std::string LoadVector(DataType vector, const std::string& scope,
                                 const std::string& pointer, int64_t alignment);
  // A statement without `;`.
  virtual std::string StoreVector(DataType vector, const std::string& scope,
                                  const std::string& pointer, const std::string& x,
                                  int64_t alignment);
  // Load and store elements [4 * texel, 4 * texel + 4) of a row of an image; of float32, float16 or
  // 8-, 16- or 32-bit integers.
  virtual std::string LoadTexel(DataType vector, const std::string& image, const std::string& row,
                                const std::string& texel);
  virtual std::string StoreTexel(DataType vector, const std::string& image, const std::string& row,
                                 const std::string& texel, const std::string& x);
  // A declaration with `;`. "shared" memory is declared at the top of its kernel.
  virtual std::string Array(const std::string& scope, DataType element, const std::string& name,
                            int64_t count, int64_t alignment);
  // True if constants of a type are written as numbers of that type; else as unsigned integers of
  // its size, which the code then reads as that type.
  virtual bool HasTypedConstants(DataType element) { return (void)element, false; }
  // A constant array outside all functions, in memory of scope "constant"; `values` are written as
  // in C. With `;`.
  virtual std::string ConstantArray(DataType element, const std::string& name,
                                    const std::string& values);
  // Memory in bytes whose size the launch gives, once per kernel: an extra last parameter or "",
  // and a declaration with `;` at the top of the kernel or "".
  struct Dynamic {
    std::string parameter, declaration;
  };
  virtual Dynamic DynamicShared(const std::string& name);

  // -- Kernels and threads.

  // Everything up to the `{`.
  virtual std::string KernelHead(const CKernel& kernel,
                                 const std::vector<std::string>& parameters) = 0;
  // Declares a parameter. Scalars of type bool are passed as bytes.
  virtual std::string Parameter(const CParameter& parameter) = 0;
  // The alignment in bytes of the data of pointer parameters, if it is more than the elements'
  // alignment. The code that launches the kernel must guarantee it.
  virtual int64_t ArgumentAlignment() { return 1; }
  // This thread's index on an axis: an integer of any type.
  virtual std::string ThreadIndex(const std::string& tag) = 0;
  // A statement without `;`. Scope: "warp", "shared", "global".
  virtual std::string Barrier(const std::string& scope) = 0;
  // An intrinsic atomic_*; its value is the element's old value. `args`: the operands after the
  // address.
  virtual std::string Atomic(std::string_view op, DataType type, const std::string& scope,
                             const std::string& pointer, const std::vector<std::string>& args);
  // warp_shuffle*: mask, value, x, width.
  virtual std::string Shuffle(std::string_view op, DataType type,
                              const std::vector<std::string>& args);
  virtual std::string ActiveMask(DataType type);
  // async_copy, async_commit and async_wait as statements without `;`. "": the copy is made at
  // once, so there is nothing to commit or wait for. Override all of them or none.
  virtual std::string AsyncCopy(DataType element, const std::string& to_scope,
                                const std::string& to, const std::string& from_scope,
                                const std::string& from, int64_t count, int64_t alignment);
  virtual std::string AsyncCommit() { return ""; }
  virtual std::string AsyncWait(int64_t groups) { return (void)groups, ""; }
  // The text before a loop that should be unrolled (annotation "unroll"), or "".
  virtual std::string UnrollPragma() { return "#pragma unroll"; }

  // -- Hosts. By default the language is none of hosts, and functions that are not kernels are
  // refused.

  virtual bool HasHostFunctions() { return false; }
  // Everything up to the `{`; also what declares the function. Called before its body is written,
  // and for all functions before the first body.
  virtual std::string FunctionHead(const CFunction& function);
  // Called before the body of a function is written.
  virtual void BeginFunction(const CFunction& function) { (void)function; }
  // A call of the calling convention (ir/intrinsic_core.cc): an expression, or a statement without
  // `;` if `type` is void. "": the language does not have it.
  virtual std::string HostCall(std::string_view op, DataType type,
                               const std::vector<COperand>& args);
  // A declaration with `;` of what stack_slots, stack_values or stack_tensor make.
  virtual std::string StackMemory(std::string_view op, const std::string& name,
                                  const std::vector<COperand>& args);
  // A declaration without value and `;` of a constant variable for a handle. `used_by`: a call
  // whose first operand it is, or "".
  virtual std::string HandleVariable(const std::string& name, std::string_view used_by);
  // A call of a function outside of the module, by its name.
  virtual std::string ExternCall(const std::string& name, DataType type,
                                 const std::vector<COperand>& args);

  // -- The text.

  // True if the language, its library or the dialect's own text (KernelHead, Prelude) uses this
  // identifier. Variables have the schedule's names: `threadIdx.x` becomes threadIdx_x. The
  // default: C's and C++'s keywords.
  virtual bool IsReserved(std::string_view name);
  // The text before a helper function of the generator, such as one for floor division.
  virtual std::string HelperQualifiers() { return "static inline"; }
  // The top of the text; called after everything else is written.
  virtual std::string Prelude() { return ""; }

  // Throws Error "c-source-unsupported".
  [[noreturn]] static void Unsupported(const std::string& what, const std::string& help = "");
};

}  // namespace lathe::sdk
