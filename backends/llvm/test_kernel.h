// For tests: kernels built by hand at stage `flat`, run as compiled code and by the reference
// interpreter.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/llvm/codegen.h"
#include "ir/interpreter.h"
#include "ir/module.h"

namespace lathe::llvm_backend {

// A buffer's contents: `elements` of dtype, compact.
struct Data {
  DataType dtype;
  int64_t elements = 0;
  std::vector<uint8_t> bytes;
  Data(DataType type, int64_t count);
  // Element i from a number, rounded; the number of element i.
  void Set(int64_t i, double value);
  double Get(int64_t i) const;
  template <class T>
  T* As() {
    return reinterpret_cast<T*>(bytes.data());
  }
};

// A packed function over rank-1 buffers: `body` sees them, and what it makes is wrapped in the
// taking of arguments.
struct KernelSpec {
  std::string name = "kernel";
  std::vector<ir::Buffer> buffers;
  std::vector<ir::Var> scalars;  // int64 or float64, after the buffers
  ir::Stmt body;
};
ir::Func MakeKernel(const KernelSpec& spec);
ir::Module MakeKernelModule(const KernelSpec& spec, std::vector<ir::Func> others = {});

ir::Expr Intrin(DataType dtype, const std::string& op, std::vector<ir::NodeRef> args);

// Compiled, loaded by the runtime's object loader, callable.
class CompiledKernel {
 public:
  CompiledKernel(const ir::Module& module, const std::string& target,
                 const std::vector<Data>& constants = {});
  ~CompiledKernel();
  // Returns what the entry returns; `*error` is the error's name, `*message` its message.
  int Call(const std::string& name, std::vector<Data*> buffers,
           const std::vector<ir::InterpValue>& scalars = {}, std::string* error = nullptr,
           std::string* message = nullptr) const;
  bool Defines(const std::string& name) const;

 private:
  struct Image;
  std::unique_ptr<Image> image_;
};

// How often `what` stands in `text`.
int64_t CountOf(const std::string& text, const std::string& what);

// The interpreter's side of the same call.
void Interpret(const ir::Module& module, const std::string& name, std::vector<Data*> buffers,
               const std::vector<ir::InterpValue>& scalars = {},
               const std::vector<Data>& constants = {});

// Runs the kernel both ways over copies of `buffers` and expects equal bytes (NaNs equal each
// other), or with `max_ulps` float32 and float64 results that close.
void ExpectSame(const KernelSpec& spec, const std::vector<Data>& buffers,
                const std::string& target = "llvm", double max_ulps = 0,
                const std::vector<Data>& constants = {});

}  // namespace lathe::llvm_backend
