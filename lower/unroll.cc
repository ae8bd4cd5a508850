#include "lower/unroll.h"

#include <algorithm>

#include "arith/analyzer.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "lower/option_names.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// The limit for copies, so that a mistake in a schedule gives an error and does not exhaust the
// machine.
constexpr int64_t kMaxCopies = 1 << 16;
constexpr std::string_view kPragma = attr_key::kPragmaPrefix;

// The limits that pragmas set for the loops within them.
struct Limits {
  int64_t max_step = 0;  // statements that automatic unrolling may make of a nest
  int64_t max_depth = 8;
  int64_t max_extent = kMaxCopies;
  bool copies = true;  // make copies of loops that are unrolled automatically
};

// The facts about the statements below a node.
struct Nest {
  int64_t steps = 0;
  int64_t unrolled = 0;  // depth of nested unrolled loops
  bool loops = false;    // that are not unrolled
};

class Unroller final : public Mutator {
 public:
  explicit Unroller(const PassContext& context)
      : explicit_(context.Option(option::kUnrollExplicit) != 0) {
    Limits limits;
    limits.max_step = context.Option(option::kUnrollAutoMaxStep);
    limits.max_depth = context.Option(option::kUnrollAutoMaxDepth);
    limits.max_extent = context.Option(option::kUnrollAutoMaxExtent);
    limits_.push_back(limits);
    nests_.emplace_back();
  }

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    if (As<For>(node) != nullptr) nests_.emplace_back();
    if (const auto* attr = As<Attr>(node); attr != nullptr && attr->key.starts_with(kPragma)) {
      Limits limits = limits_.back();
      const std::string_view key = std::string_view(attr->key).substr(kPragma.size());
      const int64_t value = *AsConstInt(attr->value);
      if (key == pragma::kAutoUnrollMaxStep) limits.max_step = value;
      if (key == pragma::kAutoUnrollMaxDepth) limits.max_depth = value;
      if (key == pragma::kAutoUnrollMaxExtent) limits.max_extent = value;
      if (key == pragma::kUnrollExplicit) limits.copies = value != 0;
      limits_.push_back(limits);
    }
    return nullptr;
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    // A sequence of which one loop is left is that loop.
    switch (before->node_kind()) {
      case NodeKind::kStore:
      case NodeKind::kEvaluate:
      case NodeKind::kAssert:
        ++nests_.back().steps;
        return after;
      case NodeKind::kWhile:
        nests_.back().loops = true;
        return after;
      case NodeKind::kAttr: {
        const auto& attr = static_cast<const Attr&>(*after);
        if (!attr.key.starts_with(kPragma)) return after;
        limits_.pop_back();
        // This pragma is for the code generator.
        if (attr.key == attr_key::kPragmaNontemporal && !IsZero(attr.value)) {
          return MakeAttr(attr.node, attr_key::kNontemporal, attr.value, attr.body);
        }
        return attr.body;
      }
      case NodeKind::kFor:
        return LeaveLoop(static_cast<const For&>(*after));
      default:
        return after;
    }
  }

 private:
  NodeRef LeaveLoop(const For& loop) {
    Nest nest = nests_.back();
    nests_.pop_back();
    const Expr extent = analyzer_.Simplify(loop.extent);
    const int64_t* count = AsConstInt(extent);
    const bool asked = loop.for_kind == ForKind::kUnrolled;
    if (asked) CheckAsked(loop, count);
    const Limits& limits = limits_.back();
    // The number of steps may be large: it is compared by division.
    const bool automatic = !asked && loop.for_kind == ForKind::kSerial && count != nullptr &&
                           *count >= 0 && *count <= limits.max_extent &&
                           nest.unrolled < limits.max_depth && !nest.loops && nest.steps > 0 &&
                           *count <= limits.max_step / nest.steps;
    NodeRef out(&loop);
    if (asked || automatic) {
      nest.steps *= std::max<int64_t>(*count, 0);
      ++nest.unrolled;
      out = (asked ? explicit_ : limits.copies) ? NodeRef(Copies(loop, *count)) : Marked(loop);
    } else {
      nest.loops = true;
    }
    Nest& around = nests_.back();
    around.steps = std::min<int64_t>(around.steps + nest.steps, int64_t{1} << 40);
    around.unrolled = std::max(around.unrolled, nest.unrolled);
    around.loops = around.loops || nest.loops;
    return out;
  }

  static void CheckAsked(const For& loop, const int64_t* count) {
    if (count == nullptr) {
      throw Error(
          Diagnostic{.name = "unroll-extent",
                     .message = "unroll: loop `" + loop.var->name + "` has no constant extent",
                     .expected = "a constant number of iterations",
                     .found = "an extent that depends on a variable",
                     .help = "split the loop by a constant factor and unroll the inner part"});
    }
    if (*count > kMaxCopies) {
      throw Error(
          Diagnostic{.name = "unroll-extent",
                     .message = "unroll: loop `" + loop.var->name + "` has too many iterations",
                     .expected = "at most " + std::to_string(kMaxCopies),
                     .found = std::to_string(*count),
                     .help = "split the loop and unroll the inner part"});
    }
  }

  static Stmt Copies(const For& loop, int64_t count) {
    std::vector<Stmt> copies;
    const int64_t missing = Planted(PlantedBug::kUnrollOneShort) ? 1 : 0;
    for (int64_t i = 0; i < count - missing; ++i) {
      Stmt copy = Substitute(loop.body, {{loop.var, loop.min + i}});
      copies.push_back(i == 0 ? copy : Refresh(copy));
    }
    return MakeSeq(std::move(copies));
  }

  static NodeRef Marked(const For& loop) {
    Dict annotations = loop.annotations;
    annotations[annotation::kUnroll] = Int(1);
    return MakeFor(loop.var, loop.min, loop.extent, ForKind::kSerial, loop.body, "",
                   std::move(annotations));
  }

  bool explicit_;
  std::vector<Limits> limits_;
  std::vector<Nest> nests_;
  arith::Analyzer analyzer_;
};

}  // namespace

Module Unroll(const Module& module, const PassContext& context) {
  return MapFunctions(
      module, [&](const Func& func) { return WithBody(func, Unroller(context).Run(func->body)); });
}

}  // namespace lathe::lower
