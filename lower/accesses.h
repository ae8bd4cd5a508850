// The buffers that a statement accesses. Private to the passes that move statements.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/stmt.h"

namespace lathe::lower {

// Buffers by identity; a view counts as the buffer that it shows.
class Accesses {
 public:
  explicit Accesses(const ir::Stmt& stmt);

  std::unordered_set<const ir::Node*> reads, writes;
  std::unordered_set<const ir::Node*> passed;  // buffers whose addresses calls get
  bool opaque = false;  // calls that may do anything, pointers of unknown origin

 private:
  const ir::Node* Root(const ir::Node* buffer) const;
  void Visit(const ir::Node& node);
  void VisitCall(const ir::Call& call);

  std::unordered_map<const ir::Node*, const ir::Node*> memory_;  // by a view's data
  std::unordered_map<const ir::Node*, const ir::Node*> views_;
  std::unordered_set<const ir::Node*> places_;  // loads that only name an element
};

}  // namespace lathe::lower
