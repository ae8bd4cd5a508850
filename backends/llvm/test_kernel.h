// For tests: kernels built by hand at stage `flat`, run as compiled code and by the reference
// interpreter.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/llvm/codegen.h"
#include "ir/interpreter/interpreter.h"
#include "ir/module.h"

namespace lathe::llvm_backend {

// The contents of a buffer: `elements` elements of dtype, compact.
struct Data {
  DataType dtype;
  int64_t elements = 0;
  std::vector<uint8_t> bytes;
  Data(DataType type, int64_t count);
  // Set rounds the number to element i's type; Get reads element i as a number.
  void Set(int64_t i, double value);
  double Get(int64_t i) const;
  template <class T>
  T* As() {
    return reinterpret_cast<T*>(bytes.data());
  }
};

// A packed function over rank-1 buffers. `body` gets the buffers; code that unpacks the arguments
// is put around the statement that it returns.
struct KernelSpec {
  std::string name = "kernel";
  std::vector<ir::Buffer> buffers;
  std::vector<ir::Var> scalars;  // int64 or float64, after the buffers
  ir::Stmt body;
};
ir::Func MakeKernel(const KernelSpec& spec);
ir::Module MakeKernelModule(const KernelSpec& spec, std::vector<ir::Func> others = {});

ir::Expr Intrin(DataType dtype, const std::string& op, std::vector<ir::NodeRef> args);

// A kernel that was compiled and loaded by the runtime's object loader; it can be called.
class CompiledKernel {
 public:
  CompiledKernel(const ir::Module& module, const std::string& target,
                 const std::vector<Data>& constants = {});
  ~CompiledKernel();
  // Returns the result of the entry; `*error` becomes the error's name, `*message` its message.
  int Call(const std::string& name, std::vector<Data*> buffers,
           const std::vector<ir::InterpValue>& scalars = {}, std::string* error = nullptr,
           std::string* message = nullptr) const;
  bool Defines(const std::string& name) const;

 private:
  struct Image;
  std::unique_ptr<Image> image_;
};

// How often `what` occurs in `text`.
int64_t CountOf(const std::string& text, const std::string& what);

// Runs the same call in the interpreter.
void Interpret(const ir::Module& module, const std::string& name, std::vector<Data*> buffers,
               const std::vector<ir::InterpValue>& scalars = {},
               const std::vector<Data>& constants = {});

// Runs the kernel both ways over copies of `buffers` and expects equal bytes (NaNs are equal to
// each other). With `max_ulps`, float32 and float64 results may differ by that many units in the
// last place.
void ExpectSame(const KernelSpec& spec, const std::vector<Data>& buffers,
                const std::string& target = "llvm", double max_ulps = 0,
                const std::vector<Data>& constants = {});

}  // namespace lathe::llvm_backend
