#include "lower/device/kernel_axes.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "arith/region.h"
#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

[[noreturn]] void UnknownExtent(const For& loop) {
  throw Error(Diagnostic{.name = "thread-axis-extent",
                         .message = "loop `" + loop.var->name + "` is bound to `" +
                                    loop.thread_tag +
                                    "`, but its extent is not known before the kernel starts",
                         .expected = "an extent of constants and sizes, or one bounded by them",
                         .found = "an extent that depends on what the kernel computes",
                         .help = "split the loop by a constant factor and bind the inner part"});
}

// The group of an axis: blocks, then axes of plugins, then threads.
int Group(const std::string& tag) {
  return IsBlockAxis(tag) ? 0 : tag.starts_with(thread_tag::kThreadPrefix) ? 2 : 1;
}

// Finds the axes to which a kernel's loops are bound, and its definitions.
class AxisFinder final : public Visitor {
 public:
  // If the loops around the whole kernel have no iterations, there is no kernel.
  AxisFinder(const For& kernel, arith::Analyzer* analyzer) : analyzer_(analyzer) {
    for (const For* loop = &kernel; loop != nullptr && IsHardwareLoop(*loop);
         loop = As<For>(loop->body))
      whole_.insert(loop);
  }

  std::vector<KernelAxis> axes;

 protected:
  bool Enter(const Node& node) override {
    if (IsExpr(node.node_kind())) return false;
    if (const auto* let = As<LetStmt>(&node)) opaque_.insert(let->var.get());
    const auto* loop = As<For>(&node);
    if (loop == nullptr) return true;
    const bool hardware = IsHardwareLoop(*loop);
    const arith::IntSet set =
        arith::EvalSet(MakeRange(loop->min, loop->extent), domains_, analyzer_);
    if (hardware) Add(*loop);
    domains_[loop->var] = set;
    inner_.insert(loop->var.get());
    return true;
  }

 private:
  void Add(const For& loop) {
    Expr extent = loop.min->dtype == loop.extent->dtype ? loop.min + loop.extent : loop.extent;
    if (EffectOf(extent) != CallEffect::kPure || UsesAnyVar(extent, opaque_)) UnknownExtent(loop);
    if (UsesAnyVar(extent, inner_)) {
      extent = arith::EvalSet(extent, domains_, analyzer_).max;
      if (!extent || UsesAnyVar(extent, inner_)) UnknownExtent(loop);
    }
    extent = analyzer_->Simplify(extent);
    // Beside a loop without iterations there may be statements, which a thread must run.
    if (whole_.count(&loop) == 0 && !analyzer_->CanProveGE(extent, 1))
      extent = analyzer_->Simplify(MakeMax(extent, Const(1, extent->dtype)));
    for (KernelAxis& axis : axes) {
      if (axis.tag != loop.thread_tag) continue;
      if (extent->dtype.bits() > axis.dtype.bits()) axis.dtype = extent->dtype;
      axis.extent = MakeCast(axis.dtype, axis.extent);
      extent = MakeCast(axis.dtype, extent);
      if (analyzer_->CanProve(extent <= axis.extent)) return;
      axis.extent = analyzer_->CanProve(axis.extent <= extent)
                        ? extent
                        : analyzer_->Simplify(MakeMax(axis.extent, extent));
      return;
    }
    axes.push_back({loop.thread_tag, extent, extent->dtype});
  }

  arith::Analyzer* analyzer_;
  arith::DomMap domains_;
  std::unordered_set<const Node*> inner_, opaque_, whole_;
};

}  // namespace

bool IsHardwareLoop(const For& loop) {
  return loop.for_kind == ForKind::kThread && loop.thread_tag != thread_tag::kVirtual;
}

std::vector<KernelAxis> AxesOfKernel(const For& kernel, arith::Analyzer* analyzer) {
  AxisFinder finder(kernel, analyzer);
  finder.Visit(kernel);
  std::vector<KernelAxis> axes = std::move(finder.axes);
  std::unordered_map<std::string, size_t> seen;  // by first appearance
  for (const KernelAxis& axis : axes) seen[axis.tag] = seen.size();
  std::sort(axes.begin(), axes.end(), [&](const KernelAxis& a, const KernelAxis& b) {
    const int ga = Group(a.tag), gb = Group(b.tag);
    if (ga != gb) return ga < gb;
    return ga == 1 ? seen.at(a.tag) < seen.at(b.tag) : a.tag < b.tag;
  });
  return axes;
}

bool MayNeedBarrier(const Stmt& stmt) {
  // A read followed by a write of that value is one step.
  if (const auto* let = As<LetStmt>(stmt)) return MayNeedBarrier(let->body);
  bool stores = false, loads = false, other = false;
  PostOrder(stmt, [&](const Node& node) {
    const auto shared = [](const BufferNode& buffer) {
      const int rank = ScopeRank(buffer.scope);
      return rank == 1 || rank == 2;
    };
    if (const auto* store = As<Store>(&node)) {
      stores = stores || shared(*store->buffer);
    } else if (const auto* load = As<Load>(&node)) {
      const auto* buffer = As<BufferNode>(load->source);
      loads = loads || (buffer != nullptr && shared(*buffer));
    } else if (const auto* allocate = As<Allocate>(&node)) {
      other = other || shared(*allocate->buffer);
    } else if (const auto* call = As<Call>(&node)) {
      other = other || EffectOf(*call) >= CallEffect::kWrites;
    }
  });
  return other || (stores && loads);
}

const BufferNode* AddressedBuffer(const Expr& address) {
  const auto* call = As<Call>(address);
  if (call == nullptr || (call->op != intrinsic::kAddressOf && call->op != intrinsic::kAccessPtr))
    return nullptr;
  if (const auto* load = As<Load>(call->args[0])) return As<BufferNode>(load->source);
  return As<BufferNode>(call->args[0]);
}

}  // namespace lathe::lower
