#include "backends/cuda/barriers.h"

#include <vector>

#include "backends/cuda/loop_items.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/rewrite.h"

namespace lathe::cuda {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// Marks the items to leave out; `*any` becomes true if there are some.
std::vector<bool> Idle(const std::vector<Item>& items, bool* any) {
  std::vector<bool> idle(items.size());
  size_t last = items.size();  // the previous barrier; none yet
  bool waits = false, copies = false, others = false;
  for (size_t i = 0; i < items.size(); ++i) {
    const Stmt& stmt = items[i].stmt;
    if (items[i].defines) {
      const auto* let = As<LetStmt>(stmt);
      others = others || (let != nullptr && EffectOf(let->value) > CallEffect::kPure);
      continue;
    }
    if (IsSharedBarrier(stmt)) {
      if (last < items.size() && !others && !(waits && copies)) {
        *any = idle[waits ? last : i] = true;
        if (!waits) continue;
      }
      last = i;
      waits = copies = others = false;
      continue;
    }
    const Call* call = CallOf(stmt);
    if (call != nullptr && call->op == intrinsic::kAsyncWait)
      waits = true;
    else if (call != nullptr && call->op == intrinsic::kAsyncCommit)
      continue;
    else if (BeginsCopies(stmt))
      copies = true;
    else
      others = true;
  }
  return idle;
}

}  // namespace

Func WithoutIdleBarriers(const Func& kernel) {
  return WithBody(kernel, Rewrite(kernel->body, [](const For& loop) -> Stmt {
                    if (loop.for_kind != ForKind::kSerial) return nullptr;
                    const std::vector<Item> items = ItemsOf(loop.body);
                    bool any = false;
                    const std::vector<bool> idle = Idle(items, &any);
                    if (!any) return nullptr;
                    std::vector<Item> kept;
                    for (size_t i = 0; i < items.size(); ++i) {
                      if (!idle[i]) kept.push_back(items[i]);
                    }
                    return MakeFor(loop.var, loop.min, loop.extent, loop.for_kind, BodyOf(kept),
                                   loop.thread_tag, loop.annotations);
                  }));
}

}  // namespace lathe::cuda
