#include "topi/anchor.h"

#include "ir/module.h"
#include "schedule/queries.h"

namespace lathe::topi {
namespace {

constexpr std::string_view kKey = "anchor";

}  // namespace

ir::Dict AnchorAttrs(std::string_view kind) {
  return {{std::string(kKey), ir::String(std::string(kind))}};
}

std::string AnchorOf(const ir::OpNode& op) { return ir::StringAttr(op.attrs, kKey); }

ir::Op FindAnchor(const std::vector<ir::Op>& outputs, std::string_view kind) {
  ir::Op found;
  for (const ir::Op& op : schedule::PostOrder(outputs)) {
    if (AnchorOf(*op) != kind) continue;
    if (found) return nullptr;
    found = op;
  }
  return found;
}

}  // namespace lathe::topi
