// CDialect: how a C-like language spells what `c_source.h` generates.
//
// The generator writes everything that all C-like languages have in common; a dialect says the
// rest. To write one, derive and override
//
//   1. ThreadIndex, Barrier, KernelHead and Parameter: what a kernel is;
//   2. Type and Pointer, where names of types differ from C's or memory has address spaces;
//   3. Array and DynamicShared: how memory of scope "shared" and "local" is declared;
//   4. for a language with vectors: PartLanes, Splat, Compose, Lane, Convert, Compare, Select,
//      Reinterpret, and MemoryLanes, LoadVector, StoreVector (which a language without operators on
//      vectors, but with wide loads, overrides too: `float4` of CUDA);
//   5. Math, Atomic, Shuffle: what the language's library has;
//   6. Intrinsic: what your manifest declares.
//
// Vectors. A value of n lanes is kept in parts of PartLanes(n) lanes each: with 1 (the default)
// every lane is a scalar of its own and operators are applied lane by lane; with 4 a float32x8 is
// two `float4`. So hooks only ever see scalars and vectors of PartLanes lanes (and, in LoadVector
// and StoreVector, of MemoryLanes). A vector of bool is whatever Compare gives and Select takes.
//
// Operands are texts that may stand anywhere an operand may. Those of MinMax and Atomic, and
// Lane's, are names or constants and may be repeated; all others stand once. What a hook returns
// must be usable as an operand: put it in parentheses unless it is a name, a call or a cast in
// parentheses. An object serves one call of GenerateC and may collect what Prelude must say. Hooks
// throw Error by Unsupported where the language cannot do it.
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
  bool is_read = false;  // what the kernel does with a pointer's memory
  bool is_written = false;
  bool noalias = true;  // no other parameter reaches that memory (S42)
  // An image's rows and elements of a row, where they are constants; 0 elsewhere. Only memory of
  // two dimensions has them.
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
  bool dynamic_shared = false;      // it uses memory whose size the launch gives last
  int64_t shared_bytes = 0;         // what it declares itself
  // Threads of a block where all extents of threadIdx.* are constants; 0 elsewhere.
  int64_t BlockThreads() const;
  // 1 for an axis that is not launched; 0: known at the launch only.
  int64_t ExtentOf(std::string_view tag) const;
};

class CDialect {
 public:
  virtual ~CDialect() = default;

  // -- Types.

  // Of a value: a scalar, or a vector as above. The default has C's names: `signed char`, `unsigned
  // int`, `long long`, `float`; `bool`. Asking is how a dialect learns which types are used.
  virtual std::string Type(DataType type);
  // Of an element in memory. The default: Type, but bytes for bool.
  virtual std::string MemoryType(DataType element);
  // A pointer to memory of a scope. The default: `const float*`.
  virtual std::string Pointer(const std::string& scope, DataType element, bool is_const);
  // Whether `+ - * /` and comparisons on a type are the language's own. Types of float without are
  // computed in float32 and rounded after each operation. The default: 32 and 64 bits.
  virtual bool HasArithmetic(DataType type);
  // Of constants of 64 bits.
  virtual const char* LongSuffix() { return "LL"; }
  // An element of a floating type; finite.
  virtual std::string FloatLiteral(DataType type, double value);

  // -- Values.

  // Element types differ; lanes do not. From bool: 0 and 1; to bool: whether it is not 0.
  virtual std::string Convert(DataType to, DataType from, const std::string& x);
  // The same bits; both have one size.
  virtual std::string Reinterpret(DataType to, DataType from, const std::string& x);
  // `op` is "==", "!=", "<", "<=", ">" or ">="; `type` is the operands'.
  virtual std::string Compare(std::string_view op, DataType type, const std::string& a,
                              const std::string& b);
  // `type` is the arms'; the condition has as many lanes.
  virtual std::string Select(DataType type, const std::string& condition, const std::string& a,
                             const std::string& b);
  // Of floats: the other operand when one is NaN.
  virtual std::string MinMax(bool is_max, DataType type, const std::string& a,
                             const std::string& b);
  // An intrinsic of ir/intrinsic_math.cc on values of one type, of at least 32 bits for floats
  // (ldexp's second argument is int32). "": the language has none. The default: C's library.
  virtual std::string Math(std::string_view op, DataType type,
                           const std::vector<std::string>& args);

  // An intrinsic of the manifest, whose operands are addresses and scalars. An expression, or a
  // statement without `;` where `type` is void. "": the language has none of that name.
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
  // `lanes`; 1: it goes element by element. Where PartLanes(lanes) is more than 1: that, or 1.
  // `alignment` is what is known of the first element's address, in bytes.
  virtual int MemoryLanes(DataType element, const std::string& scope, int lanes, int64_t alignment);
  // An expression, from a pointer to the first element.
  virtual std::string LoadVector(DataType vector, const std::string& scope,
                                 const std::string& pointer, int64_t alignment);
  // A statement without `;`.
  virtual std::string StoreVector(DataType vector, const std::string& scope,
                                  const std::string& pointer, const std::string& x,
                                  int64_t alignment);
  // Elements [4 * texel, 4 * texel + 4) of a row of an image, and their store; of float32, float16
  // or 8-, 16- or 32-bit integers.
  virtual std::string LoadTexel(DataType vector, const std::string& image, const std::string& row,
                                const std::string& texel);
  virtual std::string StoreTexel(DataType vector, const std::string& image, const std::string& row,
                                 const std::string& texel, const std::string& x);
  // A declaration with `;`. "shared" memory is declared at the top of its kernel.
  virtual std::string Array(const std::string& scope, DataType element, const std::string& name,
                            int64_t count, int64_t alignment);
  // A constant array outside of all functions, of memory of scope "constant"; `values` as in C.
  // With `;`.
  virtual std::string ConstantArray(DataType element, const std::string& name,
                                    const std::string& values);
  // Memory of bytes whose size the launch gives, once in a kernel: a further, last parameter or "",
  // and a declaration with `;` at the top of the kernel or "".
  struct Dynamic {
    std::string parameter, declaration;
  };
  virtual Dynamic DynamicShared(const std::string& name);

  // -- Kernels and threads.

  // Everything up to the `{`.
  virtual std::string KernelHead(const CKernel& kernel,
                                 const std::vector<std::string>& parameters) = 0;
  // Declares a parameter. Scalars of type bool come as bytes.
  virtual std::string Parameter(const CParameter& parameter) = 0;
  // Data of pointer parameters begins at a multiple of so many bytes, where its elements alone do
  // not say so: whoever launches the kernel sees to that.
  virtual int64_t ArgumentAlignment() { return 1; }
  // This thread's place on an axis: an integer of any type.
  virtual std::string ThreadIndex(const std::string& tag) = 0;
  // A statement without `;`. Scope: "warp", "shared", "global".
  virtual std::string Barrier(const std::string& scope) = 0;
  // An intrinsic atomic_*: what the element held before. `args`: the operands after the place.
  virtual std::string Atomic(std::string_view op, DataType type, const std::string& scope,
                             const std::string& pointer, const std::vector<std::string>& args);
  // warp_shuffle*: mask, value, x, width.
  virtual std::string Shuffle(std::string_view op, DataType type,
                              const std::vector<std::string>& args);
  virtual std::string ActiveMask(DataType type);
  // async_copy, async_commit and async_wait as statements without `;`. "": the copy is made where
  // it begins, so that there is nothing to commit or wait for. All or none of them.
  virtual std::string AsyncCopy(DataType element, const std::string& to_scope,
                                const std::string& to, const std::string& from_scope,
                                const std::string& from, int64_t count, int64_t alignment);
  virtual std::string AsyncCommit() { return ""; }
  virtual std::string AsyncWait(int64_t groups) { return (void)groups, ""; }
  // What stands before a loop that asks to be unrolled (annotation "unroll"); "" for nothing.
  virtual std::string UnrollPragma() { return "#pragma unroll"; }

  // -- The text.

  // Is this identifier taken by the language, its library or the dialect's own text (what
  // KernelHead and Prelude name)? Variables are called as the schedule calls them: `threadIdx.x`
  // becomes threadIdx_x. The default: C's and C++'s keywords.
  virtual bool IsReserved(std::string_view name);
  // Before a function of the generator's own, such as one for floor division.
  virtual std::string HelperQualifiers() { return "static inline"; }
  // The top of the text; asked when all else is written.
  virtual std::string Prelude() { return ""; }

  // Throws Error "c-source-unsupported".
  [[noreturn]] static void Unsupported(const std::string& what, const std::string& help = "");
};

}  // namespace lathe::sdk
