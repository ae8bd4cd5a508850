#include "lower/unroll.h"

#include "arith/analyzer.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/rewrite.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// Copies are limited, so that a mistake in a schedule ends in an error and not in an exhausted
// machine.
constexpr int64_t kMaxCopies = 1 << 16;

class Unroller final : public Mutator {
 public:
  explicit Unroller(const PassContext& context)
      : explicit_(context.Option("unroll.explicit") != 0) {}

 protected:
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const auto* loop = As<For>(after);
    if (loop == nullptr || loop->for_kind != ForKind::kUnrolled) return after;
    const Expr extent = analyzer_.Simplify(loop->extent);
    const int64_t* count = AsConstInt(extent);
    if (count == nullptr) {
      throw Error(
          Diagnostic{.name = "unroll-extent",
                     .message = "unroll: loop `" + loop->var->name + "` has no constant extent",
                     .expected = "a constant number of iterations",
                     .found = "an extent that depends on a variable",
                     .help = "split the loop by a constant factor and unroll the inner part"});
    }
    if (*count > kMaxCopies) {
      throw Error(
          Diagnostic{.name = "unroll-extent",
                     .message = "unroll: loop `" + loop->var->name + "` has too many iterations",
                     .expected = "at most " + std::to_string(kMaxCopies),
                     .found = std::to_string(*count),
                     .help = "split the loop and unroll the inner part"});
    }
    if (!explicit_) return after;
    std::vector<Stmt> copies;
    const int64_t missing = Planted(PlantedBug::kUnrollOneShort) ? 1 : 0;
    for (int64_t i = 0; i < *count - missing; ++i) {
      Stmt copy = Substitute(loop->body, {{loop->var, loop->min + i}});
      copies.push_back(i == 0 ? copy : Refresh(copy));
    }
    return MakeSeq(std::move(copies));
  }

 private:
  bool explicit_;
  arith::Analyzer analyzer_;
};

}  // namespace

Module Unroll(const Module& module, const PassContext& context) {
  return MapFunctions(
      module, [&](const Func& func) { return WithBody(func, Unroller(context).Run(func->body)); });
}

}  // namespace lathe::lower
