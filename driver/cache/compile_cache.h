// CompileCache: loads code that this or another process compiled before, instead of compiling it
// again.
//
//   CompileCache cache(CacheOptions::FromEnvironment());
//   absl::StatusOr<runtime::Module> module =
//       BuildProgram({schedule, {a, b, c}, "gemm", target, {}}, &cache);
//
// The call in the second process takes some hundred microseconds: the runtime loads the object, and
// the plugin's library, which contains LLVM, is not even opened. docs/design/compile_cache.md says
// what keys are made of, and why.
//
// Thread-safe. Problems with the cache are reported (CacheStore) and never make a build fail.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/store.h"
#include "driver/compile.h"

namespace lathe::driver {

// A program with its schedule, and the target and options to compile it for.
struct ProgramToCompile {
  schedule::Schedule schedule;
  std::vector<ir::NodeRef> args;
  std::string name;
  target::Target target;
  lower::PassContext context;
};

class CompileCache {
 public:
  // The process's own cache, set up from the environment at the first call. It may be disabled.
  static CompileCache& Default();
  explicit CompileCache(CacheOptions options, CacheStore::Report report = nullptr)
      : store_(std::move(options), std::move(report)) {}

  CacheStore& store() { return store_; }
  // How many entries the calls below found and did not find. Calls without a key (see KeyOf) count
  // as neither.
  int64_t hits() const { return hits_; }
  int64_t misses() const { return misses_; }

  // The key of a program, or of a module at stage `tile`. There is none if no key can describe what
  // is compiled: if the cache is disabled; if intrinsic rules were registered that are not Lathe's
  // own; if `device`, `supports`, `after_pass` or `user_passes` of the context are set; if requests
  // to plugins are recorded (LATHE_DUMP_BOUNDARY); or if the plugin cannot be asked (then compiling
  // reports why).
  std::optional<Digest> KeyOf(const ProgramToCompile& program, plugins::OutputKind output);
  std::optional<Digest> KeyOf(const ir::Module& module, const target::Target& target,
                              plugins::OutputKind output, const lower::PassContext& context);

  // The key of what a caller makes with this compiler, for these targets: `what` names the kind,
  // `content` is everything else that decides the result. There is none in the cases above.
  std::optional<Digest> KeyOf(std::string_view what, const std::string& content,
                              const std::vector<target::Target>& targets,
                              const lower::PassContext& context);

  // Calls target::CanonicalTarget, and remembers the result across processes (target_identity.h).
  absl::StatusOr<target::Target> KnownCanonicalTarget(const target::Target& target);

  std::optional<Compiled> Find(const Digest& key);
  void Keep(const Digest& key, const Compiled& made, const std::string& label);

 private:
  std::optional<Digest> Key(std::string_view what, const std::string& content,
                            const target::Target& target, plugins::OutputKind output,
                            const lower::PassContext& context);
  CacheStore store_;
  std::atomic<int64_t> hits_{0}, misses_{0};
};

// Calls Lower and Build through the cache (null: without a cache). An entry that this runtime
// refuses to load is compiled again. Fails as Lower and Build do.
absl::StatusOr<runtime::Module> BuildProgram(const ProgramToCompile& program, CompileCache* cache);
// The plugin's output for a program, or for a module at stage `tile`. It comes from the cache, or
// it is compiled (driver/compile.h) and kept there.
absl::StatusOr<Compiled> FindOrCompile(const ProgramToCompile& program, plugins::OutputKind output,
                                       CompileCache* cache);
absl::StatusOr<Compiled> FindOrCompile(const ir::Module& module, const target::Target& target,
                                       plugins::OutputKind output,
                                       const lower::PassContext& context, CompileCache* cache);

}  // namespace lathe::driver
