#include "topi/anchor.h"

#include <algorithm>

#include "ir/module.h"
#include "schedule/queries.h"

namespace lathe::topi {
namespace {

constexpr std::string_view kKey = "anchor", kPartKey = "part", kResult = ".result";

std::string PartName(const ir::OpNode& op) { return ir::StringAttr(op.attrs, kPartKey); }

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

ir::Dict PartAttrs(std::string_view kind, std::string_view part) {
  return {{std::string(kPartKey), ir::String(std::string(kind) + "." + std::string(part))}};
}

std::string OperatorKind(const ir::OpNode& op) {
  const std::string part = PartName(op);
  if (!part.ends_with(kResult)) return AnchorOf(op);
  return part.substr(0, part.size() - kResult.size());
}

std::vector<ir::Op> OperatorOf(const ir::Op& result) {
  const std::string kind = OperatorKind(*result);
  if (kind.empty()) return {};
  // Follow parts through parts. Only the result, and parts between it and the anchor, may lead to
  // the anchor: any other operation of that kind belongs to another operator.
  std::vector<ir::Op> found = {result};
  const auto is_found = [&](const ir::Op& op) {
    return std::any_of(found.begin(), found.end(),
                       [&](const ir::Op& other) { return other.same_as(op); });
  };
  bool has_anchor = AnchorOf(*result) == kind;
  for (size_t i = 0; i < found.size(); ++i) {
    for (const ir::Tensor& input : ir::InputsOf(*found[i])) {
      const std::string part = PartName(*input->op);
      const bool anchor = !has_anchor && AnchorOf(*input->op) == kind;
      has_anchor = has_anchor || anchor;
      const bool belongs = part.starts_with(kind + ".") && !part.ends_with(kResult);
      if ((anchor || belongs) && !is_found(input->op)) found.push_back(input->op);
    }
  }
  std::vector<ir::Op> ordered;
  for (const ir::Op& op : schedule::PostOrder({result})) {
    if (is_found(op)) ordered.push_back(op);
  }
  return ordered;
}

ir::Op PartOf(const ir::Op& result, std::string_view part) {
  const std::string name = OperatorKind(*result) + "." + std::string(part);
  for (const ir::Op& op : OperatorOf(result)) {
    if (PartName(*op) == name) return op;
  }
  return nullptr;
}

}  // namespace lathe::topi
