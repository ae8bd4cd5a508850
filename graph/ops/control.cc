// Operators that hand their input on.
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

OpDef HandedOn(std::string name, std::string doc, OpKind kind) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .inputs = {{"data", "the input"}},
          .kind = kind,
          .is_view = kind != OpKind::kOpaque,
          .type = [](const TypeContext& c) -> TypeResult {
            TypeResult result = SameType(c);
            result.value = c.values[0];
            return result;
          },
          .compute =
              [](const ComputeContext& c) {
                return One(
                    c.shape(), [&](const Indices& i) { return At(c.in(0), AsExprs(i)); }, "y",
                    te::kElementwise);
              },
          .examples = {{{"T[n, 3]"}}, {{"float32[]"}}}};
}

}  // namespace

std::vector<OpDef> Control() {
  return {HandedOn("identity", "The input itself; nothing is computed.", OpKind::kElementwise),
          HandedOn("stop_gradient",
                   "The input itself, of the same shape; gradients count it as a constant.",
                   OpKind::kElementwise),
          HandedOn("optimization_barrier",
                   "A copy of the input, of the same shape: nothing is fused across it.",
                   OpKind::kOpaque)};
}

}  // namespace lathe::graph::ops
