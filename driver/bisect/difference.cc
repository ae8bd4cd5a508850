// Finds the statement that a pass changed.

#include <utility>

#include "driver/bisect/bisect.h"
#include "ir/structural.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::driver {
namespace {

// At most this many characters of a statement are shown.
constexpr size_t kShown = 6000;

std::string Show(const ir::Node* node) {
  if (node == nullptr) return "nothing";
  std::string text = ir::ToText(*node);
  if (text.size() > kShown) text = text.substr(0, kShown) + "\n...";
  return text;
}

std::vector<const ir::Node*> ChildrenOf(const ir::Node& node) {
  std::vector<const ir::Node*> out;
  ir::internal::ChildCursor cursor(node);
  ir::Edge edge;
  const ir::Node* child = nullptr;
  while (cursor.Next(&edge, &child)) out.push_back(child);
  return out;
}

// In most passes the variables that outer statements define are the same objects before and after.
// If a pass renames variables, they correspond by order.
bool Same(const ir::Node* a, const ir::Node* b) {
  return a == b || ir::StructuralEqual(ir::NodeRef(a), ir::NodeRef(b), true);
}

bool CanHold(const ir::Node* node) {
  return ir::IsStmt(node) || ir::As<ir::FuncNode>(node) != nullptr;
}

Difference Smallest(const ir::Node* a, const ir::Node* b) {
  for (;;) {
    if (a->node_kind() != b->node_kind()) break;
    const std::vector<const ir::Node*> left = ChildrenOf(*a), right = ChildrenOf(*b);
    if (left.size() != right.size()) break;
    size_t different = left.size(), count = 0;
    for (size_t i = 0; i < left.size(); ++i) {
      if (Same(left[i], right[i])) continue;
      different = i;
      ++count;
    }
    if (count != 1 || !CanHold(left[different]) || !CanHold(right[different])) break;
    a = left[different];
    b = right[different];
  }
  return {Show(a), Show(b)};
}

}  // namespace

Difference SmallestDifference(const ir::Module& before, const ir::Module& after) {
  for (const ir::Func& func : before->functions) {
    const ir::Func now = ir::FindFunc(after, func->name);
    if (!now) return {Show(func.get()), "nothing"};
    if (!Same(func.get(), now.get())) return Smallest(func.get(), now.get());
  }
  for (const ir::Func& func : after->functions) {
    if (!ir::FindFunc(before, func->name)) return {"nothing", Show(func.get())};
  }
  return {Show(before.get()), Show(after.get())};
}

}  // namespace lathe::driver
