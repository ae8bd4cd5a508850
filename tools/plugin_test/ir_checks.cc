// The IR that the plugin gets. It must accept valid IR or decline it with a reason. Invalid IR must
// give an error.
#include "ir/binary.h"
#include "tools/plugin_test/goldens.h"
#include "tools/plugin_test/programs.h"
#include "tools/plugin_test/session.h"

namespace lathe::kit {
namespace {

constexpr int kMutations = 400;

absl::StatusOr<Library> OpenForIr(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject);
  if (library.ok() && library->codegen() == nullptr) return NotApplicable("it compiles nothing");
  return library;
}

// The plugin may decline, fail with an error object, or compile. It must not crash or fail without
// an error.
absl::Status Survives(const Library& library, const Subject& subject, const std::string& ir) {
  const lathe_codegen_api& codegen = *library.codegen();
  const std::string target = TargetTextOf(subject);
  if (codegen.check != nullptr) {
    const lathe_bytes bytes = {ir.data(), ir.size()};
    int32_t accepted = 0;
    lathe_value reason{};
    const bool failed =
        codegen.check(codegen.self, &bytes, target.c_str(), &accepted, &reason) != 0;
    const bool said = reason.kind == LATHE_VALUE_OBJECT;
    Drop(&reason);
    KIT_RETURN_IF_ERROR(Require(said || (!failed && accepted != 0), "check says no and not why"));
  }
  std::string made, kind;
  const absl::Status status = CompileOnce(library, {ir, target}, &made, &kind);
  if (!status.ok() && status.message().find("without an error object") != std::string_view::npos)
    return status;
  return absl::OkStatus();
}

absl::Status EmptyModule(const Subject& subject) {
  const std::string ir = ir::EncodeModule(ir::MakeModule({}));
  absl::StatusOr<Library> library = OpenForIr(subject);
  return library.ok() ? Survives(*library, subject, ir) : library.status();
}

absl::Status SmallModule(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  absl::StatusOr<Library> library = OpenForIr(subject);
  if (!library.ok()) return library.status();
  std::string bytes, kind;
  return CompileOnce(*library, input, &bytes, &kind);
}

absl::Status Truncated(const Subject& subject) {
  const std::string ir = SmallIr(subject);
  absl::StatusOr<Library> library = OpenForIr(subject);
  if (!library.ok()) return library.status();
  const size_t step = ir.size() / 100 + 1;
  for (size_t size = 0; size < ir.size(); size += step)
    KIT_RETURN_IF_ERROR(Survives(*library, subject, ir.substr(0, size)));
  return absl::OkStatus();
}

absl::Status BitsFlipped(const Subject& subject) {
  const std::string ir = SmallIr(subject);
  absl::StatusOr<Library> library = OpenForIr(subject);
  if (!library.ok()) return library.status();
  uint64_t state = 88172645463325252ull;
  for (int i = 0; i < kMutations; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::string mutated = ir;
    mutated[state % mutated.size()] = static_cast<char>(state >> 32);
    KIT_RETURN_IF_ERROR(Survives(*library, subject, mutated));
  }
  return absl::OkStatus();
}

absl::Status OtherVersion(const Subject& subject) {
  std::string ir = SmallIr(subject);
  absl::StatusOr<Library> library = OpenForIr(subject);
  if (!library.ok()) return library.status();
  ir[8] = 99;  // the version comes after the magic
  std::string made, kind;
  return Require(!CompileOnce(*library, {ir, TargetTextOf(subject)}, &made, &kind).ok(),
                 "IR of version 99 was compiled");
}

absl::Status WhatFollows(const Subject& subject) {
  const std::string ir = SmallIr(subject) + "more";
  absl::StatusOr<Library> library = OpenForIr(subject);
  if (!library.ok()) return library.status();
  std::string made, kind;
  return Require(!CompileOnce(*library, {ir, TargetTextOf(subject)}, &made, &kind).ok(),
                 "bytes behind the IR were passed over");
}

// Much deeper nesting than real programs have. It is too deep for visitors that recurse on the C++
// stack.
absl::Status DeepNesting(const Subject& subject) {
  const ir::Module module = [&] {
    ir::Expr sum = ir::Int(1);
    const ir::Var x = ir::MakeVar("x");
    for (int i = 0; i < 20000; ++i) sum = ir::MakeSelect(ir::Expr(x) > sum, sum, x);
    const ir::Func func = ir::MakeFunc("f", {x}, ir::MakeEvaluate(sum));
    return ir::MakeModule({func});
  }();
  const std::string ir = ir::EncodeModule(module);
  absl::StatusOr<Library> library = OpenForIr(subject);
  return library.ok() ? Survives(*library, subject, ir) : library.status();
}

absl::Status WrongTargets(const Subject& subject) {
  const std::string ir = SmallIr(subject);
  absl::StatusOr<Library> library = OpenForIr(subject);
  if (!library.ok()) return library.status();
  for (const char* target : {"", "-", "\"", "kind-of-nobody -x=1"}) {
    std::string made, kind;
    const absl::Status status = CompileOnce(*library, {ir, target}, &made, &kind);
    if (!status.ok() && status.message().find("without an error object") != std::string_view::npos)
      return status;
  }
  return absl::OkStatus();
}

absl::Status CanonicalIsAFixedPoint(const Subject& subject) {
  absl::StatusOr<Library> library = OpenForIr(subject);
  if (!library.ok()) return library.status();
  const lathe_codegen_api& codegen = *library->codegen();
  if (codegen.canonical == nullptr) return NotApplicable("the host's normal form is it");
  std::string text = TargetTextOf(subject), before;
  for (int i = 0; i < 2; ++i) {
    lathe_value result{};
    if (codegen.canonical(codegen.self, text.c_str(), &result) != 0)
      return Failed(TakeError(&result));
    before = std::exchange(text, TextOf(result));
    Drop(&result);
  }
  KIT_RETURN_IF_ERROR(Require(!text.empty(), "the canonical target is empty"));
  return Require(text == before, "`" + before + "` becomes `" + text + "`");
}

// A plugin that says that it reads the first version must read its bytes.
absl::Status GoldenIr(const Subject& subject, const Golden& golden) {
  const target::TargetSchema& schema = subject.targets[0];
  if (schema.ir_lowest > golden.version)
    return NotApplicable("it reads later versions of the IR alone");
  if (!schema.machine.Supports("arithmetic", "float32"))
    return NotApplicable("the machine lacks float32");
  absl::StatusOr<Library> library = OpenForIr(subject);
  if (!library.ok()) return library.status();
  std::string bytes, kind;
  return CompileOnce(*library, {std::string(golden.bytes), TargetTextOf(subject)}, &bytes, &kind);
}

}  // namespace

void AddIrChecks(const Subject& subject, Checks* checks) {
  if (!subject.targets.empty()) {
    for (const Golden& golden : Goldens()) {
      if (golden.form != GoldenFormOf(subject.targets[0])) continue;
      checks->push_back({"ir", std::string("golden-") + golden.program,
                         [&golden](const Subject& one) { return GoldenIr(one, golden); }});
    }
  }
  checks->push_back({"ir", "small-module", SmallModule});
  checks->push_back({"ir", "empty-module", EmptyModule});
  checks->push_back({"ir", "truncated", Truncated});
  checks->push_back({"ir", "bits-flipped", BitsFlipped});
  checks->push_back({"ir", "other-version", OtherVersion});
  checks->push_back({"ir", "bytes-behind", WhatFollows});
  checks->push_back({"ir", "deep-nesting", DeepNesting});
  checks->push_back({"ir", "wrong-targets", WrongTargets});
  checks->push_back({"ir", "canonical-target", CanonicalIsAFixedPoint});
}

}  // namespace lathe::kit
