// CompileCache: what was compiled before, by this process or another one, is loaded and not
// compiled again.
//
//   CompileCache cache(CacheOptions::FromEnvironment());
//   absl::StatusOr<runtime::Module> module =
//       BuildProgram({schedule, {a, b, c}, "gemm", target, {}}, &cache);
//
// The second process needs some hundred microseconds for that: the runtime alone loads the object,
// and the plugin's library, with LLVM in it, is not even opened. docs/design/compile_cache.md says
// what keys are made of, and why.
//
// Thread-safe. Trouble with the cache is reported (CacheStore) and never fails a build.
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

// A program with its schedule, and what to compile it for.
struct ProgramToCompile {
  schedule::Schedule schedule;
  std::vector<ir::NodeRef> args;
  std::string name;
  target::Target target;
  lower::PassContext context;
};

class CompileCache {
 public:
  // The process's own, as the environment says at the first call; it may be disabled.
  static CompileCache& Default();
  explicit CompileCache(CacheOptions options, CacheStore::Report report = nullptr)
      : store_(std::move(options), std::move(report)) {}

  CacheStore& store() { return store_; }
  // What the calls below found and did not find; those that could not ask (see KeyOf) count as
  // neither.
  int64_t hits() const { return hits_; }
  int64_t misses() const { return misses_; }

  // The key of a program or of a module at stage `tile`. None where no key can say what is
  // compiled: the cache is disabled; somebody registered intrinsic rules of their own, or set
  // `device`, `supports`, `after_pass` or `user_passes` of the context; requests are recorded
  // (LATHE_DUMP_BOUNDARY); the plugin cannot be asked (compiling will say why).
  std::optional<Digest> KeyOf(const ProgramToCompile& program, plugins::OutputKind output);
  std::optional<Digest> KeyOf(const ir::Module& module, const target::Target& target,
                              plugins::OutputKind output, const lower::PassContext& context);

  // target::CanonicalTarget, remembered from process to process (target_identity.h).
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

// Lower and Build through the cache (null: without one). A loaded entry that this runtime refuses
// is compiled anew. Fails as those do.
absl::StatusOr<runtime::Module> BuildProgram(const ProgramToCompile& program, CompileCache* cache);
// What the plugin makes of a program, or of a module at stage `tile`: found in the cache, or
// compiled (driver/compile.h) and kept there.
absl::StatusOr<Compiled> FindOrCompile(const ProgramToCompile& program, plugins::OutputKind output,
                                       CompileCache* cache);
absl::StatusOr<Compiled> FindOrCompile(const ir::Module& module, const target::Target& target,
                                       plugins::OutputKind output,
                                       const lower::PassContext& context, CompileCache* cache);

}  // namespace lathe::driver
