// LLVM, as this project links it, must have every target that the project generates code for.
// usage: llvm_test FILE...  with the target string of a board in each file

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

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
void InitializeOurTargets(){
#define LATHE_INITIALIZE(target)        \
  LLVMInitialize##target##TargetInfo(); \
  LLVMInitialize##target##Target();     \
  LLVMInitialize##target##TargetMC();   \
  LLVMInitialize##target##AsmPrinter();
    LATHE_INITIALIZE(AArch64) LATHE_INITIALIZE(ARM) LATHE_INITIALIZE(NVPTX) LATHE_INITIALIZE(RISCV)
        LATHE_INITIALIZE(X86)
#undef LATHE_INITIALIZE
}

// Files named on the command line.
std::vector<std::string>& BoardFiles() {
  static std::vector<std::string> files;
  return files;
}

// Value of `-name=value` in a target string; empty if it is not there.
std::string Attribute(const std::string& target, const std::string& name) {
  std::istringstream words(target);
  std::string word;
  while (words >> word) {
    if (word.starts_with("-" + name + "=")) return word.substr(name.size() + 2);
  }
  return "";
}

// Compiles `float twice(float x) { return x + x; }`; empty on failure.
std::string CompileTwice(const std::string& triple, const std::string& features,
                         llvm::CodeGenFileType type) {
  InitializeOurTargets();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return "";
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "", features, llvm::TargetOptions(), llvm::Reloc::PIC_));
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

TEST(LlvmTest, WritesObjectsForEveryBoard) {
  ASSERT_FALSE(BoardFiles().empty());
  for (const std::string& file : BoardFiles()) {
    std::string target;
    ASSERT_TRUE(std::getline(std::ifstream(file), target)) << file;
    std::string object = CompileTwice(Attribute(target, "mtriple"), Attribute(target, "mattr"),
                                      llvm::CodeGenFileType::ObjectFile);
    EXPECT_EQ(object.substr(0, 4), "\177ELF") << target;
  }
}

TEST(LlvmTest, WritesPtx) {
  std::string ptx = CompileTwice("nvptx64-nvidia-cuda", "", llvm::CodeGenFileType::AssemblyFile);
  EXPECT_NE(ptx.find("add.rn.f32"), std::string::npos) << ptx;
}

TEST(LlvmTest, KnowsNoSuchTarget) {
  EXPECT_EQ(CompileTwice("nonesuch", "", llvm::CodeGenFileType::ObjectFile), "");
}

}  // namespace
}  // namespace lathe

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::BoardFiles().assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
