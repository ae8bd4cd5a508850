#include "driver/cache/compile_cache.h"

#include <cstdlib>
#include <sstream>

#include "driver/cache/compiler_digest.h"
#include "driver/cache/key.h"
#include "driver/cache/target_identity.h"
#include "driver/lower_device.h"
#include "driver/time_limit.h"
#include "ir/binary.h"
#include "lower/intrinsics.h"
#include "lower/option_names.h"
#include "runtime/status.h"
#include "schedule/canonical_trace.h"
#include "schedule/trace_names.h"
#include "target/canonical.h"
#include "te/canonical.h"
#include "te/tensor_intrin.h"

namespace lathe::driver {
namespace {

using plugins::OutputKind;

std::string Encode(const ir::NodeRef& node) { return ir::EncodeNode(node, {.keep_private = true}); }

// Do people see more names of the compiled program than those of the function, its arguments and
// its sizes? They do in textual output, in the metadata of kernels, and in messages of the checked
// build.
bool ShowsInnerNames(const ProgramToCompile& program, OutputKind output) {
  return (output != OutputKind::kModule && output != OutputKind::kObject) ||
         TakesKernels(program.target) || program.context.Option(lower::option::kCheck) != 0;
}

// The names that people always see. An argument has the name of its stage.
std::string OuterNames(const ProgramToCompile& program, const std::vector<ir::NodeRef>& args) {
  std::string out;
  const auto add = [&](const std::string& name) {
    out += std::to_string(name.size()) + ":" + name;
  };
  add(program.name);
  for (const ir::NodeRef& arg : args) {
    const auto* tensor = ir::As<ir::TensorNode>(arg);
    if (tensor == nullptr) continue;
    const schedule::Stage* stage = program.schedule->Find(tensor->op);
    add(stage == nullptr ? tensor->op->name : stage->name);
  }
  for (const ir::Var& var : te::Canonicalize(args).vars) add(var->name);
  return out;
}

// A program's operations, arguments and trace, with the tensor intrinsics that the trace names.
// They are in canonical form unless people see inner names.
std::string ContentOf(const ProgramToCompile& program, OutputKind output) {
  const ir::Program named = schedule::ToProgram(program.schedule, program.args, program.name);
  const bool inner = ShowsInnerNames(program, output);
  const ir::Program written = inner ? named : schedule::CanonicalWithTrace(named);
  std::string out = (inner ? "" : OuterNames(program, named->args)) + Encode(written);
  for (const Ref<const ir::StepNode>& step : written->trace) {
    if (step->primitive != schedule::primitive::kTensorize) continue;
    const auto text = [&](const char* operand) -> std::string {
      const auto found = step->operands.find(operand);
      if (found == step->operands.end()) return "";
      const auto* given = ir::As<ir::StringImm>(found->second);
      return given == nullptr ? "" : given->value;
    };
    const std::string name = text(schedule::operand::kIntrin);
    if (!name.empty()) out += Encode(te::GetTensorIntrin(name, text(schedule::operand::kTarget)));
  }
  return out;
}

// The bytes of an entry: the module's kind, the symbols of its constants, then the code. The
// constants are not included, because the program that asks for the entry has them.
std::string Pack(const Compiled& made) {
  std::string out = made.module_kind;
  for (const SymbolConstant& constant : made.constants) out += " " + constant.symbol;
  return out + "\n" + made.bytes;
}
// Returns nothing if a constant is not in this process.
std::optional<Compiled> Unpack(const std::string& bytes) {
  const size_t end = bytes.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream head(bytes.substr(0, end));
  Compiled out;
  head >> out.module_kind;
  for (std::string symbol; head >> symbol;) {
    Ref<const Blob> data = FindBySymbol(symbol);
    if (!data) return std::nullopt;
    out.constants.push_back({symbol, std::move(data)});
  }
  out.bytes = bytes.substr(end + 1);
  return out;
}

// Returns the entry from the cache, or calls `make` to compile and keeps the result.
template <class F>
absl::StatusOr<Compiled> FindOrMake(CompileCache* cache, const std::optional<Digest>& key,
                                    const std::string& label, F make) {
  if (key) {
    if (std::optional<Compiled> found = cache->Find(*key)) return *std::move(found);
  }
  LATHE_ASSIGN_OR_RETURN(Compiled made, make());
  if (key) cache->Keep(*key, made, label);
  return made;
}

// Loads the entry from the cache, or what `make` makes. If the entry does not load, makes it again.
template <class F>
absl::StatusOr<runtime::Module> LoadOrMake(CompileCache* cache, const std::optional<Digest>& key,
                                           const std::string& label,
                                           const lower::PassContext& context, F make) {
  const auto load = [&](const Compiled& output) {
    const lower::TimedStep step(context, "driver", "load");
    return Load(output);
  };
  if (key) {
    if (const std::optional<Compiled> found = cache->Find(*key)) {
      absl::StatusOr<runtime::Module> module = load(*found);
      if (module.ok()) return module;
    }
  }
  LATHE_ASSIGN_OR_RETURN(const Compiled made, make());
  if (key) cache->Keep(*key, made, label);
  return load(made);
}

absl::StatusOr<Compiled> Make(const ProgramToCompile& program, OutputKind output) {
  const ir::Module module = Lower(program.schedule, program.args, program.name, program.context);
  return CompileModule(module, program.target, output, program.context);
}

std::string LabelOf(const std::string& name, const target::Target& target) {
  return name + " for " + target.ToString();
}

}  // namespace

CompileCache& CompileCache::Default() {
  static auto* cache = new CompileCache(CacheOptions::FromEnvironment());
  return *cache;
}

std::optional<Digest> CompileCache::Key(std::string_view what, const std::string& content,
                                        const target::Target& target, OutputKind output,
                                        const lower::PassContext& context) {
  absl::StatusOr<std::string> identity = TargetIdentity(target, store_);
  if (!identity.ok()) return std::nullopt;
  KeyBuilder key(what);
  key.Add(kCompilerDigest).Add(kVersion).Add(plugins::OutputKindName(output));
  key.Add(content).Add(context.Fingerprint()).Add(*identity);
  if (TakesKernels(target)) {
    absl::StatusOr<std::string> host = TargetIdentity(HostOf(target), store_);
    if (!host.ok()) return std::nullopt;
    key.Add(*host);
  }
  return key.Finish();
}

namespace {

// Can a key describe everything that decides what is compiled, and does the caller want only the
// result?
bool CanSay(CacheStore& store, const lower::PassContext& context) {
  // Recording needs real requests to plugins, so nothing may come from the cache.
  const char* recorded = secure_getenv("LATHE_DUMP_BOUNDARY");
  if (recorded != nullptr && *recorded != '\0') return false;
  return store.enabled() && !context.device && !context.supports && !context.after_pass &&
         !context.user_passes && !lower::HasForeignRules();
}

}  // namespace

std::optional<Digest> CompileCache::KeyOf(const ProgramToCompile& program, OutputKind output) {
  if (!CanSay(store_, program.context)) return std::nullopt;
  const lower::TimedStep step(program.context, "driver", "cache key");
  return Key("program", ContentOf(program, output), program.target, output, program.context);
}

std::optional<Digest> CompileCache::KeyOf(const ir::Module& module, const target::Target& target,
                                          OutputKind output, const lower::PassContext& context) {
  if (!CanSay(store_, context)) return std::nullopt;
  const lower::TimedStep step(context, "driver", "cache key");
  return Key("module", Encode(module), target, output, context);
}

std::optional<Digest> CompileCache::KeyOf(std::string_view what, const std::string& content,
                                          const std::vector<target::Target>& targets,
                                          const lower::PassContext& context) {
  if (!CanSay(store_, context)) return std::nullopt;
  KeyBuilder key(what);
  key.Add(kCompilerDigest).Add(kVersion).Add(content).Add(context.Fingerprint());
  for (const target::Target& target : targets) {
    absl::StatusOr<std::string> identity = TargetIdentity(target, store_);
    if (!identity.ok()) return std::nullopt;
    key.Add(*identity);
  }
  return key.Finish();
}

absl::StatusOr<target::Target> CompileCache::KnownCanonicalTarget(const target::Target& target) {
  if (!store_.enabled()) return target::CanonicalTarget(target);
  LATHE_ASSIGN_OR_RETURN(const std::string identity, TargetIdentity(target, store_));
  return target::ParseTargetWith(identity.substr(0, identity.find('\n')), target.schema,
                                 target.plugin);
}

std::optional<Compiled> CompileCache::Find(const Digest& key) {
  std::optional<CacheEntry> entry = store_.Find(key);
  if (!entry || entry->kind != "code") {
    ++misses_;
    return std::nullopt;
  }
  std::optional<Compiled> found = Unpack(entry->bytes);
  ++(found ? hits_ : misses_);
  return found;
}

void CompileCache::Keep(const Digest& key, const Compiled& made, const std::string& label) {
  static_cast<void>(store_.Put(key, {"code", label, Pack(made)}));
}

absl::StatusOr<runtime::Module> BuildProgram(const ProgramToCompile& program, CompileCache* cache) {
  const TimeLimit limit(program.context);
  const std::optional<Digest> key =
      cache == nullptr ? std::nullopt : cache->KeyOf(program, OutputKind::kModule);
  return LoadOrMake(cache, key, LabelOf(program.name, program.target), program.context,
                    [&] { return Make(program, OutputKind::kModule); });
}

absl::StatusOr<Compiled> FindOrCompile(const ProgramToCompile& program, OutputKind output,
                                       CompileCache* cache) {
  const TimeLimit limit(program.context);
  const std::optional<Digest> key = cache == nullptr ? std::nullopt : cache->KeyOf(program, output);
  return FindOrMake(cache, key, LabelOf(program.name, program.target),
                    [&] { return Make(program, output); });
}

absl::StatusOr<Compiled> FindOrCompile(const ir::Module& module, const target::Target& target,
                                       OutputKind output, const lower::PassContext& context,
                                       CompileCache* cache) {
  const TimeLimit limit(context);
  const std::optional<Digest> key =
      cache == nullptr ? std::nullopt : cache->KeyOf(module, target, output, context);
  std::string names;
  for (const ir::Func& func : module->functions) names += (names.empty() ? "" : ", ") + func->name;
  return FindOrMake(cache, key, LabelOf(names, target),
                    [&] { return CompileModule(module, target, output, context); });
}

}  // namespace lathe::driver
