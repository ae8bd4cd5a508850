// Every target that the project generates code for must be in the LLVM that it links.

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace lathe {
namespace {

// The static archives hold these targets only: LLVM's own "initialize all" would not link.
void InitializeOurTargets() {
#define LATHE_INITIALIZE(target)          \
  LLVMInitialize##target##TargetInfo();   \
  LLVMInitialize##target##Target();       \
  LLVMInitialize##target##TargetMC();     \
  LLVMInitialize##target##AsmPrinter();
  LATHE_INITIALIZE(AArch64)
  LATHE_INITIALIZE(ARM)
  LATHE_INITIALIZE(NVPTX)
  LATHE_INITIALIZE(RISCV)
  LATHE_INITIALIZE(X86)
#undef LATHE_INITIALIZE
}

// Compiles `float twice(float x) { return x + x; }`; empty on failure.
std::string CompileTwice(const std::string& triple, llvm::CodeGenFileType type) {
  InitializeOurTargets();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return "";
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "", "", llvm::TargetOptions(), llvm::Reloc::PIC_));
  llvm::LLVMContext context;
  llvm::Module module("test", context);
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  llvm::Type* f32 = llvm::Type::getFloatTy(context);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(f32, {f32}, false),
                                          llvm::Function::ExternalLinkage, "twice", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
  builder.CreateRet(builder.CreateFAdd(function->getArg(0), function->getArg(0)));
  llvm::SmallString<4096> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type)) return "";
  passes.run(module);
  return std::string(bytes);
}

TEST(LlvmTest, WritesObjectsForEveryCpu) {
  for (const char* triple : {"x86_64-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf",
                             "riscv64-linux-gnu"}) {
    std::string object = CompileTwice(triple, llvm::CodeGenFileType::ObjectFile);
    EXPECT_EQ(object.substr(0, 4), "\177ELF") << triple;
  }
}

TEST(LlvmTest, WritesPtx) {
  std::string ptx = CompileTwice("nvptx64-nvidia-cuda", llvm::CodeGenFileType::AssemblyFile);
  EXPECT_NE(ptx.find("add.rn.f32"), std::string::npos) << ptx;
}

TEST(LlvmTest, KnowsNoSuchTarget) {
  EXPECT_EQ(CompileTwice("nonesuch", llvm::CodeGenFileType::ObjectFile), "");
}

}  // namespace
}  // namespace lathe
