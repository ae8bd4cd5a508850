// Finds which elements of shared memory a kernel's statements access. Internal to lower/.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/stmt.h"
#include "lower/device/thread_access.h"

namespace lathe::lower {

// Where a statement stands: see ThreadAccess.
struct AccessPlace {
  std::shared_ptr<const std::unordered_map<const ir::Node*, ir::Expr>> pins;
  std::shared_ptr<const std::vector<ir::Expr>> guards;
};

// For one kernel, whose statements must be visited in order. The memory that an asynchronous copy
// writes counts as accessed at the wait, too. Reports only shared memory, and global memory that
// the kernel both reads and writes. An access through a view is an access to an unknown place in
// its buffer.
class AccessFinder {
 public:
  explicit AccessFinder(const ir::For& kernel);

  // The reads and calls in the expressions of `root`; `origin` is the statement.
  void InExpressions(const ir::NodeRef& root, const ir::Node* origin, const AccessPlace& place,
                     std::vector<ThreadAccess>* out);
  // For a statement that contains no others.
  void OfLeaf(const ir::NodeRef& stmt, const AccessPlace& place, std::vector<ThreadAccess>* out);

 private:
  struct Access;

  bool Matters(const ir::BufferNode& buffer) const;
  // The buffer behind a view of its address (an operand of a tensor intrinsic); for others the
  // buffer itself.
  const ir::BufferNode* RootOf(const ir::BufferNode* buffer) const;
  void Note(const ir::Node& node);
  void Add(const Access& access, const ir::BufferNode* buffer, const std::vector<ir::Expr>& indices,
           std::vector<ThreadAccess>* out) const;
  void AddCall(const ir::Call& call, const Access& base, std::vector<ThreadAccess>* out);

  std::unordered_set<const ir::Node*> written_, read_;                // data variables
  std::unordered_map<const ir::Node*, const ir::BufferNode*> roots_;  // by a view's data variable
  std::unordered_map<const ir::Node*, ir::Buffer> copied_;            // by async_copy
};

}  // namespace lathe::lower
