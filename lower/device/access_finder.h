// Which elements of the memory that threads share a kernel's statements access. Internal to lower/.
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

// Of one kernel, whose statements are asked about in order: what asynchronous copies write is
// accessed where they are waited for, too. Only memory that matters is reported: shared, and global
// that the kernel both reads and writes. Views are their buffers, somewhere in them.
class AccessFinder {
 public:
  explicit AccessFinder(const ir::For& kernel);

  // What the expressions in `root` read, and their calls do; `origin` is the statement.
  void InExpressions(const ir::NodeRef& root, const ir::Node* origin, const AccessPlace& place,
                     std::vector<ThreadAccess>* out);
  // A statement that holds no others.
  void OfLeaf(const ir::NodeRef& stmt, const AccessPlace& place, std::vector<ThreadAccess>* out);

 private:
  struct Access;

  bool Matters(const ir::BufferNode& buffer) const;
  // The buffer that lies behind a view of its address (a tensor intrinsic's operand); itself for
  // others.
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
