#include "lower/prefetch.h"

#include <algorithm>

#include "ir/rewrite.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

constexpr int64_t kLineBytes = 64;

Stmt Lines(const Prefetch& fetch) {
  const size_t rank = fetch.bounds.size();
  if (rank == 0) return nullptr;
  const int64_t per_line =
      std::max<int64_t>(1, kLineBytes / std::max(1, fetch.buffer->dtype.bytes()));
  std::vector<Range> place;
  std::vector<std::pair<Var, Expr>> loops;
  bool changed = false;
  for (size_t d = 0; d < rank; ++d) {
    const Range& range = fetch.bounds[d];
    const DataType t = range->extent->dtype;
    const int64_t* extent = AsConstInt(range->extent);
    const int64_t step = d + 1 == rank ? per_line : 1;
    if (extent != nullptr && *extent >= 1 && *extent <= step) {
      place.push_back(MakeRange(range->min, Const(1, t)));
      changed = changed || *extent != 1;
      continue;
    }
    changed = true;
    const Var var = MakeVar(d + 1 == rank ? "line" : "row", t);
    // An empty range may have a negative extent: its loop does not run.
    loops.emplace_back(var, FloorDivide(range->extent + (step - 1), Const(step, t)));
    place.push_back(MakeRange(range->min + Expr(var) * step, Const(1, t)));
  }
  if (!changed) return nullptr;
  Stmt body = MakePrefetch(fetch.buffer, std::move(place));
  for (size_t i = loops.size(); i-- > 0;)
    body = MakeFor(loops[i].first, Const(0, loops[i].first->dtype), loops[i].second,
                   ForKind::kSerial, body);
  return body;
}

}  // namespace

Module LowerPrefetch(const Module& module, const PassContext&) {
  return MapFunctions(module, [](const Func& func) {
    bool any = false;
    ForEach<Prefetch>(func->body, [&](const Prefetch&) { any = true; });
    if (!any) return func;
    // One prefetch may be in several places, if code that is computed ahead was copied.
    return WithBody(
        func, Refresh(Rewrite(func->body, [](const Prefetch& fetch) { return Lines(fetch); })));
  });
}

}  // namespace lathe::lower
