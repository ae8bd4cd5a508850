#include "backends/llvm/codegen.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "backends/llvm/machine.h"
#include "backends/llvm/module_emitter.h"
#include "backends/llvm/optimize.h"
#include "backends/llvm/required_features.h"
#include "backends/llvm/stop.h"
#include "base/error.h"
#include "ir/imports.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

namespace lathe::llvm_backend {
namespace {

class Clock {
 public:
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

[[noreturn]] void Refused(const std::string& reason) {
  throw Error(
      Diagnostic{.name = "llvm-refused",
                 .message = "LLVM cannot compile this module: " + reason,
                 .help = "often an intrinsic that the processor lacks: see -mcpu= and -mattr="});
}

// LLVM ends the process when it finds no instruction for an operation. This handler throws instead,
// so that the caller survives. The objects that LLVM held at that moment are never freed.
void InstallFatalHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler([](void*, const char* reason, bool) { Refused(reason); });
  });
}

// Keeps the first error that LLVM reports without ending the process.
class Reports final : public llvm::DiagnosticHandler {
 public:
  explicit Reports(std::string* first) : first_(first) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error && first_->empty()) {
      llvm::raw_string_ostream stream(*first_);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }

 private:
  std::string* first_;
};

// All objects that LLVM may still refer to when it gives up in the middle.
struct Session {
  Machine machine;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::string error;
};

std::string Emit(Session& session, llvm::CodeGenFileType type, Stop& stop) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  StoppablePasses passes(stop);
  if (session.machine.llvm->addPassesToEmitFile(passes, stream, nullptr, type, true)) {
    Refused("it writes no such file for this target");
  }
  passes.run(*session.module);
  return std::string(bytes.data(), bytes.size());
}

std::string Print(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

// The optimised module in the form that was asked for.
std::string Written(Session& session, Output output, Stop& stop) {
  switch (output) {
    case Output::kIr:
      return Print(*session.module);
    case Output::kBitcode: {
      std::string bytes;
      llvm::raw_string_ostream stream(bytes);
      llvm::WriteBitcodeToFile(*session.module, stream);
      return bytes;
    }
    case Output::kAssembly:
      return Emit(session, llvm::CodeGenFileType::AssemblyFile, stop);
    default:
      return Emit(session, llvm::CodeGenFileType::ObjectFile, stop);
  }
}

// The text of a function's body without comments and the numbers of attributes and metadata, which
// depend on the module.
std::string CodeOf(const llvm::Function& function) {
  std::string text, out;
  llvm::raw_string_ostream stream(text);
  function.print(stream);
  for (size_t i = text.find('{'); i < text.size(); ++i) {
    if (text[i] == ';') i = std::min(text.find('\n', i), text.size() - 1);
    out += text[i];
    if (text[i] != '!' && text[i] != '#') continue;
    while (i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9') ++i;
  }
  return out;
}

// True if the value is or has a function or variable that only its own module can see: of the same
// name, another module may have another one.
bool IsOfOneModule(const llvm::Value& value) {
  if (const auto* global = llvm::dyn_cast<llvm::GlobalValue>(&value))
    return global->hasLocalLinkage();
  if (llvm::isa<llvm::InlineAsm>(value)) return true;  // its text may hold what CodeOf leaves out
  const auto* constant = llvm::dyn_cast<llvm::Constant>(&value);
  return constant != nullptr && llvm::any_of(constant->operands(), [](const llvm::Use& operand) {
           return IsOfOneModule(*operand);
         });
}

// Two notes (metadata) of instructions, by kind. The note of a loop has an identity of its own, its
// first operand: what it says of the loop are the others.
bool SameNote(const std::pair<unsigned, llvm::MDNode*>& a,
              const std::pair<unsigned, llvm::MDNode*>& b) {
  if (a == b) return true;
  return a.first == b.first && a.first == llvm::LLVMContext::MD_loop &&
         std::equal(a.second->op_begin() + 1, a.second->op_end(), b.second->op_begin() + 1,
                    b.second->op_end());
}

// What CodeOf leaves out, of two instructions of one context, and what they refer to.
bool AgreesWith(const llvm::Instruction& a, const llvm::Instruction& b) {
  llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> notes, others;
  a.getAllMetadataOtherThanDebugLoc(notes);
  b.getAllMetadataOtherThanDebugLoc(others);
  if (!std::equal(notes.begin(), notes.end(), others.begin(), others.end(), SameNote)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&a)) {
    if (call->getAttributes() != llvm::cast<llvm::CallBase>(b).getAttributes()) return false;
  }
  return llvm::none_of(a.operands(),
                       [](const llvm::Use& operand) { return IsOfOneModule(*operand); });
}

// True if both are functions of the same code. False if that is not certain.
bool IsSameCode(const llvm::GlobalValue& a, const llvm::GlobalValue& b) {
  const auto* one = llvm::dyn_cast<llvm::Function>(&a);
  const auto* other = llvm::dyn_cast<llvm::Function>(&b);
  return one != nullptr && other != nullptr && a.getValueType() == b.getValueType() &&
         one->getCallingConv() == other->getCallingConv() &&
         one->getAttributes() == other->getAttributes() && CodeOf(*one) == CodeOf(*other) &&
         one->getInstructionCount() == other->getInstructionCount() &&
         std::equal(llvm::inst_begin(*one), llvm::inst_end(*one), llvm::inst_begin(*other),
                    AgreesWith);
}

// Links an imported source (LLVM assembly) into the module, and appends the names that it defines
// to `imported`. A function may be defined again by the same code.
void LinkImport(Session& session, const std::string& source, std::vector<std::string>* imported) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Diagnostic{
        .name = "llvm-import",
        .message = "a source that the module imports cannot be linked: " + why,
        .expected = "LLVM assembly (version 19) for the target, no function defined twice",
        .found = source.substr(0, source.find('\n')).substr(0, 80),
        .help = "llvm-as says more; clang -S -emit-llvm writes such text"});
  };
  const std::string bytes = source;  // the parser wants a NUL at the end
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> given =
      llvm::parseAssembly(llvm::MemoryBufferRef(bytes, "import_llvm"), problem, session.context);
  if (given == nullptr) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    problem.print("", stream, /*ShowColors=*/false);
    refuse(text);
  }
  const std::string& triple = given->getTargetTriple();
  if (!triple.empty() &&
      llvm::Triple(triple).getArch() != llvm::Triple(session.machine.triple).getArch())
    refuse("it is for " + triple + ", the target is " + session.machine.triple);
  given->setTargetTriple(session.module->getTargetTriple());
  given->setDataLayout(session.module->getDataLayout());
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyModule(*given, &stream)) refuse(broken);
  const MachineTraits& traits = session.machine.traits;
  for (llvm::Function& function : *given) {
    function.addFnAttr("target-cpu", traits.cpu);
    if (!traits.features.empty()) function.addFnAttr("target-features", traits.features);
  }
  const std::vector<std::string> before = *imported;
  for (llvm::GlobalValue& value : given->global_values()) {
    if (value.isDeclaration() || value.hasLocalLinkage() || value.hasAppendingLinkage()) continue;
    const std::string name = value.getName().str();
    llvm::GlobalValue* here = session.module->getNamedValue(name);
    if (here != nullptr && !here->isDeclaration()) {
      if (std::find(before.begin(), before.end(), name) == before.end() ||
          !IsSameCode(*here, value))
        refuse("`" + name + "` is defined already");
      auto& again = llvm::cast<llvm::Function>(value);
      again.deleteBody();
      again.setComdat(nullptr);
      continue;
    }
    if (here != nullptr && here->getValueType() != value.getValueType())
      refuse("`" + name + "` is called with other types than it is defined with");
    imported->push_back(name);
  }
  if (llvm::Linker::linkModules(*session.module, std::move(given)))
    refuse(session.error.empty() ? "LLVM's linker refuses it" : session.error);
}

// Links all imported sources. Their definitions become internal: no other module sees them, and
// those that nobody calls are removed.
void LinkImports(Session& session, const ir::Module& source) {
  std::vector<std::string> imported;
  for (const std::string& import : ir::ImportsOf(source->attrs, "llvm"))
    LinkImport(session, import, &imported);
  for (const std::string& name : imported) {
    llvm::GlobalValue* value = session.module->getNamedValue(name);
    if (value != nullptr && !value->isDeclaration())
      value->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

// Translates Lathe IR to verified LLVM IR.
void Generate(Session& session, const ir::Module& source, const Constants* constants,
              std::string* consumed) {
  session.context.setDiagnosticHandler(std::make_unique<Reports>(&session.error));
  session.module = std::make_unique<llvm::Module>("lathe", session.context);
  session.module->setTargetTriple(session.machine.triple);
  session.module->setDataLayout(session.machine.llvm->createDataLayout());
  session.module->setPICLevel(llvm::PICLevel::BigPIC);
  ModuleEmitter emitter(*session.module, session.machine.traits, constants);
  emitter.Emit(source);
  *consumed = emitter.consumed();
  // Before imports: their functions may state features of their own.
  RequireFeatures(*session.module, *session.machine.llvm, session.machine.traits.cpu);
  LinkImports(session, source);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  LATHE_CHECK(!llvm::verifyModule(*session.module, &stream))
      << "generated LLVM IR is invalid: " << problem;
}

}  // namespace

std::vector<sdk::StageTime> StageTimes::List() const {
  return {{"machine", machine}, {"generate", generate}, {"optimize", optimize}, {"emit", emit}};
}

Compilation Compile(const ir::Module& module, const sdk::Target& target, const Constants& constants,
                    Output output) {
  InstallFatalHandler();
  Clock clock;
  Compilation out;
  auto session = std::make_unique<Session>();
  session->machine = TakeMachine(target);
  out.times.machine = clock.Lap();
  Generate(*session, module, &constants, &out.consumed);
  out.times.generate = clock.Lap();
  if (output == Output::kPlainIr) {
    out.output = Print(*session->module);
    return out;
  }
  Stop stop;
  try {
    Optimize(*session->module, *session->machine.llvm, session->machine.opt_level, stop);
    out.times.optimize = clock.Lap();
    if (!stop.Asked()) out.output = Written(*session, output, stop);
  } catch (...) {
    // The error was thrown through LLVM: its objects are in no state to be destroyed.
    static_cast<void>(session.release());
    throw;
  }
  stop.Throw();
  out.times.emit = clock.Lap();
  if (!session->error.empty()) Refused(session->error);
  session->module.reset();
  GiveBack(target, std::move(session->machine));
  return out;
}

std::string Check(const ir::Module& module, const sdk::Target& target) {
  InstallFatalHandler();
  try {
    Session session;
    session.machine = MakeMachine(target);
    std::string consumed;
    Generate(session, module, nullptr, &consumed);
  } catch (const Error& error) {
    return error.diagnostic().message;
  }
  return "";
}

}  // namespace lathe::llvm_backend
