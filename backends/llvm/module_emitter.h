// The state that the functions of one module share while LLVM IR is made: names, globals, the
// runtime table, constants. Internal to the code generator.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/llvm/arith.h"
#include "ir/module.h"
#include "lathe/abi/dlpack.h"
#include "lathe/abi/kernel.h"

namespace llvm {
class Constant;
class Function;
class FunctionType;
class GlobalVariable;
class Module;
class StructType;
}  // namespace llvm

namespace lathe::llvm_backend {

struct Constants;  // codegen.h

// Facts about the machine that influence the LLVM IR.
struct MachineTraits {
  NativeConversions native;
  bool hardware_minmax = true;
  bool hardware_fma = true;
  bool avx512 = false;
  bool extend_int32 = false;  // the C ABI wants int32 arguments sign-extended (riscv64)
  bool scalable_vectors = false;
  int vector_width = 128;  // bits; the width to which loops are vectorised
  std::string
      arch_prefix;  // LLVM's prefix of this machine's intrinsics: "x86", "aarch64", "arm", "riscv"
  std::string cpu, features;  // of every function
};

class ModuleEmitter {
 public:
  // `module` already has its triple and data layout. Everything borrowed must outlive the emitter.
  // If `constants` is null, the module is made for a check only: constants are declared, not
  // defined.
  ModuleEmitter(llvm::Module& module, const MachineTraits& traits, const Constants* constants);

  // Declares and defines every function, then the artefact's symbol. Throws Error.
  void Emit(const ir::Module& source);
  // One char per constant: '1' if a function uses it, so that the object contains it.
  const std::string& consumed() const { return consumed_; }

  llvm::Module& module() { return module_; }
  llvm::LLVMContext& context() const { return context_; }
  const MachineTraits& traits() const { return traits_; }

  // A function of this module; throws `codegen-unknown-function`.
  llvm::Function* FindFunction(const std::string& name, DataType* return_type = nullptr);
  // A C function outside the module; throws `codegen-extern-mismatch` if `name` was declared with
  // other types before.
  llvm::Function* Extern(const std::string& name, llvm::FunctionType* type);
  // A NUL-terminated constant string.
  llvm::GlobalVariable* String(const std::string& text);
  // A word for this call site, zero at the start.
  llvm::GlobalVariable* CallSiteCache();
  // The bytes of constant i, in this module or by its symbol; throws `codegen-missing-constant`.
  llvm::GlobalVariable* Constant(int64_t index, const ir::BufferNode& buffer);
  // The variable into which the loader writes the address of the runtime table.
  llvm::GlobalVariable* table_slot() const { return table_slot_; }

  // Says which memory the slots of a parallel body's closure point to, as known by the function
  // that filled the slots; used for alias scopes. Null if it is not known.
  void SetClosureRoots(llvm::Function* body, std::unordered_map<int64_t, const ir::Node*> roots) {
    closure_roots_[body] = std::move(roots);
  }
  const ir::Node* ClosureRoot(llvm::Function* body, int64_t slot) const;

  // The code uses an entry that the runtime has since this version of the kernel ABI.
  void NeedsAbi(uint32_t version) { abi_ = std::max(abi_, version); }

  // The C layouts of abi/ on this machine.
  llvm::StructType* value_type() const { return value_type_; }
  llvm::StructType* tensor_type() const { return tensor_type_; }

  // Sets the processor, features and vector width that the function is compiled for. They are the
  // same for all functions of a module: LLVM makes a subtarget for each combination, which takes as
  // long as compiling a small function.
  void AddMachine(llvm::Function* function) const;
  // Sets the attributes of a C parameter or result of type `dtype`, on calls and definitions alike.
  void ExtendParameter(llvm::Function* function, unsigned index, DataType dtype) const;
  void ExtendResult(llvm::Function* function, DataType dtype) const;

 private:
  llvm::Function* Declare(const ir::FuncNode& func);
  template <class Listed, class NameOf>
  std::pair<llvm::Constant*, uint64_t> ListFunctions(const ir::Module& source, const char* global,
                                                     Listed listed, NameOf name_of);
  llvm::Constant* PlaceCallSites();
  void EmitArtifact(const ir::Module& source);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const MachineTraits& traits_;
  const Constants* constants_;
  std::string consumed_;
  struct Known {
    llvm::Function* function;
    DataType return_type;
  };
  std::map<std::string, Known, std::less<>> functions_;
  std::map<std::string, llvm::GlobalVariable*, std::less<>> strings_;
  std::unordered_map<int64_t, llvm::GlobalVariable*> constant_globals_;
  std::unordered_map<llvm::Function*, std::unordered_map<int64_t, const ir::Node*>> closure_roots_;
  std::vector<llvm::GlobalVariable*> call_sites_;
  uint32_t abi_ = LATHE_KERNEL_ABI_FIRST;
  llvm::StructType* value_type_ = nullptr;
  llvm::StructType* tensor_type_ = nullptr;
  llvm::GlobalVariable* table_slot_ = nullptr;
};

// Defines `function` with the body of `func` (function_emitter.cc).
void EmitFunction(ModuleEmitter& module, const ir::FuncNode& func, llvm::Function* function);

[[noreturn]] void Unsupported(const std::string& name, const std::string& message,
                              const std::string& help = "");

}  // namespace lathe::llvm_backend
