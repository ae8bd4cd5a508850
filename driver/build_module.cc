#include "driver/build_module.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "driver/extern_calls.h"
#include "driver/link/merge_objects.h"
#include "driver/lower_device.h"
#include "driver/on_threads.h"
#include "driver/time_limit.h"
#include "ir/imports.h"
#include "ir/walk.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using plugins::OutputKind;

// Objects of hosts can be merged. The output of other plugins is in formats of their own.
bool MakesObjects(const target::Target& target) {
  return target.schema->makes_host_code ||
         (TakesKernels(target) && HostOf(target).schema->makes_host_code);
}

// If the context watches passes or adds some of its own, they must see the whole module.
bool SeesOnlyResults(const lower::PassContext& context) {
  return !context.after_pass && !context.user_passes && !context.device;
}

// The numbers of the functions that `func` names. Calls hold names as strings or as operations.
std::unordered_set<size_t> NamedBy(const ir::Func& func,
                                   const std::unordered_map<std::string, size_t>& numbers) {
  std::unordered_set<size_t> found;
  const auto look = [&](const std::string& name) {
    const auto it = numbers.find(name);
    if (it != numbers.end()) found.insert(it->second);
  };
  ir::PreOrder(func, [&](const ir::Node& node) {
    if (const auto* text = ir::As<ir::StringImm>(&node)) look(text->value);
    if (const auto* call = ir::As<ir::Call>(&node)) look(call->op);
    return true;
  });
  return found;
}

// Makes contexts for one compilation on several threads. If the caller's `cancelled` returns true
// or throws on the caller's thread, the work of all threads ends, and in the same way: which one's
// end is reported depends on their numbers (OnThreads), and Ctrl-C must not be lost by that.
class SharedCancel {
 public:
  lower::PassContext ForThisThread(const lower::PassContext& context) {
    lower::PassContext out = context;
    const bool callers = std::this_thread::get_id() == caller_;
    out.cancelled = [this, callers, ask = context.cancelled] {
      if (stopped_) {
        if (thrown_) std::rethrow_exception(thrown_);
        return true;
      }
      if (!callers || !ask) return false;
      try {
        if (ask()) stopped_ = true;
      } catch (...) {
        thrown_ = std::current_exception();
        stopped_ = true;
        throw;
      }
      return stopped_.load();
    };
    return out;
  }

 private:
  const std::thread::id caller_ = std::this_thread::get_id();
  std::exception_ptr thrown_;  // written once, before stopped_
  std::atomic<bool> stopped_{false};
};

// MakeEach, which tells how many are done.
template <class F>
std::vector<absl::StatusOr<Compiled>> CompileEach(size_t count, const BuildOptions& options,
                                                  F compile) {
  std::mutex mutex;
  size_t done = 0;
  return MakeEach<Compiled>(count, options.threads, [&](size_t i) {
    absl::StatusOr<Compiled> made = compile(i);
    if (options.progress) {
      const std::lock_guard lock(mutex);
      options.progress(++done, count);
    }
    return made;
  });
}

absl::StatusOr<Compiled> Merge(std::vector<absl::StatusOr<Compiled>> parts) {
  for (const absl::StatusOr<Compiled>& part : parts) LATHE_RETURN_IF_ERROR(part.status());
  std::vector<runtime::ObjectBytes> objects;
  Compiled out;
  out.module_kind = parts.front()->module_kind;
  std::unordered_set<std::string> symbols;
  for (const absl::StatusOr<Compiled>& part : parts) {
    objects.push_back({"compiled code", part->bytes});
    for (const SymbolConstant& constant : part->constants) {
      if (symbols.insert(constant.symbol).second) out.constants.push_back(constant);
    }
  }
  LATHE_ASSIGN_OR_RETURN(const Pieces merged, MergeArtifacts(objects));
  out.bytes = merged.Join();
  return out;
}

void RequireOneModule(std::span<const ProgramToCompile> programs) {
  std::unordered_set<std::string> names;
  for (const ProgramToCompile& program : programs) {
    const bool fresh = names.insert(program.name).second;
    if (fresh && program.target.ToString() == programs.front().target.ToString()) continue;
    throw Error(Diagnostic{
        .name = "build-programs",
        .message = fresh ? "one module's programs are for different targets"
                         : "two programs of one module are named `" + program.name + "`",
        .expected = fresh ? "`" + programs.front().target.ToString() + "`" : "names that differ",
        .found = fresh ? "`" + program.target.ToString() + "`" : ""});
  }
  if (programs.empty()) {
    throw Error(Diagnostic{.name = "build-programs",
                           .message = "a module is built from no programs",
                           .expected = "at least one"});
  }
}

// Loads the output of `compile`. If it came from the cache and does not load, compiles it again.
template <class F>
absl::StatusOr<runtime::Module> LoadMade(const lower::PassContext& context,
                                         const BuildOptions& options, F compile) {
  const int64_t before = options.cache == nullptr ? 0 : options.cache->hits();
  LATHE_ASSIGN_OR_RETURN(Compiled made, compile(options));
  const lower::TimedStep step(context, "driver", "load");
  absl::StatusOr<runtime::Module> module = Load(made);
  if (module.ok() || options.cache == nullptr || options.cache->hits() == before) return module;
  LATHE_ASSIGN_OR_RETURN(made, compile({.threads = options.threads}));
  return Load(made);
}

}  // namespace

std::vector<ir::Module> PartsOf(const ir::Module& module) {
  const size_t count = module->functions.size();
  if (count < 2 || !ir::ImportsIn(ir::GatherImports(module)->attrs).empty()) return {module};
  std::unordered_map<std::string, size_t> numbers;
  for (size_t i = 0; i < count; ++i) numbers[module->functions[i]->name] = i;
  // Disjoint sets: the first function of a part stands for the part.
  std::vector<size_t> first(count);
  std::iota(first.begin(), first.end(), 0);
  const auto find = [&](size_t i) {
    while (first[i] != i) i = first[i] = first[first[i]];
    return i;
  };
  for (size_t i = 0; i < count; ++i) {
    for (const size_t named : NamedBy(module->functions[i], numbers)) {
      const size_t a = find(i), b = find(named);
      first[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::vector<ir::Func>> parts(count);
  for (size_t i = 0; i < count; ++i) parts[find(i)].push_back(module->functions[i]);
  std::vector<ir::Module> out;
  for (std::vector<ir::Func>& part : parts) {
    if (part.size() == count) return {module};
    if (!part.empty()) out.push_back(ir::MakeModule(std::move(part), module->attrs));
  }
  return out;
}

// What was compiled as one piece, reported as `count` kernels.
absl::StatusOr<Compiled> AsOne(absl::StatusOr<Compiled> made, size_t count,
                               const BuildOptions& options) {
  if (options.progress) options.progress(count, count);
  return made;
}

absl::StatusOr<Compiled> CompileParts(const ir::Module& module, const target::Target& target,
                                      OutputKind output, const lower::PassContext& context,
                                      const BuildOptions& options) {
  const TimeLimit limit(context);
  const bool runs = output == OutputKind::kModule || output == OutputKind::kObject;
  std::vector<ir::Module> parts = {module};
  if (runs && MakesObjects(target) && SeesOnlyResults(context)) parts = PartsOf(module);
  if (parts.size() == 1)
    return AsOne(FindOrCompile(module, target, output, context, options.cache), 1, options);
  SharedCancel cancel;
  return Merge(CompileEach(parts.size(), options, [&](size_t i) {
    return FindOrCompile(parts[i], target, output, cancel.ForThisThread(context), options.cache);
  }));
}

absl::StatusOr<Compiled> CompileTogether(std::span<const ProgramToCompile> programs,
                                         OutputKind output, const BuildOptions& options) {
  RequireOneModule(programs);
  const TimeLimit limit(programs.front().context);
  if (programs.size() == 1)
    return AsOne(FindOrCompile(programs.front(), output, options.cache), 1, options);
  const target::Target& target = programs.front().target;
  if (!MakesObjects(target)) {
    std::vector<ir::Func> functions;
    for (const ProgramToCompile& program : programs) {
      const ir::Module one = Lower(program.schedule, program.args, program.name, program.context);
      functions.insert(functions.end(), one->functions.begin(), one->functions.end());
    }
    return AsOne(FindOrCompile(ir::MakeModule(std::move(functions)), target, output,
                               programs.front().context, options.cache),
                 programs.size(), options);
  }
  SharedCancel cancel;
  return Merge(CompileEach(programs.size(), options, [&](size_t i) {
    ProgramToCompile program = programs[i];
    program.context = cancel.ForThisThread(program.context);
    return FindOrCompile(program, output, options.cache);
  }));
}

absl::StatusOr<runtime::Module> BuildModule(const ir::Module& module, const target::Target& target,
                                            const lower::PassContext& context,
                                            const BuildOptions& options) {
  const TimeLimit limit(context);
  absl::StatusOr<runtime::Module> made = LoadMade(context, options, [&](const BuildOptions& how) {
    return CompileParts(module, target, OutputKind::kModule, context, how);
  });
  if (!made.ok()) return WithExternCallers(made.status(), module);
  return made;
}

absl::StatusOr<runtime::Module> BuildTogether(std::span<const ProgramToCompile> programs,
                                              const BuildOptions& options) {
  RequireOneModule(programs);
  return LoadMade(programs.front().context, options, [&](const BuildOptions& how) {
    return CompileTogether(programs, OutputKind::kModule, how);
  });
}

}  // namespace lathe::driver
