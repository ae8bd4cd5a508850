#include "backends/llvm/machine.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "target/attribute_names.h"

namespace lathe::llvm_backend {
namespace {

constexpr char kOptLevel[] = "opt-level";  // an attribute of the target

void InitializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
#define LATHE_INITIALIZE(target)        \
  LLVMInitialize##target##TargetInfo(); \
  LLVMInitialize##target##Target();     \
  LLVMInitialize##target##TargetMC();   \
  LLVMInitialize##target##AsmPrinter();
    LATHE_INITIALIZE(AArch64)
    LATHE_INITIALIZE(ARM)
    LATHE_INITIALIZE(RISCV)
    LATHE_INITIALIZE(X86)
#undef LATHE_INITIALIZE
  });
}

[[noreturn]] void Fail(std::string name, std::string message, std::string expected,
                       std::string found, std::string help) {
  throw Error(Diagnostic{.name = std::move(name),
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

std::string DidYouMean(const std::string& wanted, const std::vector<std::string>& known,
                       const std::string& otherwise) {
  const std::vector<std::string> nearest = NearestNames(wanted, known);
  return nearest.empty() ? otherwise : "did you mean " + QuotedList(nearest) + "?";
}

std::string TripleOf(const sdk::Target& target) {
  const std::string& given = target.Get(target::attribute::kMtriple);
  const std::string& alias = target.Get(target::attribute::kTripleAlias);
  if (!given.empty() && !alias.empty() && given != alias) {
    Fail("llvm-bad-option", "-mtriple= and its alias -target= differ", given, alias,
         "give one of them");
  }
  const std::string& chosen = given.empty() ? alias : given;
  return llvm::Triple::normalize(chosen.empty() ? llvm::sys::getProcessTriple() : chosen);
}

const llvm::Target& FindTarget(const std::string& triple) {
  InitializeTargets();
  std::string ignored;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, ignored);
  if (target == nullptr) {
    const std::string arch = triple.substr(0, triple.find('-'));
    Fail("llvm-unknown-triple", "there is no code generator for the triple `" + triple + "`",
         "a triple that starts with " + QuotedList(KnownArchitectures()), "`" + arch + "`",
         DidYouMean(arch, KnownArchitectures(), "an example: -mtriple=aarch64-linux-gnu"));
  }
  return *target;
}

bool IsHost(const std::string& triple) {
  const llvm::Triple wanted(triple), host(llvm::sys::getProcessTriple());
  return wanted.getArch() == host.getArch() && wanted.getOS() == host.getOS();
}

std::string BaselineCpu(const llvm::Triple& triple) {
  switch (triple.getArch()) {
    case llvm::Triple::x86_64:
      return "x86-64";
    case llvm::Triple::riscv32:
      return "generic-rv32";
    case llvm::Triple::riscv64:
      return "generic-rv64";
    default:
      return "generic";
  }
}

// The features that decide which instructions a schedule may count on: a canonical target states
// for each of them whether it is there. LLVM knows hundreds more, most of them tuning hints.
constexpr const char* kSpelledOut[] = {
    // X86
    "sse4.1", "sse4.2", "avx", "avx2", "fma", "f16c", "avxvnni", "avxvnniint8", "avx512f",
    "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512vbmi", "avx512vnni", "avx512bf16",
    "avx512fp16", "amx-tile", "amx-int8", "amx-bf16", "amx-fp16",
    // AArch64 and ARM
    "neon", "vfp4", "fp16", "fullfp16", "fp16fml", "dotprod", "i8mm", "bf16", "sve", "sve2",
    // RISC-V
    "m", "a", "f", "d", "c", "v", "zfh", "zfhmin", "zvfh"};

std::vector<std::string> AllFeatures(const llvm::MCSubtargetInfo& info) {
  std::vector<std::string> names;
  for (const llvm::SubtargetFeatureKV& feature : info.getAllProcessorFeatures())
    names.push_back(feature.Key);
  return names;
}

std::unique_ptr<llvm::MCSubtargetInfo> Subtarget(const llvm::Target& target,
                                                 const std::string& triple, const std::string& cpu,
                                                 const std::string& features) {
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target.createMCSubtargetInfo(triple, cpu, features));
}

// The processor of this machine. It is asked once: on a virtual machine each CPUID instruction
// traps to the hypervisor, and there are dozens.
struct HostProcessor {
  std::string cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
};
const HostProcessor& TheHost() {
  static const auto* const host = new HostProcessor;
  return *host;
}

// Processor and features of a target, after checking.
struct Processor {
  std::string cpu;
  std::vector<std::string> features;  // "+avx2", "-fma"; in the order given
};

void CheckCpu(const llvm::Target& target, const std::string& triple, const std::string& cpu) {
  // For an unknown processor LLVM prints a message and goes on; an empty name means no processor at
  // all.
  auto info = Subtarget(target, triple, "", "");
  if (info->isCPUStringValid(cpu)) return;
  std::vector<std::string> names;
  for (const llvm::SubtargetSubTypeKV& known : info->getAllProcessorDescriptions())
    names.push_back(known.Key);
  Fail("llvm-unknown-cpu", "LLVM knows no processor `" + cpu + "` for " + triple,
       "a processor of that architecture", "`" + cpu + "`",
       DidYouMean(cpu, names, "-mcpu=native takes this machine's"));
}

void CheckFeatures(const llvm::Target& target, const std::string& triple,
                   const std::vector<std::string>& features) {
  auto info = Subtarget(target, triple, "", "");
  const std::vector<std::string> names = AllFeatures(*info);
  for (const std::string& feature : features) {
    if (feature.size() < 2 || (feature[0] != '+' && feature[0] != '-')) {
      Fail("llvm-unknown-feature", "-mattr= lists features with a sign",
           "`+name` or `-name`, separated by commas", "`" + feature + "`",
           "write -mattr=+" + feature);
    }
    const std::string name = feature.substr(1);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      Fail("llvm-unknown-feature", "LLVM knows no feature `" + name + "` for " + triple,
           "a feature of that architecture", "`" + feature + "`",
           DidYouMean(name, names, "leave it out"));
    }
  }
}

Processor ProcessorOf(const llvm::Target& llvm_target, const std::string& triple,
                      const sdk::Target& target) {
  Processor out;
  out.cpu = target.Get(target::attribute::kMcpu);
  if (out.cpu == target::kNativeCpu && !IsHost(triple)) {
    Fail("llvm-unknown-cpu",
         "-mcpu=native means this machine's processor, which " + triple + " is not",
         "the name of a processor of that architecture", "`native`",
         "name one, or leave -mcpu= out for the baseline");
  }
  if (out.cpu == target::kNativeCpu || (out.cpu.empty() && IsHost(triple))) {
    out.cpu = TheHost().cpu;
    auto info = Subtarget(llvm_target, triple, "", "");
    if (!info->isCPUStringValid(out.cpu)) out.cpu = BaselineCpu(llvm::Triple(triple));
    // The features that this machine has or lacks compared to its processor's name: virtual
    // machines hide some.
    auto named = Subtarget(llvm_target, triple, out.cpu, "");
    const std::vector<std::string> known = AllFeatures(*info);
    std::vector<std::string> found;
    for (const auto& feature : TheHost().features) {
      const std::string name = feature.getKey().str();
      if (std::find(known.begin(), known.end(), name) == known.end()) continue;
      const std::string sign = feature.getValue() ? "+" : "-";
      if (!named->checkFeatures(sign + name)) found.push_back(sign + name);
    }
    std::sort(found.begin(), found.end());
    out.features = found;
  } else if (out.cpu.empty()) {
    out.cpu = BaselineCpu(llvm::Triple(triple));
  }
  CheckCpu(llvm_target, triple, out.cpu);
  std::vector<std::string> given = target.GetList(target::attribute::kMattr);
  if (given.empty() && target.Get(target::attribute::kMcpu).empty() && out.features.empty() &&
      llvm::Triple(triple).isRISCV64()) {
    given = {"+m", "+a", "+f", "+d", "+c"};  // what Linux distributions take for granted
  }
  CheckFeatures(llvm_target, triple, given);
  for (const std::string& feature : given) {
    // A later feature overrides an earlier one, as in LLVM.
    std::erase_if(out.features,
                  [&](const std::string& old) { return old.substr(1) == feature.substr(1); });
    out.features.push_back(feature);
  }
  return out;
}

int IntOption(const sdk::Target& target, const char* key, int otherwise,
              const std::vector<int>& allowed) {
  const std::string& text = target.Get(key);
  if (text.empty()) return otherwise;
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    std::vector<std::string> names;
    for (int choice : allowed) names.push_back(std::to_string(choice));
    Fail("llvm-bad-option", std::string("-") + key + "= has no such value", QuotedList(names),
         "`" + text + "`", std::string("leave -") + key + "= out for the default");
  }
  return value;
}

llvm::FloatABI::ABIType FloatAbi(const sdk::Target& target, const llvm::Triple& triple,
                                 std::string* name) {
  *name = target.Get(target::attribute::kMfloatAbi);
  if (name->empty() && (triple.isARM() || triple.isThumb())) {
    const auto environment = triple.getEnvironment();
    *name = environment == llvm::Triple::GNUEABIHF || environment == llvm::Triple::EABIHF ||
                    environment == llvm::Triple::MuslEABIHF
                ? "hard"
                : "softfp";
  }
  if (name->empty()) return llvm::FloatABI::Default;
  if (*name == "hard") return llvm::FloatABI::Hard;
  if (*name == "soft" || *name == "softfp") return llvm::FloatABI::Soft;
  Fail("llvm-bad-option", "-mfloat-abi= has no such value", "`hard`, `softfp` or `soft`",
       "`" + *name + "`", "leave it out: the triple decides");
}

MachineTraits TraitsOf(const llvm::Triple& triple, const llvm::MCSubtargetInfo& info) {
  MachineTraits traits;
  auto has = [&](const char* feature) { return info.checkFeatures(feature); };
  if (triple.isX86()) {
    traits.arch_prefix = "x86";
    traits.native.float16 = has("+f16c") || has("+avx512f");
    traits.hardware_fma = has("+fma") || has("+avx512f");
    traits.avx512 = has("+avx512f");
    traits.vector_width = has("+avx512f") ? 512 : has("+avx") ? 256 : 128;
  } else if (triple.isAArch64()) {
    traits.arch_prefix = "aarch64";
    traits.native.float16 = true;
    traits.scalable_vectors = has("+sve");
  } else if (triple.isARM() || triple.isThumb()) {
    traits.arch_prefix = "arm";
    traits.native.float16 = has("+fp16");
    traits.hardware_fma = has("+vfp4");
    traits.hardware_minmax = has("+fp-armv8");
  } else {
    traits.arch_prefix = "riscv";
    traits.native.float16 = has("+zfhmin") || has("+zfh");
    traits.hardware_fma = has("+f") && has("+d");
    traits.hardware_minmax = traits.hardware_fma;
    traits.extend_int32 = triple.isRISCV64();
    traits.scalable_vectors = has("+v");
  }
  return traits;
}

}  // namespace

Machine::Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

std::vector<std::string> KnownArchitectures() {
  return {"x86_64", "i686", "aarch64", "armv7", "thumbv7", "riscv64", "riscv32"};
}

Machine MakeMachine(const sdk::Target& target) {
  Machine out;
  out.triple = TripleOf(target);
  const llvm::Target& llvm_target = FindTarget(out.triple);
  const llvm::Triple triple(out.triple);
  const Processor processor = ProcessorOf(llvm_target, out.triple, target);
  const std::string features = llvm::join(processor.features, ",");
  out.opt_level = IntOption(target, kOptLevel, 3, {0, 1, 2, 3});
  std::string float_abi;
  llvm::TargetOptions options;
  options.FloatABIType = FloatAbi(target, triple, &float_abi);
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // only operations with the contract flag
  options.FunctionSections = false;
  const llvm::CodeGenOptLevel levels[] = {llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less,
                                          llvm::CodeGenOptLevel::Default,
                                          llvm::CodeGenOptLevel::Aggressive};
  auto info = Subtarget(llvm_target, out.triple, processor.cpu, features);
  if (triple.isRISCV() && info->checkFeatures("+d")) {
    options.MCOptions.ABIName = triple.isRISCV64() ? "lp64d" : "ilp32d";
  }
  out.llvm.reset(llvm_target.createTargetMachine(out.triple, processor.cpu, features, options,
                                                 llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                                 levels[out.opt_level]));
  LATHE_CHECK(out.llvm != nullptr) << "LLVM made no machine for " << out.triple;
  out.traits = TraitsOf(triple, *info);
  out.traits.cpu = processor.cpu;
  out.traits.features = features;
  out.traits.vector_width =
      IntOption(target, target::attribute::kVectorWidth, out.traits.vector_width, {128, 256, 512});
  return out;
}

namespace {

// Machines kept for the next compilation, the latest last.
struct Waiting {
  std::mutex mutex;
  std::vector<std::pair<std::map<std::string, std::string>, Machine>> machines;
};
Waiting& WaitingMachines() {
  static auto* const waiting = new Waiting;
  return *waiting;
}
constexpr size_t kMostWaiting = 8;

}  // namespace

Machine TakeMachine(const sdk::Target& target) {
  {
    Waiting& waiting = WaitingMachines();
    std::lock_guard lock(waiting.mutex);
    for (auto at = waiting.machines.rbegin(); at != waiting.machines.rend(); ++at) {
      if (at->first != target.attributes) continue;
      Machine found = std::move(at->second);
      waiting.machines.erase(std::next(at).base());
      return found;
    }
  }
  return MakeMachine(target);
}

void GiveBack(const sdk::Target& target, Machine machine) {
  Machine oldest;  // is destroyed after the lock is released
  Waiting& waiting = WaitingMachines();
  std::lock_guard lock(waiting.mutex);
  if (waiting.machines.size() == kMostWaiting) {
    oldest = std::move(waiting.machines.front().second);
    waiting.machines.erase(waiting.machines.begin());
  }
  waiting.machines.emplace_back(target.attributes, std::move(machine));
}

sdk::Target CanonicalTarget(sdk::Target target) {
  const sdk::Target asked = target;
  Machine machine = TakeMachine(asked);
  const llvm::Triple triple(machine.triple);
  const llvm::MCSubtargetInfo& info = *machine.llvm->getMCSubtargetInfo();
  std::vector<std::string> features;
  const std::vector<std::string> known = AllFeatures(info);
  for (const std::string name : kSpelledOut) {
    if (std::find(known.begin(), known.end(), name) == known.end()) continue;
    if (info.checkFeatures("+" + name)) features.push_back("+" + name);
  }
  std::string explicit_list = machine.traits.features;
  for (size_t begin = 0; begin < explicit_list.size();) {
    const size_t end = std::min(explicit_list.find(',', begin), explicit_list.size());
    const std::string feature = explicit_list.substr(begin, end - begin);
    if (std::find(features.begin(), features.end(), feature) == features.end())
      features.push_back(feature);
    begin = end + 1;
  }
  std::sort(features.begin(), features.end());
  target.attributes.erase(target::attribute::kTripleAlias);
  target.attributes[target::attribute::kMtriple] = machine.triple;
  target.attributes[target::attribute::kMcpu] = machine.traits.cpu;
  if (!features.empty()) target.attributes[target::attribute::kMattr] = llvm::join(features, ",");
  target.attributes[kOptLevel] = std::to_string(machine.opt_level);
  target.attributes[target::attribute::kVectorWidth] = std::to_string(machine.traits.vector_width);
  std::string float_abi;
  FloatAbi(target, triple, &float_abi);
  if (!float_abi.empty()) target.attributes[target::attribute::kMfloatAbi] = float_abi;
  GiveBack(asked, std::move(machine));
  return target;
}

}  // namespace lathe::llvm_backend
