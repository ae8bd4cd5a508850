#include "tune/builder.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/poll.h"
#include "driver/compile.h"
#include "driver/time_limit.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "ir/walk.h"
#include "lower/pass.h"
#include "runtime/cancel.h"
#include "runtime/status.h"

namespace lathe::tune {
namespace {

using std::chrono::steady_clock;

FailureKind KindOf(std::string_view name) {
  if (name == "out-of-memory") return FailureKind::kOutOfMemory;
  return name == "compile-time-limit" ? FailureKind::kTimeout : FailureKind::kBuild;
}

// Ends a compilation; nobody outside of this file sees it.
struct TooLarge {
  size_t nodes;
};

// The nodes that loops have at least when they are unrolled, counted before that is done: most
// candidates that are too large are so by far.
class UnrolledSize final : public ir::Visitor {
 public:
  explicit UnrolledSize(size_t enough) : enough_(enough) {}
  size_t nodes() const { return nodes_; }

 protected:
  bool Enter(const ir::Node& node) override {
    if (nodes_ >= enough_) return false;
    if (const auto extent = CopiesOf(node)) copies_ *= *extent;
    nodes_ += copies_;
    return true;
  }
  void Leave(const ir::Node& node) override {
    if (const auto extent = CopiesOf(node)) copies_ /= *extent;
  }

 private:
  static std::optional<size_t> CopiesOf(const ir::Node& node) {
    const auto* const loop = ir::As<ir::For>(&node);
    if (loop == nullptr || loop->for_kind != ir::ForKind::kUnrolled) return std::nullopt;
    const int64_t* const extent = ir::AsConstInt(loop->extent);
    if (extent == nullptr || *extent <= 0) return std::nullopt;
    return static_cast<size_t>(*extent);
  }

  const size_t enough_;
  size_t nodes_ = 0, copies_ = 1;
};

std::optional<Failure> Compile(const driver::ProgramToCompile& candidate, const BuildLimits& limits,
                               driver::Compiled* code, size_t* nodes) {
  lower::PassContext context = candidate.context;
  context.isolate = limits.isolate;
  const auto enough = limits.most_nodes == 0 ? SIZE_MAX : limits.most_nodes + 1;
  context.after_pass = [&, others = context.after_pass](const lower::Pass& pass,
                                                        const ir::Module& before,
                                                        const ir::Module& after, double seconds) {
    if (others) others(pass, before, after, seconds);
    if (std::string_view(pass.name) != "unroll") return;
    *nodes += ir::CountNodes(after, enough - std::min(*nodes, enough));
    if (*nodes >= enough) throw TooLarge{limits.most_nodes};
  };
  try {
    const driver::TimeLimit limit(limits.seconds);
    const ir::Module loops =
        driver::Lower(candidate.schedule, candidate.args, candidate.name, context);
    if (limits.most_nodes != 0) {
      UnrolledSize size(enough);
      size.Visit(loops);
      *nodes = size.nodes();
      if (*nodes >= enough) throw TooLarge{limits.most_nodes};
      *nodes = 0;
    }
    absl::StatusOr<driver::Compiled> compiled =
        driver::CompileModule(loops, candidate.target, plugins::OutputKind::kModule, context);
    if (!compiled.ok())
      return Failure{KindOf(runtime::StatusName(compiled.status())),
                     std::string(compiled.status().message())};
    *code = *std::move(compiled);
    return std::nullopt;
  } catch (const TooLarge& limit) {
    return Failure{FailureKind::kTooLarge, "its loops have more than " +
                                               std::to_string(limit.nodes) +
                                               " nodes when they are unrolled"};
  } catch (const runtime::Interrupted& end) {
    // Of this limit or of the caller's: the caller looks, out of this limit's scope.
    return Failure{FailureKind::kTimeout, end.what()};
  } catch (const Interruption&) {
    throw;
  } catch (const std::bad_alloc&) {
    return Failure{FailureKind::kOutOfMemory, "there was not enough memory to compile it"};
  } catch (const Error& error) {
    // Of the program; plugins fail with a status.
    return Failure{FailureKind::kSchedule, error.what()};
  }
}

}  // namespace

BuildResult BuildCandidate(const driver::ProgramToCompile& candidate, const BuildLimits& limits) {
  BuildResult result;
  const auto begun = steady_clock::now();
  result.failure = Compile(candidate, limits, &result.code, &result.nodes);
  result.seconds = std::chrono::duration<double>(steady_clock::now() - begun).count();
  PollNow();  // the caller's own interruption is not the candidate's failure
  return result;
}

}  // namespace lathe::tune
